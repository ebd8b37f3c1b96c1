"""What the modules make of columns: nothing is cast silently, and forms do not matter.

Forms are read in one place for all modules, and tested there: `tests/test_columns.py`, `tests/test_arrow.py`.
"""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from cases import for_each
from datasets import Dataset
from modules import ANSWERS, AVG_AT_N, CONS_AT_K, GRADES, REFERENCES, SCORES, every_module

RAGGED_ANSWERS = [["a", "b", "a"], ["c"]]
RAGGED_GRADES = [[1, 0, 1], [0]]
RAGGED_SCORES = [[3.0, 2.0, 1.0], [5.0]]


def to_arrow(rows):
    return pa.chunked_array([pa.array(rows[:1]), pa.array(rows[1:])])


def to_numpy_of_a_dataset(rows):
    return Dataset.from_dict({"column": rows}).with_format("numpy")[:]["column"]


in_two_forms = for_each("form", [to_arrow, to_numpy_of_a_dataset])


@every_module
@in_two_forms
def test_columns_in_two_forms(module, form):
    columns = module.only({"predictions": form(ANSWERS), "references": form(REFERENCES), "scores": form(SCORES)})
    assert module.load().compute(**columns, k=[1, 2]) == module.compute(k=[1, 2])
    assert module.compute(references=form([["x", "a"], ["c", "y"]])) == module.compute()
    graded = module.only({"predictions": form(GRADES), "scores": form(SCORES)})
    assert module.load("graded").compute(**graded, k=[1, 2]) == module.compute("graded", k=[1, 2])

    plain = module.only({"predictions": RAGGED_ANSWERS, "references": ["a", "x"], "scores": RAGGED_SCORES})
    formed = {name: form(column) for name, column in plain.items()}
    assert module.load().compute(**formed) == module.load().compute(**plain)
    plain = module.only({"predictions": RAGGED_GRADES, "scores": RAGGED_SCORES})
    formed = {name: form(column) for name, column in plain.items()}
    assert module.load("graded").compute(**formed) == module.load("graded").compute(**plain)


@in_two_forms
def test_weights_in_two_forms(form):
    weights = [[3.0, 1.0, 1.0, 1.0], [4.0, 1.0, 1.0, 1.0]]
    assert CONS_AT_K.compute(weights=form(weights), k=4) == {"cons@4": 1.0}
    assert CONS_AT_K.compute(k=4) == {"cons@4": 0.5}


@for_each("form", [list, to_arrow, np.array])
def test_missing_samples_in_any_form(form):
    answers, grades = [["a", None], ["c", "c"]], [[1.0, None], [1.0, 1.0]]
    if form is np.array:
        grades = [[1.0, np.nan], [1.0, 1.0]]
    result = {"avg@2": 0.75, "accuracy": 0.75}
    assert AVG_AT_N.load().compute(predictions=form(answers), references=REFERENCES, missing="incorrect") == result
    assert AVG_AT_N.load("graded").compute(predictions=form(grades), missing="incorrect") == result


def test_a_half_among_bools_stays_a_half():
    for rows in ([[True, 0.5, False]], [[0.5, True, False]], ((True, False, 0.5),)):
        assert AVG_AT_N.load("graded").compute(predictions=rows) == {"avg@3": 1 / 3, "accuracy": 0.5}


@every_module
@for_each("row", [["a", "a", 3], [3, "a", "a"], ["a", 3.0, "a"], ["a", True, "a"], ["a", ["a"], "a"]])
def test_nothing_is_cast_to_text(module, row):
    columns = module.only({"predictions": [["a"] * 3, row], "references": ["a", "3"], "scores": [[1.0] * 3] * 2})
    with pytest.raises(TypeError, match=r"`predictions` must hold strings; got .* in problem 1, sample"):
        module.load().compute(**columns)


@every_module
@for_each("grade", ["1", "", b"1", 1j, [1], Fraction(1, 2)])
def test_nothing_is_cast_to_a_grade(module, grade):
    columns = module.only({"predictions": [[1, 0, 1], [1, 0, grade]], "scores": [[1.0] * 3] * 2})
    with pytest.raises(TypeError, match=r"`predictions` must hold numbers; got .* in problem 1, sample 2"):
        module.load("graded").compute(**columns)


@every_module
@in_two_forms
def test_a_column_of_the_other_kind_is_refused(module, form):
    columns = module.only({"predictions": form(GRADES), "references": REFERENCES, "scores": SCORES})
    with pytest.raises(TypeError, match="`predictions` must hold strings; got 1 of type int in problem 0, sample 0"):
        module.load().compute(**columns)
    columns = module.only({"predictions": form(ANSWERS), "scores": SCORES})
    with pytest.raises(TypeError, match="`predictions` must hold numbers; got 'a' of type str in problem 0, sample 0"):
        module.load("graded").compute(**columns)


@every_module
def test_the_input_is_left_as_it_was(module):
    grades, scores = np.array(GRADES, dtype=float), np.array(SCORES)
    module.load("graded").compute(**module.only({"predictions": grades, "scores": scores}), k=2)
    assert grades.tolist() == GRADES
    assert scores.tolist() == SCORES
