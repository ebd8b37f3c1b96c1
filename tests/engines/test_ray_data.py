"""What Ray alone can do; that it gives the numbers of the samples is tested with the other engines."""

import os
import signal

import pyarrow.parquet as pq
import pytest
from clusters import as_ray, start_ray
from tallies import assert_same, list_recipes, list_samples, make_data

import at_k

pytestmark = [pytest.mark.alone, pytest.mark.filterwarnings("ignore")]  # of Ray's own, about its next version


def test_a_worker_that_is_killed_changes_nothing(tmp_path):
    data = make_data("hard")

    def die_once(batch):
        flag = tmp_path / "died"
        if not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return batch

    samples = as_ray(list_samples(data), tmp_path).map_batches(die_once, batch_format="pyarrow")
    assert_same(at_k.score(samples), at_k.score(data))
    assert (tmp_path / "died").exists()


def test_a_worker_that_is_killed_while_it_judges_changes_nothing(tmp_path):
    data, flag = make_data("answers"), tmp_path / "died"

    def equal(answer, reference):
        if not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return answer == reference

    counted = at_k.score(as_ray(list_samples(data), tmp_path), missing="incorrect", check_correct_fn=equal)
    assert flag.exists()
    assert_same(counted, at_k.score(data, missing="incorrect", check_correct_fn=equal))


def test_recipes_of_the_documents(tmp_path):
    """The lines of docs/scale.md run as they are, but for the folder: workers have one of their own."""
    start_ray()
    data = make_data("hard")
    (tmp_path / "shards").mkdir()
    pq.write_table(list_samples(data), tmp_path / "shards" / "0.parquet")
    recipes = [recipe for recipe in list_recipes() if "ray." in recipe]
    assert recipes
    for recipe in recipes:
        names = {"at_k": at_k}
        exec(recipe.replace("shards/", f"{tmp_path}/shards/"), names)
        assert_same(names["report"], at_k.score(data))
