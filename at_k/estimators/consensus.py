"""The vote among answers: cons@k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k import columns, votes
from at_k.combinatorics import Floats, Ints, at_least, look_up
from at_k.samples import Answers, Ragged
from at_k.validation import K, checked_choice, checked_flag, checked_k, checked_seed, fitting_k, several

TIES = ("random", "first", "strict", "incorrect")


def cons_at_k(
    votes: object,
    correct: object,
    /,
    *,
    k: K,
    ties: str = "random",
    weights: object = None,
    seed: int = 0,
    return_mcse: bool = False,
) -> Floats | tuple[Floats, Floats]:
    """Chance that the winner of a vote among the answers of k samples is correct, cons@k (maj@k, self-consistency).

    Args:
        votes: one row per problem of answers, strings or other hashable values; None casts no vote but uses up its
            draw.
        correct: whether each sample's answer is correct, as flags or 0/1, in rows as `votes`. Equal answers of a
            problem must agree.
        k: number of draws, 1 ≤ k ≤ n, or a list of them.
        ties: "random", each tied winner is equally likely, in expectation; "first", the tied answer that was drawn
            first, which for k < n is the same and for k = n depends on the order of the samples; "strict", the winner
            needs more than half of the k votes; "incorrect", a tie for the first place is wrong.
        weights: one number ≥ 0 per sample, in rows as `votes`: the answer with the largest sum wins, and "strict" asks
            for more than half of the weight drawn. Weights are compared as the decimals that were written, so that
            0.1 + 0.2 ties with 0.3. Averages over more than 100,000 subsets are simulated.
        seed: of the simulation.
        return_mcse: also return the simulation's standard error (Monte Carlo standard error), 0 where exact.

    Returns:
        Values in [0, 1], higher is better, of shape (problems,) for one k and (problems, len(k)) for several; with
        `return_mcse` a pair of such arrays.

    Raises:
        TypeError: if a row is not a list, or an argument is of the wrong kind.
        ValueError: if some n < k, rows differ in length, equal answers differ in correctness, or a weight is negative.

    References:
        X. Wang et al., Self-Consistency Improves Chain of Thought Reasoning in Language Models, 2022,
        https://arxiv.org/abs/2203.11171.

    Examples:
        >>> cons_at_k([["7", "9", "9", "7"]], [[1, 0, 0, 1]], k=4)  # two against two
        array([0.5])
        >>> cons_at_k([["7", "7", "9"]], [[1, 1, 0]], k=[1, 2, 3])  # for k = 2: {7,7} wins, {7,9} twice ties
        array([[0.66666667, 0.66666667, 1.        ]])
    """
    ballots = columns.labels(votes, "votes")
    right = columns.grades(correct, "correct", missing=False)
    wrong = ~np.isin(right.values, (0.0, 1.0))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(f"`correct` must hold 0 or 1; got {right.values[at]} in {right.place(at)}")
    columns.same_samples("votes", ballots.codes.n, "correct", right.n)
    columns.some_problems("votes", len(ballots))
    draws = fitting_k(checked_k(k), right.n, ())
    weighted = None if weights is None else columns.weights(weights)
    if weighted is not None:
        columns.same_samples("weights", weighted.n, "votes", ballots.codes.n)
    value, mcse = consensus(ballots, right.values > 0, draws, ties=ties, weights=weighted, seed=checked_seed(seed))
    if not several(k):
        value, mcse = value[:, 0], mcse[:, 0]
    return (value, mcse) if checked_flag("return_mcse", return_mcse) else value


def consensus(
    ballots: Answers,
    correct: NDArray[np.bool_],
    k: Sequence[int],
    *,
    ties: str = "random",
    weights: Ragged | None = None,
    seed: int = 0,
) -> tuple[Floats, Floats]:
    """`cons_at_k` of checked columns: values and simulation errors, one row per problem and one column per k."""
    checked_choice("ties", ties, TIES)
    if weights is not None:
        return _weighted(ballots, correct, weights, k, ties, seed)
    value = _plurality(_tally(ballots, correct), k, ties)
    return value, np.zeros_like(value)


@dataclass(frozen=True)
class _Tally:
    """One entry for each distinct answer of each problem, by problem."""

    n: Ints
    problem: Ints
    count: Ints
    correct: NDArray[np.bool_]
    first_seen: Ints


def _tally(ballots: Answers, correct: NDArray[np.bool_]) -> _Tally:
    codes = ballots.codes
    cast = np.flatnonzero(codes.values >= 0)
    pair = codes.problem[cast] * len(ballots.distinct) + codes.values[cast]
    _, first, which, count = np.unique(pair, return_index=True, return_inverse=True, return_counts=True)
    first_seen = cast[first]
    differ = np.flatnonzero(correct[cast] != correct[first_seen][which])
    if len(differ):
        at = cast[differ[0]]
        raise ValueError(
            f"`correct` must agree on equal answers; got both verdicts on {ballots.distinct[codes.values[at]]!r:.60} "
            f"in {codes.place(first_seen[which[differ[0]]])} and in {codes.place(at)}"
        )
    return _Tally(codes.n, codes.problem[first_seen], count, correct[first_seen], first_seen)


def _plurality(tally: _Tally, k: Sequence[int], ties: str) -> Floats:
    if ties == "strict":
        value = np.zeros((len(tally.n), len(k)))
        right = np.flatnonzero(tally.correct)
        problem = tally.problem[right]
        if not right.size:
            return value
        for column, draws in enumerate(k):
            majority = partial(at_least, k=draws, m=draws // 2 + 1)
            np.add.at(value[:, column], problem, look_up(majority, tally.n[problem], tally.count[right]))
        return np.minimum(value, 1.0)
    value = votes.plurality(tally.problem, tally.count, tally.correct, tally.n, k, share=ties != "incorrect")
    if ties == "first":
        # Of all n samples the order is known: the most votes win, and among those the answer seen first.
        order = np.lexsort((tally.first_seen, -tally.count, tally.problem))
        problems, lead = np.unique(tally.problem[order], return_index=True)
        elected = np.zeros(len(tally.n))
        elected[problems] = tally.correct[order[lead]]
        for column, draws in enumerate(k):
            value[:, column] = np.where(tally.n == draws, elected, value[:, column])
    return value


def _weighted(
    ballots: Answers, correct: NDArray[np.bool_], weights: Ragged, k: Sequence[int], ties: str, seed: int
) -> tuple[Floats, Floats]:
    tally = _tally(ballots, correct)
    codes, streams = ballots.codes, np.random.SeedSequence(seed).spawn(len(ballots))
    value = np.zeros((len(codes), len(k)))
    mcse = np.zeros_like(value)
    equal = np.zeros(len(codes), dtype=bool)
    for problem, stream in enumerate(streams):
        row = slice(codes.offsets[problem], codes.offsets[problem + 1])
        weight = weights.values[row]
        if weight[0] > 0 and (weight == weight[0]).all():
            equal[problem] = True
            continue
        entries = slice(*np.searchsorted(tally.problem, (problem, problem + 1)))
        names, answer = np.unique(codes.values[row], return_inverse=True)
        answer = answer - (names[0] < 0)  # −1 stays −1, the other answers count from 0
        for column, draws in enumerate(k):
            rng = np.random.default_rng(stream)
            value[problem, column], mcse[problem, column] = votes.weighted(
                answer, tally.correct[entries], _integers(weight), draws, ties, rng
            )
    if equal.any():  # every vote weighs the same: the exact plurality
        value[equal] = _plurality(tally, k, ties)[equal]
    return value, mcse


def _integers(weight: Floats) -> NDArray[Any]:
    """Integers in proportion to the decimals that the weights print as; 64 bits if all sums fit, else of any length."""
    decimals = [Decimal(repr(number)) for number in weight.tolist()]
    shift = -min(0, *(int(number.as_tuple().exponent) for number in decimals))
    exact = [int(number.scaleb(shift, _WIDE)) for number in decimals]
    return np.array(exact, dtype=np.int64 if 2 * sum(exact) < 2**63 else object)


_WIDE = Context(prec=800)  # more digits than the sum of the largest and the smallest float has
