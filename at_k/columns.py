"""From what users hold to samples: every column is checked, its fault named and placed, and nothing is cast silently.

A column has one entry per problem. It may be a list or tuple, a NumPy array or tensor, a pandas or Arrow column, or a
column of a `datasets.Dataset`. Problems and samples are counted from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from itertools import chain, pairwise
from math import isnan
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from at_k.combinatorics import Floats, Ints
from at_k.samples import Answers, Ragged
from at_k.validation import is_integer, type_name

_NUMBERS = (int, float, np.bool_, np.integer, np.floating)
_FLOATS = (float, np.floating)
_LARGEST_INTEGER = 2**53
"""Up to here a 64-bit float holds every integer."""

_Place = Callable[[int], str]


def answers(rows: object, name: str = "predictions") -> Answers:
    """Rows of strings; None where a sample is missing."""
    flat, n = _flat(rows, name)
    kinds = set(map(type, flat))
    if not kinds <= {str, type(None)}:
        for i, value in enumerate(flat):
            if value is not None and not isinstance(value, str):
                raise TypeError(f"`{name}` must hold strings; got {_shown(value)} in {_placed(n)(i)}")
        flat = [None if value is None else str.__str__(value) for value in flat]  # subclasses such as np.str_
    return Answers.of_values(flat, n)


def labels(rows: object, name: str = "votes") -> Answers:
    """Rows of hashable values, strings or numbers or values of one type; None or NaN where there is no answer."""
    flat, n = _flat(rows, name)
    place = _placed(n)
    if not set(map(type, flat)) <= {str, type(None)}:
        for i, value in enumerate(flat):
            if not isinstance(value, Hashable):
                raise TypeError(f"`{name}` must hold hashable answers; got {_shown(value)} in {place(i)}")
        flat = [None if isinstance(value, _FLOATS) and isnan(value) else value for value in flat]
        _refuse_mixtures(flat, n, name, place)
    return Answers.of_values(flat, n)


def _refuse_mixtures(flat: list[Any], n: Ints, name: str, place: _Place) -> None:
    sorts = list(map(_sort, flat))
    if len(set(sorts) - {None}) > 1:
        for start, stop in pairwise(np.concatenate([[0], np.cumsum(n)])):
            present = [i for i in range(start, stop) if sorts[i] is not None]
            for i in present:
                if sorts[i] is not sorts[present[0]]:
                    raise TypeError(
                        f"`{name}` must not mix types in a problem; got {_shown(flat[i])} in {place(i)}, "
                        f"beside {_shown(flat[present[0]])}"
                    )


def _sort(answer: object) -> type | None:
    """The type of an answer, numbers of all types being one; None for no answer."""
    if answer is None:
        return None
    return next((sort for sort, types in ((str, str), (float, _NUMBERS)) if isinstance(answer, types)), type(answer))


def grades(rows: object, name: str = "predictions", *, missing: bool = True) -> Ragged:
    """Rows of numbers in [0, 1]; where `missing` allows it, None or NaN, kept as NaN."""
    graded = _numbers(rows, name)
    right = (graded.values >= 0) & (graded.values <= 1)
    if missing:
        right |= np.isnan(graded.values)
    if not right.all():
        at = int(np.argmin(right))
        shown = "None or NaN" if np.isnan(graded.values[at]) else graded.values[at]
        raise ValueError(f"`{name}` must hold grades in [0, 1]; got {shown} in {graded.place(at)}")
    return graded


def weights(rows: object, name: str = "weights", *, missing: bool = False) -> Ragged:
    """Rows of finite numbers that are not negative; where `missing` allows it, None or NaN, kept as NaN."""
    weighted = _numbers(rows, name)
    right = (weighted.values >= 0) & np.isfinite(weighted.values)
    if missing:
        right |= np.isnan(weighted.values)
    if not right.all():
        at = int(np.argmin(right))
        raise ValueError(f"`{name}` must be finite and not negative; got {weighted.values[at]} in {weighted.place(at)}")
    return weighted


def scores(rows: object, name: str = "scores") -> Ragged:
    """Rows of numbers, or of lists of d numbers (values of shape (samples, d)); NaN where one is missing."""
    if isinstance(rows, Ragged):
        return rows
    if _is_table(rows, 3):
        vectors = rows.reshape(-1, rows.shape[2])
        scored = Ragged.of_lengths(vectors.astype(np.float64), np.full(len(rows), rows.shape[1], dtype=np.int64))
    else:
        flat, n = _flat(rows, name)
        place = _placed(n)
        if any(issubclass(sort, (list, tuple, np.ndarray)) for sort in set(map(type, flat))):
            scored = Ragged.of_lengths(_vectors(flat, name, place), n)
        else:
            scored = Ragged.of_lengths(_floats(flat, name, place), n)
    infinite = any_dimension(np.isinf(scored.values))
    if infinite.any():
        at = int(np.argmax(infinite))
        raise ValueError(f"`{name}` must be finite; got {scored.values[at].tolist()} in {scored.place(at)}")
    return scored


def any_dimension(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether any of a sample's numbers is flagged, for one number per sample and for d."""
    return np.asarray(flags if flags.ndim == 1 else flags.any(axis=1))


