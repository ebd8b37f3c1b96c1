"""Compile a test program such that its tests run as what they are, and that it is seen whether they decided anything.

A test program is a script whose `__name__` is `"__main__"`. What it defines and does not call is called after it:
functions named `test_…`, classes of `unittest`, plain classes with tests in the style of pytest, and HumanEval's
`check`. `unittest.main` and `pytest.main` are left out, since they end the process.
"""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, TypeVar

from at_k.grading.code import comparison
from at_k.grading.code.outcomes import HarnessError

T = TypeVar("T")

TESTS = "<tests>"
"""The name of the test program in tracebacks."""

MODULE = "candidate"
"""The `__name__` of a program. It is not `"__main__"`, so that what a file does as a script does not run."""

REACHED: set[int] = set()
"""The lines of the tests that decided: an assertion was evaluated there, or a function of the program was called."""


def reach(line: int, value: T) -> T:
    """Note that an assertion was reached. Return what it asserts, or the function that does."""
    REACHED.add(line)
    return value


def call(line: int, function: T) -> T:
    """Return what is about to be called. Note it if it belongs to the program."""
    if getattr(function, "__module__", None) == MODULE:
        REACHED.add(line)
    return function


def run_cases(*classes: type) -> None:
    """Run those classes that are cases of `unittest`, and raise the first error.

    A test that skips itself fails: a program could raise `SkipTest` too. One that is marked to be skipped, or to fail,
    decides nothing.
    """
    from unittest import TestCase, TestSuite, defaultTestLoader  # few tests need it, and it is slow to import

    suite = TestSuite()
    for each in classes:
        for name in defaultTestLoader.getTestCaseNames(each) if issubclass(each, TestCase) else ():
            if not any(getattr(item, mark, False) for item in (each, getattr(each, name)) for mark in _MARKS):
                suite.addTest(each(name))
    suite.debug()  # unlike `run`, it lets errors through


_MARKS = ("__unittest_skip__", "__unittest_expecting_failure__")

COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: comparison.equal,
    ast.NotEq: comparison.differ,
    ast.In: comparison.contain,
    ast.NotIn: comparison.lack,
}
"""The functions that replace operators."""

_CALLED: tuple[Callable[..., Any], ...] = (reach, call, run_cases, comparison.vet, *COMPARISONS.values())
_SECRET = os.urandom(16).hex()
FUNCTIONS = {f"{function.__name__} {_SECRET}": function for function in _CALLED}
"""What compiled tests call, by the constants that stand for it until then. No test program has one of its own."""


def _call(function: Callable[..., Any], place: ast.AST, *arguments: ast.expr | int) -> ast.Call:
    """Return a call of one of `FUNCTIONS`, at the place of a node."""
    where = {name: getattr(place, name) for name in _PLACE}  # a sixth of the time of `ast.copy_location`
    name, *given = (
        each if isinstance(each, ast.AST) else ast.Constant(each, **where)
        for each in (f"{function.__name__} {_SECRET}", *arguments)
    )
    return ast.Call(name, given, [], **where)


