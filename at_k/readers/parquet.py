"""Read Parquet files, the columns that are needed alone.

A few kilobytes of Parquet may stand for gigabytes: a value that is repeated is written once. So where there are limits,
what the needed columns hold is measured, by the headers of their pages, before any of it is decoded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from at_k.errors import InputError
from at_k.limits import UNLIMITED, exceeds
from at_k.readers.sources import Source, refuse_large

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_MOST_PAGES = 10_000
"""Pages of the needed columns, where there are limits. Writers make a page of about a megabyte."""

_LONGEST_FOOTER = 1 << 20
"""Bytes of metadata, where there are limits."""

_TEXT, _FIXED, _DICTIONARY_PAGE, _DELTA_BYTE_ARRAY = 6, 7, 2, 7
"""Numbers of two types, a kind of page, and an encoding, as of the Parquet specification."""

_DEEPEST = 16
"""Structs and lists in one another; the specification has nine."""


_DAMAGE = (ValueError, TypeError, AttributeError, ArithmeticError, LookupError, RuntimeError, MemoryError)
"""What a value of another type, or an impossible number, in damaged metadata may lead to."""


def list_columns(source: Source) -> tuple[str, ...]:
    """List the columns of a Parquet file.

    Raises:
        InputError: if the file is damaged.
    """
    with _refusing():
        return tuple(_open(source).schema_arrow.names)


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
    with _refusing():
        if source.limits != UNLIMITED:
            _refuse_large(source, columns)
        batches = _open(source).iter_batches(size, columns=list(columns))
    while True:
        with _refusing():
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


def read_rows(source: Source, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a Parquet file as dicts, each with its number, counted from 1.

    Raises:
        InputError: as of `read_batches`.
    """
    number = 0
    for batch in read_batches(source, columns):
        with _refusing():
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

    return pq.ParquetFile(_open_file(source), read_dictionary=list(dictionaries))


def _open_file(source: Source) -> pa.NativeFile:
    import pyarrow as pa

    with source.open() as file:
        if not file.seekable():
            return pa.BufferReader(file.read())
    return pa.BufferReader(source.content) if isinstance(source.content, bytes) else pa.OSFile(str(source.content))


@contextmanager
def _refusing() -> Iterator[None]:
    """Turn whatever a damaged file leads to into an error that says so."""
    import pyarrow as pa

    try:
        yield
    except InputError:
        raise
    except (pa.ArrowException, OSError, *_DAMAGE) as reason:
        raise InputError(
            "parquet.broken",
            "This Parquet file is cut off or damaged ({reason}). Copy it again, or write it again.",
            reason=str(reason).partition("\n")[0],
        ) from None


class _Held(NamedTuple):
    """What the pages of a column hold, in a group of rows.

    Attributes:
        values: the number of its values; one that is null, or an empty list, counts as well.
        size: the bytes of its pages, decompressed.
        decoded: the most bytes that its values can have.
        repeats: whether it is texts in a dictionary, of which it can be known how many bytes they have.
        pages: the number of its pages.
    """

    values: int
    size: int
    decoded: int
    repeats: bool
    pages: int


def _refuse_large(source: Source, columns: Sequence[str]) -> None:
    """Raise if a file has more rows, or its needed columns more values or bytes, than the limits allow.

    The metadata are read here and not by PyArrow, which ends the process if some of them are damaged.
    """
    limits, raw = source.limits, _open_file(source)
    footer = _read_footer(raw)
    groups = footer[4]
    if exceeds(max(footer[3], sum(group[3] for group in groups)), limits.max_rows):
        raise InputError("tables.rows", "There are too many rows; the limit is {limit:,}.", limit=limits.max_rows)
    widths = [element.get(2, 0) for element in footer[2] if not element.get(5)]
    values = size = pages = decoded = 0
    repeated: dict[str, int] = {}
    for group in groups:
        for chunk, width in zip(group[1], widths, strict=True):
            path = b".".join(chunk[3][3]).decode()
            if not any(path == name or path.startswith(f"{name}.") for name in columns):
                continue
            held = _measure(raw, chunk[3], width)
            values += held.values
            size += held.size
            pages += held.pages
            if exceeds(values, limits.max_cells) or pages > _MOST_PAGES:
                raise InputError(
                    "tables.cells", "There are too many cells; the limit is {limit:,}.", limit=limits.max_cells
                )
            refuse_large(size, limits)
            if held.repeats:
                repeated[path] = repeated.get(path, 0) + held.decoded
            else:
                decoded += held.decoded
    refuse_large(decoded, limits)
    if exceeds(decoded + sum(repeated.values()), limits.max_bytes):
        _refuse_repeated(source, list(repeated), decoded)


