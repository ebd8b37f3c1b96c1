"""The result of a gate: what became of each requirement, as a sheet and as JUnit XML."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from at_k.errors import Message, Phrases
from at_k.results.sheet import Cell, Sentences, Sheet, Table
from at_k.results.writers import Shown

PASS, FAIL, INCONCLUSIVE = "PASS", "FAIL", "INCONCLUSIVE"

_say = Phrases(
    {
        "gate.open": "More problems or samples may settle what is inconclusive: plan them with `at-k plan`.",
        "gate.problems": "Problems that pass {requirement}: {passed:,} of {total:,}.",
    }
)

_STYLES = {PASS: "good", FAIL: "bad", INCONCLUSIVE: "open"}


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
    """

    requirement: str
    value: float
    low: float
    high: float
    least: float
    data: str = ""
    problem: str | None = None

    @property
    def decision(self) -> str:
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
        return self.cell.join(str)

    @property
    def cell(self) -> Cell:
        """Return the value and its interval as a cell."""
        return Cell(self.value, None if self.low == self.high else (self.low, self.high), ".4f")


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Shown):
    """Hold what became of all requirements.

    Attributes:
        checks: one for each requirement; for requirements of every problem, one for each problem.
        notes: what a reader must know about these numbers.
    """

    checks: tuple[Check, ...]
    notes: tuple[Message, ...] = ()

    @property
    def decision(self) -> str:
        """Return "FAIL" if a requirement is failed, else "INCONCLUSIVE" if one is, else "PASS"."""
        decisions = {check.decision for check in self.checks}
        return next(decision for decision in (FAIL, INCONCLUSIVE, PASS) if decision in decisions)

    @property
    def exit_code(self) -> int:
        """Return the status with which a command ends: 0 for PASS, 1 for FAIL, 3 for INCONCLUSIVE."""
        return {PASS: 0, FAIL: 1, INCONCLUSIVE: 3}[self.decision]

    def __bool__(self) -> bool:
        """Return whether the decision is PASS, so that `assert at_k.gate(…)` is a test."""
        return self.decision == PASS

    def __add__(self, other: Gate) -> Gate:
        """Join what became of the requirements of several data sets."""
        return Gate(self.checks + other.checks, tuple(dict.fromkeys(self.notes + other.notes)))

    @property
    def remarks(self) -> list[Message]:
        """Return what to read beside the checks: counts of problems, what settles what is open, and the notes."""
        remarks = self.count_problems()
        if any(check.decision == INCONCLUSIVE for check in self.checks):
            remarks.append(_say("gate.open"))
        return remarks + list(self.notes)

    @property
    def shown(self) -> tuple[Check, ...]:
        """Return the checks that people read: all but the problems that pass."""
        return tuple(
            check for check in self.checks if check.problem is None or check.decision != PASS
        )

    def count_problems(self) -> list[Message]:
        """Count, for each requirement of every problem, how many pass."""
        passes: dict[tuple[str, str], list[bool]] = {}
        for check in self.checks:
            if check.problem is not None:
                passes.setdefault((check.data, check.requirement), []).append(
                    check.decision == PASS
                )
        return [
            _say(
                "gate.problems",
                requirement=": ".join(filter(None, named)),
                passed=sum(passed),
                total=len(passed),
            )
            for named, passed in passes.items()
        ]

    def sheet(self, *, short: bool = False) -> Sheet:
        """Show the decision, and what was measured for each requirement."""
        rows = []
        for check in self.shown:
            decision = Cell(check.decision, style=_STYLES[check.decision])
            rows.append((decision, check.name, check.cell))
        table = Table(("", "requirement", "measured"), rows, quiet=True, left=2)
        return Sheet(
            [table, Sentences(self.remarks, "note")],
            title=self.decision,
            style=_STYLES[self.decision],
            data=self._data,
        )

    def _data(self) -> dict[str, Any]:
        return {
            "decision": self.decision,
            "exit_code": self.exit_code,
            "checks": [{**vars(check), "decision": check.decision} for check in self.checks],
            "notes": self.remarks,
        }

    def to_junit(self) -> str:
        """Write JUnit XML, which systems for continuous integration show: what is inconclusive is an error there."""
        from xml.etree import ElementTree

        root = ElementTree.Element("testsuites")
        for data in dict.fromkeys(check.data for check in self.checks):
            checks = [check for check in self.checks if check.data == data]
            decisions = [check.decision for check in checks]
            counts = {
                "tests": len(checks),
                "failures": decisions.count(FAIL),
                "errors": decisions.count(INCONCLUSIVE),
            }
            about = {
                "name": _clean(data or "at-k gate"),
                **{name: str(count) for name, count in counts.items()},
            }
            suite = ElementTree.SubElement(root, "testsuite", about)
            for check in checks:
                named = {
                    "classname": _clean(data or "at-k"),
                    "name": _clean(replace(check, data="").name),
                }
                case = ElementTree.SubElement(suite, "testcase", named)
                if check.decision != PASS:
                    text = _clean(f"{check.decision}: {check.measured}.")
                    kind = "failure" if check.decision == FAIL else "error"
                    ElementTree.SubElement(case, kind, {"type": check.decision, "message": text})
        ElementTree.indent(root)
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _clean(text: str) -> str:
    """Write the signs that XML cannot hold as U+FFFD."""
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)
