"""The formulas of one problem with the numbers put in, as LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import comb

from at_k.combinatorics import at_least
from at_k.demo.curves import Setting
from at_k.validation import draws_needed

_TERMS = 4
"""Sums with more terms than this are shortened in the middle."""


def filled_in(setting: Setting, k: int, values: dict[str, float], taus: Iterable[float]) -> list[str]:
    """One line of LaTeX for each metric that rests on n and c: formula, numbers, value.

    `values` are those of `Curves.at(k)`.
    """
    n, c = setting.n, setting.c
    all_draws = _choose(n, k)
    lines = [
        rf"\text{{avg@}}{n} &= \frac{{c}}{{n}} = \frac{{{c}}}{{{n}}} = {digits(values[f'avg@{n}'])}",
        rf"\text{{pass@}}{k} &= 1 - \frac{{{_choose(n - c, k)}}}{{{all_draws}}} "
        rf"= 1 - \frac{{{_count(comb(n - c, k))}}}{{{_count(comb(n, k))}}} = {digits(values[f'pass@{k}'])}",
    ]
    for tau in sorted(taus):
        m = draws_needed(tau, k)
        ways = _sum(range(m, k + 1), lambda j: _count(comb(c, j) * comb(n - c, k - j)))
        lines.append(
            rf"\text{{G-Pass@}}{k}_{{{tau}}} &= \sum_{{j={m}}}^{{{k}}} "
            rf"\frac{{\binom{{{c}}}{{j}} \binom{{{n - c}}}{{{k}-j}}}}{{{all_draws}}} "
            rf"= \frac{{{ways}}}{{{_count(comb(n, k))}}} = {digits(values[f'G-Pass@{k}_{tau}'])}"
        )
    first = (k + 1) // 2 + 1
    tails = _sum(range(first, k + 1), lambda i: digits(float(at_least(n, k, i)[c])))
    lines += [
        rf"\text{{mG-Pass@}}{k} &= \frac{{2}}{{{k}}} \sum_{{i={first}}}^{{{k}}} \text{{G-Pass@}}{k}_{{i/{k}}} "
        rf"= \frac{{2}}{{{k}}} ({tails}) = {digits(values[f'mG-Pass@{k}'])}",
        rf"\text{{pass\textasciicircum}}{k} &= \frac{{{_choose(c, k)}}}{{{all_draws}}} "
        rf"= \frac{{{_count(comb(c, k))}}}{{{_count(comb(n, k))}}} = {digits(values[f'pass^{k}'])}",
    ]
    return lines


def digits(value: float) -> str:
    r"""Four decimals, or for small numbers four digits and a power of ten.

    Examples:
        >>> digits(1 / 3), digits(0.0), digits(0.00001234), digits(0.99999999)
        ('0.3333', '0', '1.234 \\cdot 10^{-5}', '1 - 1.000 \\cdot 10^{-8}')
    """
    if value in (0, 1):
        return str(int(value))
    if 0 < value < 0.001:
        return _scientific(f"{value:.3e}")
    if 0.99995 <= value < 1:
        return f"1 - {_scientific(f'{1 - value:.3e}')}"
    return f"{value:.4f}"


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