_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def compile_tests(source: str) -> CodeType:
    """Compile a test program.

    A test program that names `ANY` or `__eq__` has objects of its own that equal everything: its comparisons stay.

    Raises:
        HarnessError: if it cannot be compiled, or holds tests that nobody calls, and that cannot be called. It says
            nothing about any candidate then.
    """
    try:
        tree = ast.parse(source, TESTS)
        names = instrument(tree, compare=not re.search(r"\bANY\b|\b__eq__\b", source))
        tree.body += [*map(ast.fix_missing_locations, call_tests(tree, source, names))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # that a constant is called
            return _bind(compile(tree, TESTS, "exec", dont_inherit=True))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise HarnessError(f"the test program cannot be compiled: {type(error).__name__}: {error}") from error


def instrument(tests: ast.Module, *, compare: bool) -> set[str]:
    """Replace comparisons, and let assertions and calls note that they are reached. Return the names that are used.

    This walks through the tree itself: `ast.NodeTransformer` takes three times as long, which was a tenth of all time.

    Args:
        tests: the test program, which is changed.
        compare: whether `==`, `!=`, `in` and `not in` are replaced. Chains of comparisons stay as they are.
    """
    names: set[str] = set()
    found: list[tuple[Any, Any]] = []  # where a node stands: the fields of its parent, or a list in them, and the key
    waiting: list[ast.AST] = [tests]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            names.add(node.id)
        fields = vars(node)
        for name, value in fields.items():
            for key, part in enumerate(value) if isinstance(value, list) else ((name, value),):
                if isinstance(part, (ast.Expr, ast.Raise)) and _ends_process(part):
                    value[key] = ast.copy_location(ast.Pass(), part)
                elif isinstance(part, ast.AST):
                    waiting.append(part)
                    if isinstance(part, (ast.Assert, ast.Call, ast.Compare)):
                        found.append((value if isinstance(value, list) else fields, key))
    for holder, key in reversed(found):  # the parts of a node before the node
        holder[key] = _replace(holder[key], compare=compare)
    return names


def _ends_process(statement: ast.Expr | ast.Raise) -> bool:
    """Return whether a statement calls `unittest.main` or `pytest.main`, perhaps within a call of `sys.exit`."""
    value = statement.value if isinstance(statement, ast.Expr) else statement.exc
    functions = [each.func for each in (value, *getattr(value, "args", ())) if isinstance(each, ast.Call)]
    return any(
        isinstance(each, ast.Attribute)
        and each.attr == "main"
        and isinstance(each.value, ast.Name)
        and each.value.id in ("unittest", "pytest")
        for each in functions
    )


def _replace(node: Any, *, compare: bool) -> Any:
    """Return what takes the place of an assertion, a call or a comparison; it may be the node itself."""
    if isinstance(node, ast.Assert):
        node.test = _call(reach, node.test, node.lineno, node.test)
    elif isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        asserts = name.startswith("assert")
        node.func = _call(reach if asserts else call, node.func, node.lineno, node.func)
        if asserts and compare:
            node.args = [
                each if isinstance(each, ast.Starred) else _call(comparison.vet, each, each) for each in node.args
            ]
    elif compare and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        return _call(COMPARISONS[type(node.ops[0])], node, node.left, node.comparators[0])
    return node


def call_tests(tests: ast.Module, source: str, names: set[str]) -> Iterator[ast.stmt]:
    """Yield statements that call the tests which a test program defines and does not name elsewhere.

    Args:
        tests: the test program.
        source: its text.
        names: the names that it uses.

    Raises:
        HarnessError: if there is a test that cannot be called.
    """
    for node in tests.body:
        if isinstance(node, _FUNCTIONS) and _is_test(node) and node.name not in names:
            yield _call_test(node, node.name, source)
        elif isinstance(node, ast.ClassDef) and not node.bases and _is_test(node) and node.name not in names:
            for method in node.body:
                if isinstance(method, _FUNCTIONS) and _is_test(method):
                    yield _call_test(method, f"{node.name}().{method.name}", source, given=1)
    classes = [node.name for node in tests.body if isinstance(node, ast.ClassDef) and node.bases]
    if classes and "TestCase" in source:
        yield ast.Expr(_call(run_cases, tests.body[-1], *(ast.Name(name, ast.Load()) for name in classes)))


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _is_test(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    return re.match(r"Test" if isinstance(node, ast.ClassDef) else r"(test|check)$|test_", node.name) is not None


def _call_test(test: ast.FunctionDef | ast.AsyncFunctionDef, name: str, source: str, *, given: int = 0) -> ast.stmt:
    """Return a call of a test without arguments, or with the function to test where that is known."""
    signature = test.args
    needed = len(signature.posonlyargs) + len(signature.args) - len(signature.defaults) - given
    needed += sum(default is None for default in signature.kw_defaults)
    entry = re.search(r"\bentry_point[\"']?\s*[:=]\s*[\"'](\w+)[\"']", source)
    argument = entry[1] if entry and name == "check" and needed == 1 else ""
    is_plain = isinstance(test, ast.FunctionDef) and not test.decorator_list
    if not is_plain or (needed > 0 and not argument):
        raise HarnessError(
            f"the test program never calls its `{name}`, which needs arguments or the runner of pytest; add a last "
            f"line such as {name}(name_of_the_function)"
        )
    return ast.parse(f"{name}({argument})").body[0]


def _bind(code: CodeType) -> CodeType:
    """Put `FUNCTIONS` in their places, as constants, which no name leads to and nothing changes."""
    constants = (
        _bind(item) if isinstance(item, CodeType) else FUNCTIONS.get(item, item) if type(item) is str else item
        for item in code.co_consts
    )
    return code.replace(co_consts=tuple(constants))
