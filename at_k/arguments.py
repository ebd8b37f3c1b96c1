"""What the modules take: columns and options, with their types, texts, defaults and checks.

Each text stands here once. `make texts` writes the docstrings of the modules and the "Inputs" of the cards from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from at_k.estimators.consensus import CONFLICTS, TIES
from at_k.estimators.selection import SELECT
from at_k.grading import find_checker, find_equivalence, find_extraction
from at_k.grading.verdicts import MISSING
from at_k.grading.workers import TIMEOUT, check_num_workers, check_timeout
from at_k.uncertainty.checks import check_fraction
from at_k.uncertainty.intervals import METHODS
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

TARGETS = ("population", "problem_set")
"""What an interval is about: other problems like these, or other samples of these very problems."""

CI_METHODS = (*METHODS, "bootstrap")


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
    default: Any = None
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
            "extract_fn",
            "`str` or `Callable[[str], str | None]`",
            "the rule that finds the answer in each prediction, before anything is compared. A sample in which "
            'it finds none is wrong, and casts no vote. `"boxed"`: the content of the last LaTeX box. '
            '`"last_number"`: the last number. `"choice"`: the option letter that the text settles on. '
            '`"final_answer"`: what follows the last `####`, "The answer is", "Answer:" or 答案是. `"code"`: the '
            'program in a fence of Markdown, or the whole text. `"text"`: the whole text, stripped. Any other string '
            "is a regular expression, and must have one group, or a group called `answer`; its last match counts. A "
            "function returns the answer, or `None`. By default, the prediction itself is the answer.",
            check=find_extraction,
        ),
        Argument(
            "extract_reference",
            "`str` or `Callable[[str], str | None]`",
            "the rule that finds the answer in each reference, as `extract_fn` does in predictions; a reference "
            "without an answer is an error. By default, `extract_fn` is applied to references too, and a reference in "
            "which it finds nothing is used as it is.",
            check=lambda value: find_extraction(value, "extract_reference"),
        ),
        Argument(
            "equivalence",
            "`str` or `Callable[[str, str], bool]`",
            'which answers are the same. They vote together and are judged together, once. `"exact"`: those with equal '
            'texts. `"numeric"`: also equal numbers, such as 0.5, ½, 1/2 and 50%. `"math"`: also equivalent '
            'expressions, by Math-Verify. `"quasi_exact"` and `"choice"`: as the checkers of these names compare them. '
            "A function takes two answers and returns a bool. If it accepts a and b, and b and c, all three are the "
            "same. The most frequent spelling stands for all; if a reference is among the spellings, it is the one "
            "that is judged.",
            "exact",
            find_equivalence,
        ),
        Argument(
            "check_correct_fn",
            "`Callable[[str, str], bool | float]` or `str`",
            "a function that takes a prediction and a reference and returns a bool or a grade in [0, 1], or the "
            "name of a checker, or a checker with parameters, such as `at_k.checkers.numeric(rel_tol=1e-3)`. It is "
            "called once for each distinct answer and reference; of several references the best grade counts. "
            '`"exact_match"`: the texts are equal after white space is stripped from their ends. `"quasi_exact"`: they '
            "are equal in lower case, without punctuation, articles and extra white space, as in SQuAD. "
            '`"choice"`: the option letter that the prediction settles on is that of the reference, or the option '
            'texts are equal. `"numeric"`: the numbers are equal within a tolerance, also as fractions, percentages, '
            'amounts of money or powers of ten. `"math"`: the expressions are equivalent, by Math-Verify (`pip install '
            'at-k[math]`). `"code"`: the prediction is a program that runs, followed by the reference, a test program, '
            "without an error; only if the environment variable HF_ALLOW_CODE_EVAL is 1. "
            '`"bleu"`, `"chrf"`, `"rouge1"`, `"rouge2"`, `"rougeL"`: the similarity of the texts, a '
            "grade in [0, 1] (`pip install at-k[text]`).",
            "exact_match",
            find_checker,
        ),
        Argument(
            "num_workers",
            "`int`",
            'the number of processes for slow checkers, which are `"math"`, `"code"` and those of similarity. If it is '
            "not given: that of the cores.",
            check=check_num_workers,
        ),
        Argument(
            "timeout",
            "`float`",
            "the CPU time in seconds that one check of a slow checker may take. A check that takes longer, or fails, "
            'leaves its samples without a grade: they are missing samples. For `"code"`, a program that takes longer '
            "is wrong.",
            TIMEOUT,
            check_timeout,
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
            "confidence_level",
            "`float`",
            "a number between 0 and 1, such as 0.95. The result then also has `{key}_stderr`, `{key}_ci_low` and "
            "`{key}_ci_high` for every key: its standard error and its confidence interval. Optional.",
            check=_optional(lambda value: check_fraction("confidence_level", value)),
        ),
        Argument(
            "target",
            "`str`",
            'what the interval is about. `"population"`: other problems like these, with as many samples. '
            '`"problem_set"`: these very problems, with other samples.',
            "population",
            lambda value: check_choice("target", value, TARGETS),
        ),
        Argument(
            "clusters",
            "`list[str]` or `list[int]`",
            "one label for each problem, where problems come in groups that resemble each other, such as the questions "
            "on one text. The interval then allows for it. Optional.",
        ),
        Argument(
            "ci_method",
            "`str`",
            'how the interval is made. `"beta"` covers for few problems and near 0 and 1 too. `"t"`, `"wald"`, '
            '`"wilson"`, `"clopper-pearson"` and `"bootstrap"` are there for comparison.',
            "beta",
            lambda value: check_choice("ci_method", value, CI_METHODS),
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

JUDGING_OPTIONS = (
    "threshold",
    "extract_fn",
    "extract_reference",
    "equivalence",
    "check_correct_fn",
    "num_workers",
    "timeout",
    "missing",
)
"""The options that say how samples are judged."""

SHARED_OPTIONS = (
    *JUDGING_OPTIONS,
    "groups",
    "confidence_level",
    "target",
    "clusters",
    "ci_method",
    "return_details",
    "key_style",
)
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
