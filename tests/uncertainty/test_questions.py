"""Families of questions: their methods, the one rule of every decision, bands, fragility, and how often they err."""

from itertools import product

import numpy as np
import pytest
from cases import for_each
from numpy.testing import assert_allclose
from scipy import stats
from scipy.optimize import brentq

from at_k.uncertainty.comparison import compare_columns, compare_values
from at_k.uncertainty.decisions import find_least, is_decided
from at_k.uncertainty.flips import Flips
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.questions import Questions
from benchmarks.coverage.deciding import simulate_band, simulate_pairs
from benchmarks.coverage.equal import SKEWED, UNLIKE_N, simulate_clusters, simulate_errors

RNG = np.random.default_rng(0)


def bounded(difference, stderr, m, level=0.95):
    """2·interval((1 + d)/2, se/2, M) − 1."""
    return 2 * np.array(interval((1 + difference) / 2, stderr / 2, m, confidence_level=level)) - 1


METHODS = {
    "all equal": (np.zeros(30), "mcnemar"),
    "one problem": ([0.25], "bounded"),
    "five problems": ([0.25, 0.5, 0.25, 0.5, 0.75], "bounded"),
    "equal differences": ([0.25] * 30, "sign-flip"),
    "0 and ±1": ([1] * 5 + [-1] * 3 + [0] * 20, "mcnemar"),
    "two large ones beside tiny ones": ([-0.9, -0.9] + [1e-9] * 98, "sign-flip"),
}


@for_each("difference, method", list(METHODS.values()), ids=list(METHODS))
def test_the_test_of_a_question(difference, method):
    difference = np.asarray(difference)
    assert compare_values(difference.clip(0), (-difference).clip(0)).method == method


def find_bounded_p(d):
    """The α for which `interval` of (1 + d)/2 begins to hold ½, found by bisection."""
    mean, stderr = abs(np.mean(d)), stats.sem(d)

    def reach(alpha):
        return interval((1 + mean) / 2, stderr / 2, len(d), confidence_level=1 - alpha)[0] - 0.5

    return brentq(reach, 1e-12, 1 - 1e-12, xtol=1e-14) if reach(1 - 1e-12) > 0 else 1.0


def enumerate_p(d):
    """Twice the share of all sign vectors with a sum at least as large; at most 1."""
    totals = np.array(list(product([1, -1], repeat=len(d)))) @ d
    return min(1.0, 2 * np.mean(totals >= abs(d.sum()) - 1e-12))


RULE = {
    "few, all gains": [0.9, 0.8, 0.2, 0.1, 0.3, 0.25, 0.4, 0.05],
    "symmetric": [0.3, -0.25, 0.2, 0.4, 0.35, 0.1, -0.05, 0.15, 0.3, 0.2],
    "a loss that is large": [0.1] * 10 + [-0.9],
    "small gains": [0.06, 0.05, 0.07, 0.05, 0.06, 0.08, 0.05, 0.06, 0.07, 0.05, 0.06, 0.05],
}


@for_each("factor", [1.0, 2.0])
@for_each("difference", list(RULE.values()), ids=list(RULE))
def test_p_is_the_larger_one_of_the_flips_and_of_the_bounded_interval(difference, factor):
    d = np.array(difference)
    (found,) = compare_columns([(d.clip(0), (-d).clip(0))], [True], factor=factor)
    assert found.p_value == pytest.approx(max(enumerate_p(d), find_bounded_p(d) / factor), rel=1e-9)


@for_each("factor", [1.0, 2.0])
def test_the_interval_is_the_hull_of_both(factor):
    d = np.array(RULE["few, all gains"] * 3)
    (found,) = compare_columns([(d, 0 * d)], [True], factor=factor, n_flips=9_999)
    low, high = bounded(d.mean(), stats.sem(d), 24, 1 - 0.05 * factor)
    flips = Flips(d[:, None], None)
    means = np.sort(flips.sums[:, 0] / flips.problems)
    ends = min(low, means[248]), max(high, means[-249])
    assert (found.low, found.high) == pytest.approx(ends, rel=1e-12)


