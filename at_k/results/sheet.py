"""One form of every result, a `Sheet` of sentences, tables and plain data, which the writers write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import floor, isfinite, isnan, log10
from typing import Any, NamedTuple

import numpy as np

from at_k.errors import Legend

# Write a text or a message for a surface: `str`, with the flags of a command, or in another language.
Say = Callable[[Any], str]


class Cell(NamedTuple):
    """A cell: text, a message, or a number with its interval.

    Attributes:
        value: the text, message, list of messages, or number; None for an empty cell.
        interval: the ends of the interval.
        form: how numbers are written, as `format` takes it; "p" for a p-value; "estimate" for a value of any size,
            whose digits follow its interval.
        unit: the text around the number: "± {}".
        style: "best", "good", "bad", "open", "legend"; "" for none.
    """

    value: Any = None
    interval: tuple[float, float] | None = None
    form: str = ""
    unit: str = "{}"
    style: str = ""

    def write(self, say: Say) -> tuple[str, str]:
        """Write the value and the interval."""
        if self.value is None:
            return "", ""
        if not isinstance(self.value, (int, float, np.number)):
            return make_printable(" ".join(_say_all(self.value, say).split("\n"))), ""
        if isnan(self.value):
            return "–", ""
        if self.form == "p":
            return write_p(float(self.value)), ""
        if self.form == "estimate":
            return write_estimate(float(self.value), self.interval)
        numbers = [self.value, *(self.interval or ())]
        value, *ends = (format(number, self.form).replace("-", "−") for number in numbers)
        return self.unit.format(value), f"[{', '.join(ends)}]" if ends else ""

    def join(self, say: Say) -> str:
        """Write all of the cell on one line."""
        return " ".join(filter(None, self.write(say)))


def write_p(value: float) -> str:
    """Write a p-value with three decimals; "–" for an undefined test.

    Examples:
        >>> write_p(0.0312), write_p(0.0001), write_p(float("nan"))
        ('0.031', '< 0.001', '–')
    """
    if isnan(value):
        return "–"
    if value < 0.001:
        return "< 0.001"
    return f"{value:.3f}"


# Digits of a value that has an interval. A float has 15 that can be relied on.
_FEWEST, _MOST = 3, 15

# Up to this number of digits before the point, a score with an interval has no exponent.
_PLACES = 6


def write_estimate(value: float, ends: tuple[float, float] | None) -> tuple[str, str]:
    """Write a value, and its interval if it has one.

    Examples:
        >>> write_estimate(0.91, (0.8472, 0.9513)), write_estimate(0.91, None)
        (('0.910', '[0.847, 0.951]'), ('0.9100', ''))
        >>> write_estimate(0.9996, (0.9993, 0.9998)), write_estimate(1234, (1229.6, 1238.4))
        (('0.9996', '[0.9993, 0.9998]'), ('1234', '[1230, 1238]'))
    """
    # A value without an interval has four digits. One with an interval has three, or, where the interval is so narrow
    # that they would hide it, enough to show the first digit of its width: 1234 ± 4 must not become 1.23e+03.
    if ends is None:
        return write_value(value, 4), ""
    digits = _count_digits(*ends)
    low, high = (write_value(end, digits) for end in ends)
    return write_value(value, digits), f"[{low}, {high}]"


def _count_digits(low: float, high: float) -> int:
    """Count the digits that a value needs beside its interval: decimals of a share, significant digits of a score."""
    if low >= 0 and high <= 1:
        before = fewest = 0
    else:
        before = floor(log10(max(abs(low), abs(high)))) + 1
        fewest = before if before <= _PLACES else 0  # no exponent, such as in 1.23e+03
    narrow = 0
    if high > low:
        narrow = before - floor(log10(high - low))
    return min(max(_FEWEST, fewest, narrow), _MOST)


def write_value(value: float, digits: int) -> str:
    """Write a share with `digits` decimals, and a score, which may be of any size, with `digits` digits.

    Examples:
        >>> write_value(0.5, 4), write_value(2.5, 4), write_value(-1234.5, 4)
        ('0.5000', '2.500', '−1234')
    """
    if 0 <= value <= 1:
        written = f"{value + 0.0:.{digits}f}"
    else:
        written = f"{value:#.{digits}g}".rstrip(".")
    if value < 0:
        return written.replace("-", "−", 1)
    return written


def _say_all(said: Any, say: Say) -> str:
    """Write a text, a message, or several one after the other."""
    if isinstance(said, (list, tuple)):
        return " ".join(map(say, said))
    return say(said)


@dataclass(frozen=True)
class Sentences:
    """Sentences of one kind, each a text, a message, or a list of these.

    The kinds are "lead", a paragraph; "fact", a line below a title; or the items of a list: "", "need", "note",
    "legend" and "mistake".
    """

    said: Sequence[Any]
    kind: str = ""
    caption: Any = ""

    def write(self, say: Say) -> list[str]:
        """Write each sentence on one line."""
        return [" ".join(_say_all(sentence, say).splitlines()) for sentence in self.said]


def split_notes(notes: Iterable[Any]) -> tuple[Sentences, Sentences]:
    """Return the legends, which explain a column, and the other notes, which say what to know of the numbers."""
    listed = list(notes)
    legends = [note for note in listed if isinstance(note, Legend)]
    others = [note for note in listed if not isinstance(note, Legend)]
    return Sentences(legends, "legend"), Sentences(others, "note")


def _make_cell(value: Any) -> Cell:
    if isinstance(value, Cell):
        return value
    return Cell(value)


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        head: what the columns are called.
        rows: a cell, or its value, for each column.
        caption: the text above it.
        left: how many of the first columns are text.
        quiet: whether a terminal leaves out the head; it then wraps rows that are too wide.
        stacked: whether intervals are below their values in a terminal.
        remarks: a text for each row, beside or below it; empty for none.
    """

    head: Sequence[Any]
    rows: Sequence[Sequence[Any]]
    caption: Any = ""
    left: int = 1
    quiet: bool = False
    stacked: bool = False
    remarks: Sequence[Cell] = ()

    @property
    def cells(self) -> list[list[Cell]]:
        """Return the rows as cells."""
        return [list(map(_make_cell, row)) for row in self.rows]

    def join(self, say: Say, mark: Callable[[Cell, str], str]) -> list[list[str]]:
        """Write the head and the rows as text, the remarks in a last column; `mark` emphasises, and escapes."""
        rows = [list(map(Cell, self.head)), *self.cells]
        if any(remark.value for remark in self.remarks):
            for row, remark in zip(rows, (Cell(), *self.remarks), strict=True):
                row.append(remark)
        written = []
        for row in rows:
            written.append([mark(cell, cell.join(say)) for cell in row])
        return written

    def records(self) -> list[dict[str, Any]]:
        """List the values of each row by the heads, and the ends of intervals."""
        records: list[dict[str, Any]] = []
        for row in self.cells:
            record: dict[str, Any] = {}
            records.append(record)
            for head, cell in zip(map(str, self.head), row, strict=True):
                record[head] = plain(cell.value)
                if cell.interval is not None:
                    record[f"{head}_low"], record[f"{head}_high"] = map(plain, cell.interval)
        return records


