"""Comparisons on the same problems, of other samples of them, over several benchmarks, and on other problems."""

from fractions import Fraction
from functools import partial
from itertools import product
from math import comb

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from scipy.stats import binom

from at_k import interval, pass_at_k
from at_k.estimators.counts import tabulate_pass
from at_k.uncertainty.comparison import (
    compare_columns,
    compare_estimated,
    compare_pooled,
    compare_values,
)
from at_k.uncertainty.further_tests import (
    WILCOXON_WARNING,
    compare_unpaired,
    paired_t_p,
    wilcoxon_p,
)
from at_k.uncertainty.jackknife import tabulate_variance


def test_values_difference_and_standard_error():
    a, b = np.random.default_rng(0).random((2, 20))
    found = compare_values(a, b, confidence_level=0.9)
    assert found.difference == pytest.approx(np.mean(a) - np.mean(b), rel=1e-12)
    assert (found.a, found.b) == (a.mean(), b.mean())
    assert found.stderr == pytest.approx(stats.sem(a - b), rel=1e-12)
    # For so symmetric differences, typical values are as wide as the paired t interval; both are of 20 values.
    theirs = stats.ttest_rel(a, b).confidence_interval(0.9)
    assert found.high - found.low == pytest.approx(theirs.high - theirs.low, rel=0.1)


values = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12)


@settings(derandomize=True, max_examples=50)
@given(values)
def test_both_directions_say_the_same(pairs):
    a, b = (np.array(each) / 4 for each in zip(*pairs, strict=True))
    for compare in (compare_values, compare_unpaired):
        there, back = compare(a, b), compare(b, a)
        assert there.p_value == pytest.approx(back.p_value, rel=1e-9)
        assert_allclose([there.low, there.high], [-back.high, -back.low], atol=1e-9)
        assert -1 <= there.low <= there.difference <= there.high <= 1
        assert there.low < there.high
        assert {there.better, back.better} in ({None}, {"a", "b"})
        assert (there.won, there.lost) == (back.lost, back.won)


def test_values_without_a_range():
    a, b = np.random.default_rng(0).normal(5, 2, size=(2, 20))
    found = compare_values(a, b, bounded=False)
    theirs = stats.ttest_rel(a, b).confidence_interval()
    assert_allclose([found.low, found.high], theirs, atol=0.15)  # a tenth of the width
    assert (found.method, found.fragility) == ("sign-flip", None)
    alone = compare_values([7.0], [5.0], bounded=False)
    assert (alone.low, alone.high) == (-np.inf, np.inf)


FEW_FLIPS = 199
"""An interval at 95 % then leaves out four means on each side; thousands of comparisons need no more."""


REPETITIONS = 150
LEAST = binom.ppf(0.2, REPETITIONS, 0.931)
"""Of intervals that cover .931, fewer than this hold the truth in a fifth of such runs; the numbers are seeded."""


def count_covered(draw, compare, truth):
    found = (compare(*draw()) for _ in range(REPETITIONS))
    return sum(each.low <= truth <= each.high for each in found)


def draw_rare(rng, size, share):
    """A is right where B is wrong in a share of the problems, and they agree elsewhere."""
    better = rng.random(size) < share
    common = rng.random(size) < 0.5
    return np.where(better, 1.0, common), np.where(better, 0.0, common)


@for_each("share, size", [(0.02, 15), (0.02, 100), (0.1, 30), (0.1, 100), (0.3, 15)])
def test_coverage_where_large_differences_are_rare(size, share):
    """Measured .81–.89 for the default and .26–.76 for t alone at the worst; the bounded interval covers .931."""
    rng = np.random.default_rng(size)
    bounded = partial(compare_values, method="bounded", n_flips=FEW_FLIPS)
    assert count_covered(lambda: draw_rare(rng, size, share), bounded, share) >= LEAST


@for_each("size, share", [(30, 0.3), (100, 0.1), (100, 0.3), (300, 0.1)])
def test_coverage_of_one_sample_of_each_problem(size, share):
    """The inversion of McNemar's test alone covers .38 to .55."""
    rng = np.random.default_rng(size)
    compare = partial(compare_values, n_flips=FEW_FLIPS)
    assert count_covered(lambda: draw_rare(rng, size, share), compare, share) >= LEAST


@for_each("a, b, margin", [
    (np.linspace(0, 0.3, 60), np.linspace(0, 0.3, 60)[::-1] + 0.01, 0.05),
    ([0.5] * 40, [0.5] * 40, 0.05),
    ([0.9] * 2 + [0.0] * 38, [0.0] * 40, 0.15),
    ([1.0] * 5 + [0.0] * 35, [0.0] * 5 + [1.0] * 5 + [0.0] * 30, 0.2),
], ids=["sign-flip", "equal", "few", "mcnemar"])  # fmt: skip
def test_equivalence_is_the_level_of_the_interval(a, b, margin):
    """The interval of level 1 − 2p reaches up to the margin: at random subsets, to one of 9,999 means."""
    p_value = compare_values(a, b, margin=margin).p_equivalence
    assert p_value < 0.4
    within, beyond = (
        compare_values(a, b, confidence_level=1 - 2 * p_value + shift) for shift in (-0.001, 0.001)
    )
    assert max(-within.low, within.high) <= margin <= max(-beyond.low, beyond.high)


