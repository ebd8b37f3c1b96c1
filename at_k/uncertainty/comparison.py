"""Is A better than B? Differences of means over problems, with their intervals."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import hypot, sqrt

import numpy as np
from numpy.typing import ArrayLike

from at_k.combinatorics import Floats
from at_k.errors import Message
from at_k.uncertainty.checks import check_fraction, read_column
from at_k.uncertainty.intervals import find_lower, find_lower_level, interval
from at_k.uncertainty.significance import N_FLIPS, sign_flip_p, subtract
from at_k.uncertainty.standard_errors import standard_error
from at_k.validation import check_choice, check_flag, is_number, shorten, type_name

METHODS = ("t", "bounded")

_FEW = 6
"""With fewer differences other than 0, t alone covers .26–.45 where they are rare and large."""


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
        p_value: of the sign-flip test if paired, of Welch's test if not.
        level: the confidence level of the interval.
        paired: whether both were measured on the same problems.
        problems: how many problems a and b were measured on.
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
    level: float
    paired: bool
    problems: tuple[int, int]
    won: int | None = None
    lost: int | None = None
    tied: int | None = None
    notes: tuple[Message, ...] = field(default=(), compare=False)

    @property
    def better(self) -> str | None:
        """Return "a" or "b" if it is better with at least the confidence `level`, else None.

        The p-value must be at most 1 − level, and the interval must not hold 0.
        """
        if self.p_value > 1 - self.level or self.low <= 0 <= self.high:
            return None
        return "a" if self.difference > 0 else "b"

    @property
    def confidence(self) -> float:
        """Return the confidence with which the better one is better, 1 − p."""
        return 1 - self.p_value


def compare_values(
    a: ArrayLike,
    b: ArrayLike,
    /,
    *,
    level: float = 0.95,
    method: str = "t",
    bounded: bool = True,
    n_flips: int = N_FLIPS,
    seed: int = 0,
) -> Comparison:
    """Compare two models on the same problems.

    Args:
        a: one value per problem, such as pass@k, in [0, 1].
        b: the values of the other model, of the same problems in the same order.
        level: the confidence level.
        method: "t", the interval of the paired t-test, which is widened to hold the bounded one where fewer than six
            differences are not 0, and replaced by it where all are equal; "bounded", always that one. It covers at
            least .93 everywhere, and finds fewer differences.
        bounded: False for values without a range, such as those of max@k: the interval is then that of t alone.
        n_flips: random flips of the test; see `sign_flip_p`.
        seed: of the random flips.

    Returns:
        Means, difference, interval and p-value; problems won, lost and tied.

    Formula: d ± t_{M−1}·sd(d)/√M, cut at −1 and 1. The bounded interval is 2·interval((1 + d)/2, se/2, M) − 1.

    Raises:
        TypeError: if the values are not numbers, or an argument is of the wrong kind.
        ValueError: if a value is not in [0, 1], or the two hold different numbers of problems.

    References:
        E. Miller, Adding Error Bars to Evals, 2024, https://arxiv.org/abs/2411.00640, section 4 (paired differences).

    Examples:
        >>> found = compare_values([1, 1, 0.75, 1, 0.5, 1, 1], [0.5, 0.75, 0.5, 0.25, 0.25, 0.5, 0.75])
        >>> found.won, round(found.difference, 3), round(found.low, 3), round(found.high, 3)
        (7, 0.393, 0.211, 0.575)
        >>> found.p_value, found.better  # of 128 flips, two are as extreme
        (0.015625, 'a')
    """
    difference = subtract(a, b, bounded=check_flag("bounded", bounded))
    check_choice("method", method, METHODS)
    if not bounded and method != "t":
        raise ValueError(f"`method` must be 't' for values without a range; got {method!r}")
    check_fraction("level", level)
    p_value = sign_flip_p(difference, n_flips=n_flips, seed=seed)
    stderr, _ = standard_error(difference)
    low, high = _find_paired_limits(difference, level, method, bounded=bounded)
    won, lost = int((difference > 0).sum()), int((difference < 0).sum())
    return Comparison(
        a=float(read_column("a", a, bounded=bounded).mean()),
        b=float(read_column("b", b, bounded=bounded).mean()),
        difference=float(difference.mean()),
        low=low,
        high=high,
        stderr=float(stderr),
        p_value=p_value,
        level=level,
        paired=True,
        problems=(len(difference), len(difference)),
        won=won,
        lost=lost,
        tied=len(difference) - won - lost,
        notes=_note_few(won + lost),
    )


def _find_paired_limits(difference: Floats, level: float, method: str, *, bounded: bool) -> tuple[float, float]:
    mean, (stderr, m) = float(difference.mean()), standard_error(difference)
    low, high = map(float, interval(mean, stderr, m, level=level, method="t", bounded=False))
    if not bounded:
        return low, high
    inside = interval((1 + mean) / 2, stderr / 2, m, level=level)
    safe = (2 * float(inside[0]) - 1, 2 * float(inside[1]) - 1)
    if method == "bounded" or _are_equal(difference):
        return safe
    low, high = max(low, -1.0), min(high, 1.0)
    if np.count_nonzero(difference) < _FEW:
        return min(low, safe[0]), max(high, safe[1])
    return low, high


def _are_equal(values: Floats) -> bool:
    return bool((values == values[0]).all())


def _note_few(count: int) -> tuple[Message, ...]:
    if not count:
        return (Message("compare.equal", "The two have the same value in every problem."),)
    if count >= _FEW:
        return ()
    return (
        Message(
            "compare.few",
            "Problems whose values differ: {count}. With so few, no p-value below {least:.4f} can occur: take more "
            "problems, or more samples of each.",
            count=count,
            least=2.0 ** (1 - count),
        ),
    )


def find_equivalence_p(a: ArrayLike, b: ArrayLike, /, *, margin: float) -> float:
    """Compute the p-value of two one-sided tests (TOST): is the difference smaller than a margin?

    A large p-value of a test for a difference does not show that two models are equally good. A small one of this test
    does: they differ by less than the margin.

    Args:
        a: one value per problem, in [0, 1].
        b: the values of the other model, of the same problems in the same order.
        margin: the largest difference that does not matter, between 0 and 1.

    Returns:
        The larger of the p-values of "the difference is at least the margin" and "is at most −margin".

    Formula: each by the t-test with M − 1 degrees of freedom. Where `compare_values` widens or replaces its interval,
        so does this test: the p-value is the least α for which the interval of level 1 − 2α lies within the margin.

    Raises:
        TypeError: if the values are not numbers.
        ValueError: if a value is not in [0, 1], the two hold different numbers of problems, or the margin is not
            between 0 and 1.

    References:
        D. Schuirmann, A comparison of the two one-sided tests procedure and the power approach, 1987,
        https://doi.org/10.1007/BF01068419.

    Examples:
        >>> round(find_equivalence_p([0.5] * 100, [0.5] * 100, margin=0.02), 4)
        0.0631
        >>> round(find_equivalence_p([0.5], [0.5], margin=0.02), 4)  # one problem shows nothing
        0.7223
    """
    from scipy.special import stdtr

    difference = subtract(a, b)
    if not is_number(margin):
        raise TypeError(f"`margin` must be a number between 0 and 1; got {shorten(margin)} of type {type_name(margin)}")
    width = check_fraction("margin", margin)
    mean, (stderr, m) = float(difference.mean()), standard_error(difference)
    p_value = 0.0
    if not _are_equal(difference):
        p_value = float(max(stdtr(m - 1, (sign * mean - width) / stderr) for sign in (1, -1)))
    if _are_equal(difference) or np.count_nonzero(difference) < _FEW:
        half = np.asarray(0.0 if np.isnan(stderr) else stderr / 2)
        sides = (find_lower_level(np.asarray((1 + sign * mean) / 2), half, np.asarray(m), (1 - width) / 2)
                 for sign in (1, -1))  # fmt: skip
        p_value = max(p_value, *(float(side) for side in sides))
    return p_value


def compare_unpaired(a: ArrayLike, b: ArrayLike, /, *, level: float = 0.95) -> Comparison:
    """Compare two models that were measured on different problems. It sees far less than the paired comparison.

    Args:
        a: one value per problem, such as pass@k, in [0, 1].
        b: the values of the other model, of other problems.
        level: the confidence level.

    Returns:
        Means, difference, interval and p-value, marked as unpaired.

    Formula: d ± t·√(se_a² + se_b²), with the degrees of freedom of [1], cut at −1 and 1. Where fewer than six values of
        a model differ from its most frequent one, the interval is widened to hold d − √((a − l_a)² + (u_b − b)²) and
        d + √((u_a − a)² + (b − l_b)²) of the limits l and u of `at_k.interval` [2], and the p-value is the larger one.

    Raises:
        TypeError: if the values are not numbers.
        ValueError: if a value is not in [0, 1], or there are no problems.

    References:
        1. B. Welch, The generalization of 'Student's' problem when several different population variances are involved,
           Biometrika 34, 1947, https://doi.org/10.2307/2332510.
        2. R. Newcombe, Interval estimation for the difference between independent proportions, 1998, method 10.

    Examples:
        >>> found = compare_unpaired([1, 1, 1, 0.5, 1, 1], [0, 0.5, 0, 0.25])
        >>> found.paired, round(found.difference, 3), round(found.low, 3), round(found.high, 3)
        (False, 0.729, 0.144, 1.0)
    """
    first, second = read_column("a", a), read_column("b", b)
    check_fraction("level", level)
    difference = float(first.mean() - second.mean())
    (se_a, _), (se_b, _) = standard_error(first), standard_error(second)
    stderr = float(np.hypot(se_a, se_b))
    few = min(_count_uncommon(first), _count_uncommon(second)) < _FEW
    low, high = _find_welch_limits(first, second, 1 - level)
    p_value = _find_welch_p(first, second)
    if few:
        safe = _find_safe_limits(first, second, 1 - level)
        low, high = min(low, safe[0]), max(high, safe[1])
        p_value = max(p_value, _find_safe_p(first, second))
    return Comparison(
        a=float(first.mean()),
        b=float(second.mean()),
        difference=difference,
        low=low,
        high=high,
        stderr=stderr,
        p_value=p_value,
        level=level,
        paired=False,
        problems=(len(first), len(second)),
        notes=(
            Message(
                "compare.unpaired",
                "The two were measured on different problems, so that the comparison is unpaired. One on the same "
                "problems finds smaller differences.",
            ),
        ),
    )


def _count_uncommon(values: Floats) -> int:
    """Count the values that are not the most frequent one."""
    return len(values) - int(np.unique(values, return_counts=True)[1].max())


def _find_degrees(first: Floats, second: Floats) -> tuple[float, float]:
    """Return the standard error of the difference and its degrees of freedom; 0 and 0 where there are none."""
    if min(len(first), len(second)) < 2:
        return 0.0, 0.0
    parts = np.array([standard_error(first)[0], standard_error(second)[0]]) ** 2
    if not parts.sum():
        return 0.0, 0.0
    shares = parts / parts.sum()  # the squares of the parts themselves may be too small for a float
    degrees = 1 / (shares**2 / [len(first) - 1, len(second) - 1]).sum()
    return float(np.sqrt(parts.sum())), float(degrees)


def _find_welch_limits(first: Floats, second: Floats, alpha: float) -> tuple[float, float]:
    from scipy.special import stdtrit

    difference, (stderr, degrees) = float(first.mean() - second.mean()), _find_degrees(first, second)
    margin = -float(stdtrit(degrees, alpha / 2)) * stderr if stderr else 0.0
    return max(difference - margin, -1.0), min(difference + margin, 1.0)


def _find_welch_p(first: Floats, second: Floats) -> float:
    from scipy.special import stdtr

    stderr, degrees = _find_degrees(first, second)
    return float(2 * stdtr(degrees, -abs(first.mean() - second.mean()) / stderr)) if stderr else 0.0


def _find_safe_limits(first: Floats, second: Floats, alpha: float) -> tuple[float, float]:
    a, b = float(first.mean()), float(second.mean())
    below_a, above_a = _find_distances(first, alpha)
    below_b, above_b = _find_distances(second, alpha)
    return max(a - b - hypot(below_a, above_b), -1.0), min(a - b + hypot(above_a, below_b), 1.0)


def _find_distances(values: Floats, alpha: float) -> tuple[float, float]:
    """Return how far below and above their mean the limits of the default interval are."""
    mean, (stderr, m) = values.mean(), standard_error(values)
    ends, spread = np.array([mean, 1 - mean]), np.nan_to_num(stderr, nan=0.0)
    below, above = ends - find_lower(ends, spread, np.asarray(m), alpha)
    return float(below), float(above)


def _find_safe_p(first: Floats, second: Floats) -> float:
    """Return the least alpha for which the safe interval does not hold 0."""
    holds, excludes = 1e-15, 1.0  # at 1 it has no width
    for _ in range(40):
        alpha = sqrt(holds * excludes)
        low, high = _find_safe_limits(first, second, alpha)
        if low <= 0 <= high:
            holds = alpha
        else:
            excludes = alpha
    return excludes
