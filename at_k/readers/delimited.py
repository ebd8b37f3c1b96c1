"""Tables of CSV and TSV."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence, Set
from contextlib import closing
from io import StringIO, TextIOWrapper
from itertools import chain, dropwhile, islice
from threading import Lock
from typing import Any

import numpy as np

from at_k.errors import InputError
from at_k.readers.arrays import make_texts
from at_k.readers.lists import read_lists
from at_k.readers.quoting import shorten
from at_k.readers.sources import Source
from at_k.readers.table import LOOKED_AT, Batch, Cells, Table, refuse_empty

_BATCH = 50_000
"""Rows that become an Arrow array at a time."""

_LONGEST_CELL = 1 << 30
"""Characters that a cell may have."""

_MOST_COLUMNS = 10_000
"""Cells of a header line. With more, it is not that of results, and each row would take as much memory."""

_FIELD_LIMIT = Lock()

_BLANK = re.compile(rb"\A(?:[^\S\n]*\n)+")
"""Blank lines before the header."""


def find_delimiter(header: bytes) -> tuple[str, str]:
    """Return the layout of a table by its header line, and what stands between two cells.

    Examples:
        >>> find_delimiter(b"id,correct"), find_delimiter(b"id;correct")
        (('csv', ','), ('csv', ';'))
    """
    if b"\t" in header:
        return "tsv", "\t"
    # Spreadsheets write semicolons where a comma is the decimal point.
    return "csv", next((mark for mark in ",;|" if mark.encode() in header), ",")


def read_records(lines: Iterable[str], delimiter: str, count: int = 0, width: int = 0) -> Iterator[list[str]]:
    """Yield the header and the rows of CSV, all with the same number of cells.

    Args:
        lines: the lines of the text.
        delimiter: what stands between two cells.
        count: the records before them; 0 if the first is the header.
        width: the cells of each; by default those of the first.

    Raises:
        InputError: if the rows differ in length, quotation marks do not match, or the header is that of no table.
    """
    with _FIELD_LIMIT:  # one for the whole process, 131,072 unless somebody changed it
        csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
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
        layout, self._delimiter = find_delimiter(source.first_line)
        self._source, self._has_header = source, False
        with closing(self._open_records()) as records:
            header = next(records, [])
            refuse_empty(header)
            self._header = read_header(header)
            first = list(islice(records, min(LOOKED_AT, 1 + 100 * LOOKED_AT // len(header))))
        refuse_empty(first)
        columns = [read_lists([cell or None for cell in cells]) for cells in zip(*first, strict=True)]
        rows = [dict(zip(self._header, cells, strict=True)) for cells in zip(*columns, strict=True)]
        super().__init__(layout, rows, self._header, source.limits)

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
        places, count = [self._header.index(name) for name in names], 0
        blocks = self._skip_header()
        for block in blocks:
            found = _parse(block, self._header, names, self._delimiter)
            if found is None:  # a cell may begin here and end in another block
                blocks = chain([block], blocks)
                break
            yield Batch(np.arange(count + 1, count + len(found) + 1), {name: found[name] for name in names})
            count += len(found)
        else:
            return
        with closing(self._open_rest(blocks, count + 1)) as records:
            while batch := list(islice(records, _BATCH)):
                texts = [make_texts([record[place] or None for record in batch]) for place in places]
                yield Batch(np.arange(count + 1, count + len(batch) + 1), dict(zip(names, texts, strict=True)))
                count += len(batch)

    def _skip_header(self) -> Iterator[bytes]:
        """Yield the blocks of lines, without the header if that is one line; else with all that is before it."""
        blocks = dropwhile(lambda block: not block.data.strip(), self._source.blocks())
        first = _BLANK.sub(b"", next(blocks).data)
        header, _, rest = first.partition(b"\n")
        self._has_header = header.count(b'"') % 2 == 1 or b"\r" in header.rstrip(b"\r")
        yield first if self._has_header else rest
        yield from (block.data for block in blocks)

    def _open_rest(self, blocks: Iterable[bytes], count: int) -> Generator[list[str], None, None]:
        """Yield the records of blocks, before which there were others."""
        header = 1 if self._has_header and count == 1 else 0
        try:
            texts = (StringIO(block.decode() + "\n", newline="") for block in blocks)
            lines = chain.from_iterable(texts)
            records = read_records(lines, self._delimiter, 0 if header else count, len(self._header))
            yield from islice(records, header, None)
        except UnicodeDecodeError:
            self._source.refuse_encoding()

    def _settle(self, cells: Cells) -> Cells:
        import pyarrow.compute as pc

        if self._spells:
            return cells
        begins = pc.all(pc.starts_with(pc.utf8_ltrim_whitespace(cells), "[")).as_py()
        return read_lists(cells.to_pylist()) if begins and cells.null_count < len(cells) else cells


def _parse(data: bytes, names: Sequence[str], wanted: Sequence[str], delimiter: str) -> Any:
    """Parse lines of CSV with Arrow; None if it cannot, or could read something else than is there.

    Arrow takes a text behind a closed quotation mark, and a row that ends within a cell. So each mark must begin or end
    a cell, or be one of two, and each line must have an even number of them.
    """
    import pyarrow as pa
    import pyarrow.csv as pc

    if not _is_plain(data, delimiter):
        return None
    kept = list(wanted) or list(names[:1])
    converting = pc.ConvertOptions(
        include_columns=kept,
        column_types=dict.fromkeys(kept, pa.string()),
        null_values=[""],
        strings_can_be_null=True,
    )
    reading = pc.ReadOptions(column_names=list(names), use_threads=False, block_size=len(data) + 1)
    try:
        return pc.read_csv(pa.BufferReader(data), reading, pc.ParseOptions(delimiter=delimiter), converting)
    except (pa.ArrowException, UnicodeDecodeError):
        return None


def _is_plain(data: bytes, delimiter: str) -> bool:
    """Return whether lines of CSV end as lines of other files do, and their quotation marks are easily understood."""
    if data.count(b"\r") != data.count(b"\r\n") or not data.strip():
        return False
    if b'"' not in data:
        return True
    letters = np.frombuffer(b"\n" + data + b"\n", dtype=np.uint8)
    marks = np.flatnonzero(letters == ord('"'))
    ends = np.flatnonzero(letters == ord("\n"))
    if (np.bincount(np.searchsorted(ends, marks)) % 2).any():
        return False
    first = np.flatnonzero(np.diff(marks, prepend=-1) > 1)  # of each run of marks
    length = np.diff(first, append=len(marks))
    edges = [ord(mark) for mark in (delimiter, "\n", "\r")]
    begins = np.isin(letters[marks[first] - 1], edges)
    stops = np.isin(letters[marks[first] + length], edges)
    return bool(((begins != stops) == (length % 2 == 1)).all())
