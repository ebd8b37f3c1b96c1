"""The checker `code`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from at_k.choices import TIMEOUT
from at_k.errors import InputError
from at_k.grading.checkers.base import Checker, Explained
from at_k.grading.code import HarnessError, Outcome, run_each
from at_k.grading.code.cases import read_cases
from at_k.grading.code.limits import MEBIBYTE, ProgramLimits
from at_k.grading.code.pool import ISOLATIONS, make_limits, require_permission
from at_k.grading.fences import find_names, find_program
from at_k.grading.workers import NotGraded
from at_k.progress import open_bar
from at_k.validation import check_choice


@dataclass(frozen=True, repr=False)
class Code(Checker):
    """Accept a program if it, and then the reference, which is a test program, run to their ends without an error.

    It runs what a model wrote, and does so only if the environment variable HF_ALLOW_CODE_EVAL is 1. Each program has a
    process of its own, with limits of time, memory, files and processes, and with no network and no files to write
    where the kernel allows it. `at_k.grading.code` says what this catches, and what it does not.

    A reference may also be JSON with cases, as of LiveCodeBench, APPS, TACO and CodeContests: `inputs` and `outputs`,
    and `fn_name` where a function is called. A program then has a process of its own for each case, and fails at the
    first whose output differs.

    Where a text has fences of Markdown, the program is the last block that defines something which the tests name, as
    by `extract_fn="code"`. Tests run as what they are: as a script, by `unittest`, or, if they are functions, by a call
    of each. A test program that cannot be compiled, or that reaches no assertion and calls nothing of the program,
    grades nothing. One with a test that cannot be called, such as a `check` of HumanEval without its `entry_point`,
    passes nothing.

    Args:
        timeout: the seconds that a program may take with its tests, or for each case: of processor time, and on the
            clock. By default the option `timeout`.
        memory: the bytes of address space that each process may take.
        isolation: "auto" takes namespaces, where the kernel has none bubblewrap, where that is not installed limits
            alone. "required" raises rather than do the last, and "none" does only that.
        sandbox: "namespaces", "limits", "bubblewrap", "docker", or the name of a plugin, in place of what `isolation`
            takes; "auto" leaves it to that.
        total: the seconds on the clock that all cases of a program may take. By default, as in LiveCodeBench, a second
            more than `timeout` for each case, and five seconds.
        tolerance: how much fractions that a program prints or returns may differ from those of a case, relative to
            these where they are above 1; 0 for the verdicts of LiveCodeBench.
        pytest: whether pytest runs the tests of test programs, so that fixtures, marks and parameters work.

    Examples:
        >>> import os
        >>> os.environ["HF_ALLOW_CODE_EVAL"] = "1"
        >>> Code()("def double(x): return 2 * x", "assert double(2) == 4")
        True
        >>> del os.environ["HF_ALLOW_CODE_EVAL"]
    """

    timeout: float | None = None
    memory: int = ProgramLimits.memory
    isolation: str = "auto"
    sandbox: str = "auto"
    total: float | None = None
    tolerance: float = ProgramLimits.tolerance
    pytest: bool = False

    name = "code"
    slow = True
    strips = False

    def __post_init__(self) -> None:
        check_choice("isolation", self.isolation, ISOLATIONS)
        self._make_limits(TIMEOUT)

    def require(self) -> None:
        """Raise unless the user has allowed that programs are run, and pytest is installed where it runs the tests."""
        require_permission()
        if self.pytest and find_spec("pytest") is None:
            raise InputError(
                "code.pytest",
                "The checker `code` with `pytest=True` needs pytest. Install it with `pip install pytest`, or leave "
                "the parameter out.",
            )

    def with_timeout(self, seconds: float) -> Checker:
        """Return a checker with a limit of time: a program that exceeds it is wrong, and so a signature states it."""
        return replace(self, timeout=seconds) if self.timeout is None else self

    def describe(self) -> str:
        """Return the name with the limits: the verdicts depend on them."""
        seconds = "" if self.timeout is None else f"timeout={self.timeout:g},"
        total = "" if self.total is None else f",total={self.total:g}"
        near = "" if self.tolerance == ProgramLimits.tolerance else f",tolerance={self.tolerance:g}"
        return f"code({seconds}memory={self.memory / MEBIBYTE:g}MiB{total}{near})"

    def grade_all(
        self, pairs: Sequence[tuple[str, str]], *, num_workers: int | None = None, timeout: float | None = None
    ) -> list[Any]:
        """Run programs with their tests."""
        limits = self._make_limits(timeout or TIMEOUT)
        names = {tests: _find_entries(tests) for _, tests in pairs}
        outcomes = run_each(
            [(find_program(text, names[tests]) or text, tests) for text, tests in pairs],
            limits,
            num_workers=num_workers,
            isolation=self.isolation,
            sandbox=self.sandbox,
        )
        found: dict[int, Explained | NotGraded] = {}
        with open_bar(len(pairs), self.name) as bar, closing(outcomes):
            for place, outcome in outcomes:
                found[place] = _read(outcome)
                bar.update()
        return [found[place] for place in range(len(pairs))]

    def _make_limits(self, seconds: float) -> ProgramLimits:
        timeout = seconds if self.timeout is None else self.timeout
        return make_limits(timeout, self.memory, self.total, self.tolerance, pytest=self.pytest)


def _find_entries(tests: str) -> frozenset[str]:
    """Return the names one of which a program must define; none for a script that reads its input."""
    try:
        cases = read_cases(tests)
    except HarnessError:
        return frozenset()  # it is raised again where the program would run
    if cases is None:
        return find_names(tests)
    return frozenset(["Solution", cases.function] if cases.function else [])


def _read(outcome: Outcome | HarnessError) -> Explained | NotGraded:
    if isinstance(outcome, HarnessError):
        return NotGraded("error", str(outcome))
    reason = f"{outcome.status}: {outcome.detail}" if outcome.detail else outcome.status
    return Explained(outcome.passed, outcome.status, reason, {"isolation": outcome.isolation})
