"""Groups of options that go together, and their reading: checked, completed, refused with the nearest name."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from textwrap import wrap
from typing import Any, TypeVar

from at_k.options.judging import JUDGING, ROWS
from at_k.options.numbers import GROUPS, INTERVALS, NUMBERS, SHOWN
from at_k.options.option import CONFIGS, READ, Option, by_name, check_with
from at_k.options.reading import COLUMNS, READING

SHARED = (*JUDGING, ROWS, GROUPS, *INTERVALS, *SHOWN)

OPTIONS = by_name(*NUMBERS[1:], *SHARED)
"""The options of all modules. A module ignores those of the other modules, so that `evaluate.combine` can pass the same
options to all of them."""

JUDGING_OPTIONS = tuple(option.name for option in JUDGING)
SHARED_OPTIONS = tuple(option.name for option in SHARED)
"""The options that all modules have. They say how samples are judged, and what is reported."""

SEED = Option("seed", "int", "the seed of simulations.", 0, check=check_with("at_k.validation:check_seed"))

LEVEL = replace(
    OPTIONS["confidence_level"],
    text="the level of the intervals.",
    default=0.95,
    flag="--ci",
    metavar="X",
    help="The confidence level.",
)

SCORING = by_name(
    *(option for option in NUMBERS if option.name != "weights"),
    *JUDGING,
    replace(
        GROUPS,
        type="list[str] | list[int] | bool",
        text="one label for each problem, or False for no groups; by default the column `group`.",
        flag="--by",
        metavar="FIELD",
        short=True,
        help="The column, or field of the metadata, whose values are the groups; none for no groups.",
        group=READ,
    ),
    replace(
        LEVEL,
        type="float | None",
        text="the level of the intervals; None for none.",
        metavar="LEVEL",
        help="The confidence level of the intervals, or none.",
    ),
    INTERVALS[1],
    replace(
        OPTIONS["clusters"],
        type="list[str] | list[int] | bool",
        text="one label for each problem, where problems come in groups that resemble each other; or True for the "
        "groups.",
        metavar="FIELD",
        help="The column, or field of the metadata, whose values say which problems resemble each other; group for "
        "the groups.",
    ),
    INTERVALS[3],
    *READING,
    SEED,
    Option(
        "audited",
        "str",
        "a further column of verdicts, by a better judge, for all samples of some problems that were drawn at random; "
        "or a sheet, .csv, that `at-k select --audit` has drawn and a person has filled in. Each number then also has "
        "`{key}_audited`, the value that this judge would give. Optional.",
        metavar="COLUMN",
        group=READ,
    ),
)
"""The options of `at_k.score`."""

_NOT_COMPARED = {"groups", "seed", "audited", *(option.name for option in INTERVALS)}
SCORED = {name: option for name, option in SCORING.items() if name not in _NOT_COMPARED}
"""Options that change the values of problems. They are for data that are not scored yet."""

PILOT = by_name(*JUDGING, *READING)
"""The options that say which counts a pilot has."""

_COUNTED = ("groups", "on_conflict", "select", "score_weights", "higher_is_better", "seed")
TALLYING = by_name(
    Option(
        "by_problem",
        "bool",
        "whether to keep problems by their names, so that samples can be added to them.",
        False,
        short=True,
    ),
    *JUDGING,
    *(SCORING[name] for name in _COUNTED),
    *READING,
)
"""The options of `at_k.Tally.of`: those that act on samples, which a tally does not keep."""


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
    """Return all options of a function that `takes` some: those that are given, and the defaults of the others."""
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
    if config_name not in CONFIGS:
        known = ", ".join(map(repr, CONFIGS))
        raise ValueError(f"`config_name` must be one of {known}; got {shorten(config_name)}")
    return str(config_name)


def refuse_unknown_columns(given: Mapping[str, object]) -> None:
    """Raise for a column that no module has."""
    from at_k.validation import shorten

    for name, value in given.items():
        if name not in COLUMNS:
            raise TypeError(f"Unknown column `{name}`; got {shorten(value)}. The columns are {', '.join(COLUMNS)}")
