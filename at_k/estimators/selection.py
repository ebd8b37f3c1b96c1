"""The choice by a score: best@k and max@k."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k import columns
from at_k.combinatorics import Floats, average_over_subsets, rank_weights
from at_k.errors import answer_other_names
from at_k.estimators.counts import evaluate_tables, tabulate_pass
from at_k.options.registry import SELECT, Select
from at_k.samples import Ragged
from at_k.validation import (
    K,
    check_choice,
    check_cut,
    check_flag,
    check_k,
    check_numbers,
    check_seed,
    is_sequence,
    read_as_integers,
    read_decimal,
    refuse_too_many_k,
    require_problems,
    require_same_samples,
    shorten,
)


@answer_other_names
def best_at_k(
    scores: object,
    grades: object,
    /,
    *,
    k: K,
    correct_above: float | str = 0.5,
    select: Select | None = None,
    score_weights: Sequence[float] | None = None,
    higher_is_better: bool = True,
    seed: int = 0,
) -> Floats:
    """Compute the chance that the sample with the highest score among k is correct, best@k (rm@k, best of n).

    Args:
        scores: one row per problem of finite numbers, or of lists of d numbers.
        grades: how right each sample is, in [0, 1], in rows as `scores`.
        k: number of draws, 1 ≤ k ≤ n, or a list of them.
        correct_above: a sample is correct when its grade is above this number, or at least one, as in ">=0.8".
        select: what "highest" means for d > 1 numbers: "weighted", the largest sum weighted by `score_weights`, where
            sums of the decimals as written are compared, so that 0.1 + 0.2 ties with 0.3;
            "lexicographic", the numbers in order of priority; "pareto", one of the samples that no other drawn one
            beats, each equally likely, simulated beyond 100,000 subsets.
        score_weights: d numbers, for "weighted".
        higher_is_better: False turns scores such as perplexity around.
        seed: of the simulation.

    Returns:
        Values in [0, 1], higher is better, of shape (problems,) for one k and (problems, len(k)) for several. Ties in
        score are shared equally.

    Raises:
        TypeError: if a row is not a list of numbers, or an argument is of the wrong kind.
        ValueError: if some n < k, rows differ in length, a score is NaN or infinite, or `select` does not fit them.

    References:
        A. Yang et al., Qwen2.5-Math Technical Report, 2024, https://arxiv.org/abs/2409.12122 (RM@8).

    Examples:
        >>> best_at_k([[0.9, 0.5, 0.1]], [[0, 1, 1]], k=[1, 2, 3])  # of the three pairs, only {0.5, 0.1} is won
        array([[0.66666667, 0.33333333, 0.        ]])
    """
    ranked, correct, draws = read_choice(
        scores,
        grades,
        k,
        correct_above,
        select=select,
        score_weights=score_weights,
        higher_is_better=higher_is_better,
    )
    value, _ = choose_best(ranked, correct, draws, seed=check_seed(seed))
    if is_sequence(k):
        return value
    return value[:, 0]


def max_at_k(
    scores: object,
    /,
    *,
    k: K,
    select: str | None = None,
    score_weights: Sequence[float] | None = None,
    higher_is_better: bool = True,
) -> Floats:
    """Compute the expected highest score among k samples, max@k, in the unit of the scores.

    Args:
        scores: one row per problem of finite numbers, or of lists of d numbers.
        k: number of draws, 1 ≤ k ≤ n, or a list of them.
        select: for d > 1 numbers only "weighted", the largest sum weighted by `score_weights`.
        score_weights: d numbers, for "weighted".
        higher_is_better: False asks for the expected lowest score, as for perplexity.

    Returns:
        Shape (problems,) for one k and (problems, len(k)) for several.

    Raises:
        TypeError: if a row is not a list of numbers, or an argument is of the wrong kind.
        ValueError: if some n < k, a score is NaN or infinite, or `select` leaves no single number.

    Examples:
        >>> max_at_k([[0.2, 0.9, 0.5]], k=2)  # (0.9 + 0.5 + 0.9)/3
        array([0.76666667])
    """
    ranked, draws = read_highest(
        scores, k, select=select, score_weights=score_weights, higher_is_better=higher_is_better
    )
    value = expect_highest(ranked, draws)
    if not higher_is_better:
        value = 0 - value  # 0 − 0.0 is 0.0, and −(0.0) is −0.0
    if is_sequence(k):
        return value
    return value[:, 0]


def read_choice(
    scores: object, grades: object, k: K, correct_above: float | str, **ranking: Any
) -> tuple[Ragged, Ragged, tuple[int, ...]]:
    """Check the arguments of best@k, and return ranked scores, a flag for each sample that is correct, and every k."""
    # `ranking` has the options of `rank_scores`.
    scored = columns.read_scores(scores, "scores")
    graded = columns.read_grades(grades, "grades", missing=False)
    require_same_samples("scores", scored.n, "grades", graded.n)
    require_problems("scores", len(scored))
    correct = graded.above(check_cut(correct_above))
    draws = check_k(k)
    refuse_too_many_k(draws, scored.n)
    return rank_scores(scored, **ranking), correct, draws


def read_highest(
    scores: object, k: K, *, select: str | None, **ranking: Any
) -> tuple[Ragged, tuple[int, ...]]:
    """Check the arguments of max@k, and return scores, one number per sample, and every k."""
    scored = columns.read_scores(scores, "scores")
    require_problems("scores", len(scored))
    draws = check_k(k)
    refuse_too_many_k(draws, scored.n)
    if select is not None and check_choice("select", select, SELECT) != "weighted":
        raise ValueError(
            f"`select` must be 'weighted' for max@k, which needs one number per sample; got {shorten(select)}"
        )
    return rank_scores(scored, select=select, **ranking), draws


def rank_scores(
    scores: Ragged,
    *,
    select: str | None = None,
    score_weights: Sequence[float] | None = None,
    higher_is_better: bool = True,
) -> Ragged:
    """Turn scores into the form of which the highest is chosen: one number per sample, or d numbers for "pareto"."""
    if select is not None:
        check_choice("select", select, SELECT)
    missing = columns.flag_samples(np.isnan(scores.values))
    if missing.any():
        at = int(np.argmax(missing))
        raise ValueError(f"`scores` must be finite numbers; got None or NaN in {scores.place(at)}")
    values = scores.values if check_flag("higher_is_better", higher_is_better) else -scores.values
    d = 1
    if values.ndim == 2:
        d = values.shape[1]
    if score_weights is not None and select != "weighted":
        raise ValueError(
            f"`score_weights` goes with `select` 'weighted'; got `select` {shorten(select)}"
        )
    if select == "weighted":
        return weigh_scores(
            scores.with_values(values.reshape(-1, d)), _check_score_weights(score_weights, d)
        )
    if d == 1:
        values = values.reshape(-1)
    elif select is None:
        raise ValueError(
            f"`select` must say how scores of {d} dimensions are compared: one of {', '.join(map(repr, SELECT))}"
        )
    elif select == "lexicographic":
        values = number_points(values)[1].astype(np.float64)
    return scores.with_values(values)


def number_points(points: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Return the distinct points in rising lexicographic order, and for each point its index among them."""
    order = np.lexsort(points.T[::-1])
    rising = points[order]
    new = np.concatenate([[True], (rising[1:] != rising[:-1]).any(axis=1)])
    index = np.empty(len(points), dtype=np.intp)
    index[order] = np.cumsum(new) - 1
    return rising[new], index


