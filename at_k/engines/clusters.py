"""Split problems among the workers of a cluster, and send what they find, or the error that they meet."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from at_k.engines.engine import Count
from at_k.readers.arrays import encode, make_numbers

if TYPE_CHECKING:
    import pyarrow as pa

# The sets of problems whose answers workers judge, each set as a whole.
PARTS = 64


def hash_names(names: Sequence[object]) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each name, the same one in every process and version."""
    from pandas.util import hash_array

    hashes: NDArray[np.uint64] = hash_array(np.array(list(map(str, names)), dtype=object), categorize=False)
    return hashes


def hash_problems(problems: pa.ChunkedArray) -> pa.Array:
    """Return the hash of the problem in each row, 0 for null."""
    coded = encode(problems)
    return make_numbers(np.append(hash_names(coded.values), np.uint64(0))[coded.codes])


def pack(count: Count, table: pa.Table) -> pa.Table:
    """Return as a row to send what `count` makes of a table, or its error; no row for an empty table."""
    import pyarrow as pa

    if not len(table):
        return pa.table({"packed": pa.array([], pa.binary())})
    try:
        counted = count(table, num_workers=1)
    except (TypeError, ValueError) as error:
        counted = error
    return pa.table({"packed": pa.array([pickle.dumps(counted)], pa.binary())})


def unpack(tables: Iterable[pa.Table]) -> Iterator[Any]:
    """Yield what the workers have packed, or raise the first error."""
    for table in tables:
        for packed in table["packed"].to_pylist():
            counted = pickle.loads(packed)
            if isinstance(counted, Exception):
                raise counted
            yield counted
