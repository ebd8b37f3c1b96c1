"""A table with columns of any names: JSON, JSONL, CSV, TSV, Parquet or Arrow, a row for each problem or sample."""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from at_k.errors import InputError, Mention, Message, Phrases
from at_k.readers.arrays import contains, encode, join_codes, make_texts
from at_k.readers.blocks import HEAD, Block, split_joined
from at_k.readers.cells import Cells
from at_k.readers.faults import UNITS, describe_place
from at_k.readers.files.decoding import PYTHON, spell_lists
from at_k.readers.files.delimited import find_delimiter
from at_k.readers.files.documents import open_rows
from at_k.readers.files.sources import Source, refuse_many_rows
from at_k.readers.format import Reading
from at_k.readers.names import (
    PROBLEM,
    SETTING,
    SYSTEM,
    WHOLE_TEXT,
    find_named,
    has_name,
    has_role,
    shorten,
)
from at_k.readers.numbering import count_runs
from at_k.readers.samples import Columns, Origin, Samples
from at_k.readers.tables.choosing import find_nested, no_rows
from at_k.readers.tables.collector import NUMBER, Collector, Sheet
from at_k.readers.tables.doubts import OF_COUNTS, OF_ROWS, walk
from at_k.readers.tables.doubts.of_rows import (
    COPIED,
    RowsKnown,
    doubt_settings,
    list_resumed,
    repeats,
    weigh_copy,
)
from at_k.readers.tables.plan import Plan
from at_k.readers.tables.profile import Profile, find_roles
from at_k.readers.tables.readings import most_rows
from at_k.readers.tables.settings import MOST_SETTINGS, Watch
from at_k.readers.words import read_whole, speaks_of_failure

_say = Phrases(
    {
        "structure.header": "The header line is in the table once more (row {row:,}): files were "
        "joined.\nScore them one at a time or, if all rows are samples of one model, leave that "
        "line out: {where}.",
        "plain.groups": "Rows of one problem have several values of “{column}”: {values} "
        "({place}).\nIf each value has problems of its own, add {apart}. If it says nothing "
        "of the problems: {ignored}.",
        "note.groupless": "Column “{column}” was not used as the group: it is empty for {count:,} of "
        "the problems. Fill it in to see each group.",
        "plain.copied": "The samples from row {row:,} to row {last:,} are there twice.",
        "plain.merged": "Most cells of column “{column}” are empty, as those of a sheet are that were merged. Write "
        "the name of its problem into each row, for instance by `{way}`.",
    }
)


# Rows from which it is planned, where the first ones are not enough.
_PLANNED = 300_000

# Characters of a text that is not equal to another one by chance; parts of a table that are compared by their texts.
_LONG, _PARTS = 16, 20

# Bits from which a part of a table repeats another one by no chance; rows up to which such parts are looked for.
_BITS, _MATCHED = 20, 50_000

# Errors of a plan that more rows may settle.
_OF_FIRST_ROWS = ("plain.unknown", "standard.no_problem", "plain.numbered_names")


class _LateColumnError(Exception):
    """A column that matters comes to light after the first rows."""


class _CopiedError(Exception):
    """Some rows are there twice, and are to be left out.

    Attributes:
        places: the numbers of the rows.
        message: the cause.
    """

    def __init__(self, places: Collection[int], message: Message) -> None:
        super().__init__(str(message))
        self.places = places
        self.message = message


