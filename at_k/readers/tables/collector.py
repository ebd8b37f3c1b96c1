"""Collect samples into the standard columns: a block as a whole or, where that fails, part by part by the same code."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from at_k.errors import InputError, Mention, Message, Phrases
from at_k.readers.arrays import (
    Groups,
    encode,
    find_firsts,
    flatten,
    is_arrow,
    join_codes,
    list_cells,
    make_numbers,
    make_text_lists,
    make_texts,
    refuse_large_texts,
    take,
)
from at_k.readers.blocks import Block
from at_k.readers.cells import NOTHING, Cells, UnfitError, read_integers
from at_k.readers.faults import Faults, describe_place, find_fault
from at_k.readers.names import quote, shorten
from at_k.readers.numbering import is_summary
from at_k.readers.samples import MISSING, SAMPLE_ROLES, STANDARD, Origin, Samples
from at_k.readers.tables.doubts import OF_SAMPLES, walk
from at_k.readers.tables.doubts.of_rows import number_samples
from at_k.readers.tables.doubts.of_samples import make_summary_error, refuse_odd_names
from at_k.readers.tables.problems import OF_PROBLEM, Findings, Part, Place, Problems, fill
from at_k.readers.words import name_reason, says_failed
from at_k.samples import Ragged

# The roles that say something of each sample.
OF_SAMPLE = (*SAMPLE_ROLES, "cost", "weight", "attempt")

# How roles within a collector begin: the number of a sample, with the column that has it, and what else is said of it.
NUMBER, BESIDE = "sample", "+"

# Parts into which rows are cut that cannot be read as a whole.
_PARTS = 16


_say = Phrases(
    {
        "collector.empty": "There are no samples in this file.",
        "standard.no_list": 'Each row must have a list of samples such as [1, 0] or ["a", "b"], as other rows have; '
        "got {value} ({place}).",
        "standard.lengths": "The lists of a row must be equally long: the length of this one is {count:,}, and that "
        "of the {other} is {other_count:,} ({place}).",
        "collector.no_samples": "Problem {name} has no samples ({place}). Remove it, or add its samples.",
        "collector.repeated": "Sample {number} of problem {name} occurs twice: {first} and "
        "{place}.\nTo leave out the later one: {option:errors=skip}. If that column does "
        "not number samples: {ignored}.",
    }
)


@dataclass
class Sheet:
    """The roles and rules of a table's columns.

    Attributes:
        columns: role → column; none for a harness, whose values are those that it wrote.
        reads: reads cells.
        listed: whether a row is a problem, with lists of samples.
        numbers: the columns that number the samples of each problem.
        optional: the roles of which a null says nothing.
    """

    columns: dict[str, str]
    reads: Cells
    listed: bool = False
    numbers: Sequence[str] = ()
    optional: Sequence[str] = ()


def refuse_empty() -> InputError:
    """Make the error that says that a file has no samples."""
    return _say.error("collector.empty")


def _read_value(
    reads: Cells, describe: Place, role: str, value: object, row: int, sample: int | None = None
) -> Any:
    """Read the value of a role."""
    try:
        return reads.read(role, value)
    except UnfitError as fault:
        raise find_fault(role, fault.value, describe(row, role, sample)) from None


class Collector:
    """Collect the samples of a table.

    A reader calls `add_block` for rows in the order of the file, and `finish` at the end. With `errors="skip"`, a
    sample that is broken is left out and counted; else it raises.

    Args:
        sheet: how the columns are read.
        place: describes the place of a role in a row.
        faults: what is at fault; in `with collector.faults:` a reader may raise errors of its own.
        are_names_given: whether a user said what names the problems.

    Attributes:
        problems: the problems so far.
    """

    def __init__(
        self, sheet: Sheet, place: Place, faults: Faults, *, are_names_given: bool = False
    ) -> None:
        self.faults, self._describe, self._sheet, self._are_names_given = (
            faults,
            place,
            sheet,
            are_names_given,
        )
        # A method of its own would keep a collector, and all that it holds, until garbage is looked for.
        self._read = partial(_read_value, sheet.reads, place)
        self.problems = Problems(self._read, place)
        self._blocks: list[
            dict[str, Any]
        ] = []  # role → values, beside the number of their `problem` and their `row`

    def add_block(self, block: Block) -> None:
        """Add rows of a table."""
        sheet = self._sheet
        cells = {role: block.column(name) for role, name in sheet.columns.items()}
        for role in sheet.optional:
            if role in cells and _has_null(cells[role]):
                told = list_cells(cells[role])
                cells[role] = [NOTHING if cell is None else cell for cell in told]
        if "problem" not in cells:
            cells["problem"] = list(map(str, block.places))
        numbers = {NUMBER + name: read_integers(block.column(name)) for name in sheet.numbers}
        cells |= {name: held for name, held in numbers.items() if held is not None}
        self._take(Part(block.places, cells, sheet.listed))

    def _take(self, part: Part) -> None:
        """Keep rows: all of them at once or, where that fails, in parts, which finds the place of each fault."""
        count = len(part.rows)
        try:
            lengths, cells = self._flatten(part)
            self._keep(
                part, self.problems.read(part), lengths, self._read_cells(cells, part.rows[0])
            )
        except (InputError, UnfitError):
            if count == 1:
                self._take_row(part)
                return
            size = -(-count // _PARTS)
            for start in range(0, count, size):
                self._take(part.cut(start, min(start + size, count)))

    def _take_row(self, part: Part) -> None:
        """Keep the samples of one row, each by itself, and name the place of each fault."""
        row, (problem,), read = part.rows[0], list_cells(part.cells["problem"]), []
        with self.faults:
            try:
                lengths, cells = self._flatten(part)
                for place in range(int(lengths[0])):
                    with self.faults:
                        one = {role: values[place : place + 1] for role, values in cells.items()}
                        read.append(self._read_cells(one, row, place + 1 if part.listed else None))
            except InputError as error:
                is_odd = error.code in ("cells.grade", "cells.word", "standard.no_list")
                if is_odd and self._sheet.columns and is_summary(str(problem)):
                    raise make_summary_error(
                        self._sheet.columns.get("problem", "line"), problem, self.place(row)
                    ) from None
                raise
            if read:
                problems = self.problems.read(part)
                for values in read:
                    self._keep(part, problems, np.ones(1, np.int64), values)

    def _flatten(self, part: Part) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Return how many samples each row has, and role → the cell of each sample."""
        columns = {role: cells for role, cells in part.cells.items() if role not in OF_PROBLEM}
        if not part.listed:
            return np.ones(len(part.rows), np.int64), columns
        row, flat = part.rows[0], {role: flatten(cells) for role, cells in columns.items()}
        first, (lengths, _) = next(iter(flat.items()))
        for role, (n, _) in flat.items():
            if n.min() < 0:
                value = quote(list_cells(columns[role])[int(n.argmin())])
                raise _say.error("standard.no_list", value=value, place=self._describe(row, role))
            if (n != lengths).any():
                counts = {"count": int(n[0]), "other": first, "other_count": int(lengths[0])}
                raise _say.error("standard.lengths", **counts, place=self._describe(row, role))
        if not lengths.all():
            name = quote(list_cells(part.cells["problem"])[0])
            raise _say.error("collector.no_samples", name=name, place=self.place(row))
        return lengths, {role: values for role, (_, values) in flat.items()}

    def _read_cells(
        self, cells: Mapping[str, Any], row: int, sample: int | None = None
    ) -> dict[str, Any]:
        """Read what is said of each sample; nothing is kept yet."""
        read: dict[str, Any] = {}
        for role, column in cells.items():
            values = fill(column)
            if values is None or (role == NUMBER and None in values):
                continue
            try:
                read[role] = (
                    self._sheet.reads.read_column(role, values) if role in OF_SAMPLE else values
                )
            except UnfitError as fault:
                raise find_fault(role, fault.value, self._describe(row, role, sample)) from None
        _add_reasons(read, self._sheet.reads.list_reasons(cells.get("grades", [])))
        if "error" in read:
            _leave_out_failed(read, list_cells(read.pop("error")))
        return read

    def _keep(
        self, part: Part, problems: Findings, lengths: NDArray[np.int64], values: Mapping[str, Any]
    ) -> None:
        owners = {
            "problem": self.problems.keep(part, problems),
            "row": np.fromiter(part.rows, np.int64, len(part.rows)),
        }
        if part.listed:
            owners = {role: np.repeat(places, lengths) for role, places in owners.items()}
        self._blocks.append(owners | dict(values))

    def _merge(self) -> dict[str, Any]:
        """Join the blocks, and return role → the values of all samples, as one array or a list."""
        roles = list(dict.fromkeys(chain.from_iterable(self._blocks)))
        if len(self._blocks) > 1:
            whole = {role for role in roles if all(role in block for block in self._blocks)}
            kept = [role for role in roles if role in whole or not role.startswith(NUMBER)]
            self._blocks = [{role: self._join(role) for role in kept}]
        if self._blocks:
            return self._blocks[0]
        return {}

    def _join(self, role: str) -> Any:
        is_list, is_text = role in (NUMBER, MISSING) or role.startswith(BESIDE), role == "answers"
        leave: Callable[..., Any] = (
            make_texts if is_text else list if is_list else partial(np.array, dtype=float)
        )
        parts = [
            block[role] if role in block else leave([None] * len(block["row"]))
            for block in self._blocks
        ]
        if is_list:
            return list(chain.from_iterable(parts))
        if not is_text:
            return np.concatenate(parts)
        import pyarrow as pa

        refuse_large_texts(sum(part.nbytes for part in parts))
        return pa.concat_arrays(parts)

    def held(self, role: str) -> NDArray[Any]:
        """Return a value for each sample: its `problem`, `row` or grade; none where no sample has one."""
        return np.asarray(self._merge().get(role, ()))

    @property
    def numbers(self) -> list[str]:
        """The roles that number all samples."""
        return [role for role in self._merge() if role.startswith(NUMBER)]

    def place(self, row: int) -> Message:
        """Describe the place of a sample: "line 7"."""
        return self._describe(row)

    def finish(self, origin: Origin, *, per_sample: bool = True) -> Samples:
        """Return the samples that were collected, those of each problem together, in the order in which they came."""
        import pyarrow as pa

        held = self._merge()
        if not held:
            self.faults.refuse_nothing_left()
            raise refuse_empty()
        held = self._sort_numbered(self._drop_repeated(self._keep_last(held)))
        rows, groups = held["row"], Groups.of(held["problem"])
        columns: dict[str, pa.Array] = {"problem": make_texts(list(self.problems.names))}
        for role in SAMPLE_ROLES:
            if role in held:
                values = held[role]
                columns[role] = groups.list(
                    values if is_arrow(values) else make_numbers(values, ~np.isnan(values))
                )
        for role, said in self.problems.said.items():
            texts = list(map(said.get, self.problems.names))
            if any(value is not None for value in texts):
                columns[role] = make_texts(texts) if role == "group" else make_text_lists(texts)
        beside = _list_beside(groups, held)
        if any(self.problems.meta) or beside:
            columns["meta"] = make_texts(list(_spell_meta(self.problems.meta, beside)))
        samples = Samples(
            table=pa.table({role: columns[role] for role in STANDARD if role in columns}),
            origin=replace(
                origin,
                roles={
                    role: name
                    for role, name in origin.roles.items()
                    if role in columns or role in beside.keys() & {"weight"}
                },
                skipped=dict(self.faults.causes.values()),
            ),
            rows=groups.split(rows)
            if per_sample
            else Ragged(rows[groups.firsts], np.arange(len(groups.firsts) + 1)),
            per_sample=per_sample,
            numbers=_list_numbers(groups, [held[role] for role in self.numbers]),
            details=list(beside),
        )
        if not self._are_names_given:
            column = shorten(samples.roles["problem"] or "problem")
            same = None
            if self._sheet.columns.get("problem"):
                same = Mention(columns={"problem": f"{column}.folded"})
            refuse_odd_names(samples, Mention(columns={"problem": column}), same)
        walk(OF_SAMPLES, samples)
        return samples

    def _keep_last(self, held: dict[str, Any]) -> dict[str, Any]:
        """Keep the last attempt at each sample, where a column numbers attempts."""
        if "attempt" not in held:
            return held
        codes = join_codes([held["problem"], *self._list_codes(held)])
        if not self.numbers:
            codes = number_samples(codes, held["attempt"])
        order = np.lexsort((held["attempt"], codes))
        ends = np.append(np.diff(codes[order]) != 0, True)
        kept = np.sort(order[ends])
        return {role: take(values, kept) for role, values in held.items() if role != "attempt"}

    def _list_codes(self, held: Mapping[str, Any]) -> list[NDArray[np.int64]]:
        """List the numbers of the samples, by each column that has them."""
        numbers = [held[role] for role in self.numbers]
        return [encode(each).codes if isinstance(each, list) else each for each in numbers]

    def _drop_repeated(self, held: dict[str, Any]) -> dict[str, Any]:
        """Leave out samples whose problem has an earlier one of the same number, or refuse the first of them."""
        numbers = self._list_codes(held)
        codes = join_codes([held["problem"], *numbers])
        firsts = codes
        if numbers:
            firsts = np.sort(find_firsts(codes))
        if len(firsts) == len(codes):
            return held
        ways = self._list_ways(codes, held)
        for place in np.setdiff1d(np.arange(len(codes)), firsts).tolist():
            first = firsts[int(np.flatnonzero(codes[firsts] == codes[place])[0])]
            name = list(self.problems.names)[held["problem"][place]]
            number, column = held[self.numbers[0]][place], self.numbers[0][len(NUMBER) :]
            if column:
                number = int(number)
            with self.faults:
                self.refuse_repeated(
                    number, name, int(held["row"][first]), int(held["row"][place]), column, ways
                )
        return {role: take(values, firsts) for role, values in held.items()}

    def _list_ways(self, codes: NDArray[np.int64], held: Mapping[str, Any]) -> dict[str, Mention]:
        """List what may be meant where a number occurs twice, likeliest first: another attempt, or no number."""
        column = self.numbers[0][len(NUMBER) :]
        ways = {"ignored": Mention(columns={"sample": None})}
        if not column or len(self.numbers) > 1:
            return ways
        last = Mention(columns={"sample": shorten(column), "attempt": "line"})
        counts = np.unique(codes, return_counts=True)[1]
        # Where each number occurs equally often, and verdicts differ, it may be that of a run with several samples.
        graded = [codes, np.nan_to_num(held["grades"], nan=-1)] if "grades" in held else [codes]
        differ = len(np.unique(np.column_stack(graded), axis=0)) > len(counts)
        if differ and counts.min() == counts.max():
            return {"unnumbered": ways["ignored"], "last": last}
        return {"last": last, **ways}

    def _sort_numbered(self, held: dict[str, Any]) -> dict[str, Any]:
        """Put the samples of each problem in the order of their numbers, if these count up from 0 or 1."""
        numbers = [held[role] for role in self.numbers]
        if len(numbers) != 1 or isinstance(numbers[0], list):
            return held
        order = np.argsort(held["problem"], kind="stable")
        is_same = np.diff(held["problem"][order]) == 0
        if not (is_same & (np.diff(numbers[0][order]) < 0)).any():
            return held
        places = np.unique(numbers[0])
        if places[0] not in (0, 1) or places[-1] - places[0] != len(places) - 1:
            return held  # seeds such as 42 and 7 are no places
        order = np.lexsort((numbers[0], held["problem"]))
        return {role: take(values, order) for role, values in held.items()}

    def refuse_repeated(
        self,
        number: object,
        name: object,
        first: int,
        row: int,
        column: str = "",
        ways: Mapping[str, Mention] | None = None,
    ) -> NoReturn:
        """Raise because a problem has two samples of one number, with what may be meant."""
        raise _say.error(
            "collector.repeated",
            number=quote(number),
            name=quote(name),
            first=self.place(first),
            place=describe_place(row, column) if column else self.place(row),
            **{**(ways or {}), "ignored": Mention(columns={"sample": None})},
        )


