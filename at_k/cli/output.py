"""Write a report in the form that was asked for, to standard output or to a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from os.path import realpath, splitext
from typing import TYPE_CHECKING, Any

from at_k.cli.layout import lay_out, lay_out_notes, lay_out_title
from at_k.cli.options import refuse
from at_k.cli.terminal import Line, make_console, print_lines
from at_k.report.files import check_target, replace_file
from at_k.report.report import Report
from at_k.report.saving import SAVED_AS
from at_k.report.tables import write_csv

if TYPE_CHECKING:
    from at_k.report.models import Models

_BY_ENDING = {".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".txt": "table"}

_WITHOUT_NOTES = ("csv", "latex")
"""The forms that have no place for notes, which then go to standard error."""

_IN_FILE = 100
"""The width of a table in a file."""

_COLUMNS = (".csv", ".jsonl", ".parquet")
"""The endings of a file of columns. CSV has no lists."""


def choose_form(form: str | None, out: str | None) -> str:
    """Choose the form of a report: the one that was asked for, else the one that the file's name ends in.

    Examples:
        >>> choose_form(None, "results.md"), choose_form("csv", "results.md"), choose_form(None, None)
        ('markdown', 'csv', 'table')
    """
    if form is not None:
        return form
    if out is None:
        return "table"
    ending = splitext(out)[1].lower()
    if ending not in _BY_ENDING:
        raise refuse("--out", f"The name must end in {', '.join(_BY_ENDING)}, or say --format; got {out!r}.")
    return _BY_ENDING[ending]


def check_targets(
    paths: Sequence[str],
    *,
    out: str | None = None,
    per_problem: str | None = None,
    save: str | None = None,
    rows: str | None = None,
) -> None:
    """Check where files will be written, before work is done for them.

    Raises:
        typer.BadParameter: if the name of a file ends in nothing that is known, or if two files would be one.
        OSError: if there is no such folder.
    """
    for option, path, endings in (
        ("--per-problem", per_problem, _COLUMNS),
        ("--save", save, SAVED_AS),
        ("--rows", rows, _COLUMNS[1:]),
    ):
        if path is not None and splitext(path)[1].lower() not in endings:
            raise refuse(option, f"The name must end in {' or '.join(endings)}; got {path!r}.")
    taken = {realpath(path) for path in paths}
    for option, path in (("--out", out), ("--per-problem", per_problem), ("--save", save), ("--rows", rows)):
        if path is None:
            continue
        target = str(check_target(path))
        if target in taken:
            raise refuse(option, f"{path!r} is read, or written, by this command already. Give another name.")
        taken.add(target)


def write_report(report: Report | Models, form: str, out: str | None) -> None:
    """Write a report. What its form has no place for goes to standard error: what was read, and notes."""
    if out is not None:
        with replace_file(out) as part:
            part.write_text(_write(report, form, _IN_FILE), encoding="utf-8", newline="")
    console = make_console()
    if form == "table" and out is None:
        print_lines(lay_out(report, console.width), console)
        return
    if out is None:
        console.file.write(_write(report, form, console.width))
    beside = make_console(stderr=True)
    lines = lay_out_title(report, beside.width)
    lines += lay_out_notes(report, beside.width) if form in _WITHOUT_NOTES else []
    print_lines(lines, beside)
    if out is not None:
        say_written(out)


def print_in_form(form: str, lay_out: Callable[[int], list[Line]], **forms: Callable[[], str]) -> None:
    """Print a text in one of the forms; in any other, the lines that `lay_out` makes for the width of the terminal."""
    console = make_console()
    if form in forms:
        console.file.write(forms[form]().rstrip("\n") + "\n")
    else:
        print_lines(lay_out(console.width), console)


def dump(content: Mapping[str, Any]) -> str:
    """Write plain data as JSON for people and programs."""
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)


def say_written(path: str) -> None:
    """Say on standard error that a file was written."""
    print_lines([[(f"Wrote {path}", "")]], make_console(stderr=True))


def write_columns(columns: Mapping[str, Sequence[Any]], path: str) -> None:
    """Write columns to a file: a row for each problem."""
    ending = splitext(path)[1].lower()
    with replace_file(path) as part:
        if ending == ".parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            pq.write_table(pa.table(columns), part)
            return
        rows = zip(*columns.values(), strict=True)
        if ending == ".csv":
            text = write_csv(columns, rows)
        else:
            text = "".join(json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) + "\n" for row in rows)
        part.write_text(text, encoding="utf-8", newline="")


def _write(report: Report | Models, form: str, width: int) -> str:
    if form == "table":
        text = "\n".join("".join(piece for piece, _ in line) for line in lay_out(report, width))
    elif form == "json":
        source = {"source": report.source} if isinstance(report, Report) else {}
        text = dump({**source, **report.to_dict()})
    elif form == "csv":
        return report.to_csv()
    else:
        text = report.to_markdown() if form == "markdown" else report.to_latex()
    return text + "\n"
