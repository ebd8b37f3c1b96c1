"""Run one program with its tests, or one case, in this process, which does nothing else any more.

The program is a module, `candidate`, and its tests go on in it as the script, `__main__`, as if they had imported all
of it. They share an interpreter, so a program that is made to deceive its tests can do so (`docs/checking.md`). Of a
case, this process never has the output that it must produce.
"""

from __future__ import annotations

import atexit
import builtins
import importlib
import linecache
import os
import sys
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import cache
from traceback import walk_tb
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any, NoReturn

from at_k.grading.code.cases import restore_keys, simplify
from at_k.grading.code.protocol import HarnessError, Report
from at_k.grading.code.reach import TESTS

# Characters of an error message that are kept.
MOST_CHARACTERS = 500

FILE = "program.py"
# The name of the program in tracebacks.
CANDIDATE = "<candidate>"

# The cases of `unittest` that ran and that were skipped, and what failed in those that are not the program's own.
RAN: list[Any] = []
SKIPPED: list[Any] = []
FAILED: list[BaseException] = []


def run_script(
    report: Report, module: ModuleType, candidate: str, run: Callable[..., dict[str, Any]]
) -> None:
    """Run a candidate as the script of a module, by a function that returns the facts, and report how that went."""
    sys.modules["__main__"] = sys.modules["candidate"] = (
        module  # tests may import it by the second name
    )
    module.__file__ = os.path.join(os.getcwd(), FILE)
    sys.argv[:] = [module.__file__]
    linecache.cache[CANDIDATE] = (
        len(candidate),
        None,
        candidate.splitlines(keepends=True),
        CANDIDATE,
    )
    report.begin(time.monotonic())
    try:
        report.write(run(compile(candidate, CANDIDATE, "exec", dont_inherit=True), vars(module)))
    except BaseException as error:  # noqa: BLE001 - SystemExit too: it did not run to its end
        report.write(describe_end(error))
        flush()


def run_program(report: Report, candidate: str, tests: CodeType, *, has_cases: bool) -> None:
    """Run a candidate as a module and its tests as the script, and report how that went."""

    def run(program: CodeType, namespace: dict[str, Any]) -> dict[str, Any]:
        try:
            exec(program, namespace)
        except SystemExit as end:  # what it defines is defined: its tests run
            if not succeeds(end):
                raise
        namespace["__name__"] = "__main__"
        let_tests_leave(report)
        if has_cases:
            watch_cases({id(item) for item in namespace.values()})
        run_tests(tests, namespace)
        finish()
        if SKIPPED and len(SKIPPED) >= len(RAN):
            raise HarnessError("all tests were skipped, so that every program would pass")
        return {"passed": True}

    module = ModuleType("candidate")
    vars(module)["__builtins__"] = builtins
    run_script(report, module, candidate, run)


def let_tests_leave(report: Report) -> None:
    """Report that tests have ended if they call `os._exit(0)` themselves."""
    leave = os._exit

    def leave_tests(status: int) -> NoReturn:
        if status == 0 and not FAILED and sys._getframe(1).f_code.co_filename == TESTS:
            flush()
            report.write({"passed": True})
        leave(status)

    os._exit = leave_tests


def watch_cases(program: Collection[int]) -> None:
    """Let results of `unittest` also tell which cases ran, were skipped, and failed, whether or not they are read."""
    from unittest import TestResult

    def watch(name: str, note: Callable[..., object]) -> None:
        tell = getattr(TestResult, name)

        def tell_both(result: Any, case: Any, *facts: Any) -> Any:
            note(case, *facts)
            return tell(result, case, *facts)

        setattr(TestResult, name, tell_both)

    def fail(case: Any, error: Any) -> None:
        if error is not None and id(type(case)) not in program:
            FAILED.append(error[1])

    watch("startTest", RAN.append)
    watch("addSkip", lambda case, reason: SKIPPED.append(case))
    watch("addError", fail)
    watch("addFailure", fail)
    watch("addSubTest", lambda case, _, error: fail(case, error))


def run_tests(tests: CodeType, namespace: dict[str, Any]) -> None:
    """Run a test program, and the cases of `unittest` if it ran none. Raise what failed in a case or an example."""
    before = dict(namespace)
    try:
        _allow_exit(exec, tests, namespace)
        defined = {name: item for name, item in namespace.items() if before.get(name) is not item}
        case = getattr(sys.modules.get("unittest"), "TestCase", ())
        if not RAN and any(
            isinstance(item, type) and issubclass(item, case) for item in defined.values()
        ):
            main = sys.modules["unittest"].main
            _allow_exit(main, SimpleNamespace(**defined), argv=[FILE], exit=False)
    except SystemExit:
        if not FAILED:
            raise
    examples = getattr(sys.modules.get("doctest"), "master", None)
    if examples is not None and examples.failures:
        FAILED.append(AssertionError(f"{examples.failures} examples of doctest failed"))
    if FAILED:
        raise FAILED[0]


def _allow_exit(function: Callable[..., object], *arguments: object, **options: object) -> None:
    """Call a function, which may end by an exit that reports success, and does not come from the program."""
    try:
        function(*arguments, **options)
    except SystemExit as end:
        if not succeeds(end) or comes_from_program(end):
            raise


