"""The jackknife over samples: how much each problem's value varies because other samples could have been drawn.

The value of a problem is an average over all k-subsets of its n samples. Leave out each sample in turn, and the values
on n − 1 samples average to the value on n. Their spread gives its variance, J = (n − 1)/n · Σ (U₋ᵢ − U)² [1], which
needs k < n: it is NaN where k = n. U − U₋ᵢ is the credit of sample i (`credits.py`). Both take the values U₋ᵢ from
here: `leave_out_counts`, `leave_out_votes` and `leave_out_ranks`.

References:
    1. B. Efron, C. Stein, The Jackknife Estimate of Variance, Annals of Statistics 9, 1981,
       https://doi.org/10.1214/aos/1176345462.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from at_k.combinatorics import Floats, Ints, rank_weights
from at_k.estimators.consensus import VoteCounts, count_votes, elect_by_plurality
from at_k.estimators.counts import Table
from at_k.estimators.selection import choose_best
from at_k.samples import Answers, Ragged, to_float64
from at_k.validation import K, check_k, is_sequence

# Distinct answers that are laid out at a time, each of its problems once for each sample that is left out: 16 MB for
# each of about ten such arrays.
_CELLS = 2_000_000


def tabulate_variance(table: Table) -> Table:
    """Make the table of the jackknife variances of a metric of counts.

    Examples:
        >>> from at_k.estimators.counts import tabulate_pass
        >>> float(tabulate_variance(tabulate_pass)(4, 1)[2])  # p(1 − p)/(n − 1) = ¼/3
        0.08333333333333333
    """
    # Formula: J = (n − 1) c (n − c)/n² · (f(n − 1, c) − f(n − 1, c − 1))², since leaving out one of the n − c wrong
    # samples gives f(n − 1, c), and one of the c correct ones f(n − 1, c − 1).

    def vary(n: int, k: int) -> Floats:
        if k == n:
            return np.full_like(table(n, k), np.nan)
        without_right, without_wrong = leave_out_counts(table, n, k)
        c = np.arange(n + 1)
        return np.asarray((n - 1) * c * (n - c) / n**2 * (without_wrong - without_right) ** 2)

    return vary


def leave_out_counts(table: Table, n: int, k: int) -> tuple[Floats, Floats]:
    """Tabulate a metric of counts on all samples but one, k < n: without a correct one, and without a wrong one."""
    # Both have an entry for each c = 0…n. Where c leaves no such sample to leave out, it repeats its neighbour.
    value = table(n - 1, k)
    return np.concatenate([value[:1], value]), np.concatenate([value, value[-1:]])


def jackknife_grades(graded: Ragged) -> Floats:
    """Compute the variances of mean grades, Σ (g − ḡ)²/(n(n − 1)). A missing grade counts as 0."""
    mean = graded.total() / graded.n
    grades = np.nan_to_num(to_float64(graded.values), nan=0.0)
    error = graded.with_values((grades - np.repeat(mean, graded.n)) ** 2)
    return np.where(graded.n > 1, error.total() / (graded.n * np.maximum(graded.n - 1, 1)), np.nan)


def jackknife_votes(
    ballots: Answers,
    correct: NDArray[np.bool_],
    k: Sequence[int],
    *,
    ties: str = "random",
    on_conflict: str = "error",
    name: str = "correct",
) -> Floats:
    """Compute (n − 1)/n · Σ_a count_a (U₋ₐ − U)² of cons@k over distinct answers a, of which "no answer" is one."""
    counts = count_votes(ballots, correct, on_conflict, name)
    variances = np.full((len(counts.n), len(k)), np.nan)
    for left in leave_out_votes(counts, k, ties):
        count = counts.count[left.entries][:, None]
        n = counts.n[left.problems][:, None]
        row = np.searchsorted(left.problems, counts.problem[left.entries])
        unvoted = n - _add_up(count, row, len(n))
        mean = (_add_up(left.voted * count, row, len(n)) + unvoted * left.silent) / n
        spread = (
            _add_up((left.voted - mean[row]) ** 2 * count, row, len(n))
            + unvoted * (left.silent - mean) ** 2
        )
        variances[np.ix_(left.problems, left.columns)] = spread * (n - 1) / n
    return variances


def _add_up(values: Floats | Ints, row: NDArray[np.intp], rows: int) -> Floats:
    """Add up the values of each row, in every column, in their order of size: that of samples changes no bit."""
    orders = [np.lexsort((column, row)) for column in values.T]
    return np.stack(
        [np.bincount(row[o], column[o], rows) for o, column in zip(orders, values.T, strict=True)],
        axis=1,
    )


class VotesLeft(NamedTuple):
    """The values of cons@k on all samples but one, for some problems, by the answer of the sample that is left out.

    Attributes:
        problems: the problems.
        columns: the k for which they have a sample to spare, as indices of those that were asked for.
        entries: the answers of these problems, as indices of the counted votes.
        voted: the value without a vote for each of them, one column per such k.
        silent: the value without a sample that gave no answer, one row per problem; 0 if there is none.
    """

    problems: Ints
    columns: NDArray[np.intp]
    entries: Ints
    voted: Floats
    silent: Floats


def leave_out_votes(counts: VoteCounts, k: Sequence[int], ties: str) -> Iterator[VotesLeft]:
    """Yield the values of cons@k on all samples but one, for some problems at a time and for every k < n."""
    # The samples that are left are a random draw: "first" is "random" here.
    bounds = np.searchsorted(counts.problem, np.arange(len(counts.n) + 1))
    # Problems with fewer samples than a k + 1 cannot be counted for it: those that allow the same k go together.
    smaller = np.asarray(k) < counts.n[:, None]
    rule = "random" if ties == "first" else ties
    for pattern in np.unique(smaller, axis=0):
        fit = np.flatnonzero(pattern)
        draws = [k[column] for column in fit.tolist()]
        problems = np.flatnonzero((smaller == pattern).all(axis=1))
        # Each distinct answer of a problem is laid out once for each answer that is left out.
        cells = np.cumsum((bounds[problems + 1] - bounds[problems] + 1) ** 2)
        for block in np.split(problems, np.flatnonzero(np.diff(cells // _CELLS)) + 1):
            if len(fit):
                yield _leave_out_votes(counts, bounds, block, fit, draws, rule)


def _leave_out_votes(
    counts: VoteCounts,
    bounds: Ints,
    problems: Ints,
    columns: NDArray[np.intp],
    k: Sequence[int],
    ties: str,
) -> VotesLeft:
    """Compute the values of these problems, all of which have n > k."""
    # Answers of a problem with equal counts and verdicts leave equal values when one of their votes is left out: each
    # kind is computed once, and so are the samples without a vote.
    size = bounds[problems + 1] - bounds[problems]
    entry = join_ranges(bounds[problems], size)
    row = np.repeat(np.arange(len(problems)), size)
    shapes = np.stack([row, counts.count[entry], counts.correct[entry]])
    kinds, first, kind = np.unique(shapes, axis=1, return_index=True, return_inverse=True)
    cast = np.bincount(row, weights=counts.count[entry], minlength=len(problems)).astype(np.int64)
    mute = np.flatnonzero(counts.n[problems] > cast)
    owner = np.concatenate([kinds[0], mute])
    out = np.concatenate([entry[first], np.full(len(mute), -1)])

    # The kinds become problems of n − 1 samples, in which one entry has one vote less.
    width = size[owner]
    source = join_ranges(bounds[problems[owner]], width)
    problem = np.repeat(np.arange(len(owner)), width)
    count = counts.count[source] - (source == np.repeat(out, width))
    left = count > 0
    without = VoteCounts(
        counts.n[problems[owner]] - 1,
        problem[left],
        count[left],
        np.where(counts.correct[source[left]], count[left], 0),
        np.zeros(np.count_nonzero(left), dtype=np.int64),
    )
    value = elect_by_plurality(without, k, ties)
    silent = np.zeros((len(problems), len(k)))
    silent[mute] = value[len(first) :]
    return VotesLeft(problems, columns, entry, value[kind.reshape(-1)], silent)


def join_ranges(start: Ints, length: Ints) -> Ints:
    """Return start, start + 1, … for each length, one range after the other."""
    before = np.cumsum(length) - length
    return np.repeat(start - before, length) + np.arange(length.sum())


def jackknife_choice(ranked: Ragged, correct: Ragged, k: Sequence[int]) -> Floats:
    """Compute the variances of best@k of ranked scores: one row per problem and one column per k."""
    if ranked.values.ndim == 2:

        def estimate(points: list[Any], flags: list[Any], *, k: list[int]) -> Floats:
            return choose_best(_make_ragged(points), _make_ragged(flags), k)[0]

        return jackknife_samples(estimate, ranked.listed(), correct.listed(), k=list(k))
    return vary_ranks(ranked, correct, k)


def vary_ranks(ranked: Ragged, grades: Ragged | None, k: Sequence[int]) -> Floats:
    """Return the variances of what the highest score is worth: its grade, or itself if there are no grades."""
    variances = np.full((len(ranked), len(k)), np.nan)
    for problems, at in split_by_size(ranked.n):
        n = at.shape[1]
        order = np.argsort(ranked.values[at], axis=1, kind="stable")
        rising = np.take_along_axis(ranked.values[at], order, axis=1)
        worth = None
        if grades is not None:
            worth = np.take_along_axis(grades.values[at], order, axis=1).astype(np.float64)
        places = Places.of(rising, worth)
        for column, draws in enumerate(k):
            if draws < n:
                value = leave_out_ranks(places, draws)
                # So that the order of equal scores does not matter to the last digit
                value.sort(axis=1)
                mean = value.mean(axis=1, keepdims=True)
                variances[problems, column] = ((value - mean) ** 2).sum(axis=1) * (n - 1) / n
    return variances


def split_by_size(n: Ints) -> Iterator[tuple[NDArray[np.intp], Ints]]:
    """Yield the problems of each number of samples, and the places of their samples, a row for each problem."""
    start = np.cumsum(n) - n
    for size in np.unique(n):
        problems = np.flatnonzero(n == size)
        yield problems, start[problems][:, None] + np.arange(size)


class Places(NamedTuple):
    """Rows of samples in rising order of score, and what each place is worth if it is the highest of those drawn.

    Attributes:
        share: the mean grade of the samples with the score of each place; where no grades are given, the score.
        own: the same without the sample of this place.
        low: the first place with this score.
        high: the place after the last one.
    """

    share: Floats
    own: Floats
    low: Ints
    high: Ints

    @classmethod
    def of(cls, rising: Floats, worth: Floats | None = None) -> Places:
        """Make places of arrays of shape (problems, n)."""
        place = np.broadcast_to(np.arange(rising.shape[1]), rising.shape)
        if (
            worth is None
        ):  # a score counts for itself, and equal ones are worth the same in any order
            return cls(rising, np.zeros_like(rising), place, place + 1)
        first = np.ones((len(rising), rising.shape[1] + 1), dtype=bool)
        np.not_equal(rising[:, 1:], rising[:, :-1], out=first[:, 1:-1])
        low = np.maximum.accumulate(np.where(first[:, :-1], place, 0), axis=1)
        ends = np.where(first[:, 1:], place + 1, rising.shape[1])
        high = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
        sums = _cumulate(worth)
        total = np.take_along_axis(sums, high, axis=1) - np.take_along_axis(sums, low, axis=1)
        size = high - low
        return cls(total / size, (total - worth) / np.maximum(size - 1, 1), low, high)


def leave_out_ranks(places: Places, k: int) -> Floats:
    """Compute what the highest of k scores is worth on all samples but one, k < n, for the sample at each place."""
    # Without a sample, one place fewer of its score is worth `alone` each, and those above move down by one.
    share, alone, low, high = places
    weights = rank_weights(share.shape[1] - 1, k)
    weights /= weights.sum()
    reached = _cumulate(weights)
    below = _cumulate(share[:, :-1] * weights)
    above = _cumulate((share[:, 1:] * weights)[:, ::-1])[:, ::-1]
    # Places are counted from those of all n samples: sums below a place end before it, and those above begin after it.
    value = np.take_along_axis(below, low, axis=1) + np.take_along_axis(above, high - 1, axis=1)
    return np.asarray(value + alone * (reached[high - 1] - reached[low]))


def _cumulate(values: Floats) -> Floats:
    """Return the sums of the first 0, 1, 2, … numbers of the last axis."""
    return np.concatenate([np.zeros((*values.shape[:-1], 1)), values.cumsum(axis=-1)], axis=-1)


def jackknife_samples(estimate: Callable[..., ArrayLike], /, *rows: Sequence[Any], k: K) -> Floats:
    """Compute the jackknife variance of each problem's value, for any metric, by computing it on all n − 1 samples.

    Examples:
        >>> from at_k import cons_at_k
        >>> weighted = lambda votes, correct, weights, k: cons_at_k(votes, correct, weights=weights, k=k)
        >>> jackknife_samples(weighted, [["7", "9", "9"]], [[1, 0, 0]], [[3.0, 1.0, 1.0]], k=2)
        array([0.44444444])
    """
    # It takes n times as long as the metric. `tabulate_variance`, `jackknife_votes` and `jackknife_choice` are faster.
    # Formula: (n − 1)/n · Σ (U₋ᵢ − mean of all U₋ᵢ)².
    n = np.array([len(row) for row in rows[0]], dtype=np.int64)
    draws = check_k(k)
    variances = np.full((len(n), len(draws)), np.nan)
    for problem, size in enumerate(n.tolist()):
        fit = [column for column, draw in enumerate(draws) if draw < size]
        if fit:
            without = [_leave_each_out(column[problem]) for column in rows]
            value = np.asarray(estimate(*without, k=[draws[column] for column in fit]))
            variances[problem, fit] = np.sort(value, axis=0).var(axis=0) * (size - 1)
    if is_sequence(k):
        return variances
    return variances[:, 0]


def _leave_each_out(row: Sequence[Any]) -> list[list[Any]]:
    return [[*row[:i], *row[i + 1 :]] for i in range(len(row))]


def _make_ragged(rows: list[list[Any]]) -> Ragged:
    return Ragged.of_lengths(
        np.concatenate([np.array(row) for row in rows]), np.array([len(row) for row in rows])
    )
