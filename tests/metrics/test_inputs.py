"""Columns, options and checkers of the modules: every odd input has its meaning, or an error that names it.

Forms of columns are read in one place for all modules, and tested there: `tests/test_columns.py`.
"""

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from cases import for_each, refuses
from datasets import Dataset
from modules import (
    ANSWERS,
    AVG_AT_N,
    BEST_AT_K,
    CONFIGS,
    CONS_AT_K,
    GPASSK,
    GRADES,
    MODULES,
    PASS_AT_K,
    SCORES,
    every_config,
    every_module,
)

import at_k
from at_k import computation
from at_k.columns import read_problems
from at_k.grading import judge

# Many data sets here hold no correct answer.
pytestmark = pytest.mark.filterwarnings("ignore:No answer is correct")

NAN = math.nan
DEFAULT, GRADED = ("default",), ("graded",)
WITH_K = tuple(module for module in MODULES if module.takes_k)


def fails(prediction, reference):
    raise KeyError("boom")


def cases(argument, *rows, configs=CONFIGS, modules=MODULES, **more):
    """For every row: a value, and the error that it makes in the minimal columns, after the name of the argument."""
    return [
        (argument, value, says, more, module, config)
        for value, says in rows
        for module in modules
        for config in configs
    ]


MISSED = "ValueError: at least one sample … missing, … in problem 1"
CHOICES = "'error', 'incorrect', 'drop'"

REFUSED = [
    *cases("k", (0, "ValueError: positive integer … got 0"),
           ([1, 5], "ValueError: got k=5, but the smallest n is 4, and n < 5 in 2 of 2 problems, first in problem 0"),
           modules=WITH_K),
    *cases("thresholds", (-0.1, "ValueError: [0, 1] … got -0.1"), modules=(GPASSK,)),
    *cases("correct_above", (2, "ValueError: [0, 1) … `thresholds`"), (1.0, "ValueError: 1.0 … `thresholds`")),
    *cases("missing", ("skip", f"ValueError: {CHOICES} … got 'skip'"), (None, f"TypeError: {CHOICES} … got None")),
    *cases("key_style", ("bare", "ValueError: 'standard', 'plain' … got 'bare'")),
    *cases("ties", ("coin", "ValueError: 'random', 'first', 'strict', 'incorrect' … got 'coin'"), modules=(CONS_AT_K,)),
    *cases("top_p", (3, "TypeError: options are predictions … correct_above, extract_fn")),
    *cases("return_details", (1, "TypeError: must be True or False; got 1")),
    *cases("higher_is_better", ("yes", "TypeError: must be True or False; got 'yes'"), modules=(BEST_AT_K,)),
    *cases("groups", (["x"], "ValueError: `predictions` … got 1 and 2"),
           (["x", None], "ValueError: got None in problem 1")),
    *cases("check_correct_fn",
           (fails, "RuntimeError: 'a' … problem 0, sample 0 … KeyError … boom"),
           (lambda pred, _: 1 / (pred != "d"), "RuntimeError: 'd' … problem 1, sample 1 … ZeroDivisionError"),
           (lambda *_: None, "TypeError: got None of type NoneType … 'a' … problem 0, sample 0"),
           (lambda *_: "yes", "TypeError: got 'yes' of type str … 'a' … problem 0, sample 0"),
           (lambda pred, _: 2 * (pred == "b"), "ValueError: [0, 1] … got 2 … 'b' … problem 0, sample 1"),
           (lambda pred, _: NAN if pred == "d" else 1, "ValueError: [0, 1] … got nan … 'd' … problem 1, sample 1"),
           ("exact", "ValueError: 'exact_match' … got 'exact'"), (3, "TypeError: got 3 of type int"), configs=DEFAULT),
    *cases("predictions", ("abaa", "TypeError: one entry per problem … got 'abaa' of type str")),
    *cases("predictions",
           ([ANSWERS[0], []], "ValueError: at least one sample … none in problem 1"),
           ([["a", "b", None, "a"], ["c"]], "ValueError: None … problem 0, sample 2. Set `missing`"),
           ([[1.0, 0.0], [1.0]], "TypeError: must hold strings; got 1.0 of type float in problem 0, sample 0"),
           ([["a"], ["c", NAN]], "ValueError: got None or NaN in problem 1, sample 1. Set `missing`"), configs=DEFAULT),
    *cases("predictions",
           ([GRADES[0], []], "ValueError: at least one sample … none in problem 1"),
           ([[1, 0, None], [1]], "ValueError: None … problem 0, sample 2. Set `missing`"),
           ([[1], [1, 0, NAN]], "ValueError: NaN … problem 1, sample 2. Set `missing`"),
           (ANSWERS, "TypeError: must hold numbers; got 'a' of type str in problem 0, sample 0"),
           ([[1, 1.5], [0]], "ValueError: [0, 1] … got 1.5 in problem 0, sample 1"), configs=GRADED),
    *cases("predictions", ([["a"], [None, None]], MISSED), configs=DEFAULT, missing="drop"),
    *cases("predictions", ([[1], [None, NAN]], MISSED), configs=GRADED, missing="drop"),
    *cases("references", (None, "ValueError: must be given … 'graded'"), (["a"], "ValueError: got 2 and 1"),
           (["a", None], "ValueError: got None in problem 1"), configs=DEFAULT),
    *cases("references", (["a", "c"], "ValueError: must not be given … 'graded'"), configs=GRADED),
    *cases("grades", (GRADES, "ValueError: must not be given … 'graded'"), configs=GRADED),
    *cases("scores", (None, "ValueError: must be given"), (SCORES[:1], "ValueError: got 2 and 1"),
           ([SCORES[0], [1, NAN, 3, 4]], "ValueError: finite … got None or NaN in problem 1, sample 1"),
           ([SCORES[0], [1, 2, 3]], "ValueError: got 4 and 3 in problem 1"), modules=(BEST_AT_K,)),
    *cases("weights", ([[1] * 5, [1] * 4], "ValueError: got 5 and 4 in problem 0"),
           ([[1] * 4, [1, -2, 1, 1]], "ValueError: not negative … got -2 in problem 1, sample 1"),
           configs=DEFAULT, modules=(CONS_AT_K,)),
    *cases("weights", ([[1] * 4] * 2, "ValueError: must not be given without answers, as in … 'graded'"),
           configs=GRADED, modules=(CONS_AT_K,)),
]  # fmt: skip


