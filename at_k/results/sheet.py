"""One form of every result: sentences, tables and plain data. A result makes a `Sheet`, and writers write any sheet."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partialmethod
from html import escape
from io import StringIO
from itertools import chain
from math import floor, isfinite, isnan, log10
from os import PathLike
from typing import Any, NamedTuple, TypeVar
from unicodedata import combining, east_asian_width

import numpy as np

from at_k.results.saving import encode, load_result, refuse_file, save_result

Say = Callable[[Any], str]
"""Write a text or a message for a surface: `str`, with the flags of a command, or in another language."""

Line = list[tuple[str, str]]
"""A line of a terminal as pieces of text, each with its style as Rich spells it; "" for none."""

_GAP, _NAME, _LONGEST = 2, 40, 100
"""Spaces between columns; columns for a name; columns up to which sentences are written."""

_STYLES = {"lead": "bold", "fact": "dim", "need": "bold", "note": "yellow", "legend": "dim", "mistake": "red",
           "best": "bold", "good": "green", "bad": "red", "open": "yellow"}  # fmt: skip
_LATEX = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "τ": r"$\tau$"}
_LATEX |= {"−": "$-$", "±": r"$\pm$", "<": "$<$", ">": "$>$", **{sign: f"\\{sign}" for sign in "&%$#_{}"}}
_WIDE = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
_TOKEN = re.compile(rf"\s+|[{_WIDE}][、。，；：！？）」』”]*|[^\s{_WIDE}]+")


class Cell(NamedTuple):
    """A cell: text, a message, or a number with its interval.

    Attributes:
        value: the text, message, list of messages, or number; None for an empty cell.
        interval: the ends of the interval.
        form: how numbers are written, as `format` takes it; "p" for a p-value; "estimate" for a value of any size,
            whose digits follow its interval.
        unit: the text around the number: "± {}".
        style: "best", "good", "bad", "open", "legend"; "" for none.
    """

    value: Any = None
    interval: tuple[float, float] | None = None
    form: str = ""
    unit: str = "{}"
    style: str = ""

    def write(self, say: Say) -> tuple[str, str]:
        """Write the value and the interval."""
        if not isinstance(self.value, (int, float, np.number)):
            return "" if self.value is None else make_printable(" ".join(_say_all(self.value, say).split("\n"))), ""
        if isnan(self.value):
            return "–", ""
        if self.form == "p":
            return write_p(float(self.value)), ""
        if self.form == "estimate":
            return write_estimate(float(self.value), self.interval)
        value, *ends = (format(each, self.form).replace("-", "−") for each in (self.value, *(self.interval or ())))
        return self.unit.format(value), f"[{', '.join(ends)}]" if ends else ""

    def join(self, say: Say) -> str:
        """Write all of the cell on one line."""
        return " ".join(filter(None, self.write(say)))


def write_p(value: float) -> str:
    """Write a p-value with three decimals; "–" for an undefined test.

    Examples:
        >>> write_p(0.0312), write_p(0.0001), write_p(float("nan"))
        ('0.031', '< 0.001', '–')
    """
    return "–" if isnan(value) else "< 0.001" if value < 0.001 else f"{value:.3f}"


_FEWEST, _MOST = 3, 15
"""Digits of a value that has an interval. A float has 15 that can be relied on."""

_PLACES = 6
"""Up to this number of digits before the point, a score with an interval has no exponent."""


def write_estimate(value: float, ends: tuple[float, float] | None, digits: int | None = None) -> tuple[str, str]:
    """Write a value, and its interval if it has one.

    A value without an interval has four digits. One with an interval has three, or, where the interval is so narrow
    that they would hide it, enough to show the first digit of its width: 1234 ± 4 must not become 1.23e+03.

    Examples:
        >>> write_estimate(0.91, (0.8472, 0.9513)), write_estimate(0.91, None)
        (('0.910', '[0.847, 0.951]'), ('0.9100', ''))
        >>> write_estimate(0.9996, (0.9993, 0.9998)), write_estimate(1234, (1229.6, 1238.4))
        (('0.9996', '[0.9993, 0.9998]'), ('1234', '[1230, 1238]'))
    """
    digits = digits or (4 if ends is None else _count_digits(*ends))
    written = [write_value(each, digits) for each in (value, *(ends or ()))]
    return written[0], f"[{', '.join(written[1:])}]" if ends else ""


def _count_digits(low: float, high: float) -> int:
    """Count the digits that a value needs beside its interval: decimals of a share, significant digits of a score."""
    if low >= 0 and high <= 1:
        before = fewest = 0
    else:
        before = floor(log10(max(abs(low), abs(high)))) + 1
        fewest = before if before <= _PLACES else 0  # no exponent, such as in 1.23e+03
    narrow = before - floor(log10(high - low)) if high > low else 0
    return min(max(_FEWEST, fewest, narrow), _MOST)


def write_value(value: float, digits: int) -> str:
    """Write a share with `digits` decimals, and a score, which may be of any size, with `digits` digits.

    Examples:
        >>> write_value(0.5, 4), write_value(2.5, 4), write_value(-1234.5, 4)
        ('0.5000', '2.500', '−1234')
    """
    written = f"{value + 0.0:.{digits}f}" if 0 <= value <= 1 else f"{value:#.{digits}g}".rstrip(".")
    return written.replace("-", "−", 1) if value < 0 else written


def _say_all(said: Any, say: Say) -> str:
    """Write a text, a message, or several one after the other."""
    return " ".join(map(say, said)) if isinstance(said, (list, tuple)) else say(said)


@dataclass(frozen=True)
class Sentences:
    """Sentences of one kind, each a text, a message, or a list of these.

    The kinds are "lead", a paragraph; "fact", a line below a title; or the items of a list: "", "need", "note",
    "legend" and "mistake".
    """

    said: Sequence[Any]
    kind: str = ""
    caption: Any = ""
    codes: bool = False

    def write(self, say: Say) -> list[str]:
        """Write each sentence on one line, with its code if codes are shown."""
        return [
            " ".join(f"{_say_all(each, say)}{f' [{each.code}]' if self.codes else ''}".splitlines())
            for each in self.said
        ]


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        head: what the columns are called.
        rows: a cell, or its value, for each column.
        caption: the text above it.
        left: how many of the first columns are text.
        quiet: whether a terminal leaves out the head; it then wraps rows that are too wide.
        stacked: whether intervals are below their values in a terminal.
        remarks: a text for each row, beside or below it; empty for none.
    """

    head: Sequence[Any]
    rows: Sequence[Sequence[Any]]
    caption: Any = ""
    left: int = 1
    quiet: bool = False
    stacked: bool = False
    remarks: Sequence[Cell] = ()

    @property
    def cells(self) -> list[list[Cell]]:
        """Return the rows as cells."""
        return [[each if isinstance(each, Cell) else Cell(each) for each in row] for row in self.rows]

    def join(self, say: Say, mark: Callable[[Cell, str], str]) -> list[list[str]]:
        """Write the head and the rows as text, the remarks in a last column; `mark` emphasises, and escapes."""
        remarks = self.remarks if any(each.value for each in self.remarks) else ()
        rows = [[*map(Cell, self.head), *([Cell()] if remarks else [])]]
        rows += [[*row, *remarks[place : place + 1]] for place, row in enumerate(self.cells)]
        return [[mark(cell, cell.join(say)) for cell in row] for row in rows]

    def records(self) -> list[dict[str, Any]]:
        """List the values of each row by the heads, and the ends of intervals."""
        found: list[dict[str, Any]] = []
        for row in self.cells:
            record: dict[str, Any] = {}
            found.append(record)
            for head, cell in zip(map(str, self.head), row, strict=True):
                record[head] = plain(cell.value)
                if cell.interval is not None:
                    record[f"{head}_low"], record[f"{head}_high"] = map(plain, cell.interval)
        return found


