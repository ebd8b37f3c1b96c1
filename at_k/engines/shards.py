"""Count in Arrow: folders of shards, here or in a store of objects, are read batch by batch, never as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from at_k.engines.engine import Count, Roles, Rows, is_of, refuse_lists

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
    return Rows.of(count_problems(group_problems(_open(data), roles, threshold, drop=drop)))


def group_problems(data: Any, roles: Roles, threshold: float, *, drop: bool) -> pa.Table:
    """Group the samples of a data set by problem: a row for each, with the columns of `AGGREGATES`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    refuse_lists_in(data.schema, roles)
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


def count_problems(problems: pa.Table) -> list[dict[str, Any]]:
    """Count the rows of `group_problems` by n and c, and by group, as `Rows.of` takes them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    label = ["label"] if "label" in problems.column_names else []
    mixed = pc.not_equal(problems["label"], problems["other"]) if label else pa.nulls(len(problems), pa.bool_())
    flagged = problems.append_column("mixed", mixed).append_column("nameless", problems["problem"].is_null())
    sums = [(name, "sum", pc.ScalarAggregateOptions(min_count=0)) for name in ("absent", "soft", "mixed", "nameless")]
    measured: list[Any] = [([], "count_all"), *sums, ("low", "min"), ("high", "max")]
    counted = pa.TableGroupBy(flagged, ["n", "c", *label]).aggregate(measured)
    names = ["n", "c", *label, "problems", "absent", "soft", "mixed", "nameless", "low", "high"]
    rows: list[dict[str, Any]] = counted.rename_columns(names).to_pylist()
    return rows


def count_answers(data: Any, roles: Roles, count: Count) -> Iterator[Any]:
    """Count how often each problem has each answer, and let them be judged here."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = {role: pc.field(column) for role, column in roles.present().items()}
    votes = pc.scalar(1).cast(pa.int64())
    opened = _open(data)
    refuse_lists_in(opened.schema, roles)
    yield count(_group(opened, {**columns, "votes": votes}, list(columns), {"votes": "sum"}))


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


def refuse_lists_in(schema: Any, roles: Roles) -> None:
    """Raise if a column that has the samples holds lists."""
    import pyarrow as pa

    refuse_lists(
        roles, [name for name, kind in zip(schema.names, schema.types, strict=True) if pa.types.is_nested(kind)]
    )


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
