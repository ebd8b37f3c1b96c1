"""Stability, against pairs of runs counted one by one and a published example."""

import re
from itertools import combinations

import numpy as np
import pytest
from cases import for_each

from at_k.uncertainty.stability import fleiss_kappa, measure_stability

PUBLISHED = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
"""The example of https://en.wikipedia.org/wiki/Fleiss%27_kappa: ten subjects, 14 raters, κ = .210."""


def test_a_published_kappa():
    assert round(fleiss_kappa(PUBLISHED), 3) == 0.210


def test_kappa_at_its_ends():
    assert fleiss_kappa([[3, 0], [0, 3]]) == 1
    assert np.isnan(fleiss_kappa([[3, 0], [3, 0]]))
    assert fleiss_kappa([[1, 1], [1, 1]]) == -1


def test_runs_in_pairs():
    rows = np.random.default_rng(0).integers(0, 2, size=(20, 6))
    found = measure_stability(rows)
    flips = [np.mean(rows[:, i] != rows[:, j]) for i, j in combinations(range(6), 2)]
    assert found.flip_rate == pytest.approx(np.mean(flips), rel=1e-12)
    assert found.within_variance == pytest.approx(rows.var(axis=1, ddof=1).mean(), rel=1e-12)
    assert found.run_accuracy.tolist() == rows.mean(axis=0).tolist()
    assert found.run_sd == pytest.approx(rows.mean(axis=0).std(ddof=1), rel=1e-12)
    # With all verdicts in two categories, agreement is what flips are not.
    p = rows.mean()
    chance = p**2 + (1 - p) ** 2
    assert found.kappa == pytest.approx((1 - found.flip_rate - chance) / (1 - chance), rel=1e-9)


def test_n_may_differ():
    found = measure_stability([[1, 0], [1], [1, 1, 0, 1]])
    assert found.within_variance == pytest.approx((0.5 + 0.25) / 2)
    assert found.run_accuracy.size == 0
    assert np.isnan(found.run_sd)


def test_the_threshold_decides():
    assert measure_stability([[0.6, 0.4]]).flip_rate == 1
    assert measure_stability([[0.6, 0.4]], threshold=0.3).flip_rate == 0


@for_each(
    "call, said",
    [
        (lambda: measure_stability([[1], [0]]), "Every problem has one sample. Stability needs at least two"),
        (lambda: measure_stability([]), "`grades` must hold at least one problem"),
        (lambda: measure_stability([[1, None]]), "`grades` must hold grades in [0, 1]; got None or NaN"),
        (lambda: fleiss_kappa([[1, 0]]), "`counts` must hold at least two samples of every problem; got 1"),
        (lambda: fleiss_kappa([[-1, 4]]), "`counts` must not be negative; got -1"),
        (lambda: fleiss_kappa([]), "`counts` must have one row per problem and one column per category"),
    ],
)
def test_arguments_that_cannot_be_used(call, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        call()
