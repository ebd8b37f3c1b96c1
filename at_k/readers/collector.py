"""Collect samples one by one into the standard columns: the strict reader, which names the place of each fault."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from math import nan
from typing import Any

import numpy as np

from at_k.errors import InputError, Message
from at_k.readers.arrays import make_array, make_numbers, make_texts
from at_k.readers.cells import NOTHING, UnfitError, read_field
from at_k.readers.decoding import decode, require_object
from at_k.readers.faults import UNITS, Faults, find_fault
from at_k.readers.format import Reading, find_path
from at_k.readers.grouping import Groups
from at_k.readers.models import Selection, no_rows
from at_k.readers.plausibility import refuse_odd_names
from at_k.readers.problems import KnownProblems, Place
from at_k.readers.quoting import quote, quote_all
from at_k.readers.samples import ROLES, STANDARD, Origin, Samples, Split, list_types
from at_k.readers.sources import Source


class Collector:
    """Collect the samples of a file.

    A reader calls `add` for each sample, in the order of the file, and `finish` at the end. With `errors="skip"`, a
    sample that is broken is left out and counted; else it raises.

    Args:
        reading: how the file is read.
        unit: what `row` counts: "line", "row", "sample" or "problem".
        place: describes the place of a role in a row; by default the row, by its unit.
        read: reads the value of a role; by default one that a harness wrote.

    Attributes:
        faults: what is at fault; in `with collector.faults:` a reader may raise errors of its own.

    Examples:
        >>> collector = Collector(Reading(), unit="line")
        >>> collector.add(1, "a", answer="7", grade=1.0)
        >>> collector.add(2, "a", answer="8", grade=None)
        >>> collector.finish(Origin("example")).table.to_pylist()
        [{'problem': 'a', 'answers': ['7', '8'], 'grades': [1.0, None]}]
    """

    def __init__(
        self,
        reading: Reading,
        *,
        unit: str = "line",
        place: Place | None = None,
        read: Callable[[str, object], Any] | None = None,
    ) -> None:
        for role, column in reading.columns.items():
            if role not in ROLES or (role == "problem" and column is None):
                raise InputError(
                    "collector.columns",
                    "{option:columns} cannot say {column} for {role}. The roles are {roles}; each but the first may be "
                    "None.",
                    role=quote(role),
                    column=quote(column),
                    roles=", ".join(ROLES),
                )
        self.faults = Faults(reading.errors)
        self._columns, self._describe = dict(reading.columns), place or (lambda row, *_: UNITS[unit](row))
        self._read_value = read or partial(read_field, scale=reading.scale)
        self._selection = Selection(reading.where, reading.pool)
        self._problems = KnownProblems(self._describe)
        # Of each sample. The lists of values are shorter if the last samples have none.
        self._problem, self._rows = array("q"), array("q")
        self._answers: list[str | None] = []
        self._grades, self._scores = array("d"), array("d")
        self._numbers: list[object] = []
        self._numbered: dict[tuple[int, object], int] = {}

    def rows(self, source: Source, fields: Sequence[str] = ()) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows of a file of JSON lines that `where` asks for, each with the number of its line.

        Args:
            source: the file.
            fields: the fields that every row must have.

        Raises:
            InputError: if a line is not a JSON object with these fields, which `errors="skip"` counts instead; or if
                the rows are of several models.
        """
        with source.open_text() as file:
            yield from self._choose_rows(enumerate(file, 1), fields)

    def entries(self, values: Iterable[object], fields: Sequence[str] = ()) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the objects in a list as `rows` does, each with its place in the list, counted from 1."""
        return self._choose_rows(enumerate(values, 1), fields)

    def _choose_rows(
        self, found: Iterable[tuple[int, object]], fields: Sequence[str]
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        needed = frozenset(fields)
        keeps = self._selection.keeps
        for number, each in found:
            if type(each) is bytes and each.isspace():
                continue
            try:
                row = decode(each, number) if type(each) is bytes else each
                if type(row) is not dict or not needed <= row.keys():
                    row = require_object(row, self.place(number))
                    raise self.lack(next(name for name in fields if name not in row), number)
            except InputError as error:
                self.faults.add(error)
                continue
            if keeps(row):  # raises where errors are not skipped: rows of several models
                yield number, row

    def add(
        self,
        row: int,
        problem: object,
        *,
        number: object = NOTHING,
        answer: object = NOTHING,
        grade: object = NOTHING,
        score: object = NOTHING,
        references: object = NOTHING,
        group: object = NOTHING,
        meta: Mapping[str, Any] | None = None,
        details: Mapping[str, Any] | None = None,
        fields: Mapping[str, Any] | None = None,
        sample: int | None = None,
    ) -> None:
        """Add a sample.

        Args:
            row: the number of its line, counted from 1, or of what else the unit is.
            problem: the name of its problem, a string or a number.
            number: what the file calls the sample: its epoch, trial or repeat. It is different for each sample of a
                problem.
            answer: a string; None if the sample gave none. Numbers and truth values are spelled as JSON does.
            grade: a number from 0 to 1, or a truth value; None or NaN if the sample was not graded.
            score: a finite number; None or NaN if there is none.
            references: a string, or a list of strings each of which is correct.
            group: a label of the problem.
            meta: what else the file says about the problem. What its samples do not agree on is left out.
            details: what it says about the sample alone, such as its cost: the same names for each. In the column
                `meta` there is a list under each name.
            fields: all fields of the row, out of which a user may name one for any role.
            sample: its number within the row, counted from 1, where errors are to name it.

        Raises:
            InputError: if a value is none of these, which `errors="skip"` counts instead.
        """
        with self.faults:
            if self._columns:
                problem = self._choose("problem", problem, row, fields)
                answer = self._choose("answers", answer, row, fields)
                grade = self._choose("grades", grade, row, fields)
                score = self._choose("scores", score, row, fields)
                references = self._choose("references", references, row, fields)
                group = self._choose("group", group, row, meta, fields)
            name = self.read("problem", problem, row)
            answer = answer if type(answer) is str else self.read("answers", answer, row, sample)
            grade, score = self.read("grades", grade, row, sample), self.read("scores", score, row, sample)
            listed, label = self.read("references", references, row), self.read("group", group, row)
            place = self._problems.find(problem, name, row)
            if number is not NOTHING:
                self._refuse_repeated(place, problem, number, row)
            self._problems.describe(place, name, row, listed, label, meta, details)
            count = len(self._rows)
            self._problem.append(place)
            self._rows.append(row)
            if answer is not NOTHING:
                _put(self._answers, answer, None, count)
            if grade is not NOTHING:
                _put(self._grades, nan if grade is None else grade, nan, count)
            if score is not NOTHING:
                _put(self._scores, nan if score is None else score, nan, count)
            if number is not NOTHING:
                self._numbered[place, number] = row
                self._numbers.append(number)

    def add_problem(self, row: int, problem: object, samples: Sequence[Mapping[str, Any]], **shared: Any) -> None:
        """Add a problem that stands in the file once, with the list of its samples.

        Args:
            row: the number of its row.
            problem: its name.
            samples: for each sample what differs between them, named as the arguments of `add`.
            shared: what does not.

        Raises:
            InputError: if it has no samples, or was there before, or as `add` does.
        """
        with self.faults:
            name = self.read("problem", problem, row)
            if not samples:
                raise InputError(
                    "collector.no_samples",
                    "Problem {name} has no samples ({place}). Remove it, or add its samples.",
                    name=quote(problem),
                    place=self.place(row),
                )
            known = self._problems.places.get(name)
            if known is not None:
                raise InputError(
                    "collector.same_problem",
                    "Each problem may be there only once; {value} is also in {first} ({place}). Remove one, or keep "
                    "the rows of one model with {option:where}.",
                    value=quote(problem),
                    first=self.place(self._problems.first_rows[known]),
                    place=self._describe(row, "problem", None),
                )
            own = shared if self._columns else {role: value for role, value in shared.items() if role == "grade"}
            before = len(self._rows)
            for number, sample in enumerate(samples, 1):
                # What is said of the problem is read with its first sample alone.
                self.add(row, problem, sample=number, **sample, **(own if len(self._rows) > before else shared))

    def add_answers(self, row: int, problem: object, answers: Sequence[object], **shared: Any) -> None:
        """Add a problem that stands in the file once, whose samples differ in their answers alone.

        It is `add_problem` for large files: what the samples share is kept for all of them at once. If that is broken,
        the problem is left out and counted once.

        Args:
            row: the number of its row.
            problem: its name.
            answers: the answer of each sample.
            shared: what its samples share, named as the arguments of `add`.

        Raises:
            InputError: as `add_problem` does.
        """
        plain = not self._columns and {*map(type, answers)} <= {str, type(None)}
        before = len(self._rows)
        self.add_problem(row, problem, [{"answer": each} for each in (answers[:1] if plain else answers)], **shared)
        if plain and len(self._rows) > before:
            rest = answers[1:]
            self._problem.extend([self._problem[-1]] * len(rest))
            self._rows.extend([row] * len(rest))
            # `plain` says that all are texts or None, which a type checker cannot follow.
            self._answers.extend(rest)  # type: ignore[arg-type]
            if shared.get("grade", NOTHING) is not NOTHING:
                self._grades.extend([self._grades[-1]] * len(rest))

    def place(self, row: int) -> Message:
        """Describe where a sample stands: "line 7"."""
        return self._describe(row, "", None)

    def lack(self, field: str, row: int) -> InputError:
        """Make the error that says that a row does not have a field."""
        return InputError(
            "collector.lack",
            "The field {field} is missing ({place}).",
            field=quote(field),
            place=self.place(row),
        )

    def note_shared_prompts(self) -> list[Message]:
        """Write the note, if one is due, that a problem may be two that have the same prompt and so the same name."""
        n = np.bincount(np.frombuffer(self._problem, np.int64)) if self._rows else np.ones(1, np.int64)
        smallest, largest = int(n.min()), int(n.max())
        if smallest == largest or (n % smallest).any():
            return []
        return [
            Message(
                "collector.shared_prompt",
                "Some prompts have {largest:,} samples and others {smallest:,}: problems with the same prompt are "
                "counted as one.",
                largest=largest,
                smallest=smallest,
            )
        ]

    def finish(self, origin: Origin, *, per_sample: bool = True) -> Samples:
        """Return the samples that were collected, those of each problem together, in the order in which they came.

        Args:
            origin: what wrote the file, and what was taken from it.
            per_sample: whether each sample has a row of its own in the file.

        Raises:
            InputError: if there are none, or if `where` or `pool` names a column that no row has.
        """
        import pyarrow as pa

        self._selection.refuse_unknown(origin.subject)
        count, problems = len(self._rows), self._problems
        if not count:
            self._refuse_empty()
        groups = Groups.of(np.frombuffer(self._problem, np.int64))
        columns: dict[str, pa.Array] = {"problem": make_texts(list(problems.places))}
        if self._answers:
            columns["answers"] = groups.list(make_texts(_pad(self._answers, None, count)))
        for role, values in (("grades", self._grades), ("scores", self._scores)):
            if values:
                numbers = np.frombuffer(_pad(values, nan, count))
                columns[role] = groups.list(make_numbers(numbers, ~np.isnan(numbers)))
        for role, said in problems.said.items():
            if any(value is not None for value in said):
                columns[role] = make_array(said, list_types()[role])
        said = [(own or {}) | each for own, each in zip(problems.meta, problems.details, strict=True)]
        if any(said):
            columns["meta"] = make_texts([_encode(each) if each else None for each in said])
        rows, ends = np.frombuffer(self._rows, np.int64), groups.offsets.tolist()
        order = range(count) if groups.order is None else groups.order.tolist()
        samples = Samples(
            table=pa.table({role: columns[role] for role in STANDARD if role in columns}),
            origin=replace(
                origin,
                roles={role: name for role, name in (origin.roles | self._columns).items() if role in columns},
                skipped=dict(self.faults.causes.values()),
            ),
            rows=groups.split(rows) if per_sample else Split(rows[groups.firsts], np.arange(len(groups.firsts) + 1)),
            per_sample=per_sample,
            numbers=[[self._numbers[each] for each in order[start:stop]] for start, stop in pairwise(ends)]
            if len(self._numbers) == count
            else None,
            details=list(dict.fromkeys(chain.from_iterable(problems.details))),
        )
        refuse_odd_names(samples)
        return samples

    def read(self, role: str, value: object, row: int, sample: int | None = None) -> Any:
        """Read the value of a role.

        Raises:
            InputError: if the role cannot take it.
        """
        if value is NOTHING and role != "problem":
            return value
        try:
            return self._read_value(role, value)
        except UnfitError as fault:
            raise find_fault(role, fault.value, self._describe(row, role, sample)) from None

    def _choose(self, role: str, value: object, row: int, *sources: Mapping[str, Any] | None) -> object:
        """Return the value of a role: that of the field that the user named, or else that of the format."""
        if role not in self._columns:
            return value
        field = self._columns[role]
        if field is None:
            return NOTHING
        for fields in sources:
            if fields is not None and field in fields:
                return fields[field]
            found = find_path(fields, field.split("."))
            if found is not None:
                return found
        known = dict.fromkeys(name for fields in sources for name in fields or ())
        raise InputError(
            "collector.no_field",
            "There is no field {field} to take for {role}. The fields are: {fields} ({place}).",
            field=quote(field),
            role=role,
            fields=quote_all(known) or "none",
            place=self.place(row),
        )

    def _refuse_empty(self) -> None:
        """Raise because there are no samples, and say why."""
        self.faults.refuse_nothing_left()
        if self._selection.where:
            raise no_rows()
        raise InputError("collector.empty", "There are no samples in this file.")

    def _refuse_repeated(self, place: int, problem: object, number: object, row: int) -> None:
        """Raise if a problem has a sample of this number already, or if this is no number of a sample."""
        if not isinstance(number, (str, int, float, tuple)):
            raise InputError(
                "collector.number",
                "The number of a sample must be a number or text; got {value} ({place}).",
                value=quote(number),
                place=self.place(row),
            )
        first = self._numbered.get((place, number))
        if first is not None:
            raise InputError(
                "collector.repeated",
                "Sample {number} of problem {name} is there twice: {first} and {place}. Number them differently, "
                "remove one, or leave out the column if it does not number samples.",
                number=quote(number[0] if isinstance(number, tuple) else number),
                name=quote(problem),
                first=self.place(first),
                place=self._describe(row, "number", None),
            )


def _put(values: Any, value: object, nothing: object, count: int) -> None:
    """Append the value of a sample; `count` samples came before it, of which the last ones may have no value."""
    if len(values) < count:
        _pad(values, nothing, count)
    values.append(value)


def _pad(values: Any, nothing: object, count: int) -> Any:
    values.extend([nothing] * (count - len(values)))
    return values


_encode = json.JSONEncoder(ensure_ascii=False, default=str).encode
"""`json.dumps` makes an encoder for each call that has options."""