def references(rows: object, name: str = "references") -> list[tuple[str, ...]]:
    """For each problem its acceptable answers: a string, or a list of strings."""
    checked = []
    for problem, row in enumerate(_outer(rows, name)):
        accepted = row if isinstance(row, (str, list, tuple)) or row is None else _listed(row)
        if accepted is None:
            raise ValueError(f"`{name}` must hold an answer for every problem; got None in problem {problem}")
        if isinstance(accepted, str):
            accepted = (accepted,)
        if not isinstance(accepted, (list, tuple)):
            raise TypeError(f"`{name}` must hold strings or lists of strings; got {_shown(row)} in problem {problem}")
        if not accepted or any(text is None for text in accepted):
            raise ValueError(f"`{name}` must hold an answer for every problem; got {row!r:.80} in problem {problem}")
        for text in accepted:
            if not isinstance(text, str):
                raise TypeError(
                    f"`{name}` must hold strings or lists of strings; got {_shown(text)} in problem {problem}"
                )
        checked.append(tuple(map(str.__str__, accepted)))
    return checked


def groups(rows: object, name: str = "groups") -> list[str]:
    """One label per problem, a string or an integer, spelled as given."""
    sorts: dict[str, type] = {}
    checked = []
    for problem, label in enumerate(_outer(rows, name)):
        if label is None or (isinstance(label, float) and isnan(label)):
            raise ValueError(f"`{name}` must hold a label for every problem; got {label!r} in problem {problem}")
        sort = str if isinstance(label, str) else int
        if not isinstance(label, str) and not is_integer(label):
            raise TypeError(f"`{name}` must hold strings or integers; got {_shown(label)} in problem {problem}")
        text = str(label)
        if sorts.setdefault(text, sort) is not sort:
            raise ValueError(
                f"`{name}` must not mix the string {text!r} with the number {text}; it does in problem {problem}"
            )
        checked.append(text)
    return checked


def some_problems(name: str, length: int) -> None:
    """Raise unless a column has a problem."""
    if not length:
        raise ValueError(f"`{name}` must hold at least one problem; got none")


def same_problems(name: str, length: int, other: str, other_length: int) -> None:
    """Raise unless two columns have as many problems."""
    if length != other_length:
        raise ValueError(f"`{name}` and `{other}` must have as many problems; got {length} and {other_length}")


def same_samples(name: str, n: Ints, other: str, other_n: Ints) -> None:
    """Raise unless two columns have as many samples in every problem."""
    same_problems(name, len(n), other, len(other_n))
    differ = np.flatnonzero(n != other_n)
    if len(differ):
        at = differ[0]
        raise ValueError(
            f"`{name}` and `{other}` must have as many samples in every problem; got {n[at]} and {other_n[at]} "
            f"in problem {at}"
        )


def _numbers(rows: object, name: str) -> Ragged:
    if _is_table(rows, 2):
        n = np.full(len(rows), rows.shape[1], dtype=np.int64)
        return Ragged.of_lengths(rows.astype(np.float64).reshape(-1), n)
    flat, n = _flat(rows, name)
    return Ragged.of_lengths(_floats(flat, name, _placed(n)), n)


