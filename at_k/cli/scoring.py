"""From the options of a command to a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from at_k.cli.options import (
    check_format,
    check_numbers,
    read_columns,
    read_draws,
    read_level,
    read_metrics,
    read_taus,
    read_where,
    refuse,
)

if TYPE_CHECKING:
    from at_k.report import Report


def make_report(
    paths: Sequence[str],
    *,
    metrics: Sequence[str] | None,
    k: Sequence[str] | None,
    tau: Sequence[str] | None,
    by: str | None,
    columns: Sequence[str] | None,
    where: Sequence[str] | None,
    pool: Sequence[str] | None,
    input_format: str | None,
    ci: str = "0.95",
    target: str = "population",
    clusters: str | None = None,
    ci_method: str = "beta",
    **options: Any,
) -> Report:
    """Read files and score them, and show meanwhile that work goes on; or load the report that was saved in a file.

    Args:
        paths: the files.
        metrics: the texts of `--metric`; this and the next seven as they are on the command line.
        k: the texts of `--k`.
        tau: the texts of `--tau`.
        by: the field to group by.
        columns: the texts of `--columns`.
        where: the texts of `--where`.
        pool: the columns to pool.
        input_format: the format of the files.
        ci: the text of `--ci`.
        target: that of `--target`.
        clusters: the field whose values are the clusters. Groups are then left out, unless `by` asks for them.
        ci_method: how intervals are made.
        options: other options of `at_k.score`, under their names there.

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
    named = read_columns(columns)
    if by is not None and "group" in named:
        raise refuse("--by", "Name the groups with --by or with --columns group=, not with both.")
    fields = {field for field in (by, clusters) if field not in (None, "none", "group")}
    if clusters in fields and ("group" in named or len(fields) > 1):
        raise refuse("--clusters", "The clusters are the groups. Say --clusters group if these are named already.")
    if fields:
        named["group"] = fields.pop()
    if target == "problem-set" and clusters is not None:
        raise refuse("--clusters", "There are no clusters with --target problem-set, whose problems are fixed.")
    if target == "problem-set" and ci_method == "bootstrap":
        raise refuse("--ci-method", "The bootstrap draws other problems; --target problem-set is about these.")
    arguments: dict[str, Any] = {
        "metrics": read_metrics(metrics),
        "k": read_draws(k),
        "thresholds": read_taus(tau),
        "groups": False if by == "none" or (by is None and clusters is not None) else None,
        "clusters": None if clusters is None else True,
        **read_reading(columns=named, where=where, pool=pool, input_format=input_format),
    }
    arguments = {name: value for name, value in arguments.items() if value is not None} | options
    arguments |= {"confidence_level": read_level(ci), "target": target.replace("-", "_"), "ci_method": ci_method}
    from at_k.arguments import JUDGING_OPTIONS

    check_numbers({name: arguments.get(name) for name in ("k", "thresholds", "ties", "on_conflict", *JUDGING_OPTIONS)})
    from at_k.cli.layout import name_source
    from at_k.report import score

    with show_work(f"Scoring {name_source(paths)}"):
        report = score(paths[0] if len(paths) == 1 else list(paths), **arguments)
    if by == "group" and report.labels is None:
        raise refuse("--by", "These results have no group. Name a column or field of the file.")
    return report


def read_reading(
    *,
    columns: Mapping[str, str | None],
    where: Sequence[str] | None,
    pool: Sequence[str] | None,
    input_format: str | None,
) -> dict[str, Any]:
    """Read the options that say how files are read, as `at_k.score` takes them."""
    return {
        "columns": columns or None,
        "where": read_where(where),
        "pool": list(pool or ()),
        "format": check_format(input_format),
    }
