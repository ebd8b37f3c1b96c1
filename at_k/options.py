"""Every option, declared once: what it is called, what it takes, what it means, and how the command spells it.

From here come the signatures and docstrings of the functions in Python (`takes`), the flags of the command with their
help, the "Inputs" of the cards, the table of the README, and the types that editors complete (`make texts`). Checks are
named by their path, so that the help of the command loads none of what they need.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pkgutil import resolve_name
from textwrap import wrap
from typing import Any, TypeVar

from at_k import choices
from at_k.limits import UNLIMITED

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """An option, or a column, of a function, a module or a command.

    Attributes:
        name: its name in Python.
        type: its type, without None.
        text: its meaning, in Markdown, beginning with a small letter and ending with a full stop. In the documentation
            of modules, `{default_k}` and `{plain_keys}` are filled in, which differ from metric to metric.
        default: the value that it has if it is not given; None for an option that may be left out.
        choices: the words that it takes.
        check: a function that raises if a value is wrong for every data set.
        flag: its spelling on the command line, with a short one after a comma, where it is not the name.
        metavar: what stands for its value in the help of the command.
        help: its meaning on the command line; an option without it is none of the command.
        group: the part of the documentation that it stands in.
    """

    name: str
    type: str
    text: str
    default: Any = None
    choices: tuple[str, ...] = ()
    check: Callable[[Any], object] | None = None
    flag: str = ""
    metavar: str | None = None
    help: str = ""
    group: str = ""

    @property
    def flags(self) -> list[str]:
        """List the spellings on the command line."""
        return self.flag.split(", ") if self.flag else [f"--{self.name.replace('_', '-')}"]

    @property
    def types(self) -> list[str]:
        """List the types that it takes."""
        return re.split(r" \| (?![^\[]*\])", self.type)

    @property
    def annotation(self) -> str:
        """Return its type as a signature has it."""
        return f"{self.type} | None" if self.default is None else self.type

    @property
    def optional(self) -> bool:
        """Return whether it may be None."""
        return self.annotation.endswith(" | None")

    def refuse_wrong(self, value: Any) -> None:
        """Raise if a value is wrong for every data set."""
        from at_k.validation import check_choice, check_flag

        if value is None and self.optional:
            return
        if self.check is not None:
            self.check(value)
        elif self.choices:
            check_choice(self.name, value, self.choices)
        elif isinstance(self.default, bool):
            check_flag(self.name, value)


def _by(path: str, *first: str, **more: str) -> Callable[[Any], object]:
    """Return a check that is imported when it is needed."""
    return lambda value: resolve_name(path)(*first, value, **more)


def _group(title: str, *options: Option) -> tuple[Option, ...]:
    return tuple(replace(option, group=title) for option in options)


def _check_score_weights(value: Any) -> None:
    from at_k.validation import is_number, is_sequence, shorten, type_name

    if not is_sequence(value):
        raise TypeError(f"`score_weights` must be a list of numbers; got {shorten(value)} of type {type_name(value)}")
    for number in value:
        if not is_number(number):
            raise TypeError(f"`score_weights` must hold numbers; got {shorten(number)} of type {type_name(number)}")


COLUMNS = {
    column.name: column
    for column in (
        Option(
            "predictions",
            "list[list[str]] | list[list[float]]",
            "the samples of each problem: a list of answers, or, in the configuration `graded`, a list of grades "
            "in [0, 1]. The number of samples n may differ from problem to problem.",
        ),
        Option(
            "references",
            "list[str] | list[list[str]]",
            "the correct answer of each problem, or a list of acceptable ones. Not in the configuration `graded`. "
            "Optional beside `grades`.",
        ),
        Option(
            "grades",
            "list[list[float]]",
            "a grade in [0, 1] for each sample, if the answers have been judged already. The grades then say which "
            "samples are correct, and `references` and `check_correct_fn` have no effect. A sample without a grade "
            "is missing. A sample with a grade and without an answer counts, but casts no vote. Not in the "
            "configuration `graded`. Optional.",
        ),
        Option(
            "scores",
            "list[list[float]] | list[list[list[float]]]",
            "a finite number for each sample, or a list of d numbers for each sample. Needed in both configurations.",
        ),
    )
}
"""The columns that modules take."""

READING = _group(
    "What is read",
    Option(
        "columns",
        "dict[str, str | None]",
        'what the columns are called where they have other names: `{"answers": "samples"}`; None for no column. The '
        "roles are problem, answers, references, grades, scores and group.",
        metavar="ROLE=COLUMN,...",
        help="What columns are called: problem=qid,grades=ok. An empty name is for no column: scores=",
    ),
    Option(
        "where",
        "dict[str, Any]",
        'the rows to read, by the value of a column, `{"model": "a"}`; a list of values takes all of them.',
        metavar="COLUMN=VALUE",
        help="Keep only the rows with this value. Given again for the same column, the rows with any of the values.",
    ),
    Option(
        "pool",
        "str | list[str]",
        'columns such as "model" whose rows are samples of one model after all; "file" if the files are runs that '
        "number their samples alike.",
        (),
        metavar="COLUMN",
        help="A column, such as run or model, whose rows are all samples of one model; file if each file is a run.",
    ),
    Option(
        "format",
        "str",
        'the name of the format of the files, where their content does not show it; "plain" for a table. This and the '
        "next four are for files alone.",
        flag="--input-format",
        metavar="NAME",
        help="The format of the files, if their content does not show it; at-k formats lists all.",
    ),
    Option(
        "scorer",
        "str",
        "whose grades to take, where a file has several.",
        metavar="NAME",
        help="Whose grades to take, where a harness wrote several; a note says what was taken.",
    ),
    Option(
        "filter",
        "str",
        "whose answers to take, where a file has several.",
        metavar="NAME",
        help="Whose answers to take, where a harness wrote several; a note says what was taken.",
    ),
    Option(
        "tests",
        "str",
        "which tests of EvalPlus a program must pass.",
        choices=choices.PROGRAM_TESTS,
        help="Which tests of EvalPlus a program must pass.",
    ),
    Option(
        "errors",
        "str",
        '"skip" leaves out what is broken in a file, and counts it.',
        "raise",
        choices.ON_ERROR,
        help="raise stops at what is broken in a file, skip leaves it out and counts it.",
    ),
)
"""The options that say what is read."""

JUDGING = _group(
    "What is correct",
    Option(
        "threshold",
        "float",
        "a sample is correct if its grade is above this number.",
        0.5,
        check=_by("at_k.validation:check_threshold"),
        metavar="X",
        help="A sample is correct if its grade is above X.",
    ),
    Option(
        "extract_fn",
        "str | Callable[[str], str | None]",
        "the rule that finds the answer in each prediction, before anything is compared. A sample in which "
        'it finds none is wrong, and casts no vote. `"boxed"`: the content of the last LaTeX box. '
        '`"last_number"`: the last number. `"choice"`: the option letter that the text settles on. '
        '`"final_answer"`: what follows the last `####`, "The answer is", "Answer:" or 答案是. `"code"`: the '
        'program in a fence of Markdown, or the whole text. `"text"`: the whole text, stripped. Any other string '
        "is a regular expression, and must have one group, or a group called `answer`; its last match counts. A "
        "function returns the answer, or `None`. By default, the prediction itself is the answer.",
        check=_by("at_k.grading:find_extraction"),
        flag="--extract",
        metavar="RULE",
        help="How an answer is found in each sample: boxed, last_number, choice, final_answer, or a regular expression "
        "with a group.",
    ),
    Option(
        "extract_reference",
        "str | Callable[[str], str | None]",
        "the rule that finds the answer in each reference, as `extract_fn` does in predictions; a reference "
        "without an answer is an error. By default, `extract_fn` is applied to references too, and a reference in "
        "which it finds nothing is used as it is.",
        check=_by("at_k.grading:find_extraction", name="extract_reference"),
        metavar="RULE",
        help="How an answer is found in each reference; by default as in samples. text: the whole reference.",
    ),
    Option(
        "equivalence",
        "str | Callable[[str, str], bool]",
        'which answers are the same. They vote together and are judged together, once. `"exact"`: those with equal '
        'texts. `"numeric"`: also equal numbers, such as 0.5, ½, 1/2 and 50%. `"math"`: also equivalent '
        'expressions, by Math-Verify. `"quasi_exact"` and `"choice"`: as the checkers of these names compare them. '
        "A function takes two answers and returns a bool. If it accepts a and b, and b and c, all three are the "
        "same. The most frequent spelling stands for all; if a reference is among the spellings, it is the one "
        "that is judged.",
        "exact",
        choices.RELATIONS,
        check=_by("at_k.grading:find_equivalence"),
        metavar="NAME",
        help="Which answers are the same, and vote together: exact, numeric, math, quasi_exact or choice.",
    ),
    Option(
        "check_correct_fn",
        "Callable[[str, str], bool | float] | str",
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
        check=_by("at_k.grading:find_checker"),
        flag="--check",
        metavar="NAME",
        help="What decides whether an answer is correct: exact_match, numeric, choice, math, code (which runs "
        "programs) or another checker; a wrong name lists all.",
    ),
    Option(
        "num_workers",
        "int",
        'the number of processes for slow checkers, which are `"math"`, `"code"` and those of similarity. By default, '
        "the number of cores.",
        check=_by("at_k.grading.workers:check_num_workers"),
        metavar="N",
        help="Processes for slow checkers; by default one for each core.",
    ),
    Option(
        "timeout",
        "float",
        "the CPU time in seconds that one check of a slow checker may take. A check that takes longer, or fails, "
        'leaves its samples without a grade: they are missing samples. For `"code"`, a program that takes longer '
        "is wrong.",
        choices.TIMEOUT,
        check=_by("at_k.grading.workers:check_timeout"),
        metavar="S",
        help="Seconds of CPU time for one check of a slow checker, or one program.",
    ),
    Option(
        "missing",
        "str",
        'what happens to a missing sample (`None` or NaN). `"error"`: an error names it. `"incorrect"`: it '
        'counts as wrong. `"drop"`: it is removed, n becomes smaller, and a warning says so.',
        "error",
        choices.MISSING,
        metavar="RULE",
        help="What happens to a sample that is missing. error: nothing is computed. incorrect: it counts as wrong. "
        "drop: it is left out.",
    ),
)
"""The options that say how samples are judged."""

NUMBERS = _group(
    "What is computed",
    Option(
        "metrics",
        "str | list[str]",
        "names out of `at_k.METRICS`; by default all that the columns allow.",
        flag="--metric, -m",
        metavar="NAME",
        help="gpassk, pass_at_k, cons_at_k, avg_at_n or best_at_k, or as papers write them, such as pass@k. By default "
        "all that the data allow.",
    ),
    Option(
        "k",
        "int | list[int]",
        "the number of draws, 1 ≤ k ≤ n, or a list of such numbers. If it is not given: {default_k}.",
        check=_by("at_k.validation:check_k"),
        flag="--k, -k",
        metavar="K,...",
        help="How many of the n samples are drawn: 1,4,16. By default powers of 2 up to n; for G-Pass@k 4, 8 and 16.",
    ),
    Option(
        "thresholds",
        "float | Fraction | list[float | Fraction]",
        "the share τ of the draws that must be correct, in [0, 1], or a list of such shares. A float stands "
        "for the decimal that it prints as; a `fractions.Fraction` is exact. Not to be confused with "
        "`threshold`.",
        (0.25, 0.5, 0.75, 1.0),
        check=_by("at_k.validation:check_tau", name="thresholds"),
        flag="--tau",
        metavar="T,...",
        help="Thresholds of G-Pass@k, the share of the k draws that must be correct: 0.5,2/3,1.",
    ),
    Option(
        "ties",
        "str",
        'what happens if several answers have the most votes. `"random"`: each of them wins with the same '
        'chance, and the result is the expected value. `"first"`: the one that was drawn first wins; for k < n '
        'this gives the same number as `"random"`, and for k = n the given order decides. `"strict"`: the '
        'winner needs more than k/2 votes, else the draw counts as wrong. `"incorrect"`: a tie counts as '
        "wrong. If only grades are known, this option has no effect: more than half of the k samples must be "
        "correct.",
        "random",
        choices.TIES,
        metavar="RULE",
        help="Which answer wins if several have the most votes. random: each with the same chance. first: at k = n the "
        "one that was given first, else as random. strict: none with half of the votes or fewer. incorrect: none in a "
        "tie.",
    ),
    Option(
        "weights",
        "list[list[float]]",
        'a number ≥ 0 for each sample. The answer with the largest sum of weights wins; with `ties="strict"` '
        "it needs more than half of the weight that was drawn. Not in the configuration `graded`. Optional.",
    ),
    Option(
        "on_conflict",
        "str",
        'what happens if equal answers of a problem have grades on both sides of `threshold`. `"error"`: an '
        'error names two such samples. `"majority"`: the answer is correct if more than half of its samples '
        "are.",
        "error",
        choices.CONFLICTS,
        help="Equal answers of a problem with different grades: error leaves out cons@k and says so, majority lets "
        "most of them decide.",
    ),
    Option(
        "select",
        "str",
        'how samples are compared that have d > 1 scores each; needed for such scores. `"weighted"`: by the '
        'sum of the scores, weighted by `score_weights`. `"lexicographic"`: by the first score; if it is '
        'equal, by the second, and so on. `"pareto"`: a sample beats another if it is at least as good in all '
        "scores and better in one; each drawn sample that no other drawn sample beats is chosen with the same "
        "chance.",
        choices=choices.SELECT,
    ),
    Option(
        "score_weights",
        "list[float]",
        'd numbers, the weights of the scores. Needed for `select="weighted"`, and only then.',
        check=_check_score_weights,
    ),
    Option("higher_is_better", "bool", "`False` if lower scores are better, as with perplexity.", True),
)
"""The options that say which numbers are computed."""

INTERVALS = _group(
    "What is computed",
    Option(
        "confidence_level",
        "float",
        "a number between 0 and 1, such as 0.95. The result then also has `{key}_stderr`, `{key}_ci_low` and "
        "`{key}_ci_high` for every key: its standard error and its confidence interval. Optional.",
        check=_by("at_k.uncertainty.checks:check_fraction", "confidence_level"),
    ),
    Option(
        "target",
        "str",
        'what the interval is about. `"population"`: other problems like these, with as many samples. '
        '`"problem_set"`: these very problems, with other samples.',
        "population",
        choices.TARGETS,
        metavar="TARGET",
        help="What the intervals are about. population: other problems like these. problem-set: other samples of these "
        "problems.",
    ),
    Option(
        "clusters",
        "list[str] | list[int]",
        "one label for each problem, where problems come in groups that resemble each other, such as the questions "
        "on one text. The interval then allows for it. Optional.",
    ),
    Option(
        "ci_method",
        "str",
        'how the interval is made. `"beta"` covers for few problems and near 0 and 1 too. `"t"`, `"wald"`, '
        '`"wilson"`, `"clopper-pearson"` and `"bootstrap"` are there for comparison.',
        "beta",
        choices.CI_METHODS,
        metavar="METHOD",
        help="How intervals are made. beta covers the true value about as often as --ci says; t, wald, wilson, "
        "clopper-pearson and bootstrap do not always, and are for comparison.",
    ),
)
"""The options that say what the intervals are."""

_GROUPS = Option(
    "groups",
    "list[str] | list[int]",
    "one label for each problem. The result then also has the values of each group, under `{group}/{key}`. Optional.",
)
_SHOWN = (
    Option("return_details", "bool", "whether the result has the entry `details`.", False),
    Option(
        "key_style",
        "str",
        'the spelling of the keys. `"standard"`: as in papers. `"plain"`: for trackers that do not accept `@`, '
        "as in {plain_keys}.",
        "standard",
        choices.KEY_STYLES,
    ),
)

_SHARED = (*JUDGING, _GROUPS, *INTERVALS, *_SHOWN)

OPTIONS = {option.name: option for option in (*NUMBERS[1:], *_SHARED)}
"""The options of all modules. A module ignores those of the other modules, so that `evaluate.combine` can pass the same
options to all of them."""

JUDGING_OPTIONS = tuple(option.name for option in JUDGING)
SHARED_OPTIONS = tuple(option.name for option in _SHARED)
"""The options that all modules have. They say how samples are judged, and what is reported."""

_SEED = Option("seed", "int", "the seed of simulations.", 0, check=_by("at_k.validation:check_seed"))

_LEVEL = replace(
    OPTIONS["confidence_level"],
    text="the level of the intervals.",
    default=0.95,
    flag="--ci",
    metavar="X",
    help="The confidence level.",
)

SCORING = {
    option.name: option
    for option in (
        *(option for option in NUMBERS if option.name != "weights"),
        *JUDGING,
        replace(
            _GROUPS,
            type="list[str] | list[int] | bool",
            text="one label for each problem, or False for no groups; by default the column `group`.",
            flag="--by",
            metavar="FIELD",
            help="The column, or field of the metadata, whose values are the groups; none for no groups.",
            group=READING[0].group,
        ),
        replace(
            _LEVEL,
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
        _SEED,
        Option("limits", "Limits", "the most that is accepted; unlimited by default.", UNLIMITED),
    )
}
"""The options of `at_k.score`."""

_NOT_COMPARED = {"groups", "seed", *(option.name for option in INTERVALS)}
SCORED = {name: option for name, option in SCORING.items() if name not in _NOT_COMPARED}
"""Those that change the values of problems. They are for data that are not scored yet."""

_UNMATCHED = Option(
    "unmatched",
    "str",
    'what happens to problems that not all models were measured on. `"drop"`: they are left out. `"unpaired"`: two '
    "models are compared as two samples of problems, which sees far less.",
    "error",
    choices.UNMATCHED,
    help="Problems that not all models have are an error, or are dropped, or the models are compared without pairs of "
    "problems, which sees far less.",
    group=READING[0].group,
)
_CLUSTERS = replace(
    SCORING["clusters"],
    type="list[str] | list[int] | dict[str, str] | bool",
    text="one label per problem of the first model, or problem → label, where problems come in groups that resemble "
    "each other: whole clusters then flip their signs. True for the groups of the data, False for none; by default the "
    "clusters with which the reports were made, which must agree.",
)
_FLIPS = replace(_SEED, text="the seed of the random sign flips.")

COMPARING = {
    option.name: option
    for option in (
        *_group(
            NUMBERS[0].group,
            Option("names", "tuple[str, str]", "what the models are called.", ("A", "B")),
            Option("keys", "str | list[str]", 'the keys to compare, such as "pass@1"; by default all that both have.'),
            _LEVEL,
            Option(
                "method",
                "str",
                "how the interval of a difference is made; see `at_k.uncertainty.compare_values`.",
                choices.DIFFERENCE_METHODS[0],
                choices.DIFFERENCE_METHODS,
                flag="--ci-method",
                help="How intervals are made. bounded covers the true value where large differences are rare, too, and "
                "finds fewer differences.",
            ),
            Option(
                "margin",
                "float",
                "a difference that does not matter, between 0 and 1, to test whether the models are equivalent within "
                "it.",
                check=_by("at_k.uncertainty.checks:check_fraction", "margin"),
                metavar="X",
                help="A difference that does not matter, such as 0.02. Are the models equivalent within it?",
            ),
            Option(
                "extra_tests",
                "str | list[str]",
                'further tests out of "t", "wilcoxon" and "mcnemar"; the sign-flip test is always there.',
                (),
                check=lambda value: _check_each("extra_tests", value, choices.EXTRA_TESTS),
                flag="--extra-test",
                metavar="NAME",
                help="A further test beside the sign-flip test: t, wilcoxon or mcnemar.",
            ),
        ),
        _UNMATCHED,
        _CLUSTERS,
        _FLIPS,
    )
}
"""The options of `at_k.compare`, beside those of data that are not scored yet."""

RANKING = {
    option.name: option
    for option in (
        Option("key", "str", "the number to rank by.", "pass@1"),
        replace(_LEVEL, text="the level of all comparisons together."),
        replace(
            _UNMATCHED,
            text='"error", or "drop" to use the problems that all models have.',
            choices=choices.UNMATCHED[:2],
        ),
        _CLUSTERS,
        _FLIPS,
    )
}
"""The options of `at_k.rank`, beside those of data that are not scored yet."""

PLANNING = {
    option.name: option
    for option in _group(
        NUMBERS[0].group,
        Option(
            "k",
            "int",
            "the number of draws; 1 for avg@n.",
            1,
            flag="--k, -k",
            metavar="K",
            help="The k of pass@k; pass@1 is avg@n.",
        ),
        Option(
            "tau",
            "float | Fraction",
            "the threshold of G-Pass@k; pass@k if it is not given.",
            metavar="T",
            help="Plan for G-Pass@k with this threshold instead.",
        ),
        Option(
            "problems",
            "list[int]",
            "numbers of problems to look at; by default a quarter, half, once, twice and four times the pilot's.",
            metavar="M,...",
            help="Numbers of problems in the table: 100,300.",
        ),
        Option(
            "samples",
            "list[int]",
            "numbers of samples to look at; by default k and powers of 2 above it.",
            metavar="N,...",
            help="Numbers of samples in the table: 4,16.",
        ),
        Option(
            "half_width",
            "float",
            "half of the width that the interval should have: how many problems, or samples, reach it?",
            check=_by("at_k.uncertainty.checks:check_fraction", "half_width"),
            metavar="X",
            help="How many problems, or samples, does an interval of ± X take?",
        ),
        Option(
            "detect",
            "float",
            "a difference that a paired comparison of two models should find: how many problems does it take?",
            check=_by("at_k.uncertainty.checks:check_fraction", "detect"),
            metavar="X",
            help="How many problems does it take to find a difference of X between two models?",
        ),
        _LEVEL,
        Option("power", "float", "the chance with which a comparison should find the difference.", 0.8),
        Option(
            "correlation",
            "float",
            "how much the difficulties of the problems for the two compared models agree, from 0 to 1.",
            0.8,
        ),
    )
}
"""The options of `at_k.plan`, beside those of data that are not scored yet."""

PILOT = {option.name: SCORING[option.name] for option in (*JUDGING, *READING)} | {"limits": SCORING["limits"]}
"""The options that say which counts a pilot has."""


def _check_each(name: str, words: Any, known: tuple[str, ...]) -> None:
    from at_k.validation import check_choice

    for word in [words] if isinstance(words, str) else words:
        check_choice(name, word, known)


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
