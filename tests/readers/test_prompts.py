"""Completions are joined to their prompts: in files and in data in memory."""

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest
from cases import for_each
from readers.texts import write_delimited, write_lines

import at_k
from at_k.errors import InputError
from at_k.readers.tables.prompts import join_prompts

HARNESS = Path(__file__).parents[1] / "data" / "harness"


@pytest.fixture(scope="module")
def rows():
    """The first problems of HumanEval, each with its own solution and one that is wrong, a row for each sample."""
    with gzip.open(HARNESS / "HumanEval.jsonl.gz", "rt", encoding="utf-8") as lines:
        problems = [json.loads(line) for line, _ in zip(lines, range(3), strict=False)]
    kept = ("task_id", "prompt", "entry_point", "test")
    return [
        {name: row[name] for name in kept} | {"completion": completion}
        for row in problems
        for completion in (row["canonical_solution"], "    return None\n")
    ]


WRITERS = {"jsonl": write_lines, "csv": write_delimited}
ROLES = {"references": "test"}


@pytest.mark.parametrize("form", WRITERS)
def test_a_file_of_completions_passes(monkeypatch, tmp_path, rows, form):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
    path = tmp_path / f"samples.{form}"
    path.write_text(WRITERS[form](rows))
    report = at_k.score(
        path, columns=ROLES, prompt_column="prompt", check_correct_fn="code", metrics="avg_at_n"
    )
    assert report.problems == ["HumanEval/0", "HumanEval/1", "HumanEval/2"]
    assert (report.n, report.c) == ([2] * 3, [1] * 3)
    data = at_k.read_results(path, columns=ROLES, prompt_column="prompt")
    assert data["answers"][0][0] == rows[0]["prompt"] + rows[0]["completion"]
    assert data["references"][0][0] == rows[0]["test"] + "\ncheck(has_close_elements)"


@pytest.mark.parametrize("form", WRITERS)
def test_the_rows_of_one_model_are_joined(tmp_path, rows, form):
    path = tmp_path / f"samples.{form}"
    both = [row | {"model": model, "completion": model} for model in ("a", "b") for row in rows]
    path.write_text(WRITERS[form](both))
    data = at_k.read_results(path, columns=ROLES, prompt_column="prompt", where={"model": "b"})
    assert data["answers"][:] == [[row["prompt"] + "b"] * 2 for row in rows[::2]]


@pytest.mark.parametrize("hold", [dict, pd.DataFrame])
def test_data_in_memory(monkeypatch, rows, hold):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
    data = {
        "prompt": [row["prompt"] for row in rows[::2]],
        "entry_point": [row["entry_point"] for row in rows[::2]],
        "answers": [
            [one["completion"], None, two["completion"]]
            for one, two in zip(rows[::2], rows[1::2], strict=True)
        ],
        "references": [row["test"] for row in rows[::2]],
    }
    report = at_k.score(
        hold(data),
        prompt_column="prompt",
        check_correct_fn="code",
        missing="incorrect",
        metrics="avg_at_n",
    )
    assert (report.n, report.c) == ([3] * 3, [1] * 3)


@for_each("tests, entry, called", [
    ("def check(f): pass", "g", "def check(f): pass\ncheck(g)"),
    ("def check(f): pass\ncheck(h)", "g", "def check(f): pass\ncheck(h)"), ("assert g(1)", "g", "assert g(1)"),
    ("def check(f): pass", None, "def check(f): pass"),
    (["def check(f): pass", "assert g(1)"], "g", ["def check(f): pass\ncheck(g)", "assert g(1)"]),
])  # fmt: skip
def test_check_is_called_where_nobody_calls_it(tests, entry, called):
    columns = {"prompt": ["x"], "answers": ["y"], "tests": [tests], "entry_point": [entry]}
    joined = join_prompts(columns, {"answers": "answers", "references": "tests"}, "prompt")
    assert joined == {"answers": ["xy"], "references": [called]}


@for_each("data, option, says", [
    ({"answers": [["a"]], "references": ["b"]}, "prompt", "no column “prompt”"),
    ({"answers": [["a"]], "references": ["b"], "p": [1]}, "p", "a column of texts; got .*1.* in row 0 of column “p”"),
    ({"grades": [[1]], "p": ["x"]}, "p", "there is no column of answers"),
])  # fmt: skip
def test_prompts_that_cannot_be_joined(data, option, says):
    with pytest.raises(InputError, match=says):
        at_k.score(data, prompt_column=option)
