"""Write the table of a report: as rows for programs, and as Markdown, LaTeX and HTML for people."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any

from at_k.values import Key

if TYPE_CHECKING:
    from at_k.report.report import Report

ALL = "all"
"""The label of the group of all problems."""

COLUMNS = ["group", "problems", "metric", "k", "tau", "key", "value"]

_LATEX = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "τ": r"$\tau$"}
_LATEX |= {sign: f"\\{sign}" for sign in "&%$#_{}"}


def list_rows(report: Report) -> list[tuple[Any, ...]]:
    """List a row for each value of each group, in the order of `COLUMNS`."""
    return [
        (label, size, key.metric, key.k, None if key.tau is None else str(key.tau), str(key), value)
        for label, size, values in _blocks(report)
        for key, value in values.items()
    ]


def write_csv(report: Report) -> str:
    """Write a row for each value of each group as CSV."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([["" if cell is None else cell for cell in row] for row in list_rows(report)])
    return text.getvalue()


def write_markdown(report: Report, digits: int = 4) -> str:
    """Write a Markdown table: metrics down, k across, groups below; then the notes."""
    header, *rows = _lay_out(report, digits)
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    first = len(header) - len(_numbers(report))

    def line(row: list[str]) -> str:
        cells = [
            cell.ljust(width) if i < first else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return f"| {' | '.join(cells)} |"

    rule = [("-" * width if i < first else "-" * (width - 1) + ":") for i, width in enumerate(widths)]
    rows = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    lines = [line(header), line(rule), *map(line, rows)]
    remarks = [f"- {each}" for each in (*report.notes, *report.left_out.values())]
    return "\n".join([*lines, *([""] if remarks else []), *remarks])


def write_latex(report: Report, digits: int = 4) -> str:
    """Write a LaTeX table for the package booktabs."""
    header, *rows = [
        ["".join(_LATEX.get(sign, sign) for sign in cell) for cell in row] for row in _lay_out(report, digits)
    ]
    numbers = len(_numbers(report))
    lines = [rf"\begin{{tabular}}{{{'l' * (len(header) - numbers)}{'r' * numbers}}}", r"\toprule"]
    lines += [" & ".join(header) + r" \\", r"\midrule"]
    lines += [" & ".join(row) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def write_html(report: Report, digits: int = 4) -> str:
    """Write an HTML table, as notebooks show it, with its notes."""
    header, *rows = _lay_out(report, digits)
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    remarks = "".join(f"<li>{escape(str(each))}</li>" for each in (*report.notes, *report.left_out.values()))
    listed = f"<ul>{remarks}</ul>" if remarks else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{listed}"


def _blocks(report: Report) -> Iterator[tuple[str, int, Mapping[Key, float]]]:
    """Yield the label, the size and the values of all problems, and then of each group."""
    yield ALL if ALL not in report.groups else f"({ALL})", len(report), report.values
    for label, values in report.groups.items():
        yield label, report.sizes[label], values


def _numbers(report: Report) -> list[int | None]:
    """List the columns of numbers: None for the values that do not depend on k, then every k."""
    without_k = any(_column(key) is None for key in report.values)
    return [*([None] if without_k else []), *report.k]


def _column(key: Key) -> int | None:
    return None if key.metric[-1] != "k" else key.k


def _lay_out(report: Report, digits: int) -> list[list[str]]:
    """Lay out the table as text: the header and a row for each group and line."""
    numbers = _numbers(report)
    grouped = ["group", "problems"] if report.groups else []
    header = [*grouped, "metric", *("n" if k is None else f"k = {k}" for k in numbers)]
    rows = [header]
    for label, size, values in _blocks(report):
        lines: dict[Key, dict[int | None, float]] = {}
        for key, value in values.items():
            lines.setdefault(key.line, {})[_column(key)] = value
        for line, found in lines.items():
            cells = [_write(found[k], digits) if k in found else "" for k in numbers]
            rows.append([*([label, str(size)] if report.groups else []), str(line), *cells])
    return rows


def _write(value: float, digits: int) -> str:
    """Write a share with `digits` decimals, and a score, which may be of any size, with `digits` digits."""
    return f"{value + 0.0:.{digits}f}" if 0 <= value <= 1 else f"{value:.{digits}g}"
