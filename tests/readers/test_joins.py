"""Samples that are joined to the problems of a data set of programs, by their ids."""

import gzip
import json
from pathlib import Path

import pytest
from cases import for_each

import at_k
from at_k.errors import InputError

HUMAN_EVAL = Path(__file__).parents[1] / "data" / "harness" / "HumanEval.jsonl.gz"
WRONG = "    return NotImplemented\n"


@pytest.fixture(scope="module")
def problems():
    with gzip.open(HUMAN_EVAL, "rt", encoding="utf-8") as lines:
        return [json.loads(next(lines)) for _ in range(3)]


@pytest.fixture(autouse=True)
def allowed(monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def score(samples, tests):
    return at_k.score(samples, tests=str(tests), check_correct_fn="code", metrics="pass_at_k", k=1)


@for_each("name, column, is_whole", [
    ("task_id", "completion", False), ("task_id", "solution", True), ("question_id", "output", True),
])  # fmt: skip
def test_samples_are_joined_to_problems_by_id(tmp_path, problems, name, column, is_whole):
    rows = [
        {name: problem["task_id"], column: problem["prompt"] * is_whole + body, "prompt": "Chat"}
        for problem in problems
        for body in (problem["canonical_solution"], WRONG)
    ]
    report = score(write(tmp_path / "samples.jsonl", rows), HUMAN_EVAL)
    assert report.c == [1] * 3
    notes = {note.code: str(note) for note in report.notes}
    assert notes["problems.unsampled"] == (
        "Problems of HumanEval.jsonl.gz without a sample: 161 of 164. They are left out."
    )


def test_numbers_are_ids_too(tmp_path, problems):
    listed = [problem | {"task_id": place} for place, problem in enumerate(problems)]
    rows = [{"id": str(place), "completion": WRONG} for place in range(3)]
    tests = write(tmp_path / "problems.jsonl", listed)
    report = score(write(tmp_path / "samples.jsonl", rows), tests)
    assert report.c == [0] * 3
    assert "problems.unsampled" not in {note.code for note in report.notes}


def test_what_cannot_be_joined_is_refused(tmp_path, problems):
    tests = write(tmp_path / "problems.jsonl", problems)
    samples = write(tmp_path / "samples.jsonl", [{"task_id": "other", "completion": "x"}])
    with pytest.raises(InputError, match=r"No column of samples\.jsonl names problems of problems"):
        score(samples, tests)
    with pytest.raises(ValueError, match="`tests` must be one of 'base', 'plus', or the path of"):
        score(samples, tmp_path / "nowhere.jsonl")
