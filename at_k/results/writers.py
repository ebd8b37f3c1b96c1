"""Writers of any sheet: text, Markdown, LaTeX, HTML, CSV and JSON; and what every result can do by them."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sys
from collections.abc import Callable, ItemsView, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from difflib import get_close_matches
from functools import partial, partialmethod
from html import escape
from io import StringIO
from os import PathLike
from pkgutil import resolve_name
from typing import Any, ClassVar, TypeVar
from unicodedata import combining, east_asian_width

import numpy as np

from at_k.errors import explain_absent
from at_k.results.saving import encode, load_result, refuse_file, replace_file, save_result
from at_k.results.sheet import Cell, Say, Sentences, Sheet, Table, make_printable, plain

# A line of a terminal as pieces of text, each with its style as Rich spells it; "" for none.
Line = list[tuple[str, str]]

# Spaces between columns; columns for a name; columns up to which sentences are written.
_GAP, _NAME, _LONGEST = 2, 40, 100

_STYLES = {
    "lead": "bold",
    "fact": "dim",
    "need": "bold",
    "note": "yellow",
    "legend": "dim",
    "mistake": "red",
    "best": "bold",
    "good": "green",
    "bad": "red",
    "open": "yellow",
}
_LATEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "τ": r"$\tau$",
}
_LATEX |= {
    "−": "$-$",
    "±": r"$\pm$",
    "<": "$<$",
    ">": "$>$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_WIDE = (
    "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
)
_TOKEN = re.compile(rf"\s+|[{_WIDE}][、。，；：！？）」』”]*|[^\s{_WIDE}]+")


# Text of a terminal


def measure(text: str) -> int:
    """Count the columns that a text takes in a terminal, where Chinese characters take two."""
    if text.isascii():
        return len(text)
    return sum((east_asian_width(s) in "WF") + (not combining(s)) for s in text)


def fit(text: str, width: int) -> str:
    """Pad a text, or cut it and end it with "…", so that it takes this number of columns."""
    if measure(text) > width:
        while measure(text) > width - 1:
            text = text[:-1]
        text = text.rstrip() + "…"
    return text + " " * (width - measure(text))


def wrap(
    text: str, width: int, first: str = "", rest: str = "", *, whole: bool = False
) -> list[str]:
    """Wrap a text into lines, of which the first may begin otherwise than the rest, at spaces or Chinese characters."""
    # A word that is longer than a line is broken, unless words stay `whole`.
    lines = [first]
    width = max(min(width, _LONGEST), len(rest) + 2)
    for token in _TOKEN.findall(text):
        if measure(lines[-1] + token) > width and (token.isspace() or lines[-1].strip()):
            lines[-1] = lines[-1].rstrip()
            lines.append(rest)
        if lines[-1] != rest or not token.isspace():
            left = token
            while not whole and measure(lines[-1] + left) > width and len(left) > 1:
                fits = max(
                    n
                    for n in range(1, len(left))
                    if n == 1 or measure(lines[-1] + left[:n]) <= width
                )
                lines[-1], left = lines[-1] + left[:fits], left[fits:]
                lines.append(rest)
            lines[-1] += left
    return [line.rstrip() for line in lines if line.strip()]


def lay_out(sheet: Sheet, width: int = 80, say: Say = str) -> list[Line]:
    """Lay out a sheet for a terminal of this width."""
    style = f"bold {_STYLES.get(sheet.style, '')}".strip()
    title = make_printable(say(sheet.title))
    lines: list[Line] = [[(line, style)] for line in wrap(title, width, rest="    ")]
    was_listed = False
    for part in sheet.parts:
        laid = _LAY_OUT[type(part)](part, width, say)
        if not laid:
            continue
        is_listed = isinstance(part, Sentences) and part.kind != "lead"
        goes_on = False
        if isinstance(part, Sentences):
            goes_on = part.kind == "fact" or (was_listed and is_listed and not part.caption)
        if lines and not goes_on:
            lines.append([])
        lines += laid
        was_listed = is_listed
    return lines


def _lay_out_sentences(part: Sentences, width: int, say: Say) -> list[Line]:
    sentences = [make_printable(sentence) for sentence in part.write(say)]
    style = _STYLES.get(part.kind, "")
    first, rest = "- ", "  "
    if part.kind == "fact":
        first = "  "
        rest = " " * 11
    elif part.kind == "lead":
        sentences = [" ".join(sentences)]
        first, rest = "", ""
    lines: list[Line] = [[(line, "bold")] for line in wrap(say(part.caption), width)]
    for sentence in sentences:
        lines += [[(line, style)] for line in wrap(sentence, width, first, rest)]
    return lines


def _lay_out_table(table: Table, width: int, say: Say) -> list[Line]:
    """Lay out a table: columns that do not fit go below, and so does what does not fit beside its row."""
    title = make_printable(say(table.caption))
    head = [make_printable(say(name)) for name in table.head]
    indent = " " * _GAP * bool(title)
    write = partial(_stack, say=say, stacked=table.stacked)
    rows = [list(map(write, row)) for row in table.cells]
    sizes, narrow = _measure_columns(rows, [] if table.quiet else head, len(head))
    sizes[0] = max(min(sizes[0], _NAME, width - len(indent) - _GAP - 1), 1)
    first = len(indent) + sizes[0]
    if not (table.stacked or table.quiet) and first + _GAP + max(sizes[1:], default=0) > width:
        return _lay_out_table(replace(table, stacked=True), width, say)
    # An interval that does not fit beside the names may begin below them.
    parts = [list(range(1, len(head)))]
    if not table.quiet:
        room = width - first - _GAP
        for i in parts[0]:
            if sizes[i] > room:
                sizes[i] = max(narrow[i], room)
        parts = _split_columns(sizes, first, width)
    end = first + sum(_GAP + sizes[i] for i in parts[-1])
    remarks = [cell.join(say) for cell in table.remarks] or [""] * len(rows)
    beside = end + _GAP + max(map(measure, remarks), default=0) <= width
    below = " " * (first + _GAP)

    def align(text: str, style: str, i: int) -> tuple[str, str]:
        space = indent
        if i:
            space = " " * _GAP
        if i < table.left:
            return space + fit(text, sizes[i]), style
        return space + " " * (sizes[i] - measure(text)) + text, style

    lines: list[Line] = []
    shares = title and not (head[0] or table.quiet) and measure(title) <= first
    if title and not shares:
        lines += [[(text, "bold")] for text in wrap(title, width)]
    for number, part in enumerate(parts):
        lines += [[]] * bool(number)
        if not table.quiet:
            start = (fit(title, first), "bold") if shares else align(head[0], "cyan", 0)
            lines.append([start, *(align(head[i], "cyan", i) for i in part)])
        ends = first + sum(_GAP + sizes[i] for i in part)
        for place, row in enumerate(rows):
            for level in range(max(map(len, row))):
                marks = {i: row[i][level] for i in (0, *part) if level < len(row[i])}
                marks = {i: mark for i, mark in marks.items() if mark[0]}
                if table.quiet and end > width:
                    listed = "  ".join(marks[i][0] for i in part if i in marks)
                    start = align(*marks.get(0, ("", "")), 0)
                    for n, text in enumerate(wrap(listed, width, below, below)):
                        lines.append([(text, "")] if n else [start, (text[first:], "")])
                elif not part or not marks.keys().isdisjoint(part):
                    line = [align(*marks.get(i, ("", "")), i) for i in (0, *part)]
                    lines.append(_pull(line, ends))
            if not remarks[place] or number < len(parts) - 1:
                continue
            style = _STYLES.get(table.remarks[place].style, "")
            if beside:
                lines[-1].append((" " * _GAP + remarks[place], style))
            else:
                lines += [[(text, style)] for text in wrap(remarks[place], width, below, below)]
    return list(map(_strip, lines))


def _measure_columns(
    rows: Sequence[Sequence[Line]], head: Sequence[str], count: int
) -> tuple[list[int], list[int]]:
    """Return the widths of columns with all of their lines, and with the first ones alone."""
    sizes = [0] * count
    narrow = [0] * count
    for i, name in enumerate(head):
        sizes[i] = narrow[i] = measure(name)
    for row in rows:
        for i, marks in enumerate(row):
            sizes[i] = max(sizes[i], *(measure(text) for text, _ in marks))
            narrow[i] = max(narrow[i], measure(marks[0][0]))
    return sizes, narrow


def _split_columns(sizes: Sequence[int], first: int, width: int) -> list[list[int]]:
    """Split the columns after the first one into parts that fit beside it."""
    parts: list[list[int]] = [[]]
    for i in range(1, len(sizes)):
        if parts[-1] and first + sum(_GAP + sizes[j] for j in (*parts[-1], i)) > width:
            parts.append([])
        parts[-1].append(i)
    return parts


def _stack(cell: Cell, say: Say, *, stacked: bool) -> list[tuple[str, str]]:
    """Write the lines of a cell."""
    value, interval = cell.write(say)
    style = _STYLES.get(cell.style, "")
    if cell.style == "best" and isinstance(cell.value, (int, float, np.number)):
        value = f"*{value}"  # visible without colours, too
    if not stacked:
        return [(f"{value} {interval}".rstrip(), style)]
    if not interval:
        return [(value, style)]
    return [(value, style), (interval, "dim")]


def _pull(line: Line, end: int) -> Line:
    """Move a line that is too long to the left, as far as it begins with spaces."""
    excess = sum(measure(text) for text, _ in line) - end
    first, style = line[0]
    if excess > 0 and not first.strip():
        return [(first[excess:], style), *line[1:]]
    return line


def _strip(line: Line) -> Line:
    while line and not line[-1][0].strip():
        line = line[:-1]
    if not line:
        return []
    text, style = line[-1]
    return [*line[:-1], (text.rstrip(), style)]


_LAY_OUT: dict[type, Callable[..., list[Line]]] = {
    Sheet: lay_out,
    Sentences: _lay_out_sentences,
    Table: _lay_out_table,
}


def write_text(sheet: Sheet, say: Say = str, width: int | None = None) -> str:
    """Write plain text, for the width of the terminal unless another is given."""
    lines = lay_out(sheet, width or shutil.get_terminal_size().columns, say)
    return "\n".join(map(_join, lines))


def _join(line: Line) -> str:
    return "".join(text for text, _ in line)


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
    parts = []
    if title:
        parts.append(f"{'#' * (level + 2)} {title}" if level else f"**{title}**")
    was_listed = False
    for part in sheet.parts:
        if isinstance(part, Sheet):
            parts.append(write_markdown(part, say, level + 1))
            continue
        if part.caption:
            parts.append(f"**{escape_markdown(say(part.caption))}**")
        if isinstance(part, Table):
            parts.append(_write_table_in_markdown(part, say))
            was_listed = False
            continue
        sentences = part.write(say)
        is_listed = part.kind != "lead"
        if is_listed:
            text = "\n".join(f"- {sentence}" for sentence in sentences)
        else:
            text = " ".join(sentences)
        if was_listed and is_listed and not part.caption:
            text = f"{parts.pop()}\n{text}"
        parts.append(text)
        was_listed = is_listed
    return "\n\n".join(filter(None, parts))


def _write_table_in_markdown(table: Table, say: Say) -> str:
    def mark(cell: Cell, text: str) -> str:
        return _bold(cell, escape_markdown(text), "**{}**")

    head, *rows = table.join(say, mark)
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    if sum(widths) > _LONGEST:  # nobody reads wider tables as text
        widths = [0] * len(widths)
    sides, rule = [], []
    for i, width in enumerate(widths):
        is_text = i < table.left or i >= len(table.head)
        sides.append("<" if is_text else ">")
        rule.append("-" * max(width, 3) if is_text else "-" * max(width - 1, 2) + ":")
    lines = []
    for row in (head, rule, *rows):
        cells = zip(row, sides, widths, strict=True)
        lines.append(
            "| " + " | ".join(f"{text:{side}{width}}" for text, side, width in cells) + " |"
        )
    return "\n".join(lines)


def escape_latex(text: str) -> str:
    r"""Escape what LaTeX would take for a command. The threshold of a key becomes an index.

    Examples:
        >>> print(escape_latex("a_b of pass^k"), escape_latex("G-Pass@8_0.5"))
        a\_b of pass\textasciicircum{}k G-Pass@$8_{0.5}$
    """
    escaped = "".join(_LATEX.get(sign, sign) for sign in text)
    return re.sub(r"@(\w+)\\_([\d./]+)$", r"@$\1_{\2}$", escaped)


def write_latex(sheet: Sheet, say: Say = str) -> str:
    """Write the main table for the package booktabs, with the best values in bold."""

    def mark(cell: Cell, text: str) -> str:
        return _bold(cell, escape_latex(text), r"\textbf{{{}}}")

    table = sheet.main or Table((), (), left=0)
    rows = table.join(say, mark)
    header, *lines = [" & ".join(row) + r" \\" for row in rows]
    left = table.left
    numbers = len(table.head) - left
    columns = "l" * left + "r" * numbers + "l" * (len(rows[0]) - left - numbers)
    parts = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        header,
        r"\midrule",
        *lines,
        r"\bottomrule",
    ]
    return "\n".join([*parts, r"\end{tabular}"])


def write_html(sheet: Sheet, say: Say = str, level: int = 3) -> str:
    """Write HTML, as notebooks show it; texts are escaped."""
    parts = []
    if sheet.title:
        parts.append(f"<h{level}>{escape(say(sheet.title))}</h{level}>")
    for part in sheet.parts:
        if isinstance(part, Sheet):
            parts.append(write_html(part, say, level + 1))
        elif isinstance(part, Table):
            parts.append(_write_table_in_html(part, say))
        else:
            if part.caption:
                parts.append(f"<p><strong>{escape(say(part.caption))}</strong></p>")
            sentences = [escape(sentence) for sentence in part.write(say)]
            if part.kind == "lead":
                parts.append(f"<p>{' '.join(sentences)}</p>")
            elif sentences:
                items = "".join(f"<li>{sentence}</li>" for sentence in sentences)
                parts.append(f"<ul>{items}</ul>")
    return "".join([*parts, sheet.picture()])


def _write_table_in_html(table: Table, say: Say) -> str:
    def mark(cell: Cell, text: str) -> str:
        return _bold(cell, escape(text), "<strong>{}</strong>")

    head, *rows = table.join(say, mark)
    caption = ""
    if table.caption:
        caption = f"<caption>{escape(say(table.caption))}</caption>"
    heads = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = ""
    for row in rows:
        cells = "".join(f"<td>{cell}</td>" for cell in row)
        body += f"<tr>{cells}</tr>"
    return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _bold(cell: Cell, text: str, template: str) -> str:
    """Write a cell in bold if it is the best: its value alone, beside an interval."""
    value, blank, rest = text.partition(" [")
    if cell.style != "best" or not value:
        return text
    return template.format(value) + blank + rest


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
    return json.dumps(plain(sheet.data()), ensure_ascii=False, indent=1, allow_nan=False)


WRITERS: dict[str, Callable[..., str]] = {
    "table": write_text,
    "markdown": write_markdown,
    "latex": write_latex,
    "html": write_html,
    "csv": write_csv,
    "json": write_json,
}


# What every result can do

# Attribute of results elsewhere → what to write here.
_ELSEWHERE = {
    "query": 'select problems by `select("avg <= 0.5")`, rows by `to_frame().query(…)`',
    "loc": 'look a number up as `report["pass@1"]`, rows by `to_frame().loc`',
    "iloc": "rows are those of `to_frame().iloc`",
    "sort_values": "rows are sorted as those of `to_frame()`",
    "head": "rows are those of `to_frame().head()`",
    "mean": 'a number is a mean over problems already: `report["pass@1"]`',
    "shape": "`len(report)` counts the problems, and `n` their samples",
    "predict": "`at_k.predict_pass_at_k` predicts pass@k for k above n",
    "fit": "nothing is fitted: `at_k.score` computes",
    "to_parquet": "write `to_frame().to_parquet(path)`",
    "to_excel": "write `to_frame().to_excel(path)`",
    "savefig": "write `plot().savefig(path)`",
}


_Result = TypeVar("_Result", bound="Shown")


class Shown:
    """The abilities of every result: to be read, written in any form, saved, loaded, and compared. It has a `sheet`."""

    def sheet(self, *, short: bool = False) -> Sheet:
        """Make the sheet; `short` is for narrow surfaces, where names should be letters."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {fit(' '.join(self.sheet().headline.split()), 100).rstrip()}>"
        )

    def __str__(self) -> str:
        text = self.write("table")
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        return text.encode(encoding, "backslashreplace").decode(encoding)  # `print` must not fail

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for `json.dumps`."""
        return plain(self.sheet().data())  # type: ignore[no-any-return]

    def write(self, form: str, path: str | PathLike[str] | None = None) -> str:
        """Write one of `WRITERS`: "table", "markdown", "latex", "html", "csv" or "json", also to a file."""
        text = WRITERS[form](self.sheet(short=form == "table"))
        if path is not None:
            with replace_file(path) as part:
                part.write_text(text.rstrip("\n") + "\n", encoding="utf-8", newline="")
        return text

    to_json = partialmethod(write, "json")
    to_markdown = partialmethod(write, "markdown")
    to_latex = partialmethod(write, "latex")
    to_html = _repr_html_ = partialmethod(write, "html")
    to_csv = partialmethod(write, "csv")
    to_string = partialmethod(write, "table")

    def to_pandas(self) -> Any:
        """Return the table as a data frame."""
        try:
            import pandas as pd
        except ModuleNotFoundError as error:
            raise explain_absent(error, "A frame") from None
        return pd.DataFrame(self.sheet().records())

    to_frame = to_pandas

    def summary(self) -> str:
        """Return what `print` shows."""
        return str(self)

    def copy(self: _Result) -> _Result:
        """Return a copy."""
        return copy(self)

    def __getattr__(self, name: str) -> Any:
        """Say of an attribute that results of other libraries have what to write here."""
        kind = type(self).__name__
        if name.startswith("_"):
            raise AttributeError(f"`{kind}` has no attribute `{name}`")
        if name in _ELSEWHERE:
            raise AttributeError(f"`{kind}` has no `{name}`: {_ELSEWHERE[name]}")
        near = get_close_matches(name, dir(self), 1)
        guess = ""
        if near:
            guess = f". Did you mean `{near[0]}`?"
        raise AttributeError(f"`{kind}` has no attribute `{name}`{guess}")

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file of JSON, which `load` reads: what `to_dict` returns, and everything else under "state"."""
        save_result(self, self.to_dict(), type(self).__name__.lower(), path)

    @classmethod
    def load(cls: type[_Result], path: str | PathLike[str]) -> _Result:
        """Read a file that `save` has written."""
        kind = cls.__name__.lower()
        result = load_result(path, kind)
        if not isinstance(result, cls):
            raise refuse_file(path, kind, "is damaged")
        return result

    def saved_state(self) -> Mapping[str, Any]:
        """Return the attributes that a file keeps."""
        return vars(self)

    def __eq__(self, other: object) -> bool:
        return encode(self) == encode(other) if type(self) is type(other) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


class Mapped(Shown):
    """The abilities of a result that is looked up by its numbers, or by its models."""

    @property
    def mapping(self) -> Mapping[Any, Any]:
        """Return what is looked up."""
        raise NotImplementedError

    def __getitem__(self, name: str) -> Any:
        return self.mapping[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.mapping)

    def __contains__(self, name: object) -> bool:
        return name in self.mapping

    def get(self, name: str, default: Any = None) -> Any:
        """Return what has this name, or the default."""
        return self.mapping.get(name, default)

    # The path of the function that draws such a result; pictures are above this layer.
    drawn_by: ClassVar[str]

    def plot(self, **options: Any) -> Any:
        """Draw values against k: a figure of Matplotlib. The options are those of `drawn_by`, such as `title`."""
        return resolve_name(self.drawn_by)(self, **options)

    def items(self) -> ItemsView[Any, Any]:
        """Return each name with what it has."""
        return self.mapping.items()
