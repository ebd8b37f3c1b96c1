"""Validators of arguments: what they return, and what their errors say."""

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from math import ceil, inf, nan

import numpy as np
import pytest
from cases import for_each, for_rows, refuses
from numpy.testing import assert_array_equal

from at_k.validation import (
    check_choice,
    check_counts,
    check_cut,
    check_flag,
    check_k,
    check_seed,
    check_tau,
    draws_needed,
    is_sequence,
    read_as_integers,
    refuse_too_many_k,
    shorten,
)

F = Fraction
check_ties = partial(check_choice, "ties", choices=("random", "first"))
check_complement = partial(check_flag, "complement")

RETURNED = {
    is_sequence: [
        *[([1], True), ((1,), True), (range(2), True), (np.array([1]), True)],
        *[(1, False), (np.array(1), False), ("12", False)],
    ],
    check_k: [
        *[
            (4, (4,)),
            (np.int32(4), (4,)),
            ([4, 1], (4, 1)),
            ((1, 2), (1, 2)),
            (range(1, 4), (1, 2, 3)),
        ],
        *[(np.array([8, 2]), (8, 2)), ([2, 1, 2], (2, 1, 2)), (2**63 - 1, (2**63 - 1,))],
    ],
    check_tau: [
        *[
            (0.25, (0.25,)),
            (0, (0.0,)),
            (1, (1.0,)),
            ([1.0, 0.5], (1.0, 0.5)),
            (np.array([0.5, 0.25]), (0.5, 0.25)),
        ],
        *[
            (np.float32(0.55), (0.55,)),
            (np.float64(0.07), (0.07,)),
            (np.float16(0.1), (0.1,)),
            (np.int64(1), (1.0,)),
        ],
        *[([0.5, 0.25, 0.5], (0.5, 0.25, 0.5)), (-0.0, (0.0,))],  # it becomes part of a key
        ([F(5, 7), F(1, 2), 0.5, F(0), F(1)], (F(5, 7), F(1, 2), 0.5, F(0), F(1))),
    ],
    check_cut: [
        *[(0, 0.0), (0.5, 0.5), (np.float64(0.3), 0.3), (np.float32(0.55), 0.55), (-0.0, 0.0)],
        *[
            (">=0.8", float(np.nextafter(0.8, 0))),
            ("≥ 1", 1 - 2**-53),
            (" >= .5 ", 0.5 - 2**-54),
        ],
    ],
    check_seed: [(10**5000, 10**5000), (0, 0), (np.uint8(0), 0)],
    check_ties: [("first", "first")],
    check_complement: [(flag, bool(flag)) for flag in (True, False, np.True_, np.False_)],
    shorten: [
        *[
            ("x" * 58, repr("x" * 58)),
            ("x" * 59, "'" + "x" * 56 + "..."),
        ],  # 60 characters with its quotes
        (10**5000, "an integer of 16610 bits"),
    ],
}


@for_each(
    "check, value, found", [(check, *case) for check, cases in RETURNED.items() for case in cases]
)
def test_valid_values_are_returned(check, value, found):
    checked = check(value)
    assert checked == found
    assert shorten(checked) == shorten(found)  # of the same types, and zero has no sign


def test_fractions_are_spelled_as_quotients():
    assert list(map(str, check_tau([F(5, 7), F(1, 2), 0.5, F(0), F(1)]))) == [
        "5/7",
        "1/2",
        "0.5",
        "0",
        "1",
    ]
    assert shorten("abcdef", 6) == "'ab..."


TIMES = (np.timedelta64(3, "ns"), np.timedelta64(3, "s"), np.datetime64("2024-01-01"))

