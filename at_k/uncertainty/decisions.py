"""The result of a comparison in one number, the rule of its decision, and the tests that need no flips."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from at_k.combinatorics import Floats
from at_k.errors import Message, Phrases
from at_k.uncertainty.flips import ROUNDING
from at_k.uncertainty.intervals import find_lower_level

# The halvings that find the least difference that counts, to nine digits.
_HALVINGS = 30

_say = Phrases(
    {
        "compare.equal": "The two have the same value in every problem.",
        "compare.few": "Problems, or clusters of them, whose values differ: {count}. With so few, no p-value below "
        "{least:.4f} can occur: take more of them, or more samples of each problem.",
    }
)


@dataclass(frozen=True)
class Comparison:
    """Hold how two models differ in one number.

    Attributes:
        a: the mean over the problems of the one.
        b: that of the other.
        difference: a − b.
        low: the lower limit of the interval of the difference. Those of several numbers hold together.
        high: its upper limit.
        stderr: the standard error of the difference; NaN where there is none.
        p_value: the p-value of this number alone.
        p_adjusted: the p-value, adjusted for all numbers that are compared. It is below 1 − confidence_level exactly
            where the interval does not hold 0.
        confidence_level: that of all intervals together.
        paired: whether both were measured on the same problems.
        problems: how many problems a and b were measured on.
        method: how p-value and interval are made: "sign-flip", "mcnemar", "bounded", "pooled", "welch", "audited", or
            "rerun" for other samples of these very problems.
        units: the number of problems, or of clusters, whose signs flip; 0 if not paired.
        counts_from: the size from which a difference would count with this number of problems and this spread; None
            if not paired, or for other samples of these very problems.
        fragility: the number of additional lost problems, solved by the other model, that would make the result
            non-significant; None without a decision, for values without a range, if not paired, and in a ranking.
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
    p_adjusted: float
    confidence_level: float
    paired: bool
    problems: tuple[int, int]
    method: str
    units: int = 0
    counts_from: float | None = None
    fragility: int | None = None
    p_equivalence: float | None = None
    won: int | None = None
    lost: int | None = None
    tied: int | None = None
    notes: tuple[Message, ...] = field(default=(), compare=False)

    @property
    def better(self) -> str | None:
        """Return "a" or "b" if it is better at the `confidence_level`, else None."""
        if not is_decided(self.p_adjusted, self.confidence_level):
            return None
        return "a" if self.difference > 0 else "b"


def make_comparison(
    a: Floats,
    b: Floats,
    found: tuple[float, float, float, float],
    p_value: float,
    confidence_level: float,
    questions: int,
    **more: Any,
) -> Comparison:
    """Make a comparison of two columns, whose questions share the level by Bonferroni."""
    difference, low, high, stderr = found
    return Comparison(
        a=float(a.mean()),
        b=float(b.mean()),
        difference=difference,
        low=low,
        high=high,
        stderr=stderr,
        p_value=p_value,
        p_adjusted=min(1.0, questions * p_value),
        confidence_level=confidence_level,
        problems=(len(a), len(b)),
        **more,
    )


def is_decided(p_value: float, confidence_level: float) -> bool:
    """Return whether a p-value is below 1 − confidence_level: the one rule of every decision.

    Examples:
        >>> is_decided(0.0499, 0.95), is_decided(0.05, 0.95)  # 1 − 0.95 is a little more than 0.05 in floats
        (True, False)
    """
    return p_value < find_alpha(confidence_level) - ROUNDING


def find_alpha(confidence_level: float) -> float:
    """Return 1 − confidence_level, to the digits that a level is written with."""
    return round(1 - confidence_level, 12)


def note_few(
    difference: Floats, count: int, least: float, confidence_level: float
) -> tuple[Message, ...]:
    """Say where no value differs, or so few units that no decision can occur."""
    if not difference.any():
        return (_say("compare.equal"),)
    if is_decided(least, confidence_level):
        return ()
    return (_say("compare.few", count=count, least=least),)


def subtract_columns(a: Floats, b: Floats, *, bounded: bool = True) -> Floats:
    """Return a − b, with 0 where they differ by rounding alone."""
    difference = a - b
    scale = 1.0
    if not bounded:
        scale = max(float(np.abs(a).max()), float(np.abs(b).max()))
    return np.where(np.abs(difference) <= ROUNDING * scale, 0.0, difference)


def find_mid_tail(won: int, lost: int, share: float) -> float:
    """Return the probability of winning more than `won` of all, and half that of `won`, with this chance for each."""
    from scipy.special import bdtrc

    return float(bdtrc(won - 1, won + lost, share) + bdtrc(won, won + lost, share)) / 2


def find_mid_limit(won: int, lost: int, alpha: float) -> float:
    """Return the chance of winning for which `find_mid_tail` is alpha; 0 if nothing was won."""
    from scipy.optimize import brentq

    if not won:
        return 0.0
    return float(
        brentq(lambda share: find_mid_tail(won, lost, share) - alpha, 0.0, 1.0, xtol=1e-15)
    )


def find_bounded_tails(
    mean: Floats, stderr: Floats, m: Floats, distance: float
) -> tuple[Floats, Floats]:
    """Return half of the α at which the bounded interval begins to hold −distance below, and distance above."""
    none = np.isnan(stderr)
    half = np.where(none, 0.0, stderr) / 2
    units = np.where(none, 1.0, m)
    below, above = (
        find_lower_level((1 + side) / 2, half, units, (1 - distance) / 2) for side in (mean, -mean)
    )
    return below, above


def find_bounded_alpha(mean: Floats, stderr: Floats, m: Floats) -> Floats:
    """Return the α at which the bounded interval begins to hold 0."""
    below, above = find_bounded_tails(np.clip(mean, -1, 1), stderr, m, 0.0)
    return np.asarray(np.minimum(1.0, 2 * np.minimum(below, above)))


def find_least_mean(stderr: Floats, m: Floats, alpha: Floats | float) -> Floats:
    """Return the least mean difference at which the bounded interval of level 1 − α leaves out 0; at most 1."""
    none = np.isnan(stderr)
    half = np.where(none, 0.0, stderr) / 2
    units = np.where(none, 1.0, m)
    least = np.zeros(np.shape(stderr))
    most = np.ones(np.shape(stderr))
    for _ in range(_HALVINGS):
        middle = (least + most) / 2
        counts = 2 * find_lower_level((1 + middle) / 2, half, units, 0.5) < alpha
        least = np.where(counts, least, middle)
        most = np.where(counts, middle, most)
    return most


def obey_test(
    limits: tuple[float, float], inverted: tuple[float, float], *, decided: bool, mean: float
) -> tuple[float, float]:
    """Return limits that hold 0 exactly where the test decides nothing; `inverted` has the end that must move."""
    low, high = limits
    if not decided:
        return min(low, 0.0), max(high, 0.0)
    if low <= 0 <= high:
        if mean > 0:
            return inverted[0], high
        return low, inverted[1]
    return low, high


def find_least(reaches: Callable[[int], bool], least: int, most: int) -> int | None:
    """Return the smallest number from `least` to `most` that reaches, if a larger one always does so too."""
    if reaches(least):
        return least
    below, above = least, least
    while not reaches(above):
        if above >= most:
            return None
        below, above = above, min(2 * above, most)
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if reaches(middle) else (middle, above)
    return above
