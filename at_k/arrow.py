"""Read columns of Apache Arrow, and of libraries that store their data in it, without a Python object per sample.

Each function returns None for a column that it cannot read as a whole: a column in another form or of another type, or
with missing or empty rows. `columns.py` then reads the column value by value, and can name its first fault.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from itertools import chain
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from at_k.combinatorics import Ints
from at_k.errors import Phrases
from at_k.samples import Answers, Ragged

if TYPE_CHECKING:
    import pyarrow as pa

_say = Phrases(
    {
        "group.mixed": "`{column}` must have values of one type. Write all of them as text, or all as numbers.",
        "group.lengths": "All columns must have the same number of rows; `{first}` has {first_rows} and `{column}` "
        "has {rows}.",
    }
)


def to_chunks(column: object) -> list[Any] | None:
    """List the Arrow arrays of a column, in its order."""
    # The column is one of pyarrow, of a `datasets.Dataset` (also sorted, selected or formatted), or of Polars.
    if "pyarrow" not in sys.modules:  # no Arrow column can exist before pyarrow is imported
        return None
    import pyarrow as pa

    datasets = sys.modules.get("datasets")
    if datasets is not None and isinstance(column, datasets.arrow_dataset.Column):
        source = column.source
        if not isinstance(source, datasets.Dataset) or source.format["type"] == "custom":
            return None  # the column is nested, or a transform computes its values
        table = find_table(source)
        name = column.column_name
        if table is None:
            column = source.with_format("arrow")[name][:]
        else:
            column = table.column(name)
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(column, polars.Series):
        column = column.to_arrow()
    if isinstance(column, pa.ChunkedArray):
        return list(column.chunks)
    if isinstance(column, pa.Array):
        return [column]
    return None


def find_table(data: object) -> Any:
    """Return the Arrow table that a `datasets.Dataset` holds; None if it is sorted, selected, or computes its values.

    A column of the data set itself copies the features of all columns, which takes 0.01 s.
    """
    datasets = sys.modules.get("datasets")
    if datasets is None or not isinstance(data, datasets.Dataset):
        return None
    is_plain = getattr(data, "_indices", data) is None and data.format["type"] != "custom"
    return data.data if is_plain else None


def make_table(frame: Mapping[str, Any]) -> pa.Table:
    """Make a table of columns of any library."""
    import pyarrow as pa

    columns = {
        name: _to_column(name, column, is_name=name == "problem") for name, column in frame.items()
    }
    first = next(iter(columns), "")
    for name, column in columns.items():
        if len(column) != len(columns[first]):
            both = {"first_rows": len(columns[first]), "rows": len(column)}
            raise _say.error("group.lengths", first=first, column=name, **both)
    return pa.table(columns)


def _to_column(name: str, column: Any, *, is_name: bool) -> Any:
    """Return a column as one of Arrow, which would take 1 and true for the same name."""
    import pyarrow as pa

    chunks = to_chunks(column)
    if chunks is not None:
        return pa.chunked_array(chunks)
    if is_name:
        kinds = {*map(type, column)} - {type(None)}
    else:
        kinds = set()
    alike = (bool, np.bool_, Number, str)  # all types of numbers count as one, and all of texts
    try:
        if len({next(filter(partial(issubclass, kind), alike), kind) for kind in kinds}) < 2:
            return pa.array(column)
    except pa.ArrowException:
        pass
    raise _say.error("group.mixed", column=name) from None


def read_grades(column: object) -> list[Ragged] | None:
    """Read rows of numbers or truth values, a part for each chunk; null becomes NaN."""
    chunks = flatten_lists(column)
    if not chunks:
        return None
    parts = []
    for values, n in chunks:
        numbers = to_numbers(values)
        if numbers is None:
            return None
        parts.append(Ragged.of_lengths(numbers, n))
    return parts


def read_scores(column: object) -> Ragged | None:
    """Read rows of numbers, or of lists of d numbers; null becomes NaN."""
    chunks = flatten_lists(column)
    if not chunks:
        return None
    import pyarrow as pa

    parts = []
    for held, n in chunks:
        values, width = held, 0
        if _is_list(held.type):
            lengths = count_lengths(held)
            if lengths is None or (lengths != lengths[0]).any():
                return None
            values = join_lists(held)
            width = int(lengths[0])
        numbers = None
        if not pa.types.is_boolean(values.type):
            numbers = to_numbers(values)
        if numbers is None:
            return None
        parts.append(Ragged.of_lengths(numbers.reshape(-1, width) if width else numbers, n))
    if len({part.values.shape[1:] for part in parts}) == 1:
        return Ragged.concatenate(parts)
    return None


def read_answers(column: object) -> Answers | None:
    """Read rows of strings; null means a sample without an answer."""
    chunks = flatten_lists(column)
    if not chunks:
        return None
    import pyarrow as pa

    flat = [to_strings(values) for values, _ in chunks]
    if None in flat:
        return None
    encoded = pa.chunked_array(flat).dictionary_encode().combine_chunks()
    if isinstance(
        encoded, pa.ChunkedArray
    ):  # so returned before pyarrow 24, and if a chunk overflows
        encoded = encoded.chunk(0)
    codes, present = to_numpy(encoded.indices)
    if present is not None:
        codes = np.where(present, codes, -1)
    n = np.concatenate([lengths for _, lengths in chunks])
    return Answers(
        Ragged.of_lengths(codes.astype(np.int32, copy=False), n),
        tuple(encoded.dictionary.to_pylist()),
    )


def list_texts(column: object) -> list[str] | None:
    """List the texts of a column that has one in every row."""
    chunks = to_chunks(column)
    if chunks:
        return _list_all(chunks)
    return None


def list_single_texts(column: object) -> list[str] | None:
    """List the texts of a column of lists that have one each."""
    chunks = flatten_lists(column)
    if not chunks or any((lengths != 1).any() for _, lengths in chunks):
        return None
    return _list_all([values for values, _ in chunks])


def _list_all(chunks: list[Any]) -> list[str] | None:
    texts = [to_strings(values) for values in chunks]
    if any(column is None or column.null_count for column in texts):
        return None
    return [text for column in texts for text in column.to_pylist()]


def encode_lists(rows: object) -> Answers | None:
    """Number the answers in lists of strings, if pyarrow is loaded: it encodes 1.28 million in 0.09 s, not in 0.12 s.

    Text that is not valid Unicode cannot be held by Arrow, and is left to the caller.
    """
    if "pyarrow" not in sys.modules or not isinstance(rows, (list, tuple)) or not rows:
        return None
    if not set(map(type, rows)) <= {list, tuple} or not set(
        map(type, chain.from_iterable(rows))
    ) <= {str, type(None)}:
        return None
    import pyarrow as pa

    try:
        return read_answers(pa.array(rows, type=pa.large_list(pa.large_string())))
    except UnicodeEncodeError:
        return None


def to_strings(values: Any) -> Any:
    """Convert an Arrow array of texts to one of its plain string types; None if it holds no texts."""
    import pyarrow as pa

    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_null(values.type):
        values = values.cast(pa.string())
    if pa.types.is_string_view(values.type):
        try:
            values = values.cast(pa.large_string())
        except pa.ArrowNotImplementedError:  # before pyarrow 18
            values = pa.array(values.to_pylist(), type=pa.large_string())
    return (
        values if pa.types.is_string(values.type) or pa.types.is_large_string(values.type) else None
    )


def flatten_lists(column: object) -> list[tuple[Any, Ints]] | None:
    """Split each chunk of a column of lists into values and lengths. Return None if a list is null or empty."""
    chunks = to_chunks(column)
    if not chunks:
        return None
    pairs = []
    for chunk in chunks:
        if len(chunk):
            lengths = None
            if _is_list(chunk.type):
                lengths = count_lengths(chunk)
            if lengths is None:
                return None
            pairs.append((join_lists(chunk), lengths))
    return pairs


def join_lists(lists: Any) -> Any:
    """Return the values of lists. `flatten` loads `pyarrow.compute`, which takes 25 ms and 9 MB."""
    import pyarrow as pa

    if lists.null_count or pa.types.is_fixed_size_list(lists.type):
        return lists.flatten()
    first, last = lists.offsets[0].as_py(), lists.offsets[-1].as_py()
    return lists.values.slice(first, last - first)


def count_lengths(lists: Any) -> Ints | None:
    """Return the length of each list; None if one is null or empty."""
    import pyarrow as pa

    if lists.null_count or not len(lists):
        return None
    if pa.types.is_fixed_size_list(lists.type):
        lengths = np.full(len(lists), lists.type.list_size)
    else:
        lengths = np.diff(to_numpy(lists.offsets)[0].astype(np.int64, copy=False))
    return lengths if lengths.all() else None


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )


def to_numbers(values: Any) -> NDArray[Any] | None:
    """Convert an Arrow array to NumPy, without a copy where it holds numbers and no null."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_dictionary(kind):
        values = values.dictionary_decode()
        kind = values.type
    if pa.types.is_null(kind):
        return np.full(len(values), np.nan)
    if not (pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return None
    numbers, present = to_numpy(values)
    if present is None:
        return numbers
    if (
        kind in (pa.int64(), pa.uint64())
        and not (np.abs(numbers[present].astype(np.float64)) < 2**53).all()
    ):
        return None
    floats = numbers.astype(numbers.dtype if numbers.dtype.kind == "f" else np.float64)
    floats[~present] = np.nan
    return floats


# Arrow's names of floats → NumPy's. Those of whole numbers and truth values are the same.
_FLOATS = {"halffloat": "float16", "float": "float32", "double": "float64"}


def to_numpy(values: Any) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return the numbers or truth values of an Arrow array, and flags of those that are not null, if any is."""
    # `Array.to_numpy` does the same, but loads pandas at its first call, which takes 0.3 s. So does, before Arrow 26,
    # `DataType.to_pandas_dtype`.
    import pyarrow as pa

    validity, held = values.buffers()
    start = values.offset
    stop = values.offset + len(values)
    name = str(values.type)
    kind = np.dtype(_FLOATS.get(name, name))
    if held is None or not len(values):
        numbers = np.zeros(len(values), dtype=kind)
    elif pa.types.is_boolean(values.type):
        numbers = _unpack(held, start, stop)
    else:
        numbers = np.frombuffer(held, dtype=kind, count=stop)[start:]
    return numbers, _unpack(validity, start, stop) if values.null_count else None


def _unpack(bits: Any, start: int, stop: int) -> NDArray[np.bool_]:
    first = start // 8
    flags = np.unpackbits(
        np.frombuffer(bits, dtype=np.uint8)[first : -(-stop // 8)], bitorder="little"
    )
    return flags[start - 8 * first : stop - 8 * first].view(np.bool_)
