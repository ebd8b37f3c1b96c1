"""The exact plurality vote, against an enumeration of count vectors in integers; large votes, against integers, and
against what must be true of all answers of a vote together."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import oracles
import pytest
from cases import for_each
from numpy.testing import assert_allclose, assert_array_equal

from at_k import combinatorics
from at_k.combinatorics import win_by_transform
from at_k.estimators import products, votes

# Sums of positive terms: a few thousand roundings of 1.1e-16 each stay far below this.
RTOL = 1e-12
SWITCH = votes._COUNTS_UP_TO


def profile(counts, correct, silent=0):
    """A problem: how many samples gave each answer, which answers are correct, and how many gave none."""
    return tuple(counts), tuple(correct), silent


def plurality(problems, k, ties="random"):
    answers = [
        (i, count, right)
        for i, (counts, correct, _) in enumerate(problems)
        for count, right in zip(counts, correct, strict=True)
    ]
    problem, count, correct = (
        np.array(column, dtype=np.int64) for column in zip(*answers, strict=True)
    )
    n = np.array([sum(counts) + silent for counts, _, silent in problems])
    return votes.elect_by_plurality(
        problem, count, correct.astype(bool), n, k, share=ties == "random"
    )


def exact(problem, k, ties="random"):
    counts, correct, silent = problem
    classes = [
        (answer, right, 1, size)
        for answer, (right, size) in enumerate(zip(correct, counts, strict=True))
    ]
    silence = [(None, False, 1, silent)] if silent else []
    return float(oracles.cons_of_classes(silence + classes, k, ties))


SMALL = [
    profile([12], [True]), profile([6, 6], [True, False]), profile([5, 4, 3], [False, True, False]),
    profile([4, 4, 2], [True, False, True], 2), profile([3, 3, 3, 3], [False, False, True, True]),
    profile([7, 1, 1, 1, 1, 1], [False, True, False, False, False, False]),
    profile([2, 2, 2, 2, 2], [True, False, False, False, False], 2), profile([1] * 8, [True] + [False] * 7, 4),
    profile([1], [True], 11), profile([1], [False], 11),
]  # fmt: skip


@for_each("ties", ["random", "incorrect"])
def test_every_k_of_small_problems(ties, monkeypatch):
    """And as samples of large problems are thinned, where every subset can be counted: nothing visible is left out."""
    every = range(1, 13)
    wanted = [[exact(problem, k, ties) for k in every] for problem in SMALL]
    for counted in (SWITCH, 1):
        monkeypatch.setattr(votes, "_COUNTS_UP_TO", counted)
        assert_allclose(plurality(SMALL, every, ties), wanted, rtol=RTOL, atol=0)


@for_each("ties", ["random", "incorrect"])
@for_each("problem, k", [
    (profile([14, 13, 13], [True, False, False]), [1, 2, 3, 8, 20, 39, 40]),
    (profile([20, 20], [False, True]), range(1, 41)),
    (profile([10, 10, 10], [True, True, False], 10), [1, 5, 16, 33, 40]),
    (profile([30, 2, 2], [False, True, False], 2), [1, 4, 10, 20]),
    (profile([1, 39], [True, False]), [1, 2, 3, 38]),
    (profile([19, 19, 18], [True, False, True]), [1, 2, 7, 28, 55, 56]),
    (profile([20, 19, 18], [False, True, False]), [1, 2, 7, 28, 56, 57]),
    (profile([30, 28, 28, 10], [True, False, True, False], 4), [1, 3, 10, 50, 99, 100]),
])  # fmt: skip
def test_larger_problems(problem, k, ties):
    k = list(k)
    assert_allclose(
        plurality([problem], k, ties)[0],
        [exact(problem, each, ties) for each in k],
        rtol=RTOL,
        atol=0,
    )


def test_integers_are_rounded_once():
    """Up to this n the ways to win are counted exactly, if no tie has to be shared among three."""
    n = 56  # no C(56, k) exceeds 2⁵³
    for problem in (
        profile([n - 20, 20], [False, True]),
        profile([20, 19, n - 39], [True, False, False]),
    ):
        every = range(1, n)
        assert_array_equal(
            plurality([problem], every, "incorrect")[0],
            [exact(problem, k, "incorrect") for k in every],
        )


@for_each("problem, k", [
    (profile([SWITCH - 400, 400], [False, True]), [1, 10, 100, SWITCH]),
    (profile([SWITCH - 399, 400], [False, True]), [1, 10, 100, SWITCH + 1]),
    (profile([500, 300], [False, True], SWITCH - 800), [1, 2, 33]),
    (profile([500, 300], [False, True], SWITCH - 799), [1, 2, 33]),
    (profile([3, 2], [True, False], SWITCH - 5), [1, 500, SWITCH - 1]),
    (profile([3, 2], [True, False], SWITCH), [1, 500, SWITCH + 4]),
    (profile([1100, 900], [False, True]), [1, 2, 400]),
    (profile([700, 650, 650], [True, False, False]), [1, 2, 40]),
    (profile([700, 650, 650], [False, True, True]), [3, 41]),
])  # fmt: skip
def test_both_sides_of_the_switch_of_p(problem, k):
    values = [[exact(problem, each, ties) for each in k] for ties in ("random", "incorrect")]
    assert_allclose(
        [plurality([problem], k, ties)[0] for ties in ("random", "incorrect")],
        values,
        rtol=RTOL,
        atol=0,
    )


def test_one_k_each_and_all_at_once_agree():
    """Each k of a large n has its own p; the values must not notice."""
    problem = profile([600, 600], [True, False], 1)
    values = plurality([problem], [1, 7, 600, 1201])
    assert_allclose(values[0], [exact(problem, k) for k in (1, 7, 600, 1201)], rtol=RTOL, atol=0)
    assert_array_equal(values[0], [plurality([problem], [k])[0, 0] for k in (1, 7, 600, 1201)])


@for_each("others", [[1], [2, 1], [3, 3, 2]])
def test_a_k_that_is_asked_twice(others):
    problem = profile([3, *others], [True, *[False] * len(others)], 1)
    assert_array_equal(
        plurality([problem, problem], [2, 3, 2])[1], plurality([problem], [2, 3])[0, [0, 1, 0]]
    )


@for_each("ties", ["random", "incorrect"])
def test_all_samples_drawn_is_a_count(ties):
    """k = n has no rounding at all."""
    for counts in product(range(1, 4), repeat=3):
        for correct in product([False, True], repeat=3):
            value = plurality([profile(counts, correct, 1)], [sum(counts) + 1], ties)
            assert value[0, 0] == exact(profile(counts, correct, 1), sum(counts) + 1, ties)


def mixed(size, rng):
    """Problems with different n, numbers of answers, and answers right, many of them equal."""
    pool = [
        profile(counts, correct, silent)
        for counts in [(3,), (2, 1), (4, 4), (3, 2, 2), (1, 1, 1, 1), (5, 1, 2), (2, 2, 2, 1)]
        for correct in product([False, True], repeat=len(counts))
        for silent in (1, 3)
    ]
    return [pool[i] for i in rng.integers(len(pool), size=size)]


@for_each("ties", ["random", "incorrect"])
def test_many_mixed_problems(ties):
    problems = mixed(8209, np.random.default_rng(1))
    assert len({sum(counts) + silent for counts, _, silent in problems}) > 3
    known = {problem: [exact(problem, k, ties) for k in (1, 2, 4)] for problem in set(problems)}
    assert_allclose(
        plurality(problems, [1, 2, 4], ties),
        [known[problem] for problem in problems],
        rtol=RTOL,
        atol=0,
    )


@pytest.mark.parametrize("ties", ["random", "incorrect"])
@pytest.mark.parametrize("right", [0, 3, 59])
def test_many_rivals_are_thinned(monkeypatch, ties, right):
    """Integers, which are not thinned and of which nothing is left out, have the same values."""
    counts = [max(1, 120 // (i + 1)) for i in range(60)]
    problem = profile(counts, [i == right for i in range(60)], 7)
    k = [2, 30, 31, 200, 500]
    n = sum(counts) + 7
    assert n <= SWITCH
    whole = plurality([problem], k, ties)
    monkeypatch.setattr(votes, "_COUNTS_UP_TO", n - 1)
    assert_allclose(plurality([problem], k, ties), whole, rtol=RTOL, atol=0)


@for_each("count", [1, 20, 150, 1_190])
def test_an_answer_without_rivals_is_elected_wherever_it_is_drawn(count):
    n = 1_200
    for k in (2, 10, 400, 900, n - 1):
        drawn = 1 - Fraction(oracles.choose(n - count, k), oracles.choose(n, k))
        assert plurality([profile([count], [True], n - count)], [k])[0, 0] == pytest.approx(
            float(drawn), rel=1e-14, abs=0
        )


@pytest.mark.parametrize(("cells", "block", "few"), [(1, 1, 0), (20, 60, 10), (70, 500, 10_000)])
def test_blocks_of_any_size(monkeypatch, cells, block, few):
    monkeypatch.setattr(products, "_FEW", few)
    monkeypatch.setattr(votes, "_CELLS", cells)
    monkeypatch.setattr(products, "_BLOCK", block)
    problems = mixed(101, np.random.default_rng(2))
    assert_allclose(
        plurality(problems, [3, 4, 1]),
        [[exact(problem, k) for k in (3, 4, 1)] for problem in problems],
        rtol=RTOL,
    )


def test_problems_without_votes_or_without_a_right_answer_and_none_above_one():
    problems = [
        profile([2, 1], [False, False], 1),
        profile([], [], 3),
        profile([2, 1], [True, True], 1),
    ]
    values = plurality(problems, [1, 2, 3])
    assert_array_equal(values[:2], 0)
    # All answers are right: wrong only if nobody votes, which one silent sample can bring about alone, with k = 1.
    assert_allclose(values[2], [3 / 4, 1, 1], rtol=RTOL)
    problems = [profile(counts, [True] * len(counts)) for counts in product(range(1, 8), repeat=3)]
    values = plurality(problems, [1, 2, 3])
    assert values.max() <= 1
    assert_allclose(values, 1, rtol=RTOL)


def test_the_oracles_agree_with_each_other():
    """Classes against subsets, so that neither is trusted alone."""
    for answers, correct in oracles.answer_patterns(5):
        classes = Counter(zip(answers, correct, strict=True))
        for ties in ("random", "strict", "incorrect"):
            by_class = oracles.cons_of_classes(
                [(*key, 1, size) for key, size in classes.items()], 3, ties
            )
            assert by_class == oracles.cons(answers, correct, 3, ties)


@for_each(
    "base, width", [(2, 64), (2, 200), (3, 45), (10, 18), (10, 19), (10, 60), (2**31, 7), (7, 1)]
)
def test_packed_rows_compare_as_rows(base, width):
    """Rows that differ in one column, in each column in turn, and random ones."""
    rng = np.random.default_rng(width)
    rows = rng.integers(0, base, size=(30, width))
    one_off = np.repeat(rows[:1], width, axis=0)
    np.fill_diagonal(one_off, (one_off.diagonal() + 1) % base)
    ends = np.array([[0] * width, [base - 1] * width])
    rows = np.concatenate([rows, one_off, ends])
    packed = list(zip(*(key.tolist() for key in combinatorics.pack_tallies(rows)), strict=True))
    order = sorted(range(len(rows)), key=lambda i: rows[i].tolist())
    assert sorted(range(len(rows)), key=lambda i: packed[i]) == order
    assert len(set(packed)) == len(set(map(tuple, rows.tolist())))


def test_halves_that_are_joined_give_the_whole_product():
    """30,000 fields, nearly all different; the expected numbers are those of the problems a few at a time."""
    rng = np.random.default_rng(0)
    counts = rng.multinomial(60, np.arange(1, 13) / 78, size=30_000)
    problem, answer = np.nonzero(counts)
    k, n = [2, 4, 8, 16, 32], np.full(len(counts), 60 + 5)  # five samples without an answer
    given = counts[problem, answer], np.isin(answer, (0, 11)), n
    joined = votes.elect_by_plurality(problem, *given, k, share=True)
    assert len(np.unique(counts, axis=0)) > products._MANY_FIELDS
    for start in range(0, len(counts), 1500):
        rows = (problem >= start) & (problem < start + 50)
        alone = votes.elect_by_plurality(
            problem[rows] - start,
            given[0][rows],
            given[1][rows],
            n[start : start + 50],
            k,
            share=True,
        )
        assert_allclose(joined[start : start + 50], alone, rtol=RTOL)


# What the module promises; the errors of these votes are below 1e-12.
TOLERANCE = 1e-11


@for_each("ties", ["random", "incorrect"])
@for_each("counts, silent, every", [
    ([14, 13, 13], 0, [2, 3, 8, 20, 39]),
    ([2, 7, 1, 1, 1], 3, range(2, 15)),
    ([1] * 8, 4, range(2, 12)),
    ([3], 9, [2, 6, 11]),
    ([28, 30, 28, 10], 4, [3, 10, 50, 99]),
    ([650, 700, 650], 0, [40, 200]),
    ([400, 601], 0, [100, 300]),
])  # fmt: skip
def test_votes_that_can_be_counted(counts, silent, every, ties):
    n, rivals = sum(counts) + silent, np.array(counts[1:], dtype=np.int64)
    right = [place == 0 for place in range(len(counts))]
    for k in every:
        found = win_by_transform(n, counts[0], rivals, k, share=ties == "random")
        assert found == pytest.approx(
            exact(profile(counts, right, silent), k, ties), abs=TOLERANCE
        ), k


def draw_counts(n, answers, seed=0):
    chance = 0.5 + np.random.default_rng(seed).random(answers)
    return np.random.default_rng(seed).multinomial(n, chance / chance.sum())


@for_each("share", [True, False])
@for_each("answers", [20, 150, 600])
def test_many_rivals(answers, share):
    """The product of polynomials, one rival at a time, which up to 1,000 samples counts subsets without thinning."""
    counts = draw_counts(1000, answers)
    counts = counts[counts > 0]
    for place in (int(np.argmax(counts)), 3):
        rivals, every = np.delete(counts, place), [2, 30, 470, 900]
        flags = np.arange(len(counts)) == place
        by_products = votes.elect_by_plurality(
            np.zeros(len(counts), dtype=np.int64),
            counts,
            flags,
            np.array([1000]),
            every,
            share=share,
        )
        found = [win_by_transform(1000, int(counts[place]), rivals, k, share=share) for k in every]
        assert found == pytest.approx(by_products[0], abs=TOLERANCE)


@pytest.mark.parametrize(
    ("n", "answers", "k"), [(2000, 600, 1000), (20_000, 2, 10_000), (5000, 5, 4999)]
)
def test_one_of_all_answers_wins(n, answers, k):
    """The chances of all answers add up to 1 for every n, if every sample votes and ties are shared."""
    counts = draw_counts(n, answers)
    counts = counts[counts > 0]
    sizes, times = np.unique(counts, return_counts=True)
    chances = [
        win_by_transform(n, int(size), np.delete(counts, np.argmax(counts == size)), k, share=True)
        for size in sizes
    ]
    assert times @ chances == pytest.approx(1, abs=TOLERANCE)
    assert chances == sorted(chances)


def test_heavy_votes_take_transforms(monkeypatch):
    """For every k and each problem for itself: beside a light one, and with two correct answers."""
    problem, count = np.array([0, 0, 0, 1, 1]), np.array([500, 400, 300, 2, 1])
    correct, n, every = (
        np.array([False, True, True, True, False]),
        np.array([1200, 1200]),
        [1, 2, 60, 600, 1199, 1200],
    )
    light = votes.elect_by_plurality(problem, count, correct, n, every, share=True)
    asked = []
    monkeypatch.setattr(votes, "_HEAVY", 100**2)
    monkeypatch.setattr(
        votes,
        "win_by_transform",
        lambda *race, share: asked.append(race[-1]) or win_by_transform(*race, share=share),
    )
    heavy = votes.elect_by_plurality(problem, count, correct, n, every, share=True)
    assert heavy == pytest.approx(light, abs=TOLERANCE)
    assert {*asked} == {600, 1199}
