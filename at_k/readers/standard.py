"""From a table whose columns have roles to the standard columns: one entry per problem, all of them checked.

Columns in which nothing is out of the ordinary are read as a whole. Where anything is, the rows are read one by one,
which names the place of the first fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k.arrow import to_numpy
from at_k.caching import cached_property
from at_k.errors import InputError, Mention, Message
from at_k.readers.arrays import fill_numbers, make_array, make_lists, make_numbers, make_texts
from at_k.readers.cells import NOTHING, READERS, UnfitError, read_spelled, rescale
from at_k.readers.coding import Codes, count_distinct, encode, is_arrow, join_codes, list_cells, read_integers
from at_k.readers.collector import Collector
from at_k.readers.faults import UNITS, describe_place
from at_k.readers.format import Reading
from at_k.readers.grouping import Groups
from at_k.readers.json_lines import LineTable
from at_k.readers.models import MODEL_NAMES, has_name
from at_k.readers.plausibility import refuse_odd_names
from at_k.readers.quoting import quote, quote_all, shorten
from at_k.readers.samples import COUNT_ROLES, ROLES, SAMPLE_ROLES, Columns, Origin, Samples, Split, list_types
from at_k.readers.sources import Source
from at_k.readers.table import Cells, Table

_NAMES = {"answers": "answer", "grades": "grade", "scores": "score", "references": "references", "group": "group"}
"""Role → argument of `Collector.add`."""


class NothingToScoreError(InputError):
    """A table that does not say which samples are correct."""


def standardize(
    table: Table,
    roles: Mapping[str, str | None],
    *,
    numbered: Sequence[str] = (),
    errors: str = "raise",
    scale: tuple[float, float] | None = None,
) -> Samples:
    """Read the problems and samples of a table.

    A row is a problem if there is a list among the answers, grades and scores; else it is a sample.

    Args:
        table: the rows.
        roles: role → column. A role that is not given has no column.
        numbered: columns that number the samples of each problem, where each sample has a row of its own. Two samples
            of a problem cannot have the same numbers.
        errors: "skip" to leave out what is broken; the origin of the samples counts it by cause.
        scale: the worst and the best grade, where they are not 0 and 1.

    Raises:
        InputError: if a cell does not fit its role, naming row and column, or if no column says which samples are
            correct.

    Examples:
        >>> rows = [{"id": 1, "ok": True}, {"id": 2, "ok": True}, {"id": 1, "ok": False}]
        >>> standardize(Table("json", rows, ["id", "ok"]), {"problem": "id", "grades": "ok"}).grades
        [[1.0, 0.0], [1.0]]
    """
    refuse_unknown(table, roles)
    used = {role: roles.get(role) for role in ROLES}
    if used["grades"] is None and (used["answers"] is None or used["references"] is None):
        raise NothingToScoreError(
            "standard.nothing_to_score",
            "A column must say which samples are correct, or there must be a column of answers and one of references. "
            "The columns are: {columns}.",
            columns=quote_all(table),
        )
    sheet = _Sheet(table, used, numbered, scale)
    return _read_whole(sheet) or _read_strictly(sheet, errors)


def read_verdicts(source: Source, reading: Reading, problem: str, grade: str) -> Samples | None:
    """Read a file of JSON lines that have the name of a problem and a verdict, and no more that is needed.

    Returns:
        The samples, with a number for each line; None if anything is out of the ordinary: a row is to be chosen, broken
        or of one of several models, a name is no text, or a verdict is neither true nor false.
    """
    if reading.errors == "skip" or reading.columns or reading.where or reading.pool:
        return None
    try:
        table = LineTable(source)
        table.load([problem, grade])
        columns = {"problem": table[problem], "grades": table[grade]}
    except (InputError, KeyError):
        return None  # the strict reader says what is wrong
    kinds = [str(column.type) if is_arrow(column) and not column.null_count else "" for column in columns.values()]
    if kinds != ["string", "bool"] or any(has_name(name, MODEL_NAMES) for name in table) or not table.numbers_lines:
        return None
    return _read_whole(_Sheet(table, dict.fromkeys(ROLES) | {"problem": problem, "grades": grade}, ()))


class _Sheet:
    """A table whose columns have roles.

    Attributes:
        columns: role → its cells.
        listed: the first role whose cells hold lists of samples; None if each sample has a row of its own.
        numbers: the numbers of the samples, by each column that numbers them.
    """

    def __init__(
        self, table: Table, roles: Columns, numbered: Sequence[str], scale: tuple[float, float] | None = None
    ) -> None:
        self.table, self.roles, self.rows, self.scale = table, roles, table.rows, scale
        self.columns: dict[str, Cells] = {role: table[name] for role, name in roles.items() if name is not None}
        self.listed = next(
            (role for role in SAMPLE_ROLES if role in self.columns and has_lists(self.columns[role])), None
        )
        self.spelled = ("grades", "scores") if table.layout in ("csv", "tsv") else ()
        if roles["problem"] is None and self.listed is None:
            raise InputError(
                "standard.no_problem",
                "Each row is one sample, so a column must say which problem it belongs to. Name that column, or "
                "give each problem one row with lists such as [1, 0, 1]. If the number of the line says it, or the "
                "name of the file or of its folder, name that: {line}, {file} or {folder}.",
                **{name: Mention(columns={"problem": name}) for name in ("line", "file", "folder")},
            )
        found = {name: read_integers(table[name]) for name in (numbered if self.listed is None else ())}
        self.numbers = {name: numbers for name, numbers in found.items() if numbers is not None}

    @cached_property
    def first_listed(self) -> int:
        """The number of the first row with a list."""
        cells = list_cells(self.columns[self.listed or "answers"])
        return int(self.rows[next(place for place, cell in enumerate(cells) if isinstance(cell, list))])

    def place(self, row: int, role: str, sample: int | None = None) -> Message:
        """Describe the place of a role in a row, by the number of the row."""
        column = next(iter(self.numbers)) if role == "number" else self.roles.get(role)
        return UNITS["row"](row) if column is None else describe_place(row, column, sample)

    def read(self, role: str, value: object) -> Any:
        """Read a cell, or the value of a sample in it."""
        value = read_spelled(value) if role in self.spelled else value
        return READERS[role](rescale(value, self.scale) if role == "grades" else value)


def _read_strictly(sheet: _Sheet, errors: str) -> Samples:
    """Read a table row by row."""
    collector = Collector(Reading(errors=errors), place=sheet.place, read=sheet.read)
    columns = {role: list_cells(column) for role, column in sheet.columns.items()}
    of_problem = [role for role in ("group", "references") if role in columns]
    keys = [each.tolist() for each in sheet.numbers.values()]
    numbers = keys[0] if len(keys) == 1 else list(zip(*keys, strict=True))
    for position, row in enumerate(sheet.rows.tolist()):
        with collector.faults:
            cells = {role: column[position] for role, column in columns.items()}
            problem = cells.get("problem", str(row))
            collector.read("problem", problem, row)
            shared = {_NAMES[role]: collector.read(role, cells[role], row) for role in of_problem}
            samples = _list_samples(sheet, cells, row)
            if sheet.listed is None:
                collector.add(row, problem, number=numbers[position] if numbers else NOTHING, **samples[0], **shared)
            else:
                collector.add_problem(row, problem, samples, **shared)
    return collector.finish(Origin("plain", roles=sheet.roles), per_sample=sheet.listed is None)


def _list_samples(sheet: _Sheet, cells: Mapping[str, Any], row: int) -> list[dict[str, Any]]:
    """List the samples of a row, as `Collector.add` takes them.

    Raises:
        InputError: if it has no list where others have one, or lists of different lengths.
    """
    own = {role: cells[role] for role in SAMPLE_ROLES if role in cells}
    names = [_NAMES[role] for role in own]
    if sheet.listed is None:
        return [dict(zip(names, own.values(), strict=True))]
    first: tuple[str, int] | None = None
    for role, value in own.items():
        place = sheet.place(row, role)
        if not isinstance(value, list):
            raise InputError(
                "standard.no_list",
                'Each row must have a list of samples such as [1, 0] or ["a", "b"], as row {list_row} has in '
                "column “{list_column}”; got {value} ({place}).",
                list_row=sheet.first_listed,
                list_column=shorten(sheet.roles[sheet.listed] or ""),
                value=quote(value),
                place=place,
            )
        if not value:
            raise InputError(
                "standard.no_samples",
                "Every problem needs at least one sample; this list is empty ({place}).",
                place=place,
            )
        first = first or (sheet.roles[role] or "", len(value))
        if len(value) != first[1]:
            raise InputError(
                "standard.lengths",
                "The lists of a row must be equally long: the length of this one is {count:,}, and of that in "
                "column “{other}” {other_count:,} ({place}).",
                count=len(value),
                other=shorten(first[0]),
                other_count=first[1],
                place=place,
            )
    return [dict(zip(names, values, strict=True)) for values in zip(*own.values(), strict=True)]


def _read_whole(sheet: _Sheet) -> Samples | None:
    """Read the columns of a table as a whole; None if anything in them is out of the ordinary."""
    import pyarrow as pa

    coded = _read_names(sheet)
    values: dict[str, pa.Array] = {}
    lengths = None
    for role, column in sheet.columns.items():
        cells = column
        if sheet.listed is not None and role in SAMPLE_ROLES:
            n, cells = _flatten(column)
            lengths = n if lengths is None else lengths
            if not n.all() or (n != lengths).any():
                return None
        is_plain = role != "grades" or sheet.scale is None
        values[role] = (
            None if role == "problem" else _read_values(cells, role, partial(sheet.read, role), is_plain=is_plain)
        )
    if coded is None or any(found is None and role != "problem" for role, found in values.items()):
        return None
    problem, names = coded
    keys = list(sheet.numbers.values())
    if lengths is not None:
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        groups = Groups(None, offsets, np.arange(len(problem)))
        rows = Split(sheet.rows, np.arange(len(problem) + 1))
    else:
        groups = Groups.of(problem)
        rows = groups.split(sheet.rows)
        for role in {"references", "group"} & values.keys():
            said = sheet.table.coded(sheet.roles[role] or "").codes
            if (said != said[groups.firsts][problem]).any():
                return None
        if keys and count_distinct(join_codes([problem, *keys])) < len(problem):
            return None
    firsts = make_numbers(groups.firsts)
    columns = {"problem": names}
    for role in ROLES[1:]:
        if role in values:
            columns[role] = groups.list(values[role]) if role in SAMPLE_ROLES else values[role].take(firsts)
    samples = Samples(
        table=pa.table(columns),
        origin=Origin("plain", roles=sheet.roles),
        rows=rows,
        per_sample=sheet.listed is None,
        numbers=groups.split(np.stack(keys, axis=1) if len(keys) > 1 else keys[0]) if keys else None,
    )
    refuse_odd_names(samples)
    return samples


def _read_names(sheet: _Sheet) -> tuple[Codes, Any] | None:
    """Return the problem of each row as a number, and the names of the problems; None if one must be looked at."""
    column = sheet.roles["problem"]
    if column is None:
        return np.arange(len(sheet.rows)), make_texts(list(map(str, sheet.rows.tolist())))
    cells = sheet.columns["problem"]
    kinds = {str(cells.type)} if is_arrow(cells) else {type(cell).__name__ for cell in cells}
    codes, known = sheet.table.coded(column)
    names = list(map(str, known))
    if kinds not in ({"string"}, {"int64"}, {"str"}, {"int"}) or codes.min(initial=0) < 0 or not all(names):
        return None
    return None if sheet.listed is not None and len(names) < len(codes) else (codes, make_texts(names))


def has_lists(column: Cells) -> bool:
    """Return whether a column holds lists."""
    import pyarrow as pa

    return bool(pa.types.is_list(column.type)) if is_arrow(column) else any(isinstance(cell, list) for cell in column)


def _flatten(column: Cells) -> tuple[Codes, Cells]:
    """Return the length of each list, 0 for anything else, and their values one after the other."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not is_arrow(column):
        lists = [cell if isinstance(cell, list) else [] for cell in column]
        return np.fromiter(map(len, lists), np.int64, len(lists)), list(chain.from_iterable(lists))
    if not pa.types.is_list(column.type):
        return np.zeros(len(column), dtype=np.int64), column
    return fill_numbers(pc.list_value_length(column), 0), column.flatten()


