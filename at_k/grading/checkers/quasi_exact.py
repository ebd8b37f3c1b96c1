"""The checker `quasi_exact`."""

from __future__ import annotations

import re
import string
import unicodedata
from dataclasses import dataclass

from at_k.grading.checkers.base import Checker

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


class _NoPunctuation(dict[int, str | int]):
    """Map punctuation to nothing, and every other character to itself."""

    def __missing__(self, code: int) -> str | int:
        character = chr(code)
        kept = character not in string.punctuation and not unicodedata.category(character).startswith("P")
        self[code] = code if kept else ""
        return self[code]


_NO_PUNCTUATION = _NoPunctuation()


def normalize_words(text: str) -> str:
    """Lower-case a text, and remove punctuation, articles and extra white space.

    A text that consists of articles or of punctuation alone keeps them: the word "A" is an answer, and "+" is one.

    Examples:
        >>> normalize_words("The  Eiffel Tower!"), normalize_words("A"), normalize_words("+")
        ('eiffel tower', 'a', '+')
    """
    lowered = text.lower()
    words = " ".join(lowered.translate(_NO_PUNCTUATION).split())
    return " ".join(_ARTICLES.sub(" ", words).split()) or words or " ".join(lowered.split())


@dataclass(frozen=True, repr=False)
class QuasiExact(Checker):
    """Accept an answer that equals the reference after the normalisation of SQuAD.

    Both are lower-cased, and lose punctuation, the words "a", "an" and "the", and extra white space. Punctuation is
    that of all scripts. Signs and decimal points are punctuation too, so that 1.5 equals 15: numbers need `numeric`.

    Examples:
        >>> QuasiExact()("the Eiffel Tower.", "Eiffel tower"), QuasiExact()("A", "B")
        (True, False)
    """

    name = "quasi_exact"

    def normalize(self, text: str) -> str:
        """Lower-case a text, and remove punctuation, articles and extra white space."""
        return normalize_words(text)
