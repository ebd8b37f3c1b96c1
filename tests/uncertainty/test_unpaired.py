"""The comparison of models on different problems."""

import numpy as np
import pytest
from cases import for_each
from numpy.testing import assert_allclose
from scipy import stats

from at_k.uncertainty.unpaired import compare_unpaired


def test_unpaired_is_welch_s_test():
    rng = np.random.default_rng(0)
    a, b = rng.random(20), rng.random(30) / 2
    found = compare_unpaired(a, b)
    theirs = stats.ttest_ind(a, b, equal_var=False)
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    assert_allclose([found.low, found.high], theirs.confidence_interval(0.95), rtol=1e-9)
    assert (found.paired, found.problems, found.won) == (False, (20, 30), None)
    assert "measured on different problems" in str(found.notes[0])


def test_unpaired_values_whose_variances_have_no_squares():
    """The values of a large k may be so nearly equal that the fourth power of their spread is no float."""
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 20))
    small, large = compare_unpaired(a * 2.0**-300, b * 2.0**-300), compare_unpaired(a, b)
    assert small.p_value == pytest.approx(large.p_value, rel=1e-12)


@for_each("a, b", [([1.0] * 15, [1.0] * 15), ([1.0], [0.0]), ([1.0] * 14 + [0.0], [1.0] * 30)])
def test_unpaired_never_has_zero_width(a, b):
    found = compare_unpaired(a, b)
    assert found.low <= found.difference <= found.high
    assert found.high - found.low > 0.1
    assert found.better is None


def test_unpaired_p_value_fits_its_interval():
    a, b = [1.0] * 20, [0.0] * 19 + [1.0]
    found = compare_unpaired(a, b)
    assert found.p_value < 1e-6
    assert found.better == "a"
    at = compare_unpaired([1.0] * 5, [0.0, 0.0, 0.5])
    limits = compare_unpaired([1.0] * 5, [0.0, 0.0, 0.5], confidence_level=1 - at.p_value)
    assert limits.low == pytest.approx(0, abs=1e-6)
