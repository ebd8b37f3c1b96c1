"""Features of Spark alone; its numbers are tested with those of the other engines."""

import pytest
from clusters import start_spark
from tallies import assert_same, list_samples, make_data, run_recipes

import at_k

pytestmark = [
    pytest.mark.alone,
    pytest.mark.filterwarnings("ignore"),
]  # of Spark's own, about pandas


def test_the_query_in_spark_sql():
    data = make_data("hard")
    start_spark().createDataFrame(list_samples(data)).createOrReplaceTempView("samples")
    query = at_k.sql(table="samples", problem="problem", correct="grades > 0.5", group="`group`")
    assert_same(
        at_k.score(at_k.Tally.from_rows(start_spark().sql(query).collect())), at_k.score(data)
    )


def test_recipes_of_the_documents(tmp_path):
    run_recipes("spark", tmp_path)
