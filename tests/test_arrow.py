"""Arrow columns in every form that Arrow has for them give the numbers of plain lists, and the same errors."""

import math
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import for_each, refuses
from datasets import Dataset

from at_k import arrow, columns
from at_k.errors import InputError
from at_k.report.judging import read_frame

ANSWERS = [["a", "b", "a"], ["c", None, "c"], [" a", "", "é"], ["b", "b", "a"]]
GRADES = [[1, 0, 1], [0, 1, 0], [1, 1, 1], [0, 0, 1]]
SCORES = [[3.0, 2.0, 1.0], [5.0, -1.5, 0.25], [1.0, 1.0, 2.0], [0.0, 8.0, 8.0]]
RAGGED = {
    "answers": [["a", "b"], ["c"], ["a", None, "d", "d"]],
    "grades": [[1.0, 0.0], [0.25], [0.5, 1.0, 0.75, 0.0]],
    "scores": [[1.0, 2.0], [3.0], [4.0, 6.0, 5.0, -1.0]],
}
READERS = {
    "answers": columns.read_answers,
    "grades": columns.read_grades,
    "scores": columns.read_scores,
}
TAKEN = {"answers": arrow.read_answers, "grades": arrow.read_grades, "scores": arrow.read_scores}
"""Readers that take a column whole, and return None if it must be read value by value."""


def rows(column):
    """List what was read, row by row; NaN as None."""
    if hasattr(column, "codes"):
        names = [*column.distinct, None]  # code −1 is the last
        return [
            [names[code] for code in row]
            for row in np.split(column.codes.values, column.codes.offsets[1:-1])
        ]
    values = columns.to_float64(column.values)
    return [
        [None if math.isnan(value) else value for value in row.tolist()]
        for row in np.split(values, column.offsets[1:-1])
    ]


def dictionaries(lists):
    """Chunks of which each has a dictionary of its own, in an order of its own."""
    kind = pa.array(lists).type.value_type
    chunks = []
    for chunk in map(pa.array, (lists[:1], lists[1:2], lists[2:])):
        names = pa.array(chunk.values.unique().drop_null()[::-1], kind)
        places = [
            None if each is None else names.to_pylist().index(each)
            for each in chunk.values.to_pylist()
        ]
        values = pa.DictionaryArray.from_arrays(pa.array(places, pa.int8()), names)
        chunks.append(pa.ListArray.from_arrays(chunk.offsets, values))
    return pa.chunked_array(chunks)


def sort(dataset):
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "Specifying null_placement", FutureWarning
        )  # datasets 5 with pyarrow 25
        return dataset.sort("at")


def large(lists):
    whole = pa.array(lists)
    return whole.cast(pa.large_list(whole.type.value_type))


