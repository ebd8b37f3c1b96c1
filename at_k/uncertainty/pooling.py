"""One verdict from several benchmarks: the differences of two models, pooled over the problems of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from at_k.caching import cached_property
from at_k.choices import POOL_BY
from at_k.combinatorics import Floats, Ints
from at_k.uncertainty.checks import check_fraction
from at_k.uncertainty.flips import N_FLIPS, Flips, round_ties
from at_k.uncertainty.questions import Comparison, Question, adjust
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

    def join(place: int, side: int) -> Floats:
        return np.concatenate([pairs[place][side] for pairs in benchmarks.values()])

    values = [(join(place, 0), join(place, 1)) for place in range(len(next(iter(benchmarks.values()))))]
    codes = _join_clusters(clusters, sizes)
    columns = np.stack([weight * (a - b) for a, b in values], axis=1)
    flips = Flips(np.column_stack([columns, weight]), codes, n_flips=n_flips, seed=seed)
    sums = [round_ties(flips.sums[:, place], float(np.abs(columns[:, place]).sum())) for place in range(len(values))]
    questions = [
        _PooledQuestion(
            a - b,
            codes,
            partial(sums.__getitem__, place),
            flips.sums[:, -1],
            weight,
            _estimate_stratified(a - b, sizes, shares, whole, clusters),
        )
        for place, (a, b) in enumerate(values)
    ]
    found = []
    for question, pair in zip(questions, values, strict=True):
        a, b = (float(np.clip(weight @ side, 0.0, 1.0)) for side in pair)
        compared = question.compare(*pair, confidence_level)
        found.append(replace(compared, a=a, b=b, method="pooled", bounded=None, notes=()))
    return found, adjust(questions, [each.p_value for each in found])


class _PooledQuestion(Question):
    """Hold a difference that is a weighted mean over the problems of several benchmarks."""

    def __init__(
        self,
        difference: Floats,
        clusters: Ints | None,
        add_up: Callable[[], Floats],
        problems: Floats,
        weight: Floats,
        error: tuple[float, float],
    ) -> None:
        """Take what `Question` does, the weight of each problem, and the standard error with its units."""
        self.weight, self._stratified = weight, error
        super().__init__(difference, clusters, add_up, problems, "sign-flip", bounded=True)

    def _choose_method(self, asked: str) -> str:
        method = super()._choose_method(asked)
        return asked if method == "mcnemar" else method  # which counts problems, all with one weight

    @cached_property
    def totals(self) -> Floats:
        """Return the weighted sum of the differences of each unit."""
        return add_units(self.weight * self.difference, self.clusters)[1]

    @cached_property
    def mean(self) -> float:
        """Return the weighted mean difference."""
        return float(np.clip((self.weight * self.difference).sum(), -1.0, 1.0))  # weights add up to 1 but for rounding

    @cached_property
    def _error(self) -> tuple[float, float]:
        return self._stratified


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
