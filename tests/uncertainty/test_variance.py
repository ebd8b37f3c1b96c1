"""The variance of the value of a problem with another number of samples."""

from functools import partial

import numpy as np
import pytest
from cases import for_each
from numpy.testing import assert_allclose
from pairs import draw
from scipy import integrate, stats

from at_k import pass_at_k
from at_k.estimators.counts import (
    tabulate_g_pass,
    tabulate_majority,
    tabulate_pass,
    tabulate_pass_hat,
)
from at_k.uncertainty.variance import (
    BetaBinomial,
    Variance,
    estimate_correlation,
    fit_beta_binomial,
    read_pilot,
)


@for_each("k", [1, 3, 8])
def test_for_the_pilot_s_own_numbers_it_is_the_pilot_s_standard_error(k):
    n, c = draw(0, 40, 8)
    values = pass_at_k(n, c, k=k)
    assert np.sqrt(Variance(n, c, k, tabulate_pass).at(8) / 40) == pytest.approx(
        stats.sem(values), rel=1e-9
    )


def test_the_two_parts_of_pass_at_1():
    n, c = np.array([4, 8, 6, 5]), np.array([1, 8, 0, 3])
    p = c / n
    within = np.mean(n * p * (1 - p) / (n - 1))
    between = max(0, np.var(p, ddof=1) - np.mean(p * (1 - p) / (n - 1)))
    variance = Variance(n, c, 1, tabulate_pass)
    assert variance.at(np.inf) == pytest.approx(between, rel=1e-12)
    for samples in (1, 2, 5, 100):
        assert variance.at(samples) == pytest.approx(between + within / samples, rel=1e-12)


def test_the_part_between_problems_is_not_below_zero_for_one_sample_either():
    """s_w² = (1/2 + 1/3)/2; var(p) = 1/129.6 is less than what samples explain, so that s_b² is 0."""
    pilot = read_pilot([2, 3] * 5, [1] * 10, 1, tabulate_pass)
    assert_allclose([pilot.at(1), pilot.at(2)], [5 / 12, 5 / 24], rtol=1e-12)


@for_each("k, samples", [(1, 1), (1, 40), (2, 3), (2, 16), (4, 6), (4, 100)])
def test_predictions_are_right_on_average(k, samples):
    """k = 4 and n = 8 use the exact formula, since 2k ≤ n: its mean over 300 pilots is within 2 % of the truth."""
    chances = BetaBinomial(0.6, 0.4).chances(samples)
    values = pass_at_k(samples, np.arange(samples + 1), k=k)
    truth = chances @ values**2 - (chances @ values) ** 2
    found = [Variance(*draw(seed, 60, 8), k, tabulate_pass).at(samples) for seed in range(300)]
    assert np.mean(found) == pytest.approx(truth, rel=0.025)


@for_each("metric, k, samples", [
    (tabulate_pass, 8, 64), (tabulate_pass_hat, 4, 32), (tabulate_majority, 5, 8),
    (partial(tabulate_g_pass, tau=0.5), 8, 16),
])  # fmt: skip
def test_other_metrics_use_a_beta_binomial_distribution(metric, k, samples):
    """The truth is that of the distribution from which 2,000 problems were drawn; the fit is within 5 %."""
    n, c = draw(0, 2000, 8)
    chances = BetaBinomial(0.6, 0.4).chances(samples)
    values = metric(samples, k)
    truth = np.sqrt((chances @ values**2 - (chances @ values) ** 2) / 50)
    assert np.sqrt(Variance(n, c, k, metric).at(samples) / 50) == pytest.approx(truth, rel=0.05)


def test_infinitely_many_samples_leave_the_variance_between_problems():
    n, c = draw(0, 300, 4, 2, 3)
    variance = Variance(n, c, 3, tabulate_majority)
    a, b = variance.difficulty

    def latent(p):
        return p**3 + 3 * p**2 * (1 - p)

    mean, square = (
        integrate.quad(lambda p, power=power: latent(p) ** power * stats.beta.pdf(p, a, b), 0, 1)[0]
        for power in (1, 2)
    )
    assert variance.at(np.inf) == pytest.approx(square - mean**2, rel=1e-6)
    assert variance.at(4000) == pytest.approx(variance.at(np.inf), rel=0.02)


