"""Results as files, made into links that hold the whole file: nothing is written on the server."""

from __future__ import annotations

import csv
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from html import escape
from io import StringIO

import at_k
from at_k.demo import tables
from at_k.demo.figures import write_fold
from at_k.demo.scoring import Options
from at_k.demo.words import say
from at_k.readers.samples import Samples
from at_k.report import Report
from at_k.report.grid import list_blocks

_FORMULA = re.compile(r"(?:^|(?<=[;|\t\r\n]))(?=(?:[\x22']|[^\S\t\r\n])*[=+\-@＝＋－＠])|^(?=[\t\r\n])")
"""Where a formula may begin: in a text, and in its parts, because a spreadsheet may split cells at other signs than the
comma."""

_FROM_REPORT = ("intervals", "groups", "group_intervals", "left_out", "notes", "signatures")

_STYLE = (
    "body{max-width:60rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif;color-scheme:light dark}"
    "table{border-collapse:collapse}th,td{padding:.4rem .8rem;text-align:right;border-bottom:1px solid #8886}"
    "th:first-child{text-align:left}small{display:block;font-weight:400}pre{overflow-x:auto}"
)

_IMPORT = "import at_k\n"
_READ = """\
import json

import at_k

with open("results.json", encoding="utf-8") as file:  # the download "Everything, JSON"
    data = json.load(file)["samples"]
"""


def write_links(samples: Samples, options: Options, report: Report, title: str, found: str, language: str) -> str:
    """Write the links below the results as HTML. The LaTeX table has what is in sight, as a paper would.

    Args:
        samples: the samples.
        options: the options.
        report: their report.
        title: what the results are called.
        found: what the page shows of them, as HTML.
        language: the language of the visitor.
    """
    shown = replace(report, values={key: report.values[key] for key in tables.find_main(report)}, groups={})
    files = (
        ("score.report_html", "report.html", "text/html", write_page(report, title, found, language)),
        ("score.table_markdown", "results.md", "text/markdown", report.to_markdown()),
        ("score.table_latex", "results.tex", "text/x-tex", shown.to_latex()),
        ("score.table_csv", "results.csv", "text/csv", write_table(report)),
        ("score.problems_csv", "problems.csv", "text/csv", write_problems(samples, report)),
        ("score.everything_json", "results.json", "application/json", write_everything(samples, options, report)),
    )
    return "".join(
        f'<a class="download" download="{name}" href="data:{kind};charset=utf-8;base64,{_encode(text)}">'
        f"{escape(say(language, label))}</a>"
        for label, name, kind, text in files
    )


def write_page(report: Report, title: str, found: str, language: str) -> str:
    """Write a report as a page that needs nothing else: what was found, as the page Score shows it, and how."""
    folds = {f"score.{name}": text for name, text in (("python", report.script()), ("markdown", report.to_markdown()))}
    return (
        f'<!doctype html><html lang="{language}"><meta charset="utf-8"><title>{escape(title)} · at-k</title>'
        f"<style>{_STYLE}</style><h1>{escape(title)}</h1>{found}"
        f"{''.join(write_fold(heading, text, language) for heading, text in folds.items())}"
        f"<p>at-k {at_k.__version__}</p></html>"
    )


def write_table(report: Report) -> str:
    """Write the table as CSV, in full precision: a row for each key, three columns for all problems and for each group.

    The columns are the value, and the lower and the upper limit of its interval, which are empty where there is none.
    """
    rows: list[list[object]] = [["metric"], ["problems"]]
    rows.extend([key] for key in report.values)
    for block in list_blocks(report):
        rows[0] += [block.label, f"{block.label} ci_low", f"{block.label} ci_high"]
        rows[1] += [block.size, None, None]
        for row, (key, value) in zip(rows[2:], block.values.items(), strict=True):
            row += [value, *(block.bars[key][1:3] if key in block.bars else (None, None))]
    return _write_csv(rows)


def write_problems(samples: Samples, report: Report) -> str:
    """Write a row for each problem as CSV: its name, its group if there is one, n, c, and every value."""
    labels = {} if samples.group is None else {"group": samples.group}
    columns: dict[str, Sequence[object]] = {"problem": report.problems, **labels, "n": report.n, "c": report.c}
    columns.update(report.by_problem.items())
    return _write_csv([columns, *zip(*columns.values(), strict=True)])


def write_everything(samples: Samples, options: Options, report: Report) -> str:
    """Write all numbers as JSON, and what they were computed from: options, signatures, samples as they were read."""
    content = report.to_dict()
    return json.dumps(
        {
            "results": content["values"],
            **{name: content[name] for name in _FROM_REPORT},
            "per_problem": {"problem": report.problems, "n": report.n, "c": report.c} | dict(report.by_problem.items()),
            "options": asdict(options) | {"k": report.k},
            "samples": samples.table.to_pydict(),
            "version": at_k.__version__,
        },
        ensure_ascii=False,
    )


def write_script(report: Report) -> str:
    """Write the Python lines that give the same numbers from the downloaded file."""
    return report.script().replace(_IMPORT, _READ, 1)


def _write_csv(rows: Iterable[Iterable[object]]) -> str:
    text = StringIO()
    csv.writer(text).writerows([[_mark_formula(cell) for cell in row] for row in rows])
    return text.getvalue()


def _mark_formula(cell: object) -> object:
    """Mark a text as text if a spreadsheet would take it for a formula.

    Examples:
        >>> _mark_formula("=cmd|' /C calc'!A0"), _mark_formula(-0.5), _mark_formula("7")
        ("'=cmd|' /C calc'!A0", -0.5, '7')
    """
    # Python 3.10 cannot write a null character.
    return _FORMULA.sub("'", cell.replace("\0", "")) if isinstance(cell, str) else cell


def _encode(text: str) -> str:
    return b64encode(text.encode("utf-8")).decode("ascii")
