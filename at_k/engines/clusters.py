"""Split problems among the workers of a cluster, and send what they find, or the error that they meet."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from at_k.engines.engine import Count
from at_k.readers.arrays import make_numbers
from at_k.readers.coding import encode

if TYPE_CHECKING:
    import pyarrow as pa

PARTS = 64
"""The sets of problems whose answers workers judge, each set as a whole."""


def number_parts(problems: pa.ChunkedArray) -> pa.Array:
    """Return the part of each problem: the same one wherever the problem occurs."""
    coded = encode(problems)
    parts = [crc32(str(name).encode()) % PARTS for name in coded.values]
    return make_numbers(np.array([*parts, 0])[coded.codes])


def pack(count: Count, table: pa.Table) -> pa.Table:
    """Return what `count` makes of a table, or the error that it raises, in a row that a worker can send."""
    import pyarrow as pa

    try:
        found = count(table, num_workers=1)
    except (TypeError, ValueError) as error:
        found = error
    return pa.table({"packed": pa.array([pickle.dumps(found)], pa.binary())})


def unpack(tables: Iterable[pa.Table]) -> Iterator[Any]:
    """Yield what the workers have packed, or raise the first error."""
    for table in tables:
        for packed in table["packed"].to_pylist():
            found = pickle.loads(packed)
            if isinstance(found, Exception):
                raise found
            yield found
