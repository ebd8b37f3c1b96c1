"""tau2-bench: simulations in one file, or in a folder."""

import json

import pytest
from readers.broken import check_variants

from at_k.errors import InputError
from at_k.readers import read_samples


def simulation(task, number, reward, **more):
    info = None if reward is None else {"reward": reward}
    end = "too_many_errors" if reward is None else "user_stop"
    return {"id": f"{task}{number}", "task_id": task, "trial": number, "reward_info": info} | {
        "termination_reason": end,
        "agent_cost": 0.5,
        **more,
    }


SIMULATIONS = [
    simulation(task, n, r) for task, own in {"x": (1.0, 0.5), "y": (1 - 1e-9, None)}.items() for n, r in enumerate(own)
]
INFO = {"agent_info": {"llm": "m"}, "environment_info": {"domain_name": "retail"}}


def whole(simulations=SIMULATIONS):
    return {"timestamp": "…", "info": INFO, "tasks": [{"id": "x"}, {"id": "y"}], "simulations": simulations}


def test_one_file(tmp_path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps(whole()))
    samples = read_samples(path)
    assert dict(zip(samples.problems, samples.grades, strict=True)) == {"x": [1, 0], "y": [1, None]}
    assert samples.origin.subject == {"task": "retail", "model": "m"}
    ends = json.loads(samples.listed("meta")[1])["termination_reason"]
    assert ends == ["user_stop", "too_many_errors"]


def test_a_folder(tmp_path):
    for place, each in enumerate(SIMULATIONS):
        (tmp_path / f"simulation_{place}.json").write_text(json.dumps(each))
    samples = read_samples(tmp_path)
    assert dict(zip(samples.problems, samples.grades, strict=True)) == {"x": [1, 0], "y": [1, None]}


def test_a_trial_that_is_there_twice(tmp_path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps(whole([SIMULATIONS[0]] * 2)))
    with pytest.raises(InputError, match="Sample 0 of problem “x” is there twice"):
        read_samples(path)


def test_broken(tmp_path):
    right = tmp_path / "results.json"
    right.write_text(json.dumps(whole()))
    check_variants(right, tmp_path, lambda document: [document["simulations"]], missing="incorrect")
