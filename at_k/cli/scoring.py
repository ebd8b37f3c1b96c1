"""From the options of a command to a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from at_k.cli.options import refuse
from at_k.readers.paths import name_models

if TYPE_CHECKING:
    from at_k.report import Report
    from at_k.report.models import Models


def make_report(
    paths: Sequence[str],
    *,
    groups: str | None = "none",
    clusters: str | None = None,
    columns: dict[str, str | None] | None = None,
    **options: Any,
) -> Report:
    """Read files and score them, and show meanwhile that work goes on; or load the report that was saved in a file.

    Args:
        paths: the files.
        groups: the field to group by; "none" for no groups.
        clusters: the field whose values are the clusters. Groups are then left out, unless `groups` asks for them.
        columns: what columns are called.
        options: other options of `at_k.score`.

    Raises:
        typer.BadParameter: if an option is wrong, whatever the files hold.
        InputError: if the files cannot be used.
        OSError: if a file cannot be opened.
    """
    from at_k.cli.terminal import show_work
    from at_k.report.report import find_report

    saved = find_report(paths[0]) if len(paths) == 1 else None
    if saved is not None:
        return saved
    named = dict(columns or {})
    if groups not in (None, "none") and "group" in named:
        raise refuse("--by", "Name the groups with --by or with --columns group=, not with both.")
    fields = {field for field in (groups, clusters) if field not in (None, "none", "group")}
    if clusters in fields and ("group" in named or len(fields) > 1):
        raise refuse("--clusters", "The clusters are the groups. Say --clusters group if these are named already.")
    if fields:
        named["group"] = fields.pop()
    if options.get("target") == "problem_set" and clusters is not None:
        raise refuse("--clusters", "There are no clusters with --target problem-set, whose problems are fixed.")
    if options.get("target") == "problem_set" and options["ci_method"] == "bootstrap":
        raise refuse("--ci-method", "The bootstrap draws other problems; --target problem-set is about these.")
    from at_k.cli.layout import name_source
    from at_k.report import score

    by_group = None if groups != "none" and (groups is not None or clusters is None) else False
    source = paths[0] if len(paths) == 1 else list(paths)
    with show_work(f"Scoring {name_source(paths)}"):
        report = score(
            source, groups=by_group, clusters=None if clusters is None else True, columns=named or None, **options
        )
    if groups == "group" and report.labels is None:
        raise refuse("--by", "These results have no group. Name a column or field of the file.")
    return report


def make_models(paths: Sequence[str], *, where: Mapping[str, list[str]] | None = None, **options: Any) -> Models:
    """Score several models, each as `make_report` does.

    Args:
        paths: a file for each model; or one file, where `where` has several values of a column.
        where: column → the values of the rows to read.
        options: as of `make_report`.
    """
    from at_k.report.models import Models

    models = list_models(paths, where or {})
    return Models({name: make_report([path], where=own or None, **options) for name, (path, own) in models.items()})


def list_models(paths: Sequence[str], where: Mapping[str, list[str]]) -> dict[str, tuple[str, dict[str, list[str]]]]:
    """List the models: name → its file, and which of its rows are read.

    Raises:
        typer.BadParameter: if there is one model alone.

    Examples:
        >>> list_models(["r.csv"], {"model": ["a", "b"], "split": ["test"]})["model=a"]
        ('r.csv', {'model': ['a'], 'split': ['test']})
    """
    if len(paths) > 1:
        return {name: (path, dict(where)) for name, path in zip(name_models(paths), paths, strict=True)}
    several = [(column, values) for column, values in where.items() if len(set(values)) > 1]
    if len(several) != 1:
        raise refuse(
            "FILE",
            "Give the files of at least two models; or one file, and for each model in it --where with a value of the "
            "same column: --where model=a --where model=b",
        )
    column, values = several[0]
    return {f"{column}={value}": (paths[0], {**where, column: [value]}) for value in values}
