"""Bayes@N: the posterior mean of the accuracy on these problems, and a credible interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from at_k import columns
from at_k.combinatorics import Floats, Ints
from at_k.samples import Ragged
from at_k.uncertainty.checks import check_fraction, read_numbers
from at_k.validation import shorten


class BayesEstimate(NamedTuple):
    """Hold what `bayes_at_n` computes.

    Attributes:
        mean: the posterior mean.
        sd: the posterior standard deviation.
        low: the lower limit of the credible interval.
        high: the upper limit.
    """

    mean: float
    sd: float
    low: float
    high: float


def bayes_at_n(
    grades: object,
    /,
    *,
    levels: Sequence[float] = (0, 1),
    prior: object = None,
    confidence_level: float = 0.95,
) -> BayesEstimate:
    """Compute Bayes@N: what the accuracy on these problems is, if every accuracy was equally likely before.

    The mean is drawn towards that of the levels, ½ for 0/1, as if each problem had one more sample of every level.
    Where all samples are correct, the mean is below 1, and the interval may exclude 1. The problems are fixed: for
    other problems like these, use `at_k.interval`.

    Args:
        grades: one row per problem of grades, each one of `levels`. n may differ.
        levels: the C + 1 different grades that a sample can get, finite numbers.
        prior: samples from before, of an older model for instance, in rows as `grades`. A row may be empty.
        confidence_level: the probability of the credible interval.

    Returns:
        The posterior mean and standard deviation, and a central normal interval, cut at the least and largest level.

    Formula: with ν_j = 1 + the samples and prior samples of level w_j, and T = Σ ν_j, a problem has the mean
        Σ ν_j w_j/T and the variance (Σ ν_j w_j²/T − mean²)/(T + 1). Means are averaged over the M problems, and
        variances added and divided by M².

    Raises:
        TypeError: if a row is not a list of numbers.
        ValueError: if a grade is not one of the levels, rows differ in number, or an argument is out of its range.

    References:
        M. Hariri et al., Don't Pass@k: A Bayesian Framework for Large Language Model Evaluation, 2025,
        https://arxiv.org/abs/2510.04265, section 2.

    Examples:
        >>> estimate = bayes_at_n([[1, 1, 0], [1, 1, 1]])  # (3/5 + 4/5)/2
        >>> round(estimate.mean, 4), round(estimate.sd, 4)
        (0.7, 0.1291)
        >>> round(bayes_at_n([[0, 0.5, 1, 1]], levels=[0, 0.5, 1]).mean, 4)  # (2·0 + 2·½ + 3·1)/7
        0.5714
    """
    weights = _check_levels(levels)
    graded = columns.read_numbers(grades, "grades")
    columns.require_problems("grades", len(graded))
    counts = count_levels(graded, weights, "grades")
    if prior is not None:
        counts = counts + count_prior(prior, weights, len(graded))
    return bayes_of_counts(counts, levels=levels, confidence_level=confidence_level)


def bayes_of_counts(
    counts: ArrayLike, /, *, levels: Sequence[float] = (0, 1), confidence_level: float = 0.95
) -> BayesEstimate:
    """Compute `bayes_at_n` from how many samples of each problem have which level.

    Args:
        counts: one row per problem and one column per level, integers ≥ 0.
        levels: as of `bayes_at_n`.
        confidence_level: as of `bayes_at_n`.

    Returns:
        What `bayes_at_n` returns.

    Raises:
        TypeError: if the counts are not integers.
        ValueError: if a count is negative, or there is not one column per level.

    Examples:
        >>> bayes_of_counts([[1, 2], [0, 3]]) == bayes_at_n([[1, 1, 0], [1, 1, 1]])
        True
    """
    from scipy.special import ndtri

    weights = _check_levels(levels)
    credibility = check_fraction("confidence_level", confidence_level)
    table = np.asarray(counts)
    if table.dtype.kind not in "iu":
        raise TypeError(f"`counts` must hold integers; got {table.dtype} in {shorten(counts)}")
    if table.ndim != 2 or not len(table) or table.shape[1] != len(weights):
        raise ValueError(
            f"`counts` must have one row per problem, at least one, and one column for each of the {len(weights)} "
            f"levels; got shape {table.shape}"
        )
    if (table < 0).any():
        raise ValueError(f"`counts` must not be negative; got {table.min()} in problem {np.argmin(table.min(axis=1))}")
    share = table + 1.0
    total = share.sum(axis=1)
    share /= total[:, None]
    means = share @ weights
    variances = (share * (weights - means[:, None]) ** 2).sum(axis=1) / (total + 1)
    mean, sd = float(means.mean()), float(np.sqrt(variances.sum()) / len(table))
    margin = -float(ndtri((1 - credibility) / 2)) * sd
    return BayesEstimate(mean, sd, max(mean - margin, float(weights.min())), min(mean + margin, float(weights.max())))


def _check_levels(levels: object) -> Floats:
    weights = read_numbers("levels", levels)
    if weights.ndim != 1 or len(weights) < 2 or len(np.unique(weights)) < len(weights):
        raise ValueError(f"`levels` must be at least two different numbers; got {shorten(levels)}")
    return weights


def count_levels(graded: Ragged, weights: Floats, name: str) -> Ints:
    """Count the samples of each level, one row per problem and one column per level."""
    rising = np.argsort(weights)
    place = np.minimum(np.searchsorted(weights[rising], graded.values), len(weights) - 1)
    which = rising[place]
    wrong = weights[which] != graded.values
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(
            f"`{name}` must hold grades out of `levels`, {weights.tolist()}; got {float(graded.values[at])} in "
            f"{graded.place(at)}"
        )
    cells = graded.problem * len(weights) + which
    return np.bincount(cells, minlength=len(graded) * len(weights)).reshape(len(graded), len(weights))


def count_prior(prior: object, weights: Floats, problems: int) -> Ints:
    """Count prior samples; a problem may have none."""
    try:
        rows = [list(row) for row in prior]  # type: ignore[attr-defined]  # anything that holds rows will do
    except TypeError:
        raise TypeError(f"`prior` must hold a list of samples for every problem; got {shorten(prior)}") from None
    columns.require_same_problems("grades", problems, "prior", len(rows))
    held = [problem for problem, row in enumerate(rows) if row]
    counts = np.zeros((problems, len(weights)), dtype=np.int64)
    if held:
        counts[held] = count_levels(columns.read_numbers([rows[each] for each in held], "prior"), weights, "prior")
    return counts