def draw_skills(seed, true, problems, samples):
    """Difficulties of two models on the logit scale with this correlation; return them, and counts of samples."""
    random = np.random.default_rng(seed)
    logits = random.multivariate_normal([0, 0], [[1, true], [true, 1]], size=problems) * 1.5
    skills = 1 / (1 + np.exp(-logits))
    counts = random.binomial(samples, skills)
    pilots = [Variance(np.full(problems, samples), counts[:, i], 1, tabulate_pass) for i in (0, 1)]
    return skills, pilots


def test_noise_of_samples_does_not_lower_it():
    skills, pilots = draw_skills(0, 0.7, 4_000, 4)
    truth = np.corrcoef(skills.T)[0, 1]
    naive = np.corrcoef(pilots[0].values, pilots[1].values)[0, 1]
    found = estimate_correlation(*pilots)
    assert naive < truth - 0.15
    assert abs(found.value - truth) < 0.04  # its standard error is about .015


def test_the_interval_holds_it():
    inside = 0
    truth = np.corrcoef(draw_skills(0, 0.6, 200_000, 1)[0].T)[0, 1]
    for seed in range(50):
        found = estimate_correlation(*draw_skills(seed, 0.6, 100, 8)[1])
        inside += found.low <= truth <= found.high
    assert inside >= 44  # of 50 at 95 %; fewer are in .4 % of such runs


def test_the_interval_is_that_of_a_jackknife_of_fisher_s_z():
    """Of up to 20 problems each is left out once."""
    _, (a, b) = draw_skills(3, 0.6, 12, 8)
    without = [
        [Variance(np.delete(side.n, i), np.delete(side.c, i), 1, tabulate_pass) for side in (a, b)]
        for i in range(12)
    ]
    z = np.arctanh([estimate_correlation(*pair).value for pair in without])
    found = estimate_correlation(a, b, confidence_level=0.9)
    margin = stats.t.ppf(0.95, 11) * np.sqrt(11 / 12 * sum((z - z.mean()) ** 2))
    assert np.arctanh(found) == pytest.approx(
        np.arctanh(found.value) + margin * np.array([0, -1, 1])
    )


def test_uninformative_pilots_have_no_correlation():
    n, c = np.full(10, 8), np.arange(10) % 8
    flat, varied = Variance(n, np.full(10, 4), 1, tabulate_pass), Variance(n, c, 1, tabulate_pass)
    assert estimate_correlation(flat, varied) is None
    few = Variance(n[:3], c[:3], 1, tabulate_pass)
    assert estimate_correlation(few, few) is None
    # Noise alone would explain that they differ, or more: as checkpoints of one model, they agree by .99 at most.
    assert estimate_correlation(varied, varied) == (0.99, 0.99, 0.99)


@for_each("n", [1, 7, 300])
@for_each("a, b", [(0.3, 0.5), (2, 5), (40, 0.01)])
def test_chances_are_those_of_scipy(n, a, b):
    assert_allclose(
        BetaBinomial(a, b).chances(n),
        stats.betabinom.pmf(np.arange(n + 1), n, a, b),
        rtol=1e-9,
        atol=1e-15,
    )


@for_each("k", [1, 10, 1000])
def test_all_wrong_is_an_integral_over_the_difficulties(k):
    found, _ = integrate.quad(
        lambda p: (1 - p) ** k * stats.beta.pdf(p, 2, 3), 0, 1, epsabs=1e-13, limit=200
    )
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


@for_each("c, mean", [([8] * 5, 1), ([0] * 5, 0), ([4] * 5, 0.5), ([0, 8] * 5, 0.5)])
def test_counts_without_a_maximum_end_at_the_bounds(c, mean):
    a, b = fit_beta_binomial(np.full(len(c), 8), np.array(c))
    assert a > 0
    assert b > 0
    assert a / (a + b) == pytest.approx(mean, abs=0.01)
