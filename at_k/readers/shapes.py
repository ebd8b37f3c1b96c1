"""Tables in which samples are not rows, nor lists: what they are told by is put into columns of lists.

A declaration of a shape turns a table into another one; from there all tables take the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from at_k.errors import InputError, Mention, Message
from at_k.readers.cells import count_fits, is_finite, read_spelled
from at_k.readers.coding import count_distinct, list_cells
from at_k.readers.faults import UNITS, Faults, describe_place
from at_k.readers.format import find_path
from at_k.readers.quoting import normalize_name, quote, shorten
from at_k.readers.roles import NAMES, list_first_cells
from at_k.readers.samples import Columns
from at_k.readers.standard import refuse_unknown
from at_k.readers.table import Table

_NUMBERED = re.compile(r"(.*?[^\W\d])[\s._\[(#-]*(\d+)[\])]?")
"""A name with a number at its end: answer_1, run[0]; not pass@1, which sums up samples."""

_RUNS = ("run", "trial", "attempt", "seed", "rollout", "try", "repeat", "epoch")
"""Names of columns that hold one sample each, if they are numbered."""

_TOTALS = ("n", "num_samples", "n_samples", "samples", "num_trials", "n_trials", "trials", "num_attempts", "total")
_RIGHT = ("c", "num_correct", "n_correct", "num_passed", "n_passed", "num_success", "correct", "passed", "successes")
"""Names of columns that count the samples of a problem, and the correct ones among them."""

_OF_SAMPLES = {*NAMES["grades"].split(), "answer", "prediction", "pred", "extracted_answer", "predicted_answer"}
"""Fields that show that objects in a list are samples, and not the messages of a conversation."""


_LISTS = (
    *("samples", "sample", "responses", "outputs", "generations", "completions", "predictions", "answers"),
    *("runs", "trials", "attempts", "rollouts", "epochs", "results"),
)
"""Names of columns of samples. Other lists of objects may be options of a question, tests, or parts of a task."""


def add_fields(table: Table, names: Iterable[str | None]) -> Table:
    """Add the columns that a user named and that the file does not have: nested fields, and `line`.

    Examples:
        >>> table = Table("json", [{"id": 1, "judged": {"by": {"rule": True}}}], ["id", "judged"])
        >>> table = add_fields(table, ["judged.by.rule", "line"])
        >>> table["judged.by.rule"], table["line"]
        ([True], [1])
    """
    for name in names:
        if name is None or name in table:
            continue
        outer = next((column for column in table if str(name).startswith(f"{column}.")), None)
        if name == "line":
            table = table.add(name, table.rows.tolist())
        elif outer is not None:
            path = name[len(outer) + 1 :].split(".")
            cells = [find_path(cell, path) for cell in list_cells(table[outer])]
            if any(cell is not None for cell in cells):
                table = table.add(name, cells)
    return table


def list_samples(
    table: Table,
    given: Mapping[str, str | None],
    likely: Columns,
    counts: Mapping[str, str | None] | None = None,
    errors: str = "raise",
) -> tuple[Table, list[Message]]:
    """Put the samples of each problem into lists, where they are told by counts, by several columns, or in objects.

    Args:
        table: the rows.
        given: role → column, where the user named it.
        likely: role → column, as it is guessed for the table as it is.
        counts: the columns of n and of c, where the user named them.
        errors: "skip" to leave out the rows whose counts cannot be used.

    Returns:
        The table, and what is to be said about it.

    Raises:
        InputError: if a count is no whole number, or more samples are correct than there are.

    Examples:
        >>> from at_k.readers.roles import guess_roles
        >>> table = Table("json", [{"task": "a", "n": 3, "c": 1}], ["task", "n", "c"])
        >>> list_samples(table, {}, guess_roles(table))[0]["grades"]
        [[1, 0, 0]]
    """
    counts = counts or {}
    if given.get("grades") is not None and not counts:
        return table, []
    counted = _spread_counts(table, likely, counts, Faults(errors))
    if counted is not None:
        return counted
    if likely["grades"] is not None or None not in (likely["answers"], likely["references"]):
        return table, []
    table, notes = _unfold_objects(table)
    return (table, notes) if notes else _fold_columns(table, likely)


def _spread_counts(
    table: Table, likely: Columns, counts: Mapping[str, str | None], faults: Faults
) -> tuple[Table, list[Message]] | None:
    """Make a list of grades of how many samples a problem has, and how many of them are correct."""
    refuse_unknown(table, counts)
    spelled = {normalize_name(name): name for name in table}
    total, right = (
        counts.get(role) or next((spelled[name] for name in names if name in spelled), None)
        for role, names in (("n", _TOTALS), ("c", _RIGHT))
    )
    if total is None or right is None:
        if counts:
            raise InputError(
                "shapes.one_count",
                "Counts need two columns: n, the number of samples of each problem, and c, that of the correct ones. "
                "Name both: {example}.",
                example=Mention(columns={"n": "total", "c": "solved"}),
            )
        return None
    cells = {name: list_cells(table[name]) for name in (total, right)}
    held = {name: list(map(_read_count, own)) for name, own in cells.items()}
    if not counts and not _are_counts(table, likely, right, held):
        return None
    grades: list[list[int]] = [[]] * len(table.rows)
    for place, (row, n, c) in enumerate(zip(table.rows.tolist(), held[total], held[right], strict=True)):
        with faults:
            if n is None or c is None:
                name = total if n is None else right
                raise InputError(
                    "shapes.count",
                    "A count of samples must be a whole number from 0 to {most:,}; got {value} ({place}).",
                    most=_MOST,
                    value=quote(cells[name][place]),
                    place=describe_place(row, name),
                )
            if not n or c > n:
                raise InputError(
                    "shapes.counts",
                    "Column “{right}” must count the correct samples among those that column “{total}” counts; got "
                    "{correct} of {count} ({place}).",
                    right=shorten(right),
                    total=shorten(total),
                    correct=c,
                    count=n,
                    place=UNITS["row"](row),
                )
            grades[place] = [1] * c + [0] * (n - c)
    note = Message(
        "shapes.counted",
        "Columns “{total}” and “{right}” were read as the number of samples and of correct ones.",
        total=shorten(total),
        right=shorten(right),
    )
    table.skipped.update(faults.causes)
    spread = table.replace([total, right], {"grades": grades})
    kept = [place for place, own in enumerate(grades) if own]
    if not kept:
        faults.refuse_nothing_left()
    return (spread.take(kept) if faults.causes else spread), [note]


def _are_counts(table: Table, likely: Columns, right: str, held: Mapping[str, Sequence[int | None]]) -> bool:
    """Return whether columns with names of counts are such, by their cells and by what else the table has."""
    if likely["problem"] is None:
        return False
    is_rare = count_distinct(table.coded(likely["problem"]).codes) < len(table.rows)
    if normalize_name(right) in ("correct", "passed"):  # these may be verdicts, beside a constant n
        return not is_rare and max((count for count in held[right] if count is not None), default=0) > 1
    is_odd = is_rare or any(None in own for own in held.values())
    return not is_odd or (likely["grades"] is None and None in (likely["answers"], likely["references"]))


_MOST = 1_000_000
"""Samples of one problem that a count can stand for: each becomes a grade."""


def _read_count(cell: object) -> int | None:
    """Read a count, also as pandas spells it in a column that has gaps (4.0); None for anything else."""
    value = read_spelled(cell)
    return int(value) if is_finite(value) and value == int(value) and 0 <= value <= _MOST else None


def _unfold_objects(table: Table) -> tuple[Table, list[Message]]:
    """Put a column for each field in place of a column of lists of objects: `samples: [{text, correct}]`."""
    for outer in list(table):
        parts = [part for cell in table.first(outer) if isinstance(cell, list) for part in cell]
        fields = dict.fromkeys(name for part in parts if isinstance(part, dict) for name in part)
        if not {*map(normalize_name, fields)} & _OF_SAMPLES or normalize_name(outer) not in _LISTS:
            continue
        cells = list_cells(table[outer])
        columns = {
            # A text beside a verdict is what was written; elsewhere it is the question.
            ("response" if name == "text" else name): [
                [part.get(name) if isinstance(part, dict) else part for part in cell]
                if isinstance(cell, list)
                else cell
                for cell in cells
            ]
            for name in fields
        }
        renamed = {
            name if name not in table or name == outer else f"{outer}.{name}": own for name, own in columns.items()
        }
        note = Message(
            "shapes.unfolded",
            "The objects in column “{column}” were read as the samples of each problem.",
            column=shorten(outer),
        )
        return table.replace([outer], renamed), [note]
    return table, []


def _fold_columns(table: Table, found: Columns) -> tuple[Table, list[Message]]:
    """Put one column of lists in place of those that are numbered: `answer_1` … `answer_8`, `run_0` … `run_3`."""
    families: dict[str, list[tuple[int, str]]] = {}
    for name in table:
        match = _NUMBERED.fullmatch(normalize_name(name))
        if match:
            families.setdefault(match[1], []).append((int(match[2]), name))
    notes = []
    for stem, listed in families.items():
        numbers, columns = zip(*sorted(listed), strict=True)
        counts = len(numbers) > 1 and numbers == tuple(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] < 2
        role = _find_role(table, stem, columns, found) if counts or (stem in _RUNS and len(numbers) > 1) else None
        if role is None or found[role] is not None or role in table:
            continue
        cells = [list(row) for row in zip(*(list_cells(table[name]) for name in columns), strict=True)]
        table = table.replace(columns, {role: cells})
        notes.append(
            Message(
                "shapes.folded",
                "The {count} columns from {first} to {last} were read as samples of each problem.",
                count=len(columns),
                first=quote(columns[0]),
                last=quote(columns[-1]),
            )
        )
    return table, notes


def _find_role(table: Table, stem: str, columns: Sequence[str], found: Columns) -> str | None:
    """Find the role of columns that have one name and different numbers; None if they are no samples."""
    if stem in NAMES["scores"].split():
        return "scores"
    if stem in NAMES["grades"].split():
        return "grades"
    if stem not in (*_RUNS, *NAMES["answers"].split()):
        return None
    first = [cell for name in columns for cell in list_first_cells(table, "grades", name)]
    are_grades = found["references"] is None and count_fits("grades", first) == len(first)
    return "grades" if are_grades else "answers"
