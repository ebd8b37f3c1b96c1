"""Rules that name samples: the attempts that failed, both denominators, and what a correct sample costs."""

import json
from math import exp, inf, log

import numpy as np
import pytest
from cases import for_each
from diagnoses import codes, said
from scipy import stats

from at_k.analysis.diagnosis import diagnose
from at_k.uncertainty.standard_errors import cost_per_success

DATA = {
    "problem": ["easy", "shaky", "hard", "odd"],
    "grades": [[1, 1, 1], [1, 0, 1], [0, 0, 0], [0, 1, 0]],
}
COSTS = {
    "grades": [[1, 0], [1, 1], [0, 0], [0, 1]],
    "cost_usd": [[1.0, 2.0], [0.5, 0.5], [1.0, 1.0], [2.0, 0.0]],
    "group": ["x", "x", "y", "y"],
}
GAPS = {"problem": ["a", "b"], "grades": [[None, 0, 1], [1, None, 0]]}


@for_each("data, missing, failed, names", [
    (DATA, "error", {"shaky": [1], "odd": [0, 2]}, "2 of 4 … of those with the fewest: “shaky” 1; “odd” 0, 2."),
    (GAPS, "drop", {"a": [1], "b": [2]}, ""),  # samples keep their places
    (GAPS, "incorrect", {"a": [0, 1], "b": [1, 2]}, ""),
    ({"grades": [[1] + [0] * 20]}, "error", {"0": list(range(1, 21))}, "1, 2, 3, 4, 5, 6, 7, 8, …"),
    ({"grades": [[1, 1], [0, 0]]}, "error", {}, None),
])  # fmt: skip
def test_flaky_problems_are_named_with_the_samples_that_failed(data, missing, failed, names):
    found = diagnose(data, missing=missing)
    assert found.figures["flaky"] == failed
    sentences = [str(each) for each in found.sentences if each.code == "diagnosis.flaky"]
    assert len(sentences) == (names is not None)
    assert names is None or all(part in sentences[0] for part in names.split(" … "))


@for_each("missing", ["drop", "incorrect"])
def test_both_denominators(missing):
    data = {"grades": [[1, None, 0, 1], [None, 1, 0, 1]]}
    sentence = str(said(data, "missing", missing=missing))
    assert (
        sentence
        == "Missing samples: 2 of 8. Accuracy: 50.0% of all samples, 66.7% of graded samples."
    )
    figures = diagnose(data, missing=missing).figures
    assert (figures["correct_of_all"], figures["correct_of_present"]) == (0.5, 4 / 6)
    assert "missing" not in codes(DATA)


def test_each_name_of_a_cost_has_its_sentence_and_its_figures():
    found = diagnose(COSTS | {"tokens_out": [[10, 20]] * 4})
    assert list(found.figures["costs"]) == ["cost_usd", "tokens_out"]
    figures = found.figures["costs"]["cost_usd"]
    assert (figures["total"], figures["per_sample"], figures["per_success"]["value"]) == (8, 1, 2)
    # Two samples of each problem cost as much as was spent, and one half of it; pass@1 is ½, pass@2 is ¾.
    assert figures["coverage"] == [
        {"k": 1, "cost": 4, "solved": 2},
        {"k": 2, "cost": 8, "solved": 3},
    ]
    assert str(said(COSTS, "cost")) == (
        "Cost per success, in cost_usd: 2 [0.3302, 12.12] (failures included). Cost per sample: 1."
    )
    json.dumps(found.to_dict(), allow_nan=False)
    together = diagnose(COSTS, clusters=True).figures["costs"]["cost_usd"]
    assert together["per_success"]["high"] > figures["per_success"]["high"]


@for_each("costs", [
    *[[[1.0, 2.0], [0.5, 0.5], [1.0, 1.0], last] for last in ([2.0, None], [2.0], [2.0, -1.0], [2.0, float("nan")])],
    *([3.0, 1.0, 2.0, 2.0], [[0.0, 0.0]] * 4, ["a", "b", "c", "d"]),
])  # fmt: skip
def test_invalid_costs_are_left_out(costs):
    assert diagnose(COSTS | {"cost_usd": costs}).figures["costs"] is None


def test_unsolved_problems_have_no_cost_of_a_success():
    data = COSTS | {"grades": [[0, 0]] * 4}
    assert diagnose(data).figures["costs"]["cost_usd"]["per_success"] == {
        "value": None,
        "low": 0,
        "high": None,
    }
    assert "cost" not in codes(data)


@pytest.mark.parametrize("missing", ["drop", "incorrect"])
def test_a_file_has_the_cost_of_samples_without_a_verdict_too(tmp_path, missing):
    rewards = {"x": (1.0, 0.0), "y": (1.0, None)}
    simulations = [
        {
            "id": f"{task}{trial}",
            "task_id": task,
            "trial": trial,
            "agent_cost": 0.5,
            "termination_reason": "user_stop",
        }
        | {"reward_info": None if reward is None else {"reward": reward}}
        for task, own in rewards.items()
        for trial, reward in enumerate(own)
    ]
    info = {"agent_info": {"llm": "m"}, "environment_info": {"domain_name": "retail"}}
    tasks = [{"id": task} for task in rewards]
    path = tmp_path / "results.json"
    path.write_text(
        json.dumps({"timestamp": "", "info": info, "tasks": tasks, "simulations": simulations})
    )
    figures = diagnose(path, missing=missing).figures["costs"]["agent_cost"]
    assert (figures["total"], figures["per_success"]["value"]) == (2, 1)