def with_scores(module, predictions, **more):
    """Columns with a score for each sample, so that there is one fault at most."""
    rows = predictions if isinstance(predictions, list) else []
    scores = [
        [1.0] * len(row) if isinstance(row, (list, str)) and row else [1.0] for row in rows
    ] or SCORES
    return module.only({"predictions": predictions, "scores": scores, **more})


@for_each("argument, value, says, more, module, config", REFUSED)
def test_error_names_argument_value_and_place(argument, value, says, more, module, config):
    changes = with_scores(module, value) if argument == "predictions" else {argument: value}
    kind, _, words = says.partition(": ")
    error = refuses(
        f"{kind}: `{argument}` … {words}", module.compute, config, **module.only(changes), **more
    )
    assert type(error).__name__ == kind or isinstance(error, at_k.InputError)  # and no accident
    assert value is not fails or error.__cause__.args == ("boom",)


@every_module
@every_config
@for_each("empty", [[], (), np.empty((0, 4))])
def test_no_problems(module, config, empty):
    references = {"references": []} if config == "default" else {}
    columns, compute = (
        module.only({"predictions": empty, "scores": empty, **references}),
        module.load(config).compute,
    )
    refuses(
        "ValueError: `predictions` must hold at least one problem; got none", compute, **columns
    )
    refuses("ValueError: `predictions` must be given … ; got no problems", compute)


def test_columns_that_are_not_given_together():
    for none in ({}, {"references": None}):
        says = "ValueError: `references` or `grades` must be given in the configuration 'default'"
        refuses(says, PASS_AT_K.load().compute, predictions=[["a"]], **none)
    says = "ValueError: `weights` must not be given without answers"
    refuses(
        says, computation.compute_consensus, judge(read_problems(grades=[[1, 0]])), weights=[[1, 1]]
    )


@every_module
@every_config
def test_missing_samples_count_as_they_are_said_to(module, config):
    gone, answers, full, short, kept = {
        "default": (
            1,
            [["a", None, "b", "a"], ["c"]],
            [["a", "wrong", "b", "a"], ["c"]],
            [["a", "b", "a"], ["c"]],
            [[4.0, 2.0, 1.0], [7.0]],
        ),
        "graded": (
            2,
            [[1, None, NAN, 1], [0.0]],
            [[1, 0, 0, 1], [0.0]],
            [[1, 1], [0.0]],
            [[4.0, 1.0], [7.0]],
        ),
    }[config]
    scores = [[4.0, 3.0, 2.0, 1.0], [7.0]]

    def compute(predictions, scores, **options):
        references = {"references": ["a", "x"]} if config == "default" else {}
        columns = module.only({"predictions": predictions, "scores": scores, **references})
        options |= {"k": 1, "confidence_level": 0.9, "target": "problem_set"}
        return module.load(config).compute(**module.only({**columns, **options}))

    assert compute(answers, scores, missing="incorrect") == compute(full, scores)
    with pytest.warns(
        UserWarning, match=f"missing='drop' left out {gone} of 5 samples, in 1 of 2 problems"
    ):
        dropped = compute(answers, scores, missing="drop")
    assert dropped == compute(short, kept)
    for missing in ("error", "incorrect", "drop"):
        assert module.compute(config, missing=missing) == module.compute(
            config
        )  # a warning would be an error


