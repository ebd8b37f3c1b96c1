"""Choose rows: those that `where` asks for, of one model, and of problems that no list excludes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from at_k.errors import InputError, Mention, Phrases, SeveralModelsError
from at_k.readers.arrays import encode
from at_k.readers.blocks import Block, list_fields
from at_k.readers.names import SYSTEM, has_name, is_model, quote, quote_all, shorten
from at_k.readers.samples import Samples
from at_k.validation import list_parts, type_name

# Values of a column that are kept for an error that lists them.
_KEPT_VALUES = 100

_say = Phrases(
    {
        "models.several": "Column “{column}” has several values: {values}.\nTo score one of them, "
        "keep only its rows: {where}. If all rows are samples of one model, add {pool}.",
        "models.settings": "Column “{column}” has several values: {values}.\nTo score one of "
        "them, keep only its rows: {where}. If each value has problems of its own, add "
        "{apart}. If all rows are samples of one model, add {pool}.",
        "models.no_value": "No row has {value} in column “{column}”. Its values are: {values}.",
        "models.no_rows": "No row has all of the values that {option:where} asks for.",
        "standard.no_column": "There is no column {column}. The columns are: {columns}.",
        "collector.no_pool": "There is no column {column} in this file for {option:pool} to name. It may name a column "
        "of the file, or one of: {names}.",
        "exclusion.unknown": "No problem has a name that {option:exclude} gives, such as {name}. The problems are: "
        "{names}.",
        "exclusion.nothing": "No problem is left: {option:exclude} names all of them.",
        "exclusion.day": "The last day of an excluded problem must be written as 2026-12-31; got {value}.",
        "note.excluded": "Problems that {option:exclude} left out: {count:,} of {total:,} ({names}).",
        "note.exclusion_over": "Problems that count again, since the last day in {option:exclude} is over: {names}.",
    }
)


def find_nested(row: Mapping[str, object]) -> dict[str, object]:
    """Find the fields within the objects of a row that name its model or its set of problems.

    Examples:
        >>> find_nested({"id": 1, "provider": {"id": "openai:a", "label": "a"}, "meta": {"model": "b", "n": 1}})
        {'provider.label': 'a', 'provider.id': 'openai:a', 'meta.model': 'b'}
        >>> find_nested({"calls": [{"model": "a"}, {"model": "b"}, {"model": "a"}]})
        {'calls.model': 'a, b'}
    """
    found: dict[str, list[object]] = {}
    for name, cell in row.items():
        for path, value in list_fields(cell, name) if isinstance(cell, (dict, list)) else ():
            if isinstance(value, (str, int, float)) and has_name(path, SYSTEM):
                values = found.setdefault(path, [])
                values += [] if value in values else [value]
    # A label says more than the id beside it.
    paths = sorted(found, key=lambda path: not path.endswith(".label"))
    return {
        path: next(iter(found[path])) if len(found[path]) == 1 else ", ".join(map(str, found[path]))
        for path in paths
    }


class Where:
    """Choose the rows that have wanted values in some columns.

    Args:
        where: column → the value, or list of values, of the rows to keep; or `{"!=": value}` for those to leave out.
            Numbers and truth values may be given as text: "1" is 1, and "true" is True.

    Examples:
        >>> where = Where({"model": "a", "id": {"!=": ["x"]}})
        >>> where.keep(Block.of([1, 2, 3], [{"model": "a", "id": "x"}, {"model": "a"}, {"model": "b"}]))
        [1]
    """

    def __init__(self, where: Mapping[str, object] | None) -> None:
        if where is not None and not isinstance(where, Mapping):
            raise TypeError(f"`where` must map columns to values; got {type_name(where)}")
        self._rules: dict[str, tuple[bool, dict[str | None, object]]] = {}
        for name, wanted in (where or {}).items():
            is_out = isinstance(wanted, Mapping)
            if isinstance(wanted, Mapping) and {*wanted} != {"!="}:
                raise TypeError(
                    f"`where` takes a value, a list of values, or {{'!=': value}}; got {wanted!r}"
                )
            values = list_parts(wanted["!="] if isinstance(wanted, Mapping) else wanted)
            self._rules[name] = is_out, {spell(value): value for value in values}
        self._seen: dict[str, dict[str | None, object]] = {name: {} for name in self._rules}

    @property
    def columns(self) -> list[str]:
        """The columns that the rows are chosen by."""
        return list(self._rules)

    def list_rules(self) -> Iterator[tuple[str, bool, list[str | None]]]:
        """Yield each column, whether its rows are to be left out, and the values of these as text."""
        for name, (is_out, values) in self._rules.items():
            yield name, is_out, list(values)

    def keeps(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row is wanted."""
        return all(
            (_spell_as(row.get(name), values) in values) != is_out
            for name, (is_out, values) in self._rules.items()
        )

    def keep(self, block: Block) -> list[int]:
        """Return the positions of the rows that are wanted."""
        kept = np.ones(len(block), dtype=bool)
        for name, (is_out, wanted) in self._rules.items():
            codes, values = encode(block.column(name))
            spelled = [*(_spell_as(value, wanted) for value in values), None]
            seen = self._seen[name]
            if len(seen) < _KEPT_VALUES or not wanted.keys() <= seen.keys():
                seen |= zip(spelled[:-1], values, strict=True)
                if len(codes) and codes.min() < 0:
                    seen[None] = None
            kept &= (np.array([value in wanted for value in spelled], dtype=bool)[codes]) != is_out
        return list(map(int, np.flatnonzero(kept)))

    def refuse_unseen(self) -> None:
        """Raise if a value that is wanted, or is to be left out, is in no row."""
        for name, (_, wanted) in self._rules.items():
            for value in (value for key, value in wanted.items() if key not in self._seen[name]):
                values = quote_all(self._seen[name].values())
                raise _say.error(
                    "models.no_value", value=quote(value), column=shorten(name), values=values
                )


