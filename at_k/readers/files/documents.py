"""Open a file as rows, whatever its layout; a JSON document may hold them in many ways."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NoReturn

from at_k.errors import Mention, Message, Phrases
from at_k.readers.blocks import Block, Rows, find_field
from at_k.readers.cells import Cells
from at_k.readers.faults import UNITS, Faults
from at_k.readers.files import delimited, json_lines, parquet
from at_k.readers.files.archives import list_members
from at_k.readers.files.decoding import load_text, parse_all, refuse_faulty, require_object
from at_k.readers.files.sources import Source, refuse_foreign, refuse_many_rows
from at_k.readers.names import (
    PROBLEM,
    QUESTION,
    RIGHT,
    ROWS,
    RUN,
    SET,
    SHARE,
    SYSTEM,
    TOTAL,
    has_name,
    has_role,
    is_model,
    normalize_name,
    quote,
    quote_all,
    shorten,
)
from at_k.readers.numbering import count_runs, count_up, is_summary
from at_k.readers.tables.shapes import read_counts
from at_k.readers.words import judge

_say = Phrases(
    {
        "plain.zip": "No known harness wrote this zip file (`at-k formats` lists them). Its members are: {members}. "
        "Extract the one with the results, and give its path.",
        "plain.rows": "This document has rows under {paths}.\nName the key by {rows}.",
        "documents.no_rows": "There are no rows under {path} in this document. Rows are under: {paths}.",
        "tables.named": "Each name in this file was read as a problem: {names}.",
        "tables.unequal_columns": "All columns must be equally long: the length of “{column}” is {count:,}, and that "
        "of “{other}” is {other_count:,}.",
    }
)


def open_rows(source: Source, errors: str = "raise", path: str | None = None) -> Rows:
    """Open a file as rows."""
    layout, faults = source.layout, Faults(errors)
    if layout == "zip":
        _refuse_zip(source)
    if path is not None or layout == "json":
        rows, notes = _list_rows(source, path)
        return Rows(
            "json", lambda _: iter([Block.of(range(1, len(rows) + 1), rows)]), faults, notes
        )
    if layout in ("parquet", "arrow"):
        return Rows(layout, lambda names: parquet.read_blocks(source, names), faults)
    if layout == "jsonl":
        return Rows(layout, lambda names: json_lines.read_blocks(source, names, faults), faults)
    return delimited.open_csv(source, faults)


def _refuse_zip(source: Source) -> NoReturn:
    """Raise because a zip file or a spreadsheet is no table."""
    if any(member.startswith("xl/workbook") for member in list_members(source)):
        refuse_foreign(b"xl/workbook")
    raise _say.error("plain.zip", members=quote_all(list_members(source)) or "none")


Row = dict[str, Any]

# Fields that hold the text of a problem, and are no name where another one names it.
_TEXT = {*QUESTION} - {"problem", "问题", "題目"}


def _list_rows(source: Source, path: str | None = None) -> tuple[list[Row], list[Message]]:
    """List the rows of a JSON document, or those under a key of it, and what is to be said of how they were found."""
    if path is not None and source.layout == "jsonl":
        whole: Any = [row for _, row in source.rows()]
        if len(whole) == 1:
            whole = whole[0]
    else:
        with source.open_text() as file:
            whole = load_text(file.read(), parse_all)
    if path is None:
        found = whole
    else:
        found = _find_rows(whole, path)
    rows = arrange(found)
    refuse_many_rows(len(rows), source.limits)
    for number, row in enumerate(rows, 1):
        place = UNITS["row"](number)
        refuse_faulty(row, place)
        require_object(row, place)
    problems = dict.fromkeys(name for row in rows if isinstance(name := row.get("problem"), str))
    if (
        problems
        and rows is not found
        and rows != [found]
        and {*_list_names(found)} >= problems.keys()
    ):
        return rows, [_say("tables.named", names=quote_all(problems))]
    if rows == [found] and path is None and not any(map(has_role, rows[0])):
        _refuse_nested(rows[0])
    return rows, []


def _list_names(whole: Any, depth: int = 4) -> Iterator[str]:
    """List the names in a document, those within objects and lists too."""
    if isinstance(whole, dict):
        yield from whole
        whole = [*whole.values()]
    if isinstance(whole, list) and depth:
        for value in whole:
            yield from _list_names(value, depth - 1)


def _find_rows(whole: Any, path: str) -> Any:
    if isinstance(whole, dict) and path in whole:
        names = [path]
    else:
        names = path.split(".")
    found = find_field(whole, names)
    if isinstance(found, list) and any(isinstance(each, list) for each in found):
        found = [row for each in found for row in (each if isinstance(each, list) else [each])]
    if not isinstance(found, (list, dict)) or not found:
        raise _say.error(
            "documents.no_rows", path=quote(path), paths=quote_all(list_paths(whole)) or "none"
        )
    return found


def list_paths(whole: Any, outer: str = "") -> list[str]:
    """List the keys of a document that hold a list of objects, or an object of objects, with dots.

    Examples:
        >>> list_paths({"run": {"scores": [{"id": 1}]}, "args": {"k": 1}})
        ['run.scores']
    """
    found: list[str] = []
    for name, value in whole.items() if isinstance(whole, dict) else ():
        path = f"{outer}{name}"
        if isinstance(value, dict) and len(value) > 1:
            parts = [*value.values()]
        else:
            parts = []
        if (
            _is_table(value)
            or _is_table(parts)
            or (parts and all(isinstance(part, list) for part in parts))
        ):
            found.append(path)
        elif isinstance(value, dict) and path.count(".") < 4:
            found += list_paths(value, f"{path}.")
    return found


def _refuse_nested(whole: Row) -> None:
    """Raise if the rows of a document are under a key that is not known, and name it."""
    are_verdicts = [
        isinstance(own, dict) and _read_verdicts(own, (0, 1, None)) is not None
        for own in whole.values()
    ]
    if len(whole) > 1 and all(are_verdicts):
        paths = [*whole]
    else:
        paths = list_paths(whole)
    if paths:
        ways = {f"key {path}": Mention(rows_at=path) for path in paths}
        rows = Mention("rows_at") if len(paths) > 1 else ways[f"key {paths[0]}"]
        raise _say.error("plain.rows", paths=quote_all(paths), rows=rows, **ways)


def arrange(whole: Any) -> list[Any]:
    """Return the rows of a document: a list, the columns of a table, objects by their names, or one problem.

    Examples:
        >>> arrange({"p0": [True, False]})
        [{'problem': 'p0', 'correct': [True, False]}]
    """
    if isinstance(whole, list):
        return _read_rows(whole) or whole
    if not isinstance(whole, dict):
        return [whole]
    if _holds_columns(whole):
        return _read_grid(whole) or _read_columns(whole)
    shapes = (
        _read_only,
        _read_saved,
        _read_grid,
        _read_runs,
        _read_objects,
        _read_list,
        _read_lists,
        _read_verdicts,
        _read_spelled,
    )
    return next(filter(None, (read(whole) for read in shapes)), None) or [whole]


def holds_one_row(document: object) -> bool:
    """Return whether a JSON document is one sample, or one problem.

    Examples:
        >>> holds_one_row({"id": 1, "correct": [1, 0]}), holds_one_row({"p0": [1, 0], "p1": [1, 1]})
        (True, False)
    """
    return isinstance(document, dict) and bool(document) and arrange(document) == [document]


def are_grades(lists: Iterable[list[Any]]) -> bool:
    """Return whether lists hold numbers and truth values alone."""
    return all(value is None or isinstance(value, (int, float)) for each in lists for value in each)


def _holds_columns(whole: Row) -> bool:
    """Return whether an object holds the columns of a table; else it is one problem, or several by their names."""
    if not all(isinstance(column, list) for column in whole.values()) or all(
        map(_is_table, whole.values())
    ):
        return False
    names = set(map(normalize_name, whole))
    return (
        count_runs([*whole])  # runs, or samples, of all problems
        or bool(names & {*PROBLEM} or (names & {*TOTAL} and names & {*RIGHT}))
        or any(isinstance(cell, list) for column in whole.values() for cell in column)
    )


def _read_columns(whole: Row) -> list[Any]:
    first = next(iter(whole))
    for name, column in whole.items():
        if len(column) != len(whole[first]):
            told = {"column": shorten(first), "count": len(whole[first]), "other": shorten(name)}
            raise _say.error("tables.unequal_columns", **told, other_count=len(column))
    return [dict(zip(whole, cells, strict=True)) for cells in zip(*whole.values(), strict=True)]


def _read_only(whole: Row) -> list[Row] | None:
    """Read the problems under a key, which may be beside what is said of all: `{"problems": {"p0": {"runs": [{…}]}}}`.

    Beside that, they must be judged: `{"model": "a", "results": {"p0": {"ok": true}}}`.
    """
    said = _list_said(whole)
    below = [name for name in whole if name not in said]
    is_outer = len(below) == 1 and normalize_name(below[0]) in (*ROWS, *_OUTER)
    if not is_outer or any(map(has_role, said)):
        return None
    held = whole[below[0]]
    if not isinstance(held, dict) or not all(isinstance(each, dict) for each in held.values()):
        return None
    rows = arrange(held)
    if rows == [held] or (said and not all(map(_is_judged, rows))):
        return None
    return [_list_shared(said) | row for row in rows]


def _is_judged(row: Row) -> bool:
    return any(isinstance(cell, bool) or judge(cell) is not None for cell in row.values())


def _list_shared(said: Row) -> Row:
    """Return the model and the set of problems that are said of all rows."""
    return {
        name: value for name, value in said.items() if is_model(name) or normalize_name(name) in SET
    }


def _read_spelled(whole: Row) -> list[Row] | None:
    """Read a text for each problem that tells of all its samples: `{"p0": "3/5"}`, `{"p0": "✓✗✓", "p1": "✗✗✗"}`."""
    if not whole or any(map(has_role, whole)) or not all(map(_is_text, whole.values())):
        return None
    reads = Cells()
    are_counts = all(read_counts(each, each) for each in whole.values())
    are_signs = len(whole) > 1 and all(reads.split(each) for each in whole.values())
    if are_counts or are_signs:
        return [{"problem": name, "correct": each} for name, each in whole.items()]
    return None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


# Keys above the problems of a document.
_OUTER = ("problems", "tasks", "questions", "cases", "instances")


def _read_saved(whole: Row) -> list[Row] | None:
    """Read the samples in what the page Score saves as everything: `{"options": {…}, "samples": {"problem": […]}}`."""
    samples = whole.get("samples")
    if "signatures" not in whole or not isinstance(samples, dict) or not _holds_columns(samples):
        return None
    return arrange(samples)


def _read_grid(whole: Row) -> list[Row] | None:
    """Read names and rows that are apart: `{"columns": ["id", "ok"], "data": [[1, true]]}`, of pandas and W&B."""
    names, rows = whole.get("columns"), whole.get("data")
    if not isinstance(names, list) or not isinstance(rows, list):
        return None
    if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        return None
    return [dict(zip(map(str, names), row, strict=True)) for row in rows]


def _read_objects(whole: Row) -> list[Row] | None:
    """Read objects: one for each column, with a name for each row, as pandas writes them, or one for each problem."""
    objects = list(whole.values())
    if not objects or not all(isinstance(each, dict) for each in objects):
        return None
    # Columns of pandas number their rows, and hold texts and numbers; problems number their verdicts.
    are_texts = {isinstance(cell, str) for each in objects for cell in [*each.values()][:1]}
    are_columns = len(are_texts) > 1 and [*objects[0]] == [*map(str, range(len(objects[0])))]
    are_alike = all(each.keys() == objects[0].keys() for each in objects)
    if are_alike and (are_columns or any(map(has_role, whole))):
        return _turn(whole)
    if all(map(str.isdigit, whole)):
        return objects
    named = any(
        has_role(name) and not _is_named(cell) for each in objects for name, cell in each.items()
    )
    are_several = are_alike and len(objects) > 1
    if named or (are_several and not count_runs([*objects[0]])):
        return _name_rows(whole.items())
    return None


def _turn(columns: Mapping[str, Row]) -> list[Row]:
    """Return the rows of columns that are objects, with their names as those of problems where they have any."""
    rows: dict[str, Row] = {}
    for row in next(iter(columns.values())):
        rows[row] = {name: cells[row] for name, cells in columns.items()}
    named = None
    if not all(map(str.isdigit, rows)):
        named = _name_rows(rows.items())
    return named or [*rows.values()]


def _read_rows(whole: list[Any]) -> list[Row] | None:
    """Read rows that are lists, verdicts of one problem each, or runs."""
    if any(isinstance(row, dict) for row in whole):
        return _read_runs(whole)
    lists = [whole]  # a column without rows
    if whole and all(isinstance(row, list) for row in whole):
        lists = whole
        if _are_tables(whole):
            return [*chain.from_iterable(whole)]
        names, *rows = whole
        are_equal = bool(rows) and len({*map(len, whole)}) == 1
        if are_equal and _are_names(names):
            return [dict(zip(names, row, strict=True)) for row in rows]
        if _are_named(whole) or _are_numbers(whole):
            return list(map(_number_cells, whole))
    name = "correct" if are_grades(lists) else "answers"
    return [{name: row} for row in whole]


def _are_tables(lists: list[list[Any]]) -> bool:
    """Return whether lists are tables of the same problems, appended to each other, and not the samples of each."""
    if len(lists) < 2 or not all(map(_is_named, lists)):
        return False
    first, second = (set(map(repr, map(_find_name, rows))) for rows in lists[:2])
    return len(first) > 1 and not first.isdisjoint(second)


def _are_named(rows: list[list[Any]]) -> bool:
    """Return whether rows without names of columns are the name of a problem, and its verdicts: ["p0", true]."""
    behind = [cell for row in rows for cell in row[1:]]
    lists = [cell if isinstance(cell, list) else [cell] for cell in behind]
    are_alike = (
        bool(behind)
        and len({*map(len, rows)}) == 1
        and all(isinstance(row[0], str) for row in rows)
    )
    return are_alike and are_grades(lists)


def _are_names(cells: list[Any]) -> bool:
    """Return whether the cells of a first row are names of columns: ["id", "correct"], as a sheet has them."""
    are_texts = all(isinstance(cell, str) for cell in cells)
    return are_texts and any(map(_names_problem, cells)) and any(map(has_role, cells))


def _are_numbers(rows: list[list[Any]]) -> bool:
    """Return whether pairs of whole numbers are n and c, or the number of a problem and a verdict."""
    are_pairs = all(len(row) == 2 and {*map(type, row)} <= {int} for row in rows)
    if not are_pairs or max(row[0] for row in rows) < 2:
        return False
    are_verdicts = {row[1] for row in rows} <= {0, 1} and len({row[0] for row in rows}) < len(rows)
    return are_verdicts or all(0 <= right <= total for total, right in rows)


def _number_cells(row: list[Any]) -> Row:
    return {f"column {number}": cell for number, cell in enumerate(row, 1)}


def _read_runs(whole: Any) -> list[Row] | None:
    """Read runs that name the problems, in a list or numbered: `{"run1": {"p0": true}, "run2": {"p0": false}}`."""
    runs, is_named = whole, False
    if isinstance(whole, dict):
        said = _list_said(whole)
        lists = [name for name in whole if isinstance(whole[name], list)]
        is_named = [normalize_name(name).rstrip("s") in RUN for name in lists] == [True]
        is_beside = is_named and len(said) == len(whole) - 1
        if len(whole) == len(lists) == 1 or (is_beside and not any(map(_names_problem, said))):
            runs = whole[lists[0]]
        elif count_runs([*whole]):
            runs, is_named = [*whole.values()], True
        else:
            return None
    rows, listed, is_told = list[Row](), "", is_named
    for run in runs:
        if not isinstance(run, dict):
            return None
        said = _list_said(run)
        table = _find_table(run, said, is_named=is_named)
        if table is not None:
            shared = {name: value for name, value in said.items() if name not in SHARE}
            rows += [shared | row for row in run[table]]
            listed, is_told = table, is_told or bool(said)
            continue
        found = _read_run(run, is_named=is_named)
        if found is None or "problem" not in found[0]:
            return None
        rows += found
    if listed and not is_told:
        path = ".".join([*(whole if isinstance(whole, dict) else ()), listed])
        raise _say.error("plain.rows", paths=quote(path), rows=Mention(rows_at=path))
    return rows if len(runs) > 1 or listed else None


def _find_table(run: Row, said: Row, *, is_named: bool) -> str | None:
    """Return the key of the rows of a run: `{"seed": 0, "results": [{"id": "p0", "ok": true}]}`."""
    tables = [
        name for name, value in run.items() if _is_named(value) and normalize_name(name) in ROWS
    ]
    if len(tables) != 1 or any(map(has_role, run)):
        return None
    # A text may name the problem, of which the entries are numbered samples.
    are_texts = bool(said) and all(map(_is_text, said.values()))
    is_told = is_named or any(has_name(name, (*RUN, *SYSTEM)) for name in said)
    is_problem = are_texts and not is_told
    if is_problem and count_up([*map(_find_name, run[tables[0]])]):
        return None
    return tables[0]


def _read_run(run: Row, *, is_named: bool) -> list[Row] | None:
    """Read the verdicts of a run, which may be beside what is said of it: `{"seed": 0, "results": {"p0": true}}`."""
    # Elsewhere, truth values may say what one sample was checked for.
    objects = [name for name, value in run.items() if isinstance(value, dict)]
    beside = {name: value for name, value in run.items() if name not in objects}
    are_known = bool(beside) and all(has_name(name, (*RUN, *SYSTEM)) for name in beside)
    is_beside = len(objects) == 1 and (are_known or normalize_name(objects[0]) in ROWS)
    if not is_beside or any(map(has_role, beside)):
        return _read_objects(run) or (_read_verdicts(run, (0, 1, None)) if is_named else None)
    verdicts = run[objects[0]]
    found = _read_objects(verdicts) or _read_verdicts(verdicts, (0, 1, None)) or []
    return [beside | row for row in found] or None


def _list_said(whole: Row) -> Row:
    """Return the texts and numbers of an object, which are said of the rows in it."""
    return {name: value for name, value in whole.items() if isinstance(value, (str, int, float))}


def _read_list(whole: Row) -> list[Row] | None:
    """Read the only list of rows, beside what is said of all of them: `{"model": "a", "results": [{…}, {…}]}`."""
    # Beside results, `problems` is their number, or what they ask.
    others = {name: value for name, value in whole.items() if normalize_name(name) != "problems"}
    if any(map(_is_table, others.values())):
        whole = others
    tables = {name: rows for name, rows in whole.items() if _is_table(rows)}
    listed = [
        name for name, rows in tables.items() if normalize_name(name) in ROWS or _is_named(rows)
    ]
    # Of several lists of samples, a user names one.
    if len(listed) != 1 or normalize_name(listed[0]) not in (*ROWS, *_OUTER):
        return None
    if any(_names_problem(name) for name in whole if name != listed[0]):
        return None
    shared = _list_shared(_list_said(whole))
    return [shared | row for row in tables[listed[0]]]


def _read_lists(whole: Row) -> list[Row] | None:
    """Read a list of samples for each problem, under its name: `{"p0": [true, false], "p1": [true, true]}`."""
    runs = [each for each in whole.values() if isinstance(each, dict)]
    if len(runs) == len(whole) and all(each and count_runs([*each]) for each in runs):
        whole = {name: [*each.values()] for name, each in whole.items()}
    lists = [each for name, each in whole.items() if isinstance(each, list) or not is_summary(name)]
    if any(map(has_role, whole)) or not all(isinstance(each, list) for each in lists):
        return None
    filled = [each for each in lists if each]
    if not filled or (len(filled) < len(lists) and not are_grades(filled)):
        return None
    if all(map(_is_table, lists)):
        return _name_rows(
            (name, row) for name, rows in whole.items() if isinstance(rows, list) for row in rows
        )
    if _are_numbers(lists):
        return [{"problem": name} | _number_cells(own) for name, own in whole.items()]
    role = "correct" if are_grades(lists) else "answers"
    return [{"problem": name, role: own} for name, own in whole.items()]


def _read_verdicts(whole: Row, known: Collection[object] = ()) -> list[Row] | None:
    """Read a verdict for each problem: `{"p0": true, "p1": false}`, `{"p0": "pass", "p1": "fail"}`."""
    are_known = all(
        isinstance(each, bool) or judge(each) is not None or each in known
        for each in whole.values()
    )
    if (
        len(whole) < (1 if known else 2)
        or any(map(has_role, whole))
        or count_runs([*whole])
        or not are_known
    ):
        return None
    return [{"problem": name, "correct": verdict} for name, verdict in whole.items()]


def _is_table(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _is_named(value: Any) -> bool:
    """Return whether a value is a list of objects that name their problems."""
    return _is_table(value) and any(_names_problem(name) for row in value for name in row)


def _find_name(row: Row) -> Any:
    """Return what names the problem of a row; None if nothing does."""
    return next((row[name] for name in row if _names_problem(name)), None)


def _names_problem(name: str) -> bool:
    return normalize_name(name) in PROBLEM


def _name_rows(named: Iterable[tuple[str, Row]]) -> list[Row] | None:
    """Return rows with the name of their problem; None if they have one already, so that it is of something else."""
    listed = list(named)
    names = {*PROBLEM} - {*_TEXT}  # a question is no other name of a problem
    if any(normalize_name(name) in names for _, row in listed for name in row):
        return None
    return [{"problem": name} | row for name, row in listed]
