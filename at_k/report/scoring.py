"""Score a data set: judge its samples once, and compute every metric that it allows from the verdicts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

import at_k
from at_k import summary
from at_k.columns import flag_samples
from at_k.effort import find_longest_vote
from at_k.error_bars import NO_ERROR_BARS, Confidence, find_error_bars
from at_k.errors import InputError, Mention, Message
from at_k.estimators.consensus import VoteConflictError
from at_k.family import FAMILY, METRICS, Metric, choose_k
from at_k.grading import Verdicts
from at_k.limits import Limits
from at_k.options import PILOT, SCORING, complete, takes
from at_k.problems import Problems
from at_k.report.curves import Curves, draw_curves, spread_k
from at_k.report.frames import read_labels
from at_k.report.judging import judge_data, name_samples
from at_k.report.notes import (
    LeftOutError,
    explain_intervals,
    explain_low_grades,
    explain_odd_k,
    place_sample,
    refuse_k_above_n,
    refuse_late,
    refuse_many_numbers,
    refuse_much,
    refuse_scatter,
    write_notes,
)
from at_k.report.report import Report
from at_k.validation import check_tau, shorten, type_name
from at_k.values import Column, Key, Values

if TYPE_CHECKING:
    from at_k.signatures import ScoreOptions, Unpack


@takes(SCORING)
def score(data: Any, /, **given: Unpack[ScoreOptions]) -> Report:
    """Compute every metric that a data set supports.

    Args:
        data: a `datasets.Dataset`, a pandas or Polars frame, an Arrow table, a mapping of columns, a list of rows, or
            the path of a results file or a list of paths, as of `at_k.read_results`; with one row per problem and any
            of the columns `problem` (its name), `answers` (a list of strings, None for a missing one), `references` (a
            string, or a list of acceptable ones), `grades` (a list of numbers in [0, 1]), `scores` (a list of numbers)
            and `group` (a label).
        given: see below.

    Returns:
        A report. Samples are judged once for all metrics.

    Raises:
        TypeError: if an option is unknown or a column of the wrong kind.
        ValueError: if the columns allow no metric, disagree, or hold what is not allowed, such as the results of
            several models.

    Examples:
        >>> report = score({"answers": [["7", "7", "9"], ["1", "2", "3"]], "references": ["7", "2"]}, k=[1, 3])
        >>> report.values["pass@3"], round(report.values["cons@3"], 4)
        (1.0, 0.6667)
    """
    options = complete(given, score)
    k, groups, clusters, seed, limits = (options[name] for name in ("k", "groups", "clusters", "seed", "limits"))
    refuse_many_numbers(limits, k=k, thresholds=options["thresholds"])
    wanted = _check_metrics(options)
    together: Any = None if clusters in (None, False) else ()
    confidence = Confidence(options["confidence_level"], options["target"], together, options["ci_method"])
    started = monotonic()

    def read_all_labels(n_problems: int, group: Any) -> tuple[list[str] | None, list[str] | None]:
        labels = read_labels(groups, group, n_problems)
        return labels, _read_clusters(clusters, labels, group, n_problems)

    judged = judge_data(data, read_labels=read_all_labels, **{name: options[name] for name in PILOT})
    problems, verdicts, names = judged.problems, judged.verdicts, judged.names
    labels, together = judged.labels
    confidence = replace(confidence, clusters=together)
    refuse_k_above_n(k, verdicts, names)
    notes = [*judged.notes, *write_notes(problems, verdicts, options["missing"])]
    notes += explain_low_grades(problems, verdicts, options["threshold"])
    if problems.grades is not None and options["check_correct_fn"] != SCORING["check_correct_fn"].default:
        notes.append(
            Message(
                "note.not_judged",
                "The data have verdicts, which count; {option:check_correct_fn} judged nothing. With {columns} it "
                "judges the answers.",
                columns=Mention(columns={"grades": None}),
            )
        )
    longest = find_longest_vote(verdicts, limits.vote_seconds)

    def compute(metric: Metric) -> Values:
        refuse_late(started, limits)
        refuse_much(verdicts, metric, options, limits)
        return _compute(metric, verdicts, problems, options, longest, seed)

    found, left_out = _compute_all(wanted, compute)
    if verdicts.answers is None and any(FAMILY[name].votes for name in found):
        notes.append(
            Message(
                "note.vote_of_grades",
                "cons@k is counted from grades: more than half of k samples must be correct. With the answers it would "
                "be a vote.",
            )
        )
    notes += explain_odd_k(key for values in found.values() for key in values.columns)

    def draw() -> Curves:
        drawn, shown = [], [FAMILY[name] for name in found]
        asked = {each for metric in shown if metric.default_k for each in choose_k(k, verdicts.n, metric.default_k)}
        grid = _choose_grid(verdicts, asked, limits, lines=len(check_tau(options["thresholds"])) + 4)
        for metric in shown:
            draws = [each for each in grid if not metric.votes or each <= longest]
            drawn.append((draws, partial(_compute_at, metric, verdicts, problems, options, longest, seed)))
        # Bands for other samples would need a jackknife at every k, and the bootstrap takes too long.
        quick = confidence.target == "population" and confidence.method != "bootstrap"
        return draw_curves(
            grid,
            drawn,
            equal_n=bool((verdicts.n == verdicts.n[0]).all()),
            confidence=confidence if quick else NO_ERROR_BARS,
        )

    if groups is not None and not isinstance(groups, bool):
        options["groups"] = labels  # a generator can be read once
    options["clusters"] = True if clusters is True and labels is not None else together
    vary = {name: partial(_vary, FAMILY[name], verdicts, problems, options, seed) for name in found}
    numbers = _gather(found, verdicts, labels, seed, judged.conditions, confidence, vary)
    return Report(
        **numbers,
        problems=names,
        labels=labels,
        n=verdicts.n.tolist(),
        c=verdicts.c.tolist(),
        n_missing=verdicts.n_missing,
        left_out=left_out,
        notes=[*explain_intervals(numbers["intervals"], confidence), *notes],
        options=_find_changed(options),
        source=judged.source,
        origin=judged.origin,
        draw_curves=draw,
        samples=(problems, verdicts),
    )


def _compute_all(
    wanted: Sequence[Metric], compute: Callable[[Metric], Values]
) -> tuple[dict[str, Values], dict[str, Message]]:
    """Compute the metrics that the data allow. Return them, and for each of the others the reason."""
    results = {metric.name: _compute_or_explain(metric, compute) for metric in wanted}
    found = {name: result for name, result in results.items() if isinstance(result, Values)}
    left_out = {name: result for name, result in results.items() if isinstance(result, Message)}
    if not found:
        first = next(iter(left_out.values()))
        raise InputError(first.code, first.sentence, **first.values)
    return found, left_out


def _compute_or_explain(metric: Metric, compute: Callable[[Metric], Values]) -> Values | Message:
    """Compute a metric, or return the reason why the data do not allow it."""
    try:
        return compute(metric)
    except LeftOutError as reason:
        return reason.message


def _check_metrics(options: dict[str, Any]) -> list[Metric]:
    """Return the metrics that are wanted. An iterator of names becomes a list."""
    metrics = options["metrics"]
    if metrics is None:
        return list(FAMILY.values())
    if not isinstance(metrics, Iterable):
        raise TypeError(
            f"`metrics` must be the name of a metric, or a list of names; got {shorten(metrics)} of type "
            f"{type_name(metrics)}"
        )
    asked = [metrics] if isinstance(metrics, str) else list(metrics)
    options["metrics"] = metrics if isinstance(metrics, str) else asked
    for name in asked:
        if name not in METRICS:
            raise InputError(
                "options.metrics", "{option:metrics} must be out of {choices}; got {value}",
                choices=", ".join(METRICS), value=shorten(name),
            )  # fmt: skip
    if not asked:
        raise InputError("options.no_metric", "{option:metrics} must name at least one metric.")
    return [metric for metric in FAMILY.values() if metric.name in asked]


def _compute(
    metric: Metric, verdicts: Verdicts, problems: Problems, options: dict[str, Any], longest: float, seed: int
) -> Values:
    """Compute one metric, or raise `LeftOutError`."""
    own = metric.own(options)
    draws = () if metric.default_k is None else choose_k(own.get("k"), verdicts.n, metric.default_k)
    if metric.votes:
        refuse_scatter(verdicts, metric.title)
        if draws and max(draws) > longest:
            raise LeftOutError(
                "left_out.vote_too_long",
                "{title} is left out: an exact vote up to k = {k} over so many samples takes too long here. Ask for "
                "smaller k, or score on your own machine.",
                title=metric.title, k=max(draws),
            )  # fmt: skip
        return _compute_vote(metric, verdicts, problems, own, seed)
    if not metric.needs_scores:
        return metric.compute(verdicts, **own)
    if problems.scores is None:
        raise LeftOutError(
            "left_out.no_scores", "{title} is left out: it needs a score for every sample.", title=metric.title
        )
    absent = flag_samples(np.isnan(problems.scores.values))
    if verdicts.kept is not None:
        absent &= verdicts.kept
    if absent.any():
        raise LeftOutError(
            "left_out.no_score",
            "{title} is left out: a sample has no score ({place}).",
            title=metric.title,
            place=place_sample("scores", problems.scores, int(np.argmax(absent))),
        )
    try:
        return metric.compute(verdicts, scores=problems.scores, seed=seed, **own)
    except ValueError as reason:
        raise LeftOutError(
            "left_out.scores", "{title} is left out: {reason}", title=metric.title, reason=str(reason)
        ) from None


def _compute_at(
    metric: Metric,
    verdicts: Verdicts,
    problems: Problems,
    options: dict[str, Any],
    longest: float,
    seed: int,
    k: Sequence[int],
) -> Values:
    return _compute(metric, verdicts, problems, options | {"k": list(k)}, longest, seed)


def _vary(
    metric: Metric, verdicts: Verdicts, problems: Problems, options: dict[str, Any], seed: int
) -> dict[Key, Column]:
    """Compute the jackknife variances of a metric that was computed."""
    own = metric.own(options)
    if metric.needs_scores:
        return metric.vary(verdicts, scores=problems.scores, seed=seed, **own)
    return metric.vary(verdicts, **own, **({"seed": seed} if metric.votes else {}))


def _compute_vote(metric: Metric, verdicts: Verdicts, problems: Problems, own: dict[str, Any], seed: int) -> Values:
    try:
        return metric.compute(verdicts, seed=seed, **own)
    except VoteConflictError as reason:
        if problems.answers is None:
            raise
        given, kept = problems.answers.codes, verdicts.kept
        start, stop = given.offsets[reason.values["problem"] :][:2]
        here = np.arange(start, stop) if kept is None else start + np.flatnonzero(kept[start:stop])
        column = name_samples(problems)
        raise LeftOutError(
            "left_out.conflict",
            "{title} is left out: the answer {answer} has two verdicts in one problem ({first}; {second}). "
            "{option:on_conflict=majority} lets most of these samples decide.",
            title=metric.title,
            answer=reason.values["answer"],
            first=place_sample(column, given, here[reason.values["first"]]),
            second=place_sample(column, given, here[reason.values["second"]]),
        ) from None


def _read_clusters(clusters: object, labels: list[str] | None, column: Any, n_problems: int) -> list[str] | None:
    """Read the cluster of each problem: the labels that were given, or, for True, its group."""
    if clusters is None or clusters is False:
        return None
    if clusters is not True:
        return read_labels(clusters, None, n_problems, "clusters")
    found = labels or read_labels(True, column, n_problems, "clusters")
    if found is None:
        raise InputError(
            "data.no_clusters",
            "{option:clusters} are the groups, but the data have none. Give a label for each problem, or name the "
            "column of the groups by {option:columns}.",
        )
    return found


def _choose_grid(verdicts: Verdicts, asked: Set[int], limits: Limits, lines: int) -> tuple[int, ...]:
    """List the k of the curves: those of the table, and others up to the smallest n, as many as the limits allow."""
    smallest = int(verdicts.n.min())
    grid = spread_k(smallest)
    if limits.max_tables is not None:
        room = max(1, limits.max_tables // (len(np.unique(verdicts.n)) * lines) - len(asked))
        grid = grid[:: -(-len(grid) // room)]
    return tuple(sorted({*grid, *asked, smallest}))


def _gather(
    found: dict[str, Values],
    verdicts: Verdicts,
    labels: list[str] | None,
    seed: int,
    reading: Mapping[str, str],
    confidence: Confidence,
    vary: Mapping[str, Callable[[], dict[Key, Column]]],
) -> dict[str, Any]:
    """Gather the values of all metrics: of each problem, and their means over all problems and over each group."""
    columns = {key: column for values in found.values() for key, column in values.columns.items()}
    errors = {key: error for values in found.values() for key, error in values.errors.items()}
    members = {prefix[:-1]: own for prefix, own in summary.find_members(labels, len(verdicts)).items()}
    means = summary.average(columns)
    groups = {label: summary.average(columns, members[label]) for label in sorted(members, key=_split_numbers)}

    def vary_all() -> dict[Key, Column]:
        return {key: each for own in vary.values() for key, each in own().items()}

    spread = cache(vary_all)
    find = partial(find_error_bars, columns, wanted=confidence, n=verdicts.n, vary=spread)
    signatures = {
        name: summary.sign(
            values, verdicts, name=name, seed=seed, version=at_k.__version__, reading=reading, wanted=confidence
        )
        for name, values in found.items()
    }
    return {
        "values": means,
        "intervals": find(means),
        "groups": groups,
        "group_intervals": {label: find(own, problems=members[label]) for label, own in groups.items()},
        "sizes": {label: len(own) for label, own in members.items()},
        "by_problem": {key: column.expand().tolist() for key, column in columns.items()},
        "errors": {key: summary.average_error(error) for key, error in errors.items()},
        "metrics": {name: list(values.columns) for name, values in found.items()},
        "signatures": signatures,
    }


def _split_numbers(label: str) -> list[tuple[int, int | str]]:
    """Split a label at its numbers, so that Level 2 is sorted before Level 10."""
    return [(0, int(part)) if i % 2 else (1, part) for i, part in enumerate(re.split(r"(\d{1,15})", label))]


def _find_changed(options: dict[str, Any]) -> dict[str, Any]:
    """Keep the options that differ from the defaults, in forms that can be written to a file."""
    plain = {name: _simplify(value) for name, value in options.items() if name != "limits"}
    return {name: value for name, value in plain.items() if value != _simplify(SCORING[name].default)}


def _simplify(value: Any) -> Any:
    if isinstance(value, str):
        return str.__str__(value)  # a subclass, such as np.str_, may be written in another way
    if isinstance(value, Mapping):
        return {_simplify(name): _simplify(each) for name, each in value.items()}
    if isinstance(value, Fraction) or callable(value) or value is None:
        return value
    if isinstance(value, np.generic):
        return value.item()
    return [_simplify(part) for part in value] if isinstance(value, Iterable) else value
