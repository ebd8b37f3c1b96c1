"""Standard errors of means over problems, the number of independent units behind them, and the cost of a success."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from at_k import columns
from at_k.combinatorics import Floats, Ints
from at_k.uncertainty.checks import read_values
from at_k.validation import is_number, require_same_problems

# The probability that the design effect exceeds its upper bound. Half of all problem sets would have too narrow an
# interval if it were taken as it is.
_CHANCE = 0.1


def standard_error(per_problem: object, /, *, clusters: object = None) -> tuple[Floats, Floats]:
    """Compute the standard error of a mean over problems, for similar problems, not only these.

    Args:
        per_problem: finite values, one per problem along the first axis; several metrics are in the further axes.
        clusters: one label per problem, a string or an integer, where problems come in groups that resemble each other,
            such as the questions on one text.

    Returns:
        The standard errors, in the shape of `per_problem` without its first axis, NaN where there are none (one
        problem, one cluster); and the numbers of independent units in the same shape: the number M of problems, fewer
        with clusters. Both are what `at_k.interval` takes.

    Formula: √(Σ (v_i − v)²/(M − 1)/M); with clusters √(Σ_g e_g²/(1 − N_g/M))/M, where e_g = Σ_{i in g} (v_i − v): CR2,
        the cluster-robust variance with the correction of [2]. Clusters of one problem give the first. The units are
        √(m(G* − 1)·m(ν₂ − 1)) with m(f) = max(G*, M/min(M/G*, max(1, deff·f/χ²))), f at least 1, and the 10 % quantile
        χ² for f degrees of freedom: G* = M²/Σ N_g² is the effective number of clusters [1], ν₂ = (Σ N_g²)²/Σ N_g⁴, and
        deff the square of the ratio of the two errors, at least 1. They are G* where all values are equal.

    Raises:
        TypeError: if the values are not numbers, or a label is neither a string nor an integer.
        ValueError: if there are no problems, a value is not finite, or labels and problems differ in number.

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
    codes = None
    if clusters is not None:
        codes = read_clusters(clusters, len(values), "per_problem")
    return estimate_error(values, codes)


def estimate_error(
    values: Floats, clusters: Ints | None, times: Ints | None = None
) -> tuple[Floats, Floats]:
    """Compute `standard_error` of checked values."""
    if times is not None:
        values = values[times > 0]
        if clusters is not None:
            clusters = clusters[times > 0]
        times = times[times > 0]
    if times is None:
        problems = len(values)
    else:
        problems = int(times.sum())
    centred = centre(values, times)
    if times is None:
        squares = (centred**2).sum(axis=0)
    else:
        squares = times @ centred**2
    if problems > 1:
        alone = np.sqrt(squares / (problems - 1) / problems)
    else:
        alone = np.full(values.shape[1:], np.nan)
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
    return stderr[()], count_units(np.maximum(design, 1), problems, find_shares(sizes))[()]


class Shares(NamedTuple):
    """Hold the problems per effective cluster: M/G* with G* = M²/Σ N², and M/ν₂ with ν₂ = (Σ N²)²/Σ N⁴."""

    kish: float
    freedom: float


def find_shares(sizes: Floats) -> Shares:
    """Return the problems per effective cluster for clusters of these sizes."""
    squares = float((sizes**2).sum())
    return Shares(
        squares / float(sizes.sum()), float(sizes.sum()) * float((sizes**4).sum()) / squares**2
    )


def count_units(design: Floats, problems: ArrayLike, shares: Shares) -> Floats:
    """Return the effective number of independent problems, by the upper limit of the design effect of clusters."""
    from scipy.special import chdtri

    # Of unequal clusters, the largest decide how well their variance is known: ν₂ is below G*. In the worst of 32
    # cells, the geometric mean of both counts covers .93 where G* alone covers .86.
    least = np.asarray(problems) / shares.kish
    product = 1.0
    for share in shares:
        freedom = np.maximum(np.asarray(problems) / share - 1, 1)
        factor = freedom / chdtri(freedom, 1 - _CHANCE)
        product = product * np.maximum(least, problems / np.clip(design * factor, 1, shares.kish))
    return np.asarray(np.sqrt(product))


