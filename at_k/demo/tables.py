"""Tables and messages as HTML. Whatever a visitor gave is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from at_k.demo.words import say, translate
from at_k.errors import InputError
from at_k.report import Report

_WARNINGS = ("note.no_match",)
"""Codes of the notes that stand above the table: with them the numbers are probably not those that were asked for."""


def write_results(report: Report, language: str) -> str:
    """Write the table of a data set: a row for each key, a column for all problems and one for each group."""
    labels = [say(language, "score.all"), *report.groups]
    columns = [report.values, *report.groups.values()]
    sizes = [len(report), *(report.sizes[label] for label in report.groups)]
    head = "".join(
        f'<th scope="col">{escape(label)}<small>{_count_problems(size, language)}</small></th>'
        for label, size in zip(labels, sizes, strict=True)
    )
    bodies = "".join(
        f"<tbody>{''.join(_write_row(key, columns) for key in keys)}</tbody>"
        for keys in sorted(report.metrics.values(), key=len)
    )
    return (
        f"{write_warnings(report, language)}"
        f'<div class="scroll" tabindex="0" role="region" aria-label="{say(language, "score.table")}">'
        f'<table class="numbers"><thead><tr><th scope="col">{say(language, "score.metric")}</th>{head}</tr></thead>'
        f"{bodies}</table></div>{write_remarks(report, language)}"
    )


def write_warnings(report: Report, language: str) -> str:
    """Write the notes without which a visitor would misread the numbers."""
    lines = [escape(translate(note, language)) for note in report.notes if note.code in _WARNINGS]
    return "".join(f'<p class="warning" role="note">{line}</p>' for line in lines)


def write_remarks(report: Report, language: str) -> str:
    """Write the other notes, and which metrics were left out and why."""
    notes = [note for note in report.notes if note.code not in _WARNINGS]
    lines = [escape(translate(each, language)) for each in (*notes, *report.left_out.values())]
    return f'<ul class="remarks">{"".join(f"<li>{line}</li>" for line in lines)}</ul>' if lines else ""


def write_summary(report: Report, language: str) -> str:
    """Write one sentence on the data: problems, samples, how many problems are never, sometimes and always solved."""
    n, c = report.n, report.c
    samples = str(n[0]) if min(n) == max(n) else f"{min(n)}–{max(n)}"
    never = c.count(0)
    always = sum(right == size for right, size in zip(c, n, strict=True))
    text = say(
        language,
        "score.summary",
        problems=len(n),
        samples=samples,
        never=never,
        sometimes=len(n) - never - always,
        always=always,
    )
    return f'<p class="summary" role="status">{text}</p>'


def write_refusal(reason: InputError | None, language: str) -> str:
    """Write why something was refused, so that a screen reader reads it out; nothing for None."""
    return "" if reason is None else f'<p class="refused" role="alert">{escape(translate(reason, language))}</p>'


def write_values(values: Mapping[Any, float]) -> str:
    """Write a small table of keys and values."""
    rows = "".join(_write_row(key, [values]) for key in values)
    return f'<table class="numbers"><tbody>{rows}</tbody></table>'


def write_number(value: float) -> str:
    """Write four decimals; for scores, which may be of any size, four significant digits.

    Examples:
        >>> write_number(1 / 3), write_number(1.0), write_number(1234.5), write_number(-0.00001)
        ('0.3333', '1.0000', '1234', '-1e-05')
    """
    return f"{value + 0.0:.4f}" if 0 <= value <= 1 else f"{value:.4g}"  # + 0.0: no −0.0


def _count_problems(count: int, language: str) -> str:
    return say(language, "score.one_problem") if count == 1 else say(language, "score.problems", count=count)


def _write_row(key: str, columns: Iterable[Mapping[Any, float]]) -> str:
    cells = (f'<td title="{column[key]!r}">{write_number(column[key])}</td>' for column in columns)
    return f'<tr><th scope="row">{escape(key)}</th>{"".join(cells)}</tr>'
