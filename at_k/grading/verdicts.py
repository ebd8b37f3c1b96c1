"""Turn checked columns into verdicts: decide which samples are correct, and what happens to missing ones."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from at_k.caching import cached_property
from at_k.choices import TIMEOUT
from at_k.columns import flag_samples, require_same_samples
from at_k.combinatorics import Floats, Ints
from at_k.errors import InputError
from at_k.grading.checkers import Check, Checker, Row, find_checker, name_checker
from at_k.grading.equivalence import find_equivalence, merge_equivalent
from at_k.grading.extraction import Extract, extract_answers, extract_references, find_extraction, name_extraction
from at_k.grading.pairs import Grades, Outcomes, grade_samples
from at_k.grading.workers import CAUSES
from at_k.problems import Problems
from at_k.samples import Answers, Ragged
from at_k.validation import check_threshold, shorten


class MissingSamplesError(InputError):
    """Samples without a grade or an answer, where `missing` is "error"."""


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Hold samples that have been judged.

    Attributes:
        graded: the grade of each sample, in parts; NaN for a missing sample that counts as wrong.
        threshold: a sample is correct if its grade is above this number.
        given: the number of samples that each problem came with, including missing ones.
        n_missing: the number of missing samples of all problems.
        kept: a flag for each sample of `given`, whether it is still here; None if all are.
        answers: the answer of each sample, if answers are known. Equal answers have the same code.
        conditions: how the samples were judged, as a signature states it.
        not_graded: the number of samples whose check took too long or failed, by cause. They are missing samples.
        n_unanswered: the number of samples in which no answer was found. They are wrong, and cast no vote.
        not_compared: the number of pairs of answers of which it could not be found whether they are equivalent, by
            cause. They count as different.
        outcomes: how the check of each sample of `given` ended, if the checker says.
    """

    graded: tuple[Ragged, ...]
    threshold: float
    given: Ints
    n_missing: int
    kept: NDArray[np.bool_] | None = None
    answers: Answers | None = None
    conditions: dict[str, object] = field(default_factory=dict)
    not_graded: dict[str, int] = field(default_factory=dict)
    n_unanswered: int = 0
    not_compared: dict[str, int] = field(default_factory=dict)
    outcomes: Outcomes | None = None

    def __len__(self) -> int:
        return len(self.n)

    @cached_property
    def n(self) -> Ints:
        """Count the samples of each problem."""
        return self.given if self.kept is None else self.graded[0].n

    @cached_property
    def c(self) -> Ints:
        """Count the correct samples of each problem."""
        return np.concatenate([part.count_above(self.threshold) for part in self.graded])

    @cached_property
    def correct(self) -> Ragged:
        """Flag the correct samples."""
        return Ragged.concatenate([part.above(self.threshold) for part in self.graded])

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
        code = self.n * size + self.c
        if size * size <= 4 * len(code) + 1000:
            present = np.flatnonzero(np.bincount(code))
            where = np.zeros(int(present[-1]) + 1, dtype=np.int64)
            where[present] = np.arange(len(present))
            which = where[code]
        else:
            present, which = np.unique(code, return_inverse=True)
        return present // size, present % size, which

    def keep_samples(self, name: str, column: Ragged) -> Ragged:
        """Select from a column with an entry for every sample of `given` the entries of the samples still here."""
        require_same_samples(name, column.n, "predictions", self.given)
        kept = np.ones(len(column.values), dtype=bool) if self.kept is None else self.kept
        absent = kept & flag_samples(np.isnan(column.values))
        if absent.any():
            place = column.place(int(np.argmax(absent)))
            raise ValueError(f"`{name}` must be finite numbers; got None or NaN in {place}")
        return column if self.kept is None else column.keep(kept)


