r"""Merge answers that mean the same, so that they vote together: 0.5, ½, \frac{1}{2} and 50\%."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k.grading.checkers import checkers, find_checker
from at_k.grading.checkers.base import Check, Checker, takes_row
from at_k.grading.checkers.text import ExactMatch, Numeric
from at_k.grading.pairs import call_function
from at_k.grading.workers import NotGraded
from at_k.options.registry import RELATIONS, TIMEOUT
from at_k.samples import Answers

_NAMED = {"checker": None, "exact": ExactMatch(), "numeric": Numeric(rel_tol=0.0)}


def find_equivalence(equivalence: object) -> Check | None:
    """Return the relation of a name, of a checker, or of a function; None for that of the checker of the answers.

    Examples:
        >>> find_equivalence("numeric")
        at_k.checkers.numeric(rel_tol=0.0)
    """
    if isinstance(equivalence, str) and equivalence in _NAMED:
        return _NAMED[equivalence]
    if checkers.code in (equivalence, type(equivalence)):
        raise TypeError(
            "`equivalence` must compare two answers; at_k.checkers.code runs a program with its tests"
        )
    return find_checker(equivalence, "equivalence", RELATIONS)


def merges_texts(check: Check) -> bool:
    """Return whether a checker lets different texts vote together."""
    if not isinstance(check, Checker) or isinstance(check, ExactMatch):
        return False
    return check.compares_forms or type(check).read_votes is not Checker.read_votes


def merge_equivalent(
    answers: Answers,
    relation: Check,
    references: Sequence[tuple[str, ...]] | None = None,
    *,
    correct: NDArray[np.bool_] | None = None,
    num_workers: int | None = None,
    timeout: float = TIMEOUT,
) -> tuple[Answers, dict[str, int]]:
    """Merge equivalent answers of each problem, and count what could not be compared, by cause."""
    # A class has one spelling, a reference if that is among them, or else the most frequent one.
    # Each answer is read once, and answers with one form are the same. The forms of a class agree pair by pair, each
    # pair in both orders: Math-Verify accepts 1,2 for (2,1) and for (1,2), and such a spelling must not join the votes
    # of two answers that differ. So forms are taken by falling frequency, of equally frequent ones that with the
    # shortest spelling first. Each joins the first class with which it agrees in full, or begins a new one. The order
    # of the samples does not matter. With `correct`, a flag for each sample, a right answer and a wrong one stay apart.
    codes, texts = answers.codes, answers.distinct
    voting = np.flatnonzero(codes.values >= 0)
    if not len(voting):
        return answers, {}
    cells, first, which, counts = np.unique(
        codes.problem[voting] * len(texts) + codes.values[voting],
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    problem, code = (part.tolist() for part in np.divmod(cells, len(texts)))
    order = sorted(range(len(texts)), key=lambda code: (len(texts[code]), texts[code]))
    rank = {place: number for number, place in enumerate(order)}
    limits: dict[str, Any] = {"num_workers": num_workers, "timeout": timeout}
    if isinstance(relation, Checker):
        forms = relation.read_votes(texts, **limits)
    else:
        forms = list(texts)
    not_compared = Counter(form.cause for form in forms if isinstance(form, NotGraded))
    forms = [
        text.strip() if isinstance(form, NotGraded) else form
        for text, form in zip(texts, forms, strict=True)
    ]
    spelled: dict[Hashable, str] = {}
    for place in order:  # the shortest text of a form represents it
        spelled.setdefault(forms[place], texts[place])
    number = {form: place for place, form in enumerate(spelled)}
    votes = [
        (row, number[forms[at]], count)
        for row, at, count in zip(problem, code, counts.tolist(), strict=True)
    ]
    leaders = _find_leaders(
        votes, spelled, partial(_compare, relation, limits, not_compared), relation
    )
    if correct is None:
        right = [False] * len(votes)
    else:
        right = correct[voting[first]].tolist()
    if references:
        accepted = [set(map(str.strip, row)) for row in references]
    else:
        accepted = [set[str]()] * len(codes)
    classes = [
        (row, leaders.get((row, form), form), flag)
        for (row, form, _), flag in zip(votes, right, strict=True)
    ]
    best: dict[tuple[int, int, bool], tuple[bool, int, int, int]] = {}
    for each, at, (row, _, count) in zip(classes, code, votes, strict=True):
        spelling = texts[at].strip() not in accepted[row], -count, rank[at], at
        best[each] = min(spelling, best.get(each, spelling))
    values = codes.values.copy()
    values[voting] = np.array([best[each][-1] for each in classes])[which]
    return Answers(codes.with_values(values), texts), not_compared


def _find_leaders(
    votes: Iterable[tuple[int, int, int]],
    spelled: Mapping[Hashable, str],
    compare: Callable[[list[tuple[int, int]], Sequence[str]], set[tuple[int, int]]],
    relation: Check,
) -> dict[tuple[int, int], int]:
    """Return, for forms of a problem that may vote with others, the first form of their class."""
    near = close = None
    if isinstance(relation, Checker):
        near = {
            (min(pair), max(pair))
            for pair in relation.list_close(list(spelled))
            if pair[0] != pair[1]
        }
        close = set(chain.from_iterable(near))
    rows: dict[int, Counter[int]] = defaultdict(Counter)
    for row, form, count in votes:
        if close is None or form in close:
            rows[row][form] += count
    pairs = {
        pair
        for row in rows.values()
        for pair in combinations(sorted(row), 2)
        if near is None or pair in near
    }
    accepted = compare(sorted(pairs), list(spelled.values()))
    return {
        (row, form): first
        for row, counts in rows.items()
        for form, first in _form_classes(
            sorted(counts, key=lambda form: (-counts[form], form)), accepted
        ).items()
    }


def _compare(
    relation: Check,
    limits: Any,
    not_compared: Counter[str],
    pairs: list[tuple[int, int]],
    texts: Sequence[str],
) -> set[tuple[int, int]]:
    """Return the pairs that a relation accepts in both orders. The shorter text is asked for first."""
    for forth in (True, False):
        asked = [(texts[a], texts[b]) if forth else (texts[b], texts[a]) for a, b in pairs]
        if isinstance(relation, Checker) and relation.slow:
            grades = []
            if asked:
                grades = relation.grade_all(asked, **limits)
        else:
            grades = [call_function(relation, pair) for pair in asked]
        not_compared.update(grade.cause for grade in grades if isinstance(grade, NotGraded))
        pairs = [
            pair
            for pair, grade in zip(pairs, grades, strict=True)
            if not isinstance(grade, NotGraded) and getattr(grade, "grade", grade) > 0.5
        ]
    return set(pairs)


# Pairs of answers that are looked at for the note on votes.
_SAMPLE = 200


def find_split_votes(answers: Answers, check: Check) -> tuple[int, int, tuple[str, str]] | None:
    """Count the pairs of answers that vote apart though the checker accepts each for the other."""
    if takes_row(check) or (
        isinstance(check, Checker) and (check.slow or isinstance(check, ExactMatch))
    ):
        return None
    pairs: dict[tuple[str, str], None] = {}
    for row in answers.listed():
        seen = [text for text, _ in Counter(filter(None, row)).most_common(20)]
        pairs |= dict.fromkeys(combinations(seen, 2))
        if len(pairs) >= _SAMPLE:
            break
    looked = list(pairs)[:_SAMPLE]
    equal: list[tuple[str, str]] = []
    for pair in looked:
        with suppress(Exception):  # a check of answers and references need not take two answers
            if all(check(*ordered) > 0.5 for ordered in (pair, pair[::-1])):  # type: ignore[operator]
                equal.append(pair)
    if equal:
        return len(equal), len(looked), equal[0]
    return None


def _form_classes(row: Iterable[int], accepted: set[tuple[int, int]]) -> dict[int, int]:
    """Put each form into the first class with which it agrees in full. Return the first form of the class of each."""
    classes: list[list[int]] = []
    for form in row:
        for members in classes:
            if all((min(form, member), max(form, member)) in accepted for member in members):
                members.append(form)
                break
        else:
            classes.append([form])
    return {form: members[0] for members in classes for form in members}
