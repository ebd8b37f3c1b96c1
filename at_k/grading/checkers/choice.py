"""The checker `choice`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from at_k.errors import InputError
from at_k.grading.checkers.base import Checker
from at_k.grading.checkers.quasi_exact import normalize_words
from at_k.grading.extraction import find_final_answer
from at_k.grading.letters import LETTERS, find_letter, read_option
from at_k.grading.numbers import to_ascii
from at_k.validation import shorten

_BETWEEN_WORDS = re.compile(
    r"(?<=[^\W\d_])[-/*](?=[^\W\d_]{2})|(?<=[^\W\d_]{2})[-/*](?=\w)|(?<=[^\W\d_]{2})\s[-/*]\s(?=[^\W\d_]{2})"
    r"|^\s*[-*+]\s+(?=[^\W\d_]{2})"
)
_SIGN = re.compile(r"(?<=[\w)\]}])\s?\*\s?(?=[\w(\\])|[-+/^=<>%]|\.(?=\d)|(?<=\d),(?=\d)(?!\d{3}(?!\d))")


def normalize_option(text: str) -> str:
    """Normalise the text of an option as `quasi_exact` does, but keep what makes another number or formula of it.

    Examples:
        >>> normalize_option("The well-known  Tower!"), normalize_option("5.") == normalize_option("-5")
        ('wellknown tower', False)
    """
    if text.isalpha():
        return normalize_words(text)
    plain = _BETWEEN_WORDS.sub(_drop, to_ascii(text))
    return normalize_words(_SIGN.sub(_protect, plain))


def _drop(found: re.Match[str]) -> str:
    """Drop a hyphen as punctuation, but keep the spaces around it."""
    return " " if " " in found[0] else ""


def _protect(found: re.Match[str]) -> str:
    """Write a sign as a character that is no punctuation. Decimal points stay within their number."""
    sign = found[0].strip()
    kept = chr(0xE000 + ord(sign))
    return kept if sign in ".," else f" {kept} "


class Option(NamedTuple):
    """An option: its letter, if there is one, and the text in which it stands."""

    letter: str | None
    text: str


@dataclass(frozen=True, repr=False)
class Choice(Checker):
    """Accept an answer that settles on the letter of the reference, or gives the text of its option.

    The answer is free text, as of `extract_fn="choice"`. The reference is a letter, a letter with its text ("(C)
    Paris"), or the text alone. If both have a letter, the letters decide. If not, the texts decide, normalised as by
    `quasi_exact`, except that signs and decimal points count.

    Args:
        letters: the letters that options may have.

    Examples:
        >>> Choice()("I think it is B. No: the answer is (C).", "C"), Choice()("The answer is Paris.", "(C) Paris")
        (True, True)
    """

    letters: str = LETTERS

    name = "choice"

    def __post_init__(self) -> None:
        if not isinstance(self.letters, str) or not self.letters.isascii() or not self.letters.isalpha():
            raise InputError(
                "check.letters",
                "`letters` must be a string of letters from A to Z, such as 'ABCD'; got {value}.",
                value=shorten(self.letters),
            )
        object.__setattr__(self, "letters", self.letters.upper())

    def normalize(self, text: str) -> Option:
        """Find the letter that an answer settles on."""
        return Option(find_letter(text, self.letters), text)

    def normalize_reference(self, text: str) -> Option:
        """Read the letter of a reference, and the text of its option."""
        letter, words = read_option(text, self.letters)
        return Option(letter, normalize_option(words) if words else "")

    def compare(self, answer: Option, reference: Option) -> bool:
        """Compare letters; texts where a letter is missing."""
        if answer.letter and reference.letter:
            return answer.letter == reference.letter
        return bool(reference.text) and self._find_text(answer) == reference.text

    def _find_text(self, answer: Option) -> str:
        """Return the text of the option that an answer gives, normalised."""
        letter, words = read_option(answer.text, self.letters)
        if letter is None or letter != answer.letter or "\n" in words:
            words = find_final_answer(answer.text) or answer.text
        return normalize_option(words)
