"""Validators of arguments. Each returns its argument in the one form that the rest of the library assumes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from at_k.combinatorics import Ints

K = int | Sequence[int]
Tau = float | Sequence[float]


def several(value: object) -> bool:
    """Whether an argument that may be one number or several holds several."""
    return isinstance(value, (list, tuple, range)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def is_integer(value: object) -> TypeGuard[int]:
    """Whether a value is an integer, and not a truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a real number, and not a truth value."""
    return is_integer(value) or isinstance(value, (float, np.floating))


def _listed(value: Any) -> list[Any]:
    return list(value) if several(value) else [value]


def checked_k(k: object, name: str = "k") -> tuple[int, ...]:
    """Every k as an int, in the order given."""
    numbers = _listed(k)
    if not numbers:
        raise ValueError(f"`{name}` must name at least one number of draws; got {k!r}")
    for number in numbers:
        if not is_integer(number):
            raise TypeError(
                f"`{name}` must be a positive integer or a list of them; got {number!r} of type {kind(number)}"
            )
        if number < 1:
            raise ValueError(f"`{name}` must be a positive integer; got {number}")
    return tuple(map(int, numbers))


def fitting_k(k: tuple[int, ...] | None, n: Ints, default: tuple[int, ...]) -> tuple[int, ...]:
    """The given k, none of which may exceed any n; or those of the default that fit, or else the smallest n."""
    smallest = int(n.min())
    if k is None:
        return tuple(size for size in default if size <= smallest) or (smallest,)
    for size in k:
        too_few = np.flatnonzero(n < size)
        if len(too_few):
            raise ValueError(
                f"`k` must be at most n, the number of samples of every problem; got k={size}, but the smallest n is "
                f"{smallest}, and n < {size} in {len(too_few)} of {len(n)} problems, first in problem {too_few[0]}"
            )
    return k


def checked_tau(tau: object, name: str = "tau") -> tuple[float, ...]:
    """Every threshold τ as a float that prints as the decimal given, in the order given."""
    numbers = _listed(tau)
    if not numbers:
        raise ValueError(f"`{name}` must name at least one threshold; got {tau!r}")
    checked = []
    for number in numbers:
        if not is_number(number):
            raise TypeError(
                f"`{name}` must be a number in [0, 1] or a list of them; got {number!r} of type {kind(number)}"
            )
        if not 0 <= number <= 1:
            raise ValueError(f"`{name}` must lie in [0, 1]; got {number}")
        checked.append(float(str(number)) + 0.0)  # str: np.float32(0.55) is the decimal 0.55; + 0.0: no −0.0
    return tuple(checked)


def draws_needed(tau: float, k: int) -> int:
    """max(1, ⌈τk⌉), where τ is the decimal that was written and not its binary neighbour: 0.07 of 100 is 7, not 8."""
    return max(1, ceil(Fraction(repr(tau)) * k))


def checked_threshold(threshold: object) -> float:
    """The grade above which a sample is correct."""
    if not is_number(threshold):
        raise TypeError(f"`threshold` must be a number in [0, 1]; got {threshold!r} of type {kind(threshold)}")
    if not 0 <= threshold <= 1:
        raise ValueError(f"`threshold` must lie in [0, 1]; got {threshold}")
    return float(threshold)


def checked_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """A word out of a fixed list."""
    listed = ", ".join(repr(choice) for choice in choices)
    if not isinstance(value, str):
        raise TypeError(f"`{name}` must be one of {listed}; got {value!r} of type {kind(value)}")
    if value not in choices:
        raise ValueError(f"`{name}` must be one of {listed}; got {value!r}")
    return value


def checked_flag(name: str, value: object) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"`{name}` must be True or False; got {value!r} of type {kind(value)}")
    return bool(value)


def checked_seed(seed: object, name: str = "seed") -> int:
    """The seed of a simulation."""
    if not is_integer(seed):
        raise TypeError(f"`{name}` must be an integer; got {seed!r:.60} of type {kind(seed)}")
    if seed < 0:
        raise ValueError(f"`{name}` must not be negative; got {seed}")
    return int(seed)


def checked_counts(n: ArrayLike, c: ArrayLike) -> tuple[Ints, Ints]:
    """The n and c of problems, broadcast against each other, as integers with 0 ≤ c ≤ n and n ≥ 1."""
    sizes, right = _integers("n", n), _integers("c", c)
    if not sizes.size or not right.size:
        raise ValueError(f"`{'c' if sizes.size else 'n'}` must hold at least one problem; got none")
    try:
        sizes, right = np.broadcast_arrays(sizes, right)
    except ValueError:
        raise ValueError(f"`n` and `c` must have shapes that broadcast; got {sizes.shape} and {right.shape}") from None
    for wrong, rule in ((sizes < 1, "`n` must be at least 1"), (right < 0, "`c` must not be negative"),
                        (right > sizes, "`c` must be at most `n`")):  # fmt: skip
        if wrong.any():
            at = int(np.argmax(wrong))
            raise ValueError(f"{rule}; got n={sizes.flat[at]}, c={right.flat[at]} in problem {at}")
    return sizes, right


def kind(value: object) -> str:
    """The name of a value's type, for error messages."""
    return type(value).__name__


def _integers(name: str, values: ArrayLike) -> Ints:
    try:
        array: NDArray[np.generic] = np.asarray(values)
    except ValueError:
        raise ValueError(f"`{name}` must hold integers, in rows of one length; got {values!r:.80}") from None
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"`{name}` must fit in 64 bits with a sign; got {array.max()}")
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"`{name}` must hold integers; got {array.dtype} in {values!r:.80}")
    return array.astype(np.int64)
