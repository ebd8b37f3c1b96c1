"""The forms in which columns may come give the same numbers, and nothing is cast silently."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from datasets import Dataset
from modules import ANSWERS, AVG_AT_N, CONS_AT_K, GRADES, REFERENCES, SCORES, every_module

RAGGED_ANSWERS = [["a", "b", "a"], ["c"]]
RAGGED_GRADES = [[1, 0, 1], [0]]
RAGGED_SCORES = [[3.0, 2.0, 1.0], [5.0]]


def dataset_column(style):
    def column(rows):
        return Dataset.from_dict({"column": rows}).with_format(style)["column"]

    return column


def formatted_rows(style):
    def rows_of(rows):
        return Dataset.from_dict({"column": rows}).with_format(style)[:]["column"]

    return rows_of


ANY_ROWS = {
    "lists": list,
    "tuples": lambda rows: tuple(map(tuple, rows)),
    "a list of arrays": lambda rows: list(map(np.array, rows)),
    "pandas series of lists": pd.Series,
    "pandas series of arrays": lambda rows: pd.Series(list(map(np.array, rows))),
    "pandas column": lambda rows: pd.DataFrame({"column": rows}, index=range(7, 7 + len(rows)))["column"],
    "arrow array": pa.array,
    "arrow chunks": lambda rows: pa.chunked_array([pa.array(rows[:1]), pa.array(rows[1:])]),
    "large arrow lists": lambda rows: pa.array(rows).cast(pa.large_list(pa.array(rows).type.value_type)),
    "arrow slice": lambda rows: pa.array([rows[-1], *rows])[1:],
    "dataset column": dataset_column(None),
    "dataset rows": formatted_rows(None),
    "numpy dataset column": dataset_column("numpy"),
    "numpy dataset rows": formatted_rows("numpy"),
    "pandas dataset column": dataset_column("pandas"),
    "arrow dataset column": dataset_column("arrow"),
    "arrow dataset rows": formatted_rows("arrow"),
}

RECTANGLES = {
    "2-D array": np.array,
    "2-D array of objects": lambda rows: np.array(rows, dtype=object),
    "transposed array": lambda rows: np.array(list(zip(*rows, strict=True))).T,
}

NUMBERS = {
    "int8": lambda rows: np.array(rows, dtype=np.int8),
    "float32": lambda rows: np.array(rows, dtype=np.float32),
    "bool": lambda rows: np.array(rows, dtype=bool),
    "lists of bools": lambda rows: [list(map(bool, row)) for row in rows],
    "lists of numpy bools": lambda rows: [list(map(np.bool_, row)) for row in rows],
    "lists of numpy floats": lambda rows: [list(map(np.float32, row)) for row in rows],
    "arrow bools": lambda rows: pa.array([list(map(bool, row)) for row in rows]),
}


def forms(*tables):
    return pytest.mark.parametrize(
        "form", [pytest.param(form, id=name) for table in tables for name, form in table.items()]
    )


@every_module
@forms(ANY_ROWS, RECTANGLES)
def test_answers_in_any_form(module, form):
    columns = {"predictions": form(ANSWERS), "references": REFERENCES, "scores": form(SCORES)}
    assert module.compute(**module.only(columns), k=[1, 2]) == module.compute(k=[1, 2])


@every_module
@forms(ANY_ROWS, RECTANGLES, NUMBERS)
def test_grades_in_any_form(module, form):
    assert module.compute("graded", predictions=form(GRADES), k=[1, 2]) == module.compute("graded", k=[1, 2])


@every_module
@forms(ANY_ROWS)
def test_ragged_columns_in_any_form(module, form):
    plain = {"predictions": RAGGED_ANSWERS, "references": ["a", "x"], "scores": RAGGED_SCORES}
    formed = {name: column if name == "references" else form(column) for name, column in plain.items()}
    assert module.load().compute(**module.only(formed)) == module.load().compute(**module.only(plain))

    plain = {"predictions": RAGGED_GRADES, "scores": RAGGED_SCORES}
    formed = {name: form(column) for name, column in plain.items()}
    assert module.load("graded").compute(**module.only(formed)) == module.load("graded").compute(**module.only(plain))


@every_module
@pytest.mark.parametrize(
    "form",
    [tuple, np.array, pd.Series, pa.array, dataset_column(None), dataset_column("numpy"), dataset_column("arrow")],
    ids=["tuple", "array", "series", "arrow", "dataset", "numpy dataset", "arrow dataset"],
)
def test_references_in_any_form(module, form):
    assert module.compute(references=form(REFERENCES)) == module.compute()
    several = [["x", "a"], ["c", "y"]]
    assert module.compute(references=form(several)) == module.compute(references=several) == module.compute()


@forms(ANY_ROWS, RECTANGLES)
def test_weights_in_any_form(form):
    weights = [[3.0, 1.0, 1.0, 1.0], [4.0, 1.0, 1.0, 1.0]]
    assert CONS_AT_K.compute(weights=form(weights), k=4) == {"cons@4": 1.0}
    assert CONS_AT_K.compute(k=4) == {"cons@4": 0.5}


@forms({name: ANY_ROWS[name] for name in ("lists", "tuples", "a list of arrays", "arrow array", "dataset column")})
def test_missing_samples_in_any_form(form):
    answers, grades = [["a", None], ["c", "c"]], [[1.0, None], [1.0, 1.0]]
    result = {"avg@2": 0.75, "accuracy": 0.75}
    assert AVG_AT_N.load().compute(predictions=form(answers), references=REFERENCES, missing="incorrect") == result
    assert AVG_AT_N.load("graded").compute(predictions=form(grades), missing="incorrect") == result


def test_missing_grades_are_nan_in_arrays_and_frames():
    rows = [[1.0, np.nan], [1.0, 1.0]]
    for form in (np.array, pd.Series, dataset_column("numpy")):
        result = AVG_AT_N.load("graded").compute(predictions=form(rows), missing="incorrect")
        assert result == {"avg@2": 0.75, "accuracy": 0.75}


def test_a_half_among_bools_stays_a_half():
    for rows in ([[True, 0.5, False]], [[0.5, True, False]], ((True, False, 0.5),)):
        assert AVG_AT_N.load("graded").compute(predictions=rows) == {"avg@3": 1 / 3, "accuracy": 0.5}


@every_module
@pytest.mark.parametrize(
    "row", [["a", "a", 3], [3, "a", "a"], ["a", 3.0, "a"], ["a", True, "a"], ["a", ["a"], "a"]], ids=str
)
def test_nothing_is_cast_to_text(module, row):
    columns = module.only({"predictions": [["a"] * 3, row], "references": ["a", "3"], "scores": [[1.0] * 3] * 2})
    with pytest.raises(TypeError, match=r"`predictions` must hold strings; got .* in problem 1, sample"):
        module.load().compute(**columns)


@every_module
@pytest.mark.parametrize("grade", ["1", "", b"1", 1j, [1], Fraction(1, 2)], ids=repr)
def test_nothing_is_cast_to_a_grade(module, grade):
    columns = module.only({"predictions": [[1, 0, 1], [1, 0, grade]], "scores": [[1.0] * 3] * 2})
    with pytest.raises(TypeError, match=r"`predictions` must hold numbers; got .* in problem 1, sample 2"):
        module.load("graded").compute(**columns)


@every_module
@forms(ANY_ROWS, RECTANGLES)
def test_a_column_of_the_other_kind_is_refused_in_any_form(module, form):
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
