"""Does a model meet what is required of it? A verdict for continuous integration, by the ends of intervals."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.analysis.measurements import (
    find_clusters,
    find_estimator,
    match_problems,
    read_models,
    refuse_scoring_options,
)
from at_k.combinatorics import Floats
from at_k.error_bars import is_bounded
from at_k.errors import InputError, Mention, Message, spell_for_output
from at_k.family import FAMILY, OUTPUTS
from at_k.options import GATING, JUDGED, complete, takes
from at_k.report import Report, score
from at_k.report.report import find_report
from at_k.report.tables import escape_markdown
from at_k.uncertainty.bands import find_band_quantile, share_level
from at_k.uncertainty.comparison import compare_columns
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.search import find_least
from at_k.uncertainty.standard_errors import estimate_error, read_clusters
from at_k.uncertainty.variance import Variance
from at_k.validation import shorten, type_name
from at_k.values import Key

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from at_k.signatures import GateOptions, Unpack

PASS, FAIL, INCONCLUSIVE = "PASS", "FAIL", "INCONCLUSIVE"

_MOST_PROBLEMS, _MOST_SAMPLES = 10_000_000, 4_096
"""Where the search for enough problems or samples ends."""


@dataclass(frozen=True)
class Requirement:
    """Require a number to be at least so large: of all problems, or, as `each`, of every single one.

    Attributes:
        key: the number; None for a share of the samples of a problem that were drawn.
        least: how large it must be.
        text: how the requirement was spelled.
        samples: how many samples the share is of.
    """

    key: Key | None
    least: float
    text: str
    samples: int = 0


@dataclass(frozen=True)
class Check:
    """Hold what became of one requirement.

    Attributes:
        requirement: what was required.
        value: the number, or the difference of the two models.
        low: the lower end of its interval.
        high: the upper end.
        least: what the number must be at least.
        data: the name of the data set.
        problem: the problem that it is about; None for all problems.
        advice: how many more problems or samples would settle what is inconclusive.
    """

    requirement: str
    value: float
    low: float
    high: float
    least: float
    data: str = ""
    problem: str | None = None
    advice: tuple[Message, ...] = ()

    @property
    def verdict(self) -> str:
        """Return "PASS" if the whole interval meets the requirement, "FAIL" if none of it does, or "INCONCLUSIVE"."""
        return PASS if self.low >= self.least else FAIL if self.high < self.least else INCONCLUSIVE

    @property
    def name(self) -> str:
        """Return the data set, the requirement and the problem as one name."""
        return ": ".join(part for part in (self.data, self.problem, self.requirement) if part)

    @property
    def measured(self) -> str:
        """Write the value and its interval, with a fourth decimal, by which an end may miss what is required."""
        ends = "" if self.low == self.high else f" [{self.low:.4f}, {self.high:.4f}]"
        return f"{self.value:.4f}{ends}".replace("-", "−")


@dataclass(frozen=True)
class Gate:
    """Hold what became of all requirements.

    Attributes:
        checks: one for each requirement; for requirements of every problem, one for each problem.
        notes: what a reader must know about these numbers.
    """

    checks: tuple[Check, ...]
    notes: tuple[Message, ...] = ()

    @property
    def verdict(self) -> str:
        """Return "FAIL" if a requirement is failed, else "INCONCLUSIVE" if one is, else "PASS"."""
        found = {check.verdict for check in self.checks}
        return next(verdict for verdict in (FAIL, INCONCLUSIVE, PASS) if verdict in found)

    @property
    def exit_code(self) -> int:
        """Return the status with which a command ends: 0 for PASS, 1 for FAIL, 3 for INCONCLUSIVE."""
        return {PASS: 0, FAIL: 1, INCONCLUSIVE: 3}[self.verdict]

    def __add__(self, other: Gate) -> Gate:
        """Join what became of the requirements of several data sets."""
        return Gate(self.checks + other.checks, tuple(dict.fromkeys(self.notes + other.notes)))

    @property
    def shown(self) -> tuple[Check, ...]:
        """Return the checks that people read: all but the problems that pass."""
        return tuple(check for check in self.checks if check.problem is None or check.verdict != PASS)

    def count_problems(self) -> list[Message]:
        """Count, for each requirement of every problem, how many pass."""
        found: dict[tuple[str, str], list[bool]] = {}
        for check in self.checks:
            if check.problem is not None:
                found.setdefault((check.data, check.requirement), []).append(check.verdict == PASS)
        return [
            Message(
                "gate.problems",
                "Problems that pass {requirement}: {passed:,} of {total:,}.",
                requirement=f"{data}: {requirement}" if data else requirement,
                passed=sum(passed),
                total=len(passed),
            )
            for (data, requirement), passed in found.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for `json.dumps`; an end of an interval that is infinite is None."""
        return {
            "verdict": self.verdict,
            "exit_code": self.exit_code,
            "checks": [
                {
                    "data": check.data,
                    "problem": check.problem,
                    "requirement": check.requirement,
                    "verdict": check.verdict,
                    "value": check.value,
                    "low": check.low if np.isfinite(check.low) else None,
                    "high": check.high if np.isfinite(check.high) else None,
                    "least": check.least,
                    "advice": list(map(str, check.advice)),
                }
                for check in self.checks
            ],
            "notes": list(map(str, (*self.count_problems(), *self.notes))),
        }

    def to_json(self) -> str:
        """Write `to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)

    def to_markdown(self) -> str:
        """Write a Markdown table with a row for each requirement, as a comment on a change; then advice and notes."""
        lines = [f"**{self.verdict}**", "", "| | requirement | measured |", "|---|---|--:|"]
        lines += [f"| {each.verdict} | {escape_markdown(each.name)} | {each.measured} |" for each in self.shown]
        said = [f"{check.name}: {' '.join(map(str, check.advice))}" for check in self.shown if check.advice]
        said += map(str, (*self.count_problems(), *self.notes))
        return "\n".join([*lines, "", *(f"- {escape_markdown(sentence)}" for sentence in said)]).rstrip()

    def to_junit(self) -> str:
        """Write JUnit XML, which systems for continuous integration show: what is inconclusive is an error there."""
        from xml.etree import ElementTree

        suites: dict[str, list[Check]] = {}
        for check in self.checks:
            suites.setdefault(check.data, []).append(check)
        root = ElementTree.Element("testsuites")
        for data, checks in suites.items():
            found = [check.verdict for check in checks]
            counts = {"tests": len(found), "failures": found.count(FAIL), "errors": found.count(INCONCLUSIVE)}
            suite = ElementTree.SubElement(
                root, "testsuite", {"name": _clean(data or "at-k gate"), **{name: str(n) for name, n in counts.items()}}
            )
            for check in checks:
                named = {"classname": _clean(data or "at-k"), "name": _clean(replace(check, data="").name)}
                case = ElementTree.SubElement(suite, "testcase", named)
                if check.verdict != PASS:
                    kind = "failure" if check.verdict == FAIL else "error"
                    said = " ".join([f"{check.verdict}: {check.measured}.", *map(str, check.advice)])
                    ElementTree.SubElement(case, kind, {"type": check.verdict, "message": _clean(said)})
        ElementTree.indent(root)
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'

    def __str__(self) -> str:
        return spell_for_output(self.to_markdown())


def _clean(text: str) -> str:
    """Write the signs that XML cannot hold as U+FFFD."""
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


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
    wanted = [read_requirement(text) for text in _list(options["require"])]
    each = None if options["each"] is None else read_each(options["each"])
    margin, keys = options["margin"], [_read_key(key) for key in _list(options["keys"] or "pass@1")]
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


def _list(given: Any) -> list[str]:
    return [] if given is None else [given] if isinstance(given, str) else list(given)


_KEY = re.compile(r"(accuracy|avg@n)|([A-Za-z-]+[@^])(\d{1,9})(?:_(\d*\.?\d+))?")


def _read_key(text: str) -> Key:
    """Read the name of a number, such as pass^4.

    Examples:
        >>> key = _read_key("G-Pass@8_0.5")
        >>> key.metric, key.k, key.tau
        ('G-Pass@k', 8, 0.5)
    """
    found = _KEY.fullmatch(text.strip())
    if found is not None:
        whole, metric, k, tau = found.groups()
        name = whole or f"{metric}{'n' if metric == 'avg@' else 'k'}"
        if (name in OUTPUTS or name == "pass^k") and (tau is None) == (name != "G-Pass@k"):
            return Key(name, None if k is None else int(k), None if tau is None else float(tau))
    raise InputError(
        "gate.key",
        "There is no number {key}. Numbers are spelled like pass@1, pass^4, G-Pass@8_0.5, cons@8 or avg@n.",
        key=shorten(text),
    )


def read_requirement(text: str) -> Requirement:
    """Read what is required of a number.

    Examples:
        >>> found = read_requirement("pass^4 >= 80 %")
        >>> found.key, found.least
        ('pass^4', 0.8)
    """
    if not isinstance(text, str):
        raise TypeError(f"`require` must hold strings; got {shorten(text)} of type {type_name(text)}")
    key, sign, number = (part.strip() for part in text.replace("≥", ">=").partition(">="))
    found = re.fullmatch(r"([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)\s*(%?)", number)
    if not sign or found is None:
        raise InputError(
            "gate.requirement",
            "A requirement names a number and what it must be at least, such as {example}; got {text}.",
            example="pass^4 >= 0.8",
            text=shorten(text),
        )
    least = float(found[1]) / (100 if found[2] else 1)
    named = _read_key(key)
    if is_bounded(named) and not 0 < least <= 1:
        raise InputError(
            "gate.range", "A share such as {key} can be required to be above 0 and at most 1; got {least:g}.",
            key=str(named), least=least,
        )  # fmt: skip
    return Requirement(named, least, f"{named} >= {least:g}")


def read_each(text: str) -> Requirement:
    """Read what is required of every problem.

    Examples:
        >>> found = read_each("8 of 10")
        >>> found.key, found.least, found.samples
        (None, 0.8, 10)
        >>> read_each("pass@1 >= 0.8").key
        'pass@1'
    """
    counted = re.fullmatch(r"\s*(\d{1,9})\s*(?:of|/)\s*(\d{1,9})\s*", text) if isinstance(text, str) else None
    if counted is not None and 0 < int(counted[1]) <= int(counted[2]):
        right, samples = int(counted[1]), int(counted[2])
        return Requirement(None, right / samples, f"{right} of {samples}", samples)
    if counted is None and isinstance(text, str) and ">=" in text.replace("≥", ">="):
        found = read_requirement(text)
        if found.key == "pass@1":
            return found
    raise InputError(
        "gate.each",
        "{option:each} must say how many samples of each problem must be correct, such as 8 of 10, or what must be "
        "shown of each, such as {example}; got {text}.",
        example="pass@1 >= 0.8",
        text=shorten(text),
    )


def read_policy(options: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Take what is not given from the policy: from the table of the data set, or else from above the first table.

    Raises:
        InputError: if the policy has no such data set, or a name that is none of `require`, `each`, `keys`, `margin`,
            `confidence_level` and `method`.
    """
    if options["policy"] is None:
        return options
    policy = load_policy(options["policy"])
    tables = {name: table for name, table in policy.items() if isinstance(table, Mapping)}
    general = {name: value for name, value in policy.items() if name not in tables}
    data = options["data"]
    if tables and data not in tables and not general:
        raise InputError(
            "gate.no_data",
            "The policy has nothing about {data}. It has {known}. Name the data set like one of them: {option:data}.",
            data=data or "results without a name", known=", ".join(tables),
        )  # fmt: skip
    found = general | dict(tables.get(data, {}))
    for name, value in found.items():
        if name not in _OF_POLICY:
            raise InputError(
                "gate.policy", "The policy has {name}, which is not one of {known}.", name=name,
                known=", ".join(_OF_POLICY),
            )  # fmt: skip
        GATING[name].refuse_wrong(value)
    return options | {name: value for name, value in found.items() if name not in given}


