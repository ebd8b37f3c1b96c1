"""Commands and lines of Python that compute the numbers of a page on the machine of a visitor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any

from at_k.demo.given import EXAMPLES, Given
from at_k.options.registry import PILOT
from at_k.report import Report
from at_k.report.report import write_command, write_lines
from at_k.validation import list_parts

# Options of a report that a comparison has in ways of its own.
_OWN = ("groups", "confidence_level", "target", "k")


def name_paths(files: Given, example: object, default: str = "results.jsonl") -> list[str]:
    """Name the files as the machine of a visitor has them."""
    if example is not None:
        return [f"examples/data/{EXAMPLES[str(example)]}"]
    return [file.name or default for file in files.files]


def name_sides(a: Given, b: Given) -> list[list[str]]:
    """Name the files of both models: one name for the same file, and folders for others of one name."""
    if a.files == b.files:
        return [name_paths(a, None)] * 2
    paths = [name_paths(a, None, "a.jsonl"), name_paths(b, None, "b.jsonl")]
    if set(paths[0]).isdisjoint(paths[1]):
        return paths
    return [[f"a/{path}" for path in paths[0]], [f"b/{path}" for path in paths[1]]]


def write_score(report: Report, paths: Sequence[str]) -> str | None:
    """Write the command that scores the same, with groups if the report has some."""
    options = dict(report.options)
    if not isinstance(options.pop("groups", None), (bool, NoneType)):
        return None  # labels, and no column
    if report.groups:
        columns = dict(options.pop("columns", None) or {})
        options["groups"] = columns.pop("group", None) or "group"
        if columns:
            options["columns"] = columns
    return write_command("score", paths, options)


def write_plan(report: Report, paths: Sequence[str], options: Mapping[str, Any]) -> str:
    """Write the command that plans the same, or Python lines where several files are one pilot."""
    own = {name: value for name, value in report.options.items() if name in PILOT}
    command = None
    if len(paths) == 1:
        command = write_command("plan", paths, {**options, **own})
    return command or _write_use("plan", {"pilot": (report, paths)}, options)


def write_comparison(
    reports: Sequence[Report], paths: Sequence[Sequence[str]], options: Mapping[str, Any]
) -> str:
    """Write the command that compares the same, or Python lines where the models are scored in different ways."""
    first, second = map(_leave_own, reports)
    files = [*paths[0], *paths[1]]
    chosen = _join_conditions(first.get("where") or {}, second.get("where") or {})
    if paths[0] == paths[1] and chosen:
        files = [*paths[0]]
        first["where"] = second["where"] = chosen
    common = {"k": [k for k in reports[0].k if k in reports[1].k]}
    command = None
    if first == second and len(paths[0]) == len(paths[1]) == 1:
        command = write_command("compare", files, {**first, **common, **options})
    sources = dict(zip("ab", zip(reports, paths, strict=True), strict=True))
    return command or _write_use("compare", sources, options)


def _leave_own(report: Report) -> dict[str, Any]:
    return {name: value for name, value in report.options.items() if name not in _OWN}


def _join_conditions(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, list[str]]:
    """Join conditions that choose two models of one file; nothing for other conditions."""
    if len(a) != 1 or a.keys() != b.keys():
        return {}
    (column,) = a
    values = [*list_parts(a[column]), *list_parts(b[column])]
    are_names = all(isinstance(value, str) for value in values)
    return {column: values} if len(set(values)) == len(values) == 2 and are_names else {}


def _write_use(
    function: str,
    reports: Mapping[str, tuple[Report, Sequence[str]]],
    options: Mapping[str, Any],
) -> str:
    """Write Python lines that score reports and give them to a function."""
    arguments = [*reports]
    arguments += [f"{option}={value!r}" for option, value in options.items() if value is not None]
    sources: dict[str, tuple[Report, str | list[str] | None]] = {}
    for called, (report, paths) in reports.items():
        sources[called] = report, paths[0] if len(paths) == 1 else list(paths)
    call = f"found = at_k.{function}({', '.join(arguments)})"
    return write_lines(sources, f"{call}\nprint(found)")