@every_module
@pytest.mark.filterwarnings("ignore:missing='drop' left out 1 of 4")
def test_dropping_may_leave_too_few_samples(module):
    columns = with_scores(module, [["a", None], ["a", "a"]], references=["a", "a"], missing="drop")
    assert list(module.load().compute(**columns)) == module.keys(k=(1,), n="n")
    if module.takes_k:
        says = "ValueError: `k` … got k=2, but the smallest n is 1, … first in problem 0"
        refuses(says, module.load().compute, **columns, k=2)


def to_arrow(rows):
    return pa.chunked_array([pa.array(rows[:1]), pa.array(rows[1:])])


def to_numpy_of_a_dataset(rows):
    return Dataset.from_dict({"column": rows}).with_format("numpy")[:]["column"]


@every_module
@for_each("form", [to_arrow, to_numpy_of_a_dataset])
@for_each("columns", [
    {"predictions": ANSWERS, "references": [["x", "a"], ["c", "y"]], "scores": SCORES},
    {"predictions": GRADES, "scores": SCORES},
    {"predictions": [["a", "b", "a"], ["c"]], "references": ["a", "x"], "scores": [[3.0, 2.0, 1.0], [5.0]]},
])  # fmt: skip
def test_columns_in_two_forms(module, form, columns):
    """Read each argument of a module as a column: the tests of columns say what each form is read as."""
    metric = module.load("default" if "references" in columns else "graded")
    columns = columns | (
        {"weights": SCORES, "k": 2}
        if module is CONS_AT_K and columns["scores"] is SCORES and "references" in columns
        else {}
    )
    formed = {name: column if name == "k" else form(column) for name, column in columns.items()}
    assert metric.compute(**module.only(formed)) == metric.compute(**module.only(columns))


def test_a_half_among_bools_stays_a_half():
    for rows in ([[True, 0.5, False]], [[0.5, True, False]], ((True, False, 0.5),)):
        assert AVG_AT_N.load("graded").compute(predictions=rows) == {
            "avg@3": 1 / 3,
            "accuracy": 0.5,
        }


@every_module
def test_the_input_is_left_as_it_was(module):
    grades, scores = np.array(GRADES, dtype=float), np.array(SCORES)
    given = {"predictions": grades, "scores": scores, "k": 2}
    module.load("graded").compute(**module.only(given))
    assert grades.tolist() == GRADES
    assert scores.tolist() == SCORES


PREDICTIONS = [["a", "b", "a", "a"], ["c", "a", "c", "d"], ["b", "b", "b", "b"]]


class Recorder:
    """A checker that remembers its calls."""

    def __init__(self):
        self.calls = Counter()

    def __call__(self, prediction, reference):
        assert type(prediction) is type(reference) is str
        self.calls[prediction, reference] += 1
        return prediction == reference


def judged(module, references, predictions=PREDICTIONS, k=2, **options):
    given = with_scores(module, predictions, references=references, k=k)
    return module.load().compute(**given, **options)


@every_module
@for_each("predictions, references, pairs", [
    # Once for each answer and reference of a problem, up to the first that accepts it
    (PREDICTIONS, [["a", "x"], ["c", "y", "c"], "b"], "aa ba ax bx cc ac dc cy ay dy bb"),
    ([["a", "a"]] * 3, ["a"] * 3, "aa"),  # once for all problems
    ([[None, "a", None]], ["a"], "aa"),
    ([[np.str_("a"), "b"]], [np.str_("a")], "aa ba"),
    ([[" a", "a", "a "]], [" a"], [(" a", " a"), ("a", " a"), ("a ", " a")]),  # as it is
])  # fmt: skip
def test_the_calls_of_a_checker(module, predictions, references, pairs):
    recorder = Recorder()
    judged(module, references, predictions, check_correct_fn=recorder, missing="incorrect")
    assert recorder.calls == Counter(map(tuple, pairs.split() if isinstance(pairs, str) else pairs))


@every_module
@for_each("options", [
    {"groups": ["x"]},
    {"clusters": ["x"]},
    {"target": "problem_set", "confidence_level": 0.95, "clusters": ["x", "y", "x"]},
    {"ci_method": "bootstrap"},
    {"confidence_level": 2},
    {"target": "sample"},
    {"ci_method": "exact"},
    {"key_style": "bare"},
    {"missing": "skip"},
    {"correct_above": 2},
])  # fmt: skip
def test_a_fault_in_the_options_is_found_before_anything_is_judged(module, options):
    recorder, wrong = Recorder(), list(options)[-1]
    refuses(
        f"ValueError: `{wrong}`",
        judged,
        module,
        ["a", "c", "b"],
        check_correct_fn=recorder,
        **options,
    )
    assert not recorder.calls
