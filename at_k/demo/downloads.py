"""Results as files, made into links that hold the whole file: nothing is written on the server."""

from __future__ import annotations

import csv
import json
import re
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import asdict
from html import escape
from io import StringIO

import at_k
from at_k.demo.scoring import Options, Scored
from at_k.demo.words import say
from at_k.readers.standard import Samples

_FORMULA = re.compile(r"(?:^|(?<=[;|\t\r\n]))(?=(?:[\x22']|[^\S\t\r\n])*[=+\-@＝＋－＠])|^(?=[\t\r\n])")
"""Where a formula may begin: in a text, and in its parts if a spreadsheet takes another sign than the comma for the end
of a cell."""


def links(samples: Samples, options: Options, scored: Scored, language: str) -> str:
    """The links below the results."""
    files = (
        ("score.table_csv", "results.csv", "text/csv", table_csv(scored)),
        ("score.problems_csv", "problems.csv", "text/csv", problems_csv(samples, scored)),
        ("score.everything_json", "results.json", "application/json", everything_json(samples, options, scored)),
    )
    return "".join(
        f'<a class="download" download="{name}" href="data:{kind};charset=utf-8;base64,{_encoded(text)}">'
        f"{escape(say(language, label))}</a>"
        for label, name, kind, text in files
    )


def table_csv(scored: Scored) -> str:
    """The table: a row for each key, a column for all problems and one for each group, in full precision."""
    columns = [scored.overall, *scored.groups.values()]
    return _csv(
        [
            ["metric", "all", *scored.groups],
            ["problems", len(scored.problems), *(scored.sizes[label] for label in scored.groups)],
            *([key, *(column[key] for column in columns)] for key in scored.overall),
        ]
    )


def problems_csv(samples: Samples, scored: Scored) -> str:
    """A row for each problem: its name, its group if there is one, n, c, and every value."""
    problems, labels = scored.problems, samples.group
    heading = ["problem", *(["group"] if labels else []), "n", "c", *scored.per_problem]
    rows = zip(
        problems.names, *([labels] if labels else []), problems.n, problems.c, *scored.per_problem.values(), strict=True
    )
    return _csv([heading, *rows])


def everything_json(samples: Samples, options: Options, scored: Scored) -> str:
    """All numbers, and what they were made of: options, signatures, and the samples as they were read."""
    content = {
        "results": scored.overall,
        "groups": scored.groups,
        "left_out": {name: str(reason) for name, reason in scored.left_out.items()},
        "notes": list(map(str, scored.notes)),
        "per_problem": {"problem": scored.problems.names, "n": scored.problems.n, "c": scored.problems.c}
        | scored.per_problem,
        "options": asdict(options) | {"k": scored.k},
        "signatures": scored.signatures,
        "samples": samples.columns(),
        "version": at_k.__version__,
    }
    return json.dumps(content, ensure_ascii=False)


def _csv(rows: Iterable[Iterable[object]]) -> str:
    text = StringIO()
    csv.writer(text).writerows([[_inert(cell) for cell in row] for row in rows])
    return text.getvalue()


def _inert(cell: object) -> object:
    """Text that a spreadsheet would take for a formula, marked as text.

    Examples:
        >>> _inert("=cmd|' /C calc'!A0"), _inert(-0.5), _inert("7")
        ("'=cmd|' /C calc'!A0", -0.5, '7')
    """
    # Python 3.10 cannot write a null character.
    return _FORMULA.sub("'", cell.replace("\0", "")) if isinstance(cell, str) else cell


def _encoded(text: str) -> str:
    return b64encode(text.encode("utf-8")).decode("ascii")
