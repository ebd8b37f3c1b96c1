"""Validators of the arguments that statistics take. Each returns its argument in the one form that the rest assumes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from at_k.combinatorics import Floats, Ints
from at_k.errors import Message
from at_k.validation import check_counts, describe, is_integer, is_number, shorten

# Values beyond have no standard error: their squares, or the sums of these, would not be floats.
LARGEST = 1e150

_MOST_LOOKS = 1000


def check_fraction(name: str, value: object) -> float:
    """Return a number between 0 and 1, both excluded, such as a confidence level."""
    if not is_number(value):
        raise TypeError(f"`{name}` must be a number between 0 and 1; got {describe(value)}")
    if not 0 < value < 1:
        raise ValueError(f"`{name}` must lie between 0 and 1, both excluded; got {shorten(value)}")
    return float(value)


def check_margin(name: str, value: object) -> float:
    """Return a difference that is allowed: a number from 0 to 1, without 1."""
    if is_number(value) and not 0 <= value < 1:
        raise ValueError(f"`{name}` must be at least 0 and below 1; got {shorten(value)}")
    if is_number(value) and value == 0:
        return 0.0
    return check_fraction(name, value)


def check_size(name: str, value: object, least: int = 1) -> int:
    """Return an integer that is not below `least`."""
    if not is_integer(value):
        raise TypeError(f"`{name}` must be an integer; got {describe(value)}")
    if value < least:
        raise ValueError(f"`{name}` must be at least {least}; got {shorten(int(value))}")
    return int(value)


def check_looks(name: str, value: object) -> int:
    """Return how often results are looked at: the level of one look must differ from 1."""
    looks = check_size(name, value)
    if looks > _MOST_LOOKS:
        raise ValueError(f"`{name}` must be at most {_MOST_LOOKS:,}; got {shorten(looks)}")
    return looks


def to_floats(name: str, values: object) -> Floats:
    """Return numbers of any shape in double precision. They may be NaN or infinite."""
    try:
        array: NDArray[Any] = np.asarray(values)
    except ValueError:
        raise ValueError(
            f"`{name}` must hold numbers, in rows of one length; got {shorten(values)}"
        ) from None
    if array.dtype.kind not in "biuf" and array.size:
        raise TypeError(f"`{name}` must hold numbers; got {array.dtype} in {shorten(values)}")
    return array.astype(np.float64)


def read_numbers(name: str, values: object) -> Floats:
    """Return finite numbers of any shape in double precision."""
    array = to_floats(name, values)
    finite = np.isfinite(array)
    if not finite.all():
        at = int(np.argmin(finite))
        raise ValueError(
            f"`{name}` must hold finite numbers; got {array.flat[at]}{name_place(array, at)}"
        )
    return array


def read_values(name: str, values: object, *, bounded: bool = True) -> Floats:
    """Return one value per problem along the first axis, in [0, 1] if they are bounded."""
    array = read_numbers(name, values)
    if not array.ndim or not array.size:
        raise ValueError(
            f"`{name}` must hold one value per problem, at least one; got {shorten(values)}"
        )
    if bounded:
        return require_unit_range(name, array)
    if is_too_large(array):
        at = int(np.argmax(np.abs(array)))
        raise ValueError(
            f"`{name}` must lie between ±{LARGEST:g}; got {array.flat[at]}{name_place(array, at)}"
        )
    return array


def is_too_large(values: Floats) -> bool:
    """Return whether an error of a mean of these values cannot be computed, since a float does not hold their squares.

    Examples:
        >>> is_too_large(np.array([1.0, -1e200]))
        True
    """
    return bool(np.abs(values).max(initial=0) > LARGEST)


def count_unlike(values: Floats) -> int:
    """Count the values that are not the most frequent one."""
    return len(values) - int(np.unique(values, return_counts=True)[1].max())


def require_unit_range(name: str, array: Floats) -> Floats:
    """Raise unless all numbers are in [0, 1]."""
    wrong = (array < 0) | (array > 1)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(
            f"`{name}` must lie in [0, 1]; got {array.flat[at]}{name_place(array, at)}"
        )
    return array


def read_column(name: str, values: object, *, bounded: bool = True) -> Floats:
    """Return one number per problem."""
    array = read_values(name, values, bounded=bounded)
    if array.ndim != 1:
        raise ValueError(
            f"`{name}` must hold one number per problem; got an array of shape {array.shape}"
        )
    return array


def read_counts(n: ArrayLike, c: ArrayLike) -> tuple[Ints, Ints]:
    """Return n and c as `at_k.pass_at_k` takes them, one of each per problem."""
    sizes, correct = check_counts(n, c)
    if sizes.ndim > 1:
        raise ValueError(
            f"`n` and `c` must hold one number per problem; got arrays of shape {sizes.shape}"
        )
    if np.ndim(n) == np.ndim(c) == 1 and len(np.asarray(n)) != len(np.asarray(c)):
        raise ValueError(
            f"`n` and `c` must have equally many problems; got {len(np.asarray(n))} and {len(np.asarray(c))}"
        )
    return sizes.reshape(-1), correct.reshape(-1)


def name_place(array: Floats, at: int) -> str:
    """Return the problem of a flat index, in the words that end an error message."""
    if array.ndim:
        return f" in problem {np.unravel_index(at, array.shape)[0]}"
    return ""


def share_looks(options: Mapping[str, Any]) -> tuple[dict[str, Any], list[Message]]:
    """Return the options with the confidence level of one look of several, by Bonferroni's method, and its note.

    Examples:
        >>> share_looks({"confidence_level": 0.95, "looks": 5})[0]["confidence_level"]
        0.99
    """
    level = check_fraction("confidence_level", options["confidence_level"])
    looks = options["looks"]
    if looks == 1:
        return dict(options), []
    note = Message(
        "note.looks",
        "Each of {looks} looks is judged at {own} %, so that all of them together keep {level} %.",
        looks=looks,
        own=f"{100 * (1 - (1 - level) / looks):.5g}",
        level=f"{100 * level:g}",
    )
    return {**options, "confidence_level": 1 - (1 - level) / looks}, [note]
