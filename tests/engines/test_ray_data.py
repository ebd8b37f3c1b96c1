"""A cluster of two workers on this machine gives the numbers of the samples."""

import os
import signal

import pyarrow.parquet as pq
import pytest
import ray
from tallies import assert_same, list_recipes, list_samples, make_data

import at_k

pytestmark = [pytest.mark.alone, pytest.mark.filterwarnings("ignore")]  # of Ray's own, about its next version


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def distribute(data, blocks=4):
    table = list_samples(data)
    size = -(-len(table) // blocks)
    return ray.data.from_arrow([table.slice(start, size) for start in range(0, len(table), size)])


@pytest.mark.parametrize("kind", ["hard", "answers"])
def test_ray_gives_the_report_of_the_samples(kind):
    data = make_data(kind)
    options = {"missing": "incorrect"} if kind == "answers" else {}
    assert_same(at_k.score(distribute(data), **options), at_k.score(data, **options))


def test_a_worker_that_is_killed_changes_nothing(tmp_path):
    data = make_data("hard")

    def die_once(batch):
        flag = tmp_path / "died"
        if not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return batch

    assert_same(at_k.score(distribute(data).map_batches(die_once, batch_format="pyarrow")), at_k.score(data))
    assert (tmp_path / "died").exists()


def test_recipes_of_the_documents(tmp_path):
    """The lines of docs/scale.md run as they are, but for the folder: workers have one of their own."""
    data = make_data("hard")
    (tmp_path / "shards").mkdir()
    pq.write_table(list_samples(data), tmp_path / "shards" / "0.parquet")
    (recipe,) = [recipe for recipe in list_recipes() if "ray." in recipe]
    names = {"at_k": at_k}
    exec(recipe.replace("shards/", f"{tmp_path}/shards/"), names)
    assert_same(names["report"], at_k.score(data))
