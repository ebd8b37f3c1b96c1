"""Tables of JSON lines. Plain blocks of short lines are parsed by Arrow, the others line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, islice
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from at_k.errors import InputError
from at_k.readers.arrays import make_array
from at_k.readers.decoding import decode_strictly, require_object
from at_k.readers.faults import UNITS, Faults
from at_k.readers.sources import LineBlock, Source
from at_k.readers.table import LOOKED_AT, Batch, Cells, Row, Table, refuse_empty

_FIRST_BYTES = 4 << 20
"""Bytes of the first rows, after which they need not be so many."""

_LONG_LINE = 1000
"""Bytes of a line, on average, from which orjson finds the columns that are needed sooner than Arrow."""

_DEEPEST = 500
"""Brackets in a line up to which Arrow parses it: it crashes on JSON that is nested 100,000 deep."""

_EXACT = 2**53
"""The fast decoder makes a float of an integer of more than 64 bits. Floats from here on are decoded again."""


class LineTable(Table):
    """A table of JSON lines. Plain blocks of short lines are parsed by Arrow, the others line by line.

    Args:
        source: the file.
        errors: "skip" to leave out lines that are broken.

    Raises:
        InputError: if one of its first lines is broken, unless that is to be skipped.

    Attributes:
        numbers_lines: whether the numbers of the rows are those of their lines: none of those read is blank.
    """

    def __init__(self, source: Source, errors: str = "raise") -> None:
        super().__init__("jsonl", [], [], source.limits)
        self.numbers_lines = True
        self._source, self._errors = source, errors
        size = 0
        for block in source.blocks():
            self._first += [row for _, row in islice(self._decode(block, block.first, (), Faults(errors)), LOOKED_AT)]
            size += len(block.data)
            if self._first and (size >= _FIRST_BYTES or len(self._first) >= LOOKED_AT):
                break
        self.names = list(dict.fromkeys(chain.from_iterable(self._first)))
        refuse_empty(self.names)

    def _read(self, names: Sequence[str], numeric: Set[str]) -> Iterator[Batch]:
        types = {name: _guess_type([row.get(name) for row in self._first], name in numeric) for name in names}
        faults, known, count = Faults(self._errors), set(self.names), 0
        for block in self._source.blocks():
            self.numbers_lines &= block.first == count + 1
            found = None if faults.skips else _parse(block.data, types)
            if found is not None:
                new: Iterable[str] = found.column_names
                batch = Batch(np.arange(count + 1, count + len(found) + 1), {name: found[name] for name in names})
                count += len(found)
            else:
                rows = list(self._decode(block, count + 1, names, faults))
                new = () if all(map(known.issuperset, (row for _, row in rows))) else chain(*(row for _, row in rows))
                columns = {name: _convert([row.get(name) for _, row in rows], types[name]) for name in names}
                batch = Batch(np.array([number for number, _ in rows], dtype=np.int64), columns)
                count += sum(1 for _ in block.lines()) if faults.skips else len(rows)
            self.names += [name for name in dict.fromkeys(new) if name not in known]
            known.update(self.names)
            yield batch
        self.skipped = faults.causes

    def _decode(self, block: LineBlock, first: int, names: Sequence[str], faults: Faults) -> Iterator[tuple[int, Row]]:
        """Yield the rows of a block, each with its number; one that is broken is at fault."""
        colons = _count_colons(block.data)
        for number, (line, data) in enumerate(block.lines(), first):
            self.numbers_lines &= number == line
            try:
                row = None if faults.skips else orjson.loads(data)
            except ValueError:
                row = None
            # As many names as colons: none is there twice.
            alike = type(row) is dict and colons[line - block.first] == len(row)
            if (
                type(row) is dict
                and (alike or (names and not _may_repeat(data, names)))
                and not _is_rounded(row, names)
            ):
                yield number, row
                continue
            try:
                row = require_object(decode_strictly(data.rstrip(b"\r"), line), UNITS["line"](line))
            except InputError as error:
                faults.add(error)
            else:
                yield number, row


def _count_colons(data: bytes) -> NDArray[np.int64]:
    """Count the quotation marks with a colon behind them, on each line; −1 where a space may be between the two."""
    letters = np.frombuffer(data + b"\n\n\n", dtype=np.uint8)
    marks = np.flatnonzero(letters == ord('"'))
    behind, then = letters[marks + 1], letters[marks + 2]
    ends = np.flatnonzero(letters == ord("\n"))
    if (((behind == ord(" ")) | (behind == ord("\t"))) & ((then == ord(":")) | (then <= ord(" ")))).any():
        return np.full(len(ends), -1)
    return np.bincount(np.searchsorted(ends, marks[behind == ord(":")]), minlength=len(ends))


def _may_repeat(line: bytes, names: Iterable[str]) -> bool:
    """Return whether an object may have one of these names twice: spelled alike, or once with an escape in it."""
    return any(
        line.count(b'"%s"' % name.encode()) > 1 or (b"\\u00" if name.isascii() else b"\\u") in line for name in names
    )


def _is_rounded(row: Row, names: Iterable[str]) -> bool:
    """Return whether one of these cells is a number that the fast decoder may have rounded."""
    for name in names:
        cell = row.get(name)
        for each in cell if isinstance(cell, list) else (cell,):
            if isinstance(each, float) and abs(each) >= _EXACT:
                return True
    return False


def _parse(data: bytes, types: Mapping[str, Any]) -> Any:
    """Parse lines of JSON with Arrow; None if it cannot, or could read something else than is there.

    Arrow reads two objects on a line, and crashes on deep ones. So each line must begin with a brace and end with one,
    must have few brackets, and must become one row. Arrow itself refuses an object that has a name twice.
    """
    import pyarrow as pa
    import pyarrow.json as pj

    data = data.rstrip(b"\r\n")
    count = data.count(b"\n") + 1
    if len(data) > _LONG_LINE * count or not types or None in types.values() or not _is_plain(data):
        return None
    parsing = pj.ParseOptions(explicit_schema=pa.schema(list(types.items())), unexpected_field_behavior="infer")
    try:
        with pa.BufferReader(data) as file:
            table = pj.read_json(file, pj.ReadOptions(block_size=len(data) + 1), parsing)
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    return table if len(table) == count else None


def _is_plain(data: bytes) -> bool:
    """Return whether each line begins with a brace and ends with one, has few brackets, and is in UTF-8."""
    letters = np.frombuffer(data, dtype=np.uint8)
    ends = np.append(np.flatnonzero(letters == ord("\n")), len(letters))
    starts = np.append(0, ends[:-1] + 1)
    if not len(letters) or (starts >= ends).any() or (letters[starts] != ord("{")).any():
        return False
    last = letters[ends - 1]
    if (np.where(last == ord("\r"), letters[ends - 2], last) != ord("}")).any():
        return False
    for line in np.flatnonzero(ends - starts > _DEEPEST).tolist():
        start, end = int(starts[line]), int(ends[line])
        if data.count(b"{", start, end) + data.count(b"[", start, end) > _DEEPEST:
            return False
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False


def _guess_type(cells: Sequence[Any], numeric: bool) -> Any:
    """Return the Arrow type of all cells; None if they have several types, or one that is not simple."""
    import pyarrow as pa

    kinds = {*map(type, cells)} - {type(None)}
    if kinds == {list}:
        inside = _guess_type(list(chain.from_iterable(filter(None, cells))), numeric)
        return None if inside is None or pa.types.is_list(inside) else pa.list_(inside)
    if numeric and kinds and kinds <= {int, float}:
        return pa.float64()
    simple = {str: pa.string(), bool: pa.bool_(), int: pa.int64()}
    return simple.get(*kinds) if len(kinds) == 1 else None


def _convert(cells: list[Any], kind: Any) -> Cells:
    """Convert cells to a type, if all of them are of it."""
    import pyarrow as pa

    if kind is None:
        return cells
    inside, values = kind, cells
    if pa.types.is_list(kind) and {*map(type, cells)} <= {list, type(None)}:
        inside, values = kind.value_type, list(chain.from_iterable(filter(None, cells)))
    if _guess_type(values, numeric=inside == pa.float64()) != inside and any(value is not None for value in values):
        return cells
    try:
        return make_array(cells, kind)
    except (OverflowError, UnicodeEncodeError):
        return cells
