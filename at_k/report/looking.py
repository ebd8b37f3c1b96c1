"""Look at rows that an engine holds as a file of them is read, before it counts all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from at_k.engines import Engine, Roles
from at_k.engines.engine import FILE, NAME, find_parts
from at_k.errors import InputError, Mention, Message, Offer, Phrases, Question, SeveralModelsError
from at_k.family import FAMILY
from at_k.options.registry import JUDGING_OPTIONS, TALLYING
from at_k.readers import Samples
from at_k.readers.arrays import encode, make_numbers
from at_k.readers.files.decoding import split_number
from at_k.readers.names import PROBLEM, SETTING, find_named, has_name, has_role, quote, shorten
from at_k.readers.tables.choosing import Where, no_rows, refuse_unknown
from at_k.readers.tables.readings import Found
from at_k.report.judging import read_rows

if TYPE_CHECKING:
    import pyarrow as pa

# The problems whose rows are looked at, at least, and the first rows, which show how long texts are.
_PROBLEMS, _HEAD = 200, 200

# The rows that are taken to find these problems; of a few problems, more rows are enough. How many times more are taken
# where they are not, at most.
_TRIED, _FEW, _ENOUGH, _TIMES = 12_800, 5, 50_000, 8

# Rows by which the problem is found where no column has a usual name for it.
_MORE = 10_000

# Bytes of a cell, on average, in columns that are looked at whatever they are called.
_SHORT = 1000

# The most values of a column of verdicts or settings: the number of whole per cents.
_VALUES = 101

# Rows that are read into memory where they are no samples that an engine can count.
_IN_MEMORY = 1_000_000

# Options that act when a tally is scored.
KEPT = ("on_conflict", "select", "score_weights", "higher_is_better", "sampling")

# The columns of a table of words.
_OF_WORDS = {"problem": "problem", "grades": "grades"}

# How words are read, the roles of columns that an engine counts, and the options that it can follow.
READING = ("scale", "correct", "wrong", "unjudged")
_ROLES = ("problem", "grades", "answers", "references", "group")
_COUNTED = (*JUDGING_OPTIONS, *KEPT, *READING, "columns", "seed", "where", "pool")

# What differs between the names of shards: numbers, and what clusters make up. The words around them.
_PARTS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+")
_SHARD = {"part", "parts", "shard", "chunk", "rank", "block", "batch", "worker", "file", "of"}

_say = Phrases(
    {
        "engine.sources": "Rows of one problem are in several files, which may be of two models "
        "or settings by their names: {first} and {second}. Count one file at a time.\nIf all "
        "rows are samples of one model, add {option:pool=file}.",
        "engine.rows": "An engine counts rows that are samples, with a number or a word as their "
        "grade, and reads others into memory, but no more than {most:,} rows. Make a row for each "
        "sample, in SQL by unnest, in Polars by explode, and numbers of grades by CASE; or give a "
        "part of the rows.",
        "engine.outcome": "{outcome} (of {problems:,} problems that were looked at)",
        "engine.scores": "{title} is left out: an engine counts grades, and reads no scores, which "
        "column “{column}” has. To read up to {most:,} rows into memory, with their scores, name "
        "this column: {columns}.",
        "engine.note": "Of {problems:,} problems that were looked at: {note}",
    }
)


@dataclass(frozen=True)
class Counting:
    """Rows that an engine can count, each of them a sample.

    Attributes:
        engine: the engine.
        data: the rows that are wanted.
        roles: their columns.
        looked: the samples that were looked at.
        refuse_odd: raises what a file would, if grades beyond them are no grades.
        notes: what is to be said of how they were read.
        left_out: metric → the reason why it cannot be computed.
    """

    engine: Engine
    data: Any
    roles: Roles
    looked: Samples
    refuse_odd: Callable[[], None]
    notes: Sequence[Message] = ()
    left_out: Mapping[str, Message] = field(default_factory=dict)


def look(
    engine: Engine, data: Any, options: Mapping[str, Any], *, whole: bool = False
) -> Counting | pa.Table:
    """Find out what rows mean, or raise what a file of them would. Rows that are no samples come as a table.

    Args:
        engine: the engine.
        data: its data.
        options: those of `at_k.Tally.of`, in full.
        whole: whether samples are needed, and not their counts.
    """
    columns = dict(options["columns"] or {})
    if options["groups"] is False:
        columns["group"] = None
    where, pool = Where(options["where"]), _list_names(options["pool"])
    names = engine.list_columns(data)
    chosen = [*where.columns, *(name for name in pool if name != "file")]
    refuse_unknown([*names, *(name for name in chosen if find_parts(name, names))], chosen)
    named = _keep(engine, engine.name_files(data), where)
    rows = _take_rows(engine, named, columns, options)
    read = partial(_read, columns=columns, pool=pool, options=options)
    try:
        samples = read(rows.table, rows)
    except InputError as error:
        # Samples that are numbered in each file look like copies.
        if error.code == "collector.repeated" and rows.problem in rows.table.column_names:
            owners = encode(rows.table[rows.problem]).codes
            _refuse_sources(owners, rows, read, options)
        raise
    problem = samples.origin.roles.get("problem")
    _refuse_numbered(engine, named, problem, rows, read)
    _refuse_others(engine, named, problem, rows, read)
    owners = np.empty(len(rows.table), np.int64)
    for place, numbers in enumerate(samples.rows):
        owners[np.atleast_1d(numbers) - 1] = place
    _refuse_sources(owners, rows, read, options)
    roles = {role: samples.origin.roles.get(role) for role in _ROLES}
    called = [column for column in roles.values() if column is not None]
    is_found = roles["problem"] is not None
    is_found = is_found and all(_has_fields(rows.table, column) for column in called)
    if whole or not (_can_count(options) and samples.per_sample and is_found):
        return _load(engine, data)
    notes = samples.origin.notes
    if not rows.are_all:
        notes = [_say("engine.note", problems=len(samples.problems), note=note) for note in notes]
    kept = _keep(engine, data, where)
    words = None
    if roles["grades"] is not None and _need_reading(rows.table, roles["grades"], options):
        words = _read_words(engine, named, roles, rows, read)
        if words is None:
            return _load(engine, data)
    left_out = _leave_out_scores(samples, columns)
    notes = [*notes, *left_out.values()]
    called_as = Roles(**roles, words=words)  # type: ignore[arg-type]
    refuse_odd = partial(_refuse_odd, engine, named, roles, rows, read)
    return Counting(engine, kept, called_as, samples, refuse_odd, notes, left_out)


def _leave_out_scores(samples: Samples, columns: Mapping[str, str | None]) -> dict[str, Message]:
    """Say which metrics of scores are left out, where the rows have scores."""
    scores = samples.origin.roles.get("scores")
    if scores is None:
        return {}
    named = Mention(columns={**columns, "scores": scores})
    told = {"column": shorten(scores), "most": _IN_MEMORY, "columns": named}
    return {
        metric.name: _say("engine.scores", title=metric.title, **told)
        for metric in FAMILY.values()
        if metric.needs_scores
    }


def _list_names(pool: str | Sequence[str]) -> list[str]:
    return [pool] if isinstance(pool, str) else list(pool)


def _keep(engine: Engine, data: Any, where: Where) -> Any:
    return engine.keep(data, where) if where.columns else data


def _can_count(options: Mapping[str, Any]) -> bool:
    """Return whether an engine can follow all options."""
    if not {*(options["columns"] or {})} <= {*_ROLES}:
        return False
    given = [name for name in options if options[name] != TALLYING[name].default]
    return all(name in _COUNTED or (name, options[name]) == ("groups", False) for name in given)


def _load(engine: Engine, data: Any) -> pa.Table:
    """Read all rows into memory, unless they are too many."""
    table = engine.take_rows(data, _IN_MEMORY + 1)
    if len(table) > _IN_MEMORY:
        raise _say.error("engine.rows", most=_IN_MEMORY)
    return table.select([name for name in table.column_names if name != FILE])


@dataclass(frozen=True)
class _Looked:
    """Rows that are looked at, whether they are all, and the column of their problems, where it is known."""

    table: pa.Table
    are_all: bool
    problem: str | None = None


def _take_rows(
    engine: Engine, data: Any, columns: Mapping[str, str | None], options: Mapping[str, Any]
) -> _Looked:
    """Take all rows if they are few, or else those of some problems, without columns of long texts."""
    head = engine.take_rows(data, _HEAD)
    if not len(head):
        raise no_rows()
    if len(head) < _HEAD:
        return _Looked(head, True, columns.get("problem"))
    names = [name for name in head.column_names if name != FILE]
    named = find_named(names, PROBLEM)
    problem = columns.get("problem") or (named[0] if len(named) == 1 else None)
    if problem is None:  # what repeats in more rows may be the problem
        head = engine.take_rows(data, _MORE)
        rows = _Looked(head, are_all=len(head) < _MORE)
        pool = _list_names(options["pool"])
        first = _read(head, rows, columns=columns, pool=pool, options=options)
        problem = first.origin.roles.get("problem")
        if rows.are_all or problem is None:
            return rows
    if not _has_fields(head, problem):
        head = engine.take_rows(data, _MORE)
        return _Looked(head, are_all=len(head) < _MORE)
    needed = {outer for role in columns.values() if role for outer, *_ in find_parts(role, names)}
    needed |= {outer for outer, *_ in find_parts(problem, names)}
    short = [
        name
        for name in names
        if name in needed or has_role(name) or head[name].nbytes <= _SHORT * len(head)
    ]
    step = max(1, engine.count_rows(data) // _TRIED)
    while True:
        table = engine.take_problems(data, problem, short, step)
        codes, found = encode(table[NAME])
        is_large = len(table) >= _ENOUGH and len(found) >= _FEW
        if step == 1 or is_large or len(found) >= _PROBLEMS:
            break
        step = max(1, step * len(found) // (2 * _PROBLEMS), step // _TIMES)
    table = table.drop_columns([NAME])
    are_many = len(found) >= 2 * _PROBLEMS
    if are_many:  # any of them: their order in the data may say what they are
        kept = np.random.default_rng(0).permutation(len(found)) < _PROBLEMS
        table = table.take(make_numbers(np.flatnonzero(kept[codes])))
    return _Looked(table, step == 1 and not are_many, problem)


def _read(
    table: pa.Table,
    rows: _Looked,
    *,
    columns: Mapping[str, str | None],
    pool: Sequence[str],
    options: Mapping[str, Any],
) -> Samples:
    """Read rows as a file of them is read. The readings of a refusal are those of all rows."""
    told = {name: options[name] for name in (*READING, "errors")}
    if FILE in table.column_names and "file" in pool:
        pool = [FILE if name == "file" else name for name in pool]
    else:
        table = table.select([name for name in table.column_names if name != FILE])
    try:
        return read_rows(table, is_document=False, columns=columns, pool=pool, **told)
    except InputError as error:
        error.ask = partial(_ask, error.ask, options["where"], are_all=rows.are_all)
        raise


def _ask(ask: Any, where: Mapping[str, Any] | None, *, are_all: bool) -> Question:
    """Find the question about rows that were looked at, for those of an engine that `where` keeps."""
    question: Question = ask() if ask is not None else Question()
    offers = []
    for offer in question.readings:
        options, outcome = dict(offer.options), offer.outcome
        if where:
            options["where"] = {**where, **options.get("where", {})}
        if not are_all:
            problems = offer.outcome.values.get("problems", _PROBLEMS)
            outcome = _say("engine.outcome", outcome=outcome, problems=problems)
        offers.append(Offer(options, outcome, offer.meaning))
    return replace(question, readings=offers)


def _holds_words(table: pa.Table, column: str) -> bool:
    """Return whether a column, or a field within one, holds texts."""
    from pyarrow import types

    parts = find_parts(column, table.column_names)
    if len(parts) != 1:
        return False
    kind = _find_kind(table, parts[0])
    if types.is_dictionary(kind):
        kind = kind.value_type
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _has_fields(table: pa.Table, name: str) -> bool:
    """Return whether a name is that of columns, and of fields that are within them, and not within their texts."""
    parts = find_parts(name, table.column_names)
    return bool(parts) and all(_find_kind(table, part) is not None for part in parts)


def _find_kind(table: pa.Table, path: Sequence[str]) -> Any:
    """Find the type of a column, or of a field within it; None if it has none."""
    from pyarrow import types

    kind = table.field(path[0]).type
    for name in path[1:]:
        if not types.is_struct(kind) or kind.get_field_index(name) < 0:
            return None
        kind = kind.field(name).type
    return kind


def _need_reading(table: pa.Table, grades: str, options: Mapping[str, Any]) -> bool:
    """Return whether each value of a column of grades must be read: a text, or what options say of it."""
    is_told = any(options[name] != TALLYING[name].default for name in READING)
    return is_told or _holds_words(table, grades)


def _read_words(
    engine: Engine,
    data: Any,
    roles: Mapping[str, str | None],
    rows: _Looked,
    read: Callable[..., Any],
) -> dict[str | float, float] | None:
    """Read the grade that each value of a column means, or raise what a file with such values would.

    None where there are no values, or too many.
    """
    import pyarrow as pa

    column = roles["grades"]
    assert column is not None  # for the type checker
    found = engine.list_values(data, column, _VALUES + 2)
    words = [word for word in found if word is not None]
    if not 0 < len(words) <= _VALUES:
        return None
    names = [f"word {place}" for place in range(len(words))]
    table = pa.table({"problem": names, "grades": pa.array(words)})
    try:
        samples = read(table, rows, columns=_OF_WORDS, pool=())
    except InputError:
        # The readings that this offers are of words: those of the rows that have them are asked for first.
        _read_others(engine, data, roles["problem"], {column: words}, rows, read)
        raise
    grades = [own[0] for own in samples.grades]
    are_texts = all(isinstance(word, str) for word in words)
    return {
        word if are_texts else float(word): grade
        for word, grade in zip(words, grades, strict=True)
        if grade is not None and not isnan(grade)
    }


# The names that are completed to find others with the same start, and the numbers that others may have.
_COMPLETED, _NUMBERS = 20, 100


def _refuse_numbered(
    engine: Engine, data: Any, problem: str | None, rows: _Looked, read: Callable[..., Any]
) -> None:
    """Raise what a file would, if names that are of one row each have others that differ by a number at their end."""
    table = rows.table
    if rows.are_all or problem is None or problem not in table.column_names:
        return
    names = table[problem].to_pylist()
    if not _holds_words(table, problem) or len({*names} - {None}) < len(names):
        return
    others = list[str]()
    for name in names[:_COMPLETED]:
        parts = split_number(name)
        if parts is None:
            return
        number = parts[1]
        start, _, end = name.rpartition(number)
        for place in range(_NUMBERS):
            others += [f"{start}{place}{end}", f"{start}{place:0{len(number)}d}{end}"]
    found = engine.take_rows(engine.keep(data, Where({problem: others})), _MORE)
    read(found.select(table.column_names), rows)


def _refuse_others(
    engine: Engine, data: Any, problem: str | None, rows: _Looked, read: Callable[..., Any]
) -> None:
    """Raise what a file would, if other rows sum up all by their names, or are of other models or sets."""
    from pyarrow import types

    if rows.are_all or problem is None:
        return
    values: dict[str, Sequence[Any]] = {}
    for column in rows.table.column_names:
        is_flat = not types.is_nested(rows.table.field(column).type)
        if is_flat and has_name(column, SETTING):
            values[column] = engine.list_values(data, column, _VALUES)
    always = _SUMMARIES if _holds_words(rows.table, problem) else ()
    _read_others(engine, data, problem, values, rows, read, always)


def _refuse_odd(
    engine: Engine,
    data: Any,
    roles: Mapping[str, str | None],
    rows: _Looked,
    read: Callable[..., Any],
) -> None:
    """Raise what a file would, if grades beyond the rows that were looked at are no grades."""
    column = roles["grades"]
    assert column is not None  # for the type checker
    values = engine.list_values(data, column, _VALUES)
    _read_others(engine, data, roles["problem"], {column: values}, rows, read)


def _read_others(
    engine: Engine,
    data: Any,
    problem: str | None,
    values: Mapping[str, Sequence[Any]],
    rows: _Looked,
    read: Callable[..., Any],
    always: Sequence[str] = (),
) -> None:
    """Read the problems that have other values of columns, or are named, beside the rows that were looked at."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table, named = rows.table, list[Any](always)
    is_column = problem in table.column_names
    for column in values if is_column else ():
        unseen = {*values[column]} - {*table[column].to_pylist()}
        if unseen:
            found = engine.take_rows(engine.keep(data, Where({column: list(unseen)})), _HEAD)
            named += pc.unique(found[problem]).to_pylist()
    if problem is None or not named:
        return
    whole = engine.take_rows(engine.keep(data, Where({problem: named})), _MORE)
    if not len(whole):
        return
    if is_column:
        table = table.filter(pc.invert(pc.is_in(table[problem], pc.unique(whole[problem]))))
    joined = [table, whole.select(table.column_names)]
    read(pa.concat_tables(joined, promote_options="permissive"), rows)