def _has_null(column: Any) -> bool:
    """Return whether a column has a null."""
    return column.null_count > 0 if is_arrow(column) else None in column


def _add_reasons(read: dict[str, Any], reasons: Sequence[str | None]) -> None:
    """Add reasons why samples are missing to those that are known."""
    if any(reasons):
        told = read.get(MISSING, reasons)
        read[MISSING] = [own or said for own, said in zip(reasons, told, strict=True)]


def _leave_out_failed(read: dict[str, Any], errors: Sequence[object]) -> None:
    """Make samples with an error and without success missing; without verdicts, all with an error."""
    reasons = [name_reason(error) if says_failed(error) else None for error in errors]
    lost = np.array([reason is not None for reason in reasons], dtype=bool)
    if "grades" in read:
        lost &= ~(read["grades"] > 0.5)
        read["grades"] = np.where(lost, np.nan, read["grades"])
    elif "answers" in read:
        pairs = zip(list_cells(read["answers"]), lost.tolist(), strict=True)
        read["answers"] = make_texts([None if is_lost else text for text, is_lost in pairs])
    _add_reasons(read, [reason if own else None for reason, own in zip(reasons, lost, strict=True)])


def _list_numbers(groups: Groups, numbers: Sequence[Any]) -> Any:
    """List the numbers of the samples of each problem, of which a table has several columns."""
    if len(numbers) == 1 and not isinstance(numbers[0], list):
        return groups.split(numbers[0])
    several = None
    if len(numbers) > 1:
        several = list(zip(*map(list_cells, numbers), strict=True))
    if numbers:
        return groups.cut(several or numbers[0])
    return None


