"""Columns as arrays: made for Arrow, and their values numbered, so that NumPy can bring equal ones together.

`pyarrow.array` loads pandas at its first call, which takes 0.3 s; these functions do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from at_k.arrow import join_lists, to_chunks, to_numpy
from at_k.errors import Mention, Phrases
from at_k.samples import Ragged

if TYPE_CHECKING:
    import pyarrow as pa


_say = Phrases(
    {
        "tables.large": "The texts of one column have more than 2 GB. Read the file without it: {example}.",
    }
)


def make_numbers(values: NDArray[Any], present: NDArray[np.bool_] | None = None) -> pa.Array:
    """Make an array of numbers.

    Examples:
        >>> make_numbers(np.array([1, 2]), np.array([True, False])).to_pylist()
        [1, None]
    """
    import pyarrow as pa

    held = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(values.dtype), len(values), [_pack(present), held]
    )


def fill_numbers(array: pa.Array, missing: int) -> NDArray[np.int64]:
    """Return the whole numbers of an array, with another one in place of null.

    Examples:
        >>> fill_numbers(make_numbers(np.array([1, 2]), np.array([True, False])), -1)
        array([ 1, -1])
    """
    numbers, present = to_numpy(array)
    return np.asarray(numbers if present is None else np.where(present, numbers, missing)).astype(
        np.int64
    )


def make_texts(values: Sequence[str | None]) -> pa.Array:
    """Make an array of texts.

    Examples:
        >>> make_texts(["a", None, "é"]).to_pylist()
        ['a', None, 'é']
    """
    import pyarrow as pa

    encoded = [b"" if value is None else value.encode() for value in values]
    offsets = _sum_up(list(map(len, encoded)))
    if None not in values:
        present = None
    else:
        present = np.array([value is not None for value in values], dtype=bool)
    held = [_pack(present), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(values), held)


def make_lists(
    offsets: NDArray[Any], values: pa.Array, present: NDArray[np.bool_] | None = None
) -> pa.Array:
    """Make an array of lists, the values of which follow each other.

    Examples:
        >>> make_lists(np.array([0, 2, 3]), make_texts(["a", "b", "c"])).to_pylist()
        [['a', 'b'], ['c']]
    """
    import pyarrow as pa

    held = [_pack(present), pa.py_buffer(offsets.astype(np.int32))]
    return pa.Array.from_buffers(pa.list_(values.type), len(offsets) - 1, held, children=[values])


def make_text_lists(values: Sequence[Sequence[str] | None]) -> pa.Array:
    """Make an array of lists of texts; None becomes null.

    Examples:
        >>> make_text_lists([["a"], None]).to_pylist()
        [['a'], None]
    """
    lengths = [0 if value is None else len(value) for value in values]
    present = np.array([value is not None for value in values], dtype=bool)
    return make_lists(
        _sum_up(lengths), make_texts(list(chain.from_iterable(filter(None, values)))), present
    )


def refuse_large_texts(size: int) -> None:
    """Raise if the texts of one column need more than an Arrow array can hold."""
    if size > np.iinfo(np.int32).max:
        raise _say.error("tables.large", example=Mention(columns={"answers": None}))


def _sum_up(lengths: Sequence[int]) -> NDArray[np.int32]:
    """Return where each value begins, and where the last one ends."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    if offsets[-1] > np.iinfo(np.int32).max:
        raise OverflowError("more than 2 GB of text in one array")
    return offsets.astype(np.int32)


def _pack(present: NDArray[np.bool_] | None) -> pa.Buffer | None:
    import pyarrow as pa

    if present is None or present.all():
        return None
    return pa.py_buffer(np.packbits(present, bitorder="little"))


Codes = NDArray[np.int64]

# Cells that are sooner numbered here than by `pyarrow.compute`, which takes 25 ms and 9 MB to load.
_FEW = 10_000


class Coded(NamedTuple):
    """The code of each value, −1 for None, and the different values in order of first appearance."""

    codes: Codes
    values: list[Any]


def is_arrow(column: object) -> bool:
    """Return whether a column is held by Arrow."""
    return hasattr(column, "dictionary_encode")


def list_cells(column: Any) -> list[Any]:
    """List the cells of a column; None means null."""
    return list(column.to_pylist() if is_arrow(column) else column)


def take(column: Any, places: Codes) -> Any:
    """Return the cells at some places."""
    if is_arrow(column):
        return column.take(make_numbers(places))
    if isinstance(column, np.ndarray):
        return column[places]
    return [column[place] for place in places.tolist()]


def flatten(column: Any) -> tuple[Codes, Any]:
    """Return the length of each list, −1 for anything else, and their values one after the other.

    Examples:
        >>> flatten([[1, 0], None, [1]])
        (array([ 2, -1,  1]), [1, 0, 1])
    """
    if not is_arrow(column):
        lists = [cell if isinstance(cell, list) else None for cell in column]
        lengths = (-1 if cell is None else len(cell) for cell in lists)
        return np.fromiter(lengths, np.int64, len(lists)), list(
            chain.from_iterable(filter(None, lists))
        )
    import pyarrow as pa

    if not pa.types.is_list(column.type):
        return np.full(len(column), -1), column
    counts = np.diff(to_numpy(column.offsets)[0]).astype(np.int64)
    if column.null_count:
        counts[~to_numpy(column.is_valid())[0]] = -1
    return counts, join_lists(column)


