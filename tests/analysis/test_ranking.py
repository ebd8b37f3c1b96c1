"""Rankings, by hand and against the pairs that they are made of."""

import numpy as np
import pytest
from cases import for_each

from at_k.analysis.ranking import rank
from at_k.uncertainty.comparison import compare_columns, compare_values

EASY = np.linspace(0.3, 0.7, 40)


def rank_values(values, key="pass@1", **options):
    """Rank models by their values of one number."""
    return rank({name: {key: dict(enumerate(map(float, own)))} for name, own in values.items()}, metrics=key, **options)


def test_models_that_cannot_be_told_apart_share_a_tier():
    noise = np.random.default_rng(0).normal(0, 0.05, size=(3, 40))
    ranking = rank_values({"C": EASY - 0.2 + noise[0], "A": EASY + noise[1], "B": EASY + 0.001 + noise[2]})
    assert ranking.order in ("A, B > C", "B, A > C")
    assert ranking.tiers[1] == ("C",)
    assert ranking.ranks == {"A": (1, 2), "B": (1, 2), "C": (3, 3)}
    assert list(ranking.values) == list(ranking.names)


def test_a_chain_in_which_only_the_ends_differ_is_one_tier():
    """A is better than C, but B could be equal to either: no line separates them."""
    noise = np.random.default_rng(1).normal(0, 0.1, size=(3, 40))
    noise -= noise.mean(axis=1, keepdims=True)
    ranking = rank_values({name: EASY + shift + noise[i] for i, (name, shift) in enumerate(
        {"A": 0.03, "B": 0.0, "C": -0.03}.items())})  # fmt: skip
    better = {pair for pair, p_value in ranking.p_values.items() if p_value <= 0.05}
    assert better == {("A", "C")}
    assert ranking.tiers == (("A", "B", "C"),)
    assert ranking.ranks == {"A": (1, 2), "B": (1, 3), "C": (2, 3)}


def test_pairs_are_compared_as_two_models_are():
    values = dict(zip("ABCD", np.random.default_rng(2).random((4, 30)), strict=True))
    ranking = rank_values(values, seed=3)
    assert len(ranking.pairs) == 6
    for (a, b), found in ranking.pairs.items():
        alone = compare_values(values[a], values[b], seed=3)
        assert found.p_value == alone.p_value
        assert found.low < alone.low < alone.high < found.high  # those of six pairs hold together
        assert (found.better is not None) == (found.low > 0)
        assert found.difference >= 0


def test_p_values_of_all_pairs_are_adjusted_together():
    """As those of six numbers of two models with the same differences."""
    values = dict(zip("ABCD", np.random.default_rng(2).random((4, 30)), strict=True))
    ranking = rank_values(values, key="max@1", seed=3)
    pairs = [(values[a], values[b]) for a, b in ranking.pairs]
    adjusted = [each.p_adjusted for each in compare_columns(pairs, [False] * 6, seed=3)]
    assert list(ranking.p_values.values()) == pytest.approx(adjusted, rel=1e-12)


@for_each("others", [2, 39])
def test_a_perfect_model_is_found_among_many_that_solve_nothing(others):
    """Holm over 780 pairs made p = .078 of the least p-value, and no tier of it."""
    values = {f"nothing {i}": np.zeros(60) for i in range(others)} | {"perfect": np.ones(60)}
    ranking = rank_values(values)
    assert ranking.tiers[0] == ("perfect",)
    assert ranking.ranks["perfect"] == (1, 1)
    assert ranking.ranks["nothing 0"] == (2, others + 1)


def test_equal_models_stay_in_the_order_given():
    ranking = rank_values({"second": [1, 0], "first": [1, 0]})
    assert ranking.names == ("second", "first")
    assert ranking.order == "second, first"
