"""Count in DuckDB, Polars, Ibis or Spark, through Narwhals: they group the rows, and few rows come back."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING, Any

from at_k.engines.engine import (
    FILE,
    JOINT,
    NAME,
    PARTS,
    Count,
    Roles,
    Rows,
    find_parts,
    is_of,
    pack,
    unpack,
)
from at_k.readers.tables.choosing import Where

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa
    from narwhals.dtypes import DType

_LAZY = ("duckdb", "_duckdb", "ibis", "pyspark")


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
        column = _find(name, names)
        wanted = [value for value in values if value is not None]
        if frame.select(value=column).collect_schema()["value"].is_float():
            wanted += [f"{value}.0" for value in wanted]
        # Whether null is in a list is null, which a filter leaves out. To fill it in would hide the list from
        # statistics, by which an engine skips blocks of rows.
        kept = column.cast(nw.String).is_in(wanted)
        if None in values:
            kept = kept | column.is_null()
        if is_out:
            kept = ~kept
        if is_out and None not in values:
            kept = kept | column.is_null()
        frame = frame.filter(kept)
    return frame.to_native()


def name_files(data: Any) -> Any:
    """Add the column of the file of each row, where a frame scans files; others stay as they are."""
    with suppress(Exception):  # what a frame scans is told by its plan, which is no interface
        if is_of(data, "polars"):
            return _name_files_of_polars(data)
        if is_of(data, "pyspark"):
            from pyspark.sql import functions

            return data.withColumn(FILE, functions.input_file_name())
        for named in _name_files_in_sql(data):
            if FILE in list_columns(named):
                return named
    return data


def _name_files_of_polars(data: Any) -> Any:
    """Let every scan in the plan of a lazy frame name its files."""
    import warnings

    plan = data.explain(optimized=False)
    if "SCAN [" not in plan or "DF [" in plan:
        return data  # a frame in memory would be written as text, with all its rows
    with warnings.catch_warnings():
        # Polars may change what it writes: a frame is then left as it is.
        warnings.simplefilter("ignore")
        plan = data.serialize(format="json")
        told = plan.replace('"include_file_paths":null', f'"include_file_paths":"{FILE}"')
        # A projection names the columns that it keeps, and keeps this one too.
        named = type(data).deserialize(StringIO(told), format="json")
        if told != plan and FILE not in list_columns(named):
            told = _PROJECTION.sub(rf'\g<0>{{"Column":"{FILE}"}},', told)
            named = type(data).deserialize(StringIO(told), format="json")
        return named if FILE in list_columns(named) else data


def _name_files_in_sql(data: Any) -> Iterator[Any]:
    """Yield forms of a query whose scans name their files. Some of them are no query: the engine raises."""
    if is_of(data, "ibis"):
        text, run = data.compile(), data.get_backend().con.sql
    else:
        text, run = data.sql_query(), partial(data.query, "_")
    views = run(_VIEWS).fetchall()
    for name, view in views:
        text = text.replace(f'"{name}"', f"({view.rstrip(';')})")
    for ending, function in _READERS.items():
        path = rf"(\bFROM)\s+(['\"])([^'\"]+\.{ending}(?:\.\w+)?)\2"
        text = re.sub(path, rf"\1 {function}('\3')", text, flags=re.IGNORECASE)
    text = _UNNAMED.sub("", text)
    scanned = _SCAN.sub(rf"\1, filename = '{FILE}')", text)
    if scanned == text:
        return
    for query in (scanned, _SELECT.sub(rf'\g<0> "{FILE}",', scanned)):
        with suppress(Exception):
            yield run(query)


# The views of a database, each with its query.
_VIEWS = (
    "SELECT view_name, regexp_replace(sql, '^CREATE [^(]*?VIEW .*? AS ', '') FROM duckdb_views() "
    "WHERE NOT internal"
)

# The ending of a path in the place of a table → the function that reads such files.
_READERS = {"parquet": "read_parquet", "[ct]sv": "read_csv", r"(?:json\w?|ndjson)": "read_json"}

# A function that reads files, with its arguments, and one of these; the start of a query; and that of a list of columns
# in the plan of Polars.
_SCAN = re.compile(r"(\b(?:read_\w+|parquet_scan)\((?:[^()]|\([^()]*\))*)\)", re.IGNORECASE)
_UNNAMED = re.compile(r",\s*filename\s*:?=\s*false", re.IGNORECASE)
_SELECT = re.compile(r"\bSELECT\b", re.IGNORECASE)
_PROJECTION = re.compile(r'"Select":\{"expr":\[')


def take_rows(data: Any, count: int) -> pa.Table:
    """Take the first rows."""
    return _collect(_read(data).head(count))


def count_rows(data: Any) -> int:
    """Count the rows."""
    import narwhals as nw

    return int(_read(data).select(nw.len()).collect("pyarrow").item())


def take_problems(data: Any, problem: str, columns: Sequence[str], step: int) -> pa.Table:
    """Take all rows of the problems whose hash is a multiple of `step`."""
    frame = _read(data)
    names = frame.collect_schema().names()
    kept = [*columns, *({FILE} & {*names})]
    frame = frame.select(*kept, **{NAME: _find(problem, names)})
    return _collect(_read(_choose(frame.to_native(), step)))


def _collect(frame: nw.LazyFrame[Any]) -> pa.Table:
    """Collect the rows, with numbers as texts that have more digits than Arrow holds, as a HUGEINT of DuckDB may."""
    import pyarrow as pa

    table: pa.Table = frame.collect("pyarrow").to_native()
    for place, column in enumerate(table.columns):
        if not pa.types.is_decimal(column.type):
            continue
        try:
            column.validate(full=True)
        except pa.ArrowInvalid:
            texts = pa.chunked_array([column.cast(pa.string())])
            table = table.set_column(place, table.column_names[place], texts)
    return table


def _choose(rows: Any, step: int) -> Any:
    """Choose the rows whose problems have a hash that is a multiple of `step`: Narwhals has no hash."""
    if is_of(rows, "polars"):
        return rows.filter(sys.modules["polars"].col(NAME).hash() % step == 0)
    if is_of(rows, "ibis"):
        return rows.filter(rows[NAME].hash() % step == 0)
    if is_of(rows, "pyspark"):
        return rows.filter(f"xxhash64(`{NAME}`) % {step} = 0")
    return rows.filter(f'hash("{NAME}") % {step} = 0')


def list_values(data: Any, column: str, count: int) -> list[Any]:
    """List values of a column, at most `count`."""
    import narwhals as nw

    frame = _read(data)
    values = frame.select(value=_find(column, frame.collect_schema().names()))
    grouped = values.group_by("value").agg(nw.len().alias("rows")).head(count)
    found: list[Any] = grouped.collect("pyarrow")["value"].to_list()
    return found


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
        grades = _number(grades, kind)
    # Two sums of flags show that there is nothing else: a database takes a third more time for minima and maxima, and
    # more than twice as much to look for NaN, which it takes for the largest number.
    rows = _count_problems(frame, roles, {"c": grades == 1, "wrong": grades == 0})
    if all(row["wrong"] == (row["n"] - row["c"]) * row["problems"] for row in rows):
        clean = {"absent": 0, "soft": 0, "low": 0.0, "high": 1.0}
        return Rows.of([{**row, **clean} for row in rows])
    grades = grades.cast(nw.Float64)
    # By the statistics of Parquet, which leave NaN out, DuckDB holds that a column has none. Its texts have them.
    is_nan = grades.cast(nw.String).is_in(["nan", "NaN"])
    grade = nw.when(~is_nan).then(grades)
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
        yield count(_collect(grouped))
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
    import narwhals as nw

    frame = _read(data)
    names = frame.collect_schema().names()
    frame = frame.select(**{role: _find(name, names) for role, name in roles.present().items()})
    if roles.words is None:
        return frame
    grades, read = nw.col("grades"), nw.lit(None, nw.Float64)
    if roles.are_texts:
        grades = grades.cast(nw.String)
    else:
        grades = _number(grades, frame.collect_schema()["grades"])
    for grade, words in roles.list_words().items():
        read = nw.when(grades.is_in(words)).then(nw.lit(grade)).otherwise(read)
    return frame.with_columns(grades=read)


def _number(grades: nw.Expr, kind: DType) -> nw.Expr:
    """Make numbers of grades: 0 and 1 of truth values."""
    import narwhals as nw

    if kind == nw.Boolean:
        grades = grades.cast(nw.Int64)
    return grades.cast(nw.Float64)


def _add(name: str) -> nw.Expr:
    """Return the sum of a column of integers, which may be a decimal number in a database."""
    import narwhals as nw

    return nw.col(name).sum().cast(nw.Int64)
