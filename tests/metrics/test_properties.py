"""Properties of every module, whatever the samples are."""

import json
import random
from math import fsum

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from modules import AVG_AT_N, BEST_AT_K, CONS_AT_K, GPASSK, PASS_AT_K, every_config, every_module

from at_k.columns import read_labels
from at_k.options.option import CONFIGS
from at_k.uncertainty.jackknife import jackknife_votes

# Each property is tried with every module and configuration, so that it meets ten times more problem sets.
quick = settings(max_examples=8, deadline=None)

samples = st.tuples(
    st.sampled_from(["a", "b", "c"]),  # the answer; "a" is right
    st.sampled_from([0.0, 0.1, 0.5, 0.7, 1.0]),  # the grade
    st.sampled_from([-2.5, 0.0, 0.1, 3.0]),  # the score
)
problem_sets = st.lists(st.lists(samples, min_size=1, max_size=6), min_size=1, max_size=5)  # ragged


def columns(module, config, problems):
    answers, grades, scores = ([[sample[part] for sample in problem] for problem in problems] for part in range(3))
    given = (
        {"predictions": grades} if config == "graded" else {"predictions": answers, "references": ["a"] * len(problems)}
    )
    return module.only({**given, "scores": scores})


def compute(module, config, problems, **options):
    return module.load(config).compute(**columns(module, config, problems), **options)


def drawable(problems):
    """Every k that fits."""
    return list(range(1, min(map(len, problems)) + 1))


def bounded(module, result):
    """The values that lie in [0, 1]."""
    units = tuple(pattern.partition("{")[0] for pattern in module.unbounded)
    return {key: value for key, value in result.items() if not key.startswith(units or ("\0",))}


@every_module
@every_config
@given(problems=problem_sets)
@quick
def test_results_are_floats_of_the_known_keys_and_in_range(module, config, problems):
    k = drawable(problems)
    result = compute(module, config, problems, k=k)
    sizes = set(map(len, problems))
    assert list(result) == module.keys(k=tuple(k), n=sizes.pop() if len(sizes) == 1 else "n")
    assert {type(value) for value in result.values()} == {float}
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert all(0 <= value <= 1 for value in bounded(module, result).values())


fractions = st.floats(0, 1)
drawn_samples = st.tuples(st.sampled_from("abcdef"), fractions, st.tuples(fractions, fractions), fractions)


@for_each("module, config, options", [
    *((module, config, {}) for module in (GPASSK, PASS_AT_K, AVG_AT_N, CONS_AT_K) for config in CONFIGS),
    (CONS_AT_K, "default", {"ties": "incorrect"}),
    (CONS_AT_K, "default", {"weights": None}),
    (CONS_AT_K, "default", {"weights": None, "ties": "strict"}),
    (BEST_AT_K, "default", {"select": "weighted", "score_weights": [1, 0]}),
    (BEST_AT_K, "graded", {"select": "weighted", "score_weights": [0.3, 0.7], "higher_is_better": False}),
    (BEST_AT_K, "default", {"select": "lexicographic"}),
    (BEST_AT_K, "graded", {"select": "pareto"}),
])  # fmt: skip
@given(problems=st.lists(st.lists(drawn_samples, min_size=2, max_size=7), min_size=1, max_size=3), data=st.data())
@quick
def test_the_order_of_samples_changes_no_bit(module, config, options, problems, data):
    found = []
    for rows in (problems, [data.draw(st.permutations(problem)) for problem in problems]):
        weights = {"weights": [[sample[3] for sample in row] for row in rows]} if "weights" in options else {}
        bars = {"confidence_level": 0.9, "target": "problem_set"}  # the other target needs the values alone
        found.append(compute(module, config, rows, **options | weights | bars, k=drawable(problems)))
    assert found[0] == found[1]


@for_each("module, options", [(CONS_AT_K, {"weights": None}), (BEST_AT_K, {"select": "pareto"})])
def test_the_order_of_samples_does_not_change_what_is_simulated(module, options):
    problem = [("abc"[i % 3], 0.0, (i * 7 % 11, i * 5 % 13), 1 + i % 4 / 10) for i in range(20)]
    found = []
    for row in (problem, problem[::-1], sorted(problem)):
        weights = {"weights": [[sample[3] for sample in row]]} if "weights" in options else {}
        found.append(compute(module, "default", [row], **options | weights, k=9))
    assert any(key.endswith("_mcse") for key in found[0])
    assert found[0] == found[1] == found[2]


