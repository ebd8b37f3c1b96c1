"""The comparison module: its numbers by hand, and as `at_k.compare` has them; what it refuses; its card."""

import inspect
import json
import re
from pathlib import Path

import evaluate
import numpy as np
import pytest
from cases import for_each, refuses

import at_k

PATH = str(at_k.module_path("at_k_difference"))

FIRST = [
    ["4", "4", "5"],
    ["9", "8", "9"],
    ["1", "2", "3"],
    ["7", "7", "7"],
    ["6", "5", "4"],
    ["2", "2", "1"],
]
SECOND = [["4", "4"], ["9", "9"], ["1", "1"], ["7", "7"], ["6", "5"], ["2", "2"]]
REFERENCES = ["4", "9", "1", "7", "6", "2"]
SHARES = np.array([[2, 2, 1, 3, 1, 2], [2, 2, 2, 2, 1, 2]]) / [[3], [2]]

GRADED = {"predictions1": [[1, 1], [1, 0]], "predictions2": [[0, 1], [1, 0]]}


@pytest.fixture
def module():
    return evaluate.load(PATH)


@pytest.fixture
def graded():
    return evaluate.load(PATH, "graded")


def test_the_numbers_of_a_few_problems(module):
    assert module.module_type == "comparison"
    found = module.compute(predictions1=FIRST, predictions2=SECOND, references=REFERENCES, k=1)
    first, second = SHARES
    difference = first - second
    assert found["pass@1_predictions1"] == pytest.approx(first.mean(), rel=1e-15)
    assert found["pass@1_predictions2"] == pytest.approx(second.mean(), rel=1e-15)
    assert found["pass@1_difference"] == pytest.approx(difference.mean(), rel=1e-14)
    counts = [found[f"pass@1_{name}"] for name in ("won", "lost", "tied")]
    assert counts == [(difference > 0).sum(), (difference < 0).sum(), (difference == 0).sum()]
    assert found["pass@1_difference_ci_low"] <= 0 <= found["pass@1_difference_ci_high"]
    json.dumps(found)


def test_several_metrics_and_options_are_those_of_compare(module):
    options = {
        "k": [1, 2],
        "check_correct_fn": lambda answer, reference: answer in (reference, "5"),
        "seed": 3,
    }
    metrics = ["pass_at_k", "cons_at_k"]
    found = module.compute(
        predictions1=FIRST,
        predictions2=SECOND,
        references=REFERENCES,
        metric=metrics,
        margin=0.2,
        confidence_level=0.8,
        return_details=True,
        **options,
    )
    compared = at_k.compare(
        {"answers": FIRST, "references": REFERENCES},
        {"answers": SECOND, "references": REFERENCES},
        names=("predictions1", "predictions2"),
        metrics=metrics,
        margin=0.2,
        confidence_level=0.8,
        **options,
    )
    assert found.pop("details") == compared.to_dict()
    assert list(compared.comparisons) == ["pass@1", "pass@2", "cons@1", "cons@2"]
    for key, each in compared.comparisons.items():
        assert (found[f"{key}_difference_ci_low"], found[f"{key}_difference_ci_high"]) == (
            each.low,
            each.high,
        )
        assert found[f"{key}_p_adjusted"] == compared.p_values[key]
        assert found[f"{key}_p_equivalence"] == compared.equivalence[key]


def test_clusters_flip_whole(graded):
    given = {"predictions1": [[1, 1]] * 12, "predictions2": [[0, 1]] * 11 + [[1, 1]], "k": 1}
    assert graded.compute(**given)["pass@1_p_value"] == 4 / 2**12
    found = graded.compute(**given, clusters=["x"] * 6 + ["y"] * 6)
    assert found["pass@1_p_value"] >= 0.5
    assert "pass@1_fragility" not in found


