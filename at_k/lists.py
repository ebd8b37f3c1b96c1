"""Lists and arrays out of columns of any kind. An error names the first fault and where it is; nothing is cast."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from decimal import Decimal
from itertools import chain
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from at_k import arrow
from at_k.combinatorics import Floats, Ints
from at_k.samples import to_float64
from at_k.validation import (
    LARGEST_INTEGER,
    NUMBERS,
    TIMES,
    describe,
    fit_floats,
    fits_float,
    replace_na,
)


def show_number(number: Any) -> str:
    """Write a number the same whether it was an integer or the equal float."""
    if np.isnan(number):
        return "None or NaN"
    return str(
        int(number) if float(number).is_integer() and abs(number) < LARGEST_INTEGER else number
    )


Place = Callable[[int], str]


def is_table(rows: object, dimensions: int) -> TypeGuard[NDArray[Any]]:
    """Return whether rows are an array that can be used as it is: of numbers that fit in a float, with no mask."""
    if not isinstance(rows, np.ndarray) or isinstance(rows, np.ma.MaskedArray):
        return False
    return (
        rows.ndim == dimensions
        and rows.size > 0
        and rows.dtype.kind in "biuf"
        and fit_floats(np.asarray(rows))
    )


def to_floats(flat: list[Any], name: str, place: Place) -> Floats:
    """Convert numbers to floats, without changing any; None becomes NaN."""
    kinds = set(map(type, flat))
    if not all(
        issubclass(sort, (*NUMBERS, type(None))) and not issubclass(sort, TIMES) for sort in kinds
    ):
        for i, value in enumerate(flat):
            if value is not None and (not isinstance(value, NUMBERS) or isinstance(value, TIMES)):
                raise TypeError(f"`{name}` must hold numbers; got {describe(value)} in {place(i)}")
    if kinds & {np.float16, np.float32}:
        flat = [
            float(str(value)) if isinstance(value, (np.float16, np.float32)) else value
            for value in flat
        ]
    if type(None) in kinds:
        flat = [np.nan if value is None else value for value in flat]
    try:
        numbers = np.array(flat, dtype=np.float64)
    except OverflowError:
        numbers = np.array([np.inf])
    if (np.abs(numbers) >= LARGEST_INTEGER).any():
        for i, value in enumerate(flat):
            if isinstance(value, (int, np.integer, Decimal)) and not fits_float(value):
                raise ValueError(
                    f"`{name}` must hold numbers that fit in a float; got {describe(value)} in {place(i)}"
                )
    return numbers


def to_vectors(flat: list[Any], name: str, place: Place) -> Floats:
    """Convert a list of numbers per sample to an array of shape (samples, d)."""
    rows = [to_list(value) for value in flat]
    d = next((len(row) for row in rows if isinstance(row, (list, tuple))), 0)
    for i, row in enumerate(rows):
        if row is None:
            rows[i] = [None] * d
        elif not isinstance(row, (list, tuple)):
            raise TypeError(
                f"`{name}` must hold numbers, or a list of them for every sample; got {describe(flat[i])} in {place(i)}"
            )
        elif len(row) != d or d == 0:
            raise ValueError(
                f"`{name}` must have equally many dimensions for every sample; got {len(row)} in {place(i)}, "
                f"elsewhere {d}"
            )
    return to_floats(list(chain.from_iterable(rows)), name, lambda i: place(i // d)).reshape(-1, d)


def _show_lists(rows: Sequence[Any], name: str) -> str:
    """Show both ways to write a flat list of few samples: as one problem, or as problems of one sample each."""
    text = f"{rows!r}"
    if len(text) > _SHOWN or any(isinstance(row, (list, tuple)) for row in rows):
        return ""
    if len(rows) == 1:
        return f". Write {name}=[{text}]"
    return f". Write {name}=[{text}] for one problem, or {name}={[[row] for row in rows]!r} for one sample of each"


# Characters of a flat list that an error repeats.
_SHOWN = 60


def flatten(rows: object, name: str) -> tuple[list[Any], Ints]:
    """Split rows of samples into the samples and the length of each row."""
    outer: Sequence[Any] = list_rows(rows, name)
    if not set(map(type, outer)) <= {list, tuple}:
        outer = [to_list(row) for row in outer]
        for problem, row in enumerate(outer):
            if not isinstance(row, (list, tuple)):
                raise TypeError(
                    f"`{name}` must hold a list of samples for every problem; got {describe(row)} in problem {problem}"
                    f"{_show_lists(outer, name)}"
                )
    n = np.fromiter(map(len, outer), dtype=np.int64, count=len(outer))
    if not n.all():
        raise ValueError(
            f"`{name}` must hold at least one sample for every problem; got none in problem {np.argmin(n)}"
        )
    return replace_na(list(chain.from_iterable(outer))), n


def list_rows(rows: object, name: str, entry: str = "problem") -> Sequence[Any]:
    """List the entries of a column, one for each problem, or for each of what `entry` says."""
    if isinstance(rows, (list, tuple)):
        return replace_na(list(rows))
    frame = hasattr(rows, "columns")  # iterating over a table gives the names of its columns
    if (
        not isinstance(rows, Iterable)
        or isinstance(rows, (str, bytes, bytearray, Mapping, Set))
        or frame
    ):
        raise TypeError(f"`{name}` must be a list with one entry per {entry}; got {describe(rows)}")
    chunks = arrow.to_chunks(rows)
    if chunks is not None:
        return list(chain.from_iterable(chunk.to_pylist() for chunk in chunks))
    sliced = isinstance(rows, Sequence) and not isinstance(rows, deque)
    whole: Any = rows[:] if sliced else rows  # type: ignore[index]  # a Sequence can be sliced
    listed = to_list(whole)
    if listed is whole and not isinstance(listed, (list, tuple)):
        return replace_na(list(whole))
    if not isinstance(listed, (list, tuple)):
        raise TypeError(f"`{name}` must be a list with one entry per {entry}; got {describe(rows)}")
    return replace_na(list(listed))


def to_list(values: object) -> Any:
    """Turn arrays, tensors and columns into lists; leave anything else as it is."""
    if isinstance(values, deque):
        return list(values)
    single = isinstance(values, np.ndarray) and values.dtype.type in (np.float16, np.float32)
    if single:
        doubled = to_float64(np.asarray(values))
        return (
            np.ma.array(doubled, mask=values.mask)
            if isinstance(values, np.ma.MaskedArray)
            else doubled
        ).tolist()
    for method in ("tolist", "to_pylist", "to_list"):
        if hasattr(values, method):
            return getattr(values, method)()
    return values
