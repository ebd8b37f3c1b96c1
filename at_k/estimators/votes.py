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
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import comb

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from at_k.combinatorics import Floats, Ints, at_least, average_over_subsets, from_ratios, look_up, win_by_transform

_COUNTS_UP_TO = 1000
"""Up to this n every count of subsets is below the largest float: C(1000, 500) is 3·10²⁹⁹."""

_NEGLIGIBLE = 2.0**-60
"""Part of a sum of positive terms that may be left out: a hundredth of what its last digit is worth."""

_STRONGEST = 8
"""Rivals that tell how seldom all of them get few votes. Any number gives a bound; with more it is closer."""

_REACH = 1e-100
"""Least probability of k kept samples for which p serves k.

Values down to 1e-200 of that are then normal floats and keep all of their digits.
"""

_BLOCK = 500_000
"""Numbers in the products that are multiplied together.

20,000 problems of 64 samples with 16 answers took 0.27 s with 60,000 numbers, 0.16 s with 240,000 and 0.17 s with
1,000,000; 200 problems of 1,024 samples with k = 256 took 24, 10 and 5 s, since short rows cost more calls.
"""

_FEW = 500
"""Numbers per power of x up to which a rival is multiplied by one call: one call per power takes 3 µs, however few.

With 4 to 60 numbers that is 4 to 12 times as fast, with 500 as fast, with 4,000 slower by 1.6.
"""

_HEAVY = 2e7
"""Rivals times k² from which a race of thinned samples is run by transforms, within 1e-9 instead of to the last digits.

5,000 of 10,000 samples with 16 answers took minutes.
"""

_GATHER = 1_000_000
"""Numbers in the products of the races that are finished together: 8 MB, for each of three such arrays."""

_CELLS = 1_000_000
"""Problems × answers that are laid out at a time: 8 MB, for each of about six such arrays."""


