"""The choice by a score: best@k and max@k."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from at_k import columns
from at_k.combinatorics import Floats, rank_weights, average_over_subsets
from at_k.estimators.counts import pass_at_k
from at_k.samples import Ragged
from at_k.validation import (
    K,
    check_choice,
    check_flag,
    check_k,
    check_seed,
    check_threshold,
    fitting_k,
    is_number,
    type_name,
    is_sequence,
)

SELECT = ("weighted", "lexicographic", "pareto")


def best_at_k(
    scores: object,
    grades: object,
    /,
    *,
    k: K,
    threshold: float = 0.5,
    select: str | None = None,
    score_weights: Sequence[float] | None = None,
    higher_is_better: bool = True,
    seed: int = 0,
    return_mcse: bool = False,
) -> Floats | tuple[Floats, Floats]:
    """Chance that the sample with the highest score among k is correct, best@k (rm@k, best of n).

    Args:
        scores: one row per problem of finite numbers, or of lists of d numbers.
        grades: how right each sample is, in [0, 1], in rows as `scores`.
        k: number of draws, 1 ≤ k ≤ n, or a list of them.
        threshold: a sample is correct when its grade is above it.
        select: what "highest" means for d > 1 numbers: "weighted", the largest sum weighted by `score_weights`;
            "lexicographic", the numbers in order of priority; "pareto", one of the samples that no other drawn one
            beats, each equally likely, simulated beyond 100,000 subsets.
        score_weights: d numbers, for "weighted".
        higher_is_better: False turns scores such as perplexity around.
        seed: of the simulation.
        return_mcse: also return the simulation's standard error (Monte Carlo standard error), 0 where exact.

    Returns:
        Values in [0, 1], higher is better, of shape (problems,) for one k and (problems, len(k)) for several; with
        `return_mcse` a pair of such arrays. Ties in score are shared equally.

    Raises:
        TypeError: if a row is not a list of numbers, or an argument is of the wrong kind.
        ValueError: if some n < k, rows differ in length, a score is NaN or infinite, or `select` does not fit them.

    References:
        A. Yang et al., Qwen2.5-Math Technical Report, 2024, https://arxiv.org/abs/2409.12122 (RM@8).

    Examples:
        >>> best_at_k([[0.9, 0.5, 0.1]], [[0, 1, 1]], k=[1, 2, 3])  # of the three pairs, only {0.5, 0.1} is won
        array([[0.66666667, 0.33333333, 0.        ]])
    """
    scored = columns.read_scores(scores, "scores")
    graded = columns.read_grades(grades, "grades", missing=False)
    columns.require_same_samples("scores", scored.n, "grades", graded.n)
    columns.require_problems("scores", len(scored))
    correct = graded.with_values(graded.values > check_threshold(threshold))
    draws = fitting_k(check_k(k), scored.n, ())
    ranked = rank_scores(scored, select=select, score_weights=score_weights, higher_is_better=higher_is_better)
    value, mcse = choose_best(ranked, correct, draws, seed=check_seed(seed))
    if not is_sequence(k):
        value, mcse = value[:, 0], mcse[:, 0]
    return (value, mcse) if check_flag("return_mcse", return_mcse) else value


def max_at_k(
    scores: object,
    /,
    *,
    k: K,
    select: str | None = None,
    score_weights: Sequence[float] | None = None,
    higher_is_better: bool = True,
) -> Floats:
    """Expected highest score among k samples, max@k, in the unit of the scores.

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
    scored = columns.read_scores(scores, "scores")
    columns.require_problems("scores", len(scored))
    draws = fitting_k(check_k(k), scored.n, ())
    if select is not None and check_choice("select", select, SELECT) != "weighted":
        raise ValueError(f"`select` must be 'weighted' for max@k, which needs one number per sample; got {select!r}")
    ranked = rank_scores(scored, select=select, score_weights=score_weights, higher_is_better=higher_is_better)
    value = expect_highest(ranked, draws) if higher_is_better else 0 - expect_highest(ranked, draws)  # no −0.0
    return value if is_sequence(k) else value[:, 0]


def rank_scores(
    scores: Ragged,
    *,
    select: str | None = None,
    score_weights: Sequence[float] | None = None,
    higher_is_better: bool = True,
) -> Ragged:
    """Scores of which the highest is chosen: one number per sample, or, for "pareto", as many as there are."""
    if select is not None:
        check_choice("select", select, SELECT)
    missing = columns.flag_samples(np.isnan(scores.values))
    if missing.any():
        at = int(np.argmax(missing))
        raise ValueError(f"`scores` must be finite numbers; got None or NaN in {scores.place(at)}")
    values = scores.values if check_flag("higher_is_better", higher_is_better) else -scores.values
    d = values.shape[1] if values.ndim == 2 else 1
    if score_weights is not None and select != "weighted":
        raise ValueError(f"`score_weights` goes with `select` 'weighted'; got `select` {select!r}")
    if select == "weighted":
        return _weighted_sum(scores.with_values(values.reshape(-1, d)), score_weights)
    if d == 1:
        values = values.reshape(-1)
    elif select is None:
        raise ValueError(
            f"`select` must say how scores of {d} dimensions are compared: one of {', '.join(map(repr, SELECT))}"
        )
    elif select == "lexicographic":
        values = np.unique(values, axis=0, return_inverse=True)[1].reshape(-1).astype(np.float64)
    return scores.with_values(values)


