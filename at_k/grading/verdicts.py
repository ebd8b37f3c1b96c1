"""Turn checked columns into verdicts: decide which samples are correct, and what happens to missing ones."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from at_k.columns import flag_samples, require_same_samples
from at_k.combinatorics import Floats, Ints
from at_k.errors import InputError
from at_k.grading.checkers import Check, checker_name, exact_match, find_checker, graded
from at_k.problems import Problems
from at_k.samples import Answers, Ragged
from at_k.validation import check_choice, check_threshold

MISSING = ("error", "incorrect", "drop")


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
    """

    graded: tuple[Ragged, ...]
    threshold: float
    given: Ints
    n_missing: int
    kept: NDArray[np.bool_] | None = None
    answers: Answers | None = None
    conditions: dict[str, object] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.n)

    @cached_property
    def n(self) -> Ints:
        """Count the samples of each problem."""
        return np.concatenate([part.n for part in self.graded])

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
    threshold: float = 0.5,
    missing: str = "error",
    name: str = "predictions",
    warn: bool = True,
) -> Verdicts:
    """Judge samples by their grades, or, if there are no grades, by comparing their answers with references.

    If there are grades, a sample without a grade is missing. A sample with a grade and without an answer counts, but
    casts no vote. If there are no grades, a sample without an answer is missing.

    Args:
        problems: the samples.
        check_correct_fn: a checker, which is called once for each distinct answer and reference of a problem.
        threshold: a sample is correct if its grade is above this number.
        missing: what happens to a missing sample: "error", "incorrect", or "drop".
        name: the name of the column of samples in error messages.
        warn: whether a warning says how many samples were dropped. A report has a note instead.

    Raises:
        ValueError: if a sample is missing and `missing` is "error", or if "drop" removes all samples of a problem.
    """
    threshold = check_threshold(threshold)
    check_choice("missing", missing, MISSING)
    check = find_checker(check_correct_fn)
    answers, grades = problems.answers, problems.grades
    if grades is not None:
        checker = "graded"
        absent: list[Ragged | None] = [
            part.with_values(np.isnan(part.values)) if part.has_missing else None for part in grades
        ]
        if answers is not None:
            answers = _strip(answers)
    elif answers is not None and problems.references is not None:
        checker = checker_name(check_correct_fn)
        silent = answers.codes.with_values(answers.codes.values < 0)
        absent = [silent]
        if missing == "error":
            _refuse_missing(silent, 0, name)
        if check is exact_match:
            answers, matched = _match(answers, problems.references)
            grades = (answers.codes.with_values(matched),)
        else:
            grades = (answers.codes.with_values(_check(answers, problems.references, check)),)
    else:
        raise ValueError(f"`references` or `grades` must be given beside `{name}`: they say which answers are right")
    conditions = {"threshold": threshold, "missing": missing, "checker": checker}
    verdicts = Verdicts(grades, threshold, problems.n, 0, None, answers, conditions)
    return _settle_missing(verdicts, absent, missing, name, warn=warn)


def _settle_missing(
    verdicts: Verdicts, absent: Sequence[Ragged | None], missing: str, name: str, *, warn: bool
) -> Verdicts:
    """Refuse missing samples, count them as wrong, or drop them."""
    gone = sum(int(np.count_nonzero(part.values)) for part in absent if part is not None)
    if not gone:
        return verdicts
    if missing == "error":
        first = 0
        for graded_part, part in zip(verdicts.graded, absent, strict=True):
            if part is not None:
                _refuse_missing(part, first, name)
            first += len(graded_part)
    mask = Ragged.concatenate(
        [
            graded_part.with_values(np.zeros(len(graded_part.values), dtype=bool)) if part is None else part
            for graded_part, part in zip(verdicts.graded, absent, strict=True)
        ]
    )
    answers = verdicts.answers
    if missing == "incorrect":
        silent = None if answers is None else answers.silence(mask.values)
        return Verdicts(verdicts.graded, verdicts.threshold, verdicts.given, gone, None, silent, verdicts.conditions)
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
    return Verdicts(
        (graded_whole.keep(kept),),
        verdicts.threshold,
        verdicts.given,
        gone,
        kept,
        None if answers is None else answers.keep(kept),
        verdicts.conditions,
    )


def _refuse_missing(absent: Ragged, first_problem: int, name: str) -> None:
    if absent.values.any():
        sample = int(np.argmax(absent.values))
        problem = int(np.searchsorted(absent.offsets, sample, side="right")) - 1
        raise InputError(
            "missing.error",
            "`{name}` must have no missing sample, unless `missing` says what becomes of it ('incorrect', 'drop'); "
            "got None or NaN in problem {problem}, sample {sample}",
            name=name,
            problem=first_problem + problem,
            sample=sample - int(absent.offsets[problem]),
        )


def _strip(answers: Answers) -> Answers:
    """Merge answers that are equal after stripping."""
    names = [text.strip() if isinstance(text, str) else text for text in answers.distinct]
    return answers if all(map(_is_same, names, answers.distinct)) else answers.rename(names)


def _is_same(stripped: object, text: object) -> bool:
    return stripped is text or stripped == text


def _match(answers: Answers, references: Sequence[tuple[str, ...]]) -> tuple[Answers, NDArray[np.bool_]]:
    """Compare all samples with their references, both stripped. Return the merged answers and a flag per sample."""
    answers = _strip(answers)
    index = {text: code for code, text in enumerate(answers.distinct)}
    codes = answers.codes
    right = np.zeros(len(codes.values), dtype=bool)
    for place in range(max(map(len, references), default=0)):
        accepted = np.fromiter(
            (index.get(row[place].strip(), -2) if place < len(row) else -2 for row in references),
            dtype=np.int32,
            count=len(references),
        )
        if codes.width is not None:
            right |= (codes.values.reshape(len(codes), codes.width) == accepted[:, None]).reshape(-1)
        else:
            right |= codes.values == np.repeat(accepted, codes.n)
    return answers, right


def _check(answers: Answers, references: Sequence[tuple[str, ...]], check: Check) -> Floats:
    """Grade every sample with a function, which is called once for each distinct answer and reference of a problem."""
    codes = answers.codes
    given = np.flatnonzero(codes.values >= 0)
    problem = codes.problem
    pair = problem[given] * max(len(answers.distinct), 1) + codes.values[given]
    _, first, which = np.unique(pair, return_index=True, return_inverse=True)
    samples = given[first]
    verdict = np.empty(len(first))
    for i in np.argsort(samples):  # in input order, so that an error reports the first fault
        sample = samples[i]
        text = answers.distinct[codes.values[sample]]
        verdict[i] = graded(check, text, references[problem[sample]], partial(codes.place, sample))
    grades = np.zeros(len(codes.values))
    grades[given] = verdict[which]
    return grades


def _count_own_frames() -> int:
    """Count the frames of this package on the stack, so that a warning points at the code that called it."""
    level, frame = 0, inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__", "")).split(".")[0] in ("at_k", "evaluate_modules"):
        level, frame = level + 1, frame.f_back
    return level
