"""tau-bench: numbered trials, of which those that raised an exception are missing."""

import json

import pytest
from readers.broken import check_variants
from readers.expected import HARNESS

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

FILE = HARNESS / "tau-bench" / "tau_bench_gpt-4o-airline.json"


def write(path, *trials):
    whole = {"task_id": 0, "reward": 1.0, "info": {}, "traj": [], "trial": 0}
    path.write_text(json.dumps([whole | trial for trial in trials]))
    return path


def test_the_published_numbers():
    report = at_k.score(FILE, k=[1, 2, 3, 4])
    # README of sierra-research/tau-bench, leaderboard "Airline", row "TC (gpt-4o)", in three decimals.
    published = [0.420, 0.273, 0.220, 0.200]
    assert [round(report.values[f"G-Pass@{k}_1.0"], 3) for k in (1, 2, 3, 4)] == published
    assert report.n == [4] * 50


def test_every_trial_is_read():
    trials = json.loads(FILE.read_text(encoding="utf-8"))
    samples = read_samples(FILE)
    rewards = {}
    for each in sorted(trials, key=lambda each: each["trial"]):
        rewards.setdefault(str(each["task_id"]), []).append(each["reward"])
    assert dict(zip(samples.problems, samples.grades, strict=True)) == rewards
    assert samples.numbers == [[0, 1, 2, 3]] * 50


def test_success_is_a_reward_of_one(tmp_path):
    rewards = [1.0, 1, 1 - 1e-9, 0.99, 0.0, None]
    path = write(tmp_path / "f", *({"reward": each, "trial": place} for place, each in enumerate(rewards)))
    assert read_samples(path).grades == [[1.0, 1.0, 1.0, 0.0, 0.0, None]]
    with pytest.raises(InputError, match="sample 1"):
        read_samples(write(tmp_path / "g", {"reward": 2.0}))


def test_a_trial_that_raised_an_exception_is_missing(tmp_path):
    path = write(tmp_path / "f", {}, {"trial": 1, "reward": 0.0, "info": {"error": "", "traceback": ""}})
    assert read_samples(path).grades == [[1.0, None]]


def test_two_runs_number_their_trials_alike(tmp_path):
    with pytest.raises(InputError, match="Sample 0 of problem 0 is there twice: sample 1 and sample 2"):
        read_samples(write(tmp_path / "f", {}, {}))
    one, other = (write(tmp_path / name, {}, {"task_id": 1}) for name in ("run_0", "run_1"))
    with pytest.raises(InputError, match='pool="file"') as caught:
        read_samples([one, other])
    assert caught.value.code == "merging.clash"
    assert read_samples([one, other], pool="file").grades == [[1.0, 1.0]] * 2


def test_broken(tmp_path):
    check_variants(FILE, tmp_path, lambda document: [document])
