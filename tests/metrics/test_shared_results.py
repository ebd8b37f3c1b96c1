"""What a result carries: plain keys, groups, details, and the signature."""

import json
import re

import numpy as np
import pytest
from cases import for_each
from modules import AVG_AT_N, BEST_AT_K, CONS_AT_K, GPASSK, MODULES, PASS_AT_K, every_config, every_module

import at_k

LABELS = ["AIME_2024", "AIME_2025", "AIME", "a/b", "", "long label", "é@1"]


@every_module
@every_config
def test_plain_keys_are_the_same_in_other_letters(module, config):
    options = {"k": [1, 4], "groups": ["x", "y"]}
    standard, plain = module.compute(config, **options), module.compute(config, **options, key_style="plain")
    assert list(plain.values()) == list(standard.values())
    assert len(plain) == len(standard)
    assert all(re.fullmatch(r"(?:[xy]/)?[A-Za-z0-9_.]+", key) for key in plain)


@every_module
def test_keys_come_in_the_order_of_k_and_once_each(module):
    assert list(module.compute(k=[4, 1, 2, 4])) == module.keys(k=(4, 1, 2))


@every_module
def test_both_configurations_agree(module):
    # of a vote, too: with an odd k and two answers a plurality is a majority
    assert module.compute(k=[1, 3]) == pytest.approx(module.compute("graded", k=[1, 3]), rel=1e-15)


@every_module
@for_each("threshold, share", [(0.4, 1.0), (0.5, 0.5), (0.9, 0.0)])
def test_a_grade_at_the_threshold_is_not_correct(module, threshold, share):
    columns = module.only({"predictions": [[0.5, 0.9]], "scores": [[1, 0]]})
    result = module.load("graded").compute(**columns, k=1, threshold=threshold)
    assert next(iter(result.values())) == share
    assert threshold != 0.5 or module.load("graded").compute(**columns, k=1) == result  # the default


@every_module
@every_config
def test_groups_are_spelled_as_given_and_stay_apart(module, config):
    columns = {name: column[:1] * len(LABELS) for name, column in module.inputs(config).items()}
    result = module.load(config).compute(**columns, k=2, groups=LABELS)
    whole = module.load(config).compute(**columns, k=2)
    assert list(result) == list(whole) + [f"{label}/{key}" for label in LABELS for key in whole]


@every_module
def test_groups_come_in_the_order_in_which_they_are_met(module):
    columns = {name: column * 2 for name, column in module.inputs().items()}
    result = module.load().compute(**columns, k=2, groups=["z", "a", "z", "a"])
    assert list(dict.fromkeys(key.partition("/")[0] for key in result if "/" in key)) == ["z", "a"]


@every_module
@for_each("labels", [[2024, 2025], ("2024", "2025"), np.array([2024, 2025]), np.array(["2024", "2025"])])
def test_groups_may_be_numbers_and_arrays(module, labels):
    assert module.compute(groups=labels) == module.compute(groups=["2024", "2025"])


@every_module
def test_a_number_and_its_text_are_not_one_group(module):
    with pytest.raises(ValueError, match=r"`groups` .* '7' .* 7; it does in problem 1"):
        module.compute(groups=[7, "7"])


@every_module
@every_config
def test_details_are_in_the_order_of_the_input(module, config):
    columns = {name: list(reversed(column)) for name, column in module.inputs(config).items()}
    table = module.compute(config, return_details=True)["details"]["per_problem"]
    turned = module.load(config).compute(**columns, k=2, return_details=True)["details"]["per_problem"]
    assert turned == {key: list(reversed(column)) for key, column in table.items()}
    assert table["c"] == [3, 1]


@every_module
@every_config
def test_details_of_plain_keys_have_plain_keys(module, config):
    result = module.compute(config, key_style="plain", return_details=True)
    details = result.pop("details")
    assert list(details["per_problem"]) == ["n", "c", *result]


@every_module
@for_each("missing, n, n_missing", [("incorrect", [3, 2], 2), ("drop", [1, 2], 2)])
@pytest.mark.filterwarnings("ignore:missing='drop' left out 2 of 5")  # tested with the values
def test_details_count_missing_samples(module, missing, n, n_missing):
    columns = module.only({"predictions": [[None, 1, float("nan")], [0, 1]], "scores": [[1.0, 2.0, 3.0], [1.0, 2.0]]})
    details = module.load("graded").compute(**columns, k=1, missing=missing, return_details=True)["details"]
    assert details["per_problem"]["n"] == n
    assert details["per_problem"]["c"] == [1, 1]
    assert (details["n_problems"], details["n_samples"], details["n_missing"]) == (2, sum(n), n_missing)


@every_module
@for_each("value", [1, None, "yes"])
def test_return_details_is_a_flag(module, value):
    with pytest.raises(TypeError, match=f"`return_details` must be True or False; got {value!r}"):
        module.compute(return_details=value)


def signature(module, config="default", **changes):
    return module.compute(config, **changes, return_details=True)["details"]["signature"]


def is_equal(prediction, reference):
    return prediction == reference


def is_longer(prediction, reference):
    return prediction >= reference


