"""Count in Ray Data: workers group their own batches, Ray groups by problem, and workers judge answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from at_k.engines.clusters import PARTS, hash_problems, pack, unpack
from at_k.engines.engine import Count, Roles, Rows, is_of
from at_k.engines.shards import AGGREGATES, LABELS, count_problems, group_problems, refuse_types

if TYPE_CHECKING:
    import pyarrow as pa


def takes(data: Any) -> bool:
    """Return whether data are a data set of Ray."""
    return is_of(data, "ray") and hasattr(data, "map_batches")


def list_columns(data: Any) -> list[str]:
    """List the names of the columns."""
    return list(data.columns())


def count_grades(data: Any, roles: Roles, threshold: float, *, drop: bool) -> Rows:
    """Count problems by n and c."""
    from ray.data import aggregate

    refuse_types(data.schema(), roles)

    def group(batch: pa.Table) -> pa.Table:
        import pyarrow.dataset as ds

        return group_problems(ds.dataset(batch), roles, threshold, drop=drop)

    kinds = {"sum": aggregate.Sum, "min": aggregate.Min, "max": aggregate.Max}
    names = [name for name in AGGREGATES if roles.group is not None or name not in LABELS]
    found = [kinds[AGGREGATES[name]](name, alias_name=name) for name in names]
    grouped = data.map_batches(group, batch_format="pyarrow").groupby("problem", num_partitions=_choose_partitions())
    problems = grouped.aggregate(*found)
    batches = problems.iter_batches(batch_format="pyarrow")
    return Rows.of([row for batch in batches for row in count_problems(batch).to_pylist()])


def count_answers(data: Any, roles: Roles, count: Count) -> Iterator[Any]:
    """Count how often each problem has each answer, and let the workers judge them."""
    # A problem whose samples are all in one block is judged where they are. Only the counts of the others are shuffled.
    called = roles.present()
    refuse_types(data.schema(), roles)

    def group(block: pa.Table) -> pa.Table:
        import pyarrow as pa

        samples = pa.table({role: block.column(column) for role, column in called.items()})
        counted = pa.TableGroupBy(samples, list(called)).aggregate([([], "count_all")])
        return counted.rename_columns([*called, "votes"]).append_column("hash", hash_problems(counted["problem"]))

    def list_hashes(block: pa.Table) -> pa.Table:
        return block.select(["hash"]).group_by("hash").aggregate([])

    def judge_alone(block: pa.Table, split: NDArray[np.uint64]) -> pa.Table:
        return pack(count, block.filter(~np.isin(block["hash"], split)).drop_columns("hash"))

    def keep_split(block: pa.Table, split: NDArray[np.uint64]) -> pa.Table:
        part = np.asarray(block["hash"]) % PARTS
        return block.append_column("part", [part]).filter(np.isin(block["hash"], split)).drop_columns("hash")

    def judge(part: pa.Table) -> pa.Table:
        import pyarrow as pa

        counted = pa.TableGroupBy(part, list(called)).aggregate([("votes", "sum")])
        return pack(count, counted.rename_columns([*called, "votes"]))

    blocks = {"batch_format": "pyarrow", "batch_size": None}
    counted = data.map_batches(group, **blocks).materialize()
    hashes = [np.asarray(batch["hash"]) for batch in counted.map_batches(list_hashes, **blocks).iter_batches(**blocks)]
    known, blocks_of = np.unique(np.concatenate([np.empty(0, np.uint64), *hashes]), return_counts=True)
    split = known[blocks_of > 1]
    yield from unpack(counted.map_batches(judge_alone, fn_args=(split,), **blocks).iter_batches(**blocks))
    if len(split):
        shuffled = counted.map_batches(keep_split, fn_args=(split,), **blocks)
        grouped = shuffled.groupby("part", num_partitions=_choose_partitions())
        yield from unpack(grouped.map_groups(judge, batch_format="pyarrow").iter_batches(batch_format="pyarrow"))


def _choose_partitions() -> int:
    """Return four for each processor: the 200 that Ray makes of any data take a minute on two of them."""
    import ray

    return min(PARTS, 4 * max(1, int(ray.cluster_resources().get("CPU", 1))))
