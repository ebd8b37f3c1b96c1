"""Doubts about the samples of any file: whether a problem sums up the others, or is one under two names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from at_k.arrow import join_lists, to_numpy
from at_k.errors import InputError, Mention, Message, Phrases
from at_k.readers.names import quote, shorten
from at_k.readers.numbering import is_summary
from at_k.readers.samples import Samples
from at_k.readers.tables.choosing import simplify
from at_k.readers.words import fold_name

# What a mean that is written with three digits may differ by.
_ROUNDED = 6e-4

# Means of few verdicts.
_COMMON = (0.25, 0.5, 0.75)

_say = Phrases(
    {
        "samples.white_space": "Two names of problems look the same, but differ in case, in white space, in the code "
        "of a letter or as 1 and 1.0 do: {first} and {second} ({place}). Spell them the same way if it is one problem. "
        "If they are two, add {apart}.",
        "structure.summary": "The row {name} sums up the others ({place}).\nLeave it out: {where}.",
    }
)

Doubts = Iterator[InputError | Message]


def refuse_odd_names(samples: Samples, apart: Mention, same: Mention | None = None) -> None:
    """Raise if two names differ by case, white space or a point alone; options hold them apart, or take them as one."""
    if not _may_be_odd(samples.problems):
        return
    seen: dict[str, str] = {}
    for problem, name in enumerate(samples.problems):
        first = seen.setdefault(fold_name(name), name)
        if first != name:
            raise _say.error(
                "samples.white_space",
                first=quote(first),
                second=quote(name),
                place=samples.place(problem, 0, "problem"),
                **({} if same is None else {"same": same}),
                apart=apart,
            )


def _may_be_odd(names: Sequence[str]) -> bool:
    """Return whether names have more than plain signs, or differ by case alone; looks at all as one text, for speed."""
    text = "\n" + "\n".join(names) + "\n"
    if text.count("\n") != len(names) + 1:
        return True
    plain = text.isascii() and text.replace("\n", "").isprintable()
    if not plain or any(part in text for part in ("  ", "\n ", " \n", ".0")):
        return True
    return len({*map(str.lower, names)}) < len(names)


def doubt_summaries(samples: Samples) -> Doubts:
    """Ask where the first or the last names are those of rows that sum up the others."""
    names = samples.table["problem"].to_pylist()
    count = len(names)
    first = len([*takewhile(is_summary, names)])
    behind = len([*takewhile(is_summary, reversed(names))])
    if first < count:
        named = {*range(first), *range(count - behind, count)}
    else:
        named = set()
    looked_at = named | ({count - 1} if count > 2 else set())
    for problem in sorted(looked_at):
        # A function to be written may be called “sum”, and has samples of its own.
        is_named = problem in named
        is_one = is_named and samples.n[problem] == 1
        if is_one or _is_mean(samples, problem, is_named=is_named):
            yield refuse_summary(samples, problem)


def _is_mean(samples: Samples, problem: int, *, is_named: bool) -> bool:
    """Return whether the grades of a problem are the means of those of the others."""
    if "grades" not in samples.table.column_names:
        return False
    grades = _list_grades(samples)
    is_own = np.repeat(np.arange(len(samples.n)) == problem, samples.n)
    means, rows = grades[is_own], grades[~is_own]
    are_partial = bool(((means > 0) & (means < 1)).any())
    if is_named or not are_partial:
        return are_partial
    if len(means) > 1 and (samples.n != len(means)).any():
        return False
    are_equal = np.isnan(rows).all() or np.nanmin(rows) == np.nanmax(rows)
    if are_equal or 2 * np.isin(rows, (0, 1)).sum() < len(rows):
        return False
    if len(means) == 1:
        # By chance, one of few problems may have a grade of a half that is the mean of the others.
        is_odd = len(samples.n) > 4 and means[0] not in _COMMON
        return is_odd and bool(abs(means[0] - np.nanmean(rows)) < _ROUNDED)
    rows = rows.reshape(-1, len(means))
    differ = (rows != rows[0]).any()  # among rows that are all equal, one more is no summary
    return bool(differ and np.allclose(means, np.nanmean(rows, axis=0), atol=_ROUNDED))


def _list_grades(samples: Samples) -> NDArray[np.float64]:
    """List the grades of all samples; NaN means a missing one."""
    numbers, present = to_numpy(join_lists(samples.table["grades"].combine_chunks()))
    if present is None:
        return numbers
    return np.where(present, numbers, np.nan)


def doubt_sums(samples: Samples) -> Doubts:
    """Ask where the counts of a problem are the sums of those above it."""
    n = samples.n
    c = np.add.reduceat(_list_grades(samples), np.cumsum(n) - n)
    sums = (n[2:] == np.cumsum(n)[1:-1]) & (c[2:] == np.cumsum(c)[1:-1])
    if sums.any():
        yield refuse_summary(samples, int(np.argmax(sums)) + 2)


def refuse_summary(samples: Samples, problem: int) -> InputError:
    """Make the error that the row of a problem sums up the others."""
    column, place = samples.roles["problem"] or "problem", samples.place(problem, 0, "problem")
    return make_summary_error(column, samples.table["problem"][problem].as_py(), place)


def make_summary_error(column: str, name: object, place: Message) -> InputError:
    """Make the error that a row sums up the others."""
    where = Mention(where={shorten(column): {"!=": simplify(name)}})
    return _say.error("structure.summary", name=quote(name), place=place, where=where)
