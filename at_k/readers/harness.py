"""Collect the rows of a harness one by one: those that are wanted wait until there are enough for a block."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np

from at_k.errors import InputError, Message, Phrases
from at_k.readers.blocks import find_field
from at_k.readers.cells import NOTHING, FieldCells
from at_k.readers.faults import UNITS, Faults
from at_k.readers.files.decoding import decode, require_object
from at_k.readers.files.sources import Source
from at_k.readers.format import Reading
from at_k.readers.names import quote, quote_all
from at_k.readers.samples import FURTHER_ROLES, MISSING, ROLES, SAMPLE_ROLES, Origin, Samples
from at_k.readers.tables.choosing import Selection, no_rows
from at_k.readers.tables.collector import BESIDE, NUMBER, Collector, Sheet
from at_k.readers.tables.problems import OF_PROBLEM, Part
from at_k.readers.tables.readings import most_rows

# The roles of what is said of a sample, or of all samples of a problem.
_SAID = (
    "problem",
    "answers",
    "grades",
    "scores",
    "cost",
    "references",
    "group",
    "meta",
    NUMBER,
    MISSING,
)

# Samples that are collected before they are read as a block.
_WAITING = 4096

Adapt = Callable[[dict[str, Any]], dict[str, Any]]


_say = Phrases(
    {
        "collector.columns": "{option:columns} cannot say {column} for {role}. The roles are {roles}; each but the "
        "first may be None.",
        "collector.number": "The number of a sample must be a number or text; got {value} ({place}).",
        "collector.no_field": "There is no field {field} to take for {role}. The fields are: {fields} ({place}).",
        "collector.lack": "The field {field} is missing ({place}).",
        "collector.shared_prompt": "Some prompts have {largest:,} samples and others {smallest:,}: problems with the "
        "same prompt are counted as one.",
        "collector.no_values": "Nothing is left to score: {option:columns} leaves out {roles}. Keep the answers or "
        "the grades.",
    }
)


class RowCollector(Collector):
    """Collect the samples of a harness.

    A reader calls `rows` for the rows, `add` for each of them, and `finish` at the end.

    Args:
        reading: how the file is read.
        unit: what `row` counts: "line", "row", "sample" or "problem".
        settings: as of `Selection`.
        details: the names of what else is kept of each sample.

    Examples:
        >>> collector = RowCollector(Reading(), unit="line")
        >>> collector.add(1, "a", answers="7", grades=1.0)
        >>> collector.add(2, "a", answers="8", grades=None)
        >>> collector.finish(Origin("example")).table.to_pylist()
        [{'problem': 'a', 'answers': ['7', '8'], 'grades': [1.0, None]}]
    """

    def __init__(
        self,
        reading: Reading,
        *,
        unit: str = "line",
        settings: Collection[str] = (),
        details: Collection[str] = (),
    ) -> None:
        self._columns = dict(reading.columns)
        for role, column in self._columns.items():
            if role not in (*ROLES, *FURTHER_ROLES) or (role == "problem" and column is None):
                raise _say.error(
                    "collector.columns",
                    role=quote(role),
                    column=quote(column),
                    roles=", ".join(ROLES),
                )
        self.selection = Selection(reading.where, reading.pool, settings)
        named = [role for role in ("error", "weight") if role in self._columns]
        self._roles = (*_SAID, *named, *(BESIDE + name for name in details))
        self._waiting, self._count = Part([], defaultdict(list), listed=False), 0
        self.notes = list[Message]()
        self._reading, self.reads = reading, reading.make_cells(FieldCells)
        sheet, faults = Sheet({}, self.reads), Faults(reading.errors)
        super().__init__(
            sheet,
            lambda row, *_: UNITS[unit](row),
            faults,
            are_names_given="problem" in self._columns,
        )

    def rows(
        self, source: Source | Iterable[object], fields: Sequence[str] = (), adapt: Adapt = dict
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows that `where` asks for: lines of JSON or objects, each with its number, counted from 1."""
        needed, keeps = frozenset(fields), self.selection.keeps
        with source.open_text() if isinstance(source, Source) else nullcontext(source) as values:
            for number, value in enumerate(islice(values, most_rows.get()), 1):
                if type(value) is bytes and value.isspace():
                    continue
                try:
                    row = value
                    if type(value) is bytes:
                        row = decode(value, number)
                    if type(row) is not dict or not needed <= row.keys():
                        row = require_object(row, self.place(number))
                        raise self.lack(next(name for name in fields if name not in row), number)
                    if adapt is not dict:
                        row = adapt(row)
                except InputError as error:
                    self.faults.add(error)
                    continue
                if keeps(row):  # raises where errors are not skipped: rows of several models
                    yield number, row

    def add(
        self,
        row: int,
        problem: object,
        samples: Sequence[Mapping[str, Any]] | None = None,
        *,
        fields: Mapping[str, Any] | None = None,
        **said: Any,
    ) -> None:
        """Add a sample, or a problem that has one row, with the list of its samples; `said` is said of each."""
        said["problem"] = problem
        cells, listed = {}, samples is not None
        told = set(chain.from_iterable(samples or ()))
        with self.faults:
            for role in self._roles:
                value, parts = said.get(role, NOTHING), samples or ()
                if role in self._columns:
                    value = self._choose(
                        role, row, *([said.get("meta")] if role == "group" else []), fields
                    )
                    parts = [{}] * len(parts)
                if not listed:
                    cells[role] = value
                elif role not in told:
                    cells[role] = value if role in OF_PROBLEM else [value] * len(parts)
                elif role not in OF_PROBLEM:
                    cells[role] = [sample.get(role, value) for sample in parts]
                else:
                    values = [sample[role] for sample in parts if role in sample] or [value]
                    cells[role] = values[0]
                    for other in values:
                        if other != values[0]:
                            raise self.problems.differ(role, other, values[0], row)
            for number in cells[NUMBER] if listed else [cells[NUMBER]]:
                if number is not NOTHING and not isinstance(number, (str, int, float)):
                    raise _say.error("collector.number", value=quote(number), place=self.place(row))
            if self._count >= _WAITING or self._waiting.listed != listed:
                self._flush(listed=listed)
            self._waiting.rows.append(row)
            for role, cell in cells.items():
                self._waiting.cells[role].append(cell)
            self._count += len(samples or " ")

    def _flush(self, *, listed: bool = False) -> None:
        part, self._waiting, self._count = self._waiting, Part([], defaultdict(list), listed), 0
        if part.rows:
            self._take(part)

    def _merge(self) -> dict[str, Any]:
        self._flush()
        return super()._merge()

    def _choose(self, role: str, row: int, *sources: Mapping[str, Any] | None) -> object:
        """Return the value of the field that the user named for a role."""
        field = self._columns[role]
        if field is None:
            return NOTHING
        for fields in sources:
            if fields is not None and field in fields:
                return fields[field]
            value = find_field(fields, field.split("."))
            if value is not None:
                return value
        known = (
            quote_all(dict.fromkeys(name for fields in sources for name in fields or ())) or "none"
        )
        raise _say.error(
            "collector.no_field", field=quote(field), role=role, fields=known, place=self.place(row)
        )

    def lack(self, field: str, row: int) -> InputError:
        """Make the error that says that a row does not have a field."""
        return _say.error("collector.lack", field=quote(field), place=self.place(row))

    def note_shared_prompts(self) -> list[Message]:
        """Write the note, if one is due, that a problem may be two that have the same prompt and so the same name."""
        problems = self.held("problem")
        if len(problems):
            n = np.bincount(problems)
        else:
            n = np.ones(1, np.int64)
        smallest, largest = int(n.min()), int(n.max())
        if smallest == largest or (n % smallest).any():
            return []
        return [_say("collector.shared_prompt", largest=largest, smallest=smallest)]

    def finish(self, origin: Origin, *, per_sample: bool = True) -> Samples:
        """Return the samples that were collected, with the fields that the user named."""
        self.selection.refuse_unknown(origin.subject)
        held = self._merge()
        if not held and self.selection.where.columns and not self.faults.causes:
            raise no_rows()
        gone = [role for role, column in self._columns.items() if column is None]
        if held and gone and not held.keys() & {*SAMPLE_ROLES}:
            raise _say.error("collector.no_values", roles=", ".join(gone))
        notes = [*origin.notes, *self.notes]
        if self.reads.are_words_unseen:
            notes.append(self._reading.note_unseen_words())
        origin = replace(origin, notes=notes)
        return super().finish(
            replace(origin, roles=origin.roles | self._columns), per_sample=per_sample
        )
