"""Meaning of the rows of each harness: its own aggregation, restated with its source, beside the numbers read here.

Each file has failures, masks, timeouts or several agents in it. `verdicts` are those of its author by problem, None for
a sample that is missing; `own` is the harness's rule, applied to the rows of the file. The rule agrees with one of the
policies for missing samples, and both policies are compared with the verdicts.
"""

import json
from collections import defaultdict
from fractions import Fraction
from math import comb

import pyarrow as pa
import pytest
from readers.broken import check_variants
from readers.formats.aggregations import OWN
from readers.reading import Json, found, over, put, refused

import at_k
from at_k.errors import InputError
from at_k.readers.formats import FORMATS


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
            assert report.values[f"pass@{size}"] == pytest.approx(find_pass(verdicts, size, each), abs=1e-12)
        if each == policy:
            assert report.values[f"pass@{k}"] == pytest.approx(own, abs=1e-12)


def over_problems(verdicts, k):
    """Return pass@k as harnesses estimate it, averaged over problems: 1 − C(n − c, k)/C(n, k)."""
    return sum(1 - comb(len(own) - sum(own), k) / comb(len(own), k) for own in verdicts.values()) / len(verdicts)


def collect(rows, problem, grade, keep=lambda row: True):
    """Group what a rule makes of rows by their problem."""
    collected = defaultdict(list)
    for row in rows:
        if keep(row):
            collected[problem(row)].append(int(grade(row)))
    return collected


def trial(task, reward, exception=None, **more):
    """Make what `harbor.models.trial.result.TrialResult` holds, as far as it is read."""
    return {
        "task_name": task,
        "trial_name": f"{task}__x",
        "source": "bench",
        "task_id": {"path": f"tasks/{task}"},
        "task_checksum": f"sum of {task}",
        "agent_info": {"name": "agent", "model_info": {"name": "m", "provider": "p"}},
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "exception_info": exception and {"exception_type": exception},
    } | more


def job(*trials):
    return {f"{each['task_name']}__{place}/result.json": Json(each) for place, each in enumerate(trials)}


def exercises(*runs):
    """Make a folder of Aider: run, language, exercise, format of edits and outcomes."""
    names = ("testcase", "edit_format", "tests_outcomes")
    return {
        f"{folder}/.aider.results.json": Json(
            {"testdir": f"/benchmarks/{folder}", "model": "m", "cost": 0.1}
            | dict(zip(names, (name, form, outcomes), strict=True))
        )
        for run, language, name, form, outcomes in runs
        for folder in [f"{run}/{language}/exercises/practice/{name}"]
    }


def join_entries(entries):
    """Join the rows of each instance, perturbation and trial; the later value of a statistic counts."""
    joined = defaultdict(dict)
    for row in entries:
        key = row["instance_id"], json.dumps(row.get("perturbation")), row["train_trial_index"]
        joined[key].update({each["name"]["name"]: each["mean"] for each in row["stats"]})
    return collect(joined.items(), lambda own: own[0][:2], lambda own: own[1]["exact_match"])


def case(said, success, *errors, **more):
    """Make a test case of DeepEval, with a metric that passes or fails, and one for each error."""
    held = [{"name": "Correct", "success": success, "score": 1.0, "error": None}]
    held += [{"name": "Judged", "success": False, "score": None, "error": each} for each in errors]
    return {
        "name": "c",
        "input": said,
        "actualOutput": "x",
        "success": success and not errors,
        "metricsData": held,
    } | more


