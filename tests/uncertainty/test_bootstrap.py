"""The BCa bootstrap, against SciPy's and by its formula."""

import numpy as np
import pytest
from cases import for_each
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from at_k.uncertainty.bootstrap import bootstrap_interval


def test_it_is_that_of_scipy():
    values = np.random.default_rng(1).beta(0.5, 0.2, size=60)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, random_state=np.random.default_rng(2)
    ).confidence_interval
    # The quantiles of 20,000 means vary by 1.5 % of the standard error; both are drawn.
    slack = 0.06 * values.std(ddof=1) / np.sqrt(60)
    assert_allclose(bootstrap_interval(values, n_resamples=20_000), theirs, atol=slack)


def test_every_column_is_one_metric_and_uses_the_same_resamples():
    values = np.random.default_rng(1).random((30, 2, 2))
    lower, upper = bootstrap_interval(values, n_resamples=500)
    assert lower.shape == upper.shape == (2, 2)
    for at in np.ndindex(2, 2):
        assert (lower[at], upper[at]) == bootstrap_interval(values[(slice(None), *at)], n_resamples=500)


def test_the_seed_decides():
    values = np.random.default_rng(1).random(30)
    assert bootstrap_interval(values, seed=1) == bootstrap_interval(values, seed=1)
    assert bootstrap_interval(values, seed=1) != bootstrap_interval(values, seed=2)


@for_each("value", [0.0, 1.0, 0.1])
def test_equal_values_have_no_width(value):
    assert_array_equal(bootstrap_interval([value] * 7, n_resamples=100), [value, value])


def test_limits_are_resampled_means():
    lower, upper = bootstrap_interval([0, 0, 0, 1], n_resamples=2000)
    assert 0 <= lower < 0.25 < upper <= 1


def test_arguments_that_cannot_be_used():
    with pytest.raises(ValueError, match="`n_resamples` must be at least 1; got 0"):
        bootstrap_interval([1.0], n_resamples=0)
    with pytest.raises(ValueError, match="`per_problem` must hold finite numbers; got nan in problem 1"):
        bootstrap_interval([1.0, float("nan")])
