"""Validators of arguments, each of which returns the one form that the library assumes, and limits of the input."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from math import ceil, isnan
from os import PathLike
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from at_k.combinatorics import Floats, Ints

K = int | Sequence[int]
Tau = float | Fraction
Taus = Tau | Sequence[Tau]

# No float prints with more digits. The caller's context may hold fewer.
_ALL_DIGITS = Context(prec=17)


NUMBERS = (int, float, np.bool_, np.integer, np.floating, Decimal)

# Types that pass for integers in NumPy.
TIMES = (np.timedelta64, np.datetime64)

_FLOATS = (float, np.floating, Decimal)

_Item = TypeVar("_Item")

# Every integer up to this one fits in a 64-bit float.
LARGEST_INTEGER = 2**53


def is_sequence(value: object) -> bool:
    """Return whether an argument is a sequence of numbers rather than one number."""
    return isinstance(value, (list, tuple, range)) or (
        isinstance(value, np.ndarray) and value.ndim > 0
    )


def list_parts(value: Any) -> list[Any]:
    """List a value of an option, or the values of one that has several."""
    if is_sequence(value) or isinstance(value, (set, frozenset)):
        return list(value)
    return [value]


def list_names(value: Any) -> list[Any]:
    """List the names in a value of an option, which may have several in one text, between commas."""
    names: list[Any] = []
    for part in list_parts(value):
        if isinstance(part, str):
            names += filter(None, map(str.strip, part.split(",")))
        else:
            names.append(part)
    return names


def list_common(several: Iterable[Iterable[_Item]]) -> list[_Item]:
    """List what all of several collections hold, in the order of the first.

    Examples:
        >>> list_common(["cab", "abd"])
        ['a', 'b']
    """
    first, *others = several
    shared = set(first).intersection(*others)
    return [item for item in first if item in shared]


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether a value is an integer. Truth values are not, and neither are durations."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def is_whole_decimal(value: object) -> TypeGuard[Decimal]:
    """Return whether a value is an integer of the type that databases sum integers to."""
    return isinstance(value, Decimal) and value.is_finite() and value == value.to_integral_value()


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a real number. Truth values are not, and neither are durations."""
    return is_integer(value) or isinstance(value, (float, np.floating))


def replace_na(values: list[Any]) -> list[Any]:
    """Replace the missing values of pandas, which have types of their own, by None."""
    pandas = sys.modules.get("pandas")
    if pandas is None:  # no such value can exist before pandas is imported
        return values
    absent = {type(pandas.NA), type(pandas.NaT)}
    if absent.isdisjoint(map(type, values)):
        return values
    return [None if type(value) in absent else value for value in values]


def is_missing(value: object) -> bool:
    """Return whether a value means a missing one."""
    return value is None or (isinstance(value, _FLOATS) and isnan(value))


def fit_floats(numbers: NDArray[Any]) -> bool:
    """Return whether every number fits in a 64-bit float."""
    if numbers.dtype.type in (np.int64, np.uint64):  # in either order of bytes
        return bool(
            numbers.max(initial=0) <= LARGEST_INTEGER and numbers.min(initial=0) >= -LARGEST_INTEGER
        )
    return numbers.dtype.itemsize <= 8


def fits_float(value: int | np.integer[Any] | Decimal) -> bool:
    """Return whether a float holds this number exactly."""
    try:
        return int(float(value)) == value
    except OverflowError:
        return False


def type_name(value: object) -> str:
    """Return the name of a value's type, for error messages."""
    return type(value).__name__


def name_function(function: object) -> str:
    """Return the module and name of a function, for signatures."""
    return f"{getattr(function, '__module__', None)}.{getattr(function, '__qualname__', type_name(function))}"


