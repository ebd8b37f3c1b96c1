"""Reports and sheets as plain data that a page draws, in the language of the visitor.

Every text is a message of the library, and every number one of a report. The page adds no words about numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

import numpy as np

from at_k.analysis.claims import (
    Share,
    describe_average,
    find_average,
    list_steps,
    make_claims,
    make_headline,
)
from at_k.demo.given import Given
from at_k.demo.words import say, translate
from at_k.errors import InputError, Mention, Message, Spelling
from at_k.family import OUTPUTS
from at_k.grading.verdicts import Verdicts
from at_k.report import Report
from at_k.results.sheet import Cell, Sheet, Table, plain
from at_k.samples import Answers, Ragged
from at_k.values import ErrorBar, Key

Data = dict[str, Any]

# Columns of a staircase. With more problems, neighbours share one.
MOST_CELLS = 120

# Problems that a page lists.
MOST_LISTED = 400

_MOST_ANSWERS, _LONGEST = 6, 60
_FRACTIONS = {0.25: "¼", 0.5: "½", 0.75: "¾"}
_SHOWN = ("cons@k", "best@k", "pass@k", "avg@n")


class Mends(Spelling):
    """Spell options in words, and collect the values that a message says they should have."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.found: list[dict[str, Any]] = []

    def name(self, option: str) -> str:
        """Spell the name of an option."""
        return f"`{option}`"

    def set(self, settings: Mapping[str, Any]) -> str:
        """Spell options with their values, and keep each as a choice."""
        labels = {option: spell({option: value}) for option, value in settings.items()}
        for option, value in settings.items():
            self.found.append({"label": labels[option], "set": {option: plain(value)}})
        return ", ".join(map(self.name, labels.values()))


def spell(options: Mapping[str, Any]) -> str:
    """Spell options with their values.

    Examples:
        >>> spell({"columns": {"problem": "id", "group": None}, "k": [1, 2]})
        'columns = problem=id, group=, k = 1, 2'
    """
    return ", ".join(f"{option} = {_spell_value(value)}" for option, value in options.items())


def _spell_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={'' if item is None else item}" for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value)


def draw_message(message: Message | InputError, language: str) -> Data:
    """Write a message: its sentence, its code, the quantities in it, and the choices that it offers."""
    spelling = Mends(language)
    # Ways that were tried are buttons, and not repeated in the sentence.
    brief = isinstance(message, InputError) and bool(message.readings)
    text = translate(message, language, spelling, brief=brief)
    if isinstance(message, InputError) and message.file:
        text = f"{message.file}: {text}"
    values = {
        name: plain(value)
        for name, value in message.values.items()
        if not isinstance(value, (Message, Mention))
    }
    return {"text": text, "code": message.code, "values": values, "mends": spelling.found}


def list_read(given: Given, report: Report, language: str) -> list[str]:
    """Say what was read as what: in texts that were rewritten, and in the data. Notes with choices are shown apart."""
    said = []
    for file in given.files:
        start = f"{file.name}: " if file.name and len(given.files) > 1 else ""
        said += [f"{start}{translate(note, language)}" for note in file.rewritten]
    notes = report.origin.notes if report.origin else []
    drawn = [draw_message(note, language) for note in notes]
    return said + [note["text"] for note in drawn if not note["mends"]]


def draw_claim(claim: Message, language: str) -> Data:
    """Write a claim; `strong` is the number in it that the page is about."""
    every = claim.values.get("every")
    return draw_message(claim, language) | ({} if every is None else {"strong": f"{every}"})


def draw_sheet(sheet: Sheet, language: str) -> Data:
    """Write a sheet: its title, and its parts as sentences, tables and sheets."""
    parts = []
    for part in sheet.parts:
        if isinstance(part, Sheet):
            parts.append(draw_sheet(part, language))
        elif isinstance(part, Table):
            parts.append(draw_table(part, language))
        else:
            said = [_write(sentence, language) for sentence in part.said]
            caption = _write(part.caption, language)
            parts.append({"kind": part.kind, "caption": caption, "said": said})
    return {"title": _write(sheet.title, language), "parts": parts}


def draw_table(table: Table, language: str) -> Data:
    """Write a table of cells."""

    def draw(cells: Iterable[Cell]) -> list[Data]:
        return [_draw_cell(cell, language) for cell in cells]

    return {
        "caption": _write(table.caption, language),
        "head": [_write(title, language) for title in table.head],
        "left": table.left,
        "rows": [draw(row) for row in table.cells],
        "remarks": draw(table.remarks),
    }