def _read_values(values: Cells, role: str, read: Callable[[object], object], *, is_plain: bool) -> Any:
    """Read the values of a role; None if one is at fault."""
    import pyarrow as pa

    wanted = list_types()[role]
    wanted = wanted.value_type if role in SAMPLE_ROLES else wanted
    held = is_arrow(values)
    whole = None
    if held and is_plain:
        whole = _read_numbers(values, role) if wanted == pa.float64() else _read_texts(values, role)
    if whole is not None:
        return whole

    try:
        if not held and not {*map(type, values)} <= {str, type(None)}:
            return make_array(list(map(read, values)), wanted)
        # Few texts are different, as a rule: each is read once.
        codes, known = encode(values)
        codes = np.where(codes < 0, len(known), codes)
        distinct = [*map(read, known), *([read(None)] if codes.max(initial=0) == len(known) else [])]
        return make_array(distinct, wanted).take(make_numbers(codes))
    except UnfitError:
        return None


def _read_numbers(values: Any, role: str) -> Any:
    """Return grades or scores in double precision; None if they are of another type, or one is at fault."""
    import pyarrow as pa

    kind = values.type
    if not (
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or (role == "grades" and pa.types.is_boolean(kind))
    ):
        return None
    held, flags = to_numpy(values)
    numbers = held.astype(np.float64, copy=False)
    present: NDArray[np.bool_] = np.ones(len(numbers), dtype=bool) if flags is None else flags
    if role == "scores":
        right = np.isfinite(numbers) | ~present
    else:
        present = present & ~np.isnan(numbers)
        right = ((numbers >= 0) & (numbers <= 1)) | ~present
    return make_numbers(numbers, present) if right.all() else None


def _read_texts(values: Any, role: str) -> Any:
    """Return texts; None if they are of another type, or one that is needed is null or empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_integer(values.type):
        values = values.cast(pa.string())
    if not pa.types.is_string(values.type):
        return None
    if role != "answers" and (values.null_count or not fill_numbers(pc.binary_length(values), 0).all()):
        return None
    return make_lists(np.arange(len(values) + 1), values) if role == "references" else values


def refuse_unknown(table: Table, roles: Mapping[str, str | None]) -> None:
    """Raise unless all roles and their columns exist."""
    for role, column in roles.items():
        if role not in (*ROLES, *COUNT_ROLES):
            raise InputError(
                "standard.no_role",
                "There is no role {role}. The roles are: {roles}.",
                role=quote(role),
                roles=", ".join((*ROLES, *COUNT_ROLES)),
            )
        if column is not None and column not in table:
            raise InputError(
                "standard.no_column",
                "There is no column {column}. The columns are: {columns}.",
                column=quote(column),
                columns=quote_all(table),
            )