def test_equal_answers_to_a_few_problems_are_not_yet_equivalence():
    assert compare_values([1.0] * 10, [1.0] * 10, margin=0.02).p_equivalence > 0.05
    assert compare_values([1.0] * 500, [1.0] * 500, margin=0.02).p_equivalence < 0.05
    assert (
        compare_values([1.0] * 50, [0.5] * 50, margin=0.02).p_equivalence == 1
    )  # above the margin


N, K = np.full(30, 8), 2


def rerun(first, second, level=0.95, **more):
    values = [np.asarray(pass_at_k(N, c, k=K)) for c in (first, second)]
    variances = tuple(tabulate_variance(tabulate_pass)(8, K)[c] for c in (first, second))
    stderr = np.sqrt(sum(each.sum() for each in variances)) / 30
    estimated = float(np.mean(values[0] - values[1])), float(stderr), 30 * 4
    found = compare_estimated(*values, estimated, method="rerun", confidence_level=level, **more)
    return found, variances


C = np.random.default_rng(0).integers(0, 9, (2, 30))


def test_the_interval_is_the_bounded_one_of_both_jackknives():
    found, variances = rerun(*C)
    stderr = np.sqrt(sum(each.sum() for each in variances)) / 30
    low, high = interval((1 + found.difference) / 2, stderr / 2, 120)
    assert (found.low, found.high) == pytest.approx((2 * low - 1, 2 * high - 1), abs=1e-12)


@for_each("shift", range(3))
def test_p_is_below_alpha_exactly_where_the_interval_does_not_hold_0(shift):
    first, second = np.clip(C[0] + shift, 0, 8), C[0]
    p = rerun(first, second)[0].p_value
    assert p > 1e-6  # levels are read to twelve digits
    if p < 1:
        for level, holds in ((1 - p * 0.99, True), (1 - p * 1.01, False)):
            found, _ = rerun(first, second, level)
            assert (found.low <= 0 <= found.high) is holds
            assert (found.better is None) is holds


def test_equivalence_is_that_of_the_interval():
    found, _ = rerun(C[0], C[0], margin=0.1)
    wider, _ = rerun(C[0], C[0], 1 - 2 * found.p_equivalence)
    assert max(-wider.low, wider.high) == pytest.approx(0.1, abs=1e-9)


def test_other_runs_of_these_problems_fall_into_it():
    random = np.random.default_rng(1)
    skills = random.beta(1, 1, (2, 30))
    truth = float((1 - (1 - skills) ** K).mean(axis=1) @ [1, -1])
    inside = 0
    for _ in range(300):
        found, _ = rerun(*random.binomial(8, skills))
        inside += found.low <= truth <= found.high
    assert inside / 300 >= 0.92  # three standard errors of .013 below .95, rounded


def test_scores_have_t():
    a, b = np.array([3.0, 5.0]), np.array([1.0, 2.0])
    found = compare_estimated(a, b, (2.5, 0.5**0.5, 9.0), method="rerun", bounded=False)
    assert (found.low, found.high) == pytest.approx(
        (2.5 - 2.306004 * 0.7071068, 2.5 + 2.306004 * 0.7071068), abs=1e-5
    )
    assert found.p_value == pytest.approx(2 * stats.t.sf(2.5 / 0.5**0.5, 8), rel=1e-9)
    none = compare_estimated(a, b, (2.5, 0.0, 9.0), method="rerun", bounded=False)
    assert (none.low, none.high, none.p_value) == (-np.inf, np.inf, 1.0)


X = (
    np.array([0.75, 0.8, 0.25, 0.75, 0.75, 0.25]),
    np.full(6, 0.5),
)
Y = (np.array([0.75, 0.75, 0.7, 0.75, 0.25, 0.75, 0.75, 0.75]), np.full(8, 0.5))
ALONE = {"x": None, "y": None}


@for_each("weights", ["benchmark", "problem"])
def test_p_is_that_of_all_flips(weights):
    # The flips alone: with an infinite factor, the bounded interval has no say.
    (found,) = compare_pooled({"x": [X], "y": [Y]}, ALONE, pool_by=weights, factor=np.inf)
    share = {"benchmark": (1 / 12, 1 / 16), "problem": (1 / 14, 1 / 14)}[weights]
    parts = np.concatenate([own * (a - b) for own, (a, b) in zip(share, (X, Y), strict=True)])
    totals = [abs(parts @ signs) for signs in product([1, -1], repeat=14)]
    assert found.difference == pytest.approx(parts.sum())
    flipped = np.mean(np.array(totals) >= abs(parts.sum()) - 1e-12)
    assert found.p_value == pytest.approx(flipped, abs=1e-12)
    assert found.p_adjusted == found.p_value


