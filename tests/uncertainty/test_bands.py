"""Bands: their quantile by all sign vectors, and how often all means lie within their limits."""

from itertools import product

import numpy as np
import pytest
from cases import for_each

from at_k import pass_at_k
from at_k.uncertainty.bands import find_band_quantile, share_level
from at_k.uncertainty.standard_errors import estimate_error


def enumerate_quantile(columns, clusters, level):
    """Try every vector of signs but that of the data, one by one."""
    units = sorted(set(clusters))
    centred = columns - columns.mean(axis=0)
    sums = np.array([[centred[np.array(clusters) == unit, k].sum() for unit in units] for k in range(columns.shape[1])])
    largest = []
    for signs in list(product([1, -1], repeat=len(units)))[1:]:
        flipped = sums * signs
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(flipped.mean(axis=1)) / (flipped.std(axis=1, ddof=1) / np.sqrt(len(units)))
        largest.append(np.nanmax(t))
    return sorted(largest)[int(np.ceil(round(level * (len(largest) + 1), 9))) - 1]


RANDOM = np.random.default_rng(3).random((10, 3))


@for_each(
    "columns, clusters", [(RANDOM, range(10)), (RANDOM, [0, 0, 1, 2, 3, 4, 5, 6, 7, 7]), (RANDOM[:, :1], range(10))]
)
def test_the_quantile_is_that_of_all_signs(columns, clusters):
    codes = None if len(set(clusters)) == len(columns) else np.array(clusters)
    found = find_band_quantile(columns, codes, confidence_level=0.9)
    assert found == pytest.approx(enumerate_quantile(columns, list(clusters), 0.9), rel=1e-9)


def test_a_column_of_equal_values_changes_nothing_and_few_units_have_no_band():
    alone = find_band_quantile(RANDOM, None, confidence_level=0.9)
    assert find_band_quantile(np.column_stack([RANDOM, np.full(10, 0.3)]), None, confidence_level=0.9) == alone
    assert find_band_quantile(RANDOM[:4], None, confidence_level=0.95) == np.inf


def test_a_shared_level_lies_between_one_question_and_bonferroni():
    values = np.random.default_rng(0).random((40, 2))
    assert share_level(values[:, [0, 0]], None, confidence_level=0.9) == 0.9  # one question, asked twice
    assert 0.94 < share_level(values, None, confidence_level=0.9) <= 0.95  # two that do not resemble each other
    rare = np.zeros((40, 2))
    rare[:5, 0] = rare[3, 1] = 1
    assert share_level(rare, None, confidence_level=0.9) == pytest.approx(0.95)


def test_a_band_over_k_holds_all_means():
    random, k, n, inside = np.random.default_rng(1), [1, 2, 4, 8, 16], 16, 0
    difficulties = random.beta(0.6, 0.6, 200_000)
    truth = (1 - (1 - difficulties[:, None]) ** k).mean(axis=0)
    for _ in range(200):
        c = random.binomial(n, random.choice(difficulties, 60))
        values = pass_at_k(np.full(60, n), c, k=k)
        q = find_band_quantile(values, None, confidence_level=0.95, n_flips=499)
        inside += bool((np.abs(values.mean(axis=0) - truth) <= q * estimate_error(values, None)[0]).all())
    # .93–.99 were measured over five k, with 150–400 repetitions; three standard errors of 200 are .046.
    assert inside / 200 > 0.89