def shorten(value: object, limit: int = 60) -> str:
    """Return the beginning of a value's `repr`, for error messages."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - the value is the user's, and the message must not fail over it
        # Python refuses to print integers of more than 4,300 digits, and with them everything that holds one.
        if isinstance(value, int):
            return f"an integer of {int.bit_length(value)} bits"
        return f"a value that cannot be printed ({type_name(error)})"
    if len(text) <= limit:
        return text
    return text[: limit - 3] + "..."


def describe(value: object) -> str:
    """Return the beginning of a value's `repr`, and its type."""
    return f"{shorten(value)} of type {type_name(value)}"


def check_k(value: Any, name: str = "k") -> tuple[int, ...]:
    """Return every k as an int, in the order given."""
    if is_sequence(value):
        numbers = list(value)
    else:
        numbers = [value]
    if not numbers:
        raise ValueError(f"`{name}` must name at least one number of draws; got {shorten(value)}")
    for number in numbers:
        if not is_integer(number):
            raise TypeError(
                f"`{name}` must be a positive integer or a list of them; got {describe(number)}"
            )
        if number < 1:
            raise ValueError(f"`{name}` must be a positive integer; got {shorten(int(number))}")
        if number > _LARGEST:
            raise ValueError(
                f"`{name}` must fit in 64 bits with a sign; got {shorten(int(number))}"
            )
    return tuple(map(int, numbers))


# Counts of samples are held in 64 bits with a sign.
_LARGEST = 2**63 - 1


def refuse_too_many_k(k: Sequence[int], n: Ints) -> None:
    """Raise unless every k is at most every n."""
    smallest = int(n.min())
    for size in k:
        too_few = np.flatnonzero(n < size)
        if len(too_few):
            raise ValueError(
                f"`k` must be at most n, the number of samples of every problem; got k={size}, but the smallest n is "
                f"{smallest}, and n < {size} in {len(too_few)} of {len(n)} problems, first in problem {too_few[0]}"
            )


def check_tau(value: Any, name: str = "thresholds") -> tuple[Tau, ...]:
    """Return every threshold τ in the order given: fractions as they are, other numbers as floats."""
    # A float means the decimal that it prints as.
    if is_sequence(value):
        numbers = list(value)
    else:
        numbers = [value]
    if not numbers:
        raise ValueError(f"`{name}` must name at least one threshold; got {shorten(value)}")
    checked: list[Tau] = []
    for number in numbers:
        if not is_number(number) and not isinstance(number, Fraction):
            raise TypeError(
                f"`{name}` must be a number in [0, 1] or a list of them; got {describe(number)}"
            )
        if not 0 <= number <= 1:
            raise ValueError(f"`{name}` must lie in [0, 1]; got {shorten(number)}")
        checked.append(number if isinstance(number, Fraction) else read_decimal(number))
    return tuple(checked)


def draws_needed(tau: Tau, k: int) -> int:
    """Return max(1, ⌈τk⌉), where a float τ is the decimal that was written: 0.07 of 100 is 7, and not 8."""
    return max(1, ceil((tau if isinstance(tau, Fraction) else Fraction(repr(tau))) * k))


def read_cut(value: object, name: str = "correct_above") -> tuple[float, bool]:
    """Return the grade that separates right samples from wrong ones, and whether it is right itself, as in ">=0.8"."""
    number = value
    match = None
    if isinstance(value, str):
        match = re.fullmatch(r"\s*(?:>=|≥)\s*(\S+)\s*", value)
    if match is not None:
        with suppress(ValueError):
            number = float(match[1])
    if not is_number(number):
        raise TypeError(
            f"`{name}` must be a number, or a text such as '>=0.8'; got {describe(value)}"
        )
    if not is_integer(number):
        number = read_decimal(number)
    if not abs(number) <= sys.float_info.max:
        raise ValueError(f"`{name}` must be a finite number; got {shorten(value)}")
    return float(number), match is not None


