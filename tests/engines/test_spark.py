"""Spark in local mode on two cores gives the numbers of the samples."""

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from tallies import assert_same, list_recipes, list_samples, make_data

import at_k

pytestmark = [pytest.mark.alone, pytest.mark.filterwarnings("ignore")]  # of Spark's own, about pandas


@pytest.fixture(scope="module")
def spark():
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.driver.host": "127.0.0.1"}
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    yield session
    session.stop()


@pytest.mark.parametrize("kind", ["hard", "answers"])
def test_spark_gives_the_report_of_the_samples(spark, kind):
    data = make_data(kind)
    options = {"missing": "incorrect"} if kind == "answers" else {}
    samples = list_samples(data).to_pydict()
    frame = spark.createDataFrame(list(zip(*samples.values(), strict=True)), list(samples))
    assert_same(at_k.score(frame, **options), at_k.score(data, **options))


def test_the_query_in_spark_sql(spark):
    data = make_data("hard")
    samples = list_samples(data).to_pydict()
    spark.createDataFrame(list(zip(*samples.values(), strict=True)), list(samples)).createOrReplaceTempView("samples")
    query = at_k.sql(table="samples", problem="problem", correct="grades > 0.5", group="`group`")
    assert_same(at_k.score(at_k.Tally.from_rows(spark.sql(query).collect())), at_k.score(data))


def test_recipes_of_the_documents(spark, tmp_path):
    """The lines of docs/scale.md run as they are, but for the folder: workers have one of their own."""
    data = make_data("hard")
    (tmp_path / "shards").mkdir()
    pq.write_table(list_samples(data), tmp_path / "shards" / "0.parquet")
    (recipe,) = [recipe for recipe in list_recipes() if "spark." in recipe]
    names = {"at_k": at_k}
    exec(recipe.replace("shards/", f"{tmp_path}/shards/"), names)
    assert_same(names["report"], at_k.score(data))
