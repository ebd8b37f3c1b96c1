"""Is A better than B? Differences of means over problems, with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import hypot, sqrt

import numpy as np
from numpy.typing import ArrayLike

from at_k.caching import cached_property
from at_k.choices import DIFFERENCE_METHODS
from at_k.combinatorics import Floats, Ints
from at_k.errors import Message
from at_k.uncertainty.checks import check_fraction, check_size, read_column
from at_k.uncertainty.flips import (
    N_FLIPS,
    ROUNDING,
    Flips,
    adjust_by_max_t,
    find_flip_p,
    find_typical_limits,
    round_ties,
)
from at_k.uncertainty.intervals import find_lower, find_lower_level, interval
from at_k.uncertainty.search import find_least
from at_k.uncertainty.significance import find_mid_limit, find_mid_tail, subtract
from at_k.uncertainty.standard_errors import add_units, estimate_error, read_clusters, standard_error
from at_k.validation import check_choice, check_flag, check_seed

_FEW = 6
"""With fewer differences other than 0, no p-value of the sign-flip test is below .05."""

_MANY = 100
"""From so many units on, the bounded interval is not shown beside: both are about as wide."""

_DIGITS = 12
"""Differences that agree to so many digits are those of one question: pass@1 and avg@n may differ by rounding."""


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
        p_value: the p-value of the difference. It is below 1 − level exactly where the interval does not hold 0.
        level: the confidence level of the interval.
        paired: whether both were measured on the same problems.
        problems: how many problems a and b were measured on.
        method: how p-value and interval are made: "sign-flip", "mcnemar", "bounded" or "welch".
        units: the number of problems, or of clusters, whose signs flip; 0 if not paired.
        bounded: the bounded interval, if there are fewer than 100 units; it holds the truth also where large
            differences are rare.
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
    level: float
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
        """Return "a" or "b" if it is better at the confidence `level`, else None."""
        if not is_decided(self.p_value, self.level):
            return None
        return "a" if self.difference > 0 else "b"


def is_decided(p_value: float, level: float) -> bool:
    """Return whether a p-value is below 1 − level: the one rule of every verdict.

    Examples:
        >>> is_decided(0.0499, 0.95), is_decided(0.05, 0.95)  # 1 − 0.95 is a little more than 0.05 in floats
        (True, False)
    """
    return p_value < _find_alpha(level) - 1e-12


def _find_alpha(level: float) -> float:
    return round(1 - level, 12)


def compare_values(
    a: ArrayLike,
    b: ArrayLike,
    /,
    *,
    level: float = 0.95,
    method: str = "sign-flip",
    bounded: bool = True,
    clusters: object = None,
    margin: float | None = None,
    n_flips: int = N_FLIPS,
    seed: int = 0,
) -> Comparison:
    """Compare two models on the same problems.

    Args:
        a: one value per problem, such as pass@k, in [0, 1].
        b: the values of the other model, of the same problems in the same order.
        level: the confidence level.
        method: "sign-flip", the interval that inverts the sign-flip test; "bounded", one that holds the truth also
            where large differences are rare, and finds fewer differences.
        bounded: False for values without a range, such as those of max@k, which have no bounded interval.
        clusters: one label per problem, where problems come in groups that resemble each other. Whole clusters flip.
        margin: a difference that does not matter, between 0 and 1, to test whether the models are equivalent within it.
        n_flips: random flips, where not all are made: 2^G of G ≤ 14 problems or clusters.
        seed: of the random flips.

    Returns:
        Means, difference, interval and p-value; problems won, lost and tied.

    Formula: r_P is the mean difference over a random subset P of the units, which are problems or clusters. The
        interval is from the j-th smallest to the j-th largest of B of them, j = ⌈α(B + 1)/2⌉ − 1 [1]; the p-value is
        2·min(1 + #{r_P ≤ 0}, 1 + #{r_P ≥ 0})/(B + 1), at most 1: that of the sign-flip test, in which the units in P
        have the other sign [2]. So p < α exactly where the interval does not hold 0.
        The bounded interval is 2·interval((1 + d)/2, se/2, m) − 1. It stands instead where fewer than six differences
        are not 0, and then holds 0 exactly where p ≥ α all the same. It also stands where all are equal, or if it is
        asked for; the p-value is then at least the α at which it begins to hold 0.
        Where all differences are −1, 0 or 1, as with one sample of each problem, and no clusters are given, the test is
        McNemar's with mid-p [3]. The interval holds that of the r_P and the inversion of this test, which says whether
        it holds 0.

    Raises:
        TypeError: if the values are not numbers, or an argument is of the wrong kind.
        ValueError: if a value is not in [0, 1], or the two hold different numbers of problems.

    References:
        1. J. Hartigan, Using Subsample Values as Typical Values, JASA 64, 1969, https://doi.org/10.2307/2286069.
        2. R. Fisher, The Design of Experiments, 1935, section 21.
        3. M. Fagerland, S. Lydersen, P. Laake, The McNemar test for binary matched-pairs data: mid-p and asymptotic
           are better than exact conditional, 2013, https://doi.org/10.1186/1471-2288-13-91.

    Examples:
        >>> found = compare_values([1, 1, 0.75, 1, 0.5, 1, 1], [0.5, 0.75, 0.5, 0.25, 0.25, 0.5, 0.75])
        >>> found.won, round(found.difference, 3), round(found.low, 3), round(found.high, 3)
        (7, 0.393, 0.25, 0.625)
        >>> found.p_value, found.better  # of 128 flips, two are as extreme
        (0.015625, 'a')
    """
    bounded = check_flag("bounded", bounded)
    first, second = (read_column(name, each, bounded=bounded) for name, each in (("a", a), ("b", b)))
    (found,), _ = compare_columns(
        [(first, second)],
        [bounded],
        level=level,
        method=method,
        clusters=clusters,
        margin=margin,
        n_flips=n_flips,
        seed=seed,
    )
    return found


def compare_columns(
    pairs: Sequence[tuple[Floats, Floats]],
    bounded: Sequence[bool],
    /,
    *,
    level: float = 0.95,
    method: str = "sign-flip",
    clusters: object = None,
    margin: float | None = None,
    n_flips: int = N_FLIPS,
    seed: int = 0,
) -> tuple[list[Comparison], list[float]]:
    """Compare two models in several numbers as `compare_values` does, with the same flips for all of them.

    Args:
        pairs: for each number the values of both models.
        bounded: for each number whether its values lie in [0, 1].
        level: as of `compare_values`, as the next five.
        method: the method. Values without a range always get "sign-flip".
        clusters: the cluster of each problem.
        margin: a difference that does not matter. Values without a range have no p-value of equivalence.
        n_flips: random flips.
        seed: of the random flips.

    Returns:
        The comparisons, and their p-values adjusted for each other by the step-down distribution of the largest t. None
        of them is below the p-value of its comparison.
    """
    check_fraction("level", level)
    check_choice("method", method, DIFFERENCE_METHODS)
    width = None if margin is None else check_fraction("margin", margin)
    differences = [subtract(a, b, bounded=each) for (a, b), each in zip(pairs, bounded, strict=True)]
    codes = None if clusters is None else read_clusters(clusters, len(differences[0]), "a")
    # Numbers that differ alike in every problem, as pass@1 and avg@n do, are one question.
    marks = [mark_question(difference, each) for difference, each in zip(differences, bounded, strict=True)]
    places = {mark: marks.index(mark) for mark in marks}
    columns = np.stack([differences[place] for place in places.values()], axis=1)
    flips = Flips(columns, codes, n_flips=check_size("n_flips", n_flips), seed=check_seed(seed))
    family = Family(columns, [bounded[place] for place in places.values()], codes, flips, method)
    found = [
        replace(question.compare(*pairs[place], level, width), fragility=fragility)
        for question, place, fragility in zip(
            family.questions, places.values(), family.count_to_undo(level), strict=True
        )
    ]
    which = dict(zip(places, zip(found, family.p_values, strict=True), strict=True))
    return (
        [
            replace(which[mark][0], a=float(a.mean()), b=float(b.mean()))
            for mark, (a, b) in zip(marks, pairs, strict=True)
        ],
        [which[mark][1] for mark in marks],
    )


def mark_question(difference: Floats, bounded: bool = True) -> bytes:
    """Return the same bytes for differences that differ by rounding alone."""
    return bytes([bounded]) + (np.round(difference, _DIGITS) + 0.0).tobytes()  # −0.0 + 0.0 is 0.0


class Family:
    """Hold the questions about two models that are asked at once, with the same flips for all of them."""

    def __init__(
        self, columns: Floats, bounded: Sequence[bool], clusters: Ints | None, flips: Flips, method: str
    ) -> None:
        """Take a column of differences for each question, and whether its values are bounded."""
        self.columns, self.bounded, self.clusters, self.flips, self.method = columns, bounded, clusters, flips, method
        self.questions = [self._ask(place) for place in range(len(bounded))]

    def _ask(self, place: int) -> Question:
        difference = self.columns[:, place]

        def add_up() -> Floats:
            return round_ties(self.flips.sums[:, place], float(np.abs(difference).sum()))

        return Question(
            difference, self.clusters, add_up, self.flips.problems, self.method, bounded=self.bounded[place]
        )

    @cached_property
    def p_values(self) -> list[float]:
        """Return the p-values of the questions, adjusted for each other."""
        return adjust(self.questions, [question.find_p() for question in self.questions])

    def count_to_undo(self, level: float) -> list[int | None]:
        """Count, for each question, the further problems after which its verdict does not stand at this level.

        The better model loses them, and the other one solves them, in every column: that is the worst case. None if
        there is no verdict, or for values without a range.
        """
        adjusted: dict[tuple[int, int], list[float]] = {}

        def count_further(place: int) -> int | None:
            total = float(self.columns[:, place].sum())
            sign = 1 if total > 0 else -1

            def undoes(count: int) -> bool:
                if (sign, count) not in adjusted:  # once for all questions
                    adjusted[sign, count] = self._lengthen(-sign, count).p_values
                return count >= abs(total) or not is_decided(adjusted[sign, count][place], level)

            return find_least(undoes, 1, 2 * len(self.columns))

        return [
            count_further(place) if bounded and is_decided(p_value, level) else None
            for place, (bounded, p_value) in enumerate(zip(self.bounded, self.p_values, strict=True))
        ]

    def _lengthen(self, value: float, count: int) -> Family:
        """Return the questions with so many more problems, each of which is a cluster of its own."""
        columns = np.append(self.columns, np.full((count, len(self.bounded)), value), axis=0)
        clusters = self.clusters
        if clusters is not None:
            clusters = np.append(clusters, clusters.max() + 1 + np.arange(count))
        return Family(columns, self.bounded, clusters, self.flips.lengthen(value, count), self.method)


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
    ) -> None:
        """Take the difference of each problem, the sums over subsets, and how many problems each subset has.

        `add_up` returns the sums each time anew: those of all pairs of a hundred models would take 400 MB.
        """
        self.difference, self.clusters, self.bounded = difference, clusters, bounded
        self.add_up, self.problems = add_up, problems
        _, self.totals = add_units(difference, clusters)
        self.won, self.lost = int((difference > 0).sum()), int((difference < 0).sum())
        self.few = method != "bounded" and np.count_nonzero(self.totals) < _FEW
        self.method = self._choose_method(method)

    def _choose_method(self, asked: str) -> str:
        if not self.bounded:
            return "sign-flip"
        if asked == "bounded" or self.few or np.ptp(self.difference) <= ROUNDING:
            return "bounded"
        if self.clusters is None and np.isin(self.difference, (-1, 0, 1)).all():
            return "mcnemar"
        return "sign-flip"

    def compare(self, a: Floats, b: Floats, level: float, margin: float | None = None) -> Comparison:
        """Compare the two models whose values these are."""
        stderr, _ = self._error
        p_value = self.find_p()
        low, high = self._find_limits(level, p_value)
        near = self.bounded and len(self.totals) < _MANY
        return Comparison(
            a=float(a.mean()),
            b=float(b.mean()),
            difference=float(self.difference.mean()),
            low=low,
            high=high,
            stderr=stderr,
            p_value=p_value,
            level=level,
            paired=True,
            problems=(len(a), len(b)),
            method=self.method,
            units=len(self.totals),
            bounded=self._find_bounded_limits(level) if near else None,
            p_equivalence=None if margin is None or not self.bounded else self._find_equivalence_p(margin),
            won=self.won,
            lost=self.lost,
            tied=len(a) - self.won - self.lost,
            notes=self._note_few(),
        )

    @cached_property
    def _error(self) -> tuple[float, float]:
        stderr, m = estimate_error(self.difference, self.clusters)
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
            return max(p_value, _find_least_p(int(np.count_nonzero(self.totals))))
        return min(1.0, max(p_value, 2 * min(self._find_bounded_tails(0.0))))

    def find_t(self, sums: Floats | float = 0.0) -> Floats:
        """Return the size of the t of the observed signs, or with other signs of the subsets of these sums."""
        norm = float(np.sqrt((self.totals**2).sum()))
        return np.asarray(np.abs(self.totals.sum() - 2 * np.asarray(sums)) / (norm or 1.0))

    def _find_limits(self, level: float, p_value: float) -> tuple[float, float]:
        alpha = _find_alpha(level)
        inverted = find_typical_limits(self.add_up() / self.problems, alpha)
        if self.method == "sign-flip" and (not self.bounded or np.isfinite(inverted[0])):
            return inverted
        if self.method == "mcnemar":
            # Alone, these limits take the number of problems that differ as given, and cover .38 where only A wins.
            share, typical = (self.won + self.lost) / len(self.difference), inverted
            inverted = (
                share * (2 * find_mid_limit(self.won, self.lost, alpha / 2) - 1),
                share * (1 - 2 * find_mid_limit(self.lost, self.won, alpha / 2)),
            )
            low, high = max(-1.0, min(typical[0], inverted[0])), min(1.0, max(typical[1], inverted[1]))
        else:
            low, high = self._find_bounded_limits(level)
        # Whether the interval holds 0 is for the test to say.
        if not is_decided(p_value, level):
            return min(low, 0.0), max(high, 0.0)
        if low <= 0 <= high:
            return (inverted[0], high) if inverted[0] > 0 else (low, inverted[1])
        return low, high

    def _find_bounded_limits(self, level: float) -> tuple[float, float]:
        stderr, m = self._error
        low, high = interval((1 + self.difference.mean()) / 2, stderr / 2, m, level=level)
        return 2 * float(low) - 1, 2 * float(high) - 1

    def _find_bounded_tails(self, distance: float) -> tuple[float, float]:
        """Return half of the α at which the bounded interval begins to hold −distance below, and distance above."""
        (stderr, m), mean = self._error, float(self.difference.mean())
        if np.isnan(stderr):
            stderr, m = 0.0, 1.0
        half, units, limit = np.asarray(stderr / 2), np.asarray(m), (1 - distance) / 2
        below, above = (find_lower_level(np.asarray((1 + each) / 2), half, units, limit) for each in (mean, -mean))
        return float(below), float(above)

    def _find_equivalence_p(self, margin: float) -> float:
        """Return the least α for which the interval of level 1 − 2α lies within the margin."""
        if self.method == "bounded":
            return max(self._find_bounded_tails(margin))
        means = self.add_up() / self.problems
        outside = max(np.count_nonzero(means <= -margin), np.count_nonzero(means >= margin))
        p_value = float(1 + outside) / (len(means) + 1)
        if self.method == "mcnemar":
            share = max(0.0, (1 - margin * len(self.difference) / (self.won + self.lost)) / 2)
            tails = find_mid_tail(self.won, self.lost, share), find_mid_tail(self.lost, self.won, share)
            return max(p_value, *tails)
        return p_value

    def _note_few(self) -> tuple[Message, ...]:
        count = int(np.count_nonzero(self.totals))
        if not self.difference.any():
            return (Message("compare.equal", "The two have the same value in every problem."),)
        if count >= _FEW:
            return ()
        if self.clusters is None:
            return (
                Message(
                    "compare.few",
                    "Problems whose values differ: {count}. With so few, no p-value below {least:.4f} can occur: take "
                    "more problems, or more samples of each.",
                    count=count,
                    least=_find_least_p(count),
                ),
            )
        return (
            Message(
                "compare.few_clusters",
                "Clusters whose values differ: {count}. With so few, no p-value below {least:.4f} can occur: take "
                "problems from more clusters.",
                count=count,
                least=_find_least_p(count),
            ),
        )


def _find_least_p(count: int) -> float:
    """Return the least p-value that flips of so many signs can have."""
    return min(1.0, 2.0 ** (1 - count))


def adjust(questions: Sequence[Question], own: Sequence[float]) -> list[float]:
    """Adjust the p-values of several questions for each other; that of a single one stays as it is."""
    if len(questions) == 1:
        return list(own)
    observed = np.array([float(question.find_t()) for question in questions])
    together = adjust_by_max_t(observed, lambda place: questions[place].find_t(questions[place].add_up()))
    return list(map(max, own, together.tolist()))


def find_equivalence_p(
    a: ArrayLike, b: ArrayLike, /, *, margin: float, clusters: object = None, n_flips: int = N_FLIPS, seed: int = 0
) -> float:
    """Compute the p-value of two one-sided tests (TOST): is the difference smaller than a margin?

    A large p-value of a test for a difference does not show that two models are equally good. A small one of this test
    does: they differ by less than the margin.

    Args:
        a: one value per problem, in [0, 1].
        b: the values of the other model, of the same problems in the same order.
        margin: the largest difference that does not matter, between 0 and 1.
        clusters: as of `compare_values`, as the next two.
        n_flips: random flips.
        seed: of the random flips.

    Returns:
        The larger of the p-values of "the difference is at least the margin" and "is at most −margin": the least α for
        which the interval of `compare_values` at the level 1 − 2α lies within the margin.

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
    width = check_fraction("margin", margin)
    found = compare_values(a, b, margin=width, clusters=clusters, n_flips=n_flips, seed=seed).p_equivalence
    return 1.0 if found is None else found


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
        method="welch",
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
