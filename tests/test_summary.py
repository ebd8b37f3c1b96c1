"""Means over problems and groups, details, and the spelling of keys."""

import json
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from cases import for_each

from at_k import summarize, summary
from at_k.grading import judge
from at_k.problems import Problems
from at_k.summary import join_conditions, make_details, spell
from at_k.values import Column, Key, Values


def test_the_plain_mean():
    result = summarize({"pass@1": [1.0, 0.5, 0.0], "pass@2": np.array([1, 1, 0])})
    assert result == {"pass@1": 0.5, "pass@2": 2 / 3}
    assert {type(value) for value in result.values()} == {float}
    assert list(result) == ["pass@1", "pass@2"]


def test_the_sum_is_rounded_once():
    """The order of the problems does not matter, not even in the last digit."""
    rng = np.random.default_rng(0)
    values = [*(rng.random(999) * 10.0 ** rng.integers(-12, 1, size=999)).tolist(), 1e16, -1e16]
    total = float(sum(map(Fraction, values)))
    for _ in range(5):
        rng.shuffle(values)
        assert summarize({"max@1": values})["max@1"] == total / len(values)


def test_groups():
    result = summarize({"a@1": [1.0, 0.0, 0.5], "b@1": [0, 0, 1]}, groups=["AIME_2024", "AIME_2025", "AIME_2024"])
    assert result == {
        "a@1": 0.5,
        "b@1": 1 / 3,
        "AIME_2024/a@1": 0.75,
        "AIME_2024/b@1": 0.5,
        "AIME_2025/a@1": 0,
        "AIME_2025/b@1": 0,
    }


def test_groups_come_in_the_order_in_which_they_are_met():
    assert list(summarize({"a": [1, 2, 3]}, groups=["z", "a", "z"])) == ["a", "z/a", "a/a"]
    assert summarize({"a": [1, 2]}, groups=[7, 8]) == {"a": 1.5, "7/a": 1, "8/a": 2}


@for_each(
    "key, plain",
    [
        ("pass@8", "pass_at_8"),
        ("G-Pass@8_0.5", "g_pass_at_8_0.5"),
        ("mG-Pass@8", "mg_pass_at_8"),
        ("pass^8", "pass_hat_8"),
        ("avg@n", "avg_at_n"),
        ("cons@64", "cons_at_64"),
        ("accuracy", "accuracy"),
    ],
)
def test_key_styles(key, plain):
    assert spell(key, "plain") == plain
    assert spell(key, "standard") == key
    assert summarize({key: [0.5]}, key_style="plain") == {plain: 0.5}


def test_plain_keys_leave_groups_as_they_are():
    result = summarize({"pass@1": [0.5]}, groups=["A@b-c"], key_style="plain")
    assert result == {"pass_at_1": 0.5, "A@b-c/pass_at_1": 0.5}


def test_the_error_of_a_mean_of_simulated_values():
    result = summarize({"a": [0.5, 0.5, 1.0], "b": [1, 1, 1]}, mcse={"a": [0.03, 0.04, 0], "b": [0, 0, 0]})
    assert result == {"a": 2 / 3, "a_mcse": pytest.approx(0.05 / 3, rel=1e-15), "b": 1}  # √(0.03² + 0.04²)/3


def test_the_error_of_a_group():
    result = summarize({"pass@1": [0.5, 0.5, 1.0]}, mcse={"pass@1": [0.03, 0.04, 0]}, groups=["a", "a", "b"])
    assert result["a/pass@1_mcse"] == pytest.approx(sqrt(0.03**2 + 0.04**2) / 2, rel=1e-15)
    assert "b/pass@1_mcse" not in result


