"""The checker `chrf`."""

from __future__ import annotations

from dataclasses import dataclass

from at_k.errors import InputError
from at_k.grading.checkers.base import Checker
from at_k.grading.checkers.bleu import clip, get_version
from at_k.validation import is_integer, shorten


@dataclass(frozen=True, repr=False)
class Chrf(Checker):
    """Grade an answer by its chrF against the reference, from 0 to 1, as computed by sacreBLEU.

    Args:
        word_order: the longest n-gram of words that counts beside those of characters: 0 for chrF, 2 for chrF++.

    Examples:
        >>> Chrf()("The cat sat on the mat.", "The cat sat on the mat.")
        1.0
    """

    word_order: int = 0

    name = "chrf"
    slow = True
    extra = "text"
    imports = ("sacrebleu",)

    def __post_init__(self) -> None:
        if not is_integer(self.word_order) or not 0 <= self.word_order <= 6:
            raise InputError(
                "check.word_order",
                "`word_order` must be an integer from 0 to 6; got {value}.",
                value=shorten(self.word_order),
            )

    def grade(self, answer: str, reference: str) -> float:
        """Compute the chrF of a sentence."""
        from sacrebleu.metrics.chrf import CHRF

        return clip(CHRF(word_order=self.word_order, eps_smoothing=False).sentence_score(answer, [reference]).score)

    def warm_up(self) -> None:
        """Import sacreBLEU."""
        self.grade("a", "a")

    def describe(self) -> str:
        """Return the name with the version of sacreBLEU: the grades depend on it."""
        return f"chrf(word_order={self.word_order},sacrebleu={get_version('sacrebleu')})"
