"""Environments and agents: which trials count, and which are problems of their own."""

import json
from fractions import Fraction

import pytest
from readers.expected import HARNESS
from readers.formats.rules import job, trial
from readers.reading import Json, found, over, put, refused

import at_k
from at_k.readers import read_samples


def trials(*rows):
    whole = {"task_id": 0, "reward": 1.0, "info": {}, "traj": [], "trial": 0}
    return Json([whole | row for row in rows])


test_tau_bench = over(
    {
        "success is a reward of one": (
            [
                {"reward": reward, "trial": n}
                for n, reward in enumerate([1.0, 1, 1 - 1e-9, 0.99, 0.0, None])
            ],
            found([[1, 1, 1, 0, 0, None]]),
        ),
        "a reward that is no grade": (
            [{"reward": 2.0}],
            refused("cells.grade", value="2.0", place="sample 1"),
        ),
        "an exception": (
            [{}, {"trial": 1, "reward": 0.0, "info": {"error": ""}}],
            found([[1, None]]),
        ),
        "two runs in one file": (
            [{}, {}],
            refused(
                "collector.repeated", number="0", name="“0”", first="sample 1", place="sample 2"
            ),
        ),
    },
    trials,
)

test_files_of_tau_bench = over(
    {
        "two runs number their trials alike": (
            {name: trials({}, {"task_id": 1}) for name in ("run_0.json", "run_1.json")},
            refused("merging.clash"),
            ({"pool": "file"}, found([[1, 1]] * 2)),
        ),
    }
)


def test_every_trial_of_tau_bench_is_read():
    file = HARNESS / "tau-bench" / "tau_bench_gpt-4o-airline.json"
    rewards = {}
    for each in sorted(
        json.loads(file.read_text(encoding="utf-8")), key=lambda each: each["trial"]
    ):
        rewards.setdefault(str(each["task_id"]), []).append(each["reward"])
    found(rewards, numbers=[[0, 1, 2, 3]] * 50).compare(file, {})


def simulation(task, number, reward):
    ended = "too_many_errors" if reward is None else "user_stop"
    own = {
        "task_id": task,
        "trial": number,
        "reward_info": None if reward is None else {"reward": reward},
    }
    return own | {"id": f"{task}{number}", "termination_reason": ended, "agent_cost": 0.5}


SIMULATIONS = [
    simulation(task, n, r)
    for task, own in {"x": (1.0, 0.5), "y": (1 - 1e-9, None)}.items()
    for n, r in enumerate(own)
]


def simulations(*rows):
    info = {"agent_info": {"llm": "m"}, "environment_info": {"domain_name": "retail"}}
    return Json(
        {"timestamp": "…", "info": info, "tasks": [{"id": "x"}, {"id": "y"}], "simulations": rows}
    )


test_tau2_bench = over(
    {
        "one file": (
            SIMULATIONS,
            found(
                {"x": [1, 0], "y": [1, None]},
                subject={"task": "retail", "model": "m"},
                reasons={"infrastructure": 1},
            ),
        ),
        "one file for each": (
            {f"simulation_{n}.json": Json(each) for n, each in enumerate(SIMULATIONS)},
            found({"x": [1, 0], "y": [1, None]}, harness="tau2-bench"),
        ),
        "a trial twice": (
            [SIMULATIONS[0]] * 2,
            refused("collector.repeated", number="0", name="“x”"),
        ),
    },
    simulations,
)


def test_details_of_simulations(tmp_path):
    samples = read_samples(put(tmp_path / "f", simulations(*SIMULATIONS)))
    ends = json.loads(samples.listed("meta")[1])["termination_reason"]
    assert ends == ["user_stop", "too_many_errors"]


def job_of(*each):
    """Make a job with a file of its own, whose trials say what they cost."""
    cost = {"agent_result": {"cost_usd": 0.25, "n_input_tokens": 10, "n_output_tokens": 2}}
    return job(*(x | cost for x in each)) | {
        "result.json": Json({"id": "job", "stats": {}, "n_total_trials": 1})
    }


BOTH = {"verifier_result": {"rewards": {"style": 0.0, "tests": 1.0}}}
OTHER_AGENT = {"agent_info": {"name": "another", "model_info": {"name": "m"}}}
OTHER_MODEL = {"agent_info": {"name": "agent", "model_info": {"name": "n"}}}

test_harbor = over(
    {
        "trials of a job": (
            [
                trial("a", 1.0),
                trial("a", 0.0),
                trial("b", 1.0),
                trial("a", None, "AgentTimeoutError"),
            ],
            found(
                n=[3, 1],
                n_missing=1,
                reasons={"timeout": 1},
                subject={"model": "m", "system": "agent"},
            ),
        ),
        "a trial alone": (
            [trial("a", 1.0)],
            found(
                [[1]], meta=[{"cost_usd": [0.25], "n_input_tokens": [10], "n_output_tokens": [2]}]
            ),
        ),
        "rewards with names": (
            [trial(name, 0, **BOTH) for name in "ab"],
            found(
                [[0], [0]], chosen={"scorer": "style"}, notes=["note.bundle", "collector.choice"]
            ),
            ({"scorer": "tests"}, found([[1], [1]])),
            ({"columns": {"grades": "verifier_result.rewards.tests"}}, found([[1], [1]])),
        ),
        "a reward that is no grade": (
            [trial("a", 1.0), trial("b", 7)],
            refused("cells.grade", value="7"),
        ),
        "two models": (
            [trial("a", 1.0), trial("a", 0.0, **OTHER_MODEL)],
            refused("models.several", column="model"),
        ),
        "two agents with one model": (
            [trial("a", 1.0), trial("a", 0.0, **OTHER_AGENT)],
            refused("models.several", column="system"),
            ({"where": {"system": "agent"}}, found([[1]])),
        ),
    },
    job_of,
)


