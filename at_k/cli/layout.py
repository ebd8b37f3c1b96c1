"""Lay out a report for a terminal: what was read, the table, and the notes, within a number of columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from os.path import basename, commonpath
from typing import TYPE_CHECKING, TypeVar

from at_k.cli.terminal import Line
from at_k.cli.words import make_printable, quote_word, spell
from at_k.errors import Legend
from at_k.report.grid import describe_size, list_blocks, list_columns
from at_k.report.models import BEST, Models

if TYPE_CHECKING:
    from at_k.errors import Message
    from at_k.report import Report

Column = TypeVar("Column")

_LONGEST = 100
"""Sentences are not wider, however wide the terminal is."""

_SHORT = 24
"""Columns up to which a heading shares a line."""

_GAP = 2
"""Spaces between two columns."""

_NAME = 40
"""Columns for the name of a model, or of a problem."""


def lay_out(report: Report | Models, width: int) -> list[Line]:
    """Lay out a whole report, or the table of several models."""
    notes = lay_out_notes(report, width)
    return [*lay_out_title(report, width), [], *lay_out_table(report, width), *([[], *notes] if notes else [])]


def lay_out_title(report: Report | Models, width: int) -> list[Line]:
    """Say what was read: the files, the harness, how many problems and samples, and which column has which role."""
    if isinstance(report, Models):
        sizes = (f"{make_printable(name)} · {describe_size(each)}" for name, each in report.reports.items())
        return [[(line, "")] for size in sizes for line in wrap(size, width, first="", rest="  ")]
    origin = report.origin
    parts = [describe_size(report)]
    facts: dict[str, str] = {}
    if origin is not None:
        if origin.harness != "plain":
            parts.insert(0, " ".join(filter(None, [origin.harness, origin.version])))
        facts["of"] = _list_pairs(origin.subject)
        facts["columns"] = _list_pairs({role: column for role, column in origin.roles.items() if column is not None})
        facts["chosen"] = _list_pairs(origin.chosen)
    name, size = make_printable(name_source(report.source)), " · ".join(parts)
    lines: list[Line] = [[(name, "bold"), (f" · {size}", "")]]
    if cell_len(f"{name} · {size}") > width:
        lines = [[(name, "bold")], [(f"  {size}", "")]]
    for fact, text in facts.items():
        if text:
            lines += [
                [(line, "dim")] for line in wrap(make_printable(text), width, first=f"  {fact:9}", rest=" " * (2 + 9))
            ]
    return lines


def name_source(source: str | Sequence[str] | None) -> str:
    """Name the files of a report in a few words.

    Examples:
        >>> name_source("runs/a.eval"), name_source(["runs/a.eval"]), name_source(["runs/a.eval", "runs/b.eval"])
        ('a.eval', 'a.eval', '2 paths in runs')
    """
    if source is None:
        return "data in memory"
    paths = [source] if isinstance(source, str) else list(source)
    if len(paths) == 1:
        return paths[0] if paths[0].startswith("/dev/") else basename(paths[0].rstrip("/")) or paths[0]
    try:
        folder = commonpath(paths)
    except ValueError:  # some paths are absolute and others are not
        folder = ""
    return f"{len(paths)} paths" + (f" in {folder}" if folder else "")


def _list_pairs(pairs: Mapping[str, str]) -> str:
    return ", ".join(quote_word(f"{name}={value}") for name, value in pairs.items())


def lay_out_table(report: Report | Models, width: int) -> list[Line]:
    """Lay out the table: metrics down, k across, groups below. If the k do not fit side by side, they stand in turn.

    The interval of a value is below it, on a line of its own.
    """
    if isinstance(report, Models):
        return lay_out_models(report, width)
    listed = list_blocks(report)
    columns = list_columns(listed[0])
    blocks = [
        (make_printable(f"{block.label} ({block.size:,})") if report.groups else "", block.write()) for block in listed
    ]
    cells = [found for _, written in blocks for found in written.values()]
    narrow, widths = (
        {
            column: max(len(head), *(len(found[column][row]) for found in cells if column in found))
            for column, head in columns.items()
        }
        for row in (0, 1)
    )
    widths = {column: max(narrow[column], widths[column]) for column in columns}
    names = 2 * bool(report.groups) + max(len(line) for _, written in blocks for line in written)
    headings = max(cell_len(heading) for heading, _ in blocks)
    # Headings share the line of the k, unless they are so long that the table would be wider for it, or fall apart.
    parts = len(split_columns(widths, width - names))
    beside = headings <= max(names, _SHORT) and len(split_columns(widths, width - max(names, headings))) == parts
    first = max(names, headings) if beside else names
    lines: list[Line] = []
    for label, written in blocks:
        for number, part in enumerate(split_columns(widths, width - first)):
            if lines:
                lines.append([])
            heading = "" if number else label
            if heading and not beside:
                lines.append([(heading, "bold")])
                heading = ""
            # An interval that does not fit beside the names may begin below them.
            sizes = [max(narrow[k], min(widths[k], width - first - _GAP)) for k in part]
            title = heading + " " * (first - cell_len(heading))
            lines.append([(title, "bold"), (align_texts((columns[k] for k in part), sizes), "cyan")])
            for name, found in written.items():
                if not found.keys().isdisjoint(part):
                    values, intervals = zip(*(found.get(k, ("", "")) for k in part), strict=True)
                    lines.append([(f"{'  ' * bool(report.groups) + name:{first}}{align_texts(values, sizes)}", "")])
                    if any(intervals):
                        lines.append([(align_texts(intervals, sizes, first), "dim")])
    return lines


def lay_out_models(models: Models, width: int) -> list[Line]:
    """Lay out the table of several models: models down, numbers across.

    The best of each number is bold, and has a star, which is there without colours too.
    """
    written = models.write_cells()
    room = measure_names(written)
    cells = {key: [own.get(key, ("", "")) for own in written.values()] for key in models.keys}
    widths = {
        key: max(len(models.keys[key]), *(len(text) for pair in pairs for text in pair)) for key, pairs in cells.items()
    }
    lines: list[Line] = []
    for part in split_columns(widths, width - room):
        sizes = [widths[key] for key in part]
        lines += [[]] * bool(lines)
        lines.append([(" " * room + align_texts((models.keys[key] for key in part), sizes), "cyan")])
        for name, own in written.items():
            values, intervals = zip(*(own.get(key, ("", "")) for key in part), strict=True)
            lines.append([(fit(name, room), "")])
            for key, value, size in zip(part, values, sizes, strict=True):
                is_best = name in models.best[key]
                lines[-1].append((f"{'*' * is_best + value:>{size + _GAP}}", "bold" if is_best else ""))
            if any(intervals):
                lines.append([(align_texts(intervals, sizes, room), "dim")])
    return lines


def align_texts(texts: Iterable[str], sizes: Sequence[int], indent: int = 0) -> str:
    """Put texts below each other's ends, the first of them after an indent that it may use."""
    cells = (
        f"{text:>{indent * (not i) + size + _GAP}}" for i, (text, size) in enumerate(zip(texts, sizes, strict=True))
    )
    return "".join(cells).rstrip()


