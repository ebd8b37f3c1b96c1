"""Refuse a table whose columns do not tell what it means, and propose the options that would."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from typing import Any

from at_k.errors import InputError, Mention, Phrases
from at_k.readers.blocks import Rows
from at_k.readers.cells import is_finite, read_spelled
from at_k.readers.literals import read_fields
from at_k.readers.names import ROLE, RUN, SAMPLE_NUMBER, SHARE, find_named, normalize_name, quote_all, shorten
from at_k.readers.profile import Column, Profile
from at_k.readers.samples import Columns
from at_k.readers.shapes import find_family, find_whole, joins_counts, list_families, read_counts

# Different words up to which a column may hold verdicts, whose words a user then names.
_FEW_WORDS = 6

# A name of what counts or tells faults, such as the code with which a program ended: 0, or no, means success.
_FAULTS = re.compile(r"exit|return_?code|err(no|or)|^rc$|wrong|incorrect|fail|invalid|hallucinat|not_|^un")

_say = Phrases(
    {
        "plain.unknown": "These data ({layout}) do not say which samples are correct: no known harness wrote them "
        "(`at-k formats` lists those), and there is no column of verdicts, nor one of answers and one of references. "
        "The columns are: {columns}. Say which is which, for instance {example}.",
        "plain.models": "Each of {names} has the same fields: {columns}. If each is a problem, say which field says "
        "that a sample is correct, for instance {example}. If they are models or runs, read one of them: {rows}.",
        "standard.no_problem": "Each row is one sample, so a column must say which problem it belongs to. The columns "
        "are: {columns}. Name that column, for instance {example}; or, if every row is a problem of its own: {line}. "
        "If the name of the file or of its folder says it: {file} or {folder}.",
    }
)


def refuse_unjudged(profile: Profile, roles: Columns, rows: Rows) -> InputError:
    """Make the error that says that no column tells which samples are correct."""
    fields = [column for column in profile.columns.values() if column.name != "problem"]
    are_verdicts = all(column.has_objects or column.fits("grades", whole=True) for column in fields)
    roles = {role: name if name in profile.columns else None for role, name in roles.items()}
    columns, example = quote_all(profile.head.names), _propose_columns(profile, roles)
    if are_verdicts and len(fields) > 1 and "tables.named" in [note.code for note in rows.notes]:
        names = profile["problem"].cells
        told = {"names": quote_all(names), "rows": Mention(rows_at=str(names[0]))}
        return _say.error("plain.models", columns=quote_all([field.name for field in fields]), example=example, **told)
    return _say.error("plain.unknown", layout=rows.layout, columns=columns, example=example)


def refuse_unnamed(profile: Profile, repeated: Sequence[str], group: str | None, *, default: str) -> InputError:
    """Make the error that says that no column names the problems, and propose one of those that repeat."""
    named = [name for name in repeated if normalize_name(name) not in (*SAMPLE_NUMBER, *RUN) and name != group]
    column = next(iter([*named, *([group] if group else []), *repeated]), default)
    if named and group is not None and profile.combine(group, column) > profile[column].distinct:
        column = f"{group}+{column}"  # it numbers the problems of each group
    places = {name: Mention(columns={"problem": name}) for name in ("line", "file", "folder")}
    example = Mention(columns={"problem": shorten(column)})
    return _say.error("standard.no_problem", columns=quote_all(profile.head.names), example=example, **places)


def _propose_columns(profile: Profile, roles: Columns) -> Mention:
    """Propose the columns of problem and verdict, or of answers and references: those that could be it."""
    columns = list(profile.columns.values())
    families = [family for family in list_families(profile).values() if len(family) > 1]
    numbered = {name for family in families for _, name in family if profile[name].fits("grades")}
    naming = [column for column in columns[1:] and columns if column.fits("problem") and column.name not in numbered]
    problem = roles["problem"] or next((column.name for column in naming if 1 < column.distinct < profile.count), None)
    others = [column for column in columns if column.name != problem]
    numbers = [column for column in others if column.spelling not in RUN and _numbers_rows(profile, problem, column)]
    free = [
        column
        for column in others
        if column.spelling not in RUN and column not in numbers and not profile.numbers_samples(column)
    ]
    free = free or others
    unlike = [column.name for column in naming if column.distinct == profile.count and column.numbers is None]
    counts = {} if problem and profile[problem].distinct < profile.count else _find_counts(free)
    if counts or _find_lists(free):
        problem = problem or next(iter(unlike), None)  # each row is a problem
        free = [column for column in free if column.name != problem]
    metric = {} if counts or problem is None else _find_metric(profile, problem, free)
    free = [column for column in free if column.name not in metric]
    fitting = [column for column in free if column.fits("grades")]
    # Lists before numbers and constants, and those of which all cells fit before others.
    fitting.sort(key=lambda column: (not column.has_lists, not column.fits("grades", whole=True), column.distinct == 1))
    fields = [(path, value) for column in free for path, value in _list_fields(column)]
    fields.sort(key=lambda field: normalize_name(field[0].rpartition(".")[2]) not in ROLE["grades"])
    nested = [path for path, value in fields if profile.reads.fits("grades", value)]
    family = "+".join(find_family(profile, problem))
    grades = [*filter(None, [family]), *(column.name for column in fitting), *nested[:1]]
    later = [column.name for column in free if _find_scale([column]) is not None]
    later += [column.name for column in free if 1 < column.distinct < min(_FEW_WORDS + 1, len(column.there))]
    answers = roles["answers"]
    are_labels = answers is not None and answers in grades  # such as 0 and 1, which may be verdicts
    pair = counts or _find_lists(free) or (_find_alike(profile, problem, free) if are_labels or not grades else {})
    pair = pair or ({} if grades else _find_other(roles, free))
    if not pair and not grades and not later:
        pair = {role: column.name for role, column in zip(("answers", "references"), free, strict=False)}
    if len(pair) < 2:
        pair = {"grades": [*grades, *later, *(column.name for column in (*free, *columns))][0]}
    graded = [profile[name] for name in pair.get("grades", "").split("+") if name in profile.columns]
    if "grades" in pair and numbers and numbers[0] not in free:
        pair["sample"] = numbers[0].name
    told = {role: shorten(name) for role, name in {"problem": problem or "line", **pair}.items()}
    return Mention(columns=told, **({"where": metric} if metric else _propose_words(profile, graded)))


def _numbers_rows(profile: Profile, problem: str | None, column: Column) -> bool:
    """Return whether a column numbers the rows of each problem, whatever its name."""
    is_repeated = problem is not None and profile[problem].distinct < profile.count
    return is_repeated and column.numbers is not None and profile.numbers_rows(column, problem or "")


def _find_counts(free: Sequence[Column]) -> dict[str, str]:
    """Find the columns of n and c: numbers or, of c, shares; or one column that has both."""
    totals = [column for column in free if column.numbers is not None]
    pairs = [(n, c) for n in totals for c in free if c is not n]
    for n, c in [*((column, column) for column in free if joins_counts(column)), *pairs]:
        whole = 0 if n is c else find_whole(c.name)
        read = [read_counts(*cells, whole=whole) for cells in zip(n.cells, c.cells, strict=True)]
        counts = [pair for pair in read if pair is not None and (n is c or not find_whole(n.name))]
        if len(counts) == len(read) and any(of > right or n is c for of, right in counts) and max(counts)[0] > 1:
            return {"n": n.name, "c": c.name}
    return {}


def _find_metric(profile: Profile, problem: str, free: Sequence[Column]) -> dict[str, str]:
    """Find a column that names the metric of each row, with all of them for each problem, and that of verdicts."""
    for column in free:
        named = [cell for cell in column.there if isinstance(cell, str)]
        metrics = find_named(dict.fromkeys(named), (*ROLE["grades"], *SHARE))
        if (
            metrics
            and column.distinct > 1
            and profile.combine(problem, column.name) == column.distinct * (profile[problem].distinct)
        ):
            return {column.name: metrics[0]}
    return {}


def _list_fields(column: Column) -> Iterator[tuple[str, Any]]:
    """List the fields of the first object in a column, or in its first list, by their paths."""
    first = column.there[0] if column.there else None
    first = read_fields(first) if str(first).startswith("{") else first
    pending = [(column.name, first[0] if isinstance(first, list) and first else first)]
    while pending:
        path, value = pending.pop(0)
        if isinstance(value, dict):
            pending += [(f"{path}.{name}", field) for name, field in value.items()]
        elif path != column.name:
            yield path, value


def _find_alike(profile: Profile, problem: str | None, free: Sequence[Column]) -> dict[str, str]:
    """Find two columns that have the same text in some rows, of which the one that is the same is the reference."""
    for pair in combinations([column for column in free if not column.has_lists], 2):
        if any(one == other for one, other in zip(pair[0].cells, pair[1].cells, strict=True) if one is not None):
            named = [column for column in pair if column.spelling in ROLE["references"]]
            steady = [column for column in pair if problem and not profile.differs(column.name, problem)]
            reference = (named or steady or pair[1:])[0]
            return {"answers": pair[reference is pair[0]].name, "references": reference.name}
    return {}


def _find_lists(free: Sequence[Column]) -> dict[str, str]:
    """Find a column with a list of answers in each row, of which most differ, and another one for the references."""
    for column in (column for column in free if column.has_lists):
        texts = [text for cell in column.there if isinstance(cell, list) for text in cell if isinstance(text, str)]
        others = [other for other in free if not other.has_lists]
        named = [other for other in others if other.spelling in ROLE["references"]]
        if others and 2 * len(set(texts)) > len(texts) > 0 and not column.fits("grades"):
            return {"answers": column.name, "references": (named or others[-1:])[0].name}
    return {}


def _find_other(roles: Columns, free: Sequence[Column]) -> dict[str, str]:
    """Find what could be answers beside references, or beside what was taken for answers and may be references."""
    known = roles["references"] or roles["answers"]
    texts = [path for column in free for path, value in _list_fields(column) if isinstance(value, str)]
    texts += [column.name for column in free if all(isinstance(cell, str) for cell in column.there)]
    others = [name for name in texts if name != known]
    # A field that is called content is what was written; a role is not.
    others.sort(key=lambda name: name.rpartition(".")[2] != "content")
    return {"answers": others[0], "references": known} if known and others else {}


def _propose_words(profile: Profile, columns: Sequence[Column]) -> dict[str, Any]:
    """Propose the word for a right sample where columns have few words, or the scale of their points."""
    cells = list(chain.from_iterable(column.there for column in columns))
    words = [cell for cell in cells if isinstance(cell, str) and isinstance(read_spelled(cell), str)]
    words = [word for word in words if not profile.reads.fits("grades", word)]
    known = [cell for cell in cells if isinstance(cell, str) and read_spelled(cell) is True]
    parts = list(chain.from_iterable(column.parts for column in columns))
    are_spelled = all(isinstance(read_spelled(part), (int, float)) for part in parts)
    if are_spelled and any(_FAULTS.search(column.spelling) for column in columns):
        truths = {read_spelled(part): str(part) for part in parts if isinstance(read_spelled(part), bool)}
        return {"correct": [truths.get(False, "0")]} | ({"wrong": [truths[True]]} if True in truths else {})
    if words and len(set(map(repr, cells))) < len(cells):
        return {"correct": [shorten([*known, *words][0])]}
    scale = _find_scale(columns)
    return {} if scale is None else {"scale": scale}


def _find_scale(columns: Sequence[Column]) -> tuple[int, int] | None:
    """Return the worst and the best grade of rewards from −1, or of points up to 10 or 100; None for others."""
    values = [read_spelled(cell) for column in columns for cell in column.there if not isinstance(cell, (list, dict))]
    numbers = [float(value) for value in values if is_finite(value)]
    if not values or len(numbers) < len(values):
        return None
    if min(numbers) == -1 and max(numbers) <= 1:
        return -1, 1
    if min(numbers) < 0 or not 1 < max(numbers) <= 100:
        return None
    return 0, 10 if max(numbers) <= 10 else 100
