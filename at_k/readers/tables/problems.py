"""The problems of a file, as its rows tell them: their names, and what is said of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from operator import is_
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from at_k.errors import InputError, Message, Phrases
from at_k.readers.arrays import encode, find_firsts, join_codes
from at_k.readers.cells import NOTHING, UnfitError, keep_common
from at_k.readers.faults import find_fault
from at_k.readers.names import quote, quote_all

# Describes the place of the value of a role, by the number of its row, or of its sample in the row.
Place = Callable[..., Message]

# The roles that say something of each problem.
OF_PROBLEM = ("problem", "references", "group", "meta")


_say = Phrases(
    {
        "collector.same_problem": "Each problem may be there only once; {value} is also in {first} ({place}). Remove "
        "one, or keep the rows of one model with {option:where}.",
        "collector.same_name": "Two names of problems are the same but for their types: {value}, and another one in "
        "{first} ({place}). Spell both the same way if it is one problem; else rename one of them.",
        "collector.differs": "All samples of a problem must have the same {name}; {value} differs from {known} "
        "({place}).",
    }
)


class Part(NamedTuple):
    """Some rows: the number of each, and role → the cell of each, with lists of samples where a row is a problem."""

    rows: Any
    cells: dict[str, Any]
    listed: bool

    def cut(self, start: int, stop: int) -> Part:
        """Return some of the rows."""
        return Part(
            self.rows[start:stop],
            {role: cells[start:stop] for role, cells in self.cells.items()},
            self.listed,
        )


class Findings(NamedTuple):
    """The problems of some rows.

    Attributes:
        of_rows: that of each row, as a place in `names`.
        names: their names.
        rows: the first row of each.
        kinds: spelling of a name → the type and the first row of a new one.
        said: role → name of a problem → what is said of it.
    """

    of_rows: NDArray[np.int64]
    names: list[str]
    rows: list[int]
    kinds: dict[str, tuple[type, int]]
    said: dict[str, dict[str, Any]]


def fill(column: Any) -> Any:
    """Return a column with None in place of what a harness does not say, or None if it says nothing."""
    if not isinstance(column, list):
        return column
    silent = sum(map(is_, column, repeat(NOTHING)))
    if silent == len(column):
        return None
    if silent == 0:
        return column
    return [None if cell is NOTHING else cell for cell in column]


class Problems:
    """The problems that are known so far, in order of first appearance, and what the rows say of each.

    Args:
        read: reads the value of a role in a row.
        describe: describes its place.

    Attributes:
        names: the name of each → its place.
        first_rows: the first row of each.
        said: role → name of a problem → what is said of it.
        meta: what else all samples of each say.
    """

    def __init__(self, read: Callable[[str, object, int], Any], describe: Place) -> None:
        self._read, self._describe = read, describe
        self.names: dict[str, int] = {}
        self.first_rows: list[int] = []
        self.said: dict[str, dict[str, Any]] = {"references": {}, "group": {}}
        self.meta: list[dict[str, Any] | None] = []
        self._kinds: dict[
            str, tuple[type, int]
        ] = {}  # of each spelling of a name, its type and first row

    def read(self, part: Part) -> Findings:
        """Read which problem each row is of, and what is said of it; nothing is kept yet."""
        codes, values = encode(part.cells["problem"])
        if codes.min() < 0:
            raise find_fault("problem", None, self._describe(part.rows[0], "problem"))
        rows = [part.rows[place] for place in find_firsts(codes).tolist()]
        names, kinds = self._name_all(values, rows)
        if part.listed:
            for name, value, row in zip(names, values, rows, strict=True):
                if name in self.names and self.first_rows[self.names[name]] != row:
                    first, place = (
                        self._describe(self.first_rows[self.names[name]]),
                        self._describe(row, "problem"),
                    )
                    raise _say.error(
                        "collector.same_problem", value=quote(value), first=first, place=place
                    )
            if len(names) < len(codes) and (np.asarray(rows)[codes] != np.asarray(part.rows)).any():
                raise UnfitError(None)
        said = {role: self._read_said(role, part, codes, names) for role in self.said}
        return Findings(codes, names, rows, kinds, said)

    def _name_all(
        self, values: Sequence[Any], rows: Sequence[int]
    ) -> tuple[list[str], dict[str, tuple[type, int]]]:
        """Return the names of problems, and the kinds of those that are new."""
        kinds: dict[str, tuple[type, int]] = {}
        kind, *others = {*map(type, values)}
        are_plain = kind in (str, int) and not others and "" not in values
        if are_plain:
            names = list(map(str, values))
            new = {
                name: (kind, row)
                for name, row in zip(names, rows, strict=True)
                if name not in self._kinds
            }
            known = {self._kinds[name][0] for name in names if name not in new}
            if known <= {kind}:
                return names, new
        return [
            self._name(value, row, kinds) for value, row in zip(values, rows, strict=True)
        ], kinds

    def _name(self, problem: object, row: int, kinds: dict[str, tuple[type, int]]) -> str:
        """Return the name of a problem. Refuse one that is spelled like another one of another type."""
        kind = type(problem)
        # A text that is not empty is its own name, which most are.
        is_name = isinstance(problem, str) and problem != ""
        if is_name:
            name = str(problem)
        else:
            name = self._read("problem", problem, row)
        if name in self.names and self._kinds[name][0] is kind:
            return name
        whole = name
        if isinstance(problem, float) and problem.is_integer():
            whole = str(int(problem))
        for spelling in (name, whole):
            known, first = self._kinds.get(spelling) or kinds.setdefault(spelling, (kind, row))
            if known is not kind:
                places = {"first": self._describe(first), "place": self._describe(row, "problem")}
                raise _say.error("collector.same_name", value=quote(problem), **places)
        return name

    def _read_said(
        self, role: str, part: Part, codes: NDArray[np.int64], names: Sequence[str]
    ) -> dict[str, Any]:
        """Return what rows say of each problem. They may not differ."""
        said: dict[str, Any] = {}
        column = fill(part.cells.get(role))
        if column is None:
            return said
        of_rows, values = encode(column)
        values = [*values, *([None] if of_rows.min() < 0 else [])]
        spelled = [self._read(role, value, part.rows[0]) for value in values]
        for place in sorted(find_firsts(join_codes([codes, of_rows])).tolist()):
            name, value = names[codes[place]], spelled[of_rows[place]]
            if value is NOTHING:
                continue
            known = said.get(name, self.said[role].get(name))
            if known not in (None, value):
                raise self.differ(role, value, known, part.rows[place])
            said[name] = value
        return said

    def differ(self, role: str, value: Any, known: Any, row: int) -> InputError:
        """Make the error that says that samples of a problem say different things of it."""
        one, other = (
            quote_all(texts if isinstance(texts, list) else [texts]) for texts in (value, known)
        )
        name = "reference" if role == "references" else role
        return _say.error(
            "collector.differs", name=name, value=one, known=other, place=self._describe(row, role)
        )

    def keep(self, part: Part, found: Findings) -> NDArray[np.int64]:
        """Keep what was read of the problems of some rows, and return the number of the problem of each row."""
        for name, row in zip(found.names, found.rows, strict=True):
            if name not in self.names:
                self.names[name] = len(self.names)
                self.first_rows.append(row)
                self.meta.append(None)
        self._kinds |= found.kinds
        for role, said in found.said.items():
            self.said[role] |= said
        of_rows = np.array([self.names[name] for name in found.names])[found.of_rows]
        said_of_rows = part.cells.get("meta", ())
        for place, meta in zip(of_rows.tolist() if said_of_rows else (), said_of_rows, strict=True):
            known = self.meta[place]
            if isinstance(meta, Mapping) and known != meta:
                self.meta[place] = dict(meta) if known is None else keep_common(known, meta)
        return np.asarray(of_rows, np.int64)
