import sqlite3

import duckdb
import pytest
from tallies import assert_same, list_samples, make_data

import at_k


@pytest.mark.parametrize("connect", [duckdb.connect, sqlite3.connect])
def test_the_same_query_in_every_database(connect):
    data = make_data("hard")
    samples = list_samples(data).to_pydict()
    database = connect(":memory:")
    database.execute("CREATE TABLE samples (qid TEXT, level TEXT, reward FLOAT)")
    rows = list(zip(samples["problem"], samples["group"], samples["grades"], strict=True))
    database.executemany("INSERT INTO samples VALUES (?, ?, ?)", rows)
    for group in ("level", None):
        query = at_k.sql(table="samples", problem="qid", correct="reward > 0.5", group=group)
        counted = at_k.Tally.from_rows(database.execute(query).fetchall())
        assert_same(at_k.score(counted), at_k.score(data, groups=None if group else False))
