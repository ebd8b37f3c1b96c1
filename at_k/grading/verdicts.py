"""Turn checked columns into verdicts: decide which samples are correct, and what happens to missing ones."""

from __future__ import annotations

import inspect
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k.columns import flag_samples
from at_k.combinatorics import Floats, Ints
from at_k.errors import InputError
from at_k.grading.checkers import find_checker, name_checker
from at_k.grading.checkers.base import Check, Checker, Row
from at_k.grading.checkers.text import ExactMatch
from at_k.grading.equivalence import find_equivalence, merge_equivalent, merges_texts
from at_k.grading.extraction import (
    Extract,
    extract_answers,
    extract_references,
    find_extraction,
    find_reference_extraction,
    name_extraction,
)
from at_k.grading.numbers import read_number
from at_k.grading.pairs import Grades, Outcomes, grade_samples
from at_k.grading.workers import NotGraded
from at_k.options.registry import TIMEOUT
from at_k.samples import Answers, Problems, Ragged
from at_k.validation import check_cut, require_same_samples, shorten, spell_cut
from at_k.values import cached_property


class MissingSamplesError(InputError):
    """Samples without a grade or an answer, where `missing` is "error"."""


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Hold samples that have been judged.

    Attributes:
        graded: the grade of each sample, in parts; NaN for a missing sample that counts as wrong.
        cut: a sample is correct if its grade is above this number.
        given: the number of samples that each problem came with, including missing ones.
        n_missing: the number of missing samples of all problems.
        kept: a flag for each sample of `given`, whether it is still here; None if all are.
        ballots: the answer of each sample as it was judged, if answers are known. Equal answers have the same code.
        conditions: how the samples were judged, as a signature states it.
        not_graded: the number of samples whose check took too long or failed, by cause. They are missing samples.
        first_faults: why the first of these was not graded, by cause.
        n_unanswered: the number of samples in which no answer was found. They count as wrong and are
            excluded from the vote.
        not_compared: the number of answers, or of pairs of them, that could not be compared with others, by cause.
        merge: merges the answers that vote together, given a flag for each whether it is correct; by default equal
            answers do. It is called when votes are first asked for.
        outcomes: how the check of each sample of `given` ended, if the checker says.
        stopped: whether the samples of each problem end with its first correct one.
    """

    graded: tuple[Ragged, ...]
    cut: float
    given: Ints
    n_missing: int
    kept: NDArray[np.bool_] | None = None
    ballots: Answers | None = None
    conditions: dict[str, object] = field(default_factory=dict)
    not_graded: dict[str, int] = field(default_factory=dict)
    first_faults: dict[str, str] = field(default_factory=dict)
    n_unanswered: int = 0
    not_compared: dict[str, int] = field(default_factory=dict)
    merge: Callable[..., tuple[Answers, dict[str, int]]] | None = None
    outcomes: Outcomes | None = None
    stopped: bool = False

    def __len__(self) -> int:
        return len(self.n)

    @cached_property
    def n(self) -> Ints:
        """Count the samples of each problem."""
        if self.kept is None:
            return self.given
        return self.graded[0].n

    @property
    def drawn(self) -> Ints:
        """Return the numbers that k may not exceed: n, or, where sampling stopped, the most samples of any problem."""
        if self.stopped:
            return np.array([self.n.max()])
        return self.n

    @cached_property
    def c(self) -> Ints:
        """Count the correct samples of each problem."""
        return np.concatenate([part.count_above(self.cut) for part in self.graded])

    @cached_property
    def correct(self) -> Ragged:
        """Flag the correct samples."""
        return Ragged.concatenate([part.above(self.cut) for part in self.graded])

    @cached_property
    def answers(self) -> Answers | None:
        """Return the answers that vote, after equivalent ones were merged. A right one and a wrong one stay apart."""
        if self.merge is None or self.ballots is None:
            return self.ballots
        answers, not_compared = self.merge(self.ballots, correct=self.correct.values)
        self.not_compared.update(not_compared)
        return answers

    @cached_property
    def mean_grade(self) -> Floats:
        """Return the mean grade of each problem's samples."""
        return np.concatenate([part.total() / part.n for part in self.graded])

    @cached_property
    def counts(self) -> tuple[Ints, Ints, Ints]:
        """Return the distinct pairs of n and c, and the index of each problem's pair among them.

        20,000 problems of 64 samples have at most 65 distinct pairs, and a metric of counts is computed only for these.
        """
        size = int(self.n.max()) + 1
        present, which = np.unique(self.n * size + self.c, return_inverse=True)
        return present // size, present % size, which

    def keep_samples(self, name: str, column: Ragged) -> Ragged:
        """Select from a column with an entry for every sample of `given` the entries of the samples still here."""
        require_same_samples(name, column.n, "predictions", self.given)
        kept = np.ones(len(column.values), dtype=bool) if self.kept is None else self.kept
        absent = kept & flag_samples(np.isnan(column.values))
        if absent.any():
            place = column.place(int(np.argmax(absent)))
            raise ValueError(f"`{name}` must be finite numbers; got None or NaN in {place}")
        if self.kept is None:
            return column
        return column.keep(kept)


