"""Standard errors of means over problems, and how many independent units stand behind them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from at_k import columns
from at_k.combinatorics import Floats
from at_k.uncertainty.checks import read_values
from at_k.validation import check_k, is_sequence, refuse_too_many_k


def standard_error(per_problem: object, /, *, clusters: object = None) -> tuple[Floats, float]:
    """Compute the standard error of a mean over problems, for other problems like these.

    Args:
        per_problem: finite values, one per problem along the first axis; several metrics stand in the further axes.
        clusters: one label per problem, a string or an integer, where problems come in groups that resemble each other,
            such as the questions on one text.

    Returns:
        The standard errors, in the shape of `per_problem` without its first axis, NaN where there are none (one
        problem, one cluster); and the number of independent units: the number M of problems, or with clusters of N_g
        problems their effective number M²/Σ N_g² [1]. Both are what `at_k.interval` takes.

    Formula: √(Σ (v_i − v)²/(M − 1)/M); with clusters √(Σ_g e_g²/(1 − N_g/M))/M, where e_g = Σ_{i in g} (v_i − v): CR2,
        the cluster-robust variance with the correction of [2]. Clusters of one problem give the first.

    Raises:
        TypeError: if the values are not numbers, or a label is neither a string nor an integer.
        ValueError: if there are no problems, a value is not finite, or there are not as many labels as problems.

    References:
        1. L. Kish, Survey Sampling, 1965, section 5.4 (the effective number for unequal clusters).
        2. R. Bell, D. McCaffrey, Bias reduction in standard errors for linear regression with multi-stage samples,
           Survey Methodology 28, 2002.

    Examples:
        >>> stderr, m = standard_error([0.2, 0.4, 0.9])
        >>> round(float(stderr), 5), m
        (0.20817, 3.0)
        >>> stderr, m = standard_error([1, 1, 0, 0], clusters=["a", "a", "b", "b"])
        >>> float(stderr), m
        (0.5, 2.0)
    """
    values = read_values("per_problem", per_problem, bounded=False)
    if clusters is None:
        return _of_problems(values)[()], float(len(values))
    labels = columns.read_groups(clusters, "clusters")
    columns.require_same_problems("clusters", len(labels), "per_problem", len(values))
    index = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    codes = np.fromiter(map(index.__getitem__, labels), dtype=np.int64, count=len(labels))
    sizes = np.bincount(codes)
    total = np.zeros((len(sizes), *values.shape[1:]))
    np.add.at(total, codes, _centre(values))
    effective = len(values) ** 2 / float((sizes**2).sum())
    if len(sizes) == 1:
        return np.full(values.shape[1:], np.nan)[()], effective
    weight = (1 / (1 - sizes / len(values))).reshape(-1, *[1] * (values.ndim - 1))
    return (np.sqrt((total**2 * weight).sum(axis=0)) / len(values))[()], effective


def _of_problems(values: Floats) -> Floats:
    if len(values) == 1:
        return np.full(values.shape[1:], np.nan)
    return np.asarray(np.sqrt((_centre(values) ** 2).sum(axis=0) / (len(values) - 1) / len(values)))


def _centre(values: Floats) -> Floats:
    """Subtract the mean. Equal values become 0, which the rounding of their mean must not change."""
    return np.where((values == values[0]).all(axis=0), 0.0, values - values.mean(axis=0))


class ProblemSetError(NamedTuple):
    """Hold the standard error of a mean over these very problems, of which other samples are drawn.

    Attributes:
        stderr: the standard error; NaN where there is none.
        m: the number of independent units.
        is_upper_bound: whether the standard error is that for other problems, which is larger, since some problem has
            no sample more than the k that are drawn.
    """

    stderr: Floats
    m: Floats
    is_upper_bound: np.bool_ | np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def problem_set_error(
    per_problem: object, variances: object, n: ArrayLike, /, *, k: int | list[int]
) -> ProblemSetError:
    """Compute the standard error of a mean over problems, for other samples of these same problems.

    Args:
        per_problem: values, one row per problem, and one column per k if several are given.
        variances: the variance of each value, in the same shape: the J_i of `at_k.uncertainty.jackknife`. It is not
            read where n = k.
        n: samples of each problem.
        k: the number of draws behind the value, or a list of them, one per column; 1 for avg@n and `accuracy`.

    Returns:
        Standard error, units and whether it is an upper bound, each a number or one number per k. Where some n is k,
        the samples cannot tell how much the value varies: the answer is then that of `standard_error`.

    Formula: √(Σ J_i)/M, with Σ ⌊n_i/k⌋ units.

    Raises:
        TypeError: if the values are not numbers, or `k` is not an integer.
        ValueError: if shapes differ, a variance that is needed is missing or negative, or some n < k.

    References:
        B. Efron, C. Stein, The Jackknife Estimate of Variance, Annals of Statistics 9, 1981,
        https://doi.org/10.1214/aos/1176345462.

    Examples:
        >>> found = problem_set_error([0.5, 1.0], [0.25 / 3, 0.0], [4, 4], k=1)  # avg@4: J = ¼/3 and 0
        >>> round(float(found.stderr), 5), float(found.m), bool(found.is_upper_bound)
        (0.14434, 8.0, False)
    """
    values = read_values("per_problem", per_problem, bounded=False)
    spread = np.asarray(variances, dtype=np.float64)
    draws = check_k(k)
    sizes = np.asarray(n)
    shape = (len(values), len(draws)) if is_sequence(k) else (len(values),)
    if not values.shape == spread.shape == shape or sizes.shape != shape[:1]:
        raise ValueError(
            "`per_problem` and `variances` must have one row per problem and one column per `k`, and `n` one number "
            f"per problem; got shapes {values.shape}, {spread.shape} and {sizes.shape} for k={list(draws)}"
        )
    refuse_too_many_k(draws, sizes)
    table = spread.reshape(len(values), -1)
    bound = (sizes[:, None] == draws).any(axis=0)
    usable = np.isfinite(table) & (table >= 0)
    if not (usable | bound).all():
        at = np.argwhere(~(usable | bound))[0]
        raise ValueError(
            f"`variances` must be finite and not negative; got {table[tuple(at)]} in problem {at[0]} for "
            f"k={draws[at[1]]}"
        )
    within = np.sqrt(np.where(bound, 0.0, table).sum(axis=0)) / len(values)
    stderr = np.where(bound, _of_problems(values.reshape(len(values), -1)), within)
    m = np.where(bound, len(values), (sizes[:, None] // draws).sum(axis=0)).astype(np.float64)
    end = shape[1:]
    return ProblemSetError(stderr.reshape(end)[()], m.reshape(end)[()], bound.reshape(end)[()])
