"""What correct samples cost, where the data say what each sample costs."""

import json

import pytest
from cases import for_each
from diagnoses import codes, said

from at_k.analysis.diagnosis import diagnose
from at_k.report import Report, score

DATA = {
    "grades": [[1, 0], [1, 1], [0, 0], [0, 1]],
    "cost_usd": [[1.0, 2.0], [0.5, 0.5], [1.0, 1.0], [2.0, 0.0]],
    "group": ["x", "x", "y", "y"],
}


def test_each_name_of_a_cost_has_its_sentence_and_its_figures():
    found = diagnose(DATA | {"tokens_out": [[10, 20]] * 4})
    assert list(found.figures["costs"]) == ["cost_usd", "tokens_out"]
    figures = found.figures["costs"]["cost_usd"]
    assert (figures["total"], figures["per_sample"], figures["per_success"]["value"]) == (8, 1, 2)
    # Two samples of each problem cost as much as was spent, and one half of it; pass@1 is ½, pass@2 is ¾.
    assert figures["coverage"] == [{"k": 1, "cost": 4, "solved": 2}, {"k": 2, "cost": 8, "solved": 3}]
    assert str(said(DATA, "cost")) == (
        "A correct sample takes 2 [0.3302, 12.12] of cost_usd, with all samples that were drawn for it; a sample alone "
        "takes 1."
    )
    json.dumps(found.to_dict(), allow_nan=False)


def test_clusters_widen_the_interval():
    alone, together = (diagnose(DATA, clusters=clusters).figures["costs"]["cost_usd"]["per_success"]["high"]
                       for clusters in (None, True))  # fmt: skip
    assert together > alone


@for_each(
    "costs",
    [
        [[1.0, 2.0], [0.5, 0.5], [1.0, 1.0], [2.0, None]],
        [[1.0, 2.0], [0.5, 0.5], [1.0, 1.0], [2.0]],
        [[1.0, 2.0], [0.5, 0.5], [1.0, 1.0], [2.0, -1.0]],
        [3.0, 1.0, 2.0, 2.0],
        [[0.0, 0.0]] * 4,
        ["a", "b", "c", "d"],
    ],
)
def test_what_is_no_cost_of_every_sample(costs):
    assert diagnose(DATA | {"cost_usd": costs}).figures["costs"] is None


def test_where_nothing_is_solved_there_is_no_cost_of_a_success():
    data = DATA | {"grades": [[0, 0]] * 4}
    assert diagnose(data).figures["costs"]["cost_usd"]["per_success"] == {"value": None, "low": 0, "high": None}
    assert "cost" not in codes(data)


@pytest.mark.parametrize("missing", ["drop", "incorrect"])
def test_a_file_has_the_cost_of_samples_without_a_verdict_too(tmp_path, missing):
    rewards = {"x": (1.0, 0.0), "y": (1.0, None)}
    simulations = [
        {"id": f"{task}{trial}", "task_id": task, "trial": trial, "agent_cost": 0.5, "termination_reason": "user_stop"}
        | {"reward_info": None if reward is None else {"reward": reward}}
        for task, own in rewards.items() for trial, reward in enumerate(own)
    ]  # fmt: skip
    info = {"agent_info": {"llm": "m"}, "environment_info": {"domain_name": "retail"}}
    tasks = [{"id": task} for task in rewards]
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"timestamp": "", "info": info, "tasks": tasks, "simulations": simulations}))
    figures = diagnose(path, missing=missing).figures["costs"]["agent_cost"]
    assert (figures["total"], figures["per_success"]["value"]) == (2, 1)


def test_a_saved_report_has_no_costs(tmp_path):
    score(DATA).save(tmp_path / "r.json")
    assert diagnose(Report.load(tmp_path / "r.json")).figures["costs"] is None
