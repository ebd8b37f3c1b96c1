"""Environments and agents, declared by their fields: an object for each trial, rollout or episode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Any

from at_k.errors import InputError
from at_k.readers.blocks import find_field
from at_k.readers.fields import Chosen, Keys, Row, declare, list_documents, list_in, list_names
from at_k.readers.format import About, Mark, Reading, name_subject
from at_k.readers.names import quote, quote_all
from at_k.readers.sources import Source

# NVIDIA's NeMo Gym and NeMo Evaluator: a line for each rollout. `select_measured` of `reward_profile.py` leaves out
# rollouts with `mask_sample`; failed ones are in a file of their own.

NEMO_GYM = declare(
    About("nemo-gym", "NeMo Gym", "rollouts.jsonl", "ng_collect_rollouts … +num_repeats=n"),
    Mark("rows", ("_ng_task_index", "_ng_rollout_index", "reward")),
    keys=Keys("_ng_task_index", "reward", number="_ng_rollout_index", masked="mask_sample"),
    adapt=lambda row: row | {"system": find_field(row, ["agent_ref", "name"])},
)

NEMO_EVALUATOR = declare(
    About("nemo-evaluator", "NeMo Evaluator 0.3", "results.jsonl", "set the repeats of the benchmark to n"),
    Mark("rows", ("problem_idx", "repeat", "reward")),
    keys=Keys("problem_idx", "reward", number="repeat", answers="extracted_answer", references="expected_answer"),
)

# tau-bench: a list of trials. tau2-bench: a list of simulations, or a folder with a file for each of them.

_CLOSE = 1e-6
"""Both take a reward as close to 1 as this as success, and a part of the checks as none."""


def _judge_reward(row: Row, path: str) -> object:
    reward = find_field(row, path.split("."))
    return reward >= 1 - _CLOSE if isinstance(reward, float) and 0 <= reward < 1 else reward


TAU_BENCH = declare(
    About("tau-bench", "tau-bench", "*.json", "run.py … --num-trials n"),
    Mark("json", ("task_id", "reward", "trial", "traj")),
    keys=Keys("task_id", "reward", number="trial", failed="info.error", needed=("task_id", "reward", "trial", "info")),
    unit="sample",
    rows=lambda source: source.document if isinstance(source.document, list) else [source.document],
    judge=lambda row, *_: _judge_reward(row, "reward"),
)


def _find_tau2_subject(source: Source) -> dict[str, str]:
    info = find_field(source.document, ["info"])
    task, model = find_field(info, ["environment_info", "domain_name"]), find_field(info, ["agent_info", "llm"])
    return name_subject(task=task, model=model)


_SIMULATION: dict[str, Any] = {
    "harness": "tau2-bench",
    "keys": Keys(
        "task_id",
        "reward_info.reward",
        number="trial",
        cause="termination_reason",
        details=("termination_reason", "agent_cost", "user_cost"),
    ),
    "unit": "sample",
    "judge": lambda row, *_: _judge_reward(row, "reward_info.reward"),
}

TAU2_BENCH = declare(
    About("tau2-bench", "tau2-bench", "results.json", "tau2 run … --num-trials n"),
    Mark("json", ("simulations", "tasks")),
    rows=lambda source: list_in(source.document, "simulations"),
    subject=_find_tau2_subject,
    **_SIMULATION,
)

TAU2_SIMULATIONS = declare(
    About("tau2-bench-simulations", "tau2-bench", "simulations/*.json, or the folder", "tau2 run … --num-trials n"),
    Mark("json", ("task_id", "trial", "reward_info", "termination_reason")),
    in_folders=True,
    rows=lambda source: (each for _, each, _ in list_documents(source)),
    **_SIMULATION,
)

# Harbor, which runs Terminal-Bench 2: a file for each trial, with a reward or several under names of their own. As in
# its `pass_at_k.py`, a reward counts beside an exception, too, unless `reward_valid` of 0.26 is false.


def _list_trials(source: Source) -> Iterator[Any]:
    """Yield trials with their agent and model as fields of their own. An agent without a model counts as one."""
    for _, trial, _ in list_documents(source):
        agent = find_field(trial, ["agent_info", "name"])
        model = find_field(trial, ["agent_info", "model_info", "name"])
        left_out = {"verifier_result": None} if find_field(trial, ["reward_valid"]) is False else {}
        yield {**trial, "system": agent, "model": model or agent, **left_out} if isinstance(trial, dict) else trial


def _list_rewards(trials: Sequence[Any], _: Reading) -> tuple[list[str], list[str]]:
    found = list_names(trials, "verifier_result.rewards") or ["reward"]
    return found, sorted(found, key=lambda name: name != "reward")


_TRIAL = ("task_name", "trial_name", "verifier_result", "exception_info")

HARBOR = declare(
    About(
        "harbor",
        "Harbor 0.26, Terminal-Bench 2",
        "jobs/{job}/{trial}/result.json, or the folder of the job",
        "harbor run … --n-attempts n",
    ),
    Mark("json", _TRIAL),
    keys=Keys(
        "task_name",
        "verifier_result.rewards.{scorer}",
        cause="exception_info.exception_type",
        apart=("source", "task_id", "task_checksum"),
        details=("agent_result.cost_usd", "agent_result.n_input_tokens", "agent_result.n_output_tokens"),
        needed=_TRIAL,
    ),
    in_folders=True,
    rows=_list_trials,
    scorers=_list_rewards,
)

# verifiers, the environments of prime-rl: a line for each rollout; from 0.4 on, for each episode with its traces.


def _refuse_reward(grade: object, line: int, chosen: Chosen) -> object:
    """Return a reward, or raise if it is no grade: several with weights may add up to more than 1."""
    if chosen.reading.scale is None and isinstance(grade, (int, float)) and (grade < 0 or grade > 1):
        raise InputError(
            "verifiers.reward",
            "The grade {scorer} must be from 0 to 1; got {value} ({place}). Choose another one with {option:scorer}: "
            "{found}.",
            scorer=quote(chosen.scorer),
            value=quote(grade),
            place=chosen.collector.place(line),
            found=quote_all(name for name in chosen.found if name != chosen.scorer) or "none",
        )
    return grade


def _judge_rollout(row: Row, line: int, chosen: Chosen) -> object:
    held = row if chosen.scorer == "reward" else row.get("metrics")
    if not isinstance(held, dict) or chosen.scorer not in held:
        raise chosen.collector.lack(chosen.scorer, line)
    return _refuse_reward(held[chosen.scorer], line, chosen)


VERIFIERS = declare(
    About("verifiers", "verifiers 0.1.14", "results.jsonl", "vf-eval … --rollouts-per-example n --save-results"),
    Mark("rows", ("example_id", "completion", "reward")),
    keys=Keys("example_id", "{scorer}", references="answer", failed="error", info="info", needed=("example_id",)),
    scorers=lambda rows, _: (["reward", *list_names(rows, "metrics")],) * 2,
    judge=_judge_rollout,
    sparse=True,
)


def _list_weighted(rows: Sequence[Any], _: Reading) -> tuple[list[str], list[str]]:
    found = ["reward", *list_names(list_in(rows[0], "traces")[:1], "rewards")]
    return found, found if len(found) > 2 else found[:1]


def _judge_episode(row: Mapping[str, Any], line: int, chosen: Chosen) -> object:
    """Return the sum of the weighted rewards of the first agent, or the score of one; None where one has no score."""
    rewards = find_field(next(iter(list_in(row, "traces")), None), ["rewards"])
    if not row["ok"] or not isinstance(rewards, dict) or not rewards:
        return None
    own = rewards.values() if chosen.scorer == "reward" else [rewards.get(chosen.scorer)]
    scores = [find_field(each, ["score"]) for each in own]
    if any(score is None or (isinstance(score, float) and isnan(score)) for score in scores):
        return None
    weights = [find_field(each, ["weight"]) if chosen.scorer == "reward" else 1 for each in own]
    if not all(isinstance(each, (int, float)) for each in (*scores, *weights)):
        raise chosen.collector.lack("rewards.score", line)
    return _refuse_reward(sum(score * weight for score, weight in zip(scores, weights, strict=True)), line, chosen)


def _name_task(row: Row) -> Row:
    number = find_field(row["task"], ["data", "idx"])
    return row | {"problem": find_field(row["task"], ["key"]) if number is None else number}


VERIFIERS_TRACES = declare(
    About("verifiers-traces", "verifiers 0.4", "traces.jsonl", "vf-eval … --rollouts-per-example n"),
    Mark("rows", ("task", "traces", "ok")),
    keys=Keys(
        "problem",
        "grade",
        cause="errors",
        details=("num_input_tokens", "num_output_tokens"),
        needed=("task", "traces", "ok"),
    ),
    adapt=_name_task,
    scorers=_list_weighted,
    judge=_judge_episode,
    subject=lambda source: name_subject(task=find_field(source.first_row, ["env", "id"])),
)

FORMATS = (TAU_BENCH, TAU2_BENCH, TAU2_SIMULATIONS, HARBOR, VERIFIERS_TRACES, VERIFIERS, NEMO_GYM, NEMO_EVALUATOR)
