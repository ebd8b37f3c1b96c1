"""Do two models differ? One family of questions, all read from one matrix of random subsets of the problems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from at_k.combinatorics import Floats, Ints
from at_k.uncertainty.decisions import (
    find_alpha,
    find_bounded_alpha,
    find_bounded_tails,
    find_least_mean,
    find_mid_limit,
    find_mid_tail,
    is_decided,
    obey_test,
    subtract_columns,
)
from at_k.uncertainty.flips import (
    N_FLIPS,
    ROUNDING,
    Flips,
    adjust_by_max_t,
    count_effective,
    find_flip_p,
    find_typical_limits,
    round_ties,
)
from at_k.uncertainty.intervals import find_difference_interval
from at_k.uncertainty.standard_errors import add_units, estimate_error
from at_k.values import cached_property

# A decision needs p < α by the test, and p < factor·α by the bounded interval, which alone knows of losses that the
# sample does not show. With 2, one model is told apart from itself in .050 of data sets, and in .12 under the worst
# law of two values; paired t and flips are wrong in .74 there.
FACTOR = 2.0

# The factor where most problems have other numbers of samples for the two models: even the differences of one model
# from itself are then skewed, and flips find it better in up to 1.0 of data sets.
UNLIKE_FACTOR = 1.0

# With fewer units, or fewer differences that are not 0, no p-value of flips is below .05.
_FEW = 6

# Columns that agree to these digits are one question: pass@1 and avg@n may differ by rounding.
_DIGITS = 12


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
        differing: the units whose values differ.
        won: the problems in which the first model is better.
        lost: those in which the second one is.
        methods: the test of each question: "mcnemar", "sign-flip", or "bounded" where the bounded interval decides
            alone.
        factors: a decision needs p < factor·α by the bounded interval; infinite for values without a range.
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
        factor: float | Sequence[float] = FACTOR,
        n_flips: int = N_FLIPS,
        seed: int = 0,
        flips: Flips | None = None,
        methods: list[str] | None = None,
    ) -> None:
        """Take the differences, or the values of models."""
        self.columns, self.pairs, self.method = columns, pairs, method
        self.clusters, self.weight = clusters, weight
        self.difference = columns
        if pairs is not None:
            scaled = all(np.atleast_1d(bounded))
            subtracted = [
                subtract_columns(columns[:, a], columns[:, b], bounded=scaled) for a, b in pairs
            ]
            self.difference = np.stack(subtracted, axis=1)
        self.size, self.count = self.difference.shape
        self.bounded = np.broadcast_to(bounded, self.count)
        weighted = self._weigh(self.difference)
        _, self.totals = add_units(weighted, clusters)
        self._given_error = error
        self.differing = np.count_nonzero(self.totals, axis=0)
        self.won = np.count_nonzero(self.difference > 0, axis=0)
        self.lost = np.count_nonzero(self.difference < 0, axis=0)
        if flips is None:
            added = weighted if pairs is None else columns
            if weight is not None:
                added = np.column_stack([added, weight])
            effective = count_effective(self.totals)
            flips = Flips(added, clusters, n_flips=n_flips, seed=seed, effective=effective)
        self.flips = flips
        if weight is None:
            self.problems = flips.problems
        else:
            self.problems = flips.sums[:, -1]
        self.methods = methods or [self._choose_method(q) for q in range(self.count)]
        alone = np.array([method == "bounded" for method in self.methods])
        self.factors = np.where(alone, 1.0, np.where(self.bounded, factor, np.inf))

    def _weigh(self, columns: Floats) -> Floats:
        if self.weight is None:
            return columns
        return columns * self.weight[:, None]

    def _choose_method(self, q: int) -> str:
        if not self.bounded[q]:
            return "sign-flip"
        if self.method == "bounded" or len(self.totals) < _FEW:
            return "bounded"
        counts_problems = self.clusters is None and self.weight is None  # all have one weight
        if counts_problems and np.isin(self.difference[:, q], (-1, 0, 1)).all():
            return "mcnemar"
        return "sign-flip"

    @cached_property
    def mean(self) -> Floats:
        """Return the mean differences."""
        if self.weight is None:
            return np.asarray(self.difference.mean(axis=0))
        # Weights add up to 1 but for rounding.
        return np.asarray(np.clip(self._weigh(self.difference).sum(axis=0), -1.0, 1.0))

    @cached_property
    def error(self) -> tuple[Floats, Floats]:
        """Return the standard errors, and the numbers of independent units."""
        return self._given_error or estimate_error(self.difference, self.clusters)

    @cached_property
    def norms(self) -> Floats:
        """Return the roots of the sums of squares of the units."""
        return np.asarray(np.sqrt((self.totals**2).sum(axis=0)))

    def add_up(self, q: int) -> Floats:
        """Return the sums over the subsets. They are made anew each time: those of all pairs of models are many."""
        if self.pairs is None:
            return round_ties(self.flips.sums[:, q], self._sizes[q])
        a, b = self.pairs[q]
        sums = self.flips.sums[:, a] - self.flips.sums[:, b]
        return round_ties(sums, self._sizes[a] + self._sizes[b])

    @cached_property
    def _sizes(self) -> Floats:
        return np.asarray(np.abs(self._weigh(self.columns)).sum(axis=0))

    def find_t(self, q: int, sums: Floats | float = 0.0) -> Floats:
        """Return the size of t of the observed signs, or with other signs of the subsets of these sums."""
        turned = self.totals[:, q].sum() - 2 * np.asarray(sums)
        return np.asarray(np.abs(turned) / (self.norms[q] or 1.0))

    @cached_property
    def p_values(self) -> Floats:
        """Return the p-value of each question alone: the larger one of the test and of the bounded interval."""
        tested = np.array([self._find_tested_p(q) for q in range(self.count)])
        return np.asarray(np.minimum(1.0, np.maximum(tested, self.bounded_p)))

    def _find_tested_p(self, q: int) -> float:
        if self.methods[q] == "mcnemar":
            return 2 * min(self._find_mid_tails(q, 0.5))
        # Random flips may fall below the least p-value by chance.
        return max(find_flip_p(self.add_up(q)), self.find_least_p(q))

    def find_least_p(self, q: int) -> float:
        """Return the least p-value that flips of these signs can have; mid-p counts half of what was seen."""
        least: float = 2.0 ** ((self.methods[q] != "mcnemar") - int(self.differing[q]))
        return min(1.0, least)

    def _find_mid_tails(self, q: int, share: float) -> tuple[float, float]:
        won = int(self.won[q])
        lost = int(self.lost[q])
        return find_mid_tail(won, lost, share), find_mid_tail(lost, won, share)

    @cached_property
    def bounded_p(self) -> Floats:
        """Return the α for which the bounded interval of level 1 − factor·α begins to hold 0."""
        stderr, m = self.error
        return np.asarray(find_bounded_alpha(self.mean, stderr, m) / self.factors)

    @cached_property
    def adjusted(self) -> Floats:
        """Return the p-values, adjusted for each other: by step-down max-T, and the bounded ones as in a band."""
        if self.count == 1:
            return self.p_values
        observed = np.array([float(self.find_t(q)) for q in range(self.count)])
        flipped = adjust_by_max_t(observed, lambda q: self.find_t(q, self.add_up(q)))
        return np.asarray(np.maximum.reduce([self.p_values, flipped, self._shared_p]))

    @cached_property
    def _shared_p(self) -> Floats:
        """Return the α for which the bounded interval begins to hold 0 at its share of the level of the family."""
        from scipy.special import stdtrit

        alone = self.bounded_p
        shared = np.ones(self.count)
        if self.flips.units > 1:
            shared = self._find_band_p(-stdtrit(self.flips.units - 1, alone / 2))
        return np.asarray(np.maximum(alone, np.minimum(self.count * alone, shared)))

    def _find_band_p(self, t: Floats) -> Floats:
        """Return how often the largest |t| of a flip reaches t."""
        beyond = len(self._largest_t) - np.searchsorted(self._largest_t, t, side="left")
        return np.asarray((1 + beyond) / (len(self._largest_t) + 1))

    @cached_property
    def _largest_t(self) -> Floats:
        """Return, in rising order, the largest |t| of the centred differences over the questions, of each flip."""
        units = self.flips.units
        counted = self.flips.drawn
        if self.weight is not None:
            counted = self.flips.sums[:, -1]
        largest = np.zeros(len(counted))
        if units < 2:
            return largest
        sizes = self.flips.sizes
        if self.weight is not None:
            sizes = self.flips.totals[:, -1]
        for q in range(self.count):
            if self._is_equal(q):
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

    def _is_equal(self, q: int) -> bool:
        """Tell whether all differences of a question are equal but for rounding."""
        difference = self.difference[:, q]
        return bool(np.ptp(difference) <= ROUNDING * np.abs(difference).max())

    def find_quantile(self, confidence_level: float) -> float:
        """Return q, with which all means ± q·se hold together; infinite with too few units for the level."""
        share = 1 - find_alpha(confidence_level)
        place = int(np.ceil(round(share * (len(self._largest_t) + 1), 9)))
        known = self.flips.units > 1 and place <= len(self._largest_t)
        if known:
            return float(self._largest_t[place - 1])
        return np.inf

    def share_level(self, confidence_level: float) -> float:
        """Return the level of each interval with which all hold together: that of Bonferroni, or of the quantile."""
        from scipy.special import stdtr

        alpha = find_alpha(confidence_level)
        q = self.find_quantile(confidence_level)
        level = 0.0
        if np.isfinite(q):
            level = 2 * float(stdtr(self.flips.units - 1, -q))
        return float(1 - min(alpha, max(alpha / self.count, level)))

    def find_band(self, confidence_level: float) -> tuple[Floats, Floats]:
        """Return limits that hold together: those of mean ± q·se and of the bounded intervals at their level."""
        margin = self._find_margins(confidence_level)
        low = self.mean - margin
        high = self.mean + margin
        own = find_alpha(self.share_level(confidence_level))
        bounded_low, bounded_high = self._find_bounded(own)
        alone = ~np.isfinite(margin) & self.bounded
        low = np.where(alone, bounded_low, np.minimum(low, bounded_low))
        high = np.where(alone, bounded_high, np.maximum(high, bounded_high))
        cut = np.where(self.bounded, 1.0, np.inf)
        return np.maximum(low, -cut), np.minimum(high, cut)

    def _find_margins(self, confidence_level: float) -> Floats:
        """Return q·se, infinite where flips say nothing: the bounded interval then counts alone."""
        q = self.find_quantile(confidence_level)
        if not np.isfinite(q):
            return np.full(self.count, np.inf)
        return np.where(self._has_margin, q * self.error[0], np.inf)

    @cached_property
    def _has_margin(self) -> NDArray[np.bool_]:
        """Tell for which questions mean ± q·se says something: not for few differences without a range."""
        tested = np.array([method != "bounded" for method in self.methods])
        varies = (self.differing >= _FEW) & (self.error[0] > 0)
        return np.where(self.bounded, tested & (self.error[0] >= 0), varies)

    def _find_bounded(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the bounded intervals of level 1 − factor·α; without a range, the mean alone."""
        low = self.mean.copy()
        high = self.mean.copy()
        for factor in np.unique(self.factors[self.bounded]):
            chosen = self.factors == factor
            stderr, m = (errors[chosen] for errors in self.error)
            level = max(1 - factor * alpha, ROUNDING)
            mean = self.mean[chosen]
            low[chosen], high[chosen] = find_difference_interval(
                mean, stderr, m, confidence_level=level
            )
        return low, high

    @cached_property
    def p_of_band(self) -> Floats:
        """Return the α at which the band begins to hold 0."""
        known = self._has_margin
        stderr = self.error[0]
        with np.errstate(divide="ignore"):
            differs = known & (self.mean != 0)
            t = np.divide(np.abs(self.mean), stderr, out=np.zeros(self.count), where=differs)
        unknown = np.where(self.bounded, 0.0, 1.0)
        p_values = np.where(known, self._find_band_p(t), unknown)
        least = np.minimum(1.0, 2.0 ** (1 - self.differing))
        return np.asarray(np.maximum.reduce([p_values, self._shared_p, least]))

    def find_limits(
        self, confidence_level: float, p_values: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """Return the intervals. Each excludes 0 exactly where its p-value, the adjusted one, is below 1 − level."""
        if self.count == 1:
            low, high = self.find_own_limits(0, confidence_level)
            return np.array([low]), np.array([high])
        if p_values is None:
            p_values = self.adjusted
        obeying = []
        columns = (*self.find_band(confidence_level), p_values, self.mean)
        for low, high, p_value, mean in zip(*(each.tolist() for each in columns), strict=True):
            decided = is_decided(p_value, confidence_level)
            inverted = (ROUNDING, -ROUNDING)
            obeying.append(obey_test((low, high), inverted, decided=decided, mean=mean))
        lows, highs = np.array(obeying).T
        return lows, highs

    def find_own_limits(self, q: int, confidence_level: float) -> tuple[float, float]:
        """Return the interval of one question, as if it were the only one."""
        alpha = find_alpha(confidence_level)
        mean = float(self.mean[q])
        decided = is_decided(float(self.p_values[q]), confidence_level)
        typical = find_typical_limits(self.add_up(q) / self.problems, alpha)
        if not self.bounded[q]:
            if not self._is_equal(q):
                return typical
            # Equal differences do not show how far others may lie, but maybe on which side of 0.
            return obey_test((-np.inf, np.inf), (5e-324, -5e-324), decided=decided, mean=mean)
        low, high = (float(ends[q]) for ends in self._find_bounded(alpha))
        inverted = typical
        if self.methods[q] == "mcnemar":
            inverted = self._invert_mid_p(q, alpha)
        elif self.methods[q] == "bounded" or np.isinf(typical[0]):
            return obey_test((low, high), typical, decided=decided, mean=mean)
        tested = min(inverted[0], low), max(inverted[1], high)
        # Alone, the limits of mid-p take the number of problems that differ as given, and cover .38 where only A wins.
        limits = max(-1.0, min(typical[0], tested[0])), min(1.0, max(typical[1], tested[1]))
        return obey_test(limits, tested, decided=decided, mean=mean)

    def _invert_mid_p(self, q: int, alpha: float) -> tuple[float, float]:
        """Return the limits of the difference that McNemar's test with mid-p does not reject."""
        won = int(self.won[q])
        lost = int(self.lost[q])
        share = (won + lost) / self.size
        low, high = (find_mid_limit(*counts, alpha / 2) for counts in ((won, lost), (lost, won)))
        return share * (2 * low - 1), share * (1 - 2 * high)

    def find_least_differences(self, confidence_level: float) -> Floats:
        """Return, for the spread that was seen, the size from which each mean difference counts; at most 1."""
        from scipy.special import stdtrit

        stderr, m = self.error
        if self.count > 1:
            own = find_alpha(self.share_level(confidence_level))
            margin = self._find_margins(confidence_level)
        else:
            own = find_alpha(confidence_level)
            freedom = max(self.flips.units - 1, 1)
            margin = -stdtrit(freedom, own / 2) * np.nan_to_num(stderr, nan=np.inf)
        least = np.maximum(margin, find_least_mean(stderr, m, self.factors * own))
        return np.asarray(np.where(self.bounded, np.clip(least, 0, 1), margin))

    def find_equivalence_p(self, q: int, margin: float) -> float:
        """Return the least α for which the interval of this question alone, of level 1 − 2α, lies in the margin."""
        stderr, m = (errors[q] for errors in self.error)
        tails = find_bounded_tails(self.mean[q], stderr, m, margin)
        bounded = float(max(tails) / self.factors[q])
        if self.methods[q] == "bounded":
            return bounded
        means = self.add_up(q) / self.problems
        outside = max(np.count_nonzero(means <= -margin), np.count_nonzero(means >= margin))
        p_value = max(bounded, float(1 + outside) / (len(means) + 1))
        differing = int(self.won[q] + self.lost[q])
        if self.methods[q] == "mcnemar" and differing:
            share = max(0.0, (1 - margin * self.size / differing) / 2)
            return max(p_value, *self._find_mid_tails(q, share))
        return p_value
