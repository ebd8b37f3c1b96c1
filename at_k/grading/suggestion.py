"""Suggest how answers could be read, where none of them equals its reference."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from at_k.columns import read_problems
from at_k.grading.numbers import read_number
from at_k.grading.statements import read_option
from at_k.grading.verdicts import judge
from at_k.samples import Problems

# The rules and checkers that are tried; of those with equally many right answers the first is suggested. `quasi_exact`
# drops signs and points of numbers, and is tried only where no reference is one; `choice` only where all references
# have the letter of an option.
_CANDIDATES: tuple[dict[str, Any], ...] = (
    *({"check_correct_fn": checker} for checker in ("numeric", "quasi_exact")),
    *({"extract_fn": rule} for rule in ("boxed", "last_number", "final_answer")),
    *({"extract_fn": rule, "check_correct_fn": "numeric"} for rule in ("boxed", "last_number", "final_answer")),
    {"check_correct_fn": "choice"},
    {"extract_fn": "choice"},
)

# Samples that are tried. They take less than a second.
_SAMPLES = 5000


class Suggestion(NamedTuple):
    """Hold options that let answers meet their references, and the share of samples that are then right."""

    options: dict[str, Any]
    share: float


def suggest_options(problems: Problems) -> Suggestion | None:
    r"""Find the rule and the checker under which most answers meet their references; None if there are none.

    Examples:
        >>> from at_k.columns import read_problems
        >>> problems = read_problems(answers=[["So they earn $18.", "#### 20"]], references=["9 * 2 = 18\n#### 18"])
        >>> suggest_options(problems).options
        {'extract_fn': 'last_number'}
    """
    # Checkers that need worker processes are not tried.
    if problems.answers is None or problems.references is None:
        return None
    count = max(1, int(np.searchsorted(problems.answers.codes.offsets[1:], _SAMPLES, side="right")))
    first = read_problems(answers=problems.answers.listed()[:count], references=problems.references[:count])
    texts = [text for row in problems.references[:count] for text in row]
    refused = set() if all(read_option(text)[0] for text in texts) else {"choice"}
    if any(read_number(text) is not None for text in texts):
        refused.add("quasi_exact")
    best = Suggestion({}, 0.0)
    for options in _CANDIDATES:
        if refused.isdisjoint(options.values()):
            verdicts = judge(first, missing="incorrect", **options)
            share = int(verdicts.c.sum()) / max(int(verdicts.n.sum()) - verdicts.n_missing, 1)
            best = max(best, Suggestion(options, share), key=lambda candidate: candidate.share)
    return best if best.share else None
