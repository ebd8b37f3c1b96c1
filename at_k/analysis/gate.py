"""Does a model meet what is required of it? A verdict for continuous integration, by the ends of intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.analysis.gated import INCONCLUSIVE, Check, Gate
from at_k.analysis.measurements import (
    find_clusters,
    find_estimator,
    match_problems,
    read_models,
)
from at_k.analysis.requirements import Requirement, read_each, read_policy, read_requirement
from at_k.combinatorics import Floats
from at_k.error_bars import is_bounded
from at_k.errors import InputError, Mention, Message
from at_k.family import FAMILY
from at_k.options import GATING, JUDGED, complete, takes
from at_k.report import Report
from at_k.report.naming import find_number, make_absent
from at_k.report.notes import refuse_k_above_n
from at_k.report.scoring import score_unless_scored
from at_k.uncertainty.bands import find_band_quantile, share_level
from at_k.uncertainty.comparison import compare_columns
from at_k.uncertainty.intervals import find_difference_interval, interval
from at_k.uncertainty.search import find_least
from at_k.uncertainty.standard_errors import estimate_error, read_clusters
from at_k.uncertainty.variance import Variance
from at_k.validation import is_sequence, shorten, type_name
from at_k.values import Key

if TYPE_CHECKING:
    from at_k.signatures import GateOptions, Unpack

_MOST_PROBLEMS, _MOST_SAMPLES = 10_000_000, 4_096
"""Where the search for enough problems or samples ends."""


@takes(GATING, JUDGED)
def gate(candidate: Any, base: Any = None, /, **given: Unpack[GateOptions]) -> Gate:
    """Tell whether a model meets what is required of it: PASS, FAIL or INCONCLUSIVE, by the ends of intervals.

    A requirement passes if its whole interval meets it, and fails if none of the interval does. Several requirements
    are one family, whose intervals hold together at the confidence level.

    Args:
        candidate: a report, the file of one that was saved, or a results file or data set as `at_k.score` takes them.
        base: the same of the model that the candidate must not be worse than, by more than the margin.
        given: see below.

    Returns:
        The verdict, with what was measured for each requirement and how many more problems or samples would settle
        what is inconclusive.

    Raises:
        InputError: if nothing is required, a requirement cannot be read, or the data do not have its number.
        TypeError: if an argument is unknown or of the wrong kind.
        ValueError: if an argument is out of its range.

    Examples:
        >>> found = gate({"grades": [[1, 1, 1]] * 3}, require="pass@1 >= 0.8")
        >>> found.verdict, found.exit_code, found.checks[0].measured
        ('INCONCLUSIVE', 3, '1.0000 [0.3682, 1.0000]')
        >>> print(found.checks[0].advice[0])
        That all of 3 problems are right does not show at least 0.8; all of 14 would.
    """
    options = read_policy(complete(given, gate), given)
    wanted = [read_requirement(text) for text in _list("require", options["require"])]
    each = None if options["each"] is None else read_each(options["each"])
    margin, keys = options["margin"], [find_number(key) for key in _list("keys", options["keys"] or "pass@1")]
    if (base is None) != (margin is None):
        raise InputError(
            "gate.margin",
            "A comparison with a base needs both: the results of the base, and {option:margin}, the difference that "
            "does not matter.",
        )
    if not wanted and each is None and base is None:
        raise InputError(
            "gate.nothing",
            "Nothing is required. Say {requirement}, or give a base and {option:margin}.",
            requirement=Mention(require="pass@1 >= 0.8"),
        )
    compared = [] if base is None else keys
    asked = [*(own.key for own in wanted if own.key is not None), *compared]
    scoring = {name: value for name, value in given.items() if name in JUDGED}
    models = [_Model.read(name, data, asked, scoring)
              for name, data in (("candidate", candidate), ("base", base)) if data is not None]  # fmt: skip
    return _Judge(models, options).judge(wanted, compared, margin, each)


def _list(name: str, given: Any) -> list[str]:
    listed = [] if given is None else list(given) if is_sequence(given) else [given]
    for text in listed:
        if not isinstance(text, str):
            raise TypeError(f"`{name}` must hold strings; got {shorten(text)} of type {type_name(text)}")
    return listed


@dataclass(frozen=True)
class _Model:
    """Hold the report of a model, and the values of the numbers that are required of it."""

    name: str
    report: Report
    values: dict[Key, Floats]

    @classmethod
    def read(cls, name: str, data: Any, keys: Sequence[Key], scoring: Mapping[str, Any]) -> _Model:
        further = [key for key in keys if find_estimator(key) is None]
        metrics = [own.name for own in FAMILY.values() if any(key.metric in own.metrics for key in further)]
        k = sorted({key.k for key in further if key.k is not None}) or None
        report = score_unless_scored(data, scoring, metrics=metrics or ["avg_at_n"], k=k, confidence_level=None)
        report.require_problems("A comparison")
        return cls(name, report, {key: _find_values(report, key) for key in keys})


def _find_values(report: Report, key: Key) -> Floats:
    estimate = find_estimator(key)
    if estimate is not None and key.k is not None:
        refuse_k_above_n(key.k, np.array(report.n), report.problems)
        return np.asarray(estimate(np.array(report.n), np.array(report.c), k=key.k), dtype=np.float64)
    alike = [own for own in report.by_problem if own == key or key == own.metric == "avg@n"]
    if not alike:
        for name, reason in report.left_out.items():
            if any(own.metric == key.metric for own in FAMILY[name].outputs):
                raise InputError(reason.code, reason.sentence, **reason.values)
        raise make_absent(key, report.values)
    return np.array(report.by_problem[alike[0]], dtype=np.float64)


@dataclass(frozen=True)
class _Column:
    """Hold the values of one requirement, in its unit: one for each problem."""

    key: Key
    least: float
    text: str
    values: Floats
    models: tuple[_Model, ...]


class _Judge:
    """Judge the requirements of one data set as one family."""

    def __init__(self, models: Sequence[_Model], options: Mapping[str, Any]) -> None:
        self.models, self.options = tuple(models), options
        self.level: float = options["confidence_level"]
        measured = read_models({model.name: model.report for model in models}, {})
        names = [model.name for model in models]
        self.problems, _ = match_problems(measured, options["unmatched"], names)
        labels = find_clusters(options["clusters"], measured, names, self.problems)
        self.clusters = None if labels is None else read_clusters(labels, len(labels), "problems")
        self.places = [[each.places[problem] for problem in self.problems] for each in measured]

    def judge(
        self, wanted: Sequence[Requirement], keys: Sequence[Key], margin: float | None, each: Requirement | None
    ) -> Gate:
        """Judge what is required of one model, of its difference from the base, and of each problem."""
        columns = [
            _Column(own.key, own.least, own.text, self._line_up(own.key, 0), self.models[:1])
            for own in wanted if own.key is not None
        ]  # fmt: skip
        columns += [
            _Column(
                key, -margin if margin else 0.0, f"{key} − base >= {f'−{margin:g}' if margin else 0}",
                self._line_up(key, 0) - self._line_up(key, 1), self.models,
            )
            for key in keys
        ]  # fmt: skip
        level, q = self._share_level(columns, each)
        checks = [self._check(column, level, q) for column in columns]
        checks += [] if each is None else self._check_problems(each, level)
        named = (replace(check, data=self.options["data"] or "") for check in checks)
        return Gate(tuple(named), self._note(len(columns) + (each is not None and each.key is not None), level))

    def _line_up(self, key: Key, model: int) -> Floats:
        return self.models[model].values[key][self.places[model]]

    def _share_level(self, columns: Sequence[_Column], each: Requirement | None) -> tuple[float, float | None]:
        """Return the level of each interval, and the quantile of a band where several share one."""
        if each is not None and each.key is not None:
            return 1 - (1 - self.level) / (len(columns) + 1), None
        if len(columns) < 2:
            return self.level, None
        values = np.stack([column.values for column in columns], axis=1)
        level = share_level(values, self.clusters, confidence_level=self.level)
        return level, find_band_quantile(values, self.clusters, confidence_level=self.level)

    def _check(self, column: _Column, level: float, q: float | None) -> Check:
        value, bounded = float(column.values.mean()), is_bounded(column.key)
        stderr, units = (float(each) for each in estimate_error(column.values, self.clusters))
        if len(column.models) == 1:
            low, high = _find_limits(value, stderr, units, level, bounded=bounded)
        else:
            pair = (self._line_up(column.key, 0), self._line_up(column.key, 1))
            (found,), _ = compare_columns(
                [pair], [bounded], confidence_level=level, method=self.options["method"], clusters=self.clusters,
                seed=self.options["seed"],
            )  # fmt: skip
            low, high = found.low, found.high
            if q is not None and found.method == "sign-flip" and stderr > 0:
                least = -1.0 if bounded else -np.inf
                low, high = max(value - q * stderr, least), min(value + q * stderr, -least)
        check = Check(column.text, value, low, high, column.least)
        if check.verdict != INCONCLUSIVE:
            return check
        return replace(check, advice=tuple(self._advise(column, value, stderr, units, level)))

    def _advise(self, column: _Column, value: float, stderr: float, units: float, level: float) -> list[Message]:
        """Say how many problems, or samples of each, would settle a requirement, if the values stay as they are."""
        paired, total = len(column.models) > 1, len(column.values)
        bounded = is_bounded(column.key)
        if np.isnan(stderr):
            if paired or not bounded or 0 < value < 1:
                return [Message("gate.one", "One problem, or one cluster, does not tell how many would settle this.")]
            stderr = 0.0
        if not bounded and not stderr:
            return [
                Message(
                    "gate.equal",
                    "All problems have the same {key}. It has no range, so that nothing shows how far other problems "
                    "lie from them: problems that differ are needed.",
                    key=str(column.key),
                )
            ]

        def settles(stderr: float, units: float) -> bool:
            if paired and bounded:
                low, high = map(float, find_difference_interval(value, stderr, units, confidence_level=level))
            else:
                low, high = _find_limits(value, stderr, units, level, bounded=bounded)
            return low >= column.least or high < column.least

        def settles_with(problems: int) -> bool:
            return settles(stderr * (total / problems) ** 0.5, units * problems / total)

        problems = find_least(settles_with, total + 1, _MOST_PROBLEMS)
        if not paired and bounded and not stderr and value == 1 and problems is not None:
            return [
                Message(
                    "gate.all_right",
                    "That all of {total:,} problems are right does not show at least {least:g}; all of {needed:,} "
                    "would.",
                    total=total, least=column.least, needed=problems,
                )
            ]  # fmt: skip
        if problems is None:
            return [Message("gate.never", "No ten million problems with values like these would settle this.")]
        advice = [
            Message(
                "gate.problems_needed",
                "With {needed:,} problems instead of {total:,} this would be settled, if the value stays as it is.",
                total=total, needed=problems,
            )
        ]  # fmt: skip
        samples = self._count_samples(column, lambda spread: settles(spread, units), stderr)
        if samples is not None:
            advice.append(
                Message("gate.samples_needed", "So it would with {needed:,} samples of each of these.", needed=samples)
            )
        return advice

    def _count_samples(self, column: _Column, settles: Callable[[float], bool], stderr: float) -> int | None:
        """Count the samples of each problem that settle a requirement; None if no number does, or it is not known."""
        estimate, k = find_estimator(column.key), column.key.k
        if estimate is None or k is None or not stderr:
            return None
        parts = [Variance(np.array(own.report.n), np.array(own.report.c), k, estimate) for own in column.models]
        if any((part.n < 2).any() for part in parts):
            return None
        drawn = [int(np.median(part.n)) for part in parts]

        def settles_with(samples: float) -> bool:
            saved = sum(part.at(own) - part.at(samples) for part, own in zip(parts, drawn, strict=True))
            left = sum(part.at(samples) - part.at(np.inf) for part in parts)  # what samples vary by in any case
            return settles(max(stderr**2 - saved / len(column.values), left / len(column.values)) ** 0.5)

        return find_least(settles_with, max(drawn) + 1, _MOST_SAMPLES) if settles_with(np.inf) else None

    def _check_problems(self, each: Requirement, level: float) -> list[Check]:
        report = self.models[0].report
        checks = []
        for place in self.places[0]:
            problem, n, c = report.problems[place], report.n[place], report.c[place]
            share = c / n
            if each.key is None:
                # What the samples still to be drawn can become: all wrong, or all right.
                ends = (c / each.samples, (c + each.samples - n) / each.samples) if n < each.samples else (share, share)
                checks.append(Check(each.text, share, *ends, each.least, problem=problem))
                continue
            stderr = (share * (1 - share) / (n - 1)) ** 0.5 if n > 1 else 0.0
            own = 1 - (1 - level) / len(self.problems)
            check = Check(each.text, share, *_find_limits(share, stderr, n, own, bounded=True), each.least,
                          problem=problem)  # fmt: skip
            if check.verdict == INCONCLUSIVE:
                check = replace(check, advice=_advise_problem(share, stderr, n, own, each.least))
            checks.append(check)
        return checks

    def _note(self, asked: int, level: float) -> tuple[Message, ...]:
        return (
            Message(
                "gate.together",
                "Requirements: {count}. Their intervals hold together at {level}; each alone is one at {own}.",
                count=asked, level=f"{100 * self.level:g} %", own=f"{100 * level:.3g} %",
            ),
        ) if asked > 1 else ()  # fmt: skip


def _find_limits(value: float, stderr: float, units: float, level: float, *, bounded: bool) -> tuple[float, float]:
    if not bounded and not stderr > 0:  # nothing shows how far other problems lie
        return -np.inf, np.inf
    low, high = interval(
        value, stderr, units, confidence_level=level, method="beta" if bounded else "t", bounded=bounded
    )
    return float(low), float(high)


def _advise_problem(share: float, stderr: float, n: int, level: float, least: float) -> tuple[Message, ...]:
    """Say how many samples of one problem would settle what is required of it."""

    def settles(samples: int) -> bool:
        low, high = _find_limits(share, stderr * (n / samples) ** 0.5, samples, level, bounded=True)
        return low >= least or high < least

    needed = find_least(settles, n + 1, _MOST_SAMPLES)
    if needed is None:
        return ()
    return (
        Message(
            "gate.problem_samples",
            "With {needed:,} samples instead of {n:,} this would be settled, if the share stays as it is.",
            n=n, needed=needed,
        ),
    )  # fmt: skip
