"""Compute values against k, as figures draw them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from at_k import summary
from at_k.combinatorics import Ints
from at_k.error_bars import Confidence, find_error_bars
from at_k.family import OUTPUTS
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


def trace(
    grid: Sequence[int], values: Values, confidence: Confidence, times: Ints | None = None
) -> tuple[Mapping[Key, Sequence[float | None]], Mapping[Key, Sequence[tuple[float, float] | None]]]:
    """Return the lines of a metric over a grid of k, and the bands of its intervals, for other problems like these.

    Numbers that are no shares, or repeat a share without its threshold, have no line.

    Args:
        grid: the k of the curves.
        values: those of the metric, at some of these k.
        confidence: the intervals.
        times: how many problems each value stands for; None for one each.
    """
    columns = {key: column for key, column in values.columns.items() if OUTPUTS[key.metric].style}
    means = summary.average(columns, times=times)
    bars = find_error_bars(columns, means, confidence, times=times)
    return join_points(grid, means), join_points(grid, {key: (bar.low, bar.high) for key, bar in bars.items()})


_Point = TypeVar("_Point")


def join_points(grid: Sequence[int], points: Mapping[Key, _Point]) -> dict[Key, tuple[_Point | None, ...]]:
    """Join the points of each line; None where it has none. A point without k belongs to every k."""
    found: dict[Key, dict[int | None, _Point]] = {}
    for key, point in points.items():
        found.setdefault(key.line, {})[key.draws] = point
    return {line: tuple(own.get(k, own.get(None)) for k in grid) for line, own in found.items()}
