"""Give functions the options of the registry: signatures, docstrings, defaults and checks."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from textwrap import wrap
from typing import Any, TypeVar

from at_k import choices
from at_k.options.groups import OPTIONS
from at_k.options.option import Option
from at_k.options.reading import COLUMNS

Function = TypeVar("Function", bound=Callable[..., Any])


def takes(*groups: Mapping[str, Option]) -> Callable[[Function], Function]:
    """Give a function with `**options` a signature and a docstring that name every option of these groups."""
    options = {name: option for group in groups for name, option in group.items()}

    def declare(function: Function) -> Function:
        sign(function, options)
        return function

    return declare


def sign(function: Any, options: Mapping[str, Option]) -> None:
    """Let the signature and the docstring of a function name every option that it takes as `**options`."""
    signature = inspect.signature(function)
    own = [
        each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD and each.name not in options
    ]
    named = [
        inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=each.annotation)
        for each in options.values()
    ]
    function.__signature__ = signature.replace(parameters=[*own, *named])
    function.__doc__ = (function.__doc__ or "").replace(_PLACE, describe_options(options.values()), 1)
    function.options = options


_PLACE = "        given: see below.\n"
"""The line of a docstring that the descriptions of the options replace."""


def describe_options(options: Iterable[Option]) -> str:
    """Describe options as the "Args" of a docstring, a paragraph for each."""
    lines: list[str] = []
    for option in options:
        text = option.text.replace("{default_k}", "values that suit the metric")
        lines += wrap(f"{option.name}: {text}", 112, initial_indent=" " * 8, subsequent_indent=" " * 12)
    return "".join(f"{line}\n" for line in lines)


def complete(options: Mapping[str, Any], function: Any, of: str = "") -> dict[str, Any]:
    """Return all options of a function that `takes` some: those that are given, and the defaults of the others.

    Raises:
        TypeError: if there is no such option, or a value is of the wrong kind.
        ValueError: if a value is wrong for every data set.
    """
    known: Mapping[str, Option] = function.options
    check_options(options, known, of=of or function.__name__)
    return {name: options.get(name, option.default) for name, option in known.items()}


def check_options(given: Mapping[str, Any], known: Mapping[str, Option] = OPTIONS, *, of: str = "") -> None:
    """Raise for an option that is not known, and for a value that is wrong for every data set.

    By default the options of all modules are known, so that `evaluate.combine` fails before one of its modules has
    computed.
    """
    from at_k.validation import shorten

    for name, value in given.items():
        if of and name in ("answers", *COLUMNS):
            raise TypeError(f"`{name}` is a column of the data of `{of}`, and no option: give {{'{name}': …}}")
        if name not in known:
            place = f" of `{of}`" if of else ""
            near = difflib.get_close_matches(name, known, 1)
            guess = f"Did you mean `{near[0]}`? " if near else ""
            listed = ", ".join(known)
            raise TypeError(f"Unknown option `{name}`{place}; got {shorten(value)}. {guess}The options are {listed}")
        known[name].refuse_wrong(value)


def check_config(config_name: object) -> str:
    """Return the name of a configuration; "default" for None."""
    from at_k.validation import shorten

    if config_name is None:
        return "default"
    if config_name not in choices.CONFIGS:
        known = ", ".join(map(repr, choices.CONFIGS))
        raise ValueError(f"`config_name` must be one of {known}; got {shorten(config_name)}")
    return str(config_name)


def refuse_unknown_columns(given: Mapping[str, object]) -> None:
    """Raise for a column that no module has."""
    from at_k.validation import shorten

    for name, value in given.items():
        if name not in COLUMNS:
            raise TypeError(f"Unknown column `{name}`; got {shorten(value)}. The columns are {', '.join(COLUMNS)}")