LISTS = {
    "list": pa.array,
    "large list": large,
    "slice": lambda lists: pa.array([lists[-1], lists[0], *lists, lists[0]])[2:-1],  # within its buffers
    "slice of large lists": lambda lists: large([lists[-1], *lists])[1:],
    "chunks": lambda lists: pa.chunked_array([pa.array(lists)[start:stop] for start, stop in
                                              ((0, 0), (0, 1), (0, 0), (1, 3), (3, None), (0, 0))]),
    "slice of chunks": lambda lists: pa.chunked_array([[lists[-1], *lists[:2]], [*lists[2:], lists[0]]])[1:-1],
    "dictionary": lambda lists: pa.ListArray.from_arrays(
        pa.array(lists).offsets, pa.array(lists).values.dictionary_encode()),
    "dictionaries": dictionaries,
    "table column": lambda lists: pa.table({"x": lists})["x"],
    "polars series": pl.Series,
    "polars column": lambda lists: pl.DataFrame({"x": lists})["x"],
    "polars slice": lambda lists: pl.Series([lists[0], *lists])[1:],
    "dataset": lambda lists: Dataset.from_dict({"x": lists})["x"],
    "dataset, numpy": lambda lists: Dataset.from_dict({"x": lists}).with_format("numpy")["x"],
    "dataset, arrow": lambda lists: Dataset.from_dict({"x": lists}).with_format("arrow")["x"],
    "dataset, selected": lambda lists: Dataset.from_dict({"x": [lists[0], *lists]}).select(
        range(1, len(lists) + 1))["x"],
    "dataset, turned": lambda lists: Dataset.from_dict({"x": lists[::-1]}).select(range(len(lists) - 1, -1, -1))["x"],
    "dataset, sorted": lambda lists: sort(Dataset.from_dict({"x": lists[::-1], "at": [*range(len(lists))][::-1]}))["x"],
}  # fmt: skip
RECTANGLES = {
    "fixed": lambda lists: pa.array(
        lists, pa.list_(pa.array(lists).type.value_type, len(lists[0]))
    ),
    "slice of fixed": lambda lists: RECTANGLES["fixed"]([lists[1], *lists])[1:],
    "polars arrays": lambda lists: pl.Series(
        lists, dtype=pl.Array(pl.Series(lists[0]).dtype, len(lists[0]))
    ),
}
TEXTS = {
    **{f"{kind}": lambda lists, kind=kind: pa.array(lists, pa.list_(kind))
       for kind in (pa.large_string(), pa.string_view())},
    "large lists of large strings": lambda lists: pa.array(lists, pa.large_list(pa.large_string())),
    "strings in some chunks": lambda lists: pa.chunked_array([pa.array(lists[:1]), pa.array(lists[1:])]),
    "dictionary of large strings": lambda lists: pa.array(lists, pa.list_(pa.large_string())).cast(
        pa.list_(pa.dictionary(pa.int32(), pa.large_string()))),
    "polars categories": lambda lists: pl.Series(lists, dtype=pl.List(pl.Categorical)),
}  # fmt: skip
NUMBERS = {
    str(kind): lambda lists, kind=kind: pa.array(lists, pa.list_(kind))
    for kind in (
        *(
            pa.int8(),
            pa.int16(),
            pa.int32(),
            pa.int64(),
            pa.uint8(),
            pa.uint16(),
            pa.uint32(),
            pa.uint64(),
        ),
        *(pa.float32(), pa.float64()),
    )
}
NUMBERS["bool"] = lambda lists: pa.array(
    [[None if each is None else bool(each) for each in row] for row in lists]
)
NUMBERS["halffloat"] = lambda lists: pa.array(
    [[None if each is None else np.float16(each) for each in row] for row in lists],
    type=pa.list_(pa.float16()),
)


def forms(*tables):
    every = {name: form for table in tables for name, form in table.items()}
    return for_each("form", every.values(), ids=every)


MISSING = [[1, None, 1], [0, 0, 0], [None, None, None], [0, 0, None]]
FLOATS = {name: NUMBERS[name] for name in ("float", "double")}
PLAIN = {name: form for name, form in LISTS.items() if not name.startswith("dictionar")}


@for_each("name, lists, tables", [
    ("answers", ANSWERS, (LISTS, RECTANGLES, TEXTS)),
    ("grades", GRADES, (LISTS, RECTANGLES, NUMBERS)),
    ("grades", MISSING, (LISTS, RECTANGLES, NUMBERS)),
    ("scores", SCORES, (LISTS, RECTANGLES, FLOATS)),
    *((name, ragged, (PLAIN,)) for name, ragged in RAGGED.items()),
])  # fmt: skip
def test_columns_are_taken_whole(name, lists, tables):
    for label, form in (item for table in tables for item in table.items()):
        taken = TAKEN[name](form(lists))
        parts = taken if isinstance(taken, list) else [taken]
        assert [row for part in parts for row in rows(part)] == lists, label
        assert rows(READERS[name](form(lists))) == lists, label
        if lists is GRADES:
            assert rows(columns.read_weights(form(lists))) == lists, label


VECTORS = [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]], [[7.0, -8.0], [9.0, 1e300], [0.5, 0.25]]]


@forms(PLAIN)
def test_scores_of_several_dimensions(form):
    column = columns.read_scores(form(VECTORS))
    assert [row.tolist() for row in np.split(column.values, column.offsets[1:-1])] == VECTORS


def test_dimensions_in_fixed_size_lists_and_of_chunks():
    for inner in (pa.list_(pa.float64(), 2), pa.large_list(pa.float64())):
        column = arrow.read_scores(pa.array([VECTORS[0], *VECTORS], type=pa.list_(inner))[1:])
        assert [row.tolist() for row in np.split(column.values, column.offsets[1:-1])] == VECTORS
    column = pa.chunked_array([pa.array([[[1.0, 2.0]]]), pa.array([[[1.0]]])])
    assert arrow.read_scores(column) is None
    says = "ValueError: `scores` must have equally many dimensions … ; got 1 in problem 1, sample 0"
    refuses(says, columns.read_scores, column)


