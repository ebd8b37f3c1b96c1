import pyarrow as pa
import pyarrow.parquet as pq

import at_k
from at_k.engines import shards


def test_addresses_of_stores():
    """A store that Arrow does not know is opened by fsspec: here its memory, in place of hf://."""
    import fsspec

    table = pa.table({"problem": ["a", "a", "b"], "grades": [1, 0, 1]})
    with fsspec.open("memory://bucket/shards/0.parquet", "wb") as file:
        pq.write_table(table, file)
    assert shards.takes("memory://bucket/shards")
    assert at_k.Tally.of("memory://bucket/shards").counts == {(None, 2, 1): 1, (None, 1, 1): 1}
    assert not shards.takes("shards/")