WRONG = [
    ({"predictions1": None}, "ValueError: `predictions1` must be given, here or before"),
    (
        {"predictions2": None},
        "ValueError: `predictions2` must be given beside the other columns; got none",
    ),
    (
        {"references": None},
        "ValueError: `references` must be given beside the other columns; got none",
    ),
    ({"predictions1": "abc"}, "TypeError: `predictions1` must … 'abc'"),
    ({"predictions2": [["a"], "b"]}, "TypeError: `predictions2` must hold a list … problem 1"),
    (
        {"predictions2": [["a"], [1]]},
        "TypeError: `predictions2` must hold strings; got 1 … problem 1, sample 0",
    ),
    (
        {"predictions2": [["a"]]},
        "ValueError: `predictions2` and `references` must have equally many … ; got 1 and 2",
    ),
    ({"references": ["a", None]}, "ValueError: `references` … problem 1"),
    ({"predictions2": [["a"], [None]]}, "ValueError: Samples without an answer: 1 of 2"),
    ({"k": 2}, "ValueError: `k` must be at most n"),
    ({"metric": "best_at_k"}, "ValueError: `metric` must be one of 'gpassk', … ; got 'best_at_k'"),
    ({"metric": "pass"}, "ValueError: `metric` must be one of … ; got 'pass'"),
    ({"scores": [[1], [2]]}, "TypeError: scores"),
    (
        {"foo": 1},
        "TypeError: Unknown option `foo` of `at_k_difference`; got 1. … are metric, k, … , ties",
    ),
    ({"metrics": "pass_at_k"}, "TypeError: Unknown option `metrics` … metric"),
    ({"level": 0.9}, "TypeError: Unknown option `level` … confidence_level"),
    (
        {"clusters": ["x"]},
        "ValueError: `clusters` and `predictions1` must have equally many problems; got 1 and 2",
    ),
    (
        {"predictions1": [], "predictions2": [], "references": []},
        "ValueError: must hold at least one problem",
    ),
]


@for_each("config, changes, says", [
        *[("default", *row) for row in WRONG],
        ("graded", {"references": ["a", "b"]}, "ValueError: `references` is not a column of … 'graded'"),
        ("graded", {"predictions1": [[1]], "predictions2": [[1], [0]]},
         "ValueError: `predictions1` and `predictions2` must have equally many problems; got 1 and 2"),
        ("graded", {"predictions2": [[1], ["1"]]}, "TypeError: `predictions2` must hold numbers; got '1'"),
        ("graded", {"predictions2": [[1], [2]]}, "ValueError: `predictions2` must … 2"),  # the host would cast it
    ])  # fmt: skip
def test_wrong_input_is_refused_and_the_instance_works_on(module, graded, config, changes, says):
    instance, given = (
        (graded, {"predictions1": [[1], [1]], "predictions2": [[1], [0]]})
        if config == "graded"
        else (
            module,
            {
                "predictions1": [["a"], ["b"]],
                "predictions2": [["a"], ["c"]],
                "references": ["a", "b"],
            },
        )
    )
    refuses(says, instance.compute, **given | changes)
    assert instance.compute(**given, k=1)["pass@1_difference"] == 0.5


def test_every_option_of_the_text_is_taken(graded):
    options = {
        "on_conflict": "majority",
        "thresholds": 0.5,
        "ties": "strict",
        "timeout": 3.0,
        "num_workers": 1,
    }
    assert graded.compute(
        **GRADED, k=2, metric="gpassk", missing="drop", correct_above=0.3, **options
    )


def test_missing_samples_are_kept_until_they_are_judged(graded):
    graded.add_batch(predictions1=[[1, None], [1, 1]], predictions2=[[0, 1], [0, float("nan")]])
    refuses("ValueError: Samples without a grade", graded.compute, k=1)
    assert graded.compute(k=1, missing="incorrect")["pass@1_difference"] == pytest.approx(
        (0 + 1) / 2
    )


def test_the_card_is_that_of_the_module(module):
    card = Path(PATH, "README.md").read_text(encoding="utf-8")
    assert "\n- comparison\n" in card
    headings = re.findall(
        r"^##? .*", re.sub(r"^```.*?^```$", "", card, flags=re.MULTILINE | re.DOTALL), re.MULTILINE
    )
    assert headings == [  # as on the cards of evaluate's own comparisons
        "# Comparison Card for the difference at k",
        "## Comparison description",
        "## How to use",
        "## Inputs",
        "## Output values",
        "## Examples",
        "## Limitations and bias",
        "## Citations",
    ]
    listed = re.findall(r"^- \*\*`?([^*`]+)`?\*\*", card, re.MULTILINE)
    described = re.findall(
        r"^    (\S+?)(?: \(.*)?: ",
        module.inputs_description.partition("Examples:")[0],
        re.MULTILINE,
    )
    assert listed == described
    parameters = inspect.signature(type(module)._compute).parameters
    own = listed[: listed.index("options")]
    assert own == [name for name in parameters if name != "self"][: len(own)]
    assert f"```bibtex\n{module.citation.strip()}\n```" in card