def check_cut(value: object, name: str = "correct_above") -> float:
    """Return the number that the grade of a right sample exceeds; for ">=0.8" the float just below 0.8."""
    cut, is_included = read_cut(value, name)
    if is_included and not 0 < cut <= 1:
        raise ValueError(f"`{name}` must be >= a number in (0, 1]; got {shorten(value)}")
    if is_included:
        return float(np.nextafter(cut, 0))
    if cut == 1:
        raise ValueError(
            f"`{name}` must be below 1, since no grade is above it; got {shorten(value)}. "
            f"To count full grades alone: {name}='>=1'. The share τ of the draws is `thresholds`"
        )
    if not 0 <= cut < 1:
        raise ValueError(
            f"`{name}` must lie in [0, 1), as grades do; got {shorten(value)}. The share τ of the draws is `thresholds`"
        )
    return cut


def spell_cut(value: object, name: str = "correct_above") -> float | str:
    """Return the cut of grades as signatures have it: a number, or a text such as ">=0.8"."""
    cut, is_included = read_cut(value, name)
    if is_included:
        return f">={cut:g}"
    return cut


def read_decimal(number: float) -> float:
    """Return the float that prints as the number does: np.float32(0.55) becomes 0.55, and −0.0 becomes 0.0."""
    return float(str(number)) + 0.0


def check_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Return a word out of a fixed list."""
    if isinstance(value, str) and value in choices:
        return value
    listed = ", ".join(map(repr, choices))
    if not isinstance(value, str):
        raise TypeError(f"`{name}` must be one of {listed}; got {describe(value)}")
    raise ValueError(f"`{name}` must be one of {listed}; got {shorten(value)}")


def check_flag(name: str, value: object) -> bool:
    """Return True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"`{name}` must be True or False; got {describe(value)}")
    return bool(value)


# The type of an option, as its declaration spells it → what messages call it.
KINDS = {
    "str": "a text",
    "list[str]": "a list of texts",
    "dict[str, float]": "a mapping of names to numbers",
    "dict[str, Any]": "a mapping of names to values",
    "dict[str, str | None]": "a mapping of names to texts",
}


def check_kind(name: str, value: object, kinds: Sequence[str]) -> None:
    """Raise unless a value is of one of some `KINDS`."""
    if not any(_is_of_kind(value, kind) for kind in kinds):
        raise TypeError(
            f"`{name}` must be {' or '.join(KINDS[kind] for kind in kinds)}; got {describe(value)}"
        )


def _is_of_kind(value: Any, kind: str) -> bool:
    if kind == "str" or isinstance(value, (str, PathLike)):
        return kind == "str" and isinstance(value, (str, PathLike))
    if isinstance(value, Iterator):  # it can be read once
        return kind == "list[str]"
    if kind.startswith("dict") != isinstance(value, Mapping) or not isinstance(value, Collection):
        return False
    texts = list(value)
    if isinstance(value, Mapping) and kind == "dict[str, str | None]":
        texts += filter(None, value.values())
    return all(isinstance(text, str) for text in texts)


def check_numbers(value: Any, name: str) -> None:
    """Raise unless a value is a sequence of numbers."""
    if not is_sequence(value):
        raise TypeError(f"`{name}` must be a list of numbers; got {describe(value)}")
    for number in value:
        if not is_number(number):
            raise TypeError(f"`{name}` must hold numbers; got {describe(number)}")


def check_seed(value: object, name: str = "seed") -> int:
    """Return the seed of a simulation."""
    if not is_integer(value):
        raise TypeError(f"`{name}` must be an integer; got {describe(value)}")
    if value < 0:
        raise ValueError(f"`{name}` must not be negative; got {shorten(int(value))}")
    return int(value)


