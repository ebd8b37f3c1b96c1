"""The columns of a data set stay as they are held."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from datasets import Dataset, DatasetDict, IterableDataset

import at_k
from at_k.errors import InputError
from at_k.report import frames

DATA = {"grades": [[1, 0], [1, 1]], "group": ["a", "b"]}


@pytest.mark.parametrize("form", [dict, pa.table, pd.DataFrame, pl.DataFrame, Dataset.from_dict])
def test_columns_are_not_copied(form):
    data = form(DATA)
    frame = frames.read_frame(data)
    assert list(frame) == ["grades", "group"]
    for name, column in frame.items():
        assert type(column) is (pa.ChunkedArray if isinstance(data, Dataset) else type(data[name]))


def test_arrow_columns_stay_in_arrow():
    frame = frames.read_frame(pa.table(DATA))
    assert isinstance(frame["grades"], pa.ChunkedArray)
    selected = frames.select_frame(pa.table(DATA | {"model": ["x", "y"]}), columns=None, where={"model": "y"}, pool=())
    assert isinstance(selected["grades"], pa.ChunkedArray)
    assert selected["grades"].to_pylist() == [[1, 1]]


def test_rows_have_the_columns_of_all_of_them():
    frame = frames.read_frame([{"a": 1}, {"b": 2, "a": None}, {}])
    assert frame == {"a": [1, None, None], "b": [None, 2, None]}
    assert frames.read_frame(({"a": 1},)) == {"a": [1]}


@pytest.mark.parametrize(
    "data", [7, "path", b"x", None, iter([{}]), np.array([1]), {1, 2}], ids=lambda data: type(data).__name__
)
def test_what_is_no_data_set(data):
    with pytest.raises(TypeError, match=r"`data` must be a data set with columns: .*; got"):
        frames.read_frame(data)


def test_several_data_sets_and_streams():
    with pytest.raises(InputError, match=r"got several: 'train', 'test'. Choose one of them"):
        frames.read_frame(DatasetDict({"train": Dataset.from_dict(DATA), "test": Dataset.from_dict(DATA)}))
    stream = IterableDataset.from_generator(lambda: iter([{"grades": [1]}]))
    with pytest.raises(TypeError, match="got IterableDataset"):
        frames.read_frame(stream)


def test_names_of_problems():
    assert frames.read_names(None, 3) == ["0", "1", "2"]
    assert frames.read_names([7, 8], 2) == ["7", "8"]
    with pytest.raises(InputError, match="'b' is in rows 1 and 3") as caught:
        frames.read_names(["a", "b", "c", "b"], 4)
    assert caught.value.code == "data.same_problem"


def test_labels_of_groups():
    column = ["a", "b"]
    assert frames.read_labels(None, column, 2) == frames.read_labels(True, column, 2) == column
    assert frames.read_labels(["c", "d"], column, 2) == ["c", "d"]
    assert frames.read_labels(False, column, 2) is None
    assert frames.read_labels(None, None, 2) is None
    assert frames.read_labels(True, None, 2) is None
    with pytest.raises(ValueError, match="`groups` and `data` must have as many problems; got 2 and 3"):
        frames.read_labels(None, column, 3)


MISSING = [None, float("nan"), pd.NA]


@pytest.mark.parametrize("missing", MISSING, ids=repr)
@pytest.mark.parametrize("column", ["grades", "answers"])
def test_a_missing_cell_is_a_missing_sample(column, missing):
    values = {"grades": [1, missing], "answers": ["7", missing]}
    data = pd.DataFrame({"problem": ["a"], column: [values[column]], "references": ["7"]})
    with pytest.raises(InputError) as caught:
        at_k.score(data, metrics="pass_at_k", k=1)
    assert caught.value.code == f"missing.{column}"
    assert at_k.score(data, metrics="pass_at_k", k=1, missing="incorrect").values["pass@1"] == 0.5


@pytest.mark.parametrize("missing", MISSING, ids=repr)
@pytest.mark.parametrize("column", ["problem", "group", "references"])
@pytest.mark.parametrize("pool", [(), "run"], ids=["one run", "pooled"])
def test_a_missing_name_or_reference_is_refused(column, missing, pool):
    data = pd.DataFrame({"problem": ["a", "b"], "answers": [["7"]] * 2, "references": ["7"] * 2, "group": ["x", "y"]})
    data["run"] = 1
    data[column] = pd.Series([data[column][0], missing], dtype=object)
    with pytest.raises(ValueError, match=r"must hold (a label|an answer) for every problem"):
        at_k.score(data, metrics="pass_at_k", k=1, pool=pool)
