import sqlite3

import duckdb
import pytest
from tallies import assert_same, list_samples, make_data

import at_k


@pytest.mark.parametrize("connect", [duckdb.connect, sqlite3.connect])
@pytest.mark.parametrize("cast", [False, True])
def test_the_same_query_in_every_database(connect, cast):
    data = make_data("hard")
    samples = list_samples(data).to_pydict()
    database = connect(":memory:")
    database.execute("CREATE TABLE samples (qid TEXT, level TEXT, reward FLOAT)")
    rows = list(zip(samples["problem"], samples["group"], samples["grades"], strict=True))
    database.executemany("INSERT INTO samples VALUES (?, ?, ?)", rows)
    for group in ("level", None):
        query = at_k.sql(table="samples", problem="qid", correct="reward > 0.5", group=group, cast=cast)
        counted = at_k.Tally.from_rows(database.execute(query).fetchall())
        assert_same(at_k.score(counted), at_k.score(data, groups=None if group else False))
    database.execute("DELETE FROM samples")
    database.execute("INSERT INTO samples VALUES ('a', 'x', NULL)")
    assert database.execute(query).fetchall() == [(1, 0, 1)]  # a sample without a verdict counts as wrong
