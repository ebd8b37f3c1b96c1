"""Read the columns that users have. Each is checked, an error names its first fault and where it is; nothing is cast.

A column has one entry per problem. It may be a list or tuple, a NumPy array or tensor, a pandas, Polars or Arrow
column, or a column of a `datasets.Dataset`. Problems and samples are counted from 0. Arrow columns and NumPy tables
are read as a whole; everything else is read value by value.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from itertools import chain, pairwise
from math import isnan
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from at_k import arrow
from at_k.combinatorics import Floats, Ints
from at_k.samples import Answers, Ragged, to_float64
from at_k.validation import is_integer, shorten, type_name

_NUMBERS = (int, float, np.bool_, np.integer, np.floating)
_TIMES = (np.timedelta64, np.datetime64)
"""Types that pass for integers in NumPy."""

_FLOATS = (float, np.floating)
_LARGEST_INTEGER = 2**53
"""Every integer up to this one fits in a 64-bit float."""

_Place = Callable[[int], str]


def read_answers(rows: object, name: str = "predictions") -> Answers:
    """Read rows of strings. None stands for a missing sample, and so does NaN, which pandas puts in its place."""
    for read in (arrow.read_answers, arrow.encode_lists):
        whole = read(rows)
        if whole is not None:
            return whole
    flat, n = _flatten(rows, name)
    kinds = set(map(type, flat))
    if not kinds <= {str, type(None)}:
        for i, value in enumerate(flat):
            if not isinstance(value, str) and not _is_missing(value):
                raise TypeError(f"`{name}` must hold strings; got {_show(value)} in {_placed(n)(i)}")
        flat = [str.__str__(value) if isinstance(value, str) else None for value in flat]  # subclasses such as np.str_
    return Answers.of_values(flat, n)


def read_labels(rows: object, name: str = "votes") -> Answers:
    """Read rows of hashable values of one type, such as strings or numbers. None and NaN stand for no answer."""
    whole = arrow.read_answers(rows)
    if whole is not None:
        return whole
    flat, n = _flatten(rows, name)
    place = _placed(n)
    if not set(map(type, flat)) <= {str, type(None)}:
        for i, value in enumerate(flat):
            if not isinstance(value, Hashable):
                raise TypeError(f"`{name}` must hold hashable answers; got {_show(value)} in {place(i)}")
        flat = [None if _is_missing(value) else value for value in flat]
        _refuse_mixtures(flat, n, name, place)
    return Answers.of_values(flat, n)


def _refuse_mixtures(flat: list[Any], n: Ints, name: str, place: _Place) -> None:
    sorts = list(map(_answer_type, flat))
    if len(set(sorts) - {None}) > 1:
        for start, stop in pairwise(np.concatenate([[0], np.cumsum(n)])):
            present = [i for i in range(start, stop) if sorts[i] is not None]
            for i in present:
                if sorts[i] is not sorts[present[0]]:
                    raise TypeError(
                        f"`{name}` must not mix types in a problem; got {_show(flat[i])} in {place(i)}, "
                        f"beside {_show(flat[present[0]])}"
                    )


def _answer_type(answer: object) -> type | None:
    """Return the type of an answer, with all numeric types as one. Return None if there is no answer."""
    if answer is None:
        return None
    return next((sort for sort, types in ((str, str), (float, _NUMBERS)) if isinstance(answer, types)), type(answer))


def read_grades(rows: object, name: str = "predictions", *, missing: bool = True) -> Ragged:
    """Read rows of numbers in [0, 1]. If `missing` allows it, None and NaN are kept as NaN."""
    return Ragged.concatenate(read_grade_parts(rows, name, missing=missing))


def read_grade_parts(rows: object, name: str = "predictions", *, missing: bool = True) -> tuple[Ragged, ...]:
    """Read rows as `read_grades` does, but keep the parts in which they come, so that large columns are not copied."""
    whole = arrow.read_grades(rows)
    if whole is not None and all(_are_grades(part, missing) for part in whole):
        return tuple(whole)
    graded = _read_numbers(rows, name)
    if not _are_grades(graded, missing):
        right = (graded.values >= 0) & (graded.values <= 1)
        if missing:
            right |= np.isnan(graded.values)
        at = int(np.argmin(right))
        raise ValueError(
            f"`{name}` must hold grades in [0, 1]; got {_show_number(graded.values[at])} in {graded.place(at)}"
        )
    return (graded,)


def _are_grades(part: Ragged, missing: bool) -> bool:
    values = part.values
    if values.dtype == np.bool_ or not values.size:
        return True
    if not part.has_missing:
        return bool(values.min() >= 0 and values.max() <= 1)
    with np.errstate(invalid="ignore"):
        return missing and not bool(((values < 0) | (values > 1)).any())


def read_weights(rows: object, name: str = "weights", *, missing: bool = False) -> Ragged:
    """Read rows of finite numbers that are not negative. If `missing` allows it, None and NaN are kept as NaN."""
    weighted = read_numbers(rows, name)
    right = (weighted.values >= 0) & np.isfinite(weighted.values)
    if missing:
        right |= np.isnan(weighted.values)
    if not right.all():
        at = int(np.argmin(right))
        raise ValueError(
            f"`{name}` must be finite and not negative; got {_show_number(weighted.values[at])} in {weighted.place(at)}"
        )
    return weighted


def read_numbers(rows: object, name: str) -> Ragged:
    """Read rows of numbers in double precision. NaN stands for a missing one."""
    numbers = _read_numbers(rows, name)
    return numbers.with_values(to_float64(numbers.values))


def read_scores(rows: object, name: str = "scores") -> Ragged:
    """Read rows of numbers, or of lists of d numbers as values of shape (samples, d). NaN stands for a missing one."""
    if isinstance(rows, Ragged):
        return rows
    scored = _read_scores(rows, name)
    scored = scored.with_values(to_float64(scored.values))
    infinite = flag_samples(np.isinf(scored.values))
    if infinite.any():
        at = int(np.argmax(infinite))
        raise ValueError(f"`{name}` must be finite; got {scored.values[at].tolist()} in {scored.place(at)}")
    return scored


def _read_scores(rows: object, name: str) -> Ragged:
    whole = arrow.read_scores(rows)
    if whole is not None and _fit_floats(whole.values):
        return whole
    if _is_table(rows, 3):
        table = np.asarray(rows)
        lengths = np.full(len(table), table.shape[1], dtype=np.int64)
        return Ragged.of_lengths(table.reshape(-1, table.shape[2]), lengths)
    if _is_table(rows, 2):
        return _read_numbers(rows, name)
    flat, n = _flatten(rows, name)
    place = _placed(n)
    if any(issubclass(sort, (list, tuple, np.ndarray)) for sort in set(map(type, flat))):
        return Ragged.of_lengths(_to_vectors(flat, name, place), n)
    return Ragged.of_lengths(_to_floats(flat, name, place), n)


def flag_samples(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Flag a sample if any of its numbers is flagged, whether it has one number or d."""
    return np.asarray(flags if flags.ndim == 1 else flags.any(axis=1))


