"""Lay out the values of a report as a grid, which every table is written from: metrics down, k across, groups below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from at_k.caching import cached_property
from at_k.family import OUTPUTS
from at_k.report.data import Numbers
from at_k.report.digits import write_estimate
from at_k.values import ErrorBar, Key

ALL = "all"
"""The label of the group of all problems."""


@dataclass(frozen=True)
class Block:
    """The part of a grid that holds the values of all problems, of a group, or of a model."""

    label: str
    size: int
    values: Mapping[Key, float]
    bars: Mapping[Key, ErrorBar]

    @cached_property
    def lines(self) -> dict[Key, dict[int | None, Key]]:
        """Return the rows of the block: for each line, the keys of its cells by their columns."""
        return group_lines(self.values)

    def write(self, digits: int | None = None) -> dict[Key, dict[int | None, tuple[str, str]]]:
        """Write each cell as text, in two parts: its value, and its interval if it has one."""
        return {
            line: {k: write_estimate(self.values[key], self.bars.get(key), digits) for k, key in keys.items()}
            for line, keys in self.lines.items()
        }


def group_lines(keys: Iterable[Key]) -> dict[Key, dict[int | None, Key]]:
    """Group keys into rows: for each line, column → key. The column is k, or None for what does not depend on k."""
    lines: dict[Key, dict[int | None, Key]] = {}
    for key in filter(is_shown, keys):
        lines.setdefault(key.line, {})[key.draws] = key
    return lines


def is_shown(key: Key) -> bool:
    """Return whether tables show a number: not mG-Pass@1, which is 0 for any data."""
    return key.k != 1 or not OUTPUTS[key.metric].even_k


def list_blocks(report: Numbers) -> list[Block]:
    """List the blocks of a report: all problems, and then each group."""
    label = ALL if ALL not in report.groups else f"({ALL})"
    return [Block(label, len(report), report.values, report.intervals), *list_groups(report)]


def list_groups(report: Numbers) -> list[Block]:
    """List the blocks of the groups."""
    return [
        Block(label, report.sizes[label], values, report.group_intervals.get(label, {}))
        for label, values in report.groups.items()
    ]


def list_columns(report: Numbers) -> dict[int | None, str]:
    """List the columns of numbers and their heads: one for what does not depend on k, then one for every k."""
    without_k = {None: "n"} if any(key.draws is None for key in report.values) else {}
    return without_k | {k: f"k = {k}" for k in report.k}


def describe_size(report: Numbers) -> str:
    """Say how many problems and samples a report is about: "100 problems × 8 samples"."""
    fewest, most = min(report.n), max(report.n)
    n = f"{most:,}" if fewest == most else f"{fewest:,}–{most:,}"
    return f"{len(report):,} problem{'s' * (len(report) != 1)} × {n} sample{'s' * (n != '1')}"
