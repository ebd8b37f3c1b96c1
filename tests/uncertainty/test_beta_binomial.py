"""The beta-binomial distribution, against SciPy's, and its fit, against a search over a grid."""

import numpy as np
import pytest
from cases import for_each
from numpy.testing import assert_allclose
from scipy import integrate, stats

from at_k.uncertainty.beta_binomial import BetaBinomial, fit_beta_binomial


@for_each("n", [1, 7, 300])
@for_each("a, b", [(0.3, 0.5), (2, 5), (40, 0.01)])
def test_chances_are_those_of_scipy(n, a, b):
    assert_allclose(
        BetaBinomial(a, b).chances(n), stats.betabinom.pmf(np.arange(n + 1), n, a, b), rtol=1e-9, atol=1e-15
    )


@for_each("k", [1, 10, 1000])
def test_all_wrong_is_an_integral_over_the_difficulties(k):
    found, _ = integrate.quad(lambda p: (1 - p) ** k * stats.beta.pdf(p, 2, 3), 0, 1, epsabs=1e-13, limit=200)
    assert BetaBinomial(2, 3).fail(np.array(k)) == pytest.approx(found, rel=1e-6)


def log_likelihood(n, c, a, b):
    return stats.betabinom.logpmf(c, n, a, b).sum()


@for_each("seed", range(4))
def test_no_distribution_near_or_far_is_more_likely(seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 20, size=50)
    c = rng.binomial(n, rng.beta(*rng.uniform(0.2, 3, size=2), size=50))
    a, b = fit_beta_binomial(n, c)
    best = log_likelihood(n, c, a, b)
    grid = np.exp(np.linspace(-3, 3, 25))
    others = [log_likelihood(n, c, x, y) for x in grid for y in grid]
    others += [log_likelihood(n, c, a * x, b * y) for x in (0.98, 1, 1.02) for y in (0.98, 1, 1.02)]
    assert best >= max(others) - 1e-6


def test_it_finds_the_distribution_of_many_problems():
    rng = np.random.default_rng(0)
    c = rng.binomial(16, rng.beta(0.4, 1.2, size=20_000))
    a, b = fit_beta_binomial(np.full(20_000, 16), c)
    assert (a, b) == (pytest.approx(0.4, rel=0.05), pytest.approx(1.2, rel=0.05))


@for_each("c, mean", [([8] * 5, 1), ([0] * 5, 0), ([4] * 5, 0.5), ([0, 8] * 5, 0.5)])
def test_counts_without_a_maximum_end_at_the_bounds(c, mean):
    a, b = fit_beta_binomial(np.full(len(c), 8), np.array(c))
    assert a > 0
    assert b > 0
    assert a / (a + b) == pytest.approx(mean, abs=0.01)