def test_truth_values_are_no_scores_in_arrow_and_stay_numbers_elsewhere():
    flags = [[True, False]]
    assert arrow.read_scores(pa.array(flags)) is None
    assert (
        rows(columns.read_scores(pa.array(flags))) == rows(columns.read_scores(flags)) == [[1, 0]]
    )


def test_samples_that_are_all_missing():
    for kind in (pa.null(), pa.string(), pa.dictionary(pa.int8(), pa.string())):
        column = pa.ListArray.from_arrays(pa.array([0, 2, 3], pa.int32()), pa.nulls(3, kind))
        assert rows(columns.read_answers(column)) == [[None, None], [None]]
    for kind in (pa.null(), pa.int64()):
        column = pa.array([[None, None], [None]], pa.list_(kind))
        assert (
            rows(columns.read_grades(column))
            == rows(columns.read_scores(column))
            == [[None, None], [None]]
        )


def test_numbers_without_a_null_are_not_copied():
    for values in (
        np.linspace(0, 1, 12),
        np.ones(12, dtype=np.float32),
        np.zeros(12, dtype=np.int8),
    ):
        for whole in (
            pa.ListArray.from_arrays(pa.array([0, 5, 12], pa.int32()), values),
            pa.FixedSizeListArray.from_arrays(pa.array(values), 4),
        ):
            (part,) = arrow.read_grades(whole)
            assert np.shares_memory(part.values, values)
            assert part.values.dtype == values.dtype
    many = arrow.read_grades(pa.chunked_array([whole, whole]))
    assert all(np.shares_memory(part.values, values) for part in many)


def test_each_answer_is_numbered_once_over_all_chunks_and_slices_have_no_neighbours():
    column = columns.read_answers(dictionaries([["b", "a"], ["a", "b"], ["c", "a"], ["b", "b"]]))
    assert sorted(column.distinct) == ["a", "b", "c"]
    assert column.codes.values.dtype == np.int32
    column = pa.array([[7.0], [1.0, 0.0], [8.0]])[1:2]  # neighbours that would be no grades
    assert rows(columns.read_grades(column)) == [[1.0, 0.0]]


@for_each("column", [None, 7, [["a"]], (["a"],), np.array([["a"]]), pd.Series([["a"]])])
def test_other_columns_are_left_to_other_readers(column):
    assert [take(column) for take in TAKEN.values()] == [None, None, None]
    assert arrow.to_chunks(column) is None


@for_each("column", [
    pa.array([], pa.list_(pa.string())), pa.chunked_array([], pa.list_(pa.string())),
    pa.chunked_array([pa.array([], pa.list_(pa.string()))]),
])  # fmt: skip
def test_no_problems(column):
    for read in READERS.values():
        assert len(read(column)) == 0


FAULTS = {
    "answers": [
        *(
            [["a"], []],
            [["a"], None],
            [[], ["a"]],
            [["a", None], [None], []],
            [[0.5], [None]],
        ),
        *([[True]], [[["a"]]], [[b"a"]], ["a", "b"], [1, 2]),
    ],
    "grades": [
        *(
            [[1], []],
            [None, [1]],
            [[0, 1], [2]],
            [[0.5], [-0.25, 1.0]],
            [[0.5, float("inf")]],
            [[0.5], [None, 1.5]],
        ),
        *([["1"], ["0"]], [[[1]]], [1, 0], [[2**53 + 1]], [[1, None], [2**62 + 1, 0]]),
    ],
    "scores": [
        *(
            [[1.0], []],
            [[1.0], None],
            [[[1.0], [2.0, 3.0]]],
            [[[1.0, 2.0], []]],
            [[1.0, float("inf")]],
            [["high"]],
        ),
        *(
            [[[1.0, 2.0], [1.0, -float("inf")]]],
            [[2**53 + 1]],
            [[2**53 + 1, None]],
            [[-(2**53) - 1, None]],
        ),
        *([[["high"]]], [1.0]),
    ],
}


