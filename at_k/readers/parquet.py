"""Read Parquet, Arrow and Feather files in blocks, the columns that are needed alone.

A few kilobytes of Parquet may unpack to gigabytes: a value that is repeated is written once. So where there are limits,
what the needed columns hold is counted in small steps, with texts in dictionaries, before it is decoded as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from at_k.errors import InputError
from at_k.readers.blocks import HEAD, Block
from at_k.readers.delimited import read_header
from at_k.readers.names import shorten
from at_k.readers.sources import Source, refuse_large, refuse_many_rows
from at_k.validation import UNLIMITED

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

# The most rows of a block.
_ROWS = 65_536

# Rows that are decoded at a time to count them: a text may begin with the whole one before it.
_STEP = 16

# Errors that a value of another type, or an impossible number, in damaged metadata may cause.
_DAMAGE = (ValueError, TypeError, AttributeError, ArithmeticError, LookupError, RuntimeError, MemoryError)


def list_columns(source: Source) -> tuple[str, ...]:
    """List the columns of a Parquet file."""
    with refusing("Parquet"):
        return tuple(
            dict.fromkeys(name for part in source.parts or [source] for name in _open(part).schema_arrow.names)
        )


def read_batches(source: Source, columns: Sequence[str], *, size: int = 65_536) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a Parquet file in batches."""
    for part in source.parts or [source]:
        with refusing("Parquet"):
            if part.limits != UNLIMITED:
                _refuse_large(part, columns)
            batches = _open(part).iter_batches(size, columns=list(columns))
        while True:
            with refusing("Parquet"):
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
    folders = [dict(name.split("=", 1) for name in _list_folders(part, source) if "=" in name) for part in parts]
    columns = [_name_columns(part) for part in parts]
    names = list(dict.fromkeys(chain.from_iterable(map(chain, columns, folders))))
    size = HEAD if wanted is None else _ROWS
    needed = [name for name in names if wanted is None or name in wanted]
    for part, own, around in zip(parts, columns, folders, strict=True):
        for batch in _read_batches(part, own, needed, size):
            refuse_many_rows(first + len(batch) - 1, source.limits)
            yield Block(range(first, first + len(batch)), names, partial(_take_column, batch, around))
            first += len(batch)


def _take_column(batch: pa.RecordBatch, around: Mapping[str, str], name: str) -> Any:
    if name not in batch.schema.names:
        return [around.get(name)] * len(batch)
    try:
        return _simplify(batch.column(name))
    except ValueError as reason:  # two fields of one name, which no object of Python has
        raise InputError(
            "parquet.column",
            "The values of column “{column}” cannot be read ({reason}). Write them as text, or leave the column out.",
            column=shorten(name),
            reason=str(reason),
        ) from None


