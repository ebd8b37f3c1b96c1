"""Turn one value per problem into a result: means, their error bars, groups, details and the spelling of keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isfinite, isnan, sqrt
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from at_k import columns
from at_k.combinatorics import Floats, Ints
from at_k.computation import sign
from at_k.family import OUTPUTS
from at_k.grading import Verdicts
from at_k.options.registry import KEY_STYLES, METHODS
from at_k.uncertainty.checks import LARGEST, check_fraction, is_too_large
from at_k.uncertainty.intervals import (
    find_interval,
    find_skewness,
    find_studentised_quantiles,
)
from at_k.uncertainty.standard_errors import (
    StandardError,
    estimate_error,
    problem_set_error,
    read_clusters,
)
from at_k.validation import check_choice, describe, require_same_problems, shorten
from at_k.values import Column, ErrorBar, Key, Values, spell

# The skewness of values without a range above which no interval covers: a note reports it.
_SKEWED = 2.0


@dataclass(frozen=True)
class Confidence:
    """The error bars that are wanted, as the options of the same names say; without a level there are none."""

    confidence_level: float | None = None
    target: str = "population"
    clusters: Sequence[str] | None = None
    method: str = "beta"

    def __post_init__(self) -> None:
        if self.target == "problem_set" and self.clusters is not None:
            raise ValueError(
                "`clusters` must not be given for `target` 'problem_set', whose problems are fixed"
            )

    def conditions(self) -> dict[str, object]:
        """Return what a signature says; nothing without error bars."""
        if self.confidence_level is None:
            return {}
        clusters = {}
        if self.clusters is not None:
            clusters = {"clusters": len(set(self.clusters))}
        return {
            "ci": self.confidence_level,
            "target": self.target,
            "ci_method": self.method,
            **clusters,
        }


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
    """Find the error bar of every key that has one."""
    if wanted.confidence_level is None:
        return {}
    columns = {key: column for key, column in columns.items() if not is_too_large(column.levels)}
    if not columns:
        return {}
    if wanted.target == "population":
        errors = find_population_errors(columns, wanted.clusters, problems, times)
    elif n is None or vary is None:
        raise ValueError(
            "`target` must be 'population' here: the samples of the problems are not known"
        )
    else:
        # Variances of values that are too large may overflow; those values are not among these.
        with np.errstate(over="ignore", invalid="ignore"):
            variances = vary()
        errors = find_problem_set_errors(columns, n, variances, problems, times)
    # Values lie in [0, 1] by their definition, and, of a key that no metric has made, as they are.
    ranged = {key: column for key, column in columns.items() if _lies_in_range(key, column)}
    free = {key: column for key, column in columns.items() if key not in ranged}
    limits = {}
    if ranged:
        limits = find_limits(ranged, means, errors, wanted, problems, bounded=True)
    skewed: set[Key] = set()
    if free:
        limits |= find_limits(free, means, errors, wanted, problems, bounded=False)
    if free and times is None:  # a row of a tally is several problems
        values = expand_columns(free, problems)
        for key, column in zip(free, values.T, strict=True):
            if abs(find_skewness(column)) > _SKEWED:
                skewed.add(key)
        if wanted.clusters is None and wanted.method not in ("t", "wald"):
            quantiles = find_studentised_quantiles(values, 1 - wanted.confidence_level)
            for key, (low, high) in zip(free, np.transpose(quantiles).tolist(), strict=True):
                stderr = errors[key].stderr
                # Other problems say nothing of other samples of these.
                is_told = wanted.target == "population" or errors[key].is_upper_bound
                if is_told and not isnan(stderr):
                    least, most = limits[key]
                    least = min(least, means[key] - high * stderr)
                    limits[key] = least, max(most, means[key] - low * stderr)
    bars = {}
    for key, error in errors.items():
        least, most = limits[key]
        # Values without a range have none where they are all equal: they do not show how far others may lie.
        if isfinite(least) and isfinite(most) and (key in ranged or least < most):
            known = None if isnan(error.stderr) else error.stderr
            bars[key] = ErrorBar(known, least, most, error.is_upper_bound, key in skewed)
    return bars


def _lies_in_range(key: str, column: Column) -> bool:
    if not is_bounded(key):
        return False
    levels = column.levels
    return isinstance(key, Key) or bool(((levels >= 0) & (levels <= 1)).all())


def is_bounded(key: str) -> bool:
    """Return whether the values of a key lie in [0, 1]: all but those in the unit of the scores."""
    output = OUTPUTS.get(key.metric if isinstance(key, Key) else re.sub(r"@\d+$", "@k", key))
    return output is None or output.bounded


def find_population_errors(
    columns: Mapping[Key, Column],
    clusters: Sequence[str] | None,
    problems: NDArray[np.intp] | None,
    times: Ints | None,
) -> dict[Key, StandardError]:
    """Find the standard errors for similar problems, not only these."""
    chosen = slice(None) if problems is None else problems
    if clusters is not None:
        labels = np.array(clusters, dtype=object)[chosen].tolist()
        codes = read_clusters(labels, len(labels), "per_problem")
        repeats = None
        if times is not None:
            repeats = times[chosen]
        return _list_errors(
            columns, *estimate_error(expand_columns(columns, problems), codes, repeats)
        )
    # The columns that share an array, whose levels are counted once.
    together: dict[int, list[Key]] = {}
    for key, column in columns.items():
        together.setdefault(id(column.which), []).append(key)
    errors: dict[Key, StandardError] = {}
    for keys in together.values():
        first = columns[keys[0]]
        levels = np.stack([columns[key].levels for key in keys], axis=1)
        if first.which is None and times is None:
            found = estimate_error(levels[chosen], None)
        else:
            found = estimate_error(levels, None, first.count(problems, times))
        errors |= _list_errors(keys, *found)
    return {key: errors[key] for key in columns}


def _list_errors(keys: Iterable[Key], stderr: Floats, m: Floats) -> dict[Key, StandardError]:
    return dict(zip(keys, map(StandardError, stderr.tolist(), m.tolist()), strict=True))


def find_problem_set_errors(
    columns: Mapping[Key, Column],
    n: Ints,
    variances: Mapping[Key, Column],
    problems: NDArray[np.intp] | None,
    times: Ints | None,
) -> dict[Key, StandardError]:
    """Find the standard errors for other samples of the same problems."""
    errors = {}
    chosen = slice(None) if problems is None else problems
    repeats = None
    if times is not None:
        repeats = times[chosen]
    for key, column in columns.items():
        k = key.draws or 1
        variance = variances.get(key)
        # The samples do not tell that of a weighted sum, as if all of them were drawn: its error is an upper bound.
        if variance is None:
            variance = Column.of(np.zeros(len(n)))
            k = int(n.max())
        levels = variance.expand()[chosen]
        most = np.fmax.reduce(levels if variance.which is None else variance.levels, initial=0.0)
        value = column.expand()[chosen]
        errors[key] = problem_set_error(value, levels, n[chosen], k=k, largest=most, times=repeats)
    return errors


def find_limits(
    columns: Mapping[Key, Column],
    means: Mapping[Key, float],
    errors: Mapping[Key, StandardError],
    wanted: Confidence,
    problems: NDArray[np.intp] | None,
    *,
    bounded: bool,
) -> dict[Key, tuple[float, float]]:
    """Find the limits of columns; of values without a range, those of t unless another method suits them."""
    alpha = 1 - (wanted.confidence_level or 0.0)
    method = wanted.method if bounded or wanted.method in ("t", "wald") else "t"
    rows = [(means[key], errors[key].stderr, errors[key].m) for key in columns]
    value, stderr, m = np.array(rows).T
    low, high = find_interval(value, stderr, m, alpha, method, bounded=bounded)
    return dict(zip(columns, zip(low.tolist(), high.tolist(), strict=True), strict=True))


def expand_columns(columns: Mapping[Key, Column], problems: NDArray[np.intp] | None) -> Floats:
    """Return a table with a row for each problem and a column for each key."""
    chosen = slice(None) if problems is None else problems
    return np.stack([column.expand()[chosen] for column in columns.values()], axis=1)


# A key: a string, or what a metric made of it.
Name = TypeVar("Name", bound=str)


def summarize(
    per_problem: Mapping[Name, ArrayLike],
    /,
    *,
    groups: object = None,
    key_style: str = "standard",
    confidence_level: float | None = None,
    clusters: object = None,
    ci_method: str = "beta",
) -> dict[str, float]:
    """Average every column over the problems, all of them and those of each group.

    Args:
        per_problem: key → one value per problem.
        groups: one label per problem, a string or an integer. Adds `{group}/{key}` for every group, the label spelled
            as given.
        key_style: "standard" spells keys as papers do (`pass@8`, `G-Pass@8_0.5`); "plain" spells them in
            `[A-Za-z0-9_.]`, for trackers that refuse `@` (`pass_at_8`, `g_pass_at_8_0.5`).
        confidence_level: adds `{key}_stderr` (unless there is none), `{key}_ci_low` and `{key}_ci_high`: the standard
            error and the confidence interval, for similar problems, not only these.
        clusters: one label per problem, where problems come in groups that resemble each other.
        ci_method: how an interval is made; see `at_k.interval`.

    Returns:
        key → mean, as Python floats. The sums are rounded once, so that the order of the problems does not matter.

    Raises:
        TypeError: if a label is neither a string nor an integer.
        ValueError: if there are no problems, or columns differ in length.

    Examples:
        >>> summarize({"pass@1": [1.0] * 15}, confidence_level=0.95)
        {'pass@1': 1.0, 'pass@1_stderr': 0.0, 'pass@1_ci_low': 0.812..., 'pass@1_ci_high': 1.0}
        >>> summarize({"pass@1": [1.0, 0.5, 0.0]}, groups=["easy", "easy", "hard"])
        {'pass@1': 0.5, 'easy/pass@1': 0.75, 'hard/pass@1': 0.0}
    """
    values = _check_columns(per_problem)
    if confidence_level is not None:
        check_fraction("confidence_level", confidence_level)
    check_choice("ci_method", ci_method, METHODS)
    labels = None
    if clusters is not None:
        labels = columns.read_groups(clusters, "clusters")
    wanted = Confidence(confidence_level, clusters=labels, method=ci_method)
    if not values:
        raise ValueError("`per_problem` must hold at least one column; got none")
    first, n_problems = next((key, len(column)) for key, column in values.items())
    for key, column in values.items():
        require_same_problems(first, n_problems, key, len(column))
    if labels is not None:
        require_same_problems("clusters", len(labels), first, n_problems)
    check_choice("key_style", key_style, KEY_STYLES)
    spelled = {spell(key, key_style): key for key in values}
    for key in values:
        if spelled[spell(key, key_style)] != key:
            raise ValueError(
                f"`key_style` {key_style!r} must not give two keys one spelling; it does {key!r} and another one"
            )
    members = None
    if groups is not None:
        members = columns.read_groups(groups)
    if members is not None:
        require_same_problems("groups", len(members), "predictions", n_problems)
    return summarize_columns(values, {}, groups=members, key_style=key_style, wanted=wanted)


def summarize_columns(
    values: Mapping[Any, Column],
    errors: Mapping[Any, Floats],
    *,
    groups: Sequence[str] | None,
    key_style: str,
    wanted: Confidence,
    n: Ints | None = None,
    vary: Callable[[], Mapping[Key, Column]] | None = None,
) -> dict[str, float]:
    """Average checked columns as `summarize` does; `wanted`, `n` and `vary` are those of `find_error_bars`."""
    result: dict[str, float] = {}
    if groups is None:
        members = {}
    else:
        members = {f"{label}/": members for label, members in find_members(groups).items()}
    for prefix, problems in {"": None, **members}.items():
        means = average(values, problems)
        for key, mean in means.items():
            name = prefix + spell(key, key_style)
            if name in result:
                raise ValueError(
                    f"`groups` must not make two equal keys; a group and a column both make {name!r}"
                )
            result[name] = mean
            spread = 0.0
            if key in errors:
                spread = average_error(errors[key], problems)
            if spread:
                result[f"{name}_mcse"] = spread
        bars = find_error_bars(values, means, wanted, n=n, vary=vary, problems=problems)
        for key, bar in bars.items():
            result |= name_limits(prefix + spell(key, key_style), bar)
    return result


def name_limits(name: str, bar: ErrorBar) -> dict[str, float]:
    """Name the standard error of a value, if there is one, and the limits of its interval."""
    stderr = {}
    if bar.stderr is not None:
        stderr = {f"{name}_stderr": bar.stderr}
    return {**stderr, f"{name}_ci_low": bar.low, f"{name}_ci_high": bar.high}


def average(
    values: Mapping[Name, Column],
    problems: NDArray[np.intp] | None = None,
    times: Ints | None = None,
) -> dict[Name, float]:
    """Average each column over all problems, or over some of them; `times` is that of `Column.count`."""
    # The sums are rounded once, so that the order of the problems does not matter.
    counted: dict[int, Ints] = {}  # how often each level occurs, for each array that columns share
    means: dict[Name, float] = {}
    for key, column in values.items():
        if column.which is None and times is None:
            means[key] = _mean(column.levels if problems is None else column.levels[problems])
            continue
        if id(column.which) not in counted:
            counted[id(column.which)] = column.count(problems, times)
        means[key] = mean_of_levels(column.levels, counted[id(column.which)])
    return means


def average_error(
    errors: Floats, problems: NDArray[np.intp] | None = None, times: Ints | None = None
) -> float:
    """Return the standard error of a mean of simulated values; 0 if no value is simulated."""
    counts = Column(errors).count(problems, times)
    return sqrt(fsum((errors**2 * counts).tolist())) / int(counts.sum())


def _check_columns(per_problem: object) -> dict[str, Column]:
    if not isinstance(per_problem, Mapping):
        raise TypeError(f"`per_problem` must map keys to columns; got {describe(per_problem)}")
    values = {}
    for key, cells in per_problem.items():
        column = np.asarray(cells)
        if not isinstance(key, str) or column.dtype.kind not in "biuf":
            raise TypeError(
                f"`per_problem` must map strings to numbers; got {column.dtype} for {key!r}"
            )
        wrong = np.flatnonzero(~np.isfinite(column))
        if column.ndim != 1 or not column.size or wrong.size:
            place = ""
            if column.ndim == 1 and wrong.size:
                place = f" in problem {wrong[0]}"
            raise ValueError(
                "`per_problem` must hold one finite number per problem, and at least one problem; got "
                f"{shorten(cells)} for {key!r}{place}"
            )
        values[key] = Column.of(column)
    return values


def _mean(column: Floats) -> float:
    try:
        return fsum(column.tolist()) / len(column)
    except OverflowError:  # the sum does not fit in a float, but the mean does
        return fsum((column / len(column)).tolist())


# Multiplying by this number splits a float into two halves of 26 bits (Dekker, 1971).
_SPLIT = 2.0**27 + 1

_HALF = 2**26


def mean_of_levels(levels: Floats, counts: Ints) -> float:
    """Average levels, each of which occurs `counts` times, and round the sum once."""
    total = int(counts.sum())
    if np.abs(levels).max(initial=0) > LARGEST:  # the products would not be floats
        return fsum((levels * (counts / total)).tolist())
    # Two halves of 26 bits each, and so of counts: products of halves are exact.
    wide = levels * _SPLIT
    high = wide - (wide - levels)
    few = counts % _HALF
    products = np.stack([high, levels - high])[:, None] * np.stack([few, counts - few])
    return fsum(products.ravel().tolist()) / total


def find_members(labels: Sequence[str]) -> dict[str, NDArray[np.intp]]:
    """Find the problems of each group, in the order in which the groups appear."""
    distinct = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    codes = np.fromiter(map(distinct.__getitem__, labels), dtype=np.int64, count=len(labels))
    members = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    return dict(zip(distinct, members, strict=True))


def make_details(
    values: Values,
    verdicts: Verdicts,
    *,
    name: str,
    seed: int = 0,
    version: str,
    key_style: str = "standard",
    wanted: Confidence = NO_ERROR_BARS,
) -> dict[str, Any]:
    """Make the details of a result, ready for `json.dumps`."""
    n = verdicts.n
    table: dict[str, list[Any]] = {"n": n.tolist(), "c": verdicts.c.tolist()}
    for key, column in values.columns.items():
        table[spell(key, key_style)] = column.expand().tolist()
    counted = {}
    outcomes = verdicts.outcomes
    if outcomes is not None:
        counted = {"outcomes": outcomes.count(), "reasons": outcomes.split(verdicts.given)}
    conditions = wanted.conditions()
    signature = sign(values, verdicts, conditions, name=name, seed=seed, version=version)
    return {
        "n_problems": len(n),
        "n_samples": int(n.sum()),
        "n_missing": verdicts.n_missing,
        "n_unanswered": verdicts.n_unanswered,
        "not_graded": dict(verdicts.not_graded),
        **counted,
        "per_problem": table,
        "signature": signature,
    }
