"""What was measured of each model: read, and lined up by problem, for a comparison."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isfinite
from typing import Any

import numpy as np

from at_k.caching import cached_property
from at_k.columns import read_groups, require_same_problems
from at_k.combinatorics import Floats
from at_k.errors import InputError, Message
from at_k.estimators.counts import g_pass_at_k, mg_pass_at_k, pass_at_k, pass_hat_k
from at_k.options import SCORED
from at_k.readers import is_paths
from at_k.report import Report, Tally, score
from at_k.report.naming import find_key
from at_k.report.report import find_report, refuse_scoring_options
from at_k.uncertainty.checks import is_too_large
from at_k.uncertainty.jackknife import CountsEstimator, jackknife_counts
from at_k.validation import is_number, shorten, type_name
from at_k.values import Key


@dataclass(frozen=True)
class Measured:
    """What was measured of one model.

    Attributes:
        values: key → one value per problem.
        problems: the names of the problems.
        named: whether these were given.
        conditions: key → how it was measured: the parts of its signature, by name; empty for values without one.
        groups: the group of each problem; None without groups.
        clusters: the cluster of each problem that its intervals are made with; None without clusters.
        report: the report that this was read from; None for values.
    """

    values: Mapping[Any, Floats]
    problems: Sequence[str]
    named: bool
    conditions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    groups: Sequence[str] | None = None
    clusters: Sequence[str] | None = None
    report: Report | None = None

    @cached_property
    def places(self) -> dict[str, int]:
        """Return the place of each problem."""
        return {problem: place for place, problem in enumerate(self.problems)}

    def line_up(self, key: str, problems: Sequence[str]) -> Floats:
        """Return the values of some problems, in the order of these."""
        if problems == self.problems:
            return self.values[key]
        return self.values[key][[self.places[problem] for problem in problems]]


_OF_COUNTS: dict[str, CountsEstimator] = {"pass@k": pass_at_k, "pass^k": pass_hat_k, "mG-Pass@k": mg_pass_at_k}


def find_estimator(key: Key) -> CountsEstimator | None:
    """Return the function from counts to the values of a key; None if they need more than counts."""
    return partial(g_pass_at_k, tau=key.tau) if key.tau is not None else _OF_COUNTS.get(key.metric)


def require_reports(models: Sequence[Measured], names: Sequence[str]) -> list[Report]:
    """Return the reports that models were read from, after a check that none is known by bare values."""
    reports = [model.report for model in models if model.report is not None]
    if len(reports) < len(models):
        raise InputError(
            "compare.no_report",
            "This needs reports or data, which say how many samples are correct; {name} has bare values.",
            name=next(name for name, model in zip(names, models, strict=True) if model.report is None),
        )
    return reports


def find_variances(report: Report, name: str, keys: Sequence[Key]) -> dict[Key, Floats]:
    """Find how much the value of each problem varies from one run to the next: its jackknife variance.

    Raises:
        InputError: if the samples behind a key are not known.
    """
    found: dict[Key, Floats] = {}
    draws = sorted({key.k for key in keys if key.draws is not None and key.k is not None})
    for values in [] if report.compute_at is None else report.compute_at(draws or [1]):
        found |= {} if values.vary is None else {key: each.expand() for key, each in values.vary().items()}
    n, c = np.array(report.n), np.array(report.c)
    for key in keys:
        estimate = pass_at_k if key.metric == "avg@n" else find_estimator(key)
        if estimate is not None and key not in found:
            found[key] = jackknife_counts(estimate, n, c, k=key.draws or 1)
        if key not in found:
            raise InputError(
                "compare.no_samples",
                "How much {key} varies from run to run is known from samples alone, which {name} does not have. Give "
                "the data, or leave it out.",
                key=str(key),
                name=name,
            )
    return found


def read_models(models: Mapping[str, Any], options: Mapping[str, Any]) -> list[Measured]:
    """Read what was measured of each model. Data that are not scored yet are scored with the options."""
    scoring = {name: value for name, value in options.items() if name in SCORED}
    scored = {name: find_scored(data) for name, data in models.items()}
    if all(found is not None for found in scored.values()):
        refuse_scoring_options(scoring)
    return [
        found if found is not None else read_report(_score(name, models[name], scoring))
        for name, found in scored.items()
    ]


def find_scored(data: Any) -> Measured | None:
    """Return what was measured, if the data are a report, a file of one, or values; None if they are to be scored."""
    report = find_report(data)
    if report is not None:
        return read_report(report)
    if isinstance(data, Mapping) and data and all(isinstance(each, Mapping) for each in data.values()):
        return Measured(*check_values(data), named=True)
    return None


def _score(name: str, data: Any, options: Mapping[str, Any]) -> Report:
    refuse_wrong_kind(name, data, "a mapping of keys to values of problems")
    return score(data, confidence_level=None, **options)


def refuse_wrong_kind(name: str, data: object, further: str) -> None:
    """Raise if an argument is nothing that can be scored, and name it.

    Args:
        name: the name of the argument.
        data: its value, which is no report.
        further: what the argument may be beside a report and data.

    Raises:
        TypeError: if it is neither a path nor a data set.
    """
    if (
        is_paths(data)
        or isinstance(data, (Mapping, Tally))
        or hasattr(data, "columns")
        or hasattr(data, "column_names")
    ):
        return
    if isinstance(data, Sequence) and any(isinstance(row, Mapping) for row in data):
        return  # what is wrong with a row is said where rows are read
    raise TypeError(
        f"`{name}` must be a report, a results file, a data set, or {further}; got {shorten(data)} of type "
        f"{type_name(data)}"
    )


def read_report(report: Report) -> Measured:
    """Take the values of a report. Problems called 0, 1, 2, … in order have no names, unless a file says so."""
    report.require_problems("A comparison")
    named = report.problems != list(map(str, range(len(report))))
    if report.origin is not None:
        named = named or report.origin.roles.get("problem") is not None
    values = {key: np.array(each, dtype=np.float64) for key, each in report.by_problem.items()}
    conditions = {
        str(key): read_conditions(report.signatures[name]) for name, keys in report.metrics.items() for key in keys
    }
    return Measured(values, report.problems, named, conditions, report.labels, report.clusters, report)


_OF_NO_COMPARISON = ("n", "k", "tau", "estimator", "ci", "target", "ci_method", "clusters")
"""Conditions in which two models may differ: what was asked for, how often was sampled, and which error bars stand
beside. What matters of k and τ is in the key."""


def read_conditions(signature: str) -> dict[str, str]:
    """Read the conditions of a signature that two values must share to be compared.

    Examples:
        >>> read_conditions("pass_at_k|n:8|k:1,2|threshold:0.5|extract:(a|b)|version:0.2.0")
        {'threshold': '0.5', 'extract': '(a|b)', 'version': '0.2.0'}
    """
    _, *parts = re.split(r"\|(?=[a-z_]+:)", signature)  # a bar may also be part of a pattern
    found = dict(part.split(":", 1) for part in parts)
    return {name: value for name, value in found.items() if name not in _OF_NO_COMPARISON}


def find_differing_conditions(models: Sequence[Measured], keys: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Find the conditions under which not all models were measured alike: name → what it was for each model.

    Values without a signature say nothing about their conditions, and are passed over.
    """
    known = [model.conditions for model in models if model.conditions]
    found: dict[str, tuple[str, ...]] = {}
    for key in keys:
        own = [conditions.get(key, {}) for conditions in known]
        for name in dict.fromkeys(name for each in own for name in each):
            values = tuple(each.get(name, "–") for each in own)
            if len(set(values)) > 1:
                found.setdefault(name, values)
    return found