def _draw_cell(cell: Cell, language: str) -> Data:
    value, interval = cell.write(lambda text: _write(text, language))
    drawn = {"text": value, "interval": interval, "style": cell.style}
    return {name: field for name, field in drawn.items() if field}


def _write(text: Any, language: str) -> str:
    if isinstance(text, Message):
        return translate(text, language)
    return "" if text is None else str(text)


def draw_model(report: Report, language: str) -> Data:
    """Write the size of a report, its average, and for each k its staircase."""
    share = np.array(report.c) / report.n
    order = sorted(range(len(report)), key=lambda place: (-share[place], place))
    average = describe_average(report)
    draws = [k for k in report.k if list_steps(report, k)] or list(report.k) or [1]
    return {
        "size": count_report(report, language),
        "average": {"value": find_average(report), "text": translate(average, language)},
        "k": draws,
        "at": {str(k): {"stairs": _draw_stairs(report, k, order, language)} for k in draws},
    }


def _draw_stairs(report: Report, k: int, order: list[int], language: str) -> list[Data]:
    return [
        {
            "key": str(key),
            "label": translate(label, language),
            "name": name_line(key),
            "value": report.values[key],
            "text": f"{Share(report.values[key])}",
            "cells": draw_cells(np.array(report.by_problem[key])[order]),
        }
        for _, key, label in list_steps(report, k)
    ]


def draw_report(report: Report, language: str, name: str = "") -> Data:
    """Write what the page Score shows: for each k the claims, the staircase and the bars, and then the groups."""
    drawn = draw_model(report, language)
    for k in drawn["k"]:
        claims = [draw_claim(claim, language) for claim in make_claims(report, k)]
        title = draw_claim(make_headline(report, k), language)
        drawn["at"][str(k)] |= {
            "title": title,
            "lead": claims,
            "bars": _draw_bars(report, k, language),
        }
    notes = [*report.notes, *report.left_out.values()]
    return drawn | {
        "name": name,
        "groups": _draw_groups(report, language),
        "problems": draw_problems(report)[:MOST_LISTED],
        "notes": [draw_message(note, language) for note in notes],
    }


def _draw_bars(report: Report, k: int, language: str) -> list[Data]:
    """Write a bar for each number at a k; at k = 1 those that do not depend on it, which all are the same."""
    at_k = {None} if k == 1 else {None, k}
    return [
        draw_bar(key, report.values[key], report.intervals.get(key), find_label(key, language))
        for key in list_shown(report)
        if key.draws in at_k
    ]


def count_report(report: Report, language: str) -> str:
    """Say how many problems and answers a report has."""
    n, _ = report.list_counts()
    samples = f"{n.min()}" if n.min() == n.max() else f"{n.min()}–{n.max()}"
    problems = count_things(language, "problem", f"{len(report):,}")
    return f"{problems} × {count_things(language, 'answer', samples)}"


def count_things(language: str, noun: str, count: str) -> str:
    """Say how many problems or answers there are.

    Examples:
        >>> count_things("en", "problem", "1"), count_things("zh", "answer", "4–8")
        ('1 problem', '4–8 个回答')
    """
    return say(language, f"page.{noun}" if count == "1" else f"page.{noun}s", count=count)


def list_shown(report: Report) -> list[Key]:
    """List the numbers that have a bar: all of k right first, one answer last."""
    demanded = [
        key
        for key in report.values
        if key.metric == "G-Pass@k" and float(key.tau or 0) in (0.5, 1.0)
    ]
    demanded.sort(key=lambda key: -float(key.tau or 0))
    return demanded + [key for metric in _SHOWN for key in report.values if key.metric == metric]


def draw_cells(values: Iterable[float]) -> list[list[float]]:
    """Write the cells of a row of the staircase as runs: [value, how many].

    Examples:
        >>> draw_cells(np.array([1.0, 1.0, 0.25, 0.0, 0.0]))
        [[1.0, 2], [0.25, 1], [0.0, 2]]
    """
    listed = np.asarray(list(values))
    cells = np.array_split(listed, min(MOST_CELLS, len(listed)))
    means = [round(float(cell.mean()), 3) for cell in cells]
    return [[value, len(list(same))] for value, same in groupby(means)]


