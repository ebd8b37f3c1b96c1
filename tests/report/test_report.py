"""A report as a value: what it holds, and the forms in which it leaves Python."""

import io
import json
import pickle
import sys
from dataclasses import replace

import pytest
from cases import refuses
from reports import DATA, TAUS, full_report, simulated_report

import at_k
from at_k.report import Report
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
    assert {type(key) for key in [*report.values, *report.by_problem, *report.curves.lines]} == {Key}
    assert sorted(key for keys in report.metrics.values() for key in keys) == sorted(report.values)


def test_to_dict_is_json():
    for report in (full_report(), simulated_report()):
        written = json.loads(report.to_json())
        assert written == report.to_dict() == json.loads(json.dumps(report.to_dict(), allow_nan=False))
        assert written["values"] == report.values
        assert written["groups"] == report.groups
        assert written["errors"] == report.errors
        assert (written["n_problems"], written["n_samples"]) == (len(report), sum(report.n))
        assert written["n_missing"] == report.n_missing
        assert written["notes"] == list(map(str, report.notes))
        assert written["left_out"] == {name: str(reason) for name, reason in report.left_out.items()}
        assert written["signatures"] == report.signatures
    assert "é" in at_k.score({"grades": [[1]], "group": ["é"]}).to_json()


def test_to_pandas():
    frame = full_report().to_pandas()
    columns = ["group", "problems", "metric", "k", "tau", "key", "value"]
    assert list(frame.columns) == [*columns, "stderr", "ci_low", "ci_high"]
    assert list(at_k.score(DATA, k=1, confidence_level=None).to_pandas().columns) == columns
    assert set(frame[frame["group"] == "Level 2"]["problems"]) == {2}
    third = frame[frame["tau"] == "2/3"]
    assert (sorted(set(third["k"])), set(third["metric"])) == ([1, 2, 4], {"G-Pass@k"})


def test_a_report_without_curves():
    report = full_report()
    empty = Report(**{name: getattr(report, name) for name in report.__dataclass_fields__ if name != "draw_curves"})
    assert (empty.curves.k, empty.curves.lines) == ((), {})


def test_two_reports_of_the_same_data_hold_the_same():
    assert full_report() == full_report()
    assert full_report() != at_k.score(DATA, k=[1, 2], thresholds=TAUS)


def test_a_terminal_is_given_what_it_can_show(monkeypatch):
    report = at_k.score({"grades": [[1, 0]], "group": ["é"]})
    assert "é" in str(report)
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert "\\xe9" in str(report)
    monkeypatch.setattr(sys, "stdout", None)
    assert "é" in str(report)


def test_a_report_can_be_pickled():
    report = at_k.score({"grades": [[1, 0, 1], [0, 0, 1]]}, k=2)
    copied = pickle.loads(pickle.dumps(report))
    assert copied.values == report.values
    assert copied.curves.lines == report.curves.lines
    assert replace(copied, notes=[]).signatures == report.signatures
    assert report.signatures["pass_at_k"].startswith("pass_at_k|n:3|k:2|")


class TestScoredAgain:
    """A report has no samples: where data are expected, an error says what to do."""

    def test_the_file_of_a_report(self, tmp_path):
        path = tmp_path / "report.json"
        at_k.score({"grades": [[1, 0]]}).save(path)
        for data in (path, str(path), [str(path)]):
            refuses("InputError: This is a report that was saved, … Read it by `at_k.", at_k.score, data)

    def test_a_report(self):
        with pytest.raises(TypeError, match="`data` must be a data set or the path of a file; got a report"):
            at_k.score(at_k.score({"grades": [[1, 0]]}))

    def test_it_has_no_samples(self, tmp_path):
        report = at_k.score({"grades": [[1, 0]]})
        assert report.samples[1].c.tolist() == [1]
        report.save(tmp_path / "report.json")
        for each in (at_k.Report.load(tmp_path / "report.json"), at_k.score(at_k.Tally.of({"grades": [[1, 0]]}))):
            with pytest.raises(at_k.InputError, match="does not hold its samples"):
                _ = each.samples
