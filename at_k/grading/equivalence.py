r"""Merge answers that mean the same, so that they vote together: 0.5, ½, \frac{1}{2} and 50\%."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from at_k.choices import RELATIONS, TIMEOUT
from at_k.combinatorics import Ints
from at_k.errors import InputError
from at_k.grading.checkers import Check, Checker, ExactMatch, Numeric, checkers, find_checker, name_checker
from at_k.grading.numbers import Rational
from at_k.grading.polynomials import Values, evaluate
from at_k.grading.workers import NotGraded
from at_k.samples import Answers
from at_k.validation import shorten, type_name

_EXACT = Numeric(rel_tol=0.0)
"""Compares numbers without a tolerance."""

_UNITS = frozenset("CFJKLNVWghkmsl")
"""Letters that may be units, which Math-Verify drops. It compares what has them, unless the variables are the same."""


@dataclass(frozen=True)
class Equivalence:
    """Say which answers are the same.

    Attributes:
        name: the name, for a signature.
        check: a checker or function that accepts two answers if they are the same.
        numbers: whether two answers that are numbers are compared as numbers, and not by `check`, and two polynomials,
            or fractions of them, by their values at a few points. Math-Verify accepts 50% for 50 and for 0.5, and would
            let these two vote together. For a thousand polynomials of one problem it takes 40 minutes.
    """

    name: str
    check: Check
    numbers: bool = False

    @property
    def is_exact(self) -> bool:
        """Return whether answers are the same only if their stripped texts are."""
        return isinstance(self.check, ExactMatch)

    def key(self, text: str) -> Hashable:
        """Return a form of an answer. Answers with equal forms are the same."""
        if self.numbers:
            return evaluate(text) or _EXACT.normalize(text)
        if isinstance(self.check, Checker) and self.check.equates_forms:
            return self.check.normalize(text)
        return text.strip() if isinstance(self.check, Checker) else text


def find_equivalence(equivalence: object) -> Equivalence:
    """Return the relation of a name, of a checker, or of a function.

    Raises:
        InputError: if there is no relation of that name, or a package that it needs is not installed.
        TypeError: if it is neither a name nor a function.

    Examples:
        >>> find_equivalence("numeric").name
        'numeric'
    """
    if isinstance(equivalence, str):
        if equivalence not in RELATIONS:
            raise InputError(
                "equivalence.unknown",
                "{option:equivalence} must be a function or one of {names}; got {value}",
                names=", ".join(map(repr, RELATIONS)), value=shorten(equivalence),
            )  # fmt: skip
        if equivalence in ("exact", "numeric"):
            return Equivalence(equivalence, ExactMatch() if equivalence == "exact" else _EXACT)
        check = find_checker(equivalence)
        return Equivalence(name_checker(equivalence), check, numbers=equivalence == "math")
    if not callable(equivalence):
        raise TypeError(
            f"`equivalence` must be a function or the name of a relation; got {shorten(equivalence)} of type "
            f"{type_name(equivalence)}"
        )
    if issubclass(equivalence if isinstance(equivalence, type) else type(equivalence), checkers.code):
        raise TypeError("`equivalence` must compare two answers; at_k.checkers.code runs a program with its tests")
    return Equivalence(
        name_checker(equivalence), find_checker(equivalence), numbers=isinstance(equivalence, checkers.math)
    )


@dataclass(frozen=True, eq=False)
class Merged:
    """Hold answers whose spellings were merged.

    Attributes:
        shown: the answers, each class under its most frequent spelling.
        judged: the same classes, each under the spelling that is compared with the references: the most frequent one,
            or a reference itself if it is among them. All spellings then agree with that reference, in both orders, and
            merging does not turn a right answer into a wrong one.
        not_compared: the number of pairs that could not be compared, by cause. They count as different.
    """

    shown: Answers
    judged: Answers
    not_compared: dict[str, int]


def merge_equivalent(
    answers: Answers,
    equivalence: Equivalence,
    references: Sequence[tuple[str, ...]] | None = None,
    *,
    num_workers: int | None = None,
    timeout: float = TIMEOUT,
) -> Merged:
    """Merge equivalent answers of each problem.

    All answers of a class agree pair by pair, each pair in both orders. A relation need not be transitive: Math-Verify
    accepts 1,2 for (2,1) and for (1,2), and such a spelling must not join the votes of two answers that differ. So the
    answers are taken by falling frequency, of equally frequent ones the shortest first, and of equally long ones the
    first in the order of characters. Each joins the first class with which it agrees in full, or begins a new one. The
    order of the samples does not matter. The first spelling in the same order stands for a class.
    """
    codes = answers.codes
    given = np.flatnonzero(codes.values >= 0)
    if not len(given):
        return Merged(answers, answers, {})
    width = len(answers.distinct)
    cells, which, counts = np.unique(
        codes.problem[given] * width + codes.values[given], return_inverse=True, return_counts=True
    )
    problem, code = cells // width, cells % width
    order = sorted(range(width), key=lambda each: (len(answers.distinct[each]), answers.distinct[each]))
    rank = np.empty(width, dtype=np.int64)
    rank[order] = np.arange(width)
    index: dict[Hashable, int] = {}
    keys = np.array([index.setdefault(equivalence.key(text), len(index)) for text in answers.distinct], dtype=np.int64)
    group, not_compared = keys[code], {}
    check = equivalence.check
    if not (isinstance(check, Checker) and check.equates_forms):
        comparison = _Comparison(answers, equivalence, list(index), num_workers, timeout)
        group = comparison.classify(problem, group, counts, code[np.argsort(rank[code], kind="stable")], keys)
        not_compared = comparison.not_compared
    is_reference = np.zeros(len(cells), dtype=bool)
    if references is not None:
        stripped = [{text.strip() for text in row} for row in references]
        is_reference[:] = [
            answers.distinct[each].strip() in stripped[row]
            for row, each in zip(problem.tolist(), code.tolist(), strict=True)
        ]
    shown = _choose(problem, group, (rank[code], -counts))
    judged = _choose(problem, group, (rank[code], -counts, ~is_reference)) if is_reference.any() else shown
    return Merged(
        _rewrite(answers, given, code[shown][which]), _rewrite(answers, given, code[judged][which]), not_compared
    )


def _choose(problem: Ints, group: Ints, criteria: tuple[Ints, ...]) -> Ints:
    """Return, for each cell, the cell that stands for its class: the first by the criteria, of which the last leads."""
    order = np.lexsort((*criteria, group, problem))
    starts = np.ones(len(order), dtype=bool)
    starts[1:] = (np.diff(problem[order]) != 0) | (np.diff(group[order]) != 0)
    chosen = np.empty_like(order)
    chosen[order] = order[np.flatnonzero(starts)][np.cumsum(starts) - 1]
    return chosen


def _rewrite(answers: Answers, given: Ints, code: Ints) -> Answers:
    values = answers.codes.values.copy()
    values[given] = code
    return Answers(answers.codes.with_values(values), answers.distinct)


class _Comparison:
    """Find the classes of the forms of each problem by comparing them."""

    def __init__(
        self, answers: Answers, equivalence: Equivalence, forms: list[Hashable], workers: int | None, timeout: float
    ) -> None:
        self.texts, self.equivalence, self.forms = answers.distinct, equivalence, forms
        self.workers, self.timeout = workers, timeout
        self.not_compared: dict[str, int] = {}

    def classify(self, problem: Ints, group: Ints, counts: Ints, codes: Ints, keys: Ints) -> Ints:
        """Return the class of each cell, as one of its forms."""
        # The shortest text of a form stands for it. `codes` are in rising order of length.
        text_of: dict[int, int] = {}
        for form, code in zip(keys[codes].tolist(), codes.tolist(), strict=True):
            text_of.setdefault(form, code)
        place = {form: i for i, form in enumerate(text_of)}
        starts = np.flatnonzero(np.diff(problem, prepend=-1))
        rows = []
        for forms, times in zip(np.split(group, starts[1:]), np.split(counts, starts[1:]), strict=True):
            votes = Counter[int]()
            for form, count in zip(forms.tolist(), times.tolist(), strict=True):
                votes[form] += count
            rows.append(sorted(votes, key=lambda form: (-votes[form], place[form])))
        accepts = self._prepare(rows, text_of)
        classes = group.copy()
        for start, stop, row in zip(starts, [*starts[1:], len(group)], rows, strict=True):
            if len(row) > 1:
                leader = _form_classes(row, accepts)
                classes[start:stop] = [leader[each] for each in group[start:stop].tolist()]
        return np.asarray(classes)

    def _prepare(self, rows: list[list[int]], text_of: dict[int, int]) -> Callable[[int, int], bool]:
        """Return the relation between forms. Each pair is compared once, in a fixed order of the two texts."""
        check, known = self.equivalence.check, {}

        def in_order(a: int, b: int) -> tuple[str, str]:
            first, second = sorted((self.texts[text_of[a]], self.texts[text_of[b]]), key=lambda text: (len(text), text))
            return first, second

        def are_known(a: int, b: int) -> bool:
            """Return whether both are numbers, or polynomials in the same variables: equal ones have one form."""
            if not self.equivalence.numbers:
                return False
            one, other = self.forms[a], self.forms[b]
            if isinstance(one, Values) and isinstance(other, Values):
                return one.variables == other.variables or not (one.variables | other.variables) & _UNITS
            return isinstance(one, Rational) and isinstance(other, Rational)

        if isinstance(check, Checker) and check.slow:
            pairs = {pair for row in rows for pair in combinations(sorted(row), 2) if not are_known(*pair)}
            known = self._compare_all(check, {pair: in_order(*pair) for pair in sorted(pairs)})

        def accepts(a: int, b: int) -> bool:
            if are_known(a, b):
                return False
            pair = (min(a, b), max(a, b))
            if pair not in known:
                first, second = in_order(a, b)
                known[pair] = _ask(check, first, second) and _ask(check, second, first)
            return known[pair]

        return accepts

    def _compare_all(
        self, check: Checker, texts: dict[tuple[int, int], tuple[str, str]]
    ) -> dict[tuple[int, int], bool]:
        found = dict.fromkeys(texts, True)
        for reverse in (False, True):
            left = [pair for pair in texts if found[pair]]
            asked = [texts[pair][::-1] if reverse else texts[pair] for pair in left]
            grades = check.grade_all(asked, num_workers=self.workers, timeout=self.timeout) if asked else []
            for pair, grade in zip(left, grades, strict=True):
                if isinstance(grade, NotGraded):
                    self.not_compared[grade.cause] = self.not_compared.get(grade.cause, 0) + 1
                found[pair] = not isinstance(grade, NotGraded) and grade > 0.5
        return found


def _form_classes(row: list[int], accepts: Callable[[int, int], bool]) -> dict[int, int]:
    """Put each form into the first class with which it agrees in full. Return the first form of the class of each."""
    classes: list[list[int]] = []
    for form in row:
        for members in classes:
            if all(accepts(form, each) for each in members):
                members.append(form)
                break
        else:
            classes.append([form])
    return {form: members[0] for members in classes for form in members}


def _ask(check: Check, first: str, second: str) -> bool:
    try:
        same = check(first, second)
    except Exception as error:
        raise RuntimeError(
            f"`equivalence` failed on the answers {first!r:.200} and {second!r:.200}: {type_name(error)}: {error}"
        ) from error
    if not isinstance(same, (bool, np.bool_)):
        raise TypeError(
            f"`equivalence` must return a bool; got {shorten(same)} of type {type_name(same)} for the answers "
            f"{first!r:.200} and {second!r:.200}"
        )
    return bool(same)
