"""A table whose columns are read when they are asked for, whatever the file is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from copy import copy
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from at_k.errors import InputError, Mention, Message
from at_k.limits import UNLIMITED, Limits
from at_k.readers.arrays import make_numbers
from at_k.readers.coding import Coded, encode, is_arrow, list_cells
from at_k.readers.lists import spell_lists
from at_k.readers.quoting import normalize_name
from at_k.readers.sources import refuse_many_rows

LOOKED_AT = 1000
"""Rows from which it is guessed what a column holds."""

_LARGEST = 2**31 - 1
"""Bytes that an Arrow array of strings can hold."""

PROBLEM_NAMES = [
    *("problem_id", "task_id", "doc_id", "question_id", "problem", "problems", "id", "idx", "uid", "task"),
    *(
        "question",
        "prompt",
        "题目编号",
        "题号",
        "题目",
        "问题",
        "问题编号",
        "問題",
        "aufgabe",
        "frage",
        "exercice",
        "pregunta",
    ),
]
"""Names of the column that says which problem a row belongs to, the surest first."""

QUESTION_NAMES = ("problem", "question", "prompt", "题目", "问题", "問題", "frage", "pregunta")
"""Names of columns that may hold the text of the problem."""

Row = dict[str, Any]

Cells = Any
"""The cells of a column: an Arrow array, or a list where they are of several types."""

T = TypeVar("T", bound="Table")


class Batch(NamedTuple):
    """Rows that follow each other: the number of each in the file, from 1, and the columns that were asked for."""

    rows: NDArray[np.int64]
    columns: Mapping[str, Cells]


class Table(Mapping[str, Cells]):
    """A table, each column of which is read when it is asked for; here, one whose rows are in memory.

    Args:
        layout: "json", "jsonl", "csv", "tsv" or "parquet".
        rows: its first rows, or all of them. A row need not have every column.
        names: the columns.
        limits: the most rows that are accepted.

    Attributes:
        names: the columns, in order of first appearance.
        skipped: the code of an error → its first message, and how many rows were left out for it.
        notes: what is to be said of how the rows were found.

    Examples:
        >>> table = Table("json", [{"id": 1}, {"id": 2, "ok": True}], ["id", "ok"])
        >>> table["ok"], table.take([1])["id"], table.take([1]).rows
        ([None, True], [2], array([2]))
    """

    def __init__(self, layout: str, rows: list[Row], names: Iterable[str], limits: Limits = UNLIMITED) -> None:
        self.layout, self.names = layout, list(names)
        self.skipped: dict[str, tuple[Message, int]] = {}
        self.notes: list[Message] = []
        self._first, self._limits = rows, limits
        self._held: dict[str, Cells] = {}
        self._coded: dict[str, Coded] = {}
        self._rows: NDArray[np.int64] | None = None
        self._taken: NDArray[np.int64] | None = None
        self._spells = False

    def __getitem__(self, name: str) -> Cells:
        """Return the cells of a column; None or null where a row has none."""
        if name not in self.names:
            raise KeyError(name)
        if name not in self._held:
            self.load([name])
        return self._held[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def _read(self, names: Sequence[str], numeric: Set[str]) -> Iterator[Batch]:
        """Yield columns, batch by batch. A name that comes to light on the way is added to the table."""
        yield Batch(
            np.arange(1, len(self._first) + 1), {name: [row.get(name) for row in self._first] for name in names}
        )

    def _settle(self, cells: Cells) -> Cells:
        """Return the cells of a whole column as what they hold: in CSV, lists stand as texts."""
        return cells

    def load(self, names: Sequence[str], numeric: Set[str] = frozenset()) -> None:
        """Read several columns at once.

        Args:
            names: those that will be needed.
            numeric: those whose numbers matter, and not how they are spelled.
        """
        missing = [name for name in dict.fromkeys(names) if name not in self._held]
        if not missing and self._rows is not None:
            return
        chunks: dict[str, list[Cells]] = {name: [] for name in missing}
        rows = [np.arange(0)]
        for batch in self._read(missing, numeric):
            rows.append(batch.rows)
            refuse_many_rows(int(batch.rows[-1]) if len(batch.rows) else 0, self._limits)
            for name, own in chunks.items():
                own.append(batch.columns[name])
        self._rows = np.concatenate(rows)
        for name, own in chunks.items():
            column = self._settle(_join(own))
            self._held[name] = column if self._taken is None else _take(column, self._taken)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The number of each row in the file, counted from 1 without the header line."""
        self.load([])
        assert self._rows is not None
        return self._rows if self._taken is None else self._rows[self._taken]

    def first(self, name: str) -> list[Any]:
        """List the first cells of a column; those of a large file are not read for that."""
        if name in self._held:
            return list_cells(self._held[name][:LOOKED_AT])
        return [row.get(name) for row in self._first]

    def coded(self, name: str) -> Coded:
        """Return the cells of a column as codes."""
        if name not in self._coded:
            self._coded[name] = encode(self[name])
        return self._coded[name]

    def peek(self) -> Table:
        """Return the first rows as a table."""
        return Table(self.layout, self._first, self.names)

    def take(self: T, positions: Sequence[int]) -> T:
        """Return the rows at these positions, counted from 0, with their numbers in the file."""
        where = np.asarray(positions, dtype=np.int64)
        taken = self._copy()
        taken._taken = where if self._taken is None else self._taken[where]
        taken._held = {name: _take(column, where) for name, column in self._held.items()}
        return taken

    def spell_lists(self: T) -> T:
        """Return the table with the text of each cell of CSV in place of the list that was read from it."""
        spelled = self._copy()
        spelled._spells = True
        spelled._held = {
            name: column if is_arrow(column) else spell_lists(column) for name, column in self._held.items()
        }
        spelled._first = [dict(zip(row, spell_lists(row.values()), strict=True)) for row in self._first]
        return spelled

    def add(self: T, name: str, cells: list[Any]) -> T:
        """Return the table with a further column, or with other cells in a column."""
        return self.replace((), {name: cells})

    def replace(self: T, names: Sequence[str], columns: Mapping[str, list[Any]]) -> T:
        """Return the table with other columns in place of some."""
        added = self._copy()
        added.names = list(dict.fromkeys([*(name for name in self.names if name not in names), *columns]))
        added._held = {name: held for name, held in self._held.items() if name not in names} | dict(columns)
        if self._taken is None:  # else the first rows are not those that the cells are of, which are held anyway
            added._first = [
                row | {name: cells[place] for name, cells in columns.items()} for place, row in enumerate(self._first)
            ]
        return added

    def _copy(self: T) -> T:
        other = copy(self)
        other._coded = {}
        return other


