"""Count in DuckDB, Polars or Ibis, through Narwhals: they group the rows, and few rows come back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from at_k.engines.engine import Count, Roles, Rows, is_of, refuse_lists

if TYPE_CHECKING:
    import narwhals as nw

_LAZY = ("duckdb", "_duckdb", "ibis", "sqlframe")


def takes(data: Any) -> bool:
    """Return whether data are a relation of DuckDB, a lazy frame of Polars, or a table of Ibis."""
    return is_of(data, *_LAZY) or (is_of(data, "polars") and type(data).__name__ == "LazyFrame")


def list_columns(data: Any) -> list[str]:
    """List the names of the columns."""
    return _read(data).collect_schema().names()


def count_grades(data: Any, roles: Roles, threshold: float, *, drop: bool) -> Rows:
    """Count problems by n and c."""
    import narwhals as nw

    frame = _read_samples(data, roles)
    given, kind = nw.col(roles.grades or ""), frame.collect_schema()[roles.grades or ""]
    label = {} if roles.group is None else {"label": nw.col(roles.group)}
    if kind.is_integer() or kind == nw.Boolean:
        # A sum of 0 and 1 counts those above the threshold. A database adds in half of the time in which it compares.
        grade = given if kind.is_integer() else given.cast(nw.Int64)
        flags = {"c": grade if threshold < 1 else nw.lit(0, nw.Int64)}
    else:
        given = given.cast(nw.Float64)
        grade = nw.when(~given.is_nan()).then(given)  # a database takes NaN for the largest number
        flags = {"c": _count(grade > threshold), "soft": _count((grade != 0) & (grade != 1))}
    samples = frame.select(nw.col(roles.problem).alias("problem"), grade.alias("grade"), **flags, **label)
    ends = [("grade", "low", "high"), *([("label", "label", "other")] if label else [])]
    problems = samples.group_by("problem").agg(
        nw.len().cast(nw.Int64).alias("n"),
        nw.col("grade").count().cast(nw.Int64).alias("present"),
        *map(_add, flags),
        *(nw.col(name).min().alias(low) for name, low, _ in ends),
        *(nw.col(name).max().alias(high) for name, _, high in ends),
    )
    counted = problems.with_columns(
        n=nw.col("present" if drop else "n"),
        absent=nw.col("n") - nw.col("present"),
        soft=nw.col("soft") if "soft" in flags else nw.lit(0, nw.Int64),
        problems=nw.lit(1, nw.Int64),
        nameless=_count(nw.col("problem").is_null()),
        mixed=_count(nw.col("label") != nw.col("other")) if label else nw.lit(0, nw.Int64),
    )
    sums = map(_add, ("problems", "absent", "soft", "nameless", "mixed"))
    rows = counted.group_by("n", "c", *label).agg(*sums, nw.col("low").min(), nw.col("high").max())
    return Rows.of(rows.collect("pyarrow").to_native().to_pylist())


def count_answers(data: Any, roles: Roles, count: Count) -> Iterator[Any]:
    """Count how often each problem has each answer, and let them be judged here."""
    yield count(group_answers(data, roles).collect("pyarrow").to_native())


def group_answers(data: Any, roles: Roles) -> nw.LazyFrame[Any]:
    """Group samples by all of their roles: a row for each different one, with the column `votes`."""
    import narwhals as nw

    columns = [nw.col(column).alias(role) for role, column in roles.present().items()]
    return _read_samples(data, roles).select(*columns).group_by(*roles.present()).agg(nw.len().alias("votes"))


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
