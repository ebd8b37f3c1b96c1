"""From a table to samples: guessed roles, named columns, and the rows of one model."""

import json

import pytest

from at_k.errors import InputError
from at_k.readers.plain import collect_samples
from at_k.readers.tables import read_table

MODELS = "model,id,level,correct\na,1,x,1\na,1,x,0\nb,1,x,1\nb,2,y,0\nb,2,y,2\n"


def collect(text, **options):
    return collect_samples(read_table(text), **options)


def test_roles_are_guessed_and_named():
    found = collect('{"id": 1, "right": [1, 0], "level": "x"}', columns={"grades": "right", "group": None})
    assert (found.problems, found.grades, found.group) == (["1"], [[1, 0]], None)
    assert found.roles["problem"] == "id"


def test_several_models_are_refused():
    with pytest.raises(InputError) as caught:
        collect(MODELS)
    assert caught.value.code == "models.several"


def test_one_model_is_chosen():
    found = collect(MODELS, where={"model": "a"})
    assert found.columns() == {"problem": ["1"], "grades": [[1, 0]], "group": ["x"]}


def test_rows_are_counted_in_the_file():
    with pytest.raises(InputError, match="row 5, column “correct”"):
        collect(MODELS, where={"model": "b"})
    rows = MODELS.replace("y,2\n", "y,\n")
    found = collect(rows, where={"model": "b"})
    assert str(found.place(1, 1)) == "row 5, column “correct”"
    lists = [{"model": name, "correct": [1, None]} for name in "ab"]
    found = collect(json.dumps(lists), where={"model": "b"})
    assert found.problems == ["2"]
    assert str(found.place(0, 1)) == "row 2, column “correct”, sample 2"


def test_models_are_pooled():
    text = MODELS.replace("y,2\n", "y,1\n")
    assert collect(text, pool="model").columns()["grades"] == [[1, 0, 1], [0, 1]]


def test_a_model_may_be_the_group():
    text = "model,id,correct\na,1,1\na,1,0\nb,2,1\nb,2,1\n"
    assert collect(text, columns={"group": "model"}).columns()["group"] == ["a", "b"]


@pytest.mark.parametrize("columns", [7, ["id"], "id"])
def test_another_kind_of_columns_is_refused(columns):
    with pytest.raises(TypeError, match="`columns` must map roles to columns"):
        collect(MODELS, columns=columns)


def test_the_standard_columns_can_be_read_again():
    text = '{"id": "p", "pred": ["a", null], "target": "a", "correct": [1, 0.5], "score": [2, 1], "level": 3}'
    columns = collect(text).columns()
    assert list(columns) == ["problem", "answers", "references", "grades", "scores", "group"]
    assert collect(json.dumps(columns)).columns() == columns