class Table:
    r"""A file as a table, whose first rows were looked at.

    Args:
        source: the file.
        reading: how it is to be read.

    Raises:
        InputError: if it is no table.

    Examples:
        >>> table = Table(Source("", b"task,passed\na,1\na,0"))
        >>> table.columns, table.find_roles({})["grades"]
        (['task', 'passed'], 'passed')
    """

    def __init__(self, source: Source, reading: Reading | None = None) -> None:
        self.source, self.reading = source, reading or Reading()
        self.rows = open_rows(source, self.reading.errors, self.reading.rows_at)
        self.copied: list[_CopiedError] = []
        head = self.rows.peek()
        # Lists of objects, which may name several models.
        self._nested: list[str] = []
        for name in head.names:
            lists = [cell for cell in head[name] if isinstance(cell, list)]
            nested = chain.from_iterable(find_nested({name: cell}) for cell in lists)
            self._nested += dict.fromkeys(nested)
        cells = {
            name: [cell for cell in head.column(name) if cell is not None] for name in head.names
        }
        self._named_runs = [
            name
            for name, own in cells.items()
            if own and all(isinstance(cell, dict) and count_runs([*cell]) for cell in own)
        ]
        self.head = self._place(head)

    @property
    def columns(self) -> list[str]:
        """The columns."""
        return self.head.names

    def find_roles(self, given: Mapping[str, str | None]) -> Columns:
        """Find the column of each role; those that are given are not looked for."""
        return find_roles(
            Profile(self.head, Cells(scale=self.reading.scale), is_text=self.rows.is_text), given
        )

    def read(self) -> Samples:
        """Read the samples. Columns that come to light after the first rows begin the reading anew, once."""
        reading = self.reading
        named = [
            name
            for name in (*reading.columns.values(), *(reading.where or {}), *reading.pool)
            if name
        ]
        if self.rows.layout != "jsonl" or all(
            self.head.has(name) or name == "file" for name in named
        ):
            with suppress(_LateColumnError):
                return self._read(self.head)
        return self._read(self._find_late(named), is_whole=True)

    def _read(self, head: Block, *, is_whole: bool = False) -> Samples:
        """Read the samples; once more where some rows are left out."""
        try:
            return _Pass(self, self._plan(head), is_whole=is_whole).read()
        except _CopiedError as copied:
            self.copied.append(copied)
            return self._read(head, is_whole=is_whole)

    def _plan(self, head: Block) -> Plan:
        """Plan by the first rows; by all of them where the first ones do not show that problems repeat."""
        if self.source.files:
            default = "file"
        elif self.source.is_alone:
            default = ""
        else:
            default = "line"
        files = self.source.files
        make = partial(Plan, rows=self.rows, reading=self.reading, default=default, files=files)
        is_cut = len(head) >= HEAD
        try:
            plan = make(head)
        except InputError as error:
            if not is_cut or error.code not in _OF_FIRST_ROWS:
                raise
        else:
            problem = plan.roles["problem"]
            if not (is_cut and plan.is_unsure):
                return plan
            if problem is not None:
                more = self._find_repeats(head, problem)
                if more is head:
                    return plan
                return make(more)
        return make(self._join_rows())

    def _find_repeats(self, head: Block, problem: str) -> Block:
        """Return the first rows, and further rows of their problems, which may come run by run."""
        known, more = {*map(repr, head[problem])}, head
        for block in self.blocks(None):
            codes, values = encode(block.column(problem))
            is_known = np.array([*(repr(value) in known for value in values), False])[codes]
            is_later = np.asarray(block.places) > head.places[-1]
            places = np.flatnonzero(is_known & is_later)[:HEAD]
            if len(places):
                more = more.extend(block.take(places.tolist()))
            if len(more) >= 2 * HEAD:
                break
        return more

    def _join_rows(self) -> Block:
        """Return all rows as one block, at most the first of them that a plan may need."""
        blocks, count = list[Block](), 0
        for block in self.blocks(None):
            blocks.append(block)
            count += len(block)
            if count >= _PLANNED:
                break
        names = list(dict.fromkeys(chain.from_iterable(block.names for block in blocks)))
        columns = {name: [cell for block in blocks for cell in block[name]] for name in names}
        places = [place for block in blocks for place in block.places]
        return Block(places, names, columns.__getitem__)

    def _find_late(self, named: Sequence[str]) -> Block:
        """Return the first rows and, of columns that matter and that appear after them, the first rows of each."""
        asked = {
            part for name in named for part in (name, name.partition(".")[0], *split_joined(name))
        }
        head = self.head
        for block in self.blocks(None):
            late = [
                name
                for name in block.names
                if name not in head.names and (name in asked or _is_telling(name))
            ]
            if late:
                head = head.extend(_pick(block, late))
        return head

    def blocks(self, wanted: Mapping[str, bool] | None) -> Iterator[Block]:
        """Yield all rows, or the first ones where a reading is only tried."""
        left = most_rows.get()
        gone = {place for copied in self.copied for place in copied.places}
        for whole in self.rows.read(wanted):
            refuse_many_rows(whole.places[-1], self.source.limits)
            block = whole
            if gone:
                kept = [row for row, place in enumerate(whole.places) if place not in gone]
                block = whole.take(kept)
            if left is None:
                yield self._place(block)
                continue
            yield self._place(block.take(range(min(left, len(block)))))
            left -= len(block)
            if left <= 0:
                return

    def _place(self, block: Block) -> Block:
        """Add the names of the file and its folder, where a user named them, or they alone say which problem it is."""
        source = self.source
        if self._named_runs:  # {"trial_0": 1, "trial_1": 0}
            lists = {name: block[name] for name in self._named_runs if name in block.names}
            spell = lambda cell: [*cell.values()] if isinstance(cell, dict) else cell  # noqa: E731
            block = block.put((), {name: list(map(spell, own)) for name, own in lists.items()})
        if self._nested:  # within lists of objects, which may name several models
            outer = {name: name.partition(".")[0] for name in self._nested}
            block = block.put(
                (),
                {n: [find_nested({o: cell}).get(n) for cell in block[o]] for n, o in outer.items()},
            )
        named = [name for name in ("file", "folder") if name in self.reading.columns.values()]
        named = [name for name in named if name not in block.names]
        is_told = "problem" in self.reading.columns or find_named(block.names, PROBLEM)
        if not named and (is_told or not source.files):
            return block
        paths = [Path(name) for name in source.files] or [
            Path(*reversed(source.folders[:1]), source.name)
        ]
        lines = [row - 1 if source.files else 0 for row in block.places]
        told = {
            "file": [path.name.partition(".")[0] for path in paths],
            "folder": [path.parent.name for path in paths],
        }
        columns = {name: [told[name][line] for line in lines] for name in named}
        if not named and len({*told["file"]}) == len(paths):
            columns["problem"] = [told["file"][line] for line in lines]
        return block.put((), columns)


