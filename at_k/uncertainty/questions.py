"""Do two models differ? One family of questions, all read from one matrix of random subsets of the problems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from at_k.combinatorics import Floats, Ints
from at_k.uncertainty.flips import (
    MANY,
    N_FLIPS,
    ROUNDING,
    Flips,
    adjust_by_max_t,
    count_effective,
    find_critical_t,
    find_flip_p,
    find_typical_limits,
    round_ties,
)
from at_k.uncertainty.intervals import find_difference_interval
from at_k.uncertainty.standard_errors import add_units, estimate_error
from at_k.uncertainty.verdicts import (
    Comparison,
    find_alpha,
    find_bounded_tails,
    find_least,
    find_mid_limit,
    find_mid_tail,
    is_decided,
    note_few,
    obey_test,
    subtract_columns,
)
from at_k.values import cached_property

# With fewer effective differences, flips do not show large differences that are rare. A count of the differences that
# are not 0 would not do: pass@k for large k differs by 1e-9 in every problem.
LEAST_EFFECTIVE = 10

# With fewer differences that are not 0, no p-value of flips is below .05. For values without a range.
_FEW = 6

# Columns that agree to these digits are one question: pass@1 and avg@n may differ by rounding.
_DIGITS = 12

# From this number of units on, the bounded interval is not reported beside the other: both are about as wide.
_MANY = 100


def find_questions(
    columns: Sequence[Floats], bounded: Sequence[bool]
) -> tuple[list[int], list[int]]:
    """Return the places of columns that differ from each other, and for each column which of these it is."""
    rounded = [np.round(column, _DIGITS) + 0.0 for column in columns]  # −0.0 + 0.0 is 0.0
    marks = [(limited, column.tobytes()) for limited, column in zip(bounded, rounded, strict=True)]
    first = {mark: marks.index(mark) for mark in marks}
    return list(first.values()), [list(first).index(mark) for mark in marks]


class Questions:
    """Ask whether means are 0: keys × pairs of models × weights of problems × clusters, from one matrix of subsets.

    Units are problems or clusters. r is the mean difference over a random subset of them, S their sums.

    Attributes:
        difference: a row for each problem, a column for each question.
        mean: the means of the columns.
        totals: the sums of the units.
        effective: the effective number of differences of each question, ν = (Σ S²)²/Σ S⁴.
        differing: the units whose values differ.
        won: the problems in which the first model is better.
        lost: those in which the second one is.
        methods: how each question is decided: "mcnemar", "bounded" or "sign-flip".
        flips: the sums over the same subsets for all questions.
        problems: the problems of each subset, or their weight.
    """

    def __init__(
        self,
        columns: Floats,
        *,
        pairs: Sequence[tuple[int, int]] | None = None,
        bounded: bool | Sequence[bool] = True,
        clusters: Ints | None = None,
        weight: Floats | None = None,
        error: tuple[Floats, Floats] | None = None,
        method: str = "sign-flip",
        n_flips: int = N_FLIPS,
        seed: int = 0,
        flips: Flips | None = None,
        methods: list[str] | None = None,
    ) -> None:
        """Take the differences, or the values of models."""
        self.columns, self.pairs, self.clusters, self.weight, self.method = (
            columns,
            pairs,
            clusters,
            weight,
            method,
        )
        self.difference = columns
        if pairs is not None:
            scaled = all(np.atleast_1d(bounded))
            subtracted = [
                subtract_columns(columns[:, a], columns[:, b], bounded=scaled) for a, b in pairs
            ]
            self.difference = np.stack(subtracted, axis=1)
        self.count = self.difference.shape[1]
        self.bounded = np.broadcast_to(bounded, self.count)
        self.size = len(columns)
        weighted = self.difference if weight is None else self.difference * weight[:, None]
        _, self.totals = add_units(weighted, clusters)
        self._given_error = error
        self.effective: Floats = count_effective(self.totals)
        signs = self.totals != 0, self.difference > 0, self.difference < 0
        self.differing, self.won, self.lost = (np.count_nonzero(flags, axis=0) for flags in signs)
        added = weighted if pairs is None else columns
        self.flips = flips or Flips(
            added if weight is None else np.column_stack([added, weight]),
            clusters,
            n_flips=n_flips,
            seed=seed,
            effective=self.effective,
        )
        self.methods = methods or [self._choose_method(q) for q in range(self.count)]
        self.problems = self.flips.problems if weight is None else self.flips.sums[:, -1]

    def _choose_method(self, q: int) -> str:
        difference = self.difference[:, q]
        if not self.bounded[q]:
            return "sign-flip"
        if self.method == "bounded" or np.ptp(difference) <= ROUNDING:
            return "bounded"
        if self.clusters is None and self.weight is None and np.isin(difference, (-1, 0, 1)).all():
            return "mcnemar"  # it counts problems, which all have one weight
        return "bounded" if self.effective[q] < LEAST_EFFECTIVE else "sign-flip"

    @cached_property
    def mean(self) -> Floats:
        """Return the mean differences."""
        if self.weight is not None:  # weights add up to 1 but for rounding
            return np.asarray(
                np.clip((self.difference * self.weight[:, None]).sum(axis=0), -1.0, 1.0)
            )
        return np.asarray(self.difference.mean(axis=0))

    @cached_property
    def error(self) -> tuple[Floats, Floats]:
        """Return the standard errors, and the numbers of independent units."""
        return self._given_error or estimate_error(self.difference, self.clusters)

    @cached_property
    def _norms(self) -> Floats:
        return np.asarray(np.sqrt((self.totals**2).sum(axis=0)))

    def add_up(self, q: int) -> Floats:
        """Return the sums over the subsets. They are made anew each time: those of all pairs of models are many."""
        if self.pairs is None:
            return round_ties(self.flips.sums[:, q], self._sizes[q])
        a, b = self.pairs[q]
        return round_ties(
            self.flips.sums[:, a] - self.flips.sums[:, b], self._sizes[a] + self._sizes[b]
        )

    @cached_property
    def _sizes(self) -> Floats:
        weighted = self.columns if self.weight is None else self.columns * self.weight[:, None]
        return np.asarray(np.abs(weighted).sum(axis=0))

    def find_t(self, q: int, sums: Floats | float = 0.0) -> Floats:
        """Return the size of t of the observed signs, or with other signs of the subsets of these sums."""
        return np.asarray(
            np.abs(self.totals[:, q].sum() - 2 * np.asarray(sums)) / (self._norms[q] or 1.0)
        )

    @cached_property
    def p_values(self) -> Floats:
        """Return the p-value of each question alone."""
        return np.array([self._find_p(q) for q in range(self.count)])

    def _find_p(self, q: int) -> float:
        if self.methods[q] == "mcnemar":
            return min(1.0, 2 * min(self._find_mid_tails(q, 0.5)))
        p_value = find_flip_p(self.add_up(q))
        if self.methods[q] == "sign-flip":
            return p_value
        # Random flips may fall below the least p-value by chance.
        return min(1.0, max(p_value, self._find_least_p(q), float(self._bounded_alpha[q])))

    def _find_least_p(self, q: int) -> float:
        """Return the least p-value that flips of these signs can have; mid-p counts half of what was seen."""
        least: float = 2.0 ** ((self.methods[q] != "mcnemar") - int(self.differing[q]))
        return min(1.0, least)

    def _find_mid_tails(self, q: int, share: float) -> tuple[float, float]:
        won, lost = int(self.won[q]), int(self.lost[q])
        return find_mid_tail(won, lost, share), find_mid_tail(lost, won, share)

    @cached_property
    def _bounded_alpha(self) -> Floats:
        """Return the α at which the bounded interval of each question begins to hold 0."""
        stderr, m = self.error
        below, above = find_bounded_tails(np.clip(self.mean, -1, 1), stderr, m, 0.0)
        return np.asarray(np.minimum(1.0, 2 * np.minimum(below, above)))

    @cached_property
    def adjusted(self) -> Floats:
        """Return the p-values, adjusted for each other (step-down max-T); for bounded intervals, as those of a band."""
        if self.count == 1:
            return self.p_values
        observed = np.array([float(self.find_t(q)) for q in range(self.count)])
        p_values = np.maximum(
            self.p_values, adjust_by_max_t(observed, lambda q: self.find_t(q, self.add_up(q)))
        )
        few = np.array([method == "bounded" for method in self.methods])
        return (
            np.where(few, np.maximum(p_values, self._adjust_bounded()), p_values)
            if few.any()
            else p_values
        )

    def _adjust_bounded(self) -> Floats:
        """Return the α at which the bounded interval that holds together with the others begins to hold 0."""
        from scipy.special import stdtrit

        alpha = self._bounded_alpha
        shared = np.ones(self.count)
        if self.flips.units > 1:
            distance = -stdtrit(self.flips.units - 1, alpha / 2)
            beyond = len(self._largest_t) - np.searchsorted(self._largest_t, distance, side="left")
            shared = (1 + beyond) / (len(self._largest_t) + 1)
        return np.asarray(np.maximum(alpha, np.minimum(self.count * alpha, shared)))

    @cached_property
    def _largest_t(self) -> Floats:
        """Return, in rising order, the largest |t| of the centred differences over the questions, of each flip."""
        units = self.flips.units
        counted = self.flips.drawn if self.weight is None else self.flips.sums[:, -1]
        largest = np.zeros(len(counted))
        if units < 2:
            return largest
        sizes = self.flips.sizes if self.weight is None else self.flips.totals[:, -1]
        for q in range(self.count):
            if np.ptp(self.difference[:, q]) <= ROUNDING * np.abs(self.difference[:, q]).max():
                continue
            centred = self.totals[:, q] - sizes * self.mean[q]
            squares = float((centred**2).sum())
            # The centred totals add up to 0: a flip of the signs in a subset changes the sum by twice that over it.
            mean = 2 * np.abs(self.add_up(q) - self.mean[q] * counted) / units
            spread = np.maximum(squares / units - mean**2, 0.0) / (units - 1)
            with np.errstate(divide="ignore", over="ignore"):
                t = np.divide(mean, np.sqrt(spread), out=np.zeros(mean.shape), where=mean > 0)
            np.maximum(largest, t, out=largest)
        return np.sort(largest)

    def find_quantile(self, confidence_level: float) -> float:
        """Return q, with which all means ± q·se hold together; infinite with too few units for the level."""
        place = int(
            np.ceil(round((1 - find_alpha(confidence_level)) * (len(self._largest_t) + 1), 9))
        )
        known = self.flips.units > 1 and place <= len(self._largest_t)
        return float(self._largest_t[place - 1]) if known else np.inf

    def share_level(self, confidence_level: float) -> float:
        """Return the level of each interval with which all hold together: that of Bonferroni, or of the quantile."""
        from scipy.special import stdtr

        alpha, q = find_alpha(confidence_level), self.find_quantile(confidence_level)
        level = 2 * float(stdtr(self.flips.units - 1, -q)) if np.isfinite(q) else 0.0
        return float(1 - min(alpha, max(alpha / self.count, level)))

    def find_band(self, confidence_level: float, own: float | None = None) -> tuple[Floats, Floats]:
        """Return limits that hold together: mean ± q·se, or bounded ones with few effective differences."""
        q, (stderr, m) = self.find_quantile(confidence_level), self.error
        few = self._few | np.isinf(q)
        margin = np.full(self.count, np.inf)
        margin[~few] = q * stderr[~few]
        low, high = self.mean - margin, self.mean + margin
        low, high = (np.where(self.bounded, np.clip(side, -1, 1), side) for side in (low, high))
        few &= self.bounded
        if few.any():
            level = self.share_level(confidence_level) if own is None else own
            ends = find_difference_interval(
                self.mean[few], stderr[few], m[few], confidence_level=level
            )
            low[few], high[few] = ends
        return low, high

    @cached_property
    def _few(self) -> NDArray[np.bool_]:
        """Tell of which questions too few differences make up the variance for a mean ± q·se."""
        few = np.array([method == "bounded" for method in self.methods]) | (
            self.effective < LEAST_EFFECTIVE
        )
        return np.where(self.bounded, few, self.differing < _FEW) | ~(self.error[0] > 0)

    @cached_property
    def p_of_band(self) -> Floats:
        """Return the α at which the band begins to hold 0."""
        t = np.divide(np.abs(self.mean), self.error[0], out=np.zeros(self.count), where=~self._few)
        beyond = len(self._largest_t) - np.searchsorted(self._largest_t, t, side="left")
        few = np.where(self.bounded, self._adjust_bounded(), 1.0)
        p_values = np.where(self._few, few, (1 + beyond) / (len(self._largest_t) + 1))
        return np.asarray(np.maximum(p_values, np.minimum(1.0, 2.0 ** (1 - self.differing))))

    def find_limits(
        self, confidence_level: float, p_values: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """Return the intervals. Each excludes 0 exactly where its p-value, the adjusted one, is below 1 − level."""
        if self.count == 1:
            low, high = self.find_own_limits(0, confidence_level)
            return np.array([low]), np.array([high])
        limits = zip(*self.find_band(confidence_level), strict=True)
        obeying = [
            obey_test(
                pair,
                (ROUNDING, -ROUNDING),
                decided=is_decided(p, confidence_level),
                mean=float(mean),
            )
            for pair, p, mean in zip(
                limits, self.adjusted if p_values is None else p_values, self.mean, strict=True
            )
        ]
        low, high = np.array(obeying).T
        return low, high

    def find_own_limits(self, q: int, confidence_level: float) -> tuple[float, float]:
        """Return the interval of one question, as if it were the only one."""
        alpha, decided = (
            find_alpha(confidence_level),
            is_decided(self.p_values[q], confidence_level),
        )
        mean, bounded, difference = (
            float(self.mean[q]),
            bool(self.bounded[q]),
            self.difference[:, q],
        )
        typical = find_typical_limits(self.add_up(q) / self.problems, alpha)
        if not bounded and np.ptp(difference) <= ROUNDING * float(np.abs(difference).max()):
            # Equal differences do not show how far others may lie, but maybe on which side of 0.
            return obey_test((-np.inf, np.inf), (5e-324, -5e-324), decided=decided, mean=mean)
        if self.methods[q] == "sign-flip" and (not bounded or np.isfinite(typical[0])):
            return typical
        if self.methods[q] == "mcnemar":
            # Alone, these limits take the number of problems that differ as given, and cover .38 where only A wins.
            won, lost = int(self.won[q]), int(self.lost[q])
            share = (won + lost) / self.size
            inverted = (
                share * (2 * find_mid_limit(won, lost, alpha / 2) - 1),
                share * (1 - 2 * find_mid_limit(lost, won, alpha / 2)),
            )
            limits = max(-1.0, min(typical[0], inverted[0])), min(1.0, max(typical[1], inverted[1]))
            return obey_test(limits, inverted, decided=decided, mean=mean)
        return obey_test(
            self._find_bounded(q, confidence_level), typical, decided=decided, mean=mean
        )

    def _find_bounded(self, q: int, confidence_level: float) -> tuple[float, float]:
        stderr, m = (errors[q] for errors in self.error)
        low, high = find_difference_interval(
            self.mean[q], stderr, m, confidence_level=confidence_level
        )
        return float(low), float(high)

    def find_equivalence_p(self, q: int, margin: float) -> float:
        """Return the least α for which the interval of this question alone, of level 1 − 2α, lies in the margin."""
        if self.methods[q] == "bounded":
            stderr, m = (errors[q] for errors in self.error)
            return float(max(find_bounded_tails(self.mean[q], stderr, m, margin)))
        means = self.add_up(q) / self.problems
        outside = max(np.count_nonzero(means <= -margin), np.count_nonzero(means >= margin))
        p_value = float(1 + outside) / (len(means) + 1)
        if self.methods[q] == "mcnemar":
            share = max(0.0, (1 - margin * self.size / int(self.won[q] + self.lost[q])) / 2)
            return max(p_value, *self._find_mid_tails(q, share))
        return p_value

    def count_to_undo(self, confidence_level: float) -> list[int | None]:
        """Count, for each question, the further problems after which its verdict falls; None without a verdict."""
        # The better model loses them, and the other one solves them, in every question: that is the worst case. The
        # method of the verdict stays. None for values without a range.
        longer: dict[tuple[int, int], Questions] = {}
        critical: Floats | None = None
        if (
            self.flips.units >= MANY
        ):  # the t at which each verdict falls: a few more units hardly change it
            observed = np.array([float(self.find_t(q)) for q in range(self.count)])
            critical = find_critical_t(
                observed, lambda q: self.find_t(q, self.add_up(q)), 1 - confidence_level
            )

        def find_undoing(q: int) -> int | None:
            sign = 1 if self.mean[q] > 0 else -1
            total, squares = abs(float(self.mean[q])) * self.size, float(self._norms[q]) ** 2

            def undoes(count: int) -> bool:
                if count >= total:
                    return True
                if critical is not None and total - count < critical[q] * (squares + count) ** 0.5:
                    return True
                if critical is not None and self.methods[q] != "bounded":
                    return False
                if (sign, count) not in longer:  # once for all questions
                    longer[sign, count] = self._lengthen(-sign, count)
                changed = longer[sign, count]
                p_value = changed.adjusted[q] if critical is None else changed._bounded_alpha[q]
                return not is_decided(float(p_value), confidence_level)

            return find_least(undoes, 1, 2 * self.size)

        return [
            find_undoing(q)
            if self.bounded[q] and is_decided(float(p_value), confidence_level)
            else None
            for q, p_value in enumerate(self.adjusted)
        ]

    def _lengthen(self, value: float, count: int) -> Questions:
        """Return the questions with more problems, each of which is a cluster of its own."""
        clusters = self.clusters
        return Questions(
            np.append(self.difference, np.full((count, self.count), value), axis=0),
            bounded=self.bounded.tolist(),
            clusters=None
            if clusters is None
            else np.append(clusters, clusters.max() + 1 + np.arange(count)),
            flips=self.flips.lengthen(value, count),
            methods=self.methods,
        )

    def compare(
        self,
        means: Sequence[tuple[float, float]],
        confidence_level: float,
        margin: float | None = None,
    ) -> list[Comparison]:
        """Return how two models compare in each question, from the mean values of both."""
        low, high = self.find_limits(confidence_level)
        units = len(self.totals)
        near = units < _MANY and self.weight is None
        level = self.share_level(confidence_level) if near and self.count > 1 else confidence_level
        compared = []
        for q, (a, b) in enumerate(means):
            bounded, won, lost = bool(self.bounded[q]), int(self.won[q]), int(self.lost[q])
            compared.append(
                Comparison(
                    a=a,
                    b=b,
                    difference=float(self.mean[q]),
                    low=float(low[q]),
                    high=float(high[q]),
                    stderr=float(self.error[0][q]),
                    p_value=float(self.p_values[q]),
                    p_adjusted=float(self.adjusted[q]),
                    confidence_level=confidence_level,
                    paired=True,
                    problems=(self.size, self.size),
                    method=self.methods[q],
                    units=units,
                    effective=float(self.effective[q]),
                    bounded=self._find_bounded(q, level) if bounded and near else None,
                    p_equivalence=self.find_equivalence_p(q, margin)
                    if margin is not None and bounded
                    else None,
                    won=won,
                    lost=lost,
                    tied=self.size - won - lost,
                    notes=note_few(
                        self.difference[:, q],
                        int(self.differing[q]),
                        self._find_least_p(q),
                        confidence_level,
                    ),
                )
            )
        return compared
