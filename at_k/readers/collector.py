"""Collect samples into the standard columns, one by one; `sheets` collects those of tables in blocks."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from math import nan
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from at_k.errors import InputError, Mention, Message
from at_k.readers.arrays import make_numbers, make_text_lists, make_texts, refuse_large_texts
from at_k.readers.blocks import find_field
from at_k.readers.cells import NOTHING, UnfitError, read_field
from at_k.readers.choosing import Selection, no_rows
from at_k.readers.coding import Groups
from at_k.readers.decoding import decode, require_object
from at_k.readers.faults import UNITS, Faults, describe_place, find_fault
from at_k.readers.format import Reading
from at_k.readers.names import quote, quote_all
from at_k.readers.problems import KnownProblems, Place
from at_k.readers.samples import (
    FURTHER_ROLES,
    MISSING,
    ROLES,
    SAMPLE_ROLES,
    STANDARD,
    Origin,
    Samples,
    Split,
)
from at_k.readers.sources import Source
from at_k.readers.structure import refuse_odd_names

OF_SAMPLE = (*SAMPLE_ROLES, "cost")
"""The roles that say something of each sample."""

ARGUMENTS = {
    "answers": "answer",
    "grades": "grade",
    "scores": "score",
    "references": "references",
    "group": "group",
    "cost": "cost",
}
"""Role → argument of `Collector.add`."""

Adapt = Callable[[dict[str, Any]], dict[str, Any]]


class Values:
    """One value for each sample, in arrays of those that came in blocks and a list of the last ones."""

    def __init__(self, rest: Any, nothing: object, make: Callable[[Any], Any]) -> None:
        self.rest, self._nothing, self._make = rest, nothing, make
        self._parts: list[Any] = []
        self._before = 0

    def put(self, value: object, count: int) -> None:
        """Append the value of a sample; `count` samples came before it, of which the last ones may have no value."""
        missing = count - self._before - len(self.rest)
        if missing:
            self.rest.extend([self._nothing] * missing)
        self.rest.append(value)

    def extend(self, part: Any, count: int) -> None:
        """Append an array of values."""
        self.arrays(count)
        self._parts.append(part)
        self._before += len(part)

    def arrays(self, count: int) -> list[Any]:
        """Return the values of all samples as arrays."""
        missing = count - self._before - len(self.rest)
        self.rest.extend([self._nothing] * missing)
        if self.rest:
            self._parts.append(self._make(self.rest))
            self._before += len(self.rest)
            self.rest = self.rest[:0]
        return self._parts


class _Kept(dict[str, Values]):
    """Role → the values of each sample, beside the number of its `problem` and of its `row`."""

    def __missing__(self, role: str) -> Values:
        if role == "answers":
            self[role] = Values([], None, make_texts)
        elif role in ("problem", "row"):
            self[role] = Values(array("q"), 0, np.array)
        else:
            self[role] = Values(array("d"), nan, np.array)
        return self[role]


def refuse_empty() -> InputError:
    """Make the error that says that a file has no samples."""
    return InputError("collector.empty", "There are no samples in this file.")


class Collector:
    """Collect the samples of a file.

    A reader calls `add` for each sample, in the order of the file, and `finish` at the end. With `errors="skip"`, a
    sample that is broken is left out and counted; else it raises.

    Args:
        reading: how the file is read.
        unit: what `row` counts: "line", "row", "sample" or "problem".
        place: describes the place of a role in a row; by default the row, by its unit.
        read: reads the value of a role; by default one that a harness wrote.
        settings: as of `Selection`.

    Attributes:
        faults: what is at fault; in `with collector.faults:` a reader may raise errors of its own.
        known: the problems, and what is said of them.
        values: what the samples hold so far.
        count: their number.
        are_names_given: whether a user said what names the problems.

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
        settings: Collection[str] = (),
    ) -> None:
        for role, column in reading.columns.items():
            if role not in (*ROLES, *FURTHER_ROLES) or (role == "problem" and column is None):
                raise InputError(
                    "collector.columns",
                    "{option:columns} cannot say {column} for {role}. The roles are {roles}; each but the first may be "
                    "None.",
                    role=quote(role),
                    column=quote(column),
                    roles=", ".join(ROLES),
                )
        self.faults = Faults(reading.errors)
        self._columns, self.describe = dict(reading.columns), place or (lambda row, *_: UNITS[unit](row))
        self._read_value = read or partial(read_field, scale=reading.scale)
        self.selection = Selection(reading.where, reading.pool, settings)
        self.known = KnownProblems(self.describe)
        self.are_names_given = "problem" in reading.columns
        self.count = 0
        self.values = _Kept()
        self._numbers: list[object] = []
        self._numbered: dict[tuple[int, object], int] = {}  # problem and number → row
        self._details: dict[str, Values] = {}

    def rows(
        self, source: Source, fields: Sequence[str] = (), adapt: Adapt = dict
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows of a file of JSON lines that `where` asks for, each with the number of its line."""
        with source.open_text() as file:
            yield from self._choose_rows(enumerate(file, 1), fields, adapt)

    def entries(
        self, values: Iterable[object], fields: Sequence[str] = (), adapt: Adapt = dict
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the objects in a list as `rows` does, each with its place in the list, counted from 1."""
        return self._choose_rows(enumerate(values, 1), fields, adapt)

    def _choose_rows(
        self, found: Iterable[tuple[int, object]], fields: Sequence[str], adapt: Adapt
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        needed = frozenset(fields)
        keeps = self.selection.keeps
        for number, each in found:
            if type(each) is bytes and each.isspace():
                continue
            try:
                row = decode(each, number) if type(each) is bytes else each
                if type(row) is not dict or not needed <= row.keys():
                    row = require_object(row, self.place(number))
                    raise self.lack(next(name for name in fields if name not in row), number)
                row = row if adapt is dict else adapt(row)
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
        cost: object = NOTHING,
        references: object = NOTHING,
        group: object = NOTHING,
        meta: Mapping[str, Any] | None = None,
        details: Mapping[str, Any] | None = None,
        fields: Mapping[str, Any] | None = None,
        sample: int | None = None,
        reason: str | None = None,
    ) -> None:
        """Add a sample."""
        with self.faults:
            cells = {"answers": answer, "grades": grade, "scores": score, "references": references, "group": group}
            cells["cost"] = cost
            if self._columns:
                problem = self._choose("problem", problem, row, fields)
                for role, value in cells.items():
                    cells[role] = self._choose(role, value, row, *([meta] if role == "group" else []), fields)
            name = self.read("problem", problem, row)
            for role, value in cells.items():
                if value is not NOTHING:
                    cells[role] = self.read(role, value, row, sample if role in OF_SAMPLE else None)
            if number is not NOTHING and not isinstance(number, (str, int, float, tuple)):
                raise InputError(
                    "collector.number",
                    "The number of a sample must be a number or text; got {value} ({place}).",
                    value=quote(number),
                    place=self.place(row),
                )
            place = self.known.find(problem, name, row)
            if number is not NOTHING and (place, number) in self._numbered:
                self.refuse_repeated(number, problem, self._numbered[place, number], row)
            self.known.describe(place, name, row, cells["references"], cells["group"], meta)
            if number is not NOTHING:
                self._numbered[place, number] = row
                self._numbers.append(number)
            self.values["problem"].put(place, self.count)
            self.values["row"].put(row, self.count)
            for role in OF_SAMPLE:
                value = cells[role]
                if value is not NOTHING:
                    self.values[role].put(nan if value is None and role != "answers" else value, self.count)
            told = {MISSING: reason} if reason is not None and cells["grades"] is None else {}
            for field, value in {**(details or {}), **told}.items():
                if field not in self._details:
                    self._details[field] = Values([], NOTHING, list)
                self._details[field].put(value, self.count)
            self.count += 1

    def add_problem(self, row: int, problem: object, samples: Sequence[Mapping[str, Any]], **shared: Any) -> None:
        """Add a problem that has one row, with the list of its samples."""
        with self.faults:
            name = self.read("problem", problem, row)
            if not samples:
                raise InputError(
                    "collector.no_samples",
                    "Problem {name} has no samples ({place}). Remove it, or add its samples.",
                    name=quote(problem),
                    place=self.place(row),
                )
            known = self.known.places.get(name)
            if known is not None:
                raise InputError(
                    "collector.same_problem",
                    "Each problem may be there only once; {value} is also in {first} ({place}). Remove one, or keep "
                    "the rows of one model with {option:where}.",
                    value=quote(problem),
                    first=self.place(self.known.first_rows[known]),
                    place=self.describe(row, "problem", None),
                )
            own = shared if self._columns else {role: value for role, value in shared.items() if role == "grade"}
            before = self.count
            for number, sample in enumerate(samples, 1):
                # What is said of the problem is read with its first sample alone.
                self.add(row, problem, sample=number, **sample, **(own if self.count > before else shared))

    def add_answers(self, row: int, problem: object, answers: Sequence[object], **shared: Any) -> None:
        """Add a problem as `add_problem` does, whose samples differ in their answers alone.

        What the samples share is kept for all of them at once. If that is broken, the problem is counted once.
        """
        plain = not self._columns and {*map(type, answers)} <= {str, type(None)}
        before = self.count
        self.add_problem(row, problem, [{"answer": each} for each in (answers[:1] if plain else answers)], **shared)
        rest = answers[1:] if plain and self.count > before else ()
        if rest:
            self.values["answers"].rest.extend(rest)
            for role in ("problem", "row", "grades"):
                if role != "grades" or shared.get("grade", NOTHING) is not NOTHING:
                    held = self.values[role].rest
                    held.extend(held[-1:] * len(rest))
            self.count += len(rest)

    @property
    def problems(self) -> NDArray[np.int64]:
        """The problem of each sample, as a number."""
        return self._join("problem")

    @property
    def row_numbers(self) -> NDArray[np.int64]:
        """The row of each sample."""
        return self._join("row")

    @property
    def verdicts(self) -> NDArray[np.float64] | None:
        """The grade of each sample, or None."""
        return self._join("grades") if "grades" in self.values else None

    def _join(self, role: str) -> NDArray[Any]:
        parts = self.values[role].arrays(self.count)
        if len(parts) != 1:
            parts[:] = [np.concatenate([np.array([], dtype=np.int64), *parts])]
        joined: NDArray[Any] = parts[0]
        return joined

    def place(self, row: int) -> Message:
        """Describe the place of a sample: "line 7"."""
        return self.describe(row, "", None)

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
        n = np.bincount(self.problems) if self.count else np.ones(1, np.int64)
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
        """Return the samples that were collected, those of each problem together, in the order in which they came."""
        import pyarrow as pa

        self.selection.refuse_unknown(origin.subject)
        if not self.count:
            self.faults.refuse_nothing_left()
            if self.selection.where.columns:
                raise no_rows()
            raise refuse_empty()
        known, rows, groups = self.known, self.row_numbers, Groups.of(self.problems)
        gone = [role for role, column in self._columns.items() if column is None]
        if gone and not self.values.keys() & {*SAMPLE_ROLES}:
            raise InputError(
                "collector.no_values",
                "Nothing is left to score: {option:columns} leaves out {roles}. Keep the answers or the grades.",
                roles=", ".join(gone),
            )
        numbers = self.list_numbers(groups)
        columns: dict[str, pa.Array] = {"problem": make_texts(list(known.places))}
        for role in SAMPLE_ROLES:
            if role in self.values:
                columns[role] = groups.list(self._join_array(role))
        for role, said in known.said.items():
            if any(value is not None for value in said):
                columns[role] = make_texts(said) if role == "group" else make_text_lists(said)
        details = self._list_details(groups)
        if any(known.meta) or any(details):
            told = ((own or {}) | each for own, each in zip(known.meta, details, strict=True))
            columns["meta"] = make_texts([_encode(each) if each else None for each in told])
        samples = Samples(
            table=pa.table({role: columns[role] for role in STANDARD if role in columns}),
            origin=replace(
                origin,
                roles={role: name for role, name in (origin.roles | self._columns).items() if role in columns},
                skipped=dict(self.faults.causes.values()),
            ),
            rows=groups.split(rows) if per_sample else Split(rows[groups.firsts], np.arange(len(groups.firsts) + 1)),
            per_sample=per_sample,
            numbers=numbers,
            details=list(dict.fromkeys(chain.from_iterable(details))),
        )
        refuse_odd_names(samples, are_given=self.are_names_given)
        return samples

    def _join_array(self, role: str) -> Any:
        import pyarrow as pa

        if role != "answers":
            numbers = self._join(role)
            return make_numbers(numbers, ~np.isnan(numbers))
        parts = self.values[role].arrays(self.count)
        refuse_large_texts(sum(part.nbytes for part in parts))
        return parts[0] if len(parts) == 1 else pa.concat_arrays(parts)

    def _list_details(self, groups: Groups) -> list[dict[str, list[Any]]]:
        """List what is said of the samples of each problem, by its name."""
        found: list[dict[str, list[Any]]] = [{} for _ in groups.firsts]
        costs = {"cost": self.values["cost"]} if "cost" in self.values else {}
        for name, held in (self._details | costs).items():
            values = list(chain.from_iterable(held.arrays(self.count)))
            for own, each in zip(found, groups.cut(values), strict=True):
                if any(value is not NOTHING for value in each):
                    own[name] = [None if value is NOTHING else value for value in each]
        return found

    def list_numbers(self, groups: Groups) -> Sequence[Sequence[object]] | None:
        """Return the numbers of the samples; None unless all of them have one."""
        return groups.cut(self._numbers) if len(self._numbers) == self.count else None

    def refuse_repeated(self, number: object, name: object, first: int, row: int, column: str = "") -> NoReturn:
        """Raise because a problem has two samples of one number."""
        raise InputError(
            "collector.repeated",
            "Sample {number} of problem {name} is there twice: {first} and {place}. Number them differently, or remove "
            "one. If that column does not number samples: {ignored}.",
            number=quote(number[0] if isinstance(number, tuple) else number),
            name=quote(name),
            first=self.place(first),
            place=describe_place(row, column) if column else self.place(row),
            ignored=Mention(columns={"sample": None}),
        )

    def read(self, role: str, value: object, row: int, sample: int | None = None) -> Any:
        """Read the value of a role."""
        try:
            return self._read_value(role, value)
        except UnfitError as fault:
            raise find_fault(role, fault.value, self.describe(row, role, sample)) from None

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
            found = find_field(fields, field.split("."))
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


_encode = json.JSONEncoder(ensure_ascii=False, default=str).encode
"""`json.dumps` makes an encoder for each call that has options."""
