"""pass@k, pass^k, G-Pass@k, mG-Pass@k, majority and avg@n, and the probabilities below them, in exact rationals."""

import re
from fractions import Fraction
from functools import partial
from itertools import combinations
from math import comb

import numpy as np
import oracles
import pytest
from cases import for_each, refuses
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import hypergeom

from at_k import (
    avg_at_n,
    combinatorics,
    g_pass_at_k,
    majority_at_k,
    mg_pass_at_k,
    pass_at_k,
    pass_hat_k,
)

# A few thousand factors, each rounded to 1.1e-16, stay far below this.
RTOL = 1e-12
TAUS = [i / 20 for i in range(21)]
SWITCH = combinatorics._INTEGERS_UP_TO

repeatable = settings(derandomize=True, deadline=None, max_examples=100)


@st.composite
def problems(draw, largest=40):
    """n, c and k of one problem."""
    n = draw(st.integers(1, largest))
    return n, draw(st.integers(0, n)), draw(st.integers(1, n))


METRICS = {
    pass_at_k: lambda ways: oracles.tail(ways, 1),
    partial(pass_at_k, complement=True): lambda ways: 1 - oracles.tail(ways, 1),
    pass_hat_k: lambda ways: oracles.tail(ways, len(ways) - 1),
    majority_at_k: oracles.majority,
    mg_pass_at_k: oracles.mg_pass,
    partial(g_pass_at_k, thresholds=TAUS): lambda ways: [
        oracles.tail(ways, oracles.needed(t, len(ways) - 1)) for t in TAUS
    ],
}
"""Estimator → its value, from how many of the subsets hold 0, 1, … correct samples."""


