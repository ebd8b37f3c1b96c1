"""Find the engine of some data and the columns of its samples, and split problems among the workers of a cluster."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from at_k.readers.arrays import encode, make_numbers

if TYPE_CHECKING:
    import pyarrow as pa

    from at_k.readers.tables.choosing import Where

# The modules of the engines of this library.
ENGINES = ("at_k.engines.frames", "at_k.engines.shards", "at_k.engines.ray_data")

# Judges the answers in a table, with `num_workers` processes if it is slow, and counts the problems.
Count = Callable[..., Any]


@dataclass(frozen=True)
class Roles:
    """Hold the names of the columns of samples.

    Attributes:
        problem: the problem of each sample.
        grades: how right it is; None where answers are judged.
        answers: its answer; None where grades alone say which samples are correct.
        references: the correct answer.
        group: the group of its problem.
        words: the grade that each text, or each number, in the column of grades means; True is 1. Others are missing
            grades. None where the numbers in this column are grades.
    """

    problem: str
    grades: str | None = None
    answers: str | None = None
    references: str | None = None
    group: str | None = None
    words: Mapping[str, float] | Mapping[float, float] | None = None

    def present(self) -> dict[str, str]:
        """Return role → column, of the roles that have one."""
        called = {role: getattr(self, role) for role in _ROLES}
        return {role: column for role, column in called.items() if column is not None}

    @property
    def are_texts(self) -> bool:
        """Tell whether the words are texts."""
        return all(isinstance(word, str) for word in self.words or ())

    def list_words(self) -> dict[float, list[Any]]:
        """List the words that mean each grade."""
        listed: dict[float, list[Any]] = {}
        for word, grade in (self.words or {}).items():
            listed.setdefault(grade, []).append(word)
        return listed


_ROLES = ("problem", "grades", "answers", "references", "group")


@dataclass(frozen=True)
class Rows:
    """Hold what an engine has counted.

    Attributes:
        counts: rows of n, c, the number of problems and, if there are groups, their group.
        n_missing: the samples without a grade.
        n_soft: the samples with a grade other than 0 and 1.
        lowest: the lowest grade.
        highest: the highest grade.
        n_mixed: the problems that are in several groups.
        is_nameless: whether the problem of some samples is null.
        is_unlabelled: whether the group of some samples is null, and that of others is not.
    """

    counts: Sequence[Sequence[Any]]
    n_missing: int
    n_soft: int
    lowest: float
    highest: float
    n_mixed: int = 0
    is_nameless: bool = False
    is_unlabelled: bool = False

    @classmethod
    def of(cls, found: Sequence[Mapping[str, Any]]) -> Rows:
        """Add up groups of problems.

        Args:
            found: for each group n, c, how many `problems` it has, how many samples are `absent` or `soft`, the `low`
                and `high` grade, and how many problems are `nameless`; where problems have labels, the `label`, how
                many problems are `mixed`, and how many samples `unlabelled`.
        """
        fields = ["n", "c", "problems"]
        if any("label" in row for row in found):
            fields.append("label")
        lows = [row["low"] for row in found if row["low"] is not None]
        highs = [row["high"] for row in found if row["high"] is not None]
        is_partly = any(row.get("unlabelled") for row in found)
        return cls(
            [tuple(row[name] for name in fields) for row in found],
            n_missing=sum(row["absent"] for row in found),
            n_soft=sum(row["soft"] for row in found),
            lowest=min(lows, default=0.0),
            highest=max(highs, default=0.0),
            n_mixed=sum(row.get("mixed", 0) for row in found),
            is_nameless=any(row["nameless"] for row in found),
            is_unlabelled=is_partly and any(row["label"] is not None for row in found),
        )


class Engine(Protocol):
    """An engine that counts samples in their place. A module can be one."""

    def takes(self, data: Any) -> bool:
        """Return whether data are of this engine, by their type alone: nothing is imported for it."""

    def list_columns(self, data: Any) -> list[str]:
        """List the names of the columns."""

    def keep(self, data: Any, where: Where) -> Any:
        """Return the data with the rows that are wanted alone. The columns exist."""

    def name_files(self, data: Any) -> Any:
        """Return the data with the column `FILE`, of the file that holds each row, if the engine can tell."""

    def take_rows(self, data: Any, count: int) -> pa.Table:
        """Return the first rows."""

    def count_rows(self, data: Any) -> int:
        """Count the rows."""

    def take_problems(self, data: Any, problem: str, columns: Sequence[str], step: int) -> pa.Table:
        """Return all rows of one in `step` problems, which the hashes of their names choose.

        They have these columns, `NAME` and, where there is one, `FILE`.
        """

    def list_values(self, data: Any, column: str, count: int) -> list[Any]:
        """List values of a column, at most `count`."""

    def count_grades(self, data: Any, roles: Roles, threshold: float, *, drop: bool) -> Rows:
        """Count problems by n and c. With `drop`, n does not count samples without a grade."""

    def count_answers(self, data: Any, roles: Roles, count: Count) -> Iterator[Any]:
        """Count how often each problem has each answer, and let them be judged, here or in the workers of a cluster."""


def find_engine(data: Any) -> Engine | None:
    """Return the engine of some data; None if they are of none."""
    if isinstance(data, (Mapping, list, tuple, PathLike)) or (
        isinstance(data, str) and "://" not in data
    ):
        return None
    return next((engine for engine in list_engines() if engine.takes(data)), None)


@cache
def list_engines() -> list[Engine]:
    """List the engines, those of other packages before ours. To look for these takes 15 ms, once."""
    others: list[Engine] = [point.load() for point in entry_points(group="at_k.engines")]
    return others + [import_module(name) for name in ENGINES]


def is_of(data: object, *packages: str) -> bool:
    """Return whether data are of a class of one of these packages, or of one that is derived from such a class."""
    return any(kind.__module__.partition(".")[0] in packages for kind in type(data).__mro__)


# The columns of the file, and of the name of the problem, of each row.
FILE = "file of the row"
NAME = "problem of the row"

# What parts the texts of columns that are joined, in which it does not occur.
JOINT = "\x1f"


def find_parts(name: str, columns: Sequence[str]) -> list[list[str]]:
    """Find the columns that a name joins by +, each with the fields within it; none if it names no column.

    Examples:
        >>> find_parts("model+id", ["id", "model"]), find_parts("run.seed", ["run"]), find_parts("x", ["id"])
        ([['model'], ['id']], [['run', 'seed']], [])
    """
    if name in columns:
        return [[name]]
    found = []
    for part in name.split("+"):
        outer = next((column for column in columns if f"{part}.".startswith(f"{column}.")), None)
        if outer is None:
            return []
        path = [outer]
        if part != outer:
            path += part[len(outer) + 1 :].split(".")
        found.append(path)
    return found


# The sets of problems whose answers workers judge, each set as a whole.
PARTS = 64


def hash_names(names: Sequence[object]) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each name, the same one in every process and version."""
    from pandas.util import hash_array

    hashes: NDArray[np.uint64] = hash_array(
        np.array(list(map(str, names)), dtype=object), categorize=False
    )
    return hashes