def _read_footer(raw: pa.NativeFile) -> dict[int, Any]:
    """Read the metadata of a file: the number of each field → its value, as of the Parquet specification."""
    end = raw.size() - 8
    raw.seek(max(end, 0))
    length = int.from_bytes(raw.read(4), "little")
    if length > end:
        raise ValueError("the metadata are cut off")
    if length > _LONGEST_FOOTER:
        raise ValueError("the metadata are too long")
    raw.seek(end - length)
    footer = _Thrift(raw.read(length)).read_struct()
    if not {2, 3, 4} <= footer.keys():
        raise ValueError("the metadata are cut off")
    return footer


def _refuse_repeated(source: Source, columns: Sequence[str], size: int) -> None:
    """Raise if texts that are written once, and repeated, have too many bytes. They are counted, and not copied."""
    for batch in _open(source, columns).iter_batches(columns=list(columns)):
        size += sum(_count_bytes(column) for column in batch.columns)
        refuse_large(size, source.limits)


def _count_bytes(values: pa.Array) -> int:
    """Count the bytes of all texts in an array, whose dictionaries have each of them once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_struct(values.type):
        return sum(_count_bytes(each) for each in values.flatten())
    if pa.types.is_dictionary(values.type):
        lengths = pc.binary_length(values.dictionary).cast(pa.int64())
        return pc.sum(lengths.take(values.indices)).as_py() or 0
    if pa.types.is_nested(values.type):
        return _count_bytes(values.flatten())
    return int(values.nbytes)


def _measure(raw: pa.NativeFile, meta: Mapping[int, Any], width: int) -> _Held:
    """Measure what a column holds in a group of rows, by the headers of its pages."""
    start, length, first = meta[9], meta[7], meta.get(11, 0)
    start = first if 0 < first < start else start
    if not 0 <= start <= start + length <= raw.size():
        raise ValueError("a column lies outside of the file")
    raw.seek(start)
    thrift = _Thrift(raw.read(length))
    values = size = pages = dictionary = copies = prefixes = 0
    while thrift.place < length:
        page = thrift.read_struct()
        packed, unpacked = page.get(3, -1), page.get(2, -1)
        if min(packed, unpacked) < 0:
            raise ValueError("a page has no size")
        thrift.place += packed
        pages += 1
        size += max(packed, unpacked)
        if page.get(1) == _DICTIONARY_PAGE:
            dictionary = max(dictionary, unpacked)
            continue
        content = page.get(5) or page.get(8) or {}
        count = content.get(1, 0)
        if count < 0:
            raise ValueError("a page has less than no values")
        values += count
        if (content.get(2) if 5 in page else content.get(4)) == _DELTA_BYTE_ARRAY:
            prefixes += count * unpacked  # every text may begin with the whole one before it
        else:
            copies += count
    if meta[1] == _FIXED:
        return _Held(values, size, size + values * max(width, 0), False, pages)
    repeats = meta[1] == _TEXT and not prefixes
    return _Held(values, size, size + (copies * dictionary if repeats else 0) + prefixes, repeats, pages)


class _Thrift:
    """Read what is in Thrift's compact protocol: the metadata of a file, and the headers of its pages.

    Args:
        data: what begins with it.
    """

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def read_struct(self, depth: int = 0) -> dict[int, Any]:
        """Read a struct: the number of each field → its value."""
        fields: dict[int, Any] = {}
        number = 0
        while mark := self._read_byte():
            number = number + (mark >> 4) if mark >> 4 else self._read_integer()
            # A truth value is in the mark itself.
            fields[number] = mark & 15 == 1 if mark & 15 in (1, 2) else self._read_value(mark & 15, depth)
        return fields

    def _read_value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("the metadata are nested too deeply")
        if kind in (1, 2, 3):
            return self._read_byte()
        if kind in (4, 5, 6):
            return self._read_integer()
        if kind in (7, 8):
            return self._read_bytes(8 if kind == 7 else self._read_count())
        if kind in (9, 10):
            mark = self._read_byte()
            count = self._read_count() if mark >> 4 == 15 else mark >> 4
            return [self._read_value(mark & 15, depth + 1) for _ in range(count)]
        if kind == 12:
            return self.read_struct(depth + 1)
        raise ValueError("the metadata have a type that is not known")

    def _read_byte(self) -> int:
        (byte,) = self._read_bytes(1)
        return byte

    def _read_bytes(self, count: int) -> bytes:
        found = self.data[self.place : self.place + count]
        if len(found) < count:
            raise ValueError("the metadata are cut off")
        self.place += count
        return found

    def _read_count(self) -> int:
        found = shift = 0
        while shift < 70:
            byte = self._read_byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
            shift += 7
        raise ValueError("the metadata have a number that is too long")

    def _read_integer(self) -> int:
        found = self._read_count()
        return (found >> 1) ^ -(found & 1)
