"""Compose readings of a table whose columns do not tell their roles: of problems, verdicts, counts and words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from at_k.errors import Message
from at_k.readers.blocks import Block
from at_k.readers.cells import Cells
from at_k.readers.names import (
    FAILED,
    MODEL,
    NUMBER_WORD,
    NUMBERED,
    PROBLEM,
    ROLE,
    SETTING,
    find_named,
    has_name,
    normalize_name,
    shorten,
)
from at_k.readers.numbering import count_up, split_words
from at_k.readers.tables.profile import Column, Profile
from at_k.readers.tables.shapes import has_parts, read_counts
from at_k.readers.words import is_finite, judge, read_share, read_spelled, read_whole, says_failed

Options = dict[str, Any]

# Words of a column of verdicts.
_WORDS = 8

_JUDGING = re.compile(
    r"correct|right|pass|success|succe|resolved|solved|verdict|grade|ok$|match|accura|score|reward|win|outcome|status|"
    r"judge|label|result|rating|stars|quality|points?$|marks?$|punkte|bewertung|hit$|是否|正确|得分|评分|erfolg"
)
_FAULTY = re.compile(
    r"exit|loss|return_?code|err(no|or|eur)|fehl|^rc$|wrong|incorrect|fail|invalid|hallucinat|not_|^un(re)?solved|time.?out|"
    r"timed_|crash|infra"
)
_MEASURED = re.compile(
    r"time|token|latency|cost|usd|second|duration|length|date|len$|temperature|price|logprob|confidence"
)
_NAMING = re.compile(
    r"id$|ref$|key$|name|task|problem|question|prompt|case|example|item|instance|input|query|scenario|aufgabe|frage"
)
_TESTS = re.compile(r"total|^n_|num|count|max|^tests?$")
_TOTAL = re.compile(r"^n$|max|^n_|num|count|total|sample|attempt|trial|rollout|runs|tries|^of$")

# Ends of scales of grades that people use.
_ENDS, _JUDGED = (1, 2, 3, 4, 5, 6, 7, 10, 20, 50, 100), 10

# What must hold where all tests of a sample are to pass.
_ALL_TESTS = ">=1"

# Errors of which the verdicts are known.
_ABOUT_PROBLEMS = {"standard.no_problem", "plain.numbered_names", "plain.questions", "plain.runs"}


def join_options(own: Mapping[str, Any], more: Mapping[str, Any]) -> Options:
    """Join options; those that map columns are joined by their keys."""
    joined = dict(own)
    for name, value in more.items():
        old = joined.get(name)
        are_maps = isinstance(old, Mapping) and isinstance(value, Mapping)
        joined[name] = {**(old or {}), **value} if are_maps else value
    return joined


def compose(head: Block, given: Options, message: Message) -> Iterator[tuple[Options, str, float]]:
    """Compose readings of a table whose columns do not tell their roles: of verdicts, of counts, of words."""
    columns = Profile(head, Cells(), is_text=False).leaves
    taken = dict(given.get("columns") or {})
    problems = _rate_problems(columns, taken)
    if message.code in _ABOUT_PROBLEMS:
        for problem, prior in (problems | _pair_problems(columns, problems)).items():
            if problem:
                yield {"columns": {"problem": problem}}, "", prior
        return
    for reference, worth in _rate_references(columns):
        for problem, prior in problems.items():
            roles = {"problem": problem} if problem else {}
            yield {"columns": roles | {"references": reference}}, "", worth + prior
    reads = Cells(correct=given.get("correct") or (), wrong=given.get("wrong") or ())
    for verdicts, more, worth in _rate_verdicts(columns, taken, reads):
        for problem, prior in problems.items():
            is_number = _numbers_rows(columns, problem, verdicts)
            if problem == verdicts or (is_number and not _JUDGING.search(verdicts.lower())):
                continue
            roles = ({} if problem == "" else {"problem": problem}) | {"grades": verdicts}
            others = [name for name in columns if name != verdicts]
            numbers = [name for name in others if _numbers_rows(columns, problem, name)]
            if numbers:
                roles["sample"] = min(numbers, key=lambda name: columns[name].distinct)
            yield join_options({"columns": roles}, more), "", worth + prior
    for total, right in _list_counts(columns):
        for problem, prior in _rate_owners(columns, problems, (total, right)).items():
            ways = _list_parts(columns, problem, total, right) if problem else ()
            yield from ((told, name, worth + prior) for told, name, worth in ways)
    if message.code == "cells.grade":
        named = (columns[name] for name in [taken.get("grades")] if name in columns)
        found = [column for column in columns.values() if column.spelling in ROLE["grades"]]
        for column in [*named, *found]:
            for place, scale in enumerate(_list_scales(column)):
                yield {"scale": scale}, "", 0.1 - 0.02 * place
            most = max(_list_numbers(column), default=0.5)
            if most.is_integer():  # such as the number of tests that a sample passed
                yield {"correct": [f"{most:.0f}"]}, "", 0.05


def _numbers_rows(columns: Mapping[str, Column], problem: str, name: str) -> bool:
    """Return whether a column numbers the rows of each problem."""
    if name == problem or problem not in columns or columns[name].numbers is None:
        return False
    owners, numbers = columns[problem], columns[name]
    pairs = {*zip(owners.keys, numbers.keys, strict=True)}
    repeats = owners.distinct > 1 and 2 * owners.distinct <= len(owners.cells)
    return repeats and len(pairs) == len(owners.cells) and count_up([*{*(numbers.numbers or ())}])


def _rate_owners(
    columns: Mapping[str, Column], problems: Mapping[str, float], counts: Sequence[str]
) -> dict[str, float]:
    """Rate the columns that may name problems beside those of counts; the line does, where no count is called so."""
    owners = {name: prior for name, prior in problems.items() if name not in counts}
    if owners or any(_NAMING.search(columns[name].spelling) for name in counts):
        return owners
    return {"line": -0.2}


def _rate_problems(columns: Mapping[str, Column], taken: Mapping[str, Any]) -> dict[str, float]:
    """Rate the columns that may name problems; "" leaves the choice to the reader."""
    if taken.get("problem"):
        return {"": 0.0}
    rated: dict[str, float] = {}
    for name, column in columns.items():
        count = len(column.cells)
        is_named = _NAMING.search(column.spelling) is not None or column.spelling in PROBLEM
        if not column.fits("problem", whole=True) or not (is_named or column.distinct > 1):
            continue
        shares = (read_share(read_spelled(cell)) for cell in column.there)
        if not is_named and column.numbers is None and all(map(is_finite, shares)):
            continue  # fractions
        if _MEASURED.search(column.spelling) or _FAULTY.search(column.spelling):
            continue
        is_verdict = column.are_verdicts and column.distinct == 2
        if column.spelling in ROLE["grades"] or is_verdict or all(map(_tells_end, column.parts)):
            continue
        repeats = 2 * column.distinct <= count
        if column.distinct < count and not (repeats or is_named):
            continue
        worth = 0.2 * repeats + 0.2 * is_named
        worth += 0.1 * (column.spelling in PROBLEM)
        times = {column.keys.count(key) for key in dict.fromkeys(column.keys[:50])}
        worth += 0.2 * (repeats and len(times) == 1 and times < {*range(column.distinct)})
        worth -= 0.4 * (
            has_name(name, (*SETTING, *NUMBERED)) or name in find_named([name], ROLE["group"])
        )
        worth -= 0.3 * (
            column.numbers is not None
            and count_up([*{*column.numbers}])
            and not _NAMING.search(column.spelling)
        )
        rated[name] = worth
    is_told = max(rated.values(), default=0.0) > 0
    free = [name for name in rated if rated[name] > 0 or not is_told]
    best = sorted(free, key=lambda name: -rated[name])[:4]
    return {name: rated[name] for name in best} or {"line": -0.2}


def _pair_problems(
    columns: Mapping[str, Column], problems: Mapping[str, float]
) -> dict[str, float]:
    """Rate pairs of columns that name problems together: a number occurs once with each, and not with one of them."""
    rated: dict[str, float] = {}
    numbers = [column for column in columns.values() if _numbers_samples(column)]
    parts = [columns[name] for name in columns if name in problems and _is_part(columns[name])]
    for number in numbers:
        for one, other in combinations(parts, 2):
            keys = [*zip(one.keys, other.keys, strict=True)]
            rows = [*zip(keys, number.keys, strict=True)]
            alone = [{*zip(each.keys, number.keys, strict=True)} for each in (one, other)]
            is_pair = len({*rows}) == len(rows) > max(map(len, alone))
            if is_pair and 2 * len({*keys}) <= len(rows):
                rated[f"{one.name}+{other.name}"] = 0.9
    return rated


def _is_part(column: Column) -> bool:
    """Return whether a column may name problems with another one alone: it has no name for one, or counts up."""
    counts_up = column.numbers is not None and count_up([*{*column.numbers}])
    return counts_up or not (_NAMING.search(column.spelling) or "model" in column.spelling)


def _rate_references(columns: Mapping[str, Column]) -> Iterator[tuple[str, float]]:
    """Rate the columns that may hold the right answers: some answers are equal to that of their row."""
    answers = next(iter(find_named(columns, ROLE["answers"])), None)
    for name, column in columns.items():
        if answers is None or name == answers or column.has_objects or column.are_verdicts:
            continue
        pairs = zip(columns[answers].keys, column.keys, strict=True)
        equal = sum(one.strip() == other.strip() for one, other in pairs)
        is_named = any(word in column.spelling for word in _RIGHT_ANSWER)
        if equal and (is_named or 4 * equal > len(column.keys)):
            yield name, 0.5 + 0.2 * is_named


# Words in the name of a column of right answers.
_RIGHT_ANSWER = ("label", "gold", "truth", "target", "expected", "reference", "solution", "correct")


def _rate_verdicts(
    columns: Mapping[str, Column], taken: Mapping[str, Any], reads: Cells
) -> Iterator[tuple[str, Options, float]]:
    """Rate the columns that may hold verdicts, some with the words that mean right."""
    own: dict[str, Column] = {}
    for name, column in columns.items():
        is_other = column.spelling in MODEL or _MEASURED.search(column.spelling) is not None
        is_taken = taken.get("grades") not in (None, name) or name == taken.get("problem")
        if column.there and not is_other and not is_taken:
            own[name] = Column(name, column.cells, reads)
    clear = [name for name, column in own.items() if _judges(column)]
    for name, column in own.items():
        if name in clear or not (clear and _is_beside(column)):
            others = [own[other] for other in clear if other != name]
            is_weaker = name in clear and any(_implies(other, column) for other in others)
            for told, worth in _rate_words(column):
                yield name, told, worth - 0.1 * is_weaker


def _implies(one: Column, other: Column) -> bool:
    """Return whether samples are right by one column only where they are by another one, as tests after a build."""
    keys = zip(one.keys, other.keys, strict=True)
    cells = dict(zip(keys, zip(one.cells, other.cells, strict=True), strict=True)).values()
    read = [(one.reads.attempt("grades", a), other.reads.attempt("grades", b)) for a, b in cells]
    return {*read} == {(1.0, 1.0), (0.0, 1.0), (0.0, 0.0)}


def _judges(column: Column) -> bool:
    """Return whether a column of several grades holds verdicts, or has a name that judges."""
    fits = column.fits("grades", whole=True) and len(column.parts) > 1
    is_told = column.are_verdicts or _JUDGING.search(column.spelling) is not None
    return fits and is_told and not _is_beside(column)


def _is_beside(column: Column) -> bool:
    """Return whether a column numbers samples, or says how their runs ended: ok, timeout."""
    return _numbers_samples(column) or (bool(column.parts) and all(map(_tells_end, column.parts)))


def _numbers_samples(column: Column) -> bool:
    """Return whether a column has the name of one that numbers samples."""
    is_named = not split_words(column.name).isdisjoint(NUMBER_WORD)
    is_other = _JUDGING.search(column.spelling) or _TOTAL.search(column.spelling)
    return has_name(column.name, NUMBERED) or (is_named and not is_other)


def _tells_end(word: object) -> bool:
    """Return whether a word says how a run ended, and not whether it was right."""
    if not isinstance(word, str):
        return False
    spelled = word.strip().lower()
    if spelled in ("ok", "success"):
        return True
    is_plain = isinstance(read_spelled(word), str)
    return is_plain and (not says_failed(word) or FAILED.search(spelled) is not None)


def _rate_words(column: Column) -> Iterator[tuple[Options, float]]:
    """Rate what the words or numbers of a column may mean."""
    worth = 0.3 * bool(_JUDGING.search(column.spelling))
    words = list(dict.fromkeys(map(str, column.parts)))
    if column.fits("grades", whole=True) and len(words) > 1:
        values = {read_spelled(word) for word in words}
        told: Options = {}
        if _FAULTY.search(column.spelling) and values <= {0, 1}:
            told = {"correct": [_spell_word(word) for word in words if not read_spelled(word)]}
        yield told, worth + 0.2 * (values <= {0, 1})
        if not column.are_judged and {*map(type, values)} == {bool}:  # yes may mean failed, too
            yield {"correct": [word for word in words if read_spelled(word) is bool(told)]}, 0.0
    elif column.numbers and _FAULTY.search(column.spelling):  # a number of faults
        yield {"correct": ["0"]}, worth
    elif _list_numbers(column):
        for place, scale in enumerate(_list_scales(column) if worth else ()):
            yield {"scale": scale}, worth - 0.05 * place
    elif 2 <= len(words) <= _WORDS and len(words) < len(column.list_parts()):
        right = [word for word in words if judge(word) or normalize_name(word) in _RIGHT]
        for word in right[:1] or (words if worth else []):
            yield {"correct": [shorten(word)]}, worth + 0.2 * (word in right)


def _list_numbers(column: Column) -> list[float]:
    """List the numbers that cells and their lists hold; none if they hold something else."""
    read = [read_spelled(part) for part in column.parts if part is not None]
    if not all(map(is_finite, read)):
        return []
    return [float(str(number)) for number in read]


def _list_scales(column: Column) -> list[tuple[float, float]]:
    """List the scales on which the numbers of a column may be, likeliest first: those of judges begin at 1."""
    numbers = _list_numbers(column)
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    if high not in _ENDS or low < -high:
        return []
    if low < 0:
        starts = [-int(high)]
    elif 1 <= low < high <= _JUDGED:
        starts = [1, 0]
    else:
        starts = [0]
    return [(start, int(high)) for start in starts if (start, high) != (0, 1)]


def _spell_word(word: str) -> str:
    """Return a word, or a whole number without its point."""
    number = read_whole(word)
    if number is None:
        return shorten(word)
    return str(number)


# Words that mean right in the columns of some harness, though they are no verdict elsewhere.
_RIGHT = {"accepted", "completed", "match", "win", "good", "c", "a", "yes", "true"}


def _list_counts(columns: Mapping[str, Column]) -> Iterator[tuple[str, str]]:
    """List pairs of columns of which one can count samples, and the other those that are right, or their share."""
    for name, column in columns.items():
        if column.there and column.numbers is None and has_parts(column):
            yield name, name
    shares = {
        name: [read_share(read_spelled(cell)) for cell in column.cells]
        for name, column in columns.items()
        if not (_numbers_samples(column) or _MEASURED.search(column.spelling))
    }
    numbers = [name for name, cells in shares.items() if all(map(is_finite, cells))]
    totals = [name for name in numbers if _TOTAL.search(columns[name].spelling)]
    if any("test" in name for name in numbers):  # those of one sample are counted
        totals = [name for name in totals if _TESTS.search(columns[name].spelling)]
    rights = [name for name in numbers if _JUDGING.search(columns[name].spelling)] or numbers
    faults = [name for name in numbers if _FAULTY.search(columns[name].spelling)]
    right = "".join({*numbers} - {*faults})
    if len(faults) == 1 and len(numbers) == 2 and right in rights:  # wins and losses
        yield f"{right}+{faults[0]}", right
    for total in totals or (numbers if len(numbers) == 2 else []):
        for right in rights:
            is_share = any(share % 1 for share in shares[right] if is_finite(share))
            pairs = zip(columns[total].cells, columns[right].cells, strict=True)
            counts = [read_counts(*pair, whole=is_share) for pair in pairs if total != right]
            if counts and None not in counts and max(pair[0] for pair in counts if pair) > 1:
                yield total, right


def _list_parts(
    columns: Mapping[str, Column], problem: str, total: str, right: str
) -> Iterator[tuple[Options, str, float]]:
    """List what numbers of a total may mean where a row is one sample: of its tests, as a rule all must pass."""
    are_tests = any("test" in name.lower() for name in (total, right))
    owner, numbers = columns.get(problem), columns[right].numbers
    is_sample = are_tests or (owner is not None and owner.distinct < len(owner.cells))
    if is_sample and (numbers is None or max(numbers) > 1):
        grades = right if total == right else f"{right}/{total}"
        roles = {"problem": problem, "grades": grades}
        yield {"columns": roles, "correct_above": _ALL_TESTS}, "tests", 0.7
        yield {"columns": roles}, "part", 0.4
    if not are_tests:
        yield {"columns": {"problem": problem, "n": total, "c": right}}, "counts", 0.3
