"""Samples as harnesses hand them over, one by one, scored for their logs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from math import isnan
from typing import Any, TypeVar

from at_k.errors import Mistake
from at_k.integrations.trackers import list_scalars
from at_k.report import Report, score
from at_k.report.naming import Keyed, find_metrics
from at_k.validation import check_k, read_cut
from at_k.values import Key

_LOGGER = logging.getLogger("at_k")
_Value = TypeVar("_Value")


def measure_samples(
    problems: Iterable[Hashable],
    grades: Iterable[float | None],
    answers: Iterable[str | None] | None = None,
    **options: Any,
) -> dict[str, float]:
    """Compute every @k number of samples that come in any order, as one dictionary.

    Examples:
        >>> numbers = measure_samples(["p", "q", "p", "q"], [1, 0, 0, None], k=1, metrics=["pass_at_k"])
        >>> numbers["pass@1"]
        0.25
    """
    report = score_samples(problems, grades, answers, **options)
    if report is None:
        return {}
    return list_scalars(report)


def score_samples(
    problems: Iterable[Hashable],
    grades: Iterable[float | None],
    answers: Iterable[str | None] | None = None,
    *,
    k: int | Sequence[int] | None = None,
    correct_above: float | str = 0.5,
    metrics: str | Sequence[str] | None = None,
    confidence_level: float | None = 0.95,
) -> Report | None:
    """Score samples that come in any order."""
    # A run that has ended must not fail for its report. So samples without a grade are left out, and so is a k above
    # the number of samples of any problem. The logger `at_k` reports it, and names what is probably a mistake in the
    # data.
    problems = list(problems)
    grades = list(grades)
    texts: list[str | None] = [None] * len(grades)
    if answers is not None:
        texts = list(answers)
    for name, column in (("problems", problems), ("answers", texts)):
        if len(column) != len(grades):
            raise ValueError(
                f"`{name}` and `grades` must have equally many samples; got {len(column)} and {len(grades)}"
            )
    rewards = [None if grade is None or isnan(grade) else float(grade) for grade in grades]
    rows: dict[Hashable, list[int]] = {}
    for place, problem in enumerate(problems):
        if rewards[place] is not None:
            rows.setdefault(problem, []).append(place)
    if not rows:
        return None
    correct = [None if reward is None else is_correct(reward, correct_above) for reward in rewards]
    cut, is_included = read_cut(correct_above)
    is_share = 0 <= cut < 1
    if is_included:
        is_share = 0 < cut <= 1
    graded = is_share and all(reward is None or 0 <= reward <= 1 for reward in rewards)
    kept: Sequence[float | None] = rewards if graded else correct
    data: dict[str, Any] = {"grades": [[kept[place] for place in row] for row in rows.values()]}
    if any(text is not None for text in texts):
        data["answers"] = [[texts[place] for place in row] for row in rows.values()]
    fewest = min(map(len, rows.values()))
    asked = [k] if isinstance(k, int) else k
    fitting = None
    if asked is not None:
        fitting = [size for size in asked if size <= fewest]
    if fitting != asked:
        _LOGGER.warning(
            "k = %s is left out where it is above %d: a problem has only %d samples.",
            k,
            fewest,
            fewest,
        )
    if any(rewards) and not any(correct):
        _LOGGER.warning(
            "No sample is correct by correct_above=%r: the highest is %g.",
            correct_above,
            max(reward for reward in rewards if reward is not None),
        )
    options: dict[str, Any] = {"sampling": "independent"}
    if graded:
        options["correct_above"] = correct_above
    report = score(
        data,
        k=fitting or None,
        metrics=metrics or None,
        confidence_level=confidence_level,
        **options,
    )
    for note in report.notes:
        if isinstance(note, Mistake):
            _LOGGER.warning("%s", note)
    return _select(report, lambda key: key != "mG-Pass@1" and (graded or key.metric != "accuracy"))


def check_options(*, k: Any = None, metrics: Any = None, correct_above: Any = 0.5) -> None:
    """Raise for options that are wrong for every data set, when a plug-in is made and not when its run ends."""
    if k is not None:
        check_k(k)
    if metrics is not None:
        find_metrics(metrics)
    read_cut(correct_above)


def is_correct(grade: float, correct_above: float | str) -> bool:
    """Return whether a grade, which may be any number, is above a cut."""
    cut, is_included = read_cut(correct_above)
    if is_included:
        return grade >= cut
    return grade > cut


def _select(report: Report, keep: Callable[[Key], bool]) -> Report:
    """Return the report without some numbers: mG-Pass@1 is 0 for any data, and a mean of verdicts is no mean reward."""

    def select(numbers: Keyed[_Value]) -> Keyed[_Value]:
        return Keyed({key: value for key, value in numbers.items() if keep(key)})

    return replace(report, values=select(report.values), intervals=select(report.intervals))
