"""The formulas of one problem with its numbers, as LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import accumulate
from math import comb

from at_k.demo.curves import Setting
from at_k.validation import draws_needed

_TERMS = 4
"""Sums with more terms than this are shortened in the middle."""


def fill_in(setting: Setting, k: int, taus: Iterable[float]) -> list[str]:
    """Write one line of LaTeX for each metric of n and c: formula, numbers, value."""
    n, c = setting.n, setting.c
    all_draws, total = _choose(n, k), comb(n, k)
    ways = [comb(c, j) * comb(n - c, k - j) for j in range(k + 1)]  # the number of draws with j correct samples
    at_least = [Fraction(count, total) for count in accumulate(reversed(ways))][::-1]
    lines = [
        rf"\text{{avg@}}{n} &= \frac{{c}}{{n}} = \frac{{{c}}}{{{n}}} = {write_digits(Fraction(c, n))}",
        rf"\text{{pass@}}{k} &= 1 - \frac{{{_choose(n - c, k)}}}{{{all_draws}}} "
        rf"= 1 - \frac{{{_count(ways[0])}}}{{{_count(total)}}} = {write_digits(at_least[1])}",
    ]
    for tau in sorted(taus):
        m = draws_needed(tau, k)
        terms = _sum(range(m, k + 1), lambda j: _count(ways[j]))
        lines.append(
            rf"\text{{G-Pass@}}{k}_{{{tau}}} &= \sum_{{j={m}}}^{{{k}}} "
            rf"\frac{{\binom{{{c}}}{{j}} \binom{{{n - c}}}{{{k}-j}}}}{{{all_draws}}} "
            rf"= \frac{{{terms}}}{{{_count(total)}}} = {write_digits(at_least[m])}"
        )
    first = (k + 1) // 2 + 1
    tails = _sum(range(first, k + 1), lambda i: write_digits(at_least[i]))
    lines += [
        rf"\text{{mG-Pass@}}{k} &= \frac{{2}}{{{k}}} \sum_{{i={first}}}^{{{k}}} \text{{G-Pass@}}{k}_{{i/{k}}} "
        rf"= \frac{{2}}{{{k}}} ({tails}) = {write_digits(Fraction(2, k) * sum(at_least[first:]))}",
        rf"\text{{pass\textasciicircum}}{k} &= \frac{{{_choose(c, k)}}}{{{all_draws}}} "
        rf"= \frac{{{_count(ways[k])}}}{{{_count(total)}}} = {write_digits(at_least[k])}",
    ]
    return lines


def write_digits(value: Fraction) -> str:
    r"""Write four decimals, or for numbers near 0 and 1 four digits and a power of ten.

    Examples:
        >>> write_digits(Fraction(1, 3)), write_digits(Fraction(0)), write_digits(Fraction("1.234e-5"))
        ('0.3333', '0', '1.234 \\cdot 10^{-5}')
        >>> write_digits(1 - Fraction("1e-8"))
        '1 - 1.000 \\cdot 10^{-8}'
    """
    if value in (0, 1):
        return str(int(value))
    if 0 < value < Fraction("0.001"):
        return _scientific(f"{float(value):.3e}")
    if Fraction("0.99995") <= value < 1:
        return f"1 - {_scientific(f'{float(1 - value):.3e}')}"
    return f"{float(value):.4f}"


def _choose(n: int, k: int) -> str:
    return rf"\binom{{{n}}}{{{k}}}"


def _count(number: int) -> str:
    return str(number) if number < 10**7 else _scientific(f"{number:.3e}")


def _scientific(text: str) -> str:
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"


def _sum(indices: range, term: Callable[[int], str]) -> str:
    if not indices:
        return "0"
    if len(indices) <= _TERMS:
        return " + ".join(map(term, indices))
    return f"{term(indices[0])} + {term(indices[1])} + \\dots + {term(indices[-1])}"
