"""Count in Ray Data: each worker groups its own batches, Ray groups by problem, and the counts are added here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from at_k.engines.engine import Roles, Rows, is_of
from at_k.engines.shards import AGGREGATES, count_problems, group_problems

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

    def group(batch: pa.Table) -> pa.Table:
        import pyarrow.dataset as ds

        return group_problems(ds.dataset(batch), roles, threshold, drop=drop)

    kinds = {"sum": aggregate.Sum, "min": aggregate.Min, "max": aggregate.Max}
    names = [name for name in AGGREGATES if roles.group is not None or name not in ("label", "other")]
    found = [kinds[AGGREGATES[name]](name, alias_name=name) for name in names]
    problems = data.map_batches(group, batch_format="pyarrow").groupby("problem").aggregate(*found)
    parts = [count_problems(batch) for batch in problems.iter_batches(batch_format="pyarrow")]
    return Rows(
        [row for part in parts for row in part.counts],
        sum(part.n_missing for part in parts),
        sum(part.n_soft for part in parts),
        min(part.lowest for part in parts),
        max(part.highest for part in parts),
        sum(part.n_mixed for part in parts),
        any(part.is_nameless for part in parts),
    )


def count_answers(data: Any, roles: Roles) -> Iterator[pa.Table]:
    """Count how often each problem has each answer."""
    import pyarrow as pa

    called = roles.present()

    def group(batch: pa.Table) -> pa.Table:
        renamed = pa.table({role: batch.column(column) for role, column in called.items()})
        return pa.TableGroupBy(renamed, list(called)).aggregate([([], "count_all")]).rename_columns([*called, "votes"])

    def add(batch: pa.Table) -> pa.Table:
        return pa.TableGroupBy(batch, list(called)).aggregate([("votes", "sum")]).rename_columns([*called, "votes"])

    grouped = data.map_batches(group, batch_format="pyarrow").groupby("problem").map_groups(add, batch_format="pyarrow")
    parts = list(grouped.iter_batches(batch_format="pyarrow"))
    yield pa.concat_tables(parts)
