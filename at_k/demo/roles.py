"""From a table to samples: which column is what, and what its cells mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import inf, isnan, nan
from typing import Any, NamedTuple, TypeGuard, TypeVar

from at_k.demo.limits import MAX_ALL_SAMPLES, MAX_CELL, MAX_GROUPS, MAX_PROBLEMS, MAX_SAMPLES
from at_k.demo.reading import PROBLEM_NAMES, Listed, Table, shortened, shown, spelled
from at_k.demo.words import Refused

ROLES = ("problem", "answers", "references", "grades", "scores", "groups")

_OF_SAMPLES = ("answers", "grades", "scores")
"""The roles that say something of each sample; the others speak of the problem."""

_NAMES = {
    "problem": " ".join(PROBLEM_NAMES),
    "answers": "answers predictions filtered_resps extracted_answer predicted_answer prediction pred samples "
    "answer_list sample completions completion responses response outputs output answer",
    "references": "references reference target targets gold ground_truth expected expected_answer solution answer",
    "grades": "correct is_correct passed pass grade grades reward rewards verdict verdicts success acc",
    "scores": "score scores rm_score rm_scores logprob logprobs reward_model_score confidence",
    "groups": "group groups level category subject topic type difficulty domain split",
}
"""Names of columns, in order of preference. An "answer" is a sample's only if no other column is."""

_LOOKED_AT = 100
"""Rows, and samples of each, from which it is guessed what a column holds."""

_LISTED = 10
"""Columns that a message lists."""

_SPELLED: dict[str, float | bool] = dict.fromkeys(("true", "yes", "pass", "passed"), True)
_SPELLED |= dict.fromkeys(("false", "no", "fail", "failed"), False) | {"nan": nan}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII)

Columns = dict[str, str | None]
T = TypeVar("T")


@dataclass(frozen=True)
class Samples:
    """What a table says of its problems, in order of first appearance, and of the samples of each.

    Attributes:
        problems: their names, no two alike.
        answers: None where a sample has none.
        references: the answers that are right, at least one for each problem.
        grades: in [0, 1]; None where a sample has none.
        scores: how good each sample looks, finite; None where a sample has none.
        groups: a label for each problem.
        roles: the column of each role, or None.
        per_sample: whether each sample has a row of its own.
        n_missing: how many samples are `missing`.
        rows: for each problem the rows of its samples, counted from 1, if they have their own; else nothing.
    """

    problems: list[str]
    answers: list[list[str | None]] | None
    references: list[list[str]] | None
    grades: list[list[float | None]] | None
    scores: list[list[float | None]] | None
    groups: list[str] | None
    roles: Columns
    per_sample: bool
    n_missing: int
    rows: list[list[int]] = field(default_factory=list)

    def place(self, problem: int, sample: int) -> dict[str, object]:
        """Where a sample stands, both counted from 0: `row`, `column` and `sample`, to be filled into words.

        The column is that of its grade or, where there are none, that of its answer.
        """
        column = self.roles["answers" if self.grades is None else "grades"]
        return {
            "row": self.rows[problem][sample] if self.per_sample else problem + 1,
            "column": shortened(column or ""),
            "sample": "" if self.per_sample else f", #{sample + 1}",
        }


def missing(answers: list[list[str | None]] | None, grades: list[list[float | None]] | None) -> list[list[bool]]:
    """Which samples are missing: those without a grade or, where nothing is graded, without an answer.

    A sample that is graded, and has no answer, is there: it casts no vote.
    """
    return [[value is None for value in row] for row in (answers if grades is None else grades) or []]


