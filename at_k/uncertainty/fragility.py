"""Fragility of decisions: how many further lost problems it takes until the rule no longer decides."""

from __future__ import annotations

import numpy as np

from at_k.combinatorics import Floats
from at_k.uncertainty.decisions import find_alpha, find_bounded_alpha, find_least, is_decided
from at_k.uncertainty.flips import MANY, find_critical_t
from at_k.uncertainty.questions import Questions
from at_k.uncertainty.standard_errors import estimate_error, lengthen_clusters


def count_to_undo(questions: Questions, confidence_level: float) -> list[int | None]:
    """Count, for each question, the further problems after which its decision falls; None without a decision."""
    # The better model loses them, and the other one solves them, in every question: that is the worst case. The method
    # of the decision stays. None for values without a range.
    undo = _Undoing(questions, confidence_level)
    counts: list[int | None] = []
    for q, p_value in enumerate(questions.adjusted.tolist()):
        counted = questions.bounded[q] and is_decided(p_value, confidence_level)
        counts.append(undo.count(q) if counted else None)
    return counts


def lengthen(questions: Questions, value: float, count: int) -> Questions:
    """Return the questions with more problems, each of which is a cluster of its own."""
    further = np.full((count, questions.count), value)
    return Questions(
        np.append(questions.difference, further, axis=0),
        bounded=questions.bounded.tolist(),
        clusters=lengthen_clusters(questions.clusters, count),
        factor=questions.factors.tolist(),
        flips=questions.flips.lengthen(value, count),
        methods=questions.methods,
    )


class _Undoing:
    """Count the further problems after which decisions fall, for the questions of one family."""

    def __init__(self, questions: Questions, confidence_level: float) -> None:
        self.questions, self.level = questions, confidence_level
        self.longer: dict[tuple[int, int], Questions] = {}  # once for all questions
        self.critical: Floats | None = None
        if questions.flips.units >= MANY:
            # The t at which each decision falls: a few more units hardly change it.
            observed = np.array([float(questions.find_t(q)) for q in range(questions.count)])
            alpha = find_alpha(confidence_level)
            self.critical = find_critical_t(
                observed, lambda q: questions.find_t(q, questions.add_up(q)), alpha
            )

    def count(self, q: int) -> int | None:
        """Count the further problems for one question."""
        return find_least(lambda count: self._undoes(q, count), 1, 2 * self.questions.size)

    def _undoes(self, q: int, count: int) -> bool:
        asked = self.questions
        total = abs(float(asked.mean[q])) * asked.size
        if count >= total:
            return True
        sign = 1 if asked.mean[q] > 0 else -1
        if self.critical is None:
            if (sign, count) not in self.longer:
                self.longer[sign, count] = lengthen(asked, -sign, count)
            return not is_decided(float(self.longer[sign, count].adjusted[q]), self.level)
        norm = (float(asked.norms[q]) ** 2 + count) ** 0.5
        if total - count < self.critical[q] * norm:
            return True
        longer = np.append(asked.difference[:, q], np.full(count, -sign))
        stderr, m = estimate_error(longer, lengthen_clusters(asked.clusters, count))
        alpha = find_bounded_alpha(longer.mean(), stderr, m) / asked.factors[q]
        return not is_decided(float(alpha), self.level)
