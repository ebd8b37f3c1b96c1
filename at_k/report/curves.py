"""Compute values against k, as figures draw them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from at_k import summary
from at_k.combinatorics import Ints
from at_k.error_bars import NO_ERROR_BARS, Confidence, find_error_bars
from at_k.family import OUTPUTS
from at_k.report.data import Curves
from at_k.values import Key, Values

_POINTS = 64
"""Up to this n, a curve has a point for every k."""


def spread_k(n: int, *others: int) -> tuple[int, ...]:
    """List the k of a curve up to n: all of them, or, for large n, k that are evenly spread on a logarithmic axis.

    Examples:
        >>> spread_k(4), spread_k(1000)[:3], spread_k(1000)[-2:]
        ((1, 2, 3, 4), (1, 2, 3), (896, 1000))
    """
    if n <= _POINTS:
        return tuple(range(1, n + 1))
    spread = np.geomspace(1, n, _POINTS).round().astype(int).tolist()
    return tuple(sorted({*spread, *others}))


def draw_curves(
    grid: tuple[int, ...],
    drawn: Sequence[tuple[Sequence[int], Callable[[Sequence[int]], Values]]],
    *,
    equal_n: bool = True,
    confidence: Confidence = NO_ERROR_BARS,
    times: Ints | None = None,
) -> Curves:
    """Draw metrics over a grid of k.

    Args:
        grid: the k of the curves.
        drawn: for each metric the k at which it is drawn, and a function from k to its values. Numbers that are no
            shares, or repeat a share without its threshold, are left out.
        equal_n: as of `Curves`.
        confidence: the intervals, for other problems like these.
        times: how many problems each value stands for; None for one each.
    """
    lines: dict[Key, tuple[float | None, ...]] = {}
    bands: dict[Key, tuple[tuple[float, float] | None, ...]] = {}
    for draws, compute in drawn:
        columns = {key: column for key, column in compute(draws).columns.items() if OUTPUTS[key.metric].style}
        means = summary.average(columns, times=times)
        bars = find_error_bars(columns, means, confidence, times=times)
        lines |= join_points(grid, means)
        bands |= join_points(grid, {key: (bar.low, bar.high) for key, bar in bars.items()})
    return Curves(grid, lines, equal_n, bands)


_Point = TypeVar("_Point")


def join_points(grid: Sequence[int], points: Mapping[Key, _Point]) -> dict[Key, tuple[_Point | None, ...]]:
    """Join the points of each line; None where it has none. A point without k belongs to every k."""
    found: dict[Key, dict[int | None, _Point]] = {}
    for key, point in points.items():
        found.setdefault(key.line, {})[key.draws] = point
    return {line: tuple(own.get(k, own.get(None)) for k in grid) for line, own in found.items()}
