"""Compute the metrics that judged samples allow, and gather their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

import at_k
from at_k import summary
from at_k.columns import flag_samples
from at_k.combinatorics import Ints
from at_k.computation import choose_k
from at_k.error_bars import NO_ERROR_BARS, Confidence, find_error_bars
from at_k.errors import InputError, Message
from at_k.estimators.consensus import VoteConflictError
from at_k.family import FAMILY, Metric
from at_k.report.curves import draw_curves, spread_k
from at_k.report.data import Curves
from at_k.report.judging import Judged, name_samples
from at_k.report.notes import ConflictError, LeftOutError, ask_for_scores, place_sample, refuse_scatter
from at_k.values import Column, Key, Values


@dataclass(frozen=True)
class Measurement:
    """Compute metrics of the same samples.

    Attributes:
        judged: the samples.
        options: the options of all metrics.
        seed: the seed of simulations.
        times: how many problems each of these stands for; None for one each.
    """

    judged: Judged
    options: Mapping[str, Any]
    seed: int
    times: Ints | None = None

    def compute_all(self, wanted: Sequence[Metric]) -> tuple[dict[str, Values], dict[str, Message]]:
        """Compute the metrics that the data allow. Return them, and for each of the others the reason."""
        found: dict[str, Values] = {}
        left_out: dict[str, Message] = {}
        for metric in wanted:
            try:
                found[metric.name] = self.compute(metric)
            except LeftOutError as reason:  # noqa: PERF203 - there are a handful
                left_out[metric.name] = reason.message
        if not found:
            first = next(iter(left_out.values()))
            raise InputError(first.code, first.sentence, **first.values)
        return found, left_out

    def compute(self, metric: Metric, **changes: Any) -> Values:
        """Compute one metric, or raise `LeftOutError`."""
        problems, verdicts = self.judged.problems, self.judged.verdicts
        own = metric.own({**self.options, **changes})
        if metric.votes:
            refuse_scatter(verdicts, metric.title, self.times)
            with self.explain_conflict(metric):
                return metric.compute(verdicts, seed=self.seed, **own)
        if not metric.needs_scores:
            return metric.compute(verdicts, **own)
        if problems.scores is None:
            raise ask_for_scores(metric.title)
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

    @contextmanager
    def explain_conflict(self, metric: Metric) -> Iterator[None]:
        """Turn a conflict of votes into the reason why a metric is left out, with the places in the data."""
        problems, kept = self.judged.problems, self.judged.verdicts.kept
        try:
            yield
        except VoteConflictError as reason:
            if problems.answers is None:
                raise
            given = problems.answers.codes
            start, stop = given.offsets[reason.values["problem"] :][:2]
            here = np.arange(start, stop) if kept is None else start + np.flatnonzero(kept[start:stop])
            column = name_samples(problems)
            raise ConflictError(
                "left_out.conflict",
                "{title} is left out: the answer {answer} has two verdicts in one problem ({first}; {second}). "
                "{option:on_conflict=majority} lets most of these samples decide.",
                title=metric.title,
                answer=reason.values["answer"],
                first=place_sample(column, given, here[reason.values["first"]]),
                second=place_sample(column, given, here[reason.values["second"]]),
            ) from None

    def compute_at(self, names: Iterable[str], k: Sequence[int]) -> list[Values]:
        """Compute the values of each problem, at each k for the metrics that have a k."""
        return [self.compute(FAMILY[name], **({"k": list(k)} if FAMILY[name].default_k else {})) for name in names]

    def find_grid(self, names: Iterable[str]) -> tuple[int, ...]:
        """Find the k at which metrics are drawn: those of the table, and others up to the smallest n."""
        n, defaults = self.judged.verdicts.n, [FAMILY[name].default_k for name in names]
        asked = {each for default in defaults if default for each in choose_k(self.options["k"], n, default)}
        smallest = int(n.min())
        return tuple(sorted({*spread_k(smallest), *asked, smallest}))

    def draw(self, names: Iterable[str], grid: tuple[int, ...], confidence: Confidence) -> Curves:
        """Draw metrics against k."""
        verdicts = self.judged.verdicts
        drawn = [(grid, lambda draws, name=name: self.compute(FAMILY[name], k=list(draws))) for name in names]
        # Bands for other samples would need a jackknife at every k, and the bootstrap takes too long.
        quick = confidence.target == "population" and confidence.method != "bootstrap"
        equal_n = bool((verdicts.n == verdicts.n[0]).all())
        wanted = confidence if quick else NO_ERROR_BARS
        return draw_curves(grid, drawn, equal_n=equal_n, confidence=wanted, times=self.times)

    def gather(self, found: Mapping[str, Values], labels: list[str] | None, confidence: Confidence) -> dict[str, Any]:
        """Gather the values of all metrics: of each problem, and their means over all problems and over each group."""
        verdicts, times = self.judged.verdicts, self.times
        columns = {key: column for values in found.values() for key, column in values.columns.items()}
        errors = {key: error for values in found.values() for key, error in values.errors.items()}
        members = {} if labels is None else summary.find_members(labels)
        means = summary.average(columns, times=times)
        listed = sorted(members, key=split_numbers)
        groups = {label: summary.average(columns, members[label], times) for label in listed}

        @cache
        def vary() -> dict[Key, Column]:
            return {key: each for values in found.values() if values.vary for key, each in values.vary().items()}

        find = partial(find_error_bars, columns, wanted=confidence, n=verdicts.n, vary=vary, times=times)
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
            "sizes": {label: len(own) if times is None else int(times[own].sum()) for label, own in members.items()},
            "columns": columns,
            "errors": {key: summary.average_error(error, times=times) for key, error in errors.items()},
            "metrics": {name: list(values.columns) for name, values in found.items()},
            "sign": lambda: {name: sign(values, name=name) for name, values in found.items()},
        }


def split_numbers(label: str) -> list[tuple[int, int | str]]:
    """Split a label at its numbers, so that Level 2 is sorted before Level 10."""
    return [(0, int(part)) if i % 2 else (1, part) for i, part in enumerate(re.split(r"(\d{1,15})", label))]
