"""Read what is declared: where a harness writes what, and what its rows mean."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from at_k.errors import Message, Phrases
from at_k.readers.blocks import find_field
from at_k.readers.cells import NOTHING
from at_k.readers.files.sources import Source
from at_k.readers.format import Choice, Reading, choose, name_subject, refuse_field
from at_k.readers.harness import Adapt, RowCollector
from at_k.readers.names import quote
from at_k.readers.samples import MISSING, Origin, Samples
from at_k.readers.tables.collector import BESIDE, NUMBER, refuse_empty
from at_k.readers.words import name_reason

Row = dict[str, Any]

_say = Phrases(
    {
        "fields.checksum": "{field} differs in every sample, so that it does not tell problems of one name apart.",
    }
)


class Found(NamedTuple):
    """The rows that a format with code of its own has found, and what it says of them.

    Attributes:
        rows: the rows, each with its number.
        roles: the fields that were taken for roles, in place of those declared; None for a role without any.
        notes: notes of the origin.
        choice: the scorer that was chosen out of several, and what is to be said of it.
        subject: what the results are of.
        questions: as of `Samples`.
        version: the version of the harness.
    """

    rows: Iterable[tuple[int, Row]]
    roles: Mapping[str, str | None] = {}
    notes: Sequence[Message] = ()
    choice: Choice = Choice(None)
    subject: Mapping[str, str] = {}
    questions: Mapping[str, str] = {}
    version: str | None = None


class Chosen(NamedTuple):
    """The scorer whose grades are taken, and what names the faults of a row."""

    scorer: str
    collector: RowCollector
    reading: Reading


@dataclass(frozen=True)
class Keys:
    """Paths of a harness's fields, with dots into the object of a sample.

    Attributes:
        problem: the name of the problem; it must be there.
        grades: whether the sample is correct, with `{scorer}` for the one that is chosen. None, or nothing there,
            means a sample that was not judged.
        number: what the file calls the sample.
        answers: its answer.
        references: the correct answer.
        scores: how good it looks.
        group: a label of the problem.
        many: the list of the samples, where a row is a problem. Grades, answers and scores are then looked for in its
            entries, and then in the row. An entry that is no object is one with the field "". Where it is the list
            of answers, the samples share their grade.
        beside: a list that must be as long.
        failed: a field that is not None for a sample that was not judged, whatever its grade is.
        masked: what is true for a sample that the harness leaves out of its own numbers.
        valid: what is false for a sample whose grade does not hold.
        cause: what says why a sample has no grade.
        apart: what tells two problems of one name apart.
        silent: the values that mean no answer.
        info: an object with what else is said of the problem; "" for the row.
        details: what else is kept of each sample, such as its cost; its name is the last one of the path.
        needed: the fields that every object must have; by default those of problem, number and grades.
    """

    problem: str
    grades: str = "verdict"
    number: str | None = None
    answers: str | None = None
    references: str | None = None
    scores: str | None = None
    group: str | None = None
    many: str | None = None
    beside: str | None = None
    failed: str | None = None
    masked: str | None = None
    valid: str | None = None
    cause: str | None = None
    apart: Sequence[str] = ()
    silent: Collection[object] = ()
    info: str | None = None
    details: Sequence[str] = ()
    needed: Sequence[str] = ()


@dataclass(frozen=True)
class Fields:
    """Rules that find the objects of a harness, and their meaning.

    Attributes:
        harness: the name by which an origin calls it.
        keys: where an object has what.
        unit: what the objects are counted by.
        rows: lists the objects, or returns None where they are the lines of the file.
        at: the path of the list of objects in a document, in place of `rows`; "" for the document itself.
        find: finds the rows in place of `rows`, where a format has code of its own.
        added: fields that objects get, and the paths of their values, of which the first that is not empty counts.
        adapt: makes an object into one that has these fields.
        scorers: lists, from the objects, the scorers that the user may choose, the usual one first.
        option: the option that chooses the scorer.
        judge: finds the grade, where no path leads to it.
        subject: what the results are of, beside the settings of the objects: paths in the first row.
        path: a pattern of the path of the file, whose groups `task`, `run` and `model` say what the results are of.
        settings: the fields in which rows that may be pooled must not differ, and their names in the subject, if any.
        prompted: the field of the problem that is its prompt, which another problem may have too.
    """

    harness: str
    keys: Keys
    unit: str = "line"
    rows: Callable[[Source], Iterable[Any] | None] | None = None
    at: str | None = None
    find: Callable[[Source, Reading, RowCollector], Found] | None = None
    added: Mapping[str, Sequence[str]] = field(default_factory=dict)
    adapt: Adapt = dict
    scorers: Callable[[Sequence[Any], Reading], Sequence[str]] | None = None
    option: str = "scorer"
    judge: Callable[[Row, int, Chosen], object] | None = None
    subject: Mapping[str, str] = field(default_factory=dict)
    path: str | None = None
    settings: Mapping[str, str] = field(
        default_factory=lambda: {"model": "model", "system": "system"}
    )
    prompted: str | None = None

    def read(self, source: Source, reading: Reading) -> Samples:
        """Read a file."""
        keys = self.keys
        details = [path.rpartition(".")[2] for path in keys.details]
        collector = RowCollector(reading, unit=self.unit, settings=self.settings, details=details)
        finding = (self.find or self._find_rows)(source, reading, collector)
        chosen = Chosen(finding.choice.name or "", collector, reading)
        path = [
            name.format(scorer=chosen.scorer) for name in keys.grades.split(".")
        ]  # a scorer may have dots
        names = ("problem", "answers", "references", "scores", "group")
        roles: dict[str, str | None] = {name: getattr(keys, name) for name in names}
        roles |= {"grades": ".".join(path) or None, **finding.roles}
        try:
            is_listed = self._collect(finding.rows, path if roles["grades"] else [], chosen)
        finally:
            if isinstance(finding.rows, Generator):
                finding.rows.close()  # and with it the file
        if len(collector.held("problem")):
            systems = collector.selection.systems
        else:
            systems = {}
        settings = {alias: systems.get(name) for name, alias in self.settings.items() if alias}
        named = {alias: str(value) for alias, value in settings.items() if value not in (None, "")}
        if roles["problem"] == self.prompted:
            shared = collector.note_shared_prompts()
        else:
            shared = []
        origin = Origin(
            self.harness,
            finding.version,
            {**finding.subject, **self._find_subject(source), **named},
            chosen=dict(finding.choice.told),
            roles={role: path for role, path in roles.items() if path is not None},
            notes=[*finding.choice.notes, *finding.notes, *shared],
        )
        samples = collector.finish(origin, per_sample=not is_listed)
        return replace(samples, questions=finding.questions)

    def _find_rows(self, source: Source, reading: Reading, collector: RowCollector) -> Found:
        """Find the rows, and choose the scorer."""
        keys, choice = self.keys, Choice(None)
        if source.layout == "json" and not isinstance(source.document, (dict, list)):
            raise refuse_empty()
        listed = self._list_objects(source)
        if self.scorers is not None:
            names = self.scorers([source.first_row] if listed is None else listed, reading)
            if not names:
                raise refuse_empty()
            choice = choose(self.option, getattr(reading, self.option), names)
        needed = keys.needed or [
            path for path in (keys.problem, keys.number, keys.many or keys.grades) if path
        ]
        needed = [path.partition(".")[0] for path in needed]
        adapt = self._add_fields if self.added else self.adapt
        return Found(
            collector.rows(source if listed is None else listed, needed, adapt), choice=choice
        )

    def _list_objects(self, source: Source) -> list[Any] | None:
        """List the objects; None where they are the lines of the file."""
        if self.rows is not None:
            listed = self.rows(source)
            if listed is None:
                return None
            return list(listed)
        if self.at is None:
            return None
        if self.at:
            listed = find_field(source.document, self.at.split("."))
        else:
            listed = source.document
        if isinstance(listed, list):
            return listed
        if self.at:
            return []
        return [listed]

    def _add_fields(self, row: Row) -> Row:
        """Return an object with the fields that it gets."""
        added: Row = {}
        for name, paths in self.added.items():
            values = (_find(row, path) for path in paths)
            added[name] = next((value for value in values if value not in (None, "")), None)
        return row | added

    def _find_subject(self, source: Source) -> Mapping[str, str]:
        """Find what the results are of."""
        named = None
        if self.path:
            named = re.search(self.path, "/".join((*reversed(source.folders), source.name)))
        if named:
            told = {name: named.groupdict().get(name) for name in ("task", "run", "model")}
        else:
            told = {}
        return name_subject(
            **told, **{name: _find(source.first_row, path) for name, path in self.subject.items()}
        )

    def _collect(
        self, rows: Iterable[tuple[int, Row]], grades: Sequence[str], chosen: Chosen
    ) -> bool:
        """Collect the samples. Return whether rows are lists of samples."""
        keys, collector, is_listed = self.keys, chosen.collector, False
        named: dict[int, str] = {}
        required = [*(path for path in keys.needed if "." in path), keys.problem]
        if keys.apart:
            rows = listed = list(rows)
            named = self._tell_apart(listed, collector)
        for number, row in rows:
            with collector.faults:
                for path in required:
                    if self._require(row, path.split("."), number, chosen) is None:
                        raise collector.lack(path, number)
                problem = _find(row, keys.problem)
                if keys.info == "":
                    info = row
                else:
                    info = _find(row, keys.info)
                has_info = isinstance(info, dict)
                shared = {
                    "group": _find(row, keys.group),
                    "meta": chosen.reading.list_fields(info) if has_info else None,
                    "fields": info | row if has_info and chosen.reading.columns else row,
                }
                is_listed, samples = keys.many in row, None
                many, beside = _find(row, keys.many), _find(row, keys.beside)
                if not is_listed:
                    problem = named.get(number, problem)
                    shared |= self._read_sample(row, number, grades, chosen)
                elif not isinstance(many, list) or (
                    isinstance(beside, list) and len(beside) != len(many)
                ):
                    raise refuse_field(self.harness, str(keys.many), many, collector.place(number))
                elif (
                    keys.many == keys.answers
                ):  # they share all but their answers, which is faster than a row for each
                    sample = self._read_sample(row, number, grades, chosen)
                    shared |= {"grades": sample["grades"], "references": sample["references"]}
                    samples = [{"answers": answer} for answer in many]
                else:
                    parts = [part if isinstance(part, dict) else {"": part} for part in many]
                    samples = [
                        self._read_sample(row | part, number, grades, chosen) for part in parts
                    ]
                collector.add(number, problem, samples, **shared)
        return is_listed

    def _read_sample(
        self, row: Row, number: int, grades: Sequence[str], chosen: Chosen
    ) -> dict[str, Any]:
        """Read what differs between the samples of a problem."""
        keys = self.keys
        failed, reason = _find(row, keys.failed), None
        grade: object = NOTHING if not grades and self.judge is None else None
        if keys.masked is not None and _find(row, keys.masked):
            reason = "masked"
        elif failed not in (None, NOTHING):
            reason = name_reason(failed)
        elif grade is None and _find(row, keys.valid) is False:
            reason = name_reason(_find(row, keys.cause))
        elif grade is None:
            if self.judge:
                grade = self.judge(row, number, chosen)
            else:
                grade = self._require(row, grades, number, chosen)
            reason = name_reason(_find(row, keys.cause))
        paths = (keys.answers, keys.references, keys.number, keys.scores)
        answer, gold, ordinal, score = (_find(row, path) for path in paths)
        is_silent = isinstance(answer, str) and answer in keys.silent
        return {
            NUMBER: NOTHING if ordinal is None else ordinal,
            "answers": None if is_silent else NOTHING if answer is None else answer,
            "grades": grade,
            "scores": NOTHING if score is None else score,
            "references": NOTHING if gold in (None, "", []) else gold,
            MISSING: reason,
            **{BESIDE + path.rpartition(".")[2]: _find(row, path) for path in keys.details},
        }

    def _require(self, row: Row, names: Sequence[str], number: int, chosen: Chosen) -> Any:
        """Return what a path leads to, or raise if it leads through something that is no object."""
        for end in range(1, len(names)):
            held = find_field(row, names[:end])
            if held is not None and not isinstance(held, (dict, list)):
                raise refuse_field(
                    self.harness, names[end - 1], held, chosen.collector.place(number)
                )
        return find_field(row, names)

    def _list_marks(
        self, rows: Sequence[tuple[int, Row]], collector: RowCollector
    ) -> Sequence[str]:
        """List the paths that tell problems apart: no checksum that differs in every sample of several problems."""
        kept = []
        for path in self.keys.apart:
            marks_of: dict[str, list[str]] = {}
            for _, row in rows:
                mark = json.dumps(_find(row, path), default=str)
                marks_of.setdefault(str(_find(row, self.keys.problem)), []).append(mark)
            repeated = [marks for marks in marks_of.values() if len(marks) > 1]
            are_own = all(len({*marks}) == len(marks) for marks in repeated)
            if path.endswith("checksum") and len(repeated) > 1 and are_own:
                collector.notes.append(_say("fields.checksum", field=quote(path)))
            else:
                kept.append(path)
        return kept

    def _tell_apart(
        self, rows: Sequence[tuple[int, Row]], collector: RowCollector
    ) -> dict[int, str]:
        """Return new names for the problems whose name is that of another problem, by the numbers of their rows."""
        keys = self.keys
        paths = self._list_marks(rows, collector)
        rows_of: dict[str, dict[tuple[str, ...], list[int]]] = {}
        for number, row in rows:
            marks = (_find(row, path) for path in paths)
            identity = tuple(
                mark if isinstance(mark, str) else json.dumps(mark, sort_keys=True)
                for mark in marks
            )
            rows_of.setdefault(str(_find(row, keys.problem)), {}).setdefault(identity, []).append(
                number
            )
        named: dict[int, str] = {}
        for problem, numbers_of in rows_of.items():
            columns = [column for column in zip(*numbers_of, strict=True) if len({*column}) > 1]
            # The first of the paths that tells all of them apart says enough.
            columns = next(
                ([column] for column in columns if len({*column}) == len(numbers_of)), columns
            )
            for label, numbers in zip(
                zip(*columns, strict=True), numbers_of.values(), strict=bool(columns)
            ):
                named |= dict.fromkeys(numbers, f"{problem} ({', '.join(label)})")
        return named


def list_documents(source: Source) -> Iterator[tuple[int, Any, Path]]:
    """Yield the documents of a file, or of those that it lists, each with its number and its path."""
    if source.files:
        for number, document in source.rows():
            yield number, document, Path(source.files[number - 1])
    else:
        yield 1, source.document, Path(*reversed(source.folders), source.name)


def list_in(document: Any, *path: str) -> list[Any]:
    """Return the list under a path, or an empty one."""
    listed = find_field(document, path)
    return listed if isinstance(listed, list) else []


def list_names(objects: Iterable[Any], path: str) -> list[str]:
    """List the names under a path in any of some objects."""
    values = (_find(row, path) for row in objects)
    return list(
        dict.fromkeys(name for named in values if isinstance(named, dict) for name in named)
    )


def list_whole(whole: str, parts: Sequence[str], reading: Reading) -> list[str]:
    """List a score and those that it consists of, unless that is only one."""
    if len(parts) > 1 or reading.scorer:
        return [whole, *parts]
    return [whole]


def _find(row: Any, path: str | None) -> Any:
    if path is None:
        return NOTHING
    return find_field(row, path.split("."))