@dataclass(frozen=True)
class Sheet:
    """The text of a result: parts in the order of reading, and plain data for programs.

    Attributes:
        parts: sentences, tables, and further sheets.
        title: the text above all parts.
        style: that of the title, as of a cell.
        data: names → values, which `plain` can write.
        rows: the table for CSV and data frames; None for the first one.
        name: what a short form shows of a sheet that has no title.
        picture: makes the picture, in HTML, that is shown below the parts where there is room for one.
    """

    parts: Sequence[Sentences | Table | Sheet]
    title: Any = ""
    style: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    rows: Table | None = None
    name: str = ""
    picture: Callable[[], str] = str

    @property
    def main(self) -> Table | None:
        """Return the main table: the first one with a head; of sentences alone, that of them."""
        own = (part for part in self.parts if isinstance(part, Table) and not part.quiet)
        inner = (part.main for part in self.parts if isinstance(part, Sheet))
        quiet = (part for part in self.parts if isinstance(part, Table))
        said = [part for part in self.parts if isinstance(part, Sentences) and part.said]
        rows = [(part.caption or part.kind, each) for part in said for each in part.said]
        alone = [Table(("kind", "sentence"), rows, left=2)] if rows else []
        return next(filter(None, chain(own, inner, quiet, alone)), None)

    def records(self) -> list[dict[str, Any]]:
        """List the rows that programs read."""
        table = self.rows or self.main
        return table.records() if table else []

    @property
    def headline(self) -> str:
        """Return the title and the first sentence, of which the leading one comes first."""
        listed = sorted(
            (part for part in self.parts if isinstance(part, Sentences)), key=lambda part: part.kind != "lead"
        )
        said = next((part.said[0] for part in listed if part.said and (part.kind == "lead" or not self.title)), "")
        return self.name or ": ".join(filter(None, (str(self.title), _say_all(said, str))))


