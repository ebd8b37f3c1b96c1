"""What the rules of a diagnosis look at, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from at_k.caching import cached_property
from at_k.combinatorics import Floats
from at_k.error_bars import Confidence, find_error_bars
from at_k.errors import InputError
from at_k.estimators.consensus import VoteCounts, count_votes
from at_k.grading import Verdicts
from at_k.problems import Problems
from at_k.report import Report
from at_k.report.grid import write_estimate
from at_k.report.notes import refuse_scatter
from at_k.samples import Answers, Ragged
from at_k.uncertainty.calibration import Calibration, measure_calibration, measure_vote_shares
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.standard_errors import standard_error
from at_k.validation import shorten
from at_k.values import Column, ErrorBar, Key

FAR = 0.05
"""A difference of at most this is not worth a sentence, even if it is shown: one problem in twenty."""

_LEVEL = 0.95
"""The level of the intervals if the report has none."""


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
        shown, least, most = (f"{each + 0.0:+.3f}".replace("-", "−") for each in self)
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
        if report.samples is not None:
            self.problems, self.verdicts = report.samples
        self.n, self.c = np.array(report.n), np.array(report.c)
        self.confidence_level: float = report.options.get("confidence_level") or _LEVEL

    @cached_property
    def keys(self) -> dict[str, Key]:
        """Find the values that are compared: pass@k and cons@k at the largest k, and avg@n."""
        found: dict[str, Key] = {}
        for key in self.report.values:
            older = found.get(key.metric)
            if key.metric in ("pass@k", "cons@k", "avg@n") and (older is None or (key.k or 0) > (older.k or 0)):
                found[key.metric] = key
        return found

    @cached_property
    def bars(self) -> Mapping[Key, ErrorBar]:
        """Return the intervals of these values: those of the report or, if it has none, those of the default level."""
        if self.report.intervals:
            return self.report.intervals
        columns = {key: Column.of(self.report.by_problem[key]) for key in self.keys.values()}
        means = {key: self.report.values[key] for key in columns}
        return find_error_bars(columns, means, Confidence(_LEVEL, clusters=self.report.clusters))

    @cached_property
    def conflicts(self) -> tuple[int, str, int]:
        """Count the problems in which an answer has two verdicts, and give such an answer and its problem."""
        if self.verdicts is None or self.verdicts.answers is None:
            return 0, "", -1
        codes, distinct = self.verdicts.answers.codes, self.verdicts.answers.distinct
        cast = codes.values >= 0
        pairs = codes.problem[cast] * len(distinct) + codes.values[cast]
        found, which, count = np.unique(pairs, return_inverse=True, return_counts=True)
        right = np.bincount(which, weights=self.verdicts.correct.values[cast], minlength=len(found))
        mixed = found[(right > 0) & (right < count)]
        if not len(mixed):
            return 0, "", -1
        problem, code = divmod(int(mixed[0]), len(distinct))
        return len(np.unique(mixed // len(distinct))), shorten(distinct[code]), problem

    @cached_property
    def votes(self) -> Answers | None:
        """Return the answers if a vote among them means something: they repeat, and equal ones have one verdict."""
        if self.verdicts is None or self.verdicts.answers is None:
            return None
        if self.conflicts[0] and self.report.options.get("on_conflict") != "majority":
            return None
        try:
            refuse_scatter(self.verdicts, "cons@k")
        except InputError:
            return None
        return self.verdicts.answers

    @cached_property
    def counts(self) -> VoteCounts | None:
        """Count the votes for each answer."""
        if self.votes is None or self.verdicts is None:
            return None
        return count_votes(self.votes, self.verdicts.correct.values, "majority", "grades")

    @cached_property
    def vote_shares(self) -> tuple[Floats, Floats] | None:
        """Return the share of each problem's leading answer, and whether it is correct."""
        if self.votes is None or self.verdicts is None:
            return None
        return measure_vote_shares(self.votes.listed(), list_rows(self.verdicts.correct), on_conflict="majority")

    @cached_property
    def confidences(self) -> tuple[Floats, Floats] | None:
        """Return the score of each sample, and whether it is correct, if all scores could be confidences."""
        if self.problems is None or self.verdicts is None or self.problems.scores is None:
            return None
        scores, kept = self.problems.scores.values, self.verdicts.kept
        if scores.ndim > 1 or self.report.options.get("higher_is_better") is False:
            return None
        scores = scores if kept is None else scores[kept]
        if not ((scores >= 0) & (scores <= 1)).all():
            return None
        return scores, self.verdicts.correct.values.astype(np.float64)

    def write(self, key: Key) -> str:
        """Write a value with its interval."""
        return " ".join(write_estimate(self.report.values[key], self.bars[key]))

    def estimate(self, values: Floats, kept: NDArray[np.bool_] | None = None) -> Estimate:
        """Estimate the mean of values in [0, 1], one per problem.

        Args:
            values: one value per problem.
            kept: the problems that count; all of them by default.
        """
        clusters = self.report.clusters
        if kept is not None:
            values = values[kept]
            clusters = None if clusters is None else [label for label, own in zip(clusters, kept, strict=True) if own]
        mean = float(values.mean())
        low, high = interval(mean, *standard_error(values, clusters=clusters), confidence_level=self.confidence_level)
        return Estimate(mean, float(low), float(high))

    def compare(self, a: Floats, b: Floats) -> Estimate:
        """Estimate the difference of two means over the same problems."""
        return Estimate(*(2 * each - 1 for each in self.estimate((1 + np.asarray(a) - np.asarray(b)) / 2)))

    def list_values(self, key: Key) -> Floats:
        """List the values of a key, one per problem."""
        return np.array(self.report.by_problem[key])

    @cached_property
    def calibrations(self) -> dict[str, dict[str, Calibration]]:
        """Measure the calibration of all confidences that there are."""
        pairs = {"vote": self.vote_shares, "score": self.confidences}
        return {
            name: {binning: measure_calibration(*pair, binning=binning) for binning in ("width", "mass")}
            for name, pair in pairs.items()
            if pair is not None
        }


def quote(problem: str) -> str:
    """Quote the name of a problem."""
    return f"“{problem if len(problem) <= 40 else problem[:39] + '…'}”"


def list_rows(samples: Ragged) -> object:
    """List rows; those of one length as a table, which is read as a whole."""
    return samples.listed() if samples.width is None else samples.values.reshape(len(samples), samples.width)
