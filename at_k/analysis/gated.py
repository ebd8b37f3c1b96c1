"""What became of requirements: verdicts by the ends of intervals, and the forms in which they are written."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from at_k.errors import Message, spell_for_output
from at_k.report.tables import escape_markdown

PASS, FAIL, INCONCLUSIVE = "PASS", "FAIL", "INCONCLUSIVE"


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
        # A difference whose interval begins at 0 is not shown to be one.
        if self.low > self.least or self.low == self.least != 0:
            return PASS
        return FAIL if self.high < self.least else INCONCLUSIVE

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