def guess(table: Table) -> Columns:
    """The column of each role, by its name and by what it holds; None where there is none.

    Examples:
        >>> table = Table([{"id": 1, "answer": "42", "correct": [1, 0]}], ["id", "answer", "correct"], "jsonl")
        >>> [role for role, column in guess(table).items() if column == "answer"]
        ['references']
    """
    firsts = {role: _named(table, role, {False, True}, []) for role in _OF_SAMPLES}
    shapes = {any(column is not None and _fits(table, role, column, {True}) for role, column in firsts.items())}
    found: Columns = {}
    for role in ROLES:
        found[role] = _named(table, role, shapes, list(found.values()))
    if found["grades"] is None and None in (found["answers"], found["references"]):
        # What is amiss in a column of this name is to be said, rather than that there is none.
        found["grades"] = _named(table, "grades", shapes, list(found.values()), fitting=False)
    answers = found["answers"]
    judged = found["references"] is not None or found["grades"] is not None
    if answers is not None and not judged and _fits(table, "grades", answers, shapes):
        found |= {"answers": None, "grades": answers}  # `evaluate` calls grades predictions, too
    return found


def samples(table: Table, roles: Columns) -> Samples:
    """What a table says of problems and samples, if its columns have these roles.

    A row is a problem if there is a list among the answers, grades and scores; else it is a sample.

    Raises:
        Refused: if a cell is not what its role needs, naming row and column, or if there is nothing to score.
    """
    for role in roles:
        if role not in ROLES:
            raise Refused("roles.no_role", role=shown(role), roles=", ".join(ROLES))
    used = {role: roles.get(role) for role in ROLES}
    _refuse_useless(table, used)
    sheet = _Sheet.of(table, used)
    answers = sheet.of_samples("answers", _answer)
    grades = sheet.of_samples("grades", _grade)
    groups = sheet.of_problems("groups", _label)
    if groups is not None and len(set(groups)) > MAX_GROUPS:
        column = shortened(used["groups"] or "")
        raise Refused("roles.many_groups", column=column, count=len(set(groups)), limit=MAX_GROUPS)
    return Samples(
        problems=list(sheet.rows),
        answers=answers,
        references=sheet.of_problems("references", _references),
        grades=grades,
        scores=sheet.of_samples("scores", _score),
        groups=groups,
        roles=used,
        per_sample=sheet.per_sample,
        n_missing=sum(map(sum, missing(answers, grades))),
        rows=list(sheet.rows.values()) if sheet.per_sample else [],
    )


class _Cell(NamedTuple):
    """A value, and where it stands; `sample` is its number in a list of samples."""

    value: Any
    row: int
    column: str
    sample: int | None = None

    def refused(self, reason: str, **values: object) -> Refused:
        """Why the value cannot be used, with its place."""
        values |= {"row": self.row, "column": shortened(self.column), "value": shown(self.value)}
        if self.sample is None:
            return Refused(f"roles.{reason}", **values)
        return Refused(f"roles.{reason}_in_list", **values, sample=self.sample)

    def parts(self) -> Iterator[_Cell]:
        """The cells of a list of samples."""
        return (_Cell(value, self.row, self.column, sample) for sample, value in enumerate(self.value, 1))


def _cells(table: Table, role: str, column: str) -> Iterator[_Cell]:
    """The cells of a column; where numbers are needed, as the numbers and truth values that CSV spells."""
    written = table.layout in ("csv", "tsv") and role in ("grades", "scores")
    for number, row in enumerate(table.rows, 1):
        value = row.get(column)
        yield _Cell(_unspelled(value) if written and isinstance(value, str) else value, number, column)


def _unspelled(text: str) -> object:
    word = text.strip().lower()
    return float(word) if _NUMBER.fullmatch(word) else _SPELLED.get(word, text)


