"""Count problems by what their numbers depend on, so that the counts of machines, shards and days can be added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from itertools import pairwise, repeat
from os import PathLike
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from at_k import summary
from at_k.computation import compute_average, powers_of_two
from at_k.engines import Engine, Rows, choose_roles, find_engine
from at_k.errors import InputError, Mention, Message
from at_k.estimators.consensus import count_votes
from at_k.family import FAMILY
from at_k.options import JUDGING_OPTIONS, PILOT, TALLYING, complete, takes
from at_k.report import tally_files
from at_k.report.curves import spread_k
from at_k.report.frames import read_labels
from at_k.report.judging import Judged, judge_data
from at_k.report.measuring import Measurement
from at_k.report.notes import LeftOutError
from at_k.report.states import ACCURACY, Cell, Count, Moments, Problem, Shape, Stratum
from at_k.validation import check_threshold, is_integer, is_whole_decimal, shorten, type_name
from at_k.values import Key, Values

if TYPE_CHECKING:
    import pyarrow as pa

    from at_k.signatures import TallyOptions, Unpack

_KEPT = ("on_conflict", "select", "score_weights", "higher_is_better")
"""Options that act when a tally is scored."""

_TOGETHER = 1_000_000
"""Samples that are judged together, of answers that an engine has counted."""

_NAMES = 64
"""Names of problems that a tally keeps, so that two tallies of the same problems are noticed."""

_CONFLICT = Message(
    "tally.conflict",
    "cons@k is left out: samples that were added to a problem have another verdict on the same answer. "
    "{option:on_conflict=majority} lets most of the samples decide.",
)
_ONE_SIDED = Message(
    "tally.votes", "cons@k is left out: some of the tallies that were added have no answers, or none that can vote."
)
_SOFT = Message(
    "tally.soft",
    "The mean grade is left out: grades are not 0 and 1 alone, and the engine counted which samples are correct.",
)
_GROWN = Message(
    "tally.grown",
    "Numbers of scores, and of grades between 0 and 1, are left out: samples were added to problems, and a tally does "
    "not keep these values one by one.",
)


@dataclass(frozen=True)
class Tally:
    """Count problems by what their numbers depend on, so that the counts of machines, shards and days can be added.

    `a + b` counts the problems of both, to the last bit the same in any order; numbers that depend on grades between 0
    and 1, or on scores, are the same to 1e-12. `at_k.score(tally)` computes the report that the samples would have
    given, without what needs problems one by one. `Tally()` counts no problems.

    The problems of two tallies must be different ones. A tally keeps some of their names, and tallies with a name in
    common are refused. With `by_problem`, a tally keeps every problem by its name, and `a + b` adds the samples of
    problems that both have.

    Attributes:
        by_problem: whether problems are kept by their names.
        counts: (group, n, c) → the number of problems.
        votes: (group, n, votes) → the number of problems. The votes for each answer are in falling order, those for a
            wrong answer below zero. None without answers.
        sums: (group, n) → the moments of numbers that depend on more: on grades between 0 and 1, or on scores.
        problems: name → the problem, with `by_problem`.
        names: some names of problems.
        n_missing: the number of missing samples.
        conditions: how samples were judged, as a signature states it.
        reading: what was taken from files, as a signature states it.
        options: the other options that were given.
        left_out: metric → the reason why it cannot be computed.

    Examples:
        >>> from at_k import score
        >>> monday, tuesday = Tally.of({"grades": [[1, 0, 1, 1], [0, 0, 1, 0]]}), Tally.of({"grades": [[1, 1, 1, 1]]})
        >>> (monday + tuesday).counts
        {(None, 4, 3): 1, (None, 4, 1): 1, (None, 4, 4): 1}
        >>> score(monday + tuesday, k=1).values["pass@1"]
        0.6666666666666666
    """

    by_problem: bool = False
    counts: Mapping[Count, int] = field(default_factory=dict)
    votes: Mapping[Shape, int] | None = None
    sums: Mapping[Cell, Stratum] = field(default_factory=dict)
    problems: Mapping[str, Problem] = field(default_factory=dict, repr=False)
    names: tuple[str, ...] = ()
    n_missing: int = 0
    conditions: Mapping[str, str] = field(default_factory=dict)
    reading: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    left_out: Mapping[str, Message] = field(default_factory=dict)

    @classmethod
    @takes(TALLYING)
    def of(cls, data: Any, /, **given: Unpack[TallyOptions]) -> Tally:
        """Count the problems of a data set.

        Args:
            data: as of `at_k.score`. Data of an engine have a row for each sample, with columns that are called as
                their roles, or as `columns` says.
            given: see below.

        Returns:
            The tally. Of metrics that need scores it has every k up to the smallest n, or some of them above n = 64.

        Raises:
            TypeError: as `at_k.score` does.
            ValueError: as `at_k.score` does.

        Examples:
            >>> data = {"answers": [["7", "7", "9"], ["1", "2", None]], "references": ["7", "2"]}
            >>> Tally.of(data, missing="incorrect").votes
            {(None, 3, (2, -1)): 1, (None, 3, (1, -1)): 1}
        """
        options = complete(given, cls.of, of="Tally.of")
        engine = find_engine(data)
        if engine is not None:
            return count_with(engine, data, options)
        judged = judge_data(
            data,
            read_labels=lambda size, group: read_labels(options["groups"], group, size),
            **{name: options[name] for name in PILOT},
        )
        return _count(judged, options)

    @classmethod
    def from_rows(cls, rows: Iterable[Any], /, *, threshold: float = 0.5) -> Tally:
        """Make a tally of what a database, or another engine, has counted; see `at_k.sql`.

        Args:
            rows: (n, c, problems), how many problems have n samples of which c are correct, or (n, c, problems, group).
                A cursor yields such rows.
            threshold: the grade above which a sample counted as correct, which the signature states.

        Raises:
            TypeError: if a row is not a sequence, or a number in it is not an integer.
            ValueError: if a row has another length, or c is not in 0…n.

        Examples:
            >>> from at_k import score
            >>> score(Tally.from_rows([(4, 1, 10), (4, 3, 30)]), k=1).values["pass@1"]
            0.625
        """
        counts: Counter[Count] = Counter()
        for place, row in enumerate(rows):
            if not hasattr(row, "__getitem__") or len(row) not in (3, 4):
                raise TypeError(
                    f"`rows` must hold (n, c, problems), or these and a group; got {shorten(row)} in row {place}"
                )
            n, c, problems = (_read_integer(row[i], place) for i in range(3))
            if not (0 <= c <= n and n > 0 and problems > 0):
                raise ValueError(
                    f"`rows` must have 0 ≤ c ≤ n, n > 0 and problems > 0; got {shorten(row)} in row {place}"
                )
            group = row[3] if len(row) == 4 else None
            counts[None if group is None else str(group), n, c] += problems
        conditions = {"threshold": str(check_threshold(threshold)), "missing": "error", "checker": "graded"}
        if len({group is None for group, _, _ in counts}) > 1:
            raise ValueError("`rows` must have a group in every row, or in none")
        return cls(counts=dict(counts), conditions=conditions, options={name: TALLYING[name].default for name in _KEPT})

    def __add__(self, other: Tally) -> Tally:
        """Count the problems of both.

        Raises:
            ValueError: if they were counted with different options, or have problems in common without `by_problem`.
        """
        if not isinstance(other, Tally):
            return NotImplemented
        if self.by_problem is not other.by_problem:
            raise ValueError("`by_problem` must be the same for tallies that are added; got True and False")
        if not self.counts or not other.counts:
            return self if self.counts else other
        _refuse_other_conditions(self, other)
        shared = {*self.names} & {*other.names}
        if shared and not self.by_problem:
            raise InputError(
                "tally.same_problems",
                "These tallies have problems in common, such as {problem}, and do not say which samples are theirs. To "
                "add samples to problems, count with {option:by_problem}. If the problems are different ones, "
                "give them different names.",
                problem=shorten(min(shared)),
            )
        merged = replace(
            self,
            left_out=_merge_reasons(self, other),
            counts=dict(Counter(self.counts) + Counter(other.counts)),
            votes=None
            if self.votes is None or other.votes is None
            else dict(Counter(self.votes) + Counter(other.votes)),
            sums=_merge_sums(self, other),
            names=_choose_names({*self.names, *other.names}),
            n_missing=self.n_missing + other.n_missing,
        )
        return _merge_problems(merged, self.problems, other.problems) if self.by_problem else merged

    def __radd__(self, other: object) -> Tally:
        """Let `sum` add tallies, beginning with 0."""
        return self if other == 0 else NotImplemented

    def __len__(self) -> int:
        """Count the problems."""
        return sum(self.counts.values())

    def to_json(self) -> str:
        """Write the tally as JSON."""
        return tally_files.to_json(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> Tally:
        """Read a tally that `to_json` has written.

        Raises:
            ValueError: if the text is damaged, or anything else.
        """
        return tally_files.from_json(text, cls)

    def to_arrow(self) -> pa.Table:
        """Write the tally as an Arrow table: a row for each (group, n, c), and for each (group, n, votes)."""
        return tally_files.to_arrow(self)

    @classmethod
    def from_arrow(cls, table: pa.Table) -> Tally:
        """Read a tally that `to_arrow` has written.

        Raises:
            ValueError: if the table is damaged, or anything else.
        """
        return tally_files.from_arrow(table, cls)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the tally to a file, as JSON. `at_k.score` takes such files."""
        tally_files.save(self, path)


