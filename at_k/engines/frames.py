"""Count in DuckDB, Polars, Ibis or Spark, through Narwhals: they group the rows, and few rows come back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from at_k.engines.engine import PARTS, Count, Roles, Rows, is_of, pack, refuse_columns, unpack

if TYPE_CHECKING:
    import narwhals as nw

_LAZY = ("duckdb", "_duckdb", "ibis", "sqlframe", "pyspark")


def takes(data: Any) -> bool:
    """Return whether data are a relation of DuckDB, a lazy frame of Polars, or a table of Ibis or Spark."""
    return is_of(data, *_LAZY) or (is_of(data, "polars") and type(data).__name__ == "LazyFrame")


def list_columns(data: Any) -> list[str]:
    """List the names of the columns."""
    return _read(data).collect_schema().names()


def count_grades(data: Any, roles: Roles, threshold: float, *, drop: bool) -> Rows:
    """Count problems by n and c, in one pass if all grades are 0 or 1."""
    import narwhals as nw

    frame = _read_samples(data, roles)
    grades, kind = nw.col(roles.grades or ""), frame.collect_schema()[roles.grades or ""]
    grades = (
        grades if kind.is_integer() else grades.cast(nw.Int64 if kind == nw.Boolean else nw.Float64)
    )
    # Two sums of flags show that there is nothing else: a database takes a third more time for minima and maxima, and
    # more than twice as much to look for NaN, which it takes for the largest number.
    rows = _count_problems(frame, roles, {"c": grades == 1, "wrong": grades == 0})
    if all(row["wrong"] == (row["n"] - row["c"]) * row["problems"] for row in rows):
        clean = {"absent": 0, "soft": 0, "low": 0.0, "high": 1.0}
        return Rows.of([{**row, **clean} for row in rows])
    grades = grades.cast(nw.Float64)
    grade = nw.when(~grades.is_nan()).then(grades)
    flags = {"c": grade > threshold, "absent": grade.is_null(), "soft": (grade != 0) & (grade != 1)}
    again = _count_problems(
        frame, roles, {**flags, "outside": (grade < 0) | (grade > 1)}, drop=drop
    )
    ends = {"low": 0.0, "high": 1.0}
    if any(row["outside"] for row in again):
        [ends] = frame.select(low=grade.min(), high=grade.max()).collect("pyarrow").rows(named=True)
    return Rows.of([{**row, **ends} for row in again])


def _count_problems(
    frame: nw.LazyFrame[Any], roles: Roles, flags: dict[str, nw.Expr], *, drop: bool = False
) -> list[dict[str, Any]]:
    """Count the problems that have the same n, c and group, and the samples of all these that have each other flag."""
    import narwhals as nw

    label = {} if roles.group is None else {"label": nw.col(roles.group)}
    if label and frame.collect_schema()[roles.group or ""] in (nw.Categorical, nw.Enum):
        label["label"] = label["label"].cast(
            nw.String
        )  # older versions of Polars find no minimum of categories
    flags = {**flags, **({"unlabelled": label["label"].is_null()} if label else {})}
    numbers = {
        name: flag.cast(nw.Int64) for name, flag in flags.items()
    }  # summed in half of the time of a CASE
    problems = (
        frame.select(nw.col(roles.problem).alias("problem"), **numbers, **label)
        .group_by("problem")
        .agg(
            nw.len().cast(nw.Int64).alias("n"),
            *map(_add, flags),
            *([nw.col("label").min(), nw.col("label").max().alias("other")] if label else []),
        )
    )
    marks = {"nameless": nw.col("problem").is_null()}
    if label:
        marks["mixed"] = nw.col("label") != nw.col("other")
    n = nw.col("n") - nw.col("absent") if drop else nw.col("n")
    counted = problems.with_columns(
        n=n, **{name: mark.cast(nw.Int64) for name, mark in marks.items()}
    )
    sums = map(_add, [*(name for name in flags if name != "c"), *marks])
    rows: list[dict[str, Any]] = (
        counted.group_by("n", "c", *label)
        .agg(nw.len().alias("problems"), *sums)
        .collect("pyarrow")
        .rows(named=True)
    )
    return rows


def count_answers(data: Any, roles: Roles, count: Count) -> Iterator[Any]:
    """Count how often each problem has each answer, and let them be judged here, or by the workers of Spark."""
    import narwhals as nw

    columns = [nw.col(column).alias(role) for role, column in roles.present().items()]
    grouped = (
        _read_samples(data, roles)
        .select(*columns)
        .group_by(*roles.present())
        .agg(nw.len().alias("votes"))
    )
    if not is_of(data, "pyspark"):
        yield count(grouped.collect("pyarrow").to_native())
        return
    from pyspark.sql import functions

    part = functions.crc32(functions.col("problem").cast("string")) % PARTS

    def judge(
        table: Any,
    ) -> Any:  # Spark looks the types up, and knows no others of one argument than its own
        return pack(count, table)

    yield from unpack(
        [grouped.to_native().groupBy(part).applyInArrow(judge, schema="packed binary").toArrow()]
    )


def _read(data: Any) -> nw.LazyFrame[Any]:
    import narwhals as nw

    frame: nw.LazyFrame[Any] = nw.from_native(data).lazy()
    return frame


def _read_samples(data: Any, roles: Roles) -> nw.LazyFrame[Any]:
    frame = _read(data)
    refuse_columns(roles, {name: _describe(kind) for name, kind in frame.collect_schema().items()})
    return frame


def _describe(kind: Any) -> str:
    """Describe the type of a column; that of a column of nulls is unknown."""
    import narwhals as nw

    if kind.is_nested():
        return "lists"
    return "numbers" if kind.is_numeric() or kind in (nw.Boolean, nw.Unknown) else str(kind)


def _add(name: str) -> nw.Expr:
    """Return the sum of a column of integers, which may be a decimal number in a database."""
    import narwhals as nw

    return nw.col(name).sum().cast(nw.Int64)
