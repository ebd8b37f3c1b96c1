"""Open a file as a table with columns of any names: JSON, JSON lines, CSV, TSV or Parquet."""

from __future__ import annotations

from itertools import chain
from typing import Any

from at_k.errors import InputError
from at_k.readers.decoding import load_text, parse, refuse_faulty, require_object
from at_k.readers.delimited import CsvTable
from at_k.readers.faults import UNITS
from at_k.readers.json_lines import LineTable
from at_k.readers.parquet import ParquetTable
from at_k.readers.quoting import normalize_name, quote_all, shorten
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

        raise InputError(
            "plain.zip",
            "No known harness wrote this zip file (`at-k formats` lists them). Its members are: {members}. Extract the "
            "one with the results, and give its path.",
            members=quote_all(list_members(source)) or "none",
        )
    if layout == "parquet":
        return ParquetTable(source)
    if layout == "jsonl":
        return LineTable(source, errors)
    if layout == "csv":
        return CsvTable(source)
    with source.open_text() as file:
        layout, rows = _list_rows(load_text(file.read(), parse))
    refuse_many_rows(len(rows), source.limits)
    for number, row in enumerate(rows, 1):
        place = UNITS["row"](number)
        refuse_faulty(row, place)
        require_object(row, place)
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    refuse_empty(names)
    return Table(layout, rows, names)


def _list_rows(whole: Any) -> tuple[str, list[Any]]:
    """Return the layout of a JSON document, and its rows: a list, the columns of a table, or one problem."""
    if isinstance(whole, list):
        if all(isinstance(row, list) for row in whole):
            numbers = all(value is None or isinstance(value, (int, float)) for row in whole for value in row)
            return "json", [{"correct" if numbers else "answers": row} for row in whole]
        return "json", whole
    if not isinstance(whole, dict) or not _holds_columns(whole):
        return "jsonl", [whole]
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


def _holds_columns(whole: Row) -> bool:
    """Return whether an object holds the columns of a table; else it is one problem, with the lists of its samples."""
    if not whole or not all(isinstance(column, list) for column in whole.values()):
        return False
    return any(normalize_name(name) in PROBLEM_NAMES for name in whole) or any(
        isinstance(cell, list) for column in whole.values() for cell in column
    )
