"""Features of Ray alone; its numbers are tested with those of the other engines."""

import os
import signal

import pytest
from clusters import as_ray, start_ray
from tallies import assert_same, list_samples, make_data, run_recipes

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
    start_ray()
    run_recipes("ray", tmp_path)
