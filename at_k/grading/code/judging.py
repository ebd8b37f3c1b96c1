"""Say what the end of a program means: its verdict, or why there is none.

This runs in the process of the caller, of which no program is a copy: here are the outputs of cases.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from at_k.grading.code.cases import Cases, compare_output, compare_value, read_cases
from at_k.grading.code.protocol import MEBIBYTE, HarnessError, Outcome, ProgramLimits, Status

# The samples of a problem come one after the other, with the same cases.
read_once = lru_cache(maxsize=16)(read_cases)


@dataclass(frozen=True)
class Judge:
    """Judge programs by what a supervisor sees of them, which `ask` hands a request."""

    ask: Callable[[dict[str, Any]], Any]
    limits: ProgramLimits
    isolation: str

    def judge(self, pair: tuple[str, str]) -> Outcome | HarnessError:
        """Return the verdict on a candidate with its tests, or its cases, or why there is none."""
        candidate, tests = pair
        try:
            cases = read_once(tests)
            if cases is None:
                return self._judge_tests(candidate, tests)
            return self._judge_cases(candidate, cases)
        except HarnessError as fault:
            return fault

    def _judge_tests(self, candidate: str, tests: str) -> Outcome:
        end = self._run(candidate, self.limits.output, tests=tests)
        if end["facts"].get("passed") and not end["exit"] and not end["overtime"]:
            return Outcome("passed", "", end["printed"], self.isolation)
        return Outcome(*judge_failure(end, tests, self.limits), end["printed"], self.isolation)

    def _judge_cases(self, candidate: str, cases: Cases) -> Outcome:
        """Return the verdict on a candidate by cases, each of which has a process."""
        count = len(cases.inputs)
        for place, (fed, wanted) in enumerate(zip(cases.inputs, cases.outputs, strict=True), 1):
            settings = {"function": cases.function, "loose": cases.loose}
            if cases.function:
                settings |= {"arguments": fed, "input": ""}
            else:
                settings |= {"arguments": [], "input": fed}
            most = MEBIBYTE
            if not cases.function:
                most = 2 * len(wanted) + MEBIBYTE
            end = self._run(candidate, most, **settings)
            status, detail = judge_case(end, cases.function, wanted, self.limits)
            if status != "passed":
                printed = end["printed"][: self.limits.output]
                return Outcome(
                    status, f"test {place} of {count}: {detail}", printed, self.isolation
                )
        return Outcome("passed", "", "", self.isolation)

    def _run(self, candidate: str, output: int, **settings: Any) -> dict[str, Any]:
        """Let the supervisor run a candidate. Return what it saw, with the report as `facts`."""
        end: dict[str, Any] = self.ask({"candidate": candidate, "output": output, **settings})
        try:
            facts = json.loads(end.pop("report", "") or "{}")
        except (ValueError, RecursionError):
            facts = {"detail": "what it returned cannot be read"}
        if not isinstance(facts, dict):
            facts = {}
        fault = end.get("fault") or facts.get("fault")
        if not fault and not end["began"]:
            fault = (
                f"the process of a program ended with status {end['exit']} before the program began"
            )
        if fault:
            raise HarnessError(fault)
        return end | {"facts": facts}


def judge_case(
    end: dict[str, Any], function: str, wanted: Any, limits: ProgramLimits
) -> tuple[Status, str]:
    """Return the verdict on a candidate in one case. A script may also end by `os._exit(0)`."""
    facts = end["facts"]
    left = not function and not facts and end["exit"] == 0
    if end["overtime"] or not ("result" in facts or left):
        return judge_failure(end, "", limits)
    if function:
        fault = compare_value(facts["result"], wanted, limits.tolerance)
    else:
        fault = compare_output(end["printed"], wanted, limits.tolerance)
    if fault:
        return "failed", fault
    return "passed", ""


def judge_failure(end: dict[str, Any], tests: str, limits: ProgramLimits) -> tuple[Status, str]:
    """Return the verdict on a program that did not run to the end of its tests."""
    if end["overtime"]:
        return "timed out", end["overtime"]
    facts = end["facts"]
    code = end["exit"]
    if "detail" in facts:
        detail = facts["detail"]
        line = facts.get("line")
        lines = tests.splitlines()
        if line and line <= len(lines):
            detail += f" in line {line} of the tests: {lines[line - 1].strip()}"
        return "killed for memory" if facts.get("memory") else "failed", detail
    if code >= 0:
        return "failed", f"ended with exit code {code} before the end of the tests"
    if -code in (signal.SIGKILL, signal.SIGXCPU) and end["seconds"] >= limits.timeout:
        return "timed out", f"{limits.timeout:g} s of processor time"
    if -code == signal.SIGKILL and end["memory"] >= limits.memory / 2:
        return "killed for memory", "the system ended the process"
    return "failed", f"ended by {signal.Signals(-code).name} before the end of the tests"