def check_values(data: Mapping[Any, Mapping[Any, Any]]) -> tuple[dict[str, Floats], list[str]]:
    """Return values that the caller computed, and their problems, after a check that all keys have these."""
    values = {str(key): {str(problem): value for problem, value in each.items()} for key, each in data.items()}
    (first, known), *_ = values.items()
    for (key, each), given in zip(values.items(), data.values(), strict=True):
        if each.keys() != known.keys() or len(each) != len(given):
            raise InputError(
                "compare.ragged",
                "All keys must have values for the same problems, each named once; {key} and {first} do not.",
                key=key,
                first=first,
            )
        for problem, value in each.items():
            if not is_number(value):
                raise TypeError(
                    f"the value of {key} must be a number; got {shorten(value)} of type {type_name(value)} for problem "
                    f"{shorten(problem)}"
                )
    if not known:
        raise InputError("compare.empty", "There are no values for {key}. Give one for each problem.", key=first)
    columns = {key: np.array([each[problem] for problem in known], dtype=np.float64) for key, each in values.items()}
    return columns, list(known)


def choose_keys(keys: str | Iterable[str] | None, models: Sequence[Measured]) -> list[str]:
    """Return the keys to compare, which all models have, as the first one has them.

    Without a choice, those whose values are too large to be compared are left out, unless all are.
    """
    common = {key: key for key in models[0].values if all(key in model.values for model in models[1:])}
    if not common:
        raise InputError(
            "compare.no_key",
            "The models have no number in common: {keys}. Ask for the same k.",
            keys="; ".join(", ".join(model.values) for model in models),
        )
    large = find_too_large(models)
    usual = [key for key in common if key not in large] or list(common)
    wanted = usual if keys is None else list(dict.fromkeys([keys] if isinstance(keys, str) else keys))
    if not wanted:
        raise ValueError("`keys` must name at least one number; got none")
    found = {key: _find_key(key, common) for key in wanted}
    for key, own in found.items():
        if own is None:
            raise InputError(
                "compare.unknown_key",
                "Not all models have {key}. They have in common: {keys}.",
                key=key,
                keys=", ".join(common),
            )
        if own in large:
            message = say_too_large([own])
            raise InputError(message.code, message.sentence, **message.values)
    return list(dict.fromkeys(key for key in found.values() if key is not None))


