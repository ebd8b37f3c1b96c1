"""Tables of CSV and TSV."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence, Set
from contextlib import closing
from io import TextIOWrapper
from itertools import chain, islice
from threading import Lock

import numpy as np

from at_k.errors import InputError
from at_k.readers.arrays import make_texts
from at_k.readers.coding import is_arrow
from at_k.readers.lists import read_lists
from at_k.readers.quoting import shorten
from at_k.readers.sources import Source
from at_k.readers.table import LOOKED_AT, Batch, Column, Table, refuse_empty

_BATCH = 50_000
"""Rows that become an Arrow array at a time."""

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
    return "csv", next((mark for mark in ",;|" if mark in header), ",")


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


class CsvTable(Table):
    """A table of CSV or TSV. Its cells are texts, or lists if all cells of a column begin like one.

    Args:
        source: the file.

    Raises:
        InputError: if its first rows are broken.
    """

    def __init__(self, source: Source) -> None:
        with source.open_text() as file:
            line = file.readline(1 << 20)
            while line and not line.strip():
                line = file.readline(1 << 20)
        layout, self._delimiter = find_delimiter(line.decode(errors="replace"))
        self._source = source
        with closing(self._open_records()) as records:
            header = next(records, [])
            refuse_empty(header)
            names = read_header(header)
            looked_at = min(LOOKED_AT, 1 + 100 * LOOKED_AT // len(names))
            rows = [
                dict(zip(names, (cell or None for cell in each), strict=True)) for each in islice(records, looked_at)
            ]
        refuse_empty(rows)
        super().__init__(layout, rows, names, source.limits)

    def _open_records(self) -> Generator[list[str], None, None]:
        """Yield the header and the rows."""
        with TextIOWrapper(self._source.open_text(), encoding="utf-8", newline="") as file:
            try:
                lines = iter(file)
                first = next((line for line in lines if line.strip()), "")
                yield from read_records(chain([first], lines), self._delimiter)
            except UnicodeDecodeError:
                self._source.refuse_encoding()

    def _read(self, names: Sequence[str], numeric: Set[str]) -> Iterator[Batch]:
        places, count = [self._names.index(name) for name in names], 0
        with closing(self._open_records()) as records:
            next(records)
            while batch := list(islice(records, _BATCH)):
                texts = [make_texts([record[place] or None for record in batch]) for place in places]
                yield Batch(np.arange(count + 1, count + len(batch) + 1), dict(zip(names, texts, strict=True)))
                count += len(batch)

    def _settle(self, cells: Column) -> Column:
        import pyarrow.compute as pc

        if self._spells:
            return super()._settle(cells)
        if not is_arrow(cells):
            return cells if any(isinstance(cell, list) for cell in cells) else read_lists(cells)
        begins = pc.all(pc.starts_with(pc.utf8_ltrim_whitespace(cells), "[")).as_py()
        return read_lists(cells.to_pylist()) if begins and cells.null_count < len(cells) else cells
