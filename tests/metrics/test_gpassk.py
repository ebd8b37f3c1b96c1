"""G-Pass@k and mG-Pass@k as the module reports them."""

import oracles
import pytest
from cases import for_each
from modules import GPASSK, GRADES, every_config


def test_example_of_the_published_metric_card():
    # The card of https://github.com/open-compass/GPassK; 7 of 16 samples are right.
    result = GPASSK.load().compute(
        predictions=[["a", "b", "a", "a", "b", "a", "b", "c", "a", "c", "b", "a", "a", "b", "a", "b"]],
        references=["a"],
        k=[4, 8],
        check_correct_fn=lambda pred, ref: pred == ref,
    )
    card = {
        "G-Pass@4_0.25": 0.9615384615384616,
        "G-Pass@4_0.5": 0.7153846153846154,
        "G-Pass@4_0.75": 0.2846153846153846,
        "G-Pass@4_1.0": 0.038461538461538464,
        "G-Pass@8_0.25": 0.9949494949494949,
        "G-Pass@8_0.5": 0.6903651903651904,
        "G-Pass@8_0.75": 0.06596736596736597,
        "G-Pass@8_1.0": 7.77000777000777e-05,
        "mG-Pass@4": 0.16153846153846152,
        "mG-Pass@8": 0.09518259518259518,
    }
    assert list(result) == list(card)
    assert result == pytest.approx(card, rel=0, abs=1e-12)  # the card sums floats


@every_config
def test_equals_the_mean_over_all_subsets(config):
    k, taus = [1, 2, 3, 4], [0.0, 0.3, 0.5, 1.0]
    result = GPASSK.compute(config, k=k, thresholds=taus)
    for draws in k:
        ways = [oracles.correct_drawn(4, sum(row), draws) for row in GRADES]
        for tau in taus:
            exact = sum(oracles.tail(way, oracles.needed(tau, draws)) for way in ways) / 2
            assert result[f"G-Pass@{draws}_{tau}"] == pytest.approx(float(exact), rel=1e-15)
        assert result[f"mG-Pass@{draws}"] == pytest.approx(float(sum(map(oracles.mg_pass, ways)) / 2), rel=1e-15)


def test_keys_come_by_k_then_tau_and_the_means_last():
    result = GPASSK.compute(k=[4, 2], thresholds=[1.0, 0.5])
    assert list(result) == ["G-Pass@4_1.0", "G-Pass@4_0.5", "G-Pass@2_1.0", "G-Pass@2_0.5", "mG-Pass@4", "mG-Pass@2"]


def test_a_threshold_is_printed_as_python_prints_the_float():
    keys = list(GPASSK.compute(k=2, thresholds=[0, 0.07, 1 / 3, 1]))
    assert keys == ["G-Pass@2_0.0", "G-Pass@2_0.07", "G-Pass@2_0.3333333333333333", "G-Pass@2_1.0", "mG-Pass@2"]


def test_one_threshold_needs_no_list():
    assert GPASSK.compute(k=2, thresholds=0.5) == GPASSK.compute(k=2, thresholds=[0.5])


def test_defaults_are_those_of_the_card():
    sixteen = [["a"] * 7 + ["b"] * 9]
    result = GPASSK.load().compute(predictions=sixteen, references=["a"])
    assert list(result) == GPASSK.keys(k=(4, 8, 16), taus=(0.25, 0.5, 0.75, 1.0))


@for_each("k, largest", [(1, 0), (2, 1), (3, 2 / 3), (4, 1), (5, 4 / 5)])
def test_the_published_mean_of_a_perfect_model_is_below_one_for_odd_k(k, largest):
    result = GPASSK.load("graded").compute(predictions=[[1] * 5], k=k)
    assert result[f"mG-Pass@{k}"] == pytest.approx(largest, rel=1e-15)


def test_tau_zero_asks_for_one_right_sample():
    result = GPASSK.load("graded").compute(predictions=[[0, 0], [0, 1]], k=2, thresholds=0.0)
    assert result["G-Pass@2_0.0"] == 0.5
