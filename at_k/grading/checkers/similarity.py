"""The checkers `bleu`, `chrf`, `rouge1`, `rouge2` and `rougeL`: grades of sacreBLEU and rouge-score, from 0 to 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pkgutil import resolve_name
from typing import ClassVar

from at_k.errors import InputError
from at_k.grading.checkers.base import Checker
from at_k.validation import shorten


@dataclass(frozen=True, repr=False)
class _Similarity(Checker):
    slow, extra = True, "text"
    makes: ClassVar[str]
    settings: ClassVar[Mapping[str, object]] = {}
    allowed: ClassVar[tuple[object, ...]] = (False, True)

    def __post_init__(self) -> None:
        ((name, value),) = vars(self).items()
        if value not in self.allowed or type(value) is not type(self.allowed[0]):
            raise InputError(
                "check.similarity", "`{parameter}` must be one of {allowed}; got {value}",
                parameter=name, allowed=", ".join(map(repr, self.allowed)), value=shorten(value),
            )  # fmt: skip

    def grade(self, answer: str, reference: str) -> float:
        """Return the score of a sentence. sacreBLEU gives 100.00000000000004 for equal texts."""
        metric = partial(resolve_name(self.makes), **vars(self), **self.settings)
        if self.imports == ("sacrebleu",):
            score = metric().sentence_score(answer, [reference]).score / 100
        else:
            score = metric([self.name]).score(reference, answer)[self.name].fmeasure
        return float(min(max(round(score, 12), 0.0), 1.0))

    def warm_up(self) -> None:
        """Import the package."""
        self.grade("a", "a")

    def describe(self) -> str:
        """Return the parameter and the version of the package: the grades depend on them."""
        ((name, value),) = vars(self).items()
        package = self.imports[0].replace("_", "-")
        return f"{self.name}({name}={value},{package}={version(package)})"


@dataclass(frozen=True, repr=False)
class Bleu(_Similarity):
    """Grade an answer by its sentence BLEU against the reference, from 0 to 1, as computed by sacreBLEU.

    Args:
        tokenize: the tokenizer of sacreBLEU: "13a", "zh", "intl", "char" or "none".
    """

    tokenize: str = "13a"
    name, imports, makes = "bleu", ("sacrebleu",), "sacrebleu.metrics.bleu:BLEU"
    allowed = ("13a", "zh", "intl", "char", "none")
    settings: ClassVar[Mapping[str, object]] = {"effective_order": True}  # short sentences have no n-grams of order 4


@dataclass(frozen=True, repr=False)
class Chrf(_Similarity):
    """Grade an answer by its chrF against the reference, from 0 to 1, as computed by sacreBLEU.

    Args:
        word_order: the longest n-gram of words that counts beside those of characters: 0 for chrF, 2 for chrF++.
    """

    word_order: int = 0
    name, imports, makes = "chrf", ("sacrebleu",), "sacrebleu.metrics.chrf:CHRF"
    allowed = tuple(range(7))


@dataclass(frozen=True, repr=False)
class Rouge1(_Similarity):
    """Grade an answer by ROUGE-1, the overlap of words with the reference, from 0 to 1, as computed by rouge-score.

    rouge-score keeps the letters a to z and digits alone: other scripts get 0.

    Args:
        use_stemmer: whether words are reduced to their stems (English).
    """

    use_stemmer: bool = False
    name, imports, makes = "rouge1", ("rouge_score",), "rouge_score.rouge_scorer:RougeScorer"


@dataclass(frozen=True, repr=False)
class Rouge2(Rouge1):
    """Grade an answer by ROUGE-2, the overlap of pairs of words with the reference, as computed by rouge-score."""

    name = "rouge2"


@dataclass(frozen=True, repr=False)
class RougeL(Rouge1):
    """Grade an answer by ROUGE-L, the longest common subsequence of words, as computed by rouge-score."""

    name = "rougeL"
