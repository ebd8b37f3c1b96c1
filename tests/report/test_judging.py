"""From a data set of any kind to judged samples."""

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from datasets import Dataset
from reports import CORRECT, DATA

import at_k
from at_k.errors import InputError
from at_k.report.judging import judge_data, name_samples


def test_columns_become_verdicts():
    judged = judge_data(DATA)
    assert judged.verdicts.c.tolist() == [sum(row) for row in CORRECT]
    assert judged.verdicts.n.tolist() == [4] * 4
    assert judged.names == DATA["problem"]
    assert (judged.labels, judged.source, judged.origin, judged.notes) == (None, None, None, [])


def test_without_names_problems_are_numbered():
    assert judge_data({"grades": [[1], [0], [1]]}).names == ["0", "1", "2"]


def test_files_say_where_they_come_from(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text("\n".join(json.dumps({"id": name, "correct": [1, 0]}) for name in "ab"), encoding="utf-8")
    judged = judge_data(path)
    assert judged.names == ["a", "b"]
    assert judged.source == str(path)
    assert judged.origin.roles["grades"] == "correct"
    assert judge_data([path]).source == [str(path)]


def test_options_of_files_are_refused_for_data_in_memory():
    with pytest.raises(InputError) as caught:
        judge_data(DATA, format="plain", scorer=None, errors="skip")
    assert caught.value.code == "options.not_a_file"
    assert str(caught.value.values["names"]) == "`format`, `errors`"


def test_labels_are_read_before_samples_are_judged():
    for name in ("groups", "clusters"):
        with pytest.raises(ValueError, match=f"`{name}`"):  # and not the sample without a grade
            judge_data({"grades": [[None]]}, **{name: ["x", "y"]})
    judged = judge_data(DATA, groups=None, clusters=True)
    assert judged.labels == judged.clusters == DATA["group"]


@pytest.mark.parametrize(
    ("missing", "c", "n"), [("incorrect", [1, 1], [3, 2]), ("drop", [1, 1], [2, 2])], ids=["incorrect", "drop"]
)
def test_missing_samples(missing, c, n):
    judged = judge_data({"grades": [[1, None, 0], [0, 1]]}, missing=missing)
    assert (judged.verdicts.c.tolist(), judged.verdicts.n.tolist()) == (c, n)


@pytest.mark.parametrize(
    ("data", "column", "said"),
    [
        ({"grades": [[1], [None, None]]}, "grades", "without a grade: 2 of 3, such as sample 0 of problem “1”"),
        (
            {"answers": [["x", None]], "references": ["x"], "problem": ["q"]},
            "answers",
            "without an answer: 1 of 2, such as sample 1 of problem “q”",
        ),
    ],
)
def test_an_error_counts_missing_samples_and_names_the_first(data, column, said):
    with pytest.raises(InputError, match=said):
        judge_data(data)
    assert name_samples(judge_data(data, missing="incorrect").problems) == column


def test_no_problems():
    with pytest.raises(ValueError, match="data"):
        judge_data({"grades": []})


ROWS = {"task_id": ["a", "b", "a", "b"], "passed": [True, True, None, False], "level": ["x", "y", "x", "y"]}


in_every_library = pytest.mark.parametrize(
    "hold",
    [
        dict,
        pd.DataFrame,
        pl.DataFrame,
        pa.table,
        Dataset.from_dict,
        lambda columns: [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
    ],
    ids=["columns", "pandas", "Polars", "Arrow", "datasets", "rows"],
)


@in_every_library
@pytest.mark.parametrize(
    ("columns", "given"),
    [
        ({"task": ["a", "b"], "n": [2, 2], "c": [1, 2]}, {}),
        ({"task": ["a", "b"], "total": [2, 2], "solved": [1, 2]}, {"n": "total", "c": "solved"}),
        ({"id": ["a", "b"], "correct": [[1, 0], [1, 1]]}, {}),
        ({"id": ["a", "b"], "grades": [[1, 0], [1, 1]]}, {}),
    ],
    ids=["counts", "named counts", "lists", "lists of grades"],
)
def test_other_tables_in_memory_are_read_as_files_of_them_are(hold, columns, given):
    report = at_k.score(hold(columns), columns=given)
    assert (report.problems, report.n, report.c) == (["a", "b"], [2, 2], [1, 2])


def test_an_id_names_the_problems_unless_another_column_does():
    grades = {"id": ["a", "b"], "grades": [[1, 0], [1, 1]]}
    assert at_k.score(grades | {"problem": ["p", "q"]}).problems == ["p", "q"]
    assert at_k.score(grades, columns={"problem": None}).problems == ["0", "1"]
    with pytest.raises(InputError, match="'a' is in rows 0 and 1"):
        at_k.score(grades | {"id": ["a", "a"]})
    with pytest.raises(InputError, match=r"A column must say which samples are correct.*“x”"):
        at_k.score({"id": ["a", "b"], "x": [1, 2]})


@in_every_library
def test_a_row_for_each_sample_is_read_as_a_file_of_it_is(hold, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(
        "\n".join(json.dumps(dict(zip(ROWS, row, strict=True))) for row in zip(*ROWS.values(), strict=True))
    )
    options = {"missing": "incorrect", "metrics": "pass@2"}
    found, expected = at_k.score(hold(ROWS), **options), at_k.score(path, **options)
    assert (found.values, found.groups, found.per_problem) == (expected.values, expected.groups, expected.per_problem)
    with pytest.raises(InputError, match=r"task_id|sample"):
        at_k.score(hold(ROWS))  # what was not judged has a row


def test_a_column_may_be_named_as_the_problem():
    columns = {"problem": "q", "grades": "ok"}
    assert at_k.score({"q": ["a", "a"], "ok": [1, 0]}, columns=columns, metrics="pass@1").values == {"pass@1": 0.5}
