"""Paired and unpaired comparisons: formulas, hand-made cases, coverage."""

import re
from functools import partial

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from scipy.stats import binom

from at_k.uncertainty.comparison import compare_columns, compare_values, find_equivalence_p
from at_k.uncertainty.unpaired import compare_unpaired


def test_values_difference_and_standard_error():
    a, b = np.random.default_rng(0).random((2, 20))
    found = compare_values(a, b, confidence_level=0.9)
    assert found.difference == pytest.approx(np.mean(a) - np.mean(b), rel=1e-12)
    assert (found.a, found.b) == (a.mean(), b.mean())
    assert found.stderr == pytest.approx(stats.sem(a - b), rel=1e-12)
    # For so symmetric differences, typical values are as wide as the paired t interval; both are of 20 values.
    theirs = stats.ttest_rel(a, b).confidence_interval(0.9)
    assert found.high - found.low == pytest.approx(theirs.high - theirs.low, rel=0.1)


values = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12)


@settings(derandomize=True, max_examples=50)
@given(values)
def test_both_directions_say_the_same(pairs):
    a, b = (np.array(each) / 4 for each in zip(*pairs, strict=True))
    for compare in (compare_values, compare_unpaired):
        there, back = compare(a, b), compare(b, a)
        assert there.p_value == pytest.approx(back.p_value, rel=1e-9)
        assert_allclose([there.low, there.high], [-back.high, -back.low], atol=1e-9)
        assert -1 <= there.low <= there.difference <= there.high <= 1
        assert there.low < there.high
        assert {there.better, back.better} in ({None}, {"a", "b"})
        assert (there.won, there.lost) == (back.lost, back.won)


def draw_pairs(seed, keys, problems, method):
    """Draw two models in several keys, of which A is the better one in the first."""
    rng = np.random.default_rng(seed)
    better = rng.random(problems) < 0.75 + seed / 40
    pairs = []
    for key in range(keys):
        a, b = np.where(better, 0.9, 0.3) - key / 10 * rng.random(problems), rng.random(problems) / 3
        pairs.append((a.round(), b.round()) if method == "mcnemar" else (a, b))
    return pairs


def stands(pairs, count, sign=1, **options):
    """Compare anew, with so many further problems that A loses in every key: does the verdict on the first stand?"""
    ends = (np.zeros(count), np.ones(count))[::sign]
    longer = [tuple(map(np.append, pair, ends)) for pair in pairs]
    (found, *_), (p_value, *_) = compare_columns(longer, [True] * len(longer), **options)
    return p_value < 0.05 and found.difference * sign > 0


