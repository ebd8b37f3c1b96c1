"""Lay out a diagnosis for a terminal: the mistakes first, each sentence with its rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from at_k.analysis.diagnosis import Diagnosis, diagnose
from at_k.cli.layout import lay_out_title, wrap
from at_k.cli.output import dump, print_in_form
from at_k.cli.terminal import Line, make_console, print_lines
from at_k.cli.words import make_printable, spell
from at_k.errors import Mistake

if TYPE_CHECKING:
    from at_k.errors import Message
    from at_k.report import Report


def print_diagnosis(report: Report, form: str) -> None:
    """Diagnose a report, and print what was found as "text", "json" or "markdown"."""
    found = diagnose(report)
    print_in_form(
        form,
        lambda width: lay_out_diagnosis(found, width),
        json=lambda: dump({"source": report.source, **found.to_dict()}),
        markdown=found.to_markdown,
    )
    if form != "text":
        beside = make_console(stderr=True)
        print_lines(lay_out_title(report, beside.width), beside)


def lay_out_diagnosis(found: Diagnosis, width: int) -> list[Line]:
    """Lay out what was read, the mistakes, what the numbers mean, and remarks about how they were read."""
    rest = [each for each in found.sentences if not isinstance(each, Mistake)]
    notes = [note for note in found.report.notes if not isinstance(note, Mistake)]
    lines = lay_out_title(found.report, width)
    for heading, sentences, style in (
        ("This must be a mistake", found.mistakes, "red"),
        ("What the numbers say", rest, ""),
        ("How they were read", notes, "yellow"),
    ):
        if sentences:
            lines += [[], [(heading, "bold")], *list_with_rules(sentences, width, style)]
    return lines


def list_with_rules(sentences: Sequence[Message], width: int, style: str) -> list[Line]:
    """Wrap sentences, and add to each the name of its rule."""
    lines: list[Line] = []
    for each in sentences:
        rule = f"[{each.code}]"
        *wrapped, last = wrap(f"{make_printable(spell(each))} {rule}", width, first="- ", rest="  ", whole=True)
        lines += [[(line, style)] for line in wrapped]
        lines.append([(last.removesuffix(rule), style), (rule, "dim")])
    return lines
