"""Intervals: the values of the specification, the coverage of 0/1 data by enumeration, and other libraries."""

from functools import partial

import numpy as np
import pytest
from cases import for_each, refuses
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from at_k.options.registry import METHODS
from at_k.uncertainty import checks
from at_k.uncertainty.comparison import compare_values
from at_k.uncertainty.further_tests import compare_unpaired, paired_t_p
from at_k.uncertainty.intervals import find_lower_level, interval
from at_k.uncertainty.prediction import enough, predict_pass_at_k
from at_k.uncertainty.standard_errors import standard_error

# Specified values have five or six digits.
SPECIFIED = [
    ([1], 0.06746, 1, 5), ([1] * 2, 0.2320, 1, 4), ([1] * 15, 0.81268, 1, 5), ([1] * 30, 0.90108, 1, 5),
    ([1] * 100, 0.96915, 1, 5), ([1] * 1000, 0.99687, 1, 5), ([0.5], 0.06332, 0.93668, 5),
    ([0, 1], 0.002067, 0.997933, 6), ([0.2, 0.4, 0.9], 0.121903, 0.878097, 6), ([1] * 14 + [0], 0.699106, 0.996582, 6),
]  # fmt: skip


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
        interval(1 - v, se, m, confidence_level=confidence_level),
        (1 - upper, 1 - lower),
        rtol=1e-9,
        atol=1e-12,
    )


def test_a_higher_level_is_wider_and_more_units_are_narrower():
    lower, upper = interval(0.9, 0.05, 30, confidence_level=0.5)
    for confidence_level in (0.8, 0.95, 0.999):
        below, above = interval(0.9, 0.05, 30, confidence_level=confidence_level)
        assert below < lower < upper < above
        lower, upper = below, above
    widths = np.subtract(*interval(1.0, 0.0, [1, 2, 5, 30, 1000]))
    assert (np.diff(widths) > 0).all()


def test_arrays_of_keys_and_values_without_standard_error_which_count_as_one_unit():
    v, se, m = np.array([0.2, 0.5, 1.0]), np.array([0.1, 0.05, 0.0]), np.array([[15.0], [30.5]])
    lower, upper = interval(v, se, m)
    assert lower.shape == upper.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        assert (lower[i, j], upper[i, j]) == interval(v[j], se[j], m[i, 0])
    alone = interval(0.5, 0.0, 1)
    assert interval(0.5, None, 1) == alone
    assert interval(0.5, None, 30) == alone
    lower, upper = interval([0.5, 0.5], [None, float("nan")], 30)
    assert_array_equal([lower, upper], np.transpose([alone, alone]))


def test_the_level_of_a_limit_inverts_the_limit():
    of = np.array(0.9), np.array(0.05), np.array(30.0)
    for limit in (0.6, 0.8, 0.85):
        half = float(find_lower_level(*of, limit))
        assert float(interval(0.9, 0.05, 30, confidence_level=1 - 2 * half)[0]) == pytest.approx(
            limit, rel=1e-9
        )
    assert [find_lower_level(*of, limit) for limit in (0.0, 0.9, 2.0)] == [0, 1, 1]


def test_t_is_that_of_scipy_cut_at_the_ends():
    values = [0.2, 0.4, 0.9, 0.7]
    theirs = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    se, m = standard_error(values)
    assert_allclose(
        interval(np.mean(values), se, m, confidence_level=0.9, method="t"), theirs, rtol=1e-12
    )
    lower, upper = interval(np.mean([1, 1, 1, 1, 0]), *standard_error([1, 1, 1, 1, 0]), method="t")
    assert lower == pytest.approx(0.8 - 2.776445 * 0.2, abs=1e-6)
    assert upper == 1  # where others print 1.355


def test_values_without_a_range_are_not_cut():
    lower, upper = interval(7.0, 2.0, 3, method="t", bounded=False)
    assert_allclose([lower, upper], stats.t.interval(0.95, 2, 7, 2), rtol=1e-12)
    lower, upper = interval(-7.0, 2.0, 3, method="wald", bounded=False)
    assert_allclose([lower, upper], stats.norm.interval(0.95, -7, 2), rtol=1e-12)
    assert interval(7.0, None, 1, method="t", bounded=False) == (-np.inf, np.inf)


