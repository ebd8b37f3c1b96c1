"""Diagnoses as a whole: what they take, and the forms that they are written in. Each rule has tests of its own."""

import ast
import json
import re
from pathlib import Path

import numpy as np
import pytest
from cases import for_each
from diagnoses import votes
from tree import list_nodes

import at_k
from at_k.analysis.diagnosis import diagnose

ROOT = Path(__file__).parents[2]
DATA = ROOT / "examples" / "data"


class TestInput:
    def test_a_report_gives_what_its_data_give(self):
        data = votes("aab", "bba", "aaa")
        report = at_k.score(data, k=[2])
        assert diagnose(report).to_dict() == diagnose(data, k=[2]).to_dict()
        assert "pass@2" in diagnose(report).to_markdown()

    def test_a_report_takes_no_options(self):
        with pytest.raises(ValueError, match="`k`") as caught:
            diagnose(at_k.score(votes("aab")), k=[1])
        assert caught.value.code == "compare.scored"
        with pytest.raises(TypeError):
            diagnose(votes("aab"), nonsense=1)

    def test_a_report_that_was_loaded(self, tmp_path):
        report = at_k.score(votes("bbbaa", "aaabb"))
        report.save(tmp_path / "report.json")
        found, whole = diagnose(at_k.Report.load(tmp_path / "report.json")), diagnose(report)
        assert diagnose(tmp_path / "report.json").to_dict() == found.to_dict()
        assert found.figures["solved"] == whole.figures["solved"]
        assert found.figures["stability"]["kappa"] == pytest.approx(whole.figures["stability"]["kappa"])
        assert found.figures["stability"]["run_accuracy"] == []
        assert found.figures["repeated"] is None
        assert found.figures["calibration"] == {}
        assert {each.code for each in found.sentences} < {each.code for each in whole.sentences}

    @for_each("metric", at_k.METRICS)
    def test_reports_of_one_metric(self, metric):
        data = votes("aab", "bba") | {"scores": [[1.0, 2.0, 3.0]] * 2}
        assert diagnose(data, metrics=[metric]).figures["solved"]["sometimes"] == 2

    def test_an_odd_name_stays_on_its_line(self):
        data = {"problem": ["a\n- b"], **votes("bbbaa")}
        assert len(diagnose(data).to_markdown().splitlines()) == len(diagnose(data).sentences)


def test_forms():
    found = diagnose(DATA / "qwen25_math.jsonl")
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [each["rule"] for each in content["sentences"]] == [each.code for each in found.sentences]
    assert str(found) == found.to_markdown()
    assert all(line.startswith("- ") and line.endswith("`)") for line in str(found).splitlines())


def test_figures_of_the_qwen_file():
    """Known of this file: 4 problems are never solved, since pass@8 is 96, and a vote of 8 gets 92.5."""
    found = diagnose(DATA / "qwen25_math.jsonl").figures
    assert found["solved"]["never"] == 4
    assert found["cons_minus_avg"]["value"] == pytest.approx(0.015)
    assert sum(found["calibration"]["vote"]["width"]["count"]) == 100
    right = np.dot(found["calibration"]["vote"]["width"]["count"], found["calibration"]["vote"]["width"]["accuracy"])
    assert right == pytest.approx(92.5)


def test_every_rule_and_threshold_is_in_the_document():
    text = (ROOT / "docs" / "diagnosis.md").read_text(encoding="utf-8")
    files = (ROOT / "at_k" / "analysis").glob("*.py")
    nodes = [node for file in files for node in list_nodes(file)]
    rules = {node.value for node in nodes if isinstance(node, ast.Constant)
             and re.fullmatch(r"(diagnosis|bug|note)\.[a-z_]+", str(node.value))}  # fmt: skip
    parts = {"note.vote_of_grades"}
    assert {rule for rule in rules - parts if f"`{rule}`" not in text} == set()
    assert set(re.findall(r"`((?:diagnosis|bug)\.[a-z_]+)`", text)) <= rules
