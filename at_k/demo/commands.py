"""Write what a visitor types on a machine of their own for the numbers of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any

from at_k.integrations.scripts import list_parts, write_command, write_lines
from at_k.options.registry import PILOT
from at_k.report import Report


def write_score(report: Report, paths: Sequence[str]) -> str | None:
    """Write the command that scores the same, with groups if the report has some."""
    options = dict(report.options)
    if not isinstance(options.pop("groups", None), (bool, NoneType)):
        return None  # labels, and no column
    if report.groups:
        columns = dict(options.pop("columns", None) or {})
        options["groups"] = columns.pop("group", None) or "group"
        options |= {"columns": columns} if columns else {}
    return write_command("score", paths, options)


def write_comparison(reports: Sequence[Report], paths: Sequence[Sequence[str]], options: Mapping[str, Any]) -> str:
    """Write the command that compares the same, or Python lines where the models are scored in different ways."""
    (first, second), k = (dict(report.options) for report in reports), [each.k for each in reports]
    for own in (first, second):
        for name in ("groups", "confidence_level", "target", "k"):  # those of the comparison are others
            own.pop(name, None)
    files = [*dict.fromkeys((*paths[0], *paths[1]))]
    one_each = len(paths[0]) == len(paths[1]) == 1
    if one_each and len(files) == 1 and first.get("where") != second.get("where"):
        chosen = [{name: list_parts(value) for name, value in (own.pop("where", None) or {}).items()}
                  for own in (first, second)]  # fmt: skip
        differ = [name for name in chosen[0] if chosen[0][name] != chosen[1].get(name)]
        one_each = chosen[0].keys() == chosen[1].keys() and len(differ) == 1
        one_each = one_each and all(len(own[differ[0]]) == 1 and isinstance(own[differ[0]][0], str) for own in chosen)
        if one_each:
            first["where"] = second["where"] = {**chosen[0], differ[0]: [own[differ[0]][0] for own in chosen]}
    else:
        files = [path for side in paths for path in side]
    if one_each and first == second:
        common = {"k": [each for each in k[0] if each in k[1]]}
        command = write_command("compare", files, {**first, **common, **options})
        if command is not None:
            return command
    return _write_use("compared", "compare", dict(zip("ab", zip(reports, paths, strict=True), strict=True)), options)


def write_plan(report: Report, paths: Sequence[str], options: Mapping[str, Any]) -> str:
    """Write the command that plans the same, or Python lines where several files are one pilot."""
    own = {name: value for name, value in report.options.items() if name in PILOT}
    command = write_command("plan", paths, {**options, **own}) if len(paths) == 1 else None
    return command or _write_use("plan", "plan", {"pilot": (report, paths)}, options)


def _write_use(
    name: str, function: str, reports: Mapping[str, tuple[Report, Sequence[str]]], options: Mapping[str, Any]
) -> str:
    arguments = [*reports, *(f"{option}={value!r}" for option, value in options.items() if value is not None)]
    sources = {
        called: (report, paths[0] if len(paths) == 1 else list(paths)) for called, (report, paths) in reports.items()
    }
    return write_lines(sources, f"{name} = at_k.{function}({', '.join(arguments)})\nprint({name})")
