"""JSON lines, in blocks. Plain blocks of short lines are parsed by Arrow, the others line by line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import orjson

from at_k.readers.blocks import HEAD, Block, take_column
from at_k.readers.faults import UNITS, Faults
from at_k.readers.files.decoding import decode_strictly, require_object
from at_k.readers.files.sources import LineBlock, Source
from at_k.validation import LARGEST_INTEGER

# Bytes of the first block, from which it is judged what the columns hold.
_FIRST_BYTES = 1 << 18

# Bytes of a line, on average, from which orjson finds the columns that are needed sooner than Arrow.
_LONG_LINE = 1000

# Brackets in a line up to which Arrow parses it: in a thread of 512 kB it crashes on JSON that is nested 2,500 deep.
_DEEPEST = 500

_SPACED = re.compile(rb'"\s+:')

Row = dict[str, Any]


def read_blocks(
    source: Source, wanted: Mapping[str, bool] | None, faults: Faults
) -> Iterator[Block]:
    """Yield the rows of JSON lines. Arrow parses plain blocks, once it is known which columns are needed."""
    types: dict[str, Any] = {}
    for block in source.blocks() if wanted is not None else source.blocks(_FIRST_BYTES):
        if wanted is not None and not types and not faults.skips:
            types = _guess_types(block, wanted)
        table = None
        if types and None not in types.values():
            table = _parse(block.data, types)
        if table is not None:
            places = range(block.first, block.first + len(table))
            yield Block(places, table.column_names, partial(take_column, table))
            continue
        found = _decode(block, wanted, faults)
        if found[1]:
            yield Block.of(*found)


def _guess_types(block: LineBlock, wanted: Mapping[str, bool]) -> dict[str, Any]:
    lines = block.data.split(b"\n", HEAD)[:HEAD]
    try:
        rows = [
            row for row in map(orjson.loads, filter(bytes.strip, lines)) if isinstance(row, dict)
        ]
    except ValueError:
        return dict.fromkeys(wanted)
    types = {}
    for name, is_numeric in wanted.items():
        cells = [row[name] for row in rows if name in row]
        if cells:
            types[name] = _guess_type(cells, is_numeric)
    return types


def _guess_type(cells: Sequence[Any], is_numeric: bool) -> Any:
    """Return the Arrow type of all cells; None if they have several types, or one that is not simple."""
    import pyarrow as pa

    kinds = {*map(type, cells)} - {type(None)}
    if not kinds:  # Arrow refuses a block that has something else than null
        return pa.null() if cells else None
    if kinds == {list}:
        inside = _guess_type(list(chain.from_iterable(filter(None, cells))), is_numeric)
        if inside in (None, pa.null()) or pa.types.is_list(inside):
            return None
        return pa.list_(inside)
    if kinds == {dict}:
        return _guess_struct(list(filter(None, cells)))
    if is_numeric and kinds <= {int, float}:
        return pa.float64()
    simple = {str: pa.string(), bool: pa.bool_(), int: pa.int64()}
    kind, *others = kinds
    return None if others else simple.get(kind)


def _guess_struct(cells: Sequence[Row]) -> Any:
    """Return the Arrow type of objects with simple fields; None for others."""
    import pyarrow as pa

    kinds = {}
    for name in dict.fromkeys(chain.from_iterable(cells)):
        own = [cell.get(name) for cell in cells]
        is_numeric = {*map(type, own)} == {float}
        kinds[name] = _guess_type(own, is_numeric)
    is_simple = bool(kinds) and not any(
        kind is None or pa.types.is_nested(kind) for kind in kinds.values()
    )
    if is_simple:
        return pa.struct(list(kinds.items()))
    return None


def _decode(
    block: LineBlock, wanted: Collection[str] | None, faults: Faults
) -> tuple[list[int], list[Row]]:
    """Decode the lines of a block: as a whole and, where one must be looked at, one by one."""
    places, lines = zip(*block.lines(), strict=True) if block.data.strip() else ((), ())
    rows = _decode_plainly(block.data, lines, wanted)
    if rows is not None:
        return list(places), rows
    kept: dict[int, Row] = {}
    for place, line in zip(places, lines, strict=True):
        with faults:
            own = _decode_plainly(line, [line], wanted) or [
                decode_strictly(line.rstrip(b"\r"), place)
            ]
            kept[place] = require_object(own[0], UNITS["line"](place))
    return list(kept), list(kept.values())


def _decode_plainly(
    data: bytes, lines: Sequence[bytes], wanted: Collection[str] | None
) -> list[Row] | None:
    """Decode lines quickly; None if one of them must be looked at."""
    try:
        rows = list(map(orjson.loads, lines))
    except ValueError:
        return None
    if not set(map(type, rows)) <= {dict} or _may_repeat(data, rows, wanted):
        return None
    cells = (row.get(name) for name in wanted or () for row in rows)
    # The fast decoder makes a float of an integer of more than 64 bits.
    is_rounded = any(type(cell) is float and abs(cell) >= LARGEST_INTEGER for cell in cells)
    return None if is_rounded else rows


def _may_repeat(data: bytes, rows: Sequence[Row], wanted: Collection[str] | None) -> bool:
    """Return whether an object may have a name twice, or one of those wanted: spelled the same, or with an escape."""
    if not _SPACED.search(data) and data.count(b'":') == sum(map(len, rows)):
        return False
    if b"\\u00" in data:
        return True
    names = dict.fromkeys(chain.from_iterable(rows)) if wanted is None else wanted
    return any(data.count(orjson.dumps(name)) > len(rows) for name in names)


def _count_plain(data: bytes) -> int:
    """Return how many lines there are that Arrow reads as they are meant; 0 if it could misread one."""
    # Arrow reads two objects on a line, and crashes on deep ones. So each line must begin with a brace and end with
    # one, must have few brackets, and must become one row. Arrow itself refuses an object that has a name twice.
    if data[:1] + data[-1:] != b"{}":
        return 0
    signs = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(signs == ord("\n"))
    last = ends - 1
    last = last - (signs[last] == ord("\r"))
    if (signs[last] != ord("}")).any() or (signs[ends + 1] != ord("{")).any():
        return 0
    bounds = np.concatenate([[-1], ends, [len(data)]])
    for line in np.flatnonzero(np.diff(bounds) > _DEEPEST).tolist():
        text = data[bounds[line] + 1 : bounds[line + 1]]
        if text.count(b"{") + text.count(b"[") > _DEEPEST:
            return 0
    return len(bounds) - 1


def _parse(data: bytes, types: Mapping[str, Any]) -> Any:
    """Parse lines of JSON with Arrow; None if it cannot, or could misread them."""
    import pyarrow as pa
    import pyarrow.json as pj

    data = data.rstrip(b"\r\n")
    count = _count_plain(data)
    if not count or len(data) > _LONG_LINE * count:
        return None
    parsing = pj.ParseOptions(
        explicit_schema=pa.schema(list(types.items())), unexpected_field_behavior="infer"
    )
    try:
        data.decode()  # Arrow believes that texts are in UTF-8
        with pa.BufferReader(data) as file:
            table = pj.read_json(
                file, pj.ReadOptions(use_threads=False, block_size=len(data) + 1), parsing
            )
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    return table if len(table) == count else None
