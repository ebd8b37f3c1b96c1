"""From text to a table: JSON, JSONL, CSV and TSV. What a cell means is not decided here."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from dataclasses import dataclass
from io import StringIO
from itertools import chain
from typing import Any, NoReturn

from at_k.demo.limits import MAX_BYTES, MAX_CELL, MAX_CELLS, MAX_COLUMNS, MAX_ROWS
from at_k.demo.words import Refused

_LONGEST_SHOWN = 40
_LONGEST_INTEGER = 308
"""Digits up to which a float can hold any integer."""

PROBLEM_NAMES = [
    "problem_id",
    "task_id",
    "task",
    "doc_id",
    "question_id",
    "problem",
    "problems",
    "id",
    "idx",
    "uid",
    "question",
    "prompt",
]
"""What the column is called that says which problem a row belongs to, the surest first."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """Rows as they stand in a file; a row need not have every column.

    Attributes:
        rows: column → cell, which is anything that JSON can hold.
        columns: in order of first appearance.
        layout: "json", "jsonl", "csv" or "tsv".
    """

    rows: list[Row]
    columns: list[str]
    layout: str


def read(text: str) -> Table:
    r"""The table in a text: JSONL, a JSON list of objects or object of columns, or CSV or TSV with a header line.

    A JSON list of lists becomes one column: "correct" if they hold numbers, else "answers".

    Raises:
        Refused: if it is too large, broken, or none of these. Rows are counted from 1, without the header line.

    Examples:
        >>> read("task_id,correct\n0,true\n1,false").rows
        [{'task_id': '0', 'correct': 'true'}, {'task_id': '1', 'correct': 'false'}]
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise Refused("reading.too_large", size=size, limit=MAX_BYTES)
    text = text.removeprefix("\ufeff").strip("\r\n")
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        raise Refused("reading.empty")
    starts = [line.lstrip()[0] for line in lines[:2]]
    if starts == ["{", "{"]:
        return _table(_of_lines(lines), "jsonl")
    if starts[0] in "[{":
        return _of_json(text)
    if "\t" in lines[0]:
        return _table(_of_records(_records(text, "\t")), "tsv")
    semicolons = ";" in lines[0] and "," not in lines[0]  # as spreadsheets write where a comma is a decimal point
    return _table(_of_records(_records(text, ";" if semicolons else ",")), "csv")


def spelled(name: str) -> str:
    """A column's name, however it is spelled.

    Examples:
        >>> spelled("Task ID")
        'task_id'
    """
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def shown(value: object) -> str:
    """A value as a message quotes it: short, and the same in every language.

    Examples:
        >>> shown("42"), shown(True), shown([1, [0]]), shown(None)
        ('“42”', 'true', '[…]', 'null')
    """
    if isinstance(value, str):
        return f"“{shortened(value)}”"
    if isinstance(value, (list, dict)):
        return "[…]" if isinstance(value, list) else "{…}"
    return shortened(json.dumps(value))


def shortened(text: str) -> str:
    """The beginning of a text, in characters that can be sent."""
    text = text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
    return text.encode("utf-8", "replace").decode()


@dataclass(frozen=True)
class _Faulty:
    """Stands, in decoded JSON, for what cannot be used: the key of the reason, and the name it is about."""

    reason: str
    name: str = ""


def _object(pairs: list[tuple[str, Any]]) -> Row | _Faulty:
    row = dict(pairs)
    if len(row) < len(pairs):
        return _Faulty("reading.repeated_name", Counter(name for name, _ in pairs).most_common(1)[0][0])
    return row


def _integer(digits: str) -> int | _Faulty:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else _Faulty("reading.long_number")


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer)


def _decoded(text: str) -> Any:
    """What JSON says, with `_Faulty` in it where it cannot be used.

    Raises:
        json.JSONDecodeError: if it is no JSON.
        Refused: if it is nested deeper than Python can follow.
    """
    try:
        return _decoder.decode(text)
    except RecursionError:
        raise Refused("reading.deep") from None


def _of_lines(lines: list[str]) -> list[Any]:
    _refuse_many_rows(len(lines))
    return [_of_line(line, number) for number, line in enumerate(lines, 1)]


def _of_line(line: str, number: int) -> Any:
    try:
        return _decoded(line)
    except json.JSONDecodeError as error:
        raise Refused("reading.json_row", row=number, near=_near(error)) from None


def _near(error: json.JSONDecodeError) -> str:
    """What stands around an error."""
    half = _LONGEST_SHOWN // 2
    return shown(" ".join(error.doc[max(0, error.pos - half) : error.pos + half].split()))


