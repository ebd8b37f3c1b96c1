"""Write the Python lines, and the commands, that compute the same again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from keyword import iskeyword
from re import Pattern
from shlex import quote
from typing import Any

from at_k.grading import Checker
from at_k.options.registry import COMPARING, OF_PYTHON, PLANNING, SCORING
from at_k.report.data import Numbers
from at_k.validation import list_parts

_OPTIONS = {**PLANNING, **COMPARING, **SCORING}


def write_script(report: Numbers, source: str | list[str] | None = None) -> str:
    """Write the Python lines that give the same numbers."""
    return write_lines({"report": (report, report.source if source is None else source)}, "print(report)")


def write_lines(reports: Mapping[str, tuple[Numbers, str | list[str] | None]], last: str) -> str:
    """Write the lines that score each report under its name, and the line that uses them."""
    lines = ["import at_k"]
    options = {name: value for report, _ in reports.values() for name, value in report.options.items()}
    for kind, line in ((Fraction, "from fractions import Fraction"), (Pattern, "import re")):
        if any(isinstance(part, kind) for value in options.values() for part in list_parts(value)):
            lines = [line, "", *lines]
    functions = {name: name_function(value, name) for name, value in options.items() if _is_function(value)}
    lines.append("")
    lines += [f"# `{function}` is the function that was given as `{name}`" for name, function in functions.items()]
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
    if any(option in OF_PYTHON or _is_function(value) for option, value in options.items()):
        return None
    parts = ["at-k", name, *map(quote, paths)]
    for option, value in options.items():
        flag, texts = _OPTIONS[option].spelling, list[str]()
        if isinstance(value, Mapping):
            for column, wanted in value.items():
                sign, each = ("!=", wanted["!="]) if isinstance(wanted, Mapping) else ("=", wanted)
                texts += [f"{column}{sign}{'' if part is None else part}" for part in list_parts(each)]
            texts = [",".join(texts)] if option == "columns" else texts
        elif option == "pool":
            texts = list_parts(value)
        elif value is not None and not isinstance(value, bool):
            text = ",".join(map(str, list_parts(value)))
            texts = [text.replace("_", "-") if option == "target" else text]
        parts += [flag] * (value is True) + [word for text in texts for word in (flag, quote(text))]
    return " ".join(parts)


def _is_function(value: Any) -> bool:
    """Return whether a value is a function, which has no spelling. A checker has one."""
    return callable(value) and not isinstance(value, Checker)


def name_function(function: Any, option: str) -> str:
    """Name a function as the script can: a lambda, which has no name, by the option."""
    name = str(getattr(function, "__name__", type(function).__name__))
    return name if name.isidentifier() and not iskeyword(name) else option
