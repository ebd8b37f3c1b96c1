"""Count the problems of data: in memory, from files, or with an engine that counts where the samples are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k import summary
from at_k.combinatorics import Ints
from at_k.computation import compute_average, powers_of_two
from at_k.engines import Engine, Rows, choose_roles, find_engine
from at_k.errors import InputError, Mention, Message
from at_k.estimators.consensus import VoteCounts, count_votes
from at_k.family import FAMILY
from at_k.grading import Verdicts
from at_k.options import JUDGING_OPTIONS, PILOT, TALLYING
from at_k.readers.arrays import fill_numbers, make_lists, make_numbers
from at_k.readers.coding import encode
from at_k.report.curves import spread_k
from at_k.report.judging import Judged, judge_data
from at_k.report.measuring import Measurement
from at_k.report.notes import LeftOutError
from at_k.report.states import ACCURACY, Measures, Problem, Shape, add_up, choose_names
from at_k.samples import Ragged
from at_k.values import Key, Values

if TYPE_CHECKING:
    import pyarrow as pa

    from at_k.report.tally import Tally

KEPT = ("on_conflict", "select", "score_weights", "higher_is_better")
"""Options that act when a tally is scored."""

_TOGETHER = 4_000_000
"""Different answers that are judged together, of those that an engine has counted."""

_SOFT = Message(
    "tally.soft",
    "The mean grade is left out: grades are not 0 and 1 alone, and the engine counted which samples are correct.",
)


def count_data(data: Any, make: type[Tally], options: Mapping[str, Any]) -> Tally:
    """Count the problems of data; see `Tally.of`."""
    engine = find_engine(data)
    if engine is not None:
        return _count_with(engine, data, make, options)
    return _count(_judge(data, options), make, options)


def _judge(data: Any, options: Mapping[str, Any]) -> Judged:
    return judge_data(data, groups=options["groups"], **{name: options[name] for name in PILOT})


def _count(judged: Judged, make: type[Tally], options: Mapping[str, Any], times: Ints | None = None) -> Tally:
    """Count judged problems. `times` says how many samples each of theirs stands for; None for one each."""
    by_problem = options["by_problem"]
    if by_problem and not judged.named:
        raise ValueError("`by_problem` must be False for problems without names: samples could not be added to them")
    left_out: dict[str, Message] = {}
    counted: VoteCounts | None = None
    for metric in FAMILY.values():
        if metric.votes and judged.verdicts.answers is not None:
            try:
                with Measurement(judged, options).explain_conflict(metric):
                    counted = _count_votes(judged.verdicts, options["on_conflict"], times)
            except LeftOutError as reason:
                left_out[metric.name] = reason.message
    judged = judged if times is None else replace(judged, verdicts=_repeat(judged, times))
    verdicts = judged.verdicts
    labels: Sequence[str | None] = judged.labels or [None] * len(verdicts)
    n, c = verdicts.n.tolist(), verdicts.c.tolist()
    values, missing = _measure(Measurement(judged, options))
    problems: list[Problem] = []
    if by_problem:
        votes = repeat(None) if counted is None else _list_votes(judged, counted)
        problems = list(map(Problem, labels, n, c, votes))
        rows = {key: list(zip(*map(np.ndarray.tolist, each), strict=True)) for key, each in values.items()}
        problems = [each._replace(values={key: rows[key][i] for key in rows}) for i, each in enumerate(problems)]
    return make(
        by_problem=by_problem,
        counts=dict(Counter(zip(labels, n, c, strict=True))),
        votes=None if counted is None else _count_shapes(counted, labels, n),
        sums=add_up(list(zip(labels, n, strict=True)), values),
        problems=dict(zip(judged.names, problems, strict=True)) if by_problem else {},
        names=choose_names(judged.names) if judged.named else (),
        n_missing=verdicts.n_missing,
        conditions={name: summary.spell_condition(value) for name, value in verdicts.conditions.items()},
        reading=judged.conditions,
        options={name: options[name] for name in KEPT},
        left_out=left_out | missing,
    )


def _count_votes(verdicts: Verdicts, on_conflict: str, times: Ints | None) -> VoteCounts:
    """Count the votes for each answer of each problem."""
    assert verdicts.answers is not None  # for the type checker
    own = times if times is None or verdicts.kept is None else times[verdicts.kept]
    return count_votes(verdicts.answers, verdicts.correct.values, on_conflict, "grades", own)


def _count_shapes(counted: VoteCounts, labels: Sequence[str | None], n: Sequence[int]) -> dict[Shape, int]:
    """Count the problems that have the same votes, in falling order, those for a wrong answer below zero."""
    signed = np.where(counted.correct, counted.count, -counted.count)
    order = np.lexsort((-signed, -counted.count, counted.problem))
    held, bounds = signed[order].tolist(), np.searchsorted(counted.problem, np.arange(len(n) + 1)).tolist()
    return dict(Counter(zip(labels, n, (tuple(held[slice(*ends)]) for ends in pairwise(bounds)), strict=True)))


def _repeat(judged: Judged, times: Ints) -> Verdicts:
    """Repeat each verdict as often as there are samples that it stands for, without the answers."""
    verdicts, answers = judged.verdicts, judged.problems.answers
    graded = Ragged.concatenate(verdicts.graded)
    absent = np.isnan(graded.values) if verdicts.kept is None else ~verdicts.kept
    if verdicts.kept is None and judged.problems.grades is None and answers is not None:
        absent |= answers.codes.values < 0
    own = times if verdicts.kept is None else times[verdicts.kept]
    n = graded.with_values(own).sums()
    repeated = Ragged.of_lengths(np.repeat(graded.values, own), n)
    return replace(verdicts, graded=(repeated,), given=n, n_missing=int(times[absent].sum()), kept=None, answers=None)


def _list_votes(judged: Judged, counted: VoteCounts) -> list[dict[str, tuple[int, int]]]:
    """List the votes of each problem: answer → how many, and how many of them are correct."""
    answers = judged.verdicts.answers
    assert answers is not None  # for the type checker
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
    count = partial(_count_answers, make=make, options={**options, "columns": None})
    parts: list[Tally] = list(engine.count_answers(data, roles, count))
    # A worker that meets only nulls takes them for no groups.
    _refuse_unlabelled(is_unlabelled=len({label is None for part in parts for label, *_ in part.counts}) > 1)
    while len(parts) > 1:  # in pairs, since to add takes as long as the larger one is
        parts = [sum(parts[place : place + 2], make()) for place in range(0, len(parts), 2)]
    return parts[0]


def _count_answers(
    table: pa.Table, *, make: type[Tally], options: Mapping[str, Any], num_workers: int | None = None
) -> Tally:
    """Count the problems of counted answers; see `Engine.count_answers`."""
    own = {**options, "num_workers": options["num_workers"] or num_workers}
    return sum((_count(_judge(part, own), make, own, times) for part, times in _list_answers(table)), make())


def _count_grades(rows: Rows, make: type[Tally], options: Mapping[str, Any]) -> Tally:
    """Make a tally of rows of counts."""
    if rows.lowest < 0 or rows.highest > 1:
        raise ValueError(f"`grades` must hold grades in [0, 1]; got some from {rows.lowest:g} to {rows.highest:g}")
    _refuse_nameless(is_nameless=rows.is_nameless)
    _refuse_unlabelled(is_unlabelled=rows.is_unlabelled)
    _refuse_mixed("group", rows.n_mixed)
    if rows.n_missing and options["missing"] == "error":
        raise InputError(
            "engine.missing",
            "Samples without a grade: {count:,}. {option:missing=incorrect} counts them as wrong, "
            "{option:missing=drop} leaves them out.",
            count=rows.n_missing,
        )
    emptied = sum(row[2] for row in rows.counts if not row[0])
    if emptied:
        raise InputError(
            "engine.nothing_left",
            "Problems of which all samples are missing, and dropped: {count:,}. {option:missing=incorrect} counts "
            "these samples as wrong; or leave the problems out with the engine, before it counts.",
            count=emptied,
        )
    found = make.from_rows(rows.counts, threshold=options["threshold"])
    return replace(
        found,
        n_missing=rows.n_missing,
        conditions={**found.conditions, "missing": options["missing"]},
        options={name: options[name] for name in KEPT},
        left_out={ACCURACY: _SOFT} if rows.n_soft or options["threshold"] >= 1 else {},
    )


def _list_answers(table: pa.Table) -> Iterator[tuple[dict[str, Any], Ints]]:
    """List counted answers, each of which is a sample that stands for as many as have it, in blocks of problems."""
    import pyarrow as pa

    table = table.combine_chunks()
    coded = encode(table["problem"])
    _refuse_nameless(is_nameless=coded.codes.min(initial=0) < 0)
    order = np.argsort(coded.codes, kind="stable")
    bounds = np.append(0, np.cumsum(np.bincount(coded.codes)))
    firsts = order[bounds[:-1]]
    times = np.concatenate([fill_numbers(chunk, 0) for chunk in table["votes"].chunks])
    for role in {"references", "group"}.intersection(table.column_names):
        said = encode(table[role]).codes
        if role == "group":
            _refuse_unlabelled(is_unlabelled=said.min(initial=0) < 0 <= said.max(initial=-1))
        _refuse_mixed(role, len(np.unique(coded.codes[said != said[firsts][coded.codes]])))
    edges = np.append(np.flatnonzero(np.diff(bounds[:-1] // _TOGETHER, prepend=-1)), len(firsts))
    for first, last in pairwise(edges.tolist()):
        rows = order[bounds[first] : bounds[last]]
        offsets = bounds[first : last + 1] - bounds[first]
        part = {}
        # Problems of any order are sorted once, so that those of a block stand together; a problem has what its first
        # row says of it.
        for role in table.column_names:
            if role in ("answers", "grades"):
                part[role] = make_lists(offsets, pa.concat_arrays(table[role].take(make_numbers(rows)).chunks))
            elif role != "votes":
                part[role] = table[role].take(make_numbers(firsts[first:last]))
        yield part | {"problem": part["problem"].cast(pa.string())}, times[rows]


def _refuse_nameless(*, is_nameless: bool) -> None:
    """Raise if a sample does not say which problem it belongs to."""
    if is_nameless:
        raise InputError(
            "engine.nameless",
            "Each row must name its problem, but some have null in its place. Leave these out, or name their "
            "problems, with the engine, before it counts.",
        )


def _refuse_unlabelled(*, is_unlabelled: bool) -> None:
    """Raise if a sample does not say to which group its problem belongs, where others do."""
    if is_unlabelled:
        raise ValueError("`groups` must hold a label for every problem; got null in some rows")


def _refuse_mixed(role: str, problems: int) -> None:
    """Raise if there are problems whose rows differ in what they say about the problem."""
    if problems:
        raise ValueError(f"`{role}` must be the same in all rows of a problem; it is not in {problems:,} problems")
