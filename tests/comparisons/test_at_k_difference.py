"""The comparison module: its numbers by hand, and as `at_k.compare` has them; what it refuses; its card."""

import inspect
import json
import re
from itertools import product
from pathlib import Path

import evaluate
import numpy as np
import pytest
from cases import for_each

import at_k

PATH = str(at_k.module_path("at_k_difference"))

FIRST = [["4", "4", "5"], ["9", "8", "9"], ["1", "2", "3"], ["7", "7", "7"], ["6", "5", "4"], ["2", "2", "1"]]
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


def sign_flip(differences):
    """The share of all choices of signs with a sum as large as the one seen."""
    sums = [abs(np.dot(signs, differences)) for signs in product((1, -1), repeat=len(differences))]
    return np.mean(np.array(sums) >= abs(differences.sum()) - 1e-12)


def test_the_numbers_of_a_few_problems(module):
    assert module.module_type == "comparison"
    found = module.compute(predictions1=FIRST, predictions2=SECOND, references=REFERENCES, k=1)
    first, second = SHARES
    difference = first - second
    assert found["pass@1_predictions1"] == pytest.approx(first.mean(), rel=1e-15)
    assert found["pass@1_predictions2"] == pytest.approx(second.mean(), rel=1e-15)
    assert found["pass@1_difference"] == pytest.approx(difference.mean(), rel=1e-14)
    assert found["pass@1_p_value"] == sign_flip(difference)
    counts = [found[f"pass@1_{name}"] for name in ("won", "lost", "tied")]
    assert counts == [(difference > 0).sum(), (difference < 0).sum(), (difference == 0).sum()]
    assert found["pass@1_difference_ci_low"] <= 0 <= found["pass@1_difference_ci_high"]
    json.dumps(found)


def test_several_metrics_and_options_are_those_of_compare(module):
    options = {"k": [1, 2], "check_correct_fn": lambda answer, reference: answer in (reference, "5"), "seed": 3}
    metrics = ["pass_at_k", "cons_at_k"]
    found = module.compute(
        predictions1=FIRST, predictions2=SECOND, references=REFERENCES, metric=metrics, margin=0.2,
        confidence_level=0.8, return_details=True, **options,
    )  # fmt: skip
    compared = at_k.compare(
        {"answers": FIRST, "references": REFERENCES}, {"answers": SECOND, "references": REFERENCES},
        names=("predictions1", "predictions2"), metrics=metrics, margin=0.2, confidence_level=0.8, **options,
    )  # fmt: skip
    assert found.pop("details") == compared.to_dict()
    assert list(compared.comparisons) == ["pass@1", "pass@2", "cons@1", "cons@2"]
    for key, each in compared.comparisons.items():
        assert (found[f"{key}_difference_ci_low"], found[f"{key}_difference_ci_high"]) == (each.low, each.high)
        assert found[f"{key}_p_adjusted"] == compared.adjusted[key]
        assert found[f"{key}_p_equivalence"] == compared.equivalence[key]


def test_seven_problems_that_differ_are_enumerated(graded):
    """r_P from the third smallest to the third largest of 127."""
    found = graded.compute(predictions1=[[1, 1]] * 7, predictions2=[[0, 1]] * 6 + [[0, 0]], k=1)
    means = sorted(
        (sum(chosen) / 2 + own) / (sum(chosen) + own)
        for chosen in product((0, 1), repeat=6) for own in (0, 1) if sum(chosen) + own
    )  # fmt: skip
    assert (found["pass@1_difference_ci_low"], found["pass@1_difference_ci_high"]) == (means[2], means[-3])
    assert found["pass@1_p_value"] == sign_flip(np.array([0.5] * 6 + [1.0]))


def test_clusters_flip_whole(graded):
    given = {"predictions1": [[1, 1]] * 8, "predictions2": [[0, 1]] * 7 + [[0, 0]], "k": 1}
    assert graded.compute(**given)["pass@1_p_value"] == 2 / 2**8
    found = graded.compute(**given, clusters=["x"] * 4 + ["y"] * 4)
    assert found["pass@1_p_value"] == 0.5
    assert "pass@1_fragility" not in found


