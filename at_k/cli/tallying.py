"""Count the problems of files, one file at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from at_k.cli.options import refuse


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
    """Count the problems of files, and write their sum.

    A file is gone before the next one is read, so that memory does not grow with their number.

    Args:
        paths: files, folders and patterns, and tallies that were saved.
        out: the file to write; "-" for standard output.
        by_problem: whether problems are kept by their names.
        groups: the field to group by; "none" for no groups.
        columns: what columns are called.
        concat: whether the files hold different problems, even those of one name.
        options: other options of `at_k.Tally.of`.

    Raises:
        typer.BadParameter: if an option is wrong, whatever the files hold.
        InputError: if the files cannot be used.
        OSError: if a file cannot be opened, or written.
    """
    import typer

    from at_k.cli.output import check_targets, say_written
    from at_k.cli.terminal import show_work
    from at_k.readers.paths import find_files
    from at_k.report import Tally
    from at_k.report.tally_scoring import find_tally

    if out != "-":
        if not out.lower().endswith(".json"):
            raise refuse("--out", f"The name must end in .json; got {out!r}.")
        check_targets(paths, out=out)
    if groups not in (None, "none", "group"):
        columns = {**(columns or {}), "group": groups}
    total = Tally(by_problem=by_problem)
    for path in find_files(list(paths))[0]:
        with show_work(f"Counting {path.name}"):
            found = find_tally(path) or Tally.of(
                path, by_problem=by_problem, columns=columns, groups=False if groups == "none" else None, **options
            )
            total += replace(found, names=()) if concat else found
    if out == "-":
        typer.echo(total.to_json())
    else:
        total.save(out)
        say_written(out)