FIVE = {"predictions": [["a"] * 5, ["c"] * 5], "scores": [[1.0] * 5] * 2}
RAGGED = {"predictions": [["a"] * 4, ["c"] * 5], "scores": [[1.0] * 4, [1.0] * 5]}
DIMENSIONS = {"scores": [[[1.0, 2.0]] * 4] * 2}
CONDITIONS = {
    "n": (MODULES, FIVE),
    "ragged n": (MODULES, RAGGED),
    "k": (tuple(module for module in MODULES if module.takes_k), {"k": 3}),
    "several k": (tuple(module for module in MODULES if module.takes_k), {"k": [2, 3]}),
    "tau": ((GPASSK,), {"thresholds": [0.25, 0.5]}),
    "ties first": ((CONS_AT_K,), {"ties": "first"}),
    "ties strict": ((CONS_AT_K,), {"ties": "strict"}),
    "ties incorrect": ((CONS_AT_K,), {"ties": "incorrect"}),
    "weights": ((CONS_AT_K,), {"weights": [[1, 2, 3, 4]] * 2}),
    "threshold": (MODULES, {"threshold": 0.25}),
    "incorrect": (MODULES, {"missing": "incorrect"}),
    "drop": (MODULES, {"missing": "drop"}),
    "checker": (MODULES, {"check_correct_fn": is_equal}),
    "another checker": (MODULES, {"check_correct_fn": is_longer}),
    "direction": ((BEST_AT_K,), {"higher_is_better": False}),
    "lexicographic": ((BEST_AT_K,), {**DIMENSIONS, "select": "lexicographic"}),
    "pareto": ((BEST_AT_K,), {**DIMENSIONS, "select": "pareto"}),
    "weighted": ((BEST_AT_K,), {**DIMENSIONS, "select": "weighted", "score_weights": [1, 2]}),
    "weighted otherwise": ((BEST_AT_K,), {**DIMENSIONS, "select": "weighted", "score_weights": [2, 1]}),
}


@every_module
def test_the_signature_changes_with_every_condition(module):
    changed = [changes for modules, changes in CONDITIONS.values() if module in modules]
    signatures = [signature(module), signature(module, "graded")]
    signatures += [signature(module, **module.only(changes)) for changes in changed]
    assert len(set(signatures)) == len(changed) + 2
    for text in signatures:
        assert text.isprintable()  # one line
        assert text.startswith(f"{module.name}|")
        assert text.endswith(f"|version:{at_k.__version__}")


@every_module
def test_the_signature_does_not_change_with_what_leaves_the_numbers_alone(module):
    text = signature(module)
    turned = {name: list(reversed(column)) for name, column in module.inputs().items()}
    assert signature(module, **turned) == text
    assert signature(module, groups=["x", "y"]) == text
    assert signature(module, key_style="plain") == text
    assert signature(module, check_correct_fn="exact_match") == text
    assert signature(module, threshold=np.float64(0.5)) == text
    assert signature(module, threshold=1) == signature(module, threshold=1.0)


@for_each("form", [tuple, np.array])
def test_the_signature_does_not_change_with_the_form_of_an_option(form):
    assert signature(PASS_AT_K, k=form([1, 2])) == signature(PASS_AT_K, k=[1, 2])
    assert signature(GPASSK, thresholds=form([0.5, 1.0])) == signature(GPASSK, thresholds=[0.5, 1.0])
    weighted = {**DIMENSIONS, "select": "weighted"}
    text = signature(BEST_AT_K, **weighted, score_weights=[0.25, 0.75])
    assert signature(BEST_AT_K, **weighted, score_weights=form([0.25, 0.75])) == text


def test_the_signature_says_what_was_simulated_and_from_which_seed():
    votes = {"predictions": [["a"] * 39 + ["b"]], "references": ["a"], "k": 20, "return_details": True}
    exact = CONS_AT_K.load().compute(**votes)["details"]["signature"]
    simulated = [CONS_AT_K.load(seed=seed).compute(**votes, weights=[[1.0] * 39 + [100.0]]) for seed in (0, 1)]
    assert "|estimator:exact|" in exact
    for seed, result in enumerate(simulated):
        assert f"|estimator:simulated(seed={seed})|" in result["details"]["signature"]


def test_an_example_of_a_signature():
    text = signature(GPASSK, k=[2, 4], thresholds=[0.5, 1.0], missing="incorrect")
    assert text == (
        "gpassk|n:4|k:2,4|tau:0.5,1.0|threshold:0.5|missing:incorrect|checker:exact_match|estimator:exact"
        f"|version:{at_k.__version__}"
    )


@every_module
@every_config
def test_a_full_result_is_json(module, config):
    result = module.compute(config, k=[1, 2], groups=["x", "y"], return_details=True)
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert {type(value) for key, value in result.items() if key != "details"} == {float}
    assert {type(number) for column in result["details"]["per_problem"].values() for number in column} == {int, float}


def test_the_average_of_plain_keys_with_different_n():
    result = AVG_AT_N.load("graded").compute(predictions=[[1], [1, 0]], key_style="plain")
    assert result == {"avg_at_n": 0.75, "accuracy": 0.75}
