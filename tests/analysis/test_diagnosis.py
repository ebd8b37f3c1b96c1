"""Diagnoses as a whole: what they take, and the forms that they are written in. And what must be a mistake."""

import ast
import json
import re
from pathlib import Path

import numpy as np
import pytest
from cases import for_each, refuses
from diagnoses import votes
from tree import list_nodes

import at_k
from at_k.analysis.diagnosis import diagnose
from at_k.analysis.findings import Findings

ROOT = Path(__file__).parents[2]
DATA = ROOT / "examples" / "data"


class TestInput:
    def test_a_report_gives_what_its_data_give(self):
        data = votes("aab", "bba", "aaa")
        report = at_k.score(data, k=[2])
        assert diagnose(report).to_dict() == diagnose(data, k=[2]).to_dict()
        refuses("compare.scored: `k`", diagnose, report, k=[1])
        refuses("TypeError", diagnose, data, nonsense=1)
        assert (
            diagnose(data, confidence_level=None).to_dict() == diagnose(data).to_dict()
        )  # the default level

    def test_a_report_that_was_loaded(self, tmp_path):
        report = at_k.score(votes("bbbaa", "aaabb"))
        report.save(tmp_path / "report.json")
        found, whole = diagnose(at_k.Report.load(tmp_path / "report.json")), diagnose(report)
        assert diagnose(tmp_path / "report.json").to_dict() == found.to_dict()
        assert found.figures["solved"] == whole.figures["solved"]
        assert found.figures["stability"]["noise_floor"] == pytest.approx(
            whole.figures["stability"]["noise_floor"]
        )
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
        said = diagnose(data).to_markdown().partition("**How they were read**")[0].splitlines()
        assert sum(line.startswith("- ") for line in said) == len(diagnose(data).sentences)


def test_figures_and_forms_of_the_qwen_file():
    """Known of this file: 4 problems are never solved, since pass@8 is 96, and a vote of 8 gets 92.5."""
    found = diagnose(DATA / "qwen25_math.jsonl")
    assert found.figures["solved"]["never"] == 4
    assert found.figures["cons_minus_avg"]["value"] == pytest.approx(0.015)
    vote = found.figures["calibration"]["vote"]
    assert sum(vote["count"]) == 100
    assert np.dot(vote["count"], vote["accuracy"]) == pytest.approx(92.5)
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [each["rule"] for each in content["sentences"]] == [
        each.code for each in found.sentences
    ]
    whole = found.to_markdown()
    assert all(f"- {sentence}\n" in whole for sentence in found.sentences)
    assert not any(sentence.code in whole for sentence in found.sentences)
    # The short form begins with three findings, and lists the problems that flake.
    short = found.sheet(short=True)
    findings, table, further = short.parts
    assert [each.code for each in findings.said] == [
        *["diagnosis.solved", "diagnosis.wrong_majority", "diagnosis.repeated"]
    ]
    assert [row[:2] for row in table.rows[:2]] == [["81", "7 of 8"], ["37", "6 of 8"]]
    assert further.said[0].values == {"count": len(found.sentences) - 3}


def test_every_rule_and_threshold_is_in_the_document():
    text = (ROOT / "docs" / "diagnosis.md").read_text(encoding="utf-8")
    files = (ROOT / "at_k" / "analysis").glob("*.py")
    nodes = [node for file in files for node in list_nodes(file)]
    rules = {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant)
        and re.fullmatch(r"(diagnosis|bug|note)\.[a-z_]+", str(node.value))
    }
    parts = {"note.vote_of_grades"}
    assert {rule for rule in rules - parts if f"`{rule}`" not in text} == set()
    assert set(re.findall(r"`((?:diagnosis|bug)\.[a-z_]+)`", text)) <= rules


def test_clusters_widen_the_interval_of_a_difference():
    data = votes(*["aab"] * 10, *["abb"] * 10, *["aaa"] * 20)
    labels = ["x"] * 10 + ["y"] * 10 + ["z"] * 20
    alone = diagnose(data).figures["cons_minus_avg"]
    found = diagnose(data, clusters=labels).figures["cons_minus_avg"]
    assert found["value"] == pytest.approx(alone["value"], abs=1e-12)
    assert found["high"] - found["low"] > alone["high"] - alone["low"]


def test_the_largest_k_is_looked_at():
    found = diagnose(votes("aabb", "abbb"), k=[1, 4, 2])
    assert Findings(found.report).keys == {
        "pass@k": at_k.Key("pass@k", 4),
        "cons@k": at_k.Key("cons@k", 4),
        "avg@n": at_k.Key("avg@n", 4),
    }


class TestMistakes:
    def test_good_numbers_have_none(self):
        for path in {*DATA.glob("*.jsonl")} - {
            DATA / "published.jsonl"
        }:  # counts of ten models, and no samples
            where = (
                {"prompt": "long"} if path.stem == "codex_puzzles" else None
            )  # this one has two prompts
            assert diagnose(at_k.score(path, where=where)).mistakes == []
        for data in (
            {"grades": [[1, 0]], "scores": [[-7.0, 90.0]]},  # scores have no range
            {
                "answers": [[None, None, "a", "a"]],
                "grades": [[0, 1, 1, 1]],
            },  # a sample without an answer is no vote
            {"answers": [["b", "b"]], "grades": [[0, 0]]},  # a grader may reject both
            votes("bbc", "acc"),
        ):
            assert diagnose(data).mistakes == []

    def test_one_answer_with_two_verdicts(self, tmp_path):
        answers, grades = [["x", "y"], ["x", "x"], ["z", "z"]], [[1, 0], [1, 1], [0, 1]]
        data = {"problem": ["p", "q", "r"], "answers": answers, "grades": grades}
        found = diagnose(data)
        (mistake,) = found.mistakes
        assert mistake.values == {"count": 1, "total": 3, "answer": "'z'", "problem": "“r”"}
        assert found.figures["problems_with_two_verdicts"] == 1
        assert found.figures["wrong_majority"] is None  # no vote without verdicts
        decided = diagnose(data, on_conflict="majority")
        assert [each.code for each in decided.mistakes] == ["bug.two_verdicts"]
        assert decided.figures["wrong_majority"] is not None
        at_k.score(data).save(tmp_path / "report.json")
        assert [each.code for each in diagnose(str(tmp_path / "report.json")).mistakes] == [
            "left_out.conflict"
        ]