HUMAN_EVAL = [
    {"task_id": task, "completion": "", "passed": passed, "result": result}
    for task, passed, result in [
        ("a", True, "passed"),
        ("b", False, "timed out"),
        ("a", False, "failed: x"),
        ("b", False, ""),
    ]
]
EVALPLUS = {
    "a": [{"base_status": "pass", "plus_status": "pass"}, {"base_status": "fail", "plus_status": "pass"}],
    "b": [{"base_status": "pass", "plus_status": "timeout"}, {"base_status": "pass", "plus_status": "pass"}],
}
LIVECODEBENCH = [
    {"question_id": name, "output_list": ["", ""], "code_list": ["", ""], "graded_list": graded}
    for name, graded in [("a", [True, False]), ("b", [False, False])]
]
SWE_RUN = {
    "submitted_ids": ["a", "b", "c", "d"],
    "resolved_ids": ["a"],
    "unresolved_ids": ["b"],
    "error_ids": ["c"],
    "empty_patch_ids": ["d"],
    "incomplete_ids": ["e"],
}
TERMINAL = [
    {"trial_name": f"{task}.{n}", "task_id": task, "is_resolved": resolved, "failure_mode": mode}
    for n, (task, resolved, mode) in enumerate(
        [("a", True, "none"), ("a", None, "test_timeout"), ("b", False, "agent_timeout"), ("b", True, "agent_timeout")]
    )
]
TAU = [
    {"task_id": task, "trial": n, "reward": reward, "traj": [], "info": info}
    for task, n, reward, info in [
        (1, 0, 1.0, {}),
        (1, 1, 0.0, {"error": "Timeout"}),
        (2, 0, 0.5, {}),
        (2, 1, 1 - 1e-9, {}),
    ]
]
TAU2 = [
    {"task_id": task, "trial": n, "reward_info": info, "termination_reason": reason}
    for task, n, info, reason in [
        ("a", 0, {"reward": 1.0}, "user_stop"),
        ("a", 1, None, "infrastructure_error"),
        ("a", 2, {"reward": 0.0}, "max_steps"),
        ("b", 0, {"reward": 0.0}, "agent_error"),
        ("b", 1, {"reward": 1.0}, "agent_stop"),
    ]
]
VERIFIERS = [
    {"example_id": n, "completion": [], "reward": reward, "answer": "7", "error": error}
    for n, reward, error in [(0, 1.0, None), (0, 0.0, {"error": "APITimeoutError"}), (1, 0.0, None), (1, 1.0, None)]
]
TRACES = [
    {
        "task": {"data": {"idx": n}},
        "traces": [{"rewards": {"r": {"score": score, "weight": 1}}}],
        "ok": ok,
        "errors": errors,
    }
    for n, score, ok, errors in [
        (0, 1.0, True, []),
        (0, None, False, ["timeout"]),
        (0, 0.0, True, []),
        (1, 0.0, True, []),
        (1, 1.0, True, []),
    ]
]
EVALUATOR = [
    {"problem_idx": n, "repeat": repeat, "reward": reward, "extracted_answer": None, "expected_answer": "7"}
    for n, repeat, reward in [(0, 0, 1.0), (0, 1, 0.0), (1, 0, 0.0), (1, 1, 0.0)]
]
EVALSCOPE = [
    {
        "sample_score": {
            "group_id": n,
            "generation_index": i,
            "score": {"value": {"acc": grade}, "extracted_prediction": said},
        }
    }
    for n, i, grade, said in [(0, 0, 1.0, "A"), (0, 1, 0.0, ""), (1, 0, 0.0, "B"), (1, 1, 1.0, "C")]
]
PROMPTFOO = [
    {"provider": {"label": "m"}, "prompt": {"label": "p"}, "vars": {"q": q}, "success": ok, "failureReason": why}
    | ({"error": "429 timed out"} if why == 2 else {"response": {"output": "x"}})
    for q, ok, why in [("a", True, 0), ("a", False, 2), ("b", False, 1), ("b", True, 0)]
]
SKILLS = [
    {"problem": name, "generation": "", "judgement": said}
    for name, said in [("a", "Judgement: Yes"), ("b", "Judgement: No"), ("c", "the judge was cut off")]
]
VERL = [
    {"input": prompt, "output": "", "score": 0.0, "step": 1, "acc": acc}
    for prompt, acc in [("a", 1.0), ("a", 0.0), ("b", 0.0), ("b", 1.0)]
]
MLFLOW = [
    {"request": {"q": q}, "response": "x", "correctness/value": value, "correctness/error_message": error}
    for q, value, error in [
        ("a", "yes", None),
        ("a", None, "judge timed out"),
        ("a", "no", None),
        ("b", "no", None),
        ("b", "yes", None),
    ]
]
DEEPEVAL = {
    "testCases": [case("a", True), case("a", True, "judge failed"), case("b", False), case("b", True)],
    "conversationalTestCases": [],
}
HEALTH = {
    "score": 0.4,
    "metadata": {
        "example_level_metadata": [
            {"prompt_id": name, "score": score} for name, score in [("a", 1.0), ("a", 0.2), ("b", 0.0), ("b", 0.8)]
        ]
    },
}
TRIALS = (
    *(trial("a", 1.0, "AgentTimeoutError"), trial("a", 0.0), trial("a", 1.0)),
    *(trial("b", None, "EnvironmentStartTimeoutError"), trial("b", 1.0, "NonZeroAgentExitCodeError")),
    *(trial("b", 0.0, "AgentTimeoutError"), trial("b", 1.0, "VerifierTimeoutError", reward_valid=False)),
    *(trial("c", 0.0), trial("c", 0.0), trial("c", 0.0)),
)
ROLLOUTS = [
    {"_ng_task_index": task, "_ng_rollout_index": n, "reward": reward, "mask_sample": mask}
    | {"agent_ref": {"name": "agent"}, "response": {}}
    for task, n, reward, mask in [
        *((0, 0, 1.0, False), (0, 1, 1.0, False), (0, 2, 0.0, True)),
        *((1, 0, 0.0, False), (1, 1, 1.0, False), (1, 2, 1.0, True)),
    ]
]
HELM_VERDICTS = {"i": [1, 0], "j": [0, 0], "j (typos)": [1, 1]}
HELM = [
    {
        "instance_id": name.partition(" ")[0],
        "train_trial_index": n,
        "stats": [{"name": {"name": kind, "split": "test"}, "count": 1, "mean": 9 if "tokens" in kind else own[n]}],
    }
    | ({"perturbation": {"name": "typos", "robustness": True}} if "typos" in name else {})
    for kind in ("exact_match", "num_output_tokens", "quasi_exact_match")
    for n in (0, 1)
    for name, own in HELM_VERDICTS.items()
]
INSPECT = [
    {"id": "a", "epoch": n, "target": "x", "error": error and {"message": error}, "scores": scores}
    for n, (error, scores) in enumerate(
        [
            (None, {"match": {"value": "C"}}),
            ("Sample timed out", {}),
            ("no such container", None),
            ("later", {"match": {"value": "I"}}),
            (None, {"match": {"value": float("nan")}}),
        ]
    )
]
EVERY_EVAL = [
    {"schema_version": "0.2", "evaluation_id": "e", "model_id": "m", "evaluation_name": "t", "sample_id": name}
    | {"evaluation": {"score": score, "is_correct": bool(score)}, "answer_attribution": [], "error": error}
    for name, score, error in [("a", 1.0, None), ("a", 0.0, "timed out"), ("b", 0.0, None), ("b", 1.0, None)]
]
REWARDS = [1.0, None, 0.0, 0.0, 1.0, 1.0]
COMPLETIONS = pa.table(
    {"step": [1] * 6, "prompt": [*"aaabbb"], "completion": [*"xxxxxx"]}
    | {"correct": pa.array(REWARDS, pa.float64()), "advantage": [0.0] * 6}
)
DETAILS = [
    {"example_abbr": f"t_{n}", "pred": ["1", ""], "answer": ["1", "1"], "correct": correct}
    for n, correct in enumerate([[True, False], [False, False]])
]
EXERCISES = exercises(
    *(("r0", "java", "anagram", "diff", [False, True]), ("r0", "java", "bob", "diff", [False, False])),
    *(("r1", "java", "anagram", "diff", [True]), ("r1", "java", "bob", "diff", [False, False])),
)

