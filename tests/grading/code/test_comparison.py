"""Comparisons that an object which equals everything does not pass."""

import ast
from collections import namedtuple
from fractions import Fraction
from types import CodeType
from unittest.mock import ANY

import numpy as np
import pytest

from at_k.grading.code.comparison import (
    COMPARISONS,
    EqualsEverythingError,
    compile_tests,
    refuse_equal_to_everything,
    replace_comparisons,
)
from at_k.grading.code.outcomes import HarnessError


class Chameleon:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = object.__hash__


class Money:
    """An honest class: it equals numbers, and not all of them."""

    def __init__(self, amount):
        self.amount = amount

    def __eq__(self, other):
        return self.amount == getattr(other, "amount", other)

    __hash__ = None


class Prickly:
    def __eq__(self, other):
        if not isinstance(other, Prickly):
            raise TypeError("not comparable")
        return True

    __hash__ = None


def run(tests, **names):
    exec(compile_tests(tests), names)


@pytest.mark.parametrize("value", [Chameleon(), [Chameleon()], {"a": (1, Chameleon())}, {Chameleon(): 1}, ANY])
def test_an_object_that_equals_everything_is_refused(value):
    with pytest.raises(EqualsEverythingError, match="equals everything"):
        refuse_equal_to_everything(value)


Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    "value", [1, "a", None, [1, [2]], Point(1, 2), Fraction(1, 2), Money(3), Prickly(), np.arange(3)]
)
def test_honest_values_are_not(value):
    refuse_equal_to_everything(value)


@pytest.mark.parametrize(
    "tests",
    [
        "assert x == 5",
        "assert 5 == x",
        "assert [x] == [5]",
        "assert x in (5, 6)",
        "assert 5 in [x]",
        "assert not x != 5",
        "assert not x not in [5]",
        "def check(y):\n    for _ in range(1):\n        assert (y == 5) is True\ncheck(x)",
        "class T:\n    same = x == 5\nassert T.same",
        "assert all(y == 5 for y in [x])",
        "assert f'{x == 5}' == 'True'",
    ],
)
def test_comparisons_in_all_places_are_replaced(tests):
    exec(tests, {"x": Chameleon()})  # as it is, it passes
    with pytest.raises(EqualsEverythingError):
        run(tests, x=Chameleon())


@pytest.mark.parametrize(
    "tests", ["assert 1 == 1 == x", "assert x is not None", "assert x >= 0 or True if 0 else True"]
)
def test_other_comparisons_stay(tests):
    assert ast.dump(replace_comparisons(ast.parse(tests))) == ast.dump(ast.parse(tests))


@pytest.mark.parametrize(
    "tests", ["from unittest.mock import ANY\nassert [1, ANY] == x", "# __eq__\nassert x == [1, 2]"]
)
def test_tests_with_such_objects_of_their_own_stay(tests):
    run(tests, x=[1, 2])


def test_comparisons_give_what_the_operators_give():
    for left, right in [
        (1, 1),
        (1, 2),
        ("a", "abc"),
        ("a", ["a"]),
        (3, [1, 2]),
        (Money(3), 3),
        (float("nan"), float("nan")),
    ]:
        for name, operator in {"==": ast.Eq, "!=": ast.NotEq, "in": ast.In, "not in": ast.NotIn}.items():
            if name in ("==", "!=") or isinstance(right, (str, list)):
                assert COMPARISONS[operator](left, right) == eval(f"left {name} right")
    assert (COMPARISONS[ast.Eq](np.arange(3), np.arange(3)) == [True] * 3).all()


def test_no_name_and_no_closure_leads_to_the_operators():
    code = compile_tests("def g(): return 1 == 2\nassert not g()")
    inner = next(item for item in code.co_consts if isinstance(item, CodeType))
    assert COMPARISONS[ast.Eq] in inner.co_consts
    assert inner.co_names == ()
    assert [function.__closure__ for function in COMPARISONS.values()] == [None] * 4


def test_line_numbers_stay():
    with pytest.raises(AssertionError) as caught:
        run("x = 1\n\nassert (\n    x == 2\n)")
    assert caught.traceback[-1].frame.code.raw.co_filename == "<tests>"
    assert caught.traceback[-1].lineno + 1 in (3, 4)


def test_a_large_tree_is_left_in_time():
    refuse_equal_to_everything([[object()] for _ in range(100_000)])
    endless = []
    endless.append(endless)
    refuse_equal_to_everything(endless)


@pytest.mark.parametrize("tests", ["assert", "\0", "x = '\ud800'", "(" * 1000 + ")" * 1000])
def test_tests_that_cannot_be_compiled_are_no_fault_of_a_candidate(tests):
    with pytest.raises(HarnessError, match="the test program cannot be compiled"):
        compile_tests(tests)