def _weighted_sum(scores: Ragged, score_weights: Sequence[float] | None) -> Ragged:
    d = scores.values.shape[1]
    if score_weights is None:
        raise ValueError(
            f"`score_weights` must be given for `select` 'weighted': {d} numbers, one per dimension of the scores"
        )
    if not is_sequence(score_weights):
        raise TypeError(
            f"`score_weights` must be a list of {d} numbers; got {score_weights!r} of type {type_name(score_weights)}"
        )
    for number in score_weights:
        if not is_number(number):
            raise TypeError(f"`score_weights` must hold numbers; got {number!r} of type {type_name(number)}")
    try:
        share = np.array(score_weights, dtype=np.float64)
    except OverflowError:
        share = np.array([np.inf])
    if share.shape != (d,) or not np.isfinite(share).all():
        raise ValueError(
            f"`score_weights` must be {d} finite numbers, one per dimension of the scores; got {score_weights!r}"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        terms = scores.values * share
        total = terms.sum(axis=1)
    if not np.isfinite(total).all():
        raise ValueError(f"`scores` must have a finite weighted sum; got {scores.place(np.argmin(np.isfinite(total)))}")
    # Sums that differ by rounding alone are a tie, as 0.1 + 0.2 and 0.3 are: in rising order, each that is within a few
    # units in the last place of the one before takes its value.
    order = np.lexsort((total, scores.problem))
    rising, problem = total[order], scores.problem[order]
    size = np.abs(terms).sum(axis=1)[order]
    distinct = (np.diff(rising) > 8 * np.finfo(float).eps * np.maximum(size[1:], size[:-1])) | (np.diff(problem) > 0)
    first = np.concatenate([[0], np.flatnonzero(distinct) + 1])
    total[order] = np.repeat(rising[first], np.diff(np.concatenate([first, [len(rising)]])))
    return scores.with_values(total)


def choose_best(ranked: Ragged, correct: Ragged, k: Sequence[int], *, seed: int = 0) -> tuple[Floats, Floats]:
    """`best_at_k` of ranked scores: values and simulation errors, one row per problem and one column per k."""
    if ranked.values.ndim == 2:
        return _pareto(ranked, correct, k, seed)
    order = np.lexsort((ranked.values, ranked.problem))
    problem, score = ranked.problem[order], ranked.values[order]
    starts = np.flatnonzero(np.concatenate([[True], (problem[1:] != problem[:-1]) | (score[1:] != score[:-1])]))
    tied = np.diff(np.concatenate([starts, [len(order)]]))
    right = np.add.reduceat(correct.values[order], starts, dtype=np.int64)
    value = _mean_over_ranks(ranked.with_values(np.repeat(right / tied, tied)), k)
    # The chosen sample is among the drawn, and is the one that is drawn alone: rounding must not change that.
    drawn = np.asarray(pass_at_k(correct.n, correct.sums(), k=k))
    return np.where(np.asarray(k) == 1, drawn, np.minimum(value, drawn)), np.zeros_like(value)


def expect_highest(ranked: Ragged, k: Sequence[int]) -> Floats:
    """Expected highest of k ranked scores: one row per problem and one column per k."""
    rising = ranked.with_values(ranked.values[np.lexsort((ranked.values, ranked.problem))])
    least, most = rising.values[rising.offsets[:-1]], rising.values[rising.offsets[1:] - 1]
    return np.clip(_mean_over_ranks(rising, k), least[:, None], most[:, None])


def _mean_over_ranks(rising: Ragged, k: Sequence[int]) -> Floats:
    """Mean of a value over the rank that the highest of k draws has, for samples in rising order of rank."""
    mean = np.empty((len(rising), len(k)))
    for n in np.unique(rising.n):
        problems = np.flatnonzero(rising.n == n)
        samples = rising.offsets[problems][:, None] + np.arange(n)
        weights = np.stack([rank_weights(int(n), draws) for draws in k], axis=-1)
        # Not `@`, whose rounding of one problem depends on how many others there are. The weights are summed in the
        # same way, so that the mean of ones is 1.
        total = np.einsum("s,sk->k", np.ones(n), weights)
        mean[problems] = np.einsum("ps,sk->pk", rising.values[samples], weights) / total
    return mean


def _pareto(scores: Ragged, correct: Ragged, k: Sequence[int], seed: int) -> tuple[Floats, Floats]:
    value = np.zeros((len(scores), len(k)))
    mcse = np.zeros_like(value)
    for problem, stream in enumerate(np.random.SeedSequence(seed).spawn(len(scores))):
        row = slice(scores.offsets[problem], scores.offsets[problem + 1])
        point, right = scores.values[row], correct.values[row]
        beats = (point[:, None] >= point).all(axis=2) & (point[:, None] > point).any(axis=2)
        share = partial(_right_in_front, beats=np.asarray(beats, dtype=np.float32), right=right)
        for column, draws in enumerate(k):
            rng = np.random.default_rng(stream)
            value[problem, column], mcse[problem, column] = average_over_subsets(share, len(point), draws, rng)
    return value, mcse


def _right_in_front(drawn: NDArray[np.intp], beats: NDArray[np.float32], right: NDArray[np.bool_]) -> Floats:
    """Share of correct samples among those drawn ones that no other drawn one beats, for each subset."""
    present = np.zeros((len(drawn), len(right)), dtype=bool)
    np.put_along_axis(present, drawn, True, axis=1)
    front = present & (present @ beats == 0)
    return np.asarray((front & right).sum(axis=1) / front.sum(axis=1))
