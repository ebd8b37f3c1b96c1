"""OpenCompass: `results/{model}/{dataset}.json` and, without grades, `predictions/{model}/{dataset}.json`.

Results have a list `details`, an object for each problem with lists of n values. Where the evaluator gives no details,
it is an object with an entry for each sample instead, as predictions are.

Predictions are an object whose keys "0", "1", … count the samples: the whole data set, then the whole data set again, n
times. So sample i is of problem i mod M, and M is found by the prompts, which repeat.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from at_k.errors import InputError, Message
from at_k.readers.cells import NOTHING
from at_k.readers.collector import Collector
from at_k.readers.format import Format, Mark, Reading, has_fields, name_subject
from at_k.readers.quoting import quote
from at_k.readers.samples import Columns, Origin, Samples
from at_k.readers.sources import Source

_FIELDS = {
    "answers": ("pred", "predictions", "prediction"),
    "references": ("answer", "answers", "references", "gold", "refr"),
    "grades": ("correct", "is_correct", "cascade_correct"),
}
"""The names that evaluators give to what is known of each sample, the usual one first."""


@dataclass
class Detail:
    """What the results say about a problem.

    Attributes:
        name: its name.
        values: role → a value for each sample. All lists have the same length.
    """

    name: object
    values: dict[str, list[Any]]

    @property
    def n(self) -> int:
        """The number of samples."""
        return len(next(iter(self.values.values())))


def list_details(source: Source) -> tuple[list[Detail], Columns]:
    """List the problems of a results file whose `details` are a list, and the field of each role.

    Raises:
        InputError: if the file is something else.
    """
    found = source.document.get("details") if isinstance(source.document, dict) else None
    if not is_list_of_details(found):
        raise refuse_file("there is no list “details” of objects with an “example_abbr”")
    roles = {role: next((name for name in names if name in found[0]), None) for role, names in _FIELDS.items()}
    fields = {role: name for role, name in roles.items() if name is not None}
    if not {"answers", "grades"} & {*fields}:
        raise refuse_file("the details have neither answers nor grades")
    details = []
    for place, each in enumerate(found, 1):
        values: dict[str, Any] = {role: each.get(name) for role, name in fields.items()}
        lengths = {len(value) if isinstance(value, list) else 0 for value in values.values()}
        if len(lengths) > 1 or 0 in lengths:
            raise InputError(
                "opencompass.lengths",
                "The fields {fields} must be lists of the same length, with at least one sample (problem {place}). The "
                "evaluator may have left out a field for some samples; then score the predictions file instead.",
                fields=", ".join(quote(name) for name in fields.values()),
                place=place,
            )
        details.append(Detail(each["example_abbr"], values))
    return details, {"problem": "example_abbr", **roles}


def is_list_of_details(found: object) -> TypeGuard[list[dict[str, Any]]]:
    """Return whether the `details` of a results file are a list with an object for each problem."""
    return isinstance(found, list) and bool(found) and all(isinstance(x, dict) and "example_abbr" in x for x in found)


def add_details(collector: Collector, details: Sequence[Detail]) -> None:
    """Add the samples of all problems."""
    for place, detail in enumerate(details, 1):
        nothing = [NOTHING] * detail.n
        answers, grades, references = (detail.values.get(role, nothing) for role in ("answers", "grades", "references"))
        collector.add_problem(
            place,
            detail.name,
            [
                {"answer": _read_answer(answer), "grade": grade, "references": reference}
                for answer, grade, reference in zip(answers, grades, references, strict=True)
            ],
            meta={"subdivision": str(detail.name).rpartition("_")[0]},
        )


def list_entries(found: Mapping[str, Any], fields: Mapping[str, str]) -> list[dict[str, Any]]:
    """List the samples of an object whose keys count them.

    Args:
        found: the object.
        fields: role → field, and "prompt" → the field of the prompt.

    Raises:
        InputError: if the keys do not count the samples, or an entry has no answer.
    """
    entries = []
    for place in range(len(found)):
        entry = found.get(str(place))
        if not isinstance(entry, dict) or fields["answers"] not in entry:
            raise InputError(
                "opencompass.keys",
                "The keys must count the samples from “0” to “{last}”, and each must have the field {field}; this is "
                "not so for {key}. The run may not have come to its end.",
                last=len(found) - 1,
                field=quote(fields["answers"]),
                key=quote(str(place)),
            )
        entries.append({role: entry.get(name) for role, name in fields.items()})
    return entries


def add_entries(collector: Collector, entries: Sequence[Mapping[str, Any]]) -> list[Message]:
    """Add samples whose problems are known by their prompts. Return what is to be said about them."""
    problems = _find_problems(entries)
    listed = False
    for place, (entry, problem) in enumerate(zip(entries, problems, strict=True), 1):
        answers = entry["answers"]
        listed = listed or isinstance(answers, list)
        for answer in answers if isinstance(answers, list) else [answers]:
            collector.add(
                place,
                problem,
                answer=_read_answer(answer.get("prediction") if isinstance(answer, dict) else answer),
                grade=entry.get("grades", NOTHING),
                references=NOTHING if entry.get("references") is None else entry["references"],
            )
    notes = []
    if listed:
        notes.append(
            Message(
                "opencompass.lists",
                "Predictions that are lists were taken as samples of their problem. If they are the turns of one "
                "conversation, they cannot be scored.",
            )
        )
    return notes


def _find_problems(entries: Sequence[Mapping[str, Any]]) -> list[int]:
    """Find the number of the problem of each sample by its prompt and reference.

    OpenCompass repeats the whole data set. Others that write the same fields repeat each problem.

    Raises:
        InputError: if the prompts show neither.
    """
    marks = [json.dumps([entry.get("prompt"), entry.get("references")], sort_keys=True) for entry in entries]
    total, different = len(marks), len({*marks})
    prompted = all(entry.get("prompt") for entry in entries)
    if different == total:
        return list(range(total))
    m = next(m for m in range(different, total + 1) if total % m == 0 and marks[m:] == marks[: total - m])
    if m < total and prompted:  # without prompts, two problems with the same reference look alike
        return [place % m for place in range(total)]
    n = total // different
    if prompted and marks == [mark for mark in dict.fromkeys(marks) for _ in range(n)]:
        return [place // n for place in range(total)]
    raise InputError(
        "opencompass.unknown_n",
        "It cannot be known which samples are of the same problem: {total:,} samples have {different:,} different "
        "prompts, which do not repeat regularly. Score the results file instead, or a table made from this one.",
        total=total,
        different=different,
    )


def _read_answer(value: object) -> object:
    """Return an answer; None if it is empty, as where none was found or nothing was written."""
    return None if value == "" else value


def refuse_file(what: str) -> InputError:
    """Return the error for a file that is of another format."""
    return InputError("opencompass.file", "This file is not what OpenCompass or AISBench write: {what}.", what=what)


def find_subject(source: Source, folder: str) -> dict[str, str]:
    """Find the data set and the model in the path, `{folder}/{model}/{dataset}.json`."""
    inside = source.folders[1:2] == (folder,)
    return name_subject(
        task=source.name.partition(".json")[0] if inside else None, model=source.folders[0] if inside else None
    )


def find_entries(document: object) -> Mapping[str, Any]:
    """Return the `details` of a results file if they are an object with an entry for each sample; else {}."""
    details = document.get("details") if isinstance(document, dict) else None
    first = details.get("0") if isinstance(details, dict) else None
    return details if isinstance(details, dict) and isinstance(first, dict) and "predictions" in first else {}


def read_entries(found: Mapping[str, Any], reading: Reading) -> tuple[Collector, Columns, list[Message]]:
    """Read `details` that are an object. Lists of one value, as AISBench writes them, stand for the value."""
    fields = {"prompt": "prompt" if "prompt" in found["0"] else "origin_prediction", "answers": "predictions"}
    fields |= {role: name for role, name in (("references", "references"), ("grades", "correct")) if name in found["0"]}
    entries = [
        {role: value[0] if isinstance(value, list) and len(value) == 1 else value for role, value in entry.items()}
        for entry in list_entries(found, fields)
    ]
    collector = Collector(reading, unit="sample")
    notes = add_entries(collector, entries)
    return collector, {"problem": fields["prompt"], **{role: fields.get(role) for role in _FIELDS}}, notes


def _read(source: Source, reading: Reading) -> Samples:
    entries = find_entries(source.document)
    notes: list[Message] = []
    if entries:
        collector, roles, notes = read_entries(entries, reading)
    else:
        details, roles = list_details(source)
        collector = Collector(reading, unit="problem")
        add_details(collector, details)
    origin = Origin("opencompass", subject=find_subject(source, "results"), roles=roles, notes=notes)
    return collector.finish(origin, per_sample=bool(entries))


def _read_predictions(source: Source, reading: Reading) -> Samples:
    found = source.document
    if not isinstance(found, dict) or not found:
        raise refuse_file("predictions are an object with the keys “0”, “1” and so on")
    collector = Collector(reading, unit="sample")
    fields = {"prompt": "origin_prompt", "answers": "prediction", "references": "gold"}
    notes = [note_texts(), *add_entries(collector, list_entries(found, fields))]
    origin = Origin(
        "opencompass-predictions",
        subject=find_subject(source, "predictions"),
        roles={"problem": "origin_prompt", "answers": "prediction", "references": "gold"},
        notes=notes,
    )
    return collector.finish(origin)


def note_texts() -> Message:
    """Return the note that predictions are whole texts."""
    return Message(
        "opencompass.texts",
        "These are predictions, which are not graded. The answers are whole texts, from which nothing was extracted; "
        "the results file has grades.",
    )


FORMAT = Format(
    name="opencompass",
    title="OpenCompass 0.5.4",
    file="results/{model}/{dataset}.json",
    samples="set n in the dataset's configuration, and run with --dump-eval-details",
    marks=(
        Mark("json", ("details",), lambda document: is_list_of_details(document["details"])),
        Mark("json", ("details",), lambda document: bool(find_entries(document))),
    ),
    read=_read,
)

PREDICTIONS = Format(
    name="opencompass-predictions",
    title="OpenCompass 0.5.4",
    file="predictions/{model}/{dataset}.json",
    samples="set n in the dataset's configuration",
    marks=(Mark("json", ("0",), lambda document: has_fields(document["0"], "prediction")),),
    read=_read_predictions,
    rank=1,
)
