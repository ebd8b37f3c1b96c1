"""How many problems, and how many samples of each? What a pilot tells about other measurements."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from at_k.analysis.measurements import list_options, refuse_scoring_options, refuse_unknown_options, refuse_wrong_kind
from at_k.arguments import JUDGING_OPTIONS
from at_k.errors import InputError
from at_k.estimators import g_pass_at_k, pass_at_k
from at_k.report import score
from at_k.report.judging import judge_data
from at_k.report.report import find_report
from at_k.uncertainty.adaptive import AdaptiveCurve, trace_adaptive
from at_k.uncertainty.planning import Plan, plan_counts

_OF_PILOTS = (*JUDGING_OPTIONS, "columns", "where", "pool", "format", "scorer", "filter", "tests", "errors", "limits")
"""Options of `at_k.score` that change the counts of a pilot."""


def plan(
    pilot: Any,
    /,
    *,
    k: int = 1,
    tau: float | Fraction | None = None,
    problems: Sequence[int] | None = None,
    samples: Sequence[int] | None = None,
    half_width: float | None = None,
    detect: float | None = None,
    level: float = 0.95,
    power: float = 0.8,
    correlation: float = 0.8,
    **options: Any,
) -> Plan:
    """Plan a measurement of pass@k, or of G-Pass@k, from a pilot.

    Args:
        pilot: a report, the file of one that was saved, or a results file or data set as `at_k.score` takes them; or a
            pair (n, c) of counts.
        k: the number of draws; 1 for avg@n.
        tau: the threshold of G-Pass@k; pass@k if it is not given.
        problems: numbers of problems to look at; by default a quarter, half, once, twice and four times the pilot's.
        samples: numbers of samples to look at; by default k and powers of 2 above it.
        half_width: half of the width that the interval should have: how many problems, or samples, reach it?
        detect: a difference that a paired comparison of two models should find: how many problems does it take?
        level: the confidence level.
        power: the chance with which a comparison should find the difference.
        correlation: how much the difficulties of the problems for the two compared models agree, from 0 to 1.
        options: those of `at_k.score` that say how files are read and samples judged, for files and data sets.

    Returns:
        The variance between and within problems, tables of problems × samples with standard errors, half widths and
        detectable differences, and the numbers that reach what was asked for.

    Raises:
        InputError: if the pilot cannot be scored.
        TypeError: if an argument is unknown or of the wrong kind.
        ValueError: if an argument is out of its range.

    Examples:
        >>> found = plan(([8] * 12, [0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 8, 8]), half_width=0.05, detect=0.1)
        >>> round(found.value, 3), found.needed_problems, found.needed_samples, found.needed_to_detect
        (0.594, 189, None, 63)
    """
    refuse_unknown_options("plan", options, [*list_options(plan), *_OF_PILOTS])
    if isinstance(pilot, tuple) and len(pilot) == 2:
        refuse_scoring_options(options)
        n, c = pilot
    else:
        report = find_report(pilot)
        if report is not None:
            refuse_scoring_options(options)
        else:
            refuse_wrong_kind("pilot", pilot, "a pair (n, c) of counts")
            report = score(pilot, metrics="avg_at_n", confidence_level=None, **options)
        n, c = report.n, report.c
    return plan_counts(
        n,
        c,
        k=k,
        estimate=pass_at_k if tau is None else partial(g_pass_at_k, tau=tau),
        problems=problems,
        samples=samples,
        half_width=half_width,
        detect=detect,
        level=level,
        power=power,
        correlation=correlation,
    )


def follow_votes(data: Any, /, **options: Any) -> AdaptiveCurve:
    """Follow the votes of a data set, sample by sample: what would stopping early have reached?

    Args:
        data: as of `at_k.score`, with answers.
        options: those of `at_k.score` that say how files are read and samples judged.

    Returns:
        Accuracy against the mean number of samples, as of `at_k.uncertainty.trace_adaptive`.

    Raises:
        InputError: if the data cannot be used, or have no answers.
    """
    judged = judge_data(data, **options)
    answers = judged.verdicts.answers
    if answers is None:
        raise InputError("plan.no_answers", "Only answers can vote, and these results have none. Name their column.")
    return trace_adaptive(answers.listed(), judged.verdicts.correct.listed())
