"""From a plain table to its samples: the roles are guessed, and the rows of one model are kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from at_k.errors import InputError, Message
from at_k.limits import UNLIMITED, Limits
from at_k.readers.cells import READERS, Cell
from at_k.readers.coding import is_arrow
from at_k.readers.columnar import ColumnTable
from at_k.readers.models import MODEL_NAMES, SET_NAMES, find_nested, has_name, select_rows
from at_k.readers.plausibility import find_questions, refuse_contradiction, refuse_odd_names, refuse_several_sets
from at_k.readers.quoting import normalize_name, quote, shorten
from at_k.readers.roles import (
    GROUP_NAMES,
    SAMPLE_NUMBERS,
    VERDICT_NAMES,
    guess_roles,
    list_first_cells,
    list_named,
    settle_lists,
)
from at_k.readers.samples import Columns, Samples
from at_k.readers.standard import standardize
from at_k.readers.tables import Table
from at_k.validation import type_name

_WATCHED = (
    dict.fromkeys((*MODEL_NAMES, *SET_NAMES, *GROUP_NAMES), "string")
    | dict.fromkeys(SAMPLE_NUMBERS, "int64")
    | dict.fromkeys(VERDICT_NAMES, "bool")
)
"""Columns that change what is scored, wherever in the file they begin: column → the type of its cells, as a rule."""


def collect_samples(
    table: Table | ColumnTable,
    *,
    columns: Mapping[str, str | None] | None = None,
    where: Mapping[str, object] | None = None,
    pool: str | Sequence[str] = (),
    errors: str = "raise",
    limits: Limits = UNLIMITED,
) -> Samples:
    """Read the samples of a table, whose columns may have any names.

    Args:
        table: the rows.
        columns: role → column, or None for no column, where the guess is not right.
        where: column → the value, or list of values, of the rows to keep.
        pool: columns of models whose rows are samples of one model after all.
        errors: "skip" to leave out what is broken; the origin of the samples counts it by cause.
        limits: the most that is accepted.

    Raises:
        InputError: if the samples cannot be read, or are of several models.
        TypeError: if `columns` or `where` is not a mapping.

    Examples:
        >>> rows = [{"model": "a", "id": 1, "correct": 1}, {"model": "b", "id": 1, "correct": 0}]
        >>> collect_samples(Table(rows, ["model", "id", "correct"], "json"), where={"model": "b"}).grades
        [[0.0]]
    """
    if columns is not None and not isinstance(columns, Mapping):
        raise TypeError(f"`columns` must map roles to columns; got {type_name(columns)}")
    given = dict(columns or {})
    chosen = [*(where or ())] if isinstance(where, Mapping) else []
    pooled = [pool] if isinstance(pool, str) else list(pool)
    table = _add_nested(table)
    if isinstance(table, ColumnTable):
        _read_ahead(table, given, [*chosen, *pooled], limits)
    table = settle_lists(table, given)
    roles = guess_roles(table, given, limits=limits) | given
    used = [column for column in roles.values() if column is not None]
    rows = select_rows(_Columns(table), where=where, pool=pool, used=used)
    kept = table if rows is None else table.take(rows)
    refuse_several_sets(kept, roles["problem"], [*used, *pooled])
    numbered = [name for name in list_named(kept, SAMPLE_NUMBERS) if name not in used]
    if any(name in kept.columns for name in pooled):
        numbered = []  # the samples of several models may have the same numbers
    numbered = [name for name in numbered if normalize_name(name) != "seed" or _varies(kept, name)]
    samples = standardize(kept, roles, limits=limits, numbered=numbered, skip=errors == "skip")
    refuse_odd_names(samples)
    if "grades" not in given:
        _refuse_contradictions(kept, roles, samples, limits)
    questions = {}
    if "problem" not in given:
        head = table.head if rows is None else table.head.take([row for row in rows if row < len(table.head)])
        questions = find_questions(kept, head, roles["problem"], per_sample=samples.per_sample)
    subject = _find_models(kept, [*used, *pooled])
    origin = replace(samples.origin, subject=subject, notes=_note_unread_verdicts(table, roles, given, limits))
    return replace(samples, origin=origin, questions=questions)


def _add_nested(table: Table | ColumnTable) -> Table | ColumnTable:
    """Return the table with a column for each field within objects that names models: `provider.label`."""
    found = [find_nested(row) for row in table.head.rows]
    for name in dict.fromkeys(chain.from_iterable(found)):
        if name in table.columns:
            continue
        if isinstance(table, Table):
            table = table.add(name, [fields.get(name) for fields in found])
        else:
            outer = next(column for column in table.columns if name.startswith(f"{column}."))
            cells = table.column(outer)
            cells = cells.to_pylist() if is_arrow(cells) else cells
            table = table.add(name, [find_nested({outer: cell}).get(name) for cell in cells])
    return table


def _refuse_contradictions(table: Table | ColumnTable, roles: Columns, samples: Samples, limits: Limits) -> None:
    """Raise if another column has the name of verdicts, and says something else."""
    if roles["grades"] is None:
        return
    for name in list_named(table, VERDICT_NAMES):
        if name in roles.values():
            continue
        try:
            other = standardize(table, {"problem": roles["problem"], "grades": name}, limits=limits, skip=True)
        except InputError:
            continue  # it holds no verdicts
        refuse_contradiction(samples, other, name)


def _find_models(table: Table | ColumnTable, used: Sequence[str]) -> dict[str, str]:
    """Find of which model the rows are, or of which run of it: each of these columns has one value by now."""
    found = {}
    for name in _leave_out_texts(table, [name for name in table.columns if has_name(name, MODEL_NAMES)]):
        values = [value for value in table.coded(name).values if value is not None]
        if name not in used and len(values) == 1:
            found[name] = shorten(str(values[0]))
    return found


def _read_ahead(table: ColumnTable, given: Mapping[str, str | None], named: Sequence[str], limits: Limits) -> None:
    """Read at once the columns that are likely to be needed; the others are not read from the file at all."""
    table.watch(_WATCHED)
    table.seek([name for name in [*named, *given.values()] if name is not None])
    _read_likely(table, given, named, limits)
    if table.learn():  # a block ends with a row that has more columns than the first rows
        _read_likely(table, given, named, limits)


def _read_likely(table: ColumnTable, given: Mapping[str, str | None], named: Sequence[str], limits: Limits) -> None:
    likely = guess_roles(
        table.head, {role: name for role, name in given.items() if name in table.columns}, limits=limits
    )
    names = [name for name in likely.values() if name is not None]
    names += list_named(table, (*SAMPLE_NUMBERS, *VERDICT_NAMES, *MODEL_NAMES, *SET_NAMES))
    names += [name for name in [*named, *given.values()] if name in table.columns]
    numeric = {likely["grades"], likely["scores"]} - {likely["answers"], likely["references"], None}
    table.read(_leave_out_texts(table, names), {name for name in numeric if name is not None})


def _leave_out_texts(table: Table | ColumnTable, names: Sequence[str]) -> list[str]:
    """Leave out columns that hold objects: they number or name nothing."""
    return [
        name for name in dict.fromkeys(names) if not any(isinstance(cell, dict) for cell in table.head.column(name))
    ]


def _varies(table: Table | ColumnTable, name: str) -> bool:
    return len(table.coded(name).values) > 1


def _note_unread_verdicts(
    table: Table | ColumnTable, roles: Columns, given: Mapping[str, str | None], limits: Limits
) -> list[Message]:
    """Note a column that has the name of verdicts, and holds few or none that can be read."""
    if "grades" in given or roles["grades"] is not None:
        return []
    for name in list_named(table, VERDICT_NAMES):
        cells = list_first_cells(table, "grades", name)
        parts = [part for cell in cells for part in (cell.parts() if isinstance(cell.value, list) else [cell])]
        others = [part for part in parts if not _is_grade(part, limits)]
        if name in roles.values() or 2 * len(others) <= len(parts):
            continue
        return [
            Message(
                "note.unread_verdicts",
                "Column “{column}” was not used: {value} is no verdict. Write true or false, or a number from 0 to 1.",
                column=shorten(name),
                value=quote(others[0].value),
            )
        ]
    return []


def _is_grade(cell: Cell, limits: Limits) -> bool:
    try:
        return READERS["grades"](cell, limits) is not None
    except InputError:
        return False


class _Columns(Mapping[str, Sequence[Any]]):
    """The columns of a table; each is made when it is asked for, because most never are."""

    def __init__(self, table: Table | ColumnTable) -> None:
        self._table = table

    def __getitem__(self, name: str) -> Any:
        if name not in self._table.columns:
            raise KeyError(name)
        return self._table.column(name)

    def __contains__(self, name: object) -> bool:
        return name in self._table.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._table.columns)

    def __len__(self) -> int:
        return len(self._table.columns)
