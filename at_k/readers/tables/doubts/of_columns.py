"""Doubts about columns, by the first rows: which say whether samples are correct, and which problem a row is of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from at_k.errors import InputError, Mention, Message, Phrases
from at_k.readers.blocks import HEAD, Block, Rows, list_fields
from at_k.readers.faults import UNITS
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
from at_k.readers.numbering import count_runs, count_up, is_summary, split_words
from at_k.readers.samples import Columns
from at_k.readers.tables.doubts.known import ColumnsKnown
from at_k.readers.tables.doubts.of_names import find_questions
from at_k.readers.tables.doubts.of_samples import make_summary_error
from at_k.readers.tables.profile import Column, Profile, find_numbers
from at_k.readers.tables.shapes import PREDICTORS, has_parts, list_families, names_runs
from at_k.readers.words import read_spelled

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
        "plain.weights": "Column “{column}” may count samples, up to {most:,} in a row: the rows of a "
        "problem differ in “{told}”.\nIf it does: {weights}. If each row is one sample: {pool}.",
        "plain.columns": "The columns are: {names}.",
        "plain.no_header": "The first line holds a verdict, so it was read as a row; if it is a "
        "header, rename its columns. The columns are: {names}.",
        "plain.models": "Each of {names} has the same fields: {columns}.\nIf each is a problem, "
        "read one of the fields: {inner}. If they are models or runs, read one of them: {outer}.",
        "standard.no_problem": "Each row is one sample, so a column must say which problem it "
        "belongs to.\n{columns} Name that column by {option:columns}; or, if every row is a "
        "problem of its own: {line}. If the name of the file or of its folder says it: {file} or "
        "{folder}.",
    }
)

# Columns that may count the samples of a row.
_WEIGHTS = (
    "count",
    "counts",
    "freq",
    "frequency",
    "occurrences",
    "multiplicity",
    "n_votes",
    "次数",
)

Doubts = Iterator[InputError | Message]


def doubt_unjudged(known: ColumnsKnown) -> Doubts:
    """Ask where no column tells which samples are correct."""
    roles, asked = known.roles, known.asked
    if roles["grades"] is not None or None not in (roles["answers"], roles["references"]):
        return
    yield from _doubt_last(asked.head)
    problem = roles["problem"]
    if problem is not None and "problem" not in known.given:
        is_own = known.profile[problem].distinct == known.profile.count
        find_questions(asked, problem, own_names=is_own)
    fields = [column for column in asked.columns.values() if column.name != "problem"]
    are_verdicts = all(column.has_objects or column.fits("grades", whole=True) for column in fields)
    notes = [note.code for note in known.rows.notes]
    if are_verdicts and len(fields) > 1 and "tables.named" in notes:
        yield _refuse_models(asked["problem"].cells, [field.name for field in fields])
    verdicts = {column.name for column in list_verdicts(asked, problem)}
    is_answered = (roles["answers"] or roles["references"]) is not None
    for stem, family in list_families(asked).items():
        role = ""
        if stem in PREDICTORS and is_answered:
            role = "answers"
        elif {*family} == verdicts:
            role = "grades"
        if len(family) > 1 and role:
            yield _say.error(
                "plain.numbered",
                first=quote(family[0]),
                last=quote(family[-1]),
                all=Mention(columns={role: "+".join(family)}),
                one=Mention(columns={role: family[0]}),
            )
    columns = _name_columns(asked, known.rows)
    yield _say.error("plain.unknown", layout=known.rows.layout, columns=columns)


def _doubt_last(head: Block) -> Doubts:
    """Ask about a last row that sums up the others, whose numbers are no verdicts."""
    last = head.take([len(head) - 1])
    for name in head.names if HEAD > len(head) > 2 else ():
        [cell] = last[name]
        if is_summary(cell):
            yield make_summary_error(name, cell, UNITS["row"](last.places[0]))


def _refuse_models(names: Sequence[str], fields: Sequence[str]) -> InputError:
    """Make the error that problems are above models, or below them: of the two, problems are mostly more."""
    ways = {
        "inner": Mention(columns={"grades": fields[0]}),
        "outer": Mention(rows_at=str(names[0])),
    }
    if len(names) < len(fields):
        ways = dict(reversed(ways.items()))
    return _say.error("plain.models", names=quote_all(names), columns=quote_all(fields), **ways)


def doubt_parts(known: ColumnsKnown) -> Doubts:
    """Ask where the verdict of a row may count samples: 3/4."""
    profile, grades, problem = known.profile, known.roles["grades"], known.roles["problem"]
    if grades is None or problem is None or "grades" in known.given or known.changed:
        return
    if has_parts(profile[grades]) and not profile.repeats(problem):
        yield _say.error(
            "plain.parts",
            column=shorten(grades),
            counts=Mention(columns={"n": grades, "c": grades}),
            share=Mention(columns={"grades": grades}),
        )


def doubt_weights(known: ColumnsKnown) -> Doubts:
    """Ask where a row may be several samples with one answer or verdict, which a column counts."""
    profile, problem = known.profile, known.roles["problem"]
    told = known.roles["answers"] or known.roles["grades"]
    if known.listed or known.changed or problem is None or told is None:
        return
    is_told_once = profile.repeats(problem) and profile.combine(problem, told) == profile.count
    for name in find_named(known.others, _WEIGHTS) if is_told_once else ():
        numbers = profile[name].numbers
        if numbers is None or not all(each >= 1 and each % 1 == 0 for each in numbers):
            continue
        if max(numbers) > 1 and profile.differs(name, problem):
            yield _say.error(
                "plain.weights",
                column=shorten(name),
                told=shorten(told),
                most=int(max(numbers)),
                weights=Mention(columns={"n": shorten(name)}),
                pool=Mention(pool=name),
            )


def doubt_beside(known: ColumnsKnown) -> Doubts:
    """Ask where columns beside the verdict of a row hold those of runs."""
    profile, grades = known.profile, known.roles["grades"]
    if grades is None or "grades" in known.given or known.changed:
        return
    beside: list[Sequence[str]] = []
    if not profile.repeats(known.roles["problem"]):
        families = list_families(profile).items()
        stems = (*RUN, *ROLE["grades"])
        beside += [names for stem, names in families if len(names) > 1 and stem in stems]
    if not profile[grades].has_lists:
        is_named = profile[grades].spelling in ROLE["grades"]
        lists = [name for name, column in profile.columns.items() if column.has_lists]
        beside += [[name] for name in lists if not is_named or names_runs(name)]
    for names in beside:
        if grades not in names and all(profile[name].are_verdicts for name in names):
            yield _say.error(
                "plain.beside",
                names=quote_all(names),
                one_name=quote(grades),
                all=Mention(columns={"grades": "+".join(names)}),
                one=Mention(columns={"grades": grades}),
            )


def doubt_ignored(known: ColumnsKnown) -> Doubts:
    """Ask where a column without a role judges answers: right where texts are equal, and for some that differ."""
    profile, roles = known.profile, known.roles
    answers, references = roles["answers"], roles["references"]
    is_given = not known.given.keys().isdisjoint(("grades", "answers", "references"))
    if is_given or known.changed or roles["grades"] is not None:
        return
    if answers is None or references is None:
        return
    for column in list_verdicts(profile, roles["problem"]):
        if column.name in (answers, references, roles["group"]):
            continue
        rows = zip(profile[answers].cells, profile[references].cells, column.cells, strict=True)
        both: list[tuple[bool, bool]] = []
        for answer, reference, cell in rows:
            for text, verdict in _pair(answer, cell):
                grade, is_equal = column.reads.attempt("grades", verdict), _equals(text, reference)
                if None not in (grade, is_equal):
                    both.append((grade == 1, bool(is_equal)))
        differing = sum(is_right and not is_equal for is_right, is_equal in both)
        of_equal = [is_right for is_right, is_equal in both if is_equal]
        # Where no texts are equal, its name must tell.
        is_told = bool(of_equal) or not split_words(column.name).isdisjoint(VERDICT)
        is_judge = is_told and all(of_equal) and not all(is_right for is_right, _ in both)
        if is_judge and differing:
            names = {"answers": shorten(answers), "references": shorten(references)}
            yield _say.error(
                "plain.ignored",
                column=shorten(column.name),
                count=differing,
                total=len(both),
                verdict=Mention(columns={"grades": shorten(column.name)}),
                texts=Mention(columns={**names}),
                **names,
            )


def _pair(answer: Any, verdict: Any) -> list[tuple[Any, Any]]:
    """Pair the answers of a row with their verdicts; nothing where there is not one for each."""
    answers, verdicts = (cell if isinstance(cell, list) else [cell] for cell in (answer, verdict))
    if len(answers) == len(verdicts):
        return list(zip(answers, verdicts, strict=True))
    return []


def _equals(answer: Any, reference: Any) -> bool | None:
    """Return whether an answer is one of its references but for case and spaces; None if it is no text."""
    if isinstance(answer, (list, dict)) or answer is None:
        return None
    if isinstance(reference, list):
        references = reference
    else:
        references = [reference]
    return str(answer).strip().casefold() in {str(text).strip().casefold() for text in references}


def list_verdicts(profile: Profile, problem: str | None) -> list[Column]:
    """List the columns, and the fields within them, that hold verdicts, and do not number rows."""
    names = (*NUMBERED, *MODEL)
    columns = (column for name, column in profile.leaves.items() if name != problem)
    found = [column for column in columns if column.spelling not in names and column.are_verdicts]
    if problem is None or not profile.repeats(problem):
        return found
    free = [column for column in found if not _numbers_rows(profile, problem, column)]
    return free or found


def _numbers_rows(profile: Profile, problem: str, column: Column) -> bool:
    """Return whether a column numbers the rows of each problem, whatever its name."""
    is_whole = column.name in profile.columns and column.numbers is not None
    return is_whole and profile.numbers_rows(column, problem)


def doubt_runs(known: ColumnsKnown) -> Doubts:
    """Ask where rows with lists have no name of a problem, but that of a run or a data set each, or one within."""
    roles = known.roles
    if not known.listed or roles["problem"] is not None or "problem" in known.given:
        return
    names = (*NUMBERED, *SET, *STEP, "subject")
    for column in known.asked.columns.values():
        is_own = column.distinct == known.asked.count
        if column.spelling in names and is_own and column.name not in roles.values():
            line = Mention(columns={"problem": "line"})
            yield _say.error("plain.runs", column=shorten(column.name), rows=line)
        is_repeated = 1 < column.distinct < known.asked.count and not column.has_lists
        fields = [
            path.split(".")[-1]
            for cell in column.there[:1]
            for path, _ in list_fields(cell, column.name)
        ]
        if is_repeated and find_named(fields, PROBLEM):
            yield _refuse_unnamed(known, known.asked)


def doubt_unnamed(known: ColumnsKnown) -> Doubts:
    """Ask where no column names the problem of a row, and one may."""
    profile, roles = known.profile, known.roles
    if roles["problem"] is not None or known.listed:
        return
    columns = [profile[name] for name in (*known.others, roles["group"]) if name]
    repeats = any(
        1 < column.distinct < profile.count and not column.has_lists for column in columns
    )
    # Files that hold one row each may be samples: their number in the list is no name of a problem. Rows with
    # nothing but a verdict may be samples of one problem.
    differs = any(column.distinct > 1 and not count_up(column.cells) for column in columns)
    is_alone = roles["answers"] is None and profile.count > 1
    is_bare = is_alone and not differs and not known.default
    is_numbered = bool(find_numbers(profile, known.others))
    if repeats or is_bare or is_numbered or known.default == "file":
        yield _refuse_unnamed(known, profile)


def _refuse_unnamed(known: ColumnsKnown, profile: Profile) -> InputError:
    """Make the error that says that no column names the problems."""
    places = {name: Mention(columns={"problem": name}) for name in ("line", "file", "folder")}
    stems = {Path(file).stem for file in known.files}
    if len(stems) < len(known.files) and count_runs(sorted(stems)):
        # Names of files number the samples in each folder.
        places = {name: places[name] for name in ("line", "folder", "file")}
    return _say.error("standard.no_problem", columns=_name_columns(profile, known.rows), **places)


def _name_columns(profile: Profile, rows: Rows) -> Message:
    """Name the columns, and say if no header names them."""
    code = "plain.columns"
    if "note.no_header" in [note.code for note in rows.notes]:
        code = "plain.no_header"
    return _say(code, names=quote_all(profile.head.names))


def find_name(profile: Profile, roles: Columns) -> str | None:
    """Find the only column that can name the problems where each row is one: by another text in each row."""
    used = [name for name in roles.values() if name is not None]
    naming: list[Column] = []
    for column in profile.columns.values():
        is_outer = any(name.startswith(f"{column.name}.") for name in used)
        if is_outer or column.name in used or column.distinct == 1:
            continue
        is_other = column.spelling in (*NUMBERED, *SETTING) or column.name == roles["group"]
        # A column with a fraction is a measurement.
        if not is_other and column.fits("problem") and not any(map(_is_fraction, column.there)):
            naming.append(column)
    if len(naming) != 1 or naming[0].distinct < profile.count or naming[0].numbers is not None:
        return None
    if naming[0].has_objects:
        return None
    return naming[0].name


def _is_fraction(cell: object) -> bool:
    value = read_spelled(cell)
    return isinstance(value, float) and not value.is_integer()
