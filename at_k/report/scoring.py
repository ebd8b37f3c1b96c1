"""Score a data set: judge its samples once, and compute every metric that it allows from the verdicts."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from fractions import Fraction
from functools import partial
from os import PathLike, fspath
from time import monotonic
from typing import Any

import numpy as np

import at_k
from at_k import summary
from at_k.arguments import check_options
from at_k.columns import flag_samples, require_problems
from at_k.effort import find_longest_vote
from at_k.errors import InputError, Message
from at_k.family import FAMILY, METRICS, Metric, choose_k
from at_k.grading import Check, Verdicts, judge
from at_k.limits import UNLIMITED, Limits
from at_k.problems import Problems
from at_k.report.curves import Curves, draw_curves, spread_k
from at_k.report.frames import read_labels, read_names, select_frame
from at_k.report.notes import (
    place_sample,
    refuse_k_above_n,
    refuse_late,
    refuse_many_numbers,
    refuse_much,
    refuse_scatter,
    write_notes,
)
from at_k.report.report import Report
from at_k.validation import K, Taus, check_tau, shorten
from at_k.values import Values


def score(
    data: Any,
    /,
    *,
    metrics: str | Iterable[str] | None = None,
    k: K | None = None,
    thresholds: Taus = (0.25, 0.5, 0.75, 1.0),
    threshold: float = 0.5,
    ties: str = "random",
    select: str | None = None,
    score_weights: Sequence[float] | None = None,
    higher_is_better: bool = True,
    check_correct_fn: Check | str = "exact_match",
    missing: str = "error",
    on_conflict: str = "error",
    groups: object = None,
    columns: Mapping[str, str | None] | None = None,
    where: Mapping[str, object] | None = None,
    pool: str | Sequence[str] = (),
    seed: int = 0,
    limits: Limits = UNLIMITED,
) -> Report:
    """Compute every number that a data set allows.

    Args:
        data: a `datasets.Dataset`, a pandas or Polars frame, an Arrow table, a mapping of columns, a list of rows, or
            the path of a results file, with one row per problem and any of the columns `problem` (its name), `answers`
            (a list of strings, None for a missing one), `references` (a string, or a list of acceptable ones),
            `grades` (a list of numbers in [0, 1]), `scores` (a list of numbers) and `group` (a label).
        metrics: names out of `at_k.METRICS`; by default all that the columns allow.
        k: number of draws, or a list of them; by default those of each metric.
        thresholds: the τ of G-Pass@k.
        threshold: a sample is correct if its grade is above this number.
        ties: what happens if several answers have the most votes; see `at_k.cons_at_k`.
        select: how scores of several dimensions are compared; see `at_k.best_at_k`.
        score_weights: weights of these dimensions.
        higher_is_better: False if the lowest score is the best, as for perplexity.
        check_correct_fn: compares an answer with a reference.
        missing: what happens to a missing sample: "error", "incorrect" or "drop".
        on_conflict: "majority" lets most of equal answers with different grades decide; by default cons@k is left out.
        groups: one label per problem, or False for no groups; by default the column `group`.
        columns: what the columns are called where they have other names, {"answers": "samples"}; None for no column.
        where: the rows to score, {"model": "a"}; a list of values takes all of them.
        pool: columns of models or runs whose rows are samples of one model.
        seed: the seed of simulations.
        limits: the most that is accepted; unlimited by default.

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
    options = {
        "k": k,
        "thresholds": thresholds,
        "threshold": threshold,
        "ties": ties,
        "select": select,
        "score_weights": score_weights,
        "higher_is_better": higher_is_better,
        "check_correct_fn": check_correct_fn,
        "missing": missing,
        "on_conflict": on_conflict,
    }
    check_options(options)
    refuse_many_numbers(limits, k=k, thresholds=thresholds)
    if metrics is not None and not isinstance(metrics, str):
        metrics = list(metrics)
    wanted = _check_metrics(metrics)
    started = monotonic()
    source = fspath(data) if isinstance(data, (str, PathLike)) else None
    frame = select_frame(data, columns=columns, where=where, pool=pool, limits=limits)
    problems = Problems.read(
        answers=frame.get("answers"),
        references=frame.get("references"),
        grades=frame.get("grades"),
        scores=frame.get("scores"),
    )
    require_problems("data", len(problems))
    names = read_names(frame.get("problem"), len(problems))
    labels = read_labels(groups, frame.get("group"), len(problems))
    verdicts = judge(
        problems,
        check_correct_fn=check_correct_fn,
        threshold=threshold,
        missing=missing,
        name=_name_samples(problems),
        warn=False,
    )
    refuse_k_above_n(k, verdicts, names)
    notes = write_notes(problems, verdicts, missing)
    found: dict[str, Values] = {}
    left_out: dict[str, Message] = {}
    longest = find_longest_vote(verdicts, limits.vote_seconds)
    for metric in wanted:
        refuse_late(started, limits)
        refuse_much(verdicts, metric, options, limits)
        try:
            found[metric.name] = _compute(metric, verdicts, problems, options, longest, seed)
        except InputError as reason:
            if not reason.code.startswith("left_out."):
                raise
            left_out[metric.name] = reason.message
    if not found:
        first = next(iter(left_out.values()))
        raise InputError(first.code, first.sentence, **first.values)
    if verdicts.answers is None and any(FAMILY[name].votes for name in found):
        notes.append(
            Message(
                "note.vote_of_grades",
                "cons@k is counted from grades: more than half of k samples must be correct. With the answers it would "
                "be a vote.",
            )
        )

    def draw() -> Curves:
        drawn, shown = [], [FAMILY[name] for name in found]
        asked = {each for metric in shown if metric.default_k for each in choose_k(k, verdicts.n, metric.default_k)}
        grid = _choose_grid(verdicts, asked, limits, lines=len(check_tau(thresholds)) + 4)
        for metric in shown:
            draws = [each for each in grid if not metric.votes or each <= longest]
            drawn.append((draws, partial(_compute_at, metric, verdicts, problems, options, longest, seed)))
        return draw_curves(grid, drawn, equal_n=bool((verdicts.n == verdicts.n[0]).all()))

    given_groups = groups if groups is None or isinstance(groups, bool) else labels  # a generator can be read once
    given = {"metrics": metrics, "groups": given_groups, "columns": columns, "where": where, "pool": pool, "seed": seed}
    return Report(
        **_gather(found, verdicts, labels, seed),
        problems=names,
        labels=labels,
        n=verdicts.n.tolist(),
        c=verdicts.c.tolist(),
        n_missing=verdicts.n_missing,
        left_out=left_out,
        notes=notes,
        options=_find_changed(options | given),
        source=source,
        draw_curves=draw,
    )