_OF_POLICY = ("require", "each", "keys", "margin", "confidence_level", "method")


def load_policy(policy: str | PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Return a policy, read from its TOML file unless it is a mapping already."""
    if isinstance(policy, Mapping):
        return dict(policy)
    with open(policy, "rb") as file:
        try:
            found: dict[str, Any] = tomllib.load(file)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as reason:
            raise InputError("gate.toml", "The policy is not TOML: {reason}.", reason=str(reason)) from None
    return found


@dataclass(frozen=True)
class _Model:
    """Hold the report of a model, and the values of the numbers that are required of it."""

    name: str
    report: Report
    values: dict[Key, Floats]

    @classmethod
    def read(cls, name: str, data: Any, keys: Sequence[Key], scoring: Mapping[str, Any]) -> _Model:
        report = find_report(data)
        if report is not None:
            refuse_scoring_options(scoring)
        else:
            further = {OUTPUTS[key.metric].metric: key for key in keys if find_estimator(key) is None}
            metrics = [own.name for own in FAMILY.values()
                       if any(output.metric in further for output in own.outputs)]  # fmt: skip
            k = sorted({key.k for key in keys if find_estimator(key) is None and key.k is not None}) or None
            report = score(data, metrics=metrics or ["avg_at_n"], k=k, confidence_level=None, **scoring)
        return cls(name, report, {key: _find_values(report, key) for key in keys})


def _find_values(report: Report, key: Key) -> Floats:
    estimate = find_estimator(key)
    if estimate is not None and key.k is not None:
        return np.asarray(estimate(np.array(report.n), np.array(report.c), k=key.k), dtype=np.float64)
    alike = [own for own in report.by_problem if own == key or key == own.metric == "avg@n"]
    if not alike:
        for name, reason in report.left_out.items():
            if any(own.metric == key.metric for own in FAMILY[name].outputs):
                raise InputError(reason.code, reason.sentence, **reason.values)
        raise InputError(
            "gate.missing",
            "The results do not have {key}. They have {known}.",
            key=str(key),
            known=", ".join(report.values),
        )
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
                key, -(margin or 0.0), f"{key} − base >= −{margin:g}",
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
            if q is not None and found.method == "sign-flip":
                low, high = value - q * stderr, value + q * stderr
        check = Check(column.text, value, low, high, column.least)
        if check.verdict != INCONCLUSIVE:
            return check
        return replace(check, advice=tuple(self._advise(column, value, stderr, units, level)))

    def _advise(self, column: _Column, value: float, stderr: float, units: float, level: float) -> list[Message]:
        """Say how many problems, or samples of each, would settle a requirement, if the values stay as they are."""
        paired, total = len(column.models) > 1, len(column.values)
        bounded, stderr = is_bounded(column.key), 0.0 if np.isnan(stderr) else stderr

        def settles(stderr: float, units: float) -> bool:
            if paired and bounded:
                ends = _find_limits((1 + value) / 2, stderr / 2, units, level, bounded=True)
                low, high = (2 * end - 1 for end in ends)
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
    method = "beta" if bounded else "t"
    low, high = interval(value, stderr, units, confidence_level=level, method=method, bounded=bounded)
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
