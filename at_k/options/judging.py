"""The options that say which samples are correct."""

from __future__ import annotations

from at_k.errors import write_install
from at_k.options.option import CORRECT, MISSING, RELATIONS, TIMEOUT, Option, check_with, find_with, in_panel

JUDGING = in_panel(
    CORRECT,
    Option(
        "threshold",
        "float",
        "a sample is correct if its grade is above this number.",
        0.5,
        check=check_with("at_k.validation:check_threshold"),
        metavar="X",
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
        check=find_with("at_k.grading:find_extraction"),
        flag="--extract",
        metavar="RULE",
        short=True,
        help="How to find the answer in each sample: boxed, last_number, choice, final_answer, or a regular expression "
        "with a group.",
        label="The answer in a text",
        words=(
            ("text", "is the whole text"),
            ("final_answer", "follows “The answer is” or ####"),
            ("boxed", "is inside \\boxed"),
            ("last_number", "is the last number"),
            ("choice", "is the option letter"),
        ),
    ),
    Option(
        "extract_reference",
        "str | Callable[[str], str | None]",
        "the rule that finds the answer in each reference, as `extract_fn` does in predictions; a reference "
        "without an answer is an error. By default, `extract_fn` is applied to references too, and a reference in "
        "which it finds nothing is used as it is.",
        check=find_with("at_k.grading:find_extraction", name="extract_reference"),
        metavar="RULE",
    ),
    Option(
        "equivalence",
        "str | Callable[[str, str], bool]",
        'which answers vote together. `"checker"`: those that `check_correct_fn` holds equal, where it is `"numeric"`, '
        '`"math"`, `"choice"` or `"quasi_exact"`, and else equal texts. By any other relation they are judged together '
        'too, once. `"exact"`: those with equal texts. `"numeric"`: also equal numbers, such as 0.5, ½, 1/2 and 50%. '
        '`"math"`: also equivalent '
        'expressions, by Math-Verify. `"quasi_exact"` and `"choice"`: as the checkers of these names compare them. '
        "A function takes two answers and returns a bool. Answers that vote together agree pair by pair, in both "
        "orders. The most frequent spelling is used for all; if a reference is among the spellings, it is the one "
        "that is judged.",
        "checker",
        RELATIONS,
        check=find_with("at_k.grading:find_equivalence"),
        metavar="NAME",
        help="Which answers vote together: those that the checker holds equal, or by exact, numeric, math, quasi_exact "
        "or choice.",
        label="Answers vote together if they",
        words=(
            ("checker", "are equal for the check"),
            ("exact", "are equal texts"),
            ("quasi_exact", "are equal without case, articles and punctuation"),
            ("numeric", "are the same number"),
        ),
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
        'amounts of money or powers of ten. `"math"`: the expressions are equivalent, by Math-Verify '
        f'(`{write_install("math")}`). `"code"`: the prediction is a program that runs, followed by the reference, '
        "a test program, "
        "without an error, or that gives the right output for the reference, cases in JSON; only if the environment "
        "variable HF_ALLOW_CODE_EVAL is 1. "
        '`"bleu"`, `"chrf"`, `"rouge1"`, `"rouge2"`, `"rougeL"`: the similarity of the texts, a '
        f'grade in [0, 1] (`{write_install("text")}`). `"judge"`: what a language model says '
        f"(`{write_install('judge')}`).",
        "exact_match",
        check=find_with("at_k.grading:find_checker"),
        flag="--check",
        metavar="NAME",
        short=True,
        help="What decides whether an answer is correct: exact_match, numeric, choice, math, code (which runs "
        "programs) or another checker; an unknown name prints the list.",
        label="An answer is right if it",
        words=(
            ("exact_match", "equals a reference"),
            ("quasi_exact", "equals one without case, articles and punctuation"),
            ("numeric", "is the same number"),
            ("choice", "chooses the same option"),
        ),
    ),
    Option(
        "num_workers",
        "int",
        'the number of processes for slow checkers, which are `"math"`, `"code"` and those of similarity. Default: '
        "the number of cores.",
        check=check_with("at_k.grading.workers:check_num_workers"),
        metavar="N",
    ),
    Option(
        "timeout",
        "float",
        "the CPU time in seconds that one check of a slow checker may take. A check that takes longer, or fails, "
        'leaves its samples without a grade: they are missing samples. For `"code"`, a program that takes longer, '
        "by the processor or on the clock, is wrong.",
        TIMEOUT,
        check=check_with("at_k.grading.workers:check_timeout"),
        metavar="S",
    ),
    Option(
        "missing",
        "str",
        'what happens to a missing sample (`None` or NaN). `"error"`: an error names it. `"incorrect"`: it '
        'counts as wrong. `"drop"`: it is removed, n becomes smaller, and a warning is given.',
        "error",
        MISSING,
        metavar="RULE",
        label="A missing sample",
        words=(
            ("error", "is an error"),
            ("incorrect", "is wrong"),
            ("drop", "is left out"),
        ),
    ),
)
"""The options that say how samples are judged."""

ROWS = Option(
    "rows",
    "list[dict[str, Any]]",
    "for each problem what a checker with a parameter `row` is given, such as its prompt. Optional.",
    check=check_with("at_k.columns:check_rows"),
    group=JUDGING[0].group,
)
