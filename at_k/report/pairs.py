"""Count problems by the samples that two models have of them: all that a comparison of counts needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from at_k.combinatorics import Ints
from at_k.errors import InputError, Message
from at_k.report.counting import Counted, read_rows, refuse_other_conditions
from at_k.report.states import ACCURACY, Problem
from at_k.report.tally import Tally
from at_k.validation import shorten

# n and c of a problem for the one model, and for the other.
Pair = tuple[int, int, int, int]

_COUNTS_ALONE = Message("pairs.left_out", "Pairs of counts tell nothing of votes, scores, and grades between 0 and 1.")


@dataclass(frozen=True)
class Pairs(Counted):
    """Count problems by the samples that two models have of them, so that the counts of shards can be added.

    `at_k.compare(pairs)` computes from them what it does from the samples, in metrics of counts. It flips the sign of
    each problem in turn: from 1,000 effective problems on, and up to 14, the p-values and intervals are those of the
    samples; in between they are those of other random flips. To compare votes, scores or single problems, give
    `at_k.compare` two tallies with `by_problem`.

    Attributes:
        counts: (n and c of a, n and c of b) → the number of problems.
        conditions: how the samples of each model were judged and read, as a signature states it.
        left_out: the metrics that do not follow from counts, since the samples have answers or soft grades.

    Examples:
        >>> from at_k import compare
        >>> found = compare(Pairs.from_rows([(4, 3, 4, 1, 700), (4, 2, 4, 2, 250), (4, 0, 4, 1, 50)]), k=1)
        >>> found.comparisons["pass@1"].won, round(found.comparisons["pass@1"].difference, 4)
        (700, 0.3375)
    """

    counts: Mapping[Pair, int] = field(default_factory=dict)
    conditions: tuple[Mapping[str, str], Mapping[str, str]] = ({}, {})
    left_out: frozenset[str] = frozenset()

    @classmethod
    def of(cls, a: Tally, b: Tally, /) -> Pairs:
        """Count the problems of two tallies that keep them by name.

        Raises:
            InputError: if a tally does not, or the two do not have the same problems.

        Examples:
            >>> a, b = ({"problem": ["x", "y"], "grades": grades} for grades in ([[1, 1], [0, 1]], [[0, 1], [0, 0]]))
            >>> Pairs.of(Tally.of(a, by_problem=True), Tally.of(b, by_problem=True)).counts
            {(2, 2, 2, 1): 1, (2, 1, 2, 0): 1}
        """
        if not (a.by_problem and b.by_problem):
            raise InputError("pairs.names", "Pairs need the names of problems. Count with {option:by_problem}.")
        if a.problems.keys() != b.problems.keys():
            raise InputError(
                "pairs.problems",
                "Pairs need tallies of the same problems; only one of these has {problem}.",
                problem=shorten(min(a.problems.keys() ^ b.problems.keys())),
            )
        both = ((problem, b.problems[name]) for name, problem in a.problems.items())
        measured = {key for tally in (a, b) for problem in tally.problems.values() for key in problem.values}
        return cls(
            dict(Counter((one.n, one.c, other.n, other.c) for one, other in both)),
            ({**a.conditions, **a.reading}, {**b.conditions, **b.reading}),
            frozenset(["cons_at_k"] if a.votes is not None or b.votes is not None else [])
            | frozenset([str(ACCURACY)] if ACCURACY in measured else [])
            | a.left_out.keys()
            | b.left_out.keys(),
        )

    @classmethod
    def from_rows(cls, rows: Iterable[Any], /, *, threshold: float = 0.5) -> Pairs:
        """Make pairs of what a database has counted.

        Args:
            rows: (n of a, c of a, n of b, c of b, problems). A cursor yields such rows.
            threshold: the grade above which a sample counted as correct, which signatures state.

        Raises:
            TypeError: if a row is not a sequence, or a number in it is not an integer.
            ValueError: if a row has another length, or c is not in 0…n.
        """
        counts: Counter[Pair] = Counter()
        for (n, c, m, d), problems, _ in read_rows(rows, 2, "(n, c, n, c, problems)"):
            counts[n, c, m, d] += problems
        conditions = Tally.from_rows([], threshold=threshold).conditions
        return cls(dict(counts), (conditions, conditions))

    def __add__(self, other: Pairs) -> Pairs:
        """Count the problems of both, which must be different ones."""
        if not isinstance(other, Pairs):
            return NotImplemented
        if not self.counts or not other.counts:
            return self if self.counts else other
        for mine, its in zip(self.conditions, other.conditions, strict=True):
            refuse_other_conditions(mine, its)
        counts = Counter(self.counts) + Counter(other.counts)
        return Pairs(dict(counts), self.conditions, self.left_out | other.left_out)

    def split(self) -> tuple[Tally, Tally, Ints]:
        """Return a tally of each model with one problem for each pair, and how many problems have it.

        Raises:
            InputError: if there are no problems.
        """
        if not self.counts:
            raise InputError("tally.empty", "This tally counts no problems. Add tallies of some samples to it.")
        rising = sorted(self.counts)
        left_out = dict.fromkeys(self.left_out, _COUNTS_ALONE)
        sides = [
            Tally(
                by_problem=True,
                counts=Counter((None, n, c) for n, c in nc),
                problems={str(pair): Problem(None, n, c) for pair, (n, c) in zip(rising, nc, strict=True)},
                conditions=conditions,
                left_out=left_out,
            )
            for nc, conditions in zip(([p[:2] for p in rising], [p[2:] for p in rising]), self.conditions, strict=True)
        ]
        return sides[0], sides[1], np.array([self.counts[pair] for pair in rising], dtype=np.int64)
