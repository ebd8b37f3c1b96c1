"""Collect samples into the standard columns: a block as a whole or, where that fails, part by part by the same code."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from at_k.errors import InputError, Mention, Message
from at_k.readers.arrays import (
    Groups,
    Split,
    encode,
    find_firsts,
    flatten,
    is_arrow,
    join_codes,
    list_cells,
    make_numbers,
    make_text_lists,
    make_texts,
    read_integers,
    refuse_large_texts,
    take,
)
from at_k.readers.blocks import Block, find_field
from at_k.readers.cells import NOTHING, Cells, FieldCells, UnfitError
from at_k.readers.choosing import Selection, no_rows
from at_k.readers.decoding import decode, require_object
from at_k.readers.faults import UNITS, Faults, describe_place, find_fault
from at_k.readers.format import Reading
from at_k.readers.names import is_model, quote, quote_all
from at_k.readers.problems import OF_PROBLEM, Findings, Part, Place, Problems, fill
from at_k.readers.samples import (
    FURTHER_ROLES,
    MISSING,
    ROLES,
    SAMPLE_ROLES,
    STANDARD,
    Origin,
    Samples,
)
from at_k.readers.sources import Source
from at_k.readers.structure import is_summary, make_summary_error, refuse_odd_names

# The roles that say something of each sample.
OF_SAMPLE = (*SAMPLE_ROLES, "cost")

# Roles within a collector: the number of a sample, with the column that has it, and what else is said of it.
_NUMBER, _DETAILS = "#", "details"

# Role → what `Collector.add` calls it.
_ARGUMENTS = {
    "problem": "problem",
    "answers": "answer",
    "grades": "grade",
    "scores": "score",
    "cost": "cost",
    "references": "references",
    "group": "group",
    "meta": "meta",
    _NUMBER: "number",
    _DETAILS: "details",
    MISSING: "reason",
}

# Samples of a harness that are collected before they are read as a block.
_WAITING = 4096

# Parts into which rows are cut that cannot be read as a whole.
_PARTS = 16

Adapt = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass
class Sheet:
    """The roles and rules of a table's columns.

    Attributes:
        columns: role → column.
        reads: reads cells.
        listed: whether a row is a problem, with lists of samples.
        numbers: the columns that number the samples of each problem.
    """

    columns: dict[str, str]
    reads: Cells
    listed: bool = False
    numbers: Sequence[str] = ()


def refuse_empty() -> InputError:
    """Make the error that says that a file has no samples."""
    return InputError("collector.empty", "There are no samples in this file.")


def _read_value(reads: Cells, describe: Place, role: str, value: object, row: int, sample: int | None = None) -> Any:
    """Read the value of a role."""
    try:
        return reads.read(role, value)
    except UnfitError as fault:
        raise find_fault(role, fault.value, describe(row, role, sample)) from None


class Collector:
    """Collect the samples of a file.

    A reader calls `add` for each sample, or `add_block` for rows of a table, in the order of the file, and `finish` at
    the end. With `errors="skip"`, a sample that is broken is left out and counted; else it raises.

    Args:
        reading: how the file is read.
        unit: what `row` counts: "line", "row", "sample" or "problem".
        sheet: how the columns of a table are read; by default, values are those that a harness wrote.
        place: describes the place of a role in a row; by default the row, by its unit.
        faults: what is at fault; in `with collector.faults:` a reader may raise errors of its own.
        are_names_given: whether a user said what names the problems.
        settings: as of `Selection`.

    Attributes:
        problems: the problems so far.

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
        sheet: Sheet | None = None,
        place: Place | None = None,
        faults: Faults | None = None,
        are_names_given: bool = False,
        settings: Collection[str] = (),
    ) -> None:
        self._columns = {} if sheet is not None else dict(reading.columns)
        for role, column in self._columns.items():
            if role not in (*ROLES, *FURTHER_ROLES) or (role == "problem" and column is None):
                raise InputError(
                    "collector.columns",
                    "{option:columns} cannot say {column} for {role}. The roles are {roles}; each but the first may be "
                    "None.",
                    role=quote(role),
                    column=quote(column),
                    roles=", ".join(ROLES),
                )
        self.faults, self._describe = faults or Faults(reading.errors), place or (lambda row, *_: UNITS[unit](row))
        self._is_table, self._sheet = sheet is not None, sheet or Sheet({}, FieldCells(scale=reading.scale))
        self.selection = Selection(*(() if sheet else (reading.where, reading.pool, settings)))
        self._are_names_given = are_names_given or "problem" in self._columns
        # A method of its own would keep a collector, and all that it holds, until garbage is looked for.
        self._read = partial(_read_value, self._sheet.reads, self._describe)
        self.problems = Problems(self._read, self._describe)
        self._blocks: list[dict[str, Any]] = []  # role → values, beside the number of their `problem` and their `row`
        self._waiting, self._count = Part([], defaultdict(list), listed=False), 0

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
        fields: Mapping[str, Any] | None = None,
        **said: Any,
    ) -> None:
        """Add a sample."""
        self.add_problem(row, problem, None, fields=fields, **said)

    def add_problem(
        self,
        row: int,
        problem: object,
        samples: Sequence[Mapping[str, Any]] | None,
        *,
        fields: Mapping[str, Any] | None = None,
        **shared: Any,
    ) -> None:
        """Add a problem that has one row, with the list of its samples; `shared` is said of each of them."""
        # A row waits until there are enough samples for a block. Without a list, it is one sample.
        shared["problem"] = problem
        cells, listed = {}, samples is not None
        with self.faults:
            for role, name in _ARGUMENTS.items():
                value, told = shared.get(name, NOTHING), samples or ()
                if role in self._columns:
                    value = self._choose(role, row, *([shared.get("meta")] if role == "group" else []), fields)
                    told = [{}] * len(told)
                if not listed:
                    cells[role] = value
                elif role not in OF_PROBLEM:
                    cells[role] = [sample.get(name, value) for sample in told]
                else:
                    own = [sample[name] for sample in told if name in sample] or [value]
                    cells[role] = own[0]
                    for other in own:
                        if other != own[0]:
                            raise self.problems.differ(role, other, own[0], row)
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

    def _choose(self, role: str, row: int, *sources: Mapping[str, Any] | None) -> object:
        """Return the value of the field that the user named for a role."""
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

    def add_block(self, block: Block) -> None:
        """Add rows of a table."""
        sheet = self._sheet
        cells = {role: block.column(name) for role, name in sheet.columns.items()}
        if "problem" not in cells:
            cells["problem"] = list(map(str, block.places))
        numbers = {_NUMBER + name: read_integers(block.column(name)) for name in sheet.numbers}
        cells |= {name: own for name, own in numbers.items() if own is not None}
        self._take(Part(block.places, cells, sheet.listed))

    def _take(self, part: Part) -> None:
        """Keep rows: all of them at once or, where that fails, in parts, which finds the place of each fault."""
        count = len(part.rows)
        try:
            lengths, cells = self._flatten(part)
            self._keep(part, self.problems.read(part), lengths, self._read_cells(cells, part.rows[0]))
        except (InputError, UnfitError):
            if count == 1:
                self._take_row(part)
                return
            size = -(-count // _PARTS)
            for start in range(0, count, size):
                self._take(part.cut(start, min(start + size, count)))

    def _take_row(self, part: Part) -> None:
        """Keep the samples of one row, each by itself, and name the place of each fault."""
        row, (problem,), found = part.rows[0], list_cells(part.cells["problem"]), []
        with self.faults:
            try:
                lengths, cells = self._flatten(part)
                for place in range(int(lengths[0])):
                    with self.faults:
                        own = {role: values[place : place + 1] for role, values in cells.items()}
                        found.append(self._read_cells(own, row, place + 1 if part.listed else None))
            except InputError as error:
                is_odd = error.code in ("cells.grade", "cells.word", "cells.points", "standard.no_list")
                if is_odd and self._is_table and is_summary(str(problem)):
                    raise make_summary_error(
                        self._sheet.columns.get("problem", "line"), problem, self.place(row)
                    ) from None
                raise
            if found:
                problems = self.problems.read(part)
                for values in found:
                    self._keep(part, problems, np.ones(1, np.int64), values)

    def _flatten(self, part: Part) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Return how many samples each row has, and role → the cell of each sample."""
        own = {role: cells for role, cells in part.cells.items() if role not in OF_PROBLEM}
        if not part.listed:
            return np.ones(len(part.rows), np.int64), own
        row, flat = part.rows[0], {role: flatten(cells) for role, cells in own.items()}
        first, (lengths, _) = next(iter(flat.items()))
        for role, (n, _) in flat.items():
            if n.min() < 0:
                raise InputError(
                    "standard.no_list",
                    'Each row must have a list of samples such as [1, 0] or ["a", "b"], as other rows have; got '
                    "{value} ({place}).",
                    value=quote(list_cells(own[role])[int(n.argmin())]),
                    place=self._describe(row, role, None),
                )
            if (n != lengths).any():
                raise InputError(
                    "standard.lengths",
                    "The lists of a row must be equally long: the length of this one is {count:,}, and that of the "
                    "{other} is {other_count:,} ({place}).",
                    count=int(n[0]),
                    other=first,
                    other_count=int(lengths[0]),
                    place=self._describe(row, role, None),
                )
        if not lengths.all():
            raise InputError(
                "collector.no_samples",
                "Problem {name} has no samples ({place}). Remove it, or add its samples.",
                name=quote(list_cells(part.cells["problem"])[0]),
                place=self.place(row),
            )
        return lengths, {role: values for role, (_, values) in flat.items()}

    def _read_cells(self, cells: Mapping[str, Any], row: int, sample: int | None = None) -> dict[str, Any]:
        """Read what is said of each sample; nothing is kept yet."""
        found: dict[str, Any] = {}
        for role, column in cells.items():
            values = fill(column)
            if role == _NUMBER and not self._is_table:
                self._check_numbers(column, row)
            if values is None or (role == _NUMBER and None in values):
                continue
            try:
                found[role] = self._sheet.reads.read_column(role, values) if role in OF_SAMPLE else values
            except UnfitError as fault:
                raise find_fault(role, fault.value, self._describe(row, role, sample)) from None
        return found

    def _check_numbers(self, column: Sequence[object], row: int) -> None:
        for number in column:
            if number is not NOTHING and not isinstance(number, (str, int, float, tuple)):
                raise InputError(
                    "collector.number",
                    "The number of a sample must be a number or text; got {value} ({place}).",
                    value=quote(number),
                    place=self.place(row),
                )

    def _keep(self, part: Part, problems: Findings, lengths: NDArray[np.int64], values: Mapping[str, Any]) -> None:
        owners = {
            "problem": self.problems.keep(part, problems),
            "row": np.fromiter(part.rows, np.int64, len(part.rows)),
        }
        if part.listed:
            owners = {role: np.repeat(own, lengths) for role, own in owners.items()}
        self._blocks.append(owners | dict(values))

    def _merge(self) -> dict[str, Any]:
        """Join the blocks, and return role → the values of all samples, as one array or a list."""
        self._flush()
        roles = list(dict.fromkeys(chain.from_iterable(self._blocks)))
        if len(self._blocks) > 1:
            whole = {role for role in roles if all(role in block for block in self._blocks)}
            kept = [role for role in roles if role in whole or not role.startswith(_NUMBER)]
            self._blocks = [{role: self._join(role) for role in kept}]
        return self._blocks[0] if self._blocks else {}

    def _join(self, role: str) -> Any:
        is_list, is_text = role in (_NUMBER, _DETAILS, MISSING), role == "answers"
        leave: Callable[..., Any] = make_texts if is_text else list if is_list else partial(np.array, dtype=float)
        parts = [block[role] if role in block else leave([None] * len(block["row"])) for block in self._blocks]
        if is_list:
            return list(chain.from_iterable(parts))
        if not is_text:
            return np.concatenate(parts)
        import pyarrow as pa

        refuse_large_texts(sum(part.nbytes for part in parts))
        return pa.concat_arrays(parts)

    @property
    def count(self) -> int:
        """The number of samples."""
        return len(self.owners)

    @property
    def owners(self) -> NDArray[np.int64]:
        """The problem of each sample, as a number."""
        return np.asarray(self._merge().get("problem", ()), np.int64)

    @property
    def row_numbers(self) -> NDArray[np.int64]:
        """The row of each sample."""
        return np.asarray(self._merge().get("row", ()), np.int64)

    @property
    def verdicts(self) -> NDArray[np.float64] | None:
        """The grade of each sample, or None."""
        return self._merge().get("grades")

    @property
    def numbers(self) -> list[str]:
        """The roles that number all samples."""
        return [role for role in self._merge() if role.startswith(_NUMBER)]

    def place(self, row: int) -> Message:
        """Describe the place of a sample: "line 7"."""
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
        problems = self.owners
        n = np.bincount(problems) if len(problems) else np.ones(1, np.int64)
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
        held = self._merge()
        if not held:
            self.faults.refuse_nothing_left()
            raise no_rows() if self.selection.where.columns else refuse_empty()
        gone = [role for role, column in self._columns.items() if column is None]
        if gone and not held.keys() & {*SAMPLE_ROLES}:
            raise InputError(
                "collector.no_values",
                "Nothing is left to score: {option:columns} leaves out {roles}. Keep the answers or the grades.",
                roles=", ".join(gone),
            )
        held = self._drop_repeated(held)
        rows, groups = held["row"], Groups.of(held["problem"])
        columns: dict[str, pa.Array] = {"problem": make_texts(list(self.problems.names))}
        for role in SAMPLE_ROLES:
            if role in held:
                own = held[role]
                columns[role] = groups.list(own if is_arrow(own) else make_numbers(own, ~np.isnan(own)))
        for role, said in self.problems.said.items():
            if any(value is not None for value in said):
                columns[role] = make_texts(said) if role == "group" else make_text_lists(said)
        numbers = [held[role] for role in self.numbers]
        listed = (
            None
            if not numbers
            else groups.cut(numbers[0])
            if not self._is_table
            else groups.split(numbers[0] if len(numbers) == 1 else np.stack(numbers, axis=1))
        )
        details = _list_details(groups, held)
        if any(self.problems.meta) or any(details):
            told = ((own or {}) | each for own, each in zip(self.problems.meta, details, strict=True))
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
            numbers=listed,
            details=list(dict.fromkeys(chain.from_iterable(details))),
        )
        refuse_odd_names(samples, are_given=self._are_names_given)
        return samples

    def _drop_repeated(self, held: dict[str, Any]) -> dict[str, Any]:
        """Leave out samples whose problem has an earlier one of the same number, or refuse the first of them."""
        numbers = [encode(held[role]).codes if isinstance(held[role], list) else held[role] for role in self.numbers]
        codes = join_codes([held["problem"], *numbers])
        firsts = np.sort(find_firsts(codes)) if numbers else codes
        if len(firsts) == len(codes):
            return held
        for place in np.setdiff1d(np.arange(len(codes)), firsts).tolist():
            first = firsts[int(np.flatnonzero(codes[firsts] == codes[place])[0])]
            name = list(self.problems.names)[held["problem"][place]]
            number, column = held[self.numbers[0]][place], self.numbers[0][len(_NUMBER) :]
            number = int(number) if column else number
            with self.faults:
                self.refuse_repeated(number, name, int(held["row"][first]), int(held["row"][place]), column)
        return {role: take(values, firsts) for role, values in held.items()}

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


def _list_details(groups: Groups, held: Mapping[str, Any]) -> list[dict[str, list[Any]]]:
    """List what is said of the samples of each problem, by its name."""
    if not held.keys() & {_DETAILS, MISSING, "cost"}:
        return [{}] * len(groups.firsts)
    count = len(held["row"])
    told: list[dict[str, Any]] = [dict(own or {}) for own in held.get(_DETAILS, [None] * count)]
    if MISSING in held:
        for place in np.flatnonzero(np.isnan(held.get("grades", np.empty(0)))).tolist():
            told[place] |= {} if held[MISSING][place] is None else {MISSING: held[MISSING][place]}
    for own, cost in zip(told, held.get("cost", ()), strict=False):
        own["cost"] = float(cost)
    found = groups.cut(told)
    names = [dict.fromkeys(chain.from_iterable(each)) for each in found]
    return [{name: [own.get(name) for own in each] for name in named} for each, named in zip(found, names, strict=True)]


def read_verdicts(source: Source, reading: Reading, problem: str, grade: str) -> Samples | None:
    """Read a file of JSON lines that have the name of a problem and a verdict, and no more that is needed."""
    from at_k.readers.json_lines import read_blocks

    if reading.errors == "skip" or reading.columns or reading.where or reading.pool:
        return None
    collector = Collector(reading, unit="row", sheet=Sheet({"problem": problem, "grades": grade}, Cells()))
    try:
        for block in read_blocks(source, {problem: False, grade: False}, collector.faults):
            cells = [block.column(name) for name in (problem, grade)]
            kinds = [str(column.type) if is_arrow(column) and not column.null_count else "" for column in cells]
            if kinds != ["string", "bool"] or any(map(is_model, block.names)):
                return None
            collector.add_block(block)
        return collector.finish(Origin("plain"))
    except InputError:
        return None  # the strict reader says what is wrong


# `json.dumps` makes an encoder for each call that has options.
_encode = json.JSONEncoder(ensure_ascii=False, default=str).encode