@dataclass(frozen=True)
class Sheet:
    """The text of a result: parts in the order of reading, and plain data for programs, made when it is asked for.

    Attributes:
        parts: sentences, tables, and further sheets.
        title: the text above all parts.
        style: that of the title, as of a cell.
        data: makes names → values, which `plain` can write.
        rows: makes the table for CSV and data frames; None for the first one.
        name: what a short form shows of a sheet that has no title.
        picture: makes the picture, in HTML, that is shown below the parts where there is room for one.
    """

    parts: Sequence[Sentences | Table | Sheet]
    title: Any = ""
    style: str = ""
    data: Callable[[], Mapping[str, Any]] = dict
    rows: Callable[[], Table] | None = None
    name: str = ""
    picture: Callable[[], str] = str

    def __post_init__(self) -> None:
        """Drop sentences that say nothing, so that no caller has to."""
        parts = [part for part in self.parts if not isinstance(part, Sentences) or part.said]
        object.__setattr__(self, "parts", parts)

    @property
    def main(self) -> Table | None:
        """Return the main table: the first one with a head; of sentences alone, that of them."""
        tables = [part for part in self.parts if isinstance(part, Table)]
        loud = (table for table in tables if not table.quiet)
        inner = (part.main for part in self.parts if isinstance(part, Sheet))
        main = next(filter(None, chain(loud, inner, tables)), None)
        spoken = [part for part in self.parts if isinstance(part, Sentences)]
        if main is not None or not spoken:
            return main
        rows = [(part.caption or part.kind, sentence) for part in spoken for sentence in part.said]
        return Table(("kind", "sentence"), rows, left=2)

    def records(self) -> list[dict[str, Any]]:
        """List the rows that programs read."""
        table = self.main
        if self.rows is not None:
            table = self.rows()
        if table:
            return table.records()
        return []

    @property
    def headline(self) -> str:
        """Return the title and the first sentence, of which the leading one comes first."""
        if self.name:
            return self.name
        spoken = [part for part in self.parts if isinstance(part, Sentences)]
        listed = [part for part in spoken if part.kind == "lead"]
        if not self.title:
            listed += spoken
        first = ""
        if listed:
            first = listed[0].said[0]
        return ": ".join(filter(None, (str(self.title), _say_all(first, str))))


def make_printable(text: str) -> str:
    r"""Write control characters as escapes: the text of a file must not move the cursor or change colours.

    Examples:
        >>> make_printable("Level 1\x1b[2J\n")
        'Level 1\\x1b[2J\\n'
    """
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )


def plain(value: Any) -> Any:
    """Return a value as `json.dumps` takes it: arrays as lists, messages as sentences, NaN and infinities as None."""
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if isfinite(value) else None
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else str(value)
