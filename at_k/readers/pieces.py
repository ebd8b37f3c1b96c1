"""JSON lines whose pieces between commas repeat: each different piece is read once, and its number stands for it.

Lines of `{"task_id": "a", "passed": true}` have few different pieces, and so have long lists of short answers. Whatever
is nested, has escapes, or has commas in its texts is left to a parser of JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from at_k.arrow import to_numpy
from at_k.readers.arrays import make_flags, make_lists, make_numbers, make_texts

if TYPE_CHECKING:
    import pyarrow as pa

_TEXT = rb'"[^"\\,\x00-\x1f]*"'
_NUMBER = rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_PIECE = re.compile(
    rb"( ?\{? ?(?:%b ?: ?)?\[? ?)(%b|%b|true|false|null|)( ?\]? ?(?:\}\r?)?[,\n])" % (_TEXT, _TEXT, _NUMBER)
)
"""What stands before a value, the value, and what stands behind it. Each part is matched in linear time."""

_LINE, _FIELD, _ITEM = range(3)
"""What is expected after a piece: a new line, a field of the object, or an item of the list in it."""

_SAMPLE = 1 << 16
"""Bytes in which at most half of the pieces may be different."""

_REPEATS = 8
"""How often a piece stands in a block, on average, if it is worth while to number them."""

_MOST_NAMES = 100
"""Fields of a line. With more, it is quicker to parse only those that are wanted."""

_EXACT = 2**53
"""Numbers from here on are left to decoders that keep each digit."""


class _Pieces(NamedTuple):
    """What the different pieces are.

    Attributes:
        needs: what must be expected before the piece.
        gives: what is expected after it.
        names: the position of its name in `known`; −1 if it has none.
        opens: whether it opens a list.
        filled: whether it has a value.
        values: its value.
        known: the names.
    """

    needs: NDArray[np.int8]
    gives: NDArray[np.int8]
    names: NDArray[np.int8]
    opens: NDArray[np.bool_]
    filled: NDArray[np.bool_]
    values: list[Any]
    known: dict[str, int]


class _Lines(NamedTuple):
    """The pieces of all lines, one after the other.

    Attributes:
        codes: which one each piece is.
        needs: what is expected before it.
        names: the position of its name.
        firsts: the place of the first piece of each line.
    """

    codes: NDArray[Any]
    needs: NDArray[np.int8]
    names: NDArray[np.int8]
    firsts: NDArray[np.int64]


def parse_pieces(data: bytes, types: Mapping[str, Any]) -> tuple[pa.Table, frozenset[str]] | None:
    r"""Parse lines of JSON whose pieces repeat.

    Args:
        data: whole lines.
        types: column → its Arrow type: text, bool, int64, float64, or a list of these.

    Returns:
        The columns, null where a value is, and the names of all fields; None if the lines are not so simple, hold
        values of other types, or have a wanted column in some lines only.

    Examples:
        >>> import pyarrow as pa
        >>> data = b"\n".join(b'{"id": "a", "ok": [1, 0, %d]}' % (row % 2) for row in range(20))
        >>> table, names = parse_pieces(data, {"ok": pa.list_(pa.int64())})
        >>> table["ok"][:2].to_pylist(), sorted(names)
        ([[1, 0, 0], [1, 0, 1]], ['id', 'ok'])
    """
    import pyarrow as pa

    sample = data[:_SAMPLE].replace(b"\n", b",").split(b",")
    if 2 * len(set(sample)) > len(sample):
        return None
    data += b"\n"
    letters = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero((letters == ord(",")) | (letters == ord("\n"))) + 1
    offsets = np.zeros(len(ends) + 1, dtype=np.int32)
    offsets[1:] = ends
    held = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    numbered = pa.Array.from_buffers(pa.binary(), len(ends), held).dictionary_encode()
    if len(numbered.dictionary) * _REPEATS > len(ends):
        return None
    pieces = _read_pieces(numbered.dictionary)
    if pieces is None:
        return None
    codes, _ = to_numpy(numbered.indices)
    needs, gives = pieces.needs.take(codes), pieces.gives.take(codes)
    if needs[0] != _LINE or gives[-1] != _LINE or (needs[1:] != gives[:-1]).any():
        return None
    lines = _Lines(codes, needs, pieces.names.take(codes), np.flatnonzero(needs == _LINE))
    columns = {name: _read_column(name, kind, lines, pieces) for name, kind in types.items()}
    return None if None in columns.values() else (pa.table(columns), frozenset(pieces.known))


def _read_pieces(pieces: pa.Array) -> _Pieces | None:
    """Read the different pieces; None if one of them is anything else."""
    found = []
    for piece in pieces.to_pylist():
        match = _PIECE.fullmatch(piece)
        if match is None:
            return None
        found.append(match.groups())
    shapes: dict[tuple[bytes, bool, bytes], int] = {}  # few pieces differ in more than their value
    places = [shapes.setdefault((before, value != b"", after), len(shapes)) for before, value, after in found]
    known: dict[str, int] = {}
    try:
        values = orjson.loads(b"[%b]" % b",".join([value or b"null" for _, value, _ in found]))
        read = [_read_shape(*shape, known) for shape in shapes]
    except ValueError:  # text that is not in UTF-8
        return None
    if None in read or len(known) > _MOST_NAMES:
        return None
    needs, gives, names, opens, filled = np.array(read, dtype=np.int8).T[:, places]
    return _Pieces(needs, gives, names, opens.view(bool), filled.view(bool), values, known)


def _read_shape(before: bytes, filled: bool, after: bytes, known: dict[str, int]) -> tuple[int, ...] | None:
    """Read what stands around a value, as `_Pieces` has it, and add its name to those known; None if it cannot be."""
    spelled = before[before.find(b'"') : before.rfind(b'"') + 1]
    outside = before.replace(spelled, b"") if spelled else before
    starts, opens, closes, ends = b"{" in outside, b"[" in outside, b"]" in after, b"}" in after
    in_list = opens if spelled else True
    if (
        ((starts or opens) and not spelled)
        or (closes and not in_list)
        or not (filled or (opens and closes))
        or ends != after.endswith(b"\n")
        or (ends and in_list and not closes)
    ):
        return None
    needs = _LINE if starts else _FIELD if spelled else _ITEM
    gives = _LINE if ends else _ITEM if in_list and not closes else _FIELD
    name = known.setdefault(orjson.loads(spelled), len(known)) if spelled else -1
    return needs, gives, name, opens, filled


def _read_column(name: str, kind: Any, lines: _Lines, pieces: _Pieces) -> Any:
    """Read a column; None if it is not of this type, or not on each line once."""
    import pyarrow as pa

    codes, firsts = lines.codes, lines.firsts
    if name not in pieces.known:
        return pa.nulls(len(firsts), kind)
    where = np.flatnonzero(lines.names == pieces.known[name])
    if len(where) != len(firsts) or (where < firsts).any() or (where[:-1] >= firsts[1:]).any():
        return None
    begins = codes.take(where)
    opens = pieces.opens.take(begins)
    if not pa.types.is_list(kind):
        return None if opens.any() else _gather(begins, kind, pieces.values)
    if any(pieces.values[code] is not None for code in set(begins[~opens].tolist())):
        return None
    fields = np.append(np.flatnonzero(lines.needs != _ITEM), len(codes))
    behind = fields[np.searchsorted(fields, where) + 1]
    marks = np.zeros(len(codes) + 1, dtype=np.int8)
    marks[where] = 1
    marks[behind] -= 1
    is_item = np.cumsum(marks[:-1], dtype=np.int8).view(bool)
    is_item[where] = filled = pieces.filled.take(begins) & opens
    items = _gather(codes[is_item], kind.value_type, pieces.values)
    return None if items is None else make_lists(np.append(0, np.cumsum(behind - where - ~filled)), items, opens)


def _gather(codes: NDArray[Any], kind: Any, values: list[Any]) -> Any:
    """Return the values of codes in Arrow; None if any is not of this type."""
    import pyarrow as pa

    used = np.flatnonzero(np.bincount(codes, minlength=len(values)))
    places = np.zeros(len(values), dtype=np.int32)
    places[used] = np.arange(len(used))
    found = [values[place] for place in used.tolist()]
    kinds = {*map(type, found)} - {type(None)}
    present = np.array([value is not None for value in found], dtype=bool)
    if pa.types.is_string(kind) and kinds <= {str}:
        made = make_texts(found)
    elif pa.types.is_boolean(kind) and kinds <= {bool}:
        made = make_flags(np.array([bool(value) for value in found], dtype=bool), present)
    elif kinds <= ({int} if pa.types.is_int64(kind) else {int, float} if pa.types.is_float64(kind) else set()):
        numbers = np.array([0 if value is None else value for value in found], dtype=np.float64)
        if (np.abs(numbers) >= _EXACT).any():
            return None
        made = make_numbers(numbers.astype(np.int64) if pa.types.is_int64(kind) else numbers, present)
    else:
        return None
    return made.take(make_numbers(places.take(codes)))
