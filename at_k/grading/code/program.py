"""Run one program with its tests, or one case, in this process, which does nothing else any more.

The program is a module, `candidate`, and its tests go on in it as the script, `__main__`, as if they had imported all
of it. They share an interpreter, so a program that is made to deceive its tests can do so (`docs/checking.md`). Of a
case, this process never has the output that it must produce.
"""

from __future__ import annotations

import ast
import atexit
import builtins
import importlib
import inspect
import linecache
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from traceback import walk_tb
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

from at_k.grading.code.cases import restore_keys, simplify
from at_k.grading.code.protocol import HarnessError, Report

# Characters of an error message that are kept.
MOST_CHARACTERS = 500

FILE = "program.py"
# The names of the test program and of the program in tracebacks.
TESTS, CANDIDATE = "<tests>", "<candidate>"

# Holds True if the tests decided: an assertion was evaluated, or something of the program was called.
DECIDED: set[bool] = set()

# The tests that began, regardless of the caller.
STARTED: set[CodeType] = set()

# Failures in cases of `unittest`.
FAILED: list[str] = []

# The functions that run tests, by module and name.
UNITTEST, PYTEST = ("unittest.main", "TestProgram"), ("_pytest.config", "main")

# The identities of what the program has defined.
PROGRAM: set[int] = set()


class TestsFailedError(SystemExit):
    """A test that `unittest` ran has failed. Its text is the last line of the error."""


def hold(value: object) -> object:
    """Note that an assertion was reached."""
    DECIDED.add(True)
    return value


def call(function: Any) -> Any:
    """Note a call of something of the program. Return the function, or what takes its place."""
    if (
        id(function) in PROGRAM
        or getattr(getattr(function, "__code__", None), "co_filename", "") == CANDIDATE
    ):
        DECIDED.add(True)
    if function is os._exit:
        return sys.exit
    named = getattr(function, "__module__", None), getattr(function, "__name__", None)
    # The file that `pytest.main` would read does not exist: its tests count as not called.
    return (
        run_unittest
        if named == UNITTEST
        else (lambda *_, **__: None)
        if named == PYTEST
        else function
    )


def run_unittest(*arguments: Any, **options: Any) -> Any:
    """Take the place of `unittest.main`, and end with the text of the first failure."""
    from unittest import main

    program = main(*arguments, **options | {"exit": False})
    if program.result.testsRun == len(program.result.skipped):
        DECIDED.clear()
    ends = options.get("exit", True)
    for test, text in [*program.result.errors, *program.result.failures]:
        if ends or id(type(test)) not in PROGRAM:
            FAILED.append(text.strip().splitlines()[-1])
    if ends:
        raise (
            TestsFailedError(FAILED[0])
            if FAILED
            else SystemExit(not program.result.wasSuccessful())
        )
    return program


def start() -> None:
    """Note that the test which calls this has begun."""
    STARTED.add(sys._getframe(1).f_code)


# Functions that compiled tests call, by their global names.
MARKS: dict[str, Callable[..., Any]] = {
    f"__{function.__name__}_of_tests__": function for function in (hold, call, start)
}


