"""Count in DuckDB, Polars, Ibis or Spark, through Narwhals: they group the rows, and few rows come back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from at_k.engines.doubts import LONGEST_TEXT, PROBLEM
from at_k.engines.engine import (
    JOINT,
    PARTS,
    Count,
    Roles,
    Rows,
    find_parts,
    is_of,
    list_others,
    pack,
    refuse_columns,
    unpack,
)
from at_k.readers.tables.choosing import Where
from at_k.readers.tables.shapes import names_runs

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

# Rows of Polars in which problems are looked for.
_HEAD = 100_000

_LAZY = ("duckdb", "_duckdb", "ibis", "sqlframe", "pyspark")


def takes(data: Any) -> bool:
    """Return whether data are a relation of DuckDB, a lazy frame of Polars, or a table of Ibis or Spark."""
    return is_of(data, *_LAZY) or (is_of(data, "polars") and type(data).__name__ == "LazyFrame")


def list_columns(data: Any) -> list[str]:
    """List the names of the columns."""
    return _read(data).collect_schema().names()


def keep(data: Any, where: Where) -> Any:
    """Return the rows that are wanted. Values are compared as text."""
    import narwhals as nw

    frame = _read(data)
    names = list_columns(data)
    for name, is_out, values in where.list_rules():
        text = _find(name, names).cast(nw.String)
        # The engines have no opinion on whether null is in a list.
        kept = text.is_in([value for value in values if value is not None]).fill_null(False)
        if None in values:
            kept = kept | text.is_null()
        frame = frame.filter(~kept if is_out else kept)
    return frame.to_native()


def take_problems(data: Any, roles: Roles, count: int) -> pa.Table:
    """Take all rows of some problems."""
    import narwhals as nw

    frame = _read(data)
    schema = frame.collect_schema()
    columns = {PROBLEM: _find(roles.problem, schema.names())}
    for name in list_others(roles, schema.names()):
        kind = schema[name]
        if isinstance(kind, nw.Struct):
            columns |= {field: _find(field, [name]) for field in _list_fields(name, kind)}
        elif kind == nw.String:
            columns[name] = nw.col(name).str.slice(0, LONGEST_TEXT)
        elif names_runs(name) or not kind.is_nested():
            columns[name] = nw.col(name)
    named = frame.select(columns[PROBLEM].alias(PROBLEM)).to_native()
    # Narwhals would number all rows to make the names unique, and Polars would look at all of them.
    if hasattr(named, "distinct"):
        names = named.distinct().limit(count)
    else:
        names = named.head(_HEAD).unique().head(count)
    rows = frame.select(**columns).join(_read(names), on=PROBLEM, how="semi")
    return rows.collect("pyarrow").to_native()


def _list_fields(name: str, kind: nw.Struct) -> Iterator[str]:
    """List the fields within a column of objects, and within objects in it, with dots."""
    import narwhals as nw

    for field in kind.fields:
        path = f"{name}.{field.name}"
        if isinstance(field.dtype, nw.Struct):
            yield from _list_fields(path, field.dtype)
        else:
            yield path


def _find(name: str, columns: list[str]) -> nw.Expr:
    """Find a column, a field within one, or columns that are joined by +."""
    import narwhals as nw

    found = []
    for outer, *fields in find_parts(name, columns):
        part = nw.col(outer)
        for field in fields:
            part = part.struct.field(field)
        found.append(part)
    if len(found) == 1:
        return found[0]
    return nw.concat_str([part.cast(nw.String) for part in found], separator=JOINT)


def count_grades(data: Any, roles: Roles, threshold: float, *, drop: bool) -> Rows:
    """Count problems by n and c, in one pass if all grades are 0 or 1."""
    import narwhals as nw

    frame = _read_samples(data, roles)
    grades = nw.col("grades")
    kind = frame.collect_schema()["grades"]
    if not kind.is_integer():
        grades = grades.cast(nw.Int64 if kind == nw.Boolean else nw.Float64)
    # Two sums of flags show that there is nothing else: a database takes a third more time for minima and maxima, and
    # more than twice as much to look for NaN, which it takes for the largest number.
    rows = _count_problems(frame, roles, {"c": grades == 1, "wrong": grades == 0})
    if all(row["wrong"] == (row["n"] - row["c"]) * row["problems"] for row in rows):
        clean = {"absent": 0, "soft": 0, "low": 0.0, "high": 1.0}
        return Rows.of([{**row, **clean} for row in rows])
    grades = grades.cast(nw.Float64)
    grade = nw.when(~grades.is_nan()).then(grades)
    flags: dict[str, nw.Expr] = {
        "c": grade > threshold,
        "absent": grade.is_null(),
        "soft": (grade != 0) & (grade != 1),
        "outside": (grade < 0) | (grade > 1),
    }
    again = _count_problems(frame, roles, flags, drop=drop)
    ends = {"low": 0.0, "high": 1.0}
    if any(row["outside"] for row in again):
        [ends] = frame.select(low=grade.min(), high=grade.max()).collect("pyarrow").rows(named=True)
    return Rows.of([{**row, **ends} for row in again])


def _count_problems(
    frame: nw.LazyFrame[Any], roles: Roles, flags: dict[str, nw.Expr], *, drop: bool = False
) -> list[dict[str, Any]]:
    """Count the problems that have the same n, c and group, and the samples of all these that have each other flag."""
    import narwhals as nw

    label = {}
    marks = {"nameless": nw.col("problem").is_null()}
    if roles.group is not None:
        group = nw.col("group")
        if frame.collect_schema()["group"] in (nw.Categorical, nw.Enum):
            group = group.cast(nw.String)  # older versions of Polars find no minimum of categories
        label = {"label": group}
        flags = {**flags, "unlabelled": group.is_null()}
        marks["mixed"] = nw.col("label") != nw.col("other")
    # Numbers are summed in half of the time of a CASE.
    numbers = {name: flag.cast(nw.Int64) for name, flag in flags.items()}
    measured = [nw.len().cast(nw.Int64).alias("n"), *map(_add, flags)]
    if label:
        measured += [nw.col("label").min(), nw.col("label").max().alias("other")]
    samples = frame.select("problem", **numbers, **label)
    problems = samples.group_by("problem").agg(*measured)
    n = nw.col("n")
    if drop:
        n -= nw.col("absent")
    marked = {name: mark.cast(nw.Int64) for name, mark in marks.items()}
    counted = problems.with_columns(n=n, **marked)
    sums = [_add(name) for name in (*flags, *marks) if name != "c"]
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

    samples = _read_samples(data, roles)
    grouped = samples.group_by(*roles.present()).agg(nw.len().alias("votes"))
    if not is_of(data, "pyspark"):
        yield count(grouped.collect("pyarrow").to_native())
        return
    from pyspark.sql import functions

    part = functions.crc32(functions.col("problem").cast("string")) % PARTS

    # Spark looks the types up, and knows no others of one argument than its own.
    def judge(table: Any) -> Any:
        return pack(count, table)

    judged = grouped.to_native().groupBy(part).applyInArrow(judge, schema="packed binary")
    yield from unpack([judged.toArrow()])


def _read(data: Any) -> nw.LazyFrame[Any]:
    import narwhals as nw

    frame: nw.LazyFrame[Any] = nw.from_native(data).lazy()
    return frame


def _read_samples(data: Any, roles: Roles) -> nw.LazyFrame[Any]:
    """Return the samples with a column for each role, which is called as the role."""
    frame = _read(data)
    names = frame.collect_schema().names()
    frame = frame.select(**{role: _find(name, names) for role, name in roles.present().items()})
    schema = frame.collect_schema()
    refuse_columns(roles, {name: _describe(schema[role]) for role, name in roles.present().items()})
    return frame


def _describe(kind: Any) -> str:
    """Describe the type of a column; that of a column of nulls is unknown."""
    import narwhals as nw

    if kind.is_nested():
        return "lists"
    if kind.is_numeric() or kind in (nw.Boolean, nw.Unknown):
        return "numbers"
    return str(kind)


def _add(name: str) -> nw.Expr:
    """Return the sum of a column of integers, which may be a decimal number in a database."""
    import narwhals as nw

    return nw.col(name).sum().cast(nw.Int64)
