"""How much two models agree about which problems are hard, from a pilot of each."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from at_k.uncertainty.variance import Variance

_GROUPS = 20
"""Groups of problems that the jackknife leaves out one by one."""


class Correlation(NamedTuple):
    """Hold how much the difficulties of problems for two models agree.

    Attributes:
        value: the correlation, from −1 to 1.
        low: the lower limit of its interval.
        high: the upper limit.
    """

    value: float
    low: float
    high: float


def estimate_correlation(a: Variance, b: Variance, /, *, confidence_level: float = 0.95) -> Correlation | None:
    """Estimate the correlation between the difficulties of problems for two models, without the noise of samples.

    Args:
        a: the pilot of one model.
        b: that of the other, on the same problems in the same order.
        confidence_level: the confidence level of the interval.

    Returns:
        The correlation and its interval; None where the problems of a pilot do not vary beyond the noise of samples, or
        there are fewer than four.

    Formula: cov(v_a, v_b)/√(s_a² s_b²), with the variances between problems s², cut at ±1. Samples of two models are
        independent, so that noise adds to the variances of v alone (Spearman's correction for attenuation). The
        interval is that of Fisher's z, with the standard error of a jackknife over groups of problems and Student's t.

    References:
        C. Spearman, The Proof and Measurement of Association between Two Things, 1904,
        https://doi.org/10.2307/1412159.

    Examples:
        >>> n, c = np.full(8, 16), np.array([0, 1, 4, 6, 9, 12, 15, 16])
        >>> from at_k import pass_at_k
        >>> first, second = (Variance(n, each, 1, pass_at_k) for each in (c, np.roll(c, 1)))
        >>> round(estimate_correlation(first, second).value, 2)
        0.46
    """
    from scipy.special import stdtrit

    total = len(a.n)
    if total < 4:
        return None
    value = _correlate(a, b, np.arange(total))
    if value is None:
        return None
    groups = min(_GROUPS, total)
    order = np.random.default_rng(0).permutation(total) % groups
    left = [_correlate(a, b, np.flatnonzero(order != group)) for group in range(groups)]
    z = np.arctanh([each for each in left if each is not None])
    if len(z) < groups:
        return Correlation(value, -1.0, 1.0)
    spread = float(np.sqrt((groups - 1) / groups * ((z - z.mean()) ** 2).sum()))
    margin = -float(stdtrit(groups - 1, (1 - confidence_level) / 2)) * spread
    centre = np.arctanh(value)
    return Correlation(value, float(np.tanh(centre - margin)), float(np.tanh(centre + margin)))


def _correlate(a: Variance, b: Variance, places: np.ndarray[tuple[int, ...], np.dtype[np.intp]]) -> float | None:
    first, second = (replace(each, n=each.n[places], c=each.c[places], clusters=None) for each in (a, b))
    scale = first.at(inf) * second.at(inf)
    if scale <= 1e-18:
        return None
    found = float(np.cov(first.values, second.values)[0, 1]) / scale**0.5
    return float(min(max(found, -0.999), 0.999))
