"""Products of the rivals of a vote: in how many ways each of t votes wins, for many races at once.

Races are sorted by their rivals, and equal products are made once. Where the fields of many races differ, their halves
do not: the product of the strongest rivals and that of all others, with the samples of no strong answer, are made once
for each distinct half, and joined by one product of matrices for all k. The axis of ties is then replaced by a few
Gauss–Legendre nodes in u, which share a tie exactly: the integral of u^s over [0, 1] is 1/(s + 1).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

from at_k.combinatorics import (
    Floats,
    Ints,
    count_ways_of_each,
    find_starts,
    pack_tallies,
    sort_rows,
)

# Part of a sum of positive terms that may be left out: a hundredth of what its last digit is worth.
_NEGLIGIBLE = 2.0**-60

# Rivals that tell how seldom all of them get few votes. Any number gives a bound; with more it is closer.
_STRONGEST = 8

# Numbers in the products that are multiplied together.
# 20,000 problems of 64 samples with 16 answers took 0.27 s with 60,000 numbers, 0.16 s with 240,000 and 0.17 s with
# 1,000,000; 200 problems of 1,024 samples with k = 256 took 24, 10 and 5 s, since short rows cost more calls.
_BLOCK = 500_000

# Numbers per power of x up to which a rival is multiplied by one call: one call per power takes 3 µs, however few.
# With 4 to 60 numbers that is 4 to 12 times as fast, with 500 as fast, with 4,000 slower by 1.6.
_FEW = 500

# A k is served by the product of a larger one if at most this many times the races reach it.
_SIMILAR = 1.5

# The part of the rivals in the stronger half: the weaker half also holds the samples of no strong answer.
# Of 98,226 shapes of 100 samples with 17 answers, 0.42, 0.44, 0.47 and 0.5 took 1.4, 1.26, 1.4 and 1.47 s.
_CUT = 0.44

# Halves are joined where distinct fields are more than 5,000, and more than twice the distinct stronger halves.
# 20,000 problems of 64 samples took as long by halves as by whole products.
_MANY, _MANY_FIELDS = 2, 5_000

# Numbers that are multiplied together, so that they stay in the processor's cache: with 4,000 or 120,000 slower.
_CACHED = 30_000

# Weaker halves that are read backwards together, since each call takes 4 µs.
_READ = 50


def run_race(n: Ints, own: Ints, others: Ints, k: Ints, p: float | None, share: bool) -> Floats:
    """Return in how many ways `own` wins: the sum over t of the ways in which it gets t votes and no rival gets more.

    Each factor of the product counts the ways to draw from some of the samples. A rival that has at least t votes is a
    factor of its own. All other samples together are one factor (1 + x)^rest.
    """
    wins: Floats = np.zeros((len(k), len(own)))
    # Sums and comparisons along short rows take five times as long
    rivals = np.ascontiguousarray(others.T)
    most = rivals.max(axis=1, initial=0)
    for t, bound in list_tallies(own, others, min(int(k.max()), int(own.max())), p):
        alive = np.flatnonzero((own >= t) & (bound > _NEGLIGIBLE * wins.min(axis=0)))
        if not len(alive):
            continue
        field = rivals[: int(np.count_nonzero(most >= t)), alive]
        strong = field >= t
        field *= strong
        rest = n[alive] - own[alive] - field.sum(axis=0, dtype=field.dtype)
        # If no answer gets more than t votes, no more can be drawn than these and the samples without a vote.
        reach = t + rest + t * strong.sum(axis=0, dtype=field.dtype)
        drawn = count_ways_of_each(own[alive], p, t + 1)[t]
        many = share and p is None and len(alive) > _MANY_FIELDS
        for columns in group_draws(k, t, reach, _SIMILAR if many else np.inf):
            if many:
                rows = np.flatnonzero(reach >= k[columns].min())
            else:
                rows = np.arange(len(alive))
            counted = count_draws(field[:, rows], rest[rows], t, k[columns] - t, p, share)
            for column, ways in zip(columns, counted.T, strict=True):
                wins[column, alive[rows]] += drawn[rows] * ways
    return np.transpose(wins)


def group_draws(k: Ints, t: int, reach: Ints, similar: float) -> Iterator[NDArray[np.intp]]:
    """Yield columns of k, from the largest down: a k and the smaller ones with at most `similar` times its races."""
    races = np.array([np.count_nonzero(reach >= size) if size >= t else 0 for size in k.tolist()])
    while races.any():
        fewest = races[np.argmax(np.where(races > 0, k, 0))]
        together = np.flatnonzero((races > 0) & (races <= similar * fewest))
        yield together
        races[together] = 0


def count_draws(
    field: Ints, rest: Ints, t: int, left: Ints, p: float | None, share: bool
) -> Floats:
    """Return the ways to draw `left` others (a column each) so that no rival of these fields gets more than t."""
    # Each column of `field` is that of a race, and equal strongest rivals are neighbours.
    depth = int(left.max()) + 1
    if t >= depth:  # no rival can reach t among the other draws
        field, rest = field[:0], rest + field.sum(axis=0, dtype=np.int64)
    field = field[: int(np.count_nonzero(field.any(axis=1)))]
    cut = round(_CUT * len(field))
    stronger = flag_changes(field[:cut])
    new = stronger | flag_changes(field[cut:])
    fields = np.count_nonzero(new)
    if share and p is None and fields > max(_MANY_FIELDS, _MANY * np.count_nonzero(stronger)):
        return join_halves(field, rest, stronger, cut, t, left)
    # Races with the same strong rivals and the same rest have their sum in common, whatever `own` is.
    width = int(rest.max()) + 1
    pair, race = np.unique((np.cumsum(new) - 1) * width + rest, return_inverse=True)
    which, others_rest = np.divmod(pair, width)
    product = multiply_rivals(field[:, new].T, t, depth, p, share)[:, which]
    others_drawn = count_ways_of_each(others_rest, p, depth)
    ways = np.empty((len(pair), len(left)))
    for column, draws in enumerate(left.tolist()):  # the coefficient of x^draws
        terms = min(draws + 1, len(product))
        ways[:, column] = np.einsum("ir,ir->r", product[:terms], others_drawn[draws::-1][:terms])
    return ways[race]


def flag_changes(columns: Ints) -> NDArray[np.bool_]:
    """Return which columns differ from the ones before."""
    new: NDArray[np.bool_] = np.arange(columns.shape[1]) == 0
    for row in columns:
        new[1:] |= row[1:] != row[:-1]
    return new


def join_halves(
    field: Ints, rest: Ints, new: NDArray[np.bool_], cut: int, t: int, left: Ints
) -> Floats:
    """Return `count_draws` of fields; `new` flags those of which the first `cut` rivals differ from those before."""
    depth = int(left.max()) + 1
    # Where each answer gets one vote, and every sample has one, all that are drawn tie, and no node is needed.
    all_tie = t == 1 and not rest.any()
    if all_tie:
        x = np.ones(1)
        weights = np.full(1, 2.0)
    else:
        x, weights = leggauss(min(len(field), (depth - 1) // t) // 2 + 1)
    nodes = (x + 1) / 2
    weights = weights / 2
    keys = pack_tallies(np.vstack([rest, field[cut:]]).T)
    order, distinct = sort_rows(keys)
    second = np.empty(len(order), dtype=np.intp)
    second[order] = np.cumsum(distinct) - 1
    last = order[distinct]
    heads = field[:cut, new]
    pair, race = np.unique(second * heads.shape[1] + np.cumsum(new) - 1, return_inverse=True)
    second, first = np.divmod(pair, heads.shape[1])

    parent = np.zeros(heads.shape[1], dtype=np.intp)
    stronger = multiply_prefixes(heads, parent, np.ones((1, 1, 1)), t, depth, nodes)
    sizes, size = np.unique(rest[last], return_inverse=True)
    silent = np.ascontiguousarray(count_ways_of_each(sizes, None, depth).T)[:, :, None]
    weaker = multiply_prefixes(field[cut:, last], size, silent, t, depth, nodes)
    weaker = np.broadcast_to(weaker, (len(weaker), depth, len(nodes))) * weights
    weaker = np.pad(weaker, ((0, 0), (0, 1), (0, 0)))
    rows, width, _ = stronger.shape
    stronger = np.broadcast_to(stronger, (rows, width, len(nodes))).reshape(rows, -1)
    # The coefficient of x^left in a product: one row of the first factor times the other one, read backwards.
    place = left - np.arange(width)[:, None]
    place = np.where(place < 0, depth, place)[:, None]
    node = np.arange(len(nodes))[:, None]
    ways = np.empty((len(pair), len(left)))
    bounds = np.append(find_starts(second), len(pair)).tolist()
    for row, (start, stop) in enumerate(pairwise(bounds)):
        if row % _READ == 0:
            backwards = weaker[row : row + _READ, place, node]
            backwards = backwards.reshape(-1, stronger.shape[1], len(left))
        np.matmul(stronger[first[start:stop]], backwards[row % _READ], out=ways[start:stop])
    if all_tie:
        ways /= left + 1
    return ways[race]


def multiply_prefixes(
    columns: Ints, parent: NDArray[np.intp], product: Floats, t: int, depth: int, nodes: Floats
) -> Floats:
    """Multiply `product[parent]` by the rivals in sorted columns, and each common beginning once."""
    # The axes of products are columns, powers of x and nodes.
    new = np.arange(len(parent)) == 0
    new[1:] = parent[1:] != parent[:-1]
    for votes in columns:
        new[1:] |= votes[1:] != votes[:-1]
        product = convolve(
            product[parent[new]], count_ways_of_each(votes[new], None, t + 1), depth, nodes
        )
        parent = np.cumsum(new) - 1
    return product


def convolve(before: Floats, factor: Floats, depth: int, nodes: Floats) -> Floats:
    """Multiply each row by its rival, up to x^(depth − 1); of a tie, every node takes its part."""
    rows, width, _ = before.shape
    t = len(factor) - 1
    full = min(depth, width + t)
    after = np.zeros((rows, full, len(nodes)))
    after[:, :width] = before
    step = max(1, _CACHED // (len(nodes) * full))
    for start in range(0, rows, step):
        block = slice(start, start + step)
        for i in range(1, min(t + 1, full)):
            ways = factor[i, block, None, None]
            terms = min(width, full - i)
            after[block, i : i + terms] += before[block, :terms] * (
                ways * nodes if i == t else ways
            )
    return after


def list_tallies(
    own: Ints, others: Ints, top: int, p: float | None
) -> Iterator[tuple[int, Floats]]:
    """Yield each t that a correct answer may get, and a bound on what this t and all that are still to come add."""
    # Where samples are thinned, the likeliest t comes first, then those above and those below: soon nothing is left
    # that could be seen in the sum. A correct answer that gets t or more does so whatever its rivals get; one that wins
    # with t or fewer has left fewer to each of them, and what is kept of one answer does not depend on the others.
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
    """Return the product over the rivals of Σ_{i<t} factor_i xⁱ + y·factor_t x^t, up to x^(depth − 1)."""
    # A power s of y, which counts the rivals that tie, is replaced by 1/(s + 1), the share of the win; without `share`
    # only y⁰ counts. `field` holds the votes for the rivals, in falling order and filled up with zeros, one row per
    # product. The answer has one column per product.
    rivals = np.count_nonzero(field, axis=1)
    order = np.argsort(-rivals, kind="stable")
    field = field[order]
    rivals = rivals[order]
    most = int(rivals[0])
    # For t = 1 the powers of x and y are equal, so that one axis holds both.
    ties = 0
    if share and t > 1:
        ties = min(most, (depth - 1) // t)
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
            after = product[:reach, :wider, :active]
            if wider * active <= _FEW:
                before = product[:degree, :tied, :active]
                after[:] = multiply_rival(before, factor, reach, wider, share)
            else:
                multiply_rival_in_place(after, factor, degree, tied, p, share)
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
    grown = np.zeros((reach, wider, columns))
    windows = sliding_window_view(padded, t, axis=0)
    grown[:, :tied] = np.einsum("dsri,ir->dsr", windows, factor[t - 1 :: -1])
    if share:
        tying = grown[t : t + degree, int(t > 1) :]
        tying += product[: len(tying), : tying.shape[1]] * factor[t]
    return grown


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
        low = max(1, d - degree + 1)
        stop = min(t, d + 1)
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
