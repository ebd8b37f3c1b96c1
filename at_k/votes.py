"""Chance that a vote among k of n samples elects a correct answer. Arrays in, arrays out; arguments are taken as clean.

The exact plurality vote counts k-subsets by generating functions. Of an answer with a samples, i can be drawn in
C(a, i) ways: the coefficient of xⁱ. For each number t of votes that a correct answer may get, its rivals are
polynomials cut off at x^t, a second variable counts those that tie, and the coefficient of x^k in the product is what
is sought. One product serves all k at once, all terms are positive, and nothing cancels.

Up to n = 56 the terms are exact integers, since no C(56, k) exceeds 2⁵³. For larger n the samples are thinned, each
kept with probability p: a kept set of size k is still a uniform k-subset, and C(a, i) becomes a binomial probability,
so that nothing overflows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from at_k.combinatorics import Floats, Ints, at_least, from_ratios, look_up, subset_mean

_INTEGERS_UP_TO = 56
"""Up to this n every count of subsets is an integer that a float holds."""

_ONE_P_UP_TO = 1000
"""Up to this n thinning with p = ½ serves every k, since 2^−n is still a normal number; beyond, k near np."""

_REACH = 1e-100
"""Least probability of k kept samples for which p serves k, so that small values keep their digits."""

_BLOCK = 60_000
"""Numbers in one product: a few of them fit the processor's cache."""

_CELLS = 1_000_000
"""Problems × answers that are laid out at a time."""


