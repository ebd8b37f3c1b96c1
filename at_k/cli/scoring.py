"""Score, tally, select from and convert files, and list the formats that are read."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from at_k.cli import options
from at_k.cli.options import read_name, refuse
from at_k.cli.output import Line, check_out, make_console, print_lines, say_written, show_work
from at_k.errors import quote_word
from at_k.readers.files.paths import name_models
from at_k.readers.formats import FORMATS
from at_k.readers.names import ROLE
from at_k.results.writers import wrap

if TYPE_CHECKING:
    from at_k.report import Report
    from at_k.report.scoring import Models


def make_report(
    paths: Sequence[str],
    *,
    groups: str | None = "none",
    clusters: str | None = None,
    columns: dict[str, str | None] | None = None,
    **options: Any,
) -> Report:
    """Read files and score them, and show meanwhile that work goes on; or load the report that was saved in a file."""
    from at_k.report.report import find_report

    saved = find_report(paths[0]) if len(paths) == 1 else None
    if saved is not None:
        return saved
    named = dict(columns or {})
    if groups not in (None, "none") and "group" in named:
        raise refuse("--by", "Name the groups with --by or with --columns group=, not with both.")
    fields = {field for field in (groups, clusters) if field not in (None, "none", "group")}
    if clusters in fields and ("group" in named or len(fields) > 1):
        raise refuse(
            "--clusters",
            "The clusters are the groups. Say --clusters group if these are named already.",
        )
    if fields:
        named["group"] = fields.pop()
    if options.get("target") == "problem_set" and clusters is not None:
        raise refuse(
            "--clusters",
            "There are no clusters with --target problem-set, whose problems are fixed.",
        )
    from at_k.report import score
    from at_k.report.grid import describe_source

    by_group = None if groups != "none" and (groups is not None or clusters is None) else False
    source = paths[0] if len(paths) == 1 else list(paths)
    with show_work(f"Scoring {describe_source(paths)}"):
        report = score(
            source,
            groups=by_group,
            clusters=None if clusters is None else True,
            columns=named or None,
            **options,
        )
    if groups == "group" and report.labels is None:
        raise refuse("--by", "These results have no group. Name a column or field of the file.")
    return report


def make_models(
    paths: Sequence[str], *, where: Mapping[str, list[str]] | None = None, **options: Any
) -> Models:
    """Score several models, each as `make_report` does."""
    from at_k.report.scoring import Models

    models = list_models(paths, where or {})
    return Models(
        {
            name: make_report([path], where=chosen or None, **options)
            for name, (path, chosen) in models.items()
        }
    )


def list_models(
    paths: Sequence[str], where: Mapping[str, list[str]]
) -> dict[str, tuple[str, dict[str, list[str]]]]:
    """List the models: name → its file, and which of its rows are read.

    Examples:
        >>> list_models(["r.csv"], {"model": ["a", "b"], "split": ["test"]})["model=a"]
        ('r.csv', {'model': ['a'], 'split': ['test']})
    """
    named = [getattr(path, "name", "") for path in paths]
    if len(paths) > 1 or any(named):
        names = named
        if not any(named):
            names = name_models(paths)
        return {name: (str(path), dict(where)) for name, path in zip(names, paths, strict=True)}
    several = [(column, values) for column, values in where.items() if len(set(values)) > 1]
    if len(several) != 1:
        raise refuse(
            "FILE",
            "Give the files of at least two models; or one file, and for each model in it --where with a value of the "
            "same column: --where model=a --where model=b",
        )
    column, values = several[0]
    return {f"{column}={value}": (paths[0], {**where, column: [value]}) for value in values}


def print_selection(paths: Sequence[str], condition: str, *, form: str, **options: Any) -> None:
    """Print the names of the problems whose values meet a condition, or a line of JSON for each."""
    import typer

    from at_k.report.report import read_condition

    keys = [str(bound.key) for bound in read_condition(condition)]
    wanted = list(dict.fromkeys("avg@n" if key.startswith("avg@") else key for key in keys))
    report = make_report(
        paths, **options, metrics=wanted, confidence_level=None, target="population"
    )
    names = report.select(condition)
    lines = names
    if form == "jsonl":
        chosen = set(names)
        table = report.per_problem
        listed = (dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True))
        plain = not _has_every_sign()
        lines = [json.dumps(row, ensure_ascii=plain) for row in listed if row["problem"] in chosen]
    for line in lines:
        typer.echo(line)
    if not names:
        typer.echo(f"No problem meets the condition {condition!r}.", err=True)


def print_audit(paths: Sequence[str], count: int, seed: int, **options: Any) -> None:
    """Print the sheet of an audit: a row for each sample of the drawn problems, with a place for a verdict."""
    import csv
    import sys

    from at_k.report.audit import SHEET, draw_sheet

    report = make_report(
        paths, **options, metrics="avg_at_n", confidence_level=None, target="population"
    )
    answers = report.samples[0].answers
    if answers is None:
        texts = [[None] * n for n in report.n]
    else:
        texts = answers.listed()
    csv.writer(sys.stdout, lineterminator="\n").writerows(
        [SHEET, *draw_sheet(report.problems, texts, count, seed)]
    )


def count_files(
    paths: Sequence[str],
    *,
    out: str,
    by_problem: bool,
    groups: str | None = None,
    columns: dict[str, str | None] | None = None,
    concat: bool = False,
    **options: Any,
) -> None:
    """Count the problems of files, and write their sum."""
    # A file is gone before the next one is read, so that memory does not grow with their number.
    import typer

    from at_k.readers.files.paths import find_files
    from at_k.report import Tally
    from at_k.report.tally_scoring import find_tally

    if out != "-":
        if not out.lower().endswith(".json"):
            raise refuse("--out", f"The name must end in .json; got {out!r}.")
        check_out(paths, out)
    if groups not in (None, "none", "group"):
        columns = {**(columns or {}), "group": groups}
    total = Tally(by_problem=by_problem)
    for path in find_files(list(paths))[0]:
        with show_work(f"Counting {path.name}"):
            tally = find_tally(path) or Tally.of(
                path,
                by_problem=by_problem,
                columns=columns,
                groups=False if groups == "none" else None,
                **options,
            )
            if concat:
                total += replace(tally, hashes=b"")
            else:
                total += tally
    if out == "-":
        typer.echo(json.dumps(json.loads(total.to_json()), ensure_ascii=not _has_every_sign()))
    else:
        total.save(out)
        say_written(out)


def _has_every_sign() -> bool:
    """Return whether standard output takes every sign; else JSON has escapes."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")


