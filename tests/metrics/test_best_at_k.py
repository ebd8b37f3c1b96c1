"""best@k and max@k as the module reports them."""

import oracles
import pytest
from cases import for_each
from modules import BEST_AT_K, GRADES, every_config


def test_the_best_code_is_right():
    # Two working programs of quality 7 and 9, and one that does not work.
    result = BEST_AT_K.load("graded").compute(predictions=[[1, 1, 0]], scores=[[7, 9, 5]], k=3)
    assert result == {"best@3": 1.0, "max@3": 9.0}


def test_the_best_code_is_wrong_where_quality_alone_decides():
    result = BEST_AT_K.load("graded").compute(predictions=[[1, 1, 0]], scores=[[7, 9, 10]], k=3)
    assert result == {"best@3": 0.0, "max@3": 10.0}


@for_each(
    "options, share",
    [
        ({"select": "lexicographic"}, 1.0),  # function first, then quality
        ({"select": "weighted", "score_weights": [0.5, 0.5]}, 0.0),  # 4, 5 and 5.5
        ({"select": "weighted", "score_weights": [0.9, 0.1]}, 1.0),  # 1.6, 1.8 and 1.1
        ({"select": "pareto"}, 0.5),  # (1, 9) and (0, 11) are both undominated
    ],
)
def test_function_and_quality_as_two_dimensions(options, share):
    code = {"predictions": [[1, 1, 0]], "scores": [[[1, 7], [1, 9], [0, 11]]], "k": 3}
    assert BEST_AT_K.load("graded").compute(**code, **options)["best@3"] == share


@every_config
def test_equals_the_mean_over_all_subsets(config):
    scores = [[0.75, 0.5, 0.5, 0.5], [1.0, 4.0, -3.0, 4.0]]
    k = [1, 2, 3, 4]
    result = BEST_AT_K.compute(config, scores=scores, k=k)
    for draws in k:
        best = sum(oracles.best(*row, draws) for row in zip(scores, GRADES, strict=True)) / 2
        highest = sum(oracles.highest(row, draws) for row in scores) / 2
        # a dot product of four floats
        assert result[f"best@{draws}"] == pytest.approx(float(best), rel=1e-14)
        assert result[f"max@{draws}"] == pytest.approx(float(highest), rel=1e-14, abs=1e-14)


def test_ties_in_score_are_shared():
    module = BEST_AT_K.load("graded")
    for grades in ([1, 0, 0], [0, 1, 0]):
        assert module.compute(predictions=[grades], scores=[[5, 5, 1]], k=3) == {"best@3": 0.5, "max@3": 5.0}


def test_perplexity_is_better_low():
    result = BEST_AT_K.load("graded").compute(
        predictions=[[1, 0, 0]], scores=[[2.0, 8.0, 5.0]], k=[1, 3], higher_is_better=False
    )
    # max@k is then the expected lowest
    assert result == pytest.approx({"best@1": 1 / 3, "best@3": 1.0, "max@1": 5.0, "max@3": 2.0}, rel=1e-15)


def test_pareto_chooses_evenly_among_the_undominated():
    points, grades = [[1, 1], [2, 0], [0, 2], [0, 0]], [1, 0, 0, 1]
    k = [1, 2, 3, 4]
    result = BEST_AT_K.load("graded").compute(predictions=[grades], scores=[points], k=k, select="pareto")
    expected = {f"best@{draws}": float(oracles.pareto(points, grades, draws)) for draws in k}
    assert result == pytest.approx(expected, rel=1e-14)  # and no max@k, for which there is no single number


@for_each(
    "scores, options, error",
    [
        ([[[1, 2], [2, 1]]], {}, "`select` must say how scores of 2 dimensions are compared"),
        (
            [[[1, 2], [2, 1]]],
            {"select": "weighted"},
            "`score_weights` must be given for `select` 'weighted': 2 numbers",
        ),
        (
            [[[1, 2], [2, 1]]],
            {"select": "weighted", "score_weights": [1.0]},
            r"`score_weights` must be 2 .* got \[1.0\]",
        ),
        ([[[1, 2], [2, 1]]], {"select": "pareto", "score_weights": [1.0, 2.0]}, "`score_weights` goes with .*'pareto'"),
        ([[1, 2]], {"select": "best"}, "`select` must be one of 'weighted', 'lexicographic', 'pareto'; got 'best'"),
        ([[[1, 2], [2]]], {"select": "pareto"}, "`scores` .* got 1 in problem 0, sample 1, elsewhere 2"),
    ],
)
def test_scores_of_several_dimensions_need_a_rule(scores, options, error):
    with pytest.raises(ValueError, match=error):
        BEST_AT_K.load("graded").compute(predictions=[[1, 0]], scores=scores, k=2, **options)


@for_each("value", [1, "yes", None])
def test_higher_is_better_is_a_flag(value):
    with pytest.raises(TypeError, match=f"`higher_is_better` must be True or False; got {value!r}"):
        BEST_AT_K.compute(higher_is_better=value)


@pytest.mark.parametrize("missing", ["incorrect", "drop"])
def test_scores_follow_the_samples_that_are_left(missing, recwarn):
    result = BEST_AT_K.load().compute(
        predictions=[[None, "a", "b"]], references=["a"], scores=[[9.0, 5.0, 1.0]], k=2, missing=missing
    )
    # counted as wrong, the missing sample wins both pairs that it is in; dropped, it leaves the pair (5, 1)
    expected = {"incorrect": {"best@2": 1 / 3, "max@2": 23 / 3}, "drop": {"best@2": 1.0, "max@2": 5.0}}[missing]
    assert result == pytest.approx(expected, rel=1e-15)
    assert len(recwarn) == (missing == "drop")


def test_a_dropped_sample_needs_no_score():
    with pytest.warns(UserWarning, match="1 of 2 samples"):
        result = BEST_AT_K.load().compute(
            predictions=[[None, "a"]], references=["a"], scores=[[float("nan"), 5.0]], k=1, missing="drop"
        )
    assert result == {"best@1": 1.0, "max@1": 5.0}