def read_clusters(clusters: object, problems: int, name: str) -> Ints:
    """Return the number of the cluster of each problem; `name` is the argument that holds the problems."""
    labels = columns.read_groups(clusters, "clusters")
    require_same_problems("clusters", len(labels), name, problems)
    index = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    return np.fromiter(map(index.__getitem__, labels), dtype=np.int64, count=len(labels))


def lengthen_clusters(clusters: Ints | None, count: int) -> Ints | None:
    """Return the clusters with those of further problems, each of which is one of its own."""
    if clusters is None:
        return None
    return np.append(clusters, clusters.max() + 1 + np.arange(count))


def add_units(
    values: Floats, clusters: Ints | None, times: Ints | None = None
) -> tuple[Floats, Floats]:
    """Return how many problems each unit has, and the sums of their values: a unit is a cluster, or else a problem."""
    # A row represents `times` problems of its cluster.
    if clusters is None:
        return np.ones(len(values)), values
    sizes = np.bincount(clusters, times).astype(np.float64)
    columns = values.reshape(len(values), -1).T * (1 if times is None else times)
    total = np.stack([np.bincount(clusters, column) for column in columns], axis=1).astype(
        np.float64
    )
    return sizes, total.reshape(-1, *values.shape[1:])


def centre(values: Floats, times: Ints | None = None) -> Floats:
    """Subtract the mean. Equal values become 0, which the rounding of their mean must not change."""
    if times is None:
        mean = values.mean(axis=0)
    else:
        mean = times @ values / times.sum()
    return np.where((values == values[0]).all(axis=0), 0.0, values - mean)


class StandardError(NamedTuple):
    """A standard error, NaN where there is none, how many units are behind it, and whether it is an upper bound."""

    stderr: float
    m: float
    is_upper_bound: bool = False


