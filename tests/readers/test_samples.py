"""The samples of a file: their columns, where each of them came from, and the data set that says what was read."""

import pyarrow as pa

from at_k.errors import Message
from at_k.readers.samples import STANDARD, Origin, Samples, describe, make_dataset

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


def test_a_sample_without_a_grade_is_missing_and_one_without_an_answer_is_not():
    assert make().n_missing == 1
    assert make(table=TABLE.drop_columns(["grades"])).n_missing == 1
    assert make(table=TABLE.select(["problem"])).n_missing == 0


def test_places():
    assert str(make().place(0, 1)) == "row 3, column “ok”"
    assert (
        str(make(rows=[[1], [2]], per_sample=False).place(0, 1)) == "row 1, column “ok”, sample 2"
    )
    several = make(files=["x.csv", "y.csv"], file_of=[[0, 1], [1]])
    assert str(several.place(0, 1)) == "y.csv, row 3, column “ok”"


def test_what_a_signature_says():
    assert make().origin.conditions() == {}
    assert Origin("trl", chosen={"reward": "a"}).conditions() == {"reader": "trl", "reward": "a"}
    assert Origin("x", "1", skipped={Message("a.b", "A."): 2}).conditions() == {"reader": "x 1"}


SMALL = pa.table({"problem": ["p"], "grades": [[1.0, None]]})


def make_small(origin):
    return Samples(table=SMALL, origin=origin, rows=[[1]], per_sample=False)


def test_columns_that_a_file_does_not_have_are_null():
    data = make_dataset(make_small(Origin("plain")), "f.csv")
    assert data.column_names == list(STANDARD)
    assert data[0] == dict.fromkeys(STANDARD) | {"problem": "p", "grades": [1.0, None]}


def test_the_harness_and_its_choices_are_said():
    origin = Origin(
        "inspect_ai",
        "0.3",
        chosen={"scorer": "match"},
        roles={"problem": "id", "answers": None, "grades": "value"},
        notes=[Message("a.b", "One of two scorers.")],
        skipped={Message("a.c", "No id (line 7)."): 1234},
    )
    assert describe(make_small(origin), "runs/f.eval") == (
        "Read from f.eval (inspect_ai 0.3): problem from column “id”, grades from column “value”. Scorer: match. One "
        "of two scorers. Left out: 1,234, with errors such as “No id (line 7).”."
    )
    data = make_dataset(make_small(origin), ["a", "b"])
    assert data.info.description.startswith("Read from 2 files (inspect_ai 0.3): ")
    assert data.info.builder_name == "at_k"
    assert data.info.config_name == '{"reader": "inspect_ai 0.3", "scorer": "match"}'