# Option → what readers call its value.
_SUBJECTS = {"--model": ("model",), "--dataset": ("dataset", "task", "evaluation", "benchmark")}


def convert_files(
    paths: Sequence[str],
    *,
    out: str,
    model: str | None = None,
    dataset: str | None = None,
    **options: Any,
) -> None:
    """Score files, and write the records of Every Eval Ever below a folder."""
    from at_k.integrations.every_eval_ever import save_records

    report = make_report(paths, **options)
    subject = {} if report.origin is None else report.origin.subject
    names = {}
    for option, chosen in (("--model", model), ("--dataset", dataset)):
        name = chosen or next(
            (subject[field] for field in _SUBJECTS[option] if subject.get(field)), None
        )
        if name is None:
            raise refuse(
                option, f"The files do not say which {option[2:]} they are of. Give its name."
            )
        names[option[2:]] = name
    say_written(str(save_records(report, out, **names)))


def print_formats(name: str | None) -> None:
    """Print a format, with a line to copy, or all: the usual name of their files, and how to get n samples."""
    console = make_console()
    lines = list[Line]()
    for known in (
        FORMATS.values()
        if name is None
        else [FORMATS[read_name("NAME", "format", options.FORMATS, name)]]
    ):
        facts = {"file": known.file, "samples": known.samples}
        if name is not None:
            if known.name == "plain":
                facts |= {role: ", ".join(names) for role, names in ROLE.items()}
            example = re.sub(r"\{\w+\}", "*", known.file.split(", ")[0])
            facts["score"] = f"at-k score {quote_word(example)}"
        lines.append([(known.name, "bold"), (f" · {known.title}", "")])
        for fact, text in facts.items():
            first, *rest = wrap(text, console.width, " " * 13, " " * 13, whole=True)
            lines += [
                [(f"  {fact:11}", "dim"), (first.strip(), "")],
                *([(line, "")] for line in rest),
            ]
    if name is None:
        foot = "A file is recognised by its content, and --input-format NAME overrides that. More: `at-k formats NAME`."
        lines += [[], *([(line, "")] for line in wrap(foot, console.width, whole=True))]
    print_lines(lines, console)
