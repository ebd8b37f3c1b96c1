"""The JSON Schema of results accepts what `to_json` writes, and nothing that lacks a part."""

import json
from copy import deepcopy
from pathlib import Path

import pytest
from cases import for_each
from jsonschema import Draft202012Validator

import at_k

ROOT = Path(__file__).parent.parent.parent
SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)

A = {"grades": [[1, 0, 1], [1, 1, 0], [0, 0, 1]] * 4}
B = {"grades": [[1, 0, 0], [1, 1, 0], [0, 0, 0]] * 4}
SCORED = {
    "answers": [["7", "9", "7"], ["1", None, "2"]],
    "references": ["7", "2"],
    "scores": [[0.1, 0.2, 0.3]] * 2,
}

MADE = {
    "a report": lambda: at_k.score(A),
    "a report with groups": lambda: at_k.score(A, groups=["x", "y", "x"] * 4),
    "a report without intervals": lambda: at_k.score(A, confidence_level=None),
    "a report of answers and scores": lambda: at_k.score(SCORED, missing="drop"),
    "a report of a file": lambda: at_k.score(ROOT / "examples" / "data" / "qwen25_math.jsonl"),
    "a comparison": lambda: at_k.compare(A, B),
    "a comparison of the same samples": lambda: at_k.compare(A, A),
    "a comparison within a margin": lambda: at_k.compare(A, B, margin=0.1),
    "a gate": lambda: at_k.gate(A, require=["pass@1 >= 0.5", "pass@3 >= 0.1"]),
    "a gate that fails": lambda: at_k.gate(B, require="pass@1 >= 0.9"),
    "a gate against a base": lambda: at_k.gate(A, B, margin=0.05),
}


def test_it_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


@for_each("name", MADE)
@pytest.mark.filterwarnings("ignore")
def test_results_are_valid(name):
    made = json.loads(MADE[name]().to_json())
    errors = [error.message for error in VALIDATOR.iter_errors(made)]
    assert errors == []


@for_each("name, path, value", [
    ("a report", ["values", "pass@1"], "0.5"), ("a report", ["n_problems"], -1), ("a report", ["signatures"], None),
    ("a report", ["intervals", "pass@1", "low"], None), ("a report", ["notes", 0], 3),
    ("a comparison", ["keys", "pass@1", "p_value"], 1.5), ("a comparison", ["names"], ["A"]),
    ("a gate", ["decision"], "MAYBE"), ("a gate", ["checks"], []), ("a gate", ["exit_code"], 2),
])  # fmt: skip
def test_damaged_results_are_not_valid(name, path, value):
    """A part is replaced, or left out where the value is None."""
    made = json.loads(MADE[name]().to_json())
    damaged = deepcopy(made)
    *outer, last = path
    part = damaged
    for each in outer:
        part = part[each]
    if value is None:
        del part[last]
    else:
        part[last] = value
    assert VALIDATOR.is_valid(made)
    assert not VALIDATOR.is_valid(damaged)
