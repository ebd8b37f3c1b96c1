"""The levels, the decision matrix and the targets of the page of AISBench on accuracy metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from at_k.analysis.findings import Findings
from at_k.errors import Message
from at_k.values import ErrorBar

HIGH, LOW = 0.8, 0.5
"""High is above 0.8 and low below 0.5 in the page of AISBench on accuracy metrics, which calls both hypothetical."""

TARGETS = {
    "reliability": {"cons@k": 0.8, "pass@k": 0.9},
    "tolerance": {"pass@k": 0.8, "avg@n": 0.7},
    "balance": {"avg@n": 0.75},
}
"""What the same page asks of three kinds of use: all of these values must be above these numbers."""

_NAMES = {"pass@k": "passed", "avg@n": "average", "cons@k": "cons"}
"""What the sentences call these values."""


def place_in_matrix(findings: Findings) -> Iterator[Message]:
    """Find the row of the decision matrix of AISBench, if there is one for levels that the intervals settle."""
    if len(findings.keys) < 3 or findings.keys["pass@k"].k == 1:
        return  # for k = 1 the three are one value
    levels = {metric: find_level(findings.bars[findings.keys[metric]]) for metric in _NAMES}
    findings.figures["levels"] = levels
    given: dict[str, Any] = {"high": HIGH, "low": LOW}
    for metric, name in _NAMES.items():
        key = findings.keys[metric]
        given[name] = f"{key} {findings.write(key)}"
    row = find_row(tuple(levels.values()), given)
    if row is not None:
        yield row


def find_level(bar: ErrorBar) -> str | None:
    """Find the level that a whole interval lies in; None if it reaches across a threshold."""
    if bar.low > HIGH:
        return "high"
    if bar.high < LOW:
        return "low"
    return "medium" if bar.low >= LOW and bar.high <= HIGH else None


def check_targets(findings: Findings) -> Iterator[Message]:
    """Compare the values with what AISBench asks of three kinds of use."""
    found: dict[str, str] = {}
    findings.figures["targets"] = found
    for use, asked in TARGETS.items():
        if not asked.keys() <= findings.keys.keys():
            continue
        bars = [(findings.bars[findings.keys[metric]], threshold) for metric, threshold in asked.items()]
        if all(bar.low > threshold for bar, threshold in bars):
            found[use], verdict = "met", Message("diagnosis.met", "The target is met.")
        elif any(bar.high <= threshold for bar, threshold in bars):
            found[use], verdict = "missed", Message("diagnosis.missed", "The target is missed.")
        else:
            found[use] = "not settled"
            verdict = Message("diagnosis.not_settled", "The intervals do not settle whether the target is met.")
        given: dict[str, Any] = {"verdict": verdict}
        for metric, threshold in asked.items():
            name, key = _NAMES[metric], findings.keys[metric]
            given |= {name: f"{key} {findings.write(key)}", f"{name}_target": threshold}
        yield name_target(use, given)


def find_row(levels: tuple[str | None, ...], given: dict[str, Any]) -> Message | None:
    """Find the row of the matrix for these levels of pass@k, avg@n and cons@k; None if it has no such row.

    Its fourth row, with cons@k above pass@k, would be a mistake.
    """
    if levels == ("high", "medium", "low"):
        return Message(
            "diagnosis.unstable",
            "The decision matrix of AISBench (high: above {high}; low: below {low}) says of a high {passed}, a medium "
            "{average} and a low {cons}: much potential, little stability. It advises to make answers more consistent, "
            "by the temperature or by a vote.",
            **given,
        )
    if levels == ("medium", "medium", "medium"):
        return Message(
            "diagnosis.even",
            "The decision matrix of AISBench (high: above {high}; low: below {low}) says of a medium {passed}, "
            "{average} and {cons}: balanced, with room to improve. It advises to work on data and prompts alike.",
            **given,
        )
    if levels == ("low", "low", "low"):
        return Message(
            "diagnosis.ineffective",
            "The decision matrix of AISBench (high: above {high}; low: below {low}) says of a low {passed}, {average} "
            "and {cons}: close to no effect. It advises to train again, or to take another model.",
            **given,
        )
    return None


def name_target(use: str, given: dict[str, Any]) -> Message:
    """Say what AISBench asks for a kind of use, and whether it is met."""
    if use == "reliability":
        return Message(
            "diagnosis.reliability",
            "Where every answer must be reliable, AISBench asks for cons@k above {cons_target} and pass@k above "
            "{passed_target}. {verdict} Here: {cons}, {passed}.",
            **given,
        )
    if use == "tolerance":
        return Message(
            "diagnosis.tolerance",
            "Where some of several tries may fail, AISBench asks for pass@k above {passed_target} and avg@n above "
            "{average_target}. {verdict} Here: {passed}, {average}.",
            **given,
        )
    return Message(
        "diagnosis.balance",
        "For a general assistant, AISBench asks for avg@n above {average_target}. {verdict} Here: {average}.",
        **given,
    )
