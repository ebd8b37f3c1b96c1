"""From a data set of any kind to judged samples: its columns stay as they are held."""

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import for_each, refuses
from datasets import Dataset
from reports import DATA

import at_k
from at_k.errors import InputError
from at_k.report import judging
from at_k.report.judging import judge_data


def test_options_of_files_are_refused_for_data_in_memory():
    caught = refuses(
        "options.not_a_file", judge_data, DATA, format="plain", scorer=None, errors="skip"
    )
    assert str(caught.values["names"]) == "`format`, `errors`"


def test_labels_are_read_before_samples_are_judged():
    for name in ("groups", "clusters"):
        refuses(f"ValueError: `{name}`", judge_data, {"grades": [[None]]}, **{name: ["x", "y"]})
    judged = judge_data(DATA, groups=None, clusters=True)
    assert judged.labels == judged.clusters == DATA["group"]


ROWS = {
    "task_id": ["a", "b", "a", "b"],
    "passed": [True, True, None, False],
    "level": ["x", "y", "x", "y"],
}


def list_rows(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


in_every_library = for_each(
    "hold", [dict, pd.DataFrame, pl.DataFrame, pa.table, Dataset.from_dict, list_rows]
)


@in_every_library
@for_each("columns, given", [
    ({"task": ["a", "b"], "n": [2, 2], "c": [1, 2]}, {}),
    ({"task": ["a", "b"], "total": [2, 2], "solved": [1, 2]}, {"n": "total", "c": "solved"}),
    ({"id": ["a", "b"], "correct": [[1, 0], [1, 1]]}, {}), ({"id": ["a", "b"], "grades": [[1, 0], [1, 1]]}, {}),
])  # fmt: skip
def test_other_tables_in_memory_are_read_as_files_of_them_are(hold, columns, given):
    report = at_k.score(hold(columns), columns=given)
    assert (report.problems, report.n, report.c) == (["a", "b"], [2, 2], [1, 2])


def test_an_id_names_the_problems_unless_another_column_does_which_may_be_named():
    grades = {"id": ["a", "b"], "grades": [[1, 0], [1, 1]]}
    assert at_k.score(grades | {"problem": ["p", "q"]}).problems == ["p", "q"]
    assert at_k.score(grades, columns={"problem": None}).problems == ["0", "1"]
    refuses("InputError: 'a' is in rows 0 and 1", at_k.score, grades | {"id": ["a", "a"]})
    refuses("plain.unknown", at_k.score, {"id": ["a", "b"], "x": [1, 2]})
    columns = {"problem": "q", "grades": "ok"}
    assert at_k.score(
        {"q": ["a", "a"], "ok": [1, 0]}, columns=columns, metrics="pass@1"
    ).values == {"pass@1": 0.5}


@in_every_library
def test_a_row_for_each_sample_is_read_as_a_file_of_it_is(hold, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, list_rows(ROWS))))
    options = {"missing": "incorrect", "metrics": "pass@2"}
    found, expected = at_k.score(hold(ROWS), **options), at_k.score(path, **options)
    assert (found.values, found.groups, found.per_problem) == (
        expected.values,
        expected.groups,
        expected.per_problem,
    )
    with pytest.raises(InputError, match=r"task_id|sample"):
        at_k.score(hold(ROWS))  # what was not judged has a row


HELD = {"grades": [[1, 0], [1, 1]], "group": ["a", "b"]}


@for_each("form", [dict, pa.table, pd.DataFrame, pl.DataFrame, Dataset.from_dict])
def test_columns_are_not_copied(form):
    data = form(HELD)
    frame = judging.read_frame(data)
    assert list(frame) == ["grades", "group"]
    for name, column in frame.items():
        assert type(column) is (pa.ChunkedArray if isinstance(data, Dataset) else type(data[name]))


def test_arrow_columns_stay_in_arrow():
    selected = judging.select_frame(
        pa.table(HELD | {"model": ["x", "y"]}), columns=None, where={"model": "y"}
    )
    assert isinstance(selected["grades"], pa.ChunkedArray)
    assert selected["grades"].to_pylist() == [[1, 1]]


def test_rows_have_the_columns_of_all_of_them():
    frame = judging.read_frame([{"a": 1}, {"b": 2, "a": None}, {}])
    assert frame == {"a": [1, None, None], "b": [None, 2, None]}
    assert judging.read_frame(({"a": 1},)) == {"a": [1]}


def test_the_named_index_of_a_frame_of_samples_is_a_column():
    frame = pd.DataFrame({"correct": [1, 0, 1]}, index=pd.Index(["b", "a", "b"], name="problem"))
    assert list(at_k.score(frame, k=1).problems) == ["b", "a"]


MISSING = [None, float("nan"), pd.NA]


@for_each("missing", MISSING)
@for_each("column", ["grades", "answers"])
def test_a_missing_cell_is_a_missing_sample(column, missing):
    values = {"grades": [1, missing], "answers": ["7", missing]}
    data = pd.DataFrame({"problem": ["a"], column: [values[column]], "references": ["7"]})
    refuses(f"missing.{column}", at_k.score, data, metrics="pass_at_k", k=1)
    assert at_k.score(data, metrics="pass_at_k", k=1, missing="incorrect").values["pass@1"] == 0.5


@for_each("missing", MISSING)
@for_each("column", ["problem", "group", "references"])
def test_a_missing_name_or_reference_is_refused(column, missing):
    data = pd.DataFrame(
        {
            "problem": ["a", "b"],
            "answers": [["7"]] * 2,
            "references": ["7"] * 2,
            "group": ["x", "y"],
        }
    )
    data[column] = pd.Series([data[column][0], missing], dtype=object)
    with pytest.raises(ValueError, match=r"must hold (a label|an answer) for every problem"):
        at_k.score(data, metrics="pass_at_k", k=1)


LEVELS = [
    {"problem": f"q{i}", "correct": (i + s) % 2, "level": i % 3, "odd": i % 2}
    for i in range(6)
    for s in range(2)
]


def test_rows_in_memory_leave_out_problems():
    judged = judge_data(LEVELS, exclude={"q1": None, "q2": "2020-01-01"})
    assert judged.names == ["q0", "q2", "q3", "q4", "q5"]
    assert [note.code for note in judged.notes] == ["note.excluded", "note.exclusion_over"]


def test_a_column_names_the_clusters():
    labels = ["0", "1", "2", "0", "1", "2"]
    alone = judge_data(LEVELS, groups=None, clusters="level")
    assert (alone.labels, alone.clusters) == (None, labels)
    both = judge_data(LEVELS, groups="level", clusters="level")
    assert (both.labels, both.clusters) == (labels, labels)
    for given in ({"groups": "odd"}, {"columns": {"group": "odd"}}):
        refuses("data.two_groups", judge_data, LEVELS, **given, clusters="level")
