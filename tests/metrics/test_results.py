"""Contents of a result: keys in two styles, means of problems and groups, details, and the signature."""

import json
import re
from fractions import Fraction

import numpy as np
import pytest
from cases import for_each, for_rows, refuses
from modules import BEST_AT_K, CONS_AT_K, GPASSK, MODULES, PASS_AT_K, every_config, every_module

import at_k
from at_k import summarize, summary
from at_k.columns import read_problems
from at_k.grading import judge
from at_k.summary import NO_ERROR_BARS, make_details
from at_k.values import Column, Key, Values, spell


@every_module
@every_config
def test_a_full_result_is_json_in_two_spellings(module, config):
    options = {"k": [1, 4], "groups": ["x", "y"], "return_details": True, "confidence_level": 0.9}
    result, plain = (
        module.compute(config, **options),
        module.compute(config, **options, key_style="plain"),
    )
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    details, plain_details = result.pop("details"), plain.pop("details")
    assert {type(value) for value in result.values()} == {float}
    assert {type(number) for column in details["per_problem"].values() for number in column} == {
        int,
        float,
    }
    assert list(plain.values()) == list(result.values())
    assert all(re.fullmatch(r"(?:[xy]/)?[A-Za-z0-9_.]+", key) for key in plain)
    bare = [
        key
        for key in plain
        if "/" not in key and not key.endswith(("_stderr", "_ci_low", "_ci_high"))
    ]
    assert list(plain_details["per_problem"]) == ["n", "c", *bare]
    assert len(plain) == len(result)


@every_module
def test_keys_come_in_the_order_of_k_and_once_each(module):
    assert list(module.compute(k=[4, 1, 2, 4])) == module.keys(k=(4, 1, 2))


def signature(module, config="default", **changes):
    return module.compute(config, **changes, return_details=True)["details"]["signature"]


def is_equal(prediction, reference):
    return prediction == reference


def is_longer(prediction, reference):
    return prediction >= reference


TWO = {"scores": [[[1.0, 2.0]] * 4] * 2}
WEIGHTED = {**TWO, "select": "weighted"}
CONDITIONS = [
    *(
        (MODULES, {"predictions": [["a"] * n, ["c"] * 5], "scores": [[1.0] * n, [1.0] * 5]})
        for n in (4, 5)
    ),
    *((tuple(module for module in MODULES if module.takes_k), {"k": k}) for k in (3, [2, 3])),
    ((GPASSK,), {"thresholds": [0.25, 0.5]}),
    *(((CONS_AT_K,), {"ties": ties}) for ties in ("first", "strict", "incorrect")),
    ((CONS_AT_K,), {"weights": [[1, 2, 3, 4]] * 2}),
    (MODULES, {"correct_above": 0.25}),
    *((MODULES, {"missing": missing}) for missing in ("incorrect", "drop")),
    *((MODULES, {"check_correct_fn": checker}) for checker in (is_equal, is_longer)),
    ((BEST_AT_K,), {"higher_is_better": False}),
    *(((BEST_AT_K,), {**TWO, "select": select}) for select in ("lexicographic", "pareto")),
    *(((BEST_AT_K,), {**WEIGHTED, "score_weights": weights}) for weights in ([1, 2], [2, 1])),
]


@every_module
def test_the_signature_changes_with_every_condition(module):
    changed = [changes for modules, changes in CONDITIONS if module in modules]
    signatures = [signature(module), signature(module, "graded")]
    signatures += [signature(module, **module.only(changes)) for changes in changed]
    assert len(set(signatures)) == len(changed) + 2
    for text in signatures:
        assert text.isprintable()  # one line
        assert text.startswith(f"{module.name}|")
        assert text.endswith(f"|version:{at_k.__version__}")


@every_module
def test_the_signature_does_not_change_with_what_leaves_the_numbers_alone(module):
    turned = {name: list(reversed(column)) for name, column in module.inputs().items()}
    same = (
        {"groups": ["x", "y"]},
        {"key_style": "plain"},
        {"check_correct_fn": "exact_match"},
        {"correct_above": np.float64(0.5)},
        turned,
    )
    assert {signature(module, **changes) for changes in same} == {signature(module)}
    assert signature(module, correct_above=0) == signature(module, correct_above=0.0)


@for_each("form", [tuple, np.array])
@for_each("module, more, name, value", [
    (PASS_AT_K, {}, "k", [1, 2]),
    (GPASSK, {}, "thresholds", [0.5, 1.0]),
    (BEST_AT_K, WEIGHTED, "score_weights", [0.25, 0.75]),
])  # fmt: skip
def test_the_signature_does_not_change_with_the_form_of_an_option(form, module, more, name, value):
    assert signature(module, **more, **{name: form(value)}) == signature(
        module, **more, **{name: value}
    )


