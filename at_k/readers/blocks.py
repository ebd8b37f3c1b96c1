"""The rows of a file, in blocks: whatever the layout, a block gives a column as a list or as an Arrow array."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import numpy as np

from at_k.errors import InputError, Message
from at_k.readers.arrays import is_arrow, list_cells, make_numbers
from at_k.readers.faults import Faults
from at_k.readers.files.decoding import read_fields
from at_k.readers.words import fold_name, read_whole

# Rows from which it is judged what a column holds.
HEAD = 2000

# What follows the name of a column to take names that differ in case, white space or type alone as one.
FOLDED = "folded"

# Levels of objects in a cell whose fields are looked at.
_DEEPEST = 4

# The cells of a column: a list, or an Arrow array where all of them are plain.
Column = Any


@dataclass(frozen=True)
class Block:
    """Some rows of a file that follow each other.

    Attributes:
        places: the number of each row.
        names: the columns.
        get: gives the cells of a column, one per row; None means a cell that is empty or missing.

    Examples:
        >>> block = Block.of([1, 2], [{"id": 1, "by": {"rule": True}}, {"id": 2}])
        >>> block["id"], block["by.rule"], block["line"], block["id+line"]
        ([1, 2], [True, None], [1, 2], ['1/1', '2/2'])
    """

    places: Sequence[int]
    names: list[str]
    get: Callable[[str], Column]

    @classmethod
    def of(cls, places: Sequence[int], rows: Sequence[Mapping[str, Any]]) -> Block:
        """Make a block of objects."""
        alike = len(set(map(tuple, rows))) == 1
        if alike:
            names = list(rows[0])
        else:
            names = list(dict.fromkeys(chain.from_iterable(rows)))
        return cls(places, names, lambda name: [row.get(name) for row in rows])

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, name: str) -> list[Any]:
        return list_cells(self.column(name))

    def column(self, name: str) -> Column:
        """Return a column, a field within one (`by.rule`), the numbers of the rows (`line`), or joined columns.

        Names are joined by +, and numbers of a total by /: `passed/total`.
        """
        if name in self.names:
            return self.get(name)
        if name == "line":
            return list(self.places)
        outer = next((column for column in self.names if name.startswith(f"{column}.")), None)
        if outer is not None:
            return self._take_field(outer, name[len(outer) + 1 :])
        is_share = self._divides(name)
        if is_share or "+" in name:
            parts = zip(*map(self.__getitem__, split_joined(name)), strict=True)
            return list(map(spell_share if is_share else join_names, parts))
        return [None] * len(self)

    def _take_field(self, outer: str, inner: str) -> Column:
        """Return a field within a column, or its names in one spelling."""
        whole = self.get(outer)
        if inner == FOLDED:
            return [None if cell is None else fold_name(cell) for cell in self[outer]]
        if is_arrow(whole) and str(whole.type).startswith("struct<"):
            if whole.type.get_field_index(inner) >= 0:
                return whole.field(inner)
            return [None] * len(self)
        return [find_field(read_fields(cell), inner.split(".")) for cell in self[outer]]

    def _divides(self, name: str) -> bool:
        """Return whether a name is that of numbers and their totals, in two columns."""
        return name.count("/") == 1 and all(part in self.names for part in name.split("/"))

    def has(self, name: str) -> bool:
        """Return whether a name is that of a column, as of `column`."""
        if (
            name in self.names
            or name == "line"
            or any(name.startswith(f"{column}.") for column in self.names)
        ):
            return True
        return self._divides(name) or ("+" in name and all(map(self.has, name.split("+"))))

    def take(self, kept: Sequence[int]) -> Block:
        """Return some of the rows, by their positions."""
        if len(kept) == len(self):
            return self

        def get(name: str) -> Column:
            cells = self.get(name)
            if is_arrow(cells):
                return cells.take(make_numbers(np.asarray(kept, dtype=np.int64)))
            return [cells[row] for row in kept]

        return Block([self.places[row] for row in kept], self.names, get)

    def put(self, gone: Collection[str], columns: Mapping[str, Column]) -> Block:
        """Return the rows with other columns in place of some."""
        names = [name for name in self.names if name not in gone and name not in columns]
        return Block(
            self.places,
            [*columns, *names],
            lambda name: columns[name] if name in columns else self.get(name),
        )

    def extend(self, other: Block) -> Block:
        """Return the rows of both blocks."""
        names = list(dict.fromkeys([*self.names, *other.names]))
        return Block([*self.places, *other.places], names, lambda name: [*self[name], *other[name]])


def find_field(cell: Any, path: Sequence[str]) -> Any:
    """Return the value at a path of names; of a list of objects, that of each."""
    for place, name in enumerate(path):
        if isinstance(cell, list):
            return [find_field(part, path[place:]) for part in cell]
        if isinstance(cell, dict):
            cell = cell.get(name)
        else:
            cell = None
    return cell


def list_fields(cell: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the path and the value of each field within a cell, in objects and in lists of them, a few levels deep.

    Examples:
        >>> list(list_fields([{"model": "a", "n": [1]}, {"model": "b"}], "calls"))
        [('calls.model', 'a'), ('calls.n', [1]), ('calls.model', 'b')]
    """
    if isinstance(cell, dict) and path.count(".") < _DEEPEST:
        for name, value in cell.items():
            yield from list_fields(value, f"{path}.{name}")
    elif isinstance(cell, list) and cell and isinstance(cell[0], dict):
        for part in cell:
            yield from list_fields(part, path) if isinstance(part, dict) else ()
    elif "." in path:
        yield path, cell


