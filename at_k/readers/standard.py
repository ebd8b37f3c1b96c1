"""From a table whose columns have roles to the standard columns: one entry per problem, all of them checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from at_k.errors import InputError, Message
from at_k.limits import UNLIMITED, Limits, exceeds
from at_k.readers.cells import (
    Cell,
    describe_place,
    read_answer,
    read_cells,
    read_grade,
    read_label,
    read_problem,
    read_references,
    read_score,
)
from at_k.readers.quoting import quote, quote_all, shorten
from at_k.readers.tables import Table

ROLES = ("problem", "answers", "references", "grades", "scores", "group")
"""The roles of columns, which are also the names of the standard columns."""

SAMPLE_ROLES = ("answers", "grades", "scores")
"""The roles that describe each sample; the others describe the problem."""

Columns = dict[str, str | None]
"""The column of each role, or None."""

T = TypeVar("T")


@dataclass(frozen=True)
class Samples:
    """The problems of a results file, in order of first appearance, and the samples of each.

    Attributes:
        problems: their names, all different.
        answers: one per sample; None where a sample has none.
        references: the correct answers, at least one for each problem.
        grades: one per sample, in [0, 1]; None where a sample has none.
        scores: one per sample, finite; None where a sample has none.
        group: a label for each problem.
        roles: the column of each role, or None.
        per_sample: whether each sample has a row of its own.
        n_missing: the number of samples that `find_missing` finds.
        rows: for each problem the number of its row in the file or, where each sample has a row of its own, of the
            rows of its samples.
    """

    problems: list[str]
    answers: list[list[str | None]] | None
    references: list[list[str]] | None
    grades: list[list[float | None]] | None
    scores: list[list[float | None]] | None
    group: list[str] | None
    roles: Columns
    per_sample: bool
    n_missing: int
    rows: list[list[int]]

    def columns(self) -> dict[str, list[Any]]:
        """Return the standard columns that are there, each with one entry per problem.

        Examples:
            >>> table = Table([{"id": "a", "right": [1, 0]}, {"id": "b", "right": [1, 1]}], ["id", "right"], "json")
            >>> standardize(table, {"problem": "id", "grades": "right"}).columns()
            {'problem': ['a', 'b'], 'grades': [[1.0, 0.0], [1.0, 1.0]]}
        """
        values = (self.problems, self.answers, self.references, self.grades, self.scores, self.group)
        return {role: column for role, column in zip(ROLES, values, strict=True) if column is not None}

    def place(self, problem: int, sample: int, role: str | None = None) -> Message:
        """Describe where a sample stands in the file; both numbers are counted from 0.

        The column is that of a role; by default that of its grade or, where there are no grades, that of its answer.
        """
        column = self.roles[role or ("answers" if self.grades is None else "grades")] or ""
        rows = self.rows[problem]
        return describe_place(rows[sample], column) if self.per_sample else describe_place(rows[0], column, sample + 1)


def find_missing(answers: list[list[str | None]] | None, grades: list[list[float | None]] | None) -> list[list[bool]]:
    """Mark the samples that are missing: those without a grade or, where nothing is graded, without an answer.

    A sample with a grade and without an answer is there: it casts no vote.

    Examples:
        >>> find_missing([["a", None, "b"]], [[1.0, 0.0, None]])
        [[False, False, True]]
    """
    return [[value is None for value in row] for row in (answers if grades is None else grades) or []]


def standardize(table: Table, roles: Mapping[str, str | None], *, limits: Limits = UNLIMITED) -> Samples:
    """Read the problems and samples of a table.

    A row is a problem if there is a list among the answers, grades and scores; else it is a sample.

    Args:
        table: the rows.
        roles: role → column. A role that is not given has no column.
        limits: the most that is accepted.

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
    sheet = _Sheet.arrange(table, used, limits)
    answers = sheet.read_samples("answers", read_answer)
    grades = sheet.read_samples("grades", read_grade)
    group = sheet.read_problems("group", read_label)
    if group is not None and exceeds(count := len(set(group)), limits.max_groups):
        raise InputError(
            "standard.groups",
            "There are {count:,} different groups; the limit is {limit:,} (column “{column}”). Choose another column, "
            "or none.",
            column=shorten(used["group"] or ""),
            count=count,
            limit=limits.max_groups,
        )
    return Samples(
        problems=list(sheet.places),
        answers=answers,
        references=sheet.read_problems("references", read_references),
        grades=grades,
        scores=sheet.read_samples("scores", read_score),
        group=group,
        roles=used,
        per_sample=sheet.per_sample,
        n_missing=sum(map(sum, find_missing(answers, grades))),
        rows=sheet.row_numbers(),
    )


