"""Doubts about the names of problems: whether they name samples instead, or what another column asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from at_k.errors import InputError, Mention, Message, Phrases
from at_k.readers.blocks import HEAD
from at_k.readers.cells import spell_question
from at_k.readers.files.decoding import split_number
from at_k.readers.names import (
    ASKED,
    NUMBER_WORD,
    NUMBERED,
    PROBLEM,
    PROMPT,
    QUESTION,
    ROLE,
    RUN,
    SETTING,
    find_named,
    has_name,
    normalize_name,
    quote_all,
    shorten,
)
from at_k.readers.numbering import count_up, split_words
from at_k.readers.samples import Columns
from at_k.readers.tables.doubts.known import ColumnsKnown
from at_k.readers.tables.profile import Column, Profile

# Words in the name of a column that names problems.
_ITEM = {
    *("id", "ref", "key", "item", "question", "prompt", "problem", "task", "case", "example"),
    *("instance", "input", "inputs", "query", "scenario", "exercise", "puzzle"),
}

# Words behind which a name tells a property of the problem, or a measurement, and no problem.
_PROPERTY = {
    *("type", "kind", "class", "category", "level", "difficulty", "topic", "subject", "format"),
    *("style", "source", "language", "lang", "domain", "group", "split", "set", "tokens", "token"),
    *("length", "len", "time", "cost", "size", "chars", "words", "count", "num", "score"),
    *("version", "template", "date", "batch", "user", "session", "run", "hash", "model", "author"),
    *("annotator", "worker", "year"),
}

_say = Phrases(
    {
        "note.numbered_names": "Each name in column “{column}” was read as a problem, and ends in a number: {names}. "
        "If they number the samples of a problem: {split}.",
        "plain.numbered_names": "Each name in column “{column}” ends in a number, and each part "
        "before it occurs with all of them: {names}.\nIf they number the samples of a problem: "
        "{split}. If each name is a problem: {apart}.",
        "plain.questions": "Columns “{problem}” and “{column}” do not tell the same problems "
        "apart: {names} with {texts}.\nIf each value of “{column}” is a problem: {apart}. If each "
        "value of “{problem}” is one all the same: {one}.",
    }
)


def doubt_numbered(known: ColumnsKnown) -> Iterator[InputError | Message]:
    """Ask, or note, where names are those of samples, each that of a problem with a number behind it: p0_0, p0_1."""
    profile, problem = known.profile, known.roles["problem"]
    if known.listed or "problem" in known.given:
        return
    for column in known.others if problem is None else [problem]:
        if profile[column].distinct < profile.count:
            continue
        sizes = _count_numbered(list(map(str, profile[column].cells)))
        if len(sizes) < 2 or sizes[0] < 2 or len({*sizes}) > 1:
            continue
        told = {
            "column": shorten(column),
            "names": quote_all(profile[column].cells[:2]),
            "split": Mention(columns={"problem": shorten(f"{column}.base")}),
        }
        # More numbers than parts may be problems of a contest: AIME's 2024-I-1 to 2024-II-15.
        if sizes[0] > len(sizes):
            yield _say("note.numbered_names", **told)
            return
        apart = Mention(columns={"problem": shorten(column)})
        yield _say.error("plain.numbered_names", apart=apart, **told)


def _count_numbered(names: Sequence[str]) -> list[int]:
    """Count the names that have each part before their number, if they are numbered from 0 or 1; else nothing."""
    parts = [*takewhile(bool, map(split_number, names))]
    if len(parts) < len(names):
        return []
    numbers: dict[str, list[str]] = {}
    for base, number in filter(None, parts):
        numbers.setdefault(base, []).append(number)
    whole = list(numbers.values())[: -1 if len(names) >= HEAD else None]  # others may follow
    if all(map(count_up, whole)):
        return list(map(len, whole))
    return []


def find_asked(profile: Profile, roles: Columns) -> str | None:
    """Find the column of messages whose questions repeat, which names the problems where nothing else does."""
    for name in find_named(profile.columns, PROMPT):
        asked = [spell_question(cell) for cell in profile[name].there if isinstance(cell, list)]
        if name not in roles.values() and 1 < len({*asked}) < len(asked):
            return name
    return None


def find_questions(
    profile: Profile, problem: str | None, *, own_names: bool, chosen: Collection[str] = ()
) -> Mapping[str, str]:
    """Find what each problem asks, as far as the first rows say it: all rows may have gigabytes of questions.

    Columns by which rows were chosen say nothing of problems.
    """
    if problem is None or normalize_name(problem) in QUESTION:
        return {}
    others = [name for name in profile.columns if name not in (problem, *chosen)]
    column, is_sure, texts = _find_texts(profile, problem, others, own_names=own_names)
    if not column or not all(isinstance(text, (str, type(None))) for text in texts):
        return {}
    pairs = [
        (name, text)
        for name, text in zip(profile[problem].cells, texts, strict=True)
        if text is not None and isinstance(name, (str, int, float))
    ]
    asked = dict[object, object](reversed(pairs))  # the first of each
    counts = Counter(text for _, text in pairs)
    for name, text in pairs:
        if asked[name] != text:
            names = [name]
            shown = [each for other, each in pairs if other == name]
            raise _refuse_questions(problem, column, names, shown)
    # Half of the rows share their question with another one: a few problems may be there twice.
    shared = sum(count for count in counts.values() if count > 1)
    is_repeated = 2 * shared >= len(pairs) > 0
    if own_names and is_repeated and (is_sure or len(counts) > 1):
        text = counts.most_common(1)[0][0]
        names = [name for name, each in pairs if each == text]
        raise _refuse_questions(problem, column, names, [text])
    return {str(name): str(asked[name]) for name, _ in pairs}


def _refuse_questions(
    problem: str, column: str, names: Sequence[object], texts: Sequence[object]
) -> InputError:
    """Make the error that two columns do not tell the same problems apart."""
    return _say.error(
        "plain.questions",
        problem=shorten(problem),
        column=shorten(column),
        names=quote_all(dict.fromkeys(names)),
        texts=quote_all(dict.fromkeys(texts)),
        apart=Mention(columns={"problem": shorten(column)}),
        one=Mention(columns={"problem": shorten(problem)}),
    )


def _find_texts(
    profile: Profile, problem: str, others: Sequence[str], *, own_names: bool
) -> tuple[str, bool, Sequence[Any]]:
    """Find the column that says most of what rows ask, whether its name is clear, and the text of each row."""
    sure = [name for name in others if has_name(name, ASKED)][:1]
    perhaps = [name for name in others if has_name(name, PROMPT)]
    inputs = [name for name in others if normalize_name(name).startswith("inputs.")]
    asking = {
        name: list(map(spell_question, profile[name].cells)) for name in sure or perhaps or inputs
    }
    if not asking:
        alike = [name for name in others if _names_items(profile[name])]
        if not own_names:
            alike = [name for name in alike if _is_finer(profile, problem, name)]
        asking = {name: list(map(_spell_name, profile[name].cells)) for name in alike}
    column = max(asking, key=lambda name: len({*map(repr, asking[name])} - {"None"}), default="")
    return column, bool(sure), asking.get(column, ())


def _spell_name(cell: object) -> object:
    """Return a name as text, also that which is a number."""
    if isinstance(cell, (list, dict, str, type(None))):
        return spell_question(cell)
    return str(cell)


def _names_items(column: Column) -> bool:
    """Return whether a column may name problems, each with several rows, where another one names the rows."""
    if column.spelling in PROBLEM:
        return _repeats_alike(column)
    if column.has_objects or has_name(column.name, (*ROLE["group"], *NUMBERED, *SETTING, *RUN)):
        return False
    words = split_words(column.name)
    is_named = bool(words & _ITEM) and not words & (_PROPERTY | NUMBER_WORD - {"id"})
    return is_named and column.distinct > 1 and 2 * column.distinct <= len(column.cells)


def _is_finer(profile: Profile, problem: str, name: str) -> bool:
    """Return whether each value of a column belongs to one problem, and occurs as often as any other."""
    pairs = profile.combine(problem, name)
    counts = {*Counter(profile[name].keys).values()}
    is_finer = profile[problem].distinct < pairs == profile[name].distinct
    return is_finer and len(counts) == 1 and min(counts) > 1


def _repeats_alike(column: Column) -> bool:
    """Return whether all values of a column occur equally often, and not more often than there are values."""
    counts = [*Counter(column.keys).values()]
    counts = counts[: -1 if len(column.keys) >= HEAD else None]  # others may follow
    return len({*counts}) == 1 and 2 <= counts[0] <= len(counts)
