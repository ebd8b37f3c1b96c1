"""Adaptive sampling: is a vote settled already, and what would stopping then have saved?"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from at_k import columns
from at_k.combinatorics import Floats, Ints
from at_k.estimators.consensus import elect, read_votes
from at_k.samples import Answers
from at_k.uncertainty.checks import check_fraction, check_size, read_numbers
from at_k.validation import check_choice, check_seed, shorten

Rule = Literal["beta", "dirichlet", "sequence"]
RULES: tuple[str, ...] = get_args(Rule)

_NODES = 200
"""Nodes of the Gauss–Legendre quadrature: up to 1,000 votes, 100 of them already give 12 digits."""

_ROWS = 50_000
"""Rows of votes, one for each problem and order, that are counted together."""


def enough(votes: Sequence[Hashable], /, *, confidence: float = 0.95, rule: Rule = "beta") -> bool:
    """Tell whether the majority of one problem is settled, so that no more samples are needed (Adaptive-Consistency).

    The confidence of "beta" and "dirichlet" is an average over all shares that answers may have, and holds at one look.
    Where two answers are nearly as frequent, and every vote is looked at, it is far off: of votes at .51 to .49, 43 %
    of those that stopped had the wrong leader. "sequence" holds for all shares and at every look, and costs about twice
    the votes: nine equal ones instead of four at .95.

    Args:
        votes: the answers so far, strings or other hashable values. None casts no vote.
        confidence: how probable it must be that the leading answer is the most frequent one.
        rule: "beta" compares the two leading answers; "dirichlet" compares all answers seen so far; "sequence" is valid
            at every look: whatever the shares, a vote stops at a wrong leader with a chance of at most 1 −
            `confidence`.

    Returns:
        Whether the probability is at least `confidence`. Without a vote it is not.

    Formula: see `find_settled_probability`.

    Raises:
        TypeError: if `votes` is not a list of hashable answers of one type.
        ValueError: if `confidence` is not between 0 and 1, or `rule` is unknown.

    References:
        P. Aggarwal et al., Let's Sample Step by Step: Adaptive-Consistency for Efficient Reasoning and Coding with
        LLMs, 2023, https://arxiv.org/abs/2305.11860, section 3.

    Examples:
        >>> enough(["7", "7", "7"]), enough(["7", "7", "7", "7"])  # 1 − 1/2⁴ and 1 − 1/2⁵
        (False, True)
        >>> enough(["7"] * 6 + ["9"] * 2, confidence=0.9)
        True
    """
    threshold = check_fraction("confidence", confidence)
    check_choice("rule", rule, RULES)
    if isinstance(votes, (list, tuple)) and not votes:
        return False
    codes = columns.read_labels([votes], "votes").codes.values
    counts = np.bincount(codes[codes >= 0])
    return bool(find_settled_probability(counts[None], rule=rule)[0] >= threshold) if len(counts) else False


def find_settled_probability(counts: ArrayLike, /, *, rule: Rule = "beta") -> Floats:
    """Compute the probability that the leading answer is the one that the model gives most often.

    Args:
        counts: votes for each answer, one row per problem, in any order and filled up with zeros.
        rule: as of `enough`.

    Returns:
        One probability per row; 0 without a vote.

    Formula: with v₁ and v₂ the votes for the two leading answers, P(p > ½) for p ~ Beta(v₁ + 1, v₂ + 1); for
        "dirichlet" and at least three answers, P(p₁ is the largest) for p ~ Dirichlet(v₁ + 1, …, v_m + 1), which is
        ∫ f(x; v₁ + 1) Π_{j>1} F(x; v_j + 1) dx with the Gamma distributions of these shapes. For "sequence" and m
        different answers, 1 − 1.5·m(m + 1)/E, at least 0, with E = 2^(v₁ + v₂) ∫_½^1 2 p^v₁ (1 − p)^v₂ dp. If the
        leader is not the more frequent of the two, E is a supermartingale from 1.5 at most after its first vote, so
        that it ever reaches 1.5·m(m + 1)/α with a chance of α/(m(m + 1)) at most [1]; these add up to α over all
        rivals.

    Raises:
        TypeError: if the counts are not numbers.
        ValueError: if a count is negative, or `rule` is unknown.

    References:
        1. J. Ville, Étude critique de la notion de collectif, 1939; A. Ramdas et al., Game-theoretic statistics and
           safe anytime-valid inference, 2023, https://arxiv.org/abs/2210.01948.

    Examples:
        >>> find_settled_probability([[4, 0], [2, 2]])
        array([0.96875, 0.5    ])
        >>> find_settled_probability([[5, 2, 1]], rule="dirichlet").round(4)
        array([0.818])
        >>> find_settled_probability([[8, 0], [9, 0]], rule="sequence").round(3)
        array([0.947, 0.971])
    """
    from scipy.special import betainc, betaln

    check_choice("rule", rule, RULES)
    table = read_numbers("counts", counts)
    if table.ndim != 2:
        raise ValueError(f"`counts` must have one row per problem; got shape {table.shape}")
    if (table < 0).any():
        raise ValueError(f"`counts` must not be negative; got {table.min():g}")
    falling = -np.sort(-np.pad(table, [(0, 0), (0, max(0, 2 - table.shape[1]))]), axis=1)
    first, second = falling[:, 0], falling[:, 1]
    found = np.where(first > 0, betainc(second + 1, first + 1, 0.5), 0.0)
    if rule == "sequence":
        different = np.count_nonzero(falling, axis=1)
        evidence = np.log(2) * (1 + first + second) + betaln(first + 1, second + 1) + np.log(np.fmax(found, 0.5))
        return np.where(first > 0, np.maximum(0.0, 1 - 1.5 * different * (different + 1) * np.exp(-evidence)), 0.0)
    if rule == "dirichlet":
        several = np.flatnonzero(np.count_nonzero(falling, axis=1) > 2)
        found[several] = integrate_leader(falling[several])
    return found


def integrate_leader(falling: Floats) -> Floats:
    """Return P(the first component is the largest) under Dirichlet(counts + 1); zeros stand for answers never seen."""
    from scipy.special import gammainc, gammainccinv, gammaincinv, gammaln

    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    shape = falling[:, :1] + 1
    low, high = gammaincinv(shape, 1e-17), gammainccinv(shape, 1e-17)
    x = low + (high - low) * (nodes + 1) / 2
    product = np.exp((shape - 1) * np.log(x) - x - gammaln(shape))
    for other in falling.T[1:]:
        product *= np.where(other[:, None] > 0, gammainc(other[:, None] + 1, x), 1.0)
    return np.asarray(np.clip((product @ weights) * (high - low)[:, 0] / 2, 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class AdaptiveCurve:
    """Hold accuracies of votes against the mean number of samples that they take.

    Attributes:
        k: the fixed numbers of samples, 1…n.
        fixed: cons@k for each of them, exactly.
        perfect_samples: the mean number of samples after which the leader is, for the first time, the winner among k:
            what a rule would take that knows when to stop.
        perfect: its accuracy, that of the vote among k in the same simulated orders.
        confidences: the confidences at which the adaptive rule stops.
        samples: the mean number of samples that it takes, for each confidence.
        accuracy: its accuracy, for each confidence.
        samples_mcse: the standard error of `samples` from the simulation of orders.
        accuracy_mcse: that of `accuracy`.
    """

    k: Ints
    fixed: Floats
    perfect_samples: Floats
    perfect: Floats
    confidences: Floats
    samples: Floats
    accuracy: Floats
    samples_mcse: Floats
    accuracy_mcse: Floats


def trace_adaptive(
    votes: object,
    correct: object,
    /,
    *,
    confidences: Sequence[float] = (0.8, 0.85, 0.9, 0.95, 0.98, 0.99),
    rule: Rule = "beta",
    n_orders: int = 100,
    seed: int = 0,
) -> AdaptiveCurve:
    """Compute what adaptive sampling would have reached on recorded samples, beside fixed k and a perfect rule.

    The samples of each problem are put into random orders. In each, samples are taken until the vote is settled, or as
    many are taken as the problem with the fewest samples has.

    Args:
        votes: as of `at_k.cons_at_k`.
        correct: as of `at_k.cons_at_k`.
        confidences: at which the rule stops: one point of its curve for each.
        rule: as of `enough`. "dirichlet" takes far longer.
        n_orders: random orders of each problem's samples.
        seed: of the orders.

    Returns:
        The curves. Ties go to the answer that led first, which random orders make fair.

    Raises:
        TypeError: if a row is not a list, or an argument is of the wrong kind.
        ValueError: if rows differ in length, equal answers differ in correctness, or an argument is out of its range.

    References:
        P. Aggarwal et al., Adaptive-Consistency, 2023, https://arxiv.org/abs/2305.11860.

    Examples:
        >>> curve = trace_adaptive([["7"] * 8, ["9", "7"] * 4], [[1] * 8, [0, 1] * 4], confidences=[0.9])
        >>> curve.fixed.round(2)  # the first problem is always right, the second in half of the cases
        array([0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75])
        >>> bool(3 < curve.samples[0] < 8)  # three equal answers are enough for the first problem
        True
    """
    ballots, flags = read_votes(votes, correct)
    levels = read_numbers("confidences", confidences)
    if levels.ndim != 1 or not len(levels):
        raise ValueError(f"`confidences` must be a list of at least one number; got {shorten(confidences)}")
    for level in levels.tolist():
        check_fraction("confidences", level)
    check_choice("rule", rule, RULES)
    orders = check_size("n_orders", n_orders, 2)
    rng = np.random.default_rng(check_seed(seed))
    most = int(ballots.codes.n.min())
    k = np.arange(1, most + 1)
    fixed = elect(ballots, flags, k.tolist())[0].mean(axis=0)

    # One row per statistic and one column per order: sums over the problems.
    totals = np.zeros((2, len(levels) + most, orders))
    for block in np.array_split(np.arange(len(ballots)), max(1, len(ballots) * orders // _ROWS)):
        totals += simulate_settling(ballots, flags, block, most, levels, rule, orders, rng)
    totals /= len(ballots)
    mean, error = totals.mean(axis=2), totals.std(axis=2, ddof=1) / np.sqrt(orders)
    split = len(levels)
    return AdaptiveCurve(
        k=k,
        fixed=fixed,
        perfect_samples=mean[0, split:],
        perfect=mean[1, split:],
        confidences=levels,
        samples=mean[0, :split],
        accuracy=mean[1, :split],
        samples_mcse=error[0, :split],
        accuracy_mcse=error[1, :split],
    )


def simulate_settling(
    ballots: Answers,
    correct: NDArray[np.bool_],
    problems: NDArray[np.intp],
    most: int,
    levels: Floats,
    rule: Rule,
    orders: int,
    rng: np.random.Generator,
) -> Floats:
    """Return samples taken and votes won, summed over these problems: for each level and each k, in each order."""
    drawn, right = draw_orders(ballots, correct, problems, most, orders, rng)
    leader, settled = follow_votes(drawn, most, rule, float(levels.min()))
    rows = np.arange(len(drawn))
    won = np.where(leader >= 0, right[rows[:, None], leader], False)
    found = np.empty((2, len(levels) + most, len(drawn)))
    for i, level in enumerate(levels):
        hit = settled >= level
        stop = np.where(hit.any(axis=1), hit.argmax(axis=1), most - 1)
        found[:, i] = stop + 1, won[rows, stop]
    for last in range(most):
        stop = (leader[:, : last + 1] == leader[:, last : last + 1]).argmax(axis=1)
        found[:, len(levels) + last] = stop + 1, won[:, last]
    return np.asarray(found.reshape(2, len(levels) + most, len(problems), orders).sum(axis=2))


def draw_orders(
    ballots: Answers,
    correct: NDArray[np.bool_],
    problems: NDArray[np.intp],
    most: int,
    orders: int,
    rng: np.random.Generator,
) -> tuple[Ints, NDArray[np.bool_]]:
    """Return the answers in random orders, a row for each problem and order, and which answers are correct.

    Answers are numbered within each problem; −1 is none.
    """
    drawn = []
    named = []
    for problem in problems:
        row = slice(ballots.codes.offsets[problem], ballots.codes.offsets[problem + 1])
        names, first, code = np.unique(ballots.codes.values[row], return_index=True, return_inverse=True)
        silent = int(names[0] < 0)
        shuffled = rng.permuted(np.broadcast_to(code - silent, (orders, len(code))), axis=1)
        drawn.append(shuffled[:, :most])
        named.append(correct[row][first[silent:]])
    width = max([1, *(len(flags) for flags in named)])
    right = np.zeros((len(named), width), dtype=bool)
    for table_row, flags in zip(right, named, strict=True):
        table_row[: len(flags)] = flags
    return np.concatenate(drawn), np.repeat(right, orders, axis=0)


def follow_votes(drawn: Ints, most: int, rule: Rule, least: float) -> tuple[Ints, Floats]:
    """Return, after each sample, the leading answer and the probability that it is settled."""
    rows = np.arange(len(drawn))
    votes = np.zeros((len(drawn), max(2, int(drawn.max()) + 1)), dtype=np.int64)
    lead, first, second = np.full(len(drawn), -1), np.zeros(len(drawn), dtype=np.int64), np.zeros_like(rows)
    pairs = np.stack(np.meshgrid(np.arange(most + 1), np.arange(most + 1), indexing="ij"), axis=-1).reshape(-1, 2)
    table = find_settled_probability(pairs).reshape(most + 1, most + 1)
    leader, settled = np.empty(drawn.shape, dtype=np.int64), np.empty(drawn.shape)
    for step in range(most):
        answer = drawn[:, step]
        cast = answer >= 0
        votes[rows[cast], answer[cast]] += 1
        own = np.where(cast, votes[rows, answer], 0)
        overtakes = own > first
        runner_up = np.where(answer == lead, second, np.maximum(second, own))
        second = np.where(overtakes & (answer != lead), first, runner_up)
        first = np.maximum(first, own)
        lead = np.where(overtakes, answer, lead)
        leader[:, step], settled[:, step] = lead, table[first, second]
        if rule == "dirichlet":
            # It is never above that of the two leading answers, so that most rows need no integral.
            near = np.flatnonzero(settled[:, step] >= least)
            kinds, which = np.unique(-np.sort(-votes[near], axis=1), axis=0, return_inverse=True)
            if len(near):
                settled[near, step] = find_settled_probability(kinds, rule=rule)[which.reshape(-1)]
    return leader, settled
