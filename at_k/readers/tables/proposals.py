"""Refuse a table whose columns do not tell what it means, with its options where one reading is left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from at_k.errors import InputError, Mention, Message, Phrases
from at_k.readers.blocks import Rows, list_fields
from at_k.readers.cells import read_spelled
from at_k.readers.files.decoding import read_fields
from at_k.readers.names import (
    MODEL,
    NUMBERED,
    PROBLEM,
    ROLE,
    RUN,
    SET,
    SETTING,
    STEP,
    VERDICT,
    find_named,
    quote,
    quote_all,
    shorten,
)
from at_k.readers.samples import Columns
from at_k.readers.tables.profile import Column, Profile
from at_k.readers.tables.shapes import (
    PREDICTORS,
    has_parts,
    joins_counts,
    list_families,
    names_runs,
)

# A name of what counts or tells faults, such as the code with which a program ended: 0, or no, means success.
_FAULTS = re.compile(
    r"exit|return_?code|err(no|or|eur)|fehl|^rc$|wrong|incorrect|fail|invalid|hallucinat|not_|^un(re)?solved"
)

_say = Phrases(
    {
        "plain.unknown": "These data ({layout}) do not say which samples are correct: no known "
        "harness wrote them (`at-k formats` lists those), and there is no column of verdicts, nor "
        "one of answers and one of references.\n{columns} Name those of the problem and its "
        "grades, of answers and references, or of counts (n and c) by {option:columns}.",
        "plain.numbered": "Columns {first} to {last} may be samples of one model, or each of "
        "another model, setting or problem.\nIf they are samples: {all}. To score one: {one}. If "
        "each is a problem, swap rows and columns first.",
        "plain.beside": "Beside column {one_name}, these hold verdicts too: {names}.\nIf they are "
        "the samples of each problem: {all}. If {one_name} is the verdict that counts: {one}.",
        "plain.parts": "Column “{column}” holds numbers of a total, one for each problem.\nIf "
        "they count correct samples: {counts}. If each is the share of one sample that is right: "
        "{share}.",
        "plain.ignored": "Column “{column}” seems to hold verdicts: it holds samples right whose "
        "texts in “{answers}” and “{references}” differ, in {count:,} of the first {total:,}.\nIf "
        "it does: {verdict}. If the texts are to be compared: {texts}.",
        "plain.runs": "Each row has a list, and column “{column}” tells the rows apart.\nIf each "
        "row is a problem: {rows}. If each is a run or a data set whose entries are problems, "
        "write a row for each entry first, or name lists of objects by {option:rows_at=KEY}.",
        "plain.columns": "The columns are: {names}.",
        "plain.no_header": "The first line holds a verdict, so it was read as a row; if it is a "
        "header, rename its columns. The columns are: {names}.",
        "plain.models": "Each of {names} has the same fields: {columns}.\nIf each is a problem, "
        "name the field that says that a sample is correct by {option:columns}. If they are "
        "models or runs, read one of them: {rows}.",
        "standard.no_problem": "Each row is one sample, so a column must say which problem it "
        "belongs to.\n{columns} Name that column by {option:columns}; or, if every row is a "
        "problem of its own: {line}. If the name of the file or of its folder says it: {file} or "
        "{folder}.",
    }
)


def refuse_unjudged(profile: Profile, roles: Columns, rows: Rows) -> InputError:
    """Make the error that says that no column tells which samples are correct."""
    fields = [column for column in profile.columns.values() if column.name != "problem"]
    are_verdicts = all(column.has_objects or column.fits("grades", whole=True) for column in fields)
    if are_verdicts and len(fields) > 1 and "tables.named" in [note.code for note in rows.notes]:
        names = profile["problem"].cells
        told = {"names": quote_all(names), "rows": Mention(rows_at=str(names[0]))}
        return _say.error(
            "plain.models", columns=quote_all([field.name for field in fields]), **told
        )
    verdicts = _list_verdicts(profile, roles["problem"])
    for stem, family in list_families(profile).items():
        names = [name for _, name in family]
        are_texts = stem in PREDICTORS and (roles["answers"] or roles["references"]) is not None
        if len(names) > 1 and (are_texts or {*names} == {column.name for column in verdicts}):
            role = "answers" if are_texts else "grades"
            ways = {
                "all": Mention(columns={role: "+".join(names)}),
                "one": Mention(columns={role: names[0]}),
            }
            return _say.error(
                "plain.numbered", first=quote(names[0]), last=quote(names[-1]), **ways
            )
    return _say.error("plain.unknown", layout=rows.layout, columns=_name_columns(profile, rows))


def refuse_beside(profile: Profile, roles: Columns) -> None:
    """Raise if the verdict of a row may count samples, or if columns beside it hold those of runs."""
    grades, problem = roles["grades"], roles["problem"]
    if grades is None:
        return
    if has_parts(profile[grades]) and problem is not None and not profile.repeats(problem):
        counts, share = (
            Mention(columns={"n": grades, "c": grades}),
            Mention(columns={"grades": grades}),
        )
        raise _say.error("plain.parts", column=shorten(grades), counts=counts, share=share)
    families = {
        stem: [name for _, name in family] for stem, family in list_families(profile).items()
    }
    runs = [
        names
        for stem, names in families.items()
        if len(names) > 1 and stem in (*RUN, *ROLE["grades"])
    ]
    is_listed = profile[grades].has_lists
    is_named = profile[grades].spelling in ROLE["grades"]
    lists = [
        [name]
        for name, column in profile.columns.items()
        if column.has_lists and not is_listed and (not is_named or names_runs(name))
    ]
    for names in [*([] if profile.repeats(problem) else runs), *lists]:
        if grades not in names and all(profile[name].are_verdicts for name in names):
            ways = {
                "all": Mention(columns={"grades": "+".join(names)}),
                "one": Mention(columns={"grades": grades}),
            }
            raise _say.error("plain.beside", names=quote_all(names), one_name=quote(grades), **ways)


def refuse_ignored(profile: Profile, roles: Columns) -> None:
    """Raise if a column without a role judges the answers: right where texts are equal, and for some that differ."""
    answers, references = roles["answers"], roles["references"]
    if roles["grades"] is not None or answers is None or references is None:
        return
    for column in _list_verdicts(profile, roles["problem"]):
        if column.name in (answers, references, roles["group"]) or not column.are_verdicts:
            continue
        rows = zip(profile[answers].cells, profile[references].cells, column.cells, strict=True)
        samples = [sample for row in rows for sample in _list_samples(*row)]
        read = [
            (column.reads.attempt("grades", cell), _spell_equal(*texts)) for *texts, cell in samples
        ]
        both = [(verdict == 1, same) for verdict, same in read if None not in (verdict, same)]
        differing = sum(is_right and not same for is_right, same in both)
        # Where no texts are equal, its name must tell.
        is_told = any(same for _, same in both) or not {
            *re.split(r"[\W_]", column.spelling)
        }.isdisjoint(VERDICT)
        is_judge = is_told and all(is_right for is_right, same in both if same)
        if is_judge and differing and not all(is_right for is_right, _ in both):
            names = {"answers": shorten(answers), "references": shorten(references)}
            ways = {
                "verdict": Mention(columns={"grades": shorten(column.name)}),
                "texts": Mention(columns={**names}),
            }
            told = {"column": shorten(column.name), "count": differing, "total": len(both)}
            raise _say.error("plain.ignored", **told, **names, **ways)


def _list_samples(answer: Any, reference: Any, verdict: Any) -> list[tuple[Any, Any, Any]]:
    """List the samples of a row whose answers have a verdict each."""
    answers, verdicts = (cell if isinstance(cell, list) else [cell] for cell in (answer, verdict))
    pairs = zip(answers, verdicts, strict=True) if len(answers) == len(verdicts) else ()
    return [(text, reference, cell) for text, cell in pairs]


def _spell_equal(answer: Any, reference: Any) -> bool | None:
    """Return whether an answer is one of its references but for case and spaces; None if it is no text."""
    if isinstance(answer, (list, dict)) or answer is None:
        return None
    references = reference if isinstance(reference, list) else [reference]
    return str(answer).strip().casefold() in {str(text).strip().casefold() for text in references}


def refuse_runs(profile: Profile, roles: Columns, rows: Rows) -> None:
    """Raise if rows with lists have no name of a problem, but that of a run or a data set each, or one within."""
    names = (*NUMBERED, *SET, *STEP, "subject")
    for column in profile.columns.values():
        if (
            column.spelling in names
            and column.distinct == profile.count
            and column.name not in roles.values()
        ):
            raise _say.error(
                "plain.runs", column=shorten(column.name), rows=Mention(columns={"problem": "line"})
            )
        fields = [
            path.split(".")[-1]
            for cell in column.there[:1]
            for path, _ in list_fields(cell, column.name)
        ]
        is_repeated = 1 < column.distinct < profile.count and not column.has_lists
        if is_repeated and find_named(fields, PROBLEM):
            raise refuse_unnamed(profile, rows)


def _name_columns(profile: Profile, rows: Rows) -> Message:
    """Name the columns, and say if no header names them."""
    code = (
        "plain.no_header"
        if "note.no_header" in [note.code for note in rows.notes]
        else "plain.columns"
    )
    return _say(code, names=quote_all(profile.head.names))


def refuse_unnamed(profile: Profile, rows: Rows) -> InputError:
    """Make the error that says that no column names the problems."""
    places = {name: Mention(columns={"problem": name}) for name in ("line", "file", "folder")}
    return _say.error("standard.no_problem", columns=_name_columns(profile, rows), **places)


def find_name(profile: Profile, roles: Columns) -> str | None:
    """Find the only column that can name the problems where each row is one: by another text in each row."""
    name = _find_problem(
        profile, [name for name in roles.values() if name is not None], roles["group"]
    )
    column = profile.columns.get(name or "")
    is_name = column is not None and column.distinct == profile.count and column.numbers is None
    return name if column is not None and is_name and not column.has_objects else None


def _find_problem(profile: Profile, used: Sequence[str], group: str | None) -> str | None:
    """Find the only column that could name the problems: "line" if none differs, None if several could."""
    differing = [
        column
        for column in profile.columns.values()
        if column.distinct > 1 and column.name not in used
    ]
    differing = [
        column
        for column in differing
        if not any(name.startswith(f"{column.name}.") for name in used)
    ]
    naming = [
        column
        for column in differing
        if column.spelling not in (*NUMBERED, *SETTING) and column.name != group
    ]
    # A column with a fraction is a measurement.
    naming = [
        column
        for column in naming
        if column.fits("problem") and not any(map(_is_fraction, column.there))
    ]
    return naming[0].name if len(naming) == 1 else None if differing else "line"


def _is_fraction(cell: object) -> bool:
    value = read_spelled(cell)
    return isinstance(value, float) and not value.is_integer()


def _list_verdicts(profile: Profile, problem: str | None) -> list[Column]:
    """List the columns, and the fields within them, that hold verdicts or faults."""
    columns = [column for column in profile.columns.values() if column.name != problem]
    firsts = [(column.name, column.there[0]) for column in columns if column.there]
    firsts = [
        (name, read_fields(first) if str(first).startswith("{") else first)
        for name, first in firsts
    ]
    fields = dict.fromkeys(path for name, first in firsts for path, _ in list_fields(first, name))
    columns += [
        Column(path, profile.head[path], profile.reads)
        for path in fields
        if path not in profile.columns
    ]
    columns = [
        column for column in columns if column.there and column.spelling not in (*NUMBERED, *MODEL)
    ]
    found = [
        column
        for column in columns
        if column.are_verdicts or _tells_faults(column) or joins_counts(column)
    ]
    return [column for column in found if not _numbers_rows(profile, problem, column)] or found


def _tells_faults(column: Column) -> bool:
    """Return whether a column counts faults, or says whether there is one."""
    are_told = all(isinstance(read_spelled(part), (int, float)) for part in column.parts)
    return are_told and _FAULTS.search(column.spelling) is not None


def _numbers_rows(profile: Profile, problem: str | None, column: Column) -> bool:
    """Return whether a column numbers the rows of each problem, whatever its name."""
    is_column = column.name in profile.columns and column.numbers is not None
    return profile.repeats(problem) and is_column and profile.numbers_rows(column, problem or "")