def _check_metrics(metrics: str | Sequence[str] | None) -> list[Metric]:
    if metrics is None:
        return list(FAMILY.values())
    asked = [metrics] if isinstance(metrics, str) else metrics
    for name in asked:
        if name not in METRICS:
            raise InputError(
                "options.metrics", "`metrics` must be out of {choices}; got {value}",
                choices=", ".join(METRICS), value=shorten(name),
            )  # fmt: skip
    if not asked:
        raise InputError("options.no_metric", "`metrics` must name at least one metric.")
    return [metric for metric in FAMILY.values() if metric.name in asked]


def _name_samples(problems: Problems) -> str:
    """Return the name of the column that an error about a missing sample names."""
    return "answers" if problems.grades is None else "grades"


def _compute(
    metric: Metric, verdicts: Verdicts, problems: Problems, options: dict[str, Any], longest: float, seed: int
) -> Values:
    """Compute one metric, or raise an `InputError` with a code that begins with "left_out."."""
    own = metric.own(options)
    draws = () if metric.default_k is None else choose_k(own.get("k"), verdicts.n, metric.default_k)
    if metric.votes:
        refuse_scatter(verdicts, metric.title)
        if draws and max(draws) > longest:
            raise InputError(
                "left_out.vote_too_long",
                "{title} is left out: an exact vote up to k = {k} over so many samples takes too long here. Ask for "
                "smaller k, or score on your own machine.",
                title=metric.title, k=max(draws),
            )  # fmt: skip
        return _compute_vote(metric, verdicts, problems, own, seed)
    if not metric.needs_scores:
        return metric.compute(verdicts, **own)
    if problems.scores is None:
        raise InputError(
            "left_out.no_scores", "{title} is left out: it needs a score for every sample.", title=metric.title
        )
    absent = flag_samples(np.isnan(problems.scores.values))
    if verdicts.kept is not None:
        absent &= verdicts.kept
    if absent.any():
        raise InputError(
            "left_out.no_score",
            "{title} is left out: a sample has no score ({place}).",
            title=metric.title,
            place=place_sample("scores", problems.scores, int(np.argmax(absent))),
        )
    try:
        return metric.compute(verdicts, scores=problems.scores, seed=seed, **own)
    except ValueError as reason:
        raise InputError(
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


def _compute_vote(metric: Metric, verdicts: Verdicts, problems: Problems, own: dict[str, Any], seed: int) -> Values:
    try:
        return metric.compute(verdicts, seed=seed, **own)
    except InputError as reason:
        if reason.code != "vote.conflict" or problems.answers is None:
            raise
        given, kept = problems.answers.codes, verdicts.kept
        start, stop = given.offsets[reason.values["problem"] :][:2]
        here = np.arange(start, stop) if kept is None else start + np.flatnonzero(kept[start:stop])
        column = _name_samples(problems)
        raise InputError(
            "left_out.conflict",
            "{title} is left out: the answer {answer} has two verdicts in one problem ({first}; {second}). "
            '`on_conflict="majority"` lets most of these samples decide.',
            title=metric.title,
            answer=reason.values["answer"],
            first=place_sample(column, given, here[reason.values["first"]]),
            second=place_sample(column, given, here[reason.values["second"]]),
        ) from None


def _choose_grid(verdicts: Verdicts, asked: Set[int], limits: Limits, lines: int) -> tuple[int, ...]:
    """List the k of the curves: those of the table, and others up to the smallest n, as many as the limits allow."""
    smallest = int(verdicts.n.min())
    grid = spread_k(smallest)
    if limits.max_tables is not None:
        room = max(1, limits.max_tables // (len(np.unique(verdicts.n)) * lines) - len(asked))
        grid = grid[:: -(-len(grid) // room)]
    return tuple(sorted({*grid, *asked, smallest}))


def _gather(found: dict[str, Values], verdicts: Verdicts, labels: list[str] | None, seed: int) -> dict[str, Any]:
    """Gather the values of all metrics: of each problem, and their means over all problems and over each group."""
    columns = {key: column for values in found.values() for key, column in values.columns.items()}
    errors = {key: error for values in found.values() for key, error in values.errors.items()}
    members = {prefix[:-1]: own for prefix, own in summary.find_members(labels, len(verdicts)).items()}
    signatures = {
        name: summary.sign(values, verdicts, name=name, seed=seed, version=at_k.__version__)
        for name, values in found.items()
    }
    return {
        "values": summary.average(columns),
        "groups": {label: summary.average(columns, members[label]) for label in sorted(members, key=_split_numbers)},
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
    defaults = {name: each.default for name, each in inspect.signature(score).parameters.items()}
    plain = {name: _simplify(value) for name, value in options.items()}
    return {name: value for name, value in plain.items() if value != _simplify(defaults[name])}


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
