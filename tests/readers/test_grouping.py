"""Rows of samples become rows of problems, as a dict of lists does it."""

import datasets
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import for_each
from hypothesis import given, strategies as st

import at_k
from at_k.errors import InputError

ROWS = [
    {"problem": "b", "grades": 1.0, "answers": "x", "messages": [{"role": "user"}]},
    {"problem": "a", "grades": 0.5, "answers": None, "messages": []},
    {"problem": "b", "grades": None, "answers": "é", "messages": None},
]
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
GROUPED = {
    "problem": ["b", "a"],
    "grades": [[1.0, None], [0.5]],
    "answers": [["x", "é"], [None]],
    "messages": [[[{"role": "user"}], None], [[]]],
}

TABLES = {
    "mapping": lambda: COLUMNS,
    "arrow": lambda: pa.table(COLUMNS),
    "arrow in chunks": lambda: pa.concat_tables([pa.table(COLUMNS).slice(0, 2), pa.table(COLUMNS).slice(2)]),
    "dictionary": lambda: pa.table(COLUMNS | {"problem": pa.array(COLUMNS["problem"]).dictionary_encode()}),
    "dataset": lambda: datasets.Dataset.from_dict(COLUMNS),
    "selected dataset": lambda: datasets.Dataset.from_list([*ROWS[::-1]]).select([2, 1, 0]),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "pandas": lambda: pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in COLUMNS.items()}),
}


def as_lists(table):
    return {
        name: table[name].to_pylist() if isinstance(table, pa.Table) else table[name][:] for name in table.column_names
    }


@for_each("make", TABLES.values(), ids=TABLES)
def test_any_table(make):
    data = make()
    found = at_k.group_samples(data)
    assert isinstance(found, datasets.Dataset if isinstance(data, datasets.Dataset) else pa.Table)
    assert as_lists(found) == GROUPED


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.none() | st.text(st.characters(exclude_categories=["Cs"]))), min_size=1)
)
def test_it_is_a_dict_of_lists(rows):
    expected = {}
    for key, value in rows:
        expected.setdefault(key, []).append(value)
    table = pa.table({"x": pa.array([value for _, value in rows], pa.string()), "id": [key for key, _ in rows]})
    found = at_k.group_samples(table, by="id")
    assert found.column_names == ["x", "id"]
    assert dict(zip(found["id"].to_pylist(), found["x"].to_pylist(), strict=True)) == expected
    assert found["id"].to_pylist() == list(expected)


def test_what_was_grouped_can_be_scored():
    data = at_k.group_samples({"task": ["p", "q", "p", "q"], "grades": [1, 0, 0, 0]}, by="task")
    assert at_k.score(data, columns={"problem": "task"}, k=1).values["pass@1"] == 0.25


@for_each(
    "data, code",
    [({"id": [1]}, "group.no_column"), ({"problem": []}, "group.no_rows"), ({"problem": ["a", None]}, "group.no_name")],
)
def test_refused(data, code):
    with pytest.raises(InputError) as caught:
        at_k.group_samples(data)
    assert caught.value.code == code


@for_each("data", [7, "f.csv", [{"problem": 1}], None])
def test_another_kind_is_refused(data):
    with pytest.raises(TypeError, match="`data` must be a table with a row for each sample"):
        at_k.group_samples(data)


@for_each(
    "data, code, said",
    [
        ({"problem": [True, 1, 2]}, "group.mixed", "`problem`"),
        ({"problem": [1, True]}, "group.mixed", "`problem`"),
        ({"problem": [1, "1"]}, "group.mixed", "`problem`"),
        (pd.DataFrame({"problem": [1, "1"]}), "group.mixed", "`problem`"),
        ({"problem": ["a", "b"], "answers": [1, "x"]}, "group.mixed", "`answers`"),
        ({"problem": [1.5, float("nan"), float("nan")]}, "group.no_name", "null or NaN in row 1"),
        (pl.DataFrame({"problem": [1.5, float("nan")]}), "group.no_name", "null or NaN in row 1"),
        (pd.DataFrame({"problem": ["a", float("nan")]}), "group.no_name", "null or NaN in row 1"),
        ({"problem": ["a", "b"], "grades": [1]}, "group.lengths", "`problem` has 2 and `grades` has 1"),
        ({"problem": ["a", "b", "a"], "references": ["1", "2", "3"]}, "group.differs", "rows 0 and 2 of one problem"),
        ({"problem": ["a", "a"], "group": [None, "x"]}, "group.differs", "`group`"),
    ],
)
def test_no_value_is_taken_for_another(data, code, said):
    with pytest.raises(InputError) as caught:
        at_k.group_samples(data)
    assert caught.value.code == code
    assert said in str(caught.value)


def test_what_is_said_of_a_problem_is_kept_once():
    data = {"problem": ["a", "b", "a"], "answers": ["1", "2", "3"], "references": ["1", "4", "1"], "group": ["x"] * 3}
    found = at_k.group_samples(data)
    assert found["references"].to_pylist() == ["1", "4"]
    assert found["group"].to_pylist() == ["x", "x"]
    assert at_k.score(found, k=1).values["pass@1"] == 0.25
    assert at_k.group_samples(data, shared=())["group"].to_pylist() == [["x", "x"], ["x"]]
    named = {"problem": ["a", "b", "a"], "target": ["1", "4", "1"]}
    assert at_k.group_samples(named, shared="target")["target"].to_pylist() == ["1", "4"]
    with pytest.raises(InputError, match="got 'gold'"):
        at_k.group_samples(named, shared=["gold"])
