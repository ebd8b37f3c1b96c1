"""Grade samples: compare each distinct answer with each reference that it meets, once in a whole call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k.combinatorics import Ints
from at_k.grading.checkers.base import Check, Checker, Explained, Row, takes_list, takes_row
from at_k.grading.workers import NotGraded
from at_k.options.registry import TIMEOUT
from at_k.samples import Answers
from at_k.validation import describe, shorten, type_name


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Say how the checks of samples ended, where a checker says more than a grade.

    Attributes:
        which: for each sample the index of its check, of several the one with the best grade; −1 without an answer.
        names: the outcome of each check in a word or two.
        reasons: the outcome of each check in a sentence.
        conditions: what a signature says of it.
        facts: sums over the checks, such as the tokens that they cost.
    """

    which: Ints
    names: list[str]
    reasons: list[str]
    conditions: dict[str, str]
    facts: Counter[str]

    def count(self) -> dict[str, int]:
        """Count the samples by outcome, the most frequent first."""
        return dict(
            Counter(self.names[check] for check in self.which.tolist() if check >= 0).most_common()
        )

    def split(self, n: Ints) -> list[list[str | None]]:
        """List the reasons of the samples of each problem; None for a sample without an answer."""
        texts = [*self.reasons, None]
        flat = [texts[check] for check in self.which.tolist()]
        return [
            flat[stop - size : stop]
            for size, stop in zip(n.tolist(), np.cumsum(n).tolist(), strict=True)
        ]


@dataclass(frozen=True, eq=False)
class Grades:
    """Hold the grades of samples."""

    values: NDArray[Any]  # 0 for a sample without an answer, NaN for one that was not graded
    faults: dict[int, NotGraded] = field(default_factory=dict)  # by sample
    outcomes: Outcomes | None = None


def grade_samples(
    answers: Answers,
    references: Sequence[tuple[str, ...]],
    check: Check,
    *,
    reduce: str = "best",
    rows: Sequence[Row] | None = None,
    num_workers: int | None = None,
    timeout: float = TIMEOUT,
) -> Grades:
    """Grade every sample. Of several references the best grade counts, unless `reduce` names another rule."""
    normalize: Callable[[str], Hashable] = str
    normalize_reference: Callable[[Any], Hashable] = str
    by_row = takes_row(check)
    by_list = takes_list(check)
    if by_list:
        references = [(row,) for row in references]  # type: ignore[misc]
        normalize_reference = tuple
    elif isinstance(check, Checker):
        references = check.join_references(references)
        if check.compares_forms:
            normalize, normalize_reference = check.normalize, check.normalize_reference
    codes = answers.codes
    forms: dict[Hashable, int] = {}
    left = [forms.setdefault(normalize(text), len(forms)) for text in answers.distinct]
    held = np.array([*left, -1], dtype=np.int64)[codes.values]
    listed = list(chain.from_iterable(references))
    read = {text: normalize_reference(text) for text in dict.fromkeys(listed)}
    per_row = np.array([*map(len, references)], dtype=np.int64)
    equates = isinstance(check, Checker) and check.equates_forms
    if equates and reduce == "best":  # four times as fast as pairs
        accepted = np.array([forms.get(read[text], -2) for text in listed], dtype=np.int64)
        return Grades(_find_equal(held, codes.n, accepted, per_row))
    # With the row, equal references of two problems make two pairs.
    beside: dict[tuple[Hashable, int], int] = {}
    keys = [
        (read[text], problem * by_row) for problem, row in enumerate(references) for text in row
    ]
    right = np.array([beside.setdefault(key, len(beside)) for key in keys], dtype=np.int64)
    sample, met = _meet(held, codes.problem, per_row, right)
    # Pairs are numbered in the order in which samples meet them, so that the first fault of a function is reported.
    width = max(len(beside), 1)
    distinct, first, which = np.unique(
        held[sample] * width + met, return_index=True, return_inverse=True
    )
    order = np.argsort(first)
    names = list(forms)
    others = list(beside)
    pairs: list[tuple[Any, Any]] = []
    given_rows: list[Row] = []
    for cell in distinct[order].tolist():
        at, other = divmod(cell, width)
        reference, row = others[other]
        pairs.append((names[at], list(reference) if by_list else reference))
        if by_row:
            given_rows.append(rows[row] if rows else {})
    if isinstance(check, Checker):
        results = _grade_by_checker(check, pairs, given_rows, num_workers, timeout)
    else:
        places = [partial(codes.place, at) for at in sample[first[order]].tolist()]
        calls = [partial(check, row=row) for row in given_rows] if by_row else [check] * len(pairs)
        results = list(map(call_function, calls, pairs, places))
    pair = np.argsort(order)[which]
    best = _spread(sample, pair, len(held), results, getattr(check, "name", ""))
    if reduce == "best":
        return best
    return _reduce(best, reduce, sample, pair, results)