def elect_by_plurality(
    problem: Ints, count: Ints, correct: NDArray[np.bool_], n: Ints, k: Sequence[int], *, share: bool
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
    drawn = look_up(lambda size: np.stack([at_least(size, each, 1) for each in k], axis=-1), n, c)
    return np.where(draws == 1, drawn, np.minimum(won, drawn))


def elect_from_all(problem: Ints, count: Ints, correct: NDArray[np.bool_], problems: int, share: bool) -> Floats:
    """Return what the correct answers of each problem win when all samples are drawn."""
    won = np.zeros(problems)
    if len(problem):
        start = find_starts(problem)
        answers = np.diff(start, append=len(problem))
        lead = count == np.repeat(np.maximum.reduceat(count, start), answers)
        tied = np.add.reduceat(lead, start, dtype=np.int64)
        right = np.add.reduceat(lead & correct, start, dtype=np.int64)
        won[problem[start]] = right / tied if share else (tied == 1) & (right == 1)
    return won


def find_starts(rising: Ints) -> NDArray[np.intp]:
    """Return where each run of equal numbers starts."""
    return np.flatnonzero(np.concatenate([[True], rising[1:] != rising[:-1]]))


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
    votes = np.zeros((len(start), int(size.max())), dtype=np.int64)
    votes[row, np.arange(len(count)) - start[row]] = -count
    votes.sort(axis=1)
    votes = -votes

    # Correct answers of a problem with equal numbers of votes run the same race.
    base = int(count.max()) + 1
    runner, times = np.unique(row[correct] * base + count[correct], return_counts=True)
    racer, own = np.divmod(runner, base)
    field = votes[racer]
    seat = np.argmax(field == own[:, None], axis=1)  # several answers may have `own` votes: any of them will do
    others = np.where(np.arange(field.shape[1] - 1) < seat[:, None], field[:, :-1], field[:, 1:])

    here = problem[start][racer]
    keys = [*pack_tallies(others, base), own, n[here]]
    order, new = sort_rows(keys)
    race = np.empty(len(order), dtype=np.intp)
    race[order] = np.cumsum(new) - 1
    distinct = order[new]
    return _Races(own[distinct], others[distinct], n[here[distinct]], here, race, times)


def sort_rows(keys: Sequence[Ints]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the order of rows by these keys, the most significant first, and which rows differ from those before."""
    order = np.lexsort(keys[::-1])
    new = np.arange(len(order)) == 0
    for key in keys:
        new[1:] |= key[order[1:]] != key[order[:-1]]
    return order, new


def pack_tallies(rows: Ints, base: int) -> list[Ints]:
    """Return integers that compare as the rows do, the most significant first. All entries are in range(base).

    Sorting packed rows takes a tenth of the time of np.unique(axis=0), which compares rows byte by byte.
    """
    together = 1
    while base ** (together + 1) < 2**63:
        together += 1
    packed = []
    for left in range(0, rows.shape[1], together):
        key = np.zeros(len(rows), dtype=np.int64)
        for column in rows[:, left : left + together].T:
            key = key * base + column
        packed.append(key)
    return packed


def add_wins(races: _Races, k: Ints, columns: NDArray[np.intp], share: bool, won: Floats) -> None:
    """Write into `won` what the correct answers of the races' problems win, for these columns of k."""
    for rows, column, p in plan_passes(races.n, k, columns):
        draws = k[column]
        wins = np.zeros((len(races.n), len(column)))
        heavy = np.count_nonzero(races.others[rows], axis=1) * float(draws.max()) ** 2 > _HEAVY
        large = rows[heavy] if p is not None else rows[:0]
        light = np.setdiff1d(rows, large)
        step = max(1, _GATHER // int(draws.max()))
        for block in (light[start : start + step] for start in range(0, len(light), step)):
            wins[block] = run_race(races.n[block], races.own[block], races.others[block], draws, p, share)
        for size in np.unique(races.n[light]):
            wins[races.n == size] /= count_ways(int(size), p)[draws]
        for race in large.tolist():
            size, own, rivals = int(races.n[race]), int(races.own[race]), races.others[race]
            wins[race] = [win_by_transform(size, own, rivals[rivals > 0], each, share=share) for each in draws.tolist()]
        runs = np.flatnonzero(np.isin(races.race, rows))
        problem, race = races.problem[runs], races.race[runs]
        start = find_starts(problem)
        total = np.add.reduceat(wins[race] * races.times[runs, None], start, axis=0)
        won[np.ix_(problem[start], column)] = total


def plan_passes(
    n: Ints, k: Ints, columns: NDArray[np.intp]
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], float | None]]:
    """Yield the races and the columns of k that one product serves, and the p with which it thins the samples.

    p is None where all samples are kept.
    """
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
                yield races, rising[start:stop], find_middle(size, k[rising[start]], k[rising[stop - 1]])
                start = stop


def find_middle(n: int, low: int, high: int) -> float:
    """Return the p with which the mean number of kept samples lies halfway between two k."""
    return float((low + high) / 2 / n)


def serves_both(n: int, low: int, high: int) -> bool:
    """Return whether one p serves both k, and all k between them."""
    kept = count_ways(n, find_middle(n, low, high))
    return bool(min(kept[low], kept[high]) > _REACH)


def run_race(n: Ints, own: Ints, others: Ints, k: Ints, p: float | None, share: bool) -> Floats:
    """Return in how many ways `own` wins: the sum over t of the ways in which it gets t votes and no rival gets more.

    Each factor of the product counts the ways to draw from some of the samples. Those of a rival that has at least t
    votes are multiplied one by one. All other samples together are one factor (1 + x)^rest, which comes last: the races
    of a block that have the same strong rivals then share their product, although their `own` and `rest` differ.
    """
    most = int(k.max())
    wins = np.zeros((len(k), len(own)))
    for t, bound in list_tallies(own, others, min(most, int(own.max())), p):
        alive = np.flatnonzero((own >= t) & (bound > _NEGLIGIBLE * wins.min(axis=0)))
        if len(alive) == 0:
            continue
        field = others[alive]
        # If no answer gets more than t votes, no more can be drawn than these and the samples without a vote.
        silent = n[alive] - own[alive] - field.sum(axis=1)
        reach = t + int((silent + np.minimum(field, t).sum(axis=1)).max())
        depth = int(k.max(where=k <= reach, initial=0)) - t + 1
        if depth < 1:
            continue
        # A rival matters if it can reach t among the other draws.
        field = field * (field >= t) if t < depth else field[:, :0]
        rest = n[alive] - own[alive] - field.sum(axis=1)
        new = np.concatenate([[True], (field[1:] != field[:-1]).any(axis=1)])
        # Races with the same strong rivals and the same rest have their sum in common, whatever `own` is.
        pair, race = np.unique((np.cumsum(new) - 1) * (int(rest.max()) + 1) + rest, return_inverse=True)
        which, others_rest = np.divmod(pair, int(rest.max()) + 1)
        product = multiply_rivals(field[new], t, depth, p, share)[:, which]
        others_drawn = count_ways_of_each(others_rest, p, depth)
        own_drawn = count_ways_of_each(own[alive], p, t + 1)[t]
        for row, left in zip(wins, k - t, strict=True):
            if 0 <= left < depth:  # the coefficient of x^left
                terms = min(left + 1, len(product))
                found = np.einsum("ir,ir->r", product[:terms], others_drawn[left::-1][:terms])
                row[alive] += own_drawn * found[race]
    return np.asarray(wins.T)


def list_tallies(own: Ints, others: Ints, top: int, p: float | None) -> Iterator[tuple[int, Floats]]:
    """Yield each t that a correct answer may get, and a bound on what this t and all that are still to come add.

    Where samples are thinned, the likeliest t comes first, then those above and those below: soon nothing is left that
    could be seen in the sum. A correct answer that gets t or more does so whatever its rivals get; one that wins with
    t or fewer has left fewer to each of them, and what is kept of one answer does not depend on the others.
    """
    if p is None:
        yield from ((t, np.full(len(own), np.inf)) for t in range(1, top + 1))
        return
    kept = count_ways_of_each(own, p, top + 1)
    or_more = np.cumsum(kept[::-1], axis=0)[::-1]
    or_fewer = np.cumsum(kept, axis=0)
    for rival in others[:, :_STRONGEST].T:
        or_fewer *= np.cumsum(count_ways_of_each(rival, p, top + 1), axis=0)
    middle = min(max(1, round(float(own.mean()) * p)), top)
    yield from ((t, or_more[t]) for t in range(middle, top + 1))
    yield from ((t, or_fewer[t]) for t in range(middle - 1, 0, -1))


def multiply_rivals(field: Ints, t: int, depth: int, p: float | None, share: bool) -> Floats:
    """Return the product over the rivals of Σ_{i<t} factor_i xⁱ + y·factor_t x^t, up to x^(depth − 1).

    A power s of y, which counts the rivals that tie, is replaced by 1/(s + 1), the share of the win; without `share`
    only y⁰ counts. `field` holds the votes for the rivals, in falling order and filled up with zeros, one row per
    product. The answer has one column per product.
    """
    rivals = np.count_nonzero(field, axis=1)
    order = np.argsort(-rivals, kind="stable")
    field, rivals = field[order], rivals[order]
    most = int(rivals[0])
    # For t = 1 the powers of x and y are equal, so that one axis holds both.
    ties = min(most, (depth - 1) // t) if share and t > 1 else 0
    high = min(depth, most * (t if share else t - 1) + 1)
    shares = np.empty((high, len(field)))
    step = max(1, _BLOCK // (high * (ties + 1)))
    for start in range(0, len(field), step):
        block = slice(start, start + step)
        product = np.zeros((high, ties + 1, len(field[block])))
        product[0, 0] = 1
        degree = tied = 1
        for rival in range(int(rivals[start])):
            active = int(np.count_nonzero(rivals[block] > rival))
            factor = count_ways_of_each(field[block][:active, rival], p, t + 1)
            reach = min(high, degree + (t if share else t - 1))
            wider = min(tied, ties) + 1
            if rival == 0:  # the product is this factor
                product[: min(t, high), 0, :active] = factor[: min(t, high)]
                if share and t < high:
                    product[t, int(t > 1), :active] = factor[t]
                degree, tied = reach, wider
                continue
            if wider * active <= _FEW:
                before = product[:degree, :tied, :active]
                product[:reach, :wider, :active] = multiply_rival(before, factor, reach, wider, share)
            else:
                multiply_rival_in_place(product[:reach, :wider, :active], factor, degree, tied, p, share)
            degree, tied = reach, wider
        if t == 1:
            shares[:, block] = product[:, 0] / np.arange(1, high + 1)[:, None]
        else:
            shares[:, block] = np.einsum("dsr,s->dr", product, 1 / np.arange(1, ties + 2))
    back = np.empty_like(shares)
    back[:, order] = shares
    return back


def multiply_rival(product: Floats, factor: Floats, reach: int, wider: int, share: bool) -> Floats:
    """Return a product of `multiply_rivals` with one more rival, up to x^(reach − 1) and y^(wider − 1)."""
    (degree, tied, columns), t = product.shape, len(factor) - 1
    padded = np.zeros((t - 1 + reach, tied, columns))
    padded[t - 1 : t - 1 + degree] = product
    found = np.zeros((reach, wider, columns))
    windows = sliding_window_view(padded, t, axis=0)
    found[:, :tied] = np.einsum("dsri,ir->dsr", windows, factor[t - 1 :: -1])
    if share:
        tying = found[t : t + degree, int(t > 1) :]
        tying += product[: len(tying), : tying.shape[1]] * factor[t]
    return found


def multiply_rival_in_place(
    product: Floats, factor: Floats, degree: int, tied: int, p: float | None, share: bool
) -> None:
    """Multiply a product of `multiply_rivals`, of this degree and number of powers of y, by one more rival."""
    (reach, wider, _), t = product.shape, len(factor) - 1
    # Higher powers come first, so that the lower ones are still those of the product without this rival.
    for d in range(reach - 1, -1, -1):
        here = product[d]
        if p is not None:
            here *= factor[0]
        low, stop = max(1, d - degree + 1), min(t, d + 1)
        tying = min(tied, d // t + 1)  # each y comes with x^t
        if low < stop:
            below = product[d - stop + 1 : d - low + 1, :tying][::-1]
            here[:tying] += np.einsum("isr,ir->sr", below, factor[low:stop])
        if share and 0 <= d - t < degree:
            tying = min(wider, d // t + 1)
            if t == 1:
                here += product[d - 1] * factor[1]
            elif tying > 1:
                here[1:tying] += product[d - t, : tying - 1] * factor[t]


@lru_cache(maxsize=1024)
def count_ways(samples: int, p: float | None) -> Floats:
    """Return in how many ways i of these samples can be drawn, at index i.

    That is C(samples, i), or P(i are kept) under thinning.
    """
    if p is None:
        return np.array([comb(samples, i) for i in range(samples + 1)], dtype=np.float64)
    i = np.arange(samples)
    return from_ratios((samples - i) * p, (i + 1) * (1 - p))


def count_ways_of_each(samples: Ints, p: float | None, length: int) -> Floats:
    """Return `count_ways` of every entry, cut or padded to `length`: shape (length, entries)."""
    sizes = np.flatnonzero(np.bincount(samples))
    table = np.zeros((length, int(sizes[-1]) + 1))
    for size in sizes.tolist():
        ways = count_ways(size, p)[:length]
        table[: len(ways), size] = ways
    return np.take(table, samples, axis=1)


def elect_by_weight(
    answer: Ints,
    correct: NDArray[np.bool_],
    weight: NDArray[np.object_],
    k: int,
    ties: str,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return P(a correct answer of a problem has the largest weight among k draws), and the simulation error."""
    n, answers = len(answer), len(correct)
    first_seen = np.array([np.argmax(answer == a) for a in range(answers)], dtype=np.int64)
    # Subsets are taken in an order of the samples that depends neither on their own nor on the numbers of the answers.
    held = {a: (correct[a] if a >= 0 else -1, sorted(weight[answer == a].tolist())) for a in set(answer.tolist())}
    order = np.array(sorted(range(n), key=lambda i: (held[answer[i]], answer[i], weight[i])))

    def share(drawn: NDArray[np.intp]) -> Floats:
        drawn, rows = order[drawn], np.arange(len(drawn))
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

    return average_over_subsets(share, n, k, rng)
