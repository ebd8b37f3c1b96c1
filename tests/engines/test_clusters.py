import pyarrow as pa
from cases import refuses

from at_k.engines import clusters


def test_a_problem_has_one_hash_wherever_it_occurs():
    names = [f"problem-{i}" for i in range(200)]
    hashes = clusters.hash_problems(pa.chunked_array([names])).to_pylist()
    assert hashes == clusters.hash_problems(pa.chunked_array([names[:50], names[50:]])).to_pylist()
    assert len({each % clusters.PARTS for each in hashes}) > clusters.PARTS / 2
    assert clusters.hash_problems(pa.chunked_array([["problem-3", None]])).to_pylist() == [hashes[3], 0]
    assert (
        clusters.hash_names(["problem-0"]).tolist() == [hashes[0]] == clusters.hash_names(iter(["problem-0"])).tolist()
    )


def test_what_a_worker_finds_or_the_error_that_it_meets_is_sent():
    def count(table, num_workers):
        if len(table) > 2:
            raise ValueError("`table` must be short")
        return len(table) * num_workers

    assert len(clusters.pack(count, pa.table({"answers": pa.array([], pa.string())}))) == 0
    tables = [clusters.pack(count, pa.table({"answers": answers})) for answers in (["7"], ["7", "9"])]
    assert list(clusters.unpack(tables)) == [1, 2]
    long = clusters.pack(count, pa.table({"answers": ["7"] * 3}))
    refuses("ValueError: must be short", list, clusters.unpack([long]))
