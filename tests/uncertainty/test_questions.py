"""One question about two models: which interval stands, and what is said where no difference can be found."""

import numpy as np
import pytest
from cases import for_each
from numpy.testing import assert_allclose
from scipy import stats

from at_k.uncertainty.comparison import compare_values
from at_k.uncertainty.intervals import interval


def test_won_lost_and_tied():
    found = compare_values([1, 0.5, 0, 1, 0.3], [0, 0.5, 0.5, 0, 0.1 + 0.2])
    assert (found.won, found.lost, found.tied, found.problems) == (2, 1, 2, (5, 5))


def bounded(difference, stderr, m):
    """2·interval((1 + d)/2, se/2, M) − 1."""
    return 2 * np.array(interval((1 + difference) / 2, stderr / 2, m)) - 1


def test_few_differences_take_the_bounded_interval():
    """It holds 0 at least, since no p-value of five differences is below .05."""
    d = np.array([1.0] * 4 + [0.75] + [0.0])
    found = compare_values(d, np.zeros(6))
    low, high = bounded(d.mean(), stats.sem(d), 6)
    assert low > 0
    assert_allclose([found.low, found.high], [0, high], rtol=1e-9)
    assert_allclose(found.bounded, [low, high], rtol=1e-9)
    assert (found.method, found.better, found.p_value) == ("bounded", None, 2**-4)
    wide = compare_values([1.0] + [0.0] * 29, [0.0] * 30)
    assert (wide.low, wide.high) == pytest.approx(bounded(1 / 30, 1 / 30, 30), rel=1e-9)


def test_the_bounded_interval_stands_beside_for_fewer_than_100_units():
    a, b = np.random.default_rng(0).random((2, 100))
    d = a[:99] - b[:99]
    assert_allclose(compare_values(a[:99], b[:99]).bounded, bounded(d.mean(), stats.sem(d), 99), rtol=1e-9)
    assert compare_values(a, b).bounded is None
    labels = [i // 2 for i in range(100)]
    assert compare_values(a, b, clusters=labels).bounded is not None


@for_each("a, b", [([0.5], [0.25]), ([0.75] * 8, [0.5] * 8), ([1.0] * 3, [1.0] * 3)])
def test_one_problem_or_equal_differences_take_the_bounded_interval(a, b):
    found = compare_values(a, b)
    low, high = bounded(a[0] - b[0], 0, len(a))
    assert_allclose([found.low, found.high], [min(low, 0), high], rtol=1e-9)
    assert (found.method, found.better) == ("bounded", None if len(a) < 6 or found.p_value > 0.05 else "a")
    assert found.low < found.difference < found.high


def test_the_bounded_interval_on_request():
    a, b = np.random.default_rng(0).random((2, 20))
    found = compare_values(a, b, method="bounded")
    assert_allclose([found.low, found.high], bounded(np.mean(a - b), stats.sem(a - b), 20), rtol=1e-9)


def test_which_one_is_better():
    found = compare_values([1.0] * 8 + [0.5], [0.25] * 5 + [0.5] * 4)
    assert found.better == "a"
    assert found.p_value == 2 / 2**8
    assert compare_values([0.25] * 5 + [0.5] * 4, [1.0] * 8 + [0.5]).better == "b"
    assert compare_values([1.0] * 8 + [0.5], [0.25] * 5 + [0.5] * 4, confidence_level=0.995).better is None


def test_notes_say_when_no_difference_can_be_found():
    (few,) = compare_values([1, 1, 1, 0], [0, 0, 0, 0]).notes
    assert str(few).startswith("Problems whose values differ: 3. With so few, no p-value below 0.2500 can occur")
    (none,) = compare_values([1, 0], [1, 0]).notes
    assert str(none) == "The two have the same value in every problem."
    assert compare_values([1] * 6, [0] * 6).notes == ()
