"""Count in Ray: workers count their own blocks, and problems in several blocks are merged before they are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.engines import shards
from at_k.engines.engine import FILE, Count, Roles, Rows, hash_problems, is_of, pack, unpack
from at_k.engines.shards import AGGREGATES, count_problems, find_columns, group_problems
from at_k.readers.tables.choosing import Where

if TYPE_CHECKING:
    import pyarrow as pa

# Rows that a worker judges at a time, unless there are fewer for each processor.
_ROWS = 2_000_000


def takes(data: Any) -> bool:
    """Return whether data are a data set of Ray."""
    return is_of(data, "ray") and hasattr(data, "map_batches")


def list_columns(data: Any) -> list[str]:
    """List the names of the columns."""
    return list(data.columns())


def keep(data: Any, where: Where) -> Any:
    """Return the rows that are wanted."""

    def keep_rows(block: pa.Table) -> pa.Table:
        import pyarrow.dataset as ds

        kept: pa.Table = shards.keep(ds.dataset(block), where).to_table()
        return kept

    return data.map_batches(keep_rows, batch_format="pyarrow", batch_size=None)


def name_files(data: Any) -> Any:
    """Return the data: a data set of Ray does not say which files its rows are from."""
    return data


def take_rows(data: Any, count: int) -> pa.Table:
    """Take the first rows."""
    return _gather(data.limit(count))


def count_rows(data: Any) -> int:
    """Count the rows."""
    return int(data.count())


def take_problems(data: Any, problem: str, columns: Sequence[str], step: int) -> pa.Table:
    """Take all rows of the problems whose hash is a multiple of `step`."""

    def take(block: pa.Table) -> pa.Table:
        import pyarrow.dataset as ds

        if not len(block):  # no rows may have no columns
            return block
        rows = shards.take_problems(ds.dataset(block), problem, columns, step)
        return rows.drop_columns([FILE])

    return _gather(data.map_batches(take, batch_format="pyarrow", batch_size=None))


def list_values(data: Any, column: str, count: int) -> list[Any]:
    """List values of a column, at most `count`."""
    import pyarrow as pa

    def find(block: pa.Table) -> pa.Table:
        import pyarrow.dataset as ds

        if not len(block):  # no rows may have no columns
            return pa.table({"value": pa.nulls(0)})
        return pa.table({"value": shards.list_values(ds.dataset(block), column, count)})

    found = _gather(data.map_batches(find, batch_format="pyarrow", batch_size=None))
    return list(dict.fromkeys(found["value"].to_pylist()))[:count]


def _gather(data: Any) -> pa.Table:
    """Bring the rows of a data set here."""
    import pyarrow as pa
    import ray

    return pa.concat_tables(ray.get(data.to_arrow_refs()), promote_options="permissive")


def count_grades(data: Any, roles: Roles, threshold: float, *, drop: bool) -> Rows:
    """Count problems by n and c."""

    def group(block: pa.Table) -> pa.Table:
        import pyarrow.dataset as ds

        return group_problems(ds.dataset(block), roles, threshold, drop=drop)

    def count(problems: pa.Table, **_: int) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = count_problems(problems).to_pylist()
        return rows

    counted = _count(data, group, ["problem"], AGGREGATES, count)
    return Rows.of(list(chain.from_iterable(counted)))


def count_answers(data: Any, roles: Roles, count: Count) -> Iterator[Any]:
    """Count how often each problem has each answer, and let the workers judge them."""
    called = roles.present()

    def group(block: pa.Table) -> pa.Table:
        import pyarrow as pa
        import pyarrow.dataset as ds

        samples = ds.dataset(block).to_table(columns=find_columns(roles, block.column_names))
        counted = pa.TableGroupBy(samples, list(called)).aggregate([([], "count_all")])
        return counted.rename_columns([*called, "votes"])

    return _count(data, group, list(called), {"votes": "sum"}, count)


def _count(
    data: Any,
    group: Callable[[pa.Table], pa.Table],
    keys: list[str],
    aggregates: dict[str, str],
    count: Count,
) -> Iterator[Any]:
    """Group each block, and yield what `count` makes of the problems of some blocks, as a whole."""
    # These are tasks of Ray itself: its own groupby starts a process for each partition, which takes seconds.
    import pyarrow as pa
    import ray

    as_task: Any = ray.remote

    def group_block(block: pa.Table) -> pa.Table:
        grouped = group(block)
        return grouped.append_column("hash", hash_problems(grouped["problem"]))

    def list_hashes(block: pa.Table) -> Any:
        if not len(block):  # no rows may have no columns
            return np.empty(0, np.uint64)
        return np.unique(block["hash"])

    def send_shared(block: pa.Table, shared: Any, tasks: int) -> Any:
        place = np.where(np.isin(block["hash"], shared), np.asarray(block["hash"]) % tasks, tasks)
        return [block.filter(place == task) for task in range(tasks)]

    def judge(shared: Any, blocks: int, *tables: pa.Table) -> pa.Table:
        here = [table.filter(~np.isin(table["hash"], shared)) for table in tables[:blocks]]
        whole = pa.concat_tables([*here, *tables[blocks:]], promote_options="permissive")
        named = {name: kind for name, kind in aggregates.items() if name in whole.column_names}
        merged = pa.TableGroupBy(whole, keys).aggregate(list(named.items()))
        return pack(count, merged.rename_columns([*keys, *named]))

    grouped = data.map_batches(group_block, batch_format="pyarrow", batch_size=None).materialize()
    counted = grouped.to_arrow_refs()
    listed = ray.get(list(map(as_task(list_hashes).remote, counted)))
    hashes = dict(zip(counted, listed, strict=True))
    blocks = [block for block in counted if len(hashes[block])]
    together = np.concatenate([np.empty(0, np.uint64), *hashes.values()])
    known, blocks_of = np.unique(together, return_counts=True)
    shared = ray.put(known[blocks_of > 1])
    resources: Callable[[], Any] = ray.cluster_resources
    wanted = max(2 * int(resources().get("CPU", 1)), grouped.count() // _ROWS)
    tasks = min(wanted, len(blocks))
    sent: list[Any] = [[]] * tasks
    if (blocks_of > 1).any():
        send = as_task(send_shared).options(num_returns=tasks)
        parts = [send.remote(block, shared, tasks) for block in blocks]
        sent = [*zip(*parts, strict=True)]  # there are two blocks at least, and so two tasks
    shares = [blocks[task::tasks] for task in range(tasks)]
    judge_blocks = as_task(judge)
    judged = []
    for mine, its in zip(shares, sent, strict=True):
        judged.append(judge_blocks.remote(shared, len(mine), *mine, *its))
    yield from unpack(map(ray.get, judged))
