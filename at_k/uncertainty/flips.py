"""Flips of signs: what the differences of problems, or of whole clusters, would add up to with other signs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy

import numpy as np

from at_k.combinatorics import Floats, Ints
from at_k.uncertainty.standard_errors import add_units

# Random flips. With the signs that were observed they make p-values multiples of 1/10,000.
N_FLIPS = 9_999

# Values are rounded to 1e-16 each: sums below this share of what was added, without signs, are 0.
ROUNDING = 1e-12

# Statistics that are equal but for rounding count as equal.
_NEARLY = 1e-9

# Up to this many units, all 2¹⁴ − 1 = 16,383 subsets are taken.
_MOST_ENUMERATED = 14

# The number of effective units, (Σ S²)²/Σ S⁴, from which the sums of every question are drawn from their normal
# limit. It is furthest off where all sums are 0 or ±1: a p-value of .05 is then off by at most .117/√1000 = .004,
# half of the step of a binomial distribution. 9,999 random flips have a standard error of .002.
MANY = 1_000

# A column whose remainder is this share of it is a sum of others, but for rounding.
_INDEPENDENT = 1e-13

# Units whose random numbers are drawn at a time: 9,999 times 32 octets.
_BLOCK = 256


class Flips:
    """Hold what several columns add up to over the same subsets of units, whose signs flip together.

    A unit is a problem or a cluster. All subsets but the empty one are taken of 14 units or fewer, and random ones of
    more. Columns that depend on each other, as the values of a curve at all k nearly do, are not added up one by one.
    Sums from a thousand effective units or more are drawn from their normal limit, which takes no time.

    Attributes:
        sizes: the problems of each unit.
        totals: the sum of each column over each unit.
        sums: the sum of each column over each subset, with one row per subset.
        units: the number of units.
        problems: the problems of each subset.
        drawn: the same before it is rounded, as the normal limit has it.
        is_normal: whether the sums are drawn from their normal limit.
    """

    def __init__(
        self,
        columns: Floats,
        clusters: Ints | None,
        *,
        n_flips: int = N_FLIPS,
        seed: int = 0,
        effective: Floats | None = None,
    ) -> None:
        """Add up columns of one value per problem."""
        self.sizes, self.totals = add_units(columns, clusters)
        self.units, self.n_flips, self.seed, self.is_normal = len(self.sizes), n_flips, seed, False
        if self.units >= MANY:
            known = count_effective(self.totals) if effective is None else effective
            counts = np.append(known[known > 0], count_effective(self.sizes[:, None]))
            self.is_normal = bool((counts >= MANY).all())
        self._add_up()

    def _add_up(self) -> None:
        units = np.column_stack([self.totals, self.sizes])
        if self.units <= _MOST_ENUMERATED:
            added = add_all_subsets(units)[1:]
        else:
            added = add_random_subsets(units, self.n_flips, self.seed, is_normal=self.is_normal)
            # Of 15 units, one subset in 32,768 is empty, and has no mean.
            added[np.rint(added[:, -1]) <= 0] = units.sum(axis=0)
        self.sums, self.drawn, self.problems = added[:, :-1], added[:, -1], np.rint(added[:, -1])

    def lengthen(self, value: float, count: int) -> Flips:
        """Return the flips with `count` more units, of one problem each with this value in every column."""
        longer = copy(self)
        longer.sizes, longer.units = np.append(self.sizes, np.ones(count)), self.units + count
        longer.totals = np.append(
            self.totals, np.full((count, self.totals.shape[1]), value), axis=0
        )
        if self.units <= _MOST_ENUMERATED:
            longer._add_up()
        else:  # how many of the further units are in each subset says all of them, whose values are equal
            chosen = np.random.default_rng((self.seed, count)).binomial(count, 0.5, len(self.sums))
            longer.sums = self.sums + value * chosen[:, None]
            longer.drawn, longer.problems = self.drawn + chosen, self.problems + chosen
        return longer


def add_all_subsets(units: Floats) -> Floats:
    """Return the sums over all subsets, the empty one first: unit i is in those whose number has the bit i."""
    sums = np.zeros((1, units.shape[1]))
    for unit in units:
        sums = np.concatenate([sums, sums + unit])
    return sums


def factor_columns(units: Floats) -> tuple[Floats, Floats]:
    """Return orthonormal columns, and the factors of which they make up the given ones: by Gram and Schmidt."""
    # It does without BLAS, which can hang for ever in a process that was forked while it was running.
    remainder = units.copy()
    lengths = np.sqrt((units**2).sum(axis=0))
    parts: list[Floats] = []
    for _ in range(units.shape[1]):
        left = np.sqrt((remainder**2).sum(axis=0))
        place = int(
            np.argmax(np.divide(left, lengths, out=np.zeros(left.shape), where=lengths > 0))
        )
        if left[place] <= _INDEPENDENT * lengths[place]:
            break
        part = remainder[:, place] / left[place]
        for other in parts:  # once more, since subtraction has left some rounding
            part -= other * (other * part).sum()
        parts.append(part / np.sqrt((part**2).sum()))
        remainder -= parts[-1][:, None] * np.einsum("i,ij->j", parts[-1], remainder)
    basis = np.stack(parts, axis=1)
    return basis, np.einsum("ir,ij->rj", basis, units)


def count_effective(totals: Floats) -> Floats:
    """Return (Σ S²)²/Σ S⁴ of each column: how many units make up its variance; 0 where all are 0."""
    largest = np.abs(totals).max(axis=0)
    squares = np.divide(totals, largest, out=np.zeros(totals.shape), where=largest > 0) ** 2
    second = squares.sum(axis=0)
    fourth = (squares**2).sum(axis=0)
    return np.asarray(np.divide(second**2, fourth, out=np.zeros(len(second)), where=fourth > 0))


def add_random_subsets(units: Floats, count: int, seed: int, *, is_normal: bool) -> Floats:
    """Return the sums of columns over random subsets of units."""
    # The 256 sums of every eight units are looked up by a random octet. This is as fast as a product with a matrix of
    # zeros and ones, and does without BLAS.
    rng = np.random.default_rng(seed)
    basis, factors = factor_columns(units)
    if is_normal:
        added = (basis.sum(axis=0) + rng.standard_normal((count, basis.shape[1]))) / 2
        return np.asarray(np.einsum("br,rj->bj", added, factors))
    added = np.zeros((count, basis.shape[1]))
    for start in range(0, len(basis), _BLOCK):
        part = basis[start : start + _BLOCK]
        octets = rng.integers(0, 256, size=(count, -(-len(part) // 8)), dtype=np.uint8)
        for place in range(octets.shape[1]):
            eight = np.zeros((8, basis.shape[1]))
            subset = part[8 * place : 8 * place + 8]
            eight[8 - len(subset) :] = subset[::-1]  # the highest bit means the first unit
            added += add_all_subsets(eight)[octets[:, place]]
    return np.asarray(np.einsum("br,rj->bj", added, factors))


def round_ties(sums: Floats, scale: float) -> Floats:
    """Return sums with 0 for those that are 0 but for rounding; `scale` is what was added, without signs."""
    return np.where(np.abs(sums) <= ROUNDING * scale, 0.0, sums)


def find_flip_p(sums: Floats) -> float:
    """Return the two-sided p-value of a mean of 0, from the sums over subsets."""
    # A flip of the signs in a subset brings the total as far up as it was if the sum over the subset is 0 or below.
    least = min(np.count_nonzero(sums <= 0), np.count_nonzero(sums >= 0))
    return min(1.0, 2 * (1 + int(least)) / (len(sums) + 1))


def find_typical_limits(means: Floats, alpha: float) -> tuple[float, float]:
    """Return the limits of Hartigan's typical values: between them, the mean of all problems has its chance 1 − alpha.

    They hold 0 exactly where `find_flip_p` is not below alpha. They are infinite where no p-value is below alpha.
    """
    outer = int(np.ceil(round(alpha * (len(means) + 1) / 2, 9))) - 1
    if outer < 1:
        return -np.inf, np.inf
    ordered = np.partition(means, (outer - 1, len(means) - outer))
    return float(ordered[outer - 1]), float(ordered[-outer])


def step_down(observed: Floats, flipped: Callable[[int], Floats]) -> Iterator[tuple[int, Floats]]:
    """Yield the questions by rising statistic, each with the largest statistics of the flips for all up to it."""
    largest: Floats | float = 0.0
    for question in np.argsort(observed, kind="stable").tolist():
        largest = np.maximum(largest, flipped(question))
        yield question, largest


def find_critical_t(observed: Floats, flipped: Callable[[int], Floats], alpha: float) -> Floats:
    """Return, for each question, the statistic from which its p-value by `adjust_by_max_t` is below alpha."""
    critical = np.empty(len(observed))
    for question, largest in step_down(observed, flipped):
        critical[question] = np.quantile(largest, 1 - alpha)
    return critical


def adjust_by_max_t(observed: Floats, flipped: Callable[[int], Floats]) -> Floats:
    """Adjust p-values of several questions for each other, by the step-down distribution of the largest statistic."""
    adjusted = np.empty(len(observed))
    rising = []
    for question, largest in step_down(observed, flipped):
        extreme = np.count_nonzero(largest >= observed[question] * (1 - _NEARLY))
        adjusted[question] = (1 + extreme) / (len(largest) + 1)
        rising.append(question)
    falling = rising[::-1]  # of equal statistics the last was compared with all of them
    adjusted[falling] = np.maximum.accumulate(adjusted[falling])
    return adjusted
