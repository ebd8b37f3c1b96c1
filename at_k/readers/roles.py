"""A guess which column of a table has which role, by its name and by what it holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from at_k.errors import InputError
from at_k.limits import UNLIMITED, Limits
from at_k.readers.cells import READERS, Cell, read_cells, read_label
from at_k.readers.models import MODEL_NAMES
from at_k.readers.quoting import normalize_name
from at_k.readers.standard import ROLES, SAMPLE_ROLES, Columns, refuse_unknown
from at_k.readers.tables import PROBLEM_NAMES, Table

_NAMES = {
    "problem": " ".join(PROBLEM_NAMES),
    "answers": "answers predictions filtered_resps extracted_answer predicted_answer prediction pred samples "
    "answer_list sample completions completion responses response outputs output answer",
    "references": "references reference target targets gold ground_truth expected expected_answer solution answer",
    "grades": "correct is_correct passed pass grade grades reward rewards verdict verdicts success acc",
    "scores": "score scores rm_score rm_scores logprob logprobs reward_model_score confidence",
    "group": "group groups level category subject topic type difficulty domain split",
}
"""Names of columns, in order of preference."""

_WHOLE_TEXTS = ("sample", "completions", "completion", "responses", "response", "outputs", "output")
"""Names of columns that often hold whole completions. They are answers only where nothing else can be: a vote needs
answers that can be equal."""

_NUMBERINGS = ("sample", "samples", "epoch", "epochs", "trial", "trials", "idx", "index", "attempt", "repeat")
"""Names of columns that may merely number the samples of each problem."""

_MOST_GROUPS = 100
"""Different labels of a column that is guessed to be the group; any other column can be named."""

_LOOKED_AT = 100
"""Rows, and samples of each, from which it is guessed what a column holds."""


def guess_roles(table: Table, given: Mapping[str, str | None] | None = None, *, limits: Limits = UNLIMITED) -> Columns:
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
    guess = _Guess(table, limits)
    firsts = {role: given.get(role) or guess.find(role, {False, True}, []) for role in SAMPLE_ROLES}
    shapes = {any(column is not None and guess.fits(role, column, {True}) for role, column in firsts.items())}
    found: Columns = {}
    for role in ROLES:
        found[role] = given[role] if role in given else guess.find(role, shapes, [*given.values(), *found.values()])
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


@dataclass(frozen=True)
class _Guess:
    """A table, and the limits within which its cells must be."""

    table: Table
    limits: Limits

    def find(self, role: str, shapes: set[bool], taken: Sequence[str | None], *, fitting: bool = True) -> str | None:
        """Return the first column that has a name of a role, is not taken and, with `fitting`, fits the role."""
        spellings = {column: normalize_name(column) for column in self.table.columns}
        for name in _NAMES[role].split():
            for column, spelling in spellings.items():
                if spelling == name and column not in taken and (not fitting or self.fits(role, column, shapes)):
                    return column
        return None

    def fits(self, role: str, column: str, shapes: set[bool]) -> bool:
        """Return whether all cells of a column are labels or, for other roles, half of those that are not empty fit.

        Values of samples may stand in lists if `shapes` has True, and alone if it has False.
        """
        if role == "group":
            return self._holds_labels(read_cells(self.table, role, column))
        cells = [cell for cell in islice(read_cells(self.table, role, column), _LOOKED_AT) if cell.value is not None]
        if not cells or 2 * sum(self._cell_fits(cell, role, shapes) for cell in cells) < len(cells):
            return False
        return role != "answers" or not self._numbers_samples(column)

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

    def _differs(self, column: str, problem: str | None) -> bool:
        """Return whether the cells of a column differ between the rows of a problem, or within a list."""
        cells = self._by_problem(column, problem).values()
        return any(any(cell != own[0] for cell in own[1:]) for own in cells)

    def _numbers_samples(self, column: str) -> bool:
        """Return whether a column merely numbers the samples of each problem, from 0 or from 1."""
        if normalize_name(column) not in _NUMBERINGS:
            return False
        problem = self.find("problem", {False}, [column])
        for own in self._by_problem(column, problem).values():
            try:
                numbers = sorted(int(str(value)) for value in own)
            except ValueError:
                return False
            if numbers not in (list(range(len(own))), list(range(1, len(own) + 1))):
                return False
        return True

    def _by_problem(self, column: str, problem: str | None) -> dict[object, list[object]]:
        """Return the values of a column for each problem, and each model if there are several.

        A list stands for a problem of its own.
        """
        names = [name for name in self.table.columns if normalize_name(name) in MODEL_NAMES]
        found: dict[object, list[object]] = defaultdict(list)
        for number, row in self.table.numbered():
            value = row.get(column)
            if isinstance(value, list):
                found[number] = value
            else:
                found[str([row.get(name) for name in (problem, *names) if name is not None])].append(value)
        return found

    def _holds_labels(self, cells: Iterator[Cell]) -> bool:
        """Return whether there are few different labels, and a label in half of the cells.

        Cells without a label are accepted here, so that the error names them.
        """
        labels = list(map(self._label_or_none, cells))
        most = _MOST_GROUPS if self.limits.max_groups is None else self.limits.max_groups
        return len({*labels} - {None}) <= most and 2 * labels.count(None) <= len(labels)

    def _label_or_none(self, cell: Cell) -> str | None:
        try:
            return read_label(cell, self.limits)
        except InputError:
            return None

    def _cell_fits(self, cell: Cell, role: str, shapes: set[bool]) -> bool:
        """Return whether a cell, or half of the list in it, fits a role.

        A fault in the other half is accepted here, so that the error names it.
        """
        parts = [cell]
        if role in SAMPLE_ROLES:
            if isinstance(cell.value, list) not in shapes:
                return False
            if isinstance(cell.value, list):
                parts = list(islice(cell.parts(), _LOOKED_AT))
        return 2 * sum(self._can_read(part, role) for part in parts) >= len(parts)

    def _can_read(self, cell: Cell, role: str) -> bool:
        try:
            READERS[role](cell, self.limits)
        except InputError:
            return False
        return True


def _unused(table: Table, found: Columns) -> list[str]:
    return [column for column in table.columns if column not in found.values()]
