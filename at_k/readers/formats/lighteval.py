"""lighteval: `details_{task}|{fewshot}_{date}.parquet`, a row for each document, with n texts in it.

The columns are structs: `doc`, `metric` and `model_response`, in older versions `__doc__` and so on. The texts are
whole generations, from which nothing was extracted. A metric is of the document, so it grades a sample only where there
is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from at_k.errors import InputError, Message
from at_k.readers.cells import NOTHING
from at_k.readers.collector import Collector
from at_k.readers.faults import UNITS
from at_k.readers.format import Format, Mark, Reading, choose, name_subject, note_choice, refuse_field
from at_k.readers.parquet import read_rows
from at_k.readers.quoting import quote_all
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source

_FIELDS = {
    "doc": (".id", ".choices", ".gold_index", ".task_name", ".specific"),
    "model_response": (".text", ".text_post_processed", ".logprobs"),
    "metric": ("",),
}
"""The structs, and what is read of them."""

_Row = dict[str, dict[str, Any]]
"""Struct → field → value."""


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading, unit="row")
    rows: list[tuple[int, _Row, list[Any]]] = []
    for number, row in _list_rows(source):
        with collector.faults:
            texts = _find_texts(row["model_response"], number)
            rows.append((number, row, texts))
    n = max((len(texts) for _, _, texts in rows), default=0)
    metrics = _list_metrics([row for _, row, _ in rows])
    metric = _choose_metric(metrics, n, reading)
    scored = n > 0 and all(_has_scores(row["model_response"], len(texts)) for _, row, texts in rows)
    for number, row, texts in rows:
        doc = row["doc"]
        with collector.faults:
            references = _find_references(doc, number) if n else NOTHING
            grade = NOTHING if metric is None else row["metric"].get(metric)
            scores = row["model_response"]["logprobs"] if scored else [NOTHING] * max(len(texts), 1)
            specific = doc["specific"] if isinstance(doc.get("specific"), dict) else {}
            collector.add_problem(
                number,
                doc.get("id"),
                [
                    {"answer": answer, "score": score}
                    for answer, score in zip(texts or [None if n else NOTHING], scores, strict=True)
                ],
                grade=grade,
                references=references,
                meta=reading.list_fields(specific),
                fields=specific,
            )
    first = rows[0][1] if rows else None
    return collector.finish(_describe(source, reading, first, n, metrics, metric, scored=scored), per_sample=False)


def _list_rows(source: Source) -> Iterator[tuple[int, _Row]]:
    """Yield the structs of each row, under the names of the newer versions."""
    names = [around.format(name) + end for name, ends in _FIELDS.items() for end in ends for around in ("{}", "__{}__")]
    for number, row in read_rows(source, names):
        found = {name: row.get(name, row.get(f"__{name}__")) for name in _FIELDS}
        yield number, {name: value if isinstance(value, dict) else {} for name, value in found.items()}


def _find_texts(response: Mapping[str, Any], number: int) -> list[Any]:
    """Find the texts of a document: those that were judged, without the reasoning, or all that was written."""
    texts, judged = response.get("text"), response.get("text_post_processed")
    if not isinstance(texts, list):
        raise _refuse_field("model_response.text", texts, number)
    if judged and (not isinstance(judged, list) or len(judged) != len(texts)):
        raise _refuse_field("model_response.text_post_processed", judged, number)
    return judged or texts


def _find_references(doc: Mapping[str, Any], number: int) -> object:
    """Find the choices that are gold."""
    choices, gold = doc.get("choices"), doc.get("gold_index")
    indices: list[Any] = gold if isinstance(gold, list) else [gold]
    if not choices or gold is None or not indices:
        return NOTHING
    if not isinstance(choices, list) or not all(isinstance(i, int) and 0 <= i < len(choices) for i in indices):
        raise _refuse_field("doc.gold_index", gold, number)
    return [choices[i] for i in indices]


def _has_scores(response: Mapping[str, Any], n: int) -> bool:
    """Return whether there is one log-probability for each text, rather than for each token or choice."""
    found = response.get("logprobs")
    return isinstance(found, list) and len(found) == n and all(isinstance(each, float) for each in found)


def _list_metrics(rows: list[_Row]) -> dict[str, bool]:
    """List the metrics, and whether each is 0 or 1 in every row."""
    names = dict.fromkeys(chain.from_iterable(row["metric"] for row in rows))
    return {name: all(row["metric"].get(name) in (0, 1, None) for row in rows) for name in names}


def _choose_metric(metrics: Mapping[str, bool], n: int, reading: Reading) -> str | None:
    """Choose the metric that grades the only sample of a document; None where there are several samples."""
    if n > 1:
        if reading.scorer is not None:
            raise InputError(
                "lighteval.per_document",
                "The metrics of this file are of all {n} texts of a document together, so they grade no sample. Leave "
                "out {option:scorer}, and score the answers with a checker.",
                n=n,
            )
        return None
    if reading.scorer is not None:
        return choose(reading.scorer, list(metrics), "scorer")
    metric = next((name for name, fits in metrics.items() if fits), None)
    if n == 0 and metric is None:
        raise InputError(
            "lighteval.nothing",
            "There are neither texts in this file nor a metric that is 0 or 1: it has {metrics}.",
            metrics=quote_all(metrics) or "none",
        )
    return metric


def _refuse_field(name: str, value: object, number: int) -> InputError:
    return refuse_field("lighteval", name, value, UNITS["row"](number))


def _describe(
    source: Source,
    reading: Reading,
    row: _Row | None,
    n: int,
    metrics: Mapping[str, bool],
    metric: str | None,
    *,
    scored: bool,
) -> Origin:
    notes = []
    if n and metric is None:
        notes.append(
            Message(
                "lighteval.texts",
                "The answers are whole texts, from which nothing was extracted. Extract the answers before a vote, or "
                "choose a checker that finds them.",
            )
        )
    offered = [name for name, fits in metrics.items() if fits]
    if metric is not None and reading.scorer is None and len(offered) > 1:
        notes.append(note_choice("scorer", metric, offered))
    judged = row is not None and row["model_response"].get("text_post_processed")
    task = row["doc"].get("task_name") if row else None
    return Origin(
        "lighteval",
        subject=name_subject(task=task if isinstance(task, str) else None, model=_find_model(source)),
        chosen={"scorer": metric} if metric is not None and len(metrics) > 1 else {},
        roles={
            "problem": "doc.id",
            "answers": f"model_response.{'text_post_processed' if judged else 'text'}" if n else None,
            "references": "doc.choices" if n else None,
            "grades": f"metric.{metric}" if metric is not None else None,
            "scores": "model_response.logprobs" if scored else None,
        },
        notes=notes,
    )


def _find_model(source: Source) -> str | None:
    """Find the model in the path, `details/{organisation}/{model}/{date}`."""
    folders = source.folders
    end = folders.index("details") if "details" in folders else 0
    return "/".join(reversed(folders[1:end])) or None


FORMAT = Format(
    name="lighteval",
    title="lighteval 0.13",
    file="details_{task}|{fewshot}_{date}.parquet",
    samples="use a metric of n samples, such as avg@n:n=4 or pass@k:k=1&n=4, and run with --save-details",
    marks=(Mark("parquet", ("doc", "model_response")), Mark("parquet", ("__doc__", "__model_response__"))),
    read=_read,
    options=("scorer",),
)