def test_benchmarks_that_count_by_their_problems_are_one():
    a, b = (np.concatenate([X[side], Y[side]]) for side in (0, 1))
    (found,) = compare_pooled({"x": [X], "y": [Y]}, ALONE, pool_by="problem", factor=np.inf)
    (alone,) = compare_columns([(a, b)], [True], factor=np.inf)
    assert found.p_value == alone.p_value
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=1e-12)
    labels = {"x": np.array([0, 1, 2, 3, 4, 4]), "y": None}  # clusters flip together
    (found,) = compare_pooled({"x": [X], "y": [Y]}, labels, pool_by="problem", factor=np.inf)
    names = list("abcdeefghijklm")
    (alone,) = compare_columns([(a, b)], [True], clusters=names, factor=np.inf)
    assert (found.p_value, found.units) == (alone.p_value, 13)


@for_each("weights, shares", [("benchmark", (0.5, 0.5)), ("problem", (0.75, 0.25))])
def test_the_bounded_interval_is_that_of_all_strata(weights, shares):
    """The standard error is √Σ w²·s²/M over the benchmarks, and the number of units 1/Σ w²/M."""
    differences = np.repeat([1.0, 0.0], [3, 27]), np.repeat([0.5, 0.0], [1, 9])
    pairs = {
        name: [(each, np.zeros(len(each)))] for name, each in zip("xy", differences, strict=True)
    }
    (found,) = compare_pooled(pairs, ALONE, pool_by=weights)
    stderr = np.sqrt(
        sum((share * stats.sem(each)) ** 2 for share, each in zip(shares, differences, strict=True))
    )
    units = 1 / sum(share**2 / len(each) for share, each in zip(shares, differences, strict=True))
    level = {"confidence_level": 0.9}  # 1 − 2α
    low, high = interval((1 + found.difference) / 2, stderr / 2, units, **level)
    assert (found.low, found.high) == pytest.approx((min(2 * low - 1, 0), 2 * high - 1), abs=1e-12)
    assert found.low < found.difference < found.high


def test_several_numbers_are_adjusted_for_each_other():
    there, back = compare_pooled({"x": [X, (X[1], X[0])]}, {"x": None})
    assert (there.p_adjusted, there.low) == pytest.approx((back.p_adjusted, -back.high))


def test_equal_models_are_told_apart_as_often_as_stated():
    random, found = np.random.default_rng(2), 0
    for _ in range(300):
        pairs = {}
        for name, size in (("x", 12), ("y", 60)):
            skill = random.beta(0.6, 0.6, size)
            pairs[name] = [tuple(random.binomial(4, skill) / 4 for _ in range(2))]
        (own,) = compare_pooled(pairs, ALONE)
        found += own.better is not None
    assert found / 300 < 0.09  # .05, and three standard errors of .0126


@for_each("level", [0.8, 0.9, 0.95])
@for_each("won, size", [(3, 12), (4, 12), (5, 12), (4, 8), (8, 8)])
def test_the_interval_holds_0_exactly_where_the_test_decides_nothing(level, won, size):
    pair = (np.array([0.5] * won + [0.0] * (size - won)), np.zeros(size))
    (found,) = compare_pooled(
        {"x": [pair], "y": [pair]},
        {"x": np.arange(size) % 5, "y": np.arange(size) % 2},
        confidence_level=level,
    )
    assert (found.low > 0) == (found.p_value < 1 - level - 1e-12)
    assert found.low < found.difference < found.high


@for_each("sizes", [(9, 12), (3, 7), (10, 41), (49, 98)])
@for_each("weights", ["benchmark", "problem"])
def test_weights_that_add_up_to_more_than_1_by_rounding_do_not_leave_the_range(sizes, weights):
    pairs = {
        name: [(np.ones(size), np.zeros(size))] for name, size in zip("xy", sizes, strict=True)
    }
    (found,) = compare_pooled(pairs, ALONE, pool_by=weights)
    assert (found.a, found.difference, found.high) == pytest.approx((1, 1, 1), abs=1e-12)
    assert max(found.a, found.difference, found.high) <= 1