REFUSED = {
    check_k: [
        "`k`",
        *[(0, "ValueError: 0"), (-1, "ValueError: -1"), ([1, 0], "ValueError: 0"), (2**63, f"ValueError: {2**63}")],
        *[([], "ValueError: []"), ((), "ValueError: ()"), (range(0), "ValueError: range(0, 0)")],
        *[(2.5, "TypeError: 2.5 of type float"), (2.0, "TypeError: 2.0 of type float"), (None, "TypeError: None")],
        *[(True, "TypeError: True of type bool"), (np.True_, "TypeError: True … of type bool")],
        *[([1, False], "TypeError: False of type bool"), (["4"], "TypeError: '4' of type str")],
        *[("4", "TypeError: '4' of type str"), ([[1, 2]], "TypeError: [1, 2] of type list")],
        *[({1, 2}, "TypeError: {1, 2} of type set"), (np.array([1.0]), "TypeError: 1.0 … float64")],
    ],
    partial(check_k, name="draws"): ["`draws`", (0, "ValueError: 0"), ([], "ValueError: []"), (2.5, "TypeError: 2.5")],
    check_tau: [
        "`thresholds`",
        *[(1.01, "ValueError: 1.01"), (-0.5, "ValueError: -0.5"), (nan, "ValueError: nan"), ([], "ValueError: []")],
        *[([0.5, inf], "ValueError: inf"), (F(8, 7), "ValueError: Fraction(8, 7)")],
        *[([0.5, F(-1, 7)], "ValueError: Fraction(-1, 7)"), (True, "TypeError: True of type bool")],
        *[("0.5", "TypeError: '0.5' of type str"), (None, "TypeError: None"), ([0.5, "1"], "TypeError: '1'")],
    ],
    partial(check_tau, name="tau"): ["`tau`", (1.01, "ValueError: 1.01"), (True, "TypeError: True")],
    check_cut: [
        "`correct_above`",
        *[(1, "ValueError: 1. To count full grades alone: correct_above='>=1'"), (1.0, "ValueError: no")],
        *[(">=0", "ValueError: '>=0'"), ("≥1.5", "ValueError: 1.5"), (">=x", "TypeError: '>=x'")],
        *[(1.5, "ValueError: 1.5"), (-0.1, "ValueError: -0.1"), (nan, "ValueError: nan"), (None, "TypeError: None")],
        *[(False, "TypeError: False of type bool"), ("0.5", "TypeError: '0.5' of type str")],
        ([0.5], "TypeError: [0.5] of type list"),
    ],
    check_seed: [
        "`seed`",
        *[(-(10**5000), "ValueError: negative … bits"), (-1, "ValueError: -1"), (True, "TypeError: True of type bool")],
    ],
    check_ties: [
        "`ties`",
        *[("last", "ValueError: 'random', 'first' … 'last'"), (None, "TypeError: 'random' … None of type NoneType")],
        (["random"], "TypeError: list"),
    ],
    check_complement: [
        "`complement`",
        *[(flag, f"TypeError: {flag!r} of type {type(flag).__name__}") for flag in (1, 0, None, "yes", [True])],
    ],
}  # fmt: skip


@for_each(
    "check, name, value, says",
    [(check, row[0], *case) for check, row in REFUSED.items() for case in row[1:]],
)
def test_invalid_values_are_refused(check, name, value, says):
    kind, _, words = says.partition(": ")
    refuses(f"{kind}: {name} … {words}", check, value)


@for_each("check", [check_k, check_tau, check_cut, check_seed])
@for_each("value", TIMES)
def test_times_are_no_numbers(check, value):
    refuses(f"TypeError: {type(value).__name__}", check, value)


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


@for_rows("value", ODD)
@for_each(
    "check, name", [(check, row[0]) for check, row in REFUSED.items() if check is not check_seed]
)
def test_no_value_is_too_odd_for_a_message(check, name, value):
    with pytest.raises((ValueError, TypeError), match=name) as caught:
        check(value)
    assert len(str(caught.value)) < 250
    assert "Unprintable" not in shorten(Unprintable())
    assert "RuntimeError" in shorten(Unprintable())


def test_every_k_may_be_the_smallest_n():
    n = np.array([9, 4, 12, 3])
    refuse_too_many_k((1, 3), n)
    for k, count, first in ((4, "1 of 4", "problem 3"), (5, "2 of 4 problems", "problem 1")):
        refuses(
            f"ValueError: `k` … k={k} … smallest n is 3 … {count} … {first}",
            refuse_too_many_k,
            (1, k),
            n,
        )


def test_draws_needed_are_counted_in_decimals():
    for k in range(1, 101):
        for percent in range(101):
            assert draws_needed(percent / 100, k) == max(1, ceil(F(percent, 100) * k))


