"""cons@k as the module reports it."""

import oracles
import pytest
from cases import for_each
from modules import CONS_AT_K, GRADES

# Worked examples of https://github.com/AISBench/benchmark (accuracy metrics) are named after it.

FOUR_PROBLEMS = {
    "predictions": [["A", "A", "X"], ["B", "C", "B"], ["X", "X", "C"], ["X", "X", "X"]],
    "references": ["A", "B", "C", "D"],
}


def test_aisbench_four_problems():
    assert CONS_AT_K.load().compute(**FOUR_PROBLEMS, k=3) == {"cons@3": 0.5}


def test_aisbench_four_problems_as_grades():
    grades = [[1, 1, 0], [1, 0, 1], [0, 0, 1], [0, 0, 0]]
    assert CONS_AT_K.load("graded").compute(predictions=grades, k=3) == {"cons@3": 0.5}


@for_each(
    "predictions, references, consensus",
    [
        ([["A", "A", "B"], ["B", "B", "C"]], ["A", "B"], 1.0),
        ([["A", "B", "C"], ["A", "B", "C"]], ["A", "B"], 0.0),
        ([["A", "A", "A"], ["B", "B", "B"]], ["A", "C"], 0.5),
    ],
)
def test_aisbench_scenarios_with_a_strict_majority(predictions, references, consensus):
    result = CONS_AT_K.load().compute(predictions=predictions, references=references, k=3, ties="strict")
    assert result == {"cons@3": consensus}


def test_five_votes_for_two_questions():
    # "42" wins the first vote three to two; "A" and "B" tie in the second, and neither is right.
    votes = {"predictions": [["42", "42", "43", "42", "43"], ["A", "B", "C", "A", "B"]], "references": ["42", "D"]}
    for ties in ("random", "first", "strict", "incorrect"):
        assert CONS_AT_K.load().compute(**votes, k=5, ties=ties) == {"cons@5": 0.5}


@for_each("ties, elected", [("random", 1 / 2), ("first", 1.0), ("strict", 0.0), ("incorrect", 0.0)])
def test_a_tie_of_two_with_one_right(ties, elected):
    votes = {"predictions": [["A", "B", "C", "A", "B"]], "references": ["A"]}
    assert CONS_AT_K.load().compute(**votes, k=5, ties=ties) == {"cons@5": elected}


def test_a_plurality_wins_without_a_majority():
    votes = {"predictions": [["A", "A", "B", "C", "D"]], "references": ["A"], "k": 5}
    module = CONS_AT_K.load()
    assert module.compute(**votes) == {"cons@5": 1.0}
    assert module.compute(**votes, ties="strict") == {"cons@5": 0.0}


def test_the_first_of_tied_answers_wins_only_where_the_order_is_known():
    module = CONS_AT_K.load()
    for predictions, last in ((["7", "9", "9", "7"], 1.0), (["9", "7", "7", "9"], 0.0)):
        result = module.compute(predictions=[predictions], references=["7"], k=[2, 4], ties="first")
        assert result == {"cons@2": pytest.approx(0.5, rel=1e-15), "cons@4": last}


@for_each("ties", oracles.TIES)
def test_equals_the_mean_over_all_subsets(ties):
    answers = [["a", "b", "a", "c", "b", "b", "a"], ["a", "c", None, "c", "a", None, "d"]]
    k = [1, 2, 3, 5, 7]
    result = CONS_AT_K.load().compute(predictions=answers, references=["a", "a"], k=k, ties=ties, missing="incorrect")
    for draws in k:
        exact = sum(oracles.cons(row, [answer == "a" for answer in row], draws, ties) for row in answers) / 2
        assert result[f"cons@{draws}"] == pytest.approx(float(exact), rel=1e-13)  # sums of a few floats


def test_grades_need_more_than_half_of_the_draws():
    k = [1, 2, 3, 4]
    result = CONS_AT_K.load("graded").compute(predictions=GRADES, k=k)
    for draws in k:
        exact = sum(oracles.majority(oracles.correct_drawn(4, sum(row), draws)) for row in GRADES) / 2
        assert result[f"cons@{draws}"] == pytest.approx(float(exact), rel=1e-15)


def test_a_missing_answer_casts_no_vote_but_uses_up_its_draw():
    votes = {"predictions": [["A", None, None]], "references": ["A"], "missing": "incorrect"}
    module = CONS_AT_K.load()
    # one of three draws is the vote; of the pairs two hold it; all three samples elect it without a majority
    assert module.compute(**votes, k=[1, 2, 3]) == pytest.approx({"cons@1": 1 / 3, "cons@2": 2 / 3, "cons@3": 1.0})
    assert module.compute(**votes, k=3, ties="strict") == {"cons@3": 0.0}


def test_nobody_votes():
    module = CONS_AT_K.load()
    silent = {"predictions": [[None, None], ["A", "A"]], "references": ["A", "A"]}
    assert module.compute(**silent, k=2, missing="incorrect") == {"cons@2": 0.5}


def test_weights_decide():
    votes = {"predictions": [["A", "B", "B"]], "references": ["A"], "k": 3}
    module = CONS_AT_K.load()
    assert module.compute(**votes) == {"cons@3": 0.0}
    assert module.compute(**votes, weights=[[0.9, 0.4, 0.4]]) == {"cons@3": 1.0}
    assert module.compute(**votes, weights=[[0.3, 0.1, 0.2]]) == {"cons@3": 0.5}  # a tie of the decimals
    assert module.compute(**votes, weights=[[5, 5, 5]]) == {"cons@3": 0.0}


@for_each("ties", oracles.TIES)
def test_weights_of_fewer_draws_are_enumerated(ties):
    answers, weights = ["A", "B", "B", "C", "A"], [3, 2, 2, 4, 1]
    votes = {"predictions": [answers], "references": ["A"], "weights": [weights]}
    result = CONS_AT_K.load().compute(**votes, k=[2, 3, 4, 5], ties=ties)
    for draws in (2, 3, 4, 5):
        exact = oracles.cons(answers, [answer == "A" for answer in answers], draws, ties, weights)
        assert result[f"cons@{draws}"] == pytest.approx(float(exact), rel=1e-13)  # a mean of a few floats


def test_a_simulated_value_reports_its_standard_error():
    # C(40, 20) subsets are too many to enumerate. One sample outweighs all others: it wins whenever it is drawn, in
    # half of all subsets. Without it, "B" does.
    votes = {"predictions": [["A"] + ["B"] * 39], "references": ["A"], "weights": [[100.0] + [1.0] * 39], "k": 20}
    module = CONS_AT_K.load(seed=3)
    result = module.compute(**votes)
    assert list(result) == ["cons@20", "cons@20_mcse"]
    assert 0 < result["cons@20_mcse"] < 0.01
    assert abs(result["cons@20"] - 0.5) < 5 * result["cons@20_mcse"]
    assert result == module.compute(**votes)  # seeded
    assert result != CONS_AT_K.load(seed=4).compute(**votes)


def test_weights_follow_the_samples_that_are_left():
    module = CONS_AT_K.load()
    with pytest.warns(UserWarning, match="1 of 4 samples"):
        result = module.compute(
            predictions=[[None, "A", "B", "B"]], references=["A"], k=3, weights=[[9, 3, 1, 1]], missing="drop"
        )
    assert result == {"cons@3": 1.0}


def test_weights_need_answers():
    with pytest.raises(
        ValueError, match="`weights` must not be given without answers, as in the configuration 'graded'"
    ):
        CONS_AT_K.compute("graded", weights=[[1] * 4] * 2)
