"""A data set with all of the standard columns, which says what was read."""

import pyarrow as pa

from at_k.errors import Message
from at_k.readers.output import describe, make_dataset
from at_k.readers.samples import STANDARD, Origin, Samples

TABLE = pa.table({"problem": ["p"], "grades": [[1.0, None]]})


def make(origin):
    return Samples(table=TABLE, origin=origin, rows=[[1]], per_sample=False)


def test_columns_that_a_file_does_not_have_are_null():
    data = make_dataset(make(Origin("plain")), "f.csv")
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
    assert describe(make(origin), "runs/f.eval") == (
        "Read from f.eval (inspect_ai 0.3): problem from column “id”, grades from column “value”. Scorer: match. One "
        "of two scorers. Left out: 1,234, with errors such as “No id (line 7).”."
    )
    data = make_dataset(make(origin), ["a", "b"])
    assert data.info.description.startswith("Read from 2 files (inspect_ai 0.3): ")
    assert data.info.builder_name == "at_k"
    assert data.info.config_name == '{"reader": "inspect_ai 0.3", "scorer": "match"}'
