"""Arguments that cannot be used are refused by name."""

import re

import numpy as np
import pytest
from cases import for_each, refuses
from numpy.testing import assert_array_equal

from at_k.uncertainty import checks


@for_each("confidence_level", [0, 1, -0.1, 2, float("nan"), float("inf")])
def test_a_fraction_lies_between_0_and_1(confidence_level):
    with pytest.raises(
        ValueError,
        match=re.escape(f"`confidence_level` must lie between 0 and 1, both excluded; got {confidence_level}"),
    ):
        checks.check_fraction("confidence_level", confidence_level)


@for_each("confidence_level", ["0.95", None, True, [0.9]])
def test_a_fraction_is_a_number(confidence_level):
    with pytest.raises(TypeError, match="`confidence_level` must be a number between 0 and 1"):
        checks.check_fraction("confidence_level", confidence_level)


def test_sizes():
    assert checks.check_size("problems", np.int64(3)) == 3
    refuses("ValueError: `problems` must be at least 2; got 1", checks.check_size, "problems", 1, 2)
    for wrong in (2.0, True, "3", None):
        refuses("TypeError: `problems` must be an integer", checks.check_size, "problems", wrong)


def test_values():
    assert_array_equal(checks.read_values("a", [True, 0, 0.5]), [1, 0, 0.5])
    assert checks.read_values("a", [[1, 2], [3, 4]], bounded=False).shape == (2, 2)
    with pytest.raises(ValueError, match=r"`a` must lie between ±1e\+150; got -2e\+150 in problem 1"):
        checks.read_values("a", [1, -2e150, 3], bounded=False)


@for_each("values, says", [
    ([], "ValueError: `a` must hold one value per problem, at least one; got []"),
    (0.5, "ValueError: `a` must hold one value per problem, at least one; got 0.5"),
    ([0.5, float("nan")], "ValueError: `a` must hold finite numbers; got nan in problem 1"),
    ([[0.5, 0.5], [0.5, float("inf")]], "ValueError: `a` must hold finite numbers; got inf in problem 1"),
    ([0.5, 1.5], "ValueError: `a` must lie in [0, 1]; got 1.5 in problem 1"),
    ([-0.5], "ValueError: `a` must lie in [0, 1]; got -0.5 in problem 0"),
    (["0.5"], "TypeError: `a` must hold numbers; got <U3 in ['0.5']"),
    ([None], "TypeError: `a` must hold numbers; got object in [None]"),
    ([[1], [1, 0]], "ValueError: `a` must hold numbers, in rows of one length; got [[1], [1, 0]]"),
])  # fmt: skip
def test_values_that_cannot_be_used(values, says):
    refuses(says, checks.read_values, "a", values)


def test_a_column_has_one_dimension():
    with pytest.raises(ValueError, match=r"`a` must hold one number per problem; got an array of shape \(1, 2\)"):
        checks.read_column("a", [[0, 1]])


def test_counts():
    n, c = checks.read_counts(4, [1, 2])
    assert_array_equal(n, [4, 4])
    assert_array_equal(c, [1, 2])
    refuses("ValueError: `n` and `c` must hold one number per problem", checks.read_counts, [[4]], [[1]])
    refuses("ValueError: `c` must be at most `n`; got n=1, c=2 in problem 0", checks.read_counts, [1], [2])