# name: (file, content, verdicts, what the harness's rule makes of it, its policy, why samples are missing)
TABLE = {
    # evaluation.py: pass@k over `passed`; a timeout has not passed.
    "human-eval": (
        "f.jsonl", HUMAN_EVAL, {"a": [1, 0], "b": [0, 0]},
        collect(HUMAN_EVAL, lambda x: x["task_id"], lambda x: x["passed"]), "drop", {},
    ),
    # evaluate.py: `base_status == plus_status == PASS`.
    "evalplus": (
        "f_eval_results.json", {"eval": EVALPLUS}, {"a": [1, 0], "b": [0, 1]},
        {task: [x["base_status"] == x["plus_status"] == "pass" for x in own] for task, own in EVALPLUS.items()},
        "drop", {},
    ),
    # pass_k_utils.py: `graded_list` as it is.
    "livecodebench": (
        "f_eval_all.json", LIVECODEBENCH, {"a": [1, 0], "b": [0, 0]},
        {x["question_id"]: x["graded_list"] for x in LIVECODEBENCH}, "drop", {},
    ),
    # reporting.py: resolved instances of those submitted; errors and empty patches stay in the denominator.
    "swe-bench-run": (
        "m.run.json", SWE_RUN, {"a": [1], "b": [0], "c": [None], "d": [0]},
        {name: [name in SWE_RUN["resolved_ids"]] for name in SWE_RUN["submitted_ids"]},
        "incorrect", {"infrastructure": 1},
    ),
    # harness/models.py: `n_resolved` counts `is_resolved`, which null is not, of all results.
    "terminal-bench": (
        "results.json", {"results": TERMINAL, "n_resolved": 2}, {"a": [1, None], "b": [0, 1]},
        collect(TERMINAL, lambda x: x["task_id"], lambda x: bool(x["is_resolved"])), "incorrect", {"timeout": 1},
    ),
    # run.py: 1 − 1e-6 ≤ reward ≤ 1 + 1e-6, with reward 0 for a task that raised.
    "tau-bench": (
        "f.json", TAU, {"1": [1, None], "2": [0, 1]},
        collect(TAU, lambda x: x["task_id"], lambda x: 1 - 1e-6 <= x["reward"] <= 1 + 1e-6),
        "incorrect", {"timeout": 1},
    ),
    # metrics/agent_metrics.py: the same test; simulations that the infrastructure ended have no reward.
    "tau2-bench": (
        "results.json", {"simulations": TAU2, "tasks": []}, {"a": [1, None, 0], "b": [0, 1]},
        collect(TAU2, lambda x: x["task_id"], lambda x: x["reward_info"]["reward"] >= 1 - 1e-6,
                lambda x: x["reward_info"]),
        "drop", {"infrastructure": 1},
    ),
    # utils/metric_utils.py of 0.1: reward ≥ 0.5, and an error has reward 0.
    "verifiers": (
        "results.jsonl", VERIFIERS, {"0": [1, None], "1": [0, 1]},
        collect(VERIFIERS, lambda x: x["example_id"], lambda x: x["reward"] >= 0.5), "incorrect", {"timeout": 1},
    ),
    # v1/cli/dashboard/eval.py of 0.4: episodes that are not `ok` are counted as errors, apart from the rewards.
    "verifiers-traces": (
        "traces.jsonl", TRACES, {"0": [1, None, 0], "1": [0, 1]},
        collect(TRACES, lambda x: x["task"]["data"]["idx"], lambda x: x["traces"][0]["rewards"]["r"]["score"],
                lambda x: x["ok"]),
        "drop", {"timeout": 1},
    ),
    "nemo-evaluator": (
        "results.jsonl", EVALUATOR, {"0": [1, 0], "1": [0, 0]},
        collect(EVALUATOR, lambda x: x["problem_idx"], lambda x: x["reward"]), "drop", {},
    ),
    # mean_and_pass_at_k of metrics: values of a group; an answer that was not found is wrong.
    "evalscope": (
        "f.jsonl", EVALSCOPE, {"0": [1, 0], "1": [0, 1]},
        collect(EVALSCOPE, lambda x: x["sample_score"]["group_id"],
                lambda x: x["sample_score"]["score"]["value"]["acc"]),
        "drop", {},
    ),
    # evaluator.ts: errors are counted beside failures, and neither is a success.
    "promptfoo": (
        "out.jsonl", PROMPTFOO, {"a": [1, None], "b": [0, 1]},
        collect(PROMPTFOO, lambda x: x["vars"]["q"], lambda x: x["success"]), "incorrect", {"timeout": 1},
    ),
    # math_metrics.py: `is_correct_judgement` is false unless the verdict begins with yes.
    "nemo-skills": (
        "output-rs0.jsonl", SKILLS, {"1": [1], "2": [0], "3": [None]},
        {x["problem"]: [x["judgement"] == "Judgement: Yes"] for x in SKILLS}, "incorrect", {"judge failed": 1},
    ),
    # metric_utils.py: `acc/mean@n` of a prompt.
    "verl": (
        "1.jsonl", VERL, {"a": [1, 0], "b": [0, 1]}, collect(VERL, lambda x: x["input"], lambda x: x["acc"]),
        "drop", {},
    ),
    # genai/scorers/aggregation.py: yes is 1, no is 0, and feedback without a value is left out.
    "mlflow": (
        "eval_results.json", MLFLOW, {"a": [1, None, 0], "b": [0, 1]},
        collect(MLFLOW, lambda x: x["request"]["q"], lambda x: x["correctness/value"] == "yes",
                lambda x: x["correctness/value"]),
        "drop", {"judge failed": 1},
    ),
    # evaluate/utils.py: a metric with an error is not successful, and fails its test case.
    "deepeval": (
        "test_run.json", DEEPEVAL, {"a": [1, None], "b": [0, 1]},
        collect(DEEPEVAL["testCases"], lambda x: x["input"], lambda x: x["success"]), "incorrect", {"judge failed": 1},
    ),
    # healthbench_eval.py: the mean of the scores, cut to [0, 1]; above one half they count as right here.
    "healthbench": (
        "healthbench_allresults.json", HEALTH, {"a": [1, 0], "b": [0, 1]},
        collect(HEALTH["metadata"]["example_level_metadata"], lambda x: x["prompt_id"], lambda x: x["score"] > 0.5),
        "drop", {},
    ),
    # utils/pass_at_k.py of 0.26: trials without rewards are left out, and those whose reward is not valid, which files
    # of 0.25 do not say; an exception beside a reward changes nothing else.
    "harbor": (
        "job", job(*TRIALS), {"a": [1, 0, 1], "b": [None, 1, 0, None], "c": [0, 0, 0]},
        collect(TRIALS, lambda x: x["task_name"], lambda x: x["verifier_result"]["rewards"]["reward"],
                lambda x: x["verifier_result"] and x.get("reward_valid", True)),
        "drop", {"timeout": 2},
    ),
    # reward_profile.py, `select_measured`: rollouts with `mask_sample` are left out.
    "nemo-gym": (
        "f.jsonl", ROLLOUTS, {"0": [1, 1, None], "1": [0, 1, None]},
        collect(ROLLOUTS, lambda x: x["_ng_task_index"], lambda x: x["reward"], lambda x: not x["mask_sample"]),
        "drop", {"masked": 2},
    ),
    # run_display.py: rows of one instance, perturbation and trial are joined.
    "helm": ("per_instance_stats.json", Json(HELM), HELM_VERDICTS, join_entries(HELM), "drop", {}),
    # eval/task/results.py: epochs without a score are left out; an error beside a score is not.
    "inspect_ai": (
        "log.json", Json({"status": "success", "eval": {"task": "t", "model": "m"}, "samples": INSPECT}),
        {"a": [1, None, None, 0, None]}, {"a": [1, 0]}, "drop",
        {"infrastructure": 1, "timeout": 1, "judge failed": 1},
    ),
    # The schema of instances: `error` is set for what was not evaluated, whatever its score is.
    "every-eval-ever": (
        "x_samples.jsonl", EVERY_EVAL, {"a": [1, None], "b": [0, 1]},
        collect(EVERY_EVAL, lambda x: x["sample_id"], lambda x: x["evaluation"]["score"], lambda x: not x["error"]),
        "drop", {"timeout": 1},
    ),
    # grpo_trainer.py: `torch.nanmean` of the rewards, of which a function may return none.
    "trl": (
        "completions_00001.parquet", COMPLETIONS, {"a": [1, None, 0], "b": [0, 1, 1]}, {"a": [1, 0], "b": [0, 1, 1]},
        "drop", {"judge failed": 1},
    ),
    # icl_evaluator: the mean over all samples; none is left out or missing.
    "opencompass": (
        "t.json", Json({"accuracy": 25.0, "details": DETAILS}), {"t_0": [1, 0], "t_1": [0, 0]},
        {own["example_abbr"]: own["correct"] for own in DETAILS}, "drop", {},
    ),
    "aisbench": (
        "t.json", Json({"accuracy": 25.0, "details": DETAILS, "pass@2": 50.0}), {"t_0": [1, 0], "t_1": [0, 0]},
        {own["example_abbr"]: own["correct"] for own in DETAILS}, "drop", {},
    ),
    # benchmark.py, `summarize_results`: an exercise passes a try if one of the tries up to it passed.
    "aider": (
        "runs", EXERCISES, {"anagram": [1, 1], "bob": [0, 0]}, {"anagram": [True, True], "bob": [False, False]},
        "drop", {},
    ),
}  # fmt: skip


