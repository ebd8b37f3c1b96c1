"""Score a data set: judge its samples once, and compute every metric that it allows from the verdicts."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from time import monotonic
from typing import Any

import numpy as np

from at_k.arguments import JUDGING_OPTIONS, OPTIONS, check_options
from at_k.error_bars import Confidence
from at_k.errors import InputError, Message
from at_k.family import FAMILY, METRICS, Metric
from at_k.grading import Check, Extract
from at_k.grading.workers import TIMEOUT
from at_k.limits import UNLIMITED, Limits
from at_k.report.frames import read_labels
from at_k.report.judging import judge_data
from at_k.report.measuring import Measurement
from at_k.report.notes import (
    explain_intervals,
    explain_low_grades,
    explain_odd_k,
    refuse_k_above_n,
    refuse_many_numbers,
    write_notes,
)
from at_k.report.report import Report
from at_k.validation import K, Taus, shorten, type_name


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
    extract_fn: Extract | str | None = None,
    extract_reference: Extract | str | None = None,
    equivalence: Check | str = "exact",
    check_correct_fn: Check | str = "exact_match",
    num_workers: int | None = None,
    timeout: float = TIMEOUT,
    missing: str = "error",
    on_conflict: str = "error",
    groups: object = None,
    confidence_level: float | None = 0.95,
    target: str = "population",
    clusters: object = None,
    ci_method: str = "beta",
    columns: Mapping[str, str | None] | None = None,
    where: Mapping[str, object] | None = None,
    pool: str | Sequence[str] = (),
    format: str | None = None,
    scorer: str | None = None,
    filter: str | None = None,
    tests: str | None = None,
    errors: str = "raise",
    seed: int = 0,
    limits: Limits = UNLIMITED,
) -> Report:
    """Compute every number that a data set allows.

    Args:
        data: a `datasets.Dataset`, a pandas or Polars frame, an Arrow table, a mapping of columns, a list of rows, or
            the path of a results file or a list of paths, as of `at_k.read_results`; with one row per problem and any
            of the columns `problem` (its name), `answers` (a list of strings, None for a missing one), `references` (a
            string, or a list of acceptable ones), `grades` (a list of numbers in [0, 1]), `scores` (a list of numbers)
            and `group` (a label).
        metrics: names out of `at_k.METRICS`; by default all that the columns allow.
        k: number of draws, or a list of them; by default those of each metric.
        thresholds: the τ of G-Pass@k.
        threshold: a sample is correct if its grade is above this number.
        ties: what happens if several answers have the most votes; see `at_k.cons_at_k`.
        select: how scores of several dimensions are compared; see `at_k.best_at_k`.
        score_weights: weights of these dimensions.
        higher_is_better: False if the lowest score is the best, as for perplexity.
        extract_fn: the rule that finds the answer in each text: "boxed", "last_number", "choice", "final_answer",
            "code", a regular expression with a group, or a function.
        extract_reference: the rule that finds the answer in each reference; by default `extract_fn`.
        equivalence: which answers are the same, and vote together: "exact", "numeric", "math", or a function.
        check_correct_fn: compares an answer with a reference: a name out of `at_k.checkers`, one of these with
            parameters, or a function.
        num_workers: the number of processes for slow checkers; by default that of the cores.
        timeout: the CPU time that one check of a slow checker, or one program, may take, in seconds.
        missing: what happens to a missing sample: "error", "incorrect" or "drop".
        on_conflict: "majority" lets most of equal answers with different grades decide; by default cons@k is left out.
        groups: one label per problem, or False for no groups; by default the column `group`.
        confidence_level: the level of the intervals; None for none.
        target: "population", intervals for other problems like these, or "problem_set", for other samples of these.
        clusters: one label per problem, where problems come in groups that resemble each other; or True for the
            groups.
        ci_method: how an interval is made; see `at_k.interval`.
        columns: what the columns are called where they have other names, {"answers": "samples"}; None for no column.
        where: the rows to score, {"model": "a"}; a list of values takes all of them.
        pool: columns of models or runs whose rows are samples of one model.
        format: the format of the files; this and the next four are as of `at_k.read_results`, and for files alone.
        scorer: whose grades to take.
        filter: whose answers to take.
        tests: which tests a program must pass.
        errors: "skip" to leave out what is broken.
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
    options: dict[str, Any] = {
        "k": k,
        "thresholds": thresholds,
        "threshold": threshold,
        "ties": ties,
        "select": select,
        "score_weights": score_weights,
        "higher_is_better": higher_is_better,
        "extract_fn": extract_fn,
        "extract_reference": extract_reference,
        "equivalence": equivalence,
        "check_correct_fn": check_correct_fn,
        "num_workers": num_workers,
        "timeout": timeout,
        "missing": missing,
        "on_conflict": on_conflict,
    }
    bars: dict[str, Any] = {"confidence_level": confidence_level, "target": target, "ci_method": ci_method}
    check_options(options | bars)
    refuse_many_numbers(limits, k=k, thresholds=thresholds)
    if metrics is not None and not isinstance(metrics, str):
        if not isinstance(metrics, Iterable):
            raise TypeError(
                f"`metrics` must be the name of a metric, or a list of names; got {shorten(metrics)} of type "
                f"{type_name(metrics)}"
            )
        metrics = list(metrics)
    wanted = _check_metrics(metrics)
    confidence = Confidence(confidence_level, target, None if clusters in (None, False) else (), ci_method)
    started = monotonic()
    reading: dict[str, Any] = {"format": format, "scorer": scorer, "filter": filter, "tests": tests, "errors": errors}

    def read_all_labels(n_problems: int, group: Any) -> tuple[list[str] | None, list[str] | None]:
        labels = read_labels(groups, group, n_problems)
        return labels, _read_clusters(clusters, labels, group, n_problems)

    judged = judge_data(
        data,
        read_labels=read_all_labels,
        **{name: options[name] for name in JUDGING_OPTIONS},
        columns=columns,
        where=where,
        pool=pool,
        limits=limits,
        **reading,
    )
    problems, verdicts, names = judged.problems, judged.verdicts, judged.names
    labels, together = judged.labels
    confidence = replace(confidence, clusters=together)
    refuse_k_above_n(k, verdicts, names)
    notes = [*judged.notes, *write_notes(problems, verdicts, missing)]
    notes += explain_low_grades(problems, verdicts, threshold)
    if problems.grades is not None and check_correct_fn != OPTIONS["check_correct_fn"].default:
        notes.append(
            Message(
                "note.not_judged",
                "The data have verdicts, which count; `check_correct_fn` judged nothing. With {columns} it judges the "
                "answers.",
                columns='columns={"grades": None}',
            )
        )
    measurement = Measurement(judged, options, seed, limits, started)
    found, left_out = measurement.compute_all(wanted)
    if verdicts.answers is None and any(FAMILY[name].votes for name in found):
        notes.append(
            Message(
                "note.vote_of_grades",
                "cons@k is counted from grades: more than half of k samples must be correct. With the answers it would "
                "be a vote.",
            )
        )
    notes += explain_odd_k(key for values in found.values() for key in values.columns)
    given_groups = groups if groups is None or isinstance(groups, bool) else labels  # a generator can be read once
    bars["clusters"] = True if clusters is True and labels is not None else together
    given = {"metrics": metrics, "groups": given_groups, "columns": columns, "where": where, "pool": pool, "seed": seed}
    numbers = measurement.gather(found, labels, confidence)
    return Report(
        **numbers,
        problems=names,
        labels=labels,
        n=verdicts.n.tolist(),
        c=verdicts.c.tolist(),
        n_missing=verdicts.n_missing,
        left_out=left_out,
        notes=[*explain_intervals(numbers["intervals"], confidence), *notes],
        options=_find_changed(options | bars | given | reading),
        source=judged.source,
        origin=judged.origin,
        draw_curves=partial(measurement.draw, list(found), confidence),
        samples=(problems, verdicts),
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
            "`clusters` are the groups, but the data have none. Give a label for each problem, or name the column of "
            "the groups by `columns`.",
        )
    return found


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