def plurality(
    problem: Ints, count: Ints, correct: NDArray[np.bool_], n: Ints, k: Sequence[int], *, share: bool
) -> Floats:
    """P(a correct answer wins the vote among k of n samples): one row per problem, one column per k.

    Args:
        problem: for each distinct answer, ascending, the index of its problem.
        count: how many samples of the problem gave that answer.
        correct: whether it is correct.
        n: samples of each problem; those that no answer accounts for use up their draw and cast no vote.
        k: numbers of draws.
        share: ties for the first place are shared equally; otherwise a tie is lost.
    """
    draws = np.asarray(k)
    won = np.zeros((len(n), len(k)))
    step = max(1, _CELLS // int(np.bincount(problem, minlength=1).max() + 1))
    bounds = np.searchsorted(problem, np.arange(0, len(n) + step, step))
    for start, stop in pairwise(bounds):
        if correct[start:stop].any():
            _add_wins(problem[start:stop], count[start:stop], correct[start:stop], n, draws, share, won)
    if np.isin(n, draws).any():
        won = np.where(n[:, None] == draws, _final(problem, count, correct, len(n), share)[:, None], won)
    # Who wins is among the drawn, and is the one who is drawn alone: rounding must not change that.
    c = np.bincount(problem[correct], weights=count[correct], minlength=len(n)).astype(np.int64)
    drawn = look_up(lambda size: np.stack([at_least(size, each, 1) for each in k], axis=-1), n, c)
    return np.where(draws == 1, drawn, np.minimum(won, drawn))


def _final(problem: Ints, count: Ints, correct: NDArray[np.bool_], problems: int, share: bool) -> Floats:
    """What correct answers win when all samples are drawn, by problem."""
    won = np.zeros(problems)
    if len(problem):
        here, start, answers = np.unique(problem, return_index=True, return_counts=True)
        lead = count == np.repeat(np.maximum.reduceat(count, start), answers)
        tied = np.add.reduceat(lead, start, dtype=np.int64)
        right = np.add.reduceat(lead & correct, start, dtype=np.int64)
        won[here] = right / tied if share else (tied == 1) & (right == 1)
    return won


def _add_wins(
    problem: Ints, count: Ints, correct: NDArray[np.bool_], n: Ints, k: Ints, share: bool, won: Floats
) -> None:
    """Add to `won` what the correct answers of these problems win, for every k < n."""
    order = np.lexsort((-count, problem))
    count, correct = count[order], correct[order]
    here, start, size = np.unique(problem, return_index=True, return_counts=True)
    row = np.repeat(np.arange(len(here)), size)
    votes = np.zeros((len(here), int(size.max())), dtype=np.int64)
    votes[row, np.arange(len(count)) - start[row]] = count

    # Correct answers of a problem that have as many votes run the same race.
    runners, times = np.unique(np.column_stack([row[correct], count[correct]]), axis=0, return_counts=True)
    racer, own = runners.T
    seat = np.argmax(votes[racer] == own[:, None], axis=1)  # any answer with as many votes will do as "own"
    seats = np.arange(votes.shape[1] - 1)
    others = np.take_along_axis(votes[racer], seats + (seats >= seat[:, None]), axis=1)
    races = np.column_stack([n[here[racer]], np.count_nonzero(others, axis=1), own, others])
    distinct, which = np.unique(races, axis=0, return_inverse=True)
    which = which.reshape(-1)
    for samples in np.unique(distinct[:, 0]):
        rows = np.flatnonzero(distinct[:, 0] == samples)[::-1]  # races with many rivals first
        racing = np.flatnonzero(distinct[which, 0] == samples)
        for columns, p in _passes(int(samples), k):
            wins = np.zeros((len(distinct), len(columns)))
            wins[rows] = _batched(int(samples), distinct[rows, 2], distinct[rows, 3:], k[columns], p, share)
            total = np.zeros((len(here), len(columns)))
            np.add.at(total, racer[racing], wins[which[racing]] * times[racing, None])
            mine = np.unique(racer[racing])
            won[np.ix_(here[mine], columns)] = total[mine] / _ways(int(samples), p)[k[columns]]


def _passes(n: int, k: Ints) -> list[tuple[NDArray[np.intp], float | None]]:
    """Columns of k < n that one product serves, and the p with which it thins the samples; None keeps them all."""
    columns = np.flatnonzero(k < n)
    if not len(columns):
        return []
    if n <= _INTEGERS_UP_TO:
        return [(columns, None)]
    if n <= _ONE_P_UP_TO:
        return [(columns, 0.5)]
    passes: list[tuple[NDArray[np.intp], float | None]] = []
    rising = columns[np.argsort(k[columns])]
    start = 0
    for stop in range(1, len(rising) + 1):
        if stop == len(rising) or not _reaches(n, k[rising[start]], k[rising[stop]]):
            passes.append((rising[start:stop], _middle(n, k[rising[start]], k[rising[stop - 1]])))
            start = stop
    return passes


def _middle(n: int, low: int, high: int) -> float:
    """The p of which the mean number of kept samples lies between two k."""
    return float((low + high) / 2 / n)


def _reaches(n: int, low: int, high: int) -> bool:
    """Whether one p serves both k, and all between."""
    kept = _ways(n, _middle(n, low, high))
    return bool(min(kept[low], kept[high]) > _REACH)


def _batched(n: int, own: Ints, others: Ints, k: Ints, p: float | None, share: bool) -> Floats:
    """`_race` over as many races at a time as the cache holds; none has more rivals than the first."""
    parts = []
    start = 0
    while start < len(own):
        rivals = int(np.count_nonzero(others[start]))
        stop = start + max(1, _BLOCK // ((rivals // 2 + 1) * int(k.max())))
        parts.append(_race(n, own[start:stop], others[start:stop], k, p, share))
        start = stop
    return np.concatenate(parts)


def _race(n: int, own: Ints, others: Ints, k: Ints, p: float | None, share: bool) -> Floats:
    """In how many ways `own` wins: summed over t, it gets t of the k votes and no rival gets more."""
    most = int(k.max())
    silent = n - own - others.sum(axis=1)  # samples without an answer
    wins = np.zeros((len(k), len(own)))
    for t in range(1, min(most, int(own.max())) + 1):
        alive = np.flatnonzero(own >= t)
        field = others[alive]
        # A rival matters if it can reach t among the other k − t draws. All other samples are one factor (1 + x)^rest.
        rivals = int(np.count_nonzero(field >= t, axis=1).max(initial=0)) if 2 * t <= most else 0
        rest = silent[alive] + field[:, rivals:].sum(axis=1)
        depth, ties = most - t + 1, min(rivals, (most - t) // t) if share else 0
        product = _ways_of_rows(rest, p, depth)[:, None, :]
        for rival in range(rivals):
            product = _times(product, _ways_of_rows(field[:, rival], p, t + 1), depth, ties)
        shares = np.einsum("dsr,s->dr", product, 1 / np.arange(1, product.shape[1] + 1))
        shares *= _ways_of_rows(own[alive], p, t + 1)[t]
        reached = np.flatnonzero((k >= t) & (k - t < len(shares)))
        wins[np.ix_(reached, alive)] += shares[k[reached] - t]
    return np.asarray(wins.T)


def _times(product: Floats, factor: Floats, depth: int, ties: int) -> Floats:
    """The product times one more rival, Σ_{i<t} factor_i xⁱ + y·factor_t x^t, up to x^(depth − 1) and y^ties.

    Shapes: product (powers of x, powers of y, races), factor (t + 1, races).
    """
    t = len(factor) - 1
    degree, tied, races = product.shape
    times = np.zeros((min(depth, degree + t), min(tied, ties) + 1, races))
    for i in range(min(t, len(times))):
        size = min(degree, len(times) - i)
        times[i : i + size, :tied] += product[:size] * factor[i]
    if t < len(times) and times.shape[1] > 1:
        size, loser = min(degree, len(times) - t), times.shape[1] - 1
        times[t : t + size, 1:] += product[:size, :loser] * factor[t]
    return times


@lru_cache(maxsize=1024)
def _ways(samples: int, p: float | None) -> Floats:
    """In how many ways i of these samples can be drawn, at index i: C(samples, i), or P(i are kept) under thinning."""
    if p is None:
        return np.array([comb(samples, i) for i in range(samples + 1)], dtype=np.float64)
    i = np.arange(samples)
    return from_ratios((samples - i) * p, (i + 1) * (1 - p))


def _ways_of_rows(samples: Ints, p: float | None, length: int) -> Floats:
    """`_ways` of every entry, cut or padded to `length`: shape (length, entries)."""
    sizes, where = np.unique(samples, return_inverse=True)
    table = np.zeros((len(sizes), length))
    for row, size in zip(table, sizes, strict=True):
        ways = _ways(int(size), p)[:length]
        row[: len(ways)] = ways
    return np.asarray(table[where].T)


def weighted(
    answer: Ints,
    correct: NDArray[np.bool_],
    weight: NDArray[np.object_],
    k: int,
    ties: str,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """P(a correct answer has the largest sum of weights among k draws) for one problem, and its simulation error.

    Args:
        answer: number of each sample's answer, from 0; −1 casts no vote.
        correct: whether each of the answers is correct.
        weight: exact integers, one per sample.
        k: number of draws.
        ties: as for `at_k.cons_at_k`.
        rng: used where there are too many subsets to enumerate.
    """
    n, answers = len(answer), len(correct)
    first_seen = np.array([np.argmax(answer == a) for a in range(answers)], dtype=np.int64)

    def share(drawn: NDArray[np.intp]) -> Floats:
        rows = np.arange(len(drawn))
        sums = np.zeros((len(drawn), answers + 1), dtype=weight.dtype)  # the last column takes the −1
        present = np.zeros(sums.shape, dtype=bool)
        for draw in drawn.T:
            sums[rows, answer[draw]] += weight[draw]
            present[rows, answer[draw]] = True
        votes, present = sums[:, :answers], present[:, :answers]
        best = np.where(present, votes, -1).max(axis=1, initial=-1)
        winners = present & (votes == best[:, None])
        if ties == "strict":
            majority = 2 * best > weight[drawn].sum(axis=1)
            return np.asarray(majority & (winners & correct).any(axis=1), dtype=np.float64)
        if ties == "first" and k == n:
            winners &= first_seen == np.where(winners, first_seen, n).min(axis=1, initial=n)[:, None]
        winning = winners.sum(axis=1)
        right = (winners & correct).sum(axis=1)
        if ties == "incorrect":
            return np.asarray((winning == 1) & (right == 1), dtype=np.float64)
        return np.asarray(right / np.maximum(winning, 1))

    return subset_mean(share, n, k, rng)
