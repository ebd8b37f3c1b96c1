"""Find the role of each column by its name and by what its first cells hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from at_k.errors import InputError
from at_k.readers.blocks import Block
from at_k.readers.cells import Cells, Listed, is_finite, read_lists, read_spelled
from at_k.readers.choosing import refuse_unknown
from at_k.readers.names import (
    MODEL,
    OWN_ANSWER,
    PLACE,
    QUESTION,
    ROLE,
    SAMPLE_NUMBER,
    VERDICT,
    WHOLE_TEXT,
    find_named,
    normalize_name,
    quote,
)
from at_k.readers.prompts import find_tests
from at_k.readers.samples import COUNT_ROLES, FURTHER_ROLES, ROLES, SAMPLE_ROLES, Columns
from at_k.values import cached_property

# Cells, and samples of each, from which it is judged what a column holds.
_LOOKED_AT, _SAMPLES_LOOKED_AT = 100, 20

# Different labels of a column that is taken for the group; any other column can be named.
_MOST_GROUPS = 100

# The roles that a user may give to a column.
NAMEABLE = (*ROLES, *COUNT_ROLES, *FURTHER_ROLES)


class Column:
    """A column, by its first cells. Each thing about it is found out once."""

    def __init__(self, name: str, cells: Sequence[Any], reads: Cells) -> None:
        self.name, self.spelling, self.cells, self.reads = name, normalize_name(name), cells, reads
        self.there = [cell for cell in cells if cell is not None]
        self._fits: dict[str, bool] = {}

    @cached_property
    def has_lists(self) -> bool:
        """Return whether a cell is a list."""
        return any(isinstance(cell, list) for cell in self.there)

    @cached_property
    def keys(self) -> list[str]:
        """A text for each cell that tells it from others."""
        return [cell if type(cell) is str else repr(cell) for cell in self.cells]

    @cached_property
    def distinct(self) -> int:
        """The number of different cells; null is one."""
        return len(set(self.keys))

    @cached_property
    def holds_labels(self) -> bool:
        """Return whether there are few labels, and one in half of the cells."""
        if any(isinstance(cell, (list, dict)) for cell in self.there):
            return False
        fitting = sum(self.reads.fits("group", cell) for cell in self.there)
        return self.distinct <= _MOST_GROUPS and 2 * fitting >= len(self.cells)

    @cached_property
    def holds_truths(self) -> bool:
        """Return whether all cells are truth values, or words for them; or lists of these."""
        parts = [part for cell in self.there for part in (cell if isinstance(cell, list) else [cell])]
        return bool(parts) and all(isinstance(read_spelled(part), bool) for part in parts)

    @cached_property
    def numbers(self) -> list[int] | None:
        """The cells as whole numbers, or None."""
        found = [_read_integer(cell) for cell in self.cells]
        return None if None in found else found  # type: ignore[return-value]

    def counts(self) -> bool:
        """Return whether all cells are the whole numbers from 0 or from 1."""
        return _counts(self.cells)

    def fits(self, role: str) -> bool:
        """Return whether half of the cells fit a role; an error then names the rest. Of a list, half must fit."""
        if role == "group":
            return self.holds_labels
        if role not in self._fits:
            looked = self.there[:_LOOKED_AT]
            count = sum(self._cell_fits(role, cell) for cell in looked)
            self._fits[role] = bool(looked) and 2 * count >= len(looked)
        return self._fits[role]

    def _cell_fits(self, role: str, cell: Any) -> bool:
        if not isinstance(cell, list) or role not in SAMPLE_ROLES:
            return self.reads.fits(role, cell)
        if cell and {*map(type, cell)} == {str} and role == "answers":
            return True
        parts = cell[:_SAMPLES_LOOKED_AT]
        return 2 * sum(self.reads.fits(role, part) for part in parts) >= len(parts)


class Profile:
    """The columns of a file, by its first rows.

    Args:
        head: these rows.
        reads: reads cells.
        is_text: whether all cells are texts, of which some spell lists.
        named: further columns that a user named, such as fields within columns.
    """

    def __init__(self, head: Block, reads: Cells, *, is_text: bool, named: Sequence[str] = ()) -> None:
        self.reads, self.head, self.is_text, self.count = reads, head, is_text, len(head)
        self.columns: dict[str, Column] = {}
        self.listed = False  # whether each row is a problem, with lists of samples
        for name in dict.fromkeys((*head.names, *filter(head.has, named))):
            cells = read_lists(head[name]) if is_text else head[name]
            self.columns[name] = Column(name, cells, reads)

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def find(self, role: str, taken: Collection[str | None] = (), *, fitting: bool = True) -> str | None:
        """Find the first column that has a name of a role, is not taken, and fits."""
        for name in ROLE[role]:
            for column in self.columns.values():
                if column.spelling == name and column.name not in taken and (not fitting or self.suits(role, column)):
                    return column.name
        return None

    def suits(self, role: str, column: Column) -> bool:
        """Return whether a column can take a role, and does not merely number the samples."""
        if self.listed and role in SAMPLE_ROLES and not column.has_lists:
            return False
        return column.fits(role) and not (role == "answers" and self.numbers_samples(column))

    def numbers_samples(self, column: Column) -> bool:
        """Return whether a column merely numbers the samples of each problem, from 0 or from 1."""
        if column.spelling not in (*SAMPLE_NUMBER, "samples", "epochs", "trials", "idx", "index"):
            return False
        if column.has_lists:
            return all(isinstance(cell, list) and _counts(cell) for cell in column.there)
        if column.numbers is None:
            return False
        owners = self.own(self.find("problem", [column.name]))
        if owners is None:
            return column.counts()
        if len({*zip(owners, column.keys, strict=True)}) < self.count:
            return False
        # Some samples of a problem may not be in the file. One of each problem shows nothing but a 0 or a 1.
        return min(column.numbers) >= 0 and (len({*owners}) < self.count or max(column.numbers) <= 1)

    def own(self, problem: str | None) -> list[tuple[str, ...]] | None:
        """Return for each row its problem, and its model if there are several; None if no column says either."""
        names = [name for name, column in self.columns.items() if column.spelling in MODEL and not column.has_lists]
        columns = [self.columns[name].keys for name in (problem, *names) if name is not None]
        return list(zip(*columns, strict=True)) if columns else None

    def differs(self, name: str, problem: str | None) -> bool:
        """Return whether the cells of a column differ between the rows of a problem, or within a list."""
        column = self[name]
        if column.has_lists:
            return any(any(each != cell[0] for each in cell[1:]) for cell in column.there if isinstance(cell, list))
        owners = self.own(problem) or [()] * self.count
        return len({*zip(owners, column.keys, strict=True)}) > len({*owners})

    def refuse_unknown(self, given: Mapping[str, str | None]) -> None:
        """Raise unless all roles and their columns exist."""
        for role, name in given.items():
            if role not in NAMEABLE:
                raise InputError(
                    "standard.no_role",
                    "There is no role {role}. The roles are: {roles}.",
                    role=quote(role),
                    roles=", ".join(NAMEABLE),
                )
            if name is not None and (not self.head.has(name) or (name not in self.head.names and not self[name].there)):
                refuse_unknown(self.head.names, [name])


def find_roles(profile: Profile, given: Mapping[str, str | None]) -> Columns:
    """Find the column of each role; None if it has none. A role that is given is not looked for."""
    found: Columns = {}
    firsts = {role: given.get(role) or profile.find(role, given.values()) for role in SAMPLE_ROLES}
    listed = {role for role, name in firsts.items() if name is not None and profile[name].has_lists}
    # In CSV, [0, 1] beside a single verdict is an answer.
    profile.listed = bool(listed) and not (profile.is_text and firsts["grades"] is not None and "grades" not in listed)
    for role in ROLES:
        taken = [*given.values(), *found.values()]
        found[role] = given[role] if role in given else profile.find(role, taken)
        if role == "problem" and role not in given:
            found[role] = _review_problem(profile, found[role])
    taken = [*given.values(), *found.values()]
    if "grades" not in given and found["grades"] is None and None in (found["answers"], found["references"]):
        # Keep a column of such a name, so that the error says what is wrong with it.
        tested = found["answers"] is not None and find_tests(profile.head.names)  # they judge the answers
        found["grades"] = None if tested else _find_truths(profile, taken)
        found["grades"] = found["grades"] or profile.find("grades", taken, fitting=False)
        odd = found["grades"] is not None and not profile[found["grades"]].fits("grades")
        if odd and ("answers" in given or "references" in given):
            found["grades"] = None
    return found if "answers" in given else _review_answers(profile, found, given)


def _find_truths(profile: Profile, taken: Collection[str | None]) -> str | None:
    """Find the only column of truth values, whatever its name."""
    found = [column.name for column in profile.columns.values() if column.holds_truths and column.name not in taken]
    return found[0] if len(found) == 1 else None


def _review_problem(profile: Profile, name: str | None) -> str | None:
    """Return the column of the question in place of one that numbers the samples of each question."""
    if name is None or normalize_name(name) not in PLACE:
        return name
    numbers = profile[name]
    for question in find_named(profile.columns, QUESTION):
        column = profile[question]
        pairs = len({*zip(column.keys, numbers.keys, strict=True)})
        several = pairs > numbers.distinct
        if question != name and column.fits("problem") and several and column.distinct < profile.count == pairs:
            return question
    return name


def _review_answers(profile: Profile, found: Columns, given: Mapping[str, str | None]) -> Columns:
    """Return the roles with another column of answers, or none, where the one that was found holds no answers."""
    answers, references = found["answers"], found["references"]
    if answers is None:
        return found
    taken = [*given.values(), *found.values()]
    own = references is not None and "references" not in given and normalize_name(references) in OWN_ANSWER
    whole = normalize_name(answers) in WHOLE_TEXT
    if own and found["grades"] is not None and profile.differs(references or "", found["problem"]):
        # The answer that was drawn from a prediction; a reference is the same for all samples of a problem.
        other = profile.find("references", taken)
        if whole:
            return found | {"answers": references, "references": other}
        found = found | {"references": other}
    judged = found["references"] is not None or found["grades"] is not None
    if "grades" not in given and not judged and profile[answers].fits("grades") and _holds_numbers(profile[answers]):
        return found | {"answers": None, "grades": answers}  # `evaluate` calls grades predictions, too
    return _find_drawn_answers(profile, found, taken, own=own) if whole else found


def _find_drawn_answers(profile: Profile, found: Columns, taken: Collection[str | None], *, own: bool) -> Columns:
    """Return the roles with the answers that were drawn from whole completions, or without answers beside verdicts."""
    free = find_named([name for name in profile.columns if name not in taken], ["answer"])
    if free and profile.suits("answers", profile[free[0]]):
        return found | {"answers": free[0]}
    references = found["references"]
    if own and found["grades"] is None:
        other = profile.find("references", taken)
        return found if other is None else found | {"answers": references, "references": other}
    return found | {"answers": None} if found["grades"] is not None else found


def _holds_numbers(column: Column) -> bool:
    parts = [part for cell in column.there for part in (cell if isinstance(cell, list) else [cell])]
    return all(not isinstance(read_spelled(part), str) for part in parts)


def find_lists(profile: Profile, roles: Columns) -> set[str]:
    """Find the columns of CSV whose texts are lists of samples, and not answers such as the interval [0, 1]."""
    # It is an answer where most problems have several rows, where verdicts are not in lists, or where references are
    # such lists too.
    listed = {role: name for role in SAMPLE_ROLES if (name := roles[role]) is not None and profile[name].has_lists}
    if not profile.is_text or not listed:
        return set()
    grades, answers = roles["grades"], roles["answers"]
    if grades is not None and "grades" not in listed:
        return set()
    if grades is not None or answers is None or not _are_number_lists(profile[answers]):
        return {*listed.values()}
    problem, references = roles["problem"], roles["references"]
    repeats = problem is not None and 2 * profile[problem].distinct <= profile.count
    if repeats or (references is not None and _are_number_lists(profile[references])):
        return set()
    return {*listed.values()}


def _are_number_lists(column: Column) -> bool:
    """Return whether all cells are lists in CSV that hold no text."""
    cells = column.cells
    return all(isinstance(cell, Listed) and not any(isinstance(each, str) for each in cell) for cell in cells)


def find_numbers(profile: Profile, others: Sequence[str]) -> list[str]:
    """Find the columns that number the samples of each problem."""
    named = [name for name in others if profile[name].spelling in SAMPLE_NUMBER and profile[name].numbers is not None]
    return [name for name in named if normalize_name(name) != "seed" or profile[name].distinct > 1]


def find_verdicts(profile: Profile, others: Sequence[str]) -> list[str]:
    """Find further columns that have the name of verdicts, and hold some."""
    return [name for name in find_named(profile.columns, VERDICT) if name in others and profile[name].fits("grades")]


def _read_integer(value: object) -> int | None:
    value = read_spelled(value)
    return int(value) if is_finite(value) and value == int(value) and abs(value) < 2**62 else None


def _counts(values: Sequence[object]) -> bool:
    numbers = [number for number in map(_read_integer, values) if number is not None]
    whole = (list(range(len(values))), list(range(1, len(values) + 1)))
    return bool(values) and sorted(numbers) in whole