def test_with_five_units_the_bounded_interval_counts_alone_and_decides_nothing():
    d = np.array([1.0] * 4 + [0.75])
    found = compare_values(d, np.zeros(5))
    low, high = bounded(d.mean(), stats.sem(d), 5)
    assert low > 0
    assert_allclose([found.low, found.high], [0, high], rtol=1e-9)
    assert (found.method, found.better, found.p_value) == ("bounded", None, 2**-4)
    a, b = np.random.default_rng(0).random((2, 20))
    found = compare_values(a, b, method="bounded")
    d = a - b
    assert_allclose([found.low, found.high], bounded(d.mean(), stats.sem(d), 20), rtol=1e-9)


@for_each("factor, size", [(1.0, 12), (2.0, 12), (2.0, 100)])
def test_a_difference_counts_from_where_a_shift_of_the_data_would_decide(factor, size):
    """The larger one of t·se, and of the mean from which the bounded interval leaves out 0, found by trying."""
    d = np.random.default_rng(size).normal(0.1, 0.2, size).clip(-1, 1)
    (found,) = compare_columns([(d.clip(0), (-d).clip(0))], [True], factor=factor)
    stderr = stats.sem(d)
    grid = np.arange(0, 1, 1e-4)
    least = next(x for x in grid if bounded(x, stderr, size, 1 - 0.05 * factor)[0] > 0)
    expected = max(least, stats.t.ppf(0.975, size - 1) * stderr)
    assert found.counts_from == pytest.approx(expected, abs=1e-4)


def test_notes_say_when_no_difference_can_be_found():
    (few,) = compare_values([1, 1, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0]).notes
    assert few.values == {"count": 3, "least": 0.125}  # mid-p of three won and none lost
    (few,) = compare_values([0.5, 0.5, 0.5, 0], [0, 0, 0, 0]).notes
    assert few.values == {"count": 3, "least": 0.25}
    (none,) = compare_values([1, 0], [1, 0]).notes
    assert none.code == "compare.equal"
    assert compare_values([0.5] * 6, [0] * 6).notes == ()


class TestFamily:
    """Several numbers of two models, with one decision."""

    def draw(self, seed):
        """Draw differences in up to six numbers: some related, some rare, some of one sample, some empty."""
        rng = np.random.default_rng(seed)
        problems, keys = int(rng.integers(1, 60)), int(rng.integers(1, 7))
        base = rng.normal(rng.choice([0, 0.1, 0.3]), rng.choice([0.01, 0.2, 0.4]), problems)
        columns = [
            (
                base,
                base * rng.random(problems),
                base * (rng.random(problems) < 0.1),
                np.rint(base),
                0 * base + 0.01,
                rng.normal(0, 0.2, problems),
            )[rng.integers(6)]
            for _ in range(keys)
        ]
        return [(np.clip(each, 0, 1), np.clip(-each, 0, 1)) for each in columns]

    def test_the_interval_excludes_0_exactly_where_the_adjusted_p_is_below_the_level(self):
        """Of 500 pairs: decision, interval and p-value are those of one family."""
        decided = 0
        for seed in range(500):
            level = (0.8, 0.95, 0.99)[seed % 3]
            clusters = [i % 9 for i in range(60)] if seed % 7 == 0 else None
            pairs = self.draw(seed)
            if clusters is not None:
                clusters = clusters[: len(pairs[0][0])]
            for found in compare_columns(
                pairs, [True] * len(pairs), confidence_level=level, n_flips=399, clusters=clusters
            ):
                excludes = found.low > 0 or found.high < 0
                assert (
                    excludes == is_decided(found.p_adjusted, level) == (found.better is not None)
                ), seed
                assert found.low <= found.difference + 1e-12
                assert found.difference <= found.high + 1e-12
                assert found.p_adjusted >= found.p_value
                assert found.better == (None if not excludes else "a" if found.low > 0 else "b")
                decided += excludes
        assert decided > 150

    def test_numbers_that_differ_by_rounding_are_one_question(self):
        a, b = RNG.random((2, 30))
        one, same = compare_columns([(a, b), (a + 1e-16, b)], [True, True])
        assert (one.low, one.p_adjusted) == (same.low, same.p_adjusted) == (one.low, one.p_value)


def enumerate_quantile(columns, clusters, level):
    """Try every vector of signs but that of the data, one by one."""
    units = sorted(set(clusters))
    centred = columns - columns.mean(axis=0)
    sums = np.array(
        [
            [centred[np.array(clusters) == unit, k].sum() for unit in units]
            for k in range(columns.shape[1])
        ]
    )
    largest = []
    for signs in list(product([1, -1], repeat=len(units)))[1:]:
        flipped = sums * signs
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(flipped.mean(axis=1)) / (flipped.std(axis=1, ddof=1) / np.sqrt(len(units)))
        largest.append(np.nanmax(t))
    return sorted(largest)[int(np.ceil(round(level * (len(largest) + 1), 9))) - 1]


