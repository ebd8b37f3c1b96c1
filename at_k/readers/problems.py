"""The problems of a file, as its samples tell them: their names, and what is said of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from at_k.errors import InputError, Message
from at_k.readers.cells import NOTHING
from at_k.readers.names import quote, quote_all

Place = Callable[[int, str, int | None], Message]
"""Describes the place of the value of a role, by the number of its row, and of its sample in the row."""


class KnownProblems:
    """The problems of a file that are known so far, in order of first appearance, and what its samples say of each."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.places: dict[str, int] = {}
        self.first_rows: list[int] = []
        self.said: dict[str, list[Any]] = {"references": [], "group": []}
        self.meta: list[dict[str, Any] | None] = []
        self._kinds: dict[str, tuple[type, int]] = {}  # of each spelling of a name, its type and first row

    def find(self, problem: object, name: str, row: int) -> int:
        """Return the place of a problem; one that is new comes after the last."""
        place, kind = self.places.get(name, -1), type(problem)
        if place >= 0 and self._kinds[name][0] is kind:
            return place
        whole = str(int(problem)) if isinstance(problem, float) and problem.is_integer() else name
        for spelling in (name, whole):
            known, first = self._kinds.setdefault(spelling, (kind, row))
            if known is not kind:
                raise InputError(
                    "collector.same_name",
                    "Two names of problems are the same but for their types: {value}, and another one in {first} "
                    "({place}). Write both alike if it is one problem; else rename one of them.",
                    value=quote(problem),
                    first=self._place(first, "", None),
                    place=self._place(row, "problem", None),
                )
        return place if place >= 0 else len(self.places)

    def describe(
        self,
        place: int,
        name: str,
        row: int,
        references: Any,
        group: Any,
        meta: Mapping[str, Any] | None,
    ) -> None:
        """Keep what a sample says about its problem."""
        if place == len(self.places):
            self.places[name] = place
            self.first_rows.append(row)
            for values in (*self.said.values(), self.meta):
                values.append(None)
        for role, value in (("references", references), ("group", group)):
            if value is NOTHING:
                continue
            known = self.said[role][place]
            if known is not None and known != value:
                raise InputError(
                    "collector.differs",
                    "All samples of a problem must have the same {name}; {value} differs from {known} ({place}).",
                    name="reference" if role == "references" else role,
                    value=quote_all(value if isinstance(value, list) else [value]),
                    known=quote_all(known if isinstance(known, list) else [known]),
                    place=self._place(row, role, None),
                )
            self.said[role][place] = value
        known_meta = self.meta[place]
        if meta is not None and known_meta != meta:
            self.meta[place] = dict(meta) if known_meta is None else keep_common(known_meta, meta)


def keep_common(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries that two mappings share.

    Examples:
        >>> keep_common({"level": 1, "seed": 1}, {"level": 1, "seed": 2})
        {'level': 1}
    """
    return {key: value for key, value in one.items() if other.get(key, NOTHING) == value}
