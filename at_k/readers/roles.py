"""A guess which column of a table has which role, by its name and by what it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from at_k.errors import InputError
from at_k.readers.cells import can_read, count_fits, read_spelled
from at_k.readers.coding import Codes, count_distinct, encode, is_arrow, join_codes, read_integers
from at_k.readers.lists import Listed, spell_lists
from at_k.readers.models import MODEL_NAMES
from at_k.readers.quoting import normalize_name, quote, shorten
from at_k.readers.samples import ROLES, SAMPLE_ROLES, Columns
from at_k.readers.standard import has_lists, refuse_unknown
from at_k.readers.table import PROBLEM_NAMES, QUESTION_NAMES, Table

NAMES = {
    "problem": " ".join(PROBLEM_NAMES),
    "answers": "answers predictions filtered_resps extracted_answer predicted_answer prediction pred samples "
    "answer_list sample completions completion responses response outputs output generations generation model_answer "
    "answer 模型答案 模型回答 预测答案 预测 antwort réponse respuesta 答案",
    "references": "references reference target targets gold ground_truth expected expected_answer gold_answer "
    "correct_answer solution answer 标准答案 参考答案 正确答案 答案 lösung solución",
    "grades": "correct is_correct passed pass grade grades reward rewards verdict verdicts success acc "
    "正确 是否正确 对错 通过 是否通过 判定 richtig korrekt correcto",
    "scores": "score scores rm_score rm_scores logprob logprobs reward_model_score confidence 置信度",
    "group": "group groups level category subject topic type difficulty domain split 类别 科目 难度 主题",
}
"""Role → names of columns that are taken for it, in order of preference."""

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

_OWN_ANSWERS = ("answer", "答案")
"""Names of columns that may hold the reference, or the answer of each sample."""

_PLACES = ("id", "idx", "uid")
"""Names of columns that may name the problem, or number the samples of each question."""

_MOST_GROUPS = 100
"""Different labels of a column that is guessed to be the group; any other column can be named."""

_LOOKED_AT, _SAMPLES_LOOKED_AT = 100, 20
"""Rows, and samples of each, from which it is guessed what a column holds."""


def guess_roles(
    table: Table, given: Mapping[str, str | None] | None = None, scale: tuple[float, float] | None = None
) -> Columns:
    """Guess the column of each role. A role without a column gets None.

    Args:
        table: the rows.
        given: role → column, or None for no column. These roles are not guessed, and their columns get no other role.
        scale: the worst and the best grade, where they are not 0 and 1.

    Raises:
        InputError: if a given role or column does not exist.

    Examples:
        >>> table = Table("jsonl", [{"id": 1, "answer": "42", "correct": [1, 0]}], ["id", "answer", "correct"])
        >>> guess_roles(table)["references"]
        'answer'
        >>> guess_roles(table, {"answers": "answer"})["references"] is None
        True
    """
    given = given or {}
    guess = _Guess(settle_lists(table, given), scale)
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
    references = found["references"]
    if (
        references is not None
        and found["grades"] is not None
        and "references" not in given
        and normalize_name(references) in _OWN_ANSWERS
        and guess.differs(references, found["problem"])
    ):
        # The answer that was drawn from a prediction; a reference is the same for all samples of a problem.
        found = found | {"references": guess.find("references", shapes, [*given.values(), *found.values()])}
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


def list_first_cells(table: Table, role: str, column: str) -> list[object]:
    """List the first cells of a column that are not empty: from the first rows, or from all if they have none there.

    Where a role needs numbers, those that CSV spells are converted.
    """
    cells = list(islice((cell for cell in table.first(column) if cell is not None), _LOOKED_AT))
    if not cells:
        held = table[column]
        found = held.drop_null()[:_LOOKED_AT].to_pylist() if is_arrow(held) else held
        cells = list(islice((cell for cell in found if cell is not None), _LOOKED_AT))
    spelled = table.layout in ("csv", "tsv") and role in ("grades", "scores")
    return list(map(read_spelled, cells)) if spelled else cells


def settle_lists(table: Table, given: Mapping[str, str | None] | None = None) -> Table:
    r"""Return a table of CSV with texts in place of lists, if its lists are not those of samples.

    A cell such as [0, 1] may hold the answers of two samples, or be one answer: an interval. It is an answer where most
    problems have several rows, where verdicts stand alone beside it, or where references are such lists too.

    Args:
        table: the rows.
        given: as of `guess_roles`.

    Raises:
        InputError: if a given role or column does not exist, or a cell of CSV holds an array.

    Examples:
        >>> from at_k.readers.sources import Source
        >>> from at_k.readers.tables import open_table
        >>> table = open_table(Source("", b'id,answer,target\n1,"[0, 1]",3\n1,"[2, 3]",3\n'))
        >>> settle_lists(table)["answer"]
        ['[0, 1]', '[2, 3]']
    """
    given = given or {}
    refuse_unknown(table, given)
    if table.layout not in ("csv", "tsv"):
        return table
    guess = _Guess(table)
    _refuse_arrays(guess, given)
    columns = {role: given[role] if role in given else guess.find(role, {False, True}, []) for role in SAMPLE_ROLES}
    listed = {role for role, column in columns.items() if column is not None and has_lists(table[column])}
    if not listed:
        return table
    if columns["grades"] is not None and "grades" not in listed:
        return table.spell_lists()
    if columns["grades"] is not None or columns["answers"] is None or not _are_numbers(table[columns["answers"]]):
        return table
    problem = given["problem"] if "problem" in given else guess.find("problem", {False}, [])
    names = [] if problem is None else list(map(str, table[problem]))
    references = (
        given["references"] if "references" in given else guess.find("references", {True}, [columns["answers"]])
    )
    if 2 * len(set(names)) <= len(names) or (references is not None and _are_numbers(table[references])):
        return table.spell_lists()
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
        if column is None or column not in guess.table:
            continue
        cells = list_first_cells(guess.table, "answers", column)
        texts = [text for text in spell_lists(cells) if isinstance(text, str) and _ARRAY.fullmatch(text)]
        if texts and len(texts) == len(cells):
            if role == "references":
                return
            arrays[column] = texts[0]
        elif role == "grades" and not has_lists(cells) and guess.fits(role, column, {False}):
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


@dataclass(frozen=True)
class _Guess:
    """A table whose columns are looked at."""

    table: Table
    scale: tuple[float, float] | None = None
    numbering: dict[str, bool] = field(default_factory=dict)
    """Column → whether it numbers samples: all of its cells are looked at, once."""

    def find(self, role: str, shapes: set[bool], taken: Sequence[str | None], *, fitting: bool = True) -> str | None:
        """Return the first column that has a name of a role, is not taken and, with `fitting`, fits the role."""
        for name in NAMES[role].split():
            for column in self.table.names:
                if (
                    normalize_name(column) == name
                    and column not in taken
                    and (not fitting or self.fits(role, column, shapes))
                ):
                    return column
        return None

    def fits(self, role: str, column: str, shapes: set[bool]) -> bool:
        """Return whether all cells of a column are labels or, for other roles, half of those that are not empty fit.

        Values of samples may stand in lists if `shapes` has True, and alone if it has False. Of a list, half must fit.
        What does not fit is accepted here, so that the error names it.
        """
        if role == "group":
            return self._holds_labels(column)
        cells = list_first_cells(self.table, role, column)
        alone = [cell for cell in cells if role not in SAMPLE_ROLES or not isinstance(cell, list)]
        lists = [cell for cell in cells if role in SAMPLE_ROLES and isinstance(cell, list)]
        count = count_fits(role, alone, self.scale) if role not in SAMPLE_ROLES or False in shapes else 0
        if True in shapes:
            count += sum(self._list_fits(role, each) for each in lists)
        if not cells or 2 * count < len(cells):
            return False
        if role == "answers" and column not in self.numbering:
            self.numbering[column] = self._numbers_samples(column)
        return role != "answers" or not self.numbering[column]

    def _list_fits(self, role: str, values: list[object]) -> bool:
        if values and {*map(type, values)} == {str}:
            return role == "answers"  # most lists are answers; to look at each takes most of the time
        first = values[:_SAMPLES_LOOKED_AT]
        return 2 * count_fits(role, first, self.scale) >= len(first)

    def find_answer_of_samples(
        self, found: Columns, given: Mapping[str, str | None], shapes: set[bool]
    ) -> Columns | None:
        """Return the roles of a column `answer` that holds the answers of samples, beside whole completions.

        The column may have been taken for the references. That was wrong if another column can have that role, or if
        there are grades and `answer` differs between the samples of a problem.
        """
        for column in self.table.names:
            free = column not in given.values() and (column == found["references"] or column not in found.values())
            if normalize_name(column) != "answer" or not free or not self.fits("answers", column, shapes):
                continue
            if column != found["references"]:
                return {"answers": column}
            others = self.find("references", shapes, [*given.values(), *found.values()])
            if others is not None or (found["grades"] is not None and self.differs(column, found["problem"])):
                return {"answers": column, "references": others}
        return None

    def review_problem(self, column: str | None) -> str | None:
        """Return the column of the question in place of one that numbers the samples of each question.

        Then a number belongs to several questions, and no question has it twice.
        """
        if column is None or normalize_name(column) not in _PLACES:
            return column
        numbers = encode(self.table.first(column)).codes
        for name in self.table.names:
            if normalize_name(name) in QUESTION_NAMES and self.fits("problem", name, {False}):
                question = encode(self.table.first(name)).codes
                pairs = join_codes([question, numbers])
                several = count_distinct(pairs) > count_distinct(numbers)
                if several and count_distinct(question) < len(question) == count_distinct(pairs):
                    return name
        return column

    def differs(self, column: str, problem: str | None) -> bool:
        """Return whether the cells of a column differ between the rows of a problem, or within a list."""
        cells = self.table[column]
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
        cells = self.table[column]
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
        names = [name for name in self.table.names if normalize_name(name) in MODEL_NAMES]
        columns = [name for name in (problem, *names) if name is not None]
        return join_codes([self.table.coded(name).codes for name in columns]) if columns else None

    def _holds_labels(self, column: str) -> bool:
        """Return whether there are few different labels, and a label in half of the cells.

        Cells without a label are accepted here, so that the error names them.
        """
        if any(isinstance(cell, (list, dict)) for cell in self.table.first(column)[:_LOOKED_AT]):
            return False
        codes, values = self.table.coded(column)
        labels = np.array([can_read("group", value) for value in values] + [False], dtype=bool)
        return bool(labels.sum() <= _MOST_GROUPS and 2 * labels[codes].sum() >= len(codes))


def _counts(values: Sequence[object]) -> bool:
    """Return whether values are the whole numbers from 0 or from 1, in any order."""
    numbers = read_integers(list(values)) if values else None
    if numbers is None:
        return False
    return sorted(numbers.tolist()) in (list(range(len(values))), list(range(1, len(values) + 1)))
