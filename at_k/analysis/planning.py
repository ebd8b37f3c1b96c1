"""How many problems, and how many samples of each? What a pilot tells about other measurements."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.analysis.measurements import refuse_wrong_kind
from at_k.errors import InputError
from at_k.estimators import g_pass_at_k, pass_at_k
from at_k.options import PILOT, PLANNING, complete, takes
from at_k.report.judging import judge_data
from at_k.report.notes import refuse_k_above_n
from at_k.report.report import refuse_scoring_options
from at_k.report.scoring import score_unless_scored
from at_k.uncertainty.adaptive import AdaptiveCurve, trace_adaptive
from at_k.uncertainty.planning import Plan, plan_counts

if TYPE_CHECKING:
    from at_k.signatures import PlanOptions, Unpack


@takes(PLANNING, PILOT)
def plan(pilot: Any, other: Any = None, /, **given: Unpack[PlanOptions]) -> Plan:
    """Plan a measurement of pass@k, or of G-Pass@k, from a pilot.

    Args:
        pilot: a report, the file of one that was saved, or a results file or data set as `at_k.score` takes them; or a
            pair (n, c) of counts. A report that was made with clusters brings them along.
        other: the same of another model on the same problems, from which the correlation of difficulties is estimated.
        given: see below.

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
    options = complete(given, plan)
    scoring: dict[str, Any] = {name: value for name, value in given.items() if name in PILOT}
    names, n, c, clusters = _read_pilot("pilot", pilot, scoring)
    if names:
        refuse_k_above_n(options["k"], n, names)
    second = None
    if other is not None:
        others, *counts, _ = _read_pilot("other", other, scoring)
        second = _line_up(names, others, *counts)
    asked = {name: options[name] for name in PLANNING}
    tau = asked.pop("tau")
    estimate = pass_at_k if tau is None else partial(g_pass_at_k, tau=tau)
    return plan_counts(n, c, estimate=estimate, clusters=clusters, other=second, **asked)


def _read_pilot(name: str, pilot: Any, scoring: dict[str, Any]) -> tuple[list[str], Any, Any, list[str] | None]:
    """Return the names of problems, n and c of each, and the clusters; no names for bare counts."""
    if isinstance(pilot, tuple) and len(pilot) == 2:
        refuse_scoring_options(scoring)
        return [], *pilot, None
    refuse_wrong_kind(name, pilot, "a pair (n, c) of counts")
    report = score_unless_scored(pilot, scoring, metrics="avg_at_n", confidence_level=None)
    return list(report.problems), *report.list_counts(), report.clusters


def _line_up(names: list[str], others: list[str], n: Any, c: Any) -> tuple[Any, Any]:
    """Bring the counts of the second pilot into the order of the first one's problems."""
    if not names or not others:
        return n, c
    places = {name: place for place, name in enumerate(others)}
    if places.keys() != set(names):
        raise InputError(
            "plan.other_problems",
            "Two pilots need the same problems; {example} is in one of them alone.",
            example=min(places.keys() ^ set(names)),
        )
    order = [places[name] for name in names]
    return np.asarray(n)[order], np.asarray(c)[order]


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
