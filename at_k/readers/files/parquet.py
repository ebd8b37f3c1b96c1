"""Read Parquet, Arrow and Feather files in blocks, the columns that are needed alone.

A few kilobytes of Parquet may unpack to gigabytes: a value that is repeated is written once. So where there are limits,
the needed columns are decoded in small steps, whose bytes are counted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from at_k.errors import InputError, Phrases
from at_k.readers.blocks import HEAD, Block
from at_k.readers.files.sources import Source, refuse_large, refuse_many_rows
from at_k.readers.names import shorten
from at_k.validation import UNLIMITED, Limits

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

# The most rows of a block.
_ROWS = 65_536

# Rows that are decoded at a time to count them: a text may begin with the whole one before it.
_STEP = 16

# Errors that a value of another type, or an impossible number, in damaged metadata may cause.
_DAMAGE = (
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    LookupError,
    RuntimeError,
    MemoryError,
)

_say = Phrases(
    {
        "parquet.column": "The values of column “{column}” cannot be read ({reason}). Write them as text, or leave the "
        "column out.",
        "parquet.broken": "This {kind} file is cut off or damaged ({reason}). Copy it again, or write it again.",
    }
)


def list_columns(source: Source) -> tuple[str, ...]:
    """List the columns of Parquet or Arrow."""
    parts = source.parts or [source]
    with refusing(source.layout):
        return tuple(dict.fromkeys(name for part in parts for name in _read_schema(part).names))


def read_batches(
    source: Source, columns: Sequence[str], *, size: int = _ROWS
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a Parquet file in batches."""
    for part in source.parts or [source]:
        with refusing("parquet"):
            file = _open(part)
            limited = part.limits != UNLIMITED
            if limited:
                batches = _read_within(file, columns, part.limits)
            else:
                batches = file.iter_batches(size, columns=columns)
        while True:
            with refusing("parquet"):
                batch = next(batches, None)
                if batch is not None:
                    batch.validate(full=True)  # Arrow believes that texts are in UTF-8
            if batch is None:
                break
            yield batch


def read_blocks(source: Source, wanted: Collection[str] | None) -> Iterator[Block]:
    """Yield the rows of Parquet or Arrow, alone or in the shards of a data set, in blocks."""
    # The folders `name=value` around a shard are columns, too.
    parts, first = source.parts or [source], 1
    folders = [_read_folders(part, source) for part in parts]
    names = list(dict.fromkeys(chain(list_columns(source), *folders)))
    size = HEAD if wanted is None else _ROWS
    needed = [name for name in names if wanted is None or name in wanted]
    for part, around in zip(parts, folders, strict=True):
        if part.layout == "parquet":
            batches = read_batches(part, needed, size=size)
        else:
            batches = _read_arrow(part, size)
        for batch in batches:
            refuse_many_rows(first + len(batch) - 1, source.limits)
            yield Block(
                range(first, first + len(batch)), names, partial(_take_column, batch, around)
            )
            first += len(batch)


def _take_column(batch: pa.RecordBatch, around: Mapping[str, str], name: str) -> Any:
    if name not in batch.schema.names:
        return [around.get(name)] * len(batch)
    try:
        return _simplify(batch.column(name))
    except (
        ValueError,
        KeyError,
    ) as reason:  # two columns or fields of one name, which no object of Python has
        raise _say.error("parquet.column", column=shorten(name), reason=str(reason)) from None


