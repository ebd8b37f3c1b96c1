"""The checker `bleu`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from at_k.grading.checkers.base import Checker
from at_k.validation import check_choice

_TOKENIZERS = ("13a", "zh", "intl", "char", "none")


@dataclass(frozen=True, repr=False)
class Bleu(Checker):
    """Grade an answer by its sentence BLEU against the reference, from 0 to 1, as computed by sacreBLEU.

    Args:
        tokenize: the tokenizer of sacreBLEU: "13a", "zh", "intl", "char" or "none".

    Examples:
        >>> Bleu()("The cat sat on the mat.", "The cat sat on the mat.")
        1.0
    """

    tokenize: str = "13a"

    name = "bleu"
    slow = True
    extra = "text"
    imports = ("sacrebleu",)

    def __post_init__(self) -> None:
        check_choice("tokenize", self.tokenize, _TOKENIZERS)

    def grade(self, answer: str, reference: str) -> float:
        """Compute the sentence BLEU, with the effective order of n-grams that sacreBLEU recommends for sentences."""
        return clip(self._metric().sentence_score(answer, [reference]).score)

    def warm_up(self) -> None:
        """Import sacreBLEU."""
        self._metric()

    def describe(self) -> str:
        """Return the signature of sacreBLEU: the grades depend on it."""
        return f"bleu(tok={self.tokenize},sacrebleu={get_version('sacrebleu')})"

    def _metric(self) -> Any:
        from sacrebleu.metrics.bleu import BLEU

        return BLEU(tokenize=self.tokenize, effective_order=True)


def clip(percent: float) -> float:
    """Turn a percentage into a grade. sacreBLEU gives 100.00000000000004 for equal texts."""
    return min(max(percent / 100, 0.0), 1.0) if abs(percent - 100) > 1e-9 else 1.0


def get_version(package: str) -> str:
    """Return the version of an installed package."""
    from importlib.metadata import version

    return version(package)
