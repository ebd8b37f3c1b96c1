"""verifiers: rollouts with an error are missing."""

import json

import pytest
from readers.broken import check_variants
from readers.expected import HARNESS, check, read_expected

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

NAME = "verifiers/results.jsonl"
FILE = HARNESS / NAME


def write(path, *rows):
    whole = {"example_id": 0, "completion": [], "answer": "7", "reward": 1.0, "error": None, "metrics": {}}
    path.write_text("\n".join(json.dumps(whole | row) for row in rows))
    return path


def test_numbers():
    reports = check(FILE, read_expected()[NAME])
    assert reports.keys() == {"drop", "incorrect"}


def test_the_harness_prints_the_same():
    # It counts a rollout with an error as wrong. Its threshold is ≥ 0.5 and ours > 0.5, but no reward is 0.5.
    printed = json.loads((FILE.parent / "metadata.json").read_text())
    report = at_k.score(FILE, missing="incorrect", k=[1, 2, 4])
    for k in ("1", "2", "4"):
        assert report.values[f"pass@{k}"] == pytest.approx(printed["pass_at_k"][k], abs=1e-12)
        assert report.values[f"G-Pass@{k}_1.0"] == pytest.approx(printed["pass_all_k"][k], abs=1e-12)
    assert report.values["accuracy"] == pytest.approx(printed["avg_reward"], abs=1e-12)


def test_errors_are_missing_whatever_their_reward(tmp_path):
    path = write(tmp_path / "f", {}, {"error": {"error": "E"}, "reward": 1.0}, {"error": "E"}, {"error": ""})
    assert read_samples(path).grades == [[1.0, None, None, None]]


def test_metrics_can_be_chosen():
    samples = read_samples(FILE)
    assert samples.origin.chosen == {"scorer": "reward"}
    assert [note.code for note in samples.origin.notes] == ["collector.choice"]
    chosen = read_samples(FILE, scorer="correct")
    assert (chosen.grades, chosen.origin.notes) == (samples.grades, [])
    with pytest.raises(InputError, match="“reward”, “correct”, “short”, “num_turns”"):
        read_samples(FILE, scorer="long")


def test_a_reward_that_is_no_grade(tmp_path):
    path = write(tmp_path / "f", *({"reward": each, "metrics": {"right": 1.0}} for each in (1.0, 1.5)))
    with pytest.raises(InputError, match=r"got 1\.5 \(line 2\).*“right”") as caught:
        read_samples(path)
    assert caught.value.code == "verifiers.reward"
    assert read_samples(path, scorer="right").grades == [[1.0, 1.0]]


def test_a_metric_that_a_rollout_does_not_have(tmp_path):
    path = write(tmp_path / "f", {"metrics": {"right": 1.0}}, {"metrics": {}}, {"metrics": None})
    with pytest.raises(InputError, match=r"“right” is missing \(line 2"):
        read_samples(path, scorer="right")
    assert read_samples(path, scorer="right", errors="skip").grades == [[1.0]]


def test_the_fields_of_info_may_group():
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    report = at_k.score(FILE, columns={"group": "level"}, missing="drop")
    assert dict(zip(report.problems, report.labels, strict=True)) == {
        str(row["example_id"]): row["info"]["level"] for row in rows
    }
    assert read_samples(FILE).references == [[row["answer"]] for row in rows[::4]]


def test_broken(tmp_path):
    check_variants(FILE, tmp_path, missing="drop")