def read_plain(source: Source, reading: Reading) -> Samples:
    """Read a file whose columns may have any names."""
    return Table(source, reading).read()


class _Pass:
    """One pass over the rows, as they are planned."""

    def __init__(self, table: Table, plan: Plan, *, is_whole: bool) -> None:
        self.table, self.plan, self.roles, self.reads, self._is_whole = (
            table,
            plan,
            plan.roles,
            plan.reads,
            is_whole,
        )
        self.settings, (self.verdicts, self.errors) = plan.watch_settings(), plan.watch_beside()
        sheet = Sheet(
            {role: name for role, name in self.roles.items() if name},
            self.reads,
            plan.listed,
            plan.numbers,
            [] if "group" in plan.given else ["group"],
        )
        place = partial(
            _describe, self.roles
        )  # a method would keep the collector and this pass alive
        self.collector = Collector(
            sheet, place, table.rows.faults, are_names_given="problem" in plan.given
        )
        self.places: list[Sequence[int]] = []  # the numbers of the rows
        self.meta: dict[int, str] = {}

    def read(self) -> Samples:
        """Read all rows, and check what only all of them show."""
        plan, collector = self.plan, self.collector
        self._collect()
        self._align()
        notes = [*plan.list_notes()]
        owners, firsts = collector.held("problem"), collector.problems.first_rows
        if len(owners):
            notes += self._doubt(self._sum_up(owners))
        questions = plan.find_questions(own_names=not plan.listed and len(firsts) == len(owners))
        origin = Origin(
            "plain", roles=self.roles, subject=_find_subject(self.settings), notes=notes
        )
        samples = _leave_out_groups(collector.finish(origin, per_sample=not plan.listed))
        if plan.change is not None and plan.change.is_counted:
            walk(OF_COUNTS, samples)
        if plan.reading.meta:
            listed = [self.meta[int(rows[0])] for rows in samples.rows]
            meta = make_texts(listed)
            samples = replace(samples, table=samples.table.append_column("meta", meta))
        return replace(samples, questions=questions)

    def _doubt(self, known: RowsKnown) -> list[Message]:
        """Walk the doubts about rows; where broken ones are left out, those that are there twice are, too."""
        try:
            return walk(OF_ROWS, known)
        except InputError as error:
            if self.plan.reading.errors != "skip" or error.code not in COPIED:
                raise
            first, count = len(known.owners) // 2, len(known.owners)
            if error.code == "structure.resumed" and known.resumed:
                _, first, count = known.resumed
            rows = self.collector.held("row")[first : first + count].tolist()
            told = {"row": rows[0], "last": rows[-1]}
            raise _CopiedError(rows, _say("plain.copied", **told)) from None

    def _sum_up(self, owners: NDArray[np.int64]) -> RowsKnown:
        """Sum up what all rows show, for those who doubt it."""
        plan, collector = self.plan, self.collector
        known = RowsKnown(
            problem=owners,
            column=self.roles["problem"],
            settings=self.settings,
            listed=plan.listed,
            names=list(collector.problems.names),
            owners=owners,
            taken=self.roles["grades"] or "",
            grades=collector.held("grades"),
            verdicts={watch.name: self._read_verdicts(watch) for watch in self.verdicts},
            errors=self.errors,
            place=self._place,
        )
        if plan.listed:
            return replace(known, problem=np.arange(len(collector.problems.first_rows)))
        numbers = {}
        if "attempt" not in self.roles:
            numbers = {name[len(NUMBER) :]: collector.held(name) for name in collector.numbers}
            for watch in self.settings:
                whole = [read_whole(value) for value in watch.values]
                if watch.numbers_samples and None not in whole:
                    numbers[watch.name] = np.array(whole, np.int64)[watch.codes]
        known = replace(known, numbers=numbers, repeated=self._find_repeated(known))
        return replace(known, resumed=self._find_resumed(known))

    def _collect(self) -> None:
        """Collect all rows, and what is watched beside."""
        plan, watched = self.plan, [*self.settings, *self.verdicts, *self.errors]
        self.table.rows.faults.causes.clear()
        needed = plan.list_needed([watch.name for watch in watched])
        try:
            for block in self._list_blocks(needed):
                watched = [watch for watch in watched if watch.add(block)]
                self.places.append(
                    block.places if isinstance(block.places, range) else array("q", block.places)
                )
                self.collector.add_block(block)
                if plan.reading.meta:
                    self.meta |= self._list_meta(block)
        except InputError as error:
            if error.code == "collector.same_problem":
                self._refuse_crossed_lists(needed)
            if error.code == "collector.differs" and error.values["name"] == "group":
                self._refuse_groups(error)
            if error.code == "cells.problem" and self.table.rows.is_text:
                self._refuse_merged()
            if error.code == "cells.word":
                self._name_words(error)
            if error.code == "collector.same_name" and "problem" not in plan.given:
                same = Mention(columns={"problem": f"{self.roles['problem']}.folded"})
                told = {**error.values, "same": same}
                raise InputError(error.code, error.message.sentence, **told) from None
            raise
        for copied in self.table.copied:
            faults = self.table.rows.faults
            faults.causes[copied.message.code] = copied.message, len(copied.places)
        plan.where.refuse_unseen()
        if plan.reading.where and not self.places:
            raise no_rows()
        self.settings = [watch for watch in self.settings if watch in watched]

    def _align(self) -> None:
        """Leave out what was watched of broken rows."""
        collector = self.collector
        rows = np.asarray(
            collector.problems.first_rows if self.plan.listed else collector.held("row"), np.int64
        )
        if sum(map(len, self.places)) > len(rows):
            kept = np.searchsorted(np.concatenate(self.places), rows)
            for watch in (*self.settings, *self.verdicts, *self.errors):
                watch.take(kept)

    def _list_blocks(self, needed: Mapping[str, bool] | None) -> Iterator[Block]:
        """Yield the rows that are wanted, changed as their shape needs it."""
        known = {*self.plan.head.names}
        for whole in self.table.blocks(needed):
            late = [name for name in whole.names if name not in known]
            known.update(late)
            if not self._is_whole and any(
                map(_is_telling, late)
            ):  # else they are of rows that are left out
                raise _LateColumnError
            block = self.plan.apply(whole)
            if len(block):
                if self.table.rows.is_text:
                    self._refuse_header(block)
                yield block

    def _refuse_header(self, block: Block) -> None:
        """Raise if a row is the header line once more."""
        name = self.roles["problem"] or self.roles["grades"] or ""
        # A column that is called 1 may hold a 1.
        if (
            name not in block.names
            or read_whole(name) is not None
            or not contains(block.column(name), name)
        ):
            return
        for row in [row for row, cell in enumerate(block[name]) if cell == name]:
            if all(block[other][row] == other for other in filter(None, self.roles.values())):
                where = Mention(where={shorten(name): {"!=": shorten(name)}})
                raise _say.error("structure.header", row=block.places[row], where=where)

    def _place(self, sample: int) -> Message:
        """Describe the place of a verdict, by its place among all samples."""
        rows = self.collector.held("row")
        number = None
        if self.plan.listed:
            number = int(np.count_nonzero(rows[: sample + 1] == rows[sample]))
        return _describe(self.roles, int(rows[sample]), "grades", number)

    def _read_verdicts(self, watch: Watch) -> NDArray[np.float64]:
        """Read verdicts as far as they can be read; NaN means the others."""
        lists = [cell if isinstance(cell, list) else [cell] for cell in watch.values]
        read = [[self.reads.attempt("grades", part) for part in own] for own in lists]
        return np.array(
            list(chain.from_iterable(read[code] for code in watch.codes.tolist())), dtype=np.float64
        )

    def _list_meta(self, block: Block) -> dict[int, str]:
        """Write what the first row of each new problem holds besides."""
        first = block.places[0]
        rows = [row for row in self.collector.problems.first_rows if row >= first]
        part = block.take(np.searchsorted(np.asarray(block.places), rows).tolist())
        columns = {
            name: spell_lists(part[name]) for name in block.names if name not in self.roles.values()
        }
        return {
            place: json.dumps({name: cells[row] for name, cells in columns.items()}, default=str)
            for row, place in enumerate(part.places)
        }

    def _find_repeated(self, known: RowsKnown) -> list[list[str]] | None:
        """Return the texts of the samples if the second half of the rows repeats the first in all columns."""
        reading = self.plan.reading
        if reading.where or reading.pool or self.collector.numbers:
            return None
        if not repeats(known.problem, known.grades if len(known.grades) else known.problem):
            return None
        half = len(known.problem) // 2
        columns: dict[str, list[str]] = {name: [] for name in self.plan.head.names}
        for block in self.table.blocks(None):
            for name, cells in columns.items():
                cells.extend(map(repr, block[name]))
        if any(cells[:half] != cells[half:] for cells in columns.values()):
            return None
        names = {*find_named(columns, WHOLE_TEXT), self.roles["answers"]}
        return [cells for name, cells in columns.items() if name in names]

    def _find_resumed(self, known: RowsKnown) -> tuple[int, int, int] | None:
        """Find a part of the rows that is repeated, with long texts: where both begin, and how many rows they have."""
        reading, head = self.plan.reading, self.plan.head
        if reading.where or reading.pool or self.collector.numbers or "attempt" in self.roles:
            return None
        names = {*find_named(head.names, WHOLE_TEXT), self.roles["answers"]}
        long = [name for name in names if name in head.names and _are_long(head[name])]
        telling = self._list_telling() if len(known.problem) <= _MATCHED else []
        if not long and not telling:
            return None
        verdicts = known.grades if len(known.grades) else np.zeros(len(known.problem))
        found = [*islice(list_resumed(known.problem, verdicts), _PARTS)]
        if not found:
            return None
        texts = {name: array("q") for name in head.names}
        for block in self.table.blocks(None):
            for name, cells in texts.items():
                cells.extend(hash(repr(cell)) for cell in block[name])  # whole texts need memory
        for first, again, count in found:
            mine, other = slice(first, first + count), slice(again, again + count)
            differ = any(2 * len({*texts[name][mine]}) >= count for name in long)
            if any(cells[mine] != cells[other] for cells in texts.values()):
                continue
            if differ:
                return first, again, count
            codes = [np.unique(texts[name], return_inverse=True)[1] for name in telling]
            if codes and weigh_copy(known.problem, join_codes(codes), again, count) > _BITS:
                return first, again, count
        return None

    def _list_telling(self) -> list[str]:
        """List the columns beside problem and verdict that no run repeats: texts, and no numbers of rows."""
        plan, used = self.plan, (self.roles["problem"], self.roles["grades"])
        columns = plan.asked.columns
        return [
            name
            for name in plan.head.names
            if name not in used and name in columns and columns[name].numbers is None
        ]

    def _refuse_crossed_lists(self, needed: Mapping[str, bool] | None) -> None:
        """Raise if a problem occurs twice because the rows are of several settings."""
        settings, problem = self.plan.watch_settings(), list[str]()
        for block in self._list_blocks(needed):
            settings = [watch for watch in settings if watch.add(block)]
            problem += map(str, block[self.roles["problem"] or "line"])
        codes = encode(problem).codes
        walk([doubt_settings], RowsKnown(codes, self.roles["problem"], settings, listed=True))

    def _refuse_groups(self, error: InputError) -> None:
        """Raise because problems are of several groups, with what a user may say of it."""
        problem, group = self.roles["problem"] or "problem", self.roles["group"] or "group"
        values = ", ".join((str(error.values["known"]), str(error.values["value"])))
        ways = {
            "apart": Mention(columns={"problem": f"{group}+{problem}"}),
            "ignored": Mention(columns={"group": None}),
        }
        raise _say.error(
            "plain.groups", column=group, values=values, place=error.values["place"], **ways
        )

    def _refuse_merged(self) -> None:
        """Raise if only the first row of each problem names it."""
        names, columns = self.plan.profile[self.roles["problem"] or ""], self.plan.head.names
        if (
            names.cells[0] is not None
            and 2 * len(names.there) <= len(names.cells)
            and names.name in columns
        ):
            mark, at = find_delimiter(self.table.source.first_line), columns.index(names.name)
            read = f"rows = [row for row in csv.reader(open('FILE', encoding='utf-8'), delimiter={mark!r}) if row]"
            fill = f"[row.__setitem__({at}, row[{at}] or above[{at}]) for above, row in zip(rows, rows[1:])]"
            write = "csv.writer(open('NEW', 'w', encoding='utf-8')).writerows(rows)"
            way = f'{PYTHON} -c "import csv; {read}; {fill}; {write}"'
            raise _say.error("plain.merged", column=shorten(names.name), way=way)

    def _name_words(self, error: InputError) -> None:
        """Name in an error all words among the first rows that are no verdict, in place of the one at fault."""
        cells = self.plan.profile[self.roles["grades"] or ""].there
        odd = dict.fromkeys(
            cell for cell in cells if isinstance(cell, str) and not self.reads.fits("grades", cell)
        )
        is_told = any(
            self.reads.fits("grades", cell) for cell in cells
        )  # else some of the words mean right
        if 1 < len(odd) <= MOST_SETTINGS and is_told:
            lost = [shorten(word) for word in odd if speaks_of_failure(word)]
            words = {"wrong": [shorten(word) for word in odd if not speaks_of_failure(word)]}
            words |= {"unjudged": lost}
            named = {name: Mention(**{name: held}) for name, held in words.items() if held}
            raise InputError(error.code, error.message.sentence, **{**error.values, **named})


