"""Lay out the values of a report as a grid, which every table is written from: metrics down, k across, groups below."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import floor, log10

from at_k.caching import cached_property
from at_k.family import OUTPUTS
from at_k.report.data import Numbers
from at_k.report.naming import name_lines
from at_k.validation import Tau
from at_k.values import ErrorBar, Key

ALL = "all"
"""The label of the group of all problems."""


@dataclass(frozen=True)
class Block:
    """The part of a grid that holds the values of all problems, of a group, or of a model.

    Attributes:
        label: the group, or the model.
        size: the number of problems.
        values: key → value.
        bars: key → its interval.
        names: line → what its row is called; None if each line has a row of its own name.
    """

    label: str
    size: int
    values: Mapping[Key, float]
    bars: Mapping[Key, ErrorBar]
    names: Mapping[Key, Key] | None = None

    @cached_property
    def lines(self) -> dict[Key, dict[int | None, Key]]:
        """Return the rows of the block: for each line, the keys of its cells by their columns."""
        lines = group_lines(self.values)
        return lines if self.names is None else {self.names[line]: cells for line, cells in lines.items()}

    def write(self, digits: int | None = None) -> dict[Key, dict[int | None, tuple[str, str]]]:
        """Write each cell as text, in two parts: its value, and its interval if it has one."""
        return {
            line: {k: write_estimate(self.values[key], self.bars.get(key), digits) for k, key in keys.items()}
            for line, keys in self.lines.items()
        }


def group_lines(keys: Collection[Key]) -> dict[Key, dict[int | None, Key]]:
    """Group keys into rows: for each line, column → key. The column is k, or None for what does not depend on k."""
    lines: dict[tuple[str, Tau | None], dict[int | None, Key]] = {}
    for key in list(filter(is_shown, keys)) or keys:
        lines.setdefault((key.metric, key.tau), {})[key.draws] = key
    return {Key(metric, None, tau): cells for (metric, tau), cells in lines.items()}


def is_shown(key: Key) -> bool:
    """Return whether tables show a number beside others: not mG-Pass@1, which is 0 for any data."""
    return key.k != 1 or not OUTPUTS[key.metric].even_k


def list_blocks(report: Numbers) -> list[Block]:
    """List the blocks of a report: all problems, and then each group."""
    label = ALL if ALL not in report.groups else f"({ALL})"
    whole = Block(label, len(report), report.values, report.intervals, name_lines(report.options, report.values))
    return [whole, *list_groups(report)]


def list_groups(report: Numbers) -> list[Block]:
    """List the blocks of the groups."""
    names = name_lines(report.options, report.values)
    return [
        Block(label, report.sizes[label], values, report.group_intervals.get(label, {}), names)
        for label, values in report.groups.items()
    ]


def list_columns(block: Block) -> dict[int | None, str]:
    """List the columns of numbers and their heads: one for what does not depend on k, then one for every k."""
    draws = {k for cells in block.lines.values() for k in cells}
    rising = sorted(k for k in draws if k is not None)
    return ({None: "n"} if None in draws else {}) | {k: f"k = {k}" for k in rising}


def describe_size(report: Numbers) -> str:
    """Say how many problems and samples a report is about: "100 problems × 8 samples"."""
    fewest, most = min(report.n), max(report.n)
    n = f"{most:,}" if fewest == most else f"{fewest:,}–{most:,}"
    return f"{len(report):,} problem{'s' * (len(report) != 1)} × {n} sample{'s' * (n != '1')}"


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
