"""The bootstrap over problems: kept for comparison, since it does not cover where values are few or equal."""

from __future__ import annotations

import numpy as np

from at_k.combinatorics import Floats
from at_k.uncertainty.checks import check_fraction, check_size, read_values
from at_k.validation import check_seed

_BLOCK = 2_000_000
"""Indices drawn at a time: they and the values that they pick take 20 MB."""


def bootstrap_interval(
    per_problem: object, /, *, confidence_level: float = 0.95, n_resamples: int = 10_000, seed: int = 0
) -> tuple[Floats, Floats]:
    """Compute the bias-corrected and accelerated (BCa) bootstrap interval of a mean over problems.

    It has no width where all values are equal, and covers too rarely where there are few problems or values near 0
    and 1. `at_k.interval` is the better choice; this one is here because papers report it.

    Args:
        per_problem: finite values, one per problem along the first axis. All columns use the same resamples.
        confidence_level: the confidence level.
        n_resamples: resamples of as many problems as there are.
        seed: of the resamples.

    Returns:
        The lower and the upper limits, in the shape of `per_problem` without its first axis.

    Formula: the quantiles Φ(z₀ + (z₀ ± z)/(1 − a(z₀ ± z))) of the resampled means, where z is the normal quantile of
        the level, Φ(z₀) is the share of resampled means below the mean (half of those equal to it), and
        a = Σd³/(6(Σd²)^1.5) with d the deviations from the mean.

    Raises:
        TypeError: if the values are not numbers.
        ValueError: if there are no problems, or an argument is out of its range.

    References:
        B. Efron, Better Bootstrap Confidence Intervals, JASA 82, 1987, https://doi.org/10.2307/2289144.

    Examples:
        >>> lower, upper = bootstrap_interval([1.0] * 15)  # no width: the reason not to use it
        >>> float(lower), float(upper)
        (1.0, 1.0)
    """
    from scipy.special import ndtr, ndtri

    values = read_values("per_problem", per_problem, bounded=False)
    alpha = 1 - check_fraction("confidence_level", confidence_level)
    table = values.reshape(len(values), -1)
    mean = table.mean(axis=0)
    means = resample_means(table, check_size("n_resamples", n_resamples), np.random.default_rng(check_seed(seed)))

    # Means that are equal but for rounding count as equal.
    slack = 1e-12 * np.abs(table).max(axis=0)
    below = (means < mean - slack).mean(axis=0) + (np.abs(means - mean) <= slack).mean(axis=0) / 2
    deviation = table - mean
    square = (deviation**2).sum(axis=0)
    skewed = np.where(square > 0, (deviation**3).sum(axis=0) / (6 * np.where(square > 0, square, 1) ** 1.5), 0)
    limits = []
    with np.errstate(invalid="ignore"):
        for z in (ndtri(alpha / 2), -ndtri(alpha / 2)):
            # All resampled means may lie on one side: the quantile is then the outermost of them.
            shift = np.clip(ndtri(below), -1e9, 1e9)
            share = ndtr(shift + (shift + z) / (1 - skewed * (shift + z)))
            limits.append([np.quantile(column, each) for column, each in zip(means.T, share, strict=True)])
    lower, upper = (np.array(each).reshape(values.shape[1:])[()] for each in limits)
    return lower, upper


def resample_means(table: Floats, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Return the mean of every column in every resample of the rows."""
    rows = len(table)
    means = np.empty((n_resamples, table.shape[1]))
    step = max(1, _BLOCK // rows)
    kind = np.uint16 if rows <= 2**16 else np.int64
    for start in range(0, n_resamples, step):
        drawn = rng.integers(0, rows, size=(min(step, n_resamples - start), rows), dtype=kind)
        for column, values in enumerate(table.T):
            means[start : start + step, column] = np.take(values, drawn).mean(axis=1)
    # The mean of equal values is that value, which rounding must not change.
    return np.clip(means, table.min(axis=0), table.max(axis=0))
