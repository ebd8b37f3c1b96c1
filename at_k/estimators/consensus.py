"""The vote among answers: cons@k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from at_k import columns
from at_k.combinatorics import Floats, Ints, at_least, average_over_subsets, look_up
from at_k.errors import InputError
from at_k.estimators import votes
from at_k.options.registry import CONFLICTS, TIES, Conflicts, Ties
from at_k.samples import Answers, Ragged
from at_k.validation import (
    K,
    check_choice,
    check_k,
    check_seed,
    is_sequence,
    read_as_integers,
    refuse_too_many_k,
    require_problems,
    require_same_samples,
    shorten,
)
from at_k.values import cached_property

# Bits of an integer that may hold a sort key.
_KEY_BITS = 63


class VoteConflictError(InputError):
    """Equal answers of a problem that have different verdicts."""


def cons_at_k(
    votes: object,
    correct: object,
    /,
    *,
    k: K,
    ties: Ties = "random",
    weights: object = None,
    seed: int = 0,
    on_conflict: Conflicts = "error",
) -> Floats:
    """Compute the chance that the winner of a vote among the answers of k samples is correct, cons@k.

    Other names are maj@k, majority vote and self-consistency.

    Args:
        votes: one row per problem of answers, strings or other hashable values; None casts no vote but uses up its
            draw.
        correct: whether each sample's answer is correct, as flags or 0/1, in rows as `votes`. Equal answers of a
            problem must agree, unless `on_conflict` says otherwise.
        k: number of draws, 1 ≤ k ≤ n, or a list of them.
        ties: "random", each tied winner is equally likely, in expectation; "first", the tied answer that was drawn
            first, which for k < n is the same and for k = n depends on the order of the samples; "strict", the winner
            needs more than half of the k votes; "incorrect", a tie for the first place is wrong.
        weights: one number ≥ 0 per sample, in rows as `votes`: the answer with the largest sum wins, and "strict" asks
            for more than half of the weight drawn. Weights are compared as the decimals that were written, so that
            0.1 + 0.2 ties with 0.3. Averages over more than 100,000 subsets are simulated.
        seed: of the simulation.
        on_conflict: "error" refuses equal answers of a problem of which some are correct and some are not; "majority"
            takes such an answer as correct if more than half of its samples in the problem are.

    Returns:
        Values in [0, 1], higher is better, of shape (problems,) for one k and (problems, len(k)) for several.

    Raises:
        TypeError: if a row is not a list, or an argument is of the wrong kind.
        ValueError: if some n < k, rows differ in length, equal answers differ in correctness (and `on_conflict` is
            "error"), or a weight is negative.

    References:
        X. Wang et al., Self-Consistency Improves Chain of Thought Reasoning in Language Models, 2022,
        https://arxiv.org/abs/2203.11171.

    Examples:
        >>> cons_at_k([["7", "9", "9", "7"]], [[1, 0, 0, 1]], k=4)  # two against two
        array([0.5])
        >>> cons_at_k([["7", "7", "9"]], [[1, 1, 0]], k=[1, 2, 3])  # for k = 2: {7,7} wins, {7,9} twice ties
        array([[0.66666667, 0.66666667, 1.        ]])
        >>> cons_at_k([["7", "7", "7", "9"]], [[1, 1, 0, 0]], k=4, on_conflict="majority")  # two of three
        array([1.])
    """
    check_choice("ties", ties, TIES)
    check_choice("on_conflict", on_conflict, CONFLICTS)
    ballots, flags = read_votes(votes, correct)
    draws = check_k(k)
    refuse_too_many_k(draws, ballots.codes.n)
    weighted = None
    if weights is not None:
        weighted = columns.read_weights(weights)
    if weighted is not None:
        require_same_samples("weights", weighted.n, "votes", ballots.codes.n)
    value, _ = elect(
        ballots,
        flags,
        draws,
        ties=ties,
        weights=weighted,
        seed=check_seed(seed),
        on_conflict=on_conflict,
    )
    if is_sequence(k):
        return value
    return value[:, 0]


def read_votes(votes: object, correct: object) -> tuple[Answers, NDArray[np.bool_]]:
    """Check the columns of a vote, and return the answers, and for each of them whether it is correct."""
    ballots = columns.read_labels(votes, "votes")
    right = columns.read_grades(correct, "correct", missing=False)
    wrong = (right.values != 0) & (right.values != 1)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(f"`correct` must hold 0 or 1; got {right.values[at]} in {right.place(at)}")
    require_same_samples("votes", ballots.codes.n, "correct", right.n)
    require_problems("votes", len(ballots))
    return ballots, right.values > 0


def elect(
    ballots: Answers,
    correct: NDArray[np.bool_],
    k: Sequence[int],
    *,
    ties: str = "random",
    weights: Ragged | None = None,
    seed: int = 0,
    on_conflict: str = "error",
    name: str = "correct",
) -> tuple[Floats, Floats]:
    """Compute `cons_at_k` of checked columns: values and simulation errors, one row per problem and one column per k.

    `correct` holds one flag per sample, and `name` is what an error calls it.
    """
    counts = count_votes(ballots, correct, on_conflict, name)
    if weights is not None:
        return _elect_by_weight(ballots, counts, weights, k, ties, seed)
    value = elect_by_plurality(counts, k, ties)
    return value, np.zeros_like(value)


@dataclass(frozen=True)
class VoteCounts:
    """Hold one entry for each distinct answer of each problem, sorted by problem and then by the answer's code.

    Attributes:
        n: samples of each problem.
        problem: the problem of each answer.
        count: its votes.
        right: how many of these are correct.
        first_seen: the first sample that gave it.
    """

    n: Ints
    problem: Ints
    count: Ints
    right: Ints
    first_seen: Ints

    @cached_property
    def correct(self) -> NDArray[np.bool_]:
        """Flag the answers that are correct: most of their votes are."""
        return 2 * self.right > self.count

    @property
    def signed(self) -> Ints:
        """Return the votes, those for a wrong answer below zero."""
        return np.where(self.correct, self.count, -self.count)


@dataclass(frozen=True)
class CountedAnswers(Answers):
    """Hold answers whose votes were counted before: `count_votes` returns `counts`, and does not look at them."""

    counts: VoteCounts


def count_votes(
    ballots: Answers,
    correct: NDArray[np.bool_],
    on_conflict: str,
    name: str,
    times: Ints | None = None,
) -> VoteCounts:
    """Count the votes for each answer of each problem."""
    if isinstance(ballots, CountedAnswers):
        return ballots.counts
    codes = ballots.codes
    if times is None:
        first, flags, start = sort_votes(codes, correct)
        count = np.diff(start, append=len(flags))
        right = np.add.reduceat(flags, start, dtype=np.int64)
    else:
        order, start = _order_votes(codes)
        first = order[start]
        count = np.add.reduceat(times[order], start)
        right = np.add.reduceat((times * correct)[order], start)
    cast = codes.values[first] >= 0
    first = first[cast]
    count = count[cast]
    right = right[cast]
    if on_conflict == "error" and ((right > 0) & (right < count)).any():
        report_conflict(ballots, correct, first, count, name)
    problem = np.searchsorted(codes.offsets, first, side="right") - 1
    return VoteCounts(codes.n, problem, count, right, first)


def sort_votes(
    codes: Ragged, correct: NDArray[np.bool_]
) -> tuple[Ints, NDArray[Any], NDArray[np.intp]]:
    """Sort the samples by problem, answer and position, and split them into runs of equal answers of one problem."""
    total = len(codes.values)
    problems = len(codes)
    place_bits = int(codes.n.max() - 1).bit_length()
    answer_bits = int(codes.values.max() + 1).bit_length()
    if (problems - 1).bit_length() + answer_bits + place_bits + 1 > _KEY_BITS:
        order, start = _order_votes(codes)
        return order[start], correct[order], start

    # One integer per sample holds its problem, answer, position and verdict, from the high bits to the low ones: one
    # sort of integers then takes a quarter of the time of np.unique with its three extra outputs. In rows of equal
    # length, each row is sorted alone, which takes a fifth of the time of sorting all rows together.
    if (codes.n == codes.n[0]).all():
        shape: tuple[int, ...] = (problems, int(codes.n[0]))
        problem = np.arange(problems)[:, None]
        place = np.arange(shape[1])
    else:
        shape = (total,)
        problem = codes.problem
        place = np.arange(total) - codes.offsets[problem]
    keys = (problem << answer_bits) | (codes.values.reshape(shape) + 1)
    keys = (((keys << place_bits) | place) << 1) | correct.reshape(shape)
    keys.sort(axis=-1)
    keys = keys.reshape(-1)
    answer = keys >> (place_bits + 1)
    start = np.flatnonzero(np.concatenate([[True], answer[1:] != answer[:-1]]))
    lead = keys[start]
    place = (lead >> 1) & ((1 << place_bits) - 1)
    return codes.offsets[answer[start] >> answer_bits] + place, keys & 1, start


def _order_votes(codes: Ragged) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the order of the samples by problem and answer, and where in it each run of equal answers starts."""
    order = np.lexsort((codes.values, codes.problem))
    answer = codes.values[order]
    problem = codes.problem
    return order, np.flatnonzero(np.diff(answer, prepend=-2) | np.diff(problem, prepend=-1))