def draw_bar(key: Key, value: float, bar: ErrorBar | None, label: str) -> Data:
    """Write a value with its interval."""
    low, high = (None, None) if bar is None else (bar.low, bar.high)
    text = f"{100 * value:.1f}" if OUTPUTS[key.metric].bounded else f"{value:.4g}"
    return {
        "key": str(key),
        "label": label,
        "name": name_line(key),
        "value": value,
        "text": text.replace("-", "−"),
        "low": None if low is None else round(low, 4),
        "high": None if high is None else round(high, 4),
    }


def find_label(key: Key, language: str) -> str:
    """Find the few words of the registry for a number."""
    output = OUTPUTS[key.metric]
    threshold = None if key.tau is None else output.thresholds.get(float(key.tau))
    english, chinese = threshold.label if threshold and threshold.label else output.label
    label = chinese if language == "zh" and chinese else english
    label = label.replace("{share}", f"τ = {key.tau}")
    return label.partition(";")[0].partition("；")[0]


def name_line(key: Key) -> str:
    """Name the curve that a number is on, as papers do."""
    if key.metric != "G-Pass@k":
        return str(key.line)
    if key.tau == 1:
        return "pass^k"
    return f"G-Pass@k, τ = {_FRACTIONS.get(float(key.tau or 0), key.tau)}"


def _draw_groups(report: Report, language: str) -> Data | None:
    if not report.groups:
        return None
    rows: dict[str, list[Data]] = {str(key): [] for key in list_shown(report)}
    for label, values in report.groups.items():
        size = count_things(language, "problem", f"{report.sizes[label]:,}")
        bars: Mapping[Key, ErrorBar] = report.group_intervals.get(label) or {}
        for key in list_shown(report):
            if key in values:
                bar = draw_bar(key, values[key], bars.get(key), label)
                rows[str(key)].append({**bar, "name": "", "size": size})
    column = report.origin.roles.get("group") if report.origin else None
    label = say(language, "page.by", column=column or say(language, "role.group"))
    return {"label": label, "rows": rows}


def draw_problems(report: Report, *, whole: bool = False) -> list[Data]:
    """List the problems, the flakiest first, with their votes: [answer, how many, whether it is right].

    Samples without an answer are those of None. A `whole` list has every answer, and the grade and the score, if there
    is one, of every sample.
    """
    drawn: list[Data] = [
        {"name": _cut(name), "n": n, "c": c}
        for name, n, c in zip(report.problems, report.n, report.c, strict=True)
    ]
    if report.scored is not None:
        problems, verdicts = report.scored
        if verdicts.answers is not None:
            _add_votes(drawn, verdicts.answers, verdicts.correct, None if whole else _MOST_ANSWERS)
        if whole:
            _add_numbers(drawn, problems.scores, verdicts, report.options)
    # Where half of the tries succeed, a problem is flakiest.
    return sorted(drawn, key=lambda problem: abs(problem["c"] / problem["n"] - 0.5))


def _add_votes(drawn: list[Data], answers: Answers, correct: Ragged, most: int | None) -> None:
    texts = [*map(_cut, answers.distinct), None]  # −1 is the code of no answer
    for problem, codes, flags in zip(drawn, answers.codes, correct, strict=True):
        right = dict(zip(codes, flags, strict=True))
        counted = Counter(codes).most_common(most)
        problem["votes"] = [[texts[code], count, int(right[code])] for code, count in counted]


def _add_numbers(
    drawn: list[Data], scores: Ragged | None, verdicts: Verdicts, options: Mapping[str, Any]
) -> None:
    graded = Ragged.concatenate(verdicts.graded)
    # A missing sample that counts as wrong has the grade NaN.
    for problem, grades in zip(
        drawn, graded.with_values(np.nan_to_num(graded.values)), strict=True
    ):
        problem["grades"] = [round(grade, 6) for grade in grades]
    if scores is None or scores.values.ndim > 1:
        return
    if verdicts.kept is not None:
        scores = scores.keep(verdicts.kept)
    sign = 1 if options.get("higher_is_better", True) else -1
    for problem, own, flags in zip(drawn, scores, verdicts.correct, strict=True):
        problem["scores"] = [
            [sign * score, int(right)] for score, right in zip(own, flags, strict=True)
        ]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
