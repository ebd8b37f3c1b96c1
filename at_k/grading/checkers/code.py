"""The checker `code`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from at_k.grading.checkers.base import Checker, Explained
from at_k.grading.code import HarnessError, Outcome, ProgramLimits, run_each
from at_k.grading.code.cases import find_prompt, read_cases, read_row, write_tests
from at_k.grading.code.pool import ISOLATIONS, require_permission
from at_k.grading.code.protocol import MEBIBYTE
from at_k.grading.programs import Program, find_names, find_program, find_snippet
from at_k.grading.workers import NotGraded, check_num_workers, check_timeout
from at_k.options.registry import TIMEOUT
from at_k.validation import check_choice, is_integer, is_number, shorten

LEAST_MEMORY = 64 * MEBIBYTE


@dataclass(frozen=True, repr=False)
class Code(Checker):
    """Accept a program if it, and then the reference, which is a test program, run to their ends without an error.

    It runs what a model wrote, and does so only if the environment variable HF_ALLOW_CODE_EVAL is 1. Each program has a
    process of its own, with limits of time, memory, files and processes, and with no network and no files to write
    where the kernel allows it. `at_k.grading.code` says what this catches, and what it does not.

    A reference may also be JSON with cases, as of LiveCodeBench, APPS, TACO and CodeContests: `inputs` and `outputs`,
    and `fn_name` where a function is called. A program then has a process of its own for each case, and fails at the
    first whose output differs.

    It may be the row of a data set as it ships (MBPP, HumanEval, BigCodeBench), as JSON. Of a list of tests, all must
    hold.

    A program is found in a reply in one step (`at_k.grading.programs`), between fences or lines of prose, and joined to
    its prompt if it is a body. The verdict is the end of `python tests.py`, with the program as a module that the tests
    import: an exit code of 0 passes, if the tests ran and something in them decided. A test program that cannot be
    compiled, or that reaches no assertion and calls nothing of the program, grades nothing.

    Args:
        timeout: the seconds that a program may take with its tests, or for each case: of processor time, and on the
            clock. By default the option `timeout`.
        memory: the bytes of address space that each process may take.
        isolation: "auto" takes namespaces, or, where the kernel has none, limits under Landlock. "required" takes
            namespaces alone, and "none" limits, also where the kernel has no Landlock. By default what the
            environment variable AT_K_ISOLATION says, which the command line reads too; else "auto".
        tolerance: how much fractions that a program prints or returns may differ from those of a case, relative to
            these where they are above 1; 0 for the verdicts of LiveCodeBench.

    Examples:
        >>> import os
        >>> os.environ["HF_ALLOW_CODE_EVAL"] = "1"
        >>> Code()("def double(x): return 2 * x", "assert double(2) == 4")
        True
        >>> del os.environ["HF_ALLOW_CODE_EVAL"]
    """

    timeout: float | None = None
    memory: int = ProgramLimits.memory
    isolation: str = field(default_factory=lambda: os.environ.get("AT_K_ISOLATION", "auto"))
    tolerance: float = ProgramLimits.tolerance

    name = "code"
    slow = True
    votes = False
    strips = False

    def __post_init__(self) -> None:
        check_choice("isolation", self.isolation, tuple(ISOLATIONS))
        if self.timeout is not None:
            check_timeout(self.timeout)
        if not is_number(self.tolerance) or not 0 <= self.tolerance < 1:
            raise ValueError(
                f"`tolerance` must be a number in [0, 1); got {shorten(self.tolerance)}"
            )
        if not is_integer(self.memory) or self.memory < LEAST_MEMORY:
            least = f"at least {LEAST_MEMORY:,} bytes, which Python needs"
            raise ValueError(f"`memory` must be {least}; got {shorten(self.memory)}")

    def require(self) -> None:
        """Raise unless the user has allowed that programs are run."""
        require_permission()

    def with_timeout(self, seconds: float) -> Checker:
        """Return a checker with a limit of time: a program that exceeds it is wrong, and so a signature states it."""
        if self.timeout is None:
            return replace(self, timeout=seconds)
        return self

    def describe(self) -> str:
        """Return the name with the limits: the verdicts depend on them."""
        seconds = ""
        if self.timeout is not None:
            seconds = f"timeout={self.timeout:g},"
        if self.tolerance == ProgramLimits.tolerance:
            near = ""
        else:
            near = f",tolerance={self.tolerance:g}"
        return f"code({seconds}memory={self.memory / MEBIBYTE:g}MiB{near})"

    def join_references(self, references: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Return one test program for each problem: of a list of tests, all must hold."""
        return [("\n".join(row),) if len(row) > 1 else row for row in references]

    def grade_all(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        num_workers: int | None = None,
        timeout: float | None = None,
    ) -> list[Any]:
        """Run programs with their tests."""
        seconds = self.timeout or timeout or TIMEOUT
        # Supervisors have no NumPy.
        limits = ProgramLimits(float(seconds), int(self.memory), tolerance=float(self.tolerance))
        tests = {reference: _read_tests(reference) for _, reference in pairs}
        programs = [_find_program(text, *tests[reference]) for text, reference in pairs]
        runs = [
            (program.source, tests[reference][1])
            for program, (_, reference) in zip(programs, pairs, strict=True)
        ]
        workers = check_num_workers(num_workers)
        outcomes = run_each(runs, limits, num_workers=workers, isolation=self.isolation)
        return [*map(_read, outcomes, programs)]


def _read_tests(reference: str) -> tuple[Mapping[str, Any], str, frozenset[str]]:
    """Return the row of a reference, its tests, and the names one of which a program must define."""
    row = read_row(reference) or {}
    tests = reference
    if row:
        tests = write_tests(row)
    try:
        cases = read_cases(tests)
    except HarnessError:
        return row, tests, frozenset()  # it is raised again where the program would run
    if cases is None:
        return row, tests, find_names(tests)
    return row, tests, frozenset(["Solution", cases.function] if cases.function else [])


def _find_program(text: str, row: Mapping[str, Any], tests: str, names: frozenset[str]) -> Program:
    """Return what runs before the tests: the program, or for DS-1000 its source, which the tests run."""
    if row.get("code_context"):
        return Program(f"code = {find_snippet(text)!r}\n", compiles=True)
    return find_program(text, names, *find_prompt(row))


def _read(outcome: Outcome | HarnessError, program: Program) -> Explained | NotGraded:
    if isinstance(outcome, HarnessError):
        return NotGraded("error", str(outcome))
    status = outcome.status if program.compiles else "no program"
    reason = f"{status}: {outcome.detail}" if outcome.detail else status
    return Explained(outcome.passed, status, reason, {"isolation": outcome.isolation})