def report_conflict(
    ballots: Answers, correct: NDArray[np.bool_], first: Ints, count: Ints, name: str
) -> NoReturn:
    """Raise for the first sample, in input order, whose verdict is not that of the first sample with its answer."""
    codes = ballots.codes
    answers = codes.values[first].astype(np.int64)
    width = int(codes.values.max()) + 1
    problem = np.searchsorted(codes.offsets, first, side="right") - 1
    cast = np.flatnonzero(codes.values >= 0)
    # Problem and answer in one integer, in which the answers that were counted rise: a search finds that of each vote.
    entry = np.searchsorted(
        problem * width + answers, codes.problem[cast] * width + codes.values[cast]
    )
    differ = np.flatnonzero(correct[cast] != correct[first[entry]])[0]
    at = cast[differ]
    before = first[entry[differ]]
    owner = int(codes.problem[at])
    raise VoteConflictError(
        "vote.conflict",
        "`{name}` must agree on equal answers, unless {option:on_conflict} is 'majority'; got both verdicts on "
        "{answer} in problem {problem}, sample {first} and in problem {problem}, sample {second}",
        name=name,
        answer=shorten(ballots.distinct[codes.values[at]]),
        problem=owner,
        first=int(before - codes.offsets[owner]),
        second=int(at - codes.offsets[owner]),
    )


