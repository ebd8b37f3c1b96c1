"""The correlation of difficulties: without the noise of samples, with an interval that holds it."""

import numpy as np

from at_k import pass_at_k
from at_k.uncertainty.correlation import estimate_correlation
from at_k.uncertainty.variance import Variance


def draw(seed, true, problems, samples):
    """Difficulties of two models on the logit scale with this correlation; return them, and counts of samples."""
    random = np.random.default_rng(seed)
    logits = random.multivariate_normal([0, 0], [[1, true], [true, 1]], size=problems) * 1.5
    skills = 1 / (1 + np.exp(-logits))
    counts = random.binomial(samples, skills)
    pilots = [Variance(np.full(problems, samples), counts[:, i], 1, pass_at_k) for i in (0, 1)]
    return skills, pilots


def test_noise_of_samples_does_not_lower_it():
    skills, pilots = draw(0, 0.7, 4_000, 4)
    truth = np.corrcoef(skills.T)[0, 1]
    naive = np.corrcoef(pilots[0].values, pilots[1].values)[0, 1]
    found = estimate_correlation(*pilots)
    assert naive < truth - 0.15
    assert abs(found.value - truth) < 0.04  # its standard error is about .015


def test_the_interval_holds_it():
    inside = 0
    truth = np.corrcoef(draw(0, 0.6, 200_000, 1)[0].T)[0, 1]
    for seed in range(100):
        found = estimate_correlation(*draw(seed, 0.6, 100, 8)[1])
        inside += found.low <= truth <= found.high
    assert inside >= 88  # of 100 at 95 %, three standard errors are 6.5


def test_what_cannot_tell_says_nothing():
    n, c = np.full(10, 8), np.arange(10) % 8
    flat, varied = Variance(n, np.full(10, 4), 1, pass_at_k), Variance(n, c, 1, pass_at_k)
    assert estimate_correlation(flat, varied) is None
    assert estimate_correlation(Variance(n[:3], c[:3], 1, pass_at_k), Variance(n[:3], c[:3], 1, pass_at_k)) is None
