"""Compute the metrics that judged samples allow, and gather their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

import at_k
from at_k import summary
from at_k.caching import cached_property
from at_k.columns import flag_samples
from at_k.computation import choose_k
from at_k.error_bars import NO_ERROR_BARS, Confidence, find_error_bars
from at_k.errors import InputError, Message
from at_k.estimators.consensus import VoteConflictError
from at_k.family import FAMILY, Metric
from at_k.limits import Limits
from at_k.report.curves import draw_curves, spread_k
from at_k.report.data import Curves
from at_k.report.effort import find_longest_vote
from at_k.report.judging import Judged, name_samples
from at_k.report.notes import LeftOutError, place_sample, refuse_late, refuse_much, refuse_scatter
from at_k.validation import check_tau
from at_k.values import Column, Key, Values


@dataclass(frozen=True)
class Measurement:
    """Compute metrics of the same samples.

    Attributes:
        judged: the samples.
        options: the options of all metrics.
        seed: the seed of simulations.
        limits: the most that is accepted.
        started: when the work began.
    """

    judged: Judged
    options: Mapping[str, Any]
    seed: int
    limits: Limits
    started: float

    @cached_property
    def longest(self) -> float:
        """Return the largest k up to which a vote may be counted."""
        return find_longest_vote(self.judged.verdicts, self.limits.vote_seconds)

    def compute_all(self, wanted: Sequence[Metric]) -> tuple[dict[str, Values], dict[str, Message]]:
        """Compute the metrics that the data allow. Return them, and for each of the others the reason."""
        found: dict[str, Values] = {}
        left_out: dict[str, Message] = {}
        for metric in wanted:
            refuse_late(self.started, self.limits)
            refuse_much(self.judged.verdicts, metric, dict(self.options), self.limits)
            try:
                found[metric.name] = self.compute(metric)
            except LeftOutError as reason:
                left_out[metric.name] = reason.message
        if not found:
            first = next(iter(left_out.values()))
            raise InputError(first.code, first.sentence, **first.values)
        return found, left_out

    def compute(self, metric: Metric, **changes: Any) -> Values:
        """Compute one metric, or raise `LeftOutError`."""
        problems, verdicts = self.judged.problems, self.judged.verdicts
        own = metric.own({**self.options, **changes})
        draws = () if metric.default_k is None else choose_k(own.get("k"), verdicts.n, metric.default_k)
        if metric.votes:
            refuse_scatter(verdicts, metric.title)
            if draws and max(draws) > self.longest:
                raise LeftOutError(
                    "left_out.vote_too_long",
                    "{title} is left out: an exact vote up to k = {k} over so many samples takes too long here. Ask "
                    "for smaller k, or score on your own machine.",
                    title=metric.title, k=max(draws),
                )  # fmt: skip
            return self._compute_vote(metric, own)
        if not metric.needs_scores:
            return metric.compute(verdicts, **own)
        if problems.scores is None:
            raise LeftOutError(
                "left_out.no_scores", "{title} is left out: it needs a score for every sample.", title=metric.title
            )
        absent = flag_samples(np.isnan(problems.scores.values))
        if verdicts.kept is not None:
            absent &= verdicts.kept
        if absent.any():
            raise LeftOutError(
                "left_out.no_score",
                "{title} is left out: a sample has no score ({place}).",
                title=metric.title,
                place=place_sample("scores", problems.scores, int(np.argmax(absent))),
            )
        try:
            return metric.compute(verdicts, scores=problems.scores, seed=self.seed, **own)
        except ValueError as reason:
            raise LeftOutError(
                "left_out.scores", "{title} is left out: {reason}", title=metric.title, reason=str(reason)
            ) from None

    def _compute_vote(self, metric: Metric, own: dict[str, Any]) -> Values:
        problems, kept = self.judged.problems, self.judged.verdicts.kept
        try:
            return metric.compute(self.judged.verdicts, seed=self.seed, **own)
        except VoteConflictError as reason:
            if problems.answers is None:
                raise
            given = problems.answers.codes
            start, stop = given.offsets[reason.values["problem"] :][:2]
            here = np.arange(start, stop) if kept is None else start + np.flatnonzero(kept[start:stop])
            column = name_samples(problems)
            raise LeftOutError(
                "left_out.conflict",
                "{title} is left out: the answer {answer} has two verdicts in one problem ({first}; {second}). "
                "{option:on_conflict=majority} lets most of these samples decide.",
                title=metric.title,
                answer=reason.values["answer"],
                first=place_sample(column, given, here[reason.values["first"]]),
                second=place_sample(column, given, here[reason.values["second"]]),
            ) from None

    def draw(self, names: Iterable[str], confidence: Confidence) -> Curves:
        """Draw metrics against k: at the k of the table, and at others up to the smallest n, as the limits allow."""
        verdicts, shown, limits = self.judged.verdicts, [FAMILY[name] for name in names], self.limits
        k = self.options["k"]
        asked = {each for metric in shown if metric.default_k for each in choose_k(k, verdicts.n, metric.default_k)}
        smallest = int(verdicts.n.min())
        grid = spread_k(smallest)
        if limits.max_tables is not None:
            lines = len(check_tau(self.options["thresholds"])) + 4
            room = max(1, limits.max_tables // (len(np.unique(verdicts.n)) * lines) - len(asked))
            grid = grid[:: -(-len(grid) // room)]
        grid = tuple(sorted({*grid, *asked, smallest}))
        drawn = [
            (
                [each for each in grid if not metric.votes or each <= self.longest],
                lambda draws, metric=metric: self.compute(metric, k=list(draws)),
            )
            for metric in shown
        ]
        # Bands for other samples would need a jackknife at every k, and the bootstrap takes too long.
        quick = confidence.target == "population" and confidence.method != "bootstrap"
        equal_n = bool((verdicts.n == verdicts.n[0]).all())
        return draw_curves(grid, drawn, equal_n=equal_n, confidence=confidence if quick else NO_ERROR_BARS)

    def gather(self, found: Mapping[str, Values], labels: list[str] | None, confidence: Confidence) -> dict[str, Any]:
        """Gather the values of all metrics: of each problem, and their means over all problems and over each group."""
        verdicts = self.judged.verdicts
        columns = {key: column for values in found.values() for key, column in values.columns.items()}
        errors = {key: error for values in found.values() for key, error in values.errors.items()}
        members = {prefix[:-1]: own for prefix, own in summary.find_members(labels, len(verdicts)).items()}
        means = summary.average(columns)
        groups = {label: summary.average(columns, members[label]) for label in sorted(members, key=_split_numbers)}

        @cache
        def vary() -> dict[Key, Column]:
            return {key: each for values in found.values() if values.vary for key, each in values.vary().items()}

        find = partial(find_error_bars, columns, wanted=confidence, n=verdicts.n, vary=vary)
        sign = partial(
            summary.sign,
            verdicts=verdicts,
            seed=self.seed,
            version=at_k.__version__,
            reading=self.judged.conditions,
            wanted=confidence,
        )
        return {
            "values": means,
            "intervals": find(means),
            "groups": groups,
            "group_intervals": {label: find(own, problems=members[label]) for label, own in groups.items()},
            "sizes": {label: len(own) for label, own in members.items()},
            "by_problem": {key: column.expand().tolist() for key, column in columns.items()},
            "errors": {key: summary.average_error(error) for key, error in errors.items()},
            "metrics": {name: list(values.columns) for name, values in found.items()},
            "signatures": {name: sign(values, name=name) for name, values in found.items()},
        }


def _split_numbers(label: str) -> list[tuple[int, int | str]]:
    """Split a label at its numbers, so that Level 2 is sorted before Level 10."""
    return [(0, int(part)) if i % 2 else (1, part) for i, part in enumerate(re.split(r"(\d{1,15})", label))]
