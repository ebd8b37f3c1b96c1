"""Print the problems whose values meet a condition."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from at_k.cli.scoring import make_report


def print_selection(paths: Sequence[str], condition: str, *, confident: bool, form: str, **options: Any) -> None:
    """Print the names of the problems whose values meet a condition, or a line of JSON for each.

    Args:
        paths: the files.
        condition: as of `at_k.Report.select`.
        confident: as of `at_k.Report.select`.
        form: "names" or "jsonl".
        options: those of `at_k.score`.

    Raises:
        InputError: if the condition cannot be read, or the files cannot be used.
        OSError: if a file cannot be opened.
    """
    import typer

    from at_k.report.selecting import read_condition

    bounds = read_condition(condition)
    k = sorted({bound.k for bound in bounds if bound.k is not None}) or None
    metrics = list(dict.fromkeys(name for bound in bounds for name in bound.metrics)) or None
    report = make_report(paths, **options, k=k, metrics=metrics, confidence_level=None, target="population")
    names = report.select(condition, confident=confident)
    if form == "names":
        lines = names
    else:
        chosen, table = set(names), report.per_problem
        rows = (dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True))
        lines = [json.dumps(row, ensure_ascii=False) for row in rows if row["problem"] in chosen]
    for line in lines:
        typer.echo(line)
