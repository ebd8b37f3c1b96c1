"""Write a value with as many digits as its interval needs."""

from __future__ import annotations

from math import floor, log10

from at_k.values import ErrorBar

_FEWEST, _MOST = 3, 15
"""Digits of a value that has an interval. A float has 15 that can be relied on."""

_LONGEST = 6
"""Up to so many digits before the point, a score with an interval has no exponent."""


def write_estimate(value: float, bar: ErrorBar | None, digits: int | None = None) -> tuple[str, str]:
    """Write a value, and its interval if it has one.

    A value without an interval has four digits. One with an interval has three, or, where the interval is so narrow
    that they would hide it, as many as show the first digit of its width: 1234 ± 4 must not become 1.23e+03.

    Examples:
        >>> write_estimate(0.91, ErrorBar(0.029, 0.8472, 0.9513)), write_estimate(0.91, None)
        (('0.910', '[0.847, 0.951]'), ('0.9100', ''))
        >>> write_estimate(0.9996, ErrorBar(0.0001, 0.9993, 0.9998)), write_estimate(1234, ErrorBar(2, 1229.6, 1238.4))
        (('0.9996', '[0.9993, 0.9998]'), ('1234', '[1230, 1238]'))
    """
    if bar is None:
        return write_value(value, digits or 4), ""
    digits = digits or count_digits(bar)
    return write_value(value, digits), f"[{write_value(bar.low, digits)}, {write_value(bar.high, digits)}]"


def count_digits(bar: ErrorBar) -> int:
    """Count the digits that a value needs beside its interval: decimals of a share, significant digits of a score."""
    width = bar.high - bar.low
    if bar.low >= 0 and bar.high <= 1:
        before = fewest = 0
    else:
        before = floor(log10(max(abs(bar.low), abs(bar.high)))) + 1
        fewest = before if before <= _LONGEST else 0  # no exponent, such as in 1.23e+03
    narrow = before - floor(log10(width)) if width > 0 else 0
    return min(max(_FEWEST, fewest, narrow), _MOST)


def write_value(value: float, digits: int) -> str:
    """Write a share with `digits` decimals, and a score, which may be of any size, with `digits` digits.

    Examples:
        >>> write_value(0.5, 4), write_value(2.5, 4), write_value(1234.5, 4)
        ('0.5000', '2.500', '1234')
    """
    return f"{value + 0.0:.{digits}f}" if 0 <= value <= 1 else f"{value:#.{digits}g}".rstrip(".")
