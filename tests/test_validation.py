"""Validators of arguments: what they return, and what their errors say."""

from decimal import localcontext
from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from at_k.validation import (
    check_choice,
    check_counts,
    check_flag,
    check_k,
    check_tau,
    check_threshold,
    draws_needed,
    fitting_k,
    is_sequence,
)


def raises(error, said, call, *args):
    with pytest.raises(error) as caught:
        call(*args)
    for words in said:
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        *[([1], True), ((1,), True), (range(2), True), (np.array([1]), True)],
        *[(1, False), (np.array(1), False), ("12", False)],
    ],
)
def test_is_sequence(value, answer):
    assert is_sequence(value) is answer


@pytest.mark.parametrize(
    ("k", "checked"),
    [
        (4, (4,)),
        (np.int32(4), (4,)),
        ([4, 1], (4, 1)),
        ((1, 2), (1, 2)),
        (range(1, 4), (1, 2, 3)),
        (np.array([8, 2]), (8, 2)),
        ([2, 1, 2], (2, 1, 2)),
    ],
)
def test_k(k, checked):
    assert check_k(k) == checked
    assert {type(number) for number in check_k(k)} == {int}


@pytest.mark.parametrize(
    ("k", "error", "said"),
    [
        (0, ValueError, ["0"]),
        (-1, ValueError, ["-1"]),
        ([1, 0], ValueError, ["0"]),
        ([], ValueError, ["[]"]),
        ((), ValueError, ["()"]),
        (range(0), ValueError, ["range(0, 0)"]),
        (2.5, TypeError, ["2.5", "float"]),
        (2.0, TypeError, ["2.0", "float"]),
        (True, TypeError, ["True", "bool"]),
        (np.True_, TypeError, ["True", "bool"]),
        ([1, False], TypeError, ["False", "bool"]),
        ("4", TypeError, ["'4'", "str"]),
        (["4"], TypeError, ["'4'", "str"]),
        (None, TypeError, ["None", "NoneType"]),
        ([[1, 2]], TypeError, ["[1, 2]", "list"]),
        ({1, 2}, TypeError, ["{1, 2}", "set"]),
        (np.array([1.0]), TypeError, ["1.0", "float64"]),
    ],
)
def test_errors_of_k(k, error, said):
    raises(error, ["`k`", *said], check_k, k)
    raises(error, ["`draws`", *said], check_k, k, "draws")


def test_k_that_fits():
    n = np.array([9, 4, 12])
    assert fitting_k((4, 1), n, default=(1, 10)) == (4, 1)
    assert fitting_k(None, n, default=(1, 4, 5)) == (1, 4)
    assert fitting_k(None, n, default=(5, 10)) == (4,)  # none fits: the smallest n


def test_k_that_does_not_fit():
    n = np.array([9, 4, 12, 3])
    raises(ValueError, ["`k`", "k=5", "smallest n is 3", "2 of 4 problems", "problem 1"], fitting_k, (1, 5), n, ())


@pytest.mark.parametrize(
    ("tau", "checked"),
    [
        (0.25, (0.25,)),
        (0, (0.0,)),
        (1, (1.0,)),
        ([1.0, 0.5], (1.0, 0.5)),
        (np.array([0.5, 0.25]), (0.5, 0.25)),
        (np.float32(0.55), (0.55,)),
        (np.float64(0.07), (0.07,)),
        (np.float16(0.1), (0.1,)),
        ([0.5, 0.25, 0.5], (0.5, 0.25, 0.5)),
        (np.int64(1), (1.0,)),
    ],
)
def test_tau(tau, checked):
    assert check_tau(tau) == checked
    assert {type(number) for number in check_tau(tau)} == {float}


def test_a_threshold_of_minus_zero_is_zero():
    assert str(check_tau(-0.0)[0]) == "0.0"  # it becomes part of a key


@pytest.mark.parametrize(
    ("tau", "error", "said"),
    [
        (1.01, ValueError, ["1.01"]),
        (-0.5, ValueError, ["-0.5"]),
        (float("nan"), ValueError, ["nan"]),
        ([0.5, float("inf")], ValueError, ["inf"]),
        ([], ValueError, ["[]"]),
        (True, TypeError, ["True", "bool"]),
        ("0.5", TypeError, ["'0.5'", "str"]),
        (None, TypeError, ["None", "NoneType"]),
        ([0.5, "1"], TypeError, ["'1'", "str"]),
    ],
)
def test_errors_of_tau(tau, error, said):
    raises(error, ["`tau`", *said], check_tau, tau)
    raises(error, ["`thresholds`", *said], check_tau, tau, "thresholds")


