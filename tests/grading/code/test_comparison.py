"""Comparisons that an object which equals everything does not pass."""

import pathlib
from collections import Counter, OrderedDict, defaultdict, namedtuple
from fractions import Fraction
from unittest.mock import ANY

import numpy as np
import pytest
from cases import for_each

from at_k.grading.code.comparison import EqualsEverythingError, refuse_equal_to_everything, vet


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


def define(method, answer):
    """Return an object of a class of a program, one method of which claims something of everything."""
    names = {"__name__": "candidate"}
    exec(f"class E:\n    def {method}(self, other): return {answer}\n    __hash__ = object.__hash__", names)
    return names["E"]()


@for_each(
    "method, answer",
    [
        ("__eq__", "1"),
        ("__ne__", "0"),
        ("__contains__", "True"),
        ("__sub__", "0"),
        ("__rsub__", "0"),
        *((f"__{name}__", "True") for name in ("lt", "le", "gt", "ge")),
    ],
)
def test_each_method_by_which_an_object_could_pass_is_tried(method, answer):
    with pytest.raises(EqualsEverythingError, match="an object of type E equals everything"):
        refuse_equal_to_everything([define(method, answer)])


@for_each(
    "method, answer",
    [
        ("__eq__", "other == 4"),
        ("__ne__", "other != 4"),
        ("__contains__", "other in (1, 2)"),
        ("__contains__", "all(n < other for n in __import__('itertools').count())"),  # endless for a large number
        ("__lt__", "0 < other"),
        ("__sub__", "4 - other"),
        ("__sub__", "self"),
    ],
)
def test_an_honest_method_stays(method, answer):
    refuse_equal_to_everything(define(method, answer))


def test_methods_of_other_classes_are_not_tried():
    refuse_equal_to_everything([{1, 2}, frozenset("a"), pathlib.PurePath("a"), Counter(), slice(1), type])


def test_what_is_vetted_is_returned():
    value = [object()]
    assert vet(value) is value
    assert vet(3) == 3


def test_a_large_tree_is_left_in_time():
    refuse_equal_to_everything([[object()] for _ in range(100_000)])
    endless = []
    endless.append(endless)
    refuse_equal_to_everything(endless)