def select_rows(
    columns: Mapping[str, Sequence[object]],
    *,
    where: Mapping[str, object] | None = None,
    used: Collection[str | None] = (),
) -> list[int] | None:
    """Choose the rows of a table to score, and refuse rows of several models."""
    wanted = Where(where)
    refuse_unknown(columns, wanted.columns)
    kept = None
    if where:
        count = len(next(iter(columns.values())))
        kept = wanted.keep(Block(range(count), list(columns), lambda name: columns[name]))
        wanted.refuse_unseen()
        if not kept:
            raise no_rows()
    for name in columns:
        is_outer = any(other.startswith(f"{name}.") for other in columns)  # it is read within
        if is_model(name) and name not in used and not is_outer:
            codes, values = encode(columns[name])
            present = dict.fromkeys((codes if kept is None else codes[kept]).tolist())
            refuse_several(name, [None if code < 0 else values[code] for code in present])
    return kept


def refuse_unknown(known: Collection[str], names: Iterable[str]) -> None:
    """Raise if a column that a user named does not exist."""
    for name in names:
        if name not in known:
            raise _say.error(
                "standard.no_column", column=quote(name), columns=quote_all(known) or "none"
            )


def refuse_several(name: str, values: Sequence[object], problem: str | None = None) -> None:
    """Raise if the rows that are kept have several values in a column of models, settings or sets of problems."""
    if len(values) > 1:
        raise make_several_error(name, values, problem)


def make_several_error(
    name: str, values: Sequence[object], problem: str | None = None
) -> InputError:
    """Make the error that rows have several values in a column; it names what a user may do."""
    example = next(value for value in values if value is not None)
    ways: dict[str, Any] = {
        "where": Mention(where={shorten(name): simplify(example)}),
        "pool": Mention(pool=shorten(name)),
    }
    if problem is not None:
        ways["apart"] = Mention(columns={"problem": f"{shorten(name)}+{shorten(problem)}"})
    code = "models.several" if problem is None else "models.settings"
    told = {"column": shorten(name), "values": quote_all(values), "listed": values}
    return _say.error(code, SeveralModelsError, **told, **ways)


def simplify(value: object) -> object:
    """Return a name or a value as a message may mention it: short, and in characters that can be sent."""
    if isinstance(value, (bool, int, float)):
        return value
    return shorten(str(value))


_UNKNOWN = object()


