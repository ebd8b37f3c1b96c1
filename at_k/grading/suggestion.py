"""Suggest how answers could be read, where none of them equals its reference."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np

from at_k.grading.checkers import find_checker
from at_k.grading.extraction import EXTRACTIONS, extract_answers, extract_references
from at_k.grading.numbers import read_number
from at_k.grading.pairs import grade_samples
from at_k.grading.statements import read_option
from at_k.samples import Answers, Problems

# The rules and checkers that are tried; of those with equally many right answers the first is suggested. `quasi_exact`
# drops signs and points of numbers, and is tried only where no reference is one; `choice` only where all references
# have the letter of an option.
_CANDIDATES = (
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

    options: dict[str, str]
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
    samples, references = problems.answers.listed()[:count], problems.references[:count]
    flat = list(chain.from_iterable(samples))
    answers = Answers.of_values(flat, np.array([*map(len, samples)]))
    texts = [text for row in references for text in row]
    refused = set() if all(read_option(text)[0] for text in texts) else {"choice"}
    if any(read_number(text) is not None for text in texts):
        refused.add("quasi_exact")
    best = Suggestion({}, 0.0)
    for options in _CANDIDATES:
        if refused.isdisjoint(options.values()):
            read, accepted = answers, references
            if rule := EXTRACTIONS.get(options.get("extract_fn", "")):
                read = extract_answers(answers, rule)
                accepted = extract_references(references, rule, "extract_fn", keep=True)
            check = find_checker(options.get("check_correct_fn", "exact_match"))
            right = int(np.count_nonzero(grade_samples(read, accepted, check).values))
            best = max(
                best,
                Suggestion(options, right / max(len(flat) - flat.count(None), 1)),
                key=lambda candidate: candidate.share,
            )
    return best if best.share else None