def _find_key(name: Any, common: Mapping[str, str]) -> str | None:
    """Find the key that a name stands for, as reports or as papers spell it. pass^k is G-Pass@k with τ = 1."""
    key = find_key(name) if isinstance(name, str) else None
    same = None if key is None or key.metric != "pass^k" else Key("G-Pass@k", key.k, 1.0)
    return next((common[each] for each in (name, key, same) if each is not None and each in common), None)


def say_too_large(keys: Sequence[str]) -> Message:
    """Say that these keys are not compared: an error, or a note if other keys are left."""
    return Message(
        "compare.too_large",
        "Values beyond ±1e150 are not compared, since a float does not hold their squares: {keys}. Divide the scores.",
        keys=", ".join(keys),
    )


def find_too_large(models: Sequence[Measured]) -> list[str]:
    """Find the keys that all models have and of which some model has too large values."""
    common = [key for key in models[0].values if all(key in model.values for model in models[1:])]
    return [key for key in common if any(is_too_large(model.values[key]) for model in models)]


def match_problems(models: Sequence[Measured], unmatched: str, names: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the problems that all models have, and how many each of them has beside these."""
    own = [model.problems for model in models]
    # The order below is that of the first model: in the order of a set, seeded flips would differ from run to run.
    shared = set(own[0]).intersection(*own[1:])
    only = [len(each) - len(shared) for each in own]
    if unmatched == "unpaired":
        return [problem for problem in own[0] if problem in shared], only
    if any(only) and not all(model.named for model in models):
        raise InputError(
            "compare.no_names",
            "The problems of {names} have no names, so that they are matched by their order, and all models must have "
            "as many; they have {counts}. Name them in a column `problem`.",
            names=", ".join(name for name, model in zip(names, models, strict=True) if not model.named),
            counts=", ".join(f"{len(each):,}" for each in own),
        )
    if not shared:
        raise InputError(
            "compare.no_problem",
            "The models have no problem in common. Their first ones are {examples}: spell names alike.",
            examples=", ".join(shorten(each[0]) for each in own),
        )
    if any(only) and unmatched == "error":
        place = next(i for i, count in enumerate(only) if count)
        raise InputError(
            "compare.problems",
            "The models were not measured on the same problems: all have {shared:,}, and beside these {only}, such as "
            "{example}. Leave out what not all have: {option:unmatched=drop}.",
            shared=len(shared),
            only=", ".join(f"{name} has {count:,}" for count, name in zip(only, names, strict=True) if count),
            example=shorten(next(problem for problem in own[place] if problem not in shared)),
        )
    return [problem for problem in own[0] if problem in shared], only


def find_clusters(
    clusters: object, models: Sequence[Measured], names: Sequence[str], problems: Sequence[str]
) -> list[str] | None:
    """Find the cluster of each problem.

    Args:
        clusters: one label per problem of the first model; problem → label; True for the groups; False for none; None
            for the clusters that the intervals of the reports are made with.
        models: what was measured.
        names: what the models are called.
        problems: the problems that are compared.

    Raises:
        InputError: if a problem has no label, the reports have no groups, or they disagree.
    """
    if clusters is False:
        return None
    if clusters is None or clusters is True:
        own: dict[str, dict[str, str]] = {}
        for name, model in zip(names, models, strict=True):
            labels = model.groups if clusters else model.clusters
            if labels is not None:
                own[name] = dict(zip(model.problems, labels, strict=True))
        if own:
            return find_agreed_clusters(own, problems)
        if clusters is None:
            return None
        raise InputError(
            "compare.no_groups",
            "{option:clusters} are the groups, but the models have none. Give a label for each problem, or name the "
            "column of groups.",
        )
    if not isinstance(clusters, Mapping):
        given = read_groups(clusters, "clusters")
        require_same_problems("clusters", len(given), names[0], len(models[0].problems))
        clusters = dict(zip(models[0].problems, given, strict=True))
    lacking = [problem for problem in problems if problem not in clusters]
    if lacking:
        raise InputError(
            "compare.no_cluster",
            "{option:clusters} must have a label for every problem that is compared; {problem} has none.",
            problem=shorten(lacking[0]),
        )
    return read_groups([clusters[problem] for problem in problems], "clusters")


def find_agreed_clusters(clusters: Mapping[str, Mapping[str, str]], problems: Sequence[str]) -> list[str]:
    """Return the cluster of each problem, after a check that all models say the same; model → problem → label."""
    first, labels = next(iter(clusters.items()))
    for second, other in clusters.items():
        for problem in problems:
            if labels[problem] != other[problem]:
                raise InputError(
                    "compare.clusters",
                    "The models disagree about {option:clusters}: problem {problem} is in {one} for {first}, and in "
                    "{two} for {second}. Give a label for each problem.",
                    problem=shorten(problem), one=shorten(labels[problem]), first=first,
                    two=shorten(other[problem]), second=second,
                )  # fmt: skip
    return [labels[problem] for problem in problems]


def to_json_number(value: float | None) -> float | None:
    """Return a number that JSON can hold; None for an undefined test, or for no limit."""
    return value if value is not None and isfinite(value) else None
