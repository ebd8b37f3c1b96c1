"""Rules that name samples: problems that flake, and what missing samples do to the share of correct ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from at_k.analysis.findings import Findings, quote
from at_k.errors import Message

_EXAMPLES = 5
"""The problems that a sentence names at most."""

_ATTEMPTS = 8
"""The failed attempts that are listed of a problem at most."""


def find_flaky(findings: Findings) -> Iterator[Message]:
    """Name the problems of which some samples are correct and some are wrong, with the samples that failed."""
    findings.figures["flaky"] = None
    if findings.verdicts is None:
        return
    verdicts, names = findings.verdicts, findings.report.problems
    places = np.arange(verdicts.given.sum()) if verdicts.kept is None else np.flatnonzero(verdicts.kept)
    starts = np.cumsum(verdicts.given) - verdicts.given
    correct, offsets = verdicts.correct.values > 0, verdicts.correct.offsets
    flaky = np.flatnonzero((findings.c > 0) & (findings.c < findings.n))
    failed = {}
    for problem in flaky.tolist():
        own = slice(offsets[problem], offsets[problem + 1])
        failed[names[problem]] = (places[own][~correct[own]] - starts[problem]).tolist()
    findings.figures["flaky"] = failed
    if not failed:
        return
    fewest = sorted(failed.items(), key=lambda item: len(item[1]))[:_EXAMPLES]
    yield Message(
        "diagnosis.flaky",
        "Problems that flake, with correct and with wrong samples: {count:,} of {total:,}. Wrong samples, counted "
        "from 0, of those with the fewest: {examples}.",
        count=len(failed),
        total=len(findings.n),
        examples="; ".join(f"{quote(name)} {_list_attempts(own)}" for name, own in fewest),
    )


def _list_attempts(failed: list[int]) -> str:
    more = ", …" if len(failed) > _ATTEMPTS else ""
    return ", ".join(map(str, failed[:_ATTEMPTS])) + more


def weigh_missing(findings: Findings) -> Iterator[Message]:
    """Give the share of correct samples by both denominators, where samples are missing."""
    findings.figures["correct_of_all"] = findings.figures["correct_of_present"] = None
    if findings.verdicts is None or not findings.verdicts.n_missing:
        return
    missing, total, right = findings.verdicts.n_missing, int(findings.verdicts.given.sum()), int(findings.c.sum())
    if total == missing:
        return
    of_all, of_present = right / total, right / (total - missing)
    findings.figures |= {"correct_of_all": of_all, "correct_of_present": of_present}
    yield Message(
            "diagnosis.missing",
            "Missing samples: {missing:,} of {total:,}. Correct are {of_all:.1%} of all, and {of_present:.1%} of those "
            "that are there.",
            missing=missing, total=total, of_all=of_all, of_present=of_present,
        )  # fmt: skip
