import pyarrow as pa
import pytest

from at_k.engines import clusters


def test_a_problem_is_in_one_part_wherever_it_occurs():
    names = [f"problem-{i}" for i in range(200)]
    parts = clusters.number_parts(pa.chunked_array([names])).to_pylist()
    assert parts == clusters.number_parts(pa.chunked_array([names[:50], names[50:]])).to_pylist()
    assert len(set(parts)) > clusters.PARTS / 2
    assert max(parts) < clusters.PARTS
    assert clusters.number_parts(pa.chunked_array([["problem-3", None]])).to_pylist() == [parts[3], 0]


def test_what_a_worker_finds_or_the_error_that_it_meets_is_sent():
    def count(table, num_workers):
        if not len(table):
            raise ValueError("`table` must have rows")
        return len(table) * num_workers

    tables = [clusters.pack(count, pa.table({"answers": answers})) for answers in (["7"], ["7", "9"])]
    assert list(clusters.unpack(tables)) == [1, 2]
    empty = clusters.pack(count, pa.table({"answers": []}))
    with pytest.raises(ValueError, match="must have rows"):
        list(clusters.unpack([empty]))