# Text of a terminal


def make_printable(text: str) -> str:
    r"""Write control characters as escapes: the text of a file must not move the cursor or change colours.

    Examples:
        >>> make_printable("Level 1\x1b[2J\n")
        'Level 1\\x1b[2J\\n'
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def measure(text: str) -> int:
    """Count the columns that a text takes in a terminal, where Chinese characters take two."""
    return len(text) if text.isascii() else sum((east_asian_width(s) in "WF") + (not combining(s)) for s in text)


def fit(text: str, width: int) -> str:
    """Pad a text, or cut it and end it with "…", so that it takes this number of columns."""
    if measure(text) > width:
        while measure(text) > width - 1:
            text = text[:-1]
        text = text.rstrip() + "…"
    return text + " " * (width - measure(text))


def wrap(text: str, width: int, first: str = "", rest: str = "", *, whole: bool = False) -> list[str]:
    """Wrap a text into lines, of which the first may begin otherwise than the rest, at spaces or Chinese characters.

    A word that is longer than a line is broken, unless words stay `whole`.
    """
    lines, width = [first], max(min(width, _LONGEST), len(rest) + 2)
    for token in _TOKEN.findall(text):
        if measure(lines[-1] + token) > width and (token.isspace() or lines[-1].strip()):
            lines[-1] = lines[-1].rstrip()
            lines.append(rest)
        if lines[-1] != rest or not token.isspace():
            left = token
            while not whole and measure(lines[-1] + left) > width and len(left) > 1:
                taken = max(n for n in range(1, len(left)) if n == 1 or measure(lines[-1] + left[:n]) <= width)
                lines[-1], left = lines[-1] + left[:taken], left[taken:]
                lines.append(rest)
            lines[-1] += left
    return [line.rstrip() for line in lines if line.strip()]


def lay_out(sheet: Sheet, width: int = 80, say: Say = str) -> list[Line]:
    """Lay out a sheet for a terminal of this width."""
    style = f"bold {_STYLES.get(sheet.style, '')}".strip()
    lines: list[Line] = [[(line, style)] for line in wrap(make_printable(say(sheet.title)), width, rest="    ")]
    was_listed = False
    for part in sheet.parts:
        own = _LAY_OUT[type(part)](part, width, say)
        is_listed = isinstance(part, Sentences) and part.kind != "lead"
        joins = isinstance(part, Sentences) and (part.kind == "fact" or (was_listed and is_listed and not part.caption))
        if own:
            lines += [*([[]] if lines and not joins else []), *own]
            was_listed = is_listed
    return lines


def _lay_out_sentences(part: Sentences, width: int, say: Say) -> list[Line]:
    said, style = [make_printable(each) for each in part.write(say)], _STYLES.get(part.kind, "")
    caption = [[(line, "bold")] for line in wrap(say(part.caption), width)]
    if part.kind == "lead":
        return [*caption, *([(line, style)] for line in wrap(" ".join(said), width))]
    first, rest = ("  ", " " * 11) if part.kind == "fact" else ("- ", "  ")
    return [*caption, *([(line, style)] for each in said for line in wrap(each, width, first, rest))]


def _lay_out_table(table: Table, width: int, say: Say) -> list[Line]:
    """Lay out a table: columns that do not fit go below, and so does what does not fit beside its row."""
    title, head = make_printable(say(table.caption)), [make_printable(say(each)) for each in table.head]
    indent = " " * _GAP * bool(title)
    rows = [[_stack(cell, say, stacked=table.stacked) for cell in row] for row in table.cells]
    sizes = [max((measure(text) for row in rows for text, _ in row[i]), default=0) for i in range(len(head))]
    sizes = sizes if table.quiet else [max(size, measure(name)) for size, name in zip(sizes, head, strict=True)]
    sizes[0] = max(min(sizes[0], _NAME, width - len(indent) - _GAP - 1), 1)
    first = len(indent) + sizes[0]
    if not (table.stacked or table.quiet) and first + _GAP + max(sizes[1:], default=0) > width:
        return _lay_out_table(replace(table, stacked=True), width, say)
    # An interval that does not fit beside the names may begin below them.
    narrow = [max((measure(row[i][0][0]) for row in rows), default=0) for i in range(len(head))]
    room = width - first - _GAP
    sizes[1:] = [size if size <= room or table.quiet else max(narrow[i], measure(head[i]), room)
                 for i, size in enumerate(sizes) if i]  # fmt: skip
    parts: list[list[int]] = [[]]
    for i in range(1, len(head)):
        if parts[-1] and first + sum(_GAP + sizes[j] for j in (*parts[-1], i)) > width and not table.quiet:
            parts.append([])
        parts[-1].append(i)
    end = first + sum(_GAP + sizes[i] for i in parts[-1])
    remarks = [cell.join(say) for cell in table.remarks] or [""] * len(rows)
    beside = end + _GAP + max(map(measure, remarks), default=0) <= width
    below = " " * (first + _GAP)

    def align(text: str, style: str, i: int) -> tuple[str, str]:
        padded = fit(text, sizes[i]) if i < table.left else " " * (sizes[i] - measure(text)) + text
        return (" " * _GAP if i else indent) + padded, style

    lines: list[Line] = []
    shares = title and not (head[0] or table.quiet) and measure(title) <= first
    for number, part in enumerate(parts):
        lines += [[]] * bool(number)
        if not table.quiet:
            start = (fit(title, first), "bold") if shares else align(head[0], "cyan", 0)
            lines.append([start, *(align(head[i], "cyan", i) for i in part)])
        for place, row in enumerate(rows):
            for level in range(max(len(each) for each in row)):
                own = {i: row[i][level] for i in (0, *part) if level < len(row[i]) and row[i][level][0]}
                if table.quiet and end > width:
                    said = wrap("  ".join(own[i][0] for i in part if i in own), width, below, below)
                    lines += [[align(*own.get(0, ("", "")), 0), (text[first:], "")] if not n else [(text, "")]
                              for n, text in enumerate(said)]  # fmt: skip
                elif not own.keys().isdisjoint(part) or not part:
                    ends = first + sum(_GAP + sizes[i] for i in part)
                    lines.append(_pull([align(*own.get(i, ("", "")), i) for i in (0, *part)], ends))
            if remarks[place] and number == len(parts) - 1:
                style = _STYLES.get(table.remarks[place].style, "")
                if beside:
                    lines[-1].append((" " * _GAP + remarks[place], style))
                else:
                    lines += [[(text, style)] for text in wrap(remarks[place], width, below, below)]
    return [*([] if shares else [[(text, "bold")] for text in wrap(title, width)]), *map(_strip, lines)]


def _stack(cell: Cell, say: Say, *, stacked: bool) -> list[tuple[str, str]]:
    """Write the lines of a cell."""
    value, interval = cell.write(say)
    style = _STYLES.get(cell.style, "")
    if cell.style == "best" and isinstance(cell.value, (int, float, np.number)):
        value = f"*{value}"  # visible without colours, too
    lines = [(value, style)] if stacked else [(f"{value} {interval}".rstrip(), style)]
    return [*lines, (interval, "dim")] if stacked and interval else lines


def _pull(line: Line, end: int) -> Line:
    """Move a line that is too long to the left, as far as it begins with spaces."""
    excess = sum(measure(text) for text, _ in line) - end
    return [(line[0][0][excess:], line[0][1]), *line[1:]] if excess > 0 and not line[0][0].strip() else line


def _strip(line: Line) -> Line:
    while line and not line[-1][0].strip():
        line = line[:-1]
    return [*line[:-1], (line[-1][0].rstrip(), line[-1][1])] if line else []


_LAY_OUT: dict[type, Callable[..., list[Line]]] = {
    Sheet: lay_out, Sentences: _lay_out_sentences, Table: _lay_out_table
}  # fmt: skip


def write_text(sheet: Sheet, say: Say = str) -> str:
    """Write plain text for the width of the terminal."""
    lines = lay_out(sheet, shutil.get_terminal_size().columns, say)
    return "\n".join("".join(text for text, _ in line) for line in lines)


# Other forms


def escape_markdown(text: str) -> str:
    r"""Escape what would end a cell of a Markdown table, or its line.

    Examples:
        >>> print(escape_markdown("a|b"))
        a\|b
    """
    # A backslash before the sign would escape the one that escapes it.
    return " ".join(re.sub(r"(\\*)\|", r"\1\1\|", text).splitlines())


def write_markdown(sheet: Sheet, say: Say = str, level: int = 0) -> str:
    """Write Markdown; `level` is that of the sheet among others."""
    title = " ".join(say(sheet.title).splitlines())
    parts = [f"{'#' * (level + 2)} {title}" if level else f"**{title}**"] if title else []
    was_listed = False
    for part in sheet.parts:
        if isinstance(part, Sheet):
            parts.append(write_markdown(part, say, level + 1))
            continue
        parts += [f"**{escape_markdown(say(part.caption))}**"] if part.caption else []
        if isinstance(part, Sentences):
            said = part.write(say)
            text = " ".join(said) if part.kind == "lead" else "\n".join(f"- {each}" for each in said)
            parts += [f"{parts.pop()}\n{text}"] if was_listed and part.kind != "lead" and not part.caption else [text]
            was_listed = part.kind != "lead"
            continue
        was_listed = False
        (head, *rows) = part.join(say, lambda cell, text: _bold(cell, escape_markdown(text), "**{}**"))
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        widths = widths if sum(widths) <= _LONGEST else [0] * len(widths)  # nobody reads wider tables as text
        texts = {i for i in range(len(head)) if i < part.left or i >= len(part.head)}
        rule = ["-" * max(w, 3) if i in texts else "-" * max(w - 1, 2) + ":" for i, w in enumerate(widths)]
        cells = [[f"{c:{'<' if i in texts else '>'}{w}}" for i, (c, w) in enumerate(zip(row, widths, strict=True))]
                 for row in (head, rule, *rows)]  # fmt: skip
        parts.append("\n".join("| " + " | ".join(row) + " |" for row in cells))
    return "\n\n".join(filter(None, parts))


def escape_latex(text: str) -> str:
    r"""Escape what LaTeX would take for a command. The threshold of a key becomes an index.

    Examples:
        >>> print(escape_latex("a_b of pass^k"), escape_latex("G-Pass@8_0.5"))
        a\_b of pass\textasciicircum{}k G-Pass@$8_{0.5}$
    """
    return re.sub(r"@(\w+)\\_([\d./]+)$", r"@$\1_{\2}$", "".join(_LATEX.get(sign, sign) for sign in text))


def write_latex(sheet: Sheet, say: Say = str) -> str:
    """Write the main table for the package booktabs, with the best values in bold."""
    table = sheet.main
    rows = table.join(say, lambda cell, text: _bold(cell, escape_latex(text), r"\textbf{{{}}}")) if table else [[]]
    header, *lines = [" & ".join(row) + r" \\" for row in rows]
    left = table.left if table else 0
    numbers = len(table.head) - left if table else 0
    columns = "l" * left + "r" * numbers + "l" * (len(rows[0]) - left - numbers)
    parts = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", header, r"\midrule", *lines, r"\bottomrule"]
    return "\n".join([*parts, r"\end{tabular}"])


def write_html(sheet: Sheet, say: Say = str, level: int = 3) -> str:
    """Write HTML, as notebooks show it; texts are escaped."""
    parts = [f"<h{level}>{escape(say(sheet.title))}</h{level}>"] if sheet.title else []
    for part in sheet.parts:
        if isinstance(part, Sheet):
            parts.append(write_html(part, say, level + 1))
        elif isinstance(part, Sentences):
            said = [escape(each) for each in part.write(say)]
            parts += [f"<p><strong>{escape(say(part.caption))}</strong></p>"] if part.caption else []
            listed = f"<ul>{''.join(f'<li>{each}</li>' for each in said)}</ul>" if said else ""
            parts.append(f"<p>{' '.join(said)}</p>" if part.kind == "lead" else listed)
        else:
            head, *rows = part.join(say, lambda cell, text: _bold(cell, escape(text), "<strong>{}</strong>"))
            caption = f"<caption>{escape(say(part.caption))}</caption>" if part.caption else ""
            body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
            heads = "".join(f'<th scope="col">{cell}</th>' for cell in head)
            parts.append(f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>")
    return "".join([*parts, sheet.picture()])


def _bold(cell: Cell, text: str, template: str) -> str:
    """Write a cell in bold if it is the best: its value alone, beside an interval."""
    value, blank, rest = text.partition(" [")
    return template.format(value) + blank + rest if cell.style == "best" and value else text


def write_csv(sheet: Sheet, say: Say = str) -> str:
    """Write the main table as CSV, in full precision; None is an empty cell."""
    records = sheet.records()
    names = list(dict.fromkeys(name for record in records for name in record))
    text = StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


def write_json(sheet: Sheet, say: Say = str) -> str:
    """Write the data as JSON for people and programs."""
    return json.dumps(plain(sheet.data), ensure_ascii=False, indent=1, allow_nan=False)


def plain(value: Any) -> Any:
    """Return a value as `json.dumps` takes it: arrays as lists, messages as sentences, NaN and infinities as None."""
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if isfinite(value) else None
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else str(value)


WRITERS: dict[str, Callable[..., str]] = {
    "table": write_text, "markdown": write_markdown, "latex": write_latex, "html": write_html, "csv": write_csv,
    "json": write_json,
}  # fmt: skip


# What every result can do


_Result = TypeVar("_Result", bound="Shown")


class Shown:
    """The abilities of every result: to be read, written in any form, saved, loaded, and compared. It has a `sheet`."""

    def sheet(self, *, short: bool = False) -> Sheet:
        """Make the sheet; `short` is for narrow surfaces, where names should be letters."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {fit(' '.join(self.sheet().headline.split()), 100).rstrip()}>"

    def __str__(self) -> str:
        text = self.write("table")
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        return text.encode(encoding, "backslashreplace").decode(encoding)  # `print` must not fail

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for `json.dumps`."""
        return plain(self.sheet().data)  # type: ignore[no-any-return]

    def write(self, form: str) -> str:
        """Write one of `WRITERS`: "table", "markdown", "latex", "html", "csv" or "json"."""
        return WRITERS[form](self.sheet(short=form == "table"))

    to_json = partialmethod(write, "json")
    to_markdown = partialmethod(write, "markdown")
    to_latex = partialmethod(write, "latex")
    to_html = _repr_html_ = partialmethod(write, "html")
    to_csv = partialmethod(write, "csv")

    def to_pandas(self) -> Any:
        """Return the table as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.sheet().records())

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file of JSON, which `load` reads: what `to_dict` returns, and everything else under "state"."""
        save_result(self, self.to_dict(), type(self).__name__.lower(), path)

    @classmethod
    def load(cls: type[_Result], path: str | PathLike[str]) -> _Result:
        """Read a file that `save` has written."""
        kind = cls.__name__.lower()
        found = load_result(path, kind)
        if not isinstance(found, cls):
            raise refuse_file(path, kind, "is damaged")
        return found

    def saved_state(self) -> Mapping[str, Any]:
        """Return the attributes that a file keeps."""
        return vars(self)

    def __eq__(self, other: object) -> bool:
        return encode(self) == encode(other) if type(self) is type(other) else NotImplemented

    __hash__ = None  # type: ignore[assignment]