def put_row(name, folder):
    file, content, *_ = TABLE[name]
    is_document = file.endswith(".json") and isinstance(content, (list, dict))
    return put(folder / file, Json(content) if is_document else content)


ELSEWHERE = {
    "lm-eval": "test_lm_eval.py",
    "lighteval": "test_lighteval.py",
    "opencompass-predictions": "test_opencompass.py",
    "aisbench-predictions": "test_opencompass.py",
    "tau2-bench-simulations": "test_agents.py",
    "swe-bench": "test_programs.py",
    "hub-rows": "test_suites.py",
    "plain": "test_plain.py",
}
"""Formats whose rows have tests of their own, and the file of these."""


def test_every_format_has_a_row():
    assert {*FORMATS} == {*TABLE, *ELSEWHERE}


@pytest.mark.parametrize("name", TABLE)
def test_the_rule_of_the_harness(name, tmp_path):
    _, _, verdicts, own, policy, reasons = TABLE[name]
    path = put_row(name, tmp_path)
    found(harness=name.removesuffix("-run"), reasons=reasons).compare(path, {})
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
            pytest.skip(f"{name} is not installed: {error}")  # twenty harnesses do not fit into one environment
        report = at_k.score(path, k=k, missing=policy)
        assert value == pytest.approx(report.values[key.format(k=k)], abs=1e-12)


