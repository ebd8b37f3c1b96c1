"""Names of metrics, as modules and as papers spell them."""

from fractions import Fraction

import numpy as np
import pytest
from cases import for_each, refuses

import at_k
from at_k.errors import InputError
from at_k.family import FAMILY
from at_k.report.naming import find_key, find_metrics

DATA = {
    "answers": [["4", "4", "5", "6"], ["7", "9", "7", "8"]],
    "references": ["4", "9"],
    "scores": [[0.9, 0.1, 0.2, 0.3], [0.1, 0.4, 0.2, 0.3]],
}


@pytest.mark.parametrize(
    ("names", "same", "numbers"),
    [
        ("pass@1", {"metrics": "pass_at_k", "k": [1]}, ["pass@1"]),
        ("PASS@2", {"metrics": "pass_at_k", "k": [2]}, ["pass@2"]),
        ("coverage@2", {"metrics": "pass_at_k", "k": [2]}, ["pass@2"]),
        ("pass@k", {"metrics": "pass_at_k"}, ["pass@1", "pass@2", "pass@4"]),
        ("pass^k", {"metrics": "gpassk", "thresholds": [1.0]}, ["G-Pass@4_1.0"]),
        ("pass^4", {"metrics": "gpassk", "k": [4], "thresholds": [1.0]}, ["G-Pass@4_1.0"]),
        ("maj@4", {"metrics": "cons_at_k", "k": [4]}, ["cons@4"]),
        ("self-consistency@4", {"metrics": "cons_at_k", "k": [4]}, ["cons@4"]),
        ("best@2", {"metrics": "best_at_k", "k": [2]}, ["best@2"]),
        ("avg@4", {"metrics": "avg_at_n"}, ["avg@4"]),
        ("accuracy", {"metrics": "avg_at_n"}, ["accuracy"]),
        ("mG-Pass@4", {"metrics": "gpassk", "k": [4]}, ["mG-Pass@4"]),
        ("G-Pass@4_0.5", {"metrics": "gpassk", "k": [4], "thresholds": [0.5]}, ["G-Pass@4_0.5"]),
        (
            ["G-Pass@2_2/3", "pass^4"],
            {"metrics": ["gpassk"], "k": [2, 4], "thresholds": [Fraction(2, 3), 1.0]},
            ["G-Pass@2_2/3", "G-Pass@4_1.0"],
        ),
        (["pass@1", "maj@4"], {"metrics": ["pass_at_k", "cons_at_k"], "k": [1, 4]}, ["pass@1", "cons@4"]),
        (["pass@1", "cons_at_k"], {"metrics": ["pass_at_k", "cons_at_k"], "k": [1]}, ["pass@1", "cons@1"]),
    ],
    ids=str,
)
def test_a_name_of_papers_is_a_number_of_a_module(names, same, numbers):
    found, expected = at_k.score(DATA, metrics=names), at_k.score(DATA, **same)
    assert found.values == {key: expected.values[key] for key in numbers}
    assert found.intervals == {key: bar for key, bar in expected.intervals.items() if key in numbers}
    assert found.signatures == expected.signatures
    assert found.options == {"metrics": names}
    assert at_k.score(at_k.Tally.of(DATA), metrics=names).values == pytest.approx(found.values, abs=1e-12)


def test_only_the_questions_that_were_asked_count_in_a_comparison():
    a, b = {"grades": [[1, 0, 1, 1]] * 3 + [[1] * 4] * 9}, {"grades": [[1, 0, 0, 0]] * 12}
    found = at_k.compare(a, b, metrics=["pass@1", "pass^4"])
    assert set(found.comparisons) == {"pass@1", "G-Pass@4_1.0"}


def test_every_number_is_found_by_its_name():
    for metric in FAMILY.values():
        for output in metric.outputs:
            assert find_key(output.metric) == (output.metric if output.of_module else None)


@pytest.mark.parametrize("given", [{"k": 2}, {"k": [2, 3]}])
def test_k_beside_a_name_with_another_k_is_an_error(given):
    with pytest.raises(InputError, match=r"`k=.* contradicts `metrics`, whose names hold 1\. Leave it out, or name"):
        at_k.score(DATA, metrics=["pass@1"], **given)
    assert at_k.score(DATA, metrics=["pass@1"], k=[1, 2]).k == (1, 2)  # the name holds for both


def test_thresholds_beside_a_name_with_another_one_are_an_error():
    with pytest.raises(InputError, match=r"`thresholds=.* contradicts `metrics`, whose names hold 1\.0"):
        at_k.score(DATA, metrics="pass^4", thresholds=0.5)
    with pytest.raises(ValueError, match=r"must be .*got 1\.5|must lie in \[0, 1\]|in \[0, 1\]"):
        at_k.score(DATA, metrics="G-Pass@4_1.5")


@pytest.mark.parametrize(
    ("name", "near"), [("passk", "pass^k, pass@k"), ("pas_at_k", "pass_at_k, cons_at_k"), ("majj@k", "max@k")]
)
def test_an_unknown_name_is_answered_with_the_nearest(name, near):
    with pytest.raises(InputError, match="`metrics` must be out of gpassk, pass_at_k") as caught:
        find_metrics(name)
    assert str(caught.value).endswith(f"got {name!r}. Near it: {near}.")


