"""A guess which column of a table has which role, by its name and by what it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

import numpy as np

from at_k.errors import InputError
from at_k.limits import UNLIMITED, Limits
from at_k.readers.cells import READERS, Cell, read_cells, read_label
from at_k.readers.coding import Codes, count_distinct, encode, is_arrow, join_codes, read_integers
from at_k.readers.columnar import ColumnTable
from at_k.readers.models import MODEL_NAMES
from at_k.readers.quoting import normalize_name, quote, shorten
from at_k.readers.samples import ROLES, SAMPLE_ROLES, Columns
from at_k.readers.standard import refuse_unknown
from at_k.readers.tables import PROBLEM_NAMES, QUESTION_NAMES, Listed, Table

NAMES = {
    "problem": " ".join(PROBLEM_NAMES),
    "answers": "answers predictions filtered_resps extracted_answer predicted_answer prediction pred samples "
    "answer_list sample completions completion responses response outputs output generations generation model_answer "
    "answer",
    "references": "references reference target targets gold ground_truth expected expected_answer gold_answer "
    "correct_answer solution answer",
    "grades": "correct is_correct passed pass grade grades reward rewards verdict verdicts success acc",
    "scores": "score scores rm_score rm_scores logprob logprobs reward_model_score confidence",
    "group": "group groups level category subject topic type difficulty domain split",
}
"""Role → names of columns that are taken for it, in order of preference."""

GROUP_NAMES = tuple(NAMES["group"].split())
"""Names of columns that may hold the group."""

_WHOLE_TEXTS = (
    *("sample", "completions", "completion", "responses", "response", "outputs", "output"),
    *("generations", "generation"),
)
"""Names of columns that often hold whole completions. They are answers only where nothing else can be: a vote needs
answers that can be equal."""

SAMPLE_NUMBERS = (
    *("sample", "sample_id", "sample_idx", "sample_index", "epoch", "trial", "trial_id", "trial_num", "repeat"),
    *("repeat_id", "repetition", "seed", "attempt", "rollout", "rollout_id", "completion_id", "generation_id"),
)
"""Names of columns that number the samples of each problem, if they hold whole numbers."""

_NUMBERINGS = (*SAMPLE_NUMBERS, "samples", "epochs", "trials", "idx", "index")
"""Names of columns that may merely number the samples of each problem."""

VERDICT_NAMES = ("correct", "is_correct", "passed", "pass", "grade", "grades", "verdict", "verdicts", "success")
"""Names of columns that hold verdicts for certain."""

_PLACES = ("id", "idx", "uid")
"""Names of columns that may name the problem, or number the samples of each question."""

_MOST_GROUPS = 100
"""Different labels of a column that is guessed to be the group; any other column can be named."""

_LOOKED_AT, _SAMPLES_LOOKED_AT = 100, 20
"""Rows, and samples of each, from which it is guessed what a column holds."""


def guess_roles(
    table: Table | ColumnTable, given: Mapping[str, str | None] | None = None, *, limits: Limits = UNLIMITED
) -> Columns:
    """Guess the column of each role. A role without a column gets None.

    Args:
        table: the rows.
        given: role → column, or None for no column. These roles are not guessed, and their columns get no other role.
        limits: texts and groups beyond them do not fit a role.

    Raises:
        InputError: if a given role or column does not exist.

    Examples:
        >>> table = Table([{"id": 1, "answer": "42", "correct": [1, 0]}], ["id", "answer", "correct"], "jsonl")
        >>> guess_roles(table)["references"]
        'answer'
        >>> guess_roles(table, {"answers": "answer"})["references"] is None
        True
    """
    given = given or {}
    refuse_unknown(table, given)
    guess = _Guess(settle_lists(table, given), limits)
    firsts = {role: given.get(role) or guess.find(role, {False, True}, []) for role in SAMPLE_ROLES}
    shapes = {any(column is not None and guess.fits(role, column, {True}) for role, column in firsts.items())}
    found: Columns = {}
    for role in ROLES:
        found[role] = given[role] if role in given else guess.find(role, shapes, [*given.values(), *found.values()])
        if role == "problem" and role not in given:
            found[role] = guess.review_problem(found[role])
    taken = [column for column in (*given.values(), *found.values()) if column is not None]
    if "grades" not in given and found["grades"] is None and None in (found["answers"], found["references"]):
        # Keep a column of such a name, so that the error says what is wrong with it.
        found["grades"] = guess.find("grades", shapes, taken, fitting=False)
    if "answers" not in given:
        found = _review_answers(guess, found, given, shapes)
    return found


def _review_answers(guess: _Guess, found: Columns, given: Mapping[str, str | None], shapes: set[bool]) -> Columns:
    """Return the roles with another column of answers, or none, where the guessed one does not hold answers."""
    answers = found["answers"]
    if answers is None:
        return found
    judged = found["references"] is not None or found["grades"] is not None
    if "grades" not in given and not judged and guess.fits("grades", answers, shapes):
        return found | {"answers": None, "grades": answers}  # `evaluate` calls grades predictions, too
    if normalize_name(answers) in _WHOLE_TEXTS:
        better = guess.find_answer_of_samples(found, given, shapes)
        if better is not None:
            return found | better
        if found["grades"] is not None:
            return found | {"answers": None}
    return found


T = TypeVar("T", bound=Table | ColumnTable)


def list_named(table: Table | ColumnTable, names: Sequence[str]) -> list[str]:
    """List the columns that have one of these names, in their order in the table."""
    return [column for column in table.columns if normalize_name(column) in names]


def list_first_cells(table: Table | ColumnTable, role: str, column: str) -> list[Cell]:
    """List the first cells of a column that are not empty: from the first rows, or from all if they have none there."""
    held = (cell for cell in read_cells(table.head, role, column) if cell.value is not None)
    cells = list(islice(held, _LOOKED_AT))
    if cells or isinstance(table, Table):
        return cells
    values = table.column(column)
    found = values.drop_null()[:_LOOKED_AT].to_pylist() if is_arrow(values) else _list_held(values)
    rows = Table([{column: value} for value in found], [column], table.layout)
    return list(read_cells(rows, role, column))


def _list_held(values: Sequence[object]) -> list[object]:
    return list(islice((value for value in values if value is not None), _LOOKED_AT))


def settle_lists(table: T, given: Mapping[str, str | None] | None = None) -> T:
    r"""Return a table of CSV with texts in place of lists, if its lists are not those of samples.

    A cell such as [0, 1] may hold the answers of two samples, or be one answer: an interval. It is an answer where most
    problems have several rows, where verdicts stand alone beside it, or where references are such lists too.

    Args:
        table: the rows.
        given: as of `guess_roles`.

    Examples:
        >>> from at_k.readers.tables import read_table
        >>> settle_lists(read_table('id,answer,target\n1,"[0, 1]",3\n1,"[2, 3]",3\n')).column("answer")
        ['[0, 1]', '[2, 3]']
    """
    given = given or {}
    if table.layout not in ("csv", "tsv"):
        return table
    guess = _Guess(table, UNLIMITED)
    _refuse_arrays(guess, given)
    columns = {role: given[role] if role in given else guess.find(role, {False, True}, []) for role in SAMPLE_ROLES}
    listed = {role for role, column in columns.items() if column is not None and _has_lists(table.column(column))}
    if not listed:
        return table
    if columns["grades"] is not None and "grades" not in listed:
        return table.spell_lists()  # type: ignore[return-value]
    if (
        columns["grades"] is not None
        or columns["answers"] is None
        or not _are_numbers(table.column(columns["answers"]))
    ):
        return table
    problem = given["problem"] if "problem" in given else guess.find("problem", {False}, [])
    names = [] if problem is None else list(map(str, table.column(problem)))
    references = (
        given["references"] if "references" in given else guess.find("references", {True}, [columns["answers"]])
    )
    if 2 * len(set(names)) <= len(names) or (references is not None and _are_numbers(table.column(references))):
        return table.spell_lists()  # type: ignore[return-value]
    return table


_ARRAY = re.compile(r"\s*\[\s*(?:'[^']*'|\"[^\"]*\"|[-+.\w]+)(?:\s+(?:'[^']*'|\"[^\"]*\"|[-+.\w]+))+\s*\]\s*")
"""An array of several values as NumPy prints it, without commas: [1 2], ['a' 'b']."""


def _refuse_arrays(guess: _Guess, given: Mapping[str, str | None]) -> None:
    """Raise if samples stand in a cell of CSV as NumPy prints an array: they would be read as one sample.

    Beside verdicts that stand alone, or references that are arrays, such a cell is one answer, like a list.
    """
    arrays: dict[str, str] = {}
    for role in (*SAMPLE_ROLES, "references"):
        column = given[role] if role in given else guess.find(role, {False, True}, [*arrays], fitting=False)
        if column is None or column not in guess.table.columns:
            continue
        cells = [cell.value for cell in list_first_cells(guess.table, "answers", column)]
        texts = [cell.text if isinstance(cell, Listed) else cell for cell in cells]
        if texts and all(isinstance(text, str) and _ARRAY.fullmatch(text) for text in texts):
            if role == "references":
                return
            arrays[column] = texts[0]
        elif role == "grades" and not _has_lists(cells) and guess.fits(role, column, {False}):
            return
    for column, text in arrays.items():
        raise InputError(
            "roles.array",
            "Column “{column}” holds arrays as NumPy prints them, such as {text}: samples in them cannot be told apart "
            "for certain. Make them lists before they are saved: frame[column] = frame[column].map(list).",
            column=shorten(column),
            text=quote(text),
        )


def _are_numbers(cells: Sequence[object]) -> bool:
    """Return whether all cells were lists in CSV, and held no text."""
    return all(isinstance(cell, Listed) and not any(isinstance(each, str) for each in cell) for cell in cells)


def _has_lists(cells: Sequence[object]) -> bool:
    return any(isinstance(cell, list) for cell in cells)


@dataclass(frozen=True)
class _Guess:
    """A table, and the limits within which its cells must be."""

    table: Table | ColumnTable
    limits: Limits
    numbering: dict[str, bool] = field(default_factory=dict)
    """Column → whether it numbers samples: all of its cells are looked at, once."""

    def find(self, role: str, shapes: set[bool], taken: Sequence[str | None], *, fitting: bool = True) -> str | None:
        """Return the first column that has a name of a role, is not taken and, with `fitting`, fits the role."""
        spellings = {column: normalize_name(column) for column in self.table.columns}
        for name in NAMES[role].split():
            for column, spelling in spellings.items():
                if spelling == name and column not in taken and (not fitting or self.fits(role, column, shapes)):
                    return column
        return None

    def fits(self, role: str, column: str, shapes: set[bool]) -> bool:
        """Return whether all cells of a column are labels or, for other roles, half of those that are not empty fit.

        Values of samples may stand in lists if `shapes` has True, and alone if it has False.
        """
        if role == "group":
            return self._holds_labels(column)
        cells = list_first_cells(self.table, role, column)
        if not cells or 2 * sum(self._cell_fits(cell, role, shapes) for cell in cells) < len(cells):
            return False
        if role == "answers" and column not in self.numbering:
            self.numbering[column] = self._numbers_samples(column)
        return role != "answers" or not self.numbering[column]

    def find_answer_of_samples(
        self, found: Columns, given: Mapping[str, str | None], shapes: set[bool]
    ) -> Columns | None:
        """Return the roles of a column `answer` that holds the answers of samples, beside whole completions.

        The column may have been taken for the references. That was wrong if another column can have that role, or if
        there are grades and `answer` differs between the samples of a problem.
        """
        for column in self.table.columns:
            free = column not in given.values() and column in (found["references"], *_unused(self.table, found))
            if normalize_name(column) != "answer" or not free or not self.fits("answers", column, shapes):
                continue
            if column != found["references"]:
                return {"answers": column}
            others = self.find("references", shapes, [*given.values(), *found.values()])
            if others is not None or (found["grades"] is not None and self._differs(column, found["problem"])):
                return {"answers": column, "references": others}
        return None

    def review_problem(self, column: str | None) -> str | None:
        """Return the column of the question in place of one that numbers the samples of each question.

        Then a number belongs to several questions, and no question has it twice.
        """
        if column is None or normalize_name(column) not in _PLACES:
            return column
        numbers = self.table.head.coded(column).codes
        for name in self.table.columns:
            if normalize_name(name) in QUESTION_NAMES and self.fits("problem", name, {False}):
                question = self.table.head.coded(name).codes
                pairs = join_codes([question, numbers])
                several = count_distinct(pairs) > count_distinct(numbers)
                if several and count_distinct(question) < len(question) == count_distinct(pairs):
                    return name
        return column

    def _differs(self, column: str, problem: str | None) -> bool:
        """Return whether the cells of a column differ between the rows of a problem, or within a list."""
        cells = self.table.column(column)
        if not is_arrow(cells) and any(isinstance(cell, list) for cell in cells):
            return any(any(each != cell[0] for each in cell[1:]) for cell in cells if isinstance(cell, list))
        owners = self._find_owners(problem)
        if owners is None:
            owners = np.zeros(len(cells), dtype=np.int64)
        return count_distinct(join_codes([owners, encode(cells).codes])) > count_distinct(owners)

    def _numbers_samples(self, column: str) -> bool:
        """Return whether a column merely numbers the samples of each problem, from 0 or from 1."""
        if normalize_name(column) not in _NUMBERINGS:
            return False
        cells = self.table.column(column)
        if not is_arrow(cells) and any(isinstance(cell, list) for cell in cells):
            return all(isinstance(cell, list) and _counts(cell) for cell in cells)
        numbers = read_integers(cells)
        if numbers is None:
            return False
        owners = self._find_owners(self.find("problem", {False}, [column]))
        if owners is None:
            return _counts(numbers.tolist())
        if count_distinct(join_codes([owners, numbers])) < len(numbers):
            return False
        # Some samples of a problem may not be in the file. One of each problem shows nothing but a 0 or a 1.
        return bool((numbers >= 0).all() and (count_distinct(owners) < len(owners) or (numbers <= 1).all()))

    def _find_owners(self, problem: str | None) -> Codes | None:
        """Return a code for each row: that of its problem, and of its model if there are several."""
        names = [name for name in self.table.columns if normalize_name(name) in MODEL_NAMES]
        columns = [name for name in (problem, *names) if name is not None]
        return join_codes([self.table.coded(name).codes for name in columns]) if columns else None

    def _holds_labels(self, column: str) -> bool:
        """Return whether there are few different labels, and a label in half of the cells.

        Cells without a label are accepted here, so that the error names them.
        """
        if any(isinstance(cell, (list, dict)) for cell in self.table.head.column(column)[:_LOOKED_AT]):
            return False
        codes, values = self.table.coded(column)
        labels = np.array([self._is_label(value, column) for value in values] + [False], dtype=bool)
        most = _MOST_GROUPS if self.limits.max_groups is None else self.limits.max_groups
        return bool(labels.sum() <= most and 2 * labels[codes].sum() >= len(codes))

    def _is_label(self, value: object, column: str) -> bool:
        try:
            return bool(read_label(Cell(value, 0, column), self.limits))
        except InputError:
            return False

    def _cell_fits(self, cell: Cell, role: str, shapes: set[bool]) -> bool:
        """Return whether a cell, or half of the list in it, fits a role.

        A fault in the other half is accepted here, so that the error names it.
        """
        parts = [cell]
        if role in SAMPLE_ROLES:
            if isinstance(cell.value, list) not in shapes:
                return False
            if isinstance(cell.value, list):
                if cell.value and set(map(type, cell.value)) == {str}:
                    # Most lists are answers. To look at each, or to write an error for it, takes most of the time.
                    if role != "answers":
                        return False
                    if self.limits.max_text is None:
                        return True
                parts = list(islice(cell.parts(), _SAMPLES_LOOKED_AT))
        return 2 * sum(self._can_read(part, role) for part in parts) >= len(parts)

    def _can_read(self, cell: Cell, role: str) -> bool:
        try:
            READERS[role](cell, self.limits)
        except InputError:
            return False
        return True


def _counts(values: Sequence[object]) -> bool:
    """Return whether values are the whole numbers from 0 or from 1, in any order."""
    numbers = read_integers(list(values)) if values else None
    if numbers is None:
        return False
    return sorted(numbers.tolist()) in (list(range(len(values))), list(range(1, len(values) + 1)))


def _unused(table: Table | ColumnTable, found: Columns) -> list[str]:
    return [column for column in table.columns if column not in found.values()]
