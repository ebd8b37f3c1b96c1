"""lighteval: `details_{task}|{fewshot}_{date}.parquet`, a row for each document, with n texts in it.

The columns are structs: `doc`, `metric` and `model_response`, in older versions `__doc__` and so on. The texts are
whole generations, from which nothing was extracted. A metric is of the document, so it grades a sample only where there
is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from at_k.errors import Message
from at_k.readers.blocks import find_field
from at_k.readers.cells import NOTHING
from at_k.readers.fields import Found, Row
from at_k.readers.format import TEXTS, Reading, check_kinds, choose_metric, name_subject, refuse_field
from at_k.readers.harness import RowCollector
from at_k.readers.parquet import read_rows
from at_k.readers.sources import Source

# The structs, and what is read of them.
_FIELDS = {
    "doc": (".id", ".choices", ".gold_index", ".task_name", ".specific"),
    "model_response": (".text", ".text_post_processed", ".logprobs"),
    "metric": ("",),
}


def find_rows(source: Source, reading: Reading, collector: RowCollector) -> Found:
    """Find the documents, each with its samples."""
    names = [around.format(name) + end for name, ends in _FIELDS.items() for end in ends for around in ("{}", "__{}__")]
    rows: list[tuple[int, Row]] = []
    for number, row in read_rows(source, names):
        with collector.faults:
            rows.append((number, _name_structs(row, collector.place(number))))
    n = max((len(row["texts"]) for _, row in rows), default=0)
    metrics = _list_metrics([row["metric"] for _, row in rows])
    choice = choose_metric(metrics, n, reading.scorer, needed=n == 0)
    metric = choice.name
    scored = n > 0 and all(_has_scores(row) for _, row in rows)
    for _, row in rows:
        texts = row["texts"] or [None]
        scores = row["model_response"]["logprobs"] if scored else [None] * len(texts)
        row["samples"] = [{"answer": text, "score": score} for text, score in zip(texts, scores, strict=True)]
        row["references"] = row["references"] if n else None
        row["verdict"] = NOTHING if metric is None else row["metric"].get(metric)
    first = rows[0][1] if rows else {}
    judged = "text_post_processed" if find_field(first, ["model_response", "text_post_processed"]) else "text"
    roles = {
        "answers": f"model_response.{judged}" if n else None,
        "references": "doc.choices" if n else None,
        "grades": None if metric is None else f"metric.{metric}",
        "scores": "model_response.logprobs" if scored else None,
    }
    notes = [TEXTS] if n and metric is None else []
    return Found(rows, roles, notes, choice, name_subject(task=find_field(first, ["doc", "task_name"])))


def _name_structs(row: Row, place: Message) -> Row:
    """Return the structs of a row, under the names of the newer versions, with the texts that were judged."""
    # They are those without the reasoning, or all that was written.
    structs = {name: row.get(name, row.get(f"__{name}__")) for name in _FIELDS}
    named: Row = {name: value if isinstance(value, dict) else {} for name, value in structs.items()}
    check_kinds("lighteval", named, {"model_response.text": (list,)}, place)
    texts, judged = named["model_response"]["text"], named["model_response"].get("text_post_processed")
    if judged and (not isinstance(judged, list) or len(judged) != len(texts)):
        raise refuse_field("lighteval", "model_response.text_post_processed", judged, place)
    return named | {"texts": judged or texts, "references": _find_references(named["doc"], place)}


def _find_references(doc: Mapping[str, Any], place: Message) -> object:
    """Find the choices that are gold."""
    choices, gold = doc.get("choices"), doc.get("gold_index")
    indices: list[Any] = gold if isinstance(gold, list) else [gold]
    if not choices or gold is None or not indices:
        return None
    if not isinstance(choices, list) or not all(isinstance(i, int) and 0 <= i < len(choices) for i in indices):
        raise refuse_field("lighteval", "doc.gold_index", gold, place)
    return [choices[i] for i in indices]


def _has_scores(row: Row) -> bool:
    """Return whether there is one log-probability for each text, rather than for each token or choice."""
    scores = row["model_response"].get("logprobs")
    return isinstance(scores, list) and len(scores) == len(row["texts"]) and all(isinstance(x, float) for x in scores)


def _list_metrics(rows: Sequence[Mapping[str, Any]]) -> dict[str, bool]:
    """List the metrics, and whether each is 0 or 1 in every row."""
    return {
        name: all(row.get(name) in (0, 1, None) for row in rows) for name in dict.fromkeys(chain.from_iterable(rows))
    }
