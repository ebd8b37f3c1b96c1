"""Checkers: functions that compare one answer with one reference, and their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from at_k.validation import shorten, type_name

Check = Callable[[str, str], object]
"""A function that takes a prediction and a reference, and returns a bool or a grade in [0, 1]."""


def exact_match(prediction: str, reference: str) -> bool:
    """Return whether two texts are equal after white space is stripped from their ends.

    Examples:
        >>> exact_match(" 42", "42")
        True
        >>> exact_match("42.0", "42")
        False
    """
    return prediction.strip() == reference.strip()


CHECKERS: dict[str, Check] = {"exact_match": exact_match}


def find_checker(check_correct_fn: object) -> Check:
    """Return the function that was given, or the checker of that name."""
    if isinstance(check_correct_fn, str):
        if check_correct_fn not in CHECKERS:
            names = ", ".join(map(repr, CHECKERS))
            raise ValueError(
                f"`check_correct_fn` must be a function or one of {names}; got {shorten(check_correct_fn)}"
            )
        return CHECKERS[check_correct_fn]
    if not callable(check_correct_fn):
        raise TypeError(
            f"`check_correct_fn` must be a function or the name of a checker; got {shorten(check_correct_fn)} of type "
            f"{type_name(check_correct_fn)}"
        )
    return check_correct_fn


def checker_name(check_correct_fn: object) -> str:
    """Return the name of a checker for a signature: its own name, or that of the function."""
    if isinstance(check_correct_fn, str):
        return check_correct_fn
    check = find_checker(check_correct_fn)
    return f"{getattr(check, '__module__', None)}.{getattr(check, '__qualname__', type_name(check))}"


def graded(check: Check, prediction: str, references: Sequence[str], place: Callable[[], str]) -> float:
    """Return the best grade of an answer among its acceptable references. Each is compared once."""
    best = 0.0
    for reference in dict.fromkeys(references):
        try:
            grade = check(prediction, reference)
        except Exception as error:
            raise RuntimeError(
                f"`check_correct_fn` failed on the prediction {prediction!r:.200} and the reference "
                f"{reference!r:.200}, in {place()}: {type_name(error)}: {error}"
            ) from error
        if not isinstance(grade, (bool, int, float, np.bool_, np.integer, np.floating)):
            raise TypeError(
                f"`check_correct_fn` must return a bool or a number in [0, 1]; got {shorten(grade)} of type "
                f"{type_name(grade)} for the prediction {prediction!r:.200}, in {place()}"
            )
        if not 0 <= grade <= 1:
            raise ValueError(
                f"`check_correct_fn` must return a bool or a number in [0, 1]; got {shorten(grade)} for the prediction "
                f"{prediction!r:.200}, in {place()}"
            )
        best = max(best, float(grade))
    return best
