"""Stability: do the samples of a problem agree, and how much does the accuracy change from run to run?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from at_k import columns
from at_k.combinatorics import Floats
from at_k.errors import InputError
from at_k.uncertainty.checks import read_numbers
from at_k.validation import check_threshold


@dataclass(frozen=True, eq=False)
class Stability:
    """Hold how much the samples of a model agree.

    Attributes:
        kappa: Fleiss' κ of the verdicts on the samples: 1 if all samples of each problem agree, 0 if they agree as
            often as samples of different problems do; NaN if all samples of all problems agree.
        within_variance: the mean variance of the verdicts within a problem.
        flip_rate: how often two runs differ in a problem.
        run_accuracy: the accuracy of each run, where all problems have the same n: the first samples, the second ones,
            and so on; empty elsewhere.
        run_sd: the standard deviation of these accuracies; NaN where there are fewer than two runs.
    """

    kappa: float
    within_variance: float
    flip_rate: float
    run_accuracy: Floats
    run_sd: float


def measure_stability(grades: object, /, *, threshold: float = 0.5) -> Stability:
    """Compute how much the samples of each problem agree, and how much the accuracy changes from run to run.

    Args:
        grades: one row per problem of numbers in [0, 1], the runs in the same order in all of them. Problems with one
            sample have no disagreement to measure, and are left out of all but the accuracies of the runs.
        threshold: a sample is correct when its grade is above it.

    Returns:
        The measures.

    Formula: with p the share of correct samples of a problem, the variance within is n p(1 − p)/(n − 1), and the flip
        rate, the chance that two of the n runs differ, twice that.

    Raises:
        TypeError: if a row is not a list of numbers.
        ValueError: if a grade is not in [0, 1], or no problem has two samples.

    Examples:
        >>> found = measure_stability([[1, 1, 1, 1], [1, 0, 1, 0], [0, 0, 0, 0]])
        >>> round(found.kappa, 3), round(found.flip_rate, 3), found.run_accuracy.round(2)
        (0.556, 0.222, array([0.67, 0.33, 0.67, 0.33]))
    """
    graded = columns.read_grades(grades, "grades", missing=False)
    columns.require_problems("grades", len(graded))
    correct = graded.above(check_threshold(threshold))
    several = correct.n > 1
    if not several.any():
        raise InputError(
            "stability.one_sample", "Every problem has one sample. Stability needs at least two of some problem."
        )
    n, c = correct.n[several], correct.sums()[several]
    within = float((c * (n - c) / (n * (n - 1.0))).mean())
    runs = np.zeros(0)
    if correct.width is not None:
        runs = correct.values.reshape(len(correct), correct.width).mean(axis=0)
    return Stability(
        kappa=fleiss_kappa(np.stack([n - c, c], axis=1)),
        within_variance=within,
        flip_rate=2 * within,
        run_accuracy=runs,
        run_sd=float(runs.std(ddof=1)) if len(runs) > 1 else float("nan"),
    )


def fleiss_kappa(counts: ArrayLike, /) -> float:
    """Compute Fleiss' κ: how much more often samples of a problem agree than samples of different problems.

    Args:
        counts: how many samples of each problem fall into each category, one row per problem, at least two samples in
            each. Their number may differ.

    Returns:
        A number up to 1, which is full agreement; 0 is chance. NaN if all samples fall into one category.

    Formula: (P̄ − P_e)/(1 − P_e), with P̄ the mean over problems of Σ_j n_ij(n_ij − 1)/(n_i(n_i − 1)), and P_e = Σ_j p_j²
        of the shares p_j of the categories among all samples.

    Raises:
        TypeError: if the counts are not numbers.
        ValueError: if a count is negative, or a row has fewer than two samples.

    References:
        J. Fleiss, Measuring nominal scale agreement among many raters, Psychological Bulletin 76, 1971,
        https://doi.org/10.1037/h0031619.

    Examples:
        >>> fleiss_kappa([[4, 0], [0, 4]]), round(fleiss_kappa([[2, 2], [2, 2]]), 4)
        (1.0, -0.3333)
    """
    table = read_numbers("counts", counts)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"`counts` must have one row per problem and one column per category; got shape {table.shape}")
    if (table < 0).any():
        raise ValueError(f"`counts` must not be negative; got {table.min():g}")
    n = table.sum(axis=1)
    if (n < 2).any():
        at = int(np.argmin(n))
        raise ValueError(f"`counts` must hold at least two samples of every problem; got {n[at]:g} in problem {at}")
    agreement = float(((table * (table - 1)).sum(axis=1) / (n * (n - 1))).mean())
    shares = table.sum(axis=0) / n.sum()
    chance = float(shares @ shares)
    return (agreement - chance) / (1 - chance) if (shares > 0).sum() > 1 else float("nan")
