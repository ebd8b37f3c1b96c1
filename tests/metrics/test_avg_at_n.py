"""avg@n and accuracy as the module reports them."""

from fractions import Fraction

import pytest
from cases import for_each
from modules import AVG_AT_N, every_config

# Worked examples of https://github.com/AISBench/benchmark (accuracy metrics) are named after it.


def test_aisbench_four_problems():
    result = AVG_AT_N.load().compute(
        predictions=[["A", "A", "X"], ["B", "C", "B"], ["X", "X", "C"], ["X", "X", "X"]],
        references=["A", "B", "C", "D"],
    )
    # (2/3 + 2/3 + 1/3 + 0)/4, which AISBench prints as 0.4167
    assert result == pytest.approx({"avg@3": 5 / 12, "accuracy": 5 / 12}, rel=1e-15)


def test_aisbench_accuracy_and_average_differ_on_soft_grades():
    result = AVG_AT_N.load("graded").compute(predictions=[[0.6, 0.4, 0.6]])
    # the mean grade is 1.6/3, and two of three grades are above one half
    assert result == pytest.approx({"avg@3": 2 / 3, "accuracy": 8 / 15}, rel=1e-15)


@for_each(
    "predictions, references, share",
    [
        ([["A", "A", "B"], ["B", "B", "C"]], ["A", "B"], Fraction(2, 3)),
        ([["A", "B", "C"], ["A", "B", "C"]], ["A", "B"], Fraction(1, 3)),
        ([["A", "A", "A"], ["B", "B", "B"]], ["A", "C"], Fraction(1, 2)),
    ],
)
def test_aisbench_scenarios(predictions, references, share):
    result = AVG_AT_N.load().compute(predictions=predictions, references=references)
    assert result == {"avg@3": float(share), "accuracy": float(share)}


def test_one_right_answer_in_three():
    result = AVG_AT_N.load().compute(predictions=[["no", "yes", "no"], ["no"] * 3], references=["yes"] * 2)
    assert result == {"avg@3": 1 / 6, "accuracy": 1 / 6}


def test_models_that_pass_and_average_rank_differently():
    rarely = [[1, 1] + [0] * 8] + 8 * [[1] + [0] * 9] + [[0] * 10]
    always = 5 * [[1] * 10] + 5 * [[0] * 10]
    module = AVG_AT_N.load("graded")
    assert module.compute(predictions=rarely)["avg@10"] == pytest.approx(0.1, rel=1e-15)
    assert module.compute(predictions=always)["avg@10"] == 0.5


@every_config
def test_grades_of_zero_and_one_have_one_average(config):
    assert AVG_AT_N.compute(config) == {"avg@4": 0.5, "accuracy": 0.5}  # (3/4 + 1/4)/2


def test_problems_weigh_the_same_however_many_samples_they_have():
    result = AVG_AT_N.load("graded").compute(predictions=[[1], [1, 0, 0, 0]])
    assert result == {"avg@n": 0.625, "accuracy": 0.625}  # (1 + 1/4)/2, and not 2/5


def test_the_key_says_n_where_problems_have_different_numbers_of_samples():
    module = AVG_AT_N.load("graded")
    assert list(module.compute(predictions=[[1, 0], [1, 1]])) == ["avg@2", "accuracy"]
    assert list(module.compute(predictions=[[1, 0], [1]])) == ["avg@n", "accuracy"]


def test_the_key_counts_the_samples_that_are_left():
    module = AVG_AT_N.load("graded")
    with pytest.warns(UserWarning, match="2 of 5 samples"):
        result = module.compute(predictions=[[1, None], [None, 1, 0]], missing="drop")
    assert result == {"avg@n": 0.75, "accuracy": 0.75}


def test_the_threshold_moves_the_average_and_not_the_accuracy():
    graded = {"predictions": [[0.5, 0.75, 1.0, 0.25]]}
    module = AVG_AT_N.load("graded")
    assert module.compute(**graded) == {"avg@4": 0.5, "accuracy": 0.625}  # 0.5 itself is not correct
    assert module.compute(**graded, threshold=0.25) == {"avg@4": 0.75, "accuracy": 0.625}
    assert module.compute(**graded, threshold=1.0) == {"avg@4": 0.0, "accuracy": 0.625}


def test_a_checker_may_grade():
    result = AVG_AT_N.load().compute(
        predictions=[["abcd", "abcx", "xxxx"]],
        references=["abcd"],
        check_correct_fn=lambda pred, ref: sum(p == r for p, r in zip(pred, ref, strict=True)) / 4,
    )
    assert result == pytest.approx({"avg@3": 2 / 3, "accuracy": 1.75 / 3}, rel=1e-15)
