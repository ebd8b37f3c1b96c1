"""Every Eval Ever: `{uuid}_samples.jsonl`, a line for each sample and metric, in its schema for instances."""

from __future__ import annotations

from math import isnan
from typing import Any, NamedTuple

from at_k.errors import InputError, Message
from at_k.readers.cells import NOTHING
from at_k.readers.collector import Collector
from at_k.readers.format import Format, Mark, Reading, choose, note_choice
from at_k.readers.quoting import quote
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source

_NEEDED = ("model_id", "evaluation_name", "sample_id", "evaluation", "answer_attribution")


class _Row(NamedTuple):
    """What is kept of a line."""

    line: int
    model: object
    evaluation: str
    sample: object
    result: str | None
    score: float | None
    is_correct: object
    is_graded: bool
    answer: object
    references: object
    meta: dict[str, Any] | None
    fields: dict[str, Any] | None


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading)
    rows = _gather(source, reading, collector)
    chosen, notes = _choose_results(rows, reading.scorer)
    rows = [row for row in rows if str(row.result) == chosen.get(row.evaluation, str(row.result))]
    # `score` may be of any size; `is_correct` means something for metrics of 0 and 1 alone.
    uses_score = all(_is_grade(row.score) for row in rows if row.is_graded)
    if uses_score:
        notes += _note_verdicts(rows)
    elif "grades" not in reading.columns:
        notes.append(
            Message(
                "every_eval_ever.is_correct",
                "The grades are “is_correct”, because the scores are not all from 0 to 1.",
            )
        )
    evaluations = list(dict.fromkeys(row.evaluation for row in rows))
    several = len(evaluations) > 1
    for row in rows:
        verdict = row.score if uses_score else row.is_correct
        name: object = f"{row.evaluation}: {row.sample}" if several else row.sample
        collector.add(
            row.line,
            name,
            answer=row.answer,
            grade=verdict if row.is_graded else None,
            references=row.references,
            group=row.evaluation if several else NOTHING,
            meta=row.meta,
            fields=row.fields,
        )
    models = dict.fromkeys(str(row.model) for row in rows)
    origin = Origin(
        "every-eval-ever",
        subject={"model": ", ".join(models), "evaluation": ", ".join(evaluations)},
        chosen={"scorer": ", ".join(dict.fromkeys(chosen.values()))} if chosen else {},
        roles={
            "problem": "sample_id",
            "answers": "answer_attribution",
            "references": "input.reference",
            "grades": "evaluation.score" if uses_score else "evaluation.is_correct",
            "group": "evaluation_name" if several else None,
        },
        notes=notes,
    )
    return collector.finish(origin)


def _gather(source: Source, reading: Reading, collector: Collector) -> list[_Row]:
    """List what is kept of each line."""
    rows = []
    for line, row in collector.rows(source, _NEEDED):
        evaluation, name, result = row["evaluation"], row["evaluation_name"], row.get("evaluation_result_id")
        with collector.faults:
            if not isinstance(evaluation, dict) or "score" not in evaluation:
                raise collector.lack("evaluation.score", line)
            if not isinstance(evaluation["score"], (int, float, type(None))):
                raise InputError(
                    "every_eval_ever.score",
                    "The score of an evaluation must be a number; got {value} ({place}).",
                    value=quote(evaluation["score"]),
                    place=collector.place(line),
                )
            answer = _read_answer(row["answer_attribution"], collector.place(line))
            if not isinstance(name, str) or not isinstance(result, (str, type(None))):
                raise InputError(
                    "every_eval_ever.name",
                    "The names of an evaluation and of its result must be text; got {value} ({place}).",
                    value=quote(result if isinstance(name, str) else name),
                    place=collector.place(line),
                )
            given = row.get("input")
            references = given.get("reference") if isinstance(given, dict) else None
            rows.append(
                _Row(
                    line,
                    row["model_id"],
                    name,
                    row["sample_id"],
                    result,
                    evaluation["score"],
                    evaluation.get("is_correct"),
                    row.get("error") is None,
                    answer,
                    references or NOTHING,
                    row["metadata"] if isinstance(row.get("metadata"), dict) else None,
                    row if reading.columns else None,
                )
            )
    return rows


def _choose_results(rows: list[_Row], wanted: str | None) -> tuple[dict[str, str], list[Message]]:
    """Choose the result of each evaluation: a sample that K metrics score has K lines, with K results."""
    results: dict[str, dict[str, None]] = {}
    for row in rows:
        results.setdefault(row.evaluation, {})[str(row.result)] = None
    if wanted is not None:
        choose(wanted, [result for found in results.values() for result in found], "scorer")
        return dict.fromkeys(results, wanted), []
    chosen: dict[str, str] = {}
    notes = []
    for evaluation, found in results.items():
        if len(found) > 1:
            chosen[evaluation] = taken = next(iter(found))
            notes.append(note_choice("scorer", taken, found))
    return chosen, notes


def _note_verdicts(rows: list[_Row]) -> list[Message]:
    """Write the note, if one is due, that a score and its verdict fall on different sides of one half."""
    count = sum(
        isinstance(row.is_correct, bool) and row.score is not None and (row.score > 0.5) != row.is_correct
        for row in rows
        if row.is_graded
    )
    if not count:
        return []
    return [
        Message(
            "every_eval_ever.verdicts",
            "The grades are the scores. For {count:,} samples “is_correct” says otherwise than a score above one half.",
            count=count,
        )
    ]


def _is_grade(score: float | None) -> bool:
    return score is None or isnan(score) or 0 <= score <= 1


def _read_answer(attribution: object, place: Message) -> object:
    """Return the value that was extracted last; None if there is none."""
    if not attribution and isinstance(attribution, (list, type(None))):
        return None
    last = attribution[-1] if isinstance(attribution, list) else attribution
    if not isinstance(attribution, list) or not isinstance(last, dict) or "extracted_value" not in last:
        raise InputError(
            "every_eval_ever.answer",
            "The field “answer_attribution” must be a list of objects with an “extracted_value”; got {value} "
            "({place}).",
            value=quote(last),
            place=place,
        )
    return last["extracted_value"] or None


FORMAT = Format(
    name="every-eval-ever",
    title="Every Eval Ever 0.3",
    file="*_samples.jsonl",
    samples="a line for each sample, with the same sample_id and evaluation_result_id",
    marks=(Mark("rows", ("schema_version", "evaluation_id", *_NEEDED)),),
    read=_read,
    options=("scorer",),
)
