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
from collections.abc import Iterable, Mapping
from math import isnan
from typing import Any

from at_k.errors import InputError, Message
from at_k.readers.cells import NOTHING
from at_k.readers.collector import Collector
from at_k.readers.decoding import decode
from at_k.readers.faults import UNITS
from at_k.readers.format import Format, Mark, Reading, choose, name_subject, note_choice, refuse_field
from at_k.readers.quoting import quote, quote_all
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source

_NO_ANSWER = "[invalid]"
"""What the filters of the harness write where they find no answer."""

_NAME = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT[\d.:-]+\.jsonl")

_KINDS = {"doc_id": int, "target": str, "resps": list, "filtered_resps": list, "filter": str, "metrics": list}
"""The fields of every line, and their types."""

_FIELDS = tuple(_KINDS)

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


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading)
    chosen, raw = _choose_filter(_list_filters(source, reading), reading)
    metric = _choose_metric(chosen, reading)
    lines: Counter[str] = Counter()
    changed: dict[str, Message] = {}
    for number, row in collector.rows(source, _FIELDS):
        with collector.faults:
            _check_row(row, number)
            lines[row["filter"]] += 1
            if row["filter"] != chosen.name:
                continue
            answers = _find_answers(row, chosen, number, raw=raw)
            references = NOTHING if answers is None else _read_target(row["target"], changed)
            grade = NOTHING if metric is None else _find_grade(row, metric, chosen, number, collector)
            doc = row["doc"] if isinstance(row.get("doc"), dict) else {}
            shared = {"grade": grade, "references": references, "meta": reading.list_fields(doc), "fields": doc}
            if answers is None:
                collector.add_problem(number, str(row["doc_id"]), [{}], **shared)
            else:
                collector.add_answers(number, str(row["doc_id"]), answers, **shared)
    _compare_lines(lines, collector)
    return collector.finish(_describe(source, reading, lines, chosen, metric, changed, raw=raw), per_sample=False)


def _check_row(row: Mapping[str, Any], number: int) -> None:
    """Raise if the fields of a line are not of the types that the harness writes."""
    for name, kind in _KINDS.items():
        value = row[name]
        if type(value) is not kind or (value == [] and name != "metrics"):
            raise _refuse_field(name, value, number)


def _compare_lines(lines: Mapping[str, int], collector: Collector) -> None:
    """Raise if filters have different numbers of lines, as in a file that is cut off."""
    if len({*lines.values()}) > 1:
        error = InputError(
            "lm_eval.lines",
            "The filters must have lines for the same documents; the file has {lines}. It may be cut off.",
            lines=", ".join(f"{count:,} of {quote(name)}" for name, count in lines.items()),
        )
        collector.faults.add(error)


def _list_filters(source: Source, reading: Reading) -> list[_Filter]:
    """List the filters, in the order in which they come, as far as the one that is wanted, or keeps the answers apart.

    Lines are not decoded except for the first of each filter. One that is damaged is found when all are read.

    Raises:
        InputError: if no line is what the harness writes.
    """
    found: dict[str, _Filter] = {}
    broken: InputError | None = None
    for block in source.blocks():
        for number, line in block.lines():
            name = _find_filter(line)
            if name in found:
                continue
            try:
                row = decode(line, number)
                if not isinstance(row, dict) or not row.keys() >= {*_FIELDS}:
                    raise _refuse_field("filter", name, number)
                _check_row(row, number)
            except InputError as error:
                broken = broken or error
                continue
            each = found.setdefault(row["filter"], _Filter(row["filter"], row))
            if reading.filter == each.name or (reading.filter is None and each.kept == each.n):
                return list(found.values())
    if not found:
        raise broken or _refuse_field("filter", None, 1)
    return list(found.values())


def _find_filter(line: bytes) -> str | None:
    """Find the filter in a line that is not decoded; None if it does not stand where the harness writes it."""
    found = _FILTER.match(line, line.rfind(b'"filter"'))
    return found[1].decode("utf-8", "replace") if found else None


def _choose_filter(filters: list[_Filter], reading: Reading) -> tuple[_Filter, bool]:
    """Choose the filter, and whether to take the responses themselves, because every filter has them vote."""
    if reading.filter is not None:
        name = choose(reading.filter, [each.name for each in filters], "filter")
        return next(each for each in filters if each.name == name), False
    keeping = next((each for each in filters if each.kept == each.n), None)
    return (filters[0], True) if keeping is None else (keeping, False)