def _check_score_weights(score_weights: Sequence[float] | None, d: int) -> Floats:
    if score_weights is None:
        raise ValueError(
            f"`score_weights` must be given for `select` 'weighted': {d} numbers, one per dimension of the scores"
        )
    check_numbers(score_weights, "score_weights")
    try:
        weights = np.array([read_decimal(number) for number in score_weights])
    except (OverflowError, ValueError):  # integers that no float holds
        weights = np.array([np.inf])
    if weights.shape != (d,) or not np.isfinite(weights).all():
        raise ValueError(
            f"`score_weights` must be {d} finite numbers, one per dimension of the scores; got "
            f"{shorten(score_weights, 200)}"
        )
    return weights


def weigh_scores(scores: Ragged, weights: Floats) -> Ragged:
    """Return the weighted sums of the decimals as written, each rounded once."""
    # Where sums of a problem that differ round to one float, the larger moves up to the next.
    sums, scale = sum_exactly(scores.values, weights)
    values: list[float] = []
    for start, stop in pairwise(scores.offsets.tolist()):
        rounded: dict[int, float] = {}
        highest = -np.inf
        try:
            for exact in sorted(set(sums[start:stop])):
                rounded[exact] = highest = max(exact / scale, float(np.nextafter(highest, np.inf)))
        except OverflowError:
            at = next(
                at for at in range(start, stop) if abs(sums[at]) > int(sys.float_info.max) * scale
            )
            place = scores.place(at)
            raise ValueError(
                f"`scores` must have a weighted sum that a float holds; got {place}"
            ) from None
        values += [rounded[exact] for exact in sums[start:stop]]
    return scores.with_values(np.array(values))


def sum_exactly(points: Floats, weights: Floats) -> tuple[list[int], int]:
    """Return integers in proportion to the weighted sums of the decimals as written, and what one is divided by."""
    numbers, digits = read_as_integers(points.reshape(-1))
    factors, more_digits = read_as_integers(weights)
    d = len(factors)
    rows = (numbers[start : start + d] for start in range(0, len(numbers), d))
    return [sum(map(mul, row, factors)) for row in rows], 10 ** (digits + more_digits)


