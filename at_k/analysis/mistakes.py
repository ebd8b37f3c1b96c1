"""Rules about what must be a mistake in the data, the grader or the numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from at_k.analysis.findings import Findings, quote
from at_k.error_bars import is_bounded
from at_k.errors import Message, Mistake

_ROUNDING = 1e-6
"""Values that were written with six digits may break an inequality by this much."""


def check_ranges(findings: Findings) -> Iterator[Message]:
    """Find shares that lie outside of [0, 1]."""
    report = findings.report
    for key, column in report.by_problem.items():
        if not is_bounded(key):
            continue
        values = np.array([report.values[key], *column])
        odd = values[~((values >= -_ROUNDING) & (values <= 1 + _ROUNDING))]  # NaN is odd too
        if len(odd):
            yield Mistake(
                "bug.range",
                "A share lies outside of 0 and 1: {key} has the value {value:g}. Look for a mistake in what "
                "computed it.",
                key=str(key),
                value=float(odd[0]),
            )


def find_impossible(findings: Findings) -> Iterator[Message]:
    """Find values above pass@k that cannot be above it."""
    report = findings.report
    passes = {key.k: key for key in report.values if key.metric == "pass@k"}
    for key in report.values:
        if key.metric not in ("avg@n", "cons@k", "best@k"):
            continue
        for k, above in passes.items():
            if key.metric != "avg@n" and key.k != k:
                continue
            gaps = np.array(report.by_problem[key]) - np.array(report.by_problem[above])
            gap = max(report.values[key] - report.values[above], float(gaps.max()))
            if gap > _ROUNDING:
                yield Mistake(
                    "bug.above_pass",
                    "No value may be above pass@k, but {key} is above {above}, by up to {gap:.4g}. One of k "
                    "samples is correct wherever the winner of a vote or the best one is: look for a "
                    "mistake in what computed these numbers.",
                    key=str(key),
                    above=str(above),
                    gap=gap,
                )


def find_contradictions(findings: Findings) -> Iterator[Message]:
    """Find that no answer equals its reference, and equal answers with two verdicts."""
    yield from (note for note in findings.report.notes if isinstance(note, Mistake))
    count, answer, problem = findings.conflicts
    if count:
        yield Mistake(
            "bug.two_verdicts",
            "Equal answers of one problem have different verdicts; problems with such answers: {count:,} of "
            "{total:,}, for instance {answer} in problem {problem}. The grader contradicts itself, or it "
            "graded something else than this column of answers.",
            count=count,
            total=len(findings.report),
            answer=answer,
            problem=quote(findings.report.problems[problem]),
        )
    elif findings.verdicts is None:
        yield from (each for each in findings.report.left_out.values() if isinstance(each, Mistake))
    findings.figures["problems_with_two_verdicts"] = count if findings.verdicts is not None else None