def join_names(cells: Sequence[Any]) -> str | None:
    """Join the parts of a name, so that no two names become one; None where a part is missing.

    Examples:
        >>> join_names(["algebra", 7]), join_names(["a/b", "c"])
        ('algebra/7', '["a/b", "c"]')
    """
    if None in cells:
        return None
    texts = list(map(str, cells))
    if any("/" in text for text in texts):
        return json.dumps(texts, ensure_ascii=False)
    return "/".join(texts)


def split_joined(name: str) -> list[str]:
    """Return the columns whose names are joined in one.

    Examples:
        >>> split_joined("task+arm"), split_joined("passed/total")
        (['task', 'arm'], ['passed', 'total'])
    """
    return name.split("+" if "+" in name else "/")


def spell_share(cells: Sequence[Any]) -> str | None:
    """Write a number and its total as a share; None where one is missing.

    Examples:
        >>> spell_share(["3.0", 4]), spell_share([None, 4])
        ('3/4', None)
    """
    if None in cells:
        return None
    whole = list(map(read_whole, cells))
    return "/".join(map(str, cells if None in whole else whole))


@dataclass
class Rows:
    """The rows of a file.

    Attributes:
        layout: "jsonl", "json", "csv", "tsv", "parquet" or "arrow".
        read: yields the rows in blocks, from the first; it is told which columns are needed, and which
            of them as numbers alone; None for all.
        faults: raises or counts what is broken.
        notes: what is to be said of how the rows were found.
    """

    layout: str
    read: Callable[[Mapping[str, bool] | None], Iterator[Block]]
    faults: Faults
    notes: list[Message] = field(default_factory=list)

    @property
    def is_text(self) -> bool:
        """Return whether all cells are texts."""
        return self.layout in ("csv", "tsv")

    def peek(self) -> Block:
        """Read the first rows."""
        head: Block | None = None
        # The last line of a small file is a block of its own.
        for block in islice((block for block in self.read(None) if len(block)), 2):
            if head is None:
                head = block
            else:
                head = head.extend(block)
            if len(head) >= HEAD:
                break
        if head is None or not head.names:
            self.faults.refuse_nothing_left()
            raise InputError(
                "tables.empty",
                'There are no results here. At least one row is needed, such as {{"id": 1, "correct": [1, 0]}}.',
            )
        return head.take(range(min(HEAD, len(head))))


def take_column(table: Any, name: str) -> Column:
    """Return a column of an Arrow table as one array."""
    chunks = table[name].chunks
    if len(chunks) == 1:
        return chunks[0]
    return table[name].combine_chunks()