def succeeds(end: SystemExit) -> bool:
    """Return whether an exit reports success."""
    return end.code is None or (isinstance(end.code, int) and end.code == 0)


# The modules whose names LiveCodeBench puts before every program, and which programs for it use without an import.
OFFERED = (
    *(
        "string",
        "re",
        "datetime",
        "collections",
        "heapq",
        "bisect",
        "copy",
        "math",
        "random",
        "statistics",
    ),
    *("itertools", "functools", "operator", "io", "sys", "json", "typing"),
)

# The limit of recursion of programs for LiveCodeBench.
MOST_FRAMES = 50_000

# Digits of a whole number in cases of input and output, as LiveCodeBench allows.
MOST_DIGITS = 50_000


@cache
def prepare_module() -> ModuleType:
    """Make the module of a program that is run by cases, once: a fork copies each page of memory that it writes to."""
    module = ModuleType("__main__")
    for offered in map(importlib.import_module, OFFERED):
        public = getattr(
            offered, "__all__", [name for name in vars(offered) if not name.startswith("_")]
        )
        vars(module).update(
            {name: getattr(offered, name) for name in public if name not in vars(builtins)}
        )
    vars(module).update({name: sys.modules[name] for name in OFFERED}, __builtins__=builtins)
    return module


def run_case(
    report: Report, candidate: str, function: str, arguments: Sequence[object], *, loose: bool
) -> None:
    """Run a candidate for one case, and report what it returned."""

    def run(program: CodeType, namespace: dict[str, Any]) -> dict[str, Any]:
        # A script may end by an exit, whatever the exit says, as in LiveCodeBench.
        with suppress(*() if function else (SystemExit,)):
            exec(program, namespace)
        result = None
        if function:
            if "class Solution" in candidate:
                owner = namespace["Solution"]()
            else:
                owner = sys.modules["candidate"]
            result = getattr(owner, function)(*(restore_keys(arguments) if loose else arguments))
        else:
            finish()
        return {"result": simplify(result, loose=loose)}

    module = prepare_module()
    vars(module)["__name__"] = "candidate" if function else "__main__"
    sys.setrecursionlimit(MOST_FRAMES)
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(MOST_DIGITS)
    run_script(report, module, candidate, run)


def finish() -> None:
    """Do what Python does at the end of a script: wait for threads, call functions of `atexit`, print what waits."""
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()
    atexit._run_exitfuncs()
    flush()


def flush() -> None:
    """Write what was printed and waits in a buffer."""
    for stream in (sys.stdout, sys.__stdout__, sys.stderr):
        if stream is not None and not stream.closed:
            with suppress(OSError):  # the program has closed what it would be written to
                stream.flush()


def describe_end(error: BaseException) -> dict[str, Any]:
    """Return what is reported of the exception with which a program ended, whose text may do anything."""
    try:
        if isinstance(error, HarnessError):
            return {"fault": str(error)}
        if isinstance(error, ModuleNotFoundError) and not comes_from_program(error):
            return {
                "fault": f"the test program imports `{error.name}`, which is not installed here; install it, or, if it "
                "means the program, remove the import: the tests see what the program defines"
            }
        if is_refused_lock(error):
            return {"fault": "locks of multiprocessing are refused here"}
        if isinstance(error, RuntimeError) and "multiprocessing" in str(
            error
        ):  # it starts processes
            return {"fault": describe_error(error)}
        return {
            "detail": describe_error(error),
            "memory": isinstance(error, MemoryError),
            "line": find_line(error)
            if isinstance(error, AssertionError) and not error.args
            else None,
        }
    except BaseException as second:  # noqa: BLE001 - the text of an error is code of the program, too
        return {"detail": f"{type(error).__name__}, whose text raises {type(second).__name__}"}


def describe_error(error: BaseException) -> str:
    r"""Return the type and the last line of an exception.

    Examples:
        >>> describe_error(ValueError("first line\nlast line"))
        'ValueError: last line'
        >>> describe_error(AssertionError())
        'AssertionError'
    """
    name = type(error).__name__
    lines = str(error).strip().splitlines()
    text = name
    if lines:
        text = f"{name}: {lines[-1]}"
    return text[:MOST_CHARACTERS].encode("utf-8", "backslashreplace").decode()


def list_lines(error: BaseException) -> list[tuple[str, int]]:
    """List the file and the line of each frame through which an exception passed, the innermost last."""
    return [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]


def find_line(error: BaseException) -> int | None:
    """Return the number of the innermost line of the tests through which an exception passed, or None."""
    return [None, *(line for file, line in list_lines(error) if file == TESTS)][-1]


def is_refused_lock(error: BaseException) -> bool:
    """Return whether an exception says that there are no locks of multiprocessing, as without namespaces."""
    files = [file for file, _ in list_lines(error)]
    return isinstance(error, PermissionError) and files[-1].endswith(
        "multiprocessing/synchronize.py"
    )


def comes_from_program(error: BaseException) -> bool:
    """Return whether an exception passed through the program."""
    return any(file == CANDIDATE for file, _ in list_lines(error))
