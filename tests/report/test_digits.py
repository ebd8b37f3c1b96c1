"""A value is written with the digits that its interval needs."""

import pytest

from at_k.report.digits import write_estimate
from at_k.values import ErrorBar


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (0.91, 0.84724, 0.95135, ("0.910", "[0.847, 0.951]")),
        (0.5, 0.5, 0.5, ("0.500", "[0.500, 0.500]")),
        (0.98, 0.9604, 0.9999, ("0.980", "[0.960, 1.000]")),
        (0.9996, 0.9992, 0.9998, ("0.9996", "[0.9992, 0.9998]")),  # 0.0006 wide: with three decimals all are 1
        (1.0, 0.99997, 1.0, ("1.00000", "[0.99997, 1.00000]")),
        (2.9, 2.58, 3.228, ("2.90", "[2.58, 3.23]")),
        (1234.5, 1230.1, 1238.4, ("1234", "[1230, 1238]")),
        (12.345, 12.318, 12.372, ("12.35", "[12.32, 12.37]")),
        (-1234.5, -1238.4, -1230.6, ("-1234", "[-1238, -1231]")),
        (0.5, -0.25, 1.25, ("0.500", "[-0.250, 1.25]")),
        (334.25, -1103.2, 1770.5, ("334.2", "[-1103, 1770]")),  # half to even
        (654321.0, 254321.0, 954321.0, ("654321", "[254321, 954321]")),
        (2e6, 1e6, 3e6, ("2.00e+06", "[1.00e+06, 3.00e+06]")),
        (1.5e300, 1.25e300, 1.75e300, ("1.50e+300", "[1.25e+300, 1.75e+300]")),
        (1 / 3, 1 / 3 - 1e-17, 1 / 3 + 1e-16, ("0.333333333333333", "[0.333333333333333, 0.333333333333333]")),
    ],
)
def test_an_interval_shows_its_width(value, low, high, shown):
    assert write_estimate(value, ErrorBar(0.1, low, high)) == shown


def test_asked_for_digits_hold_for_values_and_intervals():
    assert write_estimate(0.91, ErrorBar(0.1, 0.84724, 0.95135), 2) == ("0.91", "[0.85, 0.95]")
    assert write_estimate(0.91, None, 2) == ("0.91", "")
