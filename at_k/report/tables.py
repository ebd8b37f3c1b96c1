"""Write the table of a report: as rows for programs, and as Markdown, LaTeX and HTML for people."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from html import escape
from io import StringIO
from typing import Any

from at_k.report.data import Numbers
from at_k.report.grid import list_blocks, list_columns

COLUMNS = ["group", "problems", "metric", "k", "tau", "key", "value"]
"""The columns of the table of rows."""

BARS = ["stderr", "ci_low", "ci_high"]
"""Further columns, if there are intervals."""

_LATEX = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "τ": r"$\tau$"}
_LATEX |= {sign: f"\\{sign}" for sign in "&%$#_{}"}


def list_rows(report: Numbers) -> list[tuple[Any, ...]]:
    """List a row for each value of each group, in the order of `COLUMNS`."""
    return [
        (
            *(block.label, block.size, key.metric, key.k, None if key.tau is None else str(key.tau), str(key), value),
            *(block.bars[key][:3] if key in block.bars else [None] * len(BARS) * bool(report.intervals)),
        )
        for block in list_blocks(report)
        for key, value in block.values.items()
    ]


def name_columns(report: Numbers) -> list[str]:
    """List the names of the columns of `list_rows`."""
    return [*COLUMNS, *(BARS if report.intervals else ())]


def write_csv(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Write rows as CSV; None is an empty cell."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def write_markdown(report: Numbers, digits: int | None = None) -> str:
    """Write a Markdown table: metrics down, k across, groups below; then the notes."""
    rows, numbers = lay_out_rows(report, digits)
    return join_markdown(rows, numbers, [*report.notes, *report.left_out.values()])


def join_markdown(rows: Sequence[Sequence[str]], numbers: int, notes: Iterable[object]) -> str:
    """Join rows, of which the first is the header, into a Markdown table, and list notes below it.

    Args:
        rows: the cells, as text.
        numbers: how many of the last columns hold numbers.
        notes: sentences.
    """
    rows = [list(rows[0]), *([escape_markdown(cell) for cell in row] for row in rows[1:])]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    first = len(widths) - numbers
    rule = [("-" * width if i < first else "-" * (width - 1) + ":") for i, width in enumerate(widths)]
    lines = [
        " | ".join(f"{cell:{'<' if i < first else '>'}{widths[i]}}" for i, cell in enumerate(row))
        for row in (rows[0], rule, *rows[1:])
    ]
    remarks = [f"- {each}" for each in notes]
    return "\n".join([*(f"| {line} |" for line in lines), *([""] if remarks else []), *remarks])


def escape_markdown(cell: str) -> str:
    r"""Escape what would end a cell of a Markdown table, or its line.

    Examples:
        >>> print(escape_markdown("a|b"))
        a\|b
    """
    whole = re.sub(r"(\\*)\|", r"\1\1\|", cell)  # a backslash before the sign would escape the one that escapes it
    return " ".join(whole.splitlines())


def write_latex(report: Numbers, digits: int | None = None) -> str:
    """Write a LaTeX table for the package booktabs, with thresholds as indices."""
    rows, numbers = lay_out_rows(report, digits)
    return join_latex([[escape_latex(cell) for cell in row] for row in rows], numbers)


def join_latex(rows: Sequence[Sequence[str]], numbers: int) -> str:
    """Join rows, of which the first is the header and the last `numbers` columns are numbers, into a LaTeX table."""
    header, *lines = [" & ".join(row) + r" \\" for row in rows]
    columns = "l" * (len(rows[0]) - numbers) + "r" * numbers
    parts = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", header, r"\midrule", *lines, r"\bottomrule"]
    return "\n".join([*parts, r"\end{tabular}"])


def escape_latex(text: str) -> str:
    r"""Escape what LaTeX would take for a command. The threshold of a key becomes an index.

    Examples:
        >>> print(escape_latex("a_b of pass^k"), escape_latex("G-Pass@8_0.5"))
        a\_b of pass\textasciicircum{}k G-Pass@$8_{0.5}$
    """
    return re.sub(r"@(\w+)\\_([\d./]+)$", r"@$\1_{\2}$", "".join(_LATEX.get(sign, sign) for sign in text))


def write_html(report: Numbers, digits: int | None = None) -> str:
    """Write an HTML table, as notebooks show it, with its notes."""
    (header, *rows), _ = lay_out_rows(report, digits)
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    remarks = "".join(f"<li>{escape(str(each))}</li>" for each in (*report.notes, *report.left_out.values()))
    listed = f"<ul>{remarks}</ul>" if remarks else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{listed}"


def lay_out_rows(report: Numbers, digits: int | None) -> tuple[list[list[str]], int]:
    """Lay out the table as text: the header and a row for each group and line; and count the columns of numbers."""
    blocks, groups = list_blocks(report), bool(report.groups)
    columns = list_columns(blocks[0])
    rows = [[*(["group", "problems"] if groups else []), "metric", *columns.values()]]
    for block in blocks:
        for line, found in block.write(digits).items():
            cells = [" ".join(filter(None, found.get(k, ()))) for k in columns]
            rows.append([*([block.label, str(block.size)] if groups else []), str(line), *cells])
    return rows, len(columns)
