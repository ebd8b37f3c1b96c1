"""One question about two models: do they differ in this number, and by how much?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from at_k.caching import cached_property
from at_k.combinatorics import Floats, Ints
from at_k.errors import Message
from at_k.uncertainty.flips import (
    ROUNDING,
    adjust_by_max_t,
    find_flip_p,
    find_typical_limits,
)
from at_k.uncertainty.intervals import find_difference_interval, find_lower_level
from at_k.uncertainty.significance import find_mid_limit, find_mid_tail
from at_k.uncertainty.standard_errors import add_units, estimate_error

FEW = 6
"""With fewer differences other than 0, no p-value of the sign-flip test is below .05."""

_MANY = 100
"""From so many units on, the bounded interval is not shown beside: both are about as wide."""


@dataclass(frozen=True)
class Comparison:
    """Hold how two models differ in one number.

    Attributes:
        a: the mean over the problems of the one.
        b: that of the other.
        difference: a − b.
        low: the lower limit of the interval of the difference.
        high: its upper limit.
        stderr: the standard error of the difference; NaN where there is none.
        p_value: the p-value of the difference. It is below 1 − confidence_level exactly where the interval does not
            hold 0.
        confidence_level: that of the interval.
        paired: whether both were measured on the same problems.
        problems: how many problems a and b were measured on.
        method: how p-value and interval are made: "sign-flip", "mcnemar", "bounded", "welch", or "rerun" for other
            samples of these very problems.
        units: the number of problems, or of clusters, whose signs flip; 0 if not paired.
        bounded: the bounded interval, if there are fewer than 100 units; it also covers the true value where
            large differences are rare.
        fragility: with how many more problems that the better model loses, and the other solves, it would not be
            better, by the adjusted p-value where several numbers are compared; None if none is, for values without a
            range, if not paired, and for the pairs of a ranking.
        p_equivalence: the p-value of a difference of at least the margin; None without a margin.
        won: problems in which a is better; None if not paired.
        lost: problems in which b is better; None if not paired.
        tied: problems in which they are equal; None if not paired.
        notes: what a reader must know about these numbers.
    """

    a: float
    b: float
    difference: float
    low: float
    high: float
    stderr: float
    p_value: float
    confidence_level: float
    paired: bool
    problems: tuple[int, int]
    method: str
    units: int = 0
    bounded: tuple[float, float] | None = None
    fragility: int | None = None
    p_equivalence: float | None = None
    won: int | None = None
    lost: int | None = None
    tied: int | None = None
    notes: tuple[Message, ...] = field(default=(), compare=False)

    @property
    def better(self) -> str | None:
        """Return "a" or "b" if it is better at the `confidence_level`, else None."""
        if not is_decided(self.p_value, self.confidence_level):
            return None
        return "a" if self.difference > 0 else "b"


def is_decided(p_value: float, confidence_level: float) -> bool:
    """Return whether a p-value is below 1 − confidence_level: the one rule of every verdict.

    Examples:
        >>> is_decided(0.0499, 0.95), is_decided(0.05, 0.95)  # 1 − 0.95 is a little more than 0.05 in floats
        (True, False)
    """
    return p_value < _find_alpha(confidence_level) - 1e-12


def _find_alpha(confidence_level: float) -> float:
    return round(1 - confidence_level, 12)


class Question:
    """Hold one difference of two models, and what it adds up to over the subsets of units whose signs flip."""

    def __init__(
        self,
        difference: Floats,
        clusters: Ints | None,
        add_up: Callable[[], Floats],
        problems: Floats,
        method: str,
        *,
        bounded: bool,
        times: Ints | None = None,
    ) -> None:
        """Take the difference of each problem, the sums over subsets, and how many problems each subset has.

        `add_up` returns the sums each time anew: those of all pairs of a hundred models would take 400 MB. A difference
        is that of `times` problems, without clusters; of one if `times` is None.
        """
        self.difference, self.clusters, self.bounded = difference, clusters, bounded
        self.add_up, self.problems = add_up, problems
        self.times = times
        self.few = method != "bounded" and self.differing < FEW
        self.method = self._choose_method(method)

    def _count(self, flags: NDArray[np.bool_]) -> int:
        """Count the problems, or units, for which this holds."""
        return int(np.count_nonzero(flags) if self.times is None else self.times[flags].sum())

    @cached_property
    def totals(self) -> Floats:
        """Return the sum of the differences of each unit."""
        return add_units(self.difference, self.clusters)[1]

    @cached_property
    def size(self) -> int:
        """Count the problems."""
        return len(self.difference) if self.times is None else int(self.times.sum())

    @cached_property
    def won(self) -> int:
        """Count the problems in which a is better."""
        return self._count(self.difference > 0)

    @cached_property
    def lost(self) -> int:
        """Count the problems in which b is better."""
        return self._count(self.difference < 0)

    @cached_property
    def differing(self) -> int:
        """Count the units whose values differ."""
        return self._count(self.totals != 0)

    def _choose_method(self, asked: str) -> str:
        if not self.bounded:
            return "sign-flip"
        if asked == "bounded" or self.few or np.ptp(self.difference) <= ROUNDING:
            return "bounded"
        if self.clusters is None and np.isin(self.difference, (-1, 0, 1)).all():
            return "mcnemar"
        return "sign-flip"

    def compare(self, a: Floats, b: Floats, confidence_level: float, margin: float | None = None) -> Comparison:
        """Compare the two models whose values these are."""
        stderr, _ = self._error
        p_value = self.find_p()
        low, high = self._find_limits(confidence_level, p_value)
        units = len(self.totals) if self.times is None else self.size
        near = self.bounded and units < _MANY
        return Comparison(
            a=float(np.average(a, weights=self.times)),
            b=float(np.average(b, weights=self.times)),
            difference=self.mean,
            low=low,
            high=high,
            stderr=stderr,
            p_value=p_value,
            confidence_level=confidence_level,
            paired=True,
            problems=(self.size, self.size),
            method=self.method,
            units=units,
            bounded=self._find_bounded_limits(confidence_level) if near else None,
            p_equivalence=None if margin is None or not self.bounded else self._find_equivalence_p(margin),
            won=self.won,
            lost=self.lost,
            tied=self.size - self.won - self.lost,
            notes=tuple(self._note_few()),
        )

    @cached_property
    def mean(self) -> float:
        """Return the mean difference."""
        return float(np.average(self.difference, weights=self.times))

    @cached_property
    def _error(self) -> tuple[float, float]:
        stderr, m = estimate_error(self.difference, self.clusters, self.times)
        return float(stderr), float(m)

    def find_p(self) -> float:
        """Return the p-value of the difference."""
        if self.method == "mcnemar":
            tails = find_mid_tail(self.won, self.lost, 0.5), find_mid_tail(self.lost, self.won, 0.5)
            return min(1.0, 2 * min(tails))
        p_value = find_flip_p(self.add_up())
        if self.method == "sign-flip":
            return p_value
        if self.few:  # random flips may fall below the least p-value by chance
            return max(p_value, find_least_p(self.differing))
        return min(1.0, max(p_value, 2 * min(self._find_tails(0.0))))

    def find_t(self, sums: Floats | float = 0.0) -> Floats:
        """Return the size of the t of the observed signs, or with other signs of the subsets of these sums."""
        weighted = self.totals * (1 if self.times is None else self.times)
        norm = float(np.sqrt((weighted * self.totals).sum()))
        return np.asarray(np.abs(weighted.sum() - 2 * np.asarray(sums)) / (norm or 1.0))

    def _find_limits(self, confidence_level: float, p_value: float) -> tuple[float, float]:
        alpha = _find_alpha(confidence_level)
        inverted = find_typical_limits(self.add_up() / self.problems, alpha)
        if not self.bounded and np.ptp(self.difference) <= ROUNDING * float(np.abs(self.difference).max()):
            # Equal differences do not show how far others may lie, but maybe on which side of 0.
            sign = float(np.sign(self.difference[0])) if is_decided(p_value, confidence_level) else 0.0
            return (5e-324 if sign > 0 else -np.inf), (-5e-324 if sign < 0 else np.inf)
        if self.method == "sign-flip" and (not self.bounded or np.isfinite(inverted[0])):
            return inverted
        if self.method == "mcnemar":
            # Alone, these limits take the number of problems that differ as given, and cover .38 where only A wins.
            share, typical = (self.won + self.lost) / self.size, inverted
            inverted = (
                share * (2 * find_mid_limit(self.won, self.lost, alpha / 2) - 1),
                share * (1 - 2 * find_mid_limit(self.lost, self.won, alpha / 2)),
            )
            low, high = max(-1.0, min(typical[0], inverted[0])), min(1.0, max(typical[1], inverted[1]))
        else:
            low, high = self._find_bounded_limits(confidence_level)
        return obey_test((low, high), inverted, decided=is_decided(p_value, confidence_level))

    def _find_bounded_limits(self, confidence_level: float) -> tuple[float, float]:
        low, high = find_difference_interval(self.mean, *self._error, confidence_level=confidence_level)
        return float(low), float(high)

    def _find_tails(self, distance: float) -> tuple[float, float]:
        return find_bounded_tails(self.mean, *self._error, distance)

    def _find_equivalence_p(self, margin: float) -> float:
        """Return the least α for which the interval of level 1 − 2α lies within the margin."""
        if self.method == "bounded":
            return max(self._find_tails(margin))
        means = self.add_up() / self.problems
        outside = max(np.count_nonzero(means <= -margin), np.count_nonzero(means >= margin))
        p_value = float(1 + outside) / (len(means) + 1)
        if self.method == "mcnemar":
            share = max(0.0, (1 - margin * self.size / (self.won + self.lost)) / 2)
            tails = find_mid_tail(self.won, self.lost, share), find_mid_tail(self.lost, self.won, share)
            return max(p_value, *tails)
        return p_value

    def _note_few(self) -> Iterator[Message]:
        count = self.differing
        if not self.difference.any():
            yield Message("compare.equal", "The two have the same value in every problem.")
        elif count < FEW and self.clusters is None:
            yield Message(
                "compare.few",
                "Problems whose values differ: {count}. With so few, no p-value below {least:.4f} can occur: take more "
                "problems, or more samples of each.",
                count=count,
                least=find_least_p(count),
            )
        elif count < FEW:
            yield Message(
                "compare.few_clusters",
                "Clusters whose values differ: {count}. With so few, no p-value below {least:.4f} can occur: take "
                "problems from more clusters.",
                count=count,
                least=find_least_p(count),
            )


def find_bounded_tails(mean: float, stderr: float, m: float, distance: float) -> tuple[float, float]:
    """Return half of the α at which the bounded interval begins to hold −distance below, and distance above."""
    if np.isnan(stderr):
        stderr, m = 0.0, 1.0
    half, units, limit = np.asarray(stderr / 2), np.asarray(m), (1 - distance) / 2
    below, above = (find_lower_level(np.asarray((1 + each) / 2), half, units, limit) for each in (mean, -mean))
    return float(below), float(above)


def obey_test(limits: tuple[float, float], inverted: tuple[float, float], *, decided: bool) -> tuple[float, float]:
    """Return limits that hold 0 exactly where the test decides nothing; its inversion gives the end that must move."""
    low, high = limits
    if not decided:
        return min(low, 0.0), max(high, 0.0)
    if low <= 0 <= high:
        return (inverted[0], high) if inverted[0] > 0 else (low, inverted[1])
    return low, high


def find_least_p(count: int) -> float:
    """Return the least p-value that flips of so many signs can have."""
    return min(1.0, 2.0 ** (1 - count))


def adjust(questions: Sequence[Question], own: Sequence[float]) -> list[float]:
    """Adjust the p-values of several questions for each other; that of a single one stays as it is."""
    if len(questions) == 1:
        return list(own)
    observed = np.array([float(question.find_t()) for question in questions])
    together = adjust_by_max_t(observed, lambda place: questions[place].find_t(questions[place].add_up()))
    return list(map(max, own, together.tolist()))