@for_each("right", [0, 1, 7, 15])
def test_on_zeros_and_ones_wilson_is_that_of_scipy(right):
    v = right / 15
    theirs = stats.binomtest(right, 15).proportion_ci(0.95, method="wilson")
    ours = interval(v, np.sqrt(v * (1 - v) / 15), 15, method="wilson")
    assert_allclose(ours, theirs, rtol=1e-9, atol=1e-15)


@for_each("method", METHODS)
def test_every_method_stays_inside_and_around_the_value(method):
    v = np.array([0, 0.01, 0.5, 0.99, 1, 0.5, 0.5])
    se = np.array([0, 0.01, 0.1, 0.01, 0, 0, np.nan])
    lower, upper = interval(v, se, [2, 30, 30, 30, 2, 30, 1], method=method)
    assert ((lower >= 0) & (lower <= v) & (v <= upper) & (upper <= 1)).all()


@for_each("v", [0.999999, 0.5, 0.3, 0.1, 0.01, 1e-6])
@for_each("share", [1e-3, 1e-5, 1e-7, 1e-8, 1e-10, 1e-13, 1e-20, 1e-150, 1e-200])
def test_tiny_standard_errors_give_the_normal_interval(v, share):
    """With 1e6 right and wrong samples, one sample more moves the limits by less than a hundredth of the width."""
    stderr = share * min(v, 1 - v)
    low, high = interval(v, stderr, 10, method="wilson")
    half = stats.norm.ppf(0.975) * stderr
    assert (low, high) == pytest.approx((v - half, v + half), rel=4e-16, abs=half / 100)
    assert low <= v <= high


def test_checked_arguments_are_returned():
    assert checks.check_size("problems", np.int64(3)) == 3
    assert_array_equal(checks.read_values("a", [True, 0, 0.5]), [1, 0, 0.5])
    assert checks.read_values("a", [[1, 2], [3, 4]], bounded=False).shape == (2, 2)
    n, c = checks.read_counts(4, [1, 2])
    assert_array_equal([n, c], [[4, 4], [1, 2]])


check_level = partial(checks.check_fraction, "confidence_level")
check_problems = partial(checks.check_size, "problems")
read = partial(checks.read_values, "a")
read_any = partial(checks.read_values, "a", bounded=False)
NAN, INF, ONE = float("nan"), float("inf"), ([1.0], [1.0])
FRACTION = "must lie between 0 and 1, both excluded; got"
FEW = "must hold one value per problem, at least one; got"
BROADCAST = "ValueError: must have shapes that broadcast; got (2,), (3,) and ()"

