"""Read the columns that users have. Each is checked, an error names its first fault and where it is; nothing is cast.

A column has one entry per problem. It may be a list or tuple, a NumPy array or tensor, a pandas, Polars or Arrow
column, or a column of a `datasets.Dataset`. Problems and samples are counted from 0. Arrow columns and NumPy tables
are read as a whole; everything else is read value by value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k import arrow
from at_k.combinatorics import Ints
from at_k.errors import InputError
from at_k.lists import (
    Place,
    flatten,
    is_table,
    list_rows,
    show_number,
    to_floats,
    to_list,
    to_vectors,
)
from at_k.samples import Answers, Problems, Ragged, locate, to_float64
from at_k.validation import (
    NUMBERS,
    describe,
    fit_floats,
    is_integer,
    is_missing,
    require_same_problems,
    require_same_samples,
    shorten,
)


def read_answers(rows: object, name: str = "predictions") -> Answers:
    """Read rows of strings. None means a missing sample, and so does NaN, which pandas puts in its place."""
    for read in (arrow.read_answers, arrow.encode_lists):
        whole = read(rows)
        if whole is not None:
            return whole
    flat, n = flatten(rows, name)
    kinds = set(map(type, flat))
    if not kinds <= {str, type(None)}:
        are_whole = all(is_whole(value) or is_missing(value) for value in flat)
        for i, value in enumerate(flat):
            if not (are_whole or isinstance(value, str) or is_missing(value)):
                raise TypeError(
                    f"`{name}` must hold strings; got {describe(value)} in {locate(n, i)}"
                )
        flat = [None if is_missing(value) else spell_answer(value) for value in flat]
    return Answers.of_values(flat, n)


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number of 64 bits, which as an answer is its decimal text."""
    is_number = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
    return is_number and -(2**63) <= value < 2**63


def spell_answer(value: Any) -> str:
    """Return an answer as text; a subclass such as np.str_ becomes a plain one."""
    if isinstance(value, str):
        return str.__str__(value)
    return str(int(value))


def read_labels(rows: object, name: str = "votes") -> Answers:
    """Read rows of hashable values of one type, such as strings or numbers. None and NaN mean no answer."""
    whole = arrow.read_answers(rows)
    if whole is not None:
        return whole
    flat, n = flatten(rows, name)
    place = partial(locate, n)
    if not set(map(type, flat)) <= {str, type(None)}:
        for i, value in enumerate(flat):
            if not isinstance(value, Hashable):
                raise TypeError(
                    f"`{name}` must hold hashable answers; got {describe(value)} in {place(i)}"
                )
        flat = [None if is_missing(value) else value for value in flat]
        refuse_mixtures(flat, n, name, place)
    return Answers.of_values(flat, n)


def refuse_mixtures(flat: list[Any], n: Ints, name: str, place: Place) -> None:
    """Raise if the answers of a problem are of several types."""
    sorts = list(map(find_type, flat))
    if len(set(sorts) - {None}) > 1:
        for start, stop in pairwise(np.concatenate([[0], np.cumsum(n)])):
            present = [i for i in range(start, stop) if sorts[i] is not None]
            for i in present:
                if sorts[i] is not sorts[present[0]]:
                    raise TypeError(
                        f"`{name}` must not mix types in a problem; got {describe(flat[i])} in {place(i)}, "
                        f"beside {describe(flat[present[0]])}"
                    )


def find_type(answer: object) -> type | None:
    """Return the type of an answer, with all numeric types as one. Return None if there is no answer."""
    if answer is None:
        return None
    return next(
        (sort for sort, types in ((str, str), (float, NUMBERS)) if isinstance(answer, types)),
        type(answer),
    )


def read_grades(rows: object, name: str = "predictions", *, missing: bool = True) -> Ragged:
    """Read rows of numbers in [0, 1]. If `missing` allows it, None and NaN are kept as NaN."""
    return Ragged.concatenate(read_grade_parts(rows, name, missing=missing))


