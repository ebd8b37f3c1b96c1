"""Write the Python lines that compute a report again."""

from __future__ import annotations

from fractions import Fraction
from keyword import iskeyword
from re import Pattern
from typing import Any

from at_k.grading import Checker
from at_k.report.data import Numbers


def write_script(report: Numbers, source: str | list[str] | None = None) -> str:
    """Write the Python lines that give the same numbers."""
    source = report.source if source is None else source
    lines = ["import at_k"]
    if any(isinstance(part, Fraction) for value in report.options.values() for part in _parts(value)):
        lines = ["from fractions import Fraction", "", *lines]
    if any(isinstance(value, Pattern) for value in report.options.values()):
        lines = ["import re", "", *lines]
    functions = {name: name_function(value, name) for name, value in report.options.items() if _is_function(value)}
    lines += [
        "",
        *(f"# `{function}` is the function that was given as `{name}`" for name, function in functions.items()),
    ]
    if source is None:
        lines.append("# `data` is the data set that the report was made from")
    arguments = [repr(source) if source is not None else "data"]
    arguments += [f"{name}={functions.get(name) or repr(value)}" for name, value in report.options.items()]
    call = f"report = at_k.score({', '.join(arguments)})"
    if len(call) > 100:
        call = "report = at_k.score(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"
    return "\n".join([*lines, call, "print(report)"]) + "\n"


def _is_function(value: Any) -> bool:
    """Return whether a value is a function, which has no spelling. A checker has one."""
    return callable(value) and not isinstance(value, Checker)


def _parts(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def name_function(function: Any, option: str) -> str:
    """Name a function as the script can: a lambda, which has no name, by the option."""
    name = str(getattr(function, "__name__", type(function).__name__))
    return name if name.isidentifier() and not iskeyword(name) else option