def read_rows(source: Source, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a Parquet file as dicts, each with its number, counted from 1."""
    number = 0
    for batch in read_batches(source, columns):
        with refusing("Parquet"):
            rows = batch.to_pylist()
        for row in rows:
            number += 1
            yield number, row


def _open(source: Source, dictionaries: Sequence[str] = ()) -> pq.ParquetFile:
    """Open a file, by its path if it is not compressed."""
    import pyarrow.parquet as pq

    return pq.ParquetFile(open_file(source), read_dictionary=list(dictionaries))


def open_file(source: Source) -> pa.NativeFile:
    """Open a file for Arrow, unpacked."""
    import pyarrow as pa

    with source.open() as file:
        if not file.seekable():
            return pa.BufferReader(file.read())
    return pa.BufferReader(source.content) if isinstance(source.content, bytes) else pa.OSFile(str(source.content))


@contextmanager
def refusing(kind: str) -> Iterator[None]:
    """Turn the errors of a damaged file into one that names the damage."""
    import pyarrow as pa

    try:
        yield
    except InputError:
        raise
    except (pa.ArrowException, OSError, *_DAMAGE) as reason:
        raise InputError(
            "parquet.broken",
            "This {kind} file is cut off or damaged ({reason}). Copy it again, or write it again.",
            kind=kind,
            reason=str(reason).partition("\n")[0],
        ) from None


def _refuse_large(source: Source, columns: Sequence[str]) -> None:
    """Raise if a file has more rows, or its needed columns more bytes, than the limits allow."""
    file = _open(source)
    refuse_many_rows(file.metadata.num_rows, source.limits)
    leaves = [file.schema.column(place) for place in range(len(file.schema))]
    needed = [
        place
        for place, leaf in enumerate(leaves)
        if any(leaf.path == name or leaf.path.startswith(f"{name}.") for name in columns)
    ]
    groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
    refuse_large(
        sum(group.column(place).total_uncompressed_size for group in groups for place in needed), source.limits
    )
    texts = [leaves[place].path for place in needed if leaves[place].physical_type == "BYTE_ARRAY"]
    try:
        _refuse_many_bytes(source, columns, texts)
    except OSError:  # some encodings have no dictionaries
        _refuse_many_bytes(source, columns, ())


def _refuse_many_bytes(source: Source, columns: Sequence[str], texts: Sequence[str]) -> None:
    size = 0
    for batch in _open(source, texts).iter_batches(_STEP, columns=list(columns)):
        size += sum(map(_count_bytes, batch.columns))
        refuse_large(size, source.limits)


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


def _list_folders(part: Source, whole: Source) -> tuple[str, ...]:
    """List the folders of a part within the folder of its data set."""
    if part is whole or isinstance(part.content, bytes) or isinstance(whole.content, bytes):
        return ()
    return Path(part.content).relative_to(whole.content).parts[:-1]


def _name_columns(source: Source) -> dict[str, str]:
    """Map the names of the columns to those in the file; columns of one name are numbered, as in CSV."""
    with refusing(source.layout.capitalize()):
        schema = _open(source).schema_arrow if source.layout == "parquet" else _open_arrow(source).schema
        names = list(schema.names)
    return dict(zip(names if len({*names}) == len(names) else read_header(names), names, strict=True))


def _read_batches(
    source: Source, names: Mapping[str, str], needed: Sequence[str], size: int
) -> Iterator[pa.RecordBatch]:
    needed = [name for name in needed if name in names]
    if source.layout == "parquet":
        # A batch has the columns in the order in which they are asked for, those of one name together.
        places = {names[name]: place for place, name in enumerate(needed)}
        called = sorted((name for name in names if names[name] in places), key=lambda name: places[names[name]])
        wanted = list(dict.fromkeys(names[name] for name in called))
        yield from (batch.rename_columns(called) for batch in read_batches(source, wanted, size=size))
        return
    seen = 0
    with refusing("Arrow"):
        reader = _open_arrow(source)
        is_file = hasattr(reader, "get_batch")
        for batch in map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader:
            seen += batch.nbytes  # after decompression
            refuse_large(seen, source.limits)
            batch.validate(full=True)
            chosen = batch.rename_columns(list(names)).select(needed)
            yield from (chosen.slice(start, size) for start in range(0, len(batch), size))


def _open_arrow(source: Source) -> Any:
    """Open a file of Arrow, or of Feather, which may be laid out as a stream."""
    import pyarrow as pa

    file = open_file(source)
    mark = file.read(6)
    file.seek(0)
    return pa.ipc.open_file(file) if mark == b"ARROW1" else pa.ipc.open_stream(file)


def _simplify(column: Any) -> Any:
    """Return a column of Parquet as one of the few types that are read as a whole, or else as a list."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    lists, inside = _is_list(column.type), column.type
    if lists:
        inside = inside.value_type
    if pa.types.is_large_string(inside) or pa.types.is_string(inside):
        wanted = pa.string()
    elif pa.types.is_integer(inside) and not pa.types.is_uint64(inside):
        wanted = pa.int64()
    elif pa.types.is_float64(inside) or pa.types.is_boolean(inside):
        wanted = inside
    else:
        return _list_plainly(column)
    return column.cast(pa.list_(wanted) if lists else wanted)


def _list_plainly(column: Any) -> list[Any]:
    """List the values of an array. Single precision counts as the decimal that it prints as."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if _is_list(column.type):
        flat = iter(_list_plainly(column.flatten()))
        lengths = pc.list_value_length(column).to_pylist()
        return [None if length is None else list(islice(flat, length)) for length in lengths]
    if pa.types.is_float32(column.type) or pa.types.is_float16(column.type):
        numbers = zip(column.is_null().to_pylist(), column.to_numpy(zero_copy_only=False), strict=True)
        return [None if missing else float(str(number)) for missing, number in numbers]
    cells = column.to_pylist()
    if pa.types.is_decimal(column.type):
        return [None if cell is None else int(cell) if cell == int(cell) else float(cell) for cell in cells]
    if pa.types.is_temporal(column.type):
        return [None if cell is None else str(cell) for cell in cells]
    return list(cells)


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))