def _list_beside(groups: Groups, held: Mapping[str, Any]) -> dict[str, Sequence[Sequence[Any]]]:
    """List what else is said of the samples of each problem, by its name."""
    columns = {
        role[len(BESIDE) :]: values for role, values in held.items() if role.startswith(BESIDE)
    }
    if MISSING in held and "grades" in held:
        reasons = zip(held[MISSING], np.isnan(held["grades"]).tolist(), strict=True)
        columns[MISSING] = [reason if is_missing else None for reason, is_missing in reasons]
    columns |= {role: held[role].tolist() for role in ("cost", "weight") if role in held}
    return {
        name: groups.cut(values)
        for name, values in columns.items()
        if any(cell is not None for cell in values)
    }


def _spell_meta(
    metas: Sequence[Mapping[str, Any] | None], beside: Mapping[str, Sequence[Sequence[Any]]]
) -> Iterator[str | None]:
    """Spell what else is said of each problem, and of its samples, as JSON."""
    for place, meta in enumerate(metas):
        lists = {
            name: listed[place]
            for name, listed in beside.items()
            if any(cell is not None for cell in listed[place])
        }
        whole = {**(meta or {}), **lists}
        yield _encode(whole) if whole else None


# `json.dumps` makes an encoder for each call that has options.
_encode = json.JSONEncoder(ensure_ascii=False, default=str).encode
