"""Count in DuckDB, Polars, Ibis or Spark, through Narwhals: they group the rows, and few rows come back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from at_k.engines.engine import Roles, Rows, is_of, refuse_lists

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

_LAZY = ("duckdb", "_duckdb", "ibis", "pyspark", "sqlframe")


def takes(data: Any) -> bool:
    """Return whether data are a relation of DuckDB, a lazy frame of Polars, or a table of Ibis or Spark."""
    return is_of(data, *_LAZY) or (is_of(data, "polars") and type(data).__name__ == "LazyFrame")


def list_columns(data: Any) -> list[str]:
    """List the names of the columns."""
    return _read(data).collect_schema().names()


def count_grades(data: Any, roles: Roles, threshold: float, *, drop: bool) -> Rows:
    """Count problems by n and c."""
    import narwhals as nw

    given = nw.col(roles.grades or "").cast(nw.Float64)
    grade = nw.when(~given.is_nan()).then(given)  # a database takes NaN for the largest number
    label = {} if roles.group is None else {"label": nw.col(roles.group), "other": nw.col(roles.group)}
    samples = _read_samples(data, roles).select(nw.col(roles.problem).alias("problem"), grade.alias("grade"), **label)
    present = ~nw.col("grade").is_null()
    problems = samples.with_columns(
        n=_count(present) if drop else nw.lit(1, nw.Int64),
        c=_count(present & (nw.col("grade") > threshold)),
        absent=_count(~present),
        soft=_count(present & (nw.col("grade") != 0) & (nw.col("grade") != 1)),
        low=nw.col("grade"),
        high=nw.col("grade"),
    )
    sums = [_add(name) for name in ("n", "c", "absent", "soft")]
    ends = [nw.col("low", *(["label"] if label else [])).min(), nw.col("high", *(["other"] if label else [])).max()]
    counted = problems.group_by("problem").agg(*sums, *ends).with_columns(problems=nw.lit(1, nw.Int64))
    if label:
        counted = counted.with_columns(mixed=_count(nw.col("label") != nw.col("other")))
    keys = ["n", "c", *(["label"] if label else [])]
    more = ["problems", "absent", "soft", *(["mixed"] if label else [])]
    rows = counted.group_by(*keys).agg(*map(_add, more), nw.col("low").min(), nw.col("high").max())
    found = rows.collect("pyarrow").to_native().to_pylist()
    return Rows(
        [(row["n"], row["c"], row["problems"], *([row["label"]] if label else [])) for row in found],
        sum(row["absent"] for row in found),
        sum(row["soft"] for row in found),
        min((row["low"] for row in found if row["low"] is not None), default=0.0),
        max((row["high"] for row in found if row["high"] is not None), default=0.0),
        sum(row["mixed"] for row in found) if label else 0,
    )


def count_answers(data: Any, roles: Roles) -> Iterator[pa.Table]:
    """Count how often each problem has each answer."""
    import narwhals as nw

    columns = [nw.col(column).alias(role) for role, column in roles.present().items()]
    samples = _read_samples(data, roles).select(*columns).with_columns(votes=nw.lit(1, nw.Int64))
    counted = samples.group_by(*roles.present()).agg(_add("votes"))
    yield counted.sort("problem").collect("pyarrow").to_native()


def _read(data: Any) -> nw.LazyFrame[Any]:
    import narwhals as nw

    frame: nw.LazyFrame[Any] = nw.from_native(data).lazy()
    return frame


def _read_samples(data: Any, roles: Roles) -> nw.LazyFrame[Any]:
    frame = _read(data)
    refuse_lists(roles, [name for name, kind in frame.collect_schema().items() if kind.is_nested()])
    return frame


def _count(flags: nw.Expr) -> nw.Expr:
    """Return 1 for what is flagged, and 0 for the rest."""
    import narwhals as nw

    return nw.when(flags).then(nw.lit(1, nw.Int64)).otherwise(nw.lit(0, nw.Int64))


def _add(name: str) -> nw.Expr:
    """Return the sum of a column of integers, which may be a decimal number in a database."""
    import narwhals as nw

    return nw.col(name).sum().cast(nw.Int64)
