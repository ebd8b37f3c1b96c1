"""Count the problems of data: in memory, from files, or with an engine that counts where the samples are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k import summary
from at_k.computation import compute_average, powers_of_two
from at_k.engines import Engine, Rows, choose_roles, find_engine
from at_k.errors import InputError, Mention, Message
from at_k.estimators.consensus import count_votes
from at_k.family import FAMILY
from at_k.options import JUDGING_OPTIONS, PILOT, TALLYING
from at_k.report.curves import spread_k
from at_k.report.frames import read_labels
from at_k.report.judging import Judged, judge_data
from at_k.report.measuring import Measurement
from at_k.report.notes import LeftOutError
from at_k.report.states import ACCURACY, Measures, Problem, add_up, choose_names
from at_k.values import Key, Values

if TYPE_CHECKING:
    import pyarrow as pa

    from at_k.report.tally import Tally

KEPT = ("on_conflict", "select", "score_weights", "higher_is_better")
"""Options that act when a tally is scored."""

_TOGETHER = 1_000_000
"""Samples that are judged together, of answers that an engine has counted."""

_SOFT = Message(
    "tally.soft",
    "The mean grade is left out: grades are not 0 and 1 alone, and the engine counted which samples are correct.",
)


def count_data(data: Any, make: type[Tally], options: Mapping[str, Any]) -> Tally:
    """Count the problems of data; see `Tally.of`."""
    engine = find_engine(data)
    if engine is not None:
        return _count_with(engine, data, make, options)
    judged = judge_data(
        data,
        read_labels=lambda size, group: read_labels(options["groups"], group, size),
        **{name: options[name] for name in PILOT},
    )
    return _count(judged, make, options)


def _count(judged: Judged, make: type[Tally], options: Mapping[str, Any]) -> Tally:
    """Count judged problems."""
    by_problem = options["by_problem"]
    if by_problem and not judged.named:
        raise ValueError("`by_problem` must be False for problems without names: samples could not be added to them")
    verdicts, measurement = judged.verdicts, Measurement(judged, options, options["seed"])
    labels: list[str | None] = judged.labels or [None] * len(verdicts)
    n, c = verdicts.n.tolist(), verdicts.c.tolist()
    left_out: dict[str, Message] = {}
    votes: list[dict[str, tuple[int, int]]] | None = None
    for metric in FAMILY.values():
        if metric.votes and verdicts.answers is not None:
            try:
                with measurement.explain_conflict(metric):
                    votes = _list_votes(judged, options["on_conflict"])
            except LeftOutError as reason:
                left_out[metric.name] = reason.message
    values, missing = _measure(measurement)
    problems = list(map(Problem, labels, n, c, votes or repeat(None)))
    if by_problem:
        rows = {key: list(zip(*map(np.ndarray.tolist, each), strict=True)) for key, each in values.items()}
        problems = [each._replace(values={key: rows[key][i] for key in rows}) for i, each in enumerate(problems)]
    return make(
        by_problem=by_problem,
        counts=dict(Counter(zip(labels, n, c, strict=True))),
        votes=None if votes is None else dict(Counter(problem.shape for problem in problems)),
        sums=add_up(list(zip(labels, n, strict=True)), values),
        problems=dict(zip(judged.names, problems, strict=True)) if by_problem else {},
        names=choose_names(judged.names) if judged.named else (),
        n_missing=verdicts.n_missing,
        conditions={name: summary.spell_condition(value) for name, value in verdicts.conditions.items()},
        reading=judged.conditions,
        options={name: options[name] for name in KEPT},
        left_out=left_out | missing,
    )


def _list_votes(judged: Judged, on_conflict: str) -> list[dict[str, tuple[int, int]]]:
    """List the votes of each problem: answer → how many, and how many of them are correct."""
    answers = judged.verdicts.answers
    assert answers is not None  # for the type checker
    counted = count_votes(answers, judged.verdicts.correct.values, on_conflict, "grades")
    names = [answers.distinct[code] for code in answers.codes.values[counted.first_seen].tolist()]
    entries = list(zip(names, zip(counted.count.tolist(), counted.right.tolist(), strict=True), strict=True))
    bounds = np.searchsorted(counted.problem, np.arange(len(counted.n) + 1)).tolist()
    return [dict(entries[start:stop]) for start, stop in pairwise(bounds)]


def _measure(measurement: Measurement) -> tuple[dict[Key, Measures], dict[str, Message]]:
    """Measure the numbers that do not follow from counts and votes. Return what is left out, too."""
    verdicts, left_out = measurement.judged.verdicts, {}
    found: list[Values] = []
    flags = ((part.values, part.above(verdicts.threshold).values) for part in verdicts.graded)
    if not all(((grades == correct) | np.isnan(grades)).all() for grades, correct in flags):
        found.append(compute_average(verdicts))
    smallest = int(verdicts.n.min())
    for metric in FAMILY.values():
        if metric.needs_scores and measurement.judged.problems.scores is not None:
            try:
                found.append(measurement.compute(metric, k=[*spread_k(smallest, *powers_of_two(smallest))]))
            except LeftOutError as reason:
                left_out[metric.name] = reason.message
    measured: dict[Key, Measures] = {}
    for values in found:
        with np.errstate(over="ignore", invalid="ignore"):  # values may be so large that they have no variance
            variances = values.vary() if values.vary is not None else {}
        for key, column in values.columns.items():
            if key.metric != "avg@n":
                error = values.errors.get(key, np.zeros(len(column)))
                variance = variances[key].expand()
                measured[key] = column.expand(), np.where(np.isnan(variance), np.inf, variance), error
    return measured, left_out


def _count_with(engine: Engine, data: Any, make: type[Tally], options: Mapping[str, Any]) -> Tally:
    """Count with an engine. Rows of grades are counted there, and answers are judged here, once each."""
    unused = [name for name in options if options[name] != TALLYING[name].default]
    unused = [name for name in unused if name not in (*JUDGING_OPTIONS, *KEPT, "columns", "seed")]
    unused = [name for name in unused if name != "groups" or options[name] not in (True, False)]
    if unused:
        raise InputError(
            "engine.options",
            "The options {names} are for files and for data in memory. Do the same with the engine, before it counts.",
            names=Mention(*unused),
        )
    roles = choose_roles(engine.list_columns(data), options["columns"])
    roles = replace(roles, group=None) if options["groups"] is False else roles
    if roles.answers is None:
        rows = engine.count_grades(data, roles, options["threshold"], drop=options["missing"] == "drop")
        return _count_grades(rows, make, options)
    return sum(
        (
            count_data(part, make, {**options, "columns": None})
            for table in engine.count_answers(data, roles)
            for part in _list_samples(table)
        ),
        make(),
    )


def _count_grades(rows: Rows, make: type[Tally], options: Mapping[str, Any]) -> Tally:
    """Make a tally of rows of counts."""
    if rows.lowest < 0 or rows.highest > 1:
        raise ValueError(f"`grades` must hold grades in [0, 1]; got some from {rows.lowest:g} to {rows.highest:g}")
    if rows.n_mixed:
        raise ValueError(f"`group` must be the same in all rows of a problem; it is not in {rows.n_mixed:,} problems")
    if rows.n_missing and options["missing"] == "error":
        raise InputError(
            "engine.missing",
            "Samples without a grade: {count:,}. {option:missing=incorrect} counts them as wrong, "
            "{option:missing=drop} leaves them out.",
            count=rows.n_missing,
        )
    found = make.from_rows(rows.counts, threshold=options["threshold"])
    return replace(
        found,
        n_missing=rows.n_missing,
        conditions={**found.conditions, "missing": options["missing"]},
        options={name: options[name] for name in KEPT},
        left_out={ACCURACY: _SOFT} if rows.n_soft or options["threshold"] >= 1 else {},
    )


def _list_samples(table: pa.Table) -> Iterator[dict[str, Any]]:
    """List counted answers as samples, so many problems at a time that memory does not matter."""
    import pyarrow as pa

    table = table.combine_chunks()
    names = table.column("problem").cast(pa.string()).combine_chunks().dictionary_encode()
    votes = table.column("votes").to_numpy()
    starts = np.flatnonzero(np.diff(names.indices.to_numpy(), prepend=-1))
    stops = np.append(starts[1:], len(votes))
    samples = np.add.reduceat(votes, starts)
    blocks = np.cumsum(samples) // _TOGETHER
    for problems in np.split(np.arange(len(starts)), np.flatnonzero(np.diff(blocks)) + 1):
        first, last = starts[problems[0]], stops[problems[-1]]
        rows = np.repeat(np.arange(first, last), votes[first:last])
        offsets = pa.array(np.concatenate([[0], np.cumsum(samples[problems])]))
        part = {}
        for role in table.column_names:
            column = table.column(role).combine_chunks()
            if role in ("answers", "grades"):
                part[role] = pa.LargeListArray.from_arrays(offsets, column.take(pa.array(rows)))
            elif role != "votes":
                part[role] = column.take(pa.array(starts[problems]))
        yield part