def hash_problems(problems: pa.ChunkedArray) -> pa.Array:
    """Return the hash of the problem in each row, 0 for null."""
    coded = encode(problems)
    return make_numbers(np.append(hash_names(coded.values), np.uint64(0))[coded.codes])


def pack(count: Count, table: pa.Table) -> pa.Table:
    """Return as a row to send what `count` makes of a table, or its error; no row for an empty table."""
    import pyarrow as pa

    if not len(table):
        return pa.table({"packed": pa.array([], pa.binary())})
    try:
        counted = count(table, num_workers=1)
    except (TypeError, ValueError) as error:
        counted = error
    return pa.table({"packed": pa.array([pickle.dumps(counted)], pa.binary())})


def unpack(tables: Iterable[pa.Table]) -> Iterator[Any]:
    """Yield what the workers have packed, or raise the first error."""
    for table in tables:
        for packed in table["packed"].to_pylist():
            counted = pickle.loads(packed)
            if isinstance(counted, Exception):
                raise counted
            yield counted


def sql(
    *, table: str, problem: str, correct: str, group: str | None = None, cast: bool = False
) -> str:
    """Write the query that counts problems by n and c, in standard SQL, for any database.

    Its arguments become part of the query as they are: untrusted users must not give them. A sample without a verdict
    counts as wrong. To leave it out, let `table` be a query: `"(SELECT * FROM samples WHERE reward IS NOT NULL) AS s"`.

    Args:
        table: the table, which has a row for each sample.
        problem: the column that names the problem, or an expression.
        correct: the condition for a sample to be correct: `"reward > 0.5"`.
        group: the column of the group of a problem.
        cast: make a number of the condition by CAST, instead of by CASE, which every database knows. DuckDB, SQLite,
            PostgreSQL, Spark, Trino, Snowflake and BigQuery know CAST, and DuckDB counts a fifth faster with it.

    Returns:
        A query whose rows are what `at_k.Tally.from_rows` takes: n, c, problems and, if there is one, the group.

    Examples:
        >>> import sqlite3
        >>> from at_k import Tally, score
        >>> database = sqlite3.connect(":memory:")
        >>> _ = database.execute("CREATE TABLE samples AS SELECT 1 AS qid, 0.9 AS reward UNION ALL SELECT 1, 0.2")
        >>> rows = database.execute(sql(table="samples", problem="qid", correct="reward > 0.5"))
        >>> score(Tally.from_rows(rows)).values["pass@2"]
        1.0
        >>> database.close()
    """
    labels = ""
    if group is not None:
        labels = f", MIN({group}) AS label"
    label = "" if group is None else ", label"
    if cast:
        right = f"COALESCE(SUM(CAST({correct} AS INTEGER)), 0)"
    else:
        right = f"SUM(CASE WHEN {correct} THEN 1 ELSE 0 END)"
    return (
        f"SELECT n, c, COUNT(*) AS problems{label} FROM (\n"
        f"    SELECT COUNT(*) AS n, {right} AS c{labels}\n"
        f"    FROM {table} GROUP BY {problem}\n"
        f") AS counted GROUP BY n, c{label}"
    )
