"""Simultaneous intervals: several means over the same problems that all lie within their limits at once."""

from __future__ import annotations

import numpy as np

from at_k.combinatorics import Floats, Ints
from at_k.uncertainty.flips import N_FLIPS, Flips
from at_k.uncertainty.standard_errors import centre

_FEW = 6
"""With fewer values that are not the most frequent one, flips do not show how far a mean may lie."""


def find_band_quantile(
    columns: Floats,
    clusters: Ints | None,
    /,
    *,
    confidence_level: float,
    n_flips: int = N_FLIPS,
    seed: int = 0,
    times: Ints | None = None,
) -> float:
    """Find how many standard errors all means together stay within, at this confidence level.

    Args:
        columns: finite values, with a row for each problem and a column for each mean.
        clusters: the number of the cluster of each problem, where whole clusters flip; None without clusters.
        confidence_level: how often all true means lie within their limits.
        n_flips: random flips, where not all are made.
        seed: of the random flips.
        times: how many problems each row stands for, without clusters; None for one each.

    Returns:
        q, with which v ± q·se is a band. It is infinite where there are too few units for this level.

    Formula: the quantile, over sign vectors s, of the largest |Σ s_g e_g|/(√G·sd(s_g e_g)), where e_g are the centred
        sums over the G units. Means that resemble each other, as those of pass@8 and pass@9, widen the band little.

    Examples:
        >>> values = np.linspace(0, 1, 40)[:, None]
        >>> one, two = (find_band_quantile(values ** [*range(1, k + 1)], None, confidence_level=0.95) for k in (1, 3))
        >>> round(one, 1), round(two, 1)  # t has 2.02
        (2.0, 2.2)
    """
    flips = Flips(centre(columns, times), clusters, n_flips=n_flips, seed=seed, times=times)
    units = flips.units
    place = int(np.ceil(round(confidence_level * (len(flips.sums) + 1), 9)))
    if units < 2 or place > len(flips.sums):
        return np.inf
    # The totals of all are 0, so that a flip of the signs in a subset changes the sum by twice that over the subset.
    mean = 2 * np.abs(flips.sums) / units
    squares = (flips.totals**2 * flips.times[:, None]).sum(axis=0)
    spread = np.maximum(squares / units - mean**2, 0.0) * units / (units - 1)
    with np.errstate(divide="ignore"):
        t = np.divide(mean, np.sqrt(spread / units), out=np.zeros(mean.shape), where=mean > 0)
    return float(np.partition(t.max(axis=1), place - 1)[place - 1])


def share_level(
    columns: Floats, clusters: Ints | None, /, *, confidence_level: float, times: Ints | None = None
) -> float:
    """Find the confidence level at which each of several intervals is made, so that all hold together.

    Args:
        columns: values in the unit of the means, with a row for each problem and a column for each interval.
        clusters: as of `find_band_quantile`.
        confidence_level: how often all of them hold at once.
        times: as of `find_band_quantile`.

    Returns:
        The level at which Student's t has the quantile of `find_band_quantile`; at least `confidence_level`, and at
        most 1 − (1 − `confidence_level`)/K for K different columns (Bonferroni). It is the latter where fewer than six
        values of a column differ from the most frequent one, since flips then do not show how far a mean may lie.

    Examples:
        >>> values = np.linspace(0, 1, 40)[:, None]
        >>> round(share_level(values ** [1, 2, 3], None, confidence_level=0.95), 3)  # 0.983 by Bonferroni
        0.965
        >>> share_level(values, None, confidence_level=0.95)
        0.95
    """
    from scipy.special import stdtr

    different: Floats = np.unique(np.round(columns, 12), axis=1)
    chance: float = 1 - confidence_level
    if different.shape[1] == 1:
        return confidence_level
    least = chance / len(different.T)
    each = np.ones(len(columns), dtype=np.int64) if times is None else times
    places = (np.unique(column, return_inverse=True)[1] for column in different.T)
    common = [each.sum() - np.bincount(place, each).max() for place in places]
    units = each.sum() if clusters is None else int(clusters.max()) + 1
    if min(common) < _FEW or units < _FEW:
        return 1 - least
    q = find_band_quantile(different, clusters, confidence_level=confidence_level, times=times)
    return 1 - min(chance, max(least, 2 * float(stdtr(units - 1, -q))))
