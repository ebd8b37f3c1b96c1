"""Count in Arrow: folders of shards, here or in a store of objects, are read batch by batch, never as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from at_k.engines.engine import Count, Roles, Rows, refuse_columns

if TYPE_CHECKING:
    import pyarrow as pa

LABELS = {"label": "min", "other": "max", "unlabelled": "sum"}
# The columns that are known of each problem, and how each is made from those of its samples.
AGGREGATES = {
    **dict.fromkeys(("n", "c", "absent", "soft"), "sum"),
    "low": "min",
    "high": "max",
    **LABELS,
}


def takes(data: Any) -> bool:
    """Return whether data are a data set of Arrow, or the address of one in a store, such as "s3://bucket/shards"."""
    return "://" in data if isinstance(data, str) else type(data).__module__ == "pyarrow._dataset"


def list_columns(data: Any) -> list[str]:
    """List the names of the columns."""
    return list(_open(data).schema.names)


def count_grades(data: Any, roles: Roles, threshold: float, *, drop: bool) -> Rows:
    """Count problems by n and c."""
    return Rows.of(
        count_problems(group_problems(_open(data), roles, threshold, drop=drop)).to_pylist()
    )


def group_problems(data: Any, roles: Roles, threshold: float, *, drop: bool) -> pa.Table:
    """Group the samples of a data set by problem: a row for each, with the columns of `AGGREGATES`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    refuse_types(data.schema, roles)
    grades = pc.field(roles.grades).cast(pa.float64())
    absent = grades.is_null(nan_is_null=True)
    grade = pc.if_else(absent, pa.scalar(None, pa.float64()), grades)
    group = pc.field(roles.group or "")
    if roles.group and pa.types.is_dictionary(kind := data.schema.field(roles.group).type):
        group = group.cast(kind.value_type)  # categories have no order, and so no minimum
    columns = {
        "problem": pc.field(roles.problem),
        "n": (~absent if drop else pc.scalar(True)).cast(pa.int64()),
        "c": pc.if_else(absent, False, grades > threshold).cast(pa.int64()),
        "absent": absent.cast(pa.int64()),
        "soft": pc.if_else(absent, False, (grades != 0) & (grades != 1)).cast(pa.int64()),
        **dict.fromkeys(("low", "high"), grade),
        **(
            {"label": group, "other": group, "unlabelled": group.is_null().cast(pa.int64())}
            if roles.group
            else {}
        ),
    }
    return _group(
        data,
        columns,
        ["problem"],
        {name: kind for name, kind in AGGREGATES.items() if name in columns},
    )


def count_problems(problems: pa.Table) -> pa.Table:
    """Count the rows of `group_problems` by n and c, and by group: a table of the rows that `Rows.of` takes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    flagged, sums = (
        problems.append_column("nameless", problems["problem"].is_null()),
        ["absent", "soft", "nameless"],
    )
    label = ["label"] if "label" in problems.column_names else []
    if label:
        flagged = flagged.append_column("mixed", pc.not_equal(problems["label"], problems["other"]))
        sums += ["unlabelled", "mixed"]
    added = [(name, "sum", pc.ScalarAggregateOptions(min_count=0)) for name in sums]
    measured: list[Any] = [([], "count_all"), *added, ("low", "min"), ("high", "max")]
    counted = pa.TableGroupBy(flagged, ["n", "c", *label]).aggregate(measured)
    return counted.rename_columns(["n", "c", *label, "problems", *sums, "low", "high"])


def count_answers(data: Any, roles: Roles, count: Count) -> Iterator[Any]:
    """Count how often each problem has each answer, and let them be judged here."""
    import pyarrow.compute as pc

    opened = _open(data)
    refuse_types(opened.schema, roles)
    columns = {role: pc.field(column) for role, column in roles.present().items()}
    yield count(
        _group(
            opened,
            {**columns, "votes": pc.scalar(1).cast("int64")},
            list(columns),
            {"votes": "sum"},
        )
    )


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


def refuse_types(schema: Any, roles: Roles) -> None:
    """Raise if a column of this schema cannot hold what it should."""
    from pyarrow import types

    numbers = (
        types.is_integer,
        types.is_floating,
        types.is_decimal,
        types.is_boolean,
        types.is_null,
    )

    def describe(kind: Any) -> str:
        kind = kind.value_type if types.is_dictionary(kind) else kind
        return (
            "lists"
            if types.is_nested(kind)
            else "numbers"
            if any(holds(kind) for holds in numbers)
            else str(kind)
        )

    refuse_columns(roles, dict(zip(schema.names, map(describe, schema.types), strict=True)))


def _group(
    data: Any, columns: dict[str, Any], keys: list[str], aggregates: dict[str, str]
) -> pa.Table:
    """Group the rows of a data set while they are read."""
    from pyarrow import acero

    measured = [(name, f"hash_{kind}", None, name) for name, kind in aggregates.items()]
    steps = {
        "scan": acero.ScanNodeOptions(data, columns=columns),
        "project": acero.ProjectNodeOptions(list(columns.values()), list(columns)),
        "aggregate": acero.AggregateNodeOptions(measured, keys),
    }
    return acero.Declaration.from_sequence(
        [acero.Declaration(*step) for step in steps.items()]
    ).to_table()