def read_grade_parts(
    rows: object, name: str = "predictions", *, missing: bool = True
) -> tuple[Ragged, ...]:
    """Read rows as `read_grades` does, but keep the parts in which they come, so that large columns are not copied."""
    parts = _read_number_parts(rows, name)
    before = 0
    for part in parts:
        values = part.values
        if not (values.min(initial=0) >= 0 and values.max(initial=1) <= 1):  # NaN makes both false
            right = (values >= 0) & (values <= 1) | (missing & np.isnan(values))
            if not right.all():
                at = int(np.argmin(right))
                place = Ragged.concatenate(parts).place(before + at)
                raise ValueError(
                    f"`{name}` must hold grades in [0, 1]; got {show_number(values[at])} in {place}"
                )
        before += len(values)
    return tuple(parts)


def read_weights(rows: object, name: str = "weights", *, missing: bool = False) -> Ragged:
    """Read rows of finite numbers that are not negative. If `missing` allows it, None and NaN are kept as NaN."""
    weighted = read_numbers(rows, name)
    right = (weighted.values >= 0) & np.isfinite(weighted.values)
    if missing:
        right |= np.isnan(weighted.values)
    if not right.all():
        at = int(np.argmin(right))
        raise ValueError(
            f"`{name}` must be finite and not negative; got {show_number(weighted.values[at])} in {weighted.place(at)}"
        )
    return weighted


def read_numbers(rows: object, name: str) -> Ragged:
    """Read rows of numbers in double precision. NaN means a missing one."""
    numbers = Ragged.concatenate(_read_number_parts(rows, name))
    return numbers.with_values(to_float64(numbers.values))


def read_scores(rows: object, name: str = "scores") -> Ragged:
    """Read rows of numbers, or of lists of d numbers as values of shape (samples, d). NaN means a missing one."""
    if isinstance(rows, Ragged):
        return rows
    scored = _read_scores(rows, name)
    scored = scored.with_values(to_float64(scored.values))
    infinite = flag_samples(np.isinf(scored.values))
    if infinite.any():
        at = int(np.argmax(infinite))
        raise ValueError(
            f"`{name}` must be finite; got {scored.values[at].tolist()} in {scored.place(at)}"
        )
    return scored


def _read_scores(rows: object, name: str) -> Ragged:
    whole = arrow.read_scores(rows)
    if whole is not None and fit_floats(whole.values):
        return whole
    if is_table(rows, 3):
        table = np.asarray(rows)
        lengths = np.full(len(table), table.shape[1], dtype=np.int64)
        return Ragged.of_lengths(table.reshape(-1, table.shape[2]), lengths)
    if is_table(rows, 2):
        return Ragged.concatenate(_read_number_parts(rows, name))
    flat, n = flatten(rows, name)
    place = partial(locate, n)
    if any(issubclass(sort, (list, tuple, np.ndarray)) for sort in set(map(type, flat))):
        return Ragged.of_lengths(to_vectors(flat, name, place), n)
    return Ragged.of_lengths(to_floats(flat, name, place), n)


