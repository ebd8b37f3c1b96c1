"""The checkers `rouge1`, `rouge2` and `rougeL`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from at_k.grading.checkers.base import Checker
from at_k.grading.checkers.bleu import get_version
from at_k.validation import check_flag


@dataclass(frozen=True, repr=False)
class _Rouge(Checker):
    """Grade an answer by the F-measure of a ROUGE score.

    Args:
        use_stemmer: whether words are reduced to their stems (English).
    """

    use_stemmer: bool = False

    slow = True
    extra = "text"
    imports = ("rouge_score",)

    def __post_init__(self) -> None:
        check_flag("use_stemmer", self.use_stemmer)

    def grade(self, answer: str, reference: str) -> float:
        """Compute the F-measure."""
        return float(_make_scorer(self.name, bool(self.use_stemmer)).score(reference, answer)[self.name].fmeasure)

    def warm_up(self) -> None:
        """Import rouge-score."""
        self.grade("a", "a")

    def describe(self) -> str:
        """Return the name with the version of rouge-score: the grades depend on it."""
        return f"{self.name}(stem={self.use_stemmer},rouge-score={get_version('rouge-score')})"


@dataclass(frozen=True, repr=False)
class Rouge1(_Rouge):
    """Grade an answer by ROUGE-1, the overlap of words with the reference, from 0 to 1, as computed by rouge-score.

    rouge-score keeps the letters a to z and digits alone: other scripts get 0.

    Args:
        use_stemmer: whether words are reduced to their stems (English).

    Examples:
        >>> Rouge1().grade("the cat sat", "the cat slept")
        0.6666666666666666
    """

    name = "rouge1"


@dataclass(frozen=True, repr=False)
class Rouge2(_Rouge):
    """Grade an answer by ROUGE-2, the overlap of pairs of words with the reference, as computed by rouge-score.

    Args:
        use_stemmer: whether words are reduced to their stems (English).

    Examples:
        >>> Rouge2().grade("the cat sat", "the cat slept")
        0.5
    """

    name = "rouge2"


@dataclass(frozen=True, repr=False)
class RougeL(_Rouge):
    """Grade an answer by ROUGE-L, the longest common subsequence of words, as computed by rouge-score.

    Args:
        use_stemmer: whether words are reduced to their stems (English).

    Examples:
        >>> RougeL().grade("the cat sat here", "the cat here")
        0.8571428571428571
    """

    name = "rougeL"


@lru_cache(maxsize=8)
def _make_scorer(name: str, use_stemmer: bool) -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer([name], use_stemmer=use_stemmer)
