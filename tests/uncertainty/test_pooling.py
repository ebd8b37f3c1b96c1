"""Several benchmarks in one verdict: weights by hand, the test by all flips, and how often it errs."""

from itertools import product

import numpy as np
import pytest
from cases import for_each

from at_k.uncertainty.comparison import compare_values
from at_k.uncertainty.pooling import compare_pooled

RNG = np.random.default_rng(0)
X = (RNG.integers(0, 5, 5) / 4, RNG.integers(0, 5, 5) / 4)
Y = (RNG.integers(0, 5, 8) / 4, RNG.integers(0, 5, 8) / 4)
ALONE = {"x": None, "y": None}


@for_each("weights", ["benchmark", "problem"])
def test_p_is_that_of_all_flips(weights):
    (found,), adjusted = compare_pooled({"x": [X], "y": [Y]}, ALONE, pool_by=weights)
    share = {"benchmark": (1 / 10, 1 / 16), "problem": (1 / 13, 1 / 13)}[weights]
    parts = np.concatenate([own * (a - b) for own, (a, b) in zip(share, (X, Y), strict=True)])
    totals = [abs(parts @ signs) for signs in product([1, -1], repeat=13)]
    assert found.difference == pytest.approx(parts.sum())
    assert found.p_value == pytest.approx(np.mean(np.array(totals) >= abs(parts.sum()) - 1e-12), abs=1e-12)
    assert adjusted == [found.p_value]


def test_benchmarks_that_count_by_their_problems_are_one():
    a, b = (np.concatenate([X[side], Y[side]]) for side in (0, 1))
    (found,), _ = compare_pooled({"x": [X], "y": [Y]}, ALONE, pool_by="problem")
    alone = compare_values(a, b)
    assert found.p_value == alone.p_value
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=1e-12)


def test_clusters_flip_together():
    labels = {"x": np.array([0, 0, 0, 1, 1]), "y": None}
    (found,), _ = compare_pooled({"x": [X], "y": [Y]}, labels, pool_by="problem")
    a, b = (np.concatenate([X[side], Y[side]]) for side in (0, 1))
    alone = compare_values(a, b, clusters=list("aaabbcdefghij"))
    assert (found.p_value, found.units) == (alone.p_value, 10)


def test_few_differences_have_the_bounded_interval():
    a, b = np.ones(30), np.array([1.0] * 27 + [0.0] * 3)
    (found,), _ = compare_pooled({"x": [(a, b)], "y": [(np.ones(5), np.ones(5))]}, ALONE)
    assert found.p_value == 0.25
    assert found.difference == pytest.approx(0.05)
    assert found.low <= 0
    assert found.high > 0.05


def test_several_numbers_are_adjusted_for_each_other():
    found, adjusted = compare_pooled({"x": [X, (X[1], X[0])]}, {"x": None})
    assert adjusted == pytest.approx([found[0].p_value] * 2)  # one question, asked from both sides


def test_equal_models_are_told_apart_as_often_as_stated():
    random, found = np.random.default_rng(2), 0
    for _ in range(300):
        pairs = {}
        for name, size in (("x", 12), ("y", 60)):
            skill = random.beta(0.6, 0.6, size)
            pairs[name] = [tuple(random.binomial(4, skill) / 4 for _ in range(2))]
        (own,), _ = compare_pooled(pairs, ALONE, n_flips=499)
        found += own.better is not None
    assert found / 300 < 0.09  # .05, and three standard errors of .0126


@for_each("level", [0.8, 0.9, 0.95])
@for_each("won, size", [(3, 12), (4, 12), (5, 12), (4, 8), (8, 8)])
def test_the_interval_holds_0_exactly_where_the_test_decides_nothing(level, won, size):
    pair = (np.array([0.5] * won + [0.0] * (size - won)), np.zeros(size))
    (found,), _ = compare_pooled({"x": [pair], "y": [pair]}, {"x": np.arange(size) % 5, "y": np.arange(size) % 2},
                                 confidence_level=level)  # fmt: skip
    assert (found.low > 0) == (found.p_value < 1 - level - 1e-12)
    assert found.low < found.difference < found.high


def test_few_that_differ_are_decided_at_a_low_level_alone():
    pairs = {
        "x": [(np.array([0.5, 0.5, 0, 0, 0, 0, 0]), np.zeros(7))],
        "y": [(np.array([1.0, 0.5, 0, 0]), np.zeros(4))],
    }
    (found,), _ = compare_pooled(pairs, ALONE, confidence_level=0.8)
    assert (found.p_value, found.better) == (0.125, "a")
    assert 0 < found.low < found.difference < found.high


@for_each("sizes", [(9, 12), (3, 7), (10, 41), (49, 98)])
@for_each("weights", ["benchmark", "problem"])
def test_weights_that_add_up_to_more_than_1_by_rounding_do_not_leave_the_range(sizes, weights):
    pairs = {name: [(np.ones(size), np.zeros(size))] for name, size in zip("xy", sizes, strict=True)}
    (found,), _ = compare_pooled(pairs, ALONE, pool_by=weights)
    assert (found.a, found.difference, found.high) == pytest.approx((1, 1, 1), abs=1e-12)
    assert max(found.a, found.difference, found.high) <= 1
