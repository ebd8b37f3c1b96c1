"""Standard errors of means over problems, and how many independent units stand behind them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from at_k import columns
from at_k.combinatorics import Floats, Ints
from at_k.uncertainty.checks import read_values
from at_k.validation import check_k, is_sequence, refuse_too_many_k

_CHANCE = 0.1
"""How often the design effect may be larger than its upper bound. Half of all problem sets would have too narrow an
interval if it were taken as it is."""


def standard_error(per_problem: object, /, *, clusters: object = None) -> tuple[Floats, Floats]:
    """Compute the standard error of a mean over problems, for other problems like these.

    Args:
        per_problem: finite values, one per problem along the first axis; several metrics stand in the further axes.
        clusters: one label per problem, a string or an integer, where problems come in groups that resemble each other,
            such as the questions on one text.

    Returns:
        The standard errors, in the shape of `per_problem` without its first axis, NaN where there are none (one
        problem, one cluster); and the numbers of independent units in the same shape: the number M of problems, fewer
        with clusters. Both are what `at_k.interval` takes.

    Formula: √(Σ (v_i − v)²/(M − 1)/M); with clusters √(Σ_g e_g²/(1 − N_g/M))/M, where e_g = Σ_{i in g} (v_i − v): CR2,
        the cluster-robust variance with the correction of [2]. Clusters of one problem give the first. The units are
        max(G*, M/deff⁺), where G* = M²/Σ N_g² is the effective number of clusters [1], deff the square of the ratio of
        the two errors, at least 1, and deff⁺ = min(M/G*, max(1, deff·(G* − 1)/χ²)) its upper limit, with the 10 %
        quantile χ² for G* − 1 degrees of freedom. They are G* where all values are equal.

    Raises:
        TypeError: if the values are not numbers, or a label is neither a string nor an integer.
        ValueError: if there are no problems, a value is not finite, or there are not as many labels as problems.

    References:
        1. L. Kish, Survey Sampling, 1965, section 5.4 (the effective number for unequal clusters).
        2. R. Bell, D. McCaffrey, Bias reduction in standard errors for linear regression with multi-stage samples,
           Survey Methodology 28, 2002.

    Examples:
        >>> stderr, m = standard_error([0.2, 0.4, 0.9])
        >>> round(float(stderr), 5), float(m)
        (0.20817, 3.0)
        >>> stderr, m = standard_error([1, 1, 0, 0], clusters=["a", "a", "b", "b"])
        >>> float(stderr), float(m)
        (0.5, 2.0)
    """
    values = read_values("per_problem", per_problem, bounded=False)
    codes = None if clusters is None else read_clusters(clusters, len(values), "per_problem")
    return estimate_error(values, codes)


def estimate_error(values: Floats, clusters: Ints | None, times: Ints | None = None) -> tuple[Floats, Floats]:
    """Compute `standard_error` of checked values.

    Args:
        values: a row for each problem.
        clusters: the number of the cluster of each problem.
        times: how many problems each row stands for; None for one each.
    """
    if times is not None:
        values, clusters, times = values[times > 0], None if clusters is None else clusters[times > 0], times[times > 0]
    problems, centred = len(values) if times is None else int(times.sum()), centre(values, times)
    squares = (centred**2).sum(axis=0) if times is None else times @ centred**2
    alone = np.sqrt(squares / (problems - 1) / problems) if problems > 1 else np.full(values.shape[1:], np.nan)
    if clusters is None:
        return alone[()], np.full(alone.shape, float(problems))[()]
    sizes, total = add_units(centred, clusters, times)
    effective = problems**2 / float((sizes**2).sum())
    if len(sizes) == 1:
        return np.full(alone.shape, np.nan)[()], np.full(alone.shape, effective)[()]
    weight = (1 / (1 - sizes / problems)).reshape(-1, *[1] * (values.ndim - 1))
    stderr = np.sqrt((total**2 * weight).sum(axis=0)) / problems
    # Equal values do not show how much clusters matter.
    design = np.divide(stderr, alone, out=np.full(stderr.shape, np.inf), where=alone > 0) ** 2
    return stderr[()], count_units(np.maximum(design, 1), problems, problems / effective)[()]


def count_units(design: Floats, problems: ArrayLike, size: float) -> Floats:
    """Return the number of independent units, by the upper limit of the design effect of clusters.

    Args:
        design: the design effects, not below 1.
        problems: the number of problems.
        size: problems for each of the effective number of clusters.
    """
    from scipy.special import chdtri

    effective = np.asarray(problems) / size
    freedom = np.maximum(effective - 1, 0)
    quantile = chdtri(freedom, 1 - _CHANCE)  # 0, but for rounding, for few degrees of freedom
    factor = np.divide(freedom, quantile, out=np.full(freedom.shape, np.inf), where=quantile > 1e-100)
    return np.asarray(np.maximum(effective, problems / np.clip(design * factor, 1, size)))


def read_clusters(clusters: object, problems: int, name: str) -> Ints:
    """Return the number of the cluster of each problem; `name` is the argument that holds the problems."""
    labels = columns.read_groups(clusters, "clusters")
    columns.require_same_problems("clusters", len(labels), name, problems)
    index = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    return np.fromiter(map(index.__getitem__, labels), dtype=np.int64, count=len(labels))


def add_units(values: Floats, clusters: Ints | None, times: Ints | None = None) -> tuple[Floats, Floats]:
    """Return how many problems each unit has, and the sums of their values: a unit is a cluster, or else a problem.

    A row stands for `times` problems of its cluster.
    """
    if clusters is None:
        return np.ones(len(values)), values
    sizes = np.bincount(clusters, times).astype(np.float64)
    columns = values.reshape(len(values), -1).T * (1 if times is None else times)
    total = np.stack([np.bincount(clusters, column) for column in columns], axis=1).astype(np.float64)
    return sizes, total.reshape(-1, *values.shape[1:])


def centre(values: Floats, times: Ints | None = None) -> Floats:
    """Subtract the mean. Equal values become 0, which the rounding of their mean must not change."""
    mean = values.mean(axis=0) if times is None else times @ values / times.sum()
    return np.where((values == values[0]).all(axis=0), 0.0, values - mean)


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
    per_problem: object,
    variances: object,
    n: ArrayLike,
    /,
    *,
    k: int | list[int],
    largest: ArrayLike | None = None,
    times: ArrayLike | None = None,
) -> ProblemSetError:
    """Compute the standard error of a mean over problems, for other samples of these same problems.

    Args:
        per_problem: values, one row per problem, and one column per k if several are given.
        variances: the variance of each value, in the same shape: the J_i of `at_k.uncertainty.jackknife`. It is not
            read where n = k.
        n: samples of each problem.
        k: the number of draws behind the value, or a list of them, one per column; 1 for avg@n and `accuracy`.
        largest: the largest variance that the value of a problem can have, one per column if several k are given: for
            metrics of counts, that of the worst c. By default the largest of `variances`.
        times: how many problems each row stands for; by default one each.

    Returns:
        Standard error, units and whether it is an upper bound, each a number or one number per k. Where some n is k,
        the samples cannot tell how much the value varies: the answer is then that of `standard_error`.

    Formula: √(Σ J_i + max J)/M, with Σ ⌊n_i/k⌋ units. The pseudo-problem of the largest variance stands for problems
        whose samples happen to be alike, so that they seem not to vary.

    Raises:
        TypeError: if the values are not numbers, or `k` is not an integer.
        ValueError: if shapes differ, a variance that is needed is missing or negative, or some n < k.

    References:
        B. Efron, C. Stein, The Jackknife Estimate of Variance, Annals of Statistics 9, 1981,
        https://doi.org/10.1214/aos/1176345462.

    Examples:
        >>> found = problem_set_error([0.5, 1.0], [0.25 / 3, 0.0], [4, 4], k=1)  # avg@4: J = ¼/3 and 0, at most ¼/3
        >>> round(float(found.stderr), 5), float(found.m), bool(found.is_upper_bound)
        (0.20412, 8.0, False)
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
    # Problems whose samples happen to be alike seem not to vary: one pseudo-problem of the largest variance stands in.
    usable_table = np.where(bound, 0.0, table)
    most = usable_table.max(axis=0) if largest is None else np.where(bound, 0.0, np.asarray(largest, dtype=np.float64))
    each = np.ones(len(values), dtype=np.int64) if times is None else np.asarray(times)
    problems = int(each.sum())
    within = np.sqrt(each @ usable_table + most) / problems
    stderr = np.where(bound, estimate_error(values.reshape(len(values), -1), None, each)[0], within)
    m = np.where(bound, problems, each @ (sizes[:, None] // draws)).astype(np.float64)
    end = shape[1:]
    return ProblemSetError(stderr.reshape(end)[()], m.reshape(end)[()], bound.reshape(end)[()])
