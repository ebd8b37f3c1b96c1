"""Chance that a vote among k of n samples elects a correct answer. Arrays in, arrays out; arguments are taken as clean.

The exact plurality vote thins the samples: each is kept with probability p on its own. Given that k are kept, the kept
set is a uniform k-subset, for every p; and without that condition the answers are independent, so that their joint
probabilities are products of polynomials with positive coefficients. The coefficient of x^k is the value for k: one
product serves all k at once, nothing cancels, and no number overflows as a bare binomial coefficient would.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from at_k.combinatorics import Floats, Ints, from_ratios, subset_mean

_ONE_P_UP_TO = 1000
"""Up to this n a single p = ½ serves every k (2^−n is still a normal number); beyond, each k has its own p."""

_BLOCK = 60_000
"""Numbers in one polynomial array: a few of them fit the processor's cache."""

_PROBLEMS = 4096
"""Problems whose votes are laid out at a time."""


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
    won = np.zeros((len(n), len(k)))
    bounds = np.searchsorted(problem, np.arange(0, len(n) + _PROBLEMS, _PROBLEMS))
    for start, stop in pairwise(bounds):
        if correct[start:stop].any():
            _plurality_block(problem[start:stop], count[start:stop], correct[start:stop], n, k, share, won)
    won = np.minimum(won, 1.0)
    if np.isin(n, k).any():
        won = np.where(n[:, None] == np.asarray(k), _final(problem, count, correct, len(n), share)[:, None], won)
    return won


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


def _plurality_block(
    problem: Ints, count: Ints, correct: NDArray[np.bool_], n: Ints, k: Sequence[int], share: bool, won: Floats
) -> None:
    """Add to `won` what every correct answer of these problems wins."""
    order = np.lexsort((-count, problem))
    count, correct = count[order], correct[order]
    here, start, size = np.unique(problem, return_index=True, return_counts=True)
    row = np.repeat(np.arange(len(here)), size)
    votes = np.zeros((len(here), int(size.max())), dtype=np.int64)
    votes[row, np.arange(len(count)) - start[row]] = count

    racer = row[correct]
    own = count[correct]
    seat = np.argmax(votes[racer] == own[:, None], axis=1)  # any answer with as many votes will do as "own"
    seats = np.arange(votes.shape[1] - 1)
    others = np.take_along_axis(votes[racer], seats + (seats >= seat[:, None]), axis=1)
    total = n[here[racer]]
    races = np.column_stack([total, np.count_nonzero(others, axis=1), own, others])
    distinct, which = np.unique(races, axis=0, return_inverse=True)
    value = _races(distinct[:, 0], distinct[:, 2], distinct[:, 3:], np.asarray(k), share)
    np.add.at(won, here[racer], value[which.reshape(-1)])


def _races(n: Ints, own: Ints, others: Ints, k: Ints, share: bool) -> Floats:
    """P(`own` beats `others`): one row per race, one column per k. Races come in order of their number of others."""
    value = np.zeros((len(n), len(k)))
    for size in np.unique(n):
        rows = np.flatnonzero(n == size)[::-1]  # races with many rivals first
        some = np.flatnonzero(k < size)  # all n are counted in `_final`
        for columns in [some] if size <= _ONE_P_UP_TO else some[:, None]:
            if len(columns):
                p = 0.5 if size <= _ONE_P_UP_TO else float(k[columns[0]] / size)
                value[np.ix_(rows, columns)] = _batched(int(size), own[rows], others[rows], k[columns], p, share)
    return value


def _batched(n: int, own: Ints, others: Ints, k: Ints, p: float, share: bool) -> Floats:
    """`_race` over as many races at a time as the cache holds; none has more rivals than the first."""
    parts = []
    start = 0
    while start < len(own):
        rivals = int(np.count_nonzero(others[start]))
        stop = start + max(1, _BLOCK // ((rivals // 2 + 1) * int(k.max())))
        parts.append(_race(n, own[start:stop], others[start:stop], k, p, share))
        start = stop
    return np.concatenate(parts)


def _race(n: int, own: Ints, others: Ints, k: Ints, p: float, share: bool) -> Floats:
    """The races of one n: the sum over t of P(own gets t votes and no other gets more | k are drawn)."""
    most = int(k.max())
    silent = n - own - others.sum(axis=1)  # samples without an answer
    value = np.zeros((len(k), len(own)))
    for t in range(1, min(most, int(own.max())) + 1):
        alive = np.flatnonzero(own >= t)
        field = others[alive]
        depth = most - t + 1
        # A rival matters if it can reach t among the other k − t draws. All other samples are one factor (1 + x)^rest.
        rivals = int(np.count_nonzero(field >= t, axis=1).max(initial=0)) if 2 * t <= most else 0
        rest = silent[alive] + field[:, rivals:].sum(axis=1)
        nodes, weights = _tie_nodes(min(rivals, (most - t) // t) if share else None)
        product = _thinned_rows(rest, p, depth)[:, None, :]
        for rival in range(rivals):
            product = _times(product, _thinned_rows(field[:, rival], p, t + 1), nodes, depth)
        chance = np.einsum("u,dur->dr", weights, np.broadcast_to(product, (len(product), len(nodes), len(alive))))
        chance *= _thinned_rows(own[alive], p, t + 1)[t]
        reached = np.flatnonzero((k >= t) & (k - t < len(chance)))
        value[np.ix_(reached, alive)] += chance[k[reached] - t]
    return np.asarray(value.T / _thinned(n, p)[k])


def _times(product: Floats, factor: Floats, nodes: Floats, depth: int) -> Floats:
    """The product times Σ_{i<t} factor_i xⁱ + u·factor_t x^t at every node u, up to x^(depth − 1).

    Shapes: product (degree, nodes or 1, races), factor (t + 1, races).
    """
    t = len(factor) - 1
    degree, width, races = product.shape
    new_degree = min(depth, degree + t)
    width = max(width, len(nodes))
    times = np.zeros((new_degree, width, races))
    for i in range(min(t, new_degree - 1) + 1):
        size = min(degree, new_degree - i)
        scale = factor[i] if i < t else nodes[:, None] * factor[t]
        times[i : i + size] += product[:size] * scale
    return times


@lru_cache(maxsize=256)
def _tie_nodes(most_ties: int | None) -> tuple[Floats, Floats]:
    """Gauss–Legendre nodes u on [0, 1] and weights, exact for polynomials of this degree; u = 0 where a tie is lost.

    ∫ uˢ du = 1/(s + 1) is the share of a winner who ties with s others.
    """
    if most_ties is None:
        return np.zeros(1), np.ones(1)
    nodes, weights = np.polynomial.legendre.leggauss(most_ties // 2 + 1)
    return (nodes + 1) / 2, weights / 2


@lru_cache(maxsize=1024)
def _thinned(samples: int, p: float) -> Floats:
    """P(i of these samples are kept) when each is kept with probability p, at index i."""
    i = np.arange(samples)
    return from_ratios((samples - i) * p, (i + 1) * (1 - p))


def _thinned_rows(samples: Ints, p: float, length: int) -> Floats:
    """`_thinned` of every entry, cut or padded to `length`: shape (length, entries)."""
    sizes, where = np.unique(samples, return_inverse=True)
    table = np.zeros((len(sizes), length))
    for row, size in zip(table, sizes, strict=True):
        pmf = _thinned(int(size), p)[:length]
        row[: len(pmf)] = pmf
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
