"""Every number by its definition: plain, slow, in exact rationals, and without the library.

A sample is its index in range(n). An outcome of a subset is a pair (right, of): the chance right/of to be right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import ceil, comb, prod

TIES = ("random", "first", "strict", "incorrect")
Outcome = tuple[int, int]


def mean_over_subsets(n: int, k: int, outcome: Callable[[tuple[int, ...]], Outcome]) -> Fraction:
    """The average of an outcome over all k-subsets of n samples, each looked at."""
    outcomes = Counter(outcome(drawn) for drawn in combinations(range(n), k))
    return sum(times * Fraction(*pair) for pair, times in outcomes.items()) / comb(n, k)


def mean_over_counts(
    sizes: Sequence[int], k: int, outcome: Callable[[tuple[int, ...]], Outcome]
) -> Fraction:
    """The same where the outcome depends only on how many of each class were drawn; the classes have these sizes."""
    ways: Counter[Outcome] = Counter()
    for drawn in product(*(range(min(size, k) + 1) for size in sizes[:-1])):
        last = k - sum(drawn)
        if 0 <= last <= sizes[-1]:
            vector = (*drawn, last)
            ways[outcome(vector)] += prod(map(choose, sizes, vector))
    return sum(times * Fraction(*pair) for pair, times in ways.items()) / comb(sum(sizes), k)


def choose(n: int, k: int) -> int:
    """A binomial coefficient, out of a cached row of Pascal's triangle."""
    return pascal(n)[k] if 0 <= k <= n else 0