def _describe(roles: Columns, row: int, role: str = "", sample: int | None = None) -> Message:
    """Say where a cell is."""
    column = roles.get(role)
    if column is None:
        return UNITS["row"](row)
    return describe_place(row, column, sample)


def _is_telling(name: str) -> bool:
    """Return whether a column matters by its name."""
    return has_role(name) or has_name(name, SYSTEM)


def _pick(block: Block, names: Sequence[str]) -> Block:
    """Pick the first rows that have each of some columns: fewer of each where there are many."""
    there = ((row for row, cell in enumerate(block[name]) if cell is not None) for name in names)
    return block.take(
        sorted({row for rows in there for row in islice(rows, 1 + 100 // len(names))})
    )


def _leave_out_groups(samples: Samples) -> Samples:
    """Leave out the groups where some problems have none."""
    if "group" not in samples.table.column_names or not samples.table["group"].null_count:
        return samples
    count, column = samples.table["group"].null_count, samples.roles["group"] or "group"
    note = _say("note.groupless", column=shorten(column), count=count)
    roles = {role: name for role, name in samples.origin.roles.items() if role != "group"}
    origin = replace(samples.origin, roles=roles, notes=[*samples.origin.notes, note])
    return replace(samples, table=samples.table.drop_columns(["group"]), origin=origin)


def _are_long(cells: Sequence[object]) -> bool:
    """Return whether most cells are texts that are not equal by chance."""
    texts = [cell for cell in cells if isinstance(cell, str) and len(cell) >= _LONG]
    return 2 * len(texts) > len(cells)


def _find_subject(watches: Sequence[Watch]) -> dict[str, str]:
    """Find of which model and set of problems the rows are, as far as they are all of one."""
    named = [watch for watch in watches if has_name(watch.name, SETTING)]
    values_of = {
        watch.name: [value for value in watch.values if value is not None] for watch in named
    }
    # Whole, since paths differ at their ends.
    return {
        name: str(values[0]).encode("utf-8", "replace").decode()
        for name, values in values_of.items()
        if len(values) == 1
    }
