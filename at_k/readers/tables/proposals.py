"""Refuse a table whose columns do not tell what it means, with its options where one reading is left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations
from typing import Any

from at_k.errors import InputError, Mention, Message, Phrases
from at_k.readers.blocks import Rows, list_fields
from at_k.readers.cells import is_finite, read_share, read_spelled
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
    has_name,
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
    read_counts,
)

# A name of what counts or tells faults, such as the code with which a program ended: 0, or no, means success.
_FAULTS = re.compile(
    r"exit|return_?code|err(no|or|eur)|fehl|^rc$|wrong|incorrect|fail|invalid|hallucinat|not_|^un(re)?solved"
)

_say = Phrases(
    {
        "plain.unknown": "These data ({layout}) do not say which samples are correct: no known harness wrote them "
        "(`at-k formats` lists those), and there is no column of verdicts, nor one of answers and one of references. "
        "{columns} Name those of the problem and its grades, of answers and references, or of "
        "counts (n and c) by {example}.",
        "plain.numbered": "Columns {first} to {last} may be samples of one model, or each of another model, setting or "
        "problem. If they are samples: {all}. To score one: {one}. If each is a problem, swap rows and columns first.",
        "plain.beside": "Beside column {one_name}, these hold verdicts too: {names}. If they are the "
        "samples of each problem: {all}. If {one_name} is the verdict that counts: {one}.",
        "plain.parts": "Column “{column}” holds numbers of a total, one for each problem. If they count correct "
        "samples: {counts}. If each is the share of one sample that is right: {share}.",
        "plain.ignored": "Column “{column}” seems to hold verdicts: it holds samples right whose texts in “{answers}” "
        "and “{references}” differ, in {count:,} of the first {total:,}. If it does: {verdict}. If the texts are to be "
        "compared: {texts}.",
        "plain.runs": "Each row has a list, and column “{column}” tells the rows apart. If each row is a problem: "
        "{rows}. If each is a run or a data set whose entries are problems, write a row for each entry first, or "
        "name lists of objects by {option:rows_at=KEY}.",
        "plain.truths": "Neither the name of column “{column}” nor its words say which samples are correct. If {word} "
        "means that one is: {right}. If it means that one is not: {wrong}.",
        "plain.columns": "The columns are: {names}.",
        "plain.no_header": "The first line holds a verdict, so it was read as a row; if it is a header, rename its "
        "columns. The columns are: {names}.",
        "plain.models": "Each of {names} has the same fields: {columns}. If each is a problem, name the field that "
        "says that a sample is correct by {option:columns}. If they are models or runs, read one of them: {rows}.",
        "standard.no_problem": "Each row is one sample, so a column must say which problem it belongs to. {columns} "
        "Name that column by {example}; or, if every row is a problem of its own: {line}. If the name "
        "of the file or of its folder says it: {file} or {folder}.",
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
    used = (roles["answers"], roles["references"])
    named = [column for column in verdicts if has_name(column.name, VERDICT)]
    verdicts = named if len(named) == 1 else verdicts
    is_clear = (
        len(verdicts) == 1 and verdicts[0].name not in used and "@" not in verdicts[0].name
    )  # pass@3 sums up
    example = _propose(profile, roles, verdicts[0]) if is_clear else _propose_counts(profile, roles)
    # Lists of truths are what samples were judged.
    truths = _list_truths(verdicts[0]) if is_clear and not verdicts[0].has_lists else {}
    if truths and not verdicts[0].are_judged and not _tells_faults(verdicts[0]):
        if len(truths) > 1:
            told = {"column": shorten(verdicts[0].name), "word": quote(truths[True])}
            wrong = _propose(profile, roles, verdicts[0], is_turned=True)
            return _say.error("plain.truths", right=example, wrong=wrong, **told)
        example = Mention("columns")  # a name may be a single y
    return _say.error(
        "plain.unknown", layout=rows.layout, columns=_name_columns(profile, rows), example=example
    )


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
    is_named = profile[grades].has_lists or profile[grades].spelling in ROLE["grades"]
    lists = [
        [name] for name, column in profile.columns.items() if column.has_lists and not is_named
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
            raise refuse_unnamed(profile, roles, rows)


def _name_columns(profile: Profile, rows: Rows) -> Message:
    """Name the columns, and say if no header names them."""
    code = (
        "plain.no_header"
        if "note.no_header" in [note.code for note in rows.notes]
        else "plain.columns"
    )
    return _say(code, names=quote_all(profile.head.names))


def refuse_unnamed(profile: Profile, roles: Columns, rows: Rows) -> InputError:
    """Make the error that says that no column names the problems, and propose the only one that could."""
    used = [name for role, name in roles.items() if role != "group" and name is not None]
    column = _find_problem(profile, used, roles["group"])
    example = (
        Mention("columns")
        if column in (None, "line")
        else Mention(columns={"problem": shorten(str(column))})
    )
    places = {name: Mention(columns={"problem": name}) for name in ("line", "file", "folder")}
    return _say.error(
        "standard.no_problem", columns=_name_columns(profile, rows), example=example, **places
    )


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


def _propose_counts(profile: Profile, roles: Columns) -> Mention:
    """Propose the only two columns of numbers, if one can count the samples of each row and the other those right."""
    columns = [
        column
        for column in profile.columns.values()
        if column.name not in (roles["problem"], roles["group"])
    ]
    if any("test" in column.spelling for column in columns):  # tests of one sample are counted
        return Mention("columns")
    shares = {
        column.name: list(map(read_share, map(read_spelled, column.cells))) for column in columns
    }
    numbers = [name for name, cells in shares.items() if all(map(is_finite, cells))]
    joined = [
        column for column in columns if None not in map(read_counts, column.cells, column.cells)
    ]
    # 3/5, and not 4 alone.
    ways = [
        {"n": own.name, "c": own.name}
        for own in joined
        if numbers == [own.name] and own.numbers is None
    ]
    for total, right in permutations(numbers) if len(numbers) == 2 else ():
        is_share = any(share % 1 for share in shares[right] if is_finite(share))
        pairs = zip(profile[total].cells, profile[right].cells, strict=True)
        counts = [read_counts(*pair, whole=is_share) for pair in pairs]
        if None not in counts and max(n for n, _ in filter(None, counts)) > 1:
            ways.append({"n": total, "c": right})
    problem = roles["problem"] or _find_problem(profile, numbers, roles["group"])
    is_own = problem in profile.columns and profile[problem].distinct == profile.count
    if len(ways) != 1 or not is_own:
        return Mention("columns")
    return Mention(
        columns={
            role: shorten(str(name)) for role, name in ({"problem": problem} | ways[0]).items()
        }
    )


def _list_truths(column: Column) -> dict[object, str]:
    """List the words for true and false in a column, true first, if it holds nothing else."""
    words = {read_spelled(part): str(part) for part in column.parts}
    return dict(sorted(words.items(), reverse=True)) if {*map(type, words)} == {bool} else {}


def _propose(
    profile: Profile, roles: Columns, verdicts: Column, *, is_turned: bool = False
) -> Mention:
    """Propose the only column that holds verdicts, and those of the problem and of the sample's number."""
    problem = roles["problem"] or _find_problem(profile, [verdicts.name], roles["group"])
    columns = [column for column in profile.columns.values() if column.name != verdicts.name]
    numbers = [column.name for column in columns if _numbers_rows(profile, problem, column)]
    told = dict.fromkeys(("n", "c") if joins_counts(verdicts) else ("grades",), verdicts.name)
    told = {"problem": problem or "COLUMN"} | told | ({"sample": numbers[0]} if numbers else {})
    words: dict[str, Any] = {}
    if is_turned or _tells_faults(verdicts):
        truths = _list_truths(verdicts)
        words = {"correct": [truths.get(False, "0")]} | (
            {"wrong": [truths[True]]} if True in truths else {}
        )
    return Mention(columns={role: shorten(name) for role, name in told.items()}, **words)
