"""The checker `exact_match`."""

from __future__ import annotations

from dataclasses import dataclass

from at_k.grading.checkers.base import Checker


@dataclass(frozen=True, repr=False)
class ExactMatch(Checker):
    """Accept an answer that equals the reference after white space is stripped from the ends of both.

    Examples:
        >>> ExactMatch()(" 42", "42"), ExactMatch()("42.0", "42")
        (True, False)
    """

    name = "exact_match"

    def normalize(self, text: str) -> str:
        """Strip white space from the ends."""
        return text.strip()
