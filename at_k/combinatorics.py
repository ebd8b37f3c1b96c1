"""Probabilities over the k-subsets of n samples. Arrays in, arrays out; arguments are taken as clean.

Everything rests on one fact. Number the samples of a problem so that the c correct ones come first. A random subset of
k samples then holds at least m correct ones exactly when its m-th smallest number is at most c. So every tail of the
hypergeometric distribution, for all c at once, is the cumulative sum of one distribution over n positions: sums of
positive terms, in which nothing cancels and no factorial overflows. For small n the terms are integers, and every
probability is rounded once; for large n they are floats, made from the ratios of neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, combinations, islice
from math import comb, sqrt
from typing import Any

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Averages over more subsets than this are simulated.
MAX_SUBSETS = 100_000

# Random subsets in a simulation.
N_DRAWS = 10_000

# Up to this n exact integers take no longer than floats.
_INTEGERS_UP_TO = 128

# Numbers held at a time while subsets are enumerated or drawn: 32 MB.
_BLOCK = 4_000_000


def at_least(n: int, k: int, m: int) -> Floats:
    """Return P(at least m of k are correct) when c of n are, at index c = 0…n."""
    if n <= _INTEGERS_UP_TO:
        return divide_exactly(count_tails(n, k, m), comb(n, k))
    return compute_tails(n, k, m)[0]


def fewer_than(n: int, k: int, m: int) -> Floats:
    """Return P(fewer than m of k are correct) when c of n are, at index c = 0…n."""
    # It is 1 − `at_least`, with all of its digits.
    if n <= _INTEGERS_UP_TO:
        subsets = comb(n, k)
        return divide_exactly((subsets - count for count in count_tails(n, k, m)), subsets)
    return compute_tails(n, k, m)[1]


def mean_excess(n: int, k: int, m: int) -> Floats:
    """Return E[max(0, correct among k − m)] when c of n are correct, at index c = 0…n."""
    # It is Σ_{i>m} P(at least i of k). One more correct sample raises it by the chance that this sample is drawn and
    # that at least m of the k − 1 drawn beside it are correct.
    if n <= _INTEGERS_UP_TO:
        return divide_exactly(accumulate(count_tails(n - 1, k - 1, m), initial=0), comb(n, k))
    excess = np.zeros(n + 1)
    np.cumsum(at_least(n - 1, k - 1, m) * (k / n), out=excess[1:])
    return np.minimum(excess, max(k - m, 0))


def rank_weights(n: int, k: int) -> Floats:
    """Return weights in proportion to P(the largest of k numbers drawn from 1..n is p), at index p − 1."""
    if n <= _INTEGERS_UP_TO:
        return np.array(count_order_statistics(n, k, k), dtype=np.float64)
    return compute_order_statistic(n, k, k)


def compute_tails(n: int, k: int, m: int) -> tuple[Floats, Floats]:
    """Return `at_least` and `fewer_than` in floats."""
    if not 0 < m <= k:
        certain = np.ones(n + 1)
        impossible = np.zeros(n + 1)
        if m <= 0:
            return certain, impossible
        return impossible, certain
    if k == 1:
        correct = np.arange(n + 1)
        return correct / n, (n - correct) / n
    # With c correct samples numbered 1…c, at least m are drawn exactly if the m-th smallest number drawn is at most c.
    # Each tail is summed from its small end, and the larger one taken as 1 − the other: neither loses digits.
    pmf = compute_order_statistic(n, k, m)
    upper = np.zeros(n + 1)
    lower = np.zeros(n + 1)
    np.cumsum(pmf, out=upper[1:])
    lower[:n] = np.cumsum(pmf[::-1])[::-1]
    return np.where(lower < upper, 1 - lower, upper), np.where(lower < upper, lower, 1 - upper)


def count_tails(n: int, k: int, m: int) -> list[int]:
    """Count the k-subsets that hold at least m correct samples when c of n are correct, at index c = 0…n."""
    if not 0 < m <= k:
        return [comb(n, k) if m <= 0 else 0] * (n + 1)
    return list(accumulate(count_order_statistics(n, k, m), initial=0))


def compute_order_statistic(n: int, k: int, m: int) -> Floats:
    """Return P(the m-th smallest of k numbers drawn from 1..n is p), at index p − 1, from the ratios of neighbours."""
    p = np.arange(m, n - k + m)
    pmf = np.zeros(n)
    pmf[m - 1 : n - k + m] = from_ratios(p * (n - k + m - p), (p - m + 1) * (n - p))
    return pmf


def count_order_statistics(n: int, k: int, m: int) -> list[int]:
    """Count the k-subsets of 1..n of which the m-th smallest is p, at index p − 1."""
    return [comb(p - 1, m - 1) * comb(n - p, k - m) for p in range(1, n + 1)]


def divide_exactly(counts: Iterable[int], total: int) -> Floats:
    """Return quotients of integers of any size, each rounded once."""
    return np.array([count / total for count in counts])


def from_ratios(above: NDArray[Any], below: NDArray[Any]) -> Floats:
    """Return the distribution with one peak in which p(i + 1)/p(i) = above(i)/below(i), made outward from its peak."""
    peak = int(np.count_nonzero(above >= below))
    rising = np.cumprod(below[:peak][::-1] / above[:peak][::-1])[::-1]
    falling = np.cumprod(above[peak:] / below[peak:])
    weights = np.concatenate([rising, [1.0], falling])
    return np.asarray(weights / weights.sum())


def look_up(table: Callable[[int], Floats], n: Ints, c: Ints) -> Floats:
    """Return table(n)[c] for every problem. The table is made once per distinct n."""
    # `n` and `c` are one-dimensional and not empty; the table of n has n + 1 rows, and its further axes come last in
    # the answer.
    if (n == n[0]).all():
        return table(int(n[0]))[c]
    order = np.argsort(n, kind="stable")
    first = np.flatnonzero(np.diff(n[order], prepend=-1))
    ordered = np.concatenate(
        [table(int(n[rows[0]]))[c[rows]] for rows in np.split(order, first[1:])]
    )
    values = np.empty_like(ordered)
    values[order] = ordered
    return values


def average_over_subsets(
    value: Callable[[NDArray[np.intp]], Floats], n: int, k: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the mean of `value` over the k-subsets of range(n), and the standard error of that mean."""
    # `value` takes an array of subsets, one a row, and returns one number for each. Up to `MAX_SUBSETS` subsets are
    # enumerated (standard error 0); beyond, `N_DRAWS` are drawn at random.
    exact = comb(n, k) <= MAX_SUBSETS
    if exact:
        blocks = enumerate_subsets(n, k)
    else:
        blocks = draw_subsets(n, k, rng)
    values = np.concatenate([value(block) for block in blocks])
    if exact:
        return float(values.mean()), 0.0
    # All draws may agree although some subsets do not: the error is at least 1/draws.
    return float(values.mean()), max(float(values.std(ddof=1)) / sqrt(values.size), 1 / values.size)