class Selection:
    """Choose the rows of a harness one by one, and refuse those of several models or settings.

    Args:
        where: as of `Where`.
        pool: columns whose rows are samples of one model after all.
        settings: further fields than those that name models in which rows must not differ.

    Attributes:
        systems: the field of a model or setting → its value in the rows that were kept.

    Examples:
        >>> selection = Selection({"model": "a"})
        >>> [selection.keeps({"model": name}) for name in "aab"]
        [True, True, False]
    """

    def __init__(
        self,
        where: Mapping[str, object] | None = None,
        pool: Collection[str] = (),
        settings: Collection[str] = (),
    ) -> None:
        self.where, self._pool, self._settings = Where(where), {*pool}, {*settings}
        self._seen: dict[str, None] = {}  # the columns that rows have
        self.systems: dict[str, object] = {}
        self._has_kept = False

    def keeps(self, row: Mapping[str, Any]) -> bool:
        """Return whether `where` asks for a row."""
        if not self._seen.keys() >= row.keys():
            earlier = (
                None if self._has_kept else _UNKNOWN
            )  # rows that were kept, and did not name a model
            new = [name for name in row if name not in self._seen and name not in self._pool]
            self.systems |= {
                name: earlier for name in new if name in self._settings or is_model(name)
            }
            self._seen |= dict.fromkeys(row)
        if not self.where.keeps(row):
            return False
        for name, first in self.systems.items():
            value = row.get(name)
            if first is _UNKNOWN:
                self.systems[name] = value
            elif value != first:
                refuse_several(name, [first, value])
        self._has_kept = True
        return True

    def refuse_unknown(self, subject: Mapping[str, str]) -> None:
        """Raise if `where` or `pool` names something that no row has. What the file is of may be pooled, too."""
        refuse_unknown(self._seen, self.where.columns)
        for name in self._pool - self._seen.keys() - {"file", *subject}:
            raise _say.error(
                "collector.no_pool", column=quote(name), names=quote_all([*subject, "file"])
            )


def no_rows() -> InputError:
    """Make the error that says that `where` leaves nothing."""
    return _say.error("models.no_rows")


def spell(value: object) -> str | None:
    """Return a value as text, so that 1 and "1" are the same; None stays None."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if value is None:
        return None
    return str(value)


def _spell_as(value: object, wanted: Collection[str | None]) -> str | None:
    """Return a value as text, 1.0 as 1 where this is wanted.

    Examples:
        >>> _spell_as(1.0, ["1"]), _spell_as(1.0, ["1.0"]), _spell_as("1.0", ["1"])
        ('1', '1.0', '1.0')
    """
    text = spell(value)
    if isinstance(value, float) and text not in wanted:
        whole = str(text).removesuffix(".0")
        return whole if whole in wanted else text
    return text


Names = str | PathLike[str] | Mapping[str, str | None] | Sequence[str]

_DAY = re.compile(r"[\s,;]+(\d{4}-\d\d-\d\d)$")


def leave_out(samples: Samples, names: Names) -> Samples:
    """Leave out problems by their names. Notes say which, and which count again because their day is over."""
    if isinstance(names, (str, PathLike)):
        days = read_names(Path(names).read_text(encoding="utf-8-sig"))
    elif isinstance(names, Mapping):
        days = dict(names)
    else:
        days = dict.fromkeys(names)
    today = date.today()
    over = {name: day for name, day in days.items() if day is not None and _read_day(day) < today}
    gone = [name for name in samples.problems if name in days and name not in over]
    back = [name for name in samples.problems if name in over]
    if days and not gone and not back:
        first, names = quote(next(iter(days))), quote_all(samples.problems)
        raise _say.error("exclusion.unknown", name=first, names=names)
    kept = [
        place for place, name in enumerate(samples.problems) if name not in days or name in over
    ]
    if not kept:
        raise _say.error("exclusion.nothing")
    notes, chosen = [*samples.origin.notes], dict(samples.origin.chosen)
    if gone:
        chosen["excluded"] = str(len(gone))
        total = len(samples.problems)
        notes.append(_say("note.excluded", count=len(gone), total=total, names=quote_all(gone)))
    if back:
        told = ", ".join(f"{quote(name)} ({over[name]})" for name in back[:10])
        notes.append(_say("note.exclusion_over", names=told))
    left = samples
    if gone:
        left = samples.take(kept)
    return replace(left, origin=replace(left.origin, notes=notes, chosen=chosen))


def read_names(text: str) -> dict[str, str | None]:
    r"""Read names, one on each line, each with the last day on which it is left out; a line may be a comment.

    Examples:
        >>> read_names("# flaky\np1\np 2  2026-12-31\n")
        {'p1': None, 'p 2': '2026-12-31'}
    """
    days: dict[str, str | None] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        if not line.startswith("#"):
            day = _DAY.search(line)
            days[line[: day.start()] if day else line] = day[1] if day else None
    return days


def _read_day(day: str) -> date:
    try:
        return date.fromisoformat(str(day))
    except ValueError:
        raise _say.error("exclusion.day", value=quote(day)) from None
