"""Clusters on this machine, of two workers each, which start when they are first asked for."""

import os
import sys
from importlib.util import find_spec

import pyarrow.parquet as pq

CLUSTERS = [name for name, package in (("ray", "ray"), ("spark", "pyspark")) if find_spec(package)]
"""Clusters that are installed: they take a gigabyte and a JVM, and `make engines` installs them."""


def start_spark():
    from pyspark.sql import SparkSession

    os.environ.setdefault(
        "PYSPARK_PYTHON", sys.executable
    )  # else its workers take the first Python of the path
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
    }
    return SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()


def start_ray():
    import ray

    if not ray.is_initialized():
        ray.init(
            num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1"
        )
        ray.data.DataContext.get_current().enable_progress_bars = False
    return ray


def as_spark(table, folder):
    pq.write_table(
        table, folder / "samples.parquet"
    )  # Spark makes no frame of unsigned numbers, but reads them
    return start_spark().read.parquet(str(folder / "samples.parquet"))


def as_ray(table, folder):
    size = -(-len(table) // 4)
    return start_ray().data.from_arrow(
        [table.slice(start, size) for start in range(0, len(table), size)]
    )