def _of_json(text: str) -> Table:
    try:
        whole = _decoded(text)
    except json.JSONDecodeError as error:
        raise Refused("reading.json_line", line=error.lineno, near=_near(error)) from None
    if isinstance(whole, list):
        _refuse_many_rows(len(whole))
        if all(isinstance(row, list) for row in whole):
            name = "correct" if all(_is_plain_number(value) for row in whole for value in row) else "answers"
            whole = [{name: row} for row in whole]
        return _table(whole, "json")
    if isinstance(whole, dict) and _are_columns(whole):
        return _table(_of_columns(whole), "json")
    return _table([whole], "jsonl")


def _are_columns(whole: dict[str, Any]) -> bool:
    """Whether an object holds the columns of a table; else it is one problem, with the lists of its samples."""
    if not whole or not all(isinstance(column, list) for column in whole.values()):
        return False
    return any(spelled(name) in PROBLEM_NAMES for name in whole) or any(
        isinstance(cell, list) for column in whole.values() for cell in column
    )


def _is_plain_number(value: object) -> bool:
    return value is None or isinstance(value, (int, float))


def _of_columns(columns: dict[str, list[Any]]) -> list[Row]:
    first = next(iter(columns))
    length = len(columns[first])
    for name, column in columns.items():
        if len(column) != length:
            raise Refused(
                "reading.unequal_columns",
                column=shortened(first),
                count=length,
                other=shortened(name),
                other_count=len(column),
            )
    _refuse_many_rows(length)
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def _records(text: str, delimiter: str) -> list[list[str]]:
    """The header and the rows, of as many cells each."""
    csv.field_size_limit(MAX_BYTES)  # a list of answers may stand in one cell; the module's own limit is lower
    records: list[list[str]] = []
    try:
        for record in csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True):
            if record:
                records.append(record)
                if len(record) > MAX_COLUMNS:
                    raise Refused("reading.columns", count=len(record), limit=MAX_COLUMNS)
                if len(records) * len(record) > MAX_CELLS:
                    raise Refused("reading.cells", limit=MAX_CELLS)
                _refuse_many_rows(len(records) - 1)
                if len(record) != len(records[0]):
                    raise Refused("reading.fields", row=len(records) - 1, count=len(record), expected=len(records[0]))
    except csv.Error:
        if records:
            raise Refused("reading.quotes", row=len(records)) from None
        raise Refused("reading.header_quotes") from None
    return records


def _of_records(records: list[list[str]]) -> list[Row]:
    # pandas writes the index of a frame as a column without a name.
    names = [name.strip() or f"column {number}" for number, name in enumerate(records[0], 1)]
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise Refused("reading.repeated_column", column=shortened(name))
    columns = [_cells(list(column)) for column in zip(*records[1:], strict=True)]
    return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]


def _cells(column: list[str]) -> list[Any]:
    """The cells of a column of CSV: lists, if all of them begin like one, else text as it stands; None if empty.

    One list among other texts is no list of samples, but an answer such as the interval [0, 1].
    """
    cells = [cell or None for cell in column]
    if all(cell is None or cell.lstrip().startswith("[") for cell in cells):
        return [cell and _list(cell) for cell in cells]
    return cells


class Listed(list[Any]):
    """A list that stood in a cell of CSV, and the text that it was."""

    def __init__(self, values: list[Any], text: str) -> None:
        super().__init__(values)
        self.text = text


def _list(cell: str) -> Any:
    """The list in a cell, or the cell, if it is no JSON."""
    try:
        values = _decoded(cell)
        return Listed(values, cell) if isinstance(values, list) else values
    except json.JSONDecodeError:
        return cell


def _table(rows: list[Any], layout: str) -> Table:
    """The table of these rows, if all of it can be used and is within the limits."""
    for number, row in enumerate(rows, 1):
        _refuse_faulty(row, number)
        if not isinstance(row, dict):
            raise Refused("reading.not_object", row=number, value=shown(row))
    columns = list(dict.fromkeys(chain.from_iterable(rows)))
    if not columns:
        raise Refused("reading.empty")
    if len(columns) > MAX_COLUMNS:
        raise Refused("reading.columns", count=len(columns), limit=MAX_COLUMNS)
    for name in columns:
        if len(name) > MAX_CELL:
            raise Refused("reading.long_name", column=shortened(name), length=len(name), limit=MAX_CELL)
    return Table(rows, columns, layout)


def _refuse_many_rows(count: int) -> None:
    if count > MAX_ROWS:
        raise Refused("reading.rows", limit=MAX_ROWS)


def _refuse_faulty(row: object, number: int) -> None:
    """Raise unless a row can be written as JSON in UTF-8, as all that leaves the page is."""

    def refuse(value: _Faulty) -> NoReturn:
        raise Refused(value.reason, row=number, name=shortened(value.name))

    try:
        json.dumps(row, ensure_ascii=False, default=refuse).encode()
    except RecursionError:
        raise Refused("reading.deep") from None
    except UnicodeEncodeError:
        raise Refused("reading.surrogate", row=number) from None