def _meet(held: Ints, problem: Ints, per_row: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Pair every sample with the references of its problem, in the order of samples, then of references."""
    size = np.where(held >= 0, per_row[problem], 0)
    sample = np.repeat(np.arange(len(held)), size)
    start = np.cumsum(per_row)[problem] - np.cumsum(size)
    return sample, right[np.arange(len(sample)) + start[sample]]


def _find_equal(held: Ints, n: Ints, accepted: Ints, per_row: Ints) -> NDArray[np.bool_]:
    """Flag the samples whose form is that of a reference of their problem."""
    flags = np.zeros(len(held), dtype=bool)
    first = np.cumsum(per_row) - per_row
    for place in range(per_row.max()):
        at = np.minimum(first + place, len(accepted) - 1)
        flags |= held == np.repeat(np.where(place < per_row, accepted[at], -2), n)
    return flags


def _grade_by_checker(
    check: Checker,
    pairs: Sequence[tuple[Any, Any]],
    rows: Sequence[Row],
    num_workers: int | None,
    timeout: float,
) -> Sequence[Any]:
    """Grade pairs of an answer, or its normal form, and a reference, each with the row of its problem if asked."""
    if check.slow:
        options: dict[str, Any] = {}
        if check.takes_row:
            options = {"rows": rows}
        return check.grade_all(pairs, num_workers=num_workers, timeout=timeout, **options)
    if check.takes_row:
        grade = check.grade
        return [grade(*pair, row=row) for pair, row in zip(pairs, rows, strict=True)]  # type: ignore[call-arg]
    return list(starmap(check.compare if check.compares_forms else check.grade, pairs))


# References that must accept an answer for the full grade of VQA (Antol et al. 2015, https://arxiv.org/abs/1505.00468).
_ENOUGH = 3


def _reduce(best: Grades, rule: str, sample: Ints, pair: Ints, results: Sequence[Any]) -> Grades:
    """Return the grade of each sample by all of its references."""
    grades = np.array([_size(result) for result in results], dtype=np.float64)
    count = len(best.values)
    total = np.bincount(sample, weights=grades[pair], minlength=count)
    if rule == "vqa":
        return replace(best, values=np.minimum(total / _ENOUGH, 1))
    return replace(best, values=total / np.maximum(np.bincount(sample, minlength=count), 1))


def _size(result: Any) -> float:
    """Return the grade of a check as a number, NaN for none."""
    if isinstance(result, NotGraded):
        return float("nan")
    return float(result.grade if isinstance(result, Explained) else result)


def _spread(sample: Ints, which: Ints, n_samples: int, results: Sequence[Any], name: str) -> Grades:
    """Give every sample its best grade, of equal ones the first, with how it came about if the checker says."""
    # A sample has none if a pair was not graded that could have given a better one.
    grades = [
        _read_grade(result.grade if isinstance(result, Explained) else result, name)
        for result in results
    ]
    sizes = np.array(
        [-0.5 if isinstance(grade, NotGraded) else grade for grade in grades], dtype=np.float64
    )
    # The last pair written for a sample stays: the best one, of equal ones the first.
    rising = np.arange(len(sample))
    if (sample[1:] == sample[:-1]).any():
        rising = len(sample) - 1 - np.argsort(sizes[which][::-1], kind="stable")
    best = np.full(n_samples, -1, dtype=np.int64)
    best[sample[rising]] = which[rising]
    graded = np.maximum(np.append(sizes, 0.0)[best], 0.0)
    outcomes = None
    if Explained in set(map(type, results)):
        outcomes = _describe(best, results)
    failed = np.flatnonzero((sizes[which] < 0) & (graded[sample] < 1))[::-1]
    faults = {
        at: grades[pair]
        for at, pair in zip(sample[failed].tolist(), which[failed].tolist(), strict=True)
    }
    graded[[*faults]] = np.nan
    return Grades(graded, faults, outcomes)


def _describe(which: Ints, results: Sequence[Any]) -> Outcomes:
    """Name the outcomes of the checks, and add up their facts."""
    outcomes = Outcomes(which, [], [], {}, Counter())
    for result in results:
        if isinstance(result, Explained):
            outcome, reason = result.outcome, result.reason
            outcomes.conditions.update(result.conditions)
            outcomes.facts.update(result.facts)
        elif isinstance(result, NotGraded):
            outcome, reason = "not graded", f"not graded: {result.reason}"
        else:
            outcome = reason = "right" if result > 0.5 else "wrong"
        outcomes.names.append(outcome)
        outcomes.reasons.append(reason)
    return outcomes


# Errors that say nothing about the function or the answer, also those of `requests`, `httpx` and `openai`, which do
# not derive from Python's own.
_PASSING = {
    "ConnectionError",
    "TimeoutError",
    "Timeout",
    "TransportError",
    "APIConnectionError",
    "NotGradedError",
}


def call_function(
    check: Check, texts: Sequence[str], place: Callable[[], str] | None = None
) -> float | NotGraded:
    """Return the grade by a function of the user: of an answer and its reference at a place, or of two answers."""
    name = "check_correct_fn" if place else "equivalence"
    allowed = "a bool or a number in [0, 1]" if place else "a bool"
    kinds = (bool, np.bool_, int, float, np.integer, np.floating) if place else (bool, np.bool_)
    try:
        grade = check(*texts)
    except Exception as error:
        if any(base.__name__ in _PASSING for base in type(error).__mro__):
            return NotGraded("error", f"{type_name(error)}: {error}"[:500])
        raise RuntimeError(
            f"`{name}` failed on {_quote(texts, place)}: {type_name(error)}: {error}"
        ) from error
    if not isinstance(grade, kinds):
        raise TypeError(
            f"`{name}` must return {allowed}; got {describe(grade)} for {_quote(texts, place)}"
        )
    if not 0 <= grade <= 1:
        raise ValueError(
            f"`{name}` must return {allowed}; got {shorten(grade)} for {_quote(texts, place)}"
        )
    return float(grade)


def _quote(texts: Sequence[str], place: Callable[[], str] | None) -> str:
    """Quote what a function was called with."""
    if place:
        names = "the prediction", "and the reference"
    else:
        names = "the answers", "and"
    quoted = " ".join(f"{name} {text!r:.200}" for name, text in zip(names, texts, strict=True))
    if place:
        return f"{quoted}, in {place()}"
    return quoted


def _read_grade(grade: Any, name: str) -> Any:
    """Return the grade of a checker as a float. It may also be a `NotGraded`."""
    if isinstance(grade, (bool, NotGraded)):
        return grade
    if (
        not isinstance(grade, (int, float, np.bool_, np.integer, np.floating))
        or not 0 <= grade <= 1
    ):
        raise ValueError(
            f"The checker {name!r} must return a bool or a number in [0, 1]; got {shorten(grade)}"
        )
    return float(grade)
