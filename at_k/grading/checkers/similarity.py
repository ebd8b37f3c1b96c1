"""The checkers `bleu`, `chrf`, `rouge1`, `rouge2` and `rougeL`: grades of sacreBLEU and rouge-score, from 0 to 1."""

from dataclasses import dataclass
from importlib import import_module

from at_k.errors import InputError
from at_k.grading.checkers.base import Checker
from at_k.validation import shorten


class _Similarity(Checker):
    slow, extra = True, "text"
    allowed: tuple[object, ...] = (False, True)

    def __post_init__(self) -> None:
        ((name, value),) = vars(self).items()
        if value not in self.allowed or type(value) is not type(self.allowed[0]):
            raise InputError(
                "check.similarity", "`{parameter}` must be one of {allowed}; got {value}",
                parameter=name, allowed=", ".join(map(repr, self.allowed)), value=shorten(value),
            )  # fmt: skip

    def grade(self, answer: str, reference: str) -> float:
        """Return the score of a sentence. sacreBLEU gives 100.00000000000004 for equal texts."""
        if self.imports == ("sacrebleu",):
            compute = getattr(import_module("sacrebleu"), f"sentence_{self.name}")
            return min(round(float(compute(answer, [reference], **vars(self)).score / 100), 12), 1.0)
        scorer = import_module("rouge_score.rouge_scorer").RougeScorer([self.name], **vars(self))
        return round(float(scorer.score(reference, answer)[self.name].fmeasure), 12)


@dataclass(frozen=True, repr=False)
class Bleu(_Similarity):
    """Grade an answer by its sentence BLEU against the reference, from 0 to 1, as computed by sacreBLEU.

    Args:
        tokenize: the tokenizer of sacreBLEU: "13a", "zh", "intl", "char" or "none".
    """

    tokenize: str = "13a"
    name, imports, allowed = "bleu", ("sacrebleu",), ("13a", "zh", "intl", "char", "none")


@dataclass(frozen=True, repr=False)
class Chrf(_Similarity):
    """Grade an answer by its chrF against the reference, from 0 to 1, as computed by sacreBLEU.

    Args:
        word_order: the longest n-gram of words that counts beside those of characters: 0 for chrF, 2 for chrF++.
    """

    word_order: int = 0
    name, imports, allowed = "chrf", ("sacrebleu",), tuple(range(7))


@dataclass(frozen=True, repr=False)
class Rouge1(_Similarity):
    """Grade an answer by ROUGE-1, the overlap of words with the reference, from 0 to 1, as computed by rouge-score.

    rouge-score keeps the letters a to z and digits alone: other scripts get 0.

    Args:
        use_stemmer: whether words are reduced to their stems (English).
    """

    use_stemmer: bool = False
    name, imports = "rouge1", ("rouge_score",)


@dataclass(frozen=True, repr=False)
class Rouge2(Rouge1):
    """Grade an answer by ROUGE-2, the overlap of pairs of words with the reference, as computed by rouge-score."""

    name = "rouge2"


@dataclass(frozen=True, repr=False)
class RougeL(Rouge1):
    """Grade an answer by ROUGE-L, the longest common subsequence of words, as computed by rouge-score."""

    name = "rougeL"