def read_references(rows: object, name: str = "references") -> list[tuple[str, ...]]:
    """Read the acceptable answers of each problem: a string, or a list of strings."""
    single = arrow.list_single_texts(rows)
    if single is not None:
        return [(text,) for text in single]
    listed = _list_rows(rows, name)
    if set(map(type, listed)) == {str}:
        return [(text,) for text in listed]
    checked = []
    for problem, row in enumerate(listed):
        accepted = row if isinstance(row, (str, list, tuple)) or row is None else _to_list(row)
        if _is_missing(accepted):
            raise ValueError(f"`{name}` must hold an answer for every problem; got {accepted} in problem {problem}")
        if isinstance(accepted, str):
            accepted = (accepted,)
        if not isinstance(accepted, (list, tuple)):
            raise TypeError(f"`{name}` must hold strings or lists of strings; got {_show(row)} in problem {problem}")
        if not accepted or any(map(_is_missing, accepted)):
            raise ValueError(f"`{name}` must hold an answer for every problem; got {shorten(row)} in problem {problem}")
        for text in accepted:
            if not isinstance(text, str):
                raise TypeError(
                    f"`{name}` must hold strings or lists of strings; got {_show(text)} in problem {problem}"
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
    for problem, label in enumerate(_list_rows(rows, name)):
        if _is_missing(label):
            raise ValueError(f"`{name}` must hold a label for every problem; got {label!r} in problem {problem}")
        sort = str if isinstance(label, str) else int
        if not isinstance(label, str) and not is_integer(label):
            raise TypeError(f"`{name}` must hold strings or integers; got {_show(label)} in problem {problem}")
        text = str.__str__(label) if isinstance(label, str) else _spell_integer(int(label), name, problem)
        if sorts.setdefault(text, sort) is not sort:
            raise ValueError(
                f"`{name}` must not mix the string {text!r} with the number {text}; it does in problem {problem}"
            )
        checked.append(text)
    return checked


def _spell_integer(label: int, name: str, problem: int) -> str:
    try:
        return str(label)
    except ValueError:  # Python prints up to 4,300 digits
        raise ValueError(
            f"`{name}` must hold labels that can be printed; got {shorten(label)} in problem {problem}"
        ) from None


def require_problems(name: str, length: int) -> None:
    """Raise if a column has no problems."""
    if not length:
        raise ValueError(f"`{name}` must hold at least one problem; got none")


def require_same_problems(name: str, length: int, other: str, other_length: int) -> None:
    """Raise if two columns have different numbers of problems."""
    if length != other_length:
        raise ValueError(f"`{name}` and `{other}` must have as many problems; got {length} and {other_length}")


def require_same_samples(name: str, n: Ints, other: str, other_n: Ints) -> None:
    """Raise if two columns have different numbers of samples in a problem."""
    require_same_problems(name, len(n), other, len(other_n))
    differ = np.flatnonzero(n != other_n)
    if len(differ):
        at = differ[0]
        raise ValueError(
            f"`{name}` and `{other}` must have as many samples in every problem; got {n[at]} and {other_n[at]} "
            f"in problem {at}"
        )


def _read_numbers(rows: object, name: str) -> Ragged:
    """Read rows of numbers in the type in which they come."""
    parts = arrow.read_grades(rows)
    if parts and all(_fit_floats(part.values) for part in parts):
        return Ragged.concatenate(parts)
    if _is_table(rows, 2):
        table = np.asarray(rows)
        return Ragged.of_lengths(table.reshape(-1), np.full(len(table), table.shape[1], dtype=np.int64))
    flat, n = _flatten(rows, name)
    return Ragged.of_lengths(_to_floats(flat, name, _placed(n)), n)


def _is_table(rows: object, dimensions: int) -> TypeGuard[NDArray[Any]]:
    """Return whether rows are an array that can be used as it is: of numbers that fit in a float, with no mask."""
    if not isinstance(rows, np.ndarray) or isinstance(rows, np.ma.MaskedArray):
        return False
    return rows.ndim == dimensions and rows.size > 0 and rows.dtype.kind in "biuf" and _fit_floats(np.asarray(rows))


def _fit_floats(numbers: NDArray[Any]) -> bool:
    """Return whether every number fits in a 64-bit float."""
    if numbers.dtype.type in (np.int64, np.uint64):  # in either order of bytes
        return bool(numbers.max(initial=0) <= _LARGEST_INTEGER and numbers.min(initial=0) >= -_LARGEST_INTEGER)
    return numbers.dtype.itemsize <= 8


def _to_floats(flat: list[Any], name: str, place: _Place) -> Floats:
    kinds = set(map(type, flat))
    if not all(issubclass(sort, (*_NUMBERS, type(None))) and not issubclass(sort, _TIMES) for sort in kinds):
        for i, value in enumerate(flat):
            if value is not None and (not isinstance(value, _NUMBERS) or isinstance(value, _TIMES)):
                raise TypeError(f"`{name}` must hold numbers; got {_show(value)} in {place(i)}")
    if kinds & {np.float16, np.float32}:
        flat = [float(str(value)) if isinstance(value, (np.float16, np.float32)) else value for value in flat]
    if type(None) in kinds:
        flat = [np.nan if value is None else value for value in flat]
    try:
        numbers = np.array(flat, dtype=np.float64)
    except OverflowError:
        numbers = np.array([np.inf])
    if (np.abs(numbers) >= _LARGEST_INTEGER).any():
        for i, value in enumerate(flat):
            if isinstance(value, (int, np.integer)) and not _fits_float(int(value)):
                raise ValueError(f"`{name}` must hold numbers that fit in a float; got {_show(value)} in {place(i)}")
    return numbers


def _fits_float(value: int) -> bool:
    return value.bit_length() <= 1023 and int(float(value)) == value


def _to_vectors(flat: list[Any], name: str, place: _Place) -> Floats:
    rows = [_to_list(value) for value in flat]
    d = next((len(row) for row in rows if isinstance(row, (list, tuple))), 0)
    for i, row in enumerate(rows):
        if row is None:
            rows[i] = [None] * d
        elif not isinstance(row, (list, tuple)):
            raise TypeError(
                f"`{name}` must hold numbers, or a list of them for every sample; got {_show(flat[i])} in {place(i)}"
            )
        elif len(row) != d or d == 0:
            raise ValueError(
                f"`{name}` must have as many dimensions for every sample; got {len(row)} in {place(i)}, elsewhere {d}"
            )
    return _to_floats(list(chain.from_iterable(rows)), name, lambda i: place(i // d)).reshape(-1, d)


def _flatten(rows: object, name: str) -> tuple[list[Any], Ints]:
    """Split rows of samples into the samples and the length of each row."""
    outer: Sequence[Any] = _list_rows(rows, name)
    if not set(map(type, outer)) <= {list, tuple}:
        outer = [_to_list(row) for row in outer]
        for problem, row in enumerate(outer):
            if not isinstance(row, (list, tuple)):
                raise TypeError(
                    f"`{name}` must hold a list of samples for every problem; got {_show(row)} in problem {problem}"
                )
    n = np.fromiter(map(len, outer), dtype=np.int64, count=len(outer))
    if not n.all():
        raise ValueError(
            f"`{name}` must hold at least one sample for every problem; got none in problem {np.argmin(n)}"
        )
    return replace_na(list(chain.from_iterable(outer))), n


def replace_na(values: list[Any]) -> list[Any]:
    """Replace the missing values of pandas, which have types of their own, by None.

    Examples:
        >>> import pandas as pd
        >>> replace_na(["7", pd.NA, pd.NaT])
        ['7', None, None]
    """
    pandas = sys.modules.get("pandas")
    if pandas is None:  # no such value can exist before pandas is imported
        return values
    absent = {type(pandas.NA), type(pandas.NaT)}
    if absent.isdisjoint(map(type, values)):
        return values
    return [None if type(value) in absent else value for value in values]


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, _FLOATS) and isnan(value))


def _list_rows(rows: object, name: str) -> Sequence[Any]:
    """List the entries of a column, one for each problem."""
    frame = hasattr(rows, "columns")  # iterating over a table gives the names of its columns
    if not isinstance(rows, Iterable) or isinstance(rows, (str, bytes, bytearray, Mapping, Set)) or frame:
        raise TypeError(f"`{name}` must be a list with one entry per problem; got {_show(rows)}")
    chunks = arrow.to_chunks(rows)
    if chunks is not None:
        return list(chain.from_iterable(chunk.to_pylist() for chunk in chunks))
    sliced = isinstance(rows, Sequence) and not isinstance(rows, (list, tuple, deque))
    whole: Any = rows[:] if sliced else rows  # type: ignore[index]  # a Sequence can be sliced
    listed = _to_list(whole)
    if listed is whole and not isinstance(listed, (list, tuple)):
        return replace_na(list(whole))
    if not isinstance(listed, (list, tuple)):
        raise TypeError(f"`{name}` must be a list with one entry per problem; got {_show(rows)}")
    return replace_na(listed) if isinstance(listed, list) else listed


def _to_list(values: object) -> Any:
    """Turn arrays, tensors and columns into lists; leave anything else as it is."""
    if isinstance(values, deque):
        return list(values)
    single = isinstance(values, np.ndarray) and values.dtype.type in (np.float16, np.float32)
    if single:
        doubled = to_float64(np.asarray(values))
        return (np.ma.array(doubled, mask=values.mask) if isinstance(values, np.ma.MaskedArray) else doubled).tolist()
    for method in ("tolist", "to_pylist", "to_list"):
        if hasattr(values, method):
            return getattr(values, method)()
    return values


def _placed(n: Ints) -> _Place:
    rows = Ragged.of_lengths(np.empty(0), n)
    return rows.place


def _show_number(number: Any) -> str:
    """Write a number the same whether it was an integer or the equal float."""
    if np.isnan(number):
        return "None or NaN"
    return str(int(number) if float(number).is_integer() and abs(number) < _LARGEST_INTEGER else number)


def _show(value: object) -> str:
    return f"{shorten(value)} of type {type_name(value)}"
