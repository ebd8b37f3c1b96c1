"""Suggest how answers could be read, where none of them equals its reference."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from at_k.grading.checkers import find_checker
from at_k.grading.checkers.base import Checker
from at_k.grading.checkers.text import normalize_words
from at_k.grading.extraction import EXTRACTIONS, extract_answers, extract_references
from at_k.grading.letters import read_option
from at_k.grading.numbers import Rational, read_number
from at_k.grading.pairs import grade_samples
from at_k.samples import Answers, Problems

# What is tried; of those with equally many right answers the first is suggested. `numeric` is before `quasi_exact`,
# which drops signs and points of numbers. `choice` is tried only where all references have the letter of an option.
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


@dataclass(frozen=True, repr=False)
class _Words(Checker):
    """Accept what `quasi_exact` accepts, except for two numbers that differ."""

    name = "quasi_exact"

    def normalize(self, text: str) -> Hashable:
        """Normalise a text, and read it as a number."""
        return normalize_words(text), read_number(text)

    def compare(self, answer: tuple[str, Rational | None], reference: tuple[str, Rational | None]) -> bool:
        """Compare the texts, and the numbers if both are."""
        return answer[0] == reference[0] and (None in (answer[1], reference[1]) or answer[1] == reference[1])


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
    lettered = all(read_option(text)[0] for row in references for text in row)
    best: Suggestion | None = None
    for rule, checker in _CANDIDATES:
        if "choice" in (rule, checker) and not lettered:
            continue
        read, accepted = answers, references
        if rule is not None:
            read = extract_answers(answers, EXTRACTIONS[rule])
            accepted = extract_references(references, EXTRACTIONS[rule], "extract_fn", keep=True)
        check = _Words() if checker == _Words.name else find_checker(checker)
        right = int(np.count_nonzero(grade_samples(read, accepted, check).values))
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
