"""pass@k, pass^k, G-Pass@k, mG-Pass@k, majority and avg@n, against subsets and exact rationals."""

import re
from fractions import Fraction
from functools import partial

import numpy as np
import oracles
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from at_k import avg_at_n, g_pass_at_k, majority_at_k, mg_pass_at_k, pass_at_k, pass_hat_k

# A few thousand factors, each rounded to 1.1e-16, stay far below this.
RTOL = 1e-12
TAUS = [i / 20 for i in range(21)]

repeatable = settings(derandomize=True, deadline=None, max_examples=100)


@st.composite
def problems(draw, largest=40):
    """n, c and k of one problem."""
    n = draw(st.integers(1, largest))
    return n, draw(st.integers(0, n)), draw(st.integers(1, n))


@for_each("n", range(1, 9))
def test_every_count_of_small_n(n):
    """Every c, k and τ: the correctly rounded share of subsets."""
    for k in range(1, n + 1):
        for c in range(n + 1):
            ways = oracles.correct_drawn(n, c, k)
            assert pass_at_k(n, c, k=k) == float(oracles.tail(ways, 1))
            assert pass_at_k(n, c, k=k, complement=True) == float(1 - oracles.tail(ways, 1))
            assert pass_hat_k(n, c, k=k) == float(oracles.tail(ways, k))
            assert majority_at_k(n, c, k=k) == float(oracles.majority(ways))
            needed = [float(oracles.tail(ways, oracles.needed(tau, k))) for tau in TAUS]
            assert_array_equal(g_pass_at_k(n, c, k=k, tau=TAUS), needed)
            # The sum, 2/k and their product are each rounded.
            assert mg_pass_at_k(n, c, k=k) == pytest.approx(float(oracles.mg_pass(ways)), rel=4e-16, abs=0)


