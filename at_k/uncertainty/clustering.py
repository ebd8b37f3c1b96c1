"""How much problems of one cluster resemble each other: design effect and intraclass correlation, with intervals."""

from __future__ import annotations

from typing import NamedTuple

from at_k.uncertainty.checks import check_fraction, read_column
from at_k.uncertainty.standard_errors import add_units, estimate_error, read_clusters


class DesignEffect(NamedTuple):
    """Hold how much clusters widen an interval, and how alike their problems are.

    Attributes:
        value: the design effect: how many times the variance of the mean is that of as many unrelated problems.
        low: the lower limit of its interval.
        high: the upper limit.
        icc: the intraclass correlation, how much two problems of one cluster have in common; at most 1.
        icc_low: the lower limit of its interval.
        icc_high: the upper limit.
    """

    value: float
    low: float
    high: float
    icc: float
    icc_low: float
    icc_high: float


def measure_design_effect(
    per_problem: object, clusters: object, /, *, confidence_level: float = 0.95
) -> DesignEffect | None:
    """Measure how much clusters of problems matter.

    Args:
        per_problem: finite values, one per problem.
        clusters: one label per problem.
        confidence_level: the confidence level of the intervals.

    Returns:
        Design effect and intraclass correlation; None where all values are equal, or there is one cluster, or each
        problem is a cluster of its own.

    Formula: deff = (se with clusters/se without)² with the errors of `at_k.standard_error`; its limits deff·(G* − 1)/χ²
        with the two quantiles for G* − 1 degrees of freedom, G* = M²/Σ N_g²; and
        ICC = (deff − 1)/(Σ N_g²/M − 1), cut at 1 [1].

    Raises:
        TypeError: if the values are not numbers, or a label is neither a string nor an integer.
        ValueError: if the numbers of values and labels differ.

    References:
        1. L. Kish, Survey Sampling, 1965, section 5.4.

    Examples:
        >>> found = measure_design_effect([1, 1, 0, 0, 1, 1, 0, 0], list("aabbccdd"))
        >>> round(found.value, 2), round(found.icc, 2)  # alike within clusters: twice the variance, and a little more
        (2.33, 1.0)
        >>> round(found.low, 2), round(found.high, 2)
        (0.75, 32.44)
    """
    from scipy.special import chdtri

    values = read_column("per_problem", per_problem, bounded=False)
    codes = read_clusters(clusters, len(values), "per_problem")
    tail = (1 - check_fraction("confidence_level", confidence_level)) / 2
    sizes, _ = add_units(values, codes)
    size = float((sizes**2).sum()) / len(values)
    (together, _), (alone, _) = estimate_error(values, codes), estimate_error(values, None)
    if len(sizes) == 1 or size <= 1 or not alone > 0:
        return None
    freedom = len(values) / size - 1
    value = float(together / alone) ** 2
    low, high = (value * freedom / max(float(chdtri(freedom, chance)), 1e-300) for chance in (tail, 1 - tail))
    icc = (min(1.0, (each - 1) / (size - 1)) for each in (value, low, high))
    return DesignEffect(value, low, high, *icc)
