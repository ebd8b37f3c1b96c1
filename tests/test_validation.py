"""Validators of arguments: what they return, and what their errors say."""

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from math import ceil

import numpy as np
import pytest
from cases import for_each
from numpy.testing import assert_array_equal

from at_k.validation import (
    check_choice,
    check_counts,
    check_flag,
    check_k,
    check_seed,
    check_tau,
    check_threshold,
    draws_needed,
    is_sequence,
    read_as_integers,
    refuse_too_many_k,
    shorten,
)


def raises(error, said, call, *args):
    with pytest.raises(error) as caught:
        call(*args)
    for words in said:
        assert words in str(caught.value)


@for_each(
    "value, answer",
    [
        *[([1], True), ((1,), True), (range(2), True), (np.array([1]), True)],
        *[(1, False), (np.array(1), False), ("12", False)],
    ],
)
def test_is_sequence(value, answer):
    assert is_sequence(value) is answer


@for_each(
    "k, checked",
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


@for_each(
    "k, error, said",
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


def test_every_k_may_be_the_smallest_n():
    refuse_too_many_k((1, 3), np.array([9, 4, 12, 3]))
    raises(
        ValueError,
        ["k=4", "smallest n is 3", "1 of 4", "problem 3"],
        refuse_too_many_k,
        (1, 4),
        np.array([9, 4, 12, 3]),
    )


def test_k_that_does_not_fit():
    n = np.array([9, 4, 12, 3])
    raises(ValueError, ["`k`", "k=5", "smallest n is 3", "2 of 4 problems", "problem 1"], refuse_too_many_k, (1, 5), n)


@for_each(
    "tau, checked",
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


def test_a_fraction_stays_as_given():
    taus = check_tau([Fraction(5, 7), Fraction(1, 2), 0.5, Fraction(0), Fraction(1)])
    assert [type(tau) for tau in taus] == [Fraction, Fraction, float, Fraction, Fraction]
    assert list(map(str, taus)) == ["5/7", "1/2", "0.5", "0", "1"]
    assert draws_needed(Fraction(5, 7), 7) == 5
    assert draws_needed(Fraction(5, 7), 8) == 6
    assert draws_needed(Fraction(0), 8) == 1
    raises(ValueError, ["`tau`", "Fraction(8, 7)"], check_tau, Fraction(8, 7))
    raises(ValueError, ["`tau`", "Fraction(-1, 7)"], check_tau, [0.5, Fraction(-1, 7)])


def test_a_threshold_of_minus_zero_is_zero():
    assert str(check_tau(-0.0)[0]) == "0.0"  # it becomes part of a key


@for_each(
    "tau, error, said",
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


@for_each(
    "tau, k, needed",
    [(0.1 + 0.2, 10, 4), (1e-300, 10, 1), (1 - 2**-53, 10, 10), (0.5, 10**15, 5 * 10**14), (0.3, 10**15, 3 * 10**14)],
)
def test_draws_needed_in_extremes(tau, k, needed):
    assert draws_needed(tau, k) == needed


def test_a_threshold_of_single_precision_is_the_decimal_that_it_prints_as():
    assert check_threshold(np.float32(0.55)) == 0.55
    assert str(check_threshold(-0.0)) == "0.0"


@for_each("threshold", [0, 1, 0.5, np.float64(0.3), np.int8(1)])
def test_threshold(threshold):
    assert check_threshold(threshold) == threshold
    assert type(check_threshold(threshold)) is float


@for_each(
    "threshold, error, said",
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


@for_each("value", [np.timedelta64(3, "ns"), np.timedelta64(3, "s"), np.datetime64("2024-01-01")])
@for_each("check", [check_k, check_tau, check_threshold, check_seed])
def test_times_are_no_numbers(check, value):
    with pytest.raises(TypeError, match=type(value).__name__):
        check(value)


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no text")


ODD = {
    "long": 10**5000,
    "negative": -(10**5000),
    "in a list": [10**5000],
    "text": "x" * 100_000,
    "unprintable": Unprintable(),
    "unprintable in a list": [Unprintable()],
}


@for_each("value", ODD.values(), ids=ODD)
@for_each(
    "check, name",
    [
        (check_k, "k"),
        (check_tau, "tau"),
        (check_threshold, "threshold"),
        (partial(check_flag, "flag"), "flag"),
        (partial(check_choice, "ties", choices=("a", "b")), "ties"),
    ],
)
def test_no_value_is_too_odd_for_a_message(check, name, value):
    with pytest.raises((ValueError, TypeError), match=f"`{name}`") as caught:
        check(value)
    assert len(str(caught.value)) < 250


def test_a_seed_may_be_large_but_not_negative():
    assert check_seed(10**5000) == 10**5000
    assert check_seed(0) == check_seed(np.uint8(0)) == 0
    raises(ValueError, ["`seed`", "negative", "bits"], check_seed, -(10**5000))
    raises(ValueError, ["`seed`", "-1"], check_seed, -1)
    raises(TypeError, ["`seed`", "True", "bool"], check_seed, True)


def test_k_is_at_most_63_bits():
    assert check_k(2**63 - 1) == (2**63 - 1,)
    raises(ValueError, ["`k`", str(2**63)], check_k, 2**63)


def test_shorten():
    assert shorten("x" * 58) == repr("x" * 58)  # 60 characters with its quotes
    assert shorten("x" * 59) == "'" + "x" * 56 + "..."
    assert shorten("abcdef", 6) == "'ab..."
    assert "Unprintable" not in shorten(Unprintable())
    assert "RuntimeError" in shorten(Unprintable())
    assert shorten(10**5000) == "an integer of 16610 bits"


@for_each(
    "numbers, integers, digits",
    [
        ([], [], 0),
        ([1.0, 3.0], [10, 30], 1),
        ([0.25, 1e3], [25, 100000], 2),
        ([1e22, 2e22], [10**22, 2 * 10**22], 0),
        ([-0.5, 1e-7], [-5 * 10**6, 1], 7),
    ],
)
def test_numbers_as_integers(numbers, integers, digits):
    assert read_as_integers(np.array(numbers)) == (integers, digits)


def test_the_largest_and_the_smallest_float_as_integers():
    numbers = [1.7976931348623157e308, 5e-324]
    integers, digits = read_as_integers(np.array(numbers))
    assert [Fraction(integer, 10**digits) for integer in integers] == [Fraction(repr(number)) for number in numbers]


def test_choice():
    assert check_choice("ties", "first", ("random", "first")) == "first"
    raises(ValueError, ["`ties`", "'last'", "'random', 'first'"], check_choice, "ties", "last", ("random", "first"))
    raises(TypeError, ["`ties`", "None", "NoneType", "'random'"], check_choice, "ties", None, ("random", "first"))
    raises(TypeError, ["`ties`", "list"], check_choice, "ties", ["random"], ("random", "first"))


@for_each("flag", [True, False, np.True_, np.False_])
def test_flag(flag):
    assert check_flag("complement", flag) is bool(flag)


@for_each("flag", [1, 0, None, "yes", [True]])
def test_errors_of_flag(flag):
    raises(TypeError, ["`complement`", repr(flag), type(flag).__name__], check_flag, "complement", flag)


@for_each(
    "n, c, shape",
    [
        (4, 2, ()),
        (1, 1, ()),
        ([4, 5], 2, (2,)),
        (9, [1, 2, 3], (3,)),
        ([[4], [5]], [1, 2, 3], (2, 3)),
        (np.uint8(4), np.int16(4), ()),
        (np.array([4, 5], dtype=np.uint64), np.array([0, 5], dtype=np.uint64), (2,)),
        (np.array([2**63 - 1], dtype=np.uint64), 1, (1,)),
        (np.array([4], dtype=np.uint64), np.array([-0], dtype=np.int8), (1,)),
    ],
)
def test_counts(n, c, shape):
    sizes, right = check_counts(n, c)
    assert sizes.shape == right.shape == shape
    assert sizes.dtype == right.dtype == np.int64
    assert_array_equal(sizes, np.broadcast_to(n, shape))
    assert_array_equal(right, np.broadcast_to(c, shape))


@for_each(
    "n, c, error, said",
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
        (np.array([4, 2**63], dtype=np.uint64), 1, ValueError, ["`n`", "64 bits", str(2**63)]),
        (4, np.array([2**64 - 1], dtype=np.uint64), ValueError, ["`c`", "64 bits", str(2**64 - 1)]),
        (np.array([4], dtype="m8[s]"), 1, TypeError, ["`n`", "timedelta64"]),
    ],
)
def test_errors_of_counts(n, c, error, said):
    raises(error, said, check_counts, n, c)


def test_counts_may_be_the_decimal_numbers_that_databases_sum_to():
    sizes, right = check_counts([Decimal(4), Decimal("2.0")], [Decimal(1), Decimal(2)])
    assert (sizes.tolist(), right.tolist()) == ([4, 2], [1, 2])
    for wrong in ("1.5", "NaN", "Infinity"):
        raises(TypeError, ["`c`", "integers"], check_counts, [4], [Decimal(wrong)])


def test_counts_of_any_length_are_refused():
    raises(TypeError, ["`n`", "object"], check_counts, 10**5000, 1)
    raises(TypeError, ["`c`", "object"], check_counts, 1, 10**5000)


def test_the_callers_decimal_context_does_not_matter():
    with localcontext() as context:
        context.prec = 2
        assert draws_needed(0.1234, 1000) == 124
        assert read_as_integers(np.array([0.30000000000000004, 1e-17])) == ([30000000000000004, 1], 17)
