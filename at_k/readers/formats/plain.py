"""A table with columns of any names: JSON, JSONL, CSV, TSV or Parquet, a row for each problem or for each sample."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from at_k.errors import InputError, Mention, Message
from at_k.readers.arrays import make_texts
from at_k.readers.cells import can_read
from at_k.readers.coding import list_cells
from at_k.readers.format import Format, Reading
from at_k.readers.lines import name_lines
from at_k.readers.models import MODEL_NAMES, SET_NAMES, STEP_NAMES, find_nested, has_name, select_rows
from at_k.readers.plausibility import find_questions, refuse_contradiction, refuse_several_sets
from at_k.readers.prompts import join_prompts
from at_k.readers.quoting import normalize_name, quote, quote_all, shorten
from at_k.readers.roles import (
    SAMPLE_NUMBERS,
    VERDICT_NAMES,
    guess_roles,
    list_first_cells,
    settle_lists,
)
from at_k.readers.samples import COUNT_ROLES, Columns, Samples
from at_k.readers.shapes import add_fields, list_samples
from at_k.readers.sources import Source
from at_k.readers.standard import NothingToScoreError, standardize
from at_k.readers.table import PROBLEM_NAMES, Table, list_named
from at_k.readers.tables import open_table

if TYPE_CHECKING:
    import pyarrow as pa


def _read(source: Source, reading: Reading) -> Samples:
    try:
        table = _add_places(open_table(source, reading.errors), source, reading)
        samples = collect_samples(table, reading)
    except InputError as error:
        named = name_lines(error.message, source)
        if isinstance(error, NothingToScoreError):
            raise InputError(
                "plain.unknown",
                "No known harness wrote this file (`at-k formats` lists them), and as a table ({layout}) it does not "
                "say which samples are correct: there is no column of verdicts, nor one of answers and one of "
                "references. Its columns are: {columns}. Say which is which, for instance {example}.",
                layout=table.layout,
                columns=quote_all(table),
                example=Mention(columns={"problem": "qid", "grades": "is_right"}),
            ) from None
        raise type(error)(named.code, named.sentence, **named.values) from None
    skipped = {name_lines(cause, source): count for cause, count in samples.origin.skipped.items()}
    return replace(samples, origin=replace(samples.origin, skipped=skipped))


def _add_places(table: Table, source: Source, reading: Reading) -> Table:
    """Add the names of the file and of its folder, if the user named them, or if they alone say which problem it is."""
    named = [name for name in ("file", "folder") if name in reading.columns.values() and name not in table]
    if not named and (not source.files or "problem" in reading.columns or list_named(table, PROBLEM_NAMES)):
        return table  # the rows are not counted, which takes as long as reading them
    paths = [Path(name) for name in source.files] or [Path(*reversed(source.folders[:1]), source.name)]
    lines = [row - 1 if source.files else 0 for row in table.rows.tolist()]
    places = {"file": [path.name.partition(".")[0] for path in paths], "folder": [path.parent.name for path in paths]}
    for name in named:
        table = table.add(name, [places[name][line] for line in lines])
    if not named and len({*places["file"]}) == len(lines):
        table = table.add("problem", [places["file"][line] for line in lines])
    return table


def collect_samples(table: Table, reading: Reading | None = None) -> Samples:
    """Read the samples of a table, whose columns may have any names.

    Args:
        table: the rows.
        reading: how they are to be read.

    Raises:
        InputError: if the samples cannot be read, or are of several models.
        TypeError: if the columns of roles, or those of `where`, are not a mapping.

    Examples:
        >>> rows = [{"model": "a", "id": 1, "correct": 1}, {"model": "b", "id": 1, "correct": 0}]
        >>> collect_samples(Table("json", rows, ["model", "id", "correct"]), Reading(where={"model": "b"})).grades
        [[0.0]]
    """
    reading = reading or Reading()
    counts = {role: name for role, name in dict(reading.columns).items() if role in COUNT_ROLES}
    given = {role: name for role, name in dict(reading.columns).items() if role not in COUNT_ROLES}
    chosen = [*(reading.where if isinstance(reading.where, Mapping) else ()), *reading.pool]
    table = add_fields(_add_nested(table), [*given.values(), *counts.values(), *chosen])
    likely = _read_ahead(table, given, chosen)
    table, notes = list_samples(table, given, likely, counts, errors=reading.errors)
    table = settle_lists(table, given)
    roles = guess_roles(table, given, reading.scale) | given
    used = [column for column in roles.values() if column is not None]
    rows = select_rows(table, where=reading.where, pool=reading.pool, used=used)
    kept = table if rows is None else table.take(rows)
    if reading.prompt_column is not None:
        for role, cells in join_prompts(kept, roles, reading.prompt_column).items():
            kept = kept.add(roles[role] or role, cells)
    others = [name for name in kept.names if name not in used and name not in reading.pool]
    refuse_several_sets(kept, roles["problem"], others)
    # The samples of several models may have the same numbers.
    is_pooled = any(name in kept for name in reading.pool)
    numbered = [] if is_pooled else [name for name in list_named(kept, SAMPLE_NUMBERS) if name in others]
    numbered = [name for name in numbered if normalize_name(name) != "seed" or len(kept.coded(name).values) > 1]
    samples = standardize(kept, roles, numbered=numbered, errors=reading.errors, scale=reading.scale)
    if "grades" not in given:
        _refuse_contradictions(kept, roles, samples, reading.scale)
    questions = {}
    if "problem" not in given:
        head = table.peek()
        head = head if rows is None else head.take([row for row in rows if row < len(head.rows)])
        questions = find_questions(kept, head, roles["problem"], per_sample=samples.per_sample)
    origin = replace(
        samples.origin,
        subject=_find_subject(kept, others),
        notes=[*table.notes, *notes, *_note_unread_verdicts(table, roles, given)],
        skipped=dict(table.skipped.values()) | samples.origin.skipped,
    )
    if reading.meta:
        samples = replace(samples, table=samples.table.append_column("meta", _list_meta(kept, used, samples)))
    return replace(samples, origin=origin, questions=questions)


def _list_meta(table: Table, used: Sequence[str], samples: Samples) -> pa.Array:
    """Write what the first row of each problem holds besides."""
    firsts = np.searchsorted(table.rows, [own[0] for own in samples.rows]).tolist()
    others = {name: table[name] for name in table if name not in used}
    listed = {name: list_cells(cells) for name, cells in others.items()}
    return make_texts([json.dumps({name: cells[row] for name, cells in listed.items()}, default=str) for row in firsts])


def _read_ahead(table: Table, given: Mapping[str, str | None], named: Sequence[str]) -> Columns:
    """Read at once the columns that are likely to be needed, and return which role each seems to have.

    The others are not read from the file at all. While lines are read, columns come to light that the first ones do not
    have; then what is likely is another guess.
    """
    names: list[str] = []
    likely: Columns = {}
    while table.names != names:
        names = list(table.names)
        known = {role: name for role, name in given.items() if name is None or name in names}
        likely = guess_roles(table.peek(), known)
        wanted = [
            *likely.values(),
            *list_named(table, (*SAMPLE_NUMBERS, *VERDICT_NAMES, *MODEL_NAMES, *SET_NAMES, *STEP_NAMES)),
            *named,
        ]
        numeric = {likely["grades"], likely["scores"]} - {likely["answers"], likely["references"], None}
        # Columns of objects number or name nothing.
        plain = [name for name in wanted if name in names and not _holds_objects(table, name)]
        table.load(plain, {name for name in numeric if name is not None})
    return likely


def _add_nested(table: Table) -> Table:
    """Return the table with a column for each field within objects that names models: `provider.label`."""
    for outer in list(table.names):
        held = [cell for cell in table.first(outer) if isinstance(cell, (dict, list))]
        for name in dict.fromkeys(chain.from_iterable(find_nested({outer: cell}) for cell in held)):
            if name not in table:
                table = table.add(name, [find_nested({outer: cell}).get(name) for cell in table[outer]])
    return table


def _refuse_contradictions(table: Table, roles: Columns, samples: Samples, scale: tuple[float, float] | None) -> None:
    """Raise if another column has the name of verdicts, and says something else."""
    for name in list_named(table, VERDICT_NAMES) if roles["grades"] is not None else ():
        if name in roles.values():
            continue
        try:
            other = standardize(table, {"problem": roles["problem"], "grades": name}, errors="skip", scale=scale)
        except InputError:
            continue  # it holds no verdicts
        refuse_contradiction(samples, other, name)


def _find_subject(table: Table, others: Sequence[str]) -> dict[str, str]:
    """Find of which model and set of problems the rows are, as far as they are all of one."""
    found: dict[str, str] = {}
    for name in others:
        if has_name(name, (*MODEL_NAMES, *SET_NAMES, *STEP_NAMES)) and not _holds_objects(table, name):
            values = table.coded(name).values
            if len(values) == 1:
                found[name] = str(values[0]).encode("utf-8", "replace").decode()  # whole: paths differ at their ends
    return found


def _holds_objects(table: Table, name: str) -> bool:
    return any(isinstance(cell, dict) for cell in table.first(name))


def _note_unread_verdicts(table: Table, roles: Columns, given: Mapping[str, str | None]) -> list[Message]:
    """Note a column that has the name of verdicts, and holds few or none that can be read."""
    if "grades" in given or roles["grades"] is not None:
        return []
    for name in list_named(table, VERDICT_NAMES):
        cells = list_first_cells(table, "grades", name)
        parts = [part for cell in cells for part in (cell if isinstance(cell, list) else [cell])]
        others = [part for part in parts if part is None or part != part or not can_read("grades", part)]  # noqa: PLR0124
        if name in roles.values() or 2 * len(others) <= len(parts):
            continue
        return [
            Message(
                "note.unread_verdicts",
                "Column “{column}” was not used: {value} is no verdict. Write true or false, or a number from 0 to 1.",
                column=shorten(name),
                value=quote(others[0]),
            )
        ]
    return []


FORMAT = Format(
    name="plain",
    title="a table",
    file="*.jsonl, *.json, *.csv, *.tsv, *.parquet",
    samples="a row for each sample, or a row for each problem with lists",
    read=_read,
    options=("prompt_column",),
    rank=2,
)