class TestBands:
    COLUMNS = np.random.default_rng(3).random((10, 3))

    @for_each("columns, clusters", [
        (COLUMNS, range(10)), (COLUMNS, [0, 0, 1, 2, 3, 4, 5, 6, 7, 7]), (COLUMNS[:, :1], range(10)),
    ])  # fmt: skip
    def test_the_quantile_is_that_of_all_signs(self, columns, clusters):
        codes = None if len(set(clusters)) == len(columns) else np.array(clusters)
        found = Questions(columns, clusters=codes).find_quantile(0.9)
        assert found == pytest.approx(enumerate_quantile(columns, list(clusters), 0.9), rel=1e-9)

    def test_a_column_of_equal_values_changes_nothing_and_few_units_have_no_band(self):
        alone = Questions(self.COLUMNS).find_quantile(0.9)
        assert (
            Questions(np.column_stack([self.COLUMNS, np.full(10, 0.3)])).find_quantile(0.9) == alone
        )
        assert Questions(self.COLUMNS[:4]).find_quantile(0.95) == np.inf

    def test_a_shared_level_lies_between_one_question_and_bonferroni(self):
        values = np.random.default_rng(0).random((40, 2))
        assert (
            0.94 < Questions(values).share_level(0.9) <= 0.95
        )  # two that do not resemble each other
        assert Questions(values[:, [0, 0]]).share_level(0.9) < 0.91

    @for_each("factor", [1.0, 2.0])
    def test_its_limits_are_the_hull_of_q_se_and_of_bounded_ones_of_its_level(self, factor):
        rng = np.random.default_rng(1)
        columns = np.column_stack([rng.normal(0.1, 0.2, 50), np.eye(50)[0], np.zeros(50)])
        questions = Questions(columns, factor=factor)
        (low, high), q = questions.find_band(0.95), questions.find_quantile(0.95)
        own = 1 - factor * max(0.05 / 3, 2 * stats.t.sf(q, 49))
        mean, stderr = columns.mean(axis=0), columns.std(axis=0, ddof=1) / 50**0.5
        for k in range(3):
            near = bounded(mean[k], stderr[k], 50, own)
            margin = q * stderr[k]
            ends = min(near[0], mean[k] - margin), max(near[1], mean[k] + margin)
            assert (low[k], high[k]) == pytest.approx(ends)

    def test_its_p_value_is_where_it_begins_to_hold_0(self):
        rng = np.random.default_rng(2)
        columns = np.column_stack(
            [rng.normal(0.09, 0.2, 40), 0.9 * (np.arange(40) < 7), rng.normal(0.05, 0.2, 40)]
        )
        questions = Questions(columns)
        for place, p_value in enumerate(questions.p_of_band):
            for factor in (0.97, 1.03):
                low, high = questions.find_band(1 - p_value * factor)
                assert (low[place] <= 0 <= high[place]) == (factor < 1)


def draw_pairs(seed, keys, problems, method):
    """Draw two models in several keys, of which A is the better one in the first."""
    rng = np.random.default_rng(seed)
    better = rng.random(problems) < 0.75 + seed / 40
    pairs = []
    for key in range(keys):
        a, b = (
            np.where(better, 0.9, 0.3) - key / 10 * rng.random(problems),
            rng.random(problems) / 3,
        )
        pairs.append((a.round(), b.round()) if method == "mcnemar" else (a, b))
    return pairs


def stands(pairs, count, sign=1, **options):
    """Compare anew, with further problems that A loses in every key: does the decision on the first remain?"""
    ends = (np.zeros(count), np.ones(count))[::sign]
    longer = [tuple(map(np.append, pair, ends)) for pair in pairs]
    found, *_ = compare_columns(longer, [True] * len(longer), **options)
    return found.p_adjusted < 0.05 and found.difference * sign > 0