def compile_tests(source: str) -> CodeType:
    """Compile a test program such that assertions, calls and tests note that they are reached."""
    try:
        tree = ast.parse(source, TESTS)
        for node in ast.walk(tree):  # and not recursively: sums may be deeper than Python follows
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and is_test(node.name):
                first = node.body[0]
                node.body.insert(0, ast.copy_location(ast.Expr(_mark(start, first)), first))
            elif isinstance(node, ast.Assert):
                node.test = _mark(hold, node.test)
            elif isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                node.func = _mark(hold if name.startswith("assert") else call, node.func)
        return compile(tree, TESTS, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise HarnessError(
            f"the test program cannot be compiled: {type(error).__name__}: {error}"
        ) from error


def _mark(function: Callable[..., Any], node: ast.AST) -> ast.Call:
    """Return a call of one of `MARKS` at the place of a node, and with the node if it is an expression."""
    where = {
        name: getattr(node, name)
        for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")
    }
    name = ast.Name(f"__{function.__name__}_of_tests__", ast.Load(), **where)
    return ast.Call(name, [node] if isinstance(node, ast.expr) else [], [], **where)


def is_test(name: str) -> bool:
    """Return whether a function of this name is a test."""
    return name == "check" or name.startswith("test")


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


def run_program(report: Report, candidate: str, tests: CodeType) -> None:
    """Run a candidate as a module and its tests as the script, and report how that went."""

    def run(program: CodeType, namespace: dict[str, Any]) -> dict[str, Any]:
        try:
            exec(program, namespace)
        except SystemExit as end:  # what it defines is defined: its tests run
            if not succeeds(end):
                raise
        namespace["__name__"] = "__main__"
        uncalled = run_tests(tests, namespace)
        finish()
        last_line = "in a last line such as check(name_of_the_function)"
        if uncalled:
            names = ", ".join(uncalled)[:MOST_CHARACTERS]
            raise HarnessError(
                f"the test program defines tests and does not call them: {names}; do so {last_line}"
            )
        if not DECIDED:
            raise HarnessError(
                "the test program reached no assertion and called nothing of the program, so that every program would "
                f"pass; that of HumanEval calls its tests {last_line}"
            )
        return {"passed": True}

    module = ModuleType("candidate")
    vars(module)["__builtins__"] = builtins
    run_script(report, module, candidate, run)


def run_tests(tests: CodeType, namespace: dict[str, Any]) -> list[str]:
    """Run a test program, and then the cases of `unittest` that it did not run. Return the tests that nobody called."""
    # An exit that reports success, and does not come from the program, ends the script.
    before = dict(namespace)
    PROGRAM.update(id(item) for name, item in before.items() if not name.startswith("__"))
    namespace.update(MARKS)
    _allow_exit(exec, tests, namespace)
    for text in (
        FAILED
    ):  # what `unittest.main(exit=False)` leaves to a script that has ended as if all were well
        raise TestsFailedError(text)
    defined = {name: item for name, item in namespace.items() if before.get(name) is not item}
    case = getattr(sys.modules.get("unittest"), "TestCase", ())  # slow to import, and few tests do
    if any(
        isinstance(item, type) and issubclass(item, case) for item in defined.values()
    ) and list_uncalled(defined):
        _allow_exit(run_unittest, SimpleNamespace(**defined), argv=[FILE])
    return list_uncalled(defined)


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


def list_uncalled(defined: Mapping[str, Any]) -> list[str]:
    """List the functions among the definitions of a test program that are tests and have not begun."""
    classes = [
        item for item in defined.values() if isinstance(item, type) and not _is_skipped(item)
    ]
    held = [*defined.items(), *(pair for kind in classes for pair in vars(kind).items())]
    return [
        name for name, item in held if is_test(name) and not _is_skipped(item) and _is_waiting(item)
    ]


def _is_skipped(item: Any) -> bool:
    return any(
        getattr(item, f"__unittest_{mark}__", False) for mark in ("skip", "expecting_failure")
    )


def _is_waiting(item: Any) -> bool:
    """Return whether a definition is a function of the test program that has not begun."""
    code = getattr(inspect.unwrap(item), "__code__", None)
    named = isinstance(code, CodeType) and code.co_filename == TESTS and code.co_name != "<lambda>"
    return named and code not in STARTED


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
            owner = (
                namespace["Solution"]()
                if "class Solution" in candidate
                else sys.modules["candidate"]
            )
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
                "stands for the program, remove the import: the tests see what the program defines"
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
    name, lines = type(error).__name__, str(error).strip().splitlines()
    text = lines[-1] if name == "TestsFailedError" else f"{name}: {lines[-1]}" if lines else name
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
