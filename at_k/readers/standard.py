"""From a table whose columns have roles to the standard columns: one entry per problem, all of them checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.errors import InputError
from at_k.limits import UNLIMITED, Limits, exceeds
from at_k.readers.arrays import fill_numbers, make_lists, make_numbers, make_texts
from at_k.readers.cells import Cell, are_spelled
from at_k.readers.coding import Codes, compact, encode, find_firsts, flag_repeated, is_arrow, join_codes, read_integers
from at_k.readers.columnar import ColumnTable
from at_k.readers.quoting import quote, quote_all, shorten
from at_k.readers.samples import ROLES, SAMPLE_ROLES, Columns, Origin, Samples, Split
from at_k.readers.tables import Table
from at_k.readers.vectors import Faults, Flags, combine, read_values

if TYPE_CHECKING:
    import pyarrow as pa


class NothingToScoreError(InputError):
    """A table that does not say which samples are correct."""


def standardize(
    table: Table | ColumnTable,
    roles: Mapping[str, str | None],
    *,
    limits: Limits = UNLIMITED,
    numbered: Sequence[str] = (),
    skip: bool = False,
) -> Samples:
    """Read the problems and samples of a table.

    A row is a problem if there is a list among the answers, grades and scores; else it is a sample.

    Args:
        table: the rows.
        roles: role → column. A role that is not given has no column.
        limits: the most that is accepted.
        numbered: columns that number the samples of each problem, where each sample has a row of its own. Two samples
            of a problem cannot have the same numbers.
        skip: whether to leave out what is broken; the origin of the samples counts it by cause.

    Raises:
        InputError: if a cell does not fit its role, naming row and column, or if no column says which samples are
            correct.

    Examples:
        >>> rows = [{"id": 1, "ok": True}, {"id": 2, "ok": True}, {"id": 1, "ok": False}]
        >>> standardize(Table(rows, ["id", "ok"], "json"), {"problem": "id", "grades": "ok"}).grades
        [[1.0, 0.0], [1.0]]
    """
    refuse_unknown(table, roles)
    used = {role: roles.get(role) for role in ROLES}
    _refuse_useless(table, used)
    return _Sheet(table, used, limits, Faults(skip=skip)).read(numbered)


class _Sheet:
    """A table that is read by columns, each checked as a whole.

    Attributes:
        per_sample: whether each sample has a row of its own.
        row_numbers: the number of each row in the file.
        row_is_right: for each row, whether nothing in it was at fault so far.
        row_of: the position of the row of each sample.
        sample_is_right: for each sample, whether nothing in it was at fault so far.
    """

    def __init__(self, table: Table | ColumnTable, roles: Columns, limits: Limits, faults: Faults) -> None:
        self.table, self.roles, self.limits, self.faults = table, roles, limits, faults
        sampled = {role: column for role in SAMPLE_ROLES if (column := roles[role]) is not None}
        columns = {role: combine(table.column(column)) for role, column in sampled.items()}
        self.per_sample = not any(map(_has_lists, columns.values()))
        self.row_numbers: Any = np.asarray(table.row_numbers(), dtype=np.int64)
        self.row_is_right = np.ones(len(self.row_numbers), dtype=bool)
        if self.per_sample:
            self._samples = columns
            self.row_of = np.arange(len(self.row_numbers))
            self._starts = self.row_of
        else:
            n = self._measure_lists(sampled, columns)
            self.row_of = np.repeat(np.arange(len(n)), n)
            self._starts = np.concatenate([[0], np.cumsum(n)])[:-1]
            self._samples = {role: _flatten(column, self.row_is_right) for role, column in columns.items()}
        self.sample_is_right = np.ones(len(self.row_of), dtype=bool)

    def read(self, numbered: Sequence[str]) -> Samples:
        """Read all columns, and bring the samples of each problem together."""
        import pyarrow as pa

        codes, names = self._read_names()
        self._refuse_many(codes)
        numbers = self._read_numbers(codes, numbered)
        samples: dict[str, Any] = {}
        problems: dict[str, Any] = {}
        for role in ("answers", "grades", "group", "references", "scores"):
            if self.roles[role] is None:
                continue
            if role in SAMPLE_ROLES:
                samples[role] = self._read_samples(role)
            else:
                problems[role] = self._read_rows(role)
                self._require_agreement(role, problems[role], codes)
            if role == "group":
                self._refuse_many_groups(problems[role])
        kept = np.flatnonzero(self.sample_is_right & self.row_is_right[self.row_of])
        if not len(kept):
            raise InputError(
                "standard.nothing_left",
                "Nothing is left: all {count:,} rows or samples are broken. The first fault: “{cause}”.",
                count=sum(count for _, count in self.faults.causes.values()),
                cause=next((message for message, _ in self.faults.causes.values()), ""),
            )
        order = kept
        if not self.per_sample and len(kept) == len(self.row_of) and self.row_is_right.all():
            # Each row is a problem of its own, and the samples are in place.
            present, offsets = codes, np.append(self._starts, len(kept))
        else:
            problem = codes[self.row_of[kept]]
            present = np.sort(problem[find_firsts(problem)])
            problem, _ = compact(problem)
            if (np.diff(problem) < 0).any():
                order = kept[np.argsort(problem, kind="stable")]
            offsets = np.concatenate([[0], np.cumsum(np.bincount(problem))])
        rows = self.row_of[order]
        firsts = make_numbers(rows[offsets[:-1]])
        columns: dict[str, Any] = {"problem": names.take(make_numbers(present))}
        is_moved = len(order) != len(self.row_of) or order is not kept
        for role in ROLES[1:]:
            if role in samples:
                values = samples[role].take(make_numbers(order)) if is_moved else samples[role]
                columns[role] = make_lists(offsets, values)
            elif role in problems:
                columns[role] = problems[role].take(firsts)
        numbers_of = self.row_numbers[rows] if self.per_sample else self.row_numbers[rows[offsets[:-1]]]
        return Samples(
            table=pa.table(columns),
            origin=Origin("plain", roles=self.roles, skipped=dict(self.faults.causes.values())),
            rows=Split(numbers_of, offsets if self.per_sample else np.arange(len(offsets))),
            per_sample=self.per_sample,
            numbers=None if numbers is None else Split(numbers[rows], offsets),
        )

    def _measure_lists(self, sampled: Mapping[str, str], columns: Mapping[str, Any]) -> Codes:
        """Return the number of samples in each row, on which all columns must agree."""
        lengths = [_measure(column) for column in columns.values()]
        wrong = np.any([(each <= 0) | (each != lengths[0]) for each in lengths], axis=0)
        lists = None
        for row in np.flatnonzero(wrong).tolist():
            lists = lists or next((role, _find_list(columns[role])) for role in columns if _has_lists(columns[role]))
            self.faults.add(self._explain_lengths(row, sampled, columns, *lists))
        self.row_is_right &= ~wrong
        return np.where(wrong, 0, lengths[0])

    def _explain_lengths(
        self, row: int, sampled: Mapping[str, str], columns: Mapping[str, Any], list_role: str, list_row: int
    ) -> InputError:
        """Return an error that says what is wrong with the lists of a row."""
        number = int(self.row_numbers[row])
        cells = [Cell(_pick(columns[role], row), number, column) for role, column in sampled.items()]
        for cell in cells:
            if not isinstance(cell.value, list):
                return InputError(
                    "standard.no_list",
                    'Each row must have a list of samples such as [1, 0] or ["a", "b"], as row {list_row} has in '
                    "column “{list_column}”; got {value} ({place}).",
                    list_row=int(self.row_numbers[list_row]),
                    list_column=shorten(sampled[list_role]),
                    **cell.quoted(),
                )
            if not cell.value:
                return InputError(
                    "standard.no_samples",
                    "Every problem needs at least one sample; this list is empty ({place}).",
                    place=cell.place,
                )
        cell = next(cell for cell in cells if len(cell.value) != len(cells[0].value))
        return InputError(
            "standard.lengths",
            "The lists of a row must be equally long: the length of this one is {count:,}, and of that in "
            "column “{other}” {other_count:,} ({place}).",
            count=len(cell.value),
            other=shorten(cells[0].column),
            other_count=len(cells[0].value),
            place=cell.place,
        )

    def _read_names(self) -> tuple[Codes, pa.Array]:
        """Return the problem of each row as a number, and the names of the problems."""
        column = self.roles["problem"]
        if column is None:
            if self.per_sample:
                raise InputError(
                    "standard.no_problem",
                    "Each row is one sample, so a column must say which problem it belongs to. Name that column, or "
                    "give each problem one row with lists such as [1, 0, 1].",
                )
            return np.arange(len(self.row_numbers)), make_texts(list(map(str, self.row_numbers.tolist())))
        cells = combine(self.table.column(column))
        if is_arrow(cells) and not cells.null_count and str(cells.type) in ("string", "int64"):
            codes, known = self.table.coded(column)
            distinct = list(map(str, known))
            if all(distinct) and not exceeds(max(map(len, distinct), default=0), self.limits.max_text):
                self._refuse_same_problem(column, codes)
                return codes, make_texts(distinct)
        names = self._read_rows("problem")
        if self.per_sample and not is_arrow(cells):
            self._refuse_same_names(column, cells, names.to_pylist())
        codes, distinct = encode(names)
        self._refuse_same_problem(column, codes)
        return codes, make_texts(distinct)

    def _refuse_same_problem(self, column: str, codes: Codes) -> None:
        """Raise if two rows of lists are of one problem."""
        if self.per_sample:
            return
        repeated = flag_repeated(codes) & self.row_is_right
        if repeated.any():
            row = int(np.argmax(repeated))
            error = InputError(
                "standard.same_problem",
                "Each row is one problem, because there are lists; but {value} is also in row {first} ({place}). "
                "Remove one, or keep the rows of one model with {option:where}.",
                first=int(self.row_numbers[np.argmax(codes == codes[row])]),
                **self._cell(column, row).quoted(),
            )
            self._leave_out(repeated, error)

    def _refuse_same_names(self, column: str, cells: Sequence[object], names: Sequence[str | None]) -> None:
        """Raise if names would be the same but for their types: 1 and "1", or 1 and 1.0."""
        kinds: dict[str | None, tuple[type, int]] = {}
        for row, (cell, name) in enumerate(zip(cells, names, strict=True)):
            whole = str(int(cell)) if isinstance(cell, float) and cell.is_integer() else name
            same = [kinds.setdefault(spelling, (type(cell), row)) for spelling in (name, whole)]
            first = min((first for kind, first in same if kind is not type(cell)), default=None)
            if name is not None and first is not None:
                self.row_is_right[row] = False
                self.faults.add(
                    InputError(
                        "standard.same_name",
                        "Two names of problems are the same but for their types: {value}, and another one in row "
                        "{first} ({place}). Write both alike if it is one problem; else rename one of them.",
                        first=int(self.row_numbers[first]),
                        **self._cell(column, row).quoted(),
                    )
                )

    def _refuse_many(self, codes: Codes) -> None:
        """Raise if the limits do not allow so many problems or samples."""
        limits = self.limits
        n = self._count_samples(codes)
        count = int((n > 0).sum())
        if exceeds(count, limits.max_problems):
            raise InputError(
                "standard.problems",
                "There are {count:,} problems; the limit is {limit:,}.",
                count=count,
                limit=limits.max_problems,
            )
        if len(n) and exceeds(int(n.max()), limits.max_samples):
            problem = int(np.argmax(n > (limits.max_samples or 0)))
            raise InputError(
                "standard.samples",
                "A problem has {count:,} samples; the limit is {limit:,} (row {row}).",
                row=int(self.row_numbers[np.argmax(codes == problem)]),
                count=int(n[problem]),
                limit=limits.max_samples,
            )
        if exceeds(int(n.sum()), limits.max_all_samples):
            raise InputError(
                "standard.all_samples",
                "There are {count:,} samples in all; the limit is {limit:,}.",
                count=int(n.sum()),
                limit=limits.max_all_samples,
            )

    def _count_samples(self, codes: Codes) -> Codes:
        """Count the samples of each problem."""
        known = codes >= 0
        if self.per_sample:
            return np.bincount(codes[known])
        n = np.diff(np.append(self._starts, len(self.row_of)))
        return np.bincount(codes[known], weights=n[known]).astype(np.int64)

    def _read_numbers(self, codes: Codes, numbered: Sequence[str]) -> Codes | None:
        """Return the number of each sample, and refuse the same one twice in a problem."""
        if not self.per_sample or not numbered:
            return None
        found = {name: read_integers(self.table.column(name)) for name in numbered}
        known = {name: numbers for name, numbers in found.items() if numbers is not None}
        if not known:
            return None
        keys = list(known.values())
        repeated = flag_repeated(join_codes([codes, *keys])) & self.row_is_right
        if repeated.any():
            row = int(np.argmax(repeated))
            same = np.all([codes == codes[row], *(each == each[row] for each in keys)], axis=0)
            error = InputError(
                "standard.repeated",
                "Sample {value} of problem {problem} is also in row {first} ({place}). Number them differently, remove "
                "one, or leave out the column if it does not number samples.",
                problem=quote(self._cell(self.roles["problem"] or "", row).value),
                first=int(self.row_numbers[np.argmax(same)]),
                **self._cell(next(iter(known)), row).quoted(),
            )
            self._leave_out(repeated, error)
        return np.stack(keys, axis=1) if len(keys) > 1 else keys[0]

    def _read_samples(self, role: str) -> pa.Array:
        """Read the value of each sample."""
        column = self.roles[role] or ""
        values, wrong = read_values(
            self._samples[role],
            role,
            self._place_sample(column),
            self.limits,
            self.faults,
            spelled=are_spelled(self.table.layout, role),
        )
        if wrong is not None:
            self.sample_is_right &= ~wrong
        return values

    def _read_rows(self, role: str) -> pa.Array:
        """Read the value of each row."""
        column = self.roles[role] or ""
        values, wrong = read_values(
            combine(self.table.column(column)),
            role,
            lambda row: (int(self.row_numbers[row]), column, None),
            self.limits,
            self.faults,
        )
        if wrong is not None:
            self.row_is_right &= ~wrong
        return values

    def _place_sample(self, column: str) -> Callable[[int], tuple[int, str, int | None]]:
        def place(sample: int) -> tuple[int, str, int | None]:
            row = int(self.row_of[sample])
            within = None if self.per_sample else sample - int(self._starts[row]) + 1
            return int(self.row_numbers[row]), column, within

        return place

    def _require_agreement(self, role: str, values: pa.Array, codes: Codes) -> None:
        """Raise unless all rows of a problem have the same value."""
        if not self.per_sample:
            return
        right = np.flatnonzero(self.row_is_right)
        found = encode(values if role == "group" else _join_texts(values)).codes
        first = np.full(int(codes.max(initial=-1)) + 1, -1, dtype=np.int64)
        first[codes[right][::-1]] = right[::-1]
        wrong = np.zeros(len(codes), dtype=bool)
        wrong[right] = found[right] != found[first[codes[right]]]
        if wrong.any():
            row = int(np.argmax(wrong))
            error = InputError(
                "standard.differs",
                "All rows of one problem must have the same value; {value} differs from row {first} ({place}).",
                first=int(self.row_numbers[first[codes[row]]]),
                **self._cell(self.roles[role] or "", row).quoted(),
            )
            self._leave_out(wrong, error)

    def _leave_out(self, wrong: Flags, error: InputError) -> None:
        """Raise an error, or leave out the rows that it is about."""
        self.faults.add(error, int(wrong.sum()))
        self.row_is_right &= ~wrong

    def _refuse_many_groups(self, labels: pa.Array) -> None:
        count = len(labels.unique())
        if exceeds(count, self.limits.max_groups):
            raise InputError(
                "standard.groups",
                "There are {count:,} different groups; the limit is {limit:,} (column “{column}”). Choose another "
                "column, or none.",
                column=shorten(self.roles["group"] or ""),
                count=count,
                limit=self.limits.max_groups,
            )

    def _cell(self, column: str, row: int) -> Cell:
        return Cell(_pick(self.table.column(column), row), int(self.row_numbers[row]), column)


def _has_lists(column: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(column.type)) if is_arrow(column) else any(isinstance(cell, list) for cell in column)


def _find_list(column: Any) -> int:
    """Return the position of the first list of a column."""
    return int(np.argmax(_measure(column) >= 0))


def _measure(column: Any) -> Codes:
    """Return the length of each list; −1 for anything else."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not is_arrow(column):
        return np.fromiter((len(cell) if isinstance(cell, list) else -1 for cell in column), np.int64, len(column))
    if not pa.types.is_list(column.type):
        return np.full(len(column), -1, dtype=np.int64)
    return fill_numbers(pc.list_value_length(column), -1)


