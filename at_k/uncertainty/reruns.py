"""Would another run of these very problems reverse it? The difference of two models with the problem set as target."""

from __future__ import annotations

import numpy as np

from at_k.combinatorics import Floats
from at_k.uncertainty.intervals import find_difference_interval, interval
from at_k.uncertainty.questions import Comparison, find_bounded_tails


def compare_reruns(
    a: Floats, b: Floats, variances: tuple[Floats, Floats], m: float, /, *, bounded: bool, confidence_level: float,
    margin: float | None = None,
) -> Comparison:  # fmt: skip
    """Compare two models on these very problems, for other samples of them.

    Args:
        a: one value per problem.
        b: the values of the other model, of the same problems in the same order.
        variances: the variance of each value of a and of b, the J of `at_k.uncertainty.jackknife_counts`.
        m: how many times as many samples as a value takes could be drawn: the smaller Σ ⌊n/k⌋ of the two.
        bounded: whether the values lie in [0, 1].
        confidence_level: the confidence level.
        margin: a difference that does not matter.

    Returns:
        Means, difference, interval and p-value, which is the least α whose interval does not hold 0.

    Formula: se² = (Σ J_a + Σ J_b)/M², and 2·interval((1 + d)/2, se/2, m) − 1. Without a range, d ± t·se.

    Examples:
        >>> a, b = np.array([0.75, 0.5, 1.0]), np.array([0.5, 0.25, 0.5])
        >>> found = compare_reruns(a, b, (a * (1 - a) / 3, b * (1 - b) / 3), 12, bounded=True, confidence_level=0.95)
        >>> round(found.difference, 3), round(found.low, 3), round(found.high, 3), found.better
        (0.333, -0.144, 0.691, None)
    """
    from scipy.special import stdtr

    d = a - b
    difference, stderr = float(d.mean()), float(np.sqrt(variances[0].sum() + variances[1].sum())) / len(d)
    p_equivalence = None
    if bounded:
        low, high = map(float, find_difference_interval(difference, stderr, m, confidence_level=confidence_level))
        p_value = min(1.0, 2 * min(find_bounded_tails(difference, stderr, m, 0.0)))
        p_equivalence = None if margin is None else max(find_bounded_tails(difference, stderr, m, margin))
    else:
        ends = interval(difference, stderr, m, confidence_level=confidence_level, method="t", bounded=False)
        low, high = map(float, ends)
        p_value = float(2 * stdtr(m - 1, -abs(difference) / stderr)) if stderr and m > 1 else 1.0
        if not stderr:
            low, high = -np.inf, np.inf
    won, lost = int((d > 0).sum()), int((d < 0).sum())
    return Comparison(
        a=float(a.mean()),
        b=float(b.mean()),
        difference=difference,
        low=low,
        high=high,
        stderr=stderr,
        p_value=p_value,
        confidence_level=confidence_level,
        paired=True,
        problems=(len(a), len(b)),
        method="rerun",
        p_equivalence=p_equivalence,
        won=won,
        lost=lost,
        tied=len(d) - won - lost,
    )
