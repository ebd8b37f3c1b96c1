"""Write the two GROUP BYs for a database."""

from __future__ import annotations


def sql(*, table: str, problem: str, correct: str, group: str | None = None, cast: bool = False) -> str:
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
    """
    labels = "" if group is None else f", MIN({group}) AS label"
    label = "" if group is None else ", label"
    right = f"COALESCE(SUM(CAST({correct} AS INTEGER)), 0)" if cast else f"SUM(CASE WHEN {correct} THEN 1 ELSE 0 END)"
    return (
        f"SELECT n, c, COUNT(*) AS problems{label} FROM (\n"
        f"    SELECT COUNT(*) AS n, {right} AS c{labels}\n"
        f"    FROM {table} GROUP BY {problem}\n"
        f") AS counted GROUP BY n, c{label}"
    )
