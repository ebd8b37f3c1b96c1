"""Values against k, as figures draw them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from at_k import summary
from at_k.error_bars import NO_ERROR_BARS, Confidence, find_error_bars
from at_k.family import FAMILY
from at_k.validation import shorten
from at_k.values import Key, Values

_POINTS = 64
"""Up to this n, a curve has a point for every k."""

_NOT_DRAWN = {output.metric for metric in FAMILY.values() for output in metric.outputs if not output.drawn}


@dataclass(frozen=True)
class Curves:
    """Hold values against k.

    Attributes:
        k: every k.
        lines: a key with the letter k → its value for each k, None if it has none.
        equal_n: whether all problems have the same number of samples, the last k.
        bands: the same key → its interval for each k, None if it has none; empty without intervals.
    """

    k: tuple[int, ...]
    lines: Mapping[Key, Sequence[float | None]]
    equal_n: bool = True
    bands: Mapping[Key, Sequence[tuple[float, float] | None]] = field(default_factory=dict)

    def at(self, k: int) -> dict[Key, float]:
        """Return the values of one k, under the keys that `compute` gives them."""
        if k not in self.k:
            raise ValueError(
                f"`k` must be a k of the curves, which are {', '.join(map(str, self.k))}; got {shorten(k)}"
            )
        place, n = self.k.index(k), self.k[-1] if self.equal_n else None
        found = {}
        for line, values in self.lines.items():
            value = values[place]
            if value is not None:
                found[Key(line.metric, k if line.metric[-1] == "k" else n, line.tau)] = value
        return found


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
) -> Curves:
    """Draw metrics over a grid of k.

    Args:
        grid: the k of the curves.
        drawn: for each metric the k at which it is drawn, and a function from k to its values. Numbers that are no
            shares, or repeat a share without its threshold, are left out.
        equal_n: as of `Curves`.
        confidence: the intervals, for other problems like these.
    """
    lines: dict[Key, tuple[float | None, ...]] = {}
    bands: dict[Key, tuple[tuple[float, float] | None, ...]] = {}
    for draws, compute in drawn:
        columns = {key: column for key, column in compute(draws).columns.items() if key.metric not in _NOT_DRAWN}
        means = summary.average(columns)
        bars = find_error_bars(columns, means, confidence)
        lines |= _join_points(grid, means)
        bands |= _join_points(grid, {key: (bar.low, bar.high) for key, bar in bars.items()})
    return Curves(grid, lines, equal_n, bands)


_Point = TypeVar("_Point")


def _join_points(grid: Sequence[int], points: Mapping[Key, _Point]) -> dict[Key, tuple[_Point | None, ...]]:
    """Join the points of each line; None where it has none. A point without k belongs to every k."""
    found: dict[Key, dict[int | None, _Point]] = {}
    for key, point in points.items():
        found.setdefault(key.line, {})[key.k if key.metric[-1] == "k" else None] = point
    return {line: tuple(own.get(k, own.get(None)) for k in grid) for line, own in found.items()}