@every_module
@every_config
@given(problems=problem_sets, data=st.data())
@quick
def test_the_order_of_problems_is_irrelevant(module, config, problems, data):
    k = drawable(problems)
    shuffled = data.draw(st.permutations(problems))
    assert compute(module, config, shuffled, k=k) == compute(module, config, problems, k=k)


@every_module
@every_config
@given(problems=problem_sets, data=st.data())
@quick
def test_a_wrong_sample_that_turns_right_lowers_nothing(module, config, problems, data):
    i = data.draw(st.integers(0, len(problems) - 1))
    j = data.draw(st.integers(0, len(problems[i]) - 1))
    better = [list(problem) for problem in problems]
    better[i][j] = ("a", 1.0, problems[i][j][2])
    k = drawable(problems)
    before, after = compute(module, config, problems, k=k), compute(module, config, better, k=k)
    # probabilities from counts are rounded once, and so in order; a vote and a choice are sums of products
    slack = 0 if module in (GPASSK, PASS_AT_K, AVG_AT_N) else 1e-12
    assert all(after[key] >= before[key] - slack for key in before)


@every_module
@every_config
@given(problems=problem_sets, data=st.data())
@quick
def test_a_group_is_worth_what_its_problems_are(module, config, problems, data):
    names = st.sampled_from(["x_1", "x_2", "x/y", 3])
    labels = data.draw(st.lists(names, min_size=len(problems), max_size=len(problems)))
    k = drawable(problems)
    whole = compute(module, config, problems, k=k, return_details=True)
    table = whole.pop("details")["per_problem"]
    expected = dict(whole)
    for label in dict.fromkeys(labels):
        own = [i for i, other in enumerate(labels) if other == label]
        expected |= {f"{label}/{key}": fsum(table[key][i] for i in own) / len(own) for key in whole}
    assert compute(module, config, problems, k=k, groups=labels) == expected

    for label in dict.fromkeys(labels):
        subset = [problem for problem, other in zip(problems, labels, strict=True) if other == label]
        alone = compute(module, config, subset, k=k)  # whose avg@n may have another n in its key
        mine = [expected[f"{label}/{key}"] for key in whole]
        assert mine == pytest.approx(list(alone.values()), rel=1e-13, abs=1e-14)  # sums may be taken in another order


@every_module
@every_config
@given(problems=problem_sets)
@quick
def test_details_are_what_the_means_are_made_of(module, config, problems):
    k = drawable(problems)
    result = compute(module, config, problems, k=k, return_details=True)
    details = result.pop("details")
    assert result == compute(module, config, problems, k=k)
    assert list(details) == [
        "n_problems", "n_samples", "n_missing", "n_unanswered", "not_graded", "per_problem", "signature",
    ]  # fmt: skip
    assert (details["n_problems"], details["n_missing"]) == (len(problems), 0)
    assert details["n_samples"] == sum(map(len, problems))

    table = details["per_problem"]
    assert list(table) == ["n", "c", *result]
    assert table["n"] == [len(problem) for problem in problems]
    right = (lambda sample: sample[1] > 0.5) if config == "graded" else (lambda sample: sample[0] == "a")
    assert table["c"] == [sum(map(right, problem)) for problem in problems]
    assert {key: fsum(table[key]) / len(problems) for key in result} == result
    for i, problem in enumerate(problems):
        alone = list(compute(module, config, [problem], k=k).values())
        # sums may be taken in another order
        assert [table[key][i] for key in result] == pytest.approx(alone, rel=1e-13, abs=1e-14)
    assert json.loads(json.dumps(details, allow_nan=False)) == details


def test_errors_of_votes_depend_on_no_order_of_samples():
    """Sums over answers in the order of the file once differed by one bit in 456 of these 3,000 problems."""
    chance = random.Random(0)
    rows = [chance.choices("abc", k=chance.randint(2, 6)) for _ in range(3000)]
    first, second = (
        jackknife_votes(ballots, np.array(flags), [1, 2], ties="random")
        for each in (rows, [chance.sample(row, len(row)) for row in rows])
        for ballots, flags in [(read_labels(each), [answer == "a" for row in each for answer in row])]
    )
    assert np.array_equal(first, second, equal_nan=True)  # at k = n there is no variance
