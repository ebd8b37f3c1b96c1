"""Comparisons that an object which equals everything does not pass."""

import re
from collections import Counter, OrderedDict, defaultdict, namedtuple
from fractions import Fraction
from unittest.mock import ANY

import numpy as np
import pytest
from cases import for_each

from at_k.grading.code.comparison import EqualsEverythingError, contain, differ, equal, lack, refuse_equal_to_everything

OPERATORS = {"==": equal, "!=": differ, "in": contain, "not in": lack}


class Chameleon:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = object.__hash__


class Truthy:
    """It claims by numbers that are true or false, and not by True and False."""

    def __eq__(self, other):
        return 1

    def __ne__(self, other):
        return 0

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


HOLDERS = [OrderedDict(a=[ANY]), defaultdict(list, a=ANY), Counter(a=ANY)]


@for_each("value", [Chameleon(), Truthy(), [Chameleon()], {"a": (1, Truthy())}, {Chameleon(): 1}, ANY, *HOLDERS])
def test_an_object_that_equals_everything_is_refused(value):
    with pytest.raises(EqualsEverythingError, match="equals everything"):
        refuse_equal_to_everything(value)


Point = namedtuple("Point", "x y")


@for_each("value", [1, "a", None, [1, [2]], Point(1, 2), Fraction(1, 2), Money(3), Prickly(), np.arange(3)])
def test_honest_values_are_not(value):
    refuse_equal_to_everything(value)


@for_each("kind", [Chameleon, Truthy])
@for_each(
    "claim", ["x == 4", "4 == x", "[x] == [4]", "{1: x} == {1: 4}", "4 in [x]", "x in (4, 5)", "x != 4", "x not in [4]"]
)
def test_an_object_that_claims_by_truth_is_refused(kind, claim):
    names = {"x": kind()}
    left, operator, right = re.fullmatch(r"(.+?) (==|!=|not in|in) (.+)", claim).groups()
    assert bool(eval(claim, names)) is (operator in ("==", "in"))
    with pytest.raises(EqualsEverythingError):
        OPERATORS[operator](eval(left, names), eval(right, names))


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
        for name, operator in OPERATORS.items():
            if name in ("==", "!=") or isinstance(right, (str, list)):
                assert operator(left, right) == eval(f"left {name} right")
    assert (equal(np.arange(3), np.arange(3)) == [True] * 3).all()


def test_a_large_tree_is_left_in_time():
    refuse_equal_to_everything([[object()] for _ in range(100_000)])
    endless = []
    endless.append(endless)
    refuse_equal_to_everything(endless)
