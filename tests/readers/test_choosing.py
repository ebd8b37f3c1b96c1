"""The results of several models in one file: one of them is chosen, or they are refused."""

import json
import re

import numpy as np
import pytest
from cases import for_each
from readers.texts import collect, refuse as refuse_text

from at_k.errors import InputError
from at_k.readers.choosing import select_rows
from at_k.readers.names import MODEL as MODEL_NAMES

COLUMNS = {
    "model": ["a", "a", "b", "b", "c"],
    "seed": [0, 1, 0, 1, 0],
    "quick": [True, False, True, True, None],
    "correct": [1, 0, 1, 1, 0],
}


def refused(code, columns=COLUMNS, **options):
    with pytest.raises(InputError) as caught:
        select_rows(columns, **options)
    assert caught.value.code == f"models.{code}"
    assert len(str(caught.value)) < 900
    str(caught.value).encode()
    return str(caught.value)


class TestWhere:
    @for_each(
        "where, rows",
        [
            ({"model": "b"}, [2, 3]),
            ({"model": ["c"]}, [4]),
            ({"model": "a", "seed": 1}, [1]),
            ({"model": "a", "seed": "1"}, [1]),
            ({"model": "a", "seed": np.int64(1)}, [1]),
            ({"model": "a", "seed": [0, 1]}, [0, 1]),
            ({"model": "b", "quick": True}, [2, 3]),
            ({"model": "b", "quick": "true"}, [2, 3]),
            ({"quick": None}, [4]),
        ],
    )
    def test_rows_are_kept(self, where, rows):
        assert select_rows(COLUMNS, where=where) == rows

    def test_nothing_asked_for_is_everything(self):
        for where in (None, {}):
            assert select_rows({"correct": [1, 0]}, where=where) is None

    def test_columns_may_be_arrays(self):
        columns = {"model": np.array(["a", "b"]), "seed": np.array([0, 1]), "quick": np.array([True, False])}
        assert select_rows(columns, where={"model": "a", "seed": 0, "quick": True}) == [0]

    def test_unknown_columns_are_refused(self):
        said = refused("no_column", where={"modle": "a"})
        assert "“modle”" in said
        assert "“model”, “seed”, “quick”, “correct”" in said

    def test_unknown_values_are_refused(self):
        said = refused("no_value", where={"model": "d"})
        assert "“d”" in said
        assert "“a”, “b”, “c”" in said
        assert "2" in refused("no_value", where={"seed": [0, 2]})

    def test_values_that_never_meet_are_refused(self):
        refused("no_rows", where={"model": "c", "seed": 1, "quick": True})
        refused("no_rows", where={"model": []})

    @for_each("where", ["model", 7, ["model"], [("model", "a")]])
    def test_another_kind_is_refused(self, where):
        with pytest.raises(TypeError, match="`where` must map columns to values"):
            select_rows(COLUMNS, where=where)


@for_each("pool", [7, {"model"}, True, {"model": 1}])
def test_another_kind_of_pool_is_refused(pool):
    with pytest.raises(TypeError, match="`pool` must be the name of a column or a list of names"):
        select_rows(COLUMNS, pool=pool)


class TestSeveralModels:
    @for_each("name", [*MODEL_NAMES, "Model Name", "MODEL-ID"])
    def test_they_are_refused(self, name):
        said = refused("several", {name: ["a", "a", "b"], "correct": [1, 0, 1]})
        assert f"“{name}”" in said
        assert "“a”, “b”" in said
        assert f'where={{"{name}": "a"}}' in said
        assert f'pool="{name}"' in said

    def test_what_the_sentence_says_works(self):
        said = refused("several")
        assert select_rows(COLUMNS, where=eval(re.search(r"where=(\{.*?\})", said)[1])) == [0, 1]
        assert select_rows(COLUMNS, pool=eval(re.search(r'pool=(".*?")', said)[1])) is None

    def test_those_that_are_left_are_refused(self):
        said = refused("several", where={"model": ["a", "c"]})
        assert "“a”, “c”" in said
        assert select_rows(COLUMNS, where={"model": ["a", "c"]}, pool="model") == [0, 1, 4]

    def test_ten_are_named(self):
        said = refused("several", {"model": list(map(str, range(50)))})
        assert "“9”, …" in said
        assert "“10”" not in said

    def test_a_row_without_model_is_of_another_one(self):
        said = refused("several", {"model": [None, "a", "a"]})
        assert "null, “a”" in said
        assert 'where={"model": "a"}' in said

    @for_each("value", ["x" * 100_000, "\ud800", {"a": [1]}, 7, 0.5, True, "<b>"])
    def test_any_value_can_be_named(self, value):
        refused("several", {"model": [value, "a"]})
        refused("several", {"model": ["a", value]})

    def test_one_model_is_no_matter(self):
        assert select_rows({"model": ["a", "a"], "run": [1, 1]}) is None

    @for_each("pool", ["model", ["model"], ("model", "seed")])
    def test_they_may_be_pooled(self, pool):
        assert select_rows(COLUMNS, pool=pool) is None

    def test_every_column_must_be_pooled(self):
        columns = {"model": ["a", "b"], "checkpoint": [1, 2]}
        assert "“checkpoint”" in refused("several", columns, pool="model")
        assert select_rows(columns, pool=["model", "checkpoint"]) is None

    def test_unknown_columns_cannot_be_pooled(self):
        assert "“modle”" in refused("no_column", pool="modle")

    def test_a_column_with_a_role_is_no_model(self):
        assert select_rows(COLUMNS, used=["model", None]) is None

    def test_seeds_are_samples_of_one_model(self):
        assert select_rows({"seed": [0, 1], "correct": [1, 0]}) is None


def test_only_columns_that_matter_are_looked_at():
    class Columns(dict):
        def __getitem__(self, name):
            assert name == "model"
            return super().__getitem__(name)

    assert select_rows(Columns(COLUMNS), where={"model": "a"}) == [0, 1]


@for_each("ids", [{}, {"id": None}])
def test_models_of_rows_with_lists_are_refused(ids):
    rows = [{"correct": [1, 0, 1], "model": "ab"[i % 2]} | dict.fromkeys(ids, i) for i in range(4)]
    text = "\n".join(map(json.dumps, rows))
    assert refuse_text(text, "models.settings" if ids else "models.several").startswith("Column “model” has several")
    assert len(collect(text, pool=["model"]).problems) == 4
    assert len(collect(text, where={"model": "a"}).problems) == 2
