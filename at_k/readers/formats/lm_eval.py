"""lm-evaluation-harness: `samples_{task}_{date}.jsonl`, a line for each document and filter, with n responses in it.

`resps` has the responses, the same in the lines of all filters. `filtered_resps` has what a filter makes of them: n
answers where it keeps them apart, or one where it has them vote. A metric is of the document and filter, so it grades a
sample only where there is one sample. Tasks that compare choices have a list of responses for each choice, and one
sample.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Any

from at_k.errors import InputError, Message
from at_k.readers.cells import NOTHING
from at_k.readers.collector import Collector
from at_k.readers.decoding import decode
from at_k.readers.fields import Found, Keys, Row, declare
from at_k.readers.format import (
    About,
    Mark,
    Reading,
    choose,
    choose_metric,
    has_fields,
    name_subject,
    refuse_field,
    tell_choice,
)
from at_k.readers.names import quote, quote_all
from at_k.readers.sources import Source

_NO_ANSWER = "[invalid]"
"""What the filters of the harness write where they find no answer."""

_NAME = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT[\d.:-]+\.jsonl")

_KINDS = {"doc_id": int, "target": str, "resps": list, "filtered_resps": list, "filter": str, "metrics": list}
"""The fields of every line, and their types."""

_FILTER = re.compile(rb'"filter"\s*:\s*"([^"\\]*)"')

_TEXT = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""

_TEXTS = re.compile(rf"\[{_TEXT}(?:, {_TEXT})*\]", re.DOTALL)
"""A list of strings as Python prints it."""


class _Filter:
    """A filter, as its first line shows it.

    Attributes:
        name: its name.
        row: its first line.
        generative: whether the responses are texts rather than the log-likelihoods of choices.
        n: the responses of a document.
        kept: how many answers the filter makes of them.
    """

    def __init__(self, name: str, row: Mapping[str, Any]) -> None:
        responses = _list_responses(row)
        self.name, self.row = name, row
        self.generative = responses is not None
        self.n = 1 if responses is None else len(responses)
        self.kept = 1 if responses is None else len(_list_answers(row))


def _find_rows(source: Source, reading: Reading, collector: Collector) -> Found:
    chosen, raw = _choose_filter(_list_filters(source, reading, collector), reading)
    n = max(chosen.n, chosen.kept) if chosen.kept > 1 or reading.filter is None else 1
    metrics = _list_metrics(chosen.row)
    metric = choose_metric(metrics, n, reading.scorer, needed=not chosen.generative)
    graded = [name for name, fits in metrics.items() if fits]
    choices, told = tell_choice("scorer", metric, graded, reading.scorer)
    notes: list[Message] = []

    def list_rows() -> Iterator[tuple[int, Row]]:
        lines: Counter[str] = Counter()
        changed: dict[str, Message] = {}
        for number, row in collector.rows(source, tuple(_KINDS)):
            with collector.faults:
                _check_row(row, collector.place(number))
                lines[row["filter"]] += 1
                if row["filter"] == chosen.name:
                    yield number, _read_document(row, chosen, metric, changed, number, collector, raw=raw)
        with collector.faults:
            if len({*lines.values()}) > 1:
                raise InputError(
                    "lm_eval.lines",
                    "The filters must have lines for the same documents; the file has {lines}. It may be cut off.",
                    lines=", ".join(f"{count:,} of {quote(name)}" for name, count in lines.items()),
                )
        chosen_filter, filter_notes = _tell_filter(chosen, lines, reading.filter, raw=raw)
        choices.update(chosen_filter)
        notes.extend([*filter_notes, *told, *changed.values()])

    answers = "resps" if raw else "filtered_resps" if chosen.generative else None
    roles = {"answers": answers, "references": answers and "target", "grades": metric}
    return Found(list_rows(), roles, notes, choices)


def _check_row(row: Mapping[str, Any], place: Message) -> None:
    """Raise if the fields of a line are not of the types that the harness writes."""
    for name, kind in _KINDS.items():
        value = row[name]
        if type(value) is not kind or (value == [] and name != "metrics"):
            raise refuse_field("lm-eval", name, value, place)


def _list_filters(source: Source, reading: Reading, collector: Collector) -> list[_Filter]:
    """List the filters, in the order in which they come, as far as the one that is wanted, or keeps the answers apart.

    Lines are not decoded except for the first of each filter. One that is damaged is found when all are read.
    """
    found: dict[str, _Filter] = {}
    broken: InputError | None = None
    for number, line in chain.from_iterable(block.lines() for block in source.blocks()):
        said = _FILTER.match(line, line.rfind(b'"filter"'))  # where the harness writes it
        name = said[1].decode("utf-8", "replace") if said else None
        if name in found:
            continue
        try:
            row = decode(line, number)
            if not has_fields(row, *_KINDS):
                raise refuse_field("lm-eval", "filter", name, collector.place(number))
            _check_row(row, collector.place(number))
        except InputError as error:
            broken = broken or error
            continue
        each = found.setdefault(row["filter"], _Filter(row["filter"], row))
        if reading.filter == each.name or (reading.filter is None and each.kept == each.n):
            break
    if not found:
        raise broken or refuse_field("lm-eval", "filter", None, collector.place(1))
    return list(found.values())


def _choose_filter(filters: list[_Filter], reading: Reading) -> tuple[_Filter, bool]:
    """Choose the filter, and whether to take the responses themselves, because every filter has them vote."""
    if reading.filter is not None:
        name = choose(reading.filter, [each.name for each in filters], "filter")
        return next(each for each in filters if each.name == name), False
    keeping = next((each for each in filters if each.kept == each.n), None)
    return (filters[0], True) if keeping is None else (keeping, False)


def _list_metrics(row: Mapping[str, Any]) -> dict[str, bool]:
    """List the metrics of a line, and whether each is 0 or 1 there."""
    return {name: row.get(name) in (0, 1) for name in row["metrics"] if isinstance(name, str)}


def _list_responses(row: Mapping[str, Any]) -> list[Any] | None:
    """Return the responses of a document; None if there is one list for each choice instead."""
    listed = row["resps"]
    texts = listed[0] if len(listed) == 1 else None
    return texts if isinstance(texts, list) and texts and not any(isinstance(each, list) for each in texts) else None


def _list_answers(row: Mapping[str, Any]) -> list[Any]:
    """Return what a filter makes of the responses: several answers, or one."""
    listed: list[Any] = row["filtered_resps"]
    return listed[0] if len(listed) == 1 and isinstance(listed[0], list) else listed


def _read_document(
    row: Row,
    chosen: _Filter,
    metric: str | None,
    changed: dict[str, Message],
    number: int,
    collector: Collector,
    *,
    raw: bool,
) -> Row:
    """Return the answers of a document, its references and its grade; no answers where choices were compared."""
    responses, answers = _list_responses(row), _list_answers(row)
    if (responses is not None) != chosen.generative:
        raise refuse_field("lm-eval", "resps", row["resps"], collector.place(number))
    if responses is not None and (len(responses) != chosen.n or len(answers) != chosen.kept):
        raise InputError(
            "lm_eval.repeats",
            "Every document must have as many responses and answers as the first: {n} and {kept}, not {found} and "
            "{answers} (line {line}).",
            n=chosen.n,
            kept=chosen.kept,
            found=len(responses),
            answers=len(answers),
            line=number,
        )
    if metric is not None and metric not in row:
        raise collector.lack(metric, number)
    kept: list[Any] = responses if raw and responses else [None if each == _NO_ANSWER else each for each in answers]
    return {
        "doc_id": str(row["doc_id"]),
        "filtered_resps": [NOTHING] if responses is None else kept,
        "target": NOTHING if responses is None else _read_target(row["target"], changed),
        "grade": NOTHING if metric is None else row[metric],
        "doc": row.get("doc"),
    }


def _read_target(target: str, changed: dict[str, Message]) -> object:
    """Read the references out of the target, which the harness spells as one string, whatever it is."""
    gold = target.rpartition("####")[2].strip()
    if "####" in target and gold:
        changed["solution"] = Message(
            "lm_eval.solution",
            "The targets are whole solutions. The part after “####” is the reference, compared as text.",
        )
        return gold
    if target.startswith(("['", '["')) and _TEXTS.fullmatch(target):
        try:
            listed = list(ast.literal_eval(target))
        except (SyntaxError, ValueError):
            return target
        changed["list"] = Message(
            "lm_eval.list", "Targets that are lists were taken as several references, each of which is correct."
        )
        return listed
    return target


def _tell_filter(
    chosen: _Filter, filters: Collection[str], wanted: str | None, *, raw: bool
) -> tuple[dict[str, str], list[Message]]:
    """Return what is said of the choice of the filter."""
    if raw:
        note = Message(
            "lm_eval.responses",
            "No filter keeps the {n} responses of a document apart ({names}), so the answers are the whole responses, "
            "from which nothing was extracted.",
            n=chosen.n,
            names=quote_all(filters),
        )
        return {"answers": "resps"}, [note]
    choices, notes = tell_choice("filter", chosen.name, filters, wanted)
    vote = Message(
        "lm_eval.vote",
        "The filter {name} makes {kept} of the {n} responses of a document, so that is the number of samples.",
        name=quote(chosen.name),
        kept=chosen.kept,
        n=chosen.n,
    )
    return choices, [*notes, *([vote] if chosen.kept < chosen.n else [])]


def _find_subject(source: Source) -> dict[str, str]:
    task = _NAME.match(source.name)
    return name_subject(task=task[1], model=next(iter(source.folders), None)) if task else {}


FORMAT = declare(
    About(
        "lm-eval",
        "lm-evaluation-harness 0.4.13",
        "samples_{task}_{date}.jsonl",
        "set repeats: n and a filter that keeps them in the task, and run with --log_samples",
    ),
    Mark("rows", _KINDS),
    keys=Keys("doc_id", answers="filtered_resps", many="filtered_resps", references="target", info="doc"),
    options=("scorer", "filter"),
    find=_find_rows,
    judge=lambda row, *_: row["grade"],
    subject=_find_subject,
)
