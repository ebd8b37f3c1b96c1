"""Differences on these very problems: the formula by hand, the rule of the verdict, and what other runs give."""

import numpy as np
import pytest
from cases import for_each

from at_k import interval, pass_at_k
from at_k.uncertainty.jackknife import jackknife_counts
from at_k.uncertainty.reruns import compare_reruns

N, K = np.full(30, 8), 2


def compare(first, second, level=0.95, **more):
    values = [np.asarray(pass_at_k(N, c, k=K)) for c in (first, second)]
    variances = tuple(jackknife_counts(pass_at_k, N, c, k=K) for c in (first, second))
    return compare_reruns(*values, variances, 30 * 4, bounded=True, confidence_level=level, **more), variances


C = np.random.default_rng(0).integers(0, 9, (2, 30))


def test_the_interval_is_the_bounded_one_of_both_jackknives():
    found, variances = compare(*C)
    stderr = np.sqrt(sum(each.sum() for each in variances)) / 30
    low, high = interval((1 + found.difference) / 2, stderr / 2, 120)
    assert (found.low, found.high) == pytest.approx((2 * low - 1, 2 * high - 1), abs=1e-12)
    assert found.won + found.lost + found.tied == 30


@for_each("shift", range(3))
def test_p_is_below_alpha_exactly_where_the_interval_does_not_hold_0(shift):
    first, second = np.clip(C[0] + shift, 0, 8), C[0]
    p = compare(first, second)[0].p_value
    assert p > 1e-6  # levels are read to twelve digits
    if p < 1:
        for level, holds in ((1 - p * 0.99, True), (1 - p * 1.01, False)):
            found, _ = compare(first, second, level)
            assert (found.low <= 0 <= found.high) is holds
            assert (found.better is None) is holds


def test_equivalence_is_that_of_the_interval():
    found, _ = compare(C[0], C[0], margin=0.1)
    wider, _ = compare(C[0], C[0], 1 - 2 * found.p_equivalence)
    assert max(-wider.low, wider.high) == pytest.approx(0.1, abs=1e-9)


def test_other_runs_of_these_problems_fall_into_it():
    random = np.random.default_rng(1)
    skills = random.beta(1, 1, (2, 30))
    truth = float((1 - (1 - skills) ** K).mean(axis=1) @ [1, -1])
    inside = 0
    for _ in range(300):
        found, _ = compare(*random.binomial(8, skills))
        inside += found.low <= truth <= found.high
    assert inside / 300 >= 0.92  # three standard errors of .013 below .95, rounded


def test_scores_have_t():
    a, b = np.array([3.0, 5.0]), np.array([1.0, 2.0])
    variances = (np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    found = compare_reruns(a, b, variances, 9.0, bounded=False, confidence_level=0.95)
    assert (found.low, found.high) == pytest.approx((2.5 - 2.306004 * 0.7071068, 2.5 + 2.306004 * 0.7071068), abs=1e-5)
    none = compare_reruns(a, b, (np.zeros(2), np.zeros(2)), 9.0, bounded=False, confidence_level=0.95)
    assert (none.low, none.high, none.p_value) == (-np.inf, np.inf, 1.0)
