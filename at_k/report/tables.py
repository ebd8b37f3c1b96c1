"""Write the table of a report: as rows for programs, and as Markdown, LaTeX and HTML for people."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from io import StringIO
from math import floor, log10
from typing import TYPE_CHECKING, Any

from at_k.error_bars import ErrorBar
from at_k.values import Key

if TYPE_CHECKING:
    from at_k.report.report import Report

ALL = "all"
"""The label of the group of all problems."""

COLUMNS = ["group", "problems", "metric", "k", "tau", "key", "value"]
"""The columns of the table of rows."""

BARS = ["stderr", "ci_low", "ci_high"]
"""Further columns, if there are intervals."""

_FEWEST, _MOST = 3, 15
"""Digits of a value that has an interval. A float has 15 that can be relied on."""

_LONGEST = 6
"""Up to so many digits before the point, a score with an interval has no exponent."""

_LATEX = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "τ": r"$\tau$"}
_LATEX |= {sign: f"\\{sign}" for sign in "&%$#_{}"}


def list_rows(report: Report) -> list[tuple[Any, ...]]:
    """List a row for each value of each group, in the order of `COLUMNS`."""
    return [
        (
            *(label, size, key.metric, key.k, None if key.tau is None else str(key.tau), str(key), value),
            *(bars[key][:3] if key in bars else [None] * len(BARS) * bool(report.intervals)),
        )
        for label, size, values, bars in list_blocks(report)
        for key, value in values.items()
    ]


def list_columns(report: Report) -> list[str]:
    """List the names of the columns of `list_rows`."""
    return [*COLUMNS, *(BARS if report.intervals else ())]


def write_csv(report: Report) -> str:
    """Write a row for each value of each group as CSV."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(list_columns(report))
    writer.writerows([["" if cell is None else cell for cell in row] for row in list_rows(report)])
    return text.getvalue()


