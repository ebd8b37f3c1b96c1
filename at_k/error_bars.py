"""Error bars of a metric's means: which standard error and which interval belong to a key."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from at_k.combinatorics import Floats, Ints
from at_k.family import OUTPUTS
from at_k.uncertainty.bootstrap import bootstrap_interval
from at_k.uncertainty.checks import is_too_large
from at_k.uncertainty.intervals import find_interval
from at_k.uncertainty.standard_errors import (
    estimate_error,
    problem_set_error,
    read_clusters,
)
from at_k.values import Column, ErrorBar, Key


@dataclass(frozen=True)
class Confidence:
    """Which error bars are wanted.

    Attributes:
        confidence_level: the confidence level; None for no error bars.
        target: "population" or "problem_set".
        clusters: one label per problem, where problems come in groups that resemble each other.
        method: how an interval is made of a standard error; see `at_k.interval`. "bootstrap" needs none.

    Raises:
        ValueError: if choices do not go together.
    """

    confidence_level: float | None = None
    target: str = "population"
    clusters: Sequence[str] | None = None
    method: str = "beta"

    def __post_init__(self) -> None:
        if self.target == "problem_set":
            if self.clusters is not None:
                raise ValueError("`clusters` must not be given for `target` 'problem_set', whose problems are fixed")
            if self.method == "bootstrap":
                raise ValueError("`ci_method` 'bootstrap' draws other problems; `target` must be 'population' for it")

    def conditions(self) -> dict[str, object]:
        """Return what a signature says; nothing without error bars."""
        if self.confidence_level is None:
            return {}
        clusters = {} if self.clusters is None else {"clusters": len(set(self.clusters))}
        return {"ci": self.confidence_level, "target": self.target, "ci_method": self.method, **clusters}


NO_ERROR_BARS = Confidence()


def find_error_bars(
    columns: Mapping[Key, Column],
    means: Mapping[Key, float],
    wanted: Confidence,
    *,
    n: Ints | None = None,
    vary: Callable[[], Mapping[Key, Column]] | None = None,
    problems: NDArray[np.intp] | None = None,
    times: Ints | None = None,
) -> dict[Key, ErrorBar]:
    """Find the error bar of every key that has one.

    Values without a range have none if there is one problem, or if their standard error is 0: equal values do not show
    how far others may lie. Nor have values whose squares a float does not hold.

    Args:
        columns: key → one value per problem.
        means: key → their mean over these problems.
        wanted: which error bars are wanted.
        n: samples of each problem; needed, as `vary` is, for the target "problem_set".
        vary: returns the jackknife variances of the values, by key. The levels of metrics of counts are those of every
            c that is possible.
        problems: the places of these problems among all; None for all of them.
        times: how many problems each entry of the columns stands for; None for one each. The method
            "bootstrap" needs one each.
    """
    if wanted.confidence_level is None:
        return {}
    columns = {key: column for key, column in columns.items() if not is_too_large(column.levels)}
    if not columns:
        return {}
    if wanted.target == "population":
        errors = find_population_errors(columns, wanted.clusters, problems, times)
    elif n is None or vary is None:
        raise ValueError("`target` must be 'population' here: the samples of the problems are not known")
    else:
        with np.errstate(over="ignore", invalid="ignore"):  # of values that are too large, which are not among these
            variances = vary()
        errors = find_problem_set_errors(columns, n, variances, problems, times)
    limits: dict[Key, tuple[float, float]] = {}
    for bounded in (True, False):
        own = {key: column for key, column in columns.items() if has_range(key, column) is bounded}
        limits |= find_limits(own, means, errors, wanted, problems, bounded=bounded) if own else {}
    return {
        key: ErrorBar(None if isnan(error.stderr) else error.stderr, *limits[key], error.is_upper_bound)
        for key, error in errors.items()
        if all(map(isfinite, limits[key])) and (has_range(key, columns[key]) or limits[key][0] < limits[key][1])
    }


def is_bounded(key: str) -> bool:
    """Return whether the values of a key lie in [0, 1]: all but those in the unit of the scores.

    Examples:
        >>> is_bounded(Key("max@k", 4)), is_bounded("max@4"), is_bounded("best@4")
        (False, False, True)
    """
    output = OUTPUTS.get(key.metric if isinstance(key, Key) else re.sub(r"@\d+$", "@k", key))
    return output is None or output.bounded


def has_range(key: str, column: Column) -> bool:
    """Return whether values lie in [0, 1] by their definition, and, of a key that no metric has made, as they are."""
    return is_bounded(key) and (isinstance(key, Key) or bool(((column.levels >= 0) & (column.levels <= 1)).all()))


class _Error(NamedTuple):
    """A standard error, NaN where there is none, how many units are behind it, and whether it is an upper bound."""

    stderr: float
    m: float
    is_upper_bound: bool = False


def find_population_errors(
    columns: Mapping[Key, Column],
    clusters: Sequence[str] | None,
    problems: NDArray[np.intp] | None,
    times: Ints | None,
) -> dict[Key, _Error]:
    """Find the standard errors for other problems like these."""
    chosen = slice(None) if problems is None else problems
    if clusters is not None:
        labels = np.array(clusters, dtype=object)[chosen].tolist()
        codes = read_clusters(labels, len(labels), "per_problem")
        stderr, m = estimate_error(expand_columns(columns, problems), codes, None if times is None else times[chosen])
        return {key: _Error(*each) for key, *each in zip(columns, stderr.tolist(), m.tolist(), strict=True)}
    together: dict[int, list[Key]] = {}  # the columns that share an array, whose levels are counted once
    for key, column in columns.items():
        together.setdefault(id(column.which), []).append(key)
    found: dict[Key, _Error] = {}
    for keys in together.values():
        levels = np.stack([columns[key].levels for key in keys], axis=1)
        if columns[keys[0]].which is None and times is None:
            stderr, m = estimate_error(levels[chosen], None)
        else:
            stderr, m = estimate_error(levels, None, columns[keys[0]].count(problems, times))
        found |= {key: _Error(*each) for key, *each in zip(keys, stderr.tolist(), m.tolist(), strict=True)}
    return {key: found[key] for key in columns}


def find_problem_set_errors(
    columns: Mapping[Key, Column],
    n: Ints,
    variances: Mapping[Key, Column],
    problems: NDArray[np.intp] | None,
    times: Ints | None,
) -> dict[Key, _Error]:
    """Find the standard errors for other samples of the same problems."""
    found = {}
    chosen = slice(None) if problems is None else problems
    each = None if times is None else times[chosen]
    for key, column in columns.items():
        variance = variances[key]
        own = variance.expand()[chosen]
        error = problem_set_error(
            column.expand()[chosen],
            own,
            n[chosen],
            k=key.draws or 1,
            largest=np.fmax.reduce(own if variance.which is None else variance.levels, initial=0.0),
            times=each,
        )
        found[key] = _Error(float(error.stderr), float(error.m), bool(error.is_upper_bound))
    return found


def find_limits(
    columns: Mapping[Key, Column],
    means: Mapping[Key, float],
    errors: Mapping[Key, _Error],
    wanted: Confidence,
    problems: NDArray[np.intp] | None,
    *,
    bounded: bool,
) -> dict[Key, tuple[float, float]]:
    """Find the limits of columns. Values without a range get a t interval, unless another one was asked for."""
    confidence_level = wanted.confidence_level or 0.0
    if wanted.method == "bootstrap":
        low, high = bootstrap_interval(expand_columns(columns, problems), confidence_level=confidence_level)
    else:
        method = wanted.method if bounded or wanted.method in ("t", "wald") else "t"
        value, stderr, m = np.array([(means[key], errors[key].stderr, errors[key].m) for key in columns]).T
        low, high = find_interval(value, stderr, m, 1 - confidence_level, method, bounded=bounded)
    return dict(zip(columns, zip(low.tolist(), high.tolist(), strict=True), strict=True))


def expand_columns(columns: Mapping[Key, Column], problems: NDArray[np.intp] | None) -> Floats:
    """Return a table with a row for each problem and a column for each key."""
    chosen = slice(None) if problems is None else problems
    return np.stack([column.expand()[chosen] for column in columns.values()], axis=1)
