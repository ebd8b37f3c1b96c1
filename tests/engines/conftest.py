"""Ray and Spark take a gigabyte and a JVM. Their tests are there where they are installed: `make engines` does."""

from importlib.util import find_spec

collect_ignore = [
    name for name, package in (("test_ray_data.py", "ray"), ("test_spark.py", "pyspark")) if not find_spec(package)
]
