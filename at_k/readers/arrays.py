"""Make Arrow arrays. `pyarrow.array` does the same, but loads pandas at its first call, which takes 0.3 s."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from at_k.arrow import to_numpy

if TYPE_CHECKING:
    import pyarrow as pa


def make_numbers(values: NDArray[Any], present: NDArray[np.bool_] | None = None) -> pa.Array:
    """Make an array of numbers.

    Args:
        values: the numbers.
        present: flags of those that are there; the others are null.

    Examples:
        >>> make_numbers(np.array([1, 2]), np.array([True, False])).to_pylist()
        [1, None]
    """
    import pyarrow as pa

    held = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [_pack(present), held])


def make_flags(values: NDArray[np.bool_], present: NDArray[np.bool_] | None = None) -> pa.Array:
    """Make an array of true and false.

    Args:
        values: the flags.
        present: flags of those that are there; the others are null.

    Examples:
        >>> make_flags(np.array([True, False]), np.array([True, False])).to_pylist()
        [True, None]
    """
    import pyarrow as pa

    held = pa.py_buffer(np.packbits(values, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), len(values), [_pack(present), held])


def fill_numbers(array: pa.Array, missing: int) -> NDArray[np.int64]:
    """Return the whole numbers of an array, with another one in place of null.

    Examples:
        >>> fill_numbers(make_numbers(np.array([1, 2]), np.array([True, False])), -1)
        array([ 1, -1])
    """
    numbers, present = to_numpy(array)
    return np.asarray(numbers if present is None else np.where(present, numbers, missing)).astype(np.int64)


def make_texts(values: Sequence[str | None]) -> pa.Array:
    """Make an array of texts.

    Raises:
        UnicodeEncodeError: if a text holds half of a character.

    Examples:
        >>> make_texts(["a", None, "é"]).to_pylist()
        ['a', None, 'é']
    """
    import pyarrow as pa

    encoded = [b"" if value is None else value.encode() for value in values]
    offsets = _sum_up(list(map(len, encoded)))
    present = None if None not in values else np.array([value is not None for value in values], dtype=bool)
    held = [_pack(present), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(values), held)


def make_lists(offsets: NDArray[Any], values: pa.Array, present: NDArray[np.bool_] | None = None) -> pa.Array:
    """Make an array of lists, the values of which follow each other.

    Examples:
        >>> make_lists(np.array([0, 2, 3]), make_texts(["a", "b", "c"])).to_pylist()
        [['a', 'b'], ['c']]
    """
    import pyarrow as pa

    held = [_pack(present), pa.py_buffer(offsets.astype(np.int32))]
    return pa.Array.from_buffers(pa.list_(values.type), len(offsets) - 1, held, children=[values])


def make_array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Make an array of texts, truth values, whole numbers, numbers in double precision, or lists of these.

    None becomes null.

    Raises:
        UnicodeEncodeError: as `make_texts` does.
        OverflowError: if a whole number needs more than 64 bits.

    Examples:
        >>> import pyarrow as pa
        >>> make_array([["a"], None], pa.list_(pa.string())).to_pylist()
        [['a'], None]
    """
    import pyarrow as pa

    if pa.types.is_string(kind):
        return make_texts(values)
    present = np.array([value is not None for value in values], dtype=bool)
    if pa.types.is_list(kind):
        lengths = [0 if value is None else len(value) for value in values]
        inside = make_array(list(chain.from_iterable(filter(None, values))), kind.value_type)
        return make_lists(_sum_up(lengths), inside, present)
    held = [0 if value is None else value for value in values]
    if pa.types.is_boolean(kind):
        return make_flags(np.array(held, dtype=bool), present)
    return make_numbers(np.array(held, dtype=np.int64 if pa.types.is_int64(kind) else np.float64), present)


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