def _flatten(column: Any, right: Flags) -> Any:
    """Return the samples of the rows that are right, one after the other."""
    if is_arrow(column) and not _has_lists(column):
        return column.slice(0, 0)  # no row is right
    if is_arrow(column):
        return (column if right.all() else column.take(make_numbers(np.flatnonzero(right)))).flatten()
    return list(chain.from_iterable(cell for cell, each in zip(column, right.tolist(), strict=True) if each))


def _pick(column: Any, row: int) -> Any:
    return column[row].as_py() if is_arrow(column) else column[row]


def _join_texts(lists: pa.Array) -> Any:
    """Return lists of texts as values that can be compared: one text for each list."""
    if not lists.null_count and len(lists.flatten()) == len(lists):
        return lists.flatten()
    return lists.to_pylist()


def refuse_unknown(table: Table | ColumnTable, roles: Mapping[str, str | None]) -> None:
    """Raise unless all roles and their columns exist."""
    for role, column in roles.items():
        if role not in ROLES:
            raise InputError(
                "standard.no_role",
                "There is no role {role}. The roles are: {roles}.",
                role=quote(role),
                roles=", ".join(ROLES),
            )
        if column is not None and column not in table.columns:
            raise InputError(
                "standard.no_column",
                "There is no column {column}. The columns are: {columns}.",
                column=quote(column),
                columns=quote_all(table.columns),
            )


def _refuse_useless(table: Table | ColumnTable, roles: Columns) -> None:
    """Raise unless the columns say which samples are correct."""
    if roles["grades"] is None and (roles["answers"] is None or roles["references"] is None):
        raise NothingToScoreError(
            "standard.nothing_to_score",
            "A column must say which samples are correct, or there must be a column of answers and one of references. "
            "The columns are: {columns}.",
            columns=quote_all(table.columns),
        )