def test_examples_of_signatures():
    assert signature(GPASSK, k=[2, 4], thresholds=[0.5, 1.0], missing="incorrect") == (
        "gpassk|n:4|k:2,4|tau:0.5,1.0|correct_above:0.5|missing:incorrect|checker:exact_match|estimator:exact"
        f"|version:{at_k.__version__}"
    )
    for options, said in (
        ({}, "population|ci_method:beta|"),
        ({"target": "problem_set"}, "problem_set|ci_method:beta|"),
        ({"clusters": ["p", "q"], "ci_method": "t"}, "population|ci_method:t|clusters:2|"),
    ):
        assert f"|ci:0.9|target:{said}" in signature(PASS_AT_K, confidence_level=0.9, **options)
    votes = {
        "predictions": [["a"] * 39 + ["b"]],
        "references": ["a"],
        "k": 20,
        "return_details": True,
    }
    assert "|estimator:exact|" in CONS_AT_K.load().compute(**votes)["details"]["signature"]
    for seed in (0, 1):
        result = CONS_AT_K.load(seed=seed).compute(**votes, weights=[[1.0] * 39 + [100.0]])
        assert f"|estimator:simulated(seed={seed})|" in result["details"]["signature"]


@for_each("key_style, key", [("standard", "pass@1"), ("plain", "pass_at_1")])
def test_details(key_style, key):
    verdicts = judge(read_problems(grades=[[1, 1, 0, None], [1, 1]]), missing="incorrect")
    values = Values(
        {Key("pass@k", 1): Column(np.array([0.5, 1.0]), np.array([0, 1]))}, conditions={"k": (1,)}
    )
    assert make_details(
        values, verdicts, name="pass_at_k", version="1.2.3", key_style=key_style
    ) == {
        "n_problems": 2,
        "n_samples": 6,
        "n_missing": 1,
        "n_unanswered": 0,
        "not_graded": {},
        "per_problem": {"n": [4, 2], "c": [2, 2], key: [0.5, 1.0]},
        "signature": "pass_at_k|n:2-4|k:1|correct_above:0.5|missing:incorrect|checker:graded|estimator:exact"
        "|version:1.2.3",
    }


SUMMARIES = {
    "means": ({"per_problem": {"pass@1": [1.0, 0.5, 0.0], "pass@2": np.array([1, 1, 0])}},
              {"pass@1": 0.5, "pass@2": 2 / 3}),
    "groups": (
        {"per_problem": {"a@1": [1.0, 0.0, 0.5], "b@1": [0, 0, 1]}, "groups": ["AIME_2024", "AIME_2025", "AIME_2024"]},
        {"a@1": 0.5, "b@1": 1 / 3, "AIME_2024/a@1": 0.75, "AIME_2024/b@1": 0.5, "AIME_2025/a@1": 0, "AIME_2025/b@1": 0},
    ),
    "groups as they are met": (
        {"per_problem": {"a": [1, 2, 3]}, "groups": ["z", "a", "z"]}, {"a": 2.0, "z/a": 2.0, "a/a": 2.0},
    ),
    "numbered groups": ({"per_problem": {"a": [1, 2]}, "groups": [7, 8]}, {"a": 1.5, "7/a": 1, "8/a": 2}),
    "plain keys leave groups as they are": (
        {"per_problem": {"pass@1": [0.5]}, "groups": ["A@b-c"], "key_style": "plain"},
        {"pass_at_1": 0.5, "A@b-c/pass_at_1": 0.5},
    ),
    "large numbers": ({"per_problem": {"max@1": [1.7e308] * 3}}, pytest.approx({"max@1": 1.7e308}, rel=1e-15)),
}  # fmt: skip


@for_rows("given, expected", SUMMARIES)
def test_summaries(given, expected):
    result = summarize(
        given["per_problem"],
        **{name: value for name, value in given.items() if name != "per_problem"},
    )
    assert result == expected
    assert list(result) == list(getattr(expected, "expected", expected))
    assert {type(value) for value in result.values()} == {float}


def average_all(values, errors=None, groups=None):
    columns = {key: Column.of(column) for key, column in values.items()}
    return summary.summarize_columns(
        columns, errors or {}, groups=groups, key_style="standard", wanted=NO_ERROR_BARS
    )