def enumerate_subsets(n: int, k: int) -> Iterator[NDArray[np.intp]]:
    """Yield all k-subsets of range(n), one a row, in blocks."""
    subsets = combinations(range(n), k)
    while block := list(islice(subsets, max(1, _BLOCK // n))):
        yield np.array(block, dtype=np.intp)


def draw_subsets(n: int, k: int, rng: np.random.Generator) -> Iterator[NDArray[np.intp]]:
    """Yield `N_DRAWS` random k-subsets of range(n), one a row, in blocks."""
    rows = max(1, _BLOCK // n)
    for start in range(0, N_DRAWS, rows):
        keys = rng.random((min(rows, N_DRAWS - start), n))
        yield np.argpartition(keys, k - 1, axis=1)[:, :k]


@lru_cache(maxsize=1024)
def count_ways(samples: int, p: float | None) -> Floats:
    """Return in how many ways i of these samples can be drawn, at index i."""
    # That is C(samples, i), or P(i are kept) under thinning.
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


# Rows of integers


def find_starts(rising: Ints) -> NDArray[np.intp]:
    """Return where each run of equal numbers starts."""
    return np.flatnonzero(np.concatenate([[True], rising[1:] != rising[:-1]]))


def sort_rows(keys: Sequence[Ints]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the order of rows by these keys, the most significant first, and which rows differ from those before."""
    order = np.lexsort(keys[::-1])
    new = np.arange(len(order)) == 0
    for key in keys:
        new[1:] |= key[order[1:]] != key[order[:-1]]
    return order, new


def pack_tallies(rows: Ints) -> list[Ints]:
    """Return integers that compare as the rows of non-negative integers do, the most significant first."""
    # Sorting packed rows takes a tenth of the time of np.unique(axis=0), which compares rows byte by byte.
    base = int(rows.max(initial=0)) + 1
    together = 1
    while together < rows.shape[1] and base ** (together + 1) < 2**63:
        together += 1
    packed = []
    for left in range(0, rows.shape[1], together):
        key = np.zeros(len(rows), dtype=np.int64)
        for column in rows[:, left : left + together].T:
            key = key * base + column
        packed.append(key)
    return packed


# The vote by Fourier transforms


_NEGLIGIBLE = 1e-12


def win_by_transform(n: int, own: int, rivals: Ints, k: int, *, share: bool) -> float:
    """Return P(an answer gets the most votes among k of n samples).

    Examples:
        >>> round(win_by_transform(4, 2, np.array([1, 1]), 2, share=True), 12)  # 1/6, and a tie in 4/6
        0.5
    """
    p = k / n
    kept = count_ways(n, p)
    points = _count_points(kept, k)
    x = np.exp(2j * np.pi * np.arange(points // 2 + 1) / points)
    # The other points have a conjugate, which counts as much.
    once = (np.arange(len(x)) == 0) | (2 * np.arange(len(x)) == points)
    weights = np.where(once, 1, 2) / points / kept[k]

    tallies = np.arange(max(1, k - (n - own)), min(own, k) + 1)
    chance = count_ways(own, p)[tallies]
    seen = chance * count_ways(n - own, p)[k - tallies] > _NEGLIGIBLE / len(tallies) * kept[k]
    mine = dict(zip(tallies[seen].tolist(), chance[seen].tolist(), strict=True))
    least = min(mine)
    most = max(mine)
    strong, times = np.unique(rivals[rivals >= least], return_counts=True)
    chances = np.zeros((most + 1, len(strong)))
    for column, size in enumerate(strong.tolist()):
        ways = count_ways(size, p)[: most + 1]
        chances[: len(ways), column] = ways
    # Rivals that cannot reach the least tally are one factor, with the samples of no answer.
    others = (1 - p + p * x) ** int(n - own - strong @ times)
    if share:
        u, shares = _find_nodes(min(int(times.sum()), k // least))
    else:
        u = np.zeros(1)
        shares = np.ones(1)
    won = 0.0
    power = np.ones_like(x)
    fewer = np.zeros((len(strong), len(x)), dtype=complex)
    for tally in range(most + 1):
        tying = chances[tally, :, None] * power
        if tally in mine:
            product = np.ones((len(u), len(x)), dtype=complex)
            for below, level, count in zip(fewer, tying, times.tolist(), strict=True):
                product *= (below + u[:, None] * level) ** count
            terms = others * np.einsum("u,ux->x", shares, product) * x ** (tally - k)
            won += mine[tally] * float((terms.real * weights).sum())
        fewer += tying
        power = power * x
    return min(max(won, 0.0), 1.0)


def _count_points(kept: Floats, k: int) -> int:
    """Return a number of points N for which k ± N and beyond are negligible beside k."""
    above = np.append(np.cumsum(kept[::-1])[::-1], 0.0)
    below = np.append(0.0, np.cumsum(kept))
    n = len(kept) - 1
    distance = np.arange(1, n + 2)
    outside = above[np.minimum(k + distance, n + 1)] + below[np.maximum(k - distance + 1, 0)]
    return int(distance[np.argmax(outside <= _NEGLIGIBLE * kept[k])])


def _find_nodes(most: int) -> tuple[Floats, Floats]:
    """Return nodes and weights that integrate u^s over [0, 1] for every s up to `most`."""
    s = np.arange(most + 1)
    count = 4
    while True:
        nodes, weights = leggauss(min(count, most // 2 + 1))
        nodes = (nodes + 1) / 2
        weights = weights / 2
        if (
            2 * len(nodes) > most
            or np.abs(np.einsum("u,us->s", weights, nodes[:, None] ** s) - 1 / (s + 1)).max()
            < _NEGLIGIBLE
        ):
            return nodes, weights
        count *= 2