def test_unpaired_is_welch_s_test():
    rng = np.random.default_rng(0)
    a, b = rng.random(20), rng.random(30) / 2
    found = compare_unpaired(a, b)
    theirs = stats.ttest_ind(a, b, equal_var=False)
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    assert_allclose([found.low, found.high], theirs.confidence_interval(0.95), rtol=1e-9)
    assert (found.paired, found.problems, found.won) == (False, (20, 30), None)
    assert "measured on different problems" in str(found.notes[0])
    # The values of a large k may be so nearly equal that the fourth power of their spread is no float.
    assert compare_unpaired(a * 2.0**-300, b * 2.0**-300).p_value == pytest.approx(
        found.p_value, rel=1e-12
    )


@for_each("a, b", [([1.0] * 15, [1.0] * 15), ([1.0], [0.0]), ([1.0] * 14 + [0.0], [1.0] * 30)])
def test_unpaired_never_has_zero_width(a, b):
    found = compare_unpaired(a, b)
    assert found.low <= found.difference <= found.high
    assert found.high - found.low > 0.1
    assert found.better is None


def test_unpaired_p_value_fits_its_interval():
    a, b = [1.0] * 20, [0.0] * 19 + [1.0]
    found = compare_unpaired(a, b)
    assert found.p_value < 1e-6
    assert found.better == "a"
    at = compare_unpaired([1.0] * 5, [0.0, 0.0, 0.5])
    limits = compare_unpaired([1.0] * 5, [0.0, 0.0, 0.5], confidence_level=1 - at.p_value)
    assert limits.low == pytest.approx(0, abs=1e-6)


def test_paired_t_is_that_of_scipy():
    a, b = np.random.default_rng(0).random((2, 12))
    for scale in (1, 2.0**-300):
        assert paired_t_p((a - b) * scale) == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-12)
    assert np.isnan(
        [paired_t_p([0.5]), paired_t_p([0.1 + 0.2 - 0.2, 0.1])]
    ).all()  # one problem, equal differences
    assert paired_t_p([0, 0]) == wilcoxon_p([0, 0]) == 1


def test_wilcoxon_sums_ranks():
    """Of the 2⁷ signs of the ranks 1…7, those whose sum of positive ranks is as far from 14."""
    differences = [0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.0]
    sums = [
        sum(r for r, keep in zip(range(1, 8), signs, strict=True) if keep)
        for signs in product([0, 1], repeat=7)
    ]
    assert wilcoxon_p(differences) == pytest.approx(
        np.mean(np.abs(np.array(sums) - 14) >= abs(20 - 14)), rel=1e-12
    )
    # What differs by rounding is a tie.
    assert wilcoxon_p([0.1, 0.3 - 0.2, -0.5, 0.7, 0.2]) == wilcoxon_p([0.1, 0.1, -0.5, 0.7, 0.2])


def test_wilcoxon_does_not_compare_means():
    """Equal means and different spread: the reason for the warning. Measured .35 for 100 problems."""
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(300):
        rare = (
            rng.random(100) < 0.2
        ) * 0.8  # the one wins much, rarely; the other little, often: the mean is 0
        found += wilcoxon_p(np.where(rare > 0, rare, -0.2) + rng.normal(0, 0.05, 100)) <= 0.05
    assert found / 300 > 0.3
    assert WILCOXON_WARNING.code == "significance.wilcoxon"


def mid_p(won, lost):
    """Twice the tail of a fair coin, of which what was seen counts half, in fractions."""
    ways = [Fraction(comb(won + lost, x), 2 ** (won + lost)) for x in range(won + lost + 1)]
    return min(Fraction(1), 2 * min(sum(ways[:x]) + ways[x] / 2 for x in (won, lost)))


@for_each(
    "won, lost, tied",
    [(6, 0, 3), (9, 2, 0), (5, 4, 2), (1, 12, 20), (20, 8, 0), (5, 0, 9), (4, 0, 9)],
)
def test_one_sample_of_each_problem_takes_mid_p(won, lost, tied):
    a = [1] * won + [0] * lost + [1] * tied
    b = [0] * won + [1] * lost + [1] * tied
    found = compare_values(a, b)
    assert found.method == "mcnemar"
    assert found.p_value == pytest.approx(float(mid_p(won, lost)), rel=1e-12)
    assert lost or found.better == (
        "a" if won > 4 else None
    )  # five won and none lost decide: p is 2⁻⁵
    # The interval holds the differences of which both tails are at least half of alpha.
    for limit, more in ((found.low, won), (-found.high, lost)):
        share = max(0.0, (1 + limit * len(a) / (won + lost)) / 2)
        tail = (
            stats.binom.sf(more, won + lost, share) + stats.binom.pmf(more, won + lost, share) / 2
        )
        assert tail <= 0.025 * (1 + 1e-6) if more else share == 0
    # The interval begins to hold 0 at the level 1 − p.
    beyond, within = (
        compare_values(a, b, confidence_level=1 - min(1, found.p_value * by))
        for by in (0.999, 1.001)
    )
    assert beyond.low <= 0 <= beyond.high
    assert within.low > 0 or within.high < 0
