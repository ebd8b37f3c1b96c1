"""Count in Arrow: folders of shards, here or in a store of objects, are read batch by batch, never as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from at_k.engines.engine import Roles, Rows, is_of, refuse_lists

if TYPE_CHECKING:
    import pyarrow as pa

AGGREGATES = {
    **dict.fromkeys(("n", "c", "absent", "soft"), "sum"),
    **{"low": "min", "high": "max", "label": "min", "other": "max"},
}
"""The columns that are known of each problem, and how each is made from those of its samples."""


def takes(data: Any) -> bool:
    """Return whether data are a data set of Arrow, or the address of one in a store, such as "s3://bucket/shards"."""
    if isinstance(data, str):
        return "://" in data
    return is_of(data, "pyarrow") and type(data).__module__ == "pyarrow._dataset"


def list_columns(data: Any) -> list[str]:
    """List the names of the columns."""
    return list(_open(data).schema.names)


def count_grades(data: Any, roles: Roles, threshold: float, *, drop: bool) -> Rows:
    """Count problems by n and c."""
    return count_problems(group_problems(_open(data), roles, threshold, drop=drop))


def group_problems(data: Any, roles: Roles, threshold: float, *, drop: bool) -> pa.Table:
    """Group the samples of a data set by problem: a row for each, with the columns of `AGGREGATES`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    _refuse_lists_in(data, roles)
    given = pc.field(roles.grades).cast(pa.float64())
    absent = given.is_null(nan_is_null=True)
    grade = pc.if_else(absent, pa.scalar(None, pa.float64()), given)
    label = {} if roles.group is None else {"label": pc.field(roles.group), "other": pc.field(roles.group)}
    columns = {
        "problem": pc.field(roles.problem),
        "n": (~absent if drop else pc.scalar(True)).cast(pa.int64()),
        "c": pc.if_else(absent, False, given > threshold).cast(pa.int64()),
        "absent": absent.cast(pa.int64()),
        "soft": pc.if_else(absent, False, (given != 0) & (given != 1)).cast(pa.int64()),
        "low": grade,
        "high": grade,
        **label,
    }
    return _group(data, columns, ["problem"], {name: kind for name, kind in AGGREGATES.items() if name in columns})


def count_problems(problems: pa.Table) -> Rows:
    """Count the rows of `group_problems` by n and c, and by group."""
    import pyarrow as pa
    import pyarrow.compute as pc

    label = ["label"] if "label" in problems.column_names else []
    rows = pa.TableGroupBy(problems, ["n", "c", *label]).aggregate(
        [([], "count_all"), ("absent", "sum"), ("soft", "sum"), ("low", "min"), ("high", "max")]
    )
    found = rows.to_pylist()
    return Rows(
        [(row["n"], row["c"], row["count_all"], *(row[name] for name in label)) for row in found],
        sum(row["absent_sum"] for row in found),
        sum(row["soft_sum"] for row in found),
        min((row["low_min"] for row in found if row["low_min"] is not None), default=0.0),
        max((row["high_max"] for row in found if row["high_max"] is not None), default=0.0),
        (pc.sum(pc.not_equal(problems["label"], problems["other"])).as_py() or 0) if label else 0,
        problems["problem"].null_count > 0,
    )


def count_answers(data: Any, roles: Roles) -> Iterator[pa.Table]:
    """Count how often each problem has each answer."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = {role: pc.field(column) for role, column in roles.present().items()}
    votes = pc.scalar(1).cast(pa.int64())
    opened = _open(data)
    _refuse_lists_in(opened, roles)
    yield _group(opened, {**columns, "votes": votes}, list(columns), {"votes": "sum"})


def _open(data: Any) -> Any:
    """Return the data set at an address. Stores that Arrow does not know, such as hf://, are opened by fsspec."""
    import pyarrow.dataset as ds

    if not isinstance(data, str):
        return data
    if data.partition("://")[0] in ("file", "s3", "gs", "gcs", "hdfs"):
        return ds.dataset(data, format="parquet")
    import fsspec

    store, path = fsspec.core.url_to_fs(data)
    return ds.dataset(path, filesystem=store, format="parquet")


def _refuse_lists_in(data: Any, roles: Roles) -> None:
    import pyarrow as pa

    refuse_lists(roles, [field.name for field in data.schema if pa.types.is_nested(field.type)])


def _group(data: Any, columns: dict[str, Any], keys: list[str], aggregates: dict[str, str]) -> pa.Table:
    """Group the rows of a data set while they are read."""
    from pyarrow import acero

    steps = [
        acero.Declaration("scan", acero.ScanNodeOptions(data, columns=columns)),
        acero.Declaration("project", acero.ProjectNodeOptions(list(columns.values()), list(columns))),
        acero.Declaration(
            "aggregate",
            acero.AggregateNodeOptions([(name, f"hash_{kind}", None, name) for name, kind in aggregates.items()], keys),
        ),
    ]
    return acero.Declaration.from_sequence(steps).to_table()