def judge(
    problems: Problems,
    *,
    check_correct_fn: Check | str = "exact_match",
    extract_fn: Extract | str | None = None,
    extract_reference: Extract | str | None = None,
    equivalence: Check | str = "exact",
    threshold: float = 0.5,
    missing: str = "error",
    rows: Sequence[Row] | None = None,
    num_workers: int | None = None,
    timeout: float = TIMEOUT,
    name: str = "predictions",
    warn: bool = True,
) -> Verdicts:
    """Judge samples by their grades, or, if there are no grades, by comparing their answers with references.

    If there are grades, a sample without a grade is missing. A sample with a grade and without an answer counts, but
    casts no vote. If there are no grades, a sample without an answer is missing. A sample with a text in which
    `extract_fn` finds no answer is wrong, and casts no vote.

    Args:
        problems: the samples.
        check_correct_fn: a checker, which is called once for each distinct answer and reference.
        extract_fn: the rule that finds the answer in a text.
        extract_reference: the rule that finds the answer in a reference; by default `extract_fn`, and where it finds
            nothing, the reference itself.
        equivalence: the relation by which answers vote together, and are judged together.
        threshold: a sample is correct if its grade is above this number.
        missing: what happens to a missing sample: "error", "incorrect", or "drop".
        rows: what a checker that takes a row is given of each problem; by default nothing.
        num_workers: the number of processes for slow checkers; default: the number of cores.
        timeout: the CPU time of one check of a slow checker, in seconds.
        name: the name of the column of samples in error messages.
        warn: whether a warning says how many samples were dropped. A report has a note instead.

    Raises:
        ValueError: if a sample is missing and `missing` is "error", or if "drop" removes all samples of a problem.
    """
    threshold = check_threshold(threshold)
    grades, answers = problems.grades, problems.answers
    references = None if grades is not None else problems.references
    if grades is None and (answers is None or references is None):
        raise ValueError(f"`references` or `grades` must be given beside `{name}`: they say which answers are right")
    conditions: dict[str, object] = {"threshold": threshold, "missing": missing, "checker": "graded"}
    verdicts = Verdicts(grades or (), threshold, problems.n, 0, None, answers, conditions)
    if answers is None:
        return _settle_missing(verdicts, None, missing, name, warn=warn)
    check, same = find_checker(check_correct_fn), find_equivalence(equivalence)
    rule = find_extraction(extract_fn)
    reference_rule = find_extraction(extract_reference, "extract_reference")
    if isinstance(check, Checker):
        check = check_correct_fn = check.with_timeout(timeout)
    silent = answers.codes.with_values(answers.codes.values < 0)
    if grades is None:
        conditions["checker"] = name_checker(check_correct_fn)
        if missing == "error":
            _refuse_missing(silent, name)
    if rule is not None:
        answers = extract_answers(answers, rule)
        conditions["extract"] = name_extraction(extract_fn)
        unanswered = int(np.count_nonzero((answers.codes.values < 0) & ~silent.values))
        verdicts = replace(verdicts, n_unanswered=unanswered)
    if references is not None and reference_rule is not None:
        references = extract_references(references, reference_rule, "extract_reference", keep=False)
        conditions["extract_reference"] = name_extraction(extract_reference)
    elif references is not None and rule is not None:
        references = extract_references(references, rule, "extract_fn", keep=True)
    if grades is not None or not same.is_exact or (isinstance(check, Checker) and check.strips):
        answers = _strip(answers)
    judged = answers
    if not same.is_exact:
        conditions["equivalence"] = same.name
        merged = merge_equivalent(answers, same, references, num_workers=num_workers, timeout=timeout)
        answers, judged = merged.shown, merged.judged
        verdicts = replace(verdicts, not_compared=merged.not_compared)
    verdicts = replace(verdicts, answers=answers)
    if grades is not None or references is None:
        return _settle_missing(verdicts, None, missing, name, warn=warn)
    found = grade_samples(judged, references, check, rows=rows, num_workers=num_workers, timeout=timeout)
    if missing == "error":
        _refuse_not_graded(found, judged)
    absent = silent if found.causes is None else silent.with_values(silent.values | (found.causes > 0))
    conditions |= {} if found.outcomes is None else found.outcomes.conditions
    verdicts = replace(
        verdicts,
        graded=(judged.codes.with_values(found.values),),
        not_graded=found.count_causes(),
        outcomes=found.outcomes,
    )
    return _settle_missing(verdicts, absent, missing, name, warn=warn)


def _refuse_not_graded(found: Grades, judged: Answers) -> None:
    """Raise if a check took too long or failed."""
    if found.causes is None:
        return
    sample = int(np.argmax(found.causes > 0))
    problem = int(np.searchsorted(judged.codes.offsets, sample, side="right")) - 1
    cause = CAUSES[found.causes[sample] - 1]
    raise InputError(
        "check.not_graded",
        "{option:check_correct_fn} did not grade {count} samples, the first of them in problem {problem}, sample "
        "{sample}, with the answer {answer} (cause: {cause}, {reason}). Set {option:missing} to 'incorrect' or 'drop' "
        "to continue without them, or {option:timeout} to give each check more time.",
        count=int(np.count_nonzero(found.causes)),
        problem=problem,
        sample=sample - int(judged.codes.offsets[problem]),
        answer=shorten(judged.distinct[judged.codes.values[sample]]),
        cause=cause,
        reason=found.reason,
    )


def _settle_missing(verdicts: Verdicts, flags: Ragged | None, missing: str, name: str, *, warn: bool) -> Verdicts:
    """Refuse missing samples, count them as wrong, or drop them. Without flags, they are those without a grade."""
    if flags is None and not any(part.has_missing for part in verdicts.graded):
        return verdicts
    mask = flags or Ragged.concatenate([part.with_values(np.isnan(part.values)) for part in verdicts.graded])
    gone = int(np.count_nonzero(mask.values))
    if not gone:
        return verdicts
    if missing == "error":
        _refuse_missing(mask, name)
    answers = verdicts.answers
    if missing == "incorrect":
        silent = None if answers is None else answers.silence(mask.values)
        return replace(verdicts, n_missing=gone, answers=silent)
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
            stacklevel=_count_own_frames(),
        )
    kept = ~mask.values
    graded_whole = Ragged.concatenate(verdicts.graded)
    return replace(
        verdicts,
        graded=(graded_whole.keep(kept),),
        n_missing=gone,
        kept=kept,
        answers=None if answers is None else answers.keep(kept),
    )


def _refuse_missing(absent: Ragged, name: str) -> None:
    if absent.values.any():
        sample = int(np.argmax(absent.values))
        problem = int(np.searchsorted(absent.offsets, sample, side="right")) - 1
        raise MissingSamplesError(
            "missing.error",
            "`{name}` must have no missing sample; got None or NaN in problem {problem}, sample {sample}. Set "
            "{option:missing} to 'incorrect' or 'drop' to continue",
            name=name,
            problem=problem,
            sample=sample - int(absent.offsets[problem]),
        )


def _strip(answers: Answers) -> Answers:
    """Merge answers that are equal after stripping."""
    names = [text.strip() if isinstance(text, str) else text for text in answers.distinct]
    return answers if names == list(answers.distinct) else answers.rename(names)


def _count_own_frames() -> int:
    """Count the frames of this package on the stack, so that a warning points at the code that called it."""
    level, frame = 0, inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__", "")).split(".")[0] in ("at_k", "evaluate_modules"):
        level, frame = level + 1, frame.f_back
    return level