def test_the_error_of_simulated_values():
    values = {"a": [0.5, 0.5, 1.0], "b": [1, 1, 1]}
    errors = {"a": np.array([0.03, 0.04, 0]), "b": np.zeros(3)}
    whole = {"a": 2 / 3, "a_mcse": 0.05 / 3, "b": 1}  # √(0.03² + 0.04²)/3
    assert average_all(values, errors) == pytest.approx(whole, rel=1e-15)
    grouped = {"x/a": 0.5, "x/a_mcse": 0.05 / 2, "x/b": 1, "y/a": 1, "y/b": 1}
    assert average_all(values, errors, ["x", "x", "y"]) == pytest.approx(whole | grouped, rel=1e-15)
    columns = {Key("cons@k", 1): Column.of([1, 0])}
    assert not Values(columns).simulated
    assert not Values(columns, {Key("cons@k", 1): np.zeros(2)}).simulated
    assert Values(
        columns, {Key("cons@k", 1): np.zeros(2), Key("cons@k", 2): np.array([0, 0.1])}
    ).simulated
    assert summary.average_error(np.zeros(3)) == 0.0


@for_each("key, plain", [
    *[("pass@8", "pass_at_8"), ("G-Pass@8_0.5", "g_pass_at_8_0.5"), ("mG-Pass@8", "mg_pass_at_8")],
    *[("pass^8", "pass_hat_8"), ("avg@n", "avg_at_n"), ("cons@64", "cons_at_64"), ("accuracy", "accuracy")],
])  # fmt: skip
def test_key_styles(key, plain):
    assert (spell(key, "plain"), spell(key, "standard")) == (plain, key)
    assert summarize({key: [0.5]}, key_style="plain") == {plain: 0.5}


@for_each("per_problem, options, says", [
    ({}, {}, "ValueError: `per_problem`"),
    ({"a": []}, {}, "ValueError: `per_problem` … [] … 'a'"),
    ({"a": [[1, 2]]}, {}, "ValueError: `per_problem` … [[1, 2]] … 'a'"),
    ({"a": 0.5}, {}, "ValueError: `per_problem` … 0.5 … 'a'"),
    ({"a": [1, 2], "b": [1]}, {}, "ValueError: `a` … `b` … 2 and 1"),
    ({"a": ["0.5", "1"]}, {}, "TypeError: `per_problem` … 'a'"),
    ({"a": [1, None]}, {}, "TypeError: `per_problem` … 'a'"),
    ({"a": [1, float("nan")]}, {}, "ValueError: `per_problem` … nan … 'a' … problem 1"),
    ({1: [1]}, {}, "TypeError: `per_problem` … 1"),
    ([1], {}, "TypeError: `per_problem` … [1]"),
    ({"pass@1": [1], "pass_at_1": [0]}, {"key_style": "plain"}, "ValueError: `key_style` … 'plain'"),
    ({"a": [1, 2]}, {"groups": ["x"]}, "ValueError: `groups` … 1 and 2"),
    ({"x": [1, 0], "a/x": [0, 0]}, {"groups": ["a", "b"]},
     "ValueError: `groups` must not make two equal keys; a group and a column both make 'a/x'"),
    ({"a": [1, 2]}, {"key_style": "short"}, "ValueError: `key_style` … 'plain' … 'short'"),
    ({"a": [1, 2]}, {"key_style": None}, "TypeError: `key_style` … None"),
])  # fmt: skip
def test_summarize_refuses_invalid_input(per_problem, options, says):
    refuses(says, summarize, per_problem, **options)


def test_the_sum_is_rounded_once():
    """The order of the problems does not matter, not even in the last digit."""
    rng = np.random.default_rng(0)
    values = [*(rng.random(999) * 10.0 ** rng.integers(-12, 1, size=999)).tolist(), 1e16, -1e16]
    total = float(sum(map(Fraction, values)))
    for _ in range(5):
        rng.shuffle(values)
        assert summarize({"max@1": values})["max@1"] == total / len(values)


def test_values_that_problems_share_have_the_mean_of_all():
    """Each level is split in two, so that its products with counts are exact: the mean is that of the values listed."""
    rng = np.random.default_rng(0)
    levels, which = rng.random(65), rng.integers(0, 65, 20_000)
    shared, listed = {"a": Column(levels, which)}, {"a": Column.of(levels[which])}
    for problems in (None, np.flatnonzero(np.arange(20_000) % 3 == 0)):
        assert summary.average(shared, problems) == summary.average(listed, problems)
    assert (
        summary.average(shared)["a"] == float(sum(map(Fraction, levels[which].tolist()))) / 20_000
    )


@for_each("largest", [50, 2**20, 2**45])
def test_the_mean_of_levels_is_rounded_once(largest):
    """The sum is that of exact fractions, rounded; the division rounds it once more."""
    rng = np.random.default_rng(0)
    for size in (1, 3, 40):
        levels = rng.random(size)
        counts = rng.integers(0, largest, size) + 1
        exact = sum(
            Fraction(level) * int(count) for level, count in zip(levels, counts, strict=True)
        )
        assert summary.mean_of_levels(levels, counts) == float(exact) / int(counts.sum())