def test_batches_and_single_problems_are_one_data_set(module, graded):
    whole = module.compute(predictions1=FIRST, predictions2=SECOND, references=REFERENCES, k=1)
    module.add(predictions1=FIRST[0], predictions2=SECOND[0], references=REFERENCES[0])
    module.add_batch(predictions1=FIRST[1:3], predictions2=SECOND[1:3], references=REFERENCES[1:3])
    assert module.compute(predictions1=FIRST[3:], predictions2=SECOND[3:], references=REFERENCES[3:], k=1) == whole
    graded.add(predictions1=GRADED["predictions1"][0], predictions2=GRADED["predictions2"][0])
    graded.add(predictions1=GRADED["predictions1"][1], predictions2=GRADED["predictions2"][1])
    assert graded.compute(k=1) == graded.compute(**GRADED, k=1)


@for_each("changes, error, said", [
        ({"predictions1": None}, ValueError, "`predictions1` must be given, here or before"),
        ({"predictions2": None}, ValueError, "`predictions2` must be given beside the other columns; got none"),
        ({"references": None}, ValueError, "`references` must be given beside the other columns; got none"),
        ({"predictions1": "abc"}, TypeError, "`predictions1` must .*'abc'"),
        ({"predictions2": [["a"], "b"]}, TypeError, "`predictions2` must hold a list .* problem 1"),
        ({"predictions2": [["a"], [1]]}, TypeError, "`predictions2` must hold strings; got 1 .* problem 1, sample 0"),
        ({"predictions2": [["a"], []]}, ValueError, "`predictions2` .* problem 1"),
        ({"predictions2": [["a"]]}, ValueError, "`predictions2` and `references` must have as many .*; got 1 and 2"),
        ({"references": ["a", None]}, ValueError, "`references` .* problem 1"),
        ({"predictions2": [["a"], [None]]}, ValueError, "Samples without an answer: 1 of 2"),
        ({"k": 2}, ValueError, "`k` must be at most n"),
        ({"metric": "best_at_k"}, ValueError, "`metric` must be one of 'gpassk', .*; got 'best_at_k'"),
        ({"metric": "pass"}, ValueError, "`metric` must be one of .*; got 'pass'"),
        ({"confidence_level": 95}, ValueError, "`confidence_level` must .*95"),
        ({"scores": [[1], [2]]}, TypeError, "scores"),
        ({"foo": 1}, TypeError, "Unknown option `foo` of `at_k_difference`; got 1. .* are metric, k, .*, ties"),
        ({"metrics": "pass_at_k"}, TypeError, "Unknown option `metrics` .*metric"),
        ({"level": 0.9}, TypeError, "Unknown option `level` .*confidence_level"),
        ({"target": "problem_set"}, TypeError, "Unknown option `target`"),
        ({"clusters": ["x"]}, ValueError, "`clusters` and `predictions1` must have as many problems; got 1 and 2"),
        ({"ci_method": "wald"}, TypeError, "Unknown option `ci_method`"),
        ({"key_style": "plain"}, TypeError, "Unknown option `key_style`"),
        ({"predictions1": [], "predictions2": [], "references": []}, ValueError, "must hold at least one problem"),
    ])  # fmt: skip
def test_wrong_input_is_refused_and_the_instance_works_on(module, changes, error, said):
    given = {"predictions1": [["a"], ["b"]], "predictions2": [["a"], ["c"]], "references": ["a", "b"]}
    with pytest.raises(error, match=said):
        module.compute(**given | changes)
    assert module.compute(**given, k=1)["pass@1_difference"] == 0.5


def test_every_option_of_the_text_is_taken(graded):
    options = {"on_conflict": "majority", "thresholds": 0.5, "ties": "strict", "timeout": 3.0, "num_workers": 1}
    assert graded.compute(**GRADED, k=2, metric="gpassk", missing="drop", threshold=0.3, **options)