def measure_names(names: Iterable[str]) -> int:
    """Count the columns for names, of which the longest may be cut."""
    return min(max(cell_len(make_printable(name)) for name in names), _NAME)


def fit(text: str, width: int) -> str:
    """Pad or cut a text, so that it takes so many columns in a terminal. Control characters become escapes.

    Examples:
        >>> fit("abc", 5), fit("abcdef", 5), fit("一二三", 5)
        ('abc  ', 'abcd…', '一二…')
    """
    from rich.cells import set_cell_size

    printable = make_printable(text)
    return set_cell_size(
        printable if cell_len(printable) <= width else set_cell_size(printable, width - 1).rstrip() + "…", width
    )


def cell_len(text: str) -> int:
    """Count the columns that a text takes in a terminal, where Chinese characters take two."""
    from rich.cells import cell_len as measure

    return measure(text)


def split_columns(widths: Mapping[Column, int], room: int) -> list[list[Column]]:
    """Split columns into parts that fit into the room; a column that is wider than the room is a part of its own.

    Examples:
        >>> split_columns({None: 6, 1: 6, 2: 6}, 16), split_columns({1: 6, 2: 6}, 3)
        ([[None, 1], [2]], [[1], [2]])
    """
    parts: list[list[Column]] = [[]]
    left = room
    for column, width in widths.items():
        if parts[-1] and width + _GAP > left:
            parts.append([])
            left = room
        parts[-1].append(column)
        left -= width + _GAP
    return parts


def lay_out_notes(report: Report | Models, width: int) -> list[Line]:
    """List what a reader of the numbers should know: notes, errors of simulations, and what is left out and why."""
    legend = [note for note in report.notes if isinstance(note, Legend)]
    notes: list[str | Message] = [note for note in report.notes if not isinstance(note, Legend)]
    if isinstance(report, Models):
        return [*list_sentences([BEST, *legend], width, "dim"), *list_sentences(notes, width, "yellow")]
    notes += [
        f"{key} is simulated; the standard error of the simulation is {error:.2g}."
        for key, error in report.errors.items()
    ]
    return [
        *list_sentences(legend, width, "dim"),  # as the intervals are
        *list_sentences(notes, width, "yellow"),
        *list_sentences(report.left_out.values(), width, "dim"),
    ]


def list_sentences(sentences: Iterable[str | Message], width: int, style: str) -> list[Line]:
    """Wrap sentences into the items of a list."""
    return [
        [(line, style)]
        for sentence in sentences
        for line in wrap(make_printable(spell(sentence)), width, first="- ", rest="  ")
    ]


def wrap(text: str, width: int, *, first: str = "", rest: str = "", whole: bool = False) -> list[str]:
    """Wrap a text into lines, of which the first may begin otherwise than the rest; `whole` breaks no long words."""
    return textwrap.wrap(
        text,
        min(width, _LONGEST),
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=not whole,
    )
