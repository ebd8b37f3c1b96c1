"""The samples of a file: their columns, and where each of them came from."""

import pyarrow as pa

from at_k.errors import Message
from at_k.readers.samples import ROLES, Origin, Samples, list_types

TABLE = pa.table(
    {
        "problem": ["p", "q"],
        "answers": [["a", None], ["b"]],
        "grades": pa.array([[1.0, 0.5], [None]], pa.list_(pa.float64())),
    }
)


def make(**changes):
    given = {
        "table": TABLE,
        "origin": Origin("plain", roles={"grades": "ok"}),
        "rows": [[1, 3], [2]],
        "per_sample": True,
    }
    return Samples(**given | changes)


def test_columns_that_are_not_there_are_none():
    found = make()
    assert found.problems == ["p", "q"]
    assert found.grades == [[1.0, 0.5], [None]]
    assert (found.references, found.scores, found.group) == (None, None, None)
    assert list(found.columns()) == ["problem", "answers", "grades"]
    assert found.roles == dict.fromkeys(ROLES) | {"grades": "ok"}


def test_a_sample_without_a_grade_is_missing_and_one_without_an_answer_is_not():
    assert make().n_missing == 1
    assert make(table=TABLE.drop_columns(["grades"])).n_missing == 1
    assert make(table=TABLE.select(["problem"])).n_missing == 0


def test_places():
    assert str(make().place(0, 1)) == "row 3, column “ok”"
    assert str(make(rows=[[1], [2]], per_sample=False).place(0, 1)) == "row 1, column “ok”, sample 2"
    several = make(files=["x.csv", "y.csv"], file_of=[[0, 1], [1]])
    assert str(several.place(0, 1)) == "y.csv, row 3, column “ok”"


def test_what_a_signature_says():
    assert make().origin.conditions() == {}
    assert Origin("trl", chosen={"reward": "a"}).conditions() == {"reader": "trl", "reward": "a"}
    assert Origin("x", "1", skipped={Message("a.b", "A."): 2}).conditions() == {"reader": "x 1"}


def test_types():
    assert list(list_types()) == [*ROLES, "meta"]
    assert list_types()["grades"] == pa.list_(pa.float64())