def choose_best(
    ranked: Ragged, correct: Ragged, k: Sequence[int], *, seed: int = 0
) -> tuple[Floats, Floats]:
    """Compute `best_at_k` of ranked scores: values and simulation errors, one row per problem and one column per k."""
    if ranked.values.ndim == 2:
        return _choose_from_fronts(ranked, correct, k, seed)
    value = choose_highest(ranked, correct, k)
    return value, np.zeros_like(value)


def choose_highest(ranked: Ragged, correct: Ragged, k: Sequence[int]) -> Floats:
    """Compute `best_at_k` of one ranked score per sample: one row per problem and one column per k."""
    value = np.empty((len(ranked), len(k)))
    for n in np.unique(ranked.n):
        problems = np.flatnonzero(ranked.n == n)
        scores = lay_out_rows(ranked, problems)
        right = lay_out_rows(correct, problems)
        order = np.argsort(scores, axis=1)
        scores = np.take_along_axis(scores, order, axis=1)
        right = np.take_along_axis(right, order, axis=1)
        new = np.ones(scores.shape, dtype=bool)
        np.not_equal(scores[:, 1:], scores[:, :-1], out=new[:, 1:])
        share = right.astype(np.float64)
        if not new.all():
            start = np.flatnonzero(new)
            tied = np.diff(start, append=new.size)
            together = np.add.reduceat(right.reshape(-1), start, dtype=np.int64)
            share = np.repeat(together / tied, tied).reshape(share.shape)
        for column, draws in enumerate(k):
            weights = rank_weights(int(n), draws)
            # The weights are summed in the same way as the products, so that the mean of ones is 1.
            total = weigh_rows(np.ones((1, n)), weights)
            value[problems, column] = weigh_rows(share, weights) / total
    # best@k ≤ pass@k, with equality at k = 1. Clip, so that rounding cannot break this.
    drawn = evaluate_tables([(tabulate_pass, size) for size in k], correct.n, correct.sums())
    return np.where(np.asarray(k) == 1, drawn, np.minimum(value, drawn))


def expect_highest(ranked: Ragged, k: Sequence[int]) -> Floats:
    """Compute the expected highest of k ranked scores: one row per problem and one column per k."""
    value = np.empty((len(ranked), len(k)))
    for n in np.unique(ranked.n):
        problems = np.flatnonzero(ranked.n == n)
        rising = np.sort(lay_out_rows(ranked, problems), axis=1)
        for column, draws in enumerate(k):
            weights = rank_weights(int(n), draws)
            # The weights are divided first: the sum is then no larger than the scores, except by rounding.
            weights /= weights.sum()
            with np.errstate(over="ignore"):
                mean = weigh_rows(rising, weights)
            value[problems, column] = np.clip(mean, rising[:, 0], rising[:, -1])
    return value + 0.0  # −0.0 becomes 0.0


def lay_out_rows(rows: Ragged, problems: NDArray[np.intp]) -> NDArray[Any]:
    """Return the rows of these problems, which have one length, as a table."""
    n = int(rows.n[problems[0]])
    if len(problems) == len(rows):
        return np.asarray(rows.values.reshape(len(rows), n))
    return np.asarray(rows.values[rows.offsets[problems][:, None] + np.arange(n)])


def weigh_rows(table: Floats, weights: Floats) -> Floats:
    """Return the weighted sum of each row."""
    # `@` is not used: its rounding of one row depends on how many other rows there are.
    return np.asarray(np.einsum("ps,s->p", table, weights))


def _choose_from_fronts(
    scores: Ragged, correct: Ragged, k: Sequence[int], seed: int
) -> tuple[Floats, Floats]:
    value = np.zeros((len(scores), len(k)))
    mcse = np.zeros_like(value)
    for problem, stream in enumerate(np.random.SeedSequence(seed).spawn(len(scores))):
        row = slice(scores.offsets[problem], scores.offsets[problem + 1])
        point = scores.values[row]
        right = correct.values[row]
        # Subsets are taken in an order that does not depend on the samples' own.
        order = np.lexsort((right, *point.T))
        point = point[order]
        right = right[order]
        beats = (point[:, None] >= point).all(axis=2) & (point[:, None] > point).any(axis=2)
        share = partial(share_front, beats=np.asarray(beats, dtype=np.float32), right=right)
        for column, draws in enumerate(k):
            rng = np.random.default_rng(stream)
            value[problem, column], mcse[problem, column] = average_over_subsets(
                share, len(point), draws, rng
            )
    return value, mcse


def share_front(
    drawn: NDArray[np.intp], beats: NDArray[np.float32], right: NDArray[np.bool_]
) -> Floats:
    """Return the share of correct samples among those drawn ones that no other drawn one beats, for each subset."""
    present = np.zeros((len(drawn), len(right)), dtype=bool)
    np.put_along_axis(present, drawn, True, axis=1)
    front = present & (present @ beats == 0)
    return np.asarray((front & right).sum(axis=1) / front.sum(axis=1))
