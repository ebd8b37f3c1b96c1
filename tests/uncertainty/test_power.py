"""Chances of a decision in data sets that a plan simulates."""

import numpy as np
import pytest
from cases import for_each
from scipy import stats

from at_k.uncertainty.power import find_copula
from at_k.uncertainty.variance import BetaBinomial


@for_each("correlation", [-0.5, 0.0, 0.5, 0.8, 0.95, 1.0])
def test_uniform_difficulties_correlate_as_pearson_found(correlation):
    """Pearson, 1907: 2 sin(π r / 6). The grid of correlations has steps of a thousandth."""
    found = find_copula(BetaBinomial(1.0, 1.0), correlation)
    assert found == pytest.approx(2 * np.sin(np.pi * correlation / 6), abs=1e-3)


@for_each("a, b", [(0.5, 0.1), (0.3, 0.3), (2.0, 5.0)])
def test_difficulties_correlate_as_asked(a, b):
    """A correlation of .8 has an error of .001 in 400,000 draws; four of them, and what the polynomials leave out."""
    copula = find_copula(BetaBinomial(a, b), 0.8)
    z = np.random.default_rng(0).standard_normal((2, 400_000))
    z[1] = copula * z[0] + np.sqrt(1 - copula**2) * z[1]
    difficulties = stats.beta.ppf(stats.norm.cdf(z), a, b)
    assert np.corrcoef(difficulties)[0, 1] == pytest.approx(0.8, abs=0.006)
