import numpy as np
import pytest

from at_k.report.states import Moments, Problem, Stratum
from at_k.values import Key

KEY = Key("max@k", 2)


def moments(values):
    values = np.asarray(values, dtype=np.float64)
    return Moments.of(values, values**2, np.zeros(len(values)), np.ones(len(values), dtype=np.int64))


def test_moments_merge_without_cancellation():
    """A mean of 10⁹ with deviations of 1: sums of squares would have lost half of their digits."""
    values = 1e9 + np.random.default_rng(0).random(300)
    parts = [Stratum(100, {KEY: moments(part)}) for part in np.split(values, 3)]
    merged = parts[0].merge(parts[1]).merge(parts[2]).moments[KEY]
    assert merged.mean == pytest.approx(values.mean(), rel=1e-15)
    assert merged.squares == pytest.approx(((values - values.mean()) ** 2).sum(), rel=1e-8)  # 1e9 has 7 decimals
    assert (merged.variance, merged.largest) == pytest.approx(((values**2).sum(), (values**2).max()), rel=1e-12)


def test_equal_values_do_not_deviate():
    one, other = Stratum(3, {KEY: moments([0.1] * 3)}), Stratum(7, {KEY: moments([0.1] * 7)})
    assert one.merge(other).moments[KEY][:2] == (0.1, 0.0)


def test_merging_is_commutative_to_the_last_bit():
    rng = np.random.default_rng(1)
    one, other = (Stratum(size, {KEY: moments(rng.random(size))}) for size in (5, 8))
    assert one.merge(other) == other.merge(one)


def test_a_problem_grows():
    grown = Problem("a", 3, 2, {"7": (2, 2), "9": (1, 0)}).merge(Problem("a", 2, 0, {"9": (2, 0)}))
    assert grown == Problem("a", 5, 2, {"7": (2, 2), "9": (3, 0)})
    assert grown.shape == ("a", 5, (-3, 2))
    assert not grown.disagrees
    assert grown.merge(Problem("a", 1, 1, {"9": (1, 1)})).disagrees
    assert grown.merge(Problem("a", 1, 1, None)).votes is None