def flag_samples(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Flag a sample if any of its numbers is flagged, whether it has one number or d."""
    return np.asarray(flags if flags.ndim == 1 else flags.any(axis=1))


def read_references(rows: object, name: str = "references") -> list[tuple[str, ...]]:
    """Read the acceptable answers of each problem: a string, or a list of strings."""
    single = arrow.list_single_texts(rows)
    if single is not None:
        return [(text,) for text in single]
    listed = list_rows(rows, name)
    if set(map(type, listed)) == {str}:
        return [(text,) for text in listed]
    if listed and all(map(is_whole, listed)):
        return [(spell_answer(number),) for number in listed]
    checked = []
    for problem, row in enumerate(listed):
        if isinstance(row, (str, list, tuple)) or row is None:
            accepted = row
        else:
            accepted = to_list(row)
        if is_missing(accepted):
            raise ValueError(
                f"`{name}` must hold an answer for every problem; got {accepted} in problem {problem}"
            )
        if isinstance(accepted, str):
            accepted = (accepted,)
        if not isinstance(accepted, (list, tuple)):
            raise TypeError(
                f"`{name}` must hold strings or lists of strings; got {describe(row)} in problem {problem}"
            )
        if not accepted or any(map(is_missing, accepted)):
            raise ValueError(
                f"`{name}` must hold an answer for every problem; got {shorten(row)} in problem {problem}"
            )
        for text in accepted:
            if not isinstance(text, str):
                raise TypeError(
                    f"`{name}` must hold strings or lists of strings; got {describe(text)} in problem {problem}"
                )
        checked.append(tuple(map(str.__str__, accepted)))
    return checked


def read_groups(rows: object, name: str = "groups") -> list[str]:
    """Read one label per problem, a string or an integer, spelled as given."""
    whole = arrow.list_texts(rows)
    if whole is not None:
        return whole
    sorts: dict[str, type] = {}
    checked = []
    for problem, label in enumerate(list_rows(rows, name)):
        if is_missing(label):
            raise ValueError(
                f"`{name}` must hold a label for every problem; got {label!r} in problem {problem}"
            )
        sort = str if isinstance(label, str) else int
        if not isinstance(label, str) and not is_integer(label):
            raise TypeError(
                f"`{name}` must hold strings or integers; got {describe(label)} in problem {problem}"
            )
        if isinstance(label, str):
            text = str.__str__(label)
        else:
            text = spell_integer(int(label), name, problem)
        if sorts.setdefault(text, sort) is not sort:
            raise ValueError(
                f"`{name}` must not mix the string {text!r} with the number {text}; it does in problem {problem}"
            )
        checked.append(text)
    return checked


def spell_integer(label: int, name: str, problem: int) -> str:
    """Spell a label that is an integer."""
    try:
        return str(label)
    except ValueError:  # Python prints up to 4,300 digits
        raise ValueError(
            f"`{name}` must hold labels that can be printed; got {shorten(label)} in problem {problem}"
        ) from None


def require_columns(
    called: Mapping[str, str | None], roles: Collection[str], columns: Collection[str]
) -> None:
    """Raise unless every role is known, and every column that is named for one exists."""
    for role, column in called.items():
        if role not in roles:
            raise InputError(
                "data.no_role",
                "{option:columns} must say which column is one of {roles}; got {role}",
                roles=", ".join(roles),
                role=shorten(role),
            )
        if column is not None and column not in columns:
            raise InputError(
                "data.no_column",
                "{option:columns} must name columns of the data, which are {columns}; got {column}",
                columns=", ".join(map(repr, list(columns)[:20])),
                column=shorten(column),
            )


def _read_number_parts(rows: object, name: str) -> list[Ragged]:
    """Read rows of numbers in the type, and the parts, in which they come."""
    if not isinstance(rows, (list, tuple)):
        parts = arrow.read_grades(rows)
        if parts and all(fit_floats(part.values) for part in parts):
            return parts
        if is_table(rows, 2):
            table = np.asarray(rows)
            return [
                Ragged.of_lengths(
                    table.reshape(-1), np.full(len(table), table.shape[1], dtype=np.int64)
                )
            ]
    flat, n = flatten(rows, name)
    return [Ragged.of_lengths(to_floats(flat, name, partial(locate, n)), n)]


def read_problems(
    *,
    answers: object = None,
    references: object = None,
    grades: object = None,
    scores: object = None,
    names: Mapping[str, str] | None = None,
) -> Problems:
    """Check the columns of a user. `names` gives the names that error messages use for them."""
    called = {name: name for name in ("answers", "references", "grades", "scores")} | dict(
        names or {}
    )
    given = {"answers": answers, "references": references, "grades": grades, "scores": scores}
    read: dict[str, Any] = {
        role: _READERS[role](column, called[role])
        for role, column in given.items()
        if column is not None
    }
    problems = Problems(**read)
    first = "grades" if answers is None else "answers"
    if references is not None and first in read:
        listed = len(read["references"])
        require_same_problems(called[first], len(problems), called["references"], listed)
    if answers is not None and grades is not None:
        graded = Problems(grades=problems.grades).n
        require_same_samples(called["answers"], problems.n, called["grades"], graded)
    if scores is not None:
        require_same_samples(called[first], problems.n, called["scores"], read["scores"].n)
    return problems


_READERS: Mapping[str, Callable[[object, str], object]] = {
    "answers": read_answers,
    "references": read_references,
    "grades": read_grade_parts,
    "scores": read_scores,
}


def read_module_columns(config_name: str, *, predictions: object, **others: object) -> Problems:
    """Check the columns of a module: in the configuration "graded", its `predictions` are grades."""
    role = "grades" if config_name == "graded" else "answers"
    return read_problems(**{**others, role: predictions}, names={role: "predictions"})