def _is_table(rows: object, dimensions: int) -> TypeGuard[NDArray[Any]]:
    """Whether rows are an array of numbers that can be taken as it is: none is masked, and a float holds each."""
    if not isinstance(rows, np.ndarray) or isinstance(rows, np.ma.MaskedArray):
        return False
    if rows.ndim != dimensions or not rows.size:
        return False
    if rows.dtype in (np.int64, np.uint64):
        return bool((rows <= _LARGEST_INTEGER).all() and (rows >= -_LARGEST_INTEGER).all())
    return rows.dtype.kind in "biu" or rows.dtype == np.float64


def _floats(flat: list[Any], name: str, place: _Place) -> Floats:
    kinds = set(map(type, flat))
    if not all(issubclass(sort, (*_NUMBERS, type(None))) for sort in kinds):
        for i, value in enumerate(flat):
            if value is not None and not isinstance(value, _NUMBERS):
                raise TypeError(f"`{name}` must hold numbers; got {_shown(value)} in {place(i)}")
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
            if isinstance(value, (int, np.integer)) and not _fits(int(value)):
                raise ValueError(f"`{name}` must hold numbers that fit in a float; got {_shown(value)} in {place(i)}")
    return numbers


def _fits(value: int) -> bool:
    return value.bit_length() <= 1023 and int(float(value)) == value


def _vectors(flat: list[Any], name: str, place: _Place) -> Floats:
    rows = [_listed(value) for value in flat]
    d = next((len(row) for row in rows if isinstance(row, (list, tuple))), 0)
    for i, row in enumerate(rows):
        if row is None:
            rows[i] = [None] * d
        elif not isinstance(row, (list, tuple)):
            raise TypeError(
                f"`{name}` must hold numbers, or a list of them for every sample; got {_shown(flat[i])} in {place(i)}"
            )
        elif len(row) != d or d == 0:
            raise ValueError(
                f"`{name}` must have as many dimensions for every sample; got {len(row)} in {place(i)}, elsewhere {d}"
            )
    return _floats(list(chain.from_iterable(rows)), name, lambda i: place(i // d)).reshape(-1, d)


def _flat(rows: object, name: str) -> tuple[list[Any], Ints]:
    outer: Sequence[Any] = _outer(rows, name)
    if not set(map(type, outer)) <= {list, tuple}:
        outer = [_listed(row) for row in outer]
        for problem, row in enumerate(outer):
            if not isinstance(row, (list, tuple)):
                raise TypeError(
                    f"`{name}` must hold a list of samples for every problem; got {_shown(row)} in problem {problem}"
                )
    n = np.fromiter(map(len, outer), dtype=np.int64, count=len(outer))
    if not n.all():
        raise ValueError(
            f"`{name}` must hold at least one sample for every problem; got none in problem {np.argmin(n)}"
        )
    return list(chain.from_iterable(outer)), n


def _outer(rows: object, name: str) -> Sequence[Any]:
    frame = hasattr(rows, "columns")  # a table, of which iteration gives the names of its columns
    if not isinstance(rows, Iterable) or isinstance(rows, (str, bytes, Mapping, Set)) or frame:
        raise TypeError(f"`{name}` must be a list with one entry per problem; got {_shown(rows)}")
    whole = rows if isinstance(rows, (list, tuple)) or not isinstance(rows, Sequence) else rows[:]
    listed = _listed(whole)
    if listed is whole and not isinstance(listed, (list, tuple)):
        return list(whole)
    if not isinstance(listed, (list, tuple)):
        raise TypeError(f"`{name}` must be a list with one entry per problem; got {_shown(rows)}")
    return listed


def _listed(values: object) -> Any:
    """Lists out of arrays, tensors, and columns; anything else as it is."""
    single = isinstance(values, np.ndarray) and values.dtype in (np.float16, np.float32)
    if single and not isinstance(values, np.ma.MaskedArray):
        return np.asarray(values).astype(str).astype(np.float64).tolist()  # the decimals that they print as
    for method in ("tolist", "to_pylist", "to_list"):
        if hasattr(values, method):
            return getattr(values, method)()
    return values


def _placed(n: Ints) -> _Place:
    rows = Ragged.of_lengths(np.empty(0), n)
    return rows.place


def _shown(value: object) -> str:
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} of type {type_name(value)}"