@for_each(
    "name, near",
    [("pass@0", "pass@1"), ("pass^-4", "pass^1"), ("maj@2.5", "cons@1"), ("G-Pass@0_0.5", "G-Pass@1_0.5"),
     ("avg@0", "avg@1")],
)  # fmt: skip
def test_a_number_of_no_samples_is_answered_with_one_of_some(name, near):
    refuses(f"InputError: There is no number '{name}': …, as in {near}.", find_metrics, name)


def test_avg_is_the_average_of_all_samples():
    assert at_k.score(DATA, metrics="avg").values == at_k.score(DATA, metrics="avg@n").values


@pytest.mark.parametrize("name", ["pass@n", "pass@0", "pass@", "avg@k", "pass@8_0.5", "@8", "", "cons@4_mcse"])
def test_invalid_names_have_no_key(name):
    assert find_key(name) is None


@for_each("data", [{"grades": [[1, 0] * 4]}, {"grades": [[1, 0, 0], [1, 0]]}, at_k.Tally.of({"grades": [[1, 0] * 4]})])
def test_an_average_of_another_number_of_samples_is_an_error(data):
    refuses("InputError: The results do not have avg@4. They have avg@", at_k.score, data, metrics="avg@4")


def test_an_average_of_all_samples_is_found_by_its_number():
    assert at_k.score({"grades": [[1, 0] * 4]}, metrics="mean@8").values["avg@8"] == 0.5


ANSWERED = {
    "problem": ["a", "b", "c", "d"],
    "grades": [[1, 0, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0], [0, 1, 1, 1]],
    "answers": [["7", "x", "y", "7"], ["7"] * 4, ["x", "y", "x", "z"], ["x", "7", "7", "7"]],
}
OTHER = {**ANSWERED, "grades": [[1, 0, 0, 1], [1, 1, 1, 1], [0, 0, 0, 1], [1, 1, 1, 1]]}
del OTHER["answers"]
SUMS = {
    "0.5 pass@2 + 0.5 pass^2": {"pass@2": 0.5, "pass^2": 0.5},
    "0.25 pass@4 + 0.75 cons@4": {"coverage@4": 0.25, "maj@4": 0.75},
    "0.333333333333 avg@4 + 0.333333333333 pass@1 + 0.333333333333 G-Pass@4_0.5": {
        "avg@4": 1 / 3, "pass@1": 1 / 3, "G-Pass@4_0.5": 1 / 3
    },
    "pass@2": {"pass@2": 1},
}  # fmt: skip


@for_each("name, weights", SUMS.items())
def test_a_weighted_sum_is_one_number(name, weights):
    """Its value, and that of every problem, is the mean of others by the weights; text and mapping say the same."""
    parts = at_k.score(ANSWERED, metrics=list(weights)).by_problem
    spelled = {"pass^2": "G-Pass@2_1.0"}
    keys = [spelled.get(find_key(each), find_key(each)) for each in weights]
    values = sum(weight * np.array(parts[key]) for weight, key in zip(weights.values(), keys, strict=True))
    for metrics in (weights, name, [name.replace(" pass", "*pass")]):
        report = at_k.score(ANSWERED, metrics=metrics)
        assert [*report.values] == [name]
        assert report.by_problem[name] == pytest.approx(values, abs=1e-11)
        bar = report.intervals[name]
        assert bar.stderr == pytest.approx(np.std(values, ddof=1) / 2, abs=1e-11)
        assert 0 <= bar.low < report.values[name] < bar.high <= 1
    assert at_k.score(at_k.Tally.of({"grades": ANSWERED["grades"]}), metrics="0.5 pass@2 + 0.5 pass^2").values


def test_decisions_take_weighted_sums():
    weights, name = SUMS["0.5 pass@2 + 0.5 pass^2"], "0.5 pass@2 + 0.5 pass^2"
    a, b = (at_k.score(data, metrics=weights).values[name] for data in (ANSWERED, OTHER))
    compared = at_k.compare(ANSWERED, OTHER, metrics=weights).comparisons[name]
    assert (compared.a, compared.b, compared.difference) == pytest.approx((a, b, a - b))
    assert at_k.gate(ANSWERED, require=f"{name} >= 0.1").checks[0].value == pytest.approx(a)
    assert at_k.gate(ANSWERED, OTHER, metrics=weights, margin=0.1).checks[0].value == pytest.approx(a - b)
    assert str(at_k.rank({"a": ANSWERED, "b": OTHER}, metrics=weights)).startswith("b, a")


@for_each("metrics, code", [
    ({"pass@2": 0.5, "pass^2": 0.6}, "naming.weights"),
    ({"pass@2": 1.5, "pass^2": -0.5}, "naming.weights"),
    ({"pass@2": "1"}, "naming.weights"),
    ({"pass@2": 0.5, "max@2": 0.5}, "naming.term"),
    ({"cons@2": 0.5, "maj@2": 0.5}, "naming.term"),
    ("0.5*pass@2 +", "naming.sum"),
    ("pass@2 + pass^2", "naming.sum"),
    ({"pass@2": 0.5, "pass@k": 0.5}, "naming.number"),
    ({"avg@3": 0.5, "pass@2": 0.5}, "naming.absent"),
])  # fmt: skip
def test_odd_sums_are_refused(metrics, code):
    with pytest.raises(InputError) as refused:
        at_k.score(ANSWERED, metrics=metrics)
    assert refused.value.code == code
