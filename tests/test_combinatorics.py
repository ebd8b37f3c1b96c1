"""Probabilities over k-subsets, against exact rationals on both sides of the switch from integers to floats."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import oracles
import pytest
from cases import for_each
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import hypergeom

from at_k import combinatorics
from at_k.combinatorics import (
    at_least,
    average_over_subsets,
    fewer_than,
    from_ratios,
    look_up,
    mean_excess,
    rank_weights,
)

# A few thousand factors, each rounded to 1.1e-16, stay far below this.
RTOL = 1e-12
SWITCH = combinatorics._INTEGERS_UP_TO


def tails(n, k, m):
    """P(at least m of k) for c = 0…n, exactly."""
    return [oracles.tail(oracles.hypergeometric(n, c, k), m) for c in range(n + 1)]


@for_each("n", range(1, 9))
def test_tails_count_subsets(n):
    for k in range(1, n + 1):
        for m in range(-1, k + 3):
            exact = [oracles.tail(oracles.correct_drawn(n, c, k), max(m, 0)) for c in range(n + 1)]
            assert_array_equal(at_least(n, k, m), [float(share) for share in exact])
            assert_array_equal(fewer_than(n, k, m), [float(1 - share) for share in exact])


@for_each("n", range(1, 9))
def test_mean_excess_counts_subsets(n):
    for k in range(1, n + 1):
        for m in range(k + 2):
            for c in range(n + 1):
                ways = oracles.correct_drawn(n, c, k)
                excess = Fraction(sum(max(0, j - m) * count for j, count in enumerate(ways)), sum(ways))
                assert mean_excess(n, k, m)[c] == float(excess)


@for_each("n", [31, 64, SWITCH - 1, SWITCH])
def test_integers_are_rounded_once(n):
    for k in (1, 2, n // 3, n - 1, n):
        for m in {1, k // 2 + 1, k}:
            exact = tails(n, k, m)
            assert_array_equal(at_least(n, k, m), [float(share) for share in exact])
            assert_array_equal(fewer_than(n, k, m), [float(1 - share) for share in exact])


@for_each("n", [SWITCH + 1, SWITCH + 2, 300])
def test_floats_of_every_count(n):
    for k in (1, 2, n // 3, n - 1, n):
        for m in {1, k // 2 + 1, k}:
            exact = tails(n, k, m)
            assert_allclose(at_least(n, k, m), [float(share) for share in exact], rtol=RTOL, atol=0)
            assert at_least(n, k, m).max() == at_least(n, k, m)[n] == 1  # what is certain is 1, and nothing is above
            assert_allclose(fewer_than(n, k, m), [float(1 - share) for share in exact], rtol=RTOL, atol=0)


@for_each("n", [1, SWITCH + 1, 1300, 10_000])
def test_one_draw_is_the_share(n):
    assert_array_equal(at_least(n, 1, 1), [c / n for c in range(n + 1)])
    assert_array_equal(fewer_than(n, 1, 1), [(n - c) / n for c in range(n + 1)])


@for_each("n", [SWITCH + 1, 1000, 2000])
@for_each("share", [0.002, 0.1, 0.5, 0.9])
def test_floats_of_large_n(n, share):
    k = max(1, round(share * n))
    counts = sorted({0, 1, 2, k // 2, k, n // 4, n // 2, n - k, n - 2, n - 1, n})
    for m in {1, k // 2 + 1, k}:
        exact = [oracles.tail(oracles.hypergeometric(n, c, k), m) for c in counts]
        # Below the smallest normal float, 2.2e-308, digits are lost.
        normal = np.array([share == 0 or share > Fraction(1, 10**300) for share in exact])
        far = np.array([share == 1 or 1 - share > Fraction(1, 10**300) for share in exact])
        assert_allclose(at_least(n, k, m)[counts][normal], np.array(exact, dtype=float)[normal], rtol=RTOL, atol=0)
        rest = np.array([float(1 - share) for share in exact])
        assert_allclose(fewer_than(n, k, m)[counts][far], rest[far], rtol=RTOL, atol=0)


@for_each(
    "n, c, k, magnitude",
    [(1000, 8, 700, -5), (1000, 30, 500, -10), (1000, 100, 500, -33), (2000, 400, 1000, -143), (2000, 620, 1000, -250)],
)
def test_small_tails_keep_their_digits(n, c, k, magnitude):
    missed = oracles.tail(oracles.hypergeometric(n, n - c, k), k)
    assert int(np.floor(np.log10(float(missed)))) == magnitude
    assert fewer_than(n, k, 1)[c] == pytest.approx(float(missed), rel=RTOL, abs=0)
    assert at_least(n, k, k)[n - c] == pytest.approx(float(missed), rel=RTOL, abs=0)


@for_each("n", [12, SWITCH, SWITCH + 1, 1000, 10_000])
def test_scipy_agrees(n):
    c = np.arange(0, n + 1, max(1, n // 200))
    for k in (1, n // 10 + 1, n // 2):
        for m in (1, k // 2 + 1, k):
            # SciPy's tail is right to about 2e-15 where it is not tiny; tiny ones are compared with rationals above.
            assert_allclose(at_least(n, k, m)[c], hypergeom.sf(m - 1, n, c, k), rtol=RTOL, atol=1e-15)


@for_each("n, k, m", [(SWITCH + 1, 65, 33), (1000, 8, 5), (1000, 999, 500), (2000, 300, 150)])
def test_mean_excess_of_large_n(n, k, m):
    counts = [0, 1, m, m + 1, n // 2, n - 1, n]
    exact = []
    for c in counts:
        ways = oracles.hypergeometric(n, c, k)
        exact.append(float(Fraction(sum(max(0, j - m) * count for j, count in enumerate(ways)), sum(ways))))
    excess = mean_excess(n, k, m)
    assert_allclose(excess[counts], exact, rtol=RTOL, atol=0)
    assert excess.max() <= k - m


@for_each("n", range(SWITCH + 1, SWITCH + 40))
def test_mean_excess_does_not_exceed_its_largest_value(n):
    """All samples are correct: k − m, and nothing above it by rounding."""
    for k in (2, 3, 10, n // 2, n - 1, n):
        for m in (1, k // 2, k - 1):
            assert mean_excess(n, k, m).max() <= k - m


@for_each("n", [*range(1, 9), 40, SWITCH, SWITCH + 1, 700])
def test_rank_weights(n):
    for k in {1, 2, n // 2, n - 1, n} & set(range(1, n + 1)):
        exact = [comb(p - 1, k - 1) / comb(n, k) for p in range(1, n + 1)]
        weights = rank_weights(n, k)
        assert_allclose(weights / weights.sum(), exact, rtol=1e-12, atol=0)


def test_from_ratios_gives_the_binomial_distribution():
    i = np.arange(30)
    exact = [float(comb(30, j) * Fraction(1, 4) ** j * Fraction(3, 4) ** (30 - j)) for j in range(31)]
    assert_allclose(from_ratios((30 - i) * 0.25, (i + 1) * 0.75), exact, rtol=1e-14)  # 30 factors
    assert_array_equal(from_ratios(np.empty(0), np.empty(0)), [1.0])


def test_look_up_takes_each_table_once():
    made = []

    def table(n):
        made.append(n)
        return np.stack([n + np.arange(n + 1) / 100, -np.arange(n + 1.0)], axis=1)

    assert_allclose(look_up(table, np.array([3, 5, 3, 4]), np.array([0, 5, 3, 1])),
                    [[3, 0], [5.05, -5], [3.03, -3], [4.01, -1]], rtol=1e-15)  # fmt: skip
    assert sorted(made) == [3, 4, 5]
    assert_array_equal(look_up(table, np.array([2, 2]), np.array([2, 0])), [[2.02, -2], [2, 0]])
    assert made.count(2) == 1


@pytest.mark.parametrize("block", [1, 7, 4_000_000])
def test_average_over_subsets_sees_every_subset_once(monkeypatch, block):
    monkeypatch.setattr(combinatorics, "_BLOCK", block)
    seen = []

    def value(drawn):
        seen.extend(map(tuple, drawn.tolist()))
        return drawn.max(axis=1).astype(float)

    mean, error = average_over_subsets(value, 7, 3, np.random.default_rng(0))
    assert sorted(seen) == list(combinations(range(7), 3))
    assert mean == pytest.approx(sum(map(max, seen)) / 35, rel=1e-15)
    assert error == 0


@pytest.mark.parametrize("block", [500, 4_000_000])
def test_average_over_subsets_draws_when_there_are_too_many(monkeypatch, block):
    monkeypatch.setattr(combinatorics, "_BLOCK", block)
    n, k = 20, 10  # 184,756 subsets
    seen = []

    def value(drawn):
        seen.append(drawn)
        return (drawn == 0).any(axis=1).astype(float)

    mean, error = average_over_subsets(value, n, k, np.random.default_rng(0))
    drawn = np.concatenate(seen)
    assert drawn.shape == (combinatorics.N_DRAWS, k)
    assert (np.diff(np.sort(drawn, axis=1), axis=1) > 0).all()  # no sample twice
    # The sample standard deviation of a coin that shows heads half of the time, over √10,000.
    assert error == pytest.approx(np.sqrt(mean * (1 - mean) / (combinatorics.N_DRAWS - 1)), rel=1e-9)
    assert abs(mean - 0.5) < 5 * error
    # Every sample is drawn as often as any other: 5,000 ± 50 times each.
    assert (abs(np.bincount(drawn.ravel(), minlength=n) - 5000) < 250).all()


def test_average_over_subsets_enumerates_up_to_the_limit(monkeypatch):
    def value(drawn):
        return drawn[:, 0].astype(float)

    monkeypatch.setattr(combinatorics, "MAX_SUBSETS", 35)
    assert average_over_subsets(value, 7, 3, np.random.default_rng(0))[1] == 0
    monkeypatch.setattr(combinatorics, "MAX_SUBSETS", 34)
    assert average_over_subsets(value, 7, 3, np.random.default_rng(0))[1] > 0


def test_a_table_for_one_problem_alone():
    table = combinatorics.look_up(lambda n: np.arange(n + 1.0), np.array([3]), np.array([2]))
    assert table.tolist() == [2.0]