@cache
def pascal(n: int) -> tuple[int, ...]:
    row = [1]
    for j in range(n):
        row.append(row[-1] * (n - j) // (j + 1))
    return tuple(row)


# Counts


def correct_drawn(n: int, c: int, k: int) -> list[int]:
    """Count the k-subsets with j correct samples one by one, at index j = 0…k."""
    seen = Counter(sum(sample < c for sample in drawn) for drawn in combinations(range(n), k))
    return [seen[j] for j in range(k + 1)]


def hypergeometric(n: int, c: int, k: int) -> list[int]:
    """The same by the formula, for large n."""
    return [choose(c, j) * choose(n - c, k - j) for j in range(k + 1)]


def tail(ways: Sequence[int], m: int) -> Fraction:
    """P(at least m are correct)."""
    return Fraction(sum(ways[m:]), sum(ways))


def needed(tau: float, k: int) -> int:
    """max(1, ⌈τk⌉) of the decimal that τ prints as."""
    return max(1, ceil(Fraction(str(tau)) * k))


def mg_pass(ways: Sequence[int]) -> Fraction:
    """(2/k) Σ_{i=⌈k/2⌉+1}^{k} P(at least i of k are correct), as published."""
    k = len(ways) - 1
    return Fraction(2, k) * sum(
        (tail(ways, i) for i in range(ceil(Fraction(k, 2)) + 1, k + 1)), Fraction(0)
    )


def majority(ways: Sequence[int]) -> Fraction:
    """P(more than k/2 of k are correct)."""
    k = len(ways) - 1
    return Fraction(sum(count for j, count in enumerate(ways) if 2 * j > k), sum(ways))


# Votes


def vote(ballots: Sequence[tuple[object, bool, object]], ties: str, *, whole: bool) -> Outcome:
    """One vote. A ballot is (answer or None, whether it is correct, its weight), in the order drawn.

    `whole`: all samples are drawn, so that their order is known.
    """
    total: dict[object, object] = {}
    correct = {}
    for answer, right, weight in ballots:
        if answer is not None:
            total[answer] = total.get(answer, 0) + weight
            correct[answer] = right
    if not total:
        return 0, 1
    best = max(total.values())
    winners = [
        answer for answer in total if total[answer] == best
    ]  # in the order in which they were seen
    if ties == "strict":
        return int(2 * best > sum(weight for _, _, weight in ballots) and correct[winners[0]]), 1
    if ties == "incorrect":
        return int(len(winners) == 1 and correct[winners[0]]), 1
    if ties == "first" and whole:
        return int(correct[winners[0]]), 1
    return sum(map(int, map(correct.get, winners))), len(winners)


def cons(
    answers: Sequence[object],
    correct: Sequence[object],
    k: int,
    ties: str = "random",
    weights: Sequence[float] | None = None,
) -> Fraction:
    """cons@k over all subsets. Weights count as the decimals they print as."""
    n = len(answers)
    exact = [1] * n if weights is None else [Fraction(str(weight)) for weight in weights]
    ballots = list(zip(answers, map(bool, correct), exact, strict=True))
    return mean_over_subsets(
        n, k, lambda drawn: vote([ballots[i] for i in drawn], ties, whole=k == n)
    )


def settle_by_majority(answers: Sequence[object], correct: Sequence[object]) -> list[bool]:
    """Verdicts of which equal answers have one: that of more than half of the samples with the answer."""
    verdicts = [
        [bool(right) for other, right in zip(answers, correct, strict=True) if other == answer]
        for answer in answers
    ]
    return [verdict.count(True) > verdict.count(False) for verdict in verdicts]


def cons_of_classes(
    classes: Sequence[tuple[object, bool, int, int]], k: int, ties: str = "random"
) -> Fraction:
    """cons@k of classes of equal samples: (answer or None, correct, weight, how many). Not for "first" with k = n."""

    def outcome(drawn: tuple[int, ...]) -> Outcome:
        ballots = []
        for (answer, right, weight, _), times in zip(classes, drawn, strict=True):
            if times:
                ballots.append((answer, right, weight * times))
        return vote(ballots, ties, whole=False)

    return mean_over_counts([size for *_, size in classes], k, outcome)


# Choice


def best(scores: Sequence[object], correct: Sequence[object], k: int) -> Fraction:
    """best@k over all subsets: ties for the highest score are shared. Lists compare by their first difference."""

    def outcome(drawn: tuple[int, ...]) -> Outcome:
        top = max(scores[i] for i in drawn)
        tied = [i for i in drawn if scores[i] == top]
        return sum(bool(correct[i]) for i in tied), len(tied)

    return mean_over_subsets(len(scores), k, outcome)


def best_of_many(scores: Sequence[float], correct: Sequence[object], k: int) -> Fraction:
    """best@k by P(the highest of k is s) = (C(samples ≤ s, k) − C(samples < s, k))/C(n, k)."""
    value = Fraction(0)
    for score in set(scores):
        tied = [bool(right) for other, right in zip(scores, correct, strict=True) if other == score]
        below = sum(other < score for other in scores)
        value += Fraction(sum(tied), len(tied)) * (choose(below + len(tied), k) - choose(below, k))
    return value / comb(len(scores), k)


def highest(scores: Sequence[float], k: int) -> Fraction:
    """max@k over all subsets."""
    exact = list(map(Fraction, scores))
    return sum((max(drawn) for drawn in combinations(exact, k)), Fraction(0)) / comb(len(exact), k)


def highest_of_many(scores: Sequence[float], k: int) -> Fraction:
    """max@k by P(the highest of k is the i-th smallest) = C(i − 1, k − 1)/C(n, k)."""
    rising = sorted(map(Fraction, scores))
    return sum((score * choose(i, k - 1) for i, score in enumerate(rising)), Fraction(0)) / comb(
        len(rising), k
    )


def dominates(point: Sequence[float], other: Sequence[float]) -> bool:
    return all(a >= b for a, b in zip(point, other, strict=True)) and tuple(point) != tuple(other)


def pareto(points: Sequence[Sequence[float]], correct: Sequence[object], k: int) -> Fraction:
    """best@k where one of the drawn samples that no drawn one dominates is chosen at random."""

    def outcome(drawn: tuple[int, ...]) -> Outcome:
        front = [i for i in drawn if not any(dominates(points[j], points[i]) for j in drawn)]
        return sum(bool(correct[i]) for i in front), len(front)

    return mean_over_subsets(len(points), k, outcome)


def pareto_of_classes(classes: Sequence[tuple[Sequence[float], bool, int]], k: int) -> Fraction:
    """The same of classes of equal samples: (point, correct, how many)."""

    def outcome(drawn: tuple[int, ...]) -> Outcome:
        there = [
            (point, right, times)
            for (point, right, _), times in zip(classes, drawn, strict=True)
            if times
        ]
        front = [
            entry for entry in there if not any(dominates(point, entry[0]) for point, _, _ in there)
        ]
        return sum(times for _, right, times in front if right), sum(times for *_, times in front)

    return mean_over_counts([size for *_, size in classes], k, outcome)


# Patterns


def partitions(n: int) -> Iterator[tuple[int, ...]]:
    """Every way in which n samples can agree: blocks numbered in the order in which they appear."""
    patterns: list[tuple[int, ...]] = [()]
    for _ in range(n):
        patterns = [
            (*pattern, block)
            for pattern in patterns
            for block in range(max(pattern, default=-1) + 2)
        ]
    return iter(patterns)


def answer_patterns(n: int) -> Iterator[tuple[list[int | None], list[bool]]]:
    """Answers and verdicts of n samples, up to the names of the answers; any block may be the samples without one."""
    for pattern in partitions(n):
        blocks = max(pattern) + 1
        for silent in (None, *range(blocks)):
            for verdicts in product([False, True], repeat=blocks):
                if silent is None or not verdicts[silent]:
                    answers = [None if block == silent else block for block in pattern]
                    yield answers, [verdicts[block] for block in pattern]


def g_pass(correct: Sequence[object], k: int, taus: Sequence[float]) -> dict[str, Fraction]:
    """The keys of `gpassk` for one problem."""
    ways = correct_drawn(len(correct), sum(map(bool, correct)), k)
    found = {f"G-Pass@{k}_{tau}": tail(ways, needed(tau, k)) for tau in taus}
    return {**found, f"mG-Pass@{k}": mg_pass(ways)}


BY_MODULE: dict[str, Callable[..., dict[str, Fraction]]] = {
    "gpassk": lambda answers, correct, scores, k, taus: g_pass(correct, k, taus),
    "pass_at_k": lambda answers, correct, scores, k, taus: {
        f"pass@{k}": tail(correct_drawn(len(correct), sum(correct), k), 1)
    },
    "cons_at_k": lambda answers, correct, scores, k, taus: {f"cons@{k}": cons(answers, correct, k)},
    "avg_at_n": lambda answers, correct, scores, k, taus: {
        "avg@n": Fraction(sum(correct), len(correct))
    },
    "best_at_k": lambda answers, correct, scores, k, taus: {
        f"best@{k}": best(scores, correct, k),
        f"max@{k}": highest(scores, k),
    },
}
"""The module → its keys for the answers, verdicts and scores of one problem, by brute force."""
