"""Typed claims about a report: quantities that follow from its counts, and the sentences that say them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import nan
from typing import NamedTuple

import numpy as np

from at_k.errors import Message, Phrases
from at_k.estimators.counts import evaluate_tables, tabulate_pass, tabulate_pass_hat
from at_k.report import Report
from at_k.values import Key

_say = Phrases(
    {
        "claims.mean": "{average}: the average",
        "claims.single": "one answer",
        "claims.all": "all {k}",
        "claims.least": "at least {needed} of {k}",
        "claims.average": "{average} right.",
        "claims.every": "{average} right. {every} every time.",
        "claims.drawn": "{average} right. {every} in all of {k} draws.",
        "claims.known": "Problems: {problems:,}. The average is known to {low:+} / {high:+} points.",
        "claims.solved": "Problems: {always:,} always right, {sometimes:,} sometimes, {never:,} never.",
        "claims.choice": "Picking the right answer out of {k} could add {gain} points at most.",
        "claims.choice_scores": "The best-scored answer gets {gain:+} points.",
        "claims.choice_vote": "A vote gets {gain:+} points.",
        "claims.no_difference": "No difference between {a} and {b} is shown in {line}.",
        "claims.open": "No difference is shown for k = {k}.",
        "claims.better": "{name} is better in {line}.",
        "claims.better_for": "{name} is better in {line} for k = {k}.",
        "claims.one_difference": "{value:+} points [{low:+}, {high:+}].",
        "claims.difference": "At k = {k}: {value:+} points [{low:+}, {high:+}].",
    }
)


class Share(float):
    r"""A number in [0, 1], written in whole per cent; 0 % and 100 % of what is certain only.

    Examples:
        >>> [f"{Share(value)}".replace("\u00a0", " ") for value in (0.914, 0.999, 0.0001, 1.0)]
        ['91 %', '> 99 %', '< 1 %', '100 %']
    """

    def __format__(self, form: str) -> str:
        percent = int(100 * self + 0.5)
        if self < 1 and percent == 100:
            return ">\u00a099\u00a0%"
        if self > 0 and percent == 0:
            return "<\u00a01\u00a0%"
        return f"{percent}\u00a0%"


class Points(float):
    """A difference of two shares, written in points of per cent.

    Examples:
        >>> f"{Points(0.05)}, {Points(-0.0125)}, {Points(0.05):+}"
        '5.0, −1.2, +5.0'
    """

    def __format__(self, form: str) -> str:
        return format(round(100 * self, 6) + 0.0, f"{form}.1f").replace("-", "−")


class Step(NamedTuple):
    """A row of the staircase: how many of k answers must be right, and the key that says how often they are."""

    needed: int
    key: Key
    label: Message


def find_average(report: Report) -> float:
    """Return the share of correct samples, averaged over the problems: pass@1."""
    n, c = report.list_counts()
    return float(np.mean(c / n))


def describe_average(report: Report) -> Message:
    """Say what the mark in a staircase is."""
    return _say("claims.mean", average=Share(find_average(report)))


def list_steps(report: Report, k: int) -> list[Step]:
    """List what can be demanded of k answers and is in the report, most first: all right, …, at least one right."""
    steps: dict[int, Key] = {}
    for key in report.values:
        if key.k == k and key.metric == "G-Pass@k" and key.tau is not None:
            needed = max(1, int(np.ceil(round(float(key.tau) * k, 9))))
            if needed > 1:
                steps[needed] = key  # the largest τ: 1, if all of k must be right
    for key in report.values:
        if key.k == k and key.metric in ("pass@k", "pass^k"):
            steps.setdefault(1 if key.metric == "pass@k" else k, key)
    return [
        Step(needed, steps[needed], describe_step(needed, k))
        for needed in sorted(steps, reverse=True)
    ]


def describe_step(needed: int, k: int) -> Message:
    """Say what a row of the staircase demands."""
    if k == 1:
        return _say("claims.single")
    if needed == k:
        return _say("claims.all", k=k)
    return _say("claims.least", needed=needed, k=k)


def make_headline(report: Report, k: int) -> Message:
    """Say the average, and how often all of k answers are right."""
    average = Share(find_average(report))
    n, c = report.list_counts()
    if k == 1:
        return _say("claims.average", average=average)
    every = Share(np.mean(evaluate_tables([(tabulate_pass_hat, k)], n, c)))
    if n.min() == n.max() == k:
        return _say("claims.every", average=average, every=every)
    return _say("claims.drawn", average=average, every=every, k=k)


def make_claims(report: Report, k: int) -> list[Message]:
    """Say how many problems are always right, what choosing among k answers could add, and how sure the average is.

    Examples:
        >>> from at_k import score
        >>> for claim in make_claims(score({"grades": [[1, 1], [1, 0], [0, 0]]}), 2)[:2]:
        ...     print(claim)
        Problems: 1 always right, 1 sometimes, 1 never.
        Picking the right answer out of 2 could add 16.7 points at most.
    """
    n, c = report.list_counts()
    always = int(np.sum(c == n))
    never = int(np.sum(c == 0))
    counts = {"always": always, "sometimes": len(n) - always - never, "never": never}
    claims = []
    if n.max() > 1:
        claims = [_say("claims.solved", **counts)]
    average = find_average(report)
    if k > 1:
        gain = np.mean(evaluate_tables([(tabulate_pass, k)], n, c)) - average
        claims.append(_say("claims.choice", k=k, gain=Points(gain)))
        values = {
            "scores": report.values.get(Key("best@k", k)),
            "vote": report.values.get(Key("cons@k", k)),
        }
        if any(note.code == "note.vote_of_grades" for note in report.notes):
            values["vote"] = None  # nobody voted
        claims += [
            _say(f"claims.choice_{name}", gain=Points(value - average))
            for name, value in values.items()
            if value is not None
        ]
    for key, bar in report.intervals.items():
        if key.metric == "avg@n" and bar.low is not None and bar.high is not None:
            low = Points(bar.low - average)
            high = Points(bar.high - average)
            claims.append(_say("claims.known", problems=len(n), low=low, high=high))
    return claims


class Difference(NamedTuple):
    """The difference of two models at a k, a − b.

    Attributes:
        k: the number of draws.
        value: the mean difference over the problems.
        low: the lower limit. In a band all true differences lie within the limits at once, at the confidence level.
        high: the upper limit.
        better: which one is better, "a" or "b"; None where no difference is shown.
        p_value: the α at which the band begins to hold 0.
    """

    k: int
    value: float
    low: float
    high: float
    better: str | None
    p_value: float = nan


def find_spans(differences: Sequence[Difference]) -> list[tuple[str | None, int, int]]:
    """Find the ranges of neighbouring k that have one answer: which model is better, the first k, and the last."""
    grouped = [
        (better, list(span))
        for better, span in groupby(differences, key=lambda point: point.better)
    ]
    return [(better, span[0].k, span[-1].k) for better, span in grouped]


def say_better(
    differences: Sequence[Difference], line: Key | str, names: tuple[str, str]
) -> list[Message]:
    """Say for which k which model is better in a line."""
    claims: list[Message] = []
    for better in ("a", "b", None):
        spans = [(first, last) for side, first, last in find_spans(differences) if side == better]
        k = ", ".join(f"{first}–{last}" if last > first else str(first) for first, last in spans)
        if k and better is None and not claims:
            claims.append(_say("claims.no_difference", a=names[0], b=names[1], line=str(line)))
        elif k and better is None:
            claims.append(_say("claims.open", k=k))
        elif k and len(differences) == 1:
            claims.append(_say("claims.better", name=names[better == "b"], line=str(line)))
        elif k:
            claims.append(_say("claims.better_for", name=names[better == "b"], line=str(line), k=k))
    return claims


def say_differences(
    differences: list[Difference], line: Key | str, names: tuple[str, str]
) -> list[Message]:
    """Say for which k which model is better in a line, and how large the difference is at the largest k.

    Examples:
        >>> differences = [Difference(1, 0.1, 0.05, 0.15, "a"), Difference(2, 0.02, -0.01, 0.05, None)]
        >>> print(*say_differences(differences, Key("pass@k"), ("x", "y")), sep=" ")
        x is better in pass@k for k = 1. No difference is shown for k = 2. At k = 2: +2.0 points [−1.0, +5.0].
    """
    claims = say_better(differences, line, names)
    last = differences[-1]
    if np.isfinite([last.low, last.high]).all():
        values = {"value": Points(last.value), "low": Points(last.low), "high": Points(last.high)}
        one = len(differences) == 1
        claims.append(
            _say("claims.one_difference", **values)
            if one
            else _say("claims.difference", k=last.k, **values)
        )
    return claims
