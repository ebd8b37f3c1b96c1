"""Is A better than B? Differences of means over problems, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from at_k.caching import cached_property
from at_k.choices import DIFFERENCE_METHODS, DifferenceMethod
from at_k.combinatorics import Floats, Ints
from at_k.uncertainty.checks import check_fraction, check_size, read_column
from at_k.uncertainty.flips import MANY, N_FLIPS, Flips, find_critical_t, round_ties
from at_k.uncertainty.questions import Comparison, Question, adjust, is_decided
from at_k.uncertainty.search import find_least
from at_k.uncertainty.significance import subtract
from at_k.uncertainty.standard_errors import read_clusters
from at_k.validation import check_choice, check_flag, check_seed

_DIGITS = 12
"""Differences that agree to so many digits are those of one question: pass@1 and avg@n may differ by rounding."""


def compare_values(
    a: ArrayLike,
    b: ArrayLike,
    /,
    *,
    confidence_level: float = 0.95,
    method: DifferenceMethod = "sign-flip",
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
        confidence_level: the confidence level.
        method: "sign-flip", the interval that inverts the sign-flip test; "bounded", one that also covers
            the true value where large differences are rare, and finds fewer differences.
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
        confidence_level=confidence_level,
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
    confidence_level: float = 0.95,
    method: DifferenceMethod = "sign-flip",
    clusters: object = None,
    margin: float | None = None,
    n_flips: int = N_FLIPS,
    seed: int = 0,
    times: Ints | None = None,
) -> tuple[list[Comparison], list[float]]:
    """Compare two models in several numbers as `compare_values` does, with the same flips for all of them.

    Args:
        pairs: for each number the values of both models.
        bounded: for each number whether its values lie in [0, 1].
        confidence_level: as of `compare_values`, as the next five.
        method: the method. Values without a range always get "sign-flip".
        clusters: the cluster of each problem.
        margin: a difference that does not matter. Values without a range have no p-value of equivalence.
        n_flips: random flips.
        seed: of the random flips.
        times: how many problems each value stands for, without clusters; None for one each.

    Returns:
        The comparisons, and their p-values adjusted for each other by the step-down distribution of the largest t. None
        of them is below the p-value of its comparison.
    """
    check_fraction("confidence_level", confidence_level)
    check_choice("method", method, DIFFERENCE_METHODS)
    width = None if margin is None else check_fraction("margin", margin)
    differences = [subtract(a, b, bounded=each) for (a, b), each in zip(pairs, bounded, strict=True)]
    codes = None if clusters is None else read_clusters(clusters, len(differences[0]), "a")
    # Numbers that differ alike in every problem, as pass@1 and avg@n do, are one question.
    marks = [mark_question(difference, each) for difference, each in zip(differences, bounded, strict=True)]
    places = {mark: marks.index(mark) for mark in marks}
    columns = np.stack([differences[place] for place in places.values()], axis=1)
    flips = Flips(columns, codes, n_flips=check_size("n_flips", n_flips), seed=check_seed(seed), times=times)
    family = Family(columns, [bounded[place] for place in places.values()], codes, flips, method, times)
    found = [
        replace(question.compare(*pairs[place], confidence_level, width), fragility=fragility)
        for question, place, fragility in zip(
            family.questions, places.values(), family.count_to_undo(confidence_level), strict=True
        )
    ]
    which = dict(zip(places, zip(found, family.p_values, strict=True), strict=True))
    return (
        [
            replace(which[mark][0], a=float(np.average(a, weights=times)), b=float(np.average(b, weights=times)))
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
        self,
        columns: Floats,
        bounded: Sequence[bool],
        clusters: Ints | None,
        flips: Flips,
        method: str,
        times: Ints | None = None,
    ) -> None:
        """Take a column of differences for each question, and whether its values are bounded."""
        self.columns, self.bounded, self.clusters, self.flips, self.method = columns, bounded, clusters, flips, method
        self.times = times
        self.questions = [self._ask(place) for place in range(len(bounded))]

    def _ask(self, place: int) -> Question:
        difference = self.columns[:, place]

        def add_up() -> Floats:
            scale = np.abs(difference) if self.times is None else np.abs(difference) * self.times
            return round_ties(self.flips.sums[:, place], float(scale.sum()))

        return Question(
            difference,
            self.clusters,
            add_up,
            self.flips.problems,
            self.method,
            bounded=self.bounded[place],
            times=self.times,
        )

    @cached_property
    def p_values(self) -> list[float]:
        """Return the p-values of the questions, adjusted for each other."""
        return adjust(self.questions, [question.find_p() for question in self.questions])

    def count_to_undo(self, confidence_level: float) -> list[int | None]:
        """Count, for each question, the further problems after which its verdict does not stand at this level.

        The better model loses them, and the other one solves them, in every column: that is the worst case. None if
        there is no verdict, or for values without a range.
        """
        adjusted: dict[tuple[int, int], list[float]] = {}
        critical = self._find_critical_t(confidence_level) if self.flips.units >= MANY else None

        def count_further(place: int) -> int | None:
            totals = self.flips.totals[:, place]
            total = float((totals * self.flips.times).sum())
            sign = 1 if total > 0 else -1
            squares = float((totals**2 * self.flips.times).sum())

            def undoes(count: int) -> bool:
                if critical is not None:
                    return bool(abs(total) - count < critical[place] * (squares + count) ** 0.5)
                if (sign, count) not in adjusted:  # once for all questions
                    adjusted[sign, count] = self._lengthen(-sign, count).p_values
                return count >= abs(total) or not is_decided(adjusted[sign, count][place], confidence_level)

            return find_least(undoes, 1, 2 * self.questions[place].size)

        return [
            count_further(place) if bounded and is_decided(p_value, confidence_level) else None
            for place, (bounded, p_value) in enumerate(zip(self.bounded, self.p_values, strict=True))
        ]

    def _find_critical_t(self, confidence_level: float) -> Floats:
        """Return the t at which each verdict falls. A few more of a thousand units hardly change it."""
        observed = np.array([float(question.find_t()) for question in self.questions])
        flipped = [question.find_t(question.add_up()) for question in self.questions]
        return find_critical_t(observed, flipped.__getitem__, 1 - confidence_level)

    def _lengthen(self, value: float, count: int) -> Family:
        """Return the questions with so many more problems, each of which is a cluster of its own."""
        columns = np.append(self.columns, np.full((count, len(self.bounded)), value), axis=0)
        clusters = self.clusters
        if clusters is not None:
            clusters = np.append(clusters, clusters.max() + 1 + np.arange(count))
        times = None if self.times is None else np.append(self.times, np.ones(count, dtype=np.int64))
        return Family(columns, self.bounded, clusters, self.flips.lengthen(value, count), self.method, times)


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
