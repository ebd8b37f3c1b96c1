"""EvalPlus: a sample passes the base tests, or those and the additional ones."""

import json

import pytest
from cases import for_each
from readers.broken import check_variants
from readers.expected import HARNESS, check, read_expected

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

NAME = "evalplus/samples_eval_results.json"
FILE = HARNESS / NAME


def write(path, tasks):
    path.write_text(json.dumps({"date": "", "hash": "", "eval": tasks}))
    return path


def sample(base, plus):
    return {"task_id": "a", "solution": "", "base_status": base, "plus_status": plus}


@for_each("tests", ["base", "plus"])
def test_numbers(tests):
    expected = read_expected()[f"{NAME}::{tests}"]
    report = check(FILE, expected, tests=tests)["error"]
    assert f"|tests:{tests}|" in report.signatures["pass_at_k"]
    # EvalPlus prints three decimals.
    printed = expected["harness_printed"]
    assert round(report.values["pass@1"], 3) == next(
        value for key, value in printed.items() if (tests == "base") == ("base tests" in key)
    )


def test_the_default_is_plus_and_is_said():
    samples = read_samples(FILE)
    assert samples.origin.chosen == {"tests": "plus"}
    assert [note.code for note in samples.origin.notes] == ["evalplus.plus"]
    assert read_samples(FILE, tests="plus").origin.notes == []


def test_plus_needs_both_statuses(tmp_path):
    statuses = [("pass", "pass"), ("fail", "pass"), ("pass", "timeout"), ("timeout", "fail"), ("fail", None)]
    path = write(tmp_path / "f", {"a": [sample(*each) for each in statuses]})
    assert read_samples(path).grades == [[1, 0, 0, 0, 0]]
    assert read_samples(path, tests="base").grades == [[1, 0, 1, 0, 0]]


def test_a_run_of_the_base_tests_alone(tmp_path):
    path = write(tmp_path / "f", {"a": [sample("pass", None), sample("fail", None)]})
    samples = read_samples(path)
    assert (samples.grades, samples.origin.chosen, samples.origin.notes) == ([[1, 0]], {"tests": "base"}, [])
    with pytest.raises(InputError, match=r"There is no tests “plus” in this file\. It has: “base”"):
        read_samples(path, tests="plus")


def test_a_sample_without_a_status_is_missing(tmp_path):
    path = write(tmp_path / "f", {"a": [sample("pass", "pass"), sample("pass", None), sample(None, None)]})
    assert read_samples(path).grades == [[1, None, None]]


@pytest.mark.parametrize(
    ("samples", "code"),
    [
        ([], "collector.no_samples"),
        ([sample("passed", "pass")], "evalplus.status"),
        ([sample("pass", 1)], "evalplus.status"),
        (["pass"], "evalplus.status"),
        ("pass", "evalplus.status"),
        ([{"base_status": "pass"}], "evalplus.status"),
    ],
)
def test_faults(tmp_path, samples, code):
    path = write(tmp_path / "f", {"a": [sample("pass", "pass")], "b": samples})
    with pytest.raises(InputError, match=r"problem 2") as caught:
        read_samples(path)
    assert caught.value.code == code
    left = read_samples(path, errors="skip")
    assert left.problems == ["a"]
    assert [(cause.code, count) for cause, count in left.origin.skipped.items()] == [(code, 1)]


def test_named_but_of_another_layout(tmp_path):
    path = tmp_path / "f"
    path.write_text('{"eval": [1]}')
    with pytest.raises(InputError, match="maps each task to its samples"):
        at_k.score(path, format="evalplus")


def test_broken(tmp_path):
    check_variants(FILE, tmp_path, lambda document: list(document["eval"].values()))