@for_each("n", [9, 50, 127, 128])
def test_integers_are_rounded_once(n):
    counts = np.arange(n + 1)
    for k in (1, 2, n // 2, n):
        ways = [oracles.hypergeometric(n, c, k) for c in counts.tolist()]
        assert_array_equal(pass_at_k(n, counts, k=k), [float(oracles.tail(way, 1)) for way in ways])
        assert_array_equal(
            pass_at_k(n, counts, k=k, complement=True), [float(1 - oracles.tail(way, 1)) for way in ways]
        )
        assert_array_equal(pass_hat_k(n, counts, k=k), [float(oracles.tail(way, k)) for way in ways])
        assert_array_equal(majority_at_k(n, counts, k=k), [float(oracles.majority(way)) for way in ways])
        for tau in (0.05, 0.25, 0.55, 0.95):
            needed = oracles.needed(tau, k)
            assert_array_equal(g_pass_at_k(n, counts, k=k, tau=tau), [float(oracles.tail(way, needed)) for way in ways])


@for_each("n", [128, 129, 1000, 2000])
@for_each("k", [1, 2, 10, 100, 127])
def test_large_n(n, k):
    counts = sorted({0, 1, 2, 7, n // 10, n // 2, n - n // 10, n - 8, n - 1, n})
    ways = [oracles.hypergeometric(n, c, k) for c in counts]

    def agree(values, exact):
        assert_allclose(values, np.array(exact, dtype=float), rtol=RTOL, atol=0)

    agree(pass_at_k(n, counts, k=k), [oracles.tail(way, 1) for way in ways])
    agree(pass_at_k(n, counts, k=k, complement=True), [1 - oracles.tail(way, 1) for way in ways])
    agree(pass_hat_k(n, counts, k=k), [oracles.tail(way, k) for way in ways])
    agree(majority_at_k(n, counts, k=k), [oracles.majority(way) for way in ways])
    agree(mg_pass_at_k(n, counts, k=k), [oracles.mg_pass(way) for way in ways])
    taus = [0.0, 0.07, 0.25, 0.55, 0.75, 1.0]
    agree(
        g_pass_at_k(n, counts, k=k, tau=taus),
        [[oracles.tail(way, oracles.needed(tau, k)) for tau in taus] for way in ways],
    )


def agree_to_the_end(value, exact):
    assert value == pytest.approx(float(exact), rel=RTOL, abs=0)


@for_each(
    "n, c, k, below",
    [(1000, 8, 700, 1e-4), (1000, 100, 500, 1e-32), (2000, 400, 1000, 1e-142), (2000, 620, 1000, 1e-249)],
)
def test_small_numbers_keep_their_digits(n, c, k, below):
    """What pass@k lacks of 1, and pass^k of the mirrored problem, down to 1e-250."""
    missed = Fraction(oracles.choose(n - c, k), oracles.choose(n, k))
    assert 0 < missed < below
    agree_to_the_end(pass_at_k(n, c, k=k, complement=True), missed)
    agree_to_the_end(pass_hat_k(n, n - c, k=k), missed)
    agree_to_the_end(g_pass_at_k(n, n - c, k=k, tau=1.0), missed)


@for_each("c, tau", [(20, 0.15), (50, 0.3), (100, 0.5), (300, 1.0)])
def test_small_tails_of_g_pass(c, tau):
    exact = oracles.tail(oracles.hypergeometric(1000, c, 100), oracles.needed(tau, 100))
    assert 0 < exact < 1e-8
    agree_to_the_end(g_pass_at_k(1000, c, k=100, tau=tau), exact)


@for_each("tau, k, needed", [(0.55, 20, 11), (0.07, 100, 7), (0.1, 10, 1)])
def test_the_threshold_may_have_single_precision(tau, k, needed):
    assert_array_equal(g_pass_at_k(k, [needed - 1, needed], k=k, tau=np.float32(tau)), [0, 1])


def test_the_threshold_may_be_a_fraction():
    """⌈5/7·7⌉ = 5, although no float is 5/7, and the decimal that 5/7 prints as is above it."""
    assert Fraction(str(5 / 7)) * 7 != 5
    assert_array_equal(g_pass_at_k(7, [4, 5], k=7, tau=Fraction(5, 7)), [0, 1])
    assert_array_equal(g_pass_at_k(3, [1, 2], k=3, tau=[Fraction(1, 3), Fraction(2, 3)]), [[1, 0], [1, 1]])


def test_every_percent_of_every_k():
    """The tail starts at the exact ⌈τk⌉: with n = k it is 0 below and 1 from there on."""
    taus = [i / 100 for i in range(101)]
    for k in range(1, 101):
        values = g_pass_at_k(k, np.arange(k + 1), k=k, tau=taus)
        assert_array_equal(k + 1 - values.sum(axis=0), [oracles.needed(tau, k) for tau in taus])


def test_the_largest_mg_pass():
    """All samples correct: 1 for even k, (k − 1)/k for odd k, and 0 for k = 1."""
    for k in range(1, 12):
        largest = 1 if k % 2 == 0 else Fraction(k - 1, k)
        assert mg_pass_at_k(11, 11, k=k) == pytest.approx(float(largest), rel=4e-16, abs=0)


class TestShapes:
    def test_a_scalar(self):
        for value in (pass_at_k(5, 3, k=2), pass_hat_k(5, 3, k=2), mg_pass_at_k(5, 3, k=2),
                      g_pass_at_k(5, 3, k=2, tau=0.5), majority_at_k(5, 3, k=2)):  # fmt: skip
            assert np.shape(value) == ()

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

    def test_several_thresholds_come_last(self):
        n, c = [[6], [8]], [[0, 3, 6]]
        values = g_pass_at_k(n, c, k=[2, 4], tau=[0.25, 0.5, 1.0])
        assert values.shape == (2, 3, 2, 3)
        assert g_pass_at_k(n, c, k=[2, 4], tau=0.5).shape == (2, 3, 2)
        assert g_pass_at_k(n, c, k=4, tau=[0.5]).shape == (2, 3, 1)
        assert g_pass_at_k(n, c, k=4, tau=0.5).shape == (2, 3)
        for i, tau in enumerate((0.25, 0.5, 1.0)):
            for j, k in enumerate((2, 4)):
                assert_array_equal(values[..., j, i], g_pass_at_k(n, c, k=k, tau=tau))

    @for_each("n", [[4, 9, 4, 200, 130], [4, 4, 4, 4, 4]])
    def test_n_may_differ_from_problem_to_problem(self, n):
        c = [2, 3, 4, 0, 1]
        together = pass_at_k(n, c, k=[1, 4])
        assert_array_equal(together, [pass_at_k(size, right, k=[1, 4]) for size, right in zip(n, c, strict=True)])

    @for_each("kind", [list, tuple, np.array, *(partial(np.array, dtype=name) for name in ("u1", "i2", "u4", "u8"))])
    def test_any_integers(self, kind):
        assert_array_equal(pass_at_k(kind([2, 4]), kind([1, 4]), k=1), [0.5, 1])


class TestIdentities:
    @repeatable
    @given(problems(largest=300))
    def test_between_the_metrics(self, problem):
        n, c, k = problem
        assert pass_at_k(n, c, k=1) == pytest.approx(c / n, rel=RTOL, abs=0)
        assert g_pass_at_k(n, c, k=k, tau=0.0) == pass_at_k(n, c, k=k)
        assert g_pass_at_k(n, c, k=k, tau=1.0) == pass_hat_k(n, c, k=k)
        assert majority_at_k(n, c, k=1) == pass_at_k(n, c, k=1)
        assert mg_pass_at_k(n, c, k=1) == 0
        # The mirrored problem: all of k are wrong exactly when none is right.
        assert pass_at_k(n, c, k=k, complement=True) == pytest.approx(float(pass_hat_k(n, n - c, k=k)), rel=RTOL, abs=0)

    @repeatable
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

    def test_the_mean_over_the_published_thresholds(self):
        """mG-Pass@k is the mean of G-Pass@k over τ = i/k above ½, times their number, times 2/k."""
        for k in (2, 5, 8):
            taus = [i / k for i in range((k + 1) // 2 + 1, k + 1)]
            values = g_pass_at_k(16, np.arange(17), k=k, tau=taus)
            assert_allclose(mg_pass_at_k(16, np.arange(17), k=k), values.sum(axis=-1) * 2 / k, rtol=RTOL)


class TestAvg:
    def test_share_above_the_threshold(self):
        assert_array_equal(avg_at_n([[0.6, 0.4, 0.6, 0.5], [1], [0, 0]]), [0.5, 1, 0])
        assert_array_equal(avg_at_n([[0.6, 0.4, 0.6, 0.5]], threshold=0.4), [0.75])
        assert_array_equal(avg_at_n([[0.0, 0.1]], threshold=0), [0.5])
        assert_array_equal(avg_at_n(np.array([[True, False], [True, True]])), [0.5, 1])

    @for_each("n", range(1, 13))
    def test_every_count(self, n):
        rows = [[1] * c + [0] * (n - c) for c in range(n + 1)]
        assert_array_equal(avg_at_n(rows), [c / n for c in range(n + 1)])
        assert_array_equal(avg_at_n(rows), pass_at_k(n, np.arange(n + 1), k=1))


@for_each("metric", [pass_at_k, pass_hat_k, mg_pass_at_k, majority_at_k])
@for_each(
    "n, c, k, error, said",
    [
        (4, 2, 5, ValueError, ["`k`", "k=5", "smallest n is 4", "problem 0"]),
        ([9, 4, 9, 3], 2, 5, ValueError, ["`k`", "k=5", "smallest n is 3", "2 of 4", "problem 1"]),
        (4, 5, 2, ValueError, ["`c`", "`n`", "n=4, c=5", "problem 0"]),
        (4.0, 2, 2, TypeError, ["`n`", "float64", "4.0"]),
        (4, "2", 2, TypeError, ["`c`", "'2'"]),
        ([4, 4], [1, 2, 3], 2, ValueError, ["`n`", "`c`", "(2,)", "(3,)"]),
        (4, 2, 0, ValueError, ["`k`", "0"]),
        (4, 2, 2.5, TypeError, ["`k`", "2.5", "float"]),
        ([], [], 1, ValueError, ["`n`", "at least one problem"]),
    ],
)
def test_errors(metric, n, c, k, error, said):
    with pytest.raises(error) as caught:
        metric(n, c, k=k)
    for words in said:
        assert words in str(caught.value)


@for_each(
    "grades, error, said",
    [
        ([], ValueError, ["`grades`"]),
        ([[1], []], ValueError, ["`grades`", "problem 1"]),
        ([[1, 0], [0, 1.5]], ValueError, ["`grades`", "1.5", "problem 1, sample 1"]),
        ([[0, -1e-300]], ValueError, ["`grades`", "problem 0, sample 1"]),
        ([[1, float("nan")]], ValueError, ["`grades`", "NaN", "problem 0, sample 1"]),
        ([[1, "1"]], TypeError, ["`grades`", "'1'", "problem 0, sample 1"]),
        (1, TypeError, ["`grades`", "1"]),
    ],
)
def test_errors_of_avg(grades, error, said):
    with pytest.raises(error) as caught:
        avg_at_n(grades)
    for words in said:
        assert words in str(caught.value)


@for_each("function", [pass_at_k, pass_hat_k, mg_pass_at_k, g_pass_at_k])
def test_other_calls_are_told_what_to_write(function):
    tau = {"tau": 0.5} if function is g_pass_at_k else {}
    name = function.__name__
    for data, k in (((5, 3, 2), {}), (([[1, 0, 1, 0]],), {"k": 4})):
        with pytest.raises(
            TypeError, match=rf"`{name}` takes two arguments before `k=`, .*; got {len(data)}\. Write"
        ) as caught:
            function(*data, **k, **tau)
    # What the sentence says to write can be written.
    grades, names = np.array([[1, 0, 1, 0], [1, 1, 1, 0]]), {name: function}
    written = re.findall(r"`(\w+\(.*?\))`", str(caught.value))[:2]
    assert [np.shape(eval(call, names | {"grades": grades})) for call in written] == [(), (2,)]
