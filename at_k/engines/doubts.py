"""Look at the rows of some problems before an engine counts them: they must be samples of one model, as in a file."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from at_k.errors import Mention, Phrases, SeveralModelsError
from at_k.readers.arrays import encode
from at_k.readers.blocks import Block
from at_k.readers.cells import Cells
from at_k.readers.names import SETTING, TEST, has_name, quote
from at_k.readers.numbering import count_runs
from at_k.readers.tables.choosing import no_rows
from at_k.readers.tables.doubts import OF_ROWS, walk
from at_k.readers.tables.doubts.of_rows import RowsKnown
from at_k.readers.tables.merging import list_names
from at_k.readers.tables.settings import MOST_SETTINGS, Watch
from at_k.readers.tables.shapes import names_runs, read_listed

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

# The problems whose rows are looked at.
PROBLEMS = 200

# The columns of their rows that an engine adds: the problem, and the file that holds the row.
PROBLEM, FILE = "problem of the row", "file of the row"

# Characters of a text that are looked at: those of settings are short.
LONGEST_TEXT = 200

# Rows that are counted before all are.
_FIRST = 1000

# What differs between the names of shards: numbers, and what clusters make up. The words around them.
_PARTS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+")
_SHARD = {"part", "parts", "shard", "chunk", "rank", "block", "batch", "worker", "file", "of"}

_say = Phrases(
    {
        "engine.sources": "Rows of one problem are in several files, which may be of two models or settings by their "
        "names: {first} and {second}. Count one file at a time or, if all rows are samples of one model, say so: "
        "{option:pool=file}.",
        "engine.summed": "Column {column} holds lists of verdicts, which may be the samples that {grades} sums up. "
        "Make a row for each of them, in SQL by unnest({name}), in Polars by explode; or give a table in memory, "
        "which may hold lists: relation.df(), frame.collect(). If each row is one sample all the same, say so: "
        "{columns}.",
    }
)


def refuse_doubts(rows: pa.Table, problem: str, pool: Collection[str]) -> None:
    """Raise if the rows of some problems show several models, settings or sets of problems.

    Args:
        rows: all rows of these problems, with the columns `PROBLEM` and, if the engine knows it, `FILE`, and with the
            columns that have no role.
        problem: what the column of the problems is called.
        pool: the columns whose rows are samples of one model after all; "file" for files.
    """
    if not len(rows):
        raise no_rows()
    problems = encode(rows[PROBLEM]).codes
    names = [name for name in rows.column_names if name not in (PROBLEM, FILE, *pool)]
    names = [name for name in names if not _is_list(rows[name])]
    block = Block(range(len(rows)), names, rows.column)
    watches = [Watch(name) for name in names if _may_be_settings(name, rows[name])]
    for watch in watches:
        watch.add(block)
    walk(OF_ROWS, RowsKnown(problems, problem, watches))
    if FILE in rows.column_names and not pool:
        files = encode(rows[FILE])
        _refuse_sources(files.values, count_rows(problems, files.codes))


def refuse_summed(rows: pa.Table, grades: str) -> None:
    """Raise if rows with a verdict have a list of verdicts beside it, whose samples a file of them would have."""
    reads = Cells()
    for name in rows.column_names:
        if not (names_runs(name) and _is_list(rows[name])):
            continue
        lists = [read_listed(cell, reads) for cell in rows[name].to_pylist() if cell is not None]
        if None not in lists and any(len(own) > 1 for own in lists if own):
            raise _say.error(
                "engine.summed",
                column=quote(name),
                name=name,
                grades=quote(grades),
                columns=Mention(columns={"grades": grades}),
            )


def _is_list(column: pa.ChunkedArray) -> bool:
    from pyarrow import types

    return types.is_nested(column.type) and not types.is_struct(column.type)


def _may_be_settings(name: str, column: pa.ChunkedArray) -> bool:
    """Return whether a column has few values, or many under the name of a setting."""
    import pyarrow.compute as pc

    if has_name(name, (*SETTING, *TEST)):
        return True
    # The first rows show it of most columns, in a tenth of the time.
    parts = column[:_FIRST], column
    return all(pc.count_distinct(part).as_py() <= MOST_SETTINGS for part in parts)


def count_rows(problems: NDArray[np.int64], codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the rows of each problem and value."""
    shape = problems.max() + 1, codes.max() + 1
    table = np.zeros(shape, dtype=np.int64)
    np.add.at(table, (problems, codes), 1)
    return table


def _refuse_sources(files: Sequence[str], table: NDArray[np.int64]) -> None:
    """Raise if problems are in several files that are no runs of one model, nor shards of one table."""
    are_shared = bool(((table > 0).sum(axis=1) > 1).any())
    if are_shared and not count_runs(files) and not _are_shards(files):
        first, second = (quote(name) for name in list_names(files)[:2])
        raise _say.error("engine.sources", SeveralModelsError, first=first, second=second)


def _are_shards(files: Sequence[str]) -> bool:
    """Return whether the paths differ by numbers alone, and have the words of shards, or none.

    Examples:
        >>> _are_shards(["a/part-00000.snappy.parquet", "a/part-00001.snappy.parquet"])
        True
        >>> _are_shards(["0.parquet", "1.parquet"]), _are_shards(["llama-3.parquet", "llama-4.parquet"])
        (True, False)
    """
    if len({_PARTS.sub("#", file) for file in files}) > 1:
        return False
    stem = _PARTS.sub("#", files[0].rpartition("/")[2].partition(".")[0])
    words = {word for word in re.split(r"[\W_]+", stem.lower()) if word}
    return not words or bool(words & _SHARD)