@for_each("wrong", [{"margn": 0.1}, {"k": 4}, {"margin": 2}, {"metric": "x"}, {"check_correct_fn": lambda a, b: 1 / 0}])
def test_a_comparison_that_fails_loses_no_samples(module, wrong):
    module.add_batch(predictions1=[["4"]], predictions2=[["5"]], references=["4"])
    more = {"predictions1": [["4"]], "predictions2": [["4"]], "references": ["4"]}
    for given in ({}, more):
        with pytest.raises((TypeError, ValueError, RuntimeError)):
            module.compute(**given, **{"k": 1, **wrong})
        assert len(module) == 1
    assert module.compute(k=1)["pass@1_won"] == 1
    assert len(module) == 0


def test_a_batch_with_a_fault_adds_nothing(module):
    module.add(predictions1=["4"], predictions2=["5"], references="4")
    with pytest.raises(ValueError, match="`predictions2` and `references` must have as many problems; got 1 and 2"):
        module.add_batch(predictions1=[["4"], ["5"]], predictions2=[["4"]], references=["4", "5"])
    found = module.compute(predictions1=[["1"]], predictions2=[["2"]], references=[["1", "3"]], k=1)
    assert found["pass@1_won"] == 2


def test_a_checker_may_add_problems_for_the_next_comparison(module):
    def check(answer, reference):
        module.add(predictions1=["9"], predictions2=["9"], references="9")
        return answer == reference

    given = {"predictions1": [["4"]], "predictions2": [["4"]], "references": ["4"]}
    assert module.compute(**given, k=1, check_correct_fn=check)["pass@1_tied"] == 1
    added = len(module)
    assert added
    with pytest.raises(ValueError, match="`k` must be at most n"):
        module.compute(**given, k=2, check_correct_fn=check)
    assert len(module) > added


def test_missing_samples_are_kept_until_they_are_judged(graded):
    graded.add_batch(predictions1=[[1, None], [1, 1]], predictions2=[[0, 1], [0, float("nan")]])
    with pytest.raises(ValueError, match="Samples without a grade"):
        graded.compute(k=1)
    assert graded.compute(k=1, missing="incorrect")["pass@1_difference"] == pytest.approx((0 + 1) / 2)


def test_several_processes_are_refused():
    with pytest.raises(ValueError, match="`num_process` must be 1; got 2"):
        evaluate.load(PATH, num_process=2)


def test_wrong_input_in_the_configuration_graded(graded):
    with pytest.raises(ValueError, match="`references` is not a column of the configuration 'graded'"):
        graded.compute(**GRADED, references=["a", "b"])
    with pytest.raises(ValueError, match="`predictions1` and `predictions2` must have as many problems; got 1 and 2"):
        graded.compute(predictions1=[[1]], predictions2=[[1], [0]])
    with pytest.raises(TypeError, match="`predictions2` must hold numbers; got '1'"):
        graded.compute(predictions1=[[1]], predictions2=[["1"]])  # the host would cast it
    with pytest.raises(ValueError, match=r"`predictions2` must .*2"):
        graded.compute(predictions1=[[1]], predictions2=[[2]])
    with pytest.raises(ValueError, match="must be one of 'default', 'graded'"):
        evaluate.load(PATH, "scored")


def test_the_card_is_that_of_the_module(module):
    card = Path(PATH, "README.md").read_text(encoding="utf-8")
    assert "\n- comparison\n" in card
    headings = re.findall(r"^##? .*", re.sub(r"^```.*?^```$", "", card, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    assert headings == [  # as on the cards of evaluate's own comparisons
        "# Comparison Card for the difference at k", "## Comparison description", "## How to use", "## Inputs",
        "## Output values", "## Examples", "## Limitations and bias", "## Citations",
    ]  # fmt: skip
    listed = re.findall(r"^- \*\*`?([^*`]+)`?\*\*", card, re.MULTILINE)
    described = re.findall(
        r"^    (\S+?)(?: \(.*)?: ", module.inputs_description.partition("Examples:")[0], re.MULTILINE
    )
    assert listed == described
    parameters = inspect.signature(type(module)._compute).parameters
    own = listed[: listed.index("options")]
    assert own == [name for name in parameters if name != "self"][: len(own)]
    assert f"```bibtex\n{module.citation.strip()}\n```" in card