def check_counts(n: ArrayLike, c: ArrayLike) -> tuple[Ints, Ints]:
    """Return the n and c of problems, broadcast against each other, as integers with 0 ≤ c ≤ n and n ≥ 1."""
    sizes = _check_integers("n", n)
    right = _check_integers("c", c)
    if not sizes.size or not right.size:
        raise ValueError(f"`{'c' if sizes.size else 'n'}` must hold at least one problem; got none")
    try:
        sizes, right = np.broadcast_arrays(sizes, right)
    except ValueError:
        raise ValueError(
            f"`n` and `c` must have shapes that broadcast; got {sizes.shape} and {right.shape}"
        ) from None
    for wrong, rule in (
        (sizes < 1, "`n` must be at least 1"),
        (right < 0, "`c` must not be negative"),
        (right > sizes, "`c` must be at most `n`"),
    ):
        if wrong.any():
            at = int(np.argmax(wrong))
            raise ValueError(f"{rule}; got n={sizes.flat[at]}, c={right.flat[at]} in problem {at}")
    return sizes, right


def _check_integers(name: str, values: ArrayLike) -> Ints:
    try:
        array: NDArray[np.generic] = np.asarray(values)
    except ValueError:
        raise ValueError(
            f"`{name}` must hold integers, in rows of one length; got {shorten(values, 80)}"
        ) from None
    if array.dtype == np.uint64 and array.size and array.max() > _LARGEST:
        raise ValueError(f"`{name}` must fit in 64 bits with a sign; got {array.max()}")
    if array.dtype == object and all(map(is_whole_decimal, array.flat)):
        return array.astype(np.int64)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"`{name}` must hold integers; got {array.dtype} in {shorten(values, 80)}")
    return array.astype(np.int64)


def require_problems(name: str, length: int) -> None:
    """Raise if a column has no problems."""
    if not length:
        raise ValueError(f"`{name}` must hold at least one problem; got none")


def require_same_problems(name: str, length: int, other: str, other_length: int) -> None:
    """Raise if two columns have different numbers of problems."""
    if length != other_length:
        raise ValueError(
            f"`{name}` and `{other}` must have equally many problems; got {length} and {other_length}"
        )


def require_same_samples(name: str, n: Ints, other: str, other_n: Ints) -> None:
    """Raise if two columns have different numbers of samples in a problem."""
    require_same_problems(name, len(n), other, len(other_n))
    differ = np.flatnonzero(n != other_n)
    if len(differ):
        at = differ[0]
        raise ValueError(
            f"`{name}` and `{other}` must have equally many samples in every problem; got {n[at]} and {other_n[at]} "
            f"in problem {at}"
        )


def read_as_integers(numbers: Floats) -> tuple[list[int], int]:
    """Return integers and e such that each number is its integer times 10^−e, exactly as the decimal it prints as."""
    decimals = [Decimal(repr(number)) for number in numbers.tolist()]
    shift = -min([0, *(int(number.as_tuple().exponent) for number in decimals)])
    return [int(number.scaleb(shift, _ALL_DIGITS)) for number in decimals], shift


@dataclass(frozen=True)
class Limits:
    """The most that is accepted, each measured before the work begins. None means without limit.

    Attributes:
        max_bytes: bytes of a results file, as UTF-8.
        max_rows: rows of a file: problems, or samples where each has a row of its own.
        max_text: characters of one answer, reference, name or label.
        max_problems: problems of a data set.
        max_samples: samples of one problem.
        max_all_samples: samples of all problems together.
        max_groups: different groups of problems.

    Examples:
        >>> Limits(max_rows=100).max_rows, UNLIMITED.max_rows
        (100, None)
    """

    max_bytes: int | None = None
    max_rows: int | None = None
    max_text: int | None = None
    max_problems: int | None = None
    max_samples: int | None = None
    max_all_samples: int | None = None
    max_groups: int | None = None


UNLIMITED = Limits()


def exceeds(amount: float, limit: float | None) -> bool:
    """Return whether an amount is more than a limit allows.

    Examples:
        >>> exceeds(3, 2), exceeds(3, 3), exceeds(3, None)
        (True, False, False)
    """
    return limit is not None and amount > limit
