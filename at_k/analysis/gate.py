"""Does a model meet what is required of it? Decided by the ends of intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.analysis.apart import estimate_audited, estimate_rerun, refuse_apart
from at_k.analysis.gated import Check, Gate
from at_k.analysis.matching import Matched, match
from at_k.analysis.measurements import read_models, trace
from at_k.analysis.requirements import Requirement, read_each, read_policy, read_requirement
from at_k.combinatorics import Floats
from at_k.engines import find_engine
from at_k.errors import InputError, Mention, Message, Phrases
from at_k.family import FAMILY
from at_k.options.registry import GATING, JUDGED, complete, takes
from at_k.report import Report
from at_k.report.naming import find_number, make_absent, spell_sum
from at_k.report.notes import refuse_k_above_n
from at_k.report.report import find_report
from at_k.report.scoring import score_unless_scored
from at_k.report.tally_scoring import find_tally
from at_k.summary import is_bounded
from at_k.uncertainty.checks import share_looks
from at_k.uncertainty.decisions import subtract_columns
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.questions import Questions, find_questions
from at_k.validation import list_names, list_parts
from at_k.values import Key

if TYPE_CHECKING:
    from at_k.signatures import GateOptions, Unpack


_say = Phrases(
    {
        "gate.together": "Simultaneous {level} intervals ({own} each).",
        "gate.problem_set": "These problems are gated, for other samples of them, and no others.",
        "gate.audited": "The numbers are those by the better judge, estimated from all problems.",
        "gate.upper_bound": "All samples are drawn for {keys}: the interval is that for other problems, an upper "
        "bound.",
        "gate.k_above_n": "{keys}: this needs {k} samples of every problem, but problem {problem} has n = {n} "
        "(problems with too few samples: {count:,} of {total:,}). Ask for k up to {n}, such as {near}.",
        "gate.margin": "A comparison with a base needs both: {option:base}, the results of the base, and "
        "{option:margin}, the difference that does not matter.",
        "gate.other_intervals": "The report comes from counts, and these requirements need other intervals. Score the "
        "counts with {options}.",
        "gate.looks": "No interval judges {requirement}, so that {option:looks} changes nothing. Leave it out.",
        "gate.same": "Candidate and base have the same value in every problem. Check that they are not the same "
        "samples.",
        "gate.nothing": "Nothing is required. Say {requirement}, or give a base and {option:margin}.",
    }
)

# What was measured for each requirement, and what a reader must know about it.
_Judged = tuple[list[Check], list[Message]]


@takes(GATING, JUDGED)
def gate(candidate: Any, base: Any = None, /, **given: Unpack[GateOptions]) -> Gate:
    """Tell whether a model meets what is required of it: PASS, FAIL or INCONCLUSIVE, by the ends of intervals.

    A requirement passes if its whole interval meets it, and fails if none of the interval does. Several requirements
    are one family, with simultaneous intervals at the confidence level.

    Args:
        candidate: a report, the file of one that was saved, or a results file or data set as `at_k.score` takes them.
        base: the same of the model that the candidate must not be worse than, by more than the margin.
        given: see below.

    Returns:
        The decision, with what was measured for each requirement. How many more problems or samples settle what is
        inconclusive is a question for `at_k.plan`.

    Raises:
        InputError: if nothing is required, a requirement cannot be read, or the data do not have its number.
        TypeError: if an argument is unknown or of the wrong kind.
        ValueError: if an argument is out of its range.

    Examples:
        >>> found = gate({"grades": [[1, 1, 1]] * 3}, require="pass@1 >= 0.8")
        >>> found.decision, found.exit_code, found.checks[0].measured
        ('INCONCLUSIVE', 3, '1.0000 [0.3682, 1.0000]')
    """
    options = read_policy(complete(given, gate), given)
    required = () if options["require"] is None else options["require"]
    wanted = [read_requirement(text) for text in list_parts(required)]
    per_problem = None
    if options["each"] is not None:
        per_problem = read_each(options["each"])
    metrics = options["metrics"] or "pass@1"
    if isinstance(metrics, Mapping):
        metrics = spell_sum(metrics)
    compared = [find_number(key) for key in list_names(metrics)]
    if (base is None) != (options["margin"] is None):
        raise _say.error("gate.margin")
    if base is None:
        compared = []
        if not wanted and per_problem is None:
            raise _say.error("gate.nothing", requirement=Mention(require="pass@1 >= 0.8"))
        if not wanted and options["looks"] > 1:
            raise _say.error("gate.looks", requirement=options["each"])
    refuse_apart(options)
    options, looks = share_looks(options)
    scoring = {name: value for name, value in given.items() if name in JUDGED}
    if options["audited"] is not None:
        scoring["audited"] = options["audited"]
    judged = None
    if per_problem is None and base is None:
        judged = _judge_counts(candidate, wanted, scoring, options)
    if judged is None:
        reports = _score_models(
            candidate, base, [*(rule.key for rule in wanted), *compared], scoring
        )
        matched = match(
            read_models(reports, {}),
            list(reports),
            unmatched=options["unmatched"],
            clusters=options["clusters"],
        )
        looks = [*matched.mistakes, *looks]
        judged = _judge_problems(matched, wanted, compared, options)
        if per_problem is not None:
            judged[0].extend(_check_problems(*per_problem, matched))
    checks, notes = judged
    named = tuple(replace(check, data=options["data"] or "") for check in checks)
    return Gate(named, (*looks, *notes))


def _is_counted(data: Any) -> bool:
    """Return whether data may be counts of problems that are not kept: a tally, its report, or rows in an engine."""
    report = find_report(data)
    if report is not None:
        return report.times is not None
    return find_tally(data) is not None or find_engine(data) is not None


def _judge_counts(
    data: Any, wanted: Sequence[Requirement], scoring: Mapping[str, Any], options: Mapping[str, Any]
) -> _Judged | None:
    """Judge counts of problems by the intervals of their report; None where the data keep their problems."""
    if not _is_counted(data):
        return None
    keys = list(dict.fromkeys(rule.key for rule in wanted))
    level = 1 - (1 - options["confidence_level"]) / len(keys)
    further = {name: options[name] for name in ("clusters", "target")}
    report = _score(data, keys, scoring, confidence_level=level, **further)
    if report.times is None:
        return None
    _refuse_other_intervals(report, level, options)
    checks = []
    for rule in wanted:
        name = str(rule.key)  # by which the number is found where it is called otherwise
        if name not in report.intervals:
            raise make_absent(rule.key, report.values)
        value, bar = report.values[name], report.intervals[name]
        checks.append(Check(rule.text, value, bar.low, bar.high, rule.least))
    notes = []
    if options["target"] == "problem_set":
        notes = [_say("gate.problem_set")]
    if len(keys) > 1:
        notes.append(_say_together(options["confidence_level"], level))
    return checks, notes


def _refuse_other_intervals(report: Report, level: float, options: Mapping[str, Any]) -> None:
    """Raise if the report of counts that was given has not the intervals that requirements are judged by."""
    asked: dict[str, Any] = {}
    own = report.options.get("confidence_level", GATING["confidence_level"].default)
    if own is None or own < level - 1e-12:
        asked["confidence_level"] = level
    if report.options.get("target", "population") != options["target"]:
        asked["target"] = options["target"]
    is_clustered = options["clusters"] not in (None, False)
    if is_clustered and "clusters" not in report.options:
        asked["clusters"] = options["clusters"]
    if asked:
        raise _say.error("gate.other_intervals", options=Mention(**asked))


def _judge_problems(
    matched: Matched,
    wanted: Sequence[Requirement],
    compared: Sequence[Key],
    options: Mapping[str, Any],
) -> _Judged:
    """Judge what is required of the candidate, and its differences from the base."""
    columns = []
    for rule in wanted:
        columns.append(rule._replace(values=_line_up(matched, rule.key)[0]))
    margin = options["margin"]
    both = [_line_up(matched, key) for key in compared]
    for key, (own, base) in zip(compared, both, strict=True):
        text = f"{key} − base >= {f'−{margin:g}' if margin else 0}"
        difference = subtract_columns(own, base, bounded=is_bounded(key))
        columns.append(Requirement(key, -margin if margin else 0.0, text, difference, paired=True))
    if not columns:
        return [], []
    if options["audited"] is not None or options["target"] == "problem_set":
        checks, notes = _judge_apart(columns, matched, options)
    else:
        checks, notes = _judge_by_flips(columns, matched, options)
    differences = [column.values for column in columns if column.paired]
    if matched.are_same([own for own, _ in both], differences):
        notes.append(_say("gate.same"))
    return checks, notes


def _line_up(matched: Matched, key: Key) -> list[Floats]:
    """Return the values of a number of each model."""
    return matched.line_up([_find_values(report, key) for report in matched.reports])


def _judge_apart(
    columns: Sequence[Requirement], matched: Matched, options: Mapping[str, Any]
) -> _Judged:
    """Judge for other samples of these very problems, or by an audit."""
    estimate = estimate_rerun if options["audited"] is None else estimate_audited
    level = 1 - (1 - options["confidence_level"]) / len(columns)
    candidate = replace(matched, models=matched.models[:1], only=matched.only[:1])
    checks, bounds = [], []
    for column in columns:
        found = estimate(matched if column.paired else candidate, column.key, level)
        limits = found.find_limits(level, paired=column.paired)
        checks.append(Check(column.text, found.value, *limits, column.least))
        if found.is_upper_bound:
            bounds.append(str(column.key))
    notes = [_say("gate.audited" if options["audited"] is not None else "gate.problem_set")]
    if bounds:
        notes.append(_say("gate.upper_bound", keys=", ".join(dict.fromkeys(bounds))))
    if len(columns) > 1:
        notes.append(_say_together(options["confidence_level"], level))
    return checks, notes


def _say_together(level: float, own: float) -> Message:
    return _say("gate.together", level=f"{100 * level:g} %", own=f"{100 * own:.3g} %")


def _score_models(
    candidate: Any, base: Any, keys: Sequence[Key], scoring: Mapping[str, Any]
) -> dict[str, Report]:
    """Score the candidate, and the base if there is one; their problems are needed."""
    reports = {"candidate": _score(candidate, keys, scoring)}
    needs = "A requirement of each problem"
    if base is not None:
        reports["base"] = _score(base, keys, scoring)
        needs = "A comparison"
    for report in reports.values():
        report.require_problems(needs)
    return reports


def _score(data: Any, keys: Sequence[Key], scoring: Mapping[str, Any], **confidence: Any) -> Report:
    names = [*map(str, keys)] or ["avg_at_n"]
    with _naming_numbers(keys):
        return score_unless_scored(
            data, scoring, metrics=names, **{"confidence_level": None, **confidence}
        )


@contextmanager
def _naming_numbers(keys: Sequence[Key]) -> Iterator[None]:
    """Say of a k above n which number asks for it, since a gate has no option for k."""
    try:
        yield
    except InputError as error:
        if error.code != "options.k_above_n":
            raise
        n = error.values["n"]
        above = [key for key in keys if key.draws == error.values["k"]] or keys
        nearest = [Key(key.metric, n, key.tau) for key in above if key.k is not None]
        near = str((nearest or [Key("pass@k", n)])[0])
        told = {"keys": ", ".join(map(str, above)), "near": near}
        raise error.with_message(_say("gate.k_above_n", **error.values, **told)) from None


def _find_values(report: Report, key: Key) -> Floats:
    if key.draws is not None and not report.stopped:
        with _naming_numbers([key]):
            refuse_k_above_n(key.draws, np.array(report.n), report.problems)
    values = trace(report, [key.line], [key.draws or 1])
    alike = [known for known in values if known == key or key == known.metric == "avg@n"]
    if not alike:
        for name, reason in report.left_out.items():
            if any(output.metric == key.metric for output in FAMILY[name].outputs):
                raise InputError(reason.code, reason.sentence, **reason.values)
        raise make_absent(key, report.values)
    return values[alike[0]]


def _judge_by_flips(
    columns: Sequence[Requirement], matched: Matched, options: Mapping[str, Any]
) -> _Judged:
    """Judge the requirements of one data set as one family, and say at which levels."""
    level = shared = options["confidence_level"]
    table = np.stack([column.values for column in columns], axis=1)
    bounded = [is_bounded(column.key) for column in columns]
    first, which = find_questions([column.values for column in columns], bounded)
    questions = Questions(
        table[:, first],
        bounded=[bounded[place] for place in first],
        clusters=matched.codes,
        method=options["method"],
        factor=matched.find_factor(),
        seed=options["seed"],
    )
    if questions.count == 1:
        ends = questions.find_limits(level)
    else:
        shared = questions.share_level(level)
        if shared == level:  # too few units vary for flips to show how far means may lie
            shared = 1 - (1 - level) / questions.count
        ends = questions.find_band(level)
    checks = []
    for column, place in zip(columns, which, strict=True):
        mean = float(column.values.mean())
        limits = float(ends[0][place]), float(ends[1][place])
        if not column.paired:
            stderr, units = (float(error[place]) for error in questions.error)
            limits = _find_limits(mean, stderr, units, shared, bounded=is_bounded(column.key))
        checks.append(Check(column.text, mean, *limits, column.least))
    notes = []
    if any(column.paired for column in columns) and matched.unlike_samples is not None:
        notes = [matched.unlike_samples]
    if len(columns) > 1:
        notes.append(_say_together(level, shared))
    return checks, notes


def _check_problems(right: int, samples: int, matched: Matched) -> list[Check]:
    """Judge every problem that is compared, by the samples that were drawn."""
    report = matched.reports[0]
    places = matched.models[0].places
    report.require_independent("A requirement of each problem")
    checks = []
    for problem in matched.problems:
        n = report.n[places[problem]]
        c = report.c[places[problem]]
        left = max(0, samples - n)  # samples still to be drawn can all be wrong, or all right
        ends = c / max(n, samples), (c + left) / max(n, samples)
        checks.append(
            Check(f"{right} of {samples}", c / n, *ends, right / samples, problem=problem)
        )
    return checks


def _find_limits(
    value: float, stderr: float, units: float, level: float, *, bounded: bool
) -> tuple[float, float]:
    if not bounded and not stderr > 0:  # nothing shows how far other problems lie
        return -np.inf, np.inf
    low, high = interval(
        value,
        stderr,
        units,
        confidence_level=level,
        method="beta" if bounded else "t",
        bounded=bounded,
    )
    return float(low), float(high)
