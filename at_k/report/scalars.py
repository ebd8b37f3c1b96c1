"""Name every number of a report in one flat mapping, as harnesses and trackers take it."""

from __future__ import annotations

from at_k.report.data import Numbers
from at_k.report.grid import list_groups
from at_k.summary import name_limits, spell


def list_scalars(report: Numbers, key_style: str = "standard") -> dict[str, float]:
    """Return key → value, with its standard error and the limits of its interval.

    The keys are those of `compute`: `pass@8`, `pass@8_stderr`, `pass@8_ci_low`, `pass@8_ci_high`, and `{group}/pass@8`.
    """
    found: dict[str, float] = {}
    blocks = [("", report.values, report.intervals)]
    blocks += [(f"{block.label}/", dict(block.values), dict(block.bars)) for block in list_groups(report)]
    for prefix, values, bars in blocks:
        for key, value in values.items():
            name = prefix + spell(key, key_style)
            found[name] = value
            if key in bars:
                found |= name_limits(name, bars[key])
    return found
