"""The options that say which numbers are computed, what their intervals are, and how results look."""

from __future__ import annotations

from at_k.options.option import (
    CI_METHODS,
    COMPUTED,
    CONFLICTS,
    KEY_STYLES,
    SELECT,
    TARGETS,
    TIES,
    Option,
    check_with,
    in_panel,
)

NUMBERS = in_panel(
    COMPUTED,
    Option(
        "metrics",
        "str | list[str]",
        "names from `at_k.METRICS`, or as papers write them, such as `pass@1`, `pass^4`, `maj@8` and `G-Pass@8_0.5`: "
        "the numbers in names are `k` and `thresholds` of all metrics. By default every metric that the columns "
        "support.",
        flag="-m",
        metavar="NAME",
        short=True,
        help="As papers write them: pass@k, pass^4, maj@8, G-Pass@8_0.5; or the names of modules, such as pass_at_k: "
        "an unknown name prints the list. By default every metric that the data support.",
        label="Metrics",
    ),
    Option(
        "k",
        "int | list[int]",
        "the number of draws, 1 ≤ k ≤ n, or a list of such numbers. If it is not given: {default_k}.",
        check=check_with("at_k.validation:check_k"),
        flag="-k",
        metavar="K,...",
        short=True,
        help="The number of draws k, one or several: 1,4,16. Default: powers of 2 up to n; for G-Pass@k 4, 8 and 16.",
        label="Answers drawn, k",
    ),
    Option(
        "thresholds",
        "float | Fraction | list[float | Fraction]",
        "the share τ of the draws that must be correct, in [0, 1], or a list of such shares. A float means "
        "the decimal that it prints as; a `fractions.Fraction` is exact. Not to be confused with "
        "`threshold`.",
        (0.25, 0.5, 0.75, 1.0),
        check=check_with("at_k.validation:check_tau"),
        flag="--tau",
        metavar="T,...",
        help="Thresholds of G-Pass@k, the share of the k draws that must be correct: 0.5,2/3,1.",
        label="Thresholds τ of G-Pass@k",
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
        TIES,
        metavar="RULE",
        label="A tied vote",
        words=(
            ("random", "is shared"),
            ("first", "goes to the answer that came first (at k = n; shared for smaller k)"),
            ("strict", "any winner needs more than half"),
            ("incorrect", "is wrong"),
        ),
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
        CONFLICTS,
        help="What to do if equal answers of a problem have different grades. error: leave out cons@k, and say so. "
        "majority: let the majority of them decide.",
        label="Equal answers with different verdicts",
        words=(
            ("error", "leave the vote out"),
            ("majority", "are what most of them are"),
        ),
    ),
    Option(
        "select",
        "str",
        'how samples are compared that have d > 1 scores each; needed for such scores. `"weighted"`: by the '
        'sum of the scores, weighted by `score_weights`. `"lexicographic"`: by the first score; if it is '
        'equal, by the second, and so on. `"pareto"`: a sample beats another if it is at least as good in all '
        "scores and better in one; each drawn sample that no other drawn sample beats is chosen with the same "
        "chance.",
        choices=SELECT,
    ),
    Option(
        "score_weights",
        "list[float]",
        'd numbers, the weights of the scores. Needed for `select="weighted"`, and only then.',
        check=check_with("at_k.validation:check_numbers"),
    ),
    Option(
        "higher_is_better",
        "bool",
        "`False` if lower scores are better, as with perplexity.",
        True,
        label="A higher score is better",
    ),
)
"""The options that say which numbers are computed."""

INTERVALS = in_panel(
    COMPUTED,
    Option(
        "confidence_level",
        "float",
        "a number between 0 and 1, such as 0.95. The result then also has `{key}_stderr`, `{key}_ci_low` and "
        "`{key}_ci_high` for every key: its standard error and its confidence interval. Optional.",
        check=check_with("at_k.uncertainty.checks:check_fraction"),
    ),
    Option(
        "target",
        "str",
        'what the interval is about. `"population"`: other problems like these, with equal numbers of samples. '
        '`"problem_set"`: these very problems, with other samples.',
        "population",
        TARGETS,
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
        CI_METHODS,
        metavar="METHOD",
    ),
)
"""The options that say what the intervals are."""

GROUPS = Option(
    "groups",
    "list[str] | list[int]",
    "one label for each problem. The result then also has the values of each group, under `{group}/{key}`. Optional.",
    label="By group",
)
SHOWN = (
    Option("return_details", "bool", "whether the result has the entry `details`.", False),
    Option(
        "key_style",
        "str",
        'the spelling of the keys. `"standard"`: as in papers. `"plain"`: for trackers that do not accept `@`, '
        "as in {plain_keys}.",
        "standard",
        KEY_STYLES,
    ),
)
