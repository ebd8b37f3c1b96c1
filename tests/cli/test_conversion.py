"""Files of any harness become records of Every Eval Ever, from which the same numbers follow."""

import json
import re

import pytest
from typer.testing import CliRunner

import at_k
from at_k.cli import app

RESULTS = "examples/data/qwen25_math.jsonl"


def convert(*words):
    return CliRunner().invoke(app, ["convert", *words, "--to", "every-eval-ever"])


def test_the_same_numbers_follow(tmp_path):
    said = convert(RESULTS, "--model", "Qwen/Qwen2.5", "--dataset", "math", "--out", str(tmp_path))
    assert said.exit_code == 0, said.output
    (written,) = tmp_path.glob("data/math/Qwen/Qwen2.5/*_samples.jsonl")
    report, again = at_k.score(RESULTS), at_k.score(written)
    assert again.values == {key: value for key, value in report.values.items() if key in again.values}
    assert set(report.metrics) - set(again.metrics) == {"best_at_k"}  # the format has no field for scores
    record = json.loads((written.parent / written.name.replace("_samples.jsonl", ".json")).read_text())
    found = {
        result["metric_config"]["metric_name"]: result["score_details"]["score"]
        for result in record["evaluation_results"]
        if result["evaluation_name"] == "math"
    }
    assert found == report.values


@pytest.mark.parametrize(
    ("given", "missing"), [((), "model"), (("--model", "a"), "dataset"), (("--dataset", "b"), "model")]
)
def test_names_are_asked_for(given, missing, tmp_path):
    said = convert(RESULTS, *given, "--out", str(tmp_path))
    assert said.exit_code == 2
    assert f"do not say which {missing} they are of" in " ".join(re.sub("[│╭╮╰╯─]", "", said.output).split())
    assert list(tmp_path.iterdir()) == []