def _count(judged: Judged, options: Mapping[str, Any]) -> Tally:
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
    problems = list(map(Problem, labels, n, c, votes or repeat(None)))
    sums, missing = _measure(measurement, list(zip(labels, n, strict=True)))
    return Tally(
        by_problem=by_problem,
        counts=dict(Counter(zip(labels, n, c, strict=True))),
        votes=None if votes is None else dict(Counter(problem.shape for problem in problems)),
        sums=sums,
        problems=dict(zip(judged.names, problems, strict=True)) if by_problem else {},
        names=_choose_names(judged.names) if judged.named else (),
        n_missing=verdicts.n_missing,
        conditions={name: summary.spell_condition(value) for name, value in verdicts.conditions.items()},
        reading=judged.conditions,
        options={name: options[name] for name in _KEPT},
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


def _measure(measurement: Measurement, cells: list[Cell]) -> tuple[dict[Cell, Stratum], dict[str, Message]]:
    """Measure, by group and n, the numbers that do not follow from counts and votes. Return what is left out, too."""
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
    rows: dict[Cell, list[int]] = {}
    for row, cell in enumerate(cells) if found else ():
        rows.setdefault(cell, []).append(row)
    moments: dict[Cell, dict[Key, Moments]] = {cell: {} for cell in rows}
    for values in found:
        with np.errstate(over="ignore", invalid="ignore"):  # values may be so large that they have no variance
            variances = values.vary() if values.vary is not None else {}
            for key, column in values.columns.items():
                if key.metric != "avg@n":
                    value, variance = column.expand(), variances[key].expand()
                    error = values.errors.get(key, np.zeros(len(value)))
                    for cell, own in rows.items():
                        each = np.ones(len(own), dtype=np.int64)
                        moments[cell][key] = Moments.of(value[own], variance[own], error[own], each)
    return {cell: Stratum(len(own), moments[cell]) for cell, own in rows.items()}, left_out


def count_with(engine: Engine, data: Any, options: Mapping[str, Any]) -> Tally:
    """Count with an engine. Rows of grades are counted there, and answers are judged here, once each."""
    unused = [name for name in options if options[name] != TALLYING[name].default]
    unused = [name for name in unused if name not in (*JUDGING_OPTIONS, *_KEPT, "columns", "seed")]
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
        return _count_grades(
            engine.count_grades(data, roles, options["threshold"], drop=options["missing"] == "drop"), options
        )
    return sum(
        (
            Tally.of(part, **{name: options[name] for name in options if name != "columns"})
            for table in engine.count_answers(data, roles)
            for part in _list_samples(table)
        ),
        Tally(),
    )


def _count_grades(rows: Rows, options: Mapping[str, Any]) -> Tally:
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
    found = Tally.from_rows(rows.counts, threshold=options["threshold"])
    return replace(
        found,
        n_missing=rows.n_missing,
        conditions={**found.conditions, "missing": options["missing"]},
        options={name: options[name] for name in _KEPT},
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


def _read_integer(value: object, place: int) -> int:
    if not (is_integer(value) or is_whole_decimal(value)):
        raise TypeError(f"`rows` must hold integers; got {shorten(value)} of type {type_name(value)} in row {place}")
    return int(value)


def _choose_names(names: Iterable[str]) -> tuple[str, ...]:
    """Choose the names that tell two tallies of the same problems: the same ones wherever they occur."""
    return tuple(nsmallest(_NAMES, names, key=lambda name: (crc32(name.encode()), name)))


def _refuse_other_conditions(first: Tally, second: Tally) -> None:
    """Raise unless two tallies were counted with the same options."""
    said = [
        {"groups": next(iter(each.counts))[0] is not None, **each.conditions, **each.reading, **each.options}
        for each in (first, second)
    ]
    for name in {**said[0], **said[1]}:
        one, other = (each.get(name) for each in said)
        if one != other:
            raise InputError(
                "tally.conditions",
                "These tallies were counted differently: {name} is {one} in one of them, and {other} in the other. "
                "Count all with the same options.",
                name=name,
                one=shorten(one),
                other=shorten(other),
            )


def _merge_sums(first: Tally, second: Tally) -> dict[Cell, Stratum]:
    """Merge the moments of two tallies, of the keys that both have."""
    parts = [dict(first.sums), dict(second.sums)]
    soft = [any(ACCURACY in stratum.moments for stratum in part.values()) for part in parts]
    for place, tally in enumerate((first, second)):
        if soft[1 - place] and not soft[place]:
            parts[place] = _measure_counts(tally, parts[place])
    keys = [frozenset(next(iter(part.values())).moments) if part else frozenset() for part in parts]
    shared = keys[0] & keys[1]
    merged: dict[Cell, Stratum] = {}
    for part in parts if shared else ():
        for cell, stratum in part.items():
            own = stratum.keep(shared)
            merged[cell] = merged[cell].merge(own) if cell in merged else own
    return merged


def _measure_counts(tally: Tally, sums: Mapping[Cell, Stratum]) -> dict[Cell, Stratum]:
    """Add the moments of mean grades that are shares of correct samples: they follow from the counts."""
    found = dict(sums)
    rows: dict[Cell, list[tuple[int, int]]] = {}
    for (group, n, c), problems in tally.counts.items():
        rows.setdefault((group, n), []).append((c, problems))
    for (group, n), listed in rows.items():
        c, times = np.array(listed).T
        share = c / n
        variance = share * (1 - share) / (n - 1) if n > 1 else np.full(len(c), np.nan)
        own = {ACCURACY: Moments.of(share, variance, np.zeros(len(c)), times)}
        found[group, n] = Stratum(int(times.sum()), {**(sums[group, n].moments if sums else {}), **own})
    return found


def _merge_reasons(first: Tally, second: Tally) -> dict[str, Message]:
    """Merge the reasons why metrics are left out, whatever the order of the tallies."""
    found = {**first.left_out}
    for name, reason in second.left_out.items():
        found[name] = min(found.get(name, reason), reason, key=str)
    if (first.votes is None) != (second.votes is None):
        found.setdefault("cons_at_k", _ONE_SIDED)
    return found


def _merge_problems(merged: Tally, first: Mapping[str, Problem], second: Mapping[str, Problem]) -> Tally:
    """Merge problems by their names, and count them anew."""
    problems = dict(first)
    for name, problem in second.items():
        if name in problems and problems[name].group != problem.group:
            raise ValueError(
                f"`groups` must put problem {shorten(name)} in one group; got {problems[name].group!r} and "
                f"{problem.group!r}"
            )
        problems[name] = problems[name].merge(problem) if name in problems else problem
    votes: Mapping[Shape, int] | None = None
    left_out = dict(merged.left_out)
    refused = merged.votes is not None and merged.options["on_conflict"] == "error"
    if refused and any(problem.disagrees for problem in problems.values()):
        left_out["cons_at_k"] = _CONFLICT
    if merged.votes is not None and "cons_at_k" not in left_out:
        votes = dict(Counter(problem.shape for problem in problems.values()))
    grown = len(problems) < len(first) + len(second)
    if grown:
        gone = {key.metric for stratum in merged.sums.values() for key in stratum.moments}
        left_out |= {str(ACCURACY): _GROWN} if ACCURACY in gone else {}
        left_out |= {each.name: _GROWN for each in FAMILY.values() if each.needs_scores and gone & each.metrics}
    return replace(
        merged,
        problems=problems,
        counts=dict(Counter((each.group, each.n, each.c) for each in problems.values())),
        votes=votes,
        sums={} if grown else merged.sums,
        left_out=left_out,
    )