def read_rows(source: Source, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a Parquet file as dicts, each with its number, counted from 1."""
    number = 0
    for batch in read_batches(source, columns):
        with refusing("parquet"):
            rows = batch.to_pylist()
        for row in rows:
            number += 1
            yield number, row


def _open(source: Source) -> pq.ParquetFile:
    import pyarrow.parquet as pq

    return pq.ParquetFile(_open_unpacked(source))


def _open_arrow(source: Source) -> Any:
    """Open a file of Arrow, or of Feather, which may be laid out as a stream."""
    import pyarrow as pa

    file = _open_unpacked(source)
    mark = file.read(6)
    file.seek(0)
    if mark == b"ARROW1":
        return pa.ipc.open_file(file)
    return pa.ipc.open_stream(file)


def _open_unpacked(source: Source) -> pa.NativeFile:
    """Open a file for Arrow, by its path if it is not compressed."""
    import pyarrow as pa

    content = source.unpack().content
    if isinstance(content, bytes):
        return pa.BufferReader(content)
    return pa.OSFile(str(content))


def _read_schema(source: Source) -> pa.Schema:
    if source.layout == "parquet":
        return _open(source).schema_arrow
    return _open_arrow(source).schema


@contextmanager
def refusing(layout: str) -> Iterator[None]:
    """Turn the errors of a damaged file into one that names the damage."""
    import pyarrow as pa

    try:
        yield
    except InputError:
        raise
    except (pa.ArrowException, OSError, *_DAMAGE) as reason:
        first_line = str(reason).partition("\n")[0]
        raise _say.error("parquet.broken", kind=layout.capitalize(), reason=first_line) from None


def _read_within(
    file: pq.ParquetFile, columns: Sequence[str], limits: Limits
) -> Iterator[pa.RecordBatch]:
    """Read a file at once. Raise if it has more rows, or its needed columns more bytes, than the limits allow."""
    import pyarrow as pa

    refuse_many_rows(file.metadata.num_rows, limits)
    paths = enumerate(file.schema.column(place).path for place in range(len(file.schema)))
    starts = tuple(f"{name}." for name in columns)
    needed = [place for place, path in paths if f"{path}.".startswith(starts)]
    groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
    refuse_large(
        sum(group.column(place).total_uncompressed_size for group in groups for place in needed),
        limits,
    )
    size, batches = 0, []
    # Threads of Arrow keep memory of their own, up to 50 MB at once.
    for batch in file.iter_batches(_STEP, columns=columns, use_threads=False):
        size += sum(map(_count_bytes, batch.columns))
        refuse_large(size, limits)
        batches.append(batch)
    return iter(pa.Table.from_batches(batches).combine_chunks().to_batches() if batches else ())


def _count_bytes(values: pa.Array) -> int:
    """Count the bytes of an array, also those of texts that a dictionary has once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_struct(values.type):
        return sum(map(_count_bytes, values.flatten()))
    if pa.types.is_dictionary(values.type):
        lengths = pc.binary_length(values.dictionary).cast(pa.int64())
        return pc.sum(lengths.take(values.indices)).as_py() or 0
    if pa.types.is_nested(values.type):
        return 4 * len(values) + _count_bytes(values.flatten())
    return int(values.nbytes)


def _read_folders(part: Source, whole: Source) -> dict[str, str]:
    """Read the names and values of the folders of a part within the folder of its data set."""
    if part is whole or isinstance(part.content, bytes) or isinstance(whole.content, bytes):
        return {}
    folders = Path(part.content).relative_to(whole.content).parts[:-1]
    return dict(name.split("=", 1) for name in folders if "=" in name)


def _read_arrow(source: Source, size: int) -> Iterator[pa.RecordBatch]:
    seen, held = 0, list[Any]()
    with refusing("arrow"):
        reader = _open_arrow(source)
        is_file = hasattr(reader, "get_batch")
        for batch in map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader:
            seen += batch.nbytes  # after decompression
            refuse_large(seen, source.limits)
            batch.validate(full=True)
            held.append(batch)
            if sum(map(len, held)) >= HEAD:
                yield from _cut(held, size)
                held = []
        yield from _cut(held, size)


def _cut(batches: Sequence[pa.RecordBatch], size: int) -> Iterator[pa.RecordBatch]:
    """Join small batches, of which the first alone would not show what columns hold, and cut large ones."""
    import pyarrow as pa

    if batches:
        yield from pa.Table.from_batches(batches).combine_chunks().to_batches(max_chunksize=size)


def _simplify(column: Any) -> Any:
    """Return a column as one of the few types that are read as a whole, or else as a list."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    is_listed = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    inside = kind
    if is_listed:
        inside = kind.value_type
    if types.is_string(inside) or types.is_large_string(inside):
        steps = [pa.string()]
    elif types.is_float32(inside):  # single precision counts as the decimal that it prints as
        steps = [pa.string(), pa.float64()]
    elif types.is_decimal(inside) and (is_listed or not inside.scale):
        steps = [pa.float64() if inside.scale else pa.int64()]
    elif types.is_integer(inside) and not types.is_uint64(inside):
        steps = [pa.int64()]
    elif types.is_floating(
        inside
    ):  # half precision too, which Arrow before 22 gives as numbers of NumPy
        steps = [pa.float64()]
    elif types.is_boolean(inside):
        steps = [inside]
    else:
        cells = column.to_pylist()
        if types.is_map(kind):
            return [None if cell is None else dict(cell) for cell in cells]
        if types.is_decimal(kind):  # an id of 1.00 is called 1
            return [
                None if cell is None else float(cell) if cell % 1 else int(cell) for cell in cells
            ]
        if types.is_temporal(kind):
            return [None if cell is None else str(cell) for cell in cells]
        return cells
    for step in steps:
        column = column.cast(pa.list_(step) if is_listed else step)
    return column