def test_draws_needed_are_counted_in_decimals():
    for k in range(1, 101):
        for percent in range(101):
            assert draws_needed(percent / 100, k) == max(1, ceil(Fraction(percent, 100) * k))


@pytest.mark.parametrize(
    ("tau", "k", "needed"),
    [(0.1 + 0.2, 10, 4), (1e-300, 10, 1), (1 - 2**-53, 10, 10), (0.5, 10**15, 5 * 10**14), (0.3, 10**15, 3 * 10**14)],
)
def test_draws_needed_in_extremes(tau, k, needed):
    assert draws_needed(tau, k) == needed


@pytest.mark.parametrize("threshold", [0, 1, 0.5, np.float64(0.3), np.int8(1)])
def test_threshold(threshold):
    assert check_threshold(threshold) == threshold
    assert type(check_threshold(threshold)) is float


@pytest.mark.parametrize(
    ("threshold", "error", "said"),
    [
        (1.5, ValueError, ["1.5"]),
        (-0.1, ValueError, ["-0.1"]),
        (float("nan"), ValueError, ["nan"]),
        (False, TypeError, ["False", "bool"]),
        ("0.5", TypeError, ["'0.5'", "str"]),
        ([0.5], TypeError, ["[0.5]", "list"]),
        (None, TypeError, ["None"]),
    ],
)
def test_errors_of_threshold(threshold, error, said):
    raises(error, ["`threshold`", *said], check_threshold, threshold)


def test_choice():
    assert check_choice("ties", "first", ("random", "first")) == "first"
    raises(ValueError, ["`ties`", "'last'", "'random', 'first'"], check_choice, "ties", "last", ("random", "first"))
    raises(TypeError, ["`ties`", "None", "NoneType", "'random'"], check_choice, "ties", None, ("random", "first"))
    raises(TypeError, ["`ties`", "list"], check_choice, "ties", ["random"], ("random", "first"))


@pytest.mark.parametrize("flag", [True, False, np.True_, np.False_])
def test_flag(flag):
    assert check_flag("complement", flag) is bool(flag)


@pytest.mark.parametrize("flag", [1, 0, None, "yes", [True]])
def test_errors_of_flag(flag):
    raises(TypeError, ["`complement`", repr(flag), type(flag).__name__], check_flag, "complement", flag)


@pytest.mark.parametrize(
    ("n", "c", "shape"),
    [
        (4, 2, ()),
        ([4, 5], 2, (2,)),
        (9, [1, 2, 3], (3,)),
        ([[4], [5]], [1, 2, 3], (2, 3)),
        (np.uint8(4), np.int16(4), ()),
    ],
)
def test_counts(n, c, shape):
    sizes, right = check_counts(n, c)
    assert sizes.shape == right.shape == shape
    assert sizes.dtype == right.dtype == np.int64
    assert_array_equal(sizes, np.broadcast_to(n, shape))
    assert_array_equal(right, np.broadcast_to(c, shape))


@pytest.mark.parametrize(
    ("n", "c", "error", "said"),
    [
        ([4, 4, 4], [0, 4, 5], ValueError, ["`c`", "`n`", "n=4, c=5", "problem 2"]),
        ([4, 4], [0, -2], ValueError, ["`c`", "c=-2", "problem 1"]),
        ([4, 0], [0, 0], ValueError, ["`n`", "n=0", "problem 1"]),
        ([4, -4], [0, -4], ValueError, ["`n`", "n=-4", "problem 1"]),
        ([4.0], [2], TypeError, ["`n`", "float64", "[4.0]"]),
        ([4], [2.5], TypeError, ["`c`", "float64", "[2.5]"]),
        ([4], [None], TypeError, ["`c`", "[None]"]),
        (4, True, TypeError, ["`c`", "bool"]),
        ("4", 2, TypeError, ["`n`", "'4'"]),
        ([4, 4], [1, 2, 3], ValueError, ["`n`", "`c`", "(2,)", "(3,)"]),
        (np.empty(0, dtype=int), 1, ValueError, ["`n`", "at least one problem"]),
        ([], [], ValueError, ["`n`", "at least one problem"]),
        ([[4, 4], [4]], 1, ValueError, ["`n`"]),
    ],
)
def test_errors_of_counts(n, c, error, said):
    raises(error, said, check_counts, n, c)


def test_the_callers_decimal_context_does_not_matter():
    with localcontext() as context:
        context.prec = 2
        assert draws_needed(0.1234, 1000) == 124
