"""The checker `numeric`."""

from fractions import Fraction

import pytest
from cases import for_each
from hypothesis import given, strategies as st

from at_k.grading.checkers import checkers

numeric = checkers.numeric


@for_each(
    "answer, reference, right",
    [
        ("1,234", "1234", True),
        ("$1,234.50", "1234.5", True),
        (r"50\%", "1/2", True),
        ("５０％", "0.5", True),
        ("1½", "3/2", True),
        (r"1\frac{1}{2}", "1.5", True),
        ("1.2e3", "1200", True),
        ("2×10⁸", "200000000", True),
        ("50%", "50", False),
        ("-5", "5", False),
        ("1.5", "15", False),
        ("18 eggs", "18", False),  # extraction finds numbers in texts
        ("x + 1", "x + 1", True),
        ("x + 1", " x + 1 ", True),
        ("1/0", "1/0", True),
        ("1/0", "0", False),
        ("0.333333", "1/3", True),
        ("0.333", "1/3", False),
        ("1234567890", "1234567891", False),  # whole numbers are not rounded
        ("1234567890.1", "1234567890.2", True),
    ],
)
def test_numeric(answer, reference, right):
    assert numeric()(answer, reference) is right


def test_tolerances_are_decimals_and_their_bounds_are_included():
    assert numeric(rel_tol=0.1)("1.1", "1") is True
    assert numeric(rel_tol=0.1)("1.10000000000000000001", "1") is False
    assert numeric(abs_tol=0.3)("0.3", "0") is True  # in floats, 0.1 + 0.2 > 0.3
    assert numeric(rel_tol=0)("0.333333333333", "1/3") is False
    assert numeric(rel_tol=1e-3)("1000", "1001") is True  # asked for, a tolerance holds for whole numbers too
    assert numeric(rel_tol=0.5)("-1", "1") is False
    assert numeric(rel_tol=0.5)("50", "-100") is False


@given(a=st.fractions(), b=st.fractions(), tolerance=st.sampled_from([0.0, 0.1, 0.5, 1e-3]))
def test_numbers_are_compared_as_fractions(a, b, tolerance):
    near = abs(a - b) <= Fraction(str(tolerance)) * abs(b)
    assert numeric(rel_tol=tolerance)(str(a), str(b)) is near


@for_each(
    "options, error",
    [
        ({"rel_tol": -1}, ValueError),
        ({"abs_tol": float("nan")}, ValueError),
        ({"abs_tol": float("inf")}, ValueError),
        ({"rel_tol": "0.1"}, TypeError),
        ({"abs_tol": None}, TypeError),
        ({"tolerance": 1}, TypeError),
    ],
)
def test_what_is_no_tolerance(options, error):
    with pytest.raises(error, match=r"`(rel_tol|abs_tol)` must be|tolerance"):
        numeric(**options)
