"""Harbor: a folder for each trial of a job."""

import json
from pathlib import Path

import pytest

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

JOB = Path(__file__).parents[2] / "data" / "harness" / "harbor" / "job"


def trial(task, reward, **more):
    """Make what `harbor.models.trial.result.TrialResult` holds, as far as it is read."""
    return {
        "task_name": task,
        "trial_name": f"{task}__x",
        "agent_info": {"name": "agent", "model_info": {"name": "m", "provider": "p"}},
        "agent_result": {"cost_usd": 0.25, "n_input_tokens": 10, "n_output_tokens": 2},
        "verifier_result": {"rewards": {"reward": reward}},
        "exception_info": None,
    } | more


def write(folder, *trials):
    for place, each in enumerate(trials):
        # The names of trials are random.
        path = folder / f"{each['task_name']}__{'kQzR'[place % 4]}{'aXb'[place % 3]}{place}" / "result.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(each, indent=2))
    (folder / "result.json").write_text(json.dumps({"id": "job", "stats": {}, "n_total_trials": len(trials)}))
    return folder


def test_the_trials_of_a_job(tmp_path):
    failed = {"exception_info": {"exception_type": "AgentTimeoutError"}, "verifier_result": None}
    samples = read_samples(write(tmp_path, *(trial(t, r) for t in "ab" for r in (1.0, 0.0)), trial("a", 0, **failed)))
    assert {name: sorted(map(str, own)) for name, own in zip(samples.problems, samples.grades, strict=True)} == {
        "a": ["0.0", "1.0", "None"],
        "b": ["0.0", "1.0"],
    }
    assert samples.origin.subject == {"model": "m"}
    assert json.loads(samples.listed("meta")[1])["cost_usd"] == [0.25, 0.25]


def test_rewards_have_names(tmp_path):
    rewards = {"verifier_result": {"rewards": {"style": 0.0, "tests": 1.0}}}
    samples = read_samples(write(tmp_path, trial("a", 0, **rewards), trial("b", 0, **rewards)))
    assert (samples.grades, samples.origin.chosen) == ([[0], [0]], {"scorer": "style"})
    assert "tests" in str(samples.origin.notes[1])
    assert read_samples(tmp_path, scorer="tests").grades == [[1], [1]]
    assert read_samples(tmp_path, columns={"grades": "verifier_result.rewards.tests"}).grades == [[1], [1]]


def test_a_trial_alone_and_a_broken_one(tmp_path):
    write(tmp_path, trial("a", 1.0), trial("b", 7))
    one, other = sorted(tmp_path.glob("*/result.json"))
    assert read_samples(one).grades == [[1]]
    with pytest.raises(InputError, match="got 7") as caught:
        read_samples(tmp_path)
    assert str(other) in str(caught.value)


def test_two_models(tmp_path):
    other = {"agent_info": {"name": "agent", "model_info": {"name": "n"}}}
    with pytest.raises(InputError, match="Column “model” has several values"):
        read_samples(write(tmp_path, trial("a", 1.0), trial("a", 0.0, **other)))


def test_a_real_job_of_an_agent_without_a_model():
    """Eight trials of which one failed. Harbor printed a mean of 0.625."""
    samples = read_samples(JOB)
    assert dict(zip(samples.problems, ([sorted(map(str, own)) for own in samples.grades]), strict=True)) == {
        "a": ["0.0", "1.0", "1.0", "1.0"],
        "b": ["0.0", "1.0", "1.0", "None"],
    }
    assert samples.origin.subject == {"model": "nop"}
    assert at_k.score(JOB, missing="incorrect").values["accuracy"] == 0.625
    assert read_samples(JOB, scorer="short").grades[0] == [1, 1, 1, 1]


def test_two_agents_with_one_model(tmp_path):
    other = {"agent_info": {"name": "another", "model_info": {"name": "m"}}}
    write(tmp_path, trial("a", 1.0), trial("a", 0.0, **other))
    with pytest.raises(InputError, match="Column “system” has several values: “another”, “agent”"):
        read_samples(tmp_path)
    assert read_samples(tmp_path, where={"system": "agent"}).grades == [[1]]
