"""A store of objects as S3 is one, served on this machine: shards in it are read through Arrow's own file system."""

import pyarrow.parquet as pq
import pytest
from moto.server import ThreadedMotoServer
from pyarrow.fs import S3FileSystem
from tallies import assert_same, list_samples, make_data

import at_k

pytestmark = [pytest.mark.alone, pytest.mark.filterwarnings("ignore")]  # of the store's own


@pytest.fixture
def endpoint(monkeypatch):
    """Return where the store is; Arrow takes the keys from the environment, as every program for S3 does."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield f"127.0.0.1:{server.get_host_and_port()[1]}"
    server.stop()


@pytest.mark.parametrize("kind", ["hard", "answers"])
def test_shards_in_s3_give_the_report_of_the_samples(kind, endpoint):
    data = make_data(kind)
    store = S3FileSystem(
        endpoint_override=endpoint, scheme="http", region="us-east-1", allow_bucket_creation=True
    )
    store.create_dir("bucket/shards")
    table = list_samples(data)
    for start in range(0, len(table), 50):
        pq.write_table(
            table.slice(start, 50), f"bucket/shards/part-{start}.parquet", filesystem=store
        )
    address = f"s3://bucket/shards?endpoint_override={endpoint}&scheme=http&region=us-east-1"
    options = {"missing": "incorrect"} if kind == "answers" else {}
    assert_same(at_k.score(address, **options), at_k.score(data, **options))