@pytest.mark.parametrize("keys", [1, 3])
@pytest.mark.parametrize("method", ["sign-flip", "bounded", "mcnemar"])
@pytest.mark.parametrize("seed", range(5))
def test_fragility_is_the_number_of_problems_that_undo_the_verdict(seed, method, keys):
    """By comparing again, with one more problem each time; ten problems are enumerated up to four more."""
    options = {"method": "bounded" if method == "bounded" else "sign-flip"}
    pairs = draw_pairs(seed, keys, 10, method)
    turned = [pair[::-1] for pair in pairs]
    counts = [count for count in range(5) if not stands(pairs, count, **options)]
    for own, sign in ((pairs, 1), (turned, -1)):
        assert [count for count in range(5) if not stands(own, count, sign, **options)] == counts
        (found, *_), _ = compare_columns(own, [True] * keys, **options)
        if 0 in counts:
            assert found.fragility is None
        elif counts:
            assert found.fragility == counts[0]
        else:
            assert found.fragility > 4


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("method", ["sign-flip", "bounded", "mcnemar"])
def test_fragility_by_random_flips(method, clusters):
    """Two of 9,999 random flips differ in their p-values by up to .009: a problem more or less decides either way."""
    pairs = draw_pairs(0, 3, 40, method)
    options = {"method": "bounded" if method == "bounded" else "sign-flip"}

    def cluster(count):
        return {"clusters": [i // 2 for i in range(40)] + list(range(100, 100 + count))} if clusters else {}

    (found, *_), _ = compare_columns(pairs, [True] * 3, **options, **cluster(0))
    count = found.fragility
    assert count > 2
    assert stands(pairs, count - 2, **options, **cluster(count - 2))
    assert not stands(pairs, count + 1, **options, **cluster(count + 1))


def test_fragility_of_the_bounded_method():
    """Once 3, the count for sign flips, although two more problems give p = .17."""
    found = compare_values([0.75] * 21, [0.5] * 21, confidence_level=0.9, method="bounded")
    more = [[0.75] * 21 + [0.0] * count for count in range(4)], [[0.5] * 21 + [1.0] * count for count in range(4)]
    p_values = [compare_values(a, b, method="bounded").p_value for a, b in zip(*more, strict=True)]
    assert found.fragility == min(count for count, p_value in enumerate(p_values) if p_value >= 0.1)


def test_fragility_of_one_sample_of_each_problem():
    """Eight won and none lost: mid-p is .0039. One loss makes it .0215, two .0654."""
    found = compare_values([1] * 8 + [0] * 9, [0] * 17)
    assert (found.method, found.fragility) == ("mcnemar", 2)


def test_without_a_verdict_there_is_no_fragility():
    assert compare_values([1, 1, 0, 0.5, 0, 1, 0.5], [0.5, 0, 1, 0, 0.5, 0, 0]).fragility is None


def test_values_without_a_range():
    a, b = np.random.default_rng(0).normal(5, 2, size=(2, 20))
    found = compare_values(a, b, bounded=False)
    theirs = stats.ttest_rel(a, b).confidence_interval()
    assert_allclose([found.low, found.high], theirs, atol=0.15)  # a tenth of the width
    assert (found.method, found.bounded, found.fragility) == ("sign-flip", None, None)
    alone = compare_values([7.0], [5.0], bounded=False)
    assert (alone.low, alone.high) == (-np.inf, np.inf)


FEW_FLIPS = 199
"""An interval at 95 % then leaves out four means on each side; thousands of comparisons need no more."""


REPETITIONS = 150
LEAST = binom.ppf(0.2, REPETITIONS, 0.931)
"""Of intervals that cover .931, fewer than so many hold the truth in a fifth of such runs; the numbers are seeded."""


def count_covered(draw, compare, truth):
    found = (compare(*draw()) for _ in range(REPETITIONS))
    return sum(each.low <= truth <= each.high for each in found)


def draw_rare(rng, size, share):
    """A is right where B is wrong in a share of the problems, and they agree elsewhere."""
    better = rng.random(size) < share
    common = rng.random(size) < 0.5
    return np.where(better, 1.0, common), np.where(better, 0.0, common)


@for_each("share", [0.02, 0.1, 0.3])
@for_each("size", [15, 30, 100])
def test_coverage_where_large_differences_are_rare(size, share):
    """Measured .81–.89 for the default and .26–.76 for t alone at the worst; the bounded interval covers .931."""
    rng = np.random.default_rng(size)
    bounded = partial(compare_values, method="bounded", n_flips=FEW_FLIPS)
    assert count_covered(lambda: draw_rare(rng, size, share), bounded, share) >= LEAST


@for_each("size, share", [(30, 0.3), (100, 0.1), (100, 0.3), (300, 0.1)])
def test_coverage_of_one_sample_of_each_problem(size, share):
    """The inversion of McNemar's test alone covers .38 to .55."""
    rng = np.random.default_rng(size)
    compare = partial(compare_values, n_flips=FEW_FLIPS)
    assert count_covered(lambda: draw_rare(rng, size, share), compare, share) >= LEAST


def draw_alike(rng, size):
    p = rng.beta(0.4, 0.4, size)
    return rng.binomial(4, p) / 4, rng.binomial(4, p) / 4


def test_coverage_of_the_default_for_symmetric_differences():
    rng = np.random.default_rng(0)
    assert count_covered(lambda: draw_alike(rng, 15), partial(compare_values, n_flips=FEW_FLIPS), 0.0) >= LEAST


def test_pairs_see_what_unpaired_values_do_not():
    """A difference of .05 on 100 problems that are easy or hard for both models alike."""
    rng = np.random.default_rng(0)
    found = {"paired": 0, "unpaired": 0}
    for _ in range(100):
        p = rng.beta(0.5, 0.5, size=100)
        a, b = rng.binomial(16, 0.15 + 0.8 * p) / 16, rng.binomial(16, 0.1 + 0.8 * p) / 16
        found["paired"] += compare_values(a, b, n_flips=999).better == "a"
        found["unpaired"] += compare_unpaired(a, b).better == "a"
    assert found["paired"] >= 90
    assert found["unpaired"] <= 10


@for_each(
    "a, b, margin",
    [
        (np.linspace(0, 0.3, 60), np.linspace(0, 0.3, 60)[::-1] + 0.01, 0.05),
        ([0.5] * 40, [0.5] * 40, 0.05),
        ([1.0] * 2 + [0.0] * 38, [0.0] * 40, 0.15),
        ([1.0] * 5 + [0.0] * 35, [0.0] * 5 + [1.0] * 5 + [0.0] * 30, 0.2),
    ],
    ids=["sign-flip", "bounded", "few", "mcnemar"],
)
def test_equivalence_is_the_level_of_the_interval(a, b, margin):
    """The interval of level 1 − 2p reaches up to the margin: at random subsets, to one of 9,999 means."""
    p_value = find_equivalence_p(a, b, margin=margin)
    assert p_value < 0.4
    within, beyond = (compare_values(a, b, confidence_level=1 - 2 * p_value + shift) for shift in (-0.001, 0.001))
    assert max(-within.low, within.high) <= margin <= max(-beyond.low, beyond.high)


def test_equal_answers_to_a_few_problems_are_not_yet_equivalence():
    assert find_equivalence_p([1.0] * 10, [1.0] * 10, margin=0.02) > 0.05
    assert find_equivalence_p([1.0] * 500, [1.0] * 500, margin=0.02) < 0.05


def test_a_difference_above_the_margin_is_not_equivalence():
    assert find_equivalence_p([1.0] * 50, [0.5] * 50, margin=0.02) == 1


@for_each(
    "call, said",
    [
        (lambda: compare_values([1.0], [1.0, 0.0]), "`a` and `b` must hold values of the same problems; got 1 and 2"),
        (lambda: compare_values([1.5], [1.0]), "`a` must lie in [0, 1]; got 1.5 in problem 0"),
        (lambda: compare_values([1.0], [float("nan")]), "`b` must hold finite numbers; got nan in problem 0"),
        (lambda: compare_values([1.0], [1.0], method="z"), "`method` must be one of 'sign-flip', 'bounded'; got 'z'"),
        (lambda: compare_values([1.0], [1.0], confidence_level=0), "`confidence_level` must lie between 0 and 1"),
        (lambda: compare_unpaired([1.0], []), "`b` must hold one value per problem, at least one; got []"),
        (lambda: find_equivalence_p([1.0], [1.0], margin=0), "`margin` must lie between 0 and 1, both excluded; got 0"),
    ],
)
def test_arguments_that_cannot_be_used(call, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        call()


def test_a_margin_is_a_number():
    with pytest.raises(TypeError, match="`margin` must be a number between 0 and 1; got '2 %'"):
        find_equivalence_p([1.0], [1.0], margin="2 %")
