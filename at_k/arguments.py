"""What the modules take: columns and options, with their types, texts, defaults and checks.

Each text stands here once. `make texts` writes the docstrings of the modules and the "Inputs" of the cards from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from at_k.estimators.consensus import CONFLICTS, TIES
from at_k.estimators.selection import SELECT
from at_k.grading import find_checker
from at_k.grading.verdicts import MISSING
from at_k.validation import (
    check_choice,
    check_flag,
    check_k,
    check_tau,
    check_threshold,
    is_number,
    is_sequence,
    shorten,
    type_name,
)

CONFIGS = ("default", "graded")
"""The configurations of a module: in "default" its predictions are answers, in "graded" they are grades."""

KEY_STYLES = ("standard", "plain")


@dataclass(frozen=True)
class Argument:
    """A column or an option of a module, as its documentation shows it.

    Attributes:
        name: its name.
        type: its type, in Markdown.
        text: its meaning, in Markdown, beginning with a small letter and ending with a full stop. `make texts` fills in
            `{default_k}` and `{plain_keys}`, which differ from metric to metric.
        default: the value that it has if it is not given; None for an argument without a default.
        check: a function that raises if a value is wrong for every data set.
    """

    name: str
    type: str
    text: str
    default: object = None
    check: Callable[[Any], object] = lambda _: None


def _optional(check: Callable[[Any], object]) -> Callable[[Any], object]:
    return lambda value: None if value is None else check(value)


def _check_score_weights(value: Any) -> None:
    if not is_sequence(value):
        raise TypeError(f"`score_weights` must be a list of numbers; got {shorten(value)} of type {type_name(value)}")
    for number in value:
        if not is_number(number):
            raise TypeError(f"`score_weights` must hold numbers; got {shorten(number)} of type {type_name(number)}")


def _check_tau(value: object) -> object:
    return check_tau(value, "thresholds")


COLUMNS = {
    argument.name: argument
    for argument in (
        Argument(
            "predictions",
            "`list[list[str]]`; graded: `list[list[float]]`",
            "the samples of each problem: a list of answers, or, in the configuration `graded`, a list of grades "
            "in [0, 1]. The number of samples n may differ from problem to problem.",
        ),
        Argument(
            "references",
            "`list[str]` or `list[list[str]]`",
            "the correct answer of each problem, or a list of acceptable ones. Not in the configuration `graded`. "
            "Optional beside `grades`.",
        ),
        Argument(
            "grades",
            "`list[list[float]]`",
            "a grade in [0, 1] for each sample, if the answers have been judged already. The grades then say which "
            "samples are correct, and `references` and `check_correct_fn` have no effect. A sample without a grade "
            "is missing. A sample with a grade and without an answer counts, but casts no vote. Not in the "
            "configuration `graded`. Optional.",
        ),
        Argument(
            "scores",
            "`list[list[float]]` or `list[list[list[float]]]`",
            "a finite number for each sample, or a list of d numbers for each sample. Needed in both configurations.",
        ),
    )
}
"""The columns that modules take."""

OPTIONS = {
    argument.name: argument
    for argument in (
        Argument(
            "k",
            "`int` or `list[int]`",
            "the number of draws, 1 ≤ k ≤ n, or a list of such numbers. If it is not given: {default_k}.",
            check=_optional(check_k),
        ),
        Argument(
            "thresholds",
            "`float`, `Fraction` or a list of them",
            "the share τ of the draws that must be correct, in [0, 1], or a list of such shares. A float stands "
            "for the decimal that it prints as; a `fractions.Fraction` is exact. Not to be confused with "
            "`threshold`.",
            (0.25, 0.5, 0.75, 1.0),
            _check_tau,
        ),
        Argument(
            "threshold",
            "`float`",
            "a sample is correct if its grade is above this number.",
            0.5,
            check_threshold,
        ),
        Argument(
            "ties",
            "`str`",
            'what happens if several answers have the most votes. `"random"`: each of them wins with the same '
            'chance, and the result is the expected value. `"first"`: the one that was drawn first wins; for k < n '
            'this gives the same number as `"random"`, and for k = n the given order decides. `"strict"`: the '
            'winner needs more than k/2 votes, else the draw counts as wrong. `"incorrect"`: a tie counts as '
            "wrong. If only grades are known, this option has no effect: more than half of the k samples must be "
            "correct.",
            "random",
            lambda value: check_choice("ties", value, TIES),
        ),
        Argument(
            "weights",
            "`list[list[float]]`",
            'a number ≥ 0 for each sample. The answer with the largest sum of weights wins; with `ties="strict"` '
            "it needs more than half of the weight that was drawn. Not in the configuration `graded`. Optional.",
        ),
        Argument(
            "on_conflict",
            "`str`",
            'what happens if equal answers of a problem have grades on both sides of `threshold`. `"error"`: an '
            'error names two such samples. `"majority"`: the answer is correct if more than half of its samples '
            "are.",
            "error",
            lambda value: check_choice("on_conflict", value, CONFLICTS),
        ),
        Argument(
            "select",
            "`str`",
            'how samples are compared that have d > 1 scores each; needed for such scores. `"weighted"`: by the '
            'sum of the scores, weighted by `score_weights`. `"lexicographic"`: by the first score; if it is '
            'equal, by the second, and so on. `"pareto"`: a sample beats another if it is at least as good in all '
            "scores and better in one; each drawn sample that no other drawn sample beats is chosen with the same "
            "chance.",
            check=_optional(lambda value: check_choice("select", value, SELECT)),
        ),
        Argument(
            "score_weights",
            "`list[float]`",
            'd numbers, the weights of the scores. Needed for `select="weighted"`, and only then.',
            check=_optional(_check_score_weights),
        ),
        Argument(
            "higher_is_better",
            "`bool`",
            "`False` for scores of which the lowest is the best, such as perplexity.",
            True,
            lambda value: check_flag("higher_is_better", value),
        ),
        Argument(
            "check_correct_fn",
            "`Callable[[str, str], bool | float]` or `str`",
            "a function that takes a prediction and a reference and returns a bool or a grade in [0, 1], or the "
            "name of a checker. The function is called once for each distinct answer of a problem and each of its "
            'references. `"exact_match"`: the texts are equal after white space is stripped from their ends.',
            "exact_match",
            find_checker,
        ),
        Argument(
            "missing",
            "`str`",
            'what happens to a missing sample (`None` or NaN). `"error"`: an error names it. `"incorrect"`: it '
            'counts as wrong. `"drop"`: it is removed, n becomes smaller, and a warning says so.',
            "error",
            lambda value: check_choice("missing", value, MISSING),
        ),
        Argument(
            "groups",
            "`list[str]` or `list[int]`",
            "one label for each problem. The result then also has the values of each group, under `{group}/{key}`. "
            "Optional.",
        ),
        Argument(
            "return_details",
            "`bool`",
            "whether the result has the entry `details`.",
            False,
            lambda value: check_flag("return_details", value),
        ),
        Argument(
            "key_style",
            "`str`",
            'the spelling of the keys. `"standard"`: as in papers. `"plain"`: for trackers that do not accept `@`, '
            "as in {plain_keys}.",
            "standard",
            lambda value: check_choice("key_style", value, KEY_STYLES),
        ),
    )
}
"""The options of all modules. A module ignores those of the other modules, so that `evaluate.combine` can pass the same
options to all of them."""

SHARED_OPTIONS = ("threshold", "check_correct_fn", "missing", "groups", "return_details", "key_style")
"""The options that all modules have. They say how samples are judged, and what is reported."""


def check_config(config_name: object) -> str:
    """Return the name of a configuration; "default" for None."""
    if config_name is None:
        return "default"
    if config_name not in CONFIGS:
        raise ValueError(f"`config_name` must be one of {', '.join(map(repr, CONFIGS))}; got {shorten(config_name)}")
    return str(config_name)


def check_options(options: Mapping[str, Any]) -> None:
    """Raise for an option that no module has, and for a value that is wrong for every data set.

    The options of all modules are checked, so that `evaluate.combine` fails before one of its modules has computed.
    """
    for name, value in options.items():
        if name not in OPTIONS:
            raise TypeError(f"Unknown option `{name}`; got {shorten(value)}. The options are {', '.join(OPTIONS)}")
        OPTIONS[name].check(value)


def refuse_unknown_columns(given: Mapping[str, object]) -> None:
    """Raise for a column that no module has."""
    for name, value in given.items():
        if name not in COLUMNS:
            raise TypeError(f"Unknown column `{name}`; got {shorten(value)}. The columns are {', '.join(COLUMNS)}")
