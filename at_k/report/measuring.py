"""Compute the metrics that judged samples allow, also against k, and gather their numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, TypeVar

import numpy as np

import at_k
from at_k import computation, summary
from at_k.columns import flag_samples
from at_k.combinatorics import Ints
from at_k.computation import Metric, choose_k
from at_k.errors import InputError, Message, Phrases
from at_k.estimators.consensus import VoteConflictError
from at_k.family import FAMILY, OUTPUTS
from at_k.grading import Verdicts
from at_k.report.data import Curves, Judged
from at_k.report.judging import name_samples
from at_k.report.naming import choose_numbers, is_average, is_sum, list_terms, make_absent
from at_k.report.notes import (
    VOTE_OF_GRADES,
    ConflictError,
    LeftOutError,
    ask_for_scores,
    explain_intervals,
    explain_odd_k,
    note_scatter,
    place_sample,
    refuse_scatter,
    write_notes,
)
from at_k.samples import Ragged
from at_k.summary import NO_ERROR_BARS, Confidence, find_error_bars
from at_k.values import Column, ErrorBar, Key, Values

_say = Phrases(
    {
        "stopped.undefined": "{title} is left out: where sampling stopped at the first success, "
        "pass@k alone is defined.",
        "left_out.no_answers": "{title} is left out: it needs answers. {option:metrics=cons@k} "
        "counts it from grades.",
        "left_out.no_score": "{title} is left out: a sample has no score ({place}).",
        "left_out.scores": "{title} is left out: {reason}",
        "left_out.conflict": "{title} is left out: the answer {answer} has two verdicts in one "
        "problem ({first}; {second}). {option:on_conflict=majority} lets most of these samples "
        "decide.",
        "note.reasons": "Why samples are missing: {reasons}.",
        "note.policies": "pass@1 is {dropped} without the missing samples, and {wrong} where they "
        "count as wrong.",
    }
)


# Up to this n, a curve has a point for every k.
_POINTS = 64


def spread_k(n: int, *others: int) -> tuple[int, ...]:
    """List the k of a curve up to n: all of them, or, for large n, k that are evenly spread on a logarithmic axis.

    Examples:
        >>> spread_k(4), spread_k(1000)[:3], spread_k(1000)[-2:]
        ((1, 2, 3, 4), (1, 2, 3), (896, 1000))
    """
    if n <= _POINTS:
        return tuple(range(1, n + 1))
    spread = np.geomspace(1, n, _POINTS).round().astype(int).tolist()
    return tuple(sorted({*spread, *others}))


_Point = TypeVar("_Point")


def join_points(
    grid: Sequence[int], points: Mapping[Key, _Point]
) -> dict[Key, tuple[_Point | None, ...]]:
    """Join the points of each line; None where it has none. A point without k belongs to every k."""
    lines: dict[Key, dict[int | None, _Point]] = {}
    for key, point in points.items():
        lines.setdefault(key.line, {})[key.draws] = point
    joined = {}
    for line, row in lines.items():
        joined[line] = tuple(row.get(k, row.get(None)) for k in grid)
    return joined


@dataclass(frozen=True)
class Measurement:
    """Compute metrics of the same samples.

    Attributes:
        judged: the samples.
        options: the options of all metrics.
        confidence: the intervals.
        times: how many problems each of these represents; None for one each.
        found: the values of the metrics that were computed.
    """

    judged: Judged
    options: Mapping[str, Any]
    confidence: Confidence = NO_ERROR_BARS
    times: Ints | None = None
    found: dict[str, Values] = field(default_factory=dict)

    def compute(self, metric: Metric, **changes: Any) -> Values:
        """Compute one metric, or raise `LeftOutError`."""
        problems, verdicts = self.judged.problems, self.judged.verdicts
        options = metric.own({**self.options, **changes})
        if verdicts.stopped and metric.name != "pass_at_k":
            raise _say.error("stopped.undefined", LeftOutError, title=metric.title)
        if metric.votes:
            if self.options.get("metrics") is None:
                self.refuse_vote(metric.title)
            if self.judged.weights is not None:
                options["weights"] = self.judged.weights
            with self.explain_conflict(metric):
                return metric.compute(verdicts, seed=self.options["seed"], **options)
        if not metric.needs_scores:
            return metric.compute(verdicts, **options)
        if problems.scores is None:
            raise ask_for_scores(metric.title)
        absent = flag_samples(np.isnan(problems.scores.values))
        if verdicts.kept is not None:
            absent &= verdicts.kept
        if absent.any():
            raise _say.error(
                "left_out.no_score",
                LeftOutError,
                title=metric.title,
                place=place_sample("scores", problems.scores, int(np.argmax(absent))),
            )
        try:
            return metric.compute(
                verdicts, scores=problems.scores, seed=self.options["seed"], **options
            )
        except ValueError as reason:
            raise _say.error(
                "left_out.scores", LeftOutError, title=metric.title, reason=str(reason)
            ) from None

    def note_scatter(self) -> Iterator[Message]:
        """Say of a vote that was computed that hardly any answers repeat."""
        if any(FAMILY[name].votes for name in self.found):
            yield from note_scatter(self.judged.verdicts, self.times)

    def refuse_vote(self, title: str) -> None:
        """Raise if a vote that was not asked for would say nothing."""
        if self.judged.verdicts.answers is None:
            raise _say.error("left_out.no_answers", LeftOutError, title=title)
        refuse_scatter(self.judged.verdicts, title, self.times)

    @contextmanager
    def explain_conflict(self, metric: Metric) -> Iterator[None]:
        """Turn a conflict of votes into the reason why a metric is left out, with the places in the data."""
        problems, kept = self.judged.problems, self.judged.verdicts.kept
        try:
            yield
        except VoteConflictError as reason:
            if problems.answers is None:
                raise
            codes = problems.answers.codes
            start, stop = codes.offsets[reason.values["problem"] :][:2]
            if kept is None:
                here = np.arange(start, stop)
            else:
                here = start + np.flatnonzero(kept[start:stop])
            column = name_samples(problems)
            raise _say.error(
                "left_out.conflict",
                ConflictError,
                title=metric.title,
                answer=reason.values["answer"],
                first=place_sample(column, codes, here[reason.values["first"]]),
                second=place_sample(column, codes, here[reason.values["second"]]),
            ) from None

    def compute_at(self, k: Sequence[int]) -> list[Values]:
        """Compute the values of each problem, at each k for the metrics that have a k."""
        return [
            self.compute(FAMILY[name], **({"k": list(k)} if FAMILY[name].default_k else {}))
            for name in self.found
        ]

    def average(self) -> dict[str, dict[Any, Any]]:
        """Average the values over all problems and over each group, with their error bars."""
        judged, times = self.judged, self.times
        columns: dict[Key, Column] = {}
        errors = {}
        for values in self.found.values():
            columns |= values.columns
            for key, error in values.errors.items():
                errors[key] = summary.average_error(error, times=times)
        members = {}
        if judged.labels is not None:
            members = summary.find_members(judged.labels)
        means = summary.average(columns, times=times)
        groups = {}
        for label in sorted(members, key=split_numbers):
            groups[label] = summary.average(columns, members[label], times)

        @cache
        def vary() -> dict[Key, Column]:
            listed = [values.vary() for values in self.found.values() if values.vary]
            return {key: column for columns in listed for key, column in columns.items()}

        find = partial(
            find_error_bars,
            columns,
            wanted=self.confidence,
            n=judged.verdicts.n,
            vary=vary,
            times=times,
        )
        bars = {label: find(here, problems=members[label]) for label, here in groups.items()}
        sizes = {label: len(here) for label, here in members.items()}
        if times is not None:
            sizes = {label: int(times[here].sum()) for label, here in members.items()}
        return {
            "values": means,
            "intervals": find(means),
            "groups": groups,
            "group_intervals": bars,
            "sizes": sizes,
            "columns": columns,
            "errors": errors,
        }

    def sign(self) -> dict[str, str]:
        """Write the signature of each metric."""
        sign = partial(
            computation.sign,
            verdicts=self.judged.verdicts,
            conditions=self.confidence.conditions() | self.judged.conditions,
            seed=self.options["seed"],
            version=at_k.__version__,
        )
        return {name: sign(values, name=name) for name, values in self.found.items()}


def compute_all(
    wanted: Iterable[Metric], choose: Callable[[Metric], Measurement | Message]
) -> dict[str, Message]:
    """Compute the metrics that the data allow, and return for each of the others the reason."""
    left_out: dict[str, Message] = {}
    parts: dict[int, Measurement] = {}
    for metric in wanted:
        part = choose(metric)
        if isinstance(part, Message):
            left_out[metric.name] = part
            continue
        try:
            part.found[metric.name] = part.compute(metric)
            parts[id(part)] = part
        except LeftOutError as reason:
            left_out[metric.name] = reason.message
    if not parts:
        raise make_left_out(left_out)
    for part in parts.values():
        if part.options["metrics"] is not None:
            _choose(part.found, part.options["metrics"])
    return left_out


def _choose(found: dict[str, Values], asked: Mapping[str, Key | None]) -> None:
    """Keep the numbers that were asked for; a weighted sum takes the place of the first of its terms."""
    columns = {key: column for values in found.values() for key, column in values.columns.items()}
    errors = {key: error for values in found.values() for key, error in values.errors.items()}
    named = {name: key for name, key in asked.items() if key is None or not is_sum(key)}
    for name, values in found.items():
        kept = {key: values.columns[key] for key in choose_numbers(named, values.columns)}
        found[name] = replace(values, columns=kept)
    for key in asked.values():
        if key is None or not is_sum(key):
            continue
        terms: dict[Key, float] = {}
        for term, weight in list_terms(key).items():
            held = choose_numbers({term: term}, columns)
            if not held or held[0].k != term.k is not None:
                raise make_absent(term, columns)
            terms[held[0]] = weight
        first = next(iter(terms)).metric
        place = next(name for name in found if first in FAMILY[name].metrics)
        mixed = sum(weight * columns[term].expand() for term, weight in terms.items())
        known = [(weight * errors[term]) ** 2 for term, weight in terms.items() if term in errors]
        squares = sum(known)
        values = replace(found[place], columns=found[place].columns | {key: Column.of(mixed)})
        if np.any(squares):
            values = replace(values, errors=values.errors | {key: np.sqrt(squares)})
        found[place] = values
    for name in [name for name, values in found.items() if not values.columns]:
        del found[name]


def make_left_out(left_out: Mapping[str, Message]) -> InputError:
    """Make the error for data of which every metric is left out: the first reason."""
    first = next(iter(left_out.values()))
    return InputError(first.code, first.sentence, **first.values)


def gather(parts: Sequence[Measurement]) -> dict[str, Any]:
    """Gather what a report holds, but for the options: every number, and what a reader should know of them."""
    whole = parts[0]
    used = [part for part in parts if part.found]
    judged, verdicts, times = whole.judged, whole.judged.verdicts, whole.times
    metrics: dict[str, list[Key]] = {}
    for name in FAMILY:
        keys = [key for part in used if name in part.found for key in part.found[name].columns]
        if keys:
            metrics[name] = keys
    order = [key for keys in metrics.values() for key in keys]
    averages = [part.average() for part in used]

    def join(name: str, label: str | None = None) -> dict[Key, Any]:
        joined: dict[Key, Any] = {}
        for average in averages:
            if label is None:
                joined |= average[name]
            else:
                joined |= average[name][label]
        return {key: joined[key] for key in order if key in joined}

    values = join("values")
    intervals = join("intervals")
    for key in (whole.options.get("metrics") or {}).values():
        if key is not None and is_average(key) and key not in values:
            raise make_absent(key, values)
    groups = averages[0]["groups"]
    gathered = {
        "values": values,
        "intervals": intervals,
        "groups": {label: join("groups", label) for label in groups},
        "group_intervals": {label: join("group_intervals", label) for label in groups},
        "sizes": averages[0]["sizes"],
        "problems": judged.names,
        "labels": judged.labels,
        "n": verdicts.n.tolist(),
        "c": verdicts.c.tolist(),
        "n_missing": verdicts.n_missing,
        "errors": join("errors"),
        "metrics": metrics,
        "notes": list(_list_notes(used, whole, values, intervals)),
        "sign": lambda: {name: text for part in used for name, text in part.sign().items()},
        "source": judged.source,
        "origin": judged.origin,
        "rows": judged.rows,
        "draw_curves": lambda: draw_all(used, find_grid(whole, metrics)),
    }
    if times is not None:  # one row represents many problems, so that none has a value of its own
        return gathered | {"times": times.tolist(), "columns": {}, "compute_at": None}
    return gathered | {
        "times": None,
        "columns": join("columns"),
        "compute_at": lambda k: [item for part in used for item in part.compute_at(k)],
    }


def _list_notes(
    used: Sequence[Measurement],
    whole: Measurement,
    values: Mapping[Key, float],
    intervals: Mapping[Key, ErrorBar],
) -> Iterator[Message]:
    judged = whole.judged
    voted = any(FAMILY[name].votes for name in whole.found)
    yield from explain_intervals(intervals, whole.confidence, judged.labels)
    yield from write_notes(judged, whole.options["check_correct_fn"], voted=voted)
    if voted and judged.verdicts.ballots is None:
        yield VOTE_OF_GRADES
    if whole.options.get("metrics") is not None:
        yield from explain_odd_k(values)
        for part in used:
            yield from part.note_scatter()


def write_policies(part: Measurement) -> Iterator[Message]:
    """Yield the reasons for missing samples, and the share of correct samples under both policies."""
    judged, verdicts = part.judged, part.judged.verdicts
    if judged.reasons:
        unknown = verdicts.n_missing + judged.unjudged_samples - sum(judged.reasons.values())
        listed = dict(judged.reasons)
        if unknown > 0:
            listed["unknown"] = unknown
        reasons = ", ".join(f"{name} {count:,}" for name, count in listed.items())
        yield _say("note.reasons", reasons=reasons)
    absent = [grades.with_values(np.isnan(grades.values)).sums() for grades in verdicts.graded]
    present = verdicts.n
    if verdicts.kept is None:
        present = verdicts.given - np.concatenate(absent)
    gone = np.zeros(judged.unjudged, dtype=np.int64)
    clusters = None
    if judged.clusters is not None:
        clusters = [*judged.clusters, *(f"problem {i}" for i in range(len(gone)))]
    dropped = _measure(part, present, verdicts.c, clusters)
    given = np.append(verdicts.given, gone + 1)
    c = np.append(verdicts.c, gone)
    wrong = _measure(part, given, c, clusters)
    if dropped is not None:
        yield _say("note.policies", dropped=dropped, wrong=wrong)


def _measure(part: Measurement, n: Ints, c: Ints, clusters: list[str] | None) -> str | None:
    """Write the share of correct samples with its interval; None without samples."""
    kept = n > 0
    if not kept.any():
        return None
    n = n[kept]
    c = c[kept]
    ends = np.cumsum(n)
    flags = np.arange(ends[-1]) - np.repeat(ends - n, n) < np.repeat(c, n)
    verdicts = Verdicts((Ragged.of_lengths(flags.astype(np.float64), n),), 0.5, n, 0)
    labels = None
    if clusters is not None:
        labels = [label for label, here in zip(clusters, kept, strict=False) if here]
    judged = replace(part.judged, verdicts=verdicts, labels=None)
    wanted = replace(part.confidence, clusters=labels)
    numbers = Measurement(
        judged, part.options, wanted, found={"": computation.compute_average(verdicts)}
    ).average()
    (value,) = (value for key, value in numbers["values"].items() if key.metric == "avg@n")
    limits = [
        f" [{bar.low:.3f}, {bar.high:.3f}]"
        for key, bar in numbers["intervals"].items()
        if key.metric == "avg@n"
    ]
    return f"{value:.3f}{''.join(limits)}"


def find_grid(whole: Measurement, names: Iterable[str]) -> tuple[int, ...]:
    """Find the k at which metrics are drawn: those of the table, and others up to the smallest n."""
    n = whole.judged.verdicts.drawn
    defaults = [FAMILY[name].default_k for name in names]
    asked = {k for default in defaults if default for k in choose_k(whole.options["k"], n, default)}
    smallest = int(n.min())
    return tuple(sorted({*spread_k(smallest), *asked, smallest}))


def draw_all(parts: Sequence[Measurement], grid: tuple[int, ...]) -> Curves:
    """Draw the metrics of all parts against k, with confidence bands for similar problems."""
    lines: dict[Key, Sequence[float | None]] = {}
    bands: dict[Key, Sequence[tuple[float, float] | None]] = {}
    for name, part in ((name, part) for name in FAMILY for part in parts if name in part.found):
        # Bands for other samples would need a jackknife at every k.
        quick = part.confidence.target == "population"
        values = part.compute(FAMILY[name], k=list(grid))
        # Numbers that are no shares, or repeat a share without its threshold, have no line.
        columns = {
            key: column for key, column in values.columns.items() if OUTPUTS[key.metric].style
        }
        means = summary.average(columns, times=part.times)
        bars = find_error_bars(
            columns, means, part.confidence if quick else NO_ERROR_BARS, times=part.times
        )
        lines |= join_points(grid, means)
        bands |= join_points(grid, {key: (bar.low, bar.high) for key, bar in bars.items()})
    n = parts[0].judged.verdicts.n
    return Curves(grid, lines, bool((n == n[0]).all()), bands)


def split_numbers(label: str) -> list[tuple[int, int | str]]:
    """Split a label at its numbers, so that Level 2 is sorted before Level 10."""
    return [
        (0, int(part)) if i % 2 else (1, part)
        for i, part in enumerate(re.split(r"(\d{1,15})", label))
    ]
