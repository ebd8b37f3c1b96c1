"""A report as a value: what it holds, and the forms and files in which it leaves Python and comes back."""

import io
import json
import pickle
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from cases import refuses
from reports import DATA, RAGGED, TAUS, close, full_report, simulated_report

import at_k
from at_k.report import Report
from at_k.report.report import write_script
from at_k.results import saving
from at_k.values import Key


def test_a_report_describes_itself():
    report = full_report()
    assert len(report) == 4
    assert report.k == (1, 2, 4)
    assert list(report.per_problem)[:4] == ["problem", "group", "n", "c"]
    assert list(report.per_problem)[4:] == list(report.values)
    assert {len(column) for column in report.per_problem.values()} == {4}
    assert "group" not in at_k.score(DATA, groups=False).per_problem
    assert report._repr_html_() == report.to_html()
    assert report.to_html().startswith("<table>")
    assert report.curves is report.curves  # computed once
    assert {type(key) for key in [*report.values, *report.by_problem, *report.curves.lines]} == {
        Key
    }
    assert sorted(key for keys in report.metrics.values() for key in keys) == sorted(report.values)


def test_to_dict_is_json():
    for report in (full_report(), simulated_report()):
        written = json.loads(report.to_json())
        assert (
            written == report.to_dict() == json.loads(json.dumps(report.to_dict(), allow_nan=False))
        )
        assert written["values"] == report.values
        assert written["groups"] == report.groups
        assert written["errors"] == report.errors
        assert (written["n_problems"], written["n_samples"]) == (len(report), sum(report.n))
        assert written["n_missing"] == report.n_missing
        assert written["notes"] == list(map(str, report.notes))
        assert written["left_out"] == {
            name: str(reason) for name, reason in report.left_out.items()
        }
        assert written["signatures"] == report.signatures
    assert "é" in at_k.score({"grades": [[1]], "group": ["é"]}).to_json()


def test_a_report_without_curves():
    report = full_report()
    empty = Report(
        **{
            name: getattr(report, name)
            for name in report.__dataclass_fields__
            if name != "draw_curves"
        }
    )
    assert (empty.curves.k, empty.curves.lines) == ((), {})


def test_a_terminal_is_given_what_it_can_show(monkeypatch):
    report = at_k.score({"grades": [[1, 0]], "group": ["é"]})
    assert "é" in str(report)
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert "\\xe9" in str(report)
    monkeypatch.setattr(sys, "stdout", None)
    assert "é" in str(report)


def test_a_report_that_was_saved_has_no_samples(tmp_path):
    """An error says what to do where data are expected."""
    path, report = tmp_path / "report.json", at_k.score({"grades": [[1, 0]]})
    assert report.samples[1].c.tolist() == [1]
    report.save(path)
    for data in (path, str(path), [str(path)]):
        refuses(
            "InputError: This is a report that was saved, … Read it by `at_k.", at_k.score, data
        )
    refuses(
        "TypeError: `data` must be a data set or the path of a file; got a report",
        at_k.score,
        report,
    )
    for each in (Report.load(path), at_k.score(at_k.Tally.of({"grades": [[1, 0]]}))):
        refuses("InputError: does not hold its samples", getattr, each, "samples")


HUMAN_EVAL = (
    Path(__file__).parents[1] / "data" / "harness" / "human-eval" / "samples.jsonl_results.jsonl"
)
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
    "file": lambda: at_k.score(HUMAN_EVAL),
    "any correct_above": lambda: at_k.score(DATA, k=[1, 2], thresholds=[0.0, 1, 0.1, *TAUS]),
}  # fmt: skip


@pytest.mark.parametrize("make", REPORTS.values(), ids=REPORTS)
def test_everything_comes_back(make, tmp_path):
    report = make()
    path = tmp_path / "report.json"
    report.save(path)
    loaded = Report.load(str(path))
    for name in ("per_problem", "intervals", "curves", "origin"):
        assert getattr(loaded, name) == getattr(report, name)
    keys, expected = (
        [(key.metric, key.k, key.tau, type(key.tau)) for key in each.values]
        for each in (loaded, report)
    )
    assert keys == expected
    assert loaded == report == pickle.loads(pickle.dumps(report))
    for write in (Report.to_dict, Report.to_markdown, Report.to_csv, write_script):
        assert write(loaded) == write(report)
    assert loaded.curves == report.curves
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    loaded.save(tmp_path / "again.json")
    assert Report.load(tmp_path / "again.json") == report


def test_a_function_keeps_its_name(tmp_path):
    report = at_k.score(DATA, k=1, check_correct_fn=close)
    report.save(tmp_path / "a.JSON")
    loaded = Report.load(tmp_path / "a.JSON")
    assert write_script(loaded) == write_script(report)
    with pytest.raises(RuntimeError, match="the function close was not saved with the result"):
        loaded.options["check_correct_fn"]("a", "b")
    loaded.save(tmp_path / "b.json")
    assert Report.load(tmp_path / "b.json").options == loaded.options


def test_a_failure_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "report.json"
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


@pytest.mark.parametrize(
    "name", ["report", "report.csv", "report.parquet", "json", "report.json.gz"]
)
def test_other_endings_are_refused(name, tmp_path):
    with pytest.raises(ValueError, match=r"`path` must end in \.json; got '.*" + name):
        full_report().save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", "null", "{}", '{"format": "another"}', '"at-k report"', "\xff"]
)
def test_a_json_file_that_is_no_report(text, tmp_path):
    path = tmp_path / "other.json"
    path.write_bytes(text.encode("latin-1"))
    refuses(
        "ValueError: `path` must be a report that was saved; ' … other.json' is", Report.load, path
    )


HAVE_DEFAULTS = {
    "options",
    "source",
    "origin",
    "times",
    "drawn",
    "signed",
    "audited",
    "audited_intervals",
}


def test_a_damaged_report(tmp_path):
    path = tmp_path / "report.json"
    full_report().save(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    for name in content["state"]["with"]:
        state = {each: value for each, value in content["state"]["with"].items() if each != name}
        if name not in HAVE_DEFAULTS:
            path.write_text(
                json.dumps({**content, "state": {**content["state"], "with": state}}), "utf-8"
            )
            with pytest.raises(ValueError, match="is damaged"):
                Report.load(path)
    path.write_text(json.dumps({**content, "state": content["state"]["with"]["values"]}), "utf-8")
    with pytest.raises(ValueError, match=r"`path` must be a report that was saved; .* is damaged"):
        Report.load(path)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no folder .*missing to write report"):
        full_report().save(tmp_path / "missing" / "report.json")
    with pytest.raises(FileNotFoundError):
        Report.load(tmp_path / "nothing.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(IsADirectoryError, match=r"folder\.json is a folder"):
        full_report().save(tmp_path / "folder.json")
    assert [each.name for each in tmp_path.iterdir()] == ["folder.json"]
