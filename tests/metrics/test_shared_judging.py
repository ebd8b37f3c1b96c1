"""Which samples are right: checkers, references, white space, missing samples."""

from collections import Counter

import numpy as np
import pytest
from cases import for_each
from modules import AVG_AT_N, BEST_AT_K, CONS_AT_K, PASS_AT_K, every_module

PREDICTIONS = [["a", "b", "a", "a"], ["c", "a", "c", "d"], ["b", "b", "b", "b"]]
SCORES = [[1.0, 2.0, 3.0, 4.0]] * 3


def same(prediction, reference):
    return prediction == reference


def judged(module, references, **options):
    columns = module.only({"predictions": PREDICTIONS, "references": references, "scores": SCORES})
    return module.load().compute(**columns, k=2, **options)


class Recorder:
    """A checker that remembers its calls."""

    def __init__(self):
        self.calls = Counter()

    def __call__(self, prediction, reference):
        assert type(prediction) is type(reference) is str
        self.calls[prediction, reference] += 1
        return prediction == reference


@every_module
def test_a_checker_is_called_once_for_each_answer_and_reference_of_a_problem(module):
    recorder = Recorder()
    judged(module, [["a", "x"], ["c", "y", "c"], "b"], check_correct_fn=recorder)
    pairs = [("a", "a"), ("b", "a"), ("a", "x"), ("b", "x")]
    pairs += [("c", "c"), ("a", "c"), ("d", "c"), ("c", "y"), ("a", "y"), ("d", "y"), ("b", "b")]
    assert recorder.calls == Counter(pairs)


@every_module
def test_a_pair_is_judged_once_for_all_problems(module):
    recorder = Recorder()
    columns = module.only({"predictions": [["a", "a"]] * 3, "references": ["a"] * 3, "scores": [[1.0, 2.0]] * 3})
    module.load().compute(**columns, k=2, check_correct_fn=recorder)
    assert recorder.calls == {("a", "a"): 1}


@every_module
def test_an_answer_is_given_to_the_checker_as_it_is(module):
    recorder = Recorder()
    columns = module.only({"predictions": [[" a", "a", "a "]], "references": [" a"], "scores": [[1.0, 2.0, 3.0]]})
    module.load().compute(**columns, k=2, check_correct_fn=recorder)
    assert recorder.calls == Counter([(" a", " a"), ("a", " a"), ("a ", " a")])


@every_module
def test_a_missing_answer_is_not_given_to_the_checker(module):
    recorder = Recorder()
    columns = module.only({"predictions": [[None, "a", None]], "references": ["a"], "scores": [[1.0, 2.0, 3.0]]})
    module.load().compute(**columns, k=2, check_correct_fn=recorder, missing="incorrect")
    assert recorder.calls == {("a", "a"): 1}


@every_module
def test_a_checker_sees_numpy_strings_as_strings(module):
    columns = module.only({"predictions": [[np.str_("a"), "b"]], "references": [np.str_("a")], "scores": [[1.0, 2.0]]})
    module.load().compute(**columns, k=2, check_correct_fn=Recorder())  # which asserts that they are


@every_module
def test_a_fault_in_the_options_is_found_before_anything_is_judged(module):
    recorder = Recorder()
    fixed = {"target": "problem_set", "confidence_level": 0.95}
    for options in (
        {"groups": ["x"]},
        {"clusters": ["x"]},
        {"clusters": ["x", "y", "x"], **fixed},
        {"ci_method": "bootstrap", **fixed},
        {"confidence_level": 2},
        {"target": "sample"},
        {"key_style": "bare"},
        {"missing": "skip"},
        {"threshold": 2},
    ):
        with pytest.raises(ValueError, match=f"`{next(iter(options))}`"):
            judged(module, ["a", "c", "b"], check_correct_fn=recorder, **options)
    assert not recorder.calls


@every_module
def test_any_of_several_references_will_do(module):
    assert judged(module, [["x", "a"], ["c", "d"], ("b",)]) == judged(module, [["a"], ["d", "c"], ["b"]])
    graded = module.load("graded").compute(
        **module.only({"predictions": [[1, 0, 1, 1], [1, 0, 1, 1], [1, 1, 1, 1]], "scores": SCORES}), k=2
    )
    if module is not CONS_AT_K:  # a vote needs the answers
        assert judged(module, [["x", "a"], ["c", "d"], "b"]) == graded


def test_right_answers_do_not_vote_as_one():
    # "c" and "d" are both right, and yet two answers: three votes of "a" beat two and two
    votes = {"predictions": [["a", "a", "a", "c", "c", "d", "d"]], "references": [["c", "d"]]}
    assert CONS_AT_K.load().compute(**votes, k=7) == {"cons@7": 0.0}


