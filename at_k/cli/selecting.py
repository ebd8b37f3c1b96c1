"""Print the problems whose values meet a condition."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from at_k.cli.output import check_targets, say_written, write_columns
from at_k.cli.scoring import make_report
from at_k.errors import InputError

if TYPE_CHECKING:
    from at_k.report import Report


def print_selection(
    paths: Sequence[str], condition: str, *, confident: bool, form: str, rows: str | None, **options: Any
) -> None:
    """Print the names of the problems whose values meet a condition, or a line of JSON for each.

    Args:
        paths: the files.
        condition: as of `at_k.Report.select`.
        confident: as of `at_k.Report.select`.
        form: "names" or "jsonl".
        rows: the file to write the chosen problems to, as `at_k.read_results` has them; None for none.
        options: those of `at_k.score`.

    Raises:
        typer.BadParameter: if the name of the file ends in nothing that is known.
        InputError: if the condition cannot be read, or the files cannot be used.
        OSError: if a file cannot be opened, or written.
    """
    import typer

    from at_k.report.selecting import read_condition

    check_targets(paths, rows=rows)
    keys = [str(bound.key) for bound in read_condition(condition)]
    wanted = None if confident else list(dict.fromkeys("avg@n" if key.startswith("avg@") else key for key in keys))
    report = make_report(paths, **options, metrics=wanted or "avg_at_n", confidence_level=None, target="population")
    names = report.select(condition, confident=confident)
    chosen = set(names)
    if rows is not None:
        write_columns(_list_rows(report, paths, chosen, options), rows)
        say_written(rows)
    lines = names
    if form == "jsonl":
        table = report.per_problem
        listed = (dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True))
        lines = [json.dumps(row, ensure_ascii=False) for row in listed if row["problem"] in chosen]
    for line in lines:
        typer.echo(line)
    if not names:
        typer.echo(f"No problem meets the condition {condition!r}.", err=True)


def _list_rows(report: Report, paths: Sequence[str], chosen: set[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """List the columns of the chosen problems, with what else the files say about them."""
    from at_k.options import READING
    from at_k.readers import read_samples

    if report.samples is None:
        raise InputError("select.no_rows", "Rows are those of results files; a report or a tally does not hold them.")
    reading = {option.name: options[option.name] for option in READING if option.name in options}
    samples = read_samples(list(paths), **reading, meta=True)
    table = samples.take([place for place, name in enumerate(samples.problems) if name in chosen]).table
    return {name: table[name].to_pylist() for name in table.column_names}
