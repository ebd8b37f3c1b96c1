"""Tests beside the rule of comparisons: Welch's for models on other problems, the paired t-test, and Wilcoxon's."""

from __future__ import annotations

from math import hypot

import numpy as np
from numpy.typing import ArrayLike

from at_k.combinatorics import Floats
from at_k.errors import Message
from at_k.uncertainty.checks import check_fraction, count_unlike, read_column
from at_k.uncertainty.decisions import Comparison, make_comparison
from at_k.uncertainty.flips import ROUNDING
from at_k.uncertainty.intervals import find_interval
from at_k.uncertainty.standard_errors import standard_error

# With fewer values unlike the most frequent one, Welch's interval is too narrow.
_FEW_UNLIKE = 6


def compare_unpaired(
    a: ArrayLike, b: ArrayLike, /, *, confidence_level: float = 0.95, questions: int = 1
) -> Comparison:
    """Compare two models that were measured on different problems. It has far less power than pairs.

    Examples:
        >>> found = compare_unpaired([1, 1, 1, 0.5, 1, 1], [0, 0.5, 0, 0.25])
        >>> found.paired, round(found.difference, 3), round(found.low, 3), round(found.high, 3)
        (False, 0.729, 0.144, 1.0)
    """
    # Formula: those of Welch's test, by SciPy, cut at −1 and 1. Where fewer than six values of a model differ from its
    # most frequent one, the interval is widened to hold d − √((a − l_a)² + (u_b − b)²) and d + √((u_a − a)² + (b −
    # l_b)²) of the limits l and u of `at_k.interval` [1], and the p-value is the larger one.
    from scipy.stats import ttest_1samp, ttest_ind

    first = read_column("a", a)
    second = read_column("b", b)
    level = 1 - (1 - check_fraction("confidence_level", confidence_level)) / questions
    difference = float(first.mean() - second.mean())
    low, high, p_value = difference, difference, 0.0
    # So that squares of small values are floats
    largest = max(float(first.max()), float(second.max())) or 1.0
    varies = [np.ptp(side) > ROUNDING * largest for side in (first, second)]
    if any(varies):
        if all(varies):
            test = ttest_ind(first / largest, second / largest, equal_var=False)
        else:  # the mean of equal values has no error
            test = ttest_1samp(
                (first - second.mean() if varies[0] else first.mean() - second) / largest, 0.0
            )
        low, high = (float(end) * largest for end in test.confidence_interval(level))
        low = max(low, -1.0)
        high = min(high, 1.0)
        p_value = float(test.pvalue)
    if low == high or min(count_unlike(first), count_unlike(second)) < _FEW_UNLIKE:
        safe = _find_safe_limits(first, second, 1 - level)
        low = min(low, safe[0])
        high = max(high, safe[1])
        p_value = max(p_value, _find_safe_p(first, second))
    stderr = float(np.hypot(standard_error(first)[0], standard_error(second)[0]))
    return make_comparison(
        first,
        second,
        (difference, low, high, stderr),
        p_value,
        confidence_level,
        questions,
        paired=False,
        method="welch",
        notes=(_UNPAIRED,),
    )


_UNPAIRED = Message(
    "compare.unpaired",
    "The two were measured on different problems, so that the comparison is unpaired. One on the same problems finds "
    "smaller differences.",
)


def _find_safe_limits(first: Floats, second: Floats, alpha: float) -> tuple[float, float]:
    """Return the limits of the difference that follow from those of both means."""
    a = first.mean()
    b = second.mean()
    low_a, high_a = find_interval(a, *standard_error(first), alpha, "beta", bounded=True)
    low_b, high_b = find_interval(b, *standard_error(second), alpha, "beta", bounded=True)
    low = a - b - hypot(a - low_a, high_b - b)
    high = a - b + hypot(high_a - a, b - low_b)
    return float(max(low, -1.0)), float(min(high, 1.0))


def _find_safe_p(first: Floats, second: Floats) -> float:
    """Return the alpha for which an end of the safe interval is 0."""
    from scipy.optimize import brentq

    def reach(digits: float) -> float:
        """Return how far from 0 the interval is at alpha = 10^digits; it is negative if 0 is inside."""
        low, high = _find_safe_limits(first, second, 10**digits)
        return low if first.mean() > second.mean() else -high

    if reach(0) <= 0:
        return 1.0
    if reach(-15) < 0:
        return float(10 ** brentq(reach, -15, 0, xtol=1e-12))
    return 1e-15


# With 15, 30 and 100 problems it is 13, 17 and 35 %; docs/appendix.md has them, too.
WILCOXON_WARNING = Message(
    "significance.wilcoxon",
    "The Wilcoxon test does not compare means: with equal means and different spread it finds a difference in up to "
    "72 % of simulated cases (300 problems, level 5 %). Prefer the sign-flip test.",
)


def paired_t_p(differences: ArrayLike, /) -> float:
    """Compute the p-value of the paired t-test, by SciPy.

    Examples:
        >>> round(paired_t_p([0.5, 0.25, 0.25, 0.0]), 4)
        0.0917
    """
    from scipy.stats import ttest_1samp

    values = read_column("differences", differences, bounded=False)
    largest = float(np.abs(values).max())
    if not largest:
        return 1.0
    if np.ptp(values) <= ROUNDING * largest:
        return float("nan")
    return float(ttest_1samp(values / largest, 0.0).pvalue)


def wilcoxon_p(differences: ArrayLike, /) -> float:
    """Compute the p-value of the Wilcoxon signed-rank test, by SciPy. It does not compare means.

    Examples:
        >>> wilcoxon_p([0.5, 0.2, 0.1, 0.0])  # of 8 assignments of signs, two are as extreme
        0.25
    """
    from scipy.stats import wilcoxon

    values = read_column("differences", differences, bounded=False)
    # Rounding must not separate equal sizes
    values = np.round(values / (float(np.abs(values).max()) or 1.0), 12)
    if values.any():
        return float(wilcoxon(values[values != 0]).pvalue)
    return 1.0
