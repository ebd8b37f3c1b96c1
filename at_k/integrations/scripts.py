"""Write the Python lines, and the commands, that compute the same again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from keyword import iskeyword
from re import Pattern
from shlex import quote
from types import NoneType
from typing import Any

from at_k.grading import Checker
from at_k.options.registry import COMPARING, PILOT, PLANNING, SCORING
from at_k.report import Report
from at_k.report.data import Numbers

_OPTIONS = {**PLANNING, **COMPARING, **SCORING}
_OF_PYTHON = ("select", "score_weights", "higher_is_better", "seed")  # no command has them


def write_script(report: Numbers, source: str | list[str] | None = None) -> str:
    """Write the Python lines that give the same numbers."""
    return _write_lines({"report": (report, report.source if source is None else source)}, "print(report)")


def _write_lines(reports: Mapping[str, tuple[Numbers, str | list[str] | None]], last: str) -> str:
    """Write the lines that score each report under its name, and the line that uses them."""
    lines = ["import at_k"]
    options = {name: value for report, _ in reports.values() for name, value in report.options.items()}
    if any(isinstance(part, Fraction) for value in options.values() for part in _parts(value)):
        lines = ["from fractions import Fraction", "", *lines]
    if any(isinstance(value, Pattern) for value in options.values()):
        lines = ["import re", "", *lines]
    functions = {name: name_function(value, name) for name, value in options.items() if _is_function(value)}
    lines += [
        "",
        *(f"# `{function}` is the function that was given as `{name}`" for name, function in functions.items()),
    ]
    if any(source is None for _, source in reports.values()):
        lines.append("# `data` is the data set that the report was made from")
    for called, (report, source) in reports.items():
        arguments = [repr(source) if source is not None else "data"]
        arguments += [f"{name}={functions.get(name) or repr(value)}" for name, value in report.options.items()]
        call = f"{called} = at_k.score({', '.join(arguments)})"
        if len(call) > 100:
            call = f"{called} = at_k.score(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"
        lines.append(call)
    return "\n".join([*lines, last]) + "\n"


def write_command(name: str, paths: Sequence[str], options: Mapping[str, Any]) -> str | None:
    """Write the command with these options; None if the command does not have one of them.

    Examples:
        >>> print(write_command("score", ["my file.csv"], {"k": [1, 4], "columns": {"grades": "ok"}, "concat": True}))
        at-k score 'my file.csv' --k 1,4 --columns grades=ok --concat
    """
    if any(option in _OF_PYTHON or _is_function(value) for option, value in options.items()):
        return None
    parts = ["at-k", name, *map(quote, paths)]
    for option, value in options.items():
        flag = _OPTIONS[option].spelling
        if value is True:
            parts.append(flag)
        elif isinstance(value, Mapping):
            pairs = []
            for column, wanted in value.items():
                sign, each = ("!=", wanted["!="]) if isinstance(wanted, Mapping) else ("=", wanted)
                pairs += [f"{column}{sign}{'' if part is None else part}" for part in _parts(each)]
            for text in [",".join(pairs)] if option == "columns" else pairs:
                parts += [flag, quote(text)]
        elif option == "pool":
            parts += [word for column in _parts(value) for word in (flag, quote(column))]
        elif value is not False and value is not None:
            text = ",".join(map(str, _parts(value)))
            parts += [flag, quote(text.replace("_", "-") if option == "target" else text)]
    return " ".join(parts)


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
        chosen = [{name: _parts(value) for name, value in (own.pop("where", None) or {}).items()}
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
    return _write_lines(sources, f"{name} = at_k.{function}({', '.join(arguments)})\nprint({name})")


def _is_function(value: Any) -> bool:
    """Return whether a value is a function, which has no spelling. A checker has one."""
    return callable(value) and not isinstance(value, Checker)


def _parts(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def name_function(function: Any, option: str) -> str:
    """Name a function as the script can: a lambda, which has no name, by the option."""
    name = str(getattr(function, "__name__", type(function).__name__))
    return name if name.isidentifier() and not iskeyword(name) else option