def problem_set_error(
    values: Floats,
    variances: Floats,
    n: Ints,
    /,
    *,
    k: int,
    largest: float | None = None,
    times: Ints | None = None,
) -> StandardError:
    """Compute the standard error of a mean over problems, for other samples of these same problems.

    Examples:
        >>> values, variances = np.array([0.5, 1.0]), np.array([0.25 / 3, 0.0])  # avg@4: J is at most ¼/3
        >>> found = problem_set_error(values, variances, np.array([4, 4]), k=1)
        >>> round(found.stderr, 5), found.m, found.is_upper_bound
        (0.20412, 8.0, False)
    """
    # Formula: √(Σ J_i + max J)/M, with Σ ⌊n_i/k⌋ units. The pseudo-problem of the largest variance represents problems
    # whose samples happen to be equal, so that they seem not to vary.
    # Source: B. Efron, C. Stein, The Jackknife Estimate of Variance, Annals of Statistics 9, 1981,
    # https://doi.org/10.1214/aos/1176345462.
    repeats = np.ones(len(values), dtype=np.int64) if times is None else times
    problems = int(repeats.sum())
    if (n == k).any():
        return StandardError(float(estimate_error(values, None, repeats)[0]), float(problems), True)
    most = float(variances.max() if largest is None else largest)
    return StandardError(
        float(np.sqrt(repeats @ variances + most)) / problems, float(repeats @ (n // k))
    )


def find_within_variance(n: Ints, c: Ints, *, single: bool = True) -> float:
    """Return the mean variance of verdicts within a problem, p(1 − p)·n/(n − 1); NaN if each has one sample.

    It is that of the mean of n samples if `single` is False.
    """
    # Two samples of a problem differ twice as often.
    several = n > 1
    if not several.any():
        return np.nan
    variance = (c * (n - c))[several] / (n * (n - 1.0))[several]
    return float(np.mean(variance if single else variance / n[several]))


def find_noise_floor(n: Ints, c: Ints, /, *, single: bool = True) -> float:
    """Compute the difference in accuracy that two runs of one model exceed in one of twenty pairs.

    Runs are of one sample of each problem, or of its own n if `single` is False.

    Examples:
        >>> round(find_noise_floor(np.full(100, 4), np.full(100, 2)), 3)  # 1.96·√(2·100·⅓)/100
        0.16
    """
    # Formula: 1.96·√(2 Σ n p(1 − p)/(r(n − 1)))/M over the M problems, with p = c/n and r samples, at most 1; NaN where
    # every problem has one sample.
    from scipy.special import ndtri

    variance = find_within_variance(n, c, single=single)
    return float(np.minimum(ndtri(0.975) * np.sqrt(2 * variance / len(n)), 1.0))


# Words in the names of costs, such as agent_cost and num_output_tokens.
COST = re.compile("cost|tokens", re.IGNORECASE)


def read_costs(rows: Sequence[Mapping[str, Any]] | None, n: Ints) -> dict[str, Floats]:
    """Return what the samples of each problem cost, by the columns that say it of all, and in which it is not 0."""
    # Samples without a verdict may be dropped, but have a cost. Fewer costs than samples are not those of all.
    found: dict[str, Floats] = {}
    for name in filter(COST.search, rows[0] if rows else ()):
        costs: list[Any] = [row.get(name) for row in rows or ()]
        if all(
            isinstance(own, list) and len(own) >= samples
            for own, samples in zip(costs, n, strict=True)
        ):
            known = all(is_number(cost) and 0 <= cost < inf for own in costs for cost in own)
            if known and any(map(any, costs)):
                found[name] = np.array(list(map(sum, costs)), dtype=np.float64)
    return found


class CostPerSuccess(NamedTuple):
    """Hold what a correct sample costs, in the unit of the costs: infinite if none is correct."""

    value: float
    low: float
    high: float


def cost_per_success(
    costs: Floats,
    successes: Ints,
    samples: Ints | int,
    /,
    *,
    clusters: Sequence[str] | None = None,
    confidence_level: float = 0.95,
) -> CostPerSuccess:
    """Compute what a correct sample costs, with a confidence interval for similar problems, not only these.

    Examples:
        >>> found = cost_per_success(np.array([4.0, 2.0, 3.0, 3.0]), np.array([1, 2, 2, 1]), 2)
        >>> found.value, round(found.low, 2), round(found.high, 2)
        (2.0, 0.76, 6.23)
    """
    # Formula: the hull of three intervals exp(log r ± t·se), r = Σ cost/Σ successes, with the jackknife over problems,
    # or clusters, se² = (G − 1)/G · Σ (log r₋ᵢ − their mean)², and Student's t for G − 1 degrees of freedom: of the
    # problems as they are; with one further problem of mean cost and ¾ of the mean number of samples correct, of which
    # the lower end counts; and with one of which ¼ are, of which the upper end counts. That one costs what a regression
    # of costs on successes says, and at least the mean: failures may be dear (with the mean, 30 problems covered .88).
    # Source: Costs at which problems are solved: S. Meir et al., More Bang for the Buck, 2026,
    # https://arxiv.org/abs/2601.21522.
    codes = None
    if clusters is not None:
        codes = read_clusters(clusters, len(costs), "costs")
    _, sums = add_units(np.stack([costs, successes], axis=1), codes)
    total = sums.sum(axis=0)
    value = inf
    if total[1]:
        value = float(total[0] / total[1])
    if len(sums) < 2 or (total - sums <= 0).any():
        return CostPerSuccess(value, 0.0, inf)
    low, high = _find_ends(sums, confidence_level)
    # Problems that happen to be equal say too little of others: the plain interval is then too narrow.
    mean = float(costs.mean())
    correct = 0.25 * float(np.mean(samples))
    dear = mean + _find_slope(successes, costs) * (correct - float(successes.mean()))
    further = [[mean, 3 * correct], [max(mean, dear), correct]]
    ends = [_find_ends(np.append(sums, [row], axis=0), confidence_level) for row in further]
    return CostPerSuccess(value, min(low, value, ends[0][0]), max(high, value, ends[1][1]))


def _find_slope(x: Ints, y: Floats) -> float:
    """Return the slope of a regression of y on x; 0 where x does not vary."""
    centred = x - x.mean()
    square = float((centred**2).sum())
    if square:
        return float((centred * y).sum()) / square
    return 0.0


def _find_ends(sums: Floats, level: float) -> tuple[float, float]:
    """Return the ends of the jackknife's interval, for costs and successes of each unit."""
    from scipy.special import stdtrit

    total = sums.sum(axis=0)
    logs = np.log((total - sums)[:, 0] / (total - sums)[:, 1])
    margin = stdtrit(len(sums) - 1, (1 + level) / 2) * np.sqrt((len(sums) - 1) * logs.var())
    value = np.log(total[0] / total[1])
    return float(np.exp(value - margin)), float(np.exp(value + margin))
