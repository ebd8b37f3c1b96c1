"""Every Eval Ever: `{uuid}_samples.jsonl`, a line for each sample and metric, in its schema for instances."""

from __future__ import annotations

from math import isnan

from at_k.errors import Message
from at_k.readers.blocks import find_field
from at_k.readers.fields import Found, Row
from at_k.readers.format import Choice, Reading, check_kinds, choose, has_fields
from at_k.readers.harness import RowCollector
from at_k.readers.sources import Source

_NEEDED = ("model_id", "evaluation_name", "sample_id", "evaluation", "answer_attribution")
_IS_CORRECT = Message(
    "every_eval_ever.is_correct", "The grades are “is_correct”, because the scores are not all from 0 to 1."
)
_KEPT = ("model_id", "evaluation_name", "metadata", "error")
_KINDS = {
    "evaluation_name": (str,),
    "evaluation_result_id": (str, type(None)),
    "evaluation": (dict,),
    "evaluation.score": (int, float, bool, type(None)),
    "answer_attribution": (list, type(None)),
}


def find_rows(source: Source, reading: Reading, collector: RowCollector) -> Found:
    """Find the samples of one result for each evaluation."""
    rows = []
    for line, row in collector.rows(source, _NEEDED):
        with collector.faults:
            check_kinds("Every Eval Ever", row, _KINDS, collector.place(line))
            attributed = (row["answer_attribution"] or [{"extracted_value": None}])[-1]
            held = {"evaluation.score": row["evaluation"], "answer_attribution.extracted_value": attributed}
            for name, each in held.items():
                if not has_fields(each, name.partition(".")[2]):
                    raise collector.lack(name, line)
            kept = row if reading.columns else {name: row[name] for name in _KEPT if name in row}
            said = {"problem": row["sample_id"], "result": str(row.get("evaluation_result_id"))}
            said |= {
                "answer": attributed["extracted_value"] or None,
                "gold": find_field(row.get("input"), ["reference"]),
            }
            rows.append((line, kept | said | {name: row["evaluation"].get(name) for name in ("score", "is_correct")}))
    chosen, choice = _choose_results([row for _, row in rows], reading.scorer)
    rows = [each for each in rows if each[1]["result"] == chosen[each[1]["evaluation_name"]]]
    graded = [row for _, row in rows if row.get("error") is None]
    # `score` may be of any size; `is_correct` means something for metrics of 0 and 1 alone.
    uses_score = all(row["score"] is None or isnan(row["score"]) or 0 <= row["score"] <= 1 for row in graded)
    notes = _note_verdicts(graded, uses_score=uses_score or "grades" in reading.columns)
    evaluations = list(dict.fromkeys(row["evaluation_name"] for _, row in rows))
    for _, row in rows:
        row["verdict"] = row["score" if uses_score else "is_correct"]
        if len(evaluations) > 1:
            row |= {"problem": f"{row['evaluation_name']}: {row['problem']}", "group": row["evaluation_name"]}
    roles = {"problem": "sample_id", "answers": "answer_attribution", "references": "input.reference"}
    roles |= {"grades": "evaluation.score" if uses_score else "evaluation.is_correct"}
    roles |= {"group": "evaluation_name"} if len(evaluations) > 1 else {}
    models = ", ".join(dict.fromkeys(str(row["model_id"]) for _, row in rows))
    return Found(rows, roles, notes, choice, {"model": models, "evaluation": ", ".join(evaluations)})


def _choose_results(rows: list[Row], wanted: str | None) -> tuple[dict[str, str], Choice]:
    """Choose the result of each evaluation: a sample that K metrics score has K lines, with K results."""
    results: dict[str, dict[str, None]] = {}
    for row in rows:
        results.setdefault(row["evaluation_name"], {})[row["result"]] = None
    if wanted is not None:
        chosen = choose("scorer", wanted, [result for found in results.values() for result in found])
        return dict.fromkeys(results, wanted), chosen._replace(told={"scorer": wanted})
    found = {evaluation: choose("scorer", None, own) for evaluation, own in results.items()}
    told = ", ".join(dict.fromkeys(name for own in found.values() for name in own.told.values()))
    notes = [note for own in found.values() for note in own.notes]
    return {evaluation: own.name or "" for evaluation, own in found.items()}, Choice(
        None, {"scorer": told} if told else {}, notes
    )


def _note_verdicts(rows: list[Row], *, uses_score: bool) -> list[Message]:
    """Write the note, if one is due, that scores are not all grades, or that a score and its verdict disagree."""
    if not uses_score:
        return [_IS_CORRECT]
    judged = [row for row in rows if isinstance(row["is_correct"], bool) and row["score"] is not None]
    count = sum((row["score"] > 0.5) != row["is_correct"] for row in judged)
    note = Message(
        "every_eval_ever.verdicts",
        "The grades are the scores. For {count:,} samples “is_correct” says otherwise than a score above one half.",
        count=count,
    )
    return [note] if count else []