def test_the_best_grade_against_several_references_counts():
    table = {("a", "x"): 0.25, ("a", "y"): 0.75, ("b", "x"): 0.5, ("b", "y"): 0.0}
    result = AVG_AT_N.load().compute(
        predictions=[["a", "b"]], references=[["x", "y"]], check_correct_fn=lambda *pair: table[pair]
    )
    assert result == {"avg@2": 0.5, "accuracy": 0.625}


@every_module
def test_exact_match_strips_white_space(module):
    bare = module.load().compute(
        **module.only({"predictions": [["a", "a", "b", "A"]], "references": ["a"], "scores": [[1, 2, 3, 4]]}),
        k=[1, 2, 4],
    )
    padded = {"predictions": [[" a", "a\n", "\tb ", "A"]], "references": ["a  "], "scores": [[1, 2, 3, 4]]}
    assert module.load().compute(**module.only(padded), k=[1, 2, 4]) == bare


def test_answers_that_differ_in_white_space_vote_together():
    votes = {"predictions": [["7", " 7", "9\n", "7 ", "9", " 9 ", "9"]], "references": ["9"]}
    assert CONS_AT_K.load().compute(**votes, k=7) == {"cons@7": 1.0}


@for_each("prediction, reference", [("A", "a"), ("1.0", "1"), ("a b", "ab"), ("", "a"), ("½", "0.5"), ("é", "e\u0301")])
def test_exact_match_forgives_nothing_else(prediction, reference):
    result = PASS_AT_K.load().compute(predictions=[[prediction]], references=[reference], k=1)
    assert result == {"pass@1": 0.0}


def test_an_empty_answer_is_an_answer():
    assert PASS_AT_K.load().compute(predictions=[["", "  "]], references=[""], k=1) == {"pass@1": 1.0}


@every_module
def test_exact_match_is_the_default_and_has_a_name(module):
    references = ["a", "c", "b"]
    assert judged(module, references) == judged(module, references, check_correct_fn="exact_match")
    assert judged(module, references) == judged(module, references, check_correct_fn=same)


@for_each("value", [True, np.bool_(True), 1, 1.0, np.float32(1), np.int8(1)])
def test_what_a_checker_may_return(value):
    assert AVG_AT_N.compute(check_correct_fn=lambda *_: value) == {"avg@4": 1.0, "accuracy": 1.0}


@for_each("grade, right", [(0.5, 0.0), (0.51, 1.0), (0.0, 0.0)])
def test_a_checker_may_return_a_grade(grade, right):
    result = AVG_AT_N.compute(check_correct_fn=lambda *_: grade)
    assert result == pytest.approx({"avg@4": right, "accuracy": grade}, rel=1e-15)


@every_module
def test_missing_says_what_a_missing_answer_is(module):
    columns = module.only({"predictions": [["a", None], ["a", "a"]], "references": ["a", "a"], "scores": [[1, 2]] * 2})
    counted = module.load().compute(**columns, k=1, missing="incorrect")
    with pytest.warns(UserWarning, match="missing='drop' left out 1 of 4 samples, in 1 of 2 problems"):
        dropped = module.load().compute(**columns, k=1, missing="drop")
    assert next(iter(counted.values())) == 0.75
    assert next(iter(dropped.values())) == 1.0


@every_module
def test_dropping_may_leave_too_few_samples(module):
    columns = module.only({"predictions": [["a", None], ["a", "a"]], "references": ["a", "a"], "scores": [[1, 2]] * 2})
    if module.takes_k:
        with (
            pytest.warns(UserWarning, match="left out 1 of 4"),
            pytest.raises(ValueError, match=r"`k` .* got k=2, but the smallest n is 1, .* first in problem 0"),
        ):
            module.load().compute(**columns, k=2, missing="drop")
    with pytest.warns(UserWarning, match="left out 1 of 4"):
        result = module.load().compute(**columns, missing="drop")
    assert list(result) == module.keys(k=(1,), n="n")


@every_module
@for_each("missing", ["error", "incorrect", "drop"])
def test_nothing_is_said_where_nothing_is_missing(module, missing):
    assert module.compute(missing=missing) == module.compute()  # a warning would be an error


@pytest.mark.filterwarnings("ignore:missing='drop'")
def test_what_belongs_to_a_dropped_sample_is_not_looked_at():
    cons, best = CONS_AT_K.load(), BEST_AT_K.load()
    samples = {"predictions": [["a", None, "b"]], "references": ["a"], "missing": "drop"}
    assert cons.compute(**samples, weights=[[2, None, 1]], k=2) == {"cons@2": 1}
    assert best.compute(**samples, scores=[[2, None, 1]], k=2) == {"best@2": 1, "max@2": 2}
    with pytest.raises(ValueError, match="`weights` must be finite numbers; got None or NaN in problem 0, sample 2"):
        cons.compute(**samples, weights=[[2, None, None]], k=2)
    with pytest.raises(ValueError, match="`scores` must be finite numbers; got None or NaN in problem 0, sample 2"):
        best.compute(**samples, scores=[[2, None, None]], k=2)
