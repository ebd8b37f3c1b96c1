"""Make Arrow arrays and tables. `pyarrow.array` loads pandas at its first call, which takes 0.3 s; these do not."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import chain
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from at_k.arrow import to_chunks, to_numpy
from at_k.errors import InputError, Mention
from at_k.validation import type_name

if TYPE_CHECKING:
    import pyarrow as pa


def make_numbers(values: NDArray[Any], present: NDArray[np.bool_] | None = None) -> pa.Array:
    """Make an array of numbers.

    Examples:
        >>> make_numbers(np.array([1, 2]), np.array([True, False])).to_pylist()
        [1, None]
    """
    import pyarrow as pa

    held = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [_pack(present), held])


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


def make_text_lists(values: Sequence[Sequence[str] | None]) -> pa.Array:
    """Make an array of lists of texts; None becomes null.

    Examples:
        >>> make_text_lists([["a"], None]).to_pylist()
        [['a'], None]
    """
    lengths = [0 if value is None else len(value) for value in values]
    present = np.array([value is not None for value in values], dtype=bool)
    return make_lists(_sum_up(lengths), make_texts(list(chain.from_iterable(filter(None, values)))), present)


def refuse_large_texts(size: int) -> None:
    """Raise if the texts of one column need more than an Arrow array can hold."""
    if size > np.iinfo(np.int32).max:
        raise InputError(
            "tables.large",
            "The texts of one column have more than 2 GB. Read the file without it: {example}.",
            example=Mention(columns={"answers": None}),
        )


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


def make_table(data: Any) -> pa.Table:
    """Return a table of any library as one of Arrow."""
    import pyarrow as pa

    if isinstance(data, pa.Table):
        return data
    datasets: Any = sys.modules.get("datasets")
    if datasets is not None and isinstance(data, datasets.Dataset):
        found: pa.Table = data.with_format("arrow")[:]
        return found
    pandas: Any = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        for name, column in data.items():
            if column.dtype == object:
                _to_column(str(name), column.dropna(), is_name=name == "problem")  # names the column at fault
        return pa.Table.from_pandas(data, preserve_index=False).replace_schema_metadata()
    if hasattr(data, "to_arrow"):  # Polars
        return data.to_arrow()
    if isinstance(data, Mapping):
        columns = {str(name): _to_column(str(name), column, is_name=name == "problem") for name, column in data.items()}
        _refuse_other_lengths({name: len(column) for name, column in columns.items()})
        return pa.table(columns)
    raise TypeError(
        "`data` must be a table with a row for each sample: a datasets.Dataset, an Arrow table, a pandas or Polars "
        f"frame, or a mapping of columns; got {type_name(data)}"
    )


def _to_column(name: str, column: Any, *, is_name: bool) -> Any:
    """Return a column as one of Arrow, which would take 1 and true for the same name."""
    import pyarrow as pa

    chunks = to_chunks(column)
    if chunks is not None:
        return pa.chunked_array(chunks)
    try:
        if not is_name or len({_find_kind(each) for each in {*map(type, column)} - {type(None)}}) < 2:
            return pa.array(column)
    except pa.ArrowException:
        pass
    raise InputError(
        "group.mixed",
        "`{column}` must have values of one type. Write all of them as text, or all as numbers.",
        column=name,
    ) from None


def _find_kind(kind: type) -> type:
    """Return the type of a name, with all types of numbers as one, and all of texts."""
    return next((each for each in (bool, np.bool_, Number, str) if issubclass(kind, each)), kind)


def _refuse_other_lengths(lengths: Mapping[str, int]) -> None:
    first, *others = lengths or [""]
    for name in others:
        if lengths[name] != lengths[first]:
            raise InputError(
                "group.lengths",
                "All columns must have the same number of rows; `{first}` has {first_rows} and `{column}` has {rows}.",
                first=first,
                first_rows=lengths[first],
                column=name,
                rows=lengths[name],
            )
