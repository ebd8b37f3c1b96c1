"""From the cells of a column to the values of a role. A fault is named, with its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import inf, isnan, nan
from typing import Any, NamedTuple, TypeGuard

from at_k.errors import InputError, Message
from at_k.limits import Limits, exceeds
from at_k.readers.faults import find_fault, find_long_text
from at_k.readers.places import describe_place
from at_k.readers.quoting import quote
from at_k.readers.tables import Listed, Table

_SPELLED: dict[str, float | bool] = dict.fromkeys(("true", "yes", "pass", "passed"), True)
_SPELLED |= dict.fromkeys(("false", "no", "fail", "failed"), False) | {"nan": nan}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII)


class Cell(NamedTuple):
    """A value and where it stands. `sample` is its number in a list of samples, counted from 1."""

    value: Any
    row: int
    column: str
    sample: int | None = None

    def fault(self, role: str) -> InputError:
        """Return the error of a value that its role cannot take."""
        return find_fault(role, self.value, self.place)

    @property
    def place(self) -> Message:
        """Where the value stands."""
        return describe_place(self.row, self.column, self.sample)

    def quoted(self) -> dict[str, object]:
        """Return the value and the place as a message takes them."""
        return {"value": quote(self.value), "place": self.place}

    def parts(self) -> Iterator[Cell]:
        """Yield the cells of a list of samples."""
        return (Cell(value, self.row, self.column, sample) for sample, value in enumerate(self.value, 1))


def read_cells(table: Table, role: str, column: str) -> Iterator[Cell]:
    """Yield the cells of a column. Where a role needs numbers, those that CSV spells are converted."""
    spelled = are_spelled(table.layout, role)
    for number, value in zip(table.row_numbers(), table.column(column), strict=True):
        yield Cell(read_spelled(value) if spelled else value, number, column)


def are_spelled(layout: str, role: str) -> bool:
    """Return whether the cells of a role are numbers in words, as in CSV."""
    return layout in ("csv", "tsv") and role in ("grades", "scores")


def read_spelled(text: object) -> object:
    """Return the number or truth value that a text of CSV spells, or else the text itself."""
    if not isinstance(text, str):
        return text
    word = text.strip().lower()
    return float(word) if _NUMBER.fullmatch(word) else _SPELLED.get(word, text)


def read_problem(cell: Cell, limits: Limits) -> str:
    """Return the name of a problem."""
    text = _read_text(cell, limits)
    if text is None:
        raise cell.fault("problem")
    return text


def read_label(cell: Cell, limits: Limits) -> str:
    """Return the name of a group."""
    text = ("true" if cell.value else "false") if isinstance(cell.value, bool) else _read_text(cell, limits)
    if text is None:
        raise cell.fault("group")
    return text


def read_references(cell: Cell, limits: Limits) -> list[str]:
    """Return the correct answers of a problem, at least one."""
    values = cell.value if isinstance(cell.value, list) else [cell.value]
    if isinstance(cell.value, Listed) and not all(isinstance(value, str) for value in values):
        values = [cell.value.text]  # an answer such as the interval [0, 1]; alternatives are strings
    texts = [_read_text(cell._replace(value=value), limits) for value in values] or [None]
    found = [text for text in texts if text is not None]
    if len(found) < len(texts):
        wrong = values[texts.index(None)] if values else values
        raise cell._replace(value=wrong).fault("references")
    return found


def read_answer(cell: Cell, limits: Limits) -> str | None:
    """Return the answer of a sample; None if there is none."""
    if cell.value in (None, ""):
        return None if cell.value is None else ""
    text = _read_text(cell, limits)
    if text is None:
        raise cell.fault("answers")
    return text


def read_grade(cell: Cell, _: Limits) -> float | None:
    """Return the grade of a sample; None if there is none."""
    if cell.value is None or (isinstance(cell.value, float) and isnan(cell.value)):
        return None
    if not isinstance(cell.value, (int, float)) or not 0 <= cell.value <= 1:
        raise cell.fault("grades")
    return float(cell.value)


def read_score(cell: Cell, _: Limits) -> float | None:
    """Return the score of a sample; None if there is none."""
    if cell.value is None:
        return None
    if not _is_finite(cell.value):
        raise cell.fault("scores")
    return float(cell.value)


def _read_text(cell: Cell, limits: Limits) -> str | None:
    """Return a string, or a number as JSON spells it. Return None for an empty string and for any other value."""
    text = repr(cell.value) if _is_finite(cell.value) else cell.value
    if not isinstance(text, str) or not text:
        return None
    if exceeds(len(text), limits.max_text):
        raise find_long_text(text, limits.max_text, cell.place)
    return text


def _is_finite(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite number, and not a truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -inf < value < inf


READERS: dict[str, Callable[[Cell, Limits], object]] = {
    "problem": read_problem,
    "answers": read_answer,
    "references": read_references,
    "grades": read_grade,
    "scores": read_score,
    "group": read_label,
}
"""The function that reads one cell of each role."""