def contains(column: Any, text: str) -> bool:
    """Return whether a column has a text in one of its cells."""
    if not is_arrow(column):
        return text in column
    # Without `pyarrow.compute`, which takes 25 ms to load: cells are listed where their bytes hold the text.
    sought = text.encode()
    for chunk in to_chunks(column) or ():
        buffers = [bytes(buffer) for buffer in chunk.buffers()[1:] if buffer is not None]
        if any(sought in held for held in buffers) and text in chunk.to_pylist():
            return True
    return False


def encode(column: Any) -> Coded:
    """Number the values of a column.

    Examples:
        >>> encode(["a", None, "b", "a"])
        Coded(codes=array([ 0, -1,  1,  0]), values=['a', 'b'])
    """
    if is_arrow(column):
        return _encode_arrow(column)
    keys: Sequence[Any] = column
    if {*map(type, column)} - {type(None)} not in (set(), {str}, {int}):
        keys = [
            cell if cell is None or isinstance(cell, str) else (type(cell), repr(cell))
            for cell in column
        ]
    firsts = dict(zip(reversed(keys), reversed(column), strict=True))
    firsts.pop(None, None)
    table = dict.fromkeys(keys)
    table.pop(None, None)
    codes = {key: code for code, key in enumerate(table)} | {None: -1}
    return Coded(
        np.fromiter(map(codes.__getitem__, keys), np.int64, len(keys)),
        [firsts[key] for key in table],
    )


def _encode_arrow(column: Any) -> Coded:
    import pyarrow as pa

    is_encoded = column.type != pa.null() and not pa.types.is_nested(column.type)
    if len(column) < _FEW or not is_encoded:
        return encode(column.to_pylist())
    encoded = column.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks()
        # So returned before pyarrow 24.
        if isinstance(encoded, pa.ChunkedArray) and encoded.num_chunks:
            encoded = encoded.chunk(0)
    if not len(encoded):
        return Coded(np.empty(0, dtype=np.int64), [])
    return Coded(fill_numbers(encoded.indices, -1), encoded.dictionary.to_pylist())


# Codes that spread over more numbers than this, for each of them, are sorted.
_SPARSE = 8


def find_firsts(codes: Codes) -> Codes:
    """Return for each code, in their order, its first place.

    Examples:
        >>> find_firsts(np.array([7, -1, 7])).tolist()
        [1, 0]
    """
    span = _span(codes)
    if span > _SPARSE * len(codes):
        return np.unique(codes, return_index=True)[1]
    firsts = np.full(span, -1)
    # Of several places for one code, the last that is written stays.
    firsts[codes[::-1] - codes.min(initial=0)] = np.arange(len(codes))[::-1]
    return firsts[firsts >= 0]


def join_codes(parts: Sequence[Codes]) -> Codes:
    """Number the combinations of the codes of several columns.

    Examples:
        >>> join_codes([np.array([0, 0, 1]), np.array([2, 2, 2])]).tolist()
        [2, 2, 5]
    """
    joined = parts[0]
    for part in parts[1:]:
        if _span(joined) * _span(part) < _LARGEST:
            joined = (joined - joined.min(initial=0)) * _span(part) + (part - part.min(initial=0))
        else:
            joined, codes = (
                np.unique(codes, return_inverse=True)[1].reshape(-1) for codes in (joined, part)
            )
            joined = joined * _span(codes) + codes
    return joined


# Products up to here fit into 64 bits.
_LARGEST = 2**62


def _span(codes: Codes) -> int:
    """Return how many whole numbers there are from the smallest code, or 0, to the largest one."""
    return int(codes.max(initial=0)) - int(codes.min(initial=0)) + 1


class Groups(NamedTuple):
    """The rows of each problem, in the order of the file: what one stable sort says.

    Attributes:
        order: the positions of the rows, those of each problem together; None if they are in this order already.
        offsets: where the rows of each problem begin in that order, and where the last ones end.
        firsts: the position of the first row of each problem.

    Examples:
        >>> groups = Groups.of(np.array([0, 1, 0]))
        >>> groups.order, list(groups.split(np.array([7, 8, 9])))
        (array([0, 2, 1]), [[7, 9], [8]])
    """

    order: Codes | None
    offsets: Codes
    firsts: Codes

    @classmethod
    def of(cls, problems: Codes) -> Groups:
        """Group rows by their problems, which are numbered from 0 without gaps."""
        offsets = np.concatenate([[0], np.cumsum(np.bincount(problems))])
        if (np.diff(problems) >= 0).all():
            return cls(None, offsets, offsets[:-1])
        order = np.argsort(problems, kind="stable")
        return cls(order, offsets, order[offsets[:-1]])

    def list(self, values: pa.Array) -> pa.Array:
        """Return the values of each problem as a list."""
        return make_lists(
            self.offsets, values if self.order is None else values.take(make_numbers(self.order))
        )

    def cut(self, values: Sequence[Any]) -> Sequence[Sequence[Any]]:
        """Return the values of each problem, as lists of what may be of any type."""
        if self.order is None:
            ordered = values
        else:
            ordered = [values[row] for row in self.order.tolist()]
        return [ordered[start:stop] for start, stop in pairwise(self.offsets.tolist())]

    def split(self, values: NDArray[Any]) -> Ragged:
        """Return the numbers of each problem."""
        return Ragged(values if self.order is None else values[self.order], self.offsets)
