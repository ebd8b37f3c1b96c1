"""How often would a comparison decide? Simulated data sets of two models, judged by the rule that will judge."""

from __future__ import annotations

from functools import lru_cache
from math import nan
from typing import NamedTuple

import numpy as np

from at_k.combinatorics import Floats
from at_k.estimators.counts import Table
from at_k.uncertainty.decisions import find_alpha, find_bounded_alpha, find_least_mean, is_decided
from at_k.uncertainty.jackknife import tabulate_variance
from at_k.uncertainty.questions import FACTOR
from at_k.uncertainty.variance import BetaBinomial

# Simulated data sets of a plan: a chance of .8 has an error of .014.
_REPETITIONS = 800

# Problems of which no more data sets are simulated: the closed formula agrees there. For a power of .8, .75 to .84 of
# data sets of 500 and 1,000 problems decided, for six shapes of difficulties (each with an error of .02).
MOST_PROBLEMS = 300

# Difficulties at which the mean values of both models are matched to the difference.
_NODES = 400

# The degree of the polynomials that difficulties are written as.
_DEGREE = 40

# The largest shift of logits that is tried.
_MOST_SHIFT = 40.0

# Normal scores at which quantiles of difficulties are computed: to compute each takes fifty times as long.
_GRID = np.linspace(-6, 6, 2_001)


class Chances(NamedTuple):
    """Hold how often a comparison decides for the better model: for other problems, and on these very ones."""

    population: float
    problem_set: float


def simulate_chances(
    difficulty: BetaBinomial,
    table: Table,
    k: int,
    *,
    samples: int,
    problems: int,
    difference: float,
    correlation: float,
    confidence_level: float = 0.95,
) -> Chances:
    """Simulate how often a comparison of two models finds a difference.

    Difficulties are Beta distributed, and those of two models correlate by a Gaussian copula. The better model has
    logits that are higher by one number for all problems. Without a chance to have such a difference, both are NaN.

    Examples:
        >>> found = simulate_chances(
        ...     BetaBinomial(1, 1), lambda n, k: np.arange(n + 1) / n, 1, samples=16, problems=60, difference=0.1,
        ...     correlation=0.8,
        ... )
        >>> 0.4 < found.population < found.problem_set <= 1
        True
    """
    from scipy.special import stdtr

    shift = _find_shift(difficulty, table, k, difference)
    if shift is None or problems > MOST_PROBLEMS:
        return Chances(nan, nan)
    rng = np.random.default_rng(0)
    chances = _draw_difficulties(
        difficulty, correlation, rng.standard_normal((2, _REPETITIONS, problems))
    )
    better = _add_logits(chances[0], shift)
    correct = rng.binomial(samples, np.stack([better, chances[1]]))

    values = table(samples, k)[correct]
    d = np.sign(shift) * (values[0] - values[1])
    mean = d.mean(axis=1)
    stderr = d.std(axis=1, ddof=1) / np.sqrt(problems)
    with np.errstate(divide="ignore", invalid="ignore"):
        p_tested = np.nan_to_num(2 * stdtr(problems - 1, -np.abs(mean) / stderr), nan=1.0)
    units = np.full(_REPETITIONS, float(problems))
    p_values = np.maximum(p_tested, find_bounded_alpha(mean, stderr, units) / FACTOR)
    population = _count_decided(p_values, mean, confidence_level)
    if samples <= k:  # the samples do not tell how others would differ
        return Chances(population, nan)
    variances = tabulate_variance(table)(samples, k)[correct].sum(axis=(0, 2))
    units *= samples // k
    alone = find_bounded_alpha(mean, np.sqrt(variances) / problems, units)
    return Chances(population, _count_decided(alone, mean, confidence_level))


def _draw_difficulties(difficulty: BetaBinomial, correlation: float, scores: Floats) -> Floats:
    """Return the difficulties of two models that belong to independent normal scores."""
    copula = find_copula(difficulty, correlation)
    second = copula * scores[0] + np.sqrt(1 - copula**2) * scores[1]
    places = (np.stack([scores[0], second]) - _GRID[0]) / (_GRID[1] - _GRID[0])
    nearest = np.clip(np.rint(places).astype(np.int64), 0, len(_GRID) - 1)
    return np.asarray(find_quantiles(difficulty)[nearest])


