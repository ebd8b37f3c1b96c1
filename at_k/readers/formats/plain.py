"""A table with columns of any names: JSON, JSONL, CSV, TSV, Parquet or Arrow, a row for each problem or sample."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k.errors import InputError, Mention, Message
from at_k.readers.arrays import Groups, contains, encode, list_cells, make_texts
from at_k.readers.blocks import Block
from at_k.readers.cells import Cells, UnfitError, read_list, spell_lists
from at_k.readers.choosing import Where, check_pool, find_nested, no_rows, refuse_unknown
from at_k.readers.collector import OF_SAMPLE, Collector, Sheet
from at_k.readers.delimited import name_lines
from at_k.readers.faults import UNITS, describe_place
from at_k.readers.format import Format, Reading
from at_k.readers.names import (
    ERROR,
    MODEL,
    PROBLEM,
    SET,
    STEP,
    VERDICT,
    WHOLE_TEXT,
    find_named,
    has_name,
    has_role,
    quote,
    quote_all,
    shorten,
)
from at_k.readers.prompts import find_tests, gather_tests, join_prompts
from at_k.readers.proposals import propose_columns, propose_problem
from at_k.readers.questions import find_questions
from at_k.readers.roles import Profile, find_lists, find_numbers, find_roles, find_verdicts
from at_k.readers.samples import COUNT_ROLES, Columns, Origin, Samples
from at_k.readers.shapes import Change, find_change
from at_k.readers.sources import Source, refuse_many_rows
from at_k.readers.structure import Watch, note_errors, refuse_contradiction, refuse_repeated, refuse_settings, repeats
from at_k.readers.tables import open_rows
from at_k.values import cached_property

# Columns that may come to light after the first rows, each of which begins the reading anew.
_MOST_RESTARTS = 5

# Values among the first rows up to which a column may hold settings.
_WATCHED = 20


class _LateColumnError(Exception):
    """A column that matters comes to light after the first rows."""

    def __init__(self, block: Block) -> None:
        super().__init__(block.names)
        self.block = block


class Table:
    r"""A file as a table, whose first rows were looked at.

    Args:
        source: the file.
        reading: how it is to be read.

    Raises:
        InputError: if it is no table.

    Examples:
        >>> table = Table(Source("", b"task,passed\na,1\na,0"))
        >>> table.columns, table.find_roles({})["grades"], table.list_values("task")
        (['task', 'passed'], 'passed', ['a'])
    """

    def __init__(self, source: Source, reading: Reading | None = None) -> None:
        self.source, self.reading = source, reading or Reading()
        self.rows = open_rows(source, self.reading.errors, self.reading.rows_at)
        head = self.rows.peek()
        nested = _find_nested_names(head)
        self._nested = [name for name in nested if any(isinstance(cell, list) for cell in head.column(name))]
        self.head = self._place(head)

    @property
    def columns(self) -> list[str]:
        """The columns."""
        return self.head.names

    def find_roles(self, given: Mapping[str, str | None]) -> Columns:
        """Find the column of each role; those that are given are not looked for."""
        profile = Profile(self.head, Cells(scale=self.reading.scale), is_text=self.rows.is_text)
        return find_roles(profile, given)

    def list_values(self, column: str) -> list[str]:
        """List the different values of a column, as texts."""
        found = (encode(block.column(column)).values for block in self.rows.read({column: False}))
        return list(dict.fromkeys(map(str, chain.from_iterable(found))))

    def read(self, reading: Reading | None = None) -> Samples:
        """Read the samples."""
        reading = reading or self.reading
        head = self._find_late(reading)
        for _ in range(_MOST_RESTARTS):
            try:
                return _Pass(self, reading, head).read()
            except _LateColumnError as late:  # noqa: PERF203 - it happens a few times
                head = head.extend(late.block)
        raise AssertionError("each restart knows one more column")

    def _find_late(self, reading: Reading) -> Block:
        """Return the first rows and, of columns that a user named and that appear after them, the first ones."""
        named = [*reading.columns.values(), *(reading.where or {}), *reading.pool]
        late = [name for name in named if name is not None and not self.head.has(name) and name != "file"]
        if late and self.rows.layout == "jsonl":
            for block in self.blocks(None):
                if any(map(block.has, late)):
                    return self.head.extend(_pick(block, late))
        return self.head

    def blocks(self, wanted: Mapping[str, bool] | None) -> Iterator[Block]:
        """Yield all rows."""
        for block in self.rows.read(wanted):
            refuse_many_rows(block.places[-1], self.source.limits)
            yield self._place(block)

    def _place(self, block: Block) -> Block:
        """Add the names of the file and its folder, where a user named them, or they alone say which problem it is."""
        source = self.source
        if self._nested:  # within lists of objects, which may name several models
            outer = {name: name.partition(".")[0] for name in self._nested}
            block = block.put((), {n: [find_nested({o: cell}).get(n) for cell in block[o]] for n, o in outer.items()})
        named = [name for name in ("file", "folder") if name in self.reading.columns.values()]
        named = [name for name in named if name not in block.names]
        is_told = "problem" in self.reading.columns or find_named(block.names, PROBLEM)
        if not named and (is_told or not source.files):
            return block
        paths = [Path(name) for name in source.files] or [Path(*reversed(source.folders[:1]), source.name)]
        lines = [row - 1 if source.files else 0 for row in block.places]
        told = {"file": [path.name.partition(".")[0] for path in paths], "folder": [path.parent.name for path in paths]}
        columns = {name: [told[name][line] for line in lines] for name in named}
        if not named and len({*told["file"]}) == len(paths):
            columns["problem"] = [told["file"][line] for line in lines]
        return block.put((), columns)


def read_plain(source: Source, reading: Reading) -> Samples:
    """Read a file whose columns may have any names."""
    try:
        samples = Table(source, reading).read()
    except InputError as error:
        named = name_lines(error.message, source)
        raise type(error)(named.code, named.sentence, **named.values) from None
    skipped = {name_lines(cause, source): count for cause, count in samples.origin.skipped.items()}
    return replace(samples, origin=replace(samples.origin, skipped=skipped))


@dataclass
class _Pass:
    """One pass over the rows, by what the first of them say of the columns."""

    table: Table
    reading: Reading
    head: Block

    def __post_init__(self) -> None:
        reading, rows = self.reading, self.table.rows
        rows.faults.causes.clear()
        self.reads = Cells(scale=reading.scale, correct=reading.correct, wrong=reading.wrong)
        self.where, self.pool = Where(reading.where), [*check_pool(reading.pool)]
        others = (*COUNT_ROLES, "sample")
        self.given = {role: name for role, name in reading.columns.items() if role not in others}
        self.counts = {role: name for role, name in reading.columns.items() if role in COUNT_ROLES}
        named = [name for name in (*reading.columns.values(), *self.where.columns) if name is not None]
        self.named = list(dict.fromkeys([*named, *_find_nested_names(self.head)]))
        profile = self._look(self.head)
        profile.refuse_unknown(reading.columns)
        pooled = [name for name in self.pool if name != "file" and not self.head.has(name)]
        if pooled or not all(map(self.head.has, self.where.columns)):
            refuse_unknown(
                [*self.head.names, *filter(self.head.has, self.where.columns)], [*self.where.columns, *pooled]
            )
        guessed = find_roles(profile, self.given)
        self.tests = find_tests(self.head.names) if guessed["grades"] is None else []
        if self.tests and self.given.get("references", "test_list") == "test_list":
            self._take_tests(guessed)
            profile = self._look(self.head)
            guessed = find_roles(profile, self.given)
        aside = type(rows.faults)("skip")
        change = find_change(profile, guessed, self.given, self.counts, aside)
        self.change: Change | None = None
        if change is not None:
            kept = self.head.take(self.where.keep(self.head)) if reading.where else self.head
            profile = self._look(change.apply(kept) if len(kept) else kept)
            self.change = find_change(self._look(self.head), guessed, self.given, self.counts, rows.faults)
        self.profile = profile
        self.roles = find_roles(profile, self.given) | self.given
        self._refuse_nothing()
        texts = find_lists(profile, self.roles)
        spelled = {*texts, self.roles["references"]} if rows.is_text else ()
        self.texts = {name for name in filter(None, spelled) if self._has_lists(name)}
        self.listed = bool(texts) or ((not rows.is_text or self.change is not None) and self._has_sample_lists())

    def _has_lists(self, name: str | None) -> bool:
        return name in self.profile.columns and self.profile[name].has_lists

    def _has_sample_lists(self) -> bool:
        return any(self._has_lists(self.roles.get(role)) for role in OF_SAMPLE)

    def _take_tests(self, guessed: Columns) -> None:
        """Take the tests of a data set of programs as references."""
        self.head = self._gather_tests(self.head)
        self.given["references"] = "tests"
        for role, names in (("answers", ("solution", "code_list")), ("problem", ("name",))):
            found = find_named(self.head.names, names)
            if role not in self.given and guessed[role] is None and found:
                self.given[role] = found[0]

    def _gather_tests(self, block: Block) -> Block:
        return block.put((), {"tests": gather_tests({name: block[name] for name in self.tests}, self.tests)})

    def _look(self, head: Block) -> Profile:
        return Profile(head, self.reads, is_text=self.table.rows.is_text, named=self.named)

    @cached_property
    def others(self) -> list[str]:
        """The columns without a role."""
        return [name for name in self.profile.columns if name not in self.roles.values() and name not in self.pool]

    @cached_property
    def verdicts(self) -> list[str]:
        """Further columns of verdicts, which must agree with the one that was taken."""
        if "grades" in self.given or self.roles["grades"] is None:
            return []
        return find_verdicts(self.profile, self.others)

    @cached_property
    def errors(self) -> list[str]:
        """The columns without a role that say why a sample failed."""
        return [] if self.roles["grades"] is None or self.listed else find_named(self.others, ERROR)

    def _find_numbers(self) -> list[str]:
        # The samples of several models may have the same numbers.
        sample = self.reading.columns.get("sample", "")
        if self.listed or sample is None or any(map(self.head.has, self.pool)):
            return []
        return [sample] if sample else find_numbers(self.profile, self.others)

    def _find_watched(self, numbers: Sequence[str]) -> list[Watch]:
        numbering, found = {*numbers, *find_numbers(self.profile, self.others)}, []
        for name in self.others:
            column = self.profile[name]
            is_named = has_name(name, (*MODEL, *SET, *STEP))
            if has_name(name, VERDICT):
                continue  # other verdicts of the samples are no setting
            if name in numbering or any(isinstance(cell, (list, dict)) and not is_named for cell in column.there):
                continue
            if any(other.startswith(f"{name}.") for other in self.profile.columns):
                continue  # it is looked at within
            if is_named or column.distinct <= _WATCHED:
                found.append(Watch(name))
        return found

    def _list_needed(self, *names: str) -> dict[str, bool] | None:
        """List the columns of the file that are needed, and which of them as numbers."""
        if self.change is not None or self.tests or self.reading.meta:
            return dict.fromkeys(self.head.names, False)
        of_names = {self.roles.get(role) for role in ("problem", "answers", "references", "group")}
        numeric = {self.roles.get(role) for role in ("grades", "scores", "cost")} - of_names
        used = [name for name in self.roles.values() if name is not None]
        extra = () if self.reading.prompt_column is None else (self.reading.prompt_column, "entry_point")
        needed: dict[str, bool] = {}
        for name in (*used, *names, *self.where.columns, *extra):
            for part in [name] if name in self.head.names else name.split("+"):
                outer = part if part in self.head.names else part.partition(".")[0]
                outer = next((each for each in self.head.names if part.startswith(f"{each}.")), outer)
                needed[outer] = name in numeric
        return needed

    def read(self) -> Samples:
        """Read all rows, and check what only all of them show."""
        numbers = self._find_numbers()
        watches = self._find_watched(numbers)
        columns = {role: name for role, name in self.roles.items() if name is not None}
        sheet = Sheet(columns, self.reads, self.listed, numbers)
        faults, are_given = self.table.rows.faults, "problem" in self.given
        collector = Collector(self.reading, sheet=sheet, place=self._describe, faults=faults, are_names_given=are_given)
        needed = self._list_needed(*numbers, *(watch.name for watch in watches), *self.verdicts, *self.errors)
        beside: dict[str, list[Any]] = {name: [] for name in (*self.verdicts, *self.errors)}
        places: list[Sequence[int]] = []
        meta: dict[int, str] = {}
        try:
            for block in self._list_blocks(needed):
                watches = [watch for watch in watches if watch.add(block.column(watch.name))]
                places.append(block.places if isinstance(block.places, range) else array("q", block.places))
                for name, cells in beside.items():
                    cells.extend(block[name] if name in self.errors else self._read_verdicts(block.column(name)))
                collector.add_block(block)
                if self.reading.meta:
                    meta |= self._list_meta(block, collector)
        except InputError as error:
            if error.code == "collector.same_problem":
                self._refuse_crossed_lists(watches, needed)
            if error.code == "cells.word":
                self._name_words(error)
            raise
        if self.reading.where:
            self.where.refuse_unseen()
            if not places:
                raise no_rows()
        origin = Origin("plain", roles=self.roles, subject=_find_subject(watches), notes=self._list_notes())
        self._refuse_settings(collector, watches, places)
        questions = self._find_questions(collector)
        if not self.listed:
            origin.notes.extend(self._refuse_repeated(collector))
        samples = collector.finish(origin, per_sample=not self.listed)
        samples.origin.notes.extend(self._check_beside(samples, collector, beside))
        if self.reading.meta:
            listed = [meta[int(own[0])] for own in samples.rows]
            samples = replace(samples, table=samples.table.append_column("meta", make_texts(listed)))
        return replace(samples, questions=questions)

    def _read_verdicts(self, column: Any) -> NDArray[np.float64]:
        """Read verdicts as far as they can be read; NaN means the others."""
        cells = column
        if self.listed:
            cells = [part for cell in list_cells(column) for part in (cell if isinstance(cell, list) else [cell])]
        try:
            return self.reads.read_numbers("grades", cells)
        except UnfitError:
            found = [self.reads.read("grades", cell) if self.reads.fits("grades", cell) else None for cell in cells]
            return np.array(found, dtype=np.float64)

    def _check_beside(
        self, samples: Samples, collector: Collector, beside: Mapping[str, list[Any]]
    ) -> Iterator[Message]:
        """Refuse other verdicts that contradict, and note errors beside wrong ones, unless rows were left out."""
        order = Groups.of(collector.owners).order
        for name, cells in beside.items():
            if len(cells) != len(collector.owners) or collector.verdicts is None:
                continue
            if name in self.errors:
                yield from note_errors(name, cells, collector.verdicts)
            else:
                refuse_contradiction(samples, np.array(cells), order, name)

    def _find_questions(self, collector: Collector) -> Mapping[str, str]:
        """Find what each problem asks, as far as the first rows say it."""
        if "problem" in self.given:
            return {}
        own = not self.listed and len(collector.problems.first_rows) == len(collector.owners)
        head = self.head.take(self.where.keep(self.head)) if self.reading.where else self.head
        return find_questions(self._look(head), self.roles["problem"], own_names=own)

    def _list_blocks(self, needed: Mapping[str, bool] | None) -> Iterator[Block]:
        """Yield the rows that are wanted, changed as their shape needs it."""
        known = {*self.head.names}
        for whole in self.table.blocks(needed):
            late = [name for name in whole.names if name not in known]
            known.update(late)
            if any(map(_matters, late)):
                raise _LateColumnError(_pick(whole, late))
            block = whole.take(self.where.keep(whole)) if self.reading.where else whole
            if self.given.get("references") == "tests" and self.tests:
                block = self._gather_tests(block)
            if self.change is not None:
                block = self.change.apply(block)
            if not len(block):
                continue
            if self.table.rows.is_text:
                self._refuse_header(block)
            if self.reading.prompt_column is not None:
                block = self._join_prompts(block)
            if self.texts:
                lists = {name: list(map(read_list, block[name])) for name in self.texts}
                block = block.put((), lists)
            yield block

    def _refuse_header(self, block: Block) -> None:
        """Raise if a row is the header line once more."""
        name = self.roles["problem"] or self.roles["grades"] or ""
        if name not in block.names or not contains(block.column(name), name):
            return
        for row in [row for row, cell in enumerate(block[name]) if cell == name]:
            if all(block[other][row] == other for other in filter(None, self.roles.values())):
                raise InputError(
                    "structure.header",
                    "The header line is in the table once more (row {row:,}): files were joined. Score them one at a "
                    "time or, if all rows are samples of one model, leave that line out: {where}.",
                    row=block.places[row],
                    where=Mention(where={shorten(name): {"!=": shorten(name)}}),
                )

    def _join_prompts(self, block: Block) -> Block:
        names = [*block.names, *self.roles.values()]
        columns = {name: block[name] for name in names if name is not None and block.has(name)}
        joined = join_prompts(columns, self.roles, self.reading.prompt_column or "", first=block.places[0] - 1)
        return block.put((), {self.roles[role] or role: cells for role, cells in joined.items()})

    def _describe(self, row: int, role: str, sample: int | None) -> Message:
        column = self.roles.get(role)
        return UNITS["row"](row) if column is None else describe_place(row, column, sample)

    def _list_meta(self, block: Block, collector: Collector) -> dict[int, str]:
        """Write what the first row of each new problem holds besides."""
        first = block.places[0]
        rows = [row for row in collector.problems.first_rows if row >= first]
        positions = np.searchsorted(np.asarray(block.places), rows).tolist()
        part = block.take(positions) if len(positions) < len(block) else block
        columns = {name: spell_lists(part[name]) for name in block.names if name not in self.roles.values()}
        return {
            place: json.dumps({name: cells[row] for name, cells in columns.items()}, default=str)
            for row, place in enumerate(part.places)
        }

    def _refuse_settings(self, collector: Collector, watches: Sequence[Watch], places: Sequence[Sequence[int]]) -> None:
        """Raise if the rows are of several models, or settings, side by side."""
        problem, rows = collector.owners, collector.row_numbers
        if not len(problem):
            return
        if self.listed:
            rows = np.asarray(collector.problems.first_rows, dtype=np.int64)
            problem = np.arange(len(rows))
        if sum(map(len, places)) > len(rows):  # broken rows were left out
            kept = np.searchsorted(np.concatenate(places), rows)
            for watch in watches:
                watch.take(kept)
        refuse_settings(watches, problem, self.roles["problem"], listed=self.listed)

    def _refuse_repeated(self, collector: Collector) -> list[Message]:
        """Raise if the second half of the rows repeats the first, in all columns, or return a note of it."""
        problem, values = collector.owners, collector.verdicts
        verdicts = np.zeros(len(problem)) if values is None else values
        if self.reading.where or self.pool or collector.numbers or not repeats(problem, verdicts):
            return []
        half = len(problem) // 2
        columns: dict[str, list[str]] = {name: [] for name in self.head.names}
        for block in self.table.blocks(None):
            for name, cells in columns.items():
                cells.extend(map(repr, block[name]))
        if any(cells[:half] != cells[half:] for cells in columns.values()):
            return []
        names = {*find_named(columns, WHOLE_TEXT), self.roles["answers"]}
        return refuse_repeated(verdicts, [cells for name, cells in columns.items() if name in names])

    def _refuse_crossed_lists(self, watches: Sequence[Watch], needed: Mapping[str, bool] | None) -> None:
        """Raise if a problem occurs twice because the rows are of several settings."""
        watches = [Watch(watch.name) for watch in watches]
        problem = []
        for block in self._list_blocks(needed):
            watches = [watch for watch in watches if watch.add(block.column(watch.name))]
            problem += list(map(str, block[self.roles["problem"] or "line"]))
        refuse_settings(watches, encode(problem).codes, self.roles["problem"], listed=True)

    def _name_words(self, error: InputError) -> None:
        """Name in an error all words among the first rows that are no verdict, in place of the one at fault."""
        cells = self.profile[self.roles["grades"] or ""].there
        odd = dict.fromkeys(cell for cell in cells if isinstance(cell, str) and not self.reads.fits("grades", cell))
        if 1 < len(odd) <= _WATCHED:
            words = [shorten(word) for word in odd]
            raise InputError(error.code, error.message.sentence, **{**error.values, "wrong": Mention(wrong=words)})

    def _refuse_nothing(self) -> None:
        """Raise if no column says which samples are correct, or which problem a row is of."""
        profile, roles = self.profile, self.roles
        if roles["grades"] is None and None in (roles["answers"], roles["references"]):
            whole = self._look(self.head)
            raise InputError(
                "plain.unknown",
                "These data ({layout}) do not say which samples are correct: no known harness wrote them (`at-k "
                "formats` lists those), and there is no column of verdicts, nor one of answers and one of references. "
                "The columns are: {columns}. Say which is which, for instance {example}.",
                layout=self.table.rows.layout,
                columns=quote_all(self.head.names),
                example=propose_columns(
                    whole, {role: name if name in whole.columns else None for role, name in roles.items()}
                ),
            )
        if roles["problem"] is not None or self._has_sample_lists():
            return
        repeated = [
            name
            for name in (*self.others, *filter(None, [roles["group"]]))
            if not profile[name].has_lists and 1 < profile[name].distinct < profile.count
        ]
        # Files that hold one row each may be samples: their number in the list is no name of a problem.
        if repeated or self.table.source.files or find_numbers(profile, self.others):
            column = propose_problem(profile, repeated, roles["group"])
            place = column or ("file" if self.table.source.files else "line")
            raise InputError(
                "standard.no_problem",
                "Each row is one sample, so a column must say which problem it belongs to. The columns are: {columns}. "
                "Name that column, for instance {example}; or, if every row is a problem of its own: {line}. If the "
                "name of the file or of its folder says it: {file} or {folder}.",
                columns=quote_all(profile.head.names),
                example=Mention(columns={"problem": shorten(place)}),
                **{name: Mention(columns={"problem": name}) for name in ("line", "file", "folder")},
            )

    def _list_notes(self) -> list[Message]:
        notes = [*self.table.rows.notes]
        if self.change is not None and self.change.note is not None:
            notes.append(self.change.note)
        if self.roles["problem"] is None and not self.listed:
            notes.append(Message("note.rows", "No column names the problems: every row was read as one of its own."))
        return [*notes, *self._note_unread_verdicts()]

    def _note_unread_verdicts(self) -> Iterator[Message]:
        """Note a column that has the name of verdicts, and holds few or none that can be read."""
        if "grades" in self.given or self.roles["grades"] is not None:
            return
        for name in find_named(self.profile.columns, VERDICT):
            cells = self.profile[name].there
            parts = [part for cell in cells for part in (cell if isinstance(cell, list) else [cell])]
            odd = [part for part in parts if part is None or part != part or not self.reads.fits("grades", part)]  # noqa: PLR0124
            if name not in self.roles.values() and 2 * len(odd) > len(parts):
                yield Message(
                    "note.unread_verdicts",
                    "Column “{column}” was not used: {value} is no verdict. Say which words are right: {words}.",
                    column=shorten(name),
                    value=quote(odd[0]),
                    words=Mention(columns={"grades": shorten(name)}, correct=[shorten(str(odd[0]))]),
                )
                return


def _pick(block: Block, names: Sequence[str]) -> Block:
    """Pick the first rows that have one of these columns."""
    cells = [block[name] for name in names if block.has(name)]
    rows = [row for row, own in enumerate(zip(*cells, strict=True)) if any(cell is not None for cell in own)]
    return block.take(rows[:100])


def _matters(name: str) -> bool:
    """Return whether a column that comes to light late may have a role."""
    return has_role(name) or has_name(name, (*MODEL, *SET))


def _find_nested_names(head: Block) -> list[str]:
    """Find the fields within objects that name models: `provider.label`."""
    cells = ((name, cell) for name in head.names for cell in head[name] if isinstance(cell, (dict, list)))
    return list(dict.fromkeys(chain.from_iterable(find_nested({name: cell}) for name, cell in cells)))


def _find_subject(watches: Sequence[Watch]) -> dict[str, str]:
    """Find of which model and set of problems the rows are, as far as they are all of one."""
    named = [watch for watch in watches if has_name(watch.name, (*MODEL, *SET, *STEP))]
    found = {watch.name: [value for value in watch.values if value is not None] for watch in named}
    # Whole, since paths differ at their ends.
    return {name: str(own[0]).encode("utf-8", "replace").decode() for name, own in found.items() if len(own) == 1}


FORMAT = Format(
    "plain",
    "a table",
    "*.jsonl, *.json, *.csv, *.tsv, *.parquet",
    "a row for each sample, or a row for each problem with lists",
    read_plain,
    options=("prompt_column", "rows_at", "correct", "wrong"),
    rank=2,
)
