"""What a correct sample costs: the cost of all samples, divided by the number of correct ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from at_k.uncertainty.checks import check_fraction, read_column
from at_k.uncertainty.standard_errors import add_units, read_clusters


class CostPerSuccess(NamedTuple):
    """Hold what a correct sample costs, in the unit of the costs.

    Attributes:
        value: the cost of all samples for each correct one; infinite if none is correct.
        low: the lower limit of its interval.
        high: the upper limit.
    """

    value: float
    low: float
    high: float


def cost_per_success(
    costs: ArrayLike, successes: ArrayLike, /, *, clusters: object = None, confidence_level: float = 0.95
) -> CostPerSuccess:
    """Compute what a correct sample costs, with an interval for other problems like these.

    Args:
        costs: the cost of all samples of each problem, in money, tokens or seconds; not negative.
        successes: the number of correct samples of each problem.
        clusters: one label per problem, where problems come in groups that resemble each other.
        confidence_level: the confidence level.

    Returns:
        The ratio of the sums, and its interval: from 0 to infinity where there is none, since all problems are alike,
        or all correct samples are those of one problem or cluster.

    Formula: exp(log r ± t·se), r = Σ cost/Σ successes, with the jackknife over problems, or clusters,
        se² = (G − 1)/G · Σ (log r₋ᵢ − their mean)², and Student's t for G − 1 degrees of freedom.

    Raises:
        TypeError: if the values are not numbers.
        ValueError: if a value is negative, or the two hold different numbers of problems.

    References:
        Costs at which problems are solved: S. Meir et al., More Bang for the Buck, 2026,
        https://arxiv.org/abs/2601.21522.

    Examples:
        >>> found = cost_per_success([4.0, 2.0, 3.0, 3.0], [1, 2, 2, 1])
        >>> found.value, round(found.low, 2), round(found.high, 2)
        (2.0, 0.76, 5.29)
    """
    from scipy.special import stdtrit

    spent, right = read_column("costs", costs, bounded=False), read_column("successes", successes, bounded=False)
    if len(spent) != len(right):
        raise ValueError(f"`costs` and `successes` must have as many problems; got {len(spent)} and {len(right)}")
    for name, values in (("costs", spent), ("successes", right)):
        if (values < 0).any():
            at = int(np.argmax(values < 0))
            raise ValueError(f"`{name}` must not be negative; got {values[at]} in problem {at}")
    level = check_fraction("confidence_level", confidence_level)
    codes = None if clusters is None else read_clusters(clusters, len(spent), "costs")
    _, sums = add_units(np.stack([spent, right], axis=1), codes)
    total, units = sums.sum(axis=0), len(sums)
    if not total[1]:
        return CostPerSuccess(np.inf, 0.0, np.inf)
    value = float(total[0] / total[1])
    left = total - sums
    if units < 2 or not value or (left <= 0).any():
        return CostPerSuccess(value, 0.0, np.inf)
    logs = np.log(left[:, 0] / left[:, 1])
    stderr = float(np.sqrt((units - 1) * logs.var()))
    if stderr <= 1e-12:  # the ratios of all are alike, but for rounding
        return CostPerSuccess(value, 0.0, np.inf)
    factor = float(np.exp(stdtrit(units - 1, (1 + level) / 2) * stderr))
    return CostPerSuccess(value, value / factor, value * factor)