@for_each("name, lists", [(name, each) for name, faults in FAULTS.items() for each in faults])
def test_a_fault_has_the_same_message_as_in_lists(name, lists):
    with pytest.raises((TypeError, ValueError)) as plain:
        READERS[name](lists)
    whole, kind = pa.array(lists), type(plain.value).__name__
    chunks = pa.chunked_array([whole[:1], whole[1:]])
    for column in (whole, chunks, Dataset.from_dict({"x": lists})["x"], pl.Series(lists)):
        assert str(refuses(kind, READERS[name], column)) == str(plain.value)


def test_a_missing_row_within_a_slice_or_of_fixed_size():
    for column in (
        pa.array([["a"], None, ["b"]])[1:],
        pa.array([None, ["b"]], type=pa.list_(pa.string(), 1)),
    ):
        says = "TypeError: `predictions` must hold a list of samples … ; got None … in problem 0"
        refuses(says, columns.read_answers, column)


def test_references_and_groups_in_arrow():
    texts, arrow_strings = ["a", "b"], pd.ArrowDtype(pa.string())
    for column in (
        *(pa.array(texts, kind) for kind in (pa.string(), pa.large_string(), pa.string_view())),
        pa.array(texts).dictionary_encode(),
        pl.Series(texts),
        pl.Series(texts, dtype=pl.Categorical),
        pd.Series(texts, dtype=arrow_strings),
    ):
        assert columns.read_references(column) == [("a",), ("b",)]
        assert columns.read_groups(column) == ["a", "b"]
    assert columns.read_references(pl.Series([["a"], ["b", "c"]])) == [("a",), ("b", "c")]
    assert columns.read_groups(pl.Series([1, 2])) == ["1", "2"]


OTHERS = {
    "dataset, pandas": lambda lists: Dataset.from_dict({"x": lists}).with_format("pandas")["x"],
    "dataset, shuffled": lambda lists: Dataset.from_dict({"x": lists}).shuffle(seed=1)["x"],
    "dataset, transformed": lambda lists: Dataset.from_dict({"x": lists}).with_transform(
        lambda batch: {"x": [row[::-1] for row in batch["x"]]}
    )["x"],
    "pandas, arrow": lambda lists: pd.Series(
        lists, dtype=pd.ArrowDtype(pa.list_(pa.array(lists).type.value_type))
    ),
}


@for_each("name, lists", [("answers", ANSWERS), ("grades", GRADES), ("scores", SCORES)])
@forms(OTHERS)
def test_a_column_holds_the_values_that_it_lists(name, lists, form):
    column = form(lists)
    listed = column.to_pylist() if hasattr(column, "to_pylist") else column
    assert rows(READERS[name](column)) == [list(row) for row in listed]


COLUMNS = {
    "problem": ["b", "a", "b"],
    "grades": [1.0, 0.5, None],
    "messages": [[{"role": "user"}], [], None],
}
TABLES = {
    "mapping": lambda: COLUMNS,
    "arrow": lambda: pa.table(COLUMNS),
    "dataset": lambda: Dataset.from_dict(COLUMNS).select([2, 1, 0]).select([2, 1, 0]),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "pandas": lambda: pd.DataFrame(
        {name: pd.Series(values, dtype=object) for name, values in COLUMNS.items()}
    ),
}


@for_each("make", TABLES.values(), ids=TABLES)
def test_any_table(make):
    assert arrow.make_table(read_frame(make())).to_pydict() == COLUMNS


@for_each("data, code, said", [
    ({"problem": [True, 1, 2]}, "group.mixed", "`problem`"), ({"problem": [1, True]}, "group.mixed", "`problem`"),
    ({"problem": [1, "1"]}, "group.mixed", "`problem`"),
    (pd.DataFrame({"problem": [1, "1"]}), "group.mixed", "`problem`"),
    ({"problem": ["a", "b"], "answers": [1, "x"]}, "group.mixed", "`answers`"),
    ({"problem": ["a", "b"], "grades": [1]}, "group.lengths", "`problem` has 2 and `grades` has 1"),
])  # fmt: skip
def test_no_value_of_a_table_is_taken_for_another(data, code, said):
    with pytest.raises(InputError, match=said) as caught:
        arrow.make_table(data)
    assert caught.value.code == code
