"""From samples as harnesses hand them over, one by one, to the numbers that they log."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Iterable, Sequence
from math import isnan
from typing import Any

from at_k.errors import Mistake
from at_k.report import Report, score
from at_k.report.trackers import list_scalars

_LOGGER = logging.getLogger("at_k")


def measure_samples(
    problems: Iterable[Hashable],
    grades: Iterable[float | None],
    answers: Iterable[str | None] | None = None,
    **options: Any,
) -> dict[str, float]:
    """Compute every @k number of samples that come in any order, as one dictionary.

    Args:
        problems: as of `score_samples`.
        grades: as of `score_samples`.
        answers: as of `score_samples`.
        options: the others of `score_samples`: `k`, `threshold`, `metrics` and `confidence_level`.

    Returns:
        Key → value, with `{key}_stderr`, `{key}_ci_low` and `{key}_ci_high`; nothing if no sample has a grade.

    Raises:
        ValueError: if the columns differ in length.

    Examples:
        >>> found = measure_samples(["p", "q", "p", "q"], [1, 0, 0, None], k=1, metrics=["pass_at_k"])
        >>> found["pass@1"]
        0.25
    """
    report = score_samples(problems, grades, answers, **options)
    return {} if report is None else list_scalars(report)


def score_samples(
    problems: Iterable[Hashable],
    grades: Iterable[float | None],
    answers: Iterable[str | None] | None = None,
    *,
    k: int | Sequence[int] | None = None,
    threshold: float = 0.5,
    metrics: Sequence[str] | None = None,
    confidence_level: float | None = 0.95,
) -> Report | None:
    """Score samples that come in any order.

    What would stop `at_k.score` must not stop a run that has ended. So a sample without a grade is left out, and so is
    a k above the number of samples of any problem. The logger `at_k` says so, and what in the data must be a mistake.

    Args:
        problems: the problem of each sample.
        grades: the grade of each sample; None or NaN for one that was not scored.
        answers: the answer of each sample, for votes; None for one without an answer.
        k: the number of draws, or several.
        threshold: a sample is correct if its grade is above this number.
        metrics: the modules to compute; by default all that the samples allow.
        confidence_level: of the intervals; None for none.

    Returns:
        The report; None if no sample has a grade.

    Raises:
        ValueError: if the columns differ in length.
    """
    problems, grades = list(problems), list(grades)
    texts = [None] * len(grades) if answers is None else list(answers)
    for name, column in (("problems", problems), ("answers", texts)):
        if len(column) != len(grades):
            raise ValueError(f"`{name}` and `grades` must have as many samples; got {len(column)} and {len(grades)}")
    right = [None if grade is None or isnan(grade) else grade > threshold for grade in grades]
    rows: dict[Hashable, list[int]] = {}
    for place, problem in enumerate(problems):
        if right[place] is not None:
            rows.setdefault(problem, []).append(place)
    if not rows:
        return None
    data: dict[str, Any] = {"grades": [[right[place] for place in row] for row in rows.values()]}
    if any(text is not None for text in texts):
        data["answers"] = [[texts[place] for place in row] for row in rows.values()]
    fewest = min(map(len, rows.values()))
    asked = [k] if isinstance(k, int) else k
    fitting = None if asked is None else [each for each in asked if each <= fewest]
    if fitting != asked:
        _LOGGER.warning("k = %s is left out where it is above %d: a problem has only %d samples.", k, fewest, fewest)
    if any(grades) and not any(right):
        _LOGGER.warning("No sample is correct, because no grade is above the threshold %g.", threshold)
    report = score(data, k=fitting or None, metrics=metrics, confidence_level=confidence_level)
    for note in report.notes:
        if isinstance(note, Mistake):
            _LOGGER.warning("%s", note)
    return report
