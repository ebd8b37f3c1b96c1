"""Collect the samples of a table: in blocks, and row by row where the place of a fault must be named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k.errors import InputError
from at_k.readers.arrays import fill_numbers, make_texts
from at_k.readers.blocks import Block
from at_k.readers.cells import NOTHING, Cells, UnfitError, read_answer
from at_k.readers.coding import Coded, Groups, encode, find_firsts, is_arrow, join_codes, read_integers
from at_k.readers.collector import ARGUMENTS, OF_SAMPLE, Collector
from at_k.readers.format import Reading
from at_k.readers.names import is_model, quote
from at_k.readers.problems import Place
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source
from at_k.readers.structure import is_summary, make_summary_error


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
    listed: bool
    numbers: list[str]


class SheetCollector(Collector):
    """Collect the samples of a table.

    Args:
        reading: how the file is read.
        sheet: how its columns are read.
        place: as of `Collector`.
    """

    def __init__(self, reading: Reading, sheet: Sheet, place: Place | None = None) -> None:
        super().__init__(reading, unit="row", place=place, read=sheet.reads.read)
        self._sheet = sheet
        self._counted: dict[str, list[NDArray[np.int64]]] = {}  # the numbers of the samples, by their column

    def add_block(self, block: Block) -> None:
        """Add rows: as a whole and, if that fails, one by one, which names the place of each fault."""
        sheet = self._sheet
        read = {name: read_integers(block.column(name)) for name in sheet.numbers}
        numbers = {name: found for name, found in read.items() if found is not None}
        sheet.numbers = list(numbers)
        whole = None
        if not (self.faults.skips and numbers):
            with suppress(InputError, UnfitError, OverflowError, UnicodeEncodeError):
                whole = self._read_block(block)
        if whole is not None:
            self._keep_block(block, *whole)
        else:
            self._add_rows(block, list(numbers.values()) if self.faults.skips else [])
        for name in () if self.faults.skips else numbers:
            self._counted.setdefault(name, []).append(numbers[name])

    @property
    def has_numbers(self) -> bool:
        """Return whether the samples are numbered."""
        return bool(self._numbers or self._counted)

    def list_numbers(self, groups: Groups) -> Sequence[Sequence[object]] | None:
        """Return the numbers of the samples; None unless all of them have one. Refuse repeated ones."""
        columns = {name: np.concatenate(parts) for name, parts in self._counted.items()}
        columns = {name: numbers for name, numbers in columns.items() if len(numbers) == self.count}
        if not columns:
            return super().list_numbers(groups)
        problems, numbers = self.problems, list(columns.values())
        codes = join_codes([problems, *numbers])
        firsts = find_firsts(codes)
        if len(firsts) < self.count:
            row = min({*range(self.count)} - {*firsts.tolist()})
            first, places = int(np.flatnonzero(codes == codes[row])[0]), self.row_numbers
            name = list(self.known.places)[problems[row]]
            self.refuse_repeated(int(numbers[0][row]), name, int(places[first]), int(places[row]), next(iter(columns)))
        return groups.split(numbers[0] if len(numbers) == 1 else np.stack(numbers, axis=1))

    def _add_rows(self, block: Block, numbers: Sequence[NDArray[np.int64]]) -> None:
        names = self._sheet.columns
        columns = {role: block[name] for role, name in names.items()}
        keys: Any = zip(*(own.tolist() for own in numbers), strict=True) if numbers else repeat(())
        for position, (place, key) in enumerate(zip(block.places, keys, strict=False)):
            cells = {role: column[position] for role, column in columns.items()}
            problem = cells.pop("problem", str(place))
            with self.faults:
                try:
                    self._add_row(place, problem, cells, key)
                except InputError as error:
                    is_odd = error.code in ("cells.grade", "cells.word", "cells.points", "standard.no_list")
                    if is_odd and is_summary(problem):
                        raise make_summary_error(names.get("problem", "line"), problem, self.place(place)) from None
                    raise

    def _add_row(self, row: int, problem: object, cells: Mapping[str, Any], key: tuple[int, ...]) -> None:
        shared = {role: self.read(role, cells[role], row) for role in ("group", "references") if role in cells}
        own = {role: cells[role] for role in OF_SAMPLE if role in cells}
        names = [ARGUMENTS[role] for role in own]
        if not self._sheet.listed:
            number = NOTHING if not key else key[0] if len(key) == 1 else key
            self.add(row, problem, number=number, **dict(zip(names, own.values(), strict=True)), **shared)
            return
        first = next(iter(own))
        for role, cell in own.items():
            self._refuse_odd_list(row, role, cell, first, own[first])
        samples = [dict(zip(names, values, strict=True)) for values in zip(*own.values(), strict=True)]
        self.add_problem(row, problem, samples, **shared)

    def _refuse_odd_list(self, row: int, role: str, cell: Any, first: str, first_cell: Any) -> None:
        place = self.describe(row, role, None)
        if not isinstance(cell, list):
            raise InputError(
                "standard.no_list",
                'Each row must have a list of samples such as [1, 0] or ["a", "b"], as other rows have; got {value} '
                "({place}).",
                value=quote(cell),
                place=place,
            )
        if len(cell) != len(first_cell):
            raise InputError(
                "standard.lengths",
                "The lists of a row must be equally long: the length of this one is {count:,}, and that of the "
                "{other} is {other_count:,} ({place}).",
                count=len(cell),
                other=first,
                other_count=len(first_cell),
                place=place,
            )

    def _read_block(self, block: Block) -> tuple[dict[str, Any], Any, Coded, list[str], list[dict[int, Any]]]:
        """Read the cells of a block; nothing is kept yet."""
        sheet, lengths = self._sheet, None
        values: dict[str, Any] = {}
        for role in OF_SAMPLE:
            if role not in sheet.columns:
                continue
            cells = block.column(sheet.columns[role])
            if sheet.listed:
                n, cells = _flatten(cells)
                lengths = n if lengths is None else lengths
                if not n.all() or (n != lengths).any():
                    raise UnfitError(None)
            values[role] = _read_texts(cells) if role == "answers" else sheet.reads.read_numbers(role, cells)
        names = block.column(sheet.columns["problem"]) if "problem" in sheet.columns else list(map(str, block.places))
        coded = encode(names)
        if coded.codes.min(initial=0) < 0 or (sheet.listed and len(coded.values) < len(coded.codes)):
            raise UnfitError(None)
        spelled = [sheet.reads.read("problem", value) for value in coded.values]
        if sheet.listed and not self.known.places.keys().isdisjoint(spelled):
            raise UnfitError(None)
        said = [self._read_said(role, block, coded.codes) for role in ("references", "group")]
        return values, lengths, coded, spelled, said

    def _read_said(self, role: str, block: Block, codes: Any) -> dict[int, Any]:
        """Read what the rows of a block say of each problem, by its code."""
        if role not in self._sheet.columns:
            return {}
        said, values = encode(block.column(self._sheet.columns[role]))
        rows = find_firsts(join_codes([codes, said])).tolist()
        if said.min(initial=0) < 0:
            raise UnfitError(None)
        spelled = [self._sheet.reads.read(role, value) for value in values]
        found = {int(codes[row]): spelled[said[row]] for row in rows}
        if len(found) < len(rows):
            raise UnfitError(None)
        return found

    def _keep_block(
        self, block: Block, values: dict[str, Any], lengths: Any, coded: Coded, names: list[str], said: Any
    ) -> None:
        table = np.empty(len(names), dtype=np.int64)
        for code, row in enumerate(find_firsts(coded.codes).tolist()):
            place = block.places[row]
            table[code] = problem = self.known.find(coded.values[code], names[code], place)
            references, group = said[0].get(code, NOTHING), said[1].get(code, NOTHING)
            self.known.describe(problem, names[code], place, references, group, None)
        owners = {"problem": table[coded.codes], "row": np.fromiter(block.places, np.int64, len(block))}
        if lengths is not None:
            owners = {role: np.repeat(own, lengths) for role, own in owners.items()}
        for role, own in (owners | values).items():
            self.values[role].extend(own, self.count)
        self.count += len(owners["row"])


def _flatten(column: Any) -> tuple[Any, Any]:
    """Return the length of each list, 0 for anything else, and their values one after the other."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not is_arrow(column):
        lists = [cell if isinstance(cell, list) else [] for cell in column]
        return np.fromiter(map(len, lists), np.int64, len(lists)), list(chain.from_iterable(lists))
    if not pa.types.is_list(column.type):
        return np.zeros(len(column), dtype=np.int64), column
    return fill_numbers(pc.list_value_length(column), 0), column.flatten()


def _read_texts(values: Any) -> Any:
    """Read answers as an array of texts."""
    import pyarrow as pa

    if is_arrow(values):
        if pa.types.is_string(values.type):
            return values
        if pa.types.is_integer(values.type):
            return values.cast(pa.string())
        values = values.to_pylist()
    return make_texts(values if {*map(type, values)} <= {str, type(None)} else list(map(read_answer, values)))


def read_verdicts(source: Source, reading: Reading, problem: str, grade: str) -> Samples | None:
    """Read a file of JSON lines that have the name of a problem and a verdict, and no more that is needed."""
    from at_k.readers.json_lines import read_blocks

    if reading.errors == "skip" or reading.columns or reading.where or reading.pool:
        return None
    collector = SheetCollector(reading, Sheet({"problem": problem, "grades": grade}, Cells(), False, []))
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
