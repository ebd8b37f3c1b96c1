"""Measurements of each model: read, and lined up by problem, for a comparison."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from at_k.combinatorics import Floats
from at_k.errors import (
    InputError,
    Mention,
    Phrases,
    SeveralModelsError,
    Spelling,
    write_value,
)
from at_k.estimators.counts import evaluate_tables, find_table
from at_k.family import METRICS
from at_k.options.registry import SCORED, SCORING
from at_k.readers import is_paths
from at_k.readers.names import quote
from at_k.readers.objects import hold, is_table
from at_k.report import Report, Tally, score
from at_k.report.grid import is_shown
from at_k.report.naming import choose_numbers, find_key, is_average, spell_sum
from at_k.report.report import find_report, refuse_scoring_options
from at_k.uncertainty.jackknife import tabulate_variance
from at_k.validation import (
    describe,
    is_number,
    is_sequence,
    list_common,
    list_names,
    shorten,
    type_name,
)
from at_k.values import Key, cached_property

_say = Phrases(
    {
        "compare.empty": "There are no values for {key}. Give one for each problem.",
        "compare.one_table": "Column {column} has several models, and one table was given. Score two of them, and "
        "compare the reports: at_k.compare({first}, {second}).",
        "compare.no_key": "The models have no number in common: {keys}. Ask for the same k.",
        "compare.no_samples": "How much {key} varies from run to run is known from samples alone, which {name} does "
        "not have. Give the data, or leave it out.",
        "compare.ragged": "All keys must have values for the same problems, each named once; {key} and {first} do not.",
        "compare.unknown_key": "Not all models have {key}. They have in common: {keys}.",
    }
)


_VALUES = "a mapping of keys to values of problems"


@dataclass(frozen=True)
class Measured:
    """The measurements of one model.

    Attributes:
        values: key → one value per problem.
        problems: the names of the problems.
        named: whether these were given.
        conditions: key → how it was measured: the parts of its signature, by name; empty for values without one.
        groups: the group of each problem; None without groups.
        clusters: the cluster of each problem that its intervals are made with; None without clusters.
        report: the report that this was read from; None for values.
        name: what the model is called.
    """

    values: Mapping[Any, Floats]
    problems: Sequence[str]
    named: bool
    conditions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    groups: Sequence[str] | None = None
    clusters: Sequence[str] | None = None
    report: Report | None = None
    name: str = ""

    @cached_property
    def places(self) -> dict[str, int]:
        """Return the place of each problem."""
        return {problem: place for place, problem in enumerate(self.problems)}


def trace(report: Report, lines: Sequence[Key], k: Sequence[int]) -> dict[Key, Floats]:
    """Return the values of each problem on these lines: of the report, and at every k that counts or samples tell."""
    n = np.array(report.n)
    c = np.array(report.c)
    traced = {key: column.expand() for key, column in report.columns.items() if key.line in lines}
    of_counts = {}
    if not report.stopped:
        of_counts = {line: find_table(line.metric, line.tau) for line in lines}
    for line, table in of_counts.items():
        if table is not None:
            values = evaluate_tables([(table, draws) for draws in k], n, c)
            traced |= {
                Key(line.metric, draws, line.tau): values[:, place] for place, draws in enumerate(k)
            }
    if report.compute_at is not None and any(
        line.metric[-1] == "k" and not of_counts.get(line) for line in lines
    ):
        computed = [values.columns for values in report.compute_at(k)]
        traced |= {
            key: col.expand()
            for columns in computed
            for key, col in columns.items()
            if key.line in lines
        }
    return traced


def find_variances(report: Report, keys: Sequence[Key]) -> dict[Key, Floats]:
    """Find how much the value of each problem varies from one run to the next: its jackknife variance.

    Keys whose samples are not known are left out.
    """
    variances: dict[Key, Floats] = {}
    n, c = report.list_counts()
    for key in keys:
        table = find_table("pass@k" if key.metric == "avg@n" else key.metric, key.tau)
        if table is not None:
            asked = [(tabulate_variance(table), key.draws or 1)]
            variances[key] = evaluate_tables(asked, n, c)[:, 0]
    others = [key for key in keys if key not in variances]
    if not others or report.compute_at is None:
        return variances
    draws = sorted({key.k for key in others if key.draws is not None and key.k is not None})
    for values in report.compute_at(draws or [1]):
        found = {} if values.vary is None else values.vary()
        variances |= {key: found[key].expand() for key in others if key in found}
    return variances


def refuse_unknown_samples(keys: Sequence[Key], known: Mapping[Key, Floats], name: str) -> None:
    """Raise if how much a key varies from run to run is not known."""
    for key in keys:
        if key not in known:
            raise _say.error("compare.no_samples", key=str(key), name=name)


def read_models(models: Mapping[str, Any], options: Mapping[str, Any]) -> list[Measured]:
    """Read what was measured of each model. Data that are not scored yet are scored with the options."""
    # `metrics` also chooses among numbers that are there; see `choose_keys`.
    scoring = {name: value for name, value in options.items() if name in SCORED}
    audit = {name: options[name] for name in ("audited",) if options.get(name) is not None}
    scored = {name: find_scored(data) for name, data in models.items()}
    if all(report is not None for report in scored.values()):
        refuse_scoring_options(
            {name: value for name, value in scoring.items() if name != "metrics"}
        )
    return [
        report if report is not None else read_report(_score(name, models[name], scoring | audit))
        for name, report in scored.items()
    ]


def refuse_one_model(data: Any, options: Mapping[str, Any]) -> None:
    """Raise for one argument in the place of two; if it holds several models, with the call that compares two."""
    # Readings of an error would give one model, and not two: none is passed on.
    scoring = {name: value for name, value in options.items() if name in SCORED}
    refusal = None
    with suppress(InputError):
        try:
            read_models({"a": data}, scoring)
        except SeveralModelsError as error:
            refusal = _pair_models(data, scoring, error)
    if refusal is not None:
        raise refusal
    refuse_wrong_kind("b", None, _VALUES)


def _pair_models(
    data: Any, scoring: Mapping[str, Any], error: SeveralModelsError
) -> InputError | None:
    """Make the error of one table of several models; None where no two of them can be scored."""
    where = error.values.get("where")
    listed = [value for value in error.values.get("listed", ()) if value is not None]
    if not isinstance(where, Mention) or len(listed) < 2:
        return None
    [column] = where.settings["where"]
    source = write_value(data) if isinstance(data, str) else "data"
    calls = []
    for value in listed[:2]:
        told = {**scoring, "where": {**(scoring.get("where") or {}), column: value}}
        score(data, **told, confidence_level=None)
        calls.append(f"at_k.score({source}, {Spelling().call(told)})")
    column, (first, second) = quote(column), calls
    return _say.error("compare.one_table", column=column, first=first, second=second)


def find_scored(data: Any) -> Measured | None:
    """Return what was measured, if the data are a report, a file of one, or values; None if they are to be scored."""
    report = find_report(data)
    if report is not None:
        return read_report(report)
    tables = []
    if isinstance(data, Mapping):
        tables = list(data.values())
    if tables and all(
        isinstance(table, Mapping) and not {"grades", "answers"} & table.keys() for table in tables
    ):
        return Measured(*check_values(data), named=True)
    return None


def _score(name: str, data: Any, options: Mapping[str, Any]) -> Report:
    _refuse_several(name, data)
    data = hold(data)
    is_listed = isinstance(data, (list, np.ndarray)) and any(map(is_sequence, data))
    if not is_listed:
        refuse_wrong_kind(name, data, _VALUES)
    return score(data, confidence_level=None, **options)


def _refuse_several(name: str, data: Any) -> None:
    """Raise for several models in the place of one."""
    parts = (
        data.values()
        if isinstance(data, Mapping)
        else data
        if isinstance(data, (list, tuple))
        else ()
    )
    single = (str, PathLike, Mapping) if isinstance(data, Mapping) else ()
    if any(isinstance(part, (Report, *single)) for part in parts):
        raise TypeError(
            f"`{name}` must be one model; got {len(parts)} in one {type_name(data)}. Compare two as "
            '`compare(a, b, names=("A", "B"))`, several as `rank({"A": a, "B": b, …})`, and two on several '
            'benchmarks as `compare_benchmarks({"x": a, …}, {"x": b, …})`'
        )


def refuse_wrong_kind(name: str, data: Any, further: str) -> None:
    """Raise if an argument is nothing that can be scored, and name it."""
    if is_paths(data) or is_table(data) or isinstance(data, (Mapping, Report, Tally, bytes)):
        return
    if isinstance(data, Sequence) and any(isinstance(row, Mapping) for row in data):
        return  # what is wrong with a row is said where rows are read
    raise TypeError(
        f"`{name}` must be a report, a results file, a data set, or {further}; got {shorten(data)} of type "
        f"{type_name(data)}"
    )


def read_report(report: Report) -> Measured:
    """Take the values of a report. Problems called 0, 1, 2, … or 1, 2, … have no names, unless a file gives them."""
    report.require_problems("A comparison")
    named = report.problems not in [
        list(map(str, range(first, first + len(report)))) for first in (0, 1)
    ]
    if report.origin is not None:
        named = (
            named
            or report.origin.roles.get("problem") is not None
            or report.origin.harness != "plain"
        )
    values = {key: np.array(column, dtype=np.float64) for key, column in report.by_problem.items()}
    conditions = {
        str(key): read_conditions(report.signatures[name])
        for name, keys in report.metrics.items()
        for key in keys
    }
    return Measured(
        values, report.problems, named, conditions, report.labels, report.clusters, report
    )


# Conditions in which two models may differ: what was asked for, how often was sampled, and which error bars were
# wanted. What matters of k and τ is in the key.
_OF_NO_COMPARISON = ("n", "k", "tau", "estimator", "ci", "target", "ci_method", "clusters")


def read_conditions(signature: str) -> dict[str, str]:
    """Read the conditions of a signature that two values must share to be compared.

    Examples:
        >>> read_conditions("pass_at_k|n:8|k:1,2|correct_above:0.5|extract:(a|b)|version:0.2.0")
        {'correct_above': '0.5', 'extract': '(a|b)', 'version': '0.2.0'}
    """
    _, *parts = re.split(r"\|(?=[a-z_]+:)", signature)  # a bar may also be part of a pattern
    conditions = dict(part.split(":", 1) for part in parts)
    return {name: value for name, value in conditions.items() if name not in _OF_NO_COMPARISON}


def find_differing_conditions(
    models: Sequence[Measured], keys: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """Find the conditions in which the models differ: name → what it was for each model."""
    # Values without a signature say nothing about their conditions, and are passed over.
    known = [model.conditions for model in models if model.conditions]
    differing: dict[str, tuple[str, ...]] = {}
    for key in keys:
        stated = [conditions.get(key, {}) for conditions in known]
        for name in dict.fromkeys(name for model in stated for name in model):
            values = tuple(model.get(name, "–") for model in stated)
            if len(set(values)) > 1:
                differing.setdefault(name, values)
    return differing


def check_values(data: Mapping[Any, Mapping[Any, Any]]) -> tuple[dict[str, Floats], list[str]]:
    """Return values that the caller computed, and their problems, after a check that all keys have these."""
    values = {}
    for key, column in data.items():
        values[str(key)] = {str(problem): value for problem, value in column.items()}
    (first, known), *_ = values.items()
    for (key, column), original in zip(values.items(), data.values(), strict=True):
        if column.keys() != known.keys() or len(column) != len(original):
            raise _say.error("compare.ragged", key=key, first=first)
        for problem, value in column.items():
            if not is_number(value):
                raise TypeError(
                    f"the value of {key} must be a number; got {describe(value)} for problem {shorten(problem)}"
                )
    if not known:
        raise _say.error("compare.empty", key=first)
    columns = {}
    for key, row in values.items():
        columns[key] = np.array([row[problem] for problem in known], dtype=np.float64)
    return columns, list(known)


# The lines that are compared by default; G-Pass@k with τ = 1 is pass^k.
_DEFAULT_LINES = ("pass@k", "G-Pass@k_1.0", "cons@k")


def choose_keys(
    metrics: str | Iterable[str] | Mapping[str, float] | None, models: Sequence[Measured]
) -> list[str]:
    """Return the keys to compare, which all models have, as the first one has them."""
    common = {key: key for key in list_common(model.values for model in models)}
    if not common:
        raise _say.error(
            "compare.no_key", keys="; ".join(", ".join(model.values) for model in models)
        )
    chosen = _choose_default_keys(list(common.values()), models)
    if metrics is not None:
        chosen = []
        if isinstance(metrics, Mapping):
            metrics = spell_sum(metrics)
        names = [metrics] if isinstance(metrics, str) else list(metrics)
        for name in list_names(names):
            named = _find_keys(name, common)
            if not named:
                raise _say.error("compare.unknown_key", key=name, keys=", ".join(common))
            chosen += named
        if not chosen:
            raise ValueError("`metrics` must name at least one number; got none")
    return list(dict.fromkeys(chosen))


def _choose_default_keys(common: list[str], models: Sequence[Measured]) -> list[str]:
    """Return pass@1, pass@k, pass^k and cons@k at the largest k, or all keys where some were chosen before.

    Thirteen questions instead of these cost power: for pass@1 .68 became .52.
    """
    reports = [model.report for model in models if model.report is not None]
    are_chosen = any(map(_chose_numbers, reports))
    if are_chosen or not reports or "pass@1" not in common:
        shown = [key for key in common if not isinstance(key, Key) or is_shown(key)]
        return shown or common
    keys = [key for key in common if isinstance(key, Key) and key.draws is not None]
    largest = max(key.draws or 1 for key in keys if key.metric == "pass@k")
    draws = {key.draws for key in keys}
    if all(report.options.get("k") is None for report in reports):
        draws = {largest}
    of_k = [key for key in keys if key.draws in draws and key.draws != 1]
    chosen = [key for key in common if key == "pass@1"]
    for line in _DEFAULT_LINES:
        chosen += [key for key in of_k if key.line == line]
    return chosen


def _chose_numbers(report: Report) -> bool:
    """Return whether a report was asked for some metrics, or for some thresholds of G-Pass@k."""
    thresholds = SCORING["thresholds"].default
    chosen = report.options.get("thresholds", thresholds) != thresholds
    return chosen or report.options.get("metrics") is not None


def _find_keys(name: Any, common: Mapping[str, str]) -> list[str]:
    """Find the keys that a name means: one key, or those of a metric, as reports or as papers spell it."""
    if name in common:
        return [common[name]]
    key = None
    if isinstance(name, str) and name not in METRICS:
        key = find_key(name)
    if key is None and name not in METRICS:
        return []
    if key is not None and is_average(key):
        if key in common:
            return [common[key]]
        return []
    return list(choose_numbers({name: key}, [key for key in common if isinstance(key, Key)]))
