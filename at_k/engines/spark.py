"""Count in Spark: it groups the rows, through Narwhals, and its workers judge answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from at_k.engines.engine import PARTS, Count, Roles, is_of, pack, unpack
from at_k.engines.frames import count_grades, group_answers, list_columns

__all__ = ["count_answers", "count_grades", "list_columns", "takes"]


def takes(data: Any) -> bool:
    """Return whether data are a frame of Spark."""
    return is_of(data, "pyspark")


def count_answers(data: Any, roles: Roles, count: Count) -> Iterator[Any]:
    """Count how often each problem has each answer, and let the workers judge them, some problems at a time."""
    from pyspark.sql import functions

    counted = group_answers(data, roles).to_native()
    part = functions.crc32(functions.col("problem").cast("string")) % PARTS

    def judge(table: Any) -> Any:  # Spark looks the types up, and knows no others of one argument than its own
        return pack(count, table)

    yield from unpack([counted.groupBy(part).applyInArrow(judge, schema="packed binary").toArrow()])
