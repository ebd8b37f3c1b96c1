"""Harnesses that write a row for each document, with n responses in it, and metrics of the document.

Such a metric grades a sample only where there is one.

lm-evaluation-harness: `samples_{task}_{date}.jsonl`, a line for each document and filter. `resps` has the responses,
the same in the lines of all filters. `filtered_resps` has what a filter makes of them: n answers where it keeps them
apart, or one where it has them vote. Tasks that compare choices have a list of responses for each choice, and one
sample.

lighteval: `details_{task}|{fewshot}_{date}.parquet`. The columns are structs: `doc`, `metric` and `model_response`, in
older versions `__doc__` and so on. The texts are whole generations, from which nothing was extracted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from at_k.errors import InputError, Message, Phrases
from at_k.readers.blocks import find_field
from at_k.readers.cells import NOTHING
from at_k.readers.fields import Found, Row
from at_k.readers.files.decoding import decode, read_list
from at_k.readers.files.parquet import read_rows
from at_k.readers.files.sources import Source
from at_k.readers.format import (
    TEXTS,
    Choice,
    Reading,
    check_kinds,
    choose,
    has_fields,
    name_subject,
    refuse_field,
    refuse_no_scorer,
)
from at_k.readers.harness import RowCollector
from at_k.readers.names import quote

# Texts that the filters of the harness write if they find no answer.
_NO_ANSWER = "[invalid]"

# The fields of every line, and their types.
_KINDS = {
    "doc_id": int,
    "target": str,
    "resps": list,
    "filtered_resps": list,
    "filter": str,
    "metrics": list,
}

_FILTER = re.compile(rb'"filter"\s*:\s*"([^"\\]*)"')


_say = Phrases(
    {
        "format.per_document": "The metrics of this file are of all {n} samples of a problem together, so they grade "
        "no sample. Leave out {option:scorer}, and score the answers against the references, or with a checker.",
        "lm_eval.lines": "The filters must have lines for the same documents; the file has {lines}. It may be cut off.",
        "lm_eval.target": "Of targets that are whole solutions, the part after “####” is the reference, compared as "
        "text. Of targets that are lists, each item is correct.",
        "lm_eval.vote": "The filter {name} makes {kept} of the {n} responses of a document, so that is the number of "
        "samples.",
    }
)


class _Filter(NamedTuple):
    """A filter, by its first line.

    Attributes:
        name: its name.
        metrics: its metrics, and whether each is 0 or 1 in this line.
        n: the responses of a document; 0 where there are log-likelihoods of choices instead.
        kept: how many answers the filter makes of them.
    """

    name: str
    metrics: Mapping[str, bool]
    n: int
    kept: int

    @property
    def keeps_all(self) -> bool:
        """Tell whether the filter keeps the answers apart."""
        return self.kept == (self.n or 1)


def _choose_metric(
    metrics: Mapping[str, bool], n: int, wanted: str | None, *, needed: bool
) -> Choice:
    """Choose the metric of a document that grades its only sample; none where it has several samples."""
    if n > 1 and wanted is not None:
        raise _say.error("format.per_document", n=n)
    if n > 1:
        return Choice(None)
    graded = sorted(
        (name for name, fits in metrics.items() if fits), key=lambda name: name != "acc"
    )
    if needed:
        refuse_no_scorer(wanted, metrics, graded)
    return choose("scorer", wanted, metrics, graded)


def find_documents(source: Source, reading: Reading, collector: RowCollector) -> Found:
    """Find the documents of one filter."""
    chosen, raw = _choose_filter(source, reading, collector)
    n = 1
    if chosen.kept > 1 or reading.filter is None:
        n = max(chosen.n, chosen.kept)
    choice = _choose_metric(chosen.metrics, n, reading.scorer, needed=not chosen.n)
    metric = choice.name
    choices, notes = dict(choice.told), list[Message]()

    def list_rows() -> Iterator[tuple[int, Row]]:
        lines: Counter[str] = Counter()
        is_changed = False
        for number, row in collector.rows(source, tuple(_KINDS)):
            with collector.faults:
                _check_row(row, collector.place(number))
                lines[row["filter"]] += 1
                if row["filter"] == chosen.name:
                    document = _read_document(row, chosen, metric, number, collector, raw=raw)
                    is_changed |= document["target"] not in (row["target"], NOTHING)
                    yield number, document
        with collector.faults:
            if len({*lines.values()}) > 1:
                listed = ", ".join(f"{count:,} of {quote(name)}" for name, count in lines.items())
                raise _say.error("lm_eval.lines", lines=listed)
        if raw:
            choices["answers"] = "resps"
            notes.append(TEXTS)
        else:
            of_filter = choose(
                "filter", reading.filter, lines, dict.fromkeys([chosen.name, *lines])
            )
            choices.update(of_filter.told)
            vote = _say("lm_eval.vote", name=quote(chosen.name), kept=chosen.kept, n=chosen.n)
            notes.extend([*of_filter.notes, *([vote] if chosen.kept < chosen.n else [])])
        notes.extend([_say("lm_eval.target")] if is_changed else [])

    if raw:
        answers = "resps"
    elif chosen.n:
        answers = "filtered_resps"
    else:
        answers = None
    roles = {"answers": answers, "references": answers and "target", "grades": metric}
    return Found(list_rows(), roles, notes, Choice(metric, choices, choice.notes))


def _check_row(row: Mapping[str, Any], place: Message) -> None:
    """Raise if the fields of a line are not of the types that the harness writes."""
    for name, kind in _KINDS.items():
        value = row[name]
        if type(value) is not kind or (value == [] and name != "metrics"):
            raise refuse_field("lm-eval", name, value, place)


def _choose_filter(
    source: Source, reading: Reading, collector: RowCollector
) -> tuple[_Filter, bool]:
    """Choose the filter that is wanted, or keeps the answers apart; or the responses, as every filter has them vote.

    Lines are not decoded except for the first of each filter. One that is damaged is found when all are read.
    """
    filters: dict[str, _Filter] = {}
    broken: InputError | None = None
    for number, line in chain.from_iterable(block.lines() for block in source.blocks()):
        match = _FILTER.match(line, line.rfind(b'"filter"'))  # where the harness writes it
        name = None
        if match:
            name = match[1].decode("utf-8", "replace")
        if name in filters:
            continue
        try:
            row = decode(line, number)
            if not has_fields(row, *_KINDS):
                raise refuse_field("lm-eval", "filter", name, collector.place(number))
            _check_row(row, collector.place(number))
        except InputError as error:
            broken = broken or error
            continue
        metrics = {
            name: row.get(name) in (0, 1) for name in row["metrics"] if isinstance(name, str)
        }
        n = len(_list_responses(row))
        one = filters.setdefault(
            row["filter"], _Filter(row["filter"], metrics, n, len(_list_answers(row)) if n else 1)
        )
        if one.name == reading.filter or (reading.filter is None and one.keeps_all):
            return one, False
    if not filters:
        raise broken or refuse_field("lm-eval", "filter", None, collector.place(1))
    choose("filter", reading.filter, filters)
    return next(iter(filters.values())), True


def _list_responses(row: Mapping[str, Any]) -> list[Any]:
    """Return the responses of a document; none if there is one list for each choice instead."""
    listed = row["resps"]
    if len(listed) == 1 and isinstance(listed[0], list):
        texts = listed[0]
    else:
        texts = []
    return [] if any(isinstance(text, list) for text in texts) else texts


def _list_answers(row: Mapping[str, Any]) -> list[Any]:
    """Return what a filter makes of the responses: several answers, or one."""
    listed: list[Any] = row["filtered_resps"]
    if len(listed) == 1 and isinstance(listed[0], list):
        return listed[0]
    return listed


def _read_document(
    row: Row,
    chosen: _Filter,
    metric: str | None,
    number: int,
    collector: RowCollector,
    *,
    raw: bool,
) -> Row:
    """Return the answers of a document, its references and its grade; no answers where choices were compared."""
    responses, answers = _list_responses(row), _list_answers(row)
    # Every document has the same number of responses and answers as the first.
    for name, listed, count in (
        ("resps", responses, chosen.n),
        ("filtered_resps", answers, chosen.kept),
    ):
        if len(listed) != count and (name == "resps" or responses):
            raise refuse_field("lm-eval", name, row[name], collector.place(number))
    if metric is not None and metric not in row:
        raise collector.lack(metric, number)
    if raw:
        kept = responses
    else:
        kept = [None if answer == _NO_ANSWER else answer for answer in answers]
    return {
        "doc_id": str(row["doc_id"]),
        "filtered_resps": kept if responses else [NOTHING],
        "target": _read_target(row["target"]) if responses else NOTHING,
        "verdict": NOTHING if metric is None else row[metric],
        "doc": row.get("doc"),
    }


def _read_target(target: str) -> object:
    """Read the references out of the target, which the harness spells as one string, whatever it is."""
    if "####" in target:
        return target.rpartition("####")[2].strip() or target
    gold = read_list(target)
    are_texts = (
        isinstance(gold, list) and len(gold) > 0 and all(isinstance(text, str) for text in gold)
    )
    if are_texts:
        return list(gold)
    return target


# lighteval


# The structs, and what is read of them.
_FIELDS = {
    "doc": (".id", ".choices", ".gold_index", ".task_name", ".specific"),
    "model_response": (".text", ".text_post_processed", ".logprobs"),
    "metric": ("",),
}


def find_structs(source: Source, reading: Reading, collector: RowCollector) -> Found:
    """Find the documents, each with its samples."""
    names = [
        around.format(name) + end
        for name, ends in _FIELDS.items()
        for end in ends
        for around in ("{}", "__{}__")
    ]
    rows: list[tuple[int, Row]] = []
    for number, row in read_rows(source, names):
        with collector.faults:
            rows.append((number, _name_structs(row, collector.place(number))))
    n = max((len(row["texts"]) for _, row in rows), default=0)
    metrics = _list_metrics([row["metric"] for _, row in rows])
    choice = _choose_metric(metrics, n, reading.scorer, needed=n == 0)
    metric = choice.name
    scored = n > 0 and all(_has_scores(row) for _, row in rows)
    for _, row in rows:
        texts = row["texts"] or [None]
        if scored:
            scores = row["model_response"]["logprobs"]
        else:
            scores = [None] * len(texts)
        row["samples"] = [
            {"answer": text, "score": score} for text, score in zip(texts, scores, strict=True)
        ]
        row["references"] = row["references"] if n else None
        row["verdict"] = NOTHING if metric is None else row["metric"].get(metric)
    if rows:
        first = rows[0][1]
    else:
        first = {}
    judged = (
        "text_post_processed"
        if find_field(first, ["model_response", "text_post_processed"])
        else "text"
    )
    roles = {
        "answers": f"model_response.{judged}" if n else None,
        "references": "doc.choices" if n else None,
        "grades": None if metric is None else f"metric.{metric}",
        "scores": "model_response.logprobs" if scored else None,
    }
    if n and metric is None:
        notes = [TEXTS]
    else:
        notes = []
    return Found(
        rows, roles, notes, choice, name_subject(task=find_field(first, ["doc", "task_name"]))
    )


def _name_structs(row: Row, place: Message) -> Row:
    """Return the structs of a row, under the names of the newer versions, with the texts that were judged."""
    # They are those without the reasoning, or all that was written.
    structs = {name: row.get(name, row.get(f"__{name}__")) for name in _FIELDS}
    named: Row = {name: value if isinstance(value, dict) else {} for name, value in structs.items()}
    check_kinds("lighteval", named, {"model_response.text": (list,)}, place)
    texts, judged = (
        named["model_response"]["text"],
        named["model_response"].get("text_post_processed"),
    )
    if judged and (not isinstance(judged, list) or len(judged) != len(texts)):
        raise refuse_field("lighteval", "model_response.text_post_processed", judged, place)
    return named | {"texts": judged or texts, "references": _find_references(named["doc"], place)}


def _find_references(doc: Mapping[str, Any], place: Message) -> object:
    """Find the choices that are gold."""
    choices, gold = doc.get("choices"), doc.get("gold_index")
    indices: list[Any] = gold if isinstance(gold, list) else [gold]
    if not choices or gold is None or not indices:
        return None
    if not isinstance(choices, list) or not all(
        isinstance(i, int) and 0 <= i < len(choices) for i in indices
    ):
        raise refuse_field("lighteval", "doc.gold_index", gold, place)
    return [choices[i] for i in indices]


def _has_scores(row: Row) -> bool:
    """Return whether there is one log-probability for each text, rather than for each token or choice."""
    scores = row["model_response"].get("logprobs")
    return (
        isinstance(scores, list)
        and len(scores) == len(row["texts"])
        and all(isinstance(x, float) for x in scores)
    )


def _list_metrics(rows: Sequence[Mapping[str, Any]]) -> dict[str, bool]:
    """List the metrics, and whether each is 0 or 1 in every row."""
    fits: dict[str, bool] = {}
    for name, value in chain.from_iterable(row.items() for row in rows):
        fits[name] = fits.get(name, True) and value in (0, 1, None)
    return fits
