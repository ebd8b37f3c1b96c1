"""Read Parquet files, the columns that are needed alone.

A few kilobytes of Parquet may stand for gigabytes: a value that is repeated is written once. So where there are limits,
what the needed columns hold is counted in small steps, with texts in dictionaries, before it is decoded as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from at_k.errors import InputError
from at_k.limits import UNLIMITED
from at_k.readers.sources import Source, refuse_large, refuse_many_rows

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_STEP = 16
"""Rows that are decoded at a time to count them: a text may begin with the whole one before it."""

_DAMAGE = (ValueError, TypeError, AttributeError, ArithmeticError, LookupError, RuntimeError, MemoryError)
"""What a value of another type, or an impossible number, in damaged metadata may lead to."""


def list_columns(source: Source) -> tuple[str, ...]:
    """List the columns of a Parquet file.

    Raises:
        InputError: if the file is damaged.
    """
    with refusing("Parquet"):
        return tuple(
            dict.fromkeys(name for part in source.parts or [source] for name in _open(part).schema_arrow.names)
        )


def read_batches(source: Source, columns: Sequence[str], *, size: int = 65_536) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a Parquet file in batches.

    Args:
        source: the file.
        columns: the columns to read, without those that the file does not have; a name with dots reads a field of a
            struct.
        size: the most rows of a batch.

    Raises:
        InputError: if the file is damaged, or its columns hold more than the limits allow.
    """
    for part in source.parts or [source]:
        with refusing("Parquet"):
            if part.limits != UNLIMITED:
                _refuse_large(part, columns)
            batches = _open(part).iter_batches(size, columns=list(columns))
        while True:
            with refusing("Parquet"):
                batch = next(batches, None)
            if batch is None:
                break
            yield batch


def read_rows(source: Source, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a Parquet file as dicts, each with its number, counted from 1.

    Raises:
        InputError: as of `read_batches`.
    """
    number = 0
    for batch in read_batches(source, columns):
        with refusing("Parquet"):
            rows = batch.to_pylist()
        for row in rows:
            number += 1
            yield number, row


def _open(source: Source, dictionaries: Sequence[str] = ()) -> pq.ParquetFile:
    """Open a file, by its path if it is not compressed.

    Args:
        source: the file.
        dictionaries: columns whose values are to be left in dictionaries.
    """
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
    """Turn whatever a damaged file leads to into an error that says so."""
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