@dataclass(frozen=True)
class _Sheet:
    """A table whose rows are arranged by problem.

    Attributes:
        places: problem → the positions of its rows, counted from 0.
        per_sample: whether each sample has a row of its own.
    """

    table: Table
    roles: Columns
    places: dict[str, list[int]]
    per_sample: bool
    limits: Limits

    @classmethod
    def arrange(cls, table: Table, roles: Columns, limits: Limits) -> _Sheet:
        """Arrange the rows of a table by problem, and refuse more problems or samples than the limits allow."""
        sampled = [(role, column) for role in SAMPLE_ROLES if (column := roles[role]) is not None]
        cells = (cell for role, column in sampled for cell in read_cells(table, role, column))
        first_list = next((cell for cell in cells if isinstance(cell.value, list)), None)
        lengths = None if first_list is None else _measure_lists(table, sampled, first_list)
        places = _place_problems(table, roles["problem"], limits, per_sample=lengths is None)
        sheet = cls(table, roles, places, lengths is None, limits)
        sheet.refuse_many(list(map(len, places.values())) if lengths is None else lengths)
        return sheet

    def row_numbers(self) -> list[list[int]]:
        """Return the numbers of the rows of each problem, counted from 1 in the file."""
        numbers = self.table.numbers or range(1, len(self.table.rows) + 1)
        return [[numbers[position] for position in own] for own in self.places.values()]

    def refuse_many(self, n: list[int]) -> None:
        """Raise if the limits do not allow so many problems or samples."""
        limits = self.limits
        if exceeds(len(n), limits.max_problems):
            raise InputError(
                "standard.problems",
                "There are {count:,} problems; the limit is {limit:,}.",
                count=len(n),
                limit=limits.max_problems,
            )
        for rows, count in zip(self.row_numbers(), n, strict=True):
            if exceeds(count, limits.max_samples):
                raise InputError(
                    "standard.samples",
                    "A problem has {count:,} samples; the limit is {limit:,} (row {row}).",
                    row=rows[0],
                    count=count,
                    limit=limits.max_samples,
                )
        if exceeds(sum(n), limits.max_all_samples):
            raise InputError(
                "standard.all_samples",
                "There are {count:,} samples in all; the limit is {limit:,}.",
                count=sum(n),
                limit=limits.max_all_samples,
            )

    def read_samples(self, role: str, read: Callable[[Cell, Limits], T]) -> list[list[T]] | None:
        """Read the value of each sample of each problem. Return None if no column has the role."""
        column = self.roles[role]
        if column is None:
            return None
        cells = list(read_cells(self.table, role, column))
        if self.per_sample:
            return [[read(cells[place], self.limits) for place in own] for own in self.places.values()]
        return [[read(part, self.limits) for part in cell.parts()] for cell in cells]

    def read_problems(self, role: str, read: Callable[[Cell, Limits], T]) -> list[T] | None:
        """Read the value of each problem, the same in all of its rows. Return None if no column has the role."""
        column = self.roles[role]
        if column is None:
            return None
        cells = list(read_cells(self.table, role, column))
        found = []
        for own in self.places.values():
            value = read(cells[own[0]], self.limits)
            for place in own[1:]:
                if read(cells[place], self.limits) != value:
                    raise InputError(
                        "standard.differs",
                        "All rows of one problem must have the same value; {value} differs from row {first} ({place}).",
                        first=cells[own[0]].row,
                        **cells[place].quoted(),
                    )
            found.append(value)
        return found


def refuse_unknown(table: Table, roles: Mapping[str, str | None]) -> None:
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


def _refuse_useless(table: Table, roles: Columns) -> None:
    """Raise unless the columns say which samples are correct."""
    if roles["grades"] is None and (roles["answers"] is None or roles["references"] is None):
        raise InputError(
            "standard.nothing_to_score",
            "A column must say which samples are correct, or there must be a column of answers and one of references. "
            "The columns are: {columns}.",
            columns=quote_all(table.columns),
        )


def _place_problems(table: Table, column: str | None, limits: Limits, *, per_sample: bool) -> dict[str, list[int]]:
    """Map each problem to the positions of its rows."""
    if column is None:
        if per_sample:
            raise InputError(
                "standard.no_problem",
                "Each row is one sample, so a column must say which problem it belongs to. Name that column, or give "
                "each problem one row with lists such as [1, 0, 1].",
            )
        return {str(number): [place] for place, (number, _) in enumerate(table.numbered())}
    places: dict[str, list[int]] = {}
    rows: list[int] = []
    for place, cell in enumerate(read_cells(table, "problem", column)):
        rows.append(cell.row)
        own = places.setdefault(read_problem(cell, limits), [])
        if own and not per_sample:
            raise InputError(
                "standard.same_problem",
                "Each row is one problem, because there are lists; but {value} is also in row {first} ({place}).",
                first=rows[own[0]],
                **cell.quoted(),
            )
        own.append(place)
    return places


def _measure_lists(table: Table, sampled: Iterable[tuple[str, str]], first_list: Cell) -> list[int]:
    """Return the number of samples in each row, on which all columns must agree."""
    n = []
    for cells in zip(*(read_cells(table, role, column) for role, column in sampled), strict=True):
        for cell in cells:
            if not isinstance(cell.value, list):
                raise InputError(
                    "standard.no_list",
                    'Each row must have a list of samples such as [1, 0] or ["a", "b"], as row {list_row} has in '
                    "column “{list_column}”; got {value} ({place}).",
                    list_row=first_list.row,
                    list_column=shorten(first_list.column),
                    **cell.quoted(),
                )
            if not cell.value:
                raise InputError(
                    "standard.no_samples",
                    "Every problem needs at least one sample; this list is empty ({place}).",
                    place=cell.quoted()["place"],
                )
            if len(cell.value) != len(cells[0].value):
                raise InputError(
                    "standard.lengths",
                    "The lists of a row must be equally long: the length of this one is {count:,}, and of that in "
                    "column “{other}” {other_count:,} ({place}).",
                    count=len(cell.value),
                    other=shorten(cells[0].column),
                    other_count=len(cells[0].value),
                    place=cell.quoted()["place"],
                )
        n.append(len(cells[0].value))
    return n
