"""pass@k as the module reports it."""

import oracles
import pytest
from modules import GRADES, PASS_AT_K, every_config

# Worked examples of https://github.com/AISBench/benchmark (accuracy metrics) are named after it.


def test_aisbench_three_right_of_five():
    # 1 − C(2, 2)/C(5, 2) = 1 − 1/10
    assert PASS_AT_K.load("graded").compute(predictions=[[1, 1, 1, 0, 0]], k=2) == {"pass@2": 0.9}


def test_aisbench_twenty_right_of_a_hundred():
    assert PASS_AT_K.load("graded").compute(predictions=[[1] * 20 + [0] * 80], k=1) == {"pass@1": 0.2}


def test_aisbench_four_problems():
    result = PASS_AT_K.load().compute(
        predictions=[["A", "A", "X"], ["B", "C", "B"], ["X", "X", "C"], ["X", "X", "X"]],
        references=["A", "B", "C", "D"],
        k=3,
    )
    assert result == {"pass@3": 0.75}


def test_one_right_answer_in_three_is_enough():
    result = PASS_AT_K.load().compute(predictions=[["no", "yes", "no"], ["no"] * 3], references=["yes"] * 2, k=3)
    assert result == {"pass@3": 0.5}


def test_the_thirty_second_attempt():
    module = PASS_AT_K.load("graded")
    assert module.compute(predictions=[[0] * 31 + [1]], k=[1, 32]) == {"pass@1": 1 / 32, "pass@32": 1.0}


def test_fewer_wrong_samples_than_draws_is_certain():
    # where n − c < k the estimator of code_eval and HumanEval is 1
    assert PASS_AT_K.load("graded").compute(predictions=[[0, 1, 1]], k=2) == {"pass@2": 1.0}


def test_models_that_pass_and_average_rank_differently():
    # Model A: nine of ten problems are solved once in a while; model B: half of the problems always.
    rarely = [[1, 1] + [0] * 8] + 8 * [[1] + [0] * 9] + [[0] * 10]
    always = 5 * [[1] * 10] + 5 * [[0] * 10]
    module = PASS_AT_K.load("graded")
    assert module.compute(predictions=rarely, k=[1, 10]) == pytest.approx({"pass@1": 0.1, "pass@10": 0.9}, rel=1e-15)
    assert module.compute(predictions=always, k=[1, 10]) == {"pass@1": 0.5, "pass@10": 0.5}


@every_config
def test_equals_the_mean_over_all_subsets(config):
    k = [1, 2, 3, 4]
    result = PASS_AT_K.compute(config, k=k)
    for draws in k:
        exact = sum(oracles.tail(oracles.correct_drawn(4, sum(row), draws), 1) for row in GRADES) / 2
        assert result[f"pass@{draws}"] == pytest.approx(float(exact), rel=1e-15)