def write_markdown(report: Report, digits: int | None = None) -> str:
    """Write a Markdown table: metrics down, k across, groups below; then the notes."""
    header, *rows = _lay_out(report, digits)
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    first = len(header) - len(list_numbers(report))

    def line(row: list[str]) -> str:
        cells = [
            cell.ljust(width) if i < first else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return f"| {' | '.join(cells)} |"

    rule = [("-" * width if i < first else "-" * (width - 1) + ":") for i, width in enumerate(widths)]
    rows = [[escape_markdown(cell) for cell in row] for row in rows]
    lines = [line(header), line(rule), *map(line, rows)]
    remarks = [f"- {each}" for each in (*report.notes, *report.left_out.values())]
    return "\n".join([*lines, *([""] if remarks else []), *remarks])


def escape_markdown(cell: str) -> str:
    r"""Escape what would end a cell of a Markdown table.

    Examples:
        >>> escape_markdown("a|b")
        'a\\|b'
    """
    return cell.replace("|", "\\|").replace("\n", " ")


def write_latex(report: Report, digits: int | None = None) -> str:
    """Write a LaTeX table for the package booktabs."""
    header, *rows = [
        ["".join(_LATEX.get(sign, sign) for sign in cell) for cell in row] for row in _lay_out(report, digits)
    ]
    numbers = len(list_numbers(report))
    lines = [rf"\begin{{tabular}}{{{'l' * (len(header) - numbers)}{'r' * numbers}}}", r"\toprule"]
    lines += [" & ".join(header) + r" \\", r"\midrule"]
    lines += [" & ".join(row) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def write_html(report: Report, digits: int | None = None) -> str:
    """Write an HTML table, as notebooks show it, with its notes."""
    header, *rows = _lay_out(report, digits)
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    remarks = "".join(f"<li>{escape(str(each))}</li>" for each in (*report.notes, *report.left_out.values()))
    listed = f"<ul>{remarks}</ul>" if remarks else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{listed}"


def describe_size(report: Report) -> str:
    """Say how many problems and samples a report is about: "100 problems × 8 samples"."""
    fewest, most = min(report.n), max(report.n)
    n = f"{most:,}" if fewest == most else f"{fewest:,}–{most:,}"
    return f"{len(report):,} problem{'s' * (len(report) != 1)} × {n} sample{'s' * (n != '1')}"


def list_blocks(report: Report) -> Iterator[tuple[str, int, Mapping[Key, float], Mapping[Key, ErrorBar]]]:
    """Yield the label, the size, the values and the error bars of all problems, and then of each group."""
    yield ALL if ALL not in report.groups else f"({ALL})", len(report), report.values, report.intervals
    for label, values in report.groups.items():
        yield label, report.sizes[label], values, report.group_intervals.get(label, {})


def list_numbers(report: Report) -> list[int | None]:
    """List the columns of numbers: None for the values that do not depend on k, then every k."""
    without_k = any(find_column(key) is None for key in report.values)
    return [*([None] if without_k else []), *report.k]


def find_column(key: Key) -> int | None:
    """Return the column of a value: its k, or None if it does not depend on k."""
    return None if key.metric[-1] != "k" else key.k


def group_lines(keys: Iterable[Key]) -> dict[Key, dict[int | None, Key]]:
    """Group keys into the lines of the table: for each line, column → key."""
    lines: dict[Key, dict[int | None, Key]] = {}
    for key in keys:
        lines.setdefault(key.line, {})[find_column(key)] = key
    return lines


def _lay_out(report: Report, digits: int | None) -> list[list[str]]:
    """Lay out the table as text: the header and a row for each group and line."""
    numbers = list_numbers(report)
    grouped = ["group", "problems"] if report.groups else []
    header = [*grouped, "metric", *("n" if k is None else f"k = {k}" for k in numbers)]
    rows = [header]
    for label, size, values, bars in list_blocks(report):
        for line, found in group_lines(values).items():
            estimates = (
                write_estimate(values[found[k]], bars.get(found[k]), digits) if k in found else () for k in numbers
            )
            cells = [" ".join(filter(None, estimate)) for estimate in estimates]
            rows.append([*([label, str(size)] if report.groups else []), str(line), *cells])
    return rows


def write_estimate(value: float, bar: ErrorBar | None, digits: int | None = None) -> tuple[str, str]:
    """Write a value, and its interval if it has one.

    A value without an interval has four digits. One with an interval has three, or, where the interval is so narrow
    that they would hide it, as many as show the first digit of its width: 1234 ± 4 must not become 1.23e+03.

    Examples:
        >>> write_estimate(0.91, ErrorBar(0.029, 0.8472, 0.9513)), write_estimate(0.91, None)
        (('0.910', '[0.847, 0.951]'), ('0.9100', ''))
        >>> write_estimate(0.9996, ErrorBar(0.0001, 0.9993, 0.9998)), write_estimate(1234, ErrorBar(2, 1229.6, 1238.4))
        (('0.9996', '[0.9993, 0.9998]'), ('1234', '[1230, 1238]'))
    """
    if bar is None:
        return write_value(value, digits or 4), ""
    digits = digits or _count_digits(bar)
    return write_value(value, digits), f"[{write_value(bar.low, digits)}, {write_value(bar.high, digits)}]"


def _count_digits(bar: ErrorBar) -> int:
    """Count the digits that a value needs beside its interval: decimals of a share, significant digits of a score."""
    width = bar.high - bar.low
    if bar.low >= 0 and bar.high <= 1:
        before = fewest = 0
    else:
        before = floor(log10(max(abs(bar.low), abs(bar.high)))) + 1
        fewest = before if before <= _LONGEST else 0  # no exponent, such as in 1.23e+03
    narrow = before - floor(log10(width)) if width > 0 else 0
    return min(max(_FEWEST, fewest, narrow), _MOST)


def write_value(value: float, digits: int) -> str:
    """Write a share with `digits` decimals, and a score, which may be of any size, with `digits` digits.

    Examples:
        >>> write_value(0.5, 4), write_value(2.5, 4), write_value(1234.5, 4)
        ('0.5000', '2.500', '1234')
    """
    return f"{value + 0.0:.{digits}f}" if 0 <= value <= 1 else f"{value:#.{digits}g}".rstrip(".")