def elect_by_plurality(counts: VoteCounts, k: Sequence[int], ties: str) -> Floats:
    """Compute cons@k of votes with equal weights: one row per problem and one column per k."""
    if ties == "strict":
        value = np.zeros((len(counts.n), len(k)))
        right = np.flatnonzero(counts.correct)
        problem = counts.problem[right]
        if not right.size:
            return value
        for column, draws in enumerate(k):
            majority = partial(at_least, k=draws, m=draws // 2 + 1)
            chance = look_up(majority, counts.n[problem], counts.count[right])
            np.add.at(value[:, column], problem, chance)
        return np.minimum(value, 1.0)
    value = votes.elect_by_plurality(
        counts.problem, counts.count, counts.correct, counts.n, k, share=ties != "incorrect"
    )
    if ties == "first":
        # The order is known when all n samples are drawn: the most votes win, and among those the answer seen first.
        order = np.lexsort((counts.first_seen, -counts.count, counts.problem))
        problems, lead = np.unique(counts.problem[order], return_index=True)
        elected = np.zeros(len(counts.n))
        elected[problems] = counts.correct[order[lead]]
        for column, draws in enumerate(k):
            value[:, column] = np.where(counts.n == draws, elected, value[:, column])
    return value


def _elect_by_weight(
    ballots: Answers, counts: VoteCounts, weights: Ragged, k: Sequence[int], ties: str, seed: int
) -> tuple[Floats, Floats]:
    codes = ballots.codes
    streams = np.random.SeedSequence(seed).spawn(len(ballots))
    value = np.zeros((len(codes), len(k)))
    mcse = np.zeros_like(value)
    equal = np.zeros(len(codes), dtype=bool)
    for problem, stream in enumerate(streams):
        row = slice(codes.offsets[problem], codes.offsets[problem + 1])
        weight = weights.values[row]
        if weight[0] > 0 and (weight == weight[0]).all():
            equal[problem] = True
            continue
        entries = slice(*np.searchsorted(counts.problem, (problem, problem + 1)))
        names, answer = np.unique(codes.values[row], return_inverse=True)
        answer = answer - (names[0] < 0)  # −1 stays −1, the other answers count from 0
        scaled = scale_weights(weight)
        for column, draws in enumerate(k):
            rng = np.random.default_rng(stream)
            elected = elect_subsets(answer, counts.correct[entries], scaled, draws, ties, rng)
            value[problem, column], mcse[problem, column] = elected
    if equal.any():  # the exact plurality, since every vote weighs the same
        value[equal] = elect_by_plurality(counts, k, ties)[equal]
    return value, mcse


def scale_weights(weight: Floats) -> NDArray[Any]:
    """Return integers in proportion to the weights; 64 bits if all doubled sums fit, else of any length."""
    exact = read_as_integers(weight)[0]
    return np.array(exact, dtype=np.int64 if 2 * sum(exact) < 2**63 else object)


def elect_subsets(
    answer: Ints,
    correct: NDArray[np.bool_],
    weight: NDArray[np.object_],
    k: int,
    ties: str,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return P(a correct answer of a problem has the largest weight among k draws), and the simulation error."""
    n = len(answer)
    answers = len(correct)
    first_seen = np.array([np.argmax(answer == a) for a in range(answers)], dtype=np.int64)
    # Subsets are taken in an order of the samples that depends neither on their own nor on the numbers of the answers.
    held = {}
    for a in set(answer.tolist()):
        held[a] = (correct[a] if a >= 0 else -1, sorted(weight[answer == a].tolist()))
    order = np.array(sorted(range(n), key=lambda i: (held[answer[i]], answer[i], weight[i])))

    def share(drawn: NDArray[np.intp]) -> Floats:
        drawn, rows = order[drawn], np.arange(len(drawn))
        # The last column takes the −1.
        sums = np.zeros((len(drawn), answers + 1), dtype=weight.dtype)
        present = np.zeros(sums.shape, dtype=bool)
        for draw in drawn.T:
            sums[rows, answer[draw]] += weight[draw]
            present[rows, answer[draw]] = True
        votes = sums[:, :answers]
        present = present[:, :answers]
        best = np.where(present, votes, -1).max(axis=1, initial=-1)
        winners = present & (votes == best[:, None])
        if ties == "strict":
            majority = 2 * best > weight[drawn].sum(axis=1)
            return np.asarray(majority & (winners & correct).any(axis=1), dtype=np.float64)
        if ties == "first" and k == n:
            earliest = np.where(winners, first_seen, n).min(axis=1, initial=n)
            winners &= first_seen == earliest[:, None]
        winning = winners.sum(axis=1)
        right = (winners & correct).sum(axis=1)
        if ties == "incorrect":
            return np.asarray((winning == 1) & (right == 1), dtype=np.float64)
        return np.asarray(right / np.maximum(winning, 1))

    return average_over_subsets(share, n, k, rng)