class TestFragility:
    @for_each("seed, method, keys", list(product(range(5), ["bounded", "mcnemar"], [1, 3])))
    def test_it_is_the_number_of_problems_that_undo_the_decision(self, seed, method, keys):
        """By comparing again, with one more problem each time; ten problems are enumerated up to four more."""
        options = {"method": "bounded" if method == "bounded" else "sign-flip"}
        pairs = draw_pairs(seed, keys, 10, method)
        turned = [pair[::-1] for pair in pairs]
        for own, sign in ((pairs, 1), (turned, -1)):
            counts = [count for count in range(5) if not stands(own, count, sign, **options)]
            found, *_ = compare_columns(own, [True] * keys, **options)
            if 0 in counts:
                assert found.fragility is None
            elif counts:
                assert found.fragility == counts[0]
            else:
                assert found.fragility > 4

    def test_the_method_of_the_decision_stays(self):
        """Flips follow t for these numbers, and have the last word."""
        a, b = np.full(60, 0.6), RNG.uniform(0, 0.4, 60)
        found = compare_values(a, b)
        t = [np.append(a - b, -np.ones(count)) for count in range(60)]
        p_values = [stats.ttest_1samp(each, 0).pvalue for each in t]
        assert found.fragility == pytest.approx(
            next(i for i, p in enumerate(p_values) if p >= 0.05), abs=2
        )

    @for_each("method, clusters", [("bounded", False), ("bounded", True), ("mcnemar", False)])
    def test_it_holds_by_random_flips(self, method, clusters):
        """Two of 9,999 random flips differ in their p-values by up to .009: one problem decides either way."""
        pairs = draw_pairs(0, 3, 40, method)
        options = {"method": "bounded" if method == "bounded" else "sign-flip"}

        def cluster(count):
            return (
                {"clusters": [i // 2 for i in range(40)] + list(range(100, 100 + count))}
                if clusters
                else {}
            )

        found, *_ = compare_columns(pairs, [True] * 3, **options, **cluster(0))
        count = found.fragility
        assert count > 2
        assert stands(pairs, count - 2, **options, **cluster(count - 2))
        assert not stands(pairs, count + 1, **options, **cluster(count + 1))

    def test_one_sample_of_each_problem_and_decisions_without_any(self):
        """Eight won and none lost: mid-p is .0039. One loss makes it .0215, two .0654."""
        found = compare_values([1] * 8 + [0] * 9, [0] * 17)
        assert (found.method, found.fragility) == ("mcnemar", 2)
        assert (
            compare_values([1, 1, 0, 0.5, 0, 1, 0.5], [0.5, 0, 1, 0, 0.5, 0, 0]).fragility is None
        )
        assert compare_values(np.arange(20.0), np.zeros(20), bounded=False).fragility is None


# Each row of errors that were found: small simulations with their seeds. A share of .05 of 1,000 has an error of .007.


@for_each("kind, problems", [
    # One model at another n: once .71 of data sets with 30 problems, .92 with 164, and .70 for p = .5 with 400.
    *[(kind, problems) for kind in UNLIKE_N for problems in (30, 164)],
    (list(UNLIKE_N)[-1], 400),
    # Skewed differences: once .30 (15 problems, a model that fails wholly in 8 %), .12 (8, a fifth lost) and .20 (8).
    *[(kind, problems) for kind in list(SKEWED)[:4] for problems in (8, 15, 30)],
])  # fmt: skip
def test_equal_models_are_rarely_told_apart(kind, problems):
    assert simulate_errors(kind, problems, repetitions=500, seed=0) <= 0.055 + 0.02


@for_each("simulate, arguments, repetitions, least", [
    # Real pairs: once .85, .82 and .92; the error of 300 is .013.
    *[(simulate_pairs, each, 300, 0.93 - 0.03)
      for each in (("EvalPerf", 10, 15), ("EvalPerf", 1, 30), ("P3", 10, 100))],
    (simulate_clusters, ("unequal, 10", 0.5, 0.7), 500, 0.925 - 0.02),
    # Bands: once .575 for 100 easy problems; the error of 200 is .015.
    *[(simulate_band, each, 200, 0.93 - 0.035)
      for each in ((0.95, 0.0, 16, 100), (0.8, 0.5, 16, 30), (0.5, 0.0, 16, 15))],
])  # fmt: skip
def test_intervals_cover(simulate, arguments, repetitions, least):
    assert np.ravel(simulate(*arguments, repetitions=repetitions, seed=0))[0] >= least


@for_each("least", [1, 2, 5])
@for_each("most", [5, 16, 33])
@for_each("enough", range(1, 40))
def test_the_smallest_number_is_found(least, most, enough):
    expected = next((number for number in range(least, most + 1) if number >= enough), None)
    assert find_least(lambda number: number >= enough, least, most) == expected
