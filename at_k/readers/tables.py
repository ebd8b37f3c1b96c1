"""From text to a table: JSON, JSONL, CSV and TSV. `standard.py` decides what a cell means."""

from __future__ import annotations

import csv
import json
import re
from ast import literal_eval
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import chain
from threading import Lock
from typing import Any, NoReturn

from at_k.errors import InputError
from at_k.limits import UNLIMITED, Limits, exceeds
from at_k.readers.coding import Coded, encode
from at_k.readers.quoting import LONGEST, normalize_name, quote, shorten

_LONGEST_INTEGER = 308
"""Digits up to which a float can hold any integer."""

_LARGEST_FIELD = 2**31 - 1
"""The highest limit that the csv module takes on every platform."""

_FIELD_LIMIT = Lock()

PROBLEM_NAMES = [
    "problem_id",
    "task_id",
    "doc_id",
    "question_id",
    "problem",
    "problems",
    "id",
    "idx",
    "uid",
    "task",
    "question",
    "prompt",
]
"""Names of the column that says which problem a row belongs to, the surest first."""

QUESTION_NAMES = ("problem", "question", "prompt")
"""Names of columns that may hold the text of the problem."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """The rows of a file. A row need not have every column.

    Attributes:
        rows: column → cell, which is anything that JSON can hold.
        columns: names in order of first appearance.
        layout: "json", "jsonl", "csv" or "tsv".
        numbers: the number of each row in the file, counted from 1 without the header line; empty if no row was left
            out.
    """

    rows: list[Row]
    columns: list[str]
    layout: str
    numbers: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def head(self) -> Table:
        """The rows from which it is guessed what a column holds: all of them."""
        return self

    def column(self, name: str) -> list[Any]:
        """Return the cells of a column; None where a row has none."""
        return [row.get(name) for row in self.rows]

    def coded(self, name: str) -> Coded:
        """Return the cells of a column as codes."""
        return encode(self.column(name))

    def add(self, name: str, cells: Sequence[object]) -> Table:
        """Return the table with a further column.

        Examples:
            >>> Table([{"id": 1}], ["id"], "json").add("model", ["a"]).rows
            [{'id': 1, 'model': 'a'}]
        """
        rows = [row | {name: cell} for row, cell in zip(self.rows, cells, strict=True)]
        return Table(rows, [*self.columns, name], self.layout, self.numbers)

    def row_numbers(self) -> Sequence[int]:
        """Return the number of each row in the file."""
        return self.numbers or range(1, len(self.rows) + 1)

    def numbered(self) -> Iterator[tuple[int, Row]]:
        """Pair every row with its number in the file."""
        return zip(self.row_numbers(), self.rows, strict=True)

    def spell_lists(self) -> Table:
        r"""Return the table with the text of each cell of CSV in place of the list that was read from it.

        Examples:
            >>> read_table('id,answer\n1,"[0, 1]"\n').spell_lists().rows
            [{'id': '1', 'answer': '[0, 1]'}]
        """
        rows = [
            {name: cell.text if isinstance(cell, Listed) else cell for name, cell in row.items()} for row in self.rows
        ]
        return Table(rows, self.columns, self.layout, self.numbers)

    def take(self, positions: Sequence[int]) -> Table:
        r"""Return the rows at these positions, counted from 0, with their numbers in the file.

        Examples:
            >>> read_table("id,correct\na,1\nb,0").take([1])
            Table(rows=[{'id': 'b', 'correct': '0'}], columns=['id', 'correct'], layout='csv', numbers=[2])
        """
        numbers = self.numbers or range(1, len(self.rows) + 1)
        return Table(
            [self.rows[position] for position in positions],
            self.columns,
            self.layout,
            [numbers[position] for position in positions],
        )


def read_table(text: str, *, limits: Limits = UNLIMITED) -> Table:
    r"""Read JSONL, a JSON list of objects or object of columns, or CSV or TSV with a header line.

    A JSON list of lists becomes one column: "correct" if the lists hold numbers, else "answers".

    Args:
        text: the whole file.
        limits: the most that is accepted.

    Raises:
        InputError: if the text is broken, in another format, or larger than the limits allow. Rows are counted from
            1, without the header line.

    Examples:
        >>> read_table("task_id,correct\n0,true\n1,false").rows
        [{'task_id': '0', 'correct': 'true'}, {'task_id': '1', 'correct': 'false'}]
    """
    if limits.max_bytes is not None:
        refuse_large(len(text.encode("utf-8", "surrogatepass")), limits)
    text = text.removeprefix("\ufeff").strip("\r\n")
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        refuse_empty()
    starts = [line.lstrip()[0] for line in lines[:2]]
    if starts == ["{", "{"]:
        return tabulate(_read_lines(lines, limits), "jsonl", limits)
    if starts[0] in "[{":
        return _read_json(text, limits)
    layout, delimiter = find_delimiter(lines[0])
    records = read_records(StringIO(text, newline=""), delimiter, limits, longest=len(text))
    return make_rows(list(records), layout, limits)


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


def refuse_large(size: int, limits: Limits) -> None:
    """Raise if a file has too many bytes."""
    if exceeds(size, limits.max_bytes):
        raise InputError(
            "tables.too_large",
            "These results have {size:,} bytes; the limit is {limit:,}. Leave out columns that are not needed, such as "
            "whole completions beside verdicts.",
            size=size,
            limit=limits.max_bytes,
        )


@dataclass(frozen=True)
class _Faulty:
    """Stands, in decoded JSON, for a number with too many digits or an object that repeats a name."""

    repeated: str | None = None


def _decode_object(pairs: list[tuple[str, Any]]) -> Row | _Faulty:
    row = dict(pairs)
    if len(row) < len(pairs):
        return _Faulty(Counter(name for name, _ in pairs).most_common(1)[0][0])
    return row


def _decode_integer(digits: str) -> int | _Faulty:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else _Faulty()


_decoder = json.JSONDecoder(object_pairs_hook=_decode_object)
_decoder_of_long_integers = json.JSONDecoder(object_pairs_hook=_decode_object, parse_int=_decode_integer)

_LONG_INTEGER = re.compile(rf"[0-9]{{{_LONGEST_INTEGER + 1}}}")


def _decode(text: str) -> Any:
    """Decode JSON, with `_Faulty` in it where a value cannot be used.

    Raises:
        json.JSONDecodeError: if the text is not JSON.
        InputError: if it is nested deeper than Python can follow.
    """
    try:
        return (_decoder_of_long_integers if _LONG_INTEGER.search(text) else _decoder).decode(text)
    except RecursionError:
        _refuse_deep()


def _read_lines(lines: list[str], limits: Limits) -> list[Any]:
    refuse_many_rows(len(lines), limits)
    return [_read_line(line, number) for number, line in enumerate(lines, 1)]


def _read_line(line: str, number: int) -> Any:
    try:
        return _decode(line)
    except json.JSONDecodeError as error:
        raise InputError(
            "tables.json_row", "This is not valid JSON: row {row}, near {near}.", row=number, near=_quote_near(error)
        ) from None


def decode_row(text: str, number: int) -> Row:
    """Decode a line of a JSONL file strictly.

    Raises:
        InputError: if it is not an object, or cannot be written again. The sentence has the number.
    """
    row = _read_line(text, number)
    _refuse_faulty(row, number)
    return _require_object(row, number)


def _require_object(row: Any, number: int) -> Row:
    if not isinstance(row, dict):
        raise InputError(
            "tables.not_object",
            'Each row must be an object such as {{"correct": [1, 0]}}; got {value} (row {row}).',
            row=number,
            value=quote(row),
        )
    return row


def _quote_near(error: json.JSONDecodeError) -> str:
    """Quote the text around an error."""
    half = LONGEST // 2
    return quote(" ".join(error.doc[max(0, error.pos - half) : error.pos + half].split()))


def _read_json(text: str, limits: Limits) -> Table:
    try:
        whole = _decode(text)
    except json.JSONDecodeError as error:
        raise InputError(
            "tables.json_line",
            "This is not valid JSON: line {line}, near {near}.",
            line=error.lineno,
            near=_quote_near(error),
        ) from None
    if isinstance(whole, list):
        refuse_many_rows(len(whole), limits)
        if all(isinstance(row, list) for row in whole):
            name = "correct" if all(_is_plain_number(value) for row in whole for value in row) else "answers"
            whole = [{name: row} for row in whole]
        return tabulate(whole, "json", limits)
    if isinstance(whole, dict) and _holds_columns(whole):
        return tabulate(_zip_columns(whole, limits), "json", limits)
    return tabulate([whole], "jsonl", limits)


def _holds_columns(whole: dict[str, Any]) -> bool:
    """Return whether an object holds the columns of a table; else it is one problem, with the lists of its samples."""
    if not whole or not all(isinstance(column, list) for column in whole.values()):
        return False
    return any(normalize_name(name) in PROBLEM_NAMES for name in whole) or any(
        isinstance(cell, list) for column in whole.values() for cell in column
    )


def _is_plain_number(value: object) -> bool:
    return value is None or isinstance(value, (int, float))


def _zip_columns(columns: dict[str, list[Any]], limits: Limits) -> list[Row]:
    first = next(iter(columns))
    length = len(columns[first])
    for name, column in columns.items():
        if len(column) != length:
            raise InputError(
                "tables.unequal_columns",
                "All columns must be equally long: the length of “{column}” is {count:,}, and that of “{other}” is "
                "{other_count:,}.",
                column=shorten(first),
                count=length,
                other=shorten(name),
                other_count=len(column),
            )
    refuse_many_rows(length, limits)
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def read_records(file: Iterable[str], delimiter: str, limits: Limits, *, longest: int) -> Iterator[list[str]]:
    """Yield the header and the rows of CSV, all with the same number of cells.

    Args:
        file: the lines.
        delimiter: what stands between two cells.
        limits: the most that is accepted.
        longest: characters that a cell may have.

    Raises:
        InputError: if the rows differ in length, or quotation marks do not match.
    """
    _allow_fields(longest)
    count, width = 0, 0
    try:
        for record in csv.reader(file, delimiter=delimiter, strict=True):
            if record:
                count += 1
                width = width or len(record)
                _refuse_many_columns(len(record), limits)
                if exceeds(count * len(record), limits.max_cells):
                    raise InputError(
                        "tables.cells", "There are too many cells; the limit is {limit:,}.", limit=limits.max_cells
                    )
                refuse_many_rows(count - 1, limits)
                if len(record) != width:
                    raise InputError(
                        "tables.fields",
                        "Every row must have as many cells as the header line: {expected:,}, not {count:,} "
                        "(row {row}). A text that contains a delimiter must stand in quotation marks.",
                        row=count - 1,
                        count=len(record),
                        expected=width,
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


def _allow_fields(length: int) -> None:
    """Let the csv module read cells of this length: a list of answers may stand in one cell.

    The module has one limit for the whole process, 131,072 unless somebody changed it; it is never lowered here.
    """
    with _FIELD_LIMIT:
        if csv.field_size_limit() < length:
            csv.field_size_limit(min(length, _LARGEST_FIELD))


def make_rows(records: list[list[str]], layout: str, limits: Limits) -> Table:
    """Return the table of the header and the rows of CSV."""
    names = read_header(records[0])
    columns = [read_column(list(column)) for column in zip(*records[1:], strict=True)]
    rows = [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]
    return tabulate(rows, layout, limits)


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


def read_column(column: list[str]) -> list[Any]:
    """Return the cells of a CSV column: lists if every cell begins like one, else plain text; None if empty.

    One list among other texts is not a list of samples, but an answer such as the interval [0, 1].
    """
    cells = [cell or None for cell in column]
    if all(cell is None or cell.lstrip().startswith("[") for cell in cells):
        return [None if cell is None else _read_list(cell) for cell in cells]
    return cells


class Listed(list[Any]):
    """A list that stood in a cell of CSV, with the text of the cell."""

    def __init__(self, values: list[Any], text: str) -> None:
        super().__init__(values)
        self.text = text


def _read_list(cell: str) -> Any:
    """Return the list in a cell, or the text of the cell if it is a list neither of JSON nor of Python."""
    try:
        values = _decode(cell)
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


def tabulate(rows: list[Any], layout: str, limits: Limits) -> Table:
    """Return the table of these rows, after a check of every row and of the limits."""
    for number, row in enumerate(rows, 1):
        _refuse_faulty(row, number)
        _require_object(row, number)
    columns = list(dict.fromkeys(chain.from_iterable(rows)))
    if not columns:
        refuse_empty()
    _refuse_many_columns(len(columns), limits)
    for name in columns:
        if exceeds(len(name), limits.max_text):
            raise InputError(
                "tables.long_name",
                "The name of column “{column}” has {length:,} characters; the limit is {limit:,}.",
                column=shorten(name),
                length=len(name),
                limit=limits.max_text,
            )
    return Table(rows, columns, layout)


def refuse_empty() -> NoReturn:
    """Raise because there are no rows."""
    raise InputError(
        "tables.empty",
        'There are no results here. At least one row is needed, such as {{"id": 1, "correct": [1, 0]}}.',
    )


def _refuse_deep() -> NoReturn:
    raise InputError("tables.deep", "This JSON is nested too deeply to be read.") from None


def refuse_many_rows(count: int, limits: Limits) -> None:
    """Raise if a file has too many rows."""
    if exceeds(count, limits.max_rows):
        raise InputError("tables.rows", "There are too many rows; the limit is {limit:,}.", limit=limits.max_rows)


def _refuse_many_columns(count: int, limits: Limits) -> None:
    if exceeds(count, limits.max_columns):
        raise InputError(
            "tables.columns",
            "There are {count:,} columns; the limit is {limit:,}.",
            count=count,
            limit=limits.max_columns,
        )


def _refuse_faulty(row: object, number: int) -> None:
    """Raise unless a row can be written as JSON in UTF-8, as a report is."""

    def refuse(value: _Faulty) -> NoReturn:
        if value.repeated is None:
            raise InputError(
                "tables.long_number",
                "A number has too many digits to be read (row {row}). Write it as text, in quotation marks.",
                row=number,
            )
        raise InputError(
            "tables.repeated_name",
            "An object has the name “{name}” more than once (row {row}). Rename one of them.",
            row=number,
            name=shorten(value.repeated),
        )

    try:
        json.dumps(row, ensure_ascii=False, default=refuse).encode()
    except RecursionError:
        _refuse_deep()
    except UnicodeEncodeError:
        raise InputError(
            "tables.surrogate",
            "A text contains half of a character, an unpaired surrogate, which no file can hold (row {row}).",
            row=number,
        ) from None
