"""Compile a test program such that it is seen what it reached, and run it after the program, as one script.

The tests that the script leaves uncalled run after it: cases of `unittest`, functions `test…`, methods `test…` of plain
classes, and HumanEval's `check`.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

from at_k.grading.code.protocol import HarnessError

TESTS, CANDIDATE = "<tests>", "<candidate>"
"""The names of the test program and of the program in tracebacks."""

REACHED: set[int] = set()
"""The lines of the tests that decided: an assertion was evaluated there, or something of the program was called."""

STARTED: set[CodeType] = set()
"""The tests that began, whoever called them."""

NOT_RUN: list[str] = []
"""The names of tests that could not be run."""

PROGRAM: set[int] = set()
"""The identities of what the program has defined."""

EXITS = ("sys.exit", "os._exit", "exit", "quit")
MAINS = (("unittest.main", "TestProgram"), ("_pytest.config", "main"))
"""How a test program spells its end, and the functions that run tests and end the process."""


class TestsFailedError(AssertionError):
    """A test that `unittest` ran has failed. Its text is the last line of the error."""


def hold(line: int, value: object) -> object:
    """Note that an assertion was reached."""
    REACHED.add(line)
    return value


def call(line: int, function: Any) -> Any:
    """Note what is about to be called if it belongs to the program. Return it, or what takes its place."""
    if line not in REACHED:
        code = getattr(function, "__code__", None)
        if id(function) in PROGRAM or getattr(code, "co_filename", "") == CANDIDATE:
            REACHED.add(line)
    named = getattr(function, "__module__", None), getattr(function, "__name__", None)
    return _skip if named in MAINS else function


def _skip(*_: object, **__: object) -> None:
    """Take the place of `unittest.main` and `pytest.main`: the tests run after the test program."""


def start() -> None:
    """Note that the test which calls this has begun."""
    STARTED.add(sys._getframe(1).f_code)


def leave(code: object = 0) -> None:
    """Take the place of `os._exit` where the tests spell it out."""
    raise SystemExit(code)


_SECRET = os.urandom(16).hex()
FUNCTIONS: dict[str, Callable[..., Any]] = {f"{each.__name__} {_SECRET}": each for each in (hold, call, start, leave)}
"""What compiled tests call, by the constants that stand for it until then. No test program has one of its own."""


@dataclass(frozen=True)
class Tests:
    """Hold a compiled test program, the lines on which it spells an exit, and the function that `check` takes."""

    code: CodeType
    exits: frozenset[int]
    entry: str


def compile_tests(source: str) -> Tests:
    """Compile a test program."""
    try:
        tree = ast.parse(source, TESTS)
        exits = _instrument(tree)
        entry = re.search(r"\bentry_point[\"']?\s*[:=]\s*[\"'](\w+)[\"']", source)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # that a constant is called
            code = _bind(compile(tree, TESTS, "exec", dont_inherit=True))
        return Tests(code, frozenset(exits), entry[1] if entry else "")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise HarnessError(f"the test program cannot be compiled: {type(error).__name__}: {error}") from error


def _instrument(tests: ast.Module) -> set[int]:
    """Let assertions, calls and tests note that they are reached. Return the lines that spell an exit."""
    exits: set[int] = set()
    waiting: list[ast.AST] = [tests]
    for node in waiting:  # and not recursively: sums may be deeper than Python follows
        waiting.extend(ast.iter_child_nodes(node))
    for node in waiting:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and is_test(node.name):
            first = node.body[0]
            node.body.insert(0, ast.copy_location(ast.Expr(_call(start, first)), first))
        elif isinstance(node, ast.Assert):
            node.test = _call(hold, node.test, node.lineno, node.test)
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in ("exit", "quit", "_exit") and ast.unparse(node.func) in EXITS:
                exits.update(range(node.lineno, (node.end_lineno or 0) + 1))
            if name == "_exit":
                node.func = ast.copy_location(ast.Constant(f"leave {_SECRET}"), node)
            else:
                node.func = _call(hold if name.startswith("assert") else call, node.func, node.lineno, node.func)
        elif isinstance(node, ast.Raise) and node.exc and "SystemExit" in ast.dump(node.exc):
            exits.update(range(node.lineno, (node.end_lineno or 0) + 1))
    return exits


def _call(function: Callable[..., Any], place: ast.AST, *arguments: ast.expr | int) -> ast.Call:
    """Return a call of one of `FUNCTIONS`, at the place of a node."""
    where = {name: getattr(place, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}
    name, *given = (
        each if isinstance(each, ast.AST) else ast.Constant(each, **where)
        for each in (f"{function.__name__} {_SECRET}", *arguments)
    )
    return ast.Call(name, given, [], **where)


def _bind(code: CodeType) -> CodeType:
    """Put `FUNCTIONS` in their places, as constants, which no name leads to and nothing changes."""
    constants = (
        _bind(item) if isinstance(item, CodeType) else FUNCTIONS.get(item, item) if type(item) is str else item
        for item in code.co_consts
    )
    return code.replace(co_consts=tuple(constants))


def is_test(name: str) -> bool:
    """Return whether a function of this name is a test."""
    return name == "check" or name.startswith("test")


def succeeds(end: SystemExit) -> bool:
    """Return whether an exit reports success."""
    return end.code is None or (isinstance(end.code, int) and end.code == 0)


def run_tests(tests: Tests, namespace: dict[str, Any], *_: object) -> None:
    """Run a test program, and then the tests that it did not call. Raise the first error.

    An exit that the tests spell out and that reports success ends the script; any other exit is an error.
    """
    before = dict(namespace)
    PROGRAM.update(id(item) for name, item in before.items() if not name.startswith("__"))
    try:
        exec(tests.code, namespace)
    except SystemExit as end:
        lines = list(list_lines(end))
        if not succeeds(end) or not lines or lines[-1] not in tests.exits or comes_from_program(end):
            raise
    own = {name: item for name, item in namespace.items() if before.get(name) is not item}
    _run_uncalled(own, [namespace[tests.entry]] if tests.entry in namespace else [])


def list_lines(error: BaseException) -> Iterable[int]:
    """Yield the numbers of the lines of the tests through which an exception passed, the innermost last."""
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == TESTS:
            yield step.tb_lineno
        step = step.tb_next


def comes_from_program(error: BaseException) -> bool:
    """Return whether an exception passed through the program."""
    step = error.__traceback__
    while step is not None and step.tb_frame.f_code.co_filename != CANDIDATE:
        step = step.tb_next
    return step is not None


def _run_uncalled(own: Mapping[str, Any], entries: list[Any]) -> None:
    """Run the tests among the definitions of a test program that nothing has called. Note those that need pytest."""
    mine = {name: item for name, item in own.items() if getattr(item, "__module__", None) == "__main__"}
    classes = _list_classes(mine.values())
    case = getattr(sys.modules.get("unittest"), "TestCase", ())  # slow to import, and few tests do
    _run_cases([each for each in classes if issubclass(each, case)])
    tests: dict[str, tuple[Any, list[Any]]] = {}
    for name, item in mine.items():
        if is_test(name) and callable(item) and not isinstance(item, type):
            tests[name] = item, entries if name == "check" else []
    fixtures = [name for name, item in own.items() if _is_fixture(name, item)]
    for each in classes:
        if not issubclass(each, case) and not any(each in other.__mro__[1:] for other in classes):
            found = {name: getattr(each, name) for name in dir(each) if name.startswith("test")}
            found = {name: item for name, item in found.items() if inspect.isroutine(item) and not _is_done(item)}
            if found:
                fixtures += [f"{each.__name__}.{name}" for name in dir(each) if _is_fixture(name, getattr(each, name))]
                tests |= {f"{each.__name__}.{name}": (each, [name]) for name in found}
    waiting = {name: test for name, test in tests.items() if not _is_done(test[0])}
    NOT_RUN.extend(fixtures if waiting else [])
    for name, (test, given) in waiting.items():
        if isinstance(test, type):
            test, given = getattr(test(), given[0]) if _can_call(test) else None, []  # noqa: PLW2901
        if fixtures or not _can_call(test, *given):
            if getattr(test, "__name__", "") != "<lambda>":  # which may be a helper that was called
                NOT_RUN.append(name)
        else:
            test(*given)


def _list_classes(values: Iterable[object]) -> list[type]:
    """List the classes of the tests among values, and those within such classes."""
    classes: dict[type, None] = {}
    waiting = list(values)
    for item in waiting:
        if isinstance(item, type) and item.__module__ == "__main__" and item not in classes:
            classes[item] = None
            waiting.extend(vars(item).values())
    return list(classes)


def _is_fixture(name: str, item: object) -> bool:
    """Return whether only pytest knows what to do with a definition."""
    marked = type(item).__module__.startswith("_pytest") or hasattr(item, "_pytestfixturefunction")
    return (
        marked
        or name == "pytestmark"
        or re.match(r"(setup|teardown)_(module|function|class|method)$", name) is not None
    )


def _is_done(test: Any) -> bool:
    """Return whether a test has begun, or is marked to be skipped, or to fail."""
    marked = any(getattr(test, mark, False) for mark in ("__unittest_skip__", "__unittest_expecting_failure__"))
    return marked or _has_begun(test)


def _has_begun(test: Any) -> bool:
    return getattr(inspect.unwrap(test), "__code__", None) in STARTED


def _can_call(function: Any, *given: object) -> bool:
    """Return whether a call with these arguments runs a function, as far as is known without pytest."""
    lazy = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)
    if function is None or any(kind(function) for kind in lazy) or hasattr(function, "pytestmark"):
        return False
    try:
        inspect.signature(function, follow_wrapped=False).bind(*given)
    except TypeError:
        return False
    except ValueError:
        pass  # what is written in C, such as a cache, may not tell
    return True


def _run_cases(classes: list[type]) -> None:
    """Run cases of `unittest`, unless the script has run some of them."""
    if not classes:
        return
    from unittest import TestResult, TestSuite, defaultTestLoader

    suites = list(map(defaultTestLoader.loadTestsFromTestCase, classes))
    tests: list[Any] = [test for suite in suites for test in suite]
    if any(_has_begun(getattr(test, test._testMethodName)) for test in tests):
        return
    result = TestResult()
    TestSuite(suites).run(result)
    for _, said in [*result.errors, *result.failures]:
        raise TestsFailedError(said.strip().splitlines()[-1])
    if result.unexpectedSuccesses:
        raise TestsFailedError("a test that must fail has passed")
    if result.testsRun == len(result.skipped):
        REACHED.clear()  # nothing decided