def find_ends(units, level):
    """exp(log r ± t·se) by the jackknife, for pairs of cost and successes."""
    size = len(units)
    left = [
        log((sum(cost for cost, _ in units) - cost) / (sum(c for _, c in units) - c))
        for cost, c in units
    ]
    variance = (size - 1) / size * sum((each - sum(left) / size) ** 2 for each in left)
    factor = exp(stats.t.ppf((1 + level) / 2, size - 1) * variance**0.5)
    value = sum(cost for cost, _ in units) / sum(c for _, c in units)
    return value / factor, value * factor


@for_each("clusters", [list("abcdefgh"), list("aabbccdd"), list("aaabcdde")])
def test_the_interval_is_the_hull_of_three_jackknives_of_the_logarithm(clusters):
    costs, successes = (
        np.array([3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.5, 6.0]),
        np.array([2, 1, 0, 3, 1, 4, 0, 2]),
    )
    rows = list(zip(clusters, costs, successes, strict=True))
    units = [
        (
            sum(cost for own, cost, _ in rows if own == label),
            sum(c for own, _, c in rows if own == label),
        )
        for label in dict.fromkeys(clusters)
    ]
    plain = find_ends(units, 0.9)
    low, _ = find_ends([*units, (4.0, 0.75 * 4)], 0.9)  # the mean cost is 32/8, and n is 4
    _, high = find_ends([*units, (4.0, 0.25 * 4)], 0.9)
    expected = (32 / 13, min(plain[0], low), max(plain[1], high))
    found = cost_per_success(costs, successes, 4, clusters=clusters, confidence_level=0.9)
    assert found == pytest.approx(expected)
    assert (
        cost_per_success(costs, successes, np.full(8, 4), clusters=clusters, confidence_level=0.9)
        == found
    )


@for_each("costs, successes, value", [
    ([1, 2], [0, 0], inf),
    ([1, 2], [0, 1], 3),  # without the second problem nothing is solved
    *[([2], [1], 2), ([0, 0], [1, 1], 0)],
])  # fmt: skip
def test_unbounded_costs_have_no_interval(costs, successes, value):
    assert cost_per_success(np.array(costs), np.array(successes), 4) == pytest.approx(
        (value, 0, inf)
    )


@for_each("costs, successes, value", [([2, 2, 2], [2, 2, 2], 1), ([0.1, 0.2, 0.3], [1, 2, 3], 0.1)])
def test_equal_ratios_have_an_interval(costs, successes, value):
    found = cost_per_success(np.array(costs), np.array(successes), 4)
    assert found.value == pytest.approx(value)
    assert 0 < found.low < value < found.high < inf


@for_each("mean, spread, problems", [(0.9, 8, 15), (0.9, 0.6, 30), (0.2, 8, 15)])
def test_the_interval_of_a_cost_covers(mean, spread, problems):
    """Of 400 data sets, a coverage of .93 has a standard error of .013."""
    rng, covered = np.random.default_rng(0), 0

    def draw(size):
        p = rng.beta(mean * spread, (1 - mean) * spread, size)
        return (1.5 - p) * rng.lognormal(0, 0.5, size=(4, size)).sum(axis=0), rng.binomial(4, p)

    costs, successes = draw(200_000)  # the truth, to a quarter of a per cent
    truth = costs.sum() / successes.sum()
    for _ in range(400):
        _, low, high = cost_per_success(*draw(problems), 4)
        covered += low <= truth <= high
    assert covered / 400 >= 0.91


def test_nothing_failed_or_nothing_succeeded():
    """1 − .05^(1/M) of the problems, and log(.05)/log(.99) samples."""
    for grade, code in ((1, "all_solved"), (0, "none_solved")):
        found = diagnose({"grades": [[grade] * 4] * 30})
        assert code in codes({"grades": [[grade] * 4] * 30})
        assert found.figures["no_event"] == {
            "bound": pytest.approx(1 - 0.05 ** (1 / 30)),
            "rate": 0.01,
            "samples": 299,
        }
    assert diagnose(DATA).figures["no_event"] is None


def test_dear_failures_are_held_by_the_upper_end():
    """Thirty problems; failures are rare, and cost five times as much."""
    rng = np.random.default_rng(0)

    def draw(count):
        fails = rng.random((count, 4)) < rng.choice([0.0, 0.5], (count, 1), p=[0.85, 0.15])
        costs = rng.lognormal(0, 0.3, (count, 4)) * np.where(fails, 5, 1)
        return costs.sum(axis=1), (~fails).sum(axis=1)

    costs, successes = draw(200_000)
    truth = costs.sum() / successes.sum()
    found = [cost_per_success(*draw(30), 4) for _ in range(300)]
    assert np.mean([each.low <= truth <= each.high for each in found]) >= 0.93 - 0.015
