"""The input of the rules of a diagnosis, and their findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from at_k.combinatorics import Floats
from at_k.errors import InputError, Message
from at_k.estimators.consensus import VoteCounts, count_votes
from at_k.estimators.counts import majority_at_k
from at_k.grading import Verdicts
from at_k.report import Report
from at_k.report.grid import make_cell
from at_k.report.notes import refuse_scatter
from at_k.samples import Answers, Problems
from at_k.summary import Confidence, find_error_bars
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.standard_errors import standard_error
from at_k.validation import shorten
from at_k.values import Column, ErrorBar, Key, cached_property

# A difference of at most this is not worth a sentence, even if it is shown: one problem in twenty.
FAR = 0.05

# The level of the intervals if the report has none.
_LEVEL = 0.95


class Estimate(NamedTuple):
    """Hold a share, or the difference of two, with the limits of its interval.

    Examples:
        >>> print(Estimate(0.25, 0.125, 0.5), Estimate(0.15, -0.05, 0.35).signed)
        0.250 [0.125, 0.500] +0.150 [−0.050, +0.350]
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"

    @property
    def signed(self) -> str:
        """Write a difference with its sign."""
        shown, least, most = (f"{part + 0.0:+.3f}".replace("-", "−") for part in self)
        return f"{shown} [{least}, {most}]"

    @property
    def is_far(self) -> bool:
        """Return whether a difference is worth a sentence: shown, and larger than the rounding of a mean hides."""
        return abs(self.value) > FAR + 1e-9 and not self.low <= 0 <= self.high


class Findings:
    """Hold what the rules look at in a report, and the figures that they find."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.figures: dict[str, Any] = {}
        self.problems: Problems | None = None
        self.verdicts: Verdicts | None = None
        if report.scored is not None:
            self.problems, self.verdicts = report.scored
        self.answers = None if self.verdicts is None else self.verdicts.answers
        self.n, self.c = np.array(report.n), np.array(report.c)
        self.confidence_level: float = report.options.get("confidence_level") or _LEVEL

    @cached_property
    def columns(self) -> dict[Key, Column]:
        """Return the values that are compared: pass@k and cons@k at the largest k, and avg@n."""
        rising = sorted(self.report.values, key=lambda key: key.k or 0)
        keys = {key.metric: key for key in rising if key.metric in ("pass@k", "cons@k", "avg@n")}
        columns = {key: self.report.columns[key] for key in keys.values()}
        reason = self.report.left_out.get("cons_at_k")
        largest = keys.get("pass@k")
        if (
            largest is not None
            and largest.k
            and reason is not None
            and reason.code == "left_out.no_answers"
        ):
            # AISBench counts cons@k from grades. A report has that where it is asked for.
            columns[Key("cons@k", largest.k)] = Column.of(
                majority_at_k(self.n, self.c, k=largest.k)
            )
        return columns

    @property
    def keys(self) -> dict[str, Key]:
        """Return the keys of these values by their metrics."""
        return {key.metric: key for key in self.columns}

    @cached_property
    def values(self) -> dict[Key, float]:
        """Return their means."""
        known = self.report.values
        return {
            key: known[key] if key in known else float(col.expand().mean())
            for key, col in self.columns.items()
        }

    @cached_property
    def bars(self) -> Mapping[Key, ErrorBar]:
        """Return their intervals: those of the report, and others of its level, or of the default level."""
        lacking = {
            key: column for key, column in self.columns.items() if key not in self.report.intervals
        }
        wanted = Confidence(self.confidence_level, clusters=self.report.clusters)
        return {**self.report.intervals, **find_error_bars(lacking, self.values, wanted)}

    @cached_property
    def conflicts(self) -> tuple[int, str, int]:
        """Count the problems in which an answer has two verdicts, and give such an answer and its problem."""
        if self.answers is None or self.all_votes is None:
            return 0, "", -1
        mixed = np.flatnonzero(
            (self.all_votes.right > 0) & (self.all_votes.right < self.all_votes.count)
        )
        if not len(mixed):
            return 0, "", -1
        first = self.all_votes.first_seen[mixed[0]]
        problems = self.all_votes.problem[mixed]
        answer = self.answers.distinct[self.answers.codes.values[first]]
        return len(np.unique(problems)), shorten(answer), int(problems[0])

    @cached_property
    def all_votes(self) -> VoteCounts | None:
        """Count how often each answer was given, even where a vote means nothing."""
        if self.answers is None or self.verdicts is None:
            return None
        return count_votes(self.answers, self.verdicts.correct.values, "majority", "grades")

    @cached_property
    def votes(self) -> Answers | None:
        """Return the answers if a vote among them means something: they repeat, and equal ones have one verdict."""
        if self.verdicts is None or (
            self.conflicts[0] and self.report.options.get("on_conflict") != "majority"
        ):
            return None
        try:
            refuse_scatter(self.verdicts, "cons@k")
        except InputError:
            return None
        return self.answers

    @property
    def counts(self) -> VoteCounts | None:
        """Return the votes for each answer, if a vote means something."""
        return None if self.votes is None else self.all_votes

    def write(self, key: Key) -> str:
        """Write a value with its interval."""
        return make_cell(self.values[key], self.bars[key]).join(str)

    def estimate(self, values: Floats, kept: NDArray[np.bool_] | None = None) -> Estimate:
        """Estimate the mean of values in [0, 1], one per problem."""
        clusters = self.report.clusters
        if kept is not None:
            values = values[kept]
            if clusters is not None:
                clusters = [label for label, here in zip(clusters, kept, strict=True) if here]
        mean = float(values.mean())
        low, high = interval(
            mean, *standard_error(values, clusters=clusters), confidence_level=self.confidence_level
        )
        return Estimate(mean, float(low), float(high))

    def compare(self, a: Floats, b: Floats) -> Estimate:
        """Estimate the difference of two means over the same problems."""
        return Estimate(
            *(2 * end - 1 for end in self.estimate((1 + np.asarray(a) - np.asarray(b)) / 2))
        )

    def compare_keys(self, one: str, other: str) -> Estimate:
        """Estimate the difference of two metrics at their largest k."""
        a, b = (self.columns[self.keys[metric]].expand() for metric in (one, other))
        return self.compare(a, b)


# A rule looks at a report, notes its figures, and says what it found.
Rule = Callable[[Findings], Iterator[Message]]


def quote(problem: str) -> str:
    """Quote the name of a problem."""
    return f"“{problem if len(problem) <= 40 else problem[:39] + '…'}”"
