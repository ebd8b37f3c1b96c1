"""Large votes, against integers, and against what must be true of all answers of a vote together."""

import numpy as np
import oracles
import pytest
from cases import for_each

from at_k.combinatorics import win_by_transform
from at_k.estimators import votes

# What the module promises; the errors of these votes are below 1e-12.
TOLERANCE = 1e-11


def exact(counts, silent, k, ties):
    """P(the first answer wins), by counting subsets in integers."""
    classes = [(answer, answer == 0, 1, size) for answer, size in enumerate(counts)]
    return float(oracles.cons_of_classes(([(None, False, 1, silent)] if silent else []) + classes, k, ties))


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
    for k in every:
        found = win_by_transform(n, counts[0], rivals, k, share=ties == "random")
        assert found == pytest.approx(exact(counts, silent, k, ties), abs=TOLERANCE), k


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
            np.zeros(len(counts), dtype=np.int64), counts, flags, np.array([1000]), every, share=share
        )
        found = [win_by_transform(1000, int(counts[place]), rivals, k, share=share) for k in every]
        assert found == pytest.approx(by_products[0], abs=TOLERANCE)


@pytest.mark.parametrize(("n", "answers", "k"), [(2000, 600, 1000), (20_000, 2, 10_000), (5000, 5, 4999)])
def test_one_of_all_answers_wins(n, answers, k):
    """The chances of all answers add up to 1 for every n, if every sample votes and ties are shared."""
    counts = draw_counts(n, answers)
    counts = counts[counts > 0]
    sizes, times = np.unique(counts, return_counts=True)
    chances = [
        win_by_transform(n, int(size), np.delete(counts, np.argmax(counts == size)), k, share=True) for size in sizes
    ]
    assert times @ chances == pytest.approx(1, abs=TOLERANCE)
    assert chances == sorted(chances)


def test_heavy_votes_take_transforms(monkeypatch):
    """For every k and each problem for itself: beside a light one, and with two correct answers."""
    problem, count = np.array([0, 0, 0, 1, 1]), np.array([500, 400, 300, 2, 1])
    correct, n, every = np.array([False, True, True, True, False]), np.array([1200, 1200]), [1, 2, 60, 600, 1199, 1200]
    light = votes.elect_by_plurality(problem, count, correct, n, every, share=True)
    asked = []
    monkeypatch.setattr(votes, "_HEAVY", 100**2)
    monkeypatch.setattr(
        votes, "win_by_transform", lambda *race, share: asked.append(race[-1]) or win_by_transform(*race, share=share)
    )
    heavy = votes.elect_by_plurality(problem, count, correct, n, every, share=True)
    assert heavy == pytest.approx(light, abs=TOLERANCE)
    assert {*asked} == {600, 1199}