@lru_cache(maxsize=8)
def find_quantiles(difficulty: BetaBinomial) -> Floats:
    """Return the difficulties at the normal scores of the grid."""
    from scipy.special import betaincinv, ndtr

    quantiles = betaincinv(difficulty.a, difficulty.b, ndtr(_GRID))
    # Where all are nearly equal there is none, and where problems are all or nothing, logits are infinite.
    known = np.nan_to_num(quantiles, nan=difficulty.a / (difficulty.a + difficulty.b))
    return np.asarray(np.clip(known, 1e-9, 1 - 1e-9))


@lru_cache(maxsize=8)
def find_copula(difficulty: BetaBinomial, correlation: float) -> float:
    """Return how much normal scores must correlate for their difficulties to have a correlation.

    Difficulties are a sum of Hermite polynomials of their scores, of which those of degree k correlate by ρ to the k.
    """
    from numpy.polynomial.hermite_e import hermegauss, hermevander
    from scipy.special import factorial

    nodes, weights = hermegauss(_DEGREE + 1)
    polynomials = hermevander(nodes, _DEGREE) / np.sqrt(factorial(np.arange(_DEGREE + 1)))
    values = np.interp(nodes, _GRID, find_quantiles(difficulty))
    shares = (weights / weights.sum() * values @ polynomials)[1:] ** 2
    if not shares.sum():
        return correlation
    scores = np.linspace(-1, 1, 2_001)
    correlations = (scores[:, None] ** np.arange(1, _DEGREE + 1)) @ shares / shares.sum()
    return float(np.interp(correlation, correlations, scores))


def _count_decided(p_values: Floats, mean: Floats, confidence_level: float) -> float:
    """Return the share of decisions for the better model."""
    decided = [is_decided(p_value, confidence_level) for p_value in p_values.tolist()]
    return float(np.mean(np.array(decided) & (mean > 0)))


def _find_shift(difficulty: BetaBinomial, table: Table, k: int, difference: float) -> float | None:
    """Return the shift of logits with which the mean values differ so much; negative without room above."""
    from scipy.optimize import brentq
    from scipy.special import ndtri
    from scipy.stats import binom

    shares = (np.arange(_NODES) + 0.5) / _NODES
    nodes = np.interp(ndtri(shares), _GRID, find_quantiles(difficulty))
    weights = table(k, k)

    def evaluate(shift: float) -> float:
        """Return the mean value of a model whose logits are shifted."""
        shifted = _add_logits(nodes, shift)
        return float((binom.pmf(np.arange(k + 1), k, shifted[:, None]) @ weights).mean())

    start = evaluate(0.0)
    for most in (_MOST_SHIFT, -_MOST_SHIFT):
        if abs(evaluate(most) - start) > difference:
            found = brentq(lambda s: abs(evaluate(s) - start) - difference, 0, most, xtol=1e-6)
            return float(found)
    return None


def _add_logits(chances: Floats, shift: float) -> Floats:
    """Return chances whose logits are higher by a number."""
    odds = chances * np.exp(shift)
    return np.asarray(odds / (odds + 1 - chances))


def find_detectable(
    variance: Floats, m: Floats, size: float, confidence_level: float, power: float
) -> Floats:
    """Return the differences that a comparison of m problems in units of this size finds about with this power."""
    from scipy.special import stdtrit

    # Fewer than two clusters find nothing. The quantiles for less than one degree of freedom are all but infinite.
    freedom = np.maximum(m / size - 1, 0.01)
    alpha = find_alpha(confidence_level)
    stderr = np.sqrt(variance / m)
    tested = -stdtrit(freedom, alpha / 2) * stderr
    bounded = find_least_mean(stderr, np.maximum(m / size, 1.0) + 0 * stderr, FACTOR * alpha)
    found = np.maximum(tested, bounded) + stdtrit(freedom, power) * stderr
    return np.asarray(np.minimum(found, 1.0))
