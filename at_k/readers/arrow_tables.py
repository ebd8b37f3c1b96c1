"""Tables that Arrow reads: Parquet, Arrow and Feather files, alone or in the shards and partitions of a data set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.readers.coding import list_cells
from at_k.readers.parquet import list_columns, open_file, read_batches, refusing
from at_k.readers.sources import Source, refuse_large
from at_k.readers.table import LOOKED_AT, Batch, Cells, Table, refuse_empty

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 65_536
"""The most rows of a batch."""


class ArrowTable(Table):
    """A table of Parquet, or of Arrow.

    Args:
        source: the file, or the folder of a data set; the folders `name=value` around a file are columns, too.

    Raises:
        InputError: if it is damaged, or has no rows.
    """

    def __init__(self, source: Source) -> None:
        self._parts = source.parts or [source]
        self._partitions = {
            part: dict(folder.split("=", 1) for folder in _list_folders(part, source) if "=" in folder)
            for part in self._parts
        }
        names = [name for part in self._parts for name in (*_list_names(part), *self._partitions[part])]
        super().__init__(source.layout, [], dict.fromkeys(names), source.limits)
        first = next(self._list_batches(self.names, LOOKED_AT), None)
        if first is not None:
            cells = map(list_cells, first[1].values())
            self._first = [dict(zip(self.names, row, strict=True)) for row in zip(*cells, strict=True)]
        refuse_empty(self._first)

    def _list_batches(self, names: Sequence[str], size: int) -> Iterator[tuple[int, dict[str, Cells]]]:
        """Yield the length and the columns of each batch; None where a part does not have a column."""
        for part in self._parts:
            given = self._partitions[part]
            for batch in _read_batches(part, names, size):
                found = dict(zip(batch.schema.names, batch.columns, strict=True))
                yield (
                    len(batch),
                    {
                        name: _simplify(found[name]) if name in found else [given.get(name)] * len(batch)
                        for name in names
                    },
                )

    def _read(self, names: Sequence[str], numeric: Set[str]) -> Iterator[Batch]:
        count = 0
        for length, columns in self._list_batches(names, _ROWS):
            yield Batch(np.arange(count + 1, count + length + 1), columns)
            count += length


def _list_folders(part: Source, whole: Source) -> tuple[str, ...]:
    """List the folders of a part within the folder of its data set."""
    if part is whole or isinstance(part.content, bytes) or isinstance(whole.content, bytes):
        return ()
    return Path(part.content).relative_to(whole.content).parts[:-1]


def _list_names(source: Source) -> Sequence[str]:
    if source.layout == "parquet":
        return list_columns(source)
    with refusing("Arrow"):
        names: list[str] = _open_arrow(source).schema.names
        return names


def _read_batches(source: Source, names: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
    if source.layout == "parquet":
        yield from read_batches(source, names, size=size)
        return
    seen = 0
    with refusing("Arrow"):
        reader = _open_arrow(source)
        is_file = hasattr(reader, "get_batch")
        for batch in map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader:
            seen += batch.nbytes  # after decompression
            refuse_large(seen, source.limits)
            wanted = batch.select([name for name in names if name in batch.schema.names])
            yield from (wanted.slice(start, size) for start in range(0, len(batch), size))


def _open_arrow(source: Source) -> Any:
    """Open a file of Arrow, or of Feather, which may be laid out as a stream."""
    import pyarrow as pa

    file = open_file(source)
    mark = file.read(6)
    file.seek(0)
    return pa.ipc.open_file(file) if mark == b"ARROW1" else pa.ipc.open_stream(file)


def _simplify(column: Any) -> Cells:
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