def judge(
    problems: Problems,
    *,
    check_correct_fn: Check | str = "exact_match",
    extract_fn: Extract | str | None = None,
    extract_reference: Extract | str | None = None,
    equivalence: Check | str = "checker",
    reduce: str = "best",
    correct_above: float | str = 0.5,
    missing: str = "error",
    rows: Sequence[Row] | None = None,
    num_workers: int | None = None,
    timeout: float = TIMEOUT,
    name: str = "predictions",
    warn: bool = True,
) -> Verdicts:
    """Judge samples by their grades, or, if there are no grades, by comparing their answers with references."""
    # If there are grades, a sample without a grade is missing. A sample with a grade and without an answer counts, but
    # casts no vote. If there are no grades, a sample without an answer is missing. A sample with a text in which
    # `extract_fn` finds no answer is wrong, and casts no vote.
    cut = check_cut(correct_above)
    grades, answers = problems.grades, problems.answers
    if grades is None and (answers is None or problems.references is None):
        raise ValueError(
            f"`references` or `grades` must be given beside `{name}`: they say which answers are right"
        )
    references = None if grades is not None else problems.references
    conditions: dict[str, object] = {
        "correct_above": spell_cut(correct_above),
        "missing": missing,
        "checker": "graded",
    }
    verdicts = Verdicts(grades or (), cut, problems.n, n_missing=0, conditions=conditions)
    settle = partial(_settle_missing, missing=missing, name=name, warn=warn)
    if answers is None:
        return settle(verdicts)
    check = find_checker(check_correct_fn)
    same = find_equivalence(equivalence)
    rule = find_extraction(extract_fn)
    reference_rule = find_reference_extraction(extract_reference)
    if isinstance(check, Checker):
        check = check_correct_fn = check.with_timeout(timeout)
    silent = answers.codes.values < 0
    if references is not None:
        conditions["checker"] = name_checker(check_correct_fn)
        if reduce != "best":
            conditions["reduce"] = reduce
        if missing == "error":
            _refuse_missing(answers.codes.with_values(silent), name)
    if rule is not None:
        answers = extract_answers(answers, rule)
        conditions["extract"] = name_extraction(extract_fn)
    unanswered = (answers.codes.values < 0) & ~silent
    if references is not None and reference_rule is not None:
        references = extract_references(references, reference_rule, "extract_reference", keep=False)
        conditions["extract_reference"] = name_extraction(extract_reference)
    elif references is not None and rule is not None:
        references = extract_references(references, rule, "extract_fn", keep=True)
    strips = isinstance(check, Checker) and check.strips
    if references is None or strips or merges_texts(same or check):
        answers = answers.rename(
            [text.strip() if isinstance(text, str) else text for text in answers.distinct]
        )
    merge = partial(merge_equivalent, num_workers=num_workers, timeout=timeout)
    not_compared: dict[str, int] = {}
    if same is not None and not isinstance(same, ExactMatch):
        conditions["equivalence"] = name_checker(same)
        answers, not_compared = merge(answers, same, references)
    verdicts = replace(verdicts, n_unanswered=int(unanswered.sum()), not_compared=not_compared)
    if same is not None or getattr(check, "votes", True):
        verdicts = replace(verdicts, ballots=answers)
    if references is None:
        return settle(verdicts)
    if same is None and merges_texts(check):
        verdicts = replace(verdicts, merge=partial(merge, relation=check))
    found = grade_samples(
        answers,
        references,
        check,
        reduce=reduce,
        rows=rows,
        num_workers=num_workers,
        timeout=timeout,
    )
    if missing == "error" and found.faults:
        _refuse_not_graded(found.faults, answers)
    values = np.where(silent, np.nan, found.values)
    return settle(_take_grades(verdicts, answers.codes.with_values(values), found))


def _take_grades(verdicts: Verdicts, graded: Ragged, found: Grades) -> Verdicts:
    """Return verdicts with the grades of a check, and why samples were not graded."""
    conditions = verdicts.conditions
    if found.outcomes is not None:
        conditions = conditions | found.outcomes.conditions
    faults = [found.faults[sample] for sample in sorted(found.faults, reverse=True)]
    return replace(
        verdicts,
        graded=(graded,),
        conditions=conditions,
        not_graded=dict(Counter(fault.cause for fault in faults)),
        first_faults={fault.cause: fault.reason for fault in faults},
        outcomes=found.outcomes,
    )


def _refuse_not_graded(faults: Mapping[int, NotGraded], judged: Answers) -> None:
    """Raise because checks took too long or failed."""
    sample = min(faults)
    raise InputError(
        "check.not_graded",
        "{option:check_correct_fn} did not grade {count} samples, the first of them in problem {problem}, sample "
        "{sample}, with the answer {answer} (cause: {cause}, {reason}). Set {option:missing} to 'incorrect' or 'drop' "
        "to continue without them, or {option:timeout} to give each check more time.",
        count=len(faults),
        answer=shorten(judged.distinct[judged.codes.values[sample]]),
        cause=faults[sample].cause,
        reason=faults[sample].reason,
        **judged.codes.locate(sample),
    )