def _choose_metric(chosen: _Filter, reading: Reading) -> str | None:
    """Choose the metric that grades the only sample of a document; None where there are several samples."""
    if chosen.kept > 1 or (chosen.n > 1 and reading.filter is None):
        if reading.scorer is not None:
            raise InputError(
                "lm_eval.per_document",
                "The metrics of this file are of all {n} responses of a document together, so they grade no sample. "
                "Leave out {option:scorer}, and score the answers against the references.",
                n=chosen.n,
            )
        return None
    if reading.scorer is not None:
        return choose(reading.scorer, _list_metrics(chosen.row) or ["none"], "scorer")
    graded = _list_grades(chosen)
    if not graded and not chosen.generative:
        raise InputError(
            "lm_eval.nothing",
            "This task gives neither answers nor a metric that is 0 or 1. Its metrics are {metrics}; {option:scorer} "
            "chooses one.",
            metrics=quote_all(_list_metrics(chosen.row)) or "none",
        )
    return "acc" if "acc" in graded else next(iter(graded), None)


def _list_grades(chosen: _Filter) -> list[str]:
    """List the metrics that are 0 or 1 in the first line."""
    return [name for name in _list_metrics(chosen.row) if chosen.row.get(name) in (0, 1)]


def _list_metrics(row: Mapping[str, Any]) -> list[str]:
    return [name for name in row["metrics"] if isinstance(name, str)]


def _list_responses(row: Mapping[str, Any]) -> list[Any] | None:
    """Return the responses of a document; None if there is one list for each choice instead."""
    listed = row["resps"]
    texts = listed[0] if len(listed) == 1 else None
    return texts if isinstance(texts, list) and texts and not any(isinstance(each, list) for each in texts) else None


def _list_answers(row: Mapping[str, Any]) -> list[Any]:
    """Return what a filter makes of the responses: several answers, or one."""
    listed: list[Any] = row["filtered_resps"]
    return listed[0] if len(listed) == 1 and isinstance(listed[0], list) else listed


def _find_answers(row: Mapping[str, Any], chosen: _Filter, number: int, *, raw: bool) -> list[object] | None:
    """Find the answers of a document; None where choices were compared."""
    responses, answers = _list_responses(row), _list_answers(row)
    if (responses is not None) != chosen.generative:
        raise _refuse_field("resps", row["resps"], number)
    if responses is None:
        return None
    if len(responses) != chosen.n or len(answers) != chosen.kept:
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
    return list(responses) if raw else [None if each == _NO_ANSWER else each for each in answers]


def _find_grade(
    row: Mapping[str, Any], metric: str, chosen: _Filter, number: int, collector: Collector
) -> float | None:
    if metric not in row:
        raise collector.lack(metric, number)
    value = row[metric]
    if value is None or (isinstance(value, float) and isnan(value)):
        return None
    if not isinstance(value, (bool, int, float)) or not 0 <= value <= 1:
        raise InputError(
            "lm_eval.grade",
            "The metric {metric} is {value} in line {line}, which is not a grade from 0 to 1. {option:scorer} chooses "
            "another one: {names}.",
            metric=quote(metric),
            value=quote(value),
            line=number,
            names=quote_all(_list_metrics(chosen.row)),
        )
    return float(value)


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


def _refuse_field(name: str, value: object, number: int) -> InputError:
    return refuse_field("lm-eval", name, value, UNITS["line"](number))


def _describe(
    source: Source,
    reading: Reading,
    filters: Iterable[str],
    chosen: _Filter,
    metric: str | None,
    changed: Mapping[str, Message],
    *,
    raw: bool,
) -> Origin:
    """Describe what was taken, and say which choices were made by default."""
    notes, choices = [], {}
    others = [name for name in filters if name != chosen.name]
    if raw:
        choices["answers"] = "resps"
        notes.append(
            Message(
                "lm_eval.responses",
                "No filter keeps the {n} responses of a document apart ({names}), so the answers are the whole "
                "responses, from which nothing was extracted.",
                n=chosen.n,
                names=quote_all(filters),
            )
        )
    elif others:
        choices["filter"] = chosen.name
        if reading.filter is None:
            notes.append(note_choice("filter", chosen.name, others))
    if chosen.kept < chosen.n and not raw:
        notes.append(
            Message(
                "lm_eval.vote",
                "The filter {name} makes {kept} of the {n} responses of a document, so that is the number of samples.",
                name=quote(chosen.name),
                kept=chosen.kept,
                n=chosen.n,
            )
        )
    metrics = _list_grades(chosen)
    if metric is not None and len(metrics) > 1:
        choices["scorer"] = metric
        if reading.scorer is None:
            notes.append(note_choice("scorer", metric, metrics))
    task = _NAME.match(source.name)
    answers = "resps" if raw else "filtered_resps" if chosen.generative else None
    return Origin(
        "lm-eval",
        subject=name_subject(
            task=task[1] if task else None, model=source.folders[0] if task and source.folders else None
        ),
        chosen=choices,
        roles={"problem": "doc_id", "answers": answers, "references": answers and "target", "grades": metric},
        notes=[*notes, *changed.values()],
    )


FORMAT = Format(
    name="lm-eval",
    title="lm-evaluation-harness 0.4.13",
    file="samples_{task}_{date}.jsonl",
    samples="set repeats: n and a filter that keeps them in the task, and run with --log_samples",
    marks=(Mark("rows", _KINDS),),
    read=_read,
    options=("scorer", "filter"),
)
