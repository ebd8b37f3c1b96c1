"""Suggest how answers could be read, where none of them equals its reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from at_k.grading.checkers import find_checker
from at_k.grading.extraction import EXTRACTIONS, extract_answers, extract_references
from at_k.grading.letters import read_option
from at_k.grading.numbers import read_number
from at_k.grading.pairs import grade_samples
from at_k.samples import Answers, Problems

# The rules and checkers that are tried; of those with equally many right answers the first is suggested. `quasi_exact`
# drops signs and points of numbers, and is tried only where no reference is one; `choice` only where all references
# have the letter of an option.
_CANDIDATES: tuple[tuple[str | None, str], ...] = (
    (None, "numeric"),
    (None, "quasi_exact"),
    ("boxed", "exact_match"),
    ("last_number", "exact_match"),
    ("final_answer", "exact_match"),
    ("boxed", "numeric"),
    ("last_number", "numeric"),
    ("final_answer", "numeric"),
    (None, "choice"),
    ("choice", "exact_match"),
)

# Samples that are tried. They take less than a second.
_SAMPLES = 5000


@dataclass(frozen=True)
class Suggestion:
    """Say which options let answers meet their references.

    Attributes:
        extract_fn: the name of a rule, or None for none.
        check_correct_fn: the name of a checker.
        share: the share of the samples that are then correct, among those that were tried.
    """

    extract_fn: str | None
    check_correct_fn: str
    share: float

    @property
    def options(self) -> dict[str, str]:
        """Return the options that are not the defaults."""
        options = {"extract_fn": self.extract_fn, "check_correct_fn": self.check_correct_fn}
        return {name: value for name, value in options.items() if value is not None and value != "exact_match"}


def suggest_options(problems: Problems) -> Suggestion | None:
    r"""Find the rule and the checker under which most answers meet their references; None if there are none.

    Checkers that need worker processes are not tried.

    Examples:
        >>> from at_k.columns import read_problems
        >>> problems = read_problems(answers=[["So they earn $18.", "#### 20"]], references=["9 * 2 = 18\n#### 18"])
        >>> suggest_options(problems).options
        {'extract_fn': 'last_number'}
    """
    if problems.answers is None or problems.references is None:
        return None
    answers = _take_first(problems.answers)
    references = problems.references[: len(answers)]
    given = int(np.count_nonzero(answers.codes.values >= 0))
    texts = [text for row in references for text in row]
    refused = set() if all(read_option(text)[0] for text in texts) else {"choice"}
    if any(read_number(text) is not None for text in texts):
        refused.add("quasi_exact")
    best: Suggestion | None = None
    for rule, checker in _CANDIDATES:
        if refused.intersection((rule, checker)):
            continue
        read, accepted = answers, references
        if rule is not None:
            read = extract_answers(answers, EXTRACTIONS[rule])
            accepted = extract_references(references, EXTRACTIONS[rule], "extract_fn", keep=True)
        right = int(np.count_nonzero(grade_samples(read, accepted, find_checker(checker)).values))
        if right and right / given > (best.share if best else 0):
            best = Suggestion(rule, checker, right / given)
    return best


def _take_first(answers: Answers) -> Answers:
    """Take the first problems, and their texts alone."""
    lengths = answers.codes.n
    count = max(1, int(np.searchsorted(np.cumsum(lengths), _SAMPLES, side="right")))
    texts = [*answers.distinct, None]
    codes = answers.codes.values[: lengths[:count].sum()].tolist()
    return Answers.of_values([texts[code] for code in codes], lengths[:count])
