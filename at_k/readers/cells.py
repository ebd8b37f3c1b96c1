"""From the cell of a column, or the field of a harness, to the value of a role. A reader adds the place of a fault."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from math import inf, isnan, nan
from typing import Any, Final, TypeGuard

from at_k.readers.lists import Listed

_TRUE = (
    "true yes y t pass passed correct right ✓ ✔ √ 是 对 正确 真 通过 はい 正しい 예 oui vrai juste ja wahr richtig "
    "sí si verdadero correcto sim verdadeiro certo vero giusto да верно"
)
_FALSE = (
    "false no n f fail failed incorrect wrong ✗ ✘ × 否 错 错误 不正确 假 未通过 不通过 いいえ 아니요 non faux nein "
    "falsch falso incorrecto não errado sbagliato нет неверно"
)
_SPELLED: dict[str, float | bool] = {
    **dict.fromkeys(_TRUE.split(), True),
    **dict.fromkeys(_FALSE.split(), False),
    "nan": nan,
}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII)
_LARGEST = sys.float_info.max


_EXACT = 2**53
"""Whole numbers up to here are exact as floats, which is what decoders of JSON make of longer ones."""


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: Final = _Nothing()
"""Stands for a column that a file does not have; None stands for a value that is missing."""


class UnfitError(ValueError):
    """A value that its role cannot take.

    Attributes:
        value: the value, or the part of a list that is at fault.
    """

    def __init__(self, value: object) -> None:
        super().__init__(repr(value))
        self.value = value


def read_spelled(text: object) -> object:
    """Return the number or truth value that a text of CSV spells, or else the text itself.

    Examples:
        >>> read_spelled(" Yes"), read_spelled("1e-1"), read_spelled("maybe")
        (True, 0.1, 'maybe')
    """
    if not isinstance(text, str):
        return text
    word = text.strip().lower()
    return float(word) if _NUMBER.fullmatch(word) else _SPELLED.get(word, text)


def read_text(value: object) -> str:
    """Return a text that is not empty, or a number as JSON spells it.

    Raises:
        UnfitError: if it is anything else.
    """
    text = repr(value) if is_finite(value) else value
    if not isinstance(text, str) or not text:
        raise UnfitError(value)
    return text


def read_answer(value: object) -> str | None:
    """Return the answer of a sample; None if there is none."""
    if value is None:
        return None
    return "" if value == "" else read_text(value)


def read_references(value: object) -> list[str]:
    """Return the correct answers of a problem, at least one."""
    if isinstance(value, Listed) and not all(isinstance(each, str) for each in value):
        return [value.text]  # an answer such as the interval [0, 1]; alternatives are strings
    if value == []:
        raise UnfitError(value)
    return [read_text(each) for each in (value if isinstance(value, list) else [value])]


def read_grade(value: object) -> float | None:
    """Return the grade of a sample; None if there is none."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return None
    if not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise UnfitError(value)
    return float(value)


def read_score(value: object) -> float | None:
    """Return the score of a sample; None if there is none."""
    if value is None:
        return None
    if not is_finite(value) or abs(value) > _LARGEST:
        raise UnfitError(value)
    return float(value)


def read_label(value: object) -> str:
    """Return the name of a group."""
    return ("true" if value else "false") if isinstance(value, bool) else read_text(value)


def is_finite(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite number, and not a truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -inf < value < inf


READERS: dict[str, Callable[[object], object]] = {
    "problem": read_text,
    "answers": read_answer,
    "references": read_references,
    "grades": read_grade,
    "scores": read_score,
    "group": read_label,
}
"""The function that reads a cell of each role. It raises `UnfitError` for what the role cannot take."""


def can_read(role: str, value: object) -> bool:
    """Return whether a role can take a value."""
    try:
        READERS[role](value)
    except UnfitError:
        return False
    return True


def count_fits(role: str, values: Sequence[object], scale: tuple[float, float] | None = None) -> int:
    """Count the values that a role can take.

    Examples:
        >>> count_fits("grades", [True, 0.5, 7]), count_fits("grades", [7], (0, 10))
        (2, 1)
    """
    rescaled = values if scale is None or role != "grades" else [rescale(value, scale) for value in values]
    return sum(can_read(role, value) for value in rescaled)


def rescale(value: object, scale: tuple[float, float] | None) -> object:
    """Bring a number of a scale into [0, 1]; truth values and what is no number stay.

    Examples:
        >>> rescale(4, (1, 5)), rescale(True, (0, 100))
        (0.75, True)
    """
    if scale is None or not isinstance(value, (int, float)) or isinstance(value, bool):
        return value
    low, high = scale
    return (value - low) / (high - low)


def read_field(role: str, value: object, scale: tuple[float, float] | None = None) -> Any:
    """Read what a harness wrote for a role. It may be more than tables have: truth values and empty texts.

    Raises:
        UnfitError: if the role cannot take it, or it is a number that a decoder may have rounded.

    Examples:
        >>> read_field("answers", True), read_field("references", ""), read_field("group", None)
        ('true', [''], NOTHING)
    """
    if role == "grades":
        return read_grade(rescale(value, scale))
    if role == "scores":
        return read_score(None if isinstance(value, float) and isnan(value) else value)
    if role == "references":
        listed = value if isinstance(value, list) else [value]
        if not listed:
            raise UnfitError(value)
        return NOTHING if value is None else list(map(_spell, listed))
    if role == "problem":
        if value == "" or isinstance(value, bool):
            raise UnfitError(value)
        return _spell(value)
    spelled = None if value is None else _spell(value)
    return (spelled or NOTHING) if role == "group" else spelled


def _spell(value: object) -> str:
    """Return a string, or a number or truth value as JSON spells it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if not is_finite(value) or (isinstance(value, float) and abs(value) >= _EXACT):
        raise UnfitError(value)
    return repr(value)
