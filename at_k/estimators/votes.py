"""Chance that a vote among k of n samples elects a correct answer. Arrays in, arrays out; arguments are taken as clean.

The exact plurality vote counts k-subsets by generating functions. Of an answer with a samples, i can be drawn in
C(a, i) ways: the coefficient of xⁱ. For each number t of votes that a correct answer may get, its rivals are
polynomials cut off at x^t, a second variable counts those that tie, and the coefficient of x^k in the product is the
number of subsets in which that answer gets t votes and no rival gets more. One product serves all k at once, all terms
are positive, and nothing cancels.

Up to n = 56 every term is an integer that a float holds, since no C(56, k) exceeds 2⁵³; up to n = 1000 no term
overflows, since no C(1000, k) exceeds 10³⁰⁰. For larger n the samples are thinned, each kept with probability p: a kept
set of size k is still a uniform k-subset, and C(a, i) becomes a binomial probability, so that nothing overflows. Where
this takes long, the product is made by Fourier transforms (`combinatorics.py`), to 1e-9.
`products.py` makes the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from at_k.combinatorics import (
    Floats,
    Ints,
    at_least,
    count_ways,
    find_starts,
    look_up,
    pack_tallies,
    sort_rows,
    win_by_transform,
)
from at_k.estimators.products import run_race

# Up to this n every count of subsets is below the largest float: C(1000, 500) is 3·10²⁹⁹.
_COUNTS_UP_TO = 1000

# Least probability of k kept samples for which p serves k.
# Values down to 1e-200 of that are then normal floats and keep all of their digits.
_REACH = 1e-100

# Rivals times k² from which a race of thinned samples is run by transforms, within 1e-9 instead of to the last
# digits.
# 5,000 of 10,000 samples with 16 answers took minutes.
_HEAVY = 2e7

# Numbers in the products of the races that are finished together: 64 MB, for each of three such arrays.
_GATHER = 8_000_000

# Problems × answers that are laid out at a time: 8 MB, in numbers of two bytes, for each of about six such arrays.
_CELLS = 4_000_000


def elect_by_plurality(
    problem: Ints,
    count: Ints,
    correct: NDArray[np.bool_],
    n: Ints,
    k: Sequence[int],
    *,
    share: bool,
) -> Floats:
    """Return P(a correct answer wins the vote among k of n samples): one row per problem, one column per k."""
    draws = np.asarray(k)
    won = np.zeros((len(n), len(k)))
    # One draw and all n draws need no product: the first is c/n, and the second is a count of the leading answers.
    columns = np.flatnonzero((draws > 1) & (draws < n.max()))
    if len(columns) and correct.any():
        step = max(1, _CELLS // int(np.bincount(problem).max() + 1))
        bounds = np.searchsorted(problem, np.arange(0, len(n) + step, step))
        for start, stop in pairwise(bounds):
            if correct[start:stop].any():
                races = list_races(problem[start:stop], count[start:stop], correct[start:stop], n)
                add_wins(races, draws, columns, share, won)
    if np.isin(n, draws).any():
        final = elect_from_all(problem, count, correct, len(n), share)
        won = np.where(n[:, None] == draws, final[:, None], won)
    # cons@k ≤ pass@k, with equality at k = 1. Clip, so that rounding cannot break this.
    c = np.bincount(problem[correct], weights=count[correct], minlength=len(n)).astype(np.int64)
    drawn = look_up(lambda size: np.stack([at_least(size, drawn, 1) for drawn in k], axis=-1), n, c)
    return np.where(draws == 1, drawn, np.minimum(won, drawn))


def elect_from_all(
    problem: Ints, count: Ints, correct: NDArray[np.bool_], problems: int, share: bool
) -> Floats:
    """Return what the correct answers of each problem win when all samples are drawn."""
    won = np.zeros(problems)
    if len(problem):
        start = find_starts(problem)
        answers = np.diff(start, append=len(problem))
        lead = count == np.repeat(np.maximum.reduceat(count, start), answers)
        tied = np.add.reduceat(lead, start, dtype=np.int64)
        right = np.add.reduceat(lead & correct, start, dtype=np.int64)
        if share:
            won[problem[start]] = right / tied
        else:
            won[problem[start]] = (tied == 1) & (right == 1)
    return won


@dataclass(frozen=True)
class _Races:
    """The races of correct answers against the other answers of their problems; equal races are held once.

    `own`, `others` and `n` have one entry per distinct race: the votes for the correct answer, the votes for each other
    answer in falling order, and the samples of the problem. `problem`, `race` and `times` say in which problem which
    race is run how often; `problem` ascends.
    """

    own: Ints
    others: Ints
    n: Ints
    problem: Ints
    race: NDArray[np.intp]
    times: Ints


def list_races(problem: Ints, count: Ints, correct: NDArray[np.bool_], n: Ints) -> _Races:
    """Return the races of these answers, sorted so that races with the same strongest rivals are neighbours."""
    start = find_starts(problem)
    size = np.diff(start, append=len(problem))
    row = np.repeat(np.arange(len(start)), size)
    votes = np.zeros((len(start), int(size.max())), dtype=np.int16 if n.max() < 2**15 else np.int64)
    votes[row, np.arange(len(count)) - start[row]] = -count
    votes.sort(axis=1)
    votes = -votes

    # Correct answers of a problem with equal numbers of votes run the same race.
    base = int(count.max()) + 1
    runner, times = np.unique(row[correct] * base + count[correct], return_counts=True)
    racer, mine = np.divmod(runner, base)
    field = votes[racer]
    seat = np.argmax(field == mine[:, None], axis=1)  # any answer with `mine` votes will do
    others = np.where(np.arange(field.shape[1] - 1) < seat[:, None], field[:, :-1], field[:, 1:])

    here = problem[start][racer]
    keys = [*pack_tallies(others), mine, n[here]]
    order, new = sort_rows(keys)
    race = np.empty(len(order), dtype=np.intp)
    race[order] = np.cumsum(new) - 1
    distinct = order[new]
    return _Races(mine[distinct], others[distinct], n[here[distinct]], here, race, times)


def add_wins(races: _Races, k: Ints, columns: NDArray[np.intp], share: bool, won: Floats) -> None:
    """Write into `won` what the correct answers of the races' problems win, for these columns of k."""
    for rows, column, p in plan_passes(races.n, k, columns):
        draws = k[column]
        wins = np.zeros((len(races.n), len(column)))
        heavy = np.count_nonzero(races.others[rows], axis=1) * float(draws.max()) ** 2 > _HEAVY
        large = rows[:0]
        if p is not None:
            large = rows[heavy]
        light = np.setdiff1d(rows, large)
        step = max(1, _GATHER // int(draws.max()))
        for first in range(0, len(light), step):
            block = light[first : first + step]
            own = races.own[block]
            others = races.others[block]
            wins[block] = run_race(races.n[block], own, others, draws, p, share)
        for size in np.unique(races.n[light]):
            wins[races.n == size] /= count_ways(int(size), p)[draws]
        for race in large.tolist():
            size = int(races.n[race])
            votes = int(races.own[race])
            rivals = races.others[race]
            rivals = rivals[rivals > 0]
            for place, drawn in enumerate(draws.tolist()):
                wins[race, place] = win_by_transform(size, votes, rivals, drawn, share=share)
        runs = np.flatnonzero(np.isin(races.race, rows))
        problem = races.problem[runs]
        raced = races.race[runs]
        start = find_starts(problem)
        total = np.add.reduceat(wins[raced] * races.times[runs, None], start, axis=0)
        won[np.ix_(problem[start], column)] = total


def plan_passes(
    n: Ints, k: Ints, columns: NDArray[np.intp]
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], float | None]]:
    """Yield the races and the columns of k that one product serves, and the p with which it thins the samples."""
    # p is None where all samples are kept.
    # Counts of subsets fit in a float up to this n. Above it, samples are kept with chance p, so that the counts become
    # probabilities; one p serves all k near its mean, and a pass per p is cheaper than one per k.
    small = np.flatnonzero(n <= _COUNTS_UP_TO)
    if len(small):
        yield small, columns, None
    for size in np.unique(n[n > _COUNTS_UP_TO]).tolist():
        races = np.flatnonzero(n == size)
        rising = columns[np.argsort(k[columns])]
        rising = rising[k[rising] < size]
        start = 0
        for stop in range(1, len(rising) + 1):
            if stop == len(rising) or not serves_both(size, k[rising[start]], k[rising[stop]]):
                middle = find_middle(size, k[rising[start]], k[rising[stop - 1]])
                yield races, rising[start:stop], middle
                start = stop


def find_middle(n: int, low: int, high: int) -> float:
    """Return the p with which the mean number of kept samples lies halfway between two k."""
    return float((low + high) / 2 / n)


def serves_both(n: int, low: int, high: int) -> bool:
    """Return whether one p serves both k, and all k between them."""
    kept = count_ways(n, find_middle(n, low, high))
    return bool(min(kept[low], kept[high]) > _REACH)
