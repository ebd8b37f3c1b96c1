"""Functions of the formats of harnesses that run programs: their own benchmarks, and tasks of repositories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from at_k.readers.blocks import find_field
from at_k.readers.fields import Chosen, Row, list_documents, list_in
from at_k.readers.format import Reading, has_fields, refuse_field
from at_k.readers.sources import Source

_STATUSES = {"pass": True, "fail": False, "timeout": False, None: None}


def list_tasks(source: Source) -> list[dict[str, Any]]:
    """List the tasks of EvalPlus, each with its samples."""
    return _list_tasks(source.document)


def _list_tasks(document: Any) -> list[dict[str, Any]]:
    tasks = find_field(document, ["eval"])
    found = tasks.items() if isinstance(tasks, dict) else ()
    return [{"task_id": task, "samples": own if isinstance(own, list) else [own]} for task, own in found]


def has_statuses(document: Any) -> bool:
    """Return whether a sample of EvalPlus has a status."""
    return any(has_fields(each, "base_status") for task in _list_tasks(document) for each in task["samples"])


def list_tests(tasks: Sequence[Any], _: Reading) -> tuple[list[str], list[str]]:
    """List the sets of tests. A run with base_only=True leaves `plus_status` null."""
    has_plus = any(find_field(sample, ["plus_status"]) is not None for task in tasks for sample in task["samples"])
    return (["plus", "base"] if has_plus else ["base"],) * 2


def judge_statuses(sample: Row, number: int, chosen: Chosen) -> object:
    """Return the grade of a sample: `evaluate.py` of EvalPlus wants both statuses for the tests that it adds."""
    grades = []
    for column in ("base_status", "plus_status") if chosen.scorer == "plus" else ("base_status",):
        status = sample.get(column, "")
        if not isinstance(status, (str, type(None))) or status not in _STATUSES:
            raise refuse_field("EvalPlus", column, sample.get("", status), chosen.collector.place(number))
        grades.append(_STATUSES[status])
    return False if False in grades else None if None in grades else True


def take_entry(sample: Row, *_: Any) -> object:
    """Return the verdict of LiveCodeBench that is an entry of a list."""
    return sample.get("", sample)


def list_reports(source: Source) -> Iterator[Any]:
    """Yield the report of each instance of SWE-bench, with its model, which the path names."""
    for _, document, path in list_documents(source):
        model = path.parts[-3] if len(path.parts) > 2 else None
        for instance, report in document.items() if isinstance(document, dict) else [("", document)]:
            failure = True if find_field(report, ["infra_failure"]) else None
            said = {"instance_id": instance, "model": model, "failure": failure}
            yield report | said if isinstance(report, dict) else report


def list_run(source: Source) -> Iterator[Any]:
    """Yield the instances of a run. One whose evaluation failed is missing; one without a patch is wrong."""
    # `make_run_report` of SWE-bench keeps instances without a prediction apart; it does not count them.
    lists = ("submitted_ids", "resolved_ids", "unresolved_ids", "error_ids", "empty_patch_ids", "infra_failure_ids")
    named = {name: list(map(str, list_in(source.document, name))) for name in lists}
    resolved, failed = {*named["resolved_ids"]}, {*named["error_ids"], *named.pop("infra_failure_ids")}
    for name in dict.fromkeys(each for own in named.values() for each in own):
        said = {"instance_id": name, "resolved": name in resolved, "model": source.name.partition(".")[0]}
        yield said | {"failure": True if name in failed - resolved else None}


def list_exercises(source: Source) -> Iterator[Any]:
    """Yield the exercises of Aider with their language, and with their format of edits as a setting of the model."""
    # One that ended in an exception names nothing: the folder is its exercise, and the others say its model.
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


def list_tries(*_: Any) -> tuple[list[str], list[str]]:
    """List the rates of Aider."""
    return (["pass_rate_2", "pass_rate_1"],) * 2


def judge_tries(row: Row, number: int, chosen: Chosen) -> object:
    """Return whether one of the first tries passed, as `pass_rate_1` and `pass_rate_2` of `summarize_results` count."""
    outcomes = row["tests_outcomes"]
    if not isinstance(outcomes, (list, type(None))):
        raise refuse_field("Aider", "tests_outcomes", outcomes, chosen.collector.place(number))
    return any(outcomes[: int(chosen.scorer[-1])]) if outcomes else None
