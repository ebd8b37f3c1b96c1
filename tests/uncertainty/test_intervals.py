"""Intervals: the values of the specification, the coverage of 0/1 data by enumeration, and other libraries."""

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from at_k.options.option import METHODS
from at_k.uncertainty.intervals import find_lower_level, interval
from at_k.uncertainty.standard_errors import standard_error

# Specified values have five or six digits.
SPECIFIED = [
    ([1], 0.06746, 1, 5),
    ([1] * 2, 0.2320, 1, 4),
    ([1] * 15, 0.81268, 1, 5),
    ([1] * 30, 0.90108, 1, 5),
    ([1] * 100, 0.96915, 1, 5),
    ([1] * 1000, 0.99687, 1, 5),
    ([0.5], 0.06332, 0.93668, 5),
    ([0, 1], 0.002067, 0.997933, 6),
    ([0.2, 0.4, 0.9], 0.121903, 0.878097, 6),
    ([1] * 14 + [0], 0.699106, 0.996582, 6),
]


@for_each("values, lower, upper, digits", SPECIFIED)
def test_values_of_the_specification(values, lower, upper, digits):
    found = interval(np.mean(values), *standard_error(values))
    assert [round(float(limit), digits) for limit in found] == [lower, upper]


def zero_one_errors(m):
    """Means of m values 0 or 1, and their standard errors."""
    v = np.arange(m + 1) / m
    return v, np.sqrt(v * (1 - v) / (m - 1))


@for_each("m", [5, 15, 30, 100, 300])
def test_coverage_of_zeros_and_ones_over_all_p(m):
    """The lowest coverage over all p and M = 5…1000 is .926, by enumeration."""
    lower, upper = interval(*zero_one_errors(m), m)
    p = np.linspace(0.0005, 0.9995, 1999)[:, None]
    chance = stats.binom.pmf(np.arange(m + 1), m, p)
    covered = (chance * ((lower <= p) & (p <= upper))).sum(axis=1)
    assert covered.min() >= 0.926


def test_the_normal_interval_covers_rarely_near_1():
    v, se = zero_one_errors(30)
    lower, upper = interval(v, se, 30, method="wald")
    chance = stats.binom.pmf(np.arange(31), 30, 0.99)
    assert (chance * ((lower <= 0.99) & (upper >= 0.99))).sum() < 0.3


shares = st.floats(0, 1)


@settings(derandomize=True, max_examples=200)
@given(st.lists(shares, min_size=1, max_size=20), st.floats(0.01, 0.999))
def test_the_default_contains_its_value_has_width_and_turns_around(values, confidence_level):
    v = np.mean(values)
    se, m = standard_error(values)
    lower, upper = interval(v, se, m, confidence_level=confidence_level)
    assert 0 <= lower <= v <= upper <= 1
    assert lower < upper
    # 1 − v is rounded, and near 0 a limit varies with v at most in proportion.
    assert_allclose(
        interval(1 - v, se, m, confidence_level=confidence_level), (1 - upper, 1 - lower), rtol=1e-9, atol=1e-12
    )


def test_a_higher_level_is_wider_and_more_units_are_narrower():
    lower, upper = interval(0.9, 0.05, 30, confidence_level=0.5)
    for confidence_level in (0.8, 0.95, 0.999):
        below, above = interval(0.9, 0.05, 30, confidence_level=confidence_level)
        assert below < lower < upper < above
        lower, upper = below, above
    widths = np.subtract(*interval(1.0, 0.0, [1, 2, 5, 30, 1000]))
    assert (np.diff(widths) > 0).all()


def test_arrays_of_keys():
    v, se, m = np.array([0.2, 0.5, 1.0]), np.array([0.1, 0.05, 0.0]), np.array([[15.0], [30.5]])
    lower, upper = interval(v, se, m)
    assert lower.shape == upper.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        assert (lower[i, j], upper[i, j]) == interval(v[j], se[j], m[i, 0])


def test_a_value_without_standard_error_counts_as_one_unit():
    alone = interval(0.5, 0.0, 1)
    assert interval(0.5, None, 1) == alone
    assert interval(0.5, None, 30) == alone
    lower, upper = interval([0.5, 0.5], [None, float("nan")], 30)
    assert_array_equal([lower, upper], np.transpose([alone, alone]))


def test_the_level_of_a_limit_inverts_the_limit():
    of = np.array(0.9), np.array(0.05), np.array(30.0)
    for limit in (0.6, 0.8, 0.85):
        half = float(find_lower_level(*of, limit))
        assert float(interval(0.9, 0.05, 30, confidence_level=1 - 2 * half)[0]) == pytest.approx(limit, rel=1e-9)
    assert [find_lower_level(*of, limit) for limit in (0.0, 0.9, 2.0)] == [0, 1, 1]


def test_t_is_that_of_scipy_cut_at_the_ends():
    values = [0.2, 0.4, 0.9, 0.7]
    theirs = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    se, m = standard_error(values)
    assert_allclose(interval(np.mean(values), se, m, confidence_level=0.9, method="t"), theirs, rtol=1e-12)
    lower, upper = interval(np.mean([1, 1, 1, 1, 0]), *standard_error([1, 1, 1, 1, 0]), method="t")
    assert lower == pytest.approx(0.8 - 2.776445 * 0.2, abs=1e-6)
    assert upper == 1  # where others print 1.355


def test_values_without_a_range_are_not_cut():
    lower, upper = interval(7.0, 2.0, 3, method="t", bounded=False)
    assert_allclose([lower, upper], stats.t.interval(0.95, 2, 7, 2), rtol=1e-12)
    lower, upper = interval(-7.0, 2.0, 3, method="wald", bounded=False)
    assert_allclose([lower, upper], stats.norm.interval(0.95, -7, 2), rtol=1e-12)
    assert interval(7.0, None, 1, method="t", bounded=False) == (-np.inf, np.inf)


@for_each("method", ["wilson", "clopper-pearson"])
@for_each("right", [0, 1, 7, 15])
def test_on_zeros_and_ones_the_methods_for_proportions_are_those_of_scipy(method, right):
    v = right / 15
    theirs = stats.binomtest(right, 15).proportion_ci(0.95, method={"wilson": "wilson"}.get(method, "exact"))
    assert_allclose(interval(v, np.sqrt(v * (1 - v) / 15), 15, method=method), theirs, rtol=1e-9, atol=1e-15)


@for_each("method", METHODS)
def test_every_method_stays_inside_and_around_the_value(method):
    v = np.array([0, 0.01, 0.5, 0.99, 1, 0.5, 0.5])
    se = np.array([0, 0.01, 0.1, 0.01, 0, 0, np.nan])
    lower, upper = interval(v, se, [2, 30, 30, 30, 2, 30, 1], method=method)
    assert ((lower >= 0) & (lower <= v) & (v <= upper) & (upper <= 1)).all()


@for_each("v", [0.999999, 0.5, 0.3, 0.1, 0.01, 1e-6])
@for_each("share", [1e-3, 1e-5, 1e-7, 1e-8, 1e-10, 1e-13, 1e-20, 1e-150, 1e-200])
@for_each("method", ["clopper-pearson", "wilson"])
def test_tiny_standard_errors_give_the_normal_interval(v, share, method):
    """With 1e6 right and wrong samples, one sample more moves the limits by less than a hundredth of the width."""
    stderr = share * min(v, 1 - v)
    low, high = interval(v, stderr, 10, method=method)
    half = stats.norm.ppf(0.975) * stderr
    assert (low, high) == pytest.approx((v - half, v + half), rel=4e-16, abs=half / 100)
    assert low <= v <= high