@dataclass(frozen=True)
class _Sheet:
    """A table whose columns have roles.

    Attributes:
        rows: problem → its row, or those of its samples, counted from 1.
        per_sample: whether each sample has a row of its own.
    """

    table: Table
    roles: Columns
    rows: dict[str, list[int]]
    per_sample: bool

    @classmethod
    def of(cls, table: Table, roles: Columns) -> _Sheet:
        """A table with its rows arranged by problem, and no more of them, or of samples, than the limits allow."""
        sampled = [(role, column) for role in _OF_SAMPLES if (column := roles[role]) is not None]
        cells = (cell for role, column in sampled for cell in _cells(table, role, column))
        a_list = next((cell for cell in cells if isinstance(cell.value, list)), None)
        lengths = None if a_list is None else _lengths(table, sampled, a_list)
        rows = _rows_by_problem(table, roles["problem"], per_sample=lengths is None)
        if len(rows) > MAX_PROBLEMS:
            raise Refused("roles.many_problems", count=len(rows), limit=MAX_PROBLEMS)
        n = list(map(len, rows.values())) if lengths is None else lengths
        for own, count in zip(rows.values(), n, strict=True):
            if count > MAX_SAMPLES:
                raise Refused("roles.many_samples", row=own[0], count=count, limit=MAX_SAMPLES)
        if sum(n) > MAX_ALL_SAMPLES:
            raise Refused("roles.many_samples_in_all", count=sum(n), limit=MAX_ALL_SAMPLES)
        return cls(table, roles, rows, lengths is None)

    def of_samples(self, role: str, convert: Callable[[_Cell], T]) -> list[list[T]] | None:
        """What a role says of each sample of each problem; None if no column has the role."""
        column = self.roles[role]
        if column is None:
            return None
        cells = list(_cells(self.table, role, column))
        if self.per_sample:
            return [[convert(cells[row - 1]) for row in own] for own in self.rows.values()]
        return [[convert(part) for part in cell.parts()] for cell in cells]

    def of_problems(self, role: str, convert: Callable[[_Cell], T]) -> list[T] | None:
        """What a role says of each problem, in all of its rows; None if no column has the role."""
        column = self.roles[role]
        if column is None:
            return None
        cells = list(_cells(self.table, role, column))
        found = []
        for own in self.rows.values():
            value = convert(cells[own[0] - 1])
            for row in own[1:]:
                if convert(cells[row - 1]) != value:
                    raise cells[row - 1].refused("differs", first=own[0])
            found.append(value)
        return found


def _refuse_useless(table: Table, roles: Columns) -> None:
    """Raise unless the columns are there, and enough of them to tell which samples are right."""
    columns = ", ".join(map(shown, table.columns[:_LISTED])) + (", …" if len(table.columns) > _LISTED else "")
    for column in roles.values():
        if column is not None and column not in table.columns:
            raise Refused("roles.no_column", column=shown(column), columns=columns)
    if roles["grades"] is None and (roles["answers"] is None or roles["references"] is None):
        raise Refused("roles.nothing_to_score", columns=columns)


def _rows_by_problem(table: Table, column: str | None, *, per_sample: bool) -> dict[str, list[int]]:
    if column is None:
        if per_sample:
            raise Refused("roles.no_problem")
        return {str(row): [row] for row in range(1, len(table.rows) + 1)}
    rows: dict[str, list[int]] = {}
    for cell in _cells(table, "problem", column):
        own = rows.setdefault(_name(cell), [])
        if own and not per_sample:
            raise cell.refused("same_problem", first=own[0])
        own.append(cell.row)
    return rows


def _lengths(table: Table, sampled: list[tuple[str, str]], a_list: _Cell) -> list[int]:
    """The samples of each row, on which all columns must agree."""
    n = []
    for cells in zip(*(_cells(table, role, column) for role, column in sampled), strict=True):
        for cell in cells:
            if not isinstance(cell.value, list):
                raise cell.refused("no_list", list_row=a_list.row, list_column=shortened(a_list.column))
            if not cell.value:
                raise cell.refused("no_samples")
            if len(cell.value) != len(cells[0].value):
                other = {"other": shortened(cells[0].column), "other_count": len(cells[0].value)}
                raise cell.refused("lengths", count=len(cell.value), **other)
        n.append(len(cells[0].value))
    return n


def _name(cell: _Cell) -> str:
    return _text(cell, "name")


