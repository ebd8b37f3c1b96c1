"""Every Eval Ever: `{uuid}_samples.jsonl`, a line for each sample and metric, in its schema for instances."""

from __future__ import annotations

from itertools import chain
from math import isnan

from at_k.errors import Message, Phrases
from at_k.readers.blocks import find_field
from at_k.readers.fields import Found, Row
from at_k.readers.format import Choice, Reading, check_kinds, choose, has_fields
from at_k.readers.harness import RowCollector
from at_k.readers.sources import Source

_NEEDED = ("model_id", "evaluation_name", "sample_id", "evaluation", "answer_attribution")
_KEPT = ("model_id", "evaluation_name", "sample_id", "metadata", "error")
_KINDS = {
    "evaluation_name": (str,),
    "evaluation_result_id": (str, type(None)),
    "evaluation": (dict,),
    "evaluation.score": (int, float, bool, type(None)),
    "answer_attribution": (list, type(None)),
}

_say = Phrases(
    {
        "every_eval_ever.is_correct": "The grades are “is_correct”, because the scores are not all from 0 to 1.",
        "every_eval_ever.verdicts": "The grades are the scores. For {count:,} samples “is_correct” says otherwise than "
        "a score above one half.",
    }
)


def find_rows(source: Source, reading: Reading, collector: RowCollector) -> Found:
    """Find the samples of one result for each evaluation: one that K metrics score has K lines, with K results."""
    rows: list[tuple[int, Row]] = []
    results: dict[str, dict[str, None]] = {}
    for line, row in collector.rows(source, _NEEDED):
        with collector.faults:
            check_kinds("Every Eval Ever", row, _KINDS, collector.place(line))
            score, answer = row["evaluation"], (row["answer_attribution"] or [{"extracted_value": None}])[-1]
            for part, path in ((score, "evaluation.score"), (answer, "answer_attribution.extracted_value")):
                if not has_fields(part, path.partition(".")[2]):
                    raise collector.lack(path, line)
            result = str(row.get("evaluation_result_id"))
            results.setdefault(row["evaluation_name"], {})[result] = None
            kept = row if reading.columns else {name: row[name] for name in _KEPT if name in row}
            kept |= {"gold": find_field(row.get("input"), ["reference"]), "answer": answer["extracted_value"] or None}
            rows.append((line, kept | {"result": result, "score": score["score"], "right": score.get("is_correct")}))
    every, wanted = list(chain.from_iterable(results.values())), reading.scorer
    choices = {name: choose("scorer", wanted, every if wanted else names) for name, names in results.items()}
    told = wanted or ", ".join(dict.fromkeys(name for choice in choices.values() for name in choice.told.values()))
    choice = Choice(None, {"scorer": told} if told else {}, [note for one in choices.values() for note in one.notes])
    rows = [(line, row) for line, row in rows if row["result"] == choices[row["evaluation_name"]].name]
    graded = [row for _, row in rows if row.get("error") is None]
    # `score` may be of any size; `is_correct` means something for metrics of 0 and 1 alone.
    uses_score = all(row["score"] is None or isnan(row["score"]) or 0 <= row["score"] <= 1 for row in graded)
    evaluations = list(dict.fromkeys(row["evaluation_name"] for _, row in rows))
    for _, row in rows:
        row["verdict"] = row["score" if uses_score else "right"]
        row["group"] = row["evaluation_name"] if len(evaluations) > 1 else None
    roles = {"answers": "answer_attribution", "references": "input.reference"}
    roles |= {"grades": "evaluation.score" if uses_score else "evaluation.is_correct", "group": "evaluation_name"}
    notes = _note_verdicts(graded, uses_score=uses_score or "grades" in reading.columns)
    models = ", ".join(dict.fromkeys(str(row["model_id"]) for _, row in rows))
    return Found(rows, roles, notes, choice, {"model": models, "evaluation": ", ".join(evaluations)})


def _note_verdicts(rows: list[Row], *, uses_score: bool) -> list[Message]:
    """Write the note, if one is due, that scores are not all grades, or that a score and its verdict disagree."""
    if not uses_score:
        return [_say("every_eval_ever.is_correct")]
    judged = [row for row in rows if isinstance(row["right"], bool) and row["score"] is not None]
    count = sum((row["score"] > 0.5) != row["right"] for row in judged)
    return [_say("every_eval_ever.verdicts", count=count)] if count else []
