"""Comparisons in a test program that an object which equals everything does not pass."""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from at_k.grading.code.outcomes import HarnessError

TESTS = "<tests>"
"""The name of the test program in tracebacks."""

PLAIN = frozenset(
    {int, float, complex, bool, str, bytes, bytearray, range, type(None), type(...), type(NotImplemented)}
)
CONTAINERS = frozenset({list, tuple, set, frozenset, deque})
MOST_OBJECTS = 10_000
"""Objects within one value that are looked at: the rest of a large tree is compared as it is."""


class EqualsEverythingError(AssertionError):
    """An object that claims to equal whatever it is compared with."""


# Each of these applies its operator itself, and not through a variable or a closure: a program that finds the function
# can change those. `is`, and not truth: an array of comparisons is neither, and comes back as it is.


def _equal(left: Any, right: Any) -> Any:
    found = left == right
    if found is True:
        _refuse_either(left, right)
    return found


def _differ(left: Any, right: Any) -> Any:
    found = left != right
    if found is False:
        _refuse_either(left, right)
    return found


def _contain(left: Any, right: Any) -> Any:
    found = left in right
    if found is True:
        _refuse_either(left, right)
    return found


def _lack(left: Any, right: Any) -> Any:
    found = left not in right
    if found is False:
        _refuse_either(left, right)
    return found


def _refuse_either(left: Any, right: Any) -> None:
    if not (type(left) in PLAIN and type(right) in PLAIN):
        refuse_equal_to_everything(left)
        refuse_equal_to_everything(right)


COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: _equal,
    ast.NotEq: _differ,
    ast.In: _contain,
    ast.NotIn: _lack,
}
"""The functions that replace operators."""

_SECRET = os.urandom(16).hex()
PLACES = {operator: f"{operator.__name__} {_SECRET}" for operator in COMPARISONS}
"""Constants that stand for the functions until the tests are compiled. No test program has one of its own."""


def refuse_equal_to_everything(value: object) -> None:
    """Raise if a value is, or holds, an object that equals things that nobody has seen before.

    Examples:
        >>> refuse_equal_to_everything([1, "a", {2: object()}])
        >>> from unittest.mock import ANY
        >>> refuse_equal_to_everything([1, ANY])
        Traceback (most recent call last):
        ...
        at_k.grading.code.comparison.EqualsEverythingError: an object of type _ANY equals everything
    """
    for item in _find_objects(value):
        for stranger in (object(), int.from_bytes(os.urandom(16), "big"), os.urandom(16).hex()):
            try:
                equal = item == stranger
            except Exception:  # noqa: BLE001 - an object that refuses to be compared claims nothing
                continue
            if equal is True:
                raise EqualsEverythingError(f"an object of type {type(item).__name__} equals everything")


def _find_objects(value: object) -> Iterator[object]:
    """Yield the objects in a value that are not of the plain types of Python."""
    waiting: list[Any] = [value]
    for _ in range(MOST_OBJECTS):
        if not waiting:
            return
        item = waiting.pop()
        kind = type(item)
        if kind in CONTAINERS:
            if not PLAIN.issuperset(map(type, item)):
                waiting.extend(item)
        elif kind is dict:
            waiting += [tuple(item), tuple(item.values())]
        elif kind not in PLAIN:
            yield item


def _replace(node: ast.AST) -> ast.AST:
    """Return a call in the place of a comparison that has one, and any other node as it is."""
    if not isinstance(node, ast.Compare) or len(node.ops) > 1 or type(node.ops[0]) not in PLACES:
        return node
    function = ast.Constant(PLACES[type(node.ops[0])])
    call = ast.Call(function, [node.left, node.comparators[0]], [])
    return ast.copy_location(call, ast.copy_location(function, node))


def replace_comparisons(tests: ast.Module) -> ast.Module:
    """Replace `==`, `!=`, `in` and `not in` by calls of `PLACES`. Chains of comparisons stay as they are.

    This walks through the tree itself: `ast.NodeTransformer` takes three times as long, which was a tenth of all time.

    Examples:
        >>> tree = replace_comparisons(ast.parse("assert f(1) == 2"))
        >>> type(tree.body[0].test).__name__
        'Call'
    """
    waiting: list[ast.AST] = [tests]
    while waiting:
        fields = vars(waiting.pop())
        for name, value in fields.items():
            if isinstance(value, ast.AST):
                fields[name] = _replace(value)
                waiting.append(fields[name])
            elif isinstance(value, list):
                value[:] = [_replace(item) if isinstance(item, ast.AST) else item for item in value]
                waiting += [item for item in value if isinstance(item, ast.AST)]
    return tests


def _bind(code: CodeType) -> CodeType:
    """Put the functions of `COMPARISONS` in their places, as constants, which no name leads to and nothing changes."""
    functions = {PLACES[operator]: function for operator, function in COMPARISONS.items()}
    constants = (
        _bind(item) if isinstance(item, CodeType) else functions.get(item, item) if type(item) is str else item
        for item in code.co_consts
    )
    return code.replace(co_consts=tuple(constants))


def compile_tests(source: str) -> CodeType:
    """Compile a test program, with comparisons that an object which equals everything does not pass.

    A test program that names `ANY` or `__eq__` has such objects of its own, and is compiled as it is.

    Raises:
        HarnessError: if it cannot be compiled. It says nothing about any candidate then.
    """
    try:
        tree = ast.parse(source, TESTS)
        if not re.search(r"\bANY\b|\b__eq__\b", source):
            replace_comparisons(tree)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # that a constant is called
            return _bind(compile(tree, TESTS, "exec", dont_inherit=True))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise HarnessError(f"the test program cannot be compiled: {type(error).__name__}: {error}") from error
