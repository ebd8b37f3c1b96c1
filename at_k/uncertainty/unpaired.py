"""Is A better than B, on different problems? Welch's test, and an interval that is safe for few unlike values."""

from __future__ import annotations

from math import hypot, sqrt

import numpy as np
from numpy.typing import ArrayLike

from at_k.combinatorics import Floats
from at_k.errors import Message
from at_k.uncertainty.checks import check_fraction, count_unlike, read_column
from at_k.uncertainty.intervals import find_lower
from at_k.uncertainty.questions import FEW, Comparison
from at_k.uncertainty.standard_errors import standard_error


def compare_unpaired(a: ArrayLike, b: ArrayLike, /, *, confidence_level: float = 0.95) -> Comparison:
    """Compare two models that were measured on different problems. It has far less power than pairs.

    Args:
        a: one value per problem, such as pass@k, in [0, 1].
        b: the values of the other model, of other problems.
        confidence_level: the confidence level.

    Returns:
        Means, difference, interval and p-value, marked as unpaired.

    Formula: d ± t·√(se_a² + se_b²), with the degrees of freedom of [1], cut at −1 and 1. Where fewer than six values of
        a model differ from its most frequent one, the interval is widened to hold d − √((a − l_a)² + (u_b − b)²) and
        d + √((u_a − a)² + (b − l_b)²) of the limits l and u of `at_k.interval` [2], and the p-value is the larger one.

    Raises:
        TypeError: if the values are not numbers.
        ValueError: if a value is not in [0, 1], or there are no problems.

    References:
        1. B. Welch, The generalization of 'Student's' problem when several different population variances are involved,
           Biometrika 34, 1947, https://doi.org/10.2307/2332510.
        2. R. Newcombe, Interval estimation for the difference between independent proportions, 1998, method 10.

    Examples:
        >>> found = compare_unpaired([1, 1, 1, 0.5, 1, 1], [0, 0.5, 0, 0.25])
        >>> found.paired, round(found.difference, 3), round(found.low, 3), round(found.high, 3)
        (False, 0.729, 0.144, 1.0)
    """
    from scipy.special import stdtr, stdtrit

    first, second = read_column("a", a), read_column("b", b)
    check_fraction("confidence_level", confidence_level)
    difference = float(first.mean() - second.mean())
    (se_a, _), (se_b, _) = standard_error(first), standard_error(second)
    stderr = float(np.hypot(se_a, se_b))
    spread, degrees = find_degrees_of_freedom(first, second)
    margin = -float(stdtrit(degrees, (1 - confidence_level) / 2)) * spread if spread else 0.0
    low, high = max(difference - margin, -1.0), min(difference + margin, 1.0)
    p_value = float(2 * stdtr(degrees, -abs(difference) / spread)) if spread else 0.0
    if min(count_unlike(first), count_unlike(second)) < FEW:
        safe = _find_safe_limits(first, second, 1 - confidence_level)
        low, high = min(low, safe[0]), max(high, safe[1])
        p_value = max(p_value, find_safe_p(first, second))
    return Comparison(
        a=float(first.mean()),
        b=float(second.mean()),
        difference=difference,
        low=low,
        high=high,
        stderr=stderr,
        p_value=p_value,
        confidence_level=confidence_level,
        paired=False,
        problems=(len(first), len(second)),
        method="welch",
        notes=(
            Message(
                "compare.unpaired",
                "The two were measured on different problems, so that the comparison is unpaired. One on the same "
                "problems finds smaller differences.",
            ),
        ),
    )


def find_degrees_of_freedom(first: Floats, second: Floats) -> tuple[float, float]:
    """Return the standard error of the difference and its degrees of freedom; 0 and 0 where there are none."""
    if min(len(first), len(second)) < 2:
        return 0.0, 0.0
    parts = np.array([standard_error(first)[0], standard_error(second)[0]]) ** 2
    if not parts.sum():
        return 0.0, 0.0
    shares = parts / parts.sum()  # the squares of the parts themselves may be too small for a float
    degrees = 1 / (shares**2 / [len(first) - 1, len(second) - 1]).sum()
    return float(np.sqrt(parts.sum())), float(degrees)


def _find_safe_limits(first: Floats, second: Floats, alpha: float) -> tuple[float, float]:
    a, b = float(first.mean()), float(second.mean())
    below_a, above_a = find_distances_to_limits(first, alpha)
    below_b, above_b = find_distances_to_limits(second, alpha)
    return max(a - b - hypot(below_a, above_b), -1.0), min(a - b + hypot(above_a, below_b), 1.0)


def find_distances_to_limits(values: Floats, alpha: float) -> tuple[float, float]:
    """Return how far below and above their mean the limits of the default interval are."""
    mean, (stderr, m) = values.mean(), standard_error(values)
    ends, spread = np.array([mean, 1 - mean]), np.nan_to_num(stderr, nan=0.0)
    below, above = ends - find_lower(ends, spread, np.asarray(m), alpha)
    return float(below), float(above)


def find_safe_p(first: Floats, second: Floats) -> float:
    """Return the least alpha for which the safe interval does not hold 0."""
    holds, excludes = 1e-15, 1.0  # at 1 it has no width
    for _ in range(40):
        alpha = sqrt(holds * excludes)
        low, high = _find_safe_limits(first, second, alpha)
        if low <= 0 <= high:
            holds = alpha
        else:
            excludes = alpha
    return excludes
