"""From a plain table to its samples: the roles are guessed, and the rows of one model are kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from at_k.limits import UNLIMITED, Limits
from at_k.readers.models import select_rows
from at_k.readers.roles import guess_roles
from at_k.readers.standard import Samples, standardize
from at_k.readers.tables import Table
from at_k.validation import type_name


def collect_samples(
    table: Table,
    *,
    columns: Mapping[str, str | None] | None = None,
    where: Mapping[str, object] | None = None,
    pool: str | Sequence[str] = (),
    limits: Limits = UNLIMITED,
) -> Samples:
    """Read the samples of a table, whose columns may have any names.

    Args:
        table: the rows.
        columns: role → column, or None for no column, where the guess is not right.
        where: column → the value, or list of values, of the rows to keep.
        pool: columns of models whose rows are samples of one model after all.
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
    roles = guess_roles(table, columns, limits=limits) | dict(columns or {})
    rows = select_rows(_Columns(table), where=where, pool=pool, used=list(roles.values()))
    return standardize(table if rows is None else table.take(rows), roles, limits=limits)


class _Columns(Mapping[str, Sequence[Any]]):
    """The columns of a table; each is made when it is asked for, because most never are."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __getitem__(self, name: str) -> list[Any]:
        if name not in self._table.columns:
            raise KeyError(name)
        return [row.get(name) for row in self._table.rows]

    def __contains__(self, name: object) -> bool:
        return name in self._table.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._table.columns)

    def __len__(self) -> int:
        return len(self._table.columns)
