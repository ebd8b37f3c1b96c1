"""Samples one by one give the numbers of `at_k.score`, and what cannot be counted is said and left out."""

from itertools import combinations
from statistics import mean

import numpy as np
import pytest
from cases import for_each

import at_k
from at_k.integrations.samples import measure_samples

GRADES = {"p": [1, 0, 0, 1], "q": [0, 0, 1, 0], "r": [0, 0, 0, 0]}
ROWS = [(name, grades[place]) for place in range(4) for name, grades in GRADES.items()]


def test_numbers_are_those_of_every_subset():
    found = measure_samples(*zip(*ROWS, strict=True), k=[1, 2])
    for k in (1, 2):
        by_hand = mean(mean(max(drawn) for drawn in combinations(grades, k)) for grades in GRADES.values())
        assert found[f"pass@{k}"] == pytest.approx(by_hand, abs=1e-15)  # sums in another order
    report = at_k.score({"grades": list(GRADES.values())}, k=[1, 2])
    bar = report.intervals["pass@2"]
    assert [found[f"pass@2_{end}"] for end in ("stderr", "ci_low", "ci_high")] == list(bar[:3])


def test_answers_vote():
    found = measure_samples("ppp", [1, 0, 1], ["7", None, "7"], k=3, confidence_level=None)
    assert found["cons@3"] == 1
    assert "cons@3_stderr" not in found


def test_samples_without_a_grade_and_large_k_are_left_out(caplog):
    found = measure_samples("ppqq", [1, 0, None, float("nan")], k=[1, 2, 4], metrics=["pass_at_k"])
    assert {key: found[key] for key in found if "_" not in key} == {"pass@1": 0.5, "pass@2": 1}
    assert "k = [1, 2, 4] is left out where it is above 2" in caplog.text
    assert measure_samples("p", [None]) == {}


def test_a_threshold_that_nothing_passes_is_said(caplog):
    assert measure_samples("pq", [0.5, 0.5])["pass@1"] == 0
    assert "no grade is above the threshold 0.5" in caplog.text
    assert measure_samples("pq", [-1, 1], threshold=0)["pass@1"] == 0.5


@pytest.mark.parametrize("seed", range(8))
def test_soft_grades_give_the_numbers_of_score(seed):
    """25 random data sets for each seed, ragged, with answers in some, in shuffled rows."""
    rng = np.random.default_rng(seed)
    for _ in range(25):
        sizes = rng.integers(1, 6, rng.integers(1, 5))
        grades = [rng.choice([0, 0.2, 0.5, 0.75, 1], size).tolist() for size in sizes]
        voted = rng.random() < 0.5
        answers = [[f"{grade}" for grade in row] for row in grades]
        threshold = float(rng.choice([0.1, 0.5, 0.75]))
        data = {"grades": grades} | ({"answers": answers} if voted else {})
        said = {"threshold": threshold, "k": 1, "confidence_level": None}
        report = at_k.score(data, sampling="independent", **said)  # so few may look as if sampling had stopped
        rows = [(i, grade, f"{grade}") for i, row in enumerate(grades) for grade in row]
        problems, flat, texts = zip(*(rows[place] for place in rng.permutation(len(rows))), strict=True)
        numbers = measure_samples(problems, flat, texts if voted else None, **said)
        expected = {key: value for key, value in report.values.items() if key != "mG-Pass@1"}
        assert set(numbers) == set(expected)
        assert numbers == pytest.approx(expected, abs=1e-12)  # sums in another order


def test_rewards_outside_of_grades_have_no_mean_grade():
    numbers = measure_samples("ppq", [-1, 2.5, 1], threshold=0, confidence_level=None)
    assert "accuracy" not in numbers
    assert numbers["pass@1"] == 0.75
    assert measure_samples("ppq", [0.5, 1, 1], confidence_level=None)["accuracy"] == 0.875


@for_each("problems, answers, said", [
    (["p"], None, "`problems` and `grades` must have as many samples; got 1 and 2"),
    (["p"] * 3, None, "`problems` and `grades` must have as many samples; got 3 and 2"),
    (["p"] * 2, ["x"], "`answers` and `grades` must have as many samples; got 1 and 2"),
    (["p"] * 2, ["x"] * 3, "`answers` and `grades` must have as many samples; got 3 and 2"),
])  # fmt: skip
def test_columns_of_different_length(problems, answers, said):
    with pytest.raises(ValueError, match=said):
        measure_samples(problems, [1, 0], answers)
