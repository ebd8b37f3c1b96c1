"""A report that is saved and loaded is the same."""

import json
import pickle
from fractions import Fraction
from pathlib import Path

import pytest
from cases import refuses
from reports import DATA, RAGGED, TAUS, close, full_report, simulated_report

import at_k
from at_k.integrations.scripts import write_script
from at_k.report import Report
from at_k.results import saving

KINDS = pytest.mark.parametrize("kind", ["json", "JSON"])
REPORTS = {
    "full": full_report,
    "simulated": simulated_report,
    "odd labels": lambda: at_k.score(RAGGED),
    "fraction": lambda: at_k.score(DATA, thresholds=Fraction(1, 3), k=[1, 2]),
    "mappings": lambda: at_k.score(
        {"g": [[1], [0]], "fraction": ["a", "a"], "function": ["x", "y"]},
        columns={"grades": "g", "scores": None}, where={"fraction": "a", "function": ["x", "y"]},
    ),
    "reasons with places": lambda: at_k.score(
        {"answers": [["1", "1"]], "grades": [[1, 0]], "scores": [[1, None]]}, k=1
    ),
    "labels": lambda: at_k.score(DATA, k=2, groups=["a", "b", "a", "é"], seed=7, metrics="avg_at_n"),
}  # fmt: skip


@KINDS
@pytest.mark.parametrize("make", REPORTS.values(), ids=REPORTS)
def test_everything_comes_back(make, kind, tmp_path):
    report = make()
    path = tmp_path / f"report.{kind}"
    report.save(path)
    loaded = Report.load(str(path))
    assert (loaded.per_problem, loaded.intervals, loaded.curves) == (
        report.per_problem,
        report.intervals,
        report.curves,
    )
    assert [(key.metric, key.k, key.tau) for key in loaded.values] == [
        (key.metric, key.k, key.tau) for key in report.values
    ]
    assert loaded == report == pickle.loads(pickle.dumps(report))
    assert loaded.to_dict() == report.to_dict()
    assert (loaded.to_markdown(), loaded.to_csv(), write_script(loaded)) == (
        report.to_markdown(), report.to_csv(), write_script(report)
    )  # fmt: skip
    assert loaded.curves.at(1) == report.curves.at(1)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    loaded.save(tmp_path / "again.json")
    assert Report.load(tmp_path / "again.json") == report


@KINDS
def test_a_function_keeps_its_name(kind, tmp_path):
    report = at_k.score(DATA, k=1, check_correct_fn=close)
    report.save(tmp_path / f"a.{kind}")
    loaded = Report.load(tmp_path / f"a.{kind}")
    assert write_script(loaded) == write_script(report)
    with pytest.raises(RuntimeError, match="the function close was not saved with the result"):
        loaded.options["check_correct_fn"]("a", "b")
    loaded.save(tmp_path / f"b.{kind}")
    assert Report.load(tmp_path / f"b.{kind}").options == loaded.options


@KINDS
def test_a_failure_leaves_the_old_file(kind, tmp_path, monkeypatch):
    path = tmp_path / f"report.{kind}"
    full_report().save(path)
    before = path.read_bytes()
    monkeypatch.setattr(saving.Path, "replace", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        simulated_report().save(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    broken = full_report()
    broken.options["where"] = {"x": object()}  # nothing that a file can hold
    with pytest.raises(TypeError):
        broken.save(path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["report", "report.csv", "report.parquet", "json", "report.json.gz"])
def test_other_endings_are_refused(name, tmp_path):
    with pytest.raises(ValueError, match=r"`path` must end in \.json; got '.*" + name):
        full_report().save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "null", "{}", '{"format": "another"}', '"at-k report"', "\xff"])
def test_a_json_file_that_is_no_report(text, tmp_path):
    path = tmp_path / "other.json"
    path.write_bytes(text.encode("latin-1"))
    refuses("ValueError: `path` must be a report that was saved; ' … other.json' is", Report.load, path)


@KINDS
def test_a_damaged_report(kind, tmp_path):
    path = tmp_path / f"report.{kind}"
    full_report().save(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    for name in content["state"]["with"]:
        state = {each: value for each, value in content["state"]["with"].items() if each != name}
        if name not in (
            "options",
            "source",
            "origin",
            "times",
            "drawn",
            "signed",
            "audited",
            "audited_intervals",
        ):  # which have defaults
            path.write_text(json.dumps({**content, "state": {**content["state"], "with": state}}), "utf-8")
            with pytest.raises(ValueError, match="is damaged"):
                Report.load(path)
    path.write_text(json.dumps({**content, "state": content["state"]["with"]["values"]}), "utf-8")
    with pytest.raises(ValueError, match=r"`path` must be a report that was saved; .* is damaged"):
        Report.load(path)


@KINDS
def test_a_file_that_is_not_there(kind, tmp_path):
    with pytest.raises(FileNotFoundError):
        Report.load(tmp_path / f"nothing.{kind}")


def test_keys_with_any_threshold(tmp_path):
    report = at_k.score(DATA, k=[1, 2], thresholds=[0.0, 1, 0.1, *TAUS])
    report.save(tmp_path / "report.json")
    loaded = Report.load(tmp_path / "report.json")
    assert [(key.tau, type(key.tau)) for key in loaded.values] == [(key.tau, type(key.tau)) for key in report.values]


@KINDS
def test_a_folder_that_is_not_there(kind, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no folder .*missing to write report"):
        full_report().save(tmp_path / "missing" / f"report.{kind}")
    (tmp_path / f"folder.{kind}").mkdir()
    with pytest.raises(IsADirectoryError, match=rf"folder\.{kind} is a folder"):
        full_report().save(tmp_path / f"folder.{kind}")
    assert [each.name for each in tmp_path.iterdir()] == [f"folder.{kind}"]


def test_the_origin_is_kept(tmp_path):
    path = Path(__file__).parents[1] / "data" / "harness" / "human-eval" / "samples.jsonl_results.jsonl"
    report = at_k.score(path)
    report.save(tmp_path / "report.json")
    loaded = Report.load(tmp_path / "report.json")
    assert loaded.to_dict() == report.to_dict()
    assert (loaded.origin.harness, loaded.origin.roles) == ("human-eval", {"problem": "task_id", "grades": "passed"})
