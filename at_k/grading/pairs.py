"""Grade samples: compare each distinct answer with each reference that it meets, once in a whole call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k.combinatorics import Ints
from at_k.grading.checkers import Check, Checker, Explained, Row, takes_row
from at_k.grading.workers import CAUSES, NotGraded
from at_k.options.option import TIMEOUT
from at_k.samples import Answers
from at_k.validation import shorten, type_name


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
    facts: dict[str, int]

    def count(self) -> dict[str, int]:
        """Count the samples by outcome, the most frequent first."""
        return dict(Counter(self.names[check] for check in self.which.tolist() if check >= 0).most_common())

    def split(self, n: Ints) -> list[list[str | None]]:
        """List the reasons of the samples of each problem; None for a sample without an answer."""
        texts = [*self.reasons, None]
        flat = [texts[check] for check in self.which.tolist()]
        return [flat[stop - size : stop] for size, stop in zip(n.tolist(), np.cumsum(n).tolist(), strict=True)]


@dataclass(frozen=True, eq=False)
class Grades:
    """Hold the grades of samples.

    Attributes:
        values: a grade or a flag for each sample; 0 for a sample without an answer, NaN for one that was not graded.
        causes: for each sample 0, or 1 + the index in `CAUSES` of the reason why it was not graded; None if all were.
        outcomes: how the checks ended, if the checker says.
        reason: why the first sample that was not graded was not.
    """

    values: NDArray[Any]
    causes: NDArray[np.int8] | None = None
    outcomes: Outcomes | None = None
    reason: str = ""

    def count_causes(self) -> dict[str, int]:
        """Count the samples that were not graded, by cause."""
        if self.causes is None:
            return {}
        counts = np.bincount(self.causes, minlength=len(CAUSES) + 1)[1:]
        return {cause: int(count) for cause, count in zip(CAUSES, counts, strict=True) if count}


def grade_samples(
    answers: Answers,
    references: Sequence[tuple[str, ...]],
    check: Check,
    *,
    rows: Sequence[Row] | None = None,
    num_workers: int | None = None,
    timeout: float = TIMEOUT,
) -> Grades:
    """Grade every sample. Of several references the best grade counts."""
    references = check.join_references(references) if isinstance(check, Checker) else references
    accepted: Sequence[tuple[Any, ...]] = references
    by_row = takes_row(check)
    if by_row:  # equal references of two problems then make two pairs
        accepted = [tuple((text, problem) for text in row) for problem, row in enumerate(references)]
    texts = list(dict.fromkeys(chain.from_iterable(accepted)))
    left, left_forms = np.arange(len(answers.distinct)), list(answers.distinct)
    right, right_forms = np.arange(len(texts)), texts
    if isinstance(check, Checker) and check.compares_forms:
        left, left_forms = _number_forms(map(check.normalize, answers.distinct), {})
        index = {form: code for code, form in enumerate(left_forms)} if check.equates_forms else {}
        right, right_forms = _number_forms(map(check.normalize_reference, texts), index)
    references_at = _place_references(accepted, dict(zip(texts, right.tolist(), strict=True)))
    if isinstance(check, Checker) and check.equates_forms:
        return Grades(_match(answers, left, references_at))
    pairs = _Pairs.find(answers, left, references_at, max(len(right_forms), 1))
    which, beside = (each.tolist() for each in np.divmod(pairs.distinct, pairs.width))
    met = [(left_forms[answer], right_forms[reference]) for answer, reference in zip(which, beside, strict=True)]
    given: list[dict[str, Any]] = [{}] * len(met)
    if by_row:
        given = [{"row": rows[problem] if rows else {}} for _, (_, problem) in met]
        met = [(answer, text) for answer, (text, _) in met]
    found: Sequence[Any]
    if not isinstance(check, Checker):
        # In input order, so that an error reports the first fault.
        places = [partial(answers.codes.place, sample) for sample in pairs.first.tolist()]
        found = [
            call_function(partial(check, **row), pair, place)
            for pair, row, place in zip(met, given, places, strict=True)
        ]
    elif check.slow:
        options: dict[str, Any] = {"rows": [row["row"] for row in given]} if by_row else {}
        found = check.grade_all(met, num_workers=num_workers, timeout=timeout, **options)
    else:
        grade = check.compare if check.compares_forms else check.grade
        found = [grade(*pair, **row) for pair, row in zip(met, given, strict=True)]
    return _spread(pairs, found, getattr(check, "name", ""))


def _number_forms(forms: Any, index: dict[Hashable, int]) -> tuple[Ints, list[Any]]:
    """Number normal forms. Equal ones get the same number."""
    codes = np.array([index.setdefault(form, len(index)) for form in forms], dtype=np.int64)
    return codes, list(index)


def _place_references(references: Sequence[tuple[Hashable, ...]], code: dict[Hashable, int]) -> list[Ints]:
    """List the first reference of each problem, then the second, and so on; −1 where there are fewer."""
    distinct = [tuple(dict.fromkeys(row)) if len(row) > 1 else row for row in references]
    return [
        np.fromiter(
            (code[row[place]] if place < len(row) else -1 for row in distinct), dtype=np.int64, count=len(distinct)
        )
        for place in range(max(map(len, distinct), default=0))
    ]


def _match(answers: Answers, forms: Ints, places: Sequence[Ints]) -> NDArray[np.bool_]:
    """Flag the samples whose form equals that of a reference."""
    codes = answers.codes
    held = np.append(forms, -2).astype(np.int32)[codes.values]  # [−1], no answer, becomes −2
    right = np.zeros(len(held), dtype=bool)
    for accepted in places:
        if codes.width is not None:
            right |= (held.reshape(len(codes), codes.width) == accepted[:, None]).reshape(-1)
        else:
            right |= held == np.repeat(accepted, codes.n)
    return right


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Hold the distinct pairs of an answer and a reference, in the order in which the samples first meet them.

    Attributes:
        distinct: the pairs, each as answer · width + reference.
        width: the number of references.
        first: the first sample of each pair.
        met: for each place of a reference, the samples that meet one there, and the index of the pair.
        n_samples: the number of samples.
    """

    distinct: Ints
    width: int
    first: Ints
    met: list[tuple[Ints, Ints]]
    n_samples: int

    @classmethod
    def find(cls, answers: Answers, forms: Ints, places: Sequence[Ints], width: int) -> _Pairs:
        codes = answers.codes
        held = np.append(forms, -1)[codes.values]
        samples, keys = [], []
        for accepted in places:
            reference = np.repeat(accepted, codes.n)
            here = np.flatnonzero((held >= 0) & (reference >= 0))
            samples.append(here)
            keys.append(held[here] * width + reference[here])
        # Pairs are numbered in the order in which samples meet them, so that the first fault of a function is reported.
        key, sample = np.concatenate(keys), np.concatenate(samples)
        distinct, first, which = np.unique(key, return_index=True, return_inverse=True)
        if len(places) > 1:
            earliest = np.full(len(distinct), np.iinfo(np.int64).max)
            place = np.repeat(np.arange(len(places)), [len(each) for each in samples])
            np.minimum.at(earliest, which, sample * len(places) + place)
        else:
            earliest = sample[first]
        order = np.argsort(earliest)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        met = list(zip(samples, np.split(rank[which], np.cumsum([len(each) for each in samples])[:-1]), strict=True))
        return cls(distinct[order], width, earliest[order] // len(places), met, len(codes.values))


def _spread(pairs: _Pairs, found: Sequence[Any], name: str) -> Grades:
    """Give every sample its best grade, of equal ones the first, with how it came about if the checker says.

    A sample has none if a pair was not graded that could have given a better one.
    """
    grades = [_read_grade(each.grade if isinstance(each, Explained) else each, name) for each in found]
    sizes = np.array([-0.5 if isinstance(grade, NotGraded) else grade for grade in grades], dtype=np.float64)
    kinds = [CAUSES.index(grade.cause) + 1 if isinstance(grade, NotGraded) else 0 for grade in grades]
    which, best = np.full(pairs.n_samples, -1, dtype=np.int64), np.full(pairs.n_samples, -1.0)
    causes, blocking = np.zeros(pairs.n_samples, dtype=np.int8), np.zeros(pairs.n_samples, dtype=np.int64)
    for values, wanted, chosen in ((sizes, best, which), (np.array(kinds, dtype=np.int8), causes, blocking)):
        for samples, pair in pairs.met:
            higher = values[pair] > wanted[samples]
            wanted[samples[higher]], chosen[samples[higher]] = values[pair[higher]], pair[higher]
    outcomes = _describe(which, found) if Explained in set(map(type, found)) else None
    causes[best >= 1] = 0
    graded = np.maximum(best, 0.0)
    if not causes.any():
        return Grades(graded, outcomes=outcomes)
    first = grades[blocking[np.argmax(causes > 0)]]
    return Grades(np.where(causes > 0, np.nan, graded), causes, outcomes, getattr(first, "reason", ""))


def _describe(which: Ints, found: Sequence[Any]) -> Outcomes:
    """Name the outcomes of the checks, and add up their facts."""
    names, reasons = zip(*map(_name_outcome, found), strict=True)
    conditions: dict[str, str] = {}
    facts = Counter[str]()
    for each in found:
        if isinstance(each, Explained):
            conditions |= each.conditions
            facts.update(each.facts)
    return Outcomes(which, list(names), list(reasons), conditions, dict(facts))


def _name_outcome(found: Any) -> tuple[str, str]:
    if isinstance(found, Explained):
        return found.outcome, found.reason
    if isinstance(found, NotGraded):
        return "not graded", f"not graded: {found.reason}"
    return ("right" if found > 0.5 else "wrong",) * 2


# Errors that say nothing about the function or the answer, also those of `requests`, `httpx` and `openai`, which do
# not derive from Python's own.
_PASSING = {"ConnectionError", "TimeoutError", "Timeout", "TransportError", "APIConnectionError", "NotGradedError"}


def call_function(check: Check, texts: Sequence[str], place: Callable[[], str] | None = None) -> float | NotGraded:
    """Return the grade by a function of the user: of an answer and its reference at a place, or of two answers."""
    name = "check_correct_fn" if place else "equivalence"
    allowed = "a bool or a number in [0, 1]" if place else "a bool"
    kinds = (bool, np.bool_, int, float, np.integer, np.floating) if place else (bool, np.bool_)
    try:
        grade = check(*texts)
    except Exception as error:
        if any(base.__name__ in _PASSING for base in type(error).__mro__):
            return NotGraded("error", f"{type_name(error)}: {error}"[:500])
        raise RuntimeError(f"`{name}` failed on {_quote(texts, place)}: {type_name(error)}: {error}") from error
    if not isinstance(grade, kinds):
        raise TypeError(
            f"`{name}` must return {allowed}; got {shorten(grade)} of type {type_name(grade)} for "
            f"{_quote(texts, place)}"
        )
    if not 0 <= grade <= 1:
        raise ValueError(f"`{name}` must return {allowed}; got {shorten(grade)} for {_quote(texts, place)}")
    return float(grade)


def _quote(texts: Sequence[str], place: Callable[[], str] | None) -> str:
    """Quote what a function was called with."""
    names = ("the prediction", "and the reference") if place else ("the answers", "and")
    quoted = " ".join(f"{name} {text!r:.200}" for name, text in zip(names, texts, strict=True))
    return f"{quoted}, in {place()}" if place else quoted


def _read_grade(grade: Any, name: str) -> Any:
    """Return the grade of a checker as a float. It may also be a `NotGraded`."""
    if isinstance(grade, (bool, NotGraded)):
        return grade
    if not isinstance(grade, (int, float, np.bool_, np.integer, np.floating)) or not 0 <= grade <= 1:
        raise ValueError(f"The checker {name!r} must return a bool or a number in [0, 1]; got {shorten(grade)}")
    return float(grade)
