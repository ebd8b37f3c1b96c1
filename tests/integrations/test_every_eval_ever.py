"""The fields of schema 0.3.0, as its JSON Schema requires them, and numbers that are those of the report."""

import hashlib
import json

import pytest

import at_k
from at_k.integrations.every_eval_ever import save_records

DATA = {
    "problem": ["a", "b"],
    "answers": [["7", "8", None], ["1", "2", "2"]],
    "references": ["7", "2"],
    "grades": [[1, 0, None], [0, 1, 1]],
    "group": ["x", "y"],
}


@pytest.fixture
def written(tmp_path):
    report = at_k.score(DATA, missing="incorrect", confidence_level=0.9)
    path = save_records(report, tmp_path, model="org/m", dataset="toy", relationship="first_party")
    samples = path.with_name(f"{path.stem}_samples.jsonl")
    return report, tmp_path, path, samples


def test_the_record(written):
    report, folder, path, samples = written
    record = json.loads(path.read_text())
    assert set(record) == {
        "schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "eval_library", "model_info",
        "evaluation_results", "detailed_evaluation_results",
    }  # fmt: skip
    assert record["schema_version"] == "0.3.0"
    assert record["model_info"]["id"] == "org/m"
    assert record["source_metadata"]["evaluator_relationship"] == "first_party"
    results = {each["evaluation_result_id"]: each for each in record["evaluation_results"]}
    assert len(results) == len(record["evaluation_results"]) == 3 * len(report.values)
    found = results["all:pass@2"]
    assert found["evaluation_name"] == "toy"
    assert found["metric_config"]["metric_id"] == "pass_at_k"
    assert found["metric_config"]["metric_parameters"] == {"k": 2}
    bar = report.intervals["pass@2"]
    assert found["score_details"] == {
        "score": report.values["pass@2"],
        "uncertainty": {
            "standard_error": {"value": bar.stderr, "method": "analytic"},
            "confidence_interval": {"lower": bar.low, "upper": bar.high, "confidence_level": 0.9},
        },
    }
    assert results["y:pass@1"]["evaluation_name"] == "toy/y"
    assert results["all:G-Pass@3_0.5"]["metric_config"]["metric_parameters"] == {"k": 3, "tau": 0.5}
    details = record["detailed_evaluation_results"]
    assert folder / details["file_path"] == samples
    assert details["checksum"] == hashlib.sha256(samples.read_bytes()).hexdigest()


def test_the_samples(written):
    _, _, path, samples = written
    rows = [json.loads(line) for line in samples.read_text().splitlines()]
    record = json.loads(path.read_text())
    assert record["detailed_evaluation_results"]["total_rows"] == len(rows) == 6
    assert [row["sample_id"] for row in rows] == list("aaabbb")
    assert [row["evaluation"]["is_correct"] for row in rows] == [True, False, False, False, True, True]
    assert [row.get("error") for row in rows] == [None, None, "no verdict", None, None, None]
    assert {row["evaluation_id"] for row in rows} == {record["evaluation_id"]}
    assert {row["evaluation_result_id"] for row in rows} == {"all:avg@3"}
    assert rows[0]["answer_attribution"][0]["extracted_value"] == "7"
    assert rows[0]["input"] == {"raw": "a", "reference": ["7"]}


def test_what_cannot_be_written(tmp_path):
    report = at_k.score(DATA, missing="incorrect")
    with pytest.raises(ValueError, match="`relationship` must be one of first_party"):
        save_records(report, tmp_path, model="m", dataset="d", relationship="friend")
    report.save(tmp_path / "saved.json")
    with pytest.raises(ValueError, match="The samples are not in this report"):
        save_records(at_k.Report.load(tmp_path / "saved.json"), tmp_path, model="m", dataset="d")
