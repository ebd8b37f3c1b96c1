"""One verdict from several benchmarks: the differences of two models, pooled over the problems of all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from at_k.choices import POOL_BY
from at_k.combinatorics import Floats, Ints
from at_k.uncertainty.checks import check_fraction
from at_k.uncertainty.flips import (
    N_FLIPS,
    ROUNDING,
    Flips,
    adjust_by_max_t,
    find_flip_p,
    find_typical_limits,
    round_ties,
)
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.questions import FEW, Comparison, find_bounded_tails, find_least_p, is_decided, obey_test
from at_k.uncertainty.standard_errors import add_units, estimate_error
from at_k.validation import check_choice

_Pair = tuple[Floats, Floats]


def compare_pooled(
    benchmarks: Mapping[str, Sequence[_Pair]],
    clusters: Mapping[str, Ints | None],
    /,
    *,
    pool_by: str = "benchmark",
    confidence_level: float = 0.95,
    n_flips: int = N_FLIPS,
    seed: int = 0,
) -> tuple[list[Comparison], list[float]]:
    """Compare two models over several benchmarks, in one number or several.

    Args:
        benchmarks: benchmark → for each number the values of both models, in [0, 1], of the same problems.
        clusters: benchmark → the number of the cluster of each problem, or None.
        pool_by: "benchmark", every benchmark counts alike; "problem", every problem does.
        confidence_level: the confidence level.
        n_flips: random flips, where not all are made.
        seed: of the random flips.

    Returns:
        The comparisons, and their p-values adjusted for each other, as of `compare_columns`.

    Formula: problem i of the benchmark j with M_j problems has the weight w_i = 1/M_j, or 1, and the difference is
        Σ w_i d_i/Σ w_i. Interval and p are those of `compare_values`, from Σ_P w_i d_i/Σ_P w_i over the same random
        subsets P of all problems, or clusters. The standard error is that of a stratified mean. Where fewer than six
        differences are not 0, or all are equal, the interval is the bounded one, and holds 0 exactly where p ≥ α.

    References:
        Pooled tests over benchmarks: arXiv 2602.10144, https://arxiv.org/abs/2602.10144.

    Examples:
        >>> a, b = {"x": [1, 1, 1, 0.5], "y": [0.5] * 8}, {"x": [0, 0.5, 0.5, 0], "y": [0.25] * 7 + [0.5]}
        >>> pairs = {name: [(np.array(a[name], float), np.array(b[name], float))] for name in a}
        >>> (found,), _ = compare_pooled(pairs, {"x": None, "y": None})
        >>> round(found.difference, 3), found.better  # the mean of 0.625 and 0.219
        (0.422, 'a')
    """
    check_choice("pool_by", pool_by, POOL_BY)
    check_fraction("confidence_level", confidence_level)
    sizes = {name: len(pairs[0][0]) for name, pairs in benchmarks.items()}
    shares = {name: 1 / (size if pool_by == "benchmark" else 1) for name, size in sizes.items()}
    whole = sum(size * shares[name] for name, size in sizes.items())
    weight = np.concatenate([np.full(size, shares[name] / whole) for name, size in sizes.items()])
    values = [  # for each number the values of both models
        tuple(np.concatenate([pairs[place][side] for pairs in benchmarks.values()]) for side in (0, 1))
        for place in range(len(next(iter(benchmarks.values()))))
    ]
    codes = _join_clusters(clusters, sizes)
    columns = np.stack([weight * (a - b) for a, b in values], axis=1)
    flips = Flips(np.column_stack([columns, weight]), codes, n_flips=n_flips, seed=seed)
    sums = [round_ties(flips.sums[:, place], float(np.abs(columns[:, place]).sum())) for place in range(len(values))]
    norms = np.sqrt((add_units(columns, codes)[1] ** 2).sum(axis=0))
    norms[norms == 0] = 1.0
    totals = columns.sum(axis=0)
    adjusted = adjust_by_max_t(
        np.abs(totals) / norms, lambda place: np.abs(totals[place] - 2 * sums[place]) / norms[place]
    )
    found = []
    for place, (a, b) in enumerate(values):
        nonzero = int(np.count_nonzero(add_units(columns[:, place], codes)[1]))
        p_value = find_flip_p(sums[place])
        stderr, units = _estimate_stratified(a - b, sizes, shares, whole, clusters)
        difference = float(totals[place])
        low, high = typical = find_typical_limits(sums[place] / flips.sums[:, -1], round(1 - confidence_level, 12))
        equal = np.ptp(a - b) <= ROUNDING
        if nonzero < FEW:
            p_value = max(p_value, find_least_p(nonzero))
        elif equal:
            p_value = min(1.0, max(p_value, 2 * min(find_bounded_tails(difference, stderr, units, 0.0))))
        if nonzero < FEW or equal or np.isinf(low):
            ends = interval((1 + difference) / 2, stderr / 2, units, confidence_level=confidence_level)
            low, high = obey_test(
                (2 * float(ends[0]) - 1, 2 * float(ends[1]) - 1), typical,
                decided=is_decided(p_value, confidence_level),
            )  # fmt: skip
        won, lost = int((a > b).sum()), int((a < b).sum())
        found.append(
            Comparison(
                a=float(weight @ a),
                b=float(weight @ b),
                difference=difference,
                low=low,
                high=high,
                stderr=stderr,
                p_value=p_value,
                confidence_level=confidence_level,
                paired=True,
                problems=(len(a), len(b)),
                method="pooled",
                units=len(flips.totals),
                won=won,
                lost=lost,
                tied=len(a) - won - lost,
            )
        )
    own = [each.p_value for each in found]
    return found, own if len(found) == 1 else list(map(max, own, adjusted.tolist()))


def _join_clusters(clusters: Mapping[str, Ints | None], sizes: Mapping[str, int]) -> Ints | None:
    """Number the clusters of all benchmarks; a problem without a cluster is one of its own."""
    if all(own is None for own in clusters.values()):
        return None
    joined, start = [], 0
    for name, size in sizes.items():
        own = clusters[name]
        codes = np.arange(size) if own is None else own
        joined.append(codes + start)
        start += int(codes.max()) + 1
    return np.concatenate(joined)


def _estimate_stratified(
    difference: Floats,
    sizes: Mapping[str, int],
    shares: Mapping[str, float],
    whole: float,
    clusters: Mapping[str, Ints | None],
) -> tuple[float, float]:
    """Return the standard error of the mean of the strata, and how many units it stands for."""
    variance, spread, start = 0.0, 0.0, 0
    for name, size in sizes.items():
        stderr, units = estimate_error(difference[start : start + size], clusters[name])
        part = size * shares[name] / whole
        variance += 0.0 if np.isnan(stderr) else (part * float(stderr)) ** 2
        spread += part**2 / float(units)
        start += size
    return variance**0.5, 1 / spread
