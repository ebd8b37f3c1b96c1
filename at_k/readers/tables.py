"""Open a file as a table with columns of any names: JSON, JSON lines, CSV, TSV or Parquet."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import chain
from typing import Any

from at_k.errors import InputError, Message
from at_k.readers.arrow_tables import ArrowTable
from at_k.readers.decoding import load_text, parse, refuse_faulty, require_object
from at_k.readers.delimited import CsvTable
from at_k.readers.faults import UNITS
from at_k.readers.json_lines import LineTable
from at_k.readers.models import MODEL_NAMES, SET_NAMES, has_name
from at_k.readers.quoting import normalize_name, quote_all, shorten
from at_k.readers.roles import NAMES
from at_k.readers.sources import Source, refuse_many_rows
from at_k.readers.table import PROBLEM_NAMES, Row, Table, refuse_empty


def open_table(source: Source, errors: str = "raise") -> Table:
    r"""Open a file as a table.

    A JSON list of lists becomes one column: "correct" if the lists hold numbers, else "answers".

    Args:
        source: the file.
        errors: "skip" to leave out lines of JSON that are broken.

    Raises:
        InputError: if it is broken, or is a zip file, which holds none. Rows are counted from 1, without the header
            line.

    Examples:
        >>> table = open_table(Source("", b"task_id,correct\n0,true\n1,false"))
        >>> table.layout, table["correct"].to_pylist()
        ('csv', ['true', 'false'])
    """
    layout = source.layout
    if layout == "zip":
        from at_k.readers.archives import list_members

        if "xl/workbook.xml" in list_members(source):
            raise InputError(
                "tables.spreadsheet",
                "This is a spreadsheet. Save the sheet with the results as CSV, or convert it with pandas: "
                '`pandas.read_excel("results.xlsx").to_csv("results.csv", index=False)`.',
            )
        raise InputError(
            "plain.zip",
            "No known harness wrote this zip file (`at-k formats` lists them). Its members are: {members}. Extract the "
            "one with the results, and give its path.",
            members=quote_all(list_members(source)) or "none",
        )
    if layout in ("parquet", "arrow"):
        return ArrowTable(source)
    if layout == "jsonl":
        return LineTable(source, errors)
    if layout == "csv":
        return CsvTable(source)
    with source.open_text() as file:
        whole = load_text(file.read(), parse)
    layout, rows = _list_rows(whole)
    refuse_many_rows(len(rows), source.limits)
    for number, row in enumerate(rows, 1):
        place = UNITS["row"](number)
        refuse_faulty(row, place)
        require_object(row, place)
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    refuse_empty(names)
    table = Table(layout, rows, names)
    if isinstance(whole, dict) and all(isinstance(row.get("problem"), str) and row["problem"] in whole for row in rows):
        problems = dict.fromkeys(row["problem"] for row in rows)
        table.notes.append(
            Message("tables.named", "Each name in this file was read as a problem: {names}.", names=quote_all(problems))
        )
    return table


def _list_rows(whole: Any) -> tuple[str, list[Any]]:
    """Return the layout of a JSON document, and its rows: a list, the columns of a table, or one problem."""
    if isinstance(whole, list):
        if all(isinstance(row, list) for row in whole):
            numbers = all(value is None or isinstance(value, (int, float)) for row in whole for value in row)
            return "json", [{"correct" if numbers else "answers": row} for row in whole]
        return "json", whole
    if not isinstance(whole, dict):
        return "jsonl", [whole]
    shapes = (_read_grid,) if _holds_columns(whole) else _SHAPES
    rows = next(filter(None, (read(whole) for read in shapes)), None)
    if rows is not None or not _holds_columns(whole):
        return ("jsonl", [whole]) if rows is None else ("json", rows)
    first = next(iter(whole))
    for name, column in whole.items():
        if len(column) != len(whole[first]):
            raise InputError(
                "tables.unequal_columns",
                "All columns must be equally long: the length of “{column}” is {count:,}, and that of “{other}” is "
                "{other_count:,}.",
                column=shorten(first),
                count=len(whole[first]),
                other=shorten(name),
                other_count=len(column),
            )
    return "json", [dict(zip(whole, cells, strict=True)) for cells in zip(*whole.values(), strict=True)]


def holds_one_row(document: object) -> bool:
    """Return whether a JSON document is one sample, or one problem.

    Examples:
        >>> holds_one_row({"id": 1, "correct": [1, 0]}), holds_one_row({"p0": [1, 0], "p1": [1, 1]})
        (True, False)
    """
    return isinstance(document, dict) and bool(document) and _list_rows(document)[0] == "jsonl"


def _holds_columns(whole: Row) -> bool:
    """Return whether an object holds the columns of a table; else it is one problem, with the lists of its samples."""
    if not whole or not all(isinstance(column, list) for column in whole.values()):
        return False
    return any(normalize_name(name) in PROBLEM_NAMES for name in whole) or any(
        isinstance(cell, list) for column in whole.values() for cell in column
    )


_ROW_NAMES = ("results", "data", "rows", "records", "samples", "items", "entries", "examples")
"""Names under which an object holds rows. Others, such as details, are those of harnesses, which say more."""


def _read_grid(whole: Row) -> list[Row] | None:
    """Read names and rows that stand apart: `{"columns": ["id", "ok"], "data": [[1, true]]}`, of pandas and W&B."""
    names, rows = whole.get("columns"), whole.get("data")
    if not isinstance(names, list) or not isinstance(rows, list):
        return None
    if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        return None
    return [dict(zip(map(str, names), row, strict=True)) for row in rows]


def _read_objects(whole: Row) -> list[Row] | None:
    """Read objects: one for each column, with a name for each row, as pandas writes them, or one for each problem."""
    objects = list(whole.values())
    if not objects or not all(isinstance(each, dict) for each in objects):
        return None
    if any(map(_has_role, whole)) and all(each.keys() == objects[0].keys() for each in objects):
        return [{name: cells[row] for name, cells in whole.items()} for row in objects[0]]
    if all(map(str.isdigit, whole)):
        return objects
    return _name_rows(whole.items()) if any(_has_role(name) for each in objects for name in each) else None


def _read_list(whole: Row) -> list[Row] | None:
    """Read the only list of rows, beside what is said of all of them: `{"model": "a", "results": [{…}, {…}]}`."""
    tables = [value for name, value in whole.items() if normalize_name(name) in _ROW_NAMES and _is_table(value)]
    if len(tables) != 1 or any(normalize_name(name) in PROBLEM_NAMES for name in whole):
        return None
    said = {name: value for name, value in whole.items() if isinstance(value, (str, int, float))}
    named = {name: value for name, value in said.items() if has_name(name, (*MODEL_NAMES, *SET_NAMES))}
    return [named | row for row in tables[0]]


def _read_lists(whole: Row) -> list[Row] | None:
    """Read a list of samples for each problem, under its name: `{"p0": [true, false], "p1": [true, true]}`."""
    lists = list(whole.values())
    if not lists or any(map(_has_role, whole)) or not all(isinstance(each, list) and each for each in lists):
        return None
    if all(map(_is_table, lists)):
        return _name_rows((name, row) for name, rows in whole.items() for row in rows)
    is_graded = all(each is None or isinstance(each, (int, float)) for own in lists for each in own)
    return [{"problem": name, "correct" if is_graded else "answers": own} for name, own in whole.items()]


def _read_saved(whole: Row) -> list[Row] | None:
    """Read the samples in what the page Score saves as everything: `{"options": {…}, "samples": {"problem": […]}}`."""
    samples = whole.get("samples")
    if "signatures" not in whole or not isinstance(samples, dict) or not _holds_columns(samples):
        return None
    return _list_rows(samples)[1]


_SHAPES = (_read_saved, _read_grid, _read_objects, _read_list, _read_lists)
"""What reads the rows of an object that holds several problems; None from all of them if it is one problem."""


def _is_table(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def names_samples(source: Source, named: Collection[object]) -> bool:
    """Return whether a file is a table with a column that was named, or has a name of a role: a README is none."""
    try:
        return any(name in named or _has_role(name) for name in open_table(source, "skip"))
    except InputError:
        return False


def _has_role(name: str) -> bool:
    return any(normalize_name(name) in names.split() for names in NAMES.values())


def _name_rows(named: Iterable[tuple[str, Row]]) -> list[Row] | None:
    """Return rows with the name of their problem; None if they have one already, so that it is of something else."""
    listed = list(named)
    if any(normalize_name(name) in PROBLEM_NAMES for _, row in listed for name in row):
        return None
    return [{"problem": name} | row for name, row in listed]