@for_each("metric", METRICS)
@for_each("n", [*range(1, 9), 9, 50, 127, 128, 129, 1000, 2000])
def test_every_metric_is_the_share_of_subsets(metric, n):
    """Every c of small n, and those near the ends of large ones; correctly rounded where integers are counted."""
    few = sorted({0, 1, 2, 7, n // 10, n // 2, n - n // 10, n - 8, n - 1, n})
    counts = list(range(n + 1)) if n <= 50 else few
    draw = oracles.correct_drawn if n <= 8 else oracles.hypergeometric
    for k in range(1, n + 1) if n <= 8 else {1, 2, n // 2, n} if n <= 128 else {1, 2, 10, 100, 127}:
        exact = np.array([METRICS[metric](draw(n, c, k)) for c in counts], dtype=float)
        # Of mG-Pass@k the sum, 2/k and their product are each rounded.
        rtol = RTOL if n > SWITCH else 4e-16 * (metric is mg_pass_at_k)
        assert_allclose(metric(n, counts, k=k), exact, rtol=rtol, atol=0)


@for_each("n", [1, 2, 5, 8, SWITCH, SWITCH + 1])
def test_tails_count_subsets(n):
    """At least m for every m: what is certain is 1, and what is impossible 0. Integers are rounded once."""
    for k in range(1, n + 1) if n <= 8 else (1, 2, n // 3, n):
        for m in (-1, 0, 1, k // 2 + 1, k, k + 1):
            exact = [oracles.tail(oracles.hypergeometric(n, c, k), max(m, 0)) for c in range(n + 1)]
            for tails, wanted in (
                (combinatorics.at_least, exact),
                (combinatorics.fewer_than, [1 - p for p in exact]),
            ):
                assert_allclose(
                    tails(n, k, m), list(map(float, wanted)), rtol=RTOL * (n > SWITCH), atol=0
                )


@for_each("n", [SWITCH + 1, 1000, 2000])
@for_each("share", [0.002, 0.1, 0.5, 0.9])
def test_tails_of_large_n(n, share):
    k = max(1, round(share * n))
    counts = sorted({0, 1, 2, k // 2, k, n // 4, n // 2, n - k, n - 2, n - 1, n})
    for m in {1, k // 2 + 1, k}:
        exact = [oracles.tail(oracles.hypergeometric(n, c, k), m) for c in counts]
        below = [1 - share for share in exact]
        for tails, wanted in ((combinatorics.at_least, exact), (combinatorics.fewer_than, below)):
            # Below the smallest normal float, 2.2e-308, digits are lost.
            normal = np.array([share == 0 or share > Fraction(1, 10**300) for share in wanted])
            assert_allclose(
                tails(n, k, m)[counts][normal],
                np.array(wanted, dtype=float)[normal],
                rtol=RTOL,
                atol=0,
            )


@for_each("n", [12, SWITCH, SWITCH + 1, 1000, 10_000])
def test_scipy_agrees(n):
    c = np.arange(0, n + 1, max(1, n // 200))
    for k in (1, n // 10 + 1, n // 2):
        for m in (1, k // 2 + 1, k):
            # SciPy's tail is right to about 2e-15 where it is not tiny; tiny ones are compared with rationals above.
            assert_allclose(
                combinatorics.at_least(n, k, m)[c],
                hypergeom.sf(m - 1, n, c, k),
                rtol=RTOL,
                atol=1e-15,
            )


@for_each("n", [1, SWITCH + 1, 1300, 10_000])
def test_one_draw_is_the_share(n):
    assert_array_equal(combinatorics.at_least(n, 1, 1), [c / n for c in range(n + 1)])
    assert_array_equal(combinatorics.fewer_than(n, 1, 1), [(n - c) / n for c in range(n + 1)])


def close_to_the_end(exact):
    return pytest.approx(float(exact), rel=RTOL, abs=0)


@for_each("n, c, k, below", [
    (1000, 8, 700, 1e-4), (1000, 30, 500, 1e-9), (1000, 100, 500, 1e-32), (2000, 400, 1000, 1e-142),
    (2000, 620, 1000, 1e-249),
])  # fmt: skip
def test_small_numbers_keep_their_digits(n, c, k, below):
    """The complement of pass@k, and pass^k of the mirrored problem, down to 1e-250."""
    missed = Fraction(oracles.choose(n - c, k), oracles.choose(n, k))
    assert below / 100 < missed < below
    assert (
        pass_at_k(n, c, k=k, complement=True)
        == combinatorics.fewer_than(n, k, 1)[c]
        == close_to_the_end(missed)
    )
    assert (
        pass_hat_k(n, n - c, k=k)
        == combinatorics.at_least(n, k, k)[n - c]
        == close_to_the_end(missed)
    )
    assert g_pass_at_k(n, n - c, k=k, thresholds=1.0) == close_to_the_end(missed)


@for_each("c, tau", [(20, 0.15), (50, 0.3), (100, 0.5), (300, 1.0)])
def test_small_tails_of_g_pass(c, tau):
    exact = oracles.tail(oracles.hypergeometric(1000, c, 100), oracles.needed(tau, 100))
    assert 0 < exact < 1e-8
    assert g_pass_at_k(1000, c, k=100, thresholds=tau) == close_to_the_end(exact)


@for_each("n, k, m", [
    *((n, k, m) for n in range(1, 9) for k in range(1, n + 1) for m in range(k + 2)),
    *[(SWITCH + 1, 65, 33), (1000, 8, 5), (1000, 999, 500), (2000, 300, 150)],
])  # fmt: skip
def test_the_mean_excess_over_m(n, k, m):
    counts = range(n + 1) if n <= 8 else [0, 1, m, m + 1, n // 2, n - 1, n]
    every = [oracles.hypergeometric(n, c, k) for c in counts]
    exact = [
        float(Fraction(sum(max(0, j - m) * way for j, way in enumerate(ways)), sum(ways)))
        for ways in every
    ]
    assert_allclose(
        combinatorics.mean_excess(n, k, m)[list(counts)], exact, rtol=RTOL * (n > 8), atol=0
    )


@for_each("n", range(SWITCH + 1, SWITCH + 40))
def test_mean_excess_does_not_exceed_its_largest_value(n):
    """All samples are correct: k − m, and nothing above it by rounding."""
    for k in (2, 3, 10, n // 2, n - 1, n):
        for m in (1, k // 2, k - 1):
            assert combinatorics.mean_excess(n, k, m).max() <= k - m


def test_the_threshold_may_be_a_fraction():
    """⌈5/7·7⌉ = 5, although no float is 5/7, and the decimal that 5/7 prints as is above it."""
    assert Fraction(str(5 / 7)) * 7 != 5
    assert_array_equal(g_pass_at_k(7, [4, 5], k=7, thresholds=Fraction(5, 7)), [0, 1])
    assert_array_equal(
        g_pass_at_k(3, [1, 2], k=3, thresholds=[Fraction(1, 3), Fraction(2, 3)]), [[1, 0], [1, 1]]
    )


def test_every_percent_of_every_k():
    """The tail starts at the exact ⌈τk⌉: with n = k it is 0 below and 1 from there on."""
    taus = [i / 100 for i in range(101)]
    for k in range(1, 101):
        values = g_pass_at_k(k, np.arange(k + 1), k=k, thresholds=taus)
        assert_array_equal(k + 1 - values.sum(axis=0), [oracles.needed(tau, k) for tau in taus])


@for_each("n", [*range(1, 9), 40, SWITCH, SWITCH + 1, 700])
def test_rank_weights(n):
    for k in {1, 2, n // 2, n - 1, n} & set(range(1, n + 1)):
        exact = [comb(p - 1, k - 1) / comb(n, k) for p in range(1, n + 1)]
        weights = combinatorics.rank_weights(n, k)
        assert_allclose(weights / weights.sum(), exact, rtol=1e-12, atol=0)


def test_from_ratios_gives_the_binomial_distribution():
    i = np.arange(30)
    exact = [
        float(comb(30, j) * Fraction(1, 4) ** j * Fraction(3, 4) ** (30 - j)) for j in range(31)
    ]
    assert_allclose(
        combinatorics.from_ratios((30 - i) * 0.25, (i + 1) * 0.75), exact, rtol=1e-14
    )  # 30 factors
    assert_array_equal(combinatorics.from_ratios(np.empty(0), np.empty(0)), [1.0])


def test_look_up_takes_each_table_once():
    made = []

    def table(n):
        made.append(n)
        return np.stack([n + np.arange(n + 1) / 100, -np.arange(n + 1.0)], axis=1)

    assert_allclose(
        combinatorics.look_up(table, np.array([3, 5, 3, 4]), np.array([0, 5, 3, 1])),
        [[3, 0], [5.05, -5], [3.03, -3], [4.01, -1]],
        rtol=1e-15,
    )
    assert sorted(made) == [3, 4, 5]
    assert_array_equal(
        combinatorics.look_up(table, np.array([2, 2]), np.array([2, 0])), [[2.02, -2], [2, 0]]
    )
    assert made.count(2) == 1
    assert combinatorics.look_up(
        lambda n: np.arange(n + 1.0), np.array([3]), np.array([2])
    ).tolist() == [2.0]


@pytest.mark.parametrize("block", [1, 7, 4_000_000])
def test_average_over_subsets_sees_every_subset_once(monkeypatch, block):
    monkeypatch.setattr(combinatorics, "_BLOCK", block)
    seen = []

    def value(drawn):
        seen.extend(map(tuple, drawn.tolist()))
        return drawn.max(axis=1).astype(float)

    mean, error = combinatorics.average_over_subsets(value, 7, 3, np.random.default_rng(0))
    assert sorted(seen) == list(combinations(range(7), 3))
    assert mean == pytest.approx(sum(map(max, seen)) / 35, rel=1e-15)
    assert error == 0
    monkeypatch.setattr(combinatorics, "MAX_SUBSETS", 35)
    assert combinatorics.average_over_subsets(value, 7, 3, np.random.default_rng(0))[1] == 0
    monkeypatch.setattr(combinatorics, "MAX_SUBSETS", 34)
    assert combinatorics.average_over_subsets(value, 7, 3, np.random.default_rng(0))[1] > 0


@pytest.mark.parametrize("block", [500, 4_000_000])
def test_average_over_subsets_draws_when_there_are_too_many(monkeypatch, block):
    monkeypatch.setattr(combinatorics, "_BLOCK", block)
    n, k = 20, 10  # 184,756 subsets
    seen = []

    def value(drawn):
        seen.append(drawn)
        return (drawn == 0).any(axis=1).astype(float)

    mean, error = combinatorics.average_over_subsets(value, n, k, np.random.default_rng(0))
    drawn = np.concatenate(seen)
    assert drawn.shape == (combinatorics.N_DRAWS, k)
    assert (np.diff(np.sort(drawn, axis=1), axis=1) > 0).all()  # no sample twice
    # The sample standard deviation of a coin that shows heads half of the time, over √10,000.
    assert error == pytest.approx(
        np.sqrt(mean * (1 - mean) / (combinatorics.N_DRAWS - 1)), rel=1e-9
    )
    assert abs(mean - 0.5) < 5 * error
    # Every sample is drawn as often as any other: 5,000 ± 50 times each.
    assert (abs(np.bincount(drawn.ravel(), minlength=n) - 5000) < 250).all()


class TestShapes:
    @for_each("metric", [pass_at_k, pass_hat_k, mg_pass_at_k, majority_at_k])
    @for_each("shape", [(), (4,), (2, 3), (1, 1, 2)])
    def test_one_k_keeps_the_shape_and_several_add_an_axis(self, metric, shape):
        n, c = np.full(shape, 6), np.arange(np.prod(shape, dtype=int)).reshape(shape) % 7
        assert metric(n, c, k=3).shape == shape
        for k in ([3, 1], (3, 1), np.array([3, 1]), range(3, 0, -2)):
            values = metric(n, c, k=k)
            assert values.shape == (*shape, 2)
            assert_array_equal(values[..., 0], metric(n, c, k=3))
            assert_array_equal(values[..., 1], metric(n, c, k=1))
        assert metric(n, c, k=[3]).shape == (*shape, 1)
        assert metric(n, c, k=np.int64(3)).shape == shape
        assert np.shape(metric(5, 3, k=2)) == ()

    def test_several_thresholds_come_last(self):
        n, c = [[6], [8]], [[0, 3, 6]]
        values = g_pass_at_k(n, c, k=[2, 4], thresholds=[0.25, 0.5, 1.0])
        assert values.shape == (2, 3, 2, 3)
        assert g_pass_at_k(n, c, k=[2, 4], thresholds=0.5).shape == (2, 3, 2)
        assert g_pass_at_k(n, c, k=4, thresholds=[0.5]).shape == (2, 3, 1)
        assert g_pass_at_k(n, c, k=4, thresholds=0.5).shape == (2, 3)
        assert np.shape(g_pass_at_k(5, 3, k=2, thresholds=0.5)) == ()
        for i, tau in enumerate((0.25, 0.5, 1.0)):
            for j, k in enumerate((2, 4)):
                assert_array_equal(values[..., j, i], g_pass_at_k(n, c, k=k, thresholds=tau))


class TestIdentities:
    @repeatable
    @given(problems(largest=300))
    def test_between_the_metrics(self, problem):
        n, c, k = problem
        assert pass_at_k(n, c, k=1) == pytest.approx(c / n, rel=RTOL, abs=0)
        assert g_pass_at_k(n, c, k=k, thresholds=0.0) == pass_at_k(n, c, k=k)
        assert g_pass_at_k(n, c, k=k, thresholds=1.0) == pass_hat_k(n, c, k=k)
        assert majority_at_k(n, c, k=1) == pass_at_k(n, c, k=1)
        assert mg_pass_at_k(n, c, k=1) == 0
        # The mirrored problem: all of k are wrong exactly when none is right.
        assert pass_at_k(n, c, k=k, complement=True) == pytest.approx(
            float(pass_hat_k(n, n - c, k=k)), rel=RTOL, abs=0
        )

    @settings(repeatable, max_examples=40)
    @given(problems(largest=120))
    def test_monotone_in_k_and_in_c(self, problem):
        n, c, _ = problem
        every = range(1, n + 1)
        slack = RTOL  # neighbours may be equal, and each is rounded
        assert (np.diff(pass_at_k(n, c, k=every)) >= -slack).all()
        assert (np.diff(pass_hat_k(n, c, k=every)) <= slack).all()
        assert (pass_at_k(n, c, k=every) >= c / n - slack).all()
        assert (majority_at_k(n, c, k=every) <= pass_at_k(n, c, k=every) + slack).all()
        for metric in (pass_at_k, pass_hat_k, mg_pass_at_k, majority_at_k):
            values = metric(n, np.arange(n + 1), k=[1, n // 2 + 1, n])
            assert (np.diff(values, axis=0) >= -slack).all()
            assert values.min() >= 0
            assert values.max() <= 1


class TestAvg:
    def test_share_above_the_threshold(self):
        assert_array_equal(avg_at_n([[0.6, 0.4, 0.6, 0.5], [1], [0, 0]]), [0.5, 1, 0])
        assert_array_equal(avg_at_n([[0.6, 0.4, 0.6, 0.5]], correct_above=0.4), [0.75])
        assert_array_equal(avg_at_n([[0.0, 0.1]], correct_above=0), [0.5])
        assert_array_equal(avg_at_n(np.array([[True, False], [True, True]])), [0.5, 1])


@for_each("metric, data, options, says", [
    *[(metric, (4, c), {"k": k}, f"ValueError: {says}")
      for metric in (pass_at_k, pass_hat_k, mg_pass_at_k, majority_at_k)
      for c, k, says in ((2, 5, "`k` … k=5 … smallest n is 4 … problem 0"), (5, 2, "`c` … `n` … n=4, c=5 … problem 0"),
                         (2, 0, "`k` … 0"))],
    (avg_at_n, ([],), {}, "ValueError: `grades` must hold at least one problem"),
    (avg_at_n, ([[1, float("nan")]],), {}, "ValueError: `grades` … NaN … problem 0, sample 1"),
])  # fmt: skip
def test_errors(metric, data, options, says):
    refuses(says, metric, *data, **options)


@for_each("function", [pass_at_k, pass_hat_k, mg_pass_at_k, g_pass_at_k])
def test_other_calls_are_told_what_to_write(function):
    tau = {"thresholds": 0.5} if function is g_pass_at_k else {}
    name = function.__name__
    for data, k in (((5, 3, 2), {}), (([[1, 0, 1, 0]],), {"k": 4})):
        says = f"TypeError: `{name}` takes two arguments before `k=`, … ; got {len(data)}. Write"
        caught = refuses(says, function, *data, **k, **tau)
    # What the sentence says to write can be written.
    grades, names = np.array([[1, 0, 1, 0], [1, 1, 1, 0]]), {name: function}
    written = re.findall(r"`(\w+\(.*?\))`", str(caught))[:2]
    assert [np.shape(eval(call, names | {"grades": grades})) for call in written] == [(), (2,)]
