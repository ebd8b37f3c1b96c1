"""Doubts about all rows of a table: whether they are samples of one model, each there once, with one verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from at_k.errors import InputError, Mention, Message, Phrases
from at_k.readers.arrays import find_firsts, join_codes
from at_k.readers.names import (
    ARM,
    ERROR,
    FAILED,
    FAILING,
    SET,
    STATUS,
    TEST,
    has_name,
    is_model,
    normalize_name,
    quote,
    quote_all,
    shorten,
)
from at_k.readers.numbering import split_words
from at_k.readers.tables.choosing import make_several_error
from at_k.readers.tables.settings import Watch
from at_k.readers.words import judge, read_whole, says_failed

# Words in the name of a column that numbers attempts at one sample.
_RETRY = {
    *("attempt", "attempts", "retry", "retries", "try", "versuch", "essai", "tentative", "intento"),
    *("tentativa", "tentativo", "попытка", "试行", "尝试"),
}

# Errors about rows that are there twice.
COPIED = ("structure.repeated", "structure.resumed")

# Verdicts in half a table, and of each kind among them, that are not equal to those of the other half by chance.
_LONG, _EACH = 20, 5

# Rows of a part that may be repeated, at least; places at which parts with the same first rows may begin; rows that are
# compared first, as most parts differ in them; and how often all rows may be compared.
_RESUMED, _STARTS, _PEEKED, _COMPARED = 3, 4, 32, 20

_say = Phrases(
    {
        "structure.repeated": "The rows from {row:,} on repeat those before them.\nIf the file "
        "was appended to itself, n is twice as large as it should be: {option:errors=skip} leaves "
        "out one half. If it holds two equal runs, add {option:pool=file}.",
        "note.repeated": "The rows from {row:,} on repeat those before them. If the file was appended to itself, n is "
        "twice as large as it should be: remove one half.",
        "structure.resumed": "Samples are in the table twice: those from row {first:,} on once "
        "more from row {row:,} to row {last:,}, text by text.\nIf the run was resumed, "
        "{option:errors=skip} leaves these rows out. If they are samples of their own, add "
        "{option:pool=file}.",
        "structure.tests": "Column “{column}” names several tests of a problem: {values}.\nIf a "
        "sample is right where all of its tests pass, write one row for each sample first. If "
        "each test is a problem: {apart}. If each is a sample of its own: {pool}.",
        "structure.retries": "Column “{outer}” numbers samples, and “{inner}” numbers rows within "
        "each of them: {name} has {count:,} rows of one sample.\nIf they are attempts of which "
        "the last one counts: {last}. If each is a sample: {each}.",
        "structure.restarts": "Column “{column}” numbers attempts anew for each sample: {name} has "
        "{count:,} rows of one sample.\nIf the last attempt at each sample counts: {last}. If each "
        "row is a sample: {each}.",
        "note.errors": "Samples with {text} in column “{column}” that count as wrong: {count:,}. "
        "pass@1 is {included} with them, and {excluded} without them: {way}.",
        "plain.two_verdicts": "Columns “{taken}” and “{column}” contradict each other in "
        "{count:,} of {total:,} samples, first at {place}.\nSay which of them holds the verdicts: "
        "{one} or {other}.",
    }
)

Doubts = Iterator[InputError | Message]
Numbers = NDArray[np.int64]


@dataclass
class RowsKnown:
    """Knowledge of all rows of a table, or those of some of its problems.

    Attributes:
        problem: the number of the problem of each row.
        column: what names the problems; None where nothing does.
        settings: the columns that may hold settings.
        listed: whether a row is a problem, with lists of samples.
        names: the names of the problems.
        numbers: column → the number of each sample, as far as columns number samples.
        owners: the number of the problem of each sample.
        taken: the column of the verdicts.
        grades: the verdict on each sample, or nothing.
        verdicts: column → its verdict on each sample, of those beside the grades; NaN where it has none.
        errors: the columns that tell failures.
        repeated: the texts of all samples, a list for each column, if the second half of the rows repeats the first.
        resumed: the first rows of a part and of its repetition, and how many rows they have, if a run was resumed.
        place: describes the place of a sample.
    """

    problem: Numbers
    column: str | None
    settings: Sequence[Watch]
    listed: bool = False
    names: Sequence[str] = ()
    numbers: Mapping[str, Numbers] = field(default_factory=dict)
    owners: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    taken: str = ""
    grades: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    verdicts: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    errors: Sequence[Watch] = ()
    repeated: Sequence[Sequence[str]] | None = None
    resumed: tuple[int, int, int] | None = None
    place: Callable[[int], Message] | None = None


def doubt_tests(rows: RowsKnown) -> Doubts:
    """Ask where the rows of a problem are the tests of one sample."""
    if rows.listed or rows.column is None:
        return
    for watch in rows.settings:
        if has_name(watch.name, TEST) and watch.differs(rows.problem):
            yield _say.error(
                "structure.tests",
                column=shorten(watch.name),
                values=quote_all(watch.values),
                apart=Mention(columns={"problem": f"{rows.column}+{watch.name}"}),
                pool=Mention(pool=watch.name),
            )


def doubt_settings(rows: RowsKnown) -> Doubts:
    """Ask where the rows are of several models, settings or sets of problems; note where they may be."""
    several = [watch for watch in rows.settings if len(watch.values) > 1]
    counting = {watch.name for watch in several if watch.numbers_samples}
    found = {watch.name: watch.find_settings(rows.problem, listed=rows.listed) for watch in several}
    for watch in several:
        if found[watch.name] == "even" and not _follows(watch, rows.grades):
            found[watch.name] = "all"

    def rank(watch: Watch) -> int:
        """Rank models first, then what the rows show, then what the name says."""
        if is_model(watch.name) and watch.name not in counting:
            return 0
        if found[watch.name] in ("all", "parts"):
            return 1
        if watch.name in counting or not _names_settings(watch.name):
            return 3
        return 2 if watch.differs(rows.problem) else 3

    ranks = {watch.name: rank(watch) for watch in several}
    for watch in sorted(several, key=lambda watch: ranks[watch.name]):
        error = make_several_error(watch.name, watch.values, rows.column)
        if ranks[watch.name] < 3:
            yield error
        elif found[watch.name] == "perhaps":
            yield error.message


def _follows(watch: Watch, grades: NDArray[np.float64]) -> bool:
    """Return whether one of two values has verdicts of one kind alone, as a weaker test and a flag of faults have."""
    codes = watch.codes
    return len(codes) == len(grades) and len(np.unique(2 * codes + (grades > 0.5))) == 3


def _names_settings(name: str) -> bool:
    """Return whether a column has the name of a setting, or of a set: `params.prompt_template`."""
    return has_name(name, SET) or not ARM.isdisjoint(split_words(name.rpartition(".")[2]))


def doubt_retries(rows: RowsKnown) -> Doubts:
    """Ask where a column numbers attempts within samples that another one numbers."""
    for outer, inner in permutations(rows.numbers, 2):
        if _RETRY.isdisjoint(split_words(inner)):
            continue  # seeds and samples of each number together
        joined = join_codes([rows.owners, rows.numbers[outer]])
        samples = np.unique(joined, return_inverse=True)[1].reshape(-1)
        counts = np.bincount(samples)
        if counts.max() == 1 or not _counts_up(samples, rows.numbers[inner], counts):
            continue
        first = int(np.argmax(counts[samples] > 1))
        yield _say.error(
            "structure.retries",
            outer=shorten(outer),
            inner=shorten(inner),
            name=quote(rows.names[int(rows.owners[first])]),
            count=int(counts[samples[first]]),
            last=Mention(columns={"sample": shorten(outer), "attempt": shorten(inner)}),
            each=Mention(pool=shorten(inner)),
        )


def doubt_restarts(rows: RowsKnown) -> Doubts:
    """Ask where attempts are numbered anew for each sample, and nothing numbers the samples: 0, 0, 1, 0."""
    for watch in () if rows.listed else rows.settings:
        whole = [read_whole(value) for value in watch.values]
        if len(whole) < 2 or None in whole or _RETRY.isdisjoint(split_words(watch.name)):
            continue
        numbers = np.array(whole, np.int64)[watch.codes]
        samples = number_samples(rows.problem, numbers)
        counts = np.bincount(samples)
        is_ragged = counts.min() < counts.max()
        if not is_ragged or not _counts_up(samples, numbers, counts):
            continue
        first = int(np.argmax(counts[samples] > 1))
        yield _say.error(
            "structure.restarts",
            column=shorten(watch.name),
            name=quote(rows.names[int(rows.problem[first])]),
            count=int(counts[samples[first]]),
            last=Mention(columns={"attempt": shorten(watch.name)}),
            each=Mention(pool=shorten(watch.name)),
        )


def number_samples(problem: Numbers, attempts: Numbers) -> Numbers:
    """Number the samples of attempts: a new one begins where their number rises no more, if one occurs again.

    Examples:
        >>> number_samples(np.array([0, 0, 1, 0, 1]), np.array([0, 1, 0, 0, 1])).tolist()
        [0, 0, 2, 1, 2]
    """
    _, codes = np.unique(attempts, return_inverse=True)
    if len(find_firsts(join_codes([problem, codes]))) == len(problem):
        return problem
    order = np.argsort(problem, kind="stable")
    is_new = (np.diff(problem[order]) != 0) | (np.diff(attempts[order]) <= 0)
    samples = np.zeros(len(problem), np.int64)
    samples[order] = np.append(0, np.cumsum(is_new))
    return samples


def _counts_up(owners: Numbers, numbers: Numbers, counts: Numbers) -> bool:
    """Return whether the numbers of each owner are whole numbers from the smallest one, each once."""
    order = np.lexsort((numbers, owners))
    ranks = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    return bool((numbers[order] - numbers.min() == ranks).all())


def doubt_repeated(rows: RowsKnown) -> Doubts:
    """Ask, or note, where the second half of a table repeats the first: a file that was appended to itself."""
    if rows.repeated is None:
        return
    # A few verdicts alone may be equal by chance, so that a note says it. Texts of samples are not, nor are many
    # verdicts that differ.
    half = len(rows.problem) // 2
    right = int((rows.grades[:half] > 0.5).sum())
    differing = min(right, len(rows.grades[:half]) - right)
    are_long = half >= _LONG and differing >= _EACH and not rows.repeated
    if are_long or any(len({*cells[:half]}) >= half / 2 for cells in rows.repeated):
        yield _say.error("structure.repeated", row=half + 1)
    elif differing:
        yield _say("note.repeated", row=half + 1)


def doubt_resumed(rows: RowsKnown) -> Doubts:
    """Ask where some rows repeat others with their texts: a run was resumed before its last sample."""
    if rows.resumed is not None and rows.repeated is None:
        first, again, count = rows.resumed
        yield _say.error("structure.resumed", first=first + 1, row=again + 1, last=again + count)


def list_resumed(problem: Numbers, verdicts: NDArray[np.float64]) -> Iterator[tuple[int, int, int]]:
    """List the parts of a table that may be there twice: where each begins, and its repetition, and how many rows.

    A repetition goes on to the end, or to where the first part is complete.

    Examples:
        >>> [*list_resumed(np.array([0, 0, 1, 1, 0, 0, 1]), np.array([1, 0, 1, 1, 1, 0, 1]))]
        [(0, 4, 3)]
    """
    codes = join_codes([problem, np.unique(verdicts, return_inverse=True)[1]])
    held, size = codes.tobytes(), codes.itemsize
    known: dict[bytes, list[int]] = {}
    left = _COMPARED * len(codes)
    for again in np.flatnonzero(np.diff(problem, prepend=-1)).tolist():
        earlier = known.setdefault(held[again * size : (again + _RESUMED) * size], [])
        for first in earlier:
            count = min(again - first, len(codes) - again)
            peeked = min(count, _PEEKED) * size
            mine, other = first * size, again * size
            if count < _RESUMED or held[mine : mine + peeked] != held[other : other + peeked]:
                continue
            if np.array_equal(codes[first : first + count], codes[again : again + count]):
                yield first, again, count
            left -= count
            if left < 0:
                return
        if len(earlier) < _STARTS:
            earlier.append(again)


def weigh_copy(problem: Numbers, cells: Numbers, again: int, count: int) -> float:
    """Return the bits by which the rows from `again` on are a copy: none where all samples of a problem are equal.

    Examples:
        >>> problem, cells = np.array([0, 0, 1, 1, 0, 0]), np.array([0, 1, 2, 2, 0, 1])
        >>> weigh_copy(problem, cells, 4, 2)
        2.0
    """
    others = np.delete(np.arange(len(problem)), np.s_[again : again + count])
    joined = np.unique(join_codes([problem, cells]), return_inverse=True)[1].reshape(-1)
    n = np.bincount(problem[others], minlength=problem.max() + 1)
    times = np.bincount(joined[others], minlength=joined.max() + 1)
    # The chance that two samples of a problem are equal.
    equal = np.bincount(problem[others], weights=times[joined[others]], minlength=len(n))
    owners = problem[again : again + count]
    return float(-np.log2(equal[owners] / n[owners] ** 2).sum())


def repeats(*columns: NDArray[np.float64] | Numbers) -> bool:
    """Return whether the second half of each column is its first half once more."""
    half, odd = divmod(len(columns[0]), 2)
    if half <= 2 or odd:
        return False
    return all(np.array_equal(column[:half], column[half:], equal_nan=True) for column in columns)


def doubt_contradictions(rows: RowsKnown) -> Doubts:
    """Ask where another column of verdicts says something else than the one that was taken."""
    mine = rows.grades
    for name, other in rows.verdicts.items():
        if len(other) != len(mine):
            continue  # samples of a list were left out
        are_both = ~np.isnan(mine) & ~np.isnan(other)
        differs = are_both & ((mine > 0.5) != (other > 0.5))
        if differs.any() and rows.place is not None:
            yield _say.error(
                "plain.two_verdicts",
                taken=shorten(rows.taken),
                column=shorten(name),
                count=int(differs.sum()),
                total=len(differs),
                place=rows.place(int(np.argmax(differs))),
                one=Mention(columns={"grades": shorten(rows.taken)}),
                other=Mention(columns={"grades": shorten(name)}),
            )


def doubt_failures(rows: RowsKnown) -> Doubts:
    """Note samples whose flag or text tells an error, and that count as wrong: they may not have been judged."""
    are_wrong = rows.grades <= 0.5
    for watch in rows.errors if len(rows.grades) else ():
        are_states = normalize_name(watch.name.rpartition(".")[2]) in STATUS
        failed = [_tells_failure(value, is_state=are_states) for value in watch.values]
        flagged = np.array(failed)[watch.codes] & are_wrong
        is_inverse = "fail" in normalize_name(watch.name) and np.array_equal(flagged, are_wrong)
        if flagged.any() and not is_inverse:
            yield _say(
                "note.errors",
                count=int(flagged.sum()),
                column=shorten(watch.name),
                text=quote(watch.values[int(watch.codes[np.argmax(flagged)])]),
                way=Mention(columns={"error": shorten(watch.name)}, missing="drop"),
                included=_average(rows.grades, rows.owners),
                excluded=_average(rows.grades[~flagged], rows.owners[~flagged]),
            )


def _tells_failure(value: object, *, is_state: bool) -> bool:
    """Return whether a cell of a flag, or of a status, says that the harness failed."""
    if is_state and isinstance(value, str):
        return FAILED.search(value.lower()) is not None and judge(value) is None
    return says_failed(value)


def names_failures(name: str) -> bool:
    """Return whether a column tells failures of the harness by its name."""
    last = normalize_name(name.rpartition(".")[2])
    return last in (*ERROR, *STATUS) or FAILING.search(last) is not None


def _average(verdicts: NDArray[np.float64], problem: Numbers) -> str:
    """Write the mean over problems of the share of correct samples."""
    there = ~np.isnan(verdicts)
    if not there.any():
        return "–"
    n = np.bincount(problem[there])
    c = np.bincount(problem[there], weights=verdicts[there] > 0.5)
    return f"{(c[n > 0] / n[n > 0]).mean():.3f}"
