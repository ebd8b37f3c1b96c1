"""Ray and Spark take a gigabyte and a JVM. Their tests are there where they are installed: `make engines` does."""

from importlib.util import find_spec

NEEDED = {"test_ray_data.py": "ray", "test_spark.py": "pyspark", "test_s3.py": "moto"}

collect_ignore = [name for name, package in NEEDED.items() if not find_spec(package)]