@for_each("tau, k, needed", [
    *[(0.1 + 0.2, 10, 4), (1e-300, 10, 1), (1 - 2**-53, 10, 10), (0.5, 10**15, 5 * 10**14)],
    *[(0.3, 10**15, 3 * 10**14), (F(5, 7), 7, 5), (F(5, 7), 8, 6), (F(0), 8, 1)],
])  # fmt: skip
def test_draws_needed_in_extremes(tau, k, needed):
    assert draws_needed(tau, k) == needed


@for_each("numbers, integers, digits", [
    *[([], [], 0), ([1.0, 3.0], [10, 30], 1), ([0.25, 1e3], [25, 100000], 2)],
    *[([1e22, 2e22], [10**22, 2 * 10**22], 0), ([-0.5, 1e-7], [-5 * 10**6, 1], 7)],
])  # fmt: skip
def test_numbers_as_integers(numbers, integers, digits):
    assert read_as_integers(np.array(numbers)) == (integers, digits)


def test_the_largest_and_the_smallest_float_as_integers_and_the_decimal_context_of_a_caller():
    numbers = [1.7976931348623157e308, 5e-324]
    integers, digits = read_as_integers(np.array(numbers))
    assert [F(integer, 10**digits) for integer in integers] == [
        F(repr(number)) for number in numbers
    ]
    with localcontext() as context:
        context.prec = 2
        assert draws_needed(0.1234, 1000) == 124
        assert read_as_integers(np.array([0.30000000000000004, 1e-17])) == (
            [30000000000000004, 1],
            17,
        )


def unsigned(*numbers):
    return np.array(numbers, dtype=np.uint64)


@for_each("n, c, shape", [
    *[(4, 2, ()), (1, 1, ()), ([4, 5], 2, (2,)), (9, [1, 2, 3], (3,)), ([[4], [5]], [1, 2, 3], (2, 3))],
    *[(np.uint8(4), np.int16(4), ()), (unsigned(4, 5), unsigned(0, 5), (2,)), (unsigned(2**63 - 1), 1, (1,))],
    (unsigned(4), np.array([-0], dtype=np.int8), (1,)),
    ([Decimal(4), Decimal("2.0")], [Decimal(1), Decimal(2)], (2,)),  # which databases sum to
])  # fmt: skip
def test_counts(n, c, shape):
    sizes, right = check_counts(n, c)
    assert sizes.shape == right.shape == shape
    assert sizes.dtype == right.dtype == np.int64
    assert_array_equal(sizes, np.broadcast_to(n, shape))
    assert_array_equal(right, np.broadcast_to(c, shape))


@for_each("n, c, says", [
    ([4, 4, 4], [0, 4, 5], "ValueError: `c` … `n` … n=4, c=5 … problem 2"),
    ([4, 4], [0, -2], "ValueError: `c` … c=-2 … problem 1"),
    ([4, 0], [0, 0], "ValueError: `n` … n=0 … problem 1"),
    ([4, -4], [0, -4], "ValueError: `n` … n=-4 … problem 1"),
    ([4.0], [2], "TypeError: `n` … float64 in [4.0]"),
    ([4], [2.5], "TypeError: `c` … float64 in [2.5]"),
    ([4], [None], "TypeError: `c` … [None]"),
    (4, True, "TypeError: `c` … bool"),
    ("4", 2, "TypeError: `n` … '4'"),
    ([4, 4], [1, 2, 3], "ValueError: `n` … `c` … (2,) … (3,)"),
    (np.empty(0, dtype=int), 1, "ValueError: `n` … at least one problem"),
    ([], [], "ValueError: `n` … at least one problem"),
    ([[4, 4], [4]], 1, "ValueError: `n`"),
    (unsigned(4, 2**63), 1, f"ValueError: `n` … 64 bits … {2**63}"),
    (4, unsigned(2**64 - 1), f"ValueError: `c` … 64 bits … {2**64 - 1}"),
    (np.array([4], dtype="m8[s]"), 1, "TypeError: `n` … timedelta64"),
    *[([4], [Decimal(wrong)], "TypeError: `c` … integers") for wrong in ("1.5", "NaN", "Infinity")],
    (10**5000, 1, "TypeError: `n` … object"),
    (1, 10**5000, "TypeError: `c` … object"),
])  # fmt: skip
def test_errors_of_counts(n, c, says):
    refuses(says, check_counts, n, c)
