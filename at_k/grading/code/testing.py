"""Compile a test program such that its tests run as what they are, and that it is seen whether they decided anything.

A test program is a script whose `__name__` is `"__main__"`. The tests that its namespace holds after it and that did
not run are called then: functions named `test…`, cases of `unittest`, methods `test…` of plain classes, and
HumanEval's `check`. `unittest.main`, `pytest.main` and an exit that reports success do nothing: they end the process.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import os
import re
import sys
import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from importlib.util import find_spec
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

from at_k.grading.code import comparison
from at_k.grading.code.outcomes import HarnessError
from at_k.grading.code.pytests import run_by_pytest

T = TypeVar("T")

TESTS = "<tests>"
"""The name of the test program in tracebacks."""

CANDIDATE = "<candidate>"
"""The name of the program in tracebacks."""

MODULE = "candidate"
"""The `__name__` of a program. It is not `"__main__"`, so that what a file does as a script does not run."""

REACHED: set[int] = set()
"""The lines of the tests that decided: an assertion was evaluated there, or a function of the program was called."""


EXPECTED, HELPING, FIRM = 0, 1, 2
"""How much a failed assertion says: nothing where the tests expect it to fail; in a function of theirs that returns a
value, that the program has failed if nothing else decided; elsewhere, that the program has failed."""

HELD: set[int] = set()
FAILED: dict[int, int] = {}
"""The lines of the assertions that held, and that failed, with what this says."""


def hold(line: int, weight: int, value: object) -> bool:
    """Note that an assertion was reached. Return whether what it asserts is true."""
    REACHED.add(line)
    held = bool(value)
    note(line, weight, held)
    return held


def attempt(line: int, weight: int, function: Any) -> Any:
    """Note that a function which asserts was reached. Return one that does the same, and notes how it ended."""
    REACHED.add(line)
    if getattr(function, "__module__", None) == MODULE:
        return function

    def noted(*given: object, **named: object) -> object:
        try:
            result = function(*given, **named)
        except AssertionError:
            note(line, weight, False)
            raise
        note(line, weight, True)
        return result

    return noted


def note(line: int, weight: int, held: bool) -> None:
    """Keep how an assertion ended. Where the tests catch what it raises, or a thread does, nothing else tells."""
    if held:
        HELD.add(line)
    elif weight:
        FAILED[line] = weight


def call(line: int, function: Any) -> Any:
    """Return what is about to be called, or what takes its place. Note it if it belongs to the program."""
    module = getattr(function, "__module__", None)
    if module == MODULE:
        REACHED.add(line)
    return skip if (module, getattr(function, "__name__", None)) in MAINS else function


def skip(*_: object, **__: object) -> None:
    """Take the place of `unittest.main` and `pytest.main`: the tests run after the test program."""


def end(code: object = None) -> None:
    """Take the place of `sys.exit` and `os._exit`. An exit that reports success does nothing: no program gains by one.

    A test program that has reported success may go on to `sys.exit(1)`, which it would not have reached.
    """
    if not code:
        ENDED.append(True)
    elif not ENDED:
        raise SystemExit(code)


ENDED: list[bool] = []
STARTED: set[CodeType] = set()
"""The tests that began, whoever called them, and raised nothing when they began last."""
NOT_RUN: list[str] = []
"""The names of tests that could not be run."""


def start() -> None:
    """Note that the test which calls this has begun."""
    STARTED.add(sys._getframe(1).f_code)


def fail() -> None:
    """Note that the test which calls this raises: it runs again, so that a script which catches that hides nothing."""
    STARTED.discard(sys._getframe(1).f_code)


def run_tests(entry: str, words: str, by_pytest: int = 0) -> None:
    """Run the tests in the namespace of the caller, and raise the first error. Note those that cannot be run.

    Tests are what `unittest` and pytest take for them, wherever they were defined. All cases of `unittest` run, and of
    the others those that have not run yet, or have raised.

    Args:
        entry: the name of the function that HumanEval's `check` takes, or "".
        words: the words of the test program.
        by_pytest: 1 to let pytest run all tests but `check`.
    """
    namespace = sys._getframe(1).f_globals
    if by_pytest:
        NOT_RUN.extend(run_by_pytest())
        namespace = {name: item for name, item in namespace.items() if name == "check"} | {entry: namespace.get(entry)}
    classes = _list_classes(namespace.values())
    case = getattr(sys.modules.get("unittest"), "TestCase", ())  # slow to import, and few tests do
    cases = [each for each in classes if issubclass(each, case)]
    marked = "pytestmark" in namespace
    others = [
        (name, item)
        for name, item in namespace.items()
        if is_test(name) and callable(item) and _is_own(item) and not isinstance(item, type) and not _is_fixture(item)
    ]
    waiting = [(name, item) for name, item in namespace.items() if _is_fixture(item)]
    waiting += [(name, item) for each in classes for name, item in vars(each).items() if _is_fixture(item)]
    _call_fixture(namespace.get("setup_module"))
    if cases:
        waiting += _run_cases(cases)
    for name, function in others:
        if not _is_done(function):
            given = [eval(entry, namespace)] if name == "check" and entry and not _can_call(function) else []
            if not marked and _can_call(function, *given):
                _call_fixture(namespace.get("setup_function"), function)
                function(*given)
                _call_fixture(namespace.get("teardown_function"), function)
            elif getattr(function, "__name__", "<lambda>") != "<lambda>":  # which may be a helper that was called
                waiting.append((name, function))
    for each in classes:
        # The tests of a class that others extend run as theirs.
        if each not in cases and not _is_marked(each) and not any(each in other.__mro__[1:] for other in classes):
            waiting += _run_class(each)
    _call_fixture(namespace.get("teardown_module"))
    NOT_RUN.extend(name for name, test in waiting if not _is_done(test))
    for line, weight in FAILED.items():
        if weight == FIRM or FAILED.keys() >= HELD:
            raise AssertionError(f"line {line} of the tests failed, and the tests went on")
    _refuse_replaced(frozenset(words.split()))


def _refuse_replaced(words: frozenset[str]) -> None:
    """Raise if the program has put a function of its own in the place of one that the tests take from a module."""
    waiting = [sys.modules[name] for name in words - {"builtins", "__main__", MODULE} if name in sys.modules]
    for module in waiting:
        names = vars(module) if type(module) is ModuleType else {}
        for word in words & names.keys():
            item = names[word]
            if type(item) is ModuleType and item.__name__.startswith(f"{module.__name__}."):
                waiting.append(item)
            for each in (item, *(vars(item).values() if issubclass(type(item), type) else ())):
                function = each.__func__ if type(each) in (staticmethod, classmethod) else each
                if type(function) is FunctionType and function.__code__.co_filename == CANDIDATE:
                    raise AssertionError(f"the program has replaced what the tests use, {module.__name__}.{word}")


def _list_classes(values: Iterable[object]) -> list[type]:
    """List the classes of the tests among values, and those within such classes."""
    classes: dict[type, None] = {}
    waiting = deque(values)
    while waiting:
        item = waiting.popleft()
        if isinstance(item, type) and _is_own(item) and item not in classes:
            classes[item] = None
            waiting.extend(vars(item).values())
    return list(classes)


def _is_own(item: object) -> bool:
    """Return whether the tests have defined a function or class, and not the program or a library."""
    return getattr(item, "__module__", None) == "__main__"


def _is_fixture(item: object) -> bool:
    return _is_own(item) and (type(item).__module__ == "_pytest.fixtures" or hasattr(item, "_pytestfixturefunction"))


def _is_done(test: Any) -> bool:
    """Return whether a test has begun, or need not."""
    return _is_marked(test) or getattr(inspect.unwrap(test), "__code__", None) in STARTED


def _is_marked(test: object) -> bool:
    """Return whether a test or class is marked to be skipped, or to fail."""
    return any(getattr(test, mark, False) for mark in ("__unittest_skip__", "__unittest_expecting_failure__"))


def _can_call(function: Callable[..., object], *given: object) -> bool:
    """Return whether a call with these arguments runs a function, as far as is known without pytest."""
    if any(kind(function) for kind in _LAZY) or hasattr(function, "pytestmark"):
        return False
    try:
        inspect.signature(function, follow_wrapped=False).bind(*given)
    except TypeError:
        return False
    except ValueError:
        pass  # what is written in C, such as a cache, may not tell
    return True


_LAZY = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)


def _call_fixture(function: Any, *given: object) -> None:
    """Call what prepares tests or cleans up after them, if there is such a function, as pytest does."""
    if inspect.isroutine(function) and _is_own(function):
        function(*(given if _can_call(function, *given) else ()))


def _run_cases(classes: Sequence[type]) -> Iterator[tuple[str, object]]:
    """Run cases of `unittest`. Yield those of their tests that cannot be run.

    A test that skips itself fails: a program could raise `SkipTest` too. One that is marked to be skipped, or to fail,
    decides nothing.
    """
    from unittest import IsolatedAsyncioTestCase, TestSuite, defaultTestLoader

    suite = TestSuite()
    for each in classes:
        for name in defaultTestLoader.getTestCaseNames(each) or ["runTest"] * hasattr(each, "runTest"):
            test = each(name)
            function = getattr(test, name)
            if not _is_marked(each) and not _is_marked(function):
                awaited = isinstance(test, IsolatedAsyncioTestCase) and inspect.iscoroutinefunction(function)
                if awaited or _can_call(function):
                    suite.addTest(test)
                else:
                    yield f"{each.__name__}.{name}", function
    suite.debug()  # unlike `run`, it lets errors through


def _run_class(kind: type) -> Iterator[tuple[str, object]]:
    """Run the tests of a plain class, each with an object of its own. Yield those that cannot be run."""
    found = {f"{kind.__name__}.{name}": getattr(kind, name) for name in dir(kind) if name.startswith("test")}
    tests = {name: item for name, item in found.items() if inspect.isroutine(item) and not _is_done(item)}
    if not tests or not _can_call(kind):
        yield from tests.items()
        return
    _call_fixture(getattr(kind, "setup_class", None))
    for name in tests:
        owner = kind()
        test = getattr(owner, name.partition(".")[2])
        if _can_call(test):
            _call_fixture(getattr(owner, "setup_method", None), test)
            test()
            _call_fixture(getattr(owner, "teardown_method", None), test)
        else:
            yield name, test
    _call_fixture(getattr(kind, "teardown_class", None))


MAINS = (("unittest.main", "TestProgram"), ("_pytest.config", "main"))
"""The modules and names of the functions that run tests and end the process."""
EXITS = ("sys.exit", "os._exit", "exit", "quit")
"""How a test program spells its end. That is seen before it runs, so that no function of a program is taken for one."""

_CALLED: tuple[Callable[..., Any], ...] = (
    hold,
    attempt,
    call,
    start,
    fail,
    end,
    run_tests,
    comparison.vet,
)
_JUDGES: tuple[Callable[..., Any], ...] = (
    *(abs, all, any, bool, dict, enumerate, float, int, isinstance, issubclass, len, list, range, repr, round, set),
    *(sorted, str, tuple, type, zip),
)
"""Built-in functions by which tests judge. A program may have others of these names for itself."""

_SECRET = os.urandom(16).hex()
FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"{function.__name__} {_SECRET}": function for function in (*_CALLED, *_JUDGES)
}
"""What compiled tests call, by the constants that stand for it until then. No test program has one of its own."""


def _call(function: Callable[..., Any], place: ast.AST, *arguments: ast.expr | int | str) -> ast.Call:
    """Return a call of one of `FUNCTIONS`, at the place of a node."""
    where = {name: getattr(place, name) for name in _PLACE}  # a sixth of the time of `ast.copy_location`
    name, *given = (
        each if isinstance(each, ast.AST) else ast.Constant(each, **where)
        for each in (f"{function.__name__} {_SECRET}", *arguments)
    )
    return ast.Call(name, given, [], **where)


def _state(function: Callable[..., Any], place: ast.AST, *arguments: ast.expr | int | str) -> ast.stmt:
    """Return a statement that calls one of `FUNCTIONS`."""
    return ast.copy_location(ast.Expr(_call(function, place, *arguments)), place)


_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def compile_tests(source: str, *, by_pytest: bool = False) -> CodeType:
    """Compile a test program.

    A test program that names `ANY` or `__eq__` has objects of its own that equal everything: nothing is vetted then.

    Args:
        source: the test program.
        by_pytest: whether pytest runs its tests.

    Raises:
        HarnessError: if it cannot be compiled, or imports a module that is not installed. It says nothing about any
            candidate then.
    """
    try:
        tree = ast.parse(source, TESTS)
        require_modules(tree)
        instrument(tree, compare=not re.search(r"\bANY\b|\b__eq__\b", source))
        if tree.body:
            entry = re.search(r"\bentry_point[\"']?\s*[:=]\s*[\"'](\w+)[\"']", source)
            words = " ".join({*re.findall(r"\w+", source)})
            tree.body.append(_state(run_tests, tree.body[-1], entry[1] if entry else "", words, int(by_pytest)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # that a constant is called
            return _bind(compile(tree, TESTS, "exec", dont_inherit=True))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise HarnessError(f"the test program cannot be compiled: {type(error).__name__}: {error}") from error


def require_modules(tests: ast.Module) -> None:
    """Raise unless the modules that a test program imports are installed. Those within `try` and `if` need not be."""
    waiting: list[Any] = [tests]
    for node in waiting:
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in (each.partition(".")[0] for each in names):
            if name not in (*sys.modules, MODULE, "__main__") and not (name and find_spec(name)):
                raise HarnessError(
                    f"the test program imports `{name}` in line {node.lineno}, which is not installed here; install "
                    "it, or, if it stands for the program, remove the import: the tests see what the program defines"
                )
        chooses = isinstance(node, ast.If) and "__name__" not in ast.dump(node.test)
        if isinstance(getattr(node, "body", None), list) and not chooses and not getattr(node, "handlers", ()):
            waiting += node.body


def instrument(tests: ast.Module, *, compare: bool) -> None:
    """Vet what is compared and what calls return, and let assertions, calls and tests note that they are reached.

    This walks through the tree itself: `ast.NodeTransformer` takes three times as long, which was a tenth of all time.

    Args:
        tests: the test program, which is changed.
        compare: whether values are vetted.
    """
    # Where a node stands: the fields of its parent, or a list in them, and the key; and how much its failure says.
    found: list[tuple[Any, Any, int]] = []
    functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
    waiting: list[tuple[ast.AST, int]] = [(tests, FIRM)]
    while waiting:
        node, weight = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if is_test(node.name):
                functions.append(node)
            helps = not is_test(node.name) and any(isinstance(each, ast.Return) for each in ast.walk(node))
            weight = min(weight, HELPING if helps else FIRM)
        if _expects_failure(node):
            weight = EXPECTED
        fields = vars(node)
        for name, value in fields.items():
            for key, part in enumerate(value) if isinstance(value, list) else ((name, value),):
                if isinstance(part, ast.Raise) and (code := _read_exit(part)):
                    value[key] = _state(end, part, *code)
                    waiting.append((value[key], weight))
                elif isinstance(part, ast.AST):
                    waiting.append((part, weight))
                    if isinstance(part, (ast.Assert, ast.Call, ast.Compare, ast.Await)):
                        found.append((value if isinstance(value, list) else fields, key, weight))
    judges = _find_judges(tests)
    for holder, key, weight in reversed(found):  # the parts of a node before the node
        holder[key] = _replace(holder[key], weight, judges, compare=compare)
    for function in functions:
        first = function.body[0]
        raised = ast.ExceptHandler(None, None, [_state(fail, first), ast.copy_location(ast.Raise(), first)])
        tried = ast.Try(function.body, [ast.copy_location(raised, first)], [], [])
        function.body = [_state(start, first), ast.copy_location(tried, first)]


def _find_judges(tests: ast.Module) -> set[str]:
    """Return the names of the built-in functions that the tests have of Python, whatever the program has defined.

    These are none if the tests name nothing else that can be the program's.
    """
    used, own = set[str](), set[str]()
    for node in ast.walk(tests):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else own).add(node.id)
        else:  # a definition, an argument, or an import
            own.update(getattr(node, name) for name in ("name", "arg", "asname") if hasattr(node, name))
    return {each.__name__ for each in _JUDGES} - own if used - own - vars(builtins).keys() else set()


def _expects_failure(node: ast.AST) -> bool:
    """Return whether a test is marked to fail, or a statement such as `with raises(…)` expects an error.

    So does a `try` that ends with `raise`.
    """
    if isinstance(node, ast.Try):
        return isinstance(node.body[-1], ast.Raise)
    said = [*getattr(node, "decorator_list", ()), *(each.context_expr for each in getattr(node, "items", ()))]
    return any(word in ast.dump(each) for each in said for word in ("aises", "xfail", "expectedFailure"))


def _read_exit(statement: ast.Raise) -> list[ast.expr | int]:
    """Return what a statement says to `SystemExit`, or nothing if it raises something else."""
    raised = statement.exc
    called = raised.func if isinstance(raised, ast.Call) else raised
    is_exit = isinstance(called, ast.Name) and called.id == "SystemExit"
    return [*getattr(raised, "args", ()), 0][:1] if is_exit else []


def is_test(name: str) -> bool:
    """Return whether a function of this name is a test."""
    return name == "check" or name.startswith("test")


def _replace(node: Any, weight: int, judges: Collection[str], *, compare: bool) -> Any:
    """Return what takes the place of an assertion, a call, a comparison or an exit; it may be the node itself."""
    if isinstance(node, ast.Assert):
        node.test = _call(hold, node.test, node.lineno, weight, node.test)
    elif isinstance(node, ast.Call):
        # Only what it returns is looked at, so that `super`, `locals` and the like find the frame of the tests.
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in ("exit", "quit", "_exit") and ast.unparse(node.func) in EXITS:
            return _call(end, node, *node.args[:1])
        asserts = name.startswith("assert")
        noted = (attempt, node.func, node.lineno, weight) if asserts else (call, node.func, node.lineno)
        judging = isinstance(node.func, ast.Name) and name in judges
        node.func = _call(
            *noted, ast.copy_location(ast.Constant(f"{name} {_SECRET}"), node.func) if judging else node.func
        )
        if compare:
            node.args = list(map(_vet, node.args)) if asserts else node.args
            return node if name == "super" else _vet(node)
    elif compare and isinstance(node, ast.Await):
        return _vet(node)
    elif compare:
        node.left, node.comparators = _vet(node.left), list(map(_vet, node.comparators))
    return node


def _vet(node: Any) -> Any:
    """Let the value of a node be vetted, unless it is a constant or has been vetted."""
    vetted = isinstance(node, ast.Call) and isinstance(node.func, ast.Constant)
    return node if vetted or isinstance(node, (ast.Constant, ast.Starred)) else _call(comparison.vet, node, node)


def _bind(code: CodeType) -> CodeType:
    """Put `FUNCTIONS` in their places, as constants, which no name leads to and nothing changes."""
    constants = (
        _bind(item) if isinstance(item, CodeType) else FUNCTIONS.get(item, item) if type(item) is str else item
        for item in code.co_consts
    )
    return code.replace(co_consts=tuple(constants))
