"""Design effects and intraclass correlations, by hand and by simulation."""

import numpy as np
import pytest

from at_k.uncertainty.clustering import measure_design_effect


def test_equal_clusters_by_hand():
    values, labels = np.array([1.0, 0.5, 0.0, 0.5, 1.0, 1.0]), list("aabbcc")
    found = measure_design_effect(values, labels)
    sums = (values - values.mean()).reshape(3, 2).sum(axis=1)
    with_clusters = (sums**2).sum() / (1 - 2 / 6) / 36
    assert found.value == pytest.approx(with_clusters / (values.var(ddof=1) / 6))
    assert found.icc == pytest.approx(min(1, found.value - 1))  # clusters of two


def test_the_interval_holds_the_truth():
    random, inside = np.random.default_rng(0), 0
    labels = np.repeat(np.arange(30), 5)
    for _ in range(300):  # half of the variance is that of clusters of five: deff = 1 + 4/2
        values = random.standard_normal(30)[labels] + random.standard_normal(150)
        found = measure_design_effect(values, labels)
        inside += found.low <= 3 <= found.high
        assert found.icc_low <= found.icc <= found.icc_high
    assert inside / 300 > 0.88  # the χ² of normal values, with an estimated denominator


def test_what_says_nothing():
    assert measure_design_effect([0.5] * 4, list("aabb")) is None
    assert measure_design_effect([0.5, 1.0], list("aa")) is None
    assert measure_design_effect([0.5, 1.0, 0.0], list("abc")) is None