@for_each(
    "per_problem, options, error, said",
    [
        ({}, {}, ValueError, ["`per_problem`"]),
        ({"a": []}, {}, ValueError, ["`per_problem`", "(0,)", "'a'"]),
        ({"a": [[1, 2]]}, {}, ValueError, ["`per_problem`", "(1, 2)", "'a'"]),
        ({"a": 0.5}, {}, ValueError, ["`per_problem`", "()", "'a'"]),
        ({"a": [1, 2], "b": [1]}, {}, ValueError, ["`a`", "`b`", "2 and 1"]),
        ({"a": ["0.5", "1"]}, {}, TypeError, ["`per_problem`", "'a'"]),
        ({"a": [1, None]}, {}, TypeError, ["`per_problem`", "'a'"]),
        ({"a": [1, float("nan")]}, {}, ValueError, ["`per_problem`", "nan", "'a'", "problem 1"]),
        ({1: [1]}, {}, TypeError, ["`per_problem`", "1"]),
        ([1], {}, TypeError, ["`per_problem`", "[1]"]),
        ({"a": [1]}, {"mcse": {"b": [0.1]}}, ValueError, ["`mcse`", "'b'"]),
        ({"pass@1": [1], "pass_at_1": [0]}, {"key_style": "plain"}, ValueError, ["`key_style`", "'plain'"]),
        ({"a": [1, 2]}, {"groups": ["x"]}, ValueError, ["`groups`", "1 and 2"]),
        ({"a": [1, 2]}, {"groups": ["x", None]}, ValueError, ["`groups`", "None", "problem 1"]),
        ({"a": [1, 2]}, {"groups": ["x", 0.5]}, TypeError, ["`groups`", "0.5", "problem 1"]),
        ({"a": [1, 2]}, {"groups": "xy"}, TypeError, ["`groups`", "'xy'"]),
        ({"a": [1, 2]}, {"key_style": "short"}, ValueError, ["`key_style`", "'short'", "'plain'"]),
        ({"a": [1, 2]}, {"key_style": None}, TypeError, ["`key_style`", "None"]),
        ({"a": [1, 2]}, {"mcse": {"a": [0.1]}}, ValueError, ["`mcse['a']`", "2 and 1"]),
    ],
)
def test_errors(per_problem, options, error, said):
    with pytest.raises(error) as caught:
        summarize(per_problem, **options)
    for words in said:
        assert words in str(caught.value)


@for_each("key_style, key", [("standard", "pass@1"), ("plain", "pass_at_1")])
def test_details(key_style, key):
    verdicts = judge(Problems.read(grades=[[1, 1, 0, None], [1, 1]]), missing="incorrect")
    values = Values({Key("pass@k", 1): Column(np.array([0.5, 1.0]), np.array([0, 1]))}, conditions={"k": (1,)})
    found = make_details(values, verdicts, name="pass_at_k", version="1.2.3", key_style=key_style)
    assert found == {
        "n_problems": 2,
        "n_samples": 6,
        "n_missing": 1,
        "n_unanswered": 0,
        "not_graded": {},
        "per_problem": {"n": [4, 2], "c": [2, 2], key: [0.5, 1.0]},
        "signature": "pass_at_k|n:2-4|k:1|threshold:0.5|missing:incorrect|checker:graded|estimator:exact|version:1.2.3",
    }
    assert json.loads(json.dumps(found)) == found


def test_conditions():
    assert join_conditions("gpassk", k=(4, 8), thresholds=[0.5, 1.0], n=16, ties="random") == (
        "gpassk|k:4,8|thresholds:0.5,1.0|n:16|ties:random"
    )
    assert join_conditions("avg_at_n") == "avg_at_n"


def test_values_that_problems_share_have_the_mean_of_all():
    """Each level is split in two, so that its products with counts are exact: the mean is that of the values listed."""
    rng = np.random.default_rng(0)
    levels, which = rng.random(65), rng.integers(0, 65, 20_000)
    groups = (np.arange(20_000) % 3).tolist()
    shared = summarize({"a": Column(levels, which)}, groups=groups)
    assert shared == summarize({"a": levels[which]}, groups=groups)
    assert shared["a"] == float(sum(map(Fraction, levels[which].tolist()))) / 20_000


def test_a_mean_of_large_numbers():
    assert summarize({"max@1": [1.7e308] * 3})["max@1"] == pytest.approx(1.7e308, rel=1e-15)


@pytest.mark.parametrize("largest", [50, 2**20, 2**45])
def test_the_mean_of_levels_is_rounded_once(largest):
    """The sum is that of exact fractions, rounded; the division rounds it once more."""
    rng = np.random.default_rng(0)
    for size in (1, 3, 40):
        levels = rng.random(size)
        counts = rng.integers(0, largest, size) + 1
        exact = sum(Fraction(level) * int(count) for level, count in zip(levels, counts, strict=True))
        assert summary.mean_of_levels(levels, counts) == float(exact) / int(counts.sum())


@for_each("sizes, shown", [((3, 5, 4), "n:3-5"), ((4, 4), "n:4")])
def test_the_samples_that_a_signature_states(sizes, shown):
    verdicts = judge(Problems.read(grades=[[1] * size for size in sizes]))
    values = Values({Key("pass@k", 1): Column.of([1.0] * len(sizes))})
    signed = summary.sign(values, verdicts, name="pass_at_k", seed=0, version="1")
    assert signed.split("|")[:2] == ["pass_at_k", shown]


def test_the_error_of_exact_values_is_zero():
    assert summary.average_error(np.zeros(3)) == 0.0


def test_a_group_does_not_write_over_a_column():
    with pytest.raises(ValueError, match="`groups` must not make two keys alike; a group and a column both make 'a/x'"):
        summarize({"x": [1.0, 0.0], "a/x": [0.0, 0.0]}, groups=["a", "b"])