def test_a_real_job_of_an_agent_without_a_model():
    """Eight trials of which one failed. Harbor printed a mean of 0.625."""
    folder = HARNESS / "harbor" / "job"
    samples = read_samples(folder)
    assert dict(
        zip(samples.problems, ([sorted(map(str, own)) for own in samples.grades]), strict=True)
    ) == {
        "a": ["0.0", "1.0", "1.0", "1.0"],
        "b": ["0.0", "1.0", "1.0", "None"],
    }
    assert samples.origin.subject == {"model": "nop", "system": "nop"}
    assert at_k.score(folder, missing="incorrect").values["accuracy"] == 0.625
    assert read_samples(folder, scorer="short").grades[0] == [1, 1, 1, 1]


def rollouts(*rows):
    whole = {
        "example_id": 0,
        "completion": [],
        "answer": "7",
        "reward": 1.0,
        "error": None,
        "metrics": {},
    }
    return [whole | row for row in rows]


RIGHT = {"metrics": {"right": 1.0}}

test_verifiers = over(
    {
        "errors are missing whatever their reward": (
            [{}, {"error": {"error": "E"}, "reward": 1.0}, {"error": "E"}, {"error": ""}],
            found([[1, None, None, None]]),
        ),
        "a reward that is no grade": (
            [RIGHT, RIGHT | {"reward": 1.5}],
            refused("cells.grade", value="1.5", place="line 2"),
            ({"scorer": "right"}, found([[1, 1]])),
            ({"scale": (0, 2)}, found([[0.5, 0.75]])),
        ),
        "a metric that some do not have": (
            [RIGHT, {}, {"metrics": None}],
            found([[1, 1, 1]]),
            ({"scorer": "right"}, refused("collector.lack", field="“right”", place="line 2")),
            ({"scorer": "right", "errors": "skip"}, found([[1]], skipped={"collector.lack": 2})),
        ),
    },
    rollouts,
)


def test_metrics_and_fields_of_a_real_file_of_verifiers():
    file = HARNESS / "verifiers" / "results.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    found(chosen={"scorer": "reward"}, notes=["collector.choice"]).compare(file, {})
    found(read_samples(file).grades, notes=[]).compare(file, {"scorer": "correct"})
    refused("format.no_choice", found="“reward”, “correct”, “short”, “num_turns”").compare(
        file, {"scorer": "long"}
    )
    report = at_k.score(file, columns={"group": "level"}, missing="drop")
    levels = {str(row["example_id"]): row["info"]["level"] for row in rows}
    assert dict(zip(report.problems, report.labels, strict=True)) == levels
    assert read_samples(file).references == [[row["answer"]] for row in rows[::4]]


def episodes(*rows):
    return [
        {"task": {"data": {"idx": 0}}, "ok": True, "traces": [{"rewards": rewards}]}
        | (more[0] if more else {})
        for rewards, *more in rows
    ]


def rewards(**scores):
    return {
        name: {"score": score, "weight": 0.5 if len(scores) > 1 else 1}
        for name, score in scores.items()
    }


WHOLE = {name: {"score": 1, "weight": 1} for name in "ab"}

test_traces = over(
    {
        "the sum of weighted rewards": (
            [(rewards(a=1, b=0),)],
            found([[0.5]]),
            ({"scorer": "a"}, found([[1]], chosen={"scorer": "a"})),
        ),
        "a reward without a score": ([(rewards(a=None),)], found([[None]])),
        "no rewards": ([({},)], found([[None]])),
        "a reward in words": (
            [(rewards(a="high"),)],
            refused("collector.lack", field="“rewards.score”"),
        ),
        "what failed is missing": ([(rewards(a=1), {"ok": False})], found([[None]])),
        "a task with a key alone": (
            [(rewards(a=1), {"task": {"data": {}, "key": "k"}})],
            found({"k": [1]}),
        ),
        "a sum above one": (
            [(WHOLE,)],
            refused("cells.grade", value="2"),
            ({"scale": (0, 2)}, found([[1]])),
        ),
    },
    episodes,
)


def test_the_numbers_of_a_real_file_of_traces():
    file = HARNESS / "verifiers-traces" / "traces.jsonl"
    expected = {}
    for each in map(json.loads, file.read_text().splitlines()):
        reward = sum(own["score"] * own["weight"] for own in each["traces"][0]["rewards"].values())
        expected.setdefault(str(each["task"]["data"]["idx"]), []).append(reward)
    found(expected, harness="verifiers-traces", subject={"task": "toy"}).compare(file, {})
    report = at_k.score(file, k=[1, 2])
    assert report.values["pass@1"] == pytest.approx(float(Fraction(9, 20)), rel=1e-15)
    assert report.values["pass@2"] == pytest.approx(float(Fraction(11, 15)), rel=1e-15)
