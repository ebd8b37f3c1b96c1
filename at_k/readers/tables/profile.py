"""Describe the columns of a table by its first rows, and find the role of each by its name and by what it holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from at_k.errors import Phrases
from at_k.readers.blocks import Block, list_fields
from at_k.readers.cells import Cells
from at_k.readers.files.decoding import Listed, read_fields, read_lists
from at_k.readers.names import (
    MODEL,
    NUMBERED,
    OWN_ANSWER,
    PLACE,
    QUESTION,
    ROLE,
    SAMPLE_NUMBER,
    VERDICT,
    WHOLE_TEXT,
    find_named,
    has_name,
    normalize_name,
    quote,
)
from at_k.readers.numbering import count_up
from at_k.readers.samples import COUNT_ROLES, FURTHER_ROLES, ROLES, SAMPLE_ROLES, Columns
from at_k.readers.tables.choosing import refuse_unknown
from at_k.readers.tables.prompts import find_tests
from at_k.readers.words import judge, read_spelled, read_whole
from at_k.values import cached_property

# Cells, and samples of each, from which it is judged what a column holds.
_LOOKED_AT, _SAMPLES_LOOKED_AT = 100, 20

# Fields within the objects of a column that are looked at.
_INNER = 50

# Different labels of a column that is taken for the group; any other column can be named.
_MOST_GROUPS = 100

# The roles that a user may give to a column.
NAMEABLE = (*ROLES, *COUNT_ROLES, *FURTHER_ROLES)

_say = Phrases({"standard.no_role": "There is no role {role}. The roles are: {roles}."})


class Column:
    """A column, by its first cells. Each thing about it is found out once."""

    def __init__(self, name: str, cells: Sequence[Any], reads: Cells) -> None:
        self.name, self.spelling, self.cells, self.reads = name, normalize_name(name), cells, reads
        self.there = [cell for cell in cells if cell is not None]
        self._fits: dict[str, float] = {}

    @cached_property
    def has_lists(self) -> bool:
        """Return whether a cell is a list."""
        return any(isinstance(cell, list) for cell in self.there)

    @cached_property
    def has_objects(self) -> bool:
        """Return whether a cell is a list or an object."""
        return any(isinstance(cell, (list, dict)) for cell in self.there)

    def list_parts(self) -> list[Any]:
        """List the cells, with the values of a list in place of it."""
        return [
            part for cell in self.there for part in (cell if isinstance(cell, list) else [cell])
        ]

    def list_fields(self) -> list[str]:
        """List the paths of the fields within the objects of the column, or in lists of objects."""
        found: dict[str, None] = {}
        for cell in self.there:
            is_text = isinstance(cell, str)
            if is_text and not cell.startswith(("{", "[{")):
                continue
            for path, value in list_fields(read_fields(cell) if is_text else cell, self.name):
                if path != self.name and not isinstance(value, (dict, list)):
                    found.setdefault(path)
        return list(found)[:_INNER]

    @cached_property
    def parts(self) -> list[Any]:
        """The different values among the cells and in their lists, in order of first appearance."""
        parts = self.list_parts()
        try:
            return [part for _, part in dict.fromkeys(zip(map(type, parts), parts, strict=True))]
        except TypeError:  # objects have no hash
            return parts

    @cached_property
    def are_judged(self) -> bool:
        """Return whether the words in the cells judge, or the name does: yes may mean failed, too."""
        names = re.split(r"[\W_]+", self.spelling)
        is_named = True in map(judge, names) and {*map(read_spelled, names)}.isdisjoint(
            {False, "not"}
        )
        return is_named or any(judge(part) is not None for part in self.parts)

    @cached_property
    def are_verdicts(self) -> bool:
        """Return whether the cells are 0, 1, or words, of which half mean right or wrong; soft grades may be scores."""
        read = [self.reads.attempt("grades", part, read_spelled(part)) for part in self.parts]
        return self.fits("grades") and all(
            isinstance(value, str) or value in (0, 1, None) for value in read
        )

    @cached_property
    def keys(self) -> list[str]:
        """A text for each cell that tells it from others."""
        return [cell if type(cell) is str else repr(cell) for cell in self.cells]

    @cached_property
    def distinct(self) -> int:
        """The number of different cells; null is one."""
        return len(set(self.keys))

    @cached_property
    def numbers(self) -> list[int] | None:
        """The cells as whole numbers, or None."""
        whole = [number for number in map(read_whole, self.cells) if number is not None]
        return whole if len(whole) == len(self.cells) else None

    def fits(self, role: str, *, whole: bool = False) -> bool:
        """Return whether half of the cells fit a role, or all; an error then names the rest. Of a list, half must."""
        if role not in self._fits:
            is_group = role == "group"
            if is_group:
                looked = self.cells
            else:
                looked = self.there[:_LOOKED_AT]
            fitting = sum(self._cell_fits(role, cell) for cell in looked) / (len(looked) or 1)
            self._fits[role] = (
                0 if is_group and (self.distinct > _MOST_GROUPS or self.has_objects) else fitting
            )
        return self._fits[role] >= (1 if whole else 0.5)

    def _cell_fits(self, role: str, cell: Any) -> bool:
        if not isinstance(cell, list) or role not in SAMPLE_ROLES:
            return self.reads.fits(role, cell) or (
                role == "grades" and bool(self.reads.split(cell))
            )
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

    def __init__(
        self, head: Block, reads: Cells, *, is_text: bool, named: Sequence[str] = ()
    ) -> None:
        self.reads, self.head, self.is_text, self.count = reads, head, is_text, len(head)
        self.columns: dict[str, Column] = {}
        self.listed = False  # whether each row is a problem, with lists of samples
        self.problem: str | None = None  # the column of the problems, where a user named it
        for name in dict.fromkeys((*head.names, *filter(head.has, named))):
            self.columns[name] = Column(
                name, read_lists(head[name]) if is_text else head[name], reads
            )

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    @cached_property
    def leaves(self) -> dict[str, Column]:
        """The columns, with the fields within their objects in place of these."""
        found: dict[str, Column] = {}
        for name, column in self.columns.items():
            for path in column.list_fields() or [name]:
                if path not in found:
                    known = self.columns.get(path)
                    found[path] = known or Column(path, self.head[path], self.reads)
        return found

    def find(
        self, role: str, taken: Collection[str | None] = (), *, fitting: bool = True
    ) -> str | None:
        """Find the first column that has a name of a role, is not taken, and fits."""
        for name in ROLE[role]:
            for column in self.columns.values():
                if (
                    column.spelling == name
                    and column.name not in taken
                    and (not fitting or self.suits(role, column))
                ):
                    return column.name
        return None

    def suits(self, role: str, column: Column) -> bool:
        """Return whether a column can take a role, and does not merely number the samples."""
        if self.listed and role in SAMPLE_ROLES and not column.has_lists:
            return False
        return column.fits(role) and not (role == "answers" and self.numbers_samples(column))

    def combine(self, *names: str) -> int:
        """Return how many different combinations of cells some columns have; one if there are none of these."""
        if names:
            return len({*zip(*(self[name].keys for name in names), strict=True)})
        return 1

    def repeats(self, problem: str | None) -> bool:
        """Return whether a column names problems of several rows."""
        return problem in self.columns and self[problem or ""].distinct < self.count

    def own(self, problem: str | None) -> list[str]:
        """Return the columns that say whose sample a row is: that of the problem, and those of models."""
        models = [
            name
            for name, column in self.columns.items()
            if column.spelling in MODEL and not column.has_lists
        ]
        return [*([] if problem is None else [problem]), *models]

    def differs(self, name: str, problem: str | None) -> bool:
        """Return whether the cells of a column differ between the rows of a problem, or within a list."""
        column, owners = self[name], self.own(problem)
        if column.has_lists:
            return any(
                any(part != cell[0] for part in cell[1:])
                for cell in column.there
                if isinstance(cell, list)
            )
        return self.combine(*owners, name) > self.combine(*owners)

    def numbers_samples(self, column: Column) -> bool:
        """Return whether a column called `sample` merely numbers the samples of each problem, from 0 or from 1."""
        if column.spelling not in ("sample", "samples"):
            return False
        if column.has_lists:
            return all(isinstance(cell, list) and count_up(cell) for cell in column.there)
        if column.numbers is None or min(column.numbers) < 0:
            return False
        owners = self.own(self.problem or self.find("problem", [column.name]))
        if not owners:
            # A column of any name may be that of the problems.
            others = [name for name, other in self.columns.items() if other is not column]
            owning = [name for name in others if self[name].distinct < self.count]
            return count_up(column.cells) or any(self.numbers_rows(column, name) for name in owning)
        # Some samples of a problem may not be in the file. One of each problem shows nothing but a 0 or a 1.
        is_told = self.combine(*owners) < self.count or max(column.numbers) <= 1
        return is_told and self.numbers_rows(column, *owners)

    def numbers_rows(self, column: Column, *owners: str) -> bool:
        """Return whether each number occurs once with each owner, or all of them equally often, as for two metrics."""
        times = Counter(zip(*(self[name].keys for name in (*owners, column.name)), strict=True))
        numbers = list({*(column.numbers or ())})
        is_crossed = len(times) == self.combine(*owners) * column.distinct and count_up(numbers)
        return {*times.values()} == {1} or (
            is_crossed and column.distinct > 1 and len({*times.values()}) == 1
        )

    def refuse_unknown(self, given: Mapping[str, str | None]) -> None:
        """Raise unless all roles and their columns exist."""
        for role, name in given.items():
            if role not in NAMEABLE:
                raise _say.error("standard.no_role", role=quote(role), roles=", ".join(NAMEABLE))
            if name is not None and (
                not self.head.has(name) or (name not in self.head.names and not self[name].there)
            ):
                refuse_unknown(self.head.names, [name])


def find_roles(profile: Profile, given: Mapping[str, str | None]) -> Columns:
    """Find the column of each role; None if it has none. A role that is given is not looked for."""
    roles: Columns = {}
    profile.problem = given.get("problem") if given.get("problem") in profile.columns else None
    firsts = {role: given.get(role) or profile.find(role, given.values()) for role in SAMPLE_ROLES}
    listed = {role for role, name in firsts.items() if name is not None and profile[name].has_lists}
    # In CSV, [0, 1] beside a single verdict is an answer.
    profile.listed = bool(listed) and not (
        profile.is_text and firsts["grades"] is not None and "grades" not in listed
    )
    for role in ROLES:
        used = [*given.values(), *roles.values()]
        roles[role] = given[role] if role in given else profile.find(role, used)
        if role == "problem" and role not in given:
            roles[role] = _review_problem(profile, roles[role])
    used = [*given.values(), *roles.values()]
    if (
        "grades" not in given
        and roles["grades"] is None
        and None in (roles["answers"], roles["references"])
    ):
        # Keep a column of such a name, so that the error says what is wrong with it.
        tested = roles["answers"] is not None and find_tests(
            profile.head.names
        )  # they judge the answers
        roles["grades"] = None if tested else _find_truths(profile, used)
        roles["grades"] = roles["grades"] or profile.find("grades", used, fitting=False)
        grades = roles["grades"]
        if grades is not None and not profile[grades].fits("grades"):
            column, answers = profile[grades], roles["answers"]
            if answers and column.spelling == "correct":
                answered = {*map(str, profile[answers].parts)}
            else:
                answered = set()
            if "answers" in given or "references" in given:
                roles["grades"] = None
            elif 2 * len(answered.intersection(column.keys)) > column.distinct > 1:
                roles |= {"references": grades, "grades": None}  # it holds what would be correct
    if "answers" in given:
        return roles
    return _review_answers(profile, roles, given)


def _find_truths(profile: Profile, taken: Collection[str | None]) -> str | None:
    """Find the only column of truth values, or words for them, if these or its name tell which of them are right."""
    columns = [
        column for column in profile.columns.values() if column.name not in taken and column.parts
    ]
    truths = [
        column
        for column in columns
        if all(isinstance(read_spelled(part), bool) for part in column.parts)
    ]
    named = {
        column.name
        for column in columns
        if has_name(column.name, VERDICT) and column.fits("grades")
    }
    is_told = len(truths) == 1 and truths[0].are_judged and named <= {truths[0].name}
    if is_told:
        return truths[0].name
    return None


# A value that names a prompt, such as "few-shot", and is none.
_SETTING_WORD = re.compile(r"[A-Za-z]{2,}([_-][A-Za-z]+)*")


def _review_problem(profile: Profile, name: str | None) -> str | None:
    """Return the column of the question in place of one that numbers the samples of each question."""
    if name and normalize_name(name) in PLACE:
        questions = find_named(profile.columns, QUESTION)
    else:
        questions = []
    for question in questions:
        pairs = profile.combine(question, name or "")
        is_repeated = profile[question].distinct < profile.count
        is_asked = not all(map(_SETTING_WORD.fullmatch, profile[question].keys))
        if (
            is_repeated
            and is_asked
            and pairs == profile.count
            and profile[name or ""].distinct < pairs
            and profile[question].fits("problem")
        ):
            return question
    return name


def _review_answers(profile: Profile, found: Columns, given: Mapping[str, str | None]) -> Columns:
    """Return the roles with another column of answers, or none, where the one that was found holds no answers."""
    answers, references, grades = found["answers"], found["references"], found["grades"]
    if answers is None:
        return found
    is_judged = references is not None or grades is not None or "grades" in given
    parts = profile[answers].parts
    has_texts = any(
        isinstance(read_spelled(part), str) or profile.reads.split(part) for part in parts
    )
    # A column of the same numbers may be the reference, under a name such as “label”.
    named = {*given.values(), *found.values(), *find_named(profile.columns, NUMBERED)}
    others = [
        column
        for name, column in profile.columns.items()
        if name not in named and not column.has_objects
    ]
    is_alone = all(
        {*column.keys}.isdisjoint(profile[answers].keys)
        for column in others
        if column.fits("grades")
    )
    is_named = normalize_name(answers) in OWN_ANSWER
    if not (is_judged or is_named or has_texts) and is_alone and profile[answers].fits("grades"):
        return found | {
            "answers": None,
            "grades": answers,
        }  # `evaluate` calls grades predictions, too
    # Beside whole completions, `answer` is what was drawn from each: a reference is the same for all of a problem.
    used, is_whole = [*given.values(), *found.values()], normalize_name(answers) in WHOLE_TEXT
    other, is_drawn = None, False
    if (
        references is not None
        and "references" not in given
        and normalize_name(references) in OWN_ANSWER
    ):
        other = profile.find("references", used)
        if grades is None:
            is_drawn = other is not None
        else:
            is_drawn = profile.differs(references, found["problem"])
    if is_drawn and (is_whole or grades is not None):
        return found | {"references": other} | ({"answers": references} if is_whole else {})
    if is_whole:
        free = find_named([name for name in profile.columns if name not in used], ["answer"])
    else:
        free = []
    if free and profile.suits("answers", profile[free[0]]):
        return found | {"answers": free[0]}
    if is_whole and grades is not None:
        return found | {"answers": None}
    return found


def find_lists(profile: Profile, roles: Columns) -> set[str]:
    """Find the columns of samples in lists, and not those of answers such as the interval [0, 1] in CSV."""
    listed = {
        name
        for role in SAMPLE_ROLES
        if (name := roles[role]) is not None and profile[name].has_lists
    }
    if not any(isinstance(cell, Listed) for name in listed for cell in profile[name].there):
        return listed
    # It is an answer where most problems have several rows, where verdicts are not in lists, or where references are
    # such lists too.
    problem, references, answers, grades = (
        roles[role] for role in ("problem", "references", "answers", "grades")
    )
    if grades is not None:
        if grades in listed:
            return listed
        return set()
    repeats = problem is not None and 2 * profile[problem].distinct <= profile.count
    is_answer = repeats or (references is not None and _are_number_lists(profile[references]))
    if is_answer and answers is not None and _are_number_lists(profile[answers]):
        return set()
    return listed


def _are_number_lists(column: Column) -> bool:
    """Return whether all cells are lists in CSV that hold no text."""
    cells = column.cells
    return all(
        isinstance(cell, Listed) and not any(isinstance(part, str) for part in cell)
        for cell in cells
    )


def find_numbers(profile: Profile, others: Sequence[str]) -> list[str]:
    """Find the columns that number the samples of each problem."""
    named = [
        name
        for name in others
        if profile[name].spelling in SAMPLE_NUMBER and profile[name].numbers is not None
    ]
    return [
        name for name in named if profile[name].spelling != "seed" or profile[name].distinct > 1
    ]