@pytest.mark.parametrize("name", TABLE)
def test_formats_take_the_options_that_they_look_at(name, tmp_path):
    path, options = put_row(name, tmp_path), FORMATS[name].options
    for option in ("scorer", "tests", "filter"):
        code = "format.no_choice" if option in options else "format.no_option"
        refused(code).compare(path, {option: "none of them"})


# Documents, by the lists of objects in them; other files have lines.
LISTS = {"tau2-bench": lambda own: [own["simulations"]], "terminal-bench": lambda own: [own["results"]]}


@pytest.mark.parametrize("name", ["nemo-gym", "nemo-evaluator", "tau2-bench"])
def test_broken(name, tmp_path):
    check_variants(put_row(name, tmp_path), tmp_path, LISTS.get(name), missing="incorrect")


SOURCE, CHECKSUM = {"source": "other"}, {"task_checksum": "x"}
PAGE = [{"row_idx": n, "row": {"id": n // 2, "correct": n == 0}} for n in range(4)]
CUT = [PAGE[0], PAGE[1] | {"truncated_cells": ["text"]}, *PAGE[2:]]
HEALTHBENCH = [{"prompt_id": name, "score": score} for name, score in [("a", 1.0), ("a", -0.5), ("b", -0.2)]]


def two_tasks(grades, **other):
    return (job(trial("a", 1.0), trial("a", 0.0, **other)), found(grades))


test_problems_and_models = over({
    "tasks of two sources": two_tasks({"a (bench)": [1], "a (other)": [0]}, **SOURCE),
    "tasks of two checksums": two_tasks({"a (sum of a)": [1], "a (x)": [0]}, **CHECKSUM),
    "tasks of two sources and checksums": two_tasks({"a (bench)": [1], "a (other)": [0]}, **SOURCE, **CHECKSUM),
    "tasks of two folders": two_tasks(
        {'a ({"path": "b"})': [0], 'a ({"path": "tasks/a"})': [1]}, task_id={"path": "b"},
    ),
    "two agents of NeMo Gym": (
        [*ROLLOUTS, *(row | {"agent_ref": {"name": "other"}} for row in ROLLOUTS)],
        refused("models.several"), ({"where": {"system": "other"}}, found([[1, 1, None], [0, 1, None]])),
    ),
    "two perturbations of one name": (
        Json([HELM[0] | {"perturbation": {"name": "typos", "prob": prob}} for prob in (0.1, 0.5)]), found(n=[1, 1]),
    ),
    "tries of Aider": (EXERCISES, found({"anagram": [1, 1], "bob": [0, 0]}), (
        {"scorer": "pass_rate_1"}, found({"anagram": [0, 1], "bob": [0, 0]}))),
    "an exercise that ended in an exception": (
        EXERCISES | {"r2/java/exercises/practice/bob/.aider.results.json": Json({"exception": "litellm.Timeout"})},
        found({"anagram": [1, 1], "bob": [0, 0, None]}, reasons={"timeout": 1}),
    ),
    "outcomes that are no list": (
        exercises(("r", "java", "bob", "diff", "passed")), refused("collector.field", name="“tests_outcomes”"),
    ),
    "languages of Aider": (
        exercises(("r", "java", "bob", "diff", [True]), ("r", "python", "bob", "diff", [False])),
        found({"bob (java)": [1], "bob (python)": [0]}),
    ),
    "formats of edits": (
        exercises(("r", "java", "bob", "diff", [True]), ("s", "java", "bob", "whole", [True])),
        refused("models.several"),
    ),
    "a page of the Hub": (Json({"features": [], "rows": PAGE}), found([[1, 0], [0, 0]])),
    "a page of the Hub that is cut": (Json({"features": [], "rows": CUT}), refused("hub.cut", row="1")),
    # `_aggregate_get_clipped_mean` of healthbench_eval.py cuts the mean of all scores, not each score.
    "scores of HealthBench below 0": (
        Json({"score": 0.1, "metadata": {"example_level_metadata": HEALTHBENCH}}),
        found([[1, 0], [0]], notes=["healthbench.below"], told=[{"count": 2}]),
        ({"scale": (-1, 1)}, found([[1, 0.25], [0.4]], notes=[])),
    ),
})  # fmt: skip


def test_reasons_and_both_policies_are_noted(tmp_path):
    """One of two samples of problem 0 timed out: pass@1 is (1 + 1/2) / 2 without it, and (1/2 + 1/2) / 2 with it."""
    path = put(tmp_path / "results.jsonl", VERIFIERS)
    notes = {note.code: note.values for note in at_k.score(path, missing="drop").notes}
    assert notes["note.reasons"] == {"reasons": "timeout 1"}
    shares = {name: said.partition(" ")[0] for name, said in notes["note.policies"].items()}
    assert shares == {"dropped": "0.750", "wrong": "0.500"}
