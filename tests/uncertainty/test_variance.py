"""How much the value of a problem varies with another number of samples."""

from functools import partial

import numpy as np
import pytest
from cases import for_each
from numpy.testing import assert_allclose
from pairs import draw
from scipy import integrate, stats

from at_k import g_pass_at_k, majority_at_k, pass_at_k, pass_hat_k
from at_k.uncertainty.beta_binomial import BetaBinomial
from at_k.uncertainty.planning import plan_counts
from at_k.uncertainty.variance import Variance, predict_stderr


@for_each("k", [1, 3, 8])
def test_for_the_pilot_s_own_numbers_it_is_the_pilot_s_standard_error(k):
    n, c = draw(0, 40, 8)
    values = pass_at_k(n, c, k=k)
    found = predict_stderr(n, c, problems=40, samples=8, k=k)
    assert found == pytest.approx(stats.sem(values), rel=1e-9)


def test_the_two_parts_of_pass_at_1():
    n, c = np.array([4, 8, 6, 5]), np.array([1, 8, 0, 3])
    p = c / n
    within = np.mean(n * p * (1 - p) / (n - 1))
    between = max(0, np.var(p, ddof=1) - np.mean(p * (1 - p) / (n - 1)))
    variance = Variance(n, c, 1, pass_at_k)
    assert variance.at(np.inf) == pytest.approx(between, rel=1e-12)
    for samples in (1, 2, 5, 100):
        assert variance.at(samples) == pytest.approx(between + within / samples, rel=1e-12)


def test_the_part_between_problems_is_not_below_zero_for_one_sample_either():
    """s_w² = (1/2 + 1/3)/2; var(p) = 1/129.6 is less than what samples explain, so that s_b² is 0."""
    table = plan_counts([2, 3] * 5, [1] * 10, problems=[5], samples=[1, 2]).stderr
    assert_allclose(table, [[np.sqrt(5 / 12 / 5), np.sqrt(5 / 24 / 5)]], rtol=1e-12)


@for_each("k, samples", [(1, 4), (2, 3), (4, 8), (4, np.inf)])
def test_some_problems_vary_as_in_a_pilot_of_these(k, samples):
    n, c = draw(1, 30, 8)
    chosen = np.random.default_rng(2).integers(0, 30, 30)
    found = Variance(n, c, k, pass_at_k).exact_at(samples, chosen)
    assert found == Variance(n[chosen], c[chosen], k, pass_at_k).at(samples)


@for_each("k, samples", [(1, 1), (1, 40), (2, 3), (2, 16), (4, 6), (4, 100)])
def test_predictions_are_right_on_average(k, samples):
    """k = 4 and n = 8 use the exact formula, since 2k ≤ n: its mean over 600 pilots is within 2 % of the truth."""
    chances = BetaBinomial(0.6, 0.4).chances(samples)
    values = pass_at_k(samples, np.arange(samples + 1), k=k)
    truth = chances @ values**2 - (chances @ values) ** 2
    found = [Variance(*draw(seed, 60, 8), k, pass_at_k).at(samples) for seed in range(600)]
    assert np.mean(found) == pytest.approx(truth, rel=0.025)


@for_each(
    "metric, k, samples",
    [(pass_at_k, 8, 64), (pass_hat_k, 4, 32), (majority_at_k, 5, 8), (partial(g_pass_at_k, tau=0.5), 8, 16)],
)
def test_other_metrics_use_a_beta_binomial_distribution(metric, k, samples):
    """The truth is that of the distribution from which 2,000 problems were drawn; the fit is within 5 %."""
    n, c = draw(0, 2000, 8)
    chances = BetaBinomial(0.6, 0.4).chances(samples)
    values = metric(samples, np.arange(samples + 1), k=k)
    truth = np.sqrt((chances @ values**2 - (chances @ values) ** 2) / 50)
    found = predict_stderr(n, c, problems=50, samples=samples, k=k, estimate=metric)
    assert found == pytest.approx(truth, rel=0.05)


def test_infinitely_many_samples_leave_the_variance_between_problems():
    n, c = draw(0, 300, 4, 2, 3)
    variance = Variance(n, c, 3, majority_at_k)
    a, b = variance._fitted

    def latent(p):
        return p**3 + 3 * p**2 * (1 - p)

    mean, square = (
        integrate.quad(lambda p, power=power: latent(p) ** power * stats.beta.pdf(p, a, b), 0, 1)[0] for power in (1, 2)
    )
    assert variance.at(np.inf) == pytest.approx(square - mean**2, rel=1e-6)
    assert variance.at(4000) == pytest.approx(variance.at(np.inf), rel=0.02)


def test_pilots_with_different_n():
    n, c = np.array([2, 9, 1, 5]), np.array([1, 4, 0, 5])
    table = predict_stderr(n, c, problems=[10, 40], samples=[1, 4, 16])
    assert table.shape == (2, 3)
    assert_allclose(table[0], 2 * table[1])
    assert (np.diff(table, axis=1) < 0).all()


def test_shapes():
    n, c = draw(0, 10, 8)
    assert np.shape(predict_stderr(n, c, problems=10, samples=8)) == ()
    assert predict_stderr(n, c, problems=[10], samples=8).shape == (1,)
    assert predict_stderr(n, c, problems=10, samples=[8, 9]).shape == (2,)