def _label(cell: _Cell) -> str:
    if isinstance(cell.value, bool):
        return "true" if cell.value else "false"
    return _text(cell, "label")


def _references(cell: _Cell) -> list[str]:
    values = cell.value if isinstance(cell.value, list) else [cell.value]
    if isinstance(cell.value, Listed) and not all(isinstance(value, str) for value in values):
        values = [cell.value.text]  # an answer such as the interval [0, 1]; alternatives are strings
    if not values:
        raise cell.refused("reference")
    return [_text(cell._replace(value=value), "reference") for value in values]


def _answer(cell: _Cell) -> str | None:
    return cell.value if cell.value in (None, "") else _text(cell, "answer")


def _grade(cell: _Cell) -> float | None:
    if cell.value is None or (isinstance(cell.value, float) and isnan(cell.value)):
        return None
    if not isinstance(cell.value, (int, float)) or not 0 <= cell.value <= 1:
        raise cell.refused("grade")
    return float(cell.value)


def _score(cell: _Cell) -> float | None:
    if cell.value is None:
        return None
    if not _is_number(cell.value):
        raise cell.refused("score")
    return float(cell.value)


def _text(cell: _Cell, reason: str) -> str:
    """A string that is not empty, or a number as JSON spells it."""
    text = repr(cell.value) if _is_number(cell.value) else cell.value
    if not isinstance(text, str) or not text:
        raise cell.refused(reason)
    if len(text) > MAX_CELL:
        raise cell.refused("long", length=len(text), limit=MAX_CELL)
    return text


def _is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a finite number, and not a truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -inf < value < inf


_CONVERTERS: dict[str, Callable[[_Cell], object]] = {
    "problem": _name,
    "answers": _answer,
    "references": _references,
    "grades": _grade,
    "scores": _score,
}


def _named(table: Table, role: str, shapes: set[bool], taken: list[str | None], *, fitting: bool = True) -> str | None:
    """The first column that has a name of a role and is not taken; with `fitting`, one that fits the role, too."""
    spellings = {column: spelled(column) for column in table.columns}
    for name in _NAMES[role].split():
        for column, spelling in spellings.items():
            if spelling == name and column not in taken and (not fitting or _fits(table, role, column, shapes)):
                return column
    return None


def _fits(table: Table, role: str, column: str, shapes: set[bool]) -> bool:
    """Whether a column could serve a role: all of its cells are labels, or half of those that are not empty fit.

    What is said of samples may stand in lists if `shapes` has True, and alone if it has False.
    """
    if role == "groups":
        return _are_labels(_cells(table, role, column))
    cells = [cell for cell in islice(_cells(table, role, column), _LOOKED_AT) if cell.value is not None]
    return bool(cells) and 2 * sum(_cell_fits(cell, role, shapes) for cell in cells) >= len(cells)


def _are_labels(cells: Iterator[_Cell]) -> bool:
    """Whether half of the cells are labels, and these are few: one that is missing is to be named, not passed over."""
    labels = list(map(_label_or_none, cells))
    return len({*labels} - {None}) <= MAX_GROUPS and 2 * labels.count(None) <= len(labels)


def _label_or_none(cell: _Cell) -> str | None:
    try:
        return _label(cell)
    except Refused:
        return None


def _cell_fits(cell: _Cell, role: str, shapes: set[bool]) -> bool:
    """Whether a cell, or half of the list in it, could serve a role. A fault is to be named, not passed over."""
    parts = [cell]
    if role in _OF_SAMPLES:
        if isinstance(cell.value, list) not in shapes:
            return False
        if isinstance(cell.value, list):
            parts = list(islice(cell.parts(), _LOOKED_AT))
    return 2 * sum(_converts(part, role) for part in parts) >= len(parts)


def _converts(part: _Cell, role: str) -> bool:
    try:
        _CONVERTERS[role](part)
    except Refused:
        return False
    return True