def _join(chunks: Sequence[Cells]) -> Cells:
    """Join the chunks of a column; in a list if any of them is one, or they are of several types."""
    import pyarrow as pa

    pieces = [piece for chunk in chunks for piece in (chunk.chunks if isinstance(chunk, pa.ChunkedArray) else [chunk])]
    if any(isinstance(piece, list) for piece in pieces) or len({piece.type for piece in pieces}) != 1:
        return list(chain.from_iterable(piece if isinstance(piece, list) else piece.to_pylist() for piece in pieces))
    if len(pieces) == 1:
        return pieces[0]
    if pa.types.is_string(pieces[0].type) and sum(piece.nbytes for piece in pieces) > _LARGEST:
        raise InputError(
            "tables.large",
            "The texts of one column have more than 2 GB. Read the file without it: {example}.",
            example=Mention(columns={"answers": None}),
        )
    return pa.concat_arrays(pieces)


def _take(column: Cells, positions: NDArray[np.int64]) -> Cells:
    if isinstance(column, list):
        return [column[place] for place in positions.tolist()]
    return column.take(make_numbers(positions))


def list_named(table: Table, names: Sequence[str]) -> list[str]:
    """List the columns that have one of these names, in their order in the table."""
    return [column for column in table.names if normalize_name(column) in names]


def refuse_empty(found: Sequence[object]) -> None:
    """Raise if there are no rows, or none of them has a column."""
    if not found:
        raise InputError(
            "tables.empty",
            'There are no results here. At least one row is needed, such as {{"id": 1, "correct": [1, 0]}}.',
        )
