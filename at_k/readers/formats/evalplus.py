"""EvalPlus: `*eval_results.json`, an object whose `eval` maps each task to the list of its samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from at_k.errors import InputError, Message
from at_k.readers.collector import Collector
from at_k.readers.format import Format, Mark, Reading, choose, has_fields
from at_k.readers.quoting import quote
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source

_STATUSES = {"pass": True, "fail": False, "timeout": False, None: None}


def _holds_statuses(document: Mapping[str, Any]) -> bool:
    tasks = document["eval"].values() if isinstance(document["eval"], dict) else ()
    samples: Any = next(filter(None, tasks), [])
    return isinstance(samples, list) and any(has_fields(each, "base_status") for each in samples)


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading, unit="problem")
    document = source.document
    tasks = document.get("eval") if isinstance(document, dict) else None
    if not isinstance(tasks, dict):
        raise InputError(
            "evalplus.eval",
            "EvalPlus writes an object whose “eval” maps each task to its samples; got {value}.",
            value=quote(document if tasks is None else tasks),
        )
    # A run with base_only=True leaves `plus_status` null.
    has_plus = any(
        isinstance(sample, dict) and sample.get("plus_status") is not None
        for samples in tasks.values()
        if isinstance(samples, list)
        for sample in samples
    )
    tests = choose(reading.tests, ["plus", "base"] if has_plus else ["base"], "tests")
    columns = ("base_status", "plus_status") if tests == "plus" else ("base_status",)
    for number, (task, samples) in enumerate(tasks.items(), 1):
        listed = samples if isinstance(samples, list) else [samples]
        with collector.faults:
            graded = [_grade(sample, columns, collector.place(number)) for sample in listed]
            collector.add_problem(number, task, graded)
    notes = []
    if reading.tests is None and has_plus:
        notes.append(
            Message(
                "evalplus.plus",
                "A program is correct if it passes the base tests and those that EvalPlus adds. With "
                "{option:tests=base} it needs to pass the base tests alone.",
            )
        )
    origin = Origin(
        "evalplus", chosen={"tests": tests}, roles={"problem": "task_id", "grades": columns[-1]}, notes=notes
    )
    return collector.finish(origin, per_sample=False)


def _grade(sample: object, columns: tuple[str, ...], place: Message) -> dict[str, object]:
    """Return the grade of a sample, which is correct if it passes all of these tests."""
    grade: bool | None = True
    for column in columns:
        status = sample.get(column, "") if isinstance(sample, dict) else [sample]
        if not isinstance(status, (str, type(None))) or status not in _STATUSES:
            raise InputError(
                "evalplus.status",
                "The field {column} must be “pass”, “fail”, “timeout” or null; got {value} ({place}).",
                column=quote(column),
                value=quote(status),
                place=place,
            )
        found = _STATUSES[status]
        if found is False or grade is False:
            grade = False
        elif found is None:
            grade = None
    return {"grade": grade, "fields": sample}


FORMAT = Format(
    name="evalplus",
    title="EvalPlus 0.3.1",
    file="*eval_results.json",
    samples="evalplus.codegen … --n_samples n",
    marks=(Mark("json", ("eval",), _holds_statuses),),
    read=_read,
    options=("tests",),
)