def _settle_missing(verdicts: Verdicts, *, missing: str, name: str, warn: bool) -> Verdicts:
    """Refuse missing samples, count them as wrong, or drop them: those without a grade."""
    if not any(part.has_missing for part in verdicts.graded):
        return verdicts
    mask = Ragged.concatenate([part.with_values(np.isnan(part.values)) for part in verdicts.graded])
    gone = int(np.count_nonzero(mask.values))
    if missing == "error":
        _refuse_missing(mask, name)
    answers = verdicts.ballots
    if missing == "incorrect":
        silent = None
        if answers is not None:
            silent = answers.silence(mask.values)
        return replace(verdicts, n_missing=gone, ballots=silent)
    dropped = mask.sums()
    if (dropped == verdicts.given).any():
        raise InputError(
            "missing.nothing_left",
            "`{name}` must hold at least one sample for every problem; all of them are missing, and dropped, "
            "in problem {problem}",
            name=name,
            problem=int(np.argmax(dropped == verdicts.given)),
        )
    if warn:
        warnings.warn(
            f"missing='drop' left out {gone} of {len(mask.values)} samples, in {np.count_nonzero(dropped)} of "
            f"{len(mask)} problems",
            stacklevel=count_own_frames(),
        )
    kept = ~mask.values
    ballots = None
    if answers is not None:
        ballots = answers.keep(kept)
    graded = Ragged.concatenate(verdicts.graded).keep(kept)
    return replace(verdicts, graded=(graded,), n_missing=gone, kept=kept, ballots=ballots)


def _refuse_missing(absent: Ragged, name: str) -> None:
    if absent.values.any():
        raise MissingSamplesError(
            "missing.error",
            "`{name}` must have no missing sample; got None or NaN in problem {problem}, sample {sample}. Set "
            "{option:missing} to 'incorrect' or 'drop' to continue",
            name=name,
            **absent.locate(int(np.argmax(absent.values))),
        )


def count_own_frames() -> int:
    """Count the frames of this package on the stack, so that a warning points at the code that called it."""
    level = 0
    frame = inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__", "")).split(".")[0] in (
        "at_k",
        "evaluate_modules",
    ):
        level = level + 1
        frame = frame.f_back
    return level


# The rules and checkers that are tried; of those with equally many right answers the first is suggested. `quasi_exact`
# drops signs and points of numbers, and is tried only where no reference is one; `choice` only where all references
# have the letter of an option.
Candidates = Sequence[dict[str, Any]]
CANDIDATES: Candidates = (
    *({"check_correct_fn": checker} for checker in ("numeric", "quasi_exact")),
    *({"extract_fn": rule} for rule in ("boxed", "last_number", "final_answer")),
    *(
        {"extract_fn": rule, "check_correct_fn": "numeric"}
        for rule in ("boxed", "last_number", "final_answer")
    ),
    {"check_correct_fn": "choice"},
    {"extract_fn": "choice"},
)

# What is tried where exact match holds some answers correct, and may miss others for a capital or a space.
LENIENT: Candidates = ({}, {"check_correct_fn": "quasi_exact"})

# What is tried where a rule has found the answers.
CHECKS: Candidates = [options for options in CANDIDATES if "extract_fn" not in options]

# Samples that are tried. They take less than a second.
_SAMPLES = 5000


def suggest_options(
    problems: Problems, candidates: Candidates = CANDIDATES
) -> tuple[dict[str, Any], float] | None:
    r"""Return the first options by which most answers meet their references, and the share of these, or None.

    Examples:
        >>> from at_k.columns import read_problems
        >>> problems = read_problems(answers=[["So they earn $18.", "#### 20"]], references=["9 * 2 = 18\n#### 18"])
        >>> suggest_options(problems)
        ({'extract_fn': 'last_number'}, 0.5)
    """
    # Checkers that need worker processes are not tried.
    from at_k.grading.statements import read_option

    if problems.answers is None or problems.references is None:
        return None
    codes, distinct = problems.answers.codes, problems.answers.distinct
    count = max(1, int(np.searchsorted(codes.offsets[1:], _SAMPLES, side="right")))
    answers = [
        None if code < 0 else distinct[code]
        for code in codes.values[: codes.offsets[count]].tolist()
    ]
    first = Problems(Answers.of_values(answers, codes.n[:count]), problems.references[:count])
    texts = [text for row in problems.references[:count] for text in row]
    if all(read_option(text)[0] for text in texts):
        refused = set()
    else:
        refused = {"choice"}
    if any(read_number(text) is not None for text in texts):
        refused.add("quasi_exact")
    tried = [options for options in candidates if refused.isdisjoint(options.values())]
    texts = [text for text in answers if isinstance(text, str)]
    if sum(read_number(text) is None for text in texts) > len(texts) / 2:
        tried.sort(key=lambda options: options == {"check_correct_fn": "numeric"})  # of sentences
    right = [int(judge(first, missing="incorrect", **options).c.sum()) for options in tried]
    answered = len(answers) - answers.count(None)
    if any(right):
        return tried[right.index(max(right))], max(right) / answered
    return None
