"""CSV and TSV: records of cells, and the lists that stand in cells."""

from __future__ import annotations

import csv
import json
import re
from ast import literal_eval
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock
from typing import Any

from at_k.errors import InputError
from at_k.readers.decoding import parse
from at_k.readers.quoting import shorten

_LONGEST_CELL = 1 << 30
"""Characters that a cell may have."""

_MOST_COLUMNS = 10_000
"""Cells of a header line. With more, it is not that of results, and each row would take as much memory."""

_FIELD_LIMIT = Lock()


def find_delimiter(header: str) -> tuple[str, str]:
    """Return the layout of a table by its header line, and what stands between two cells.

    Examples:
        >>> find_delimiter("id,correct"), find_delimiter("id;correct")
        (('csv', ','), ('csv', ';'))
    """
    if "\t" in header:
        return "tsv", "\t"
    # Spreadsheets write semicolons where a comma is the decimal point.
    return "csv", ";" if ";" in header and "," not in header else ","


def read_records(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Yield the header and the rows of CSV, all with the same number of cells.

    Raises:
        InputError: if the rows differ in length, quotation marks do not match, or the header is that of no table.
    """
    with _FIELD_LIMIT:  # one for the whole process, 131,072 unless somebody changed it
        csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    count, width = 0, 0
    try:
        for record in csv.reader(lines, delimiter=delimiter, strict=True):
            if not record:
                continue
            count += 1
            width = width or len(record)
            if len(record) != width:
                raise InputError(
                    "tables.fields",
                    "Every row must have as many cells as the header line: {expected:,}, not {count:,} "
                    "(row {row}). A text that contains a delimiter must stand in quotation marks.",
                    row=count - 1,
                    count=len(record),
                    expected=width,
                )
            if width > _MOST_COLUMNS:
                raise InputError(
                    "tables.columns",
                    "There are {count:,} columns; the limit is {limit:,}.",
                    count=width,
                    limit=_MOST_COLUMNS,
                )
            yield record
    except csv.Error:
        if count:
            raise InputError(
                "tables.quotes",
                "The quotation marks do not match: one is not closed, or text follows a closed one (row {row}).",
                row=count,
            ) from None
        raise InputError(
            "tables.header_quotes", "The quotation marks in the header line do not match. Close each of them."
        ) from None


def read_header(record: Sequence[str]) -> list[str]:
    """Return the names of the columns of CSV.

    Raises:
        InputError: if a name is there twice.
    """
    # pandas writes the index of a frame as a column without a name.
    names = [name.strip() or f"column {number}" for number, name in enumerate(record, 1)]
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise InputError(
            "tables.repeated_column",
            "The header line has column “{column}” more than once. Rename one of them.",
            column=shorten(name),
        )
    return names


class Listed(list[Any]):
    """A list that stood in a cell of CSV, with the text of the cell."""

    def __init__(self, values: list[Any], text: str) -> None:
        super().__init__(values)
        self.text = text


def read_lists(texts: Sequence[str | None]) -> list[Any]:
    """Return the cells of a CSV column: lists if every cell begins like one, else the texts.

    One list among other texts is not a list of samples, but an answer such as the interval [0, 1].

    Examples:
        >>> read_lists(["[1, null]", None]), read_lists(["[1, 2]", "3"])
        ([[1, None], None], ['[1, 2]', '3'])
    """
    if not all(text is None or text.lstrip().startswith("[") for text in texts):
        return list(texts)
    return [None if text is None else _read_list(text) for text in texts]


def spell_lists(cells: Iterable[Any]) -> list[Any]:
    """Return cells with the text in place of each list that was read from it."""
    return [cell.text if isinstance(cell, Listed) else cell for cell in cells]


def _read_list(cell: str) -> Any:
    """Return the list in a cell, or the text of the cell if it is a list neither of JSON nor of Python."""
    try:
        values = parse(cell)
    except json.JSONDecodeError:
        values = _read_python_list(cell)
    return Listed(values, cell) if isinstance(values, list) else values


_ITEM = re.compile(
    r"""\s*(?:(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?P<word>[A-Za-z]+)|(?P<number>[-+.\w]+))\s*(?:,|$)""",
    re.DOTALL,
)
"""An item of a list as Python writes it: a text, a name such as True, or a number."""

_WORDS = {"True": True, "False": False, "None": None, "nan": float("nan"), "inf": float("inf")}


def _read_python_list(cell: str) -> Any:
    """Return the list that Python wrote with `str`, such as ['a', None] or [1.0, nan]; or the text of the cell.

    Each text is evaluated by itself, so that nothing is nested.
    """
    inside = cell.strip()
    if not (inside.startswith("[") and inside.endswith("]")):
        return cell
    inside, place = inside[1:-1].rstrip(), 0
    values: list[Any] = []
    while place < len(inside):
        item = _ITEM.match(inside, place)
        if item is None:
            return cell
        place = item.end()
        try:
            if item["text"] is not None:
                values.append(literal_eval(item["text"]))
            elif item["word"] is not None:
                values.append(_WORDS[item["word"]])
            else:
                values.append(int(item["number"]) if item["number"].isdigit() else float(item["number"]))
        except (KeyError, ValueError, SyntaxError):
            return cell
    return values
