"""Hold what is enough of problems: states that merge when problems, or samples of a problem, are added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import nsmallest
from math import fsum
from typing import NamedTuple
from zlib import crc32

import numpy as np

from at_k.combinatorics import Floats, Ints
from at_k.values import Key

ACCURACY = Key("accuracy")
"""The mean grade, which follows from n and c where all grades are 0 or 1."""

Count = tuple[str | None, int, int]
"""Group, n and c of a problem."""

Shape = tuple[str | None, int, tuple[int, ...]]
"""Group, n, and the votes for each answer of a problem: in falling order, those for a wrong answer below zero."""

Cell = tuple[str | None, int]
"""Group and n of problems."""


_NAMES = 64
"""Names of problems that a tally keeps, so that two tallies of the same problems are noticed."""


class Moments(NamedTuple):
    """Hold what is known of the values of several problems: enough for their mean and its error bars.

    Attributes:
        mean: their mean.
        squares: the sum of the squares of their deviations from it.
        variance: the sum of their jackknife variances; infinite where there are none.
        largest: the largest of these.
        error: the sum of the squared errors of simulated values.
    """

    mean: float
    squares: float
    variance: float
    largest: float
    error: float

    @classmethod
    def of(cls, values: Floats, variances: Floats, errors: Floats, times: Ints) -> Moments:
        """Measure values, each of which is that of `times` problems."""
        variances = np.where(np.isnan(variances), np.inf, variances)
        equal = bool((values == values[0]).all())  # their mean must not be rounded: they do not deviate from it
        mean = float(values[0]) if equal else fsum((values * (times / times.sum())).tolist())
        return cls(
            mean,
            float(times @ (values - mean) ** 2),
            float(times @ variances),
            float(variances.max()),
            float(times @ errors**2),
        )

    def merge(self, size: int, other: Moments, more: int) -> Moments:
        """Merge those of `size` problems with those of `more`. No large numbers cancel (Chan, Golub, LeVeque, 1983)."""
        total, gap = size + more, self.mean - other.mean
        return Moments(
            self.mean * (size / total) + other.mean * (more / total) if gap else self.mean,
            self.squares + other.squares + gap**2 * (size * more / total),
            self.variance + other.variance,
            max(self.largest, other.largest),
            self.error + other.error,
        )


class Stratum(NamedTuple):
    """Hold the number of problems of one group and one n, and the moments of their values by key."""

    problems: int
    moments: Mapping[Key, Moments]

    def keep(self, keys: frozenset[Key]) -> Stratum:
        """Keep the moments of these keys."""
        return Stratum(self.problems, {key: own for key, own in self.moments.items() if key in keys})

    def merge(self, other: Stratum) -> Stratum:
        """Merge with other problems of the same group and n, which have the same keys."""
        return Stratum(
            self.problems + other.problems,
            {key: own.merge(self.problems, other.moments[key], other.problems) for key, own in self.moments.items()},
        )


class Problem(NamedTuple):
    """Hold the counts of one problem: its samples, the correct ones, and answer → its votes and the correct ones.

    Its votes are None where there are no answers, or equal answers have different verdicts and must not.
    """

    group: str | None
    n: int
    c: int
    votes: Mapping[str, tuple[int, int]] | None

    @property
    def shape(self) -> Shape:
        """Return its votes without the answers."""
        votes = (count if 2 * right > count else -count for count, right in (self.votes or {}).values())
        return self.group, self.n, tuple(sorted(votes, key=lambda signed: (-abs(signed), -signed)))

    @property
    def disagrees(self) -> bool:
        """Return whether equal answers have different verdicts."""
        return any(0 < right < count for count, right in (self.votes or {}).values())

    def merge(self, other: Problem) -> Problem:
        """Add further samples of the same problem."""
        votes = None
        if self.votes is not None and other.votes is not None:
            votes = dict(self.votes)
            for answer, (count, right) in other.votes.items():
                before = votes.get(answer, (0, 0))
                votes[answer] = (before[0] + count, before[1] + right)
        return Problem(self.group, self.n + other.n, self.c + other.c, votes)


def choose_names(names: Iterable[str]) -> tuple[str, ...]:
    """Choose the names that tell two tallies of the same problems: the same ones wherever they occur."""
    return tuple(nsmallest(_NAMES, names, key=lambda name: (crc32(name.encode()), name)))
