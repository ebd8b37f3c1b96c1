"""From columns to verdicts: which samples are correct, and what is to become of the missing ones."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from at_k.columns import any_dimension, same_problems, same_samples
from at_k.combinatorics import Floats, Ints
from at_k.grading.checkers import Check, exact_match, find_checker, graded
from at_k.samples import Answers, Ragged
from at_k.validation import check_choice, check_threshold

MISSING = ("error", "incorrect", "drop")


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Samples that have been judged.

    Attributes:
        correct: whether each sample is correct.
        grade: the mean grade of each problem's samples.
        given: how many samples of each problem were given, missing ones included.
        n_missing: how many of all samples given are missing.
        kept: which of the samples given are still here; None where all are.
        answers: which samples gave the same answer, where answers are known.
    """

    correct: Ragged
    grade: Floats
    given: Ints
    n_missing: int
    kept: NDArray[np.bool_] | None = None
    answers: Answers | None = None

    @property
    def n(self) -> Ints:
        """Samples of each problem."""
        return self.correct.n

    @cached_property
    def c(self) -> Ints:
        """Correct samples of each problem."""
        return self.correct.sums()

    def alongside(self, name: str, column: Ragged) -> Ragged:
        """Of a column with an entry for every sample given, the entries of the samples kept."""
        same_samples(name, column.n, "predictions", self.given)
        kept = np.ones(len(column.values), dtype=bool) if self.kept is None else self.kept
        absent = kept & any_dimension(np.isnan(column.values))
        if absent.any():
            place = column.place(int(np.argmax(absent)))
            raise ValueError(f"`{name}` must be finite numbers; got None or NaN in {place}")
        return column if self.kept is None else column.kept(kept)


def judge_grades(parts: Sequence[Ragged], *, threshold: float = 0.5, missing: str = "error") -> Verdicts:
    """Verdicts on samples that are graded already; the problems of one part follow those of the other.

    Part by part, so that the grades are never all copied.
    """
    threshold = check_threshold(threshold)
    check_choice("missing", missing, MISSING)
    absent = [part.with_values(np.isnan(part.values)) for part in parts]
    correct = [part.with_values(part.values > threshold) for part in parts]
    total = [part.with_values(np.nan_to_num(part.values, nan=0.0)).sums() for part in parts]
    return _settled(Ragged.concatenated(correct), np.concatenate(total), Ragged.concatenated(absent), missing)


def judge_answers(
    answers: Answers,
    references: Sequence[tuple[str, ...]],
    *,
    check_correct_fn: Check | str = "exact_match",
    threshold: float = 0.5,
    missing: str = "error",
) -> Verdicts:
    """Verdicts on answers, each distinct answer of a problem judged once."""
    threshold = check_threshold(threshold)
    check_choice("missing", missing, MISSING)
    check = find_checker(check_correct_fn)
    same_problems("predictions", len(answers), "references", len(references))
    absent = answers.codes.with_values(answers.codes.values < 0)
    if missing == "error":
        _refuse(absent)
    if check is exact_match:
        answers, grades = _matched(answers, references)
    else:
        grades = _checked(answers, references, check)
    correct = answers.codes.with_values(grades > threshold)
    return _settled(correct, answers.codes.with_values(grades).sums(), absent, missing, answers)


def _matched(answers: Answers, references: Sequence[tuple[str, ...]]) -> tuple[Answers, Floats]:
    """Exact match of all samples at once: answers that are equal once stripped are one answer."""
    answers = answers.renamed([text.strip() for text in answers.distinct])
    index = {text: code for code, text in enumerate(answers.distinct)}
    codes, n = answers.codes.values, answers.codes.n
    right = np.zeros(len(codes), dtype=bool)
    for place in range(max(map(len, references), default=0)):
        accepted = [index.get(row[place].strip(), -2) if place < len(row) else -2 for row in references]
        right |= codes == np.repeat(np.array(accepted, dtype=np.int32), n)
    return answers, right.astype(np.float64)


def _checked(answers: Answers, references: Sequence[tuple[str, ...]], check: Check) -> Floats:
    """The grade of every sample by a function, called once for each distinct answer and reference of a problem."""
    codes = answers.codes
    given = np.flatnonzero(codes.values >= 0)
    pair = codes.problem[given] * max(len(answers.distinct), 1) + codes.values[given]
    _, first, which = np.unique(pair, return_index=True, return_inverse=True)
    problem, samples = codes.problem, given[first]
    verdict = np.empty(len(first))
    for i in np.argsort(samples):  # in input order, so that the first fault is the one that is reported
        sample = samples[i]
        text = answers.distinct[codes.values[sample]]
        verdict[i] = graded(check, text, references[problem[sample]], partial(codes.place, sample))
    grades = np.zeros(len(codes.values))
    grades[given] = verdict[which]
    return grades


def _refuse(absent: Ragged) -> None:
    if absent.values.any():
        raise ValueError(
            "`predictions` must have no missing sample, unless `missing` says what becomes of it ('incorrect', "
            f"'drop'); got None or NaN in {absent.place(int(np.argmax(absent.values)))}"
        )


def _levels_to_the_caller() -> int:
    """How many frames up the code is that called this package, for a warning to point at."""
    level, frame = 0, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("at_k", "evaluate_modules"):
        level, frame = level + 1, frame.f_back
    return level


def _settled(correct: Ragged, total: Floats, absent: Ragged, missing: str, answers: Answers | None = None) -> Verdicts:
    """What becomes of the missing samples."""
    given, n_missing, kept = correct.n, int(np.count_nonzero(absent.values)), None
    if missing == "error":
        _refuse(absent)
    if missing == "drop" and n_missing:
        gone = absent.sums()
        if (gone == given).any():
            raise ValueError(
                "`predictions` must hold at least one sample for every problem; all of them are missing, and dropped, "
                f"in problem {np.argmax(gone == given)}"
            )
        warnings.warn(
            f"missing='drop' left out {n_missing} of {len(absent.values)} samples, in {np.count_nonzero(gone)} of "
            f"{len(absent)} problems",
            stacklevel=_levels_to_the_caller(),
        )
        kept = ~absent.values
        correct = correct.kept(kept)
        answers = None if answers is None else replace(answers, codes=answers.codes.kept(kept))
    return Verdicts(correct, total / correct.n, given, n_missing, kept, answers)
