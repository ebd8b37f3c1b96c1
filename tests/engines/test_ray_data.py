"""Features of Ray alone; its numbers are tested with those of the other engines."""

import os
import signal
from itertools import pairwise
from time import sleep

import pytest
from cases import for_each
from clusters import as_ray, start_ray
from tallies import assert_same, list_samples, make_data, run_recipes

import at_k

pytestmark = [
    pytest.mark.alone,
    pytest.mark.filterwarnings("ignore"),
]  # of Ray's own, about its next version


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

    counted = at_k.score(
        as_ray(list_samples(data), tmp_path), missing="incorrect", check_correct_fn=equal
    )
    assert flag.exists()
    assert_same(counted, at_k.score(data, missing="incorrect", check_correct_fn=equal))


def list_sends():
    """The tasks that have sent rows of problems to others."""
    sleep(2)  # the tasks that have ended are told once in a second
    return [event for event in start_ray().timeline() if "send_shared" in event["name"]]


@for_each("kind, options", [("hard", {}), ("answers", {"missing": "incorrect"})])
def test_only_problems_in_several_blocks_are_sent(kind, options, tmp_path):
    data, before = make_data(kind), len(list_sends())
    samples = list_samples(data).sort_by("problem")
    names = samples["problem"].to_pylist()
    ends = [*(i for i in range(1, len(names)) if names[i] != names[i - 1])][9::10]
    blocks = [
        samples.slice(start, stop - start) for start, stop in pairwise([0, *ends, len(names)])
    ]
    whole = start_ray().data.from_arrow(blocks)
    assert_same(at_k.score(whole, **options), at_k.score(data, **options))
    assert len(list_sends()) == before
    assert_same(
        at_k.score(as_ray(list_samples(data), tmp_path), **options), at_k.score(data, **options)
    )
    assert len(list_sends()) == before + 4


def test_recipes_of_the_documents(tmp_path):
    start_ray()
    run_recipes("ray", tmp_path)