# Names of rows that sum up the others.
_TOTALS = (
    *("accuracy", "all", "average", "avg", "macro", "mean", "micro", "overall", "score", "sum"),
    *("summary", "total", "平均", "总计", "合计", "gesamt", "durchschnitt", "moyenne", "media"),
)
_SUMMARIES = [name for word in _TOTALS for name in (word, word.title(), word.upper())]


def _refuse_sources(
    owners: NDArray[np.int64], rows: _Looked, read: Callable[..., Any], options: Mapping[str, Any]
) -> None:
    """Raise if problems are in several files that are no runs of one model, nor shards of one table."""
    from at_k.readers.numbering import count_runs
    from at_k.readers.tables.merging import list_names

    if FILE not in rows.table.column_names or options["pool"]:
        return
    coded = encode(rows.table[FILE])
    pairs = np.unique([owners, coded.codes], axis=1)
    are_shared = len(np.unique(owners)) < len(pairs[0])
    names = list(map(str, coded.values))
    if are_shared and not count_runs(names) and not are_shards(names):
        first, second = (quote(name) for name in list_names(names)[:2])
        refusal = _say.error("engine.sources", SeveralModelsError, first=first, second=second)
        ask = partial(_offer_pooled, rows, read)
        refusal.ask = partial(_ask, ask, options["where"], are_all=rows.are_all)
        raise refusal


def _offer_pooled(rows: _Looked, read: Callable[..., Any]) -> Question:
    """Offer to take the rows of all files for samples of one model, if that gives a number."""
    with suppress(InputError):
        samples = read(rows.table, rows, pool=["file"])
        return Question(readings=[Found({"pool": "file"}, "pool", samples, 0).offer()])
    return Question()


def are_shards(files: Sequence[str]) -> bool:
    """Return whether the paths differ by numbers alone, and have the words of shards, or none.

    Examples:
        >>> are_shards(["a/part-00000.snappy.parquet", "a/part-00001.snappy.parquet"])
        True
        >>> are_shards(["0.parquet", "1.parquet"]), are_shards(["llama-3.parquet", "llama-4.parquet"])
        (True, False)
    """
    if len({_PARTS.sub("#", file) for file in files}) > 1:
        return False
    stem = _PARTS.sub("#", files[0].rpartition("/")[2].partition(".")[0])
    words = {word for word in re.split(r"[\W_]+", stem.lower()) if word}
    return not words or bool(words & _SHARD)
