"""Batches: joined, held, and turned into arrays and back."""

from math import isnan

import numpy as np
import pytest

from at_k.store import Batch, Store

ANSWERED = {"predictions": [["a", None, "\ud83d"], ["b"]], "references": ["a", ["b", "½"]]}
GRADED = {"predictions": [[1, 0.25], [None]]}


def rows(column):
    """A ragged column as lists, NaN as None."""
    values = [None if isnan(value) else value for value in column.values.tolist()]
    return [values[start:stop] for start, stop in zip(column.offsets[:-1], column.offsets[1:], strict=True)]


def answers(batch):
    names = [*batch.predictions.distinct, None]
    return [[names[code] for code in row] for row in rows(batch.predictions.codes)]


def through_a_file(batch, tmp_path):
    np.savez(tmp_path / "batch.npz", **batch.arrays())
    with np.load(tmp_path / "batch.npz", allow_pickle=False) as file:
        return Batch.from_arrays(dict(file))


def test_answers_through_a_file(tmp_path):
    batch = through_a_file(Batch.read("default", **ANSWERED, scores=[[3, 2, 1], [0.5]]), tmp_path)
    assert answers(batch) == ANSWERED["predictions"]
    assert batch.references == [("a",), ("b", "½")]
    assert rows(batch.scores) == [[3, 2, 1], [0.5]]


def test_grades_through_a_file(tmp_path):
    batch = through_a_file(Batch.read("graded", **GRADED), tmp_path)
    assert rows(batch.predictions[0]) == GRADED["predictions"]
    assert (batch.references, batch.scores) == (None, None)


def test_joined_batches_keep_their_order():
    store = Store()
    for first in ("a", "b", "c"):
        store.add(Batch.read("default", predictions=[[first, "x"]], references=[first]))
    whole = store.joined(Batch.read("default", predictions=[["d"]], references=["d"]))
    assert answers(whole) == [["a", "x"], ["b", "x"], ["c", "x"], ["d"]]
    assert whole.references == [("a",), ("b",), ("c",), ("d",)]
    assert (len(store), len(whole)) == (3, 4)


def test_an_empty_batch_changes_nothing():
    store = Store()
    store.add(Batch.read("graded", predictions=[], scores=[]))
    store.add(Batch.read("graded", predictions=[[1]], scores=[[[1, 2]]]))
    assert len(store) == 1


@pytest.mark.parametrize(
    ("config", "references", "message"),
    [
        ("default", None, "`references` must be given in the configuration 'default'"),
        ("graded", ["a"], "`references` must not be given in the configuration 'graded'"),
    ],
)
def test_references_go_with_the_configuration(config, references, message):
    with pytest.raises(ValueError, match=message):
        Batch.read(config, predictions=[["a"]] if config == "default" else [[1]], references=references)
