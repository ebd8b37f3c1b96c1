"""Estimate the work of a vote before it begins, so that a public page refuses what would take too long."""

from __future__ import annotations

from math import inf

import numpy as np

from at_k.grading import Verdicts

_PER_PROBLEM = 5e-5
"""Seconds for each problem of a vote. This and the other constants were measured on two cores."""

_PER_SIZE = 2e-5
"""Seconds for each sample of each distinct n."""

_PER_SIZE_AND_K = 1e-6
"""Seconds for each sample of each distinct n, times k."""

_PER_SQUARE_AND_K = 6e-10
"""Seconds for n² times k, for each number of votes that a right answer has: answers with as many share the work."""


def find_longest_vote(verdicts: Verdicts, seconds: float | None) -> float:
    """Find the largest k, at least 1, up to which an exact vote takes no longer than this; infinity without a limit."""
    if seconds is None or verdicts.answers is None:
        return inf
    n = verdicts.n
    squares = float((n.astype(np.float64) ** 2 * _count_right_sizes(verdicts)).sum())
    sizes = float(np.unique(n).sum())
    left = seconds - _PER_PROBLEM * len(n) - _PER_SIZE * sizes
    return max(1.0, left / (_PER_SQUARE_AND_K * squares + _PER_SIZE_AND_K * sizes))


def _count_right_sizes(verdicts: Verdicts) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Count, for each problem, the different numbers of votes that its correct answers have."""
    answers = verdicts.answers
    counts = np.zeros(len(verdicts), dtype=np.int64)
    if answers is None:
        return counts
    codes = answers.codes
    right = np.flatnonzero((codes.values >= 0) & verdicts.correct.values)
    if len(right):
        pair = codes.problem[right] * len(answers.distinct) + codes.values[right]
        distinct, votes = np.unique(pair, return_counts=True)
        problem = distinct // len(answers.distinct)
        sizes = np.unique(problem * (int(votes.max()) + 1) + votes)
        counts += np.bincount(sizes // (int(votes.max()) + 1), minlength=len(counts))
    return counts