REFUSED = [
    *[(check_level, (level,), f"ValueError: `confidence_level` {FRACTION} {level}")
      for level in (0, 1, -0.1, 2, NAN, INF)],
    *[(check_level, (level,), "TypeError: `confidence_level` must be a number between 0 and 1")
      for level in ("0.95", None, True, [0.9])],
    (check_problems, (1, 2), "ValueError: `problems` must be at least 2; got 1"),
    *[(check_problems, (wrong,), "TypeError: `problems` must be an integer") for wrong in (2.0, True, "3", None)],
    (read_any, ([1, -2e150, 3],), "ValueError: `a` must lie between ±1e+150; got -2e+150 in problem 1"),
    *[(read, (wrong,), f"ValueError: `a` {FEW} {wrong}") for wrong in ([], 0.5)],
    (read, ([0.5, NAN],), "ValueError: `a` must hold finite numbers; got nan in problem 1"),
    (read, ([[0.5, 0.5], [0.5, INF]],), "ValueError: `a` must hold finite numbers; got inf in problem 1"),
    (read, ([0.5, 1.5],), "ValueError: `a` must lie in [0, 1]; got 1.5 in problem 1"),
    (read, ([-0.5],), "ValueError: `a` must lie in [0, 1]; got -0.5 in problem 0"),
    (read, (["0.5"],), "TypeError: `a` must hold numbers; got <U3 in ['0.5']"),
    (read, ([None],), "TypeError: `a` must hold numbers; got object in [None]"),
    (read, ([[1], [1, 0]],), "ValueError: `a` must hold numbers, in rows of one length; got [[1], [1, 0]]"),
    (partial(checks.read_column, "a"), ([[0, 1]],),
     "ValueError: `a` must hold one number per problem; got an array of shape (1, 2)"),
    (checks.read_counts, ([[4]], [[1]]), "ValueError: `n` and `c` must hold one number per problem"),
    (checks.read_counts, ([1], [2]), "ValueError: `c` must be at most `n`; got n=1, c=2 in problem 0"),

    (compare_values, ([1.0], [1.0, 0.0]), "ValueError: `a` and `b` must hold values of the same problems; got 1 and 2"),
    (compare_values, ([1.5], [1.0]), "ValueError: `a` must lie in [0, 1]; got 1.5 in problem 0"),
    (compare_values, ([1.0], [NAN]), "ValueError: `b` must hold finite numbers; got nan in problem 0"),
    (partial(compare_values, method="z"), ONE, "ValueError: `method` must be one of 'sign-flip', 'bounded'; got 'z'"),
    (partial(compare_values, confidence_level=0), ONE, f"ValueError: `confidence_level` {FRACTION} 0"),
    (partial(compare_values, margin=0), ONE, f"ValueError: `margin` {FRACTION} 0"),
    (partial(compare_values, n_flips=0), ONE, "ValueError: `n_flips` must be at least 1; got 0"),
    (partial(compare_values, seed=-1), ONE, "ValueError: `seed` must not be negative; got -1"),
    (compare_unpaired, ([1.0], []), f"ValueError: `b` {FEW} []"),
    (paired_t_p, ([],), f"ValueError: `differences` {FEW} []"),

    (interval, (1.5, 0.1, 3), "ValueError: `value` must lie in [0, 1]; got 1.5"),
    (interval, (NAN, 0.1, 3), "ValueError: `value` must hold finite numbers; got nan"),
    (interval, ([None], 0.1, 3), "TypeError: `value` must hold numbers"),
    (interval, (0.5, -0.1, 3), "ValueError: `stderr` must not be negative; got -0.1"),
    (interval, (0.5, INF, 3), "ValueError: `stderr` must hold finite numbers; got inf"),
    (interval, (0.5, "0.1", 3), "TypeError: `stderr` must hold numbers"),
    (interval, (0.5, 0.1, 0), "ValueError: `m` must be at least 1; got 0.0"),
    (interval, (0.5, 0.1, NAN), "ValueError: `m` must hold finite numbers; got nan"),
    (interval, ([0.5] * 2, [0.1] * 3, 3), BROADCAST),
    (partial(interval, confidence_level=95), (0.5, 0.1, 3), f"ValueError: `confidence_level` {FRACTION} 95"),
    (partial(interval, method="score"), (0.5, 0.1, 3), "ValueError: `method` must be one of 'beta', "),
    (partial(interval, bounded=False), (5.0, 0.1, 3),
     "ValueError: `method` must be 't' or 'wald' for values without a range"),

    (partial(predict_pass_at_k, k=[3, 9]), ([4, 8], [1, 2]),
     "predict.within: A predicted k must be above n, here 4; got k=3"),
    (partial(predict_pass_at_k, k=41), ([4, 8], [1, 2]), "predict.far: must be at most 40, ten times n"),
    (partial(predict_pass_at_k, k=9), ([4, 8], [0, 0]), "predict.none_correct: No sample of any problem is correct"),
    (partial(predict_pass_at_k, k=9), ([1, 8], [0, 1]), "predict.one_sample: at least two samples of every problem"),
    (partial(predict_pass_at_k, k=8), ([4], [1, 2]), "ValueError: `n` and `c` must have equally many problems; got 1"),
    (partial(predict_pass_at_k, k=32, target="these"), ([8] * 9, range(9)), "ValueError: `target` must be one of"),
    (partial(enough, confidence=1), (["a"],), "ValueError: `confidence` must lie between 0 and 1"),
    (enough, ("aab",), "TypeError: `votes` must hold a list of samples"),
    (enough, (["a", 1],), "TypeError: `votes` must not mix types"),

    (partial(standard_error, clusters=["a"]), ([0.1, 0.2],),
     "ValueError: `clusters` and `per_problem` must have equally many problems; got 1 and 2"),
    (partial(standard_error, clusters=["a", None]), ([0.1, 0.2],),
     "ValueError: `clusters` must hold a label for every problem; got None in problem 1"),
]  # fmt: skip


@for_each("call, given, says", REFUSED)
def test_arguments_that_cannot_be_used(call, given, says):
    refuses(says, call, *given)
