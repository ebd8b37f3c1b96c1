"""Undefined and odd input: every case has its error, whose sentence names the argument, the value, and the place.

Each case changes one of the minimal columns and options of every module: two problems of four samples.
"""

import math
import re

import numpy as np
import pytest
from cases import for_each
from modules import ANSWERS, BEST_AT_K, CONFIGS, CONS_AT_K, GPASSK, GRADES, MODULES, SCORES, every_config, every_module

import at_k

NAN, INF = math.nan, math.inf
DEFAULT, GRADED = ("default",), ("graded",)
WITH_K = tuple(module for module in MODULES if module.takes_k)


def cases(argument, *rows, configs=CONFIGS, modules=MODULES):
    """For every row: a value, the kind of error, and pieces of its sentence in their order, apart by "…"."""
    return [(argument, *row, module, config) for row in rows for module in modules for config in configs]


def fails(prediction, reference):
    raise KeyError("boom")


def fails_on_d(prediction, reference):
    return 1 / (prediction != "d")


def returns_none(prediction, reference):
    return None


def returns_text(prediction, reference):
    return "yes"


def returns_two_for_b(prediction, reference):
    return 2 * (prediction == "b")


def returns_nan_for_d(prediction, reference):
    return NAN if prediction == "d" else 1


OPTIONS = [
    *cases(
        "k",
        (0, ValueError, "positive integer … got 0"),
        (-1, ValueError, "positive integer … got -1"),
        ([2, 0], ValueError, "positive integer … got 0"),
        (2.5, TypeError, "positive integer … got 2.5 of type float"),
        (2.0, TypeError, "positive integer … got 2.0 of type float"),
        (True, TypeError, "positive integer … got True of type bool"),
        ([2, True], TypeError, "positive integer … got True of type bool"),
        ("4", TypeError, "positive integer … got '4' of type str"),
        ([2, None], TypeError, "positive integer … got None of type NoneType"),
        ([], ValueError, "at least one … got []"),
        modules=WITH_K,
    ),
    *cases(
        "thresholds",
        (-0.1, ValueError, "[0, 1] … got -0.1"),
        ([0.5, 1.5], ValueError, "[0, 1] … got 1.5"),
        (NAN, ValueError, "[0, 1] … got nan"),
        ("0.5", TypeError, "[0, 1] … got '0.5' of type str"),
        ([True], TypeError, "[0, 1] … got True of type bool"),
        ([], ValueError, "at least one … got []"),
        modules=(GPASSK,),
    ),
    *cases(
        "threshold",
        (2, ValueError, "[0, 1] … got 2"),
        (NAN, ValueError, "[0, 1] … got nan"),
        ("0.5", TypeError, "[0, 1] … got '0.5' of type str"),
    ),
    *cases(
        "missing",
        ("skip", ValueError, "'error', 'incorrect', 'drop' … got 'skip'"),
        (None, TypeError, "'error', 'incorrect', 'drop' … got None"),
    ),
    *cases("key_style", ("bare", ValueError, "'standard', 'plain' … got 'bare'")),
    *cases("ties", ("coin", ValueError, "'random', 'first', 'strict', 'incorrect' … got 'coin'"), modules=(CONS_AT_K,)),
    *cases("top_p", (3, TypeError, "options are … k, thresholds … threshold")),
    *cases(
        "groups",
        (["x"], ValueError, "`predictions` … got 1 and 2"),
        (["x", "y", "z"], ValueError, "`predictions` … got 3 and 2"),
        (["x", None], ValueError, "got None in problem 1"),
        ([0.5, 1], TypeError, "got 0.5 of type float in problem 0"),
        ("xy", TypeError, "one entry per problem … got 'xy'"),
    ),
    *cases(
        "check_correct_fn",
        (fails, RuntimeError, "'a' … problem 0, sample 0 … KeyError … boom"),
        (fails_on_d, RuntimeError, "'d' … problem 1, sample 1 … ZeroDivisionError"),
        (returns_none, TypeError, "got None of type NoneType … 'a' … problem 0, sample 0"),
        (returns_text, TypeError, "got 'yes' of type str … 'a' … problem 0, sample 0"),
        (returns_two_for_b, ValueError, "[0, 1] … got 2 … 'b' … problem 0, sample 1"),
        (returns_nan_for_d, ValueError, "[0, 1] … got nan … 'd' … problem 1, sample 1"),
        ("exact", ValueError, "'exact_match' … got 'exact'"),
        (3, TypeError, "got 3 of type int"),
        configs=DEFAULT,
    ),
]

COLUMNS = [
    *cases(
        "predictions",
        ("abaa", TypeError, "one entry per problem … got 'abaa' of type str"),
        (1, TypeError, "one entry per problem … got 1 of type int"),
        ({"a": ["a"]}, TypeError, "one entry per problem … of type dict"),
        ([["a"], None], TypeError, "list of samples … got None of type NoneType in problem 1"),
    ),
    *cases(
        "predictions",
        ([ANSWERS[0], []], ValueError, "at least one sample … none in problem 1"),
        ([ANSWERS[0], "cddd"], TypeError, "list of samples … got 'cddd' of type str in problem 1"),
        ([["a", "b", None, "a"], ["c"]], ValueError, "None … problem 0, sample 2. Set `missing`"),
        (GRADES, TypeError, "strings … got 1 of type int in problem 0, sample 0"),
        ([["a"], ["c", NAN]], ValueError, "got None or NaN in problem 1, sample 1. Set `missing`"),
        configs=DEFAULT,
    ),
    *cases(
        "predictions",
        ([GRADES[0], []], ValueError, "at least one sample … none in problem 1"),
        ([1, 0], TypeError, "list of samples … got 1 of type int in problem 0"),
        ([[1, 0, None], [1]], ValueError, "None … problem 0, sample 2. Set `missing`"),
        ([[1], [1, 0, NAN]], ValueError, "NaN … problem 1, sample 2. Set `missing`"),
        (ANSWERS, TypeError, "numbers … got 'a' of type str in problem 0, sample 0"),
        ([[1, 1.5], [0]], ValueError, "[0, 1] … got 1.5 in problem 0, sample 1"),
        configs=GRADED,
    ),
    *cases(
        "references",
        (None, ValueError, "must be given … 'graded'"),
        (["a", None], ValueError, "got None in problem 1"),
        (["a", []], ValueError, "got [] in problem 1"),
        (["a", 3], TypeError, "got 3 of type int in problem 1"),
        ("ac", TypeError, "one entry per problem … got 'ac'"),
        (["a"], ValueError, "got 2 and 1"),
        (["a", "b", "c"], ValueError, "got 2 and 3"),
        configs=DEFAULT,
    ),
    *cases("references", (["a", "c"], ValueError, "must not be given … 'graded'"), configs=GRADED),
    *cases(
        "scores",
        (None, ValueError, "must be given"),
        ([SCORES[0], []], ValueError, "at least one sample … none in problem 1"),
        ([SCORES[0], [1, NAN, 3, 4]], ValueError, "finite … got None or NaN in problem 1, sample 1"),
        ([SCORES[0], [1, None, 3, 4]], ValueError, "finite … got None or NaN in problem 1, sample 1"),
        ([[1, 2, 3, -INF], SCORES[1]], ValueError, "finite … got -inf in problem 0, sample 3"),
        ([SCORES[0], [1, 2, "3", 4]], TypeError, "numbers … got '3' of type str in problem 1, sample 2"),
        (SCORES[:1], ValueError, "got 2 and 1"),
        ([SCORES[0], [1, 2, 3]], ValueError, "got 4 and 3 in problem 1"),
        modules=(BEST_AT_K,),
    ),
    *cases(
        "weights",
        ([[1] * 4, [1, -2, 1, 1]], ValueError, "not negative … got -2 in problem 1, sample 1"),
        ([[1] * 4, [1, 1, 1, NAN]], ValueError, "finite … got None or NaN in problem 1, sample 3"),
        ([["1"] * 4, [1] * 4], TypeError, "numbers … got '1' of type str in problem 0, sample 0"),
        ([[1] * 4], ValueError, "got 1 and 2"),
        ([[1] * 5, [1] * 4], ValueError, "got 5 and 4 in problem 0"),
        configs=DEFAULT,
        modules=(CONS_AT_K,),
    ),
]


@for_each("argument, value, error, says, module, config", OPTIONS + COLUMNS)
def test_error_names_argument_value_and_place(argument, value, error, says, module, config):
    changes = {argument: value}
    if argument == "predictions":  # as many scores as samples, so that there is one fault only
        changes["scores"] = _like(value)
    pattern = f"`{argument}`.*" + ".*".join(re.escape(piece.strip()) for piece in says.split("…"))
    with pytest.raises(error, match=pattern) as caught:
        module.compute(config, **module.only(changes))
    assert type(caught.value) is error or isinstance(caught.value, at_k.InputError)  # and no accident


def _like(predictions):
    rows = predictions if isinstance(predictions, list) else []
    return [[1.0] * len(row) if isinstance(row, (list, str)) and row else [1.0] for row in rows] or SCORES


@every_module
@every_config
@for_each("empty", [[], (), np.empty((0, 4))])
def test_no_problems(module, config, empty):
    references = {"references": []} if config == "default" else {}
    with pytest.raises(ValueError, match="`predictions` must hold at least one problem; got none"):
        module.load(config).compute(**module.only({"predictions": empty, "scores": empty, **references}))


@every_module
@every_config
def test_nothing_given(module, config):
    with pytest.raises(ValueError, match=r"`predictions` must be given.*; got no problems"):
        module.load(config).compute()


@every_module
@every_config
def test_no_sample_is_left(module, config):
    predictions = {"default": [["a"], [None, None]], "graded": [[1], [None, NAN]]}[config]
    changes = module.only({"predictions": predictions, "scores": [[1.0], [1.0, 2.0]]})
    rule = "`predictions` must hold at least one sample for every problem; all of them are missing, .* in problem 1"
    with pytest.raises(ValueError, match=rule):
        module.compute(config, missing="drop", **changes)


@every_config
@for_each("module", WITH_K)
def test_more_draws_than_samples(module, config):
    columns = {
        "default": {"predictions": [["a"] * 4, ["a"] * 2, ["a"] * 3], "references": ["a"] * 3},
        "graded": {"predictions": [[1] * 4, [1] * 2, [1] * 3]},
    }[config]
    scores = [[1.0] * 4, [1.0] * 2, [1.0] * 3]
    rule = r"`k` .* got k=4, but the smallest n is 2, and n < 4 in 2 of 3 problems, first in problem 1$"
    with pytest.raises(ValueError, match=rule):
        module.load(config).compute(**module.only({**columns, "scores": scores}), k=[1, 4])


@every_config
@for_each("module", WITH_K)
@for_each("fewest", [1, 2, 4, 9, 10, 100])
def test_default_k_are_those_that_fit_every_problem(module, config, fewest):
    def column(right, wrong):
        return [[right] * fewest, [wrong] * (fewest + 100)]

    columns = {
        "default": {"predictions": column("a", "b"), "references": ["a", "a"]},
        "graded": {"predictions": column(1, 0)},
    }[config]
    result = module.load(config).compute(**module.only({**columns, "scores": column(1.0, 2.0)}))
    fitting = {
        1: (1,),
        2: (1, 2),
        4: (1, 2, 4),
        9: (1, 2, 4, 8, 9),
        10: (1, 2, 4, 8, 10),
        100: (1, 2, 4, 8, 16, 32, 64, 100),
    }[fewest]
    if module is GPASSK:
        fitting = {1: (1,), 2: (2,), 4: (4,), 9: (4, 8), 10: (4, 8), 100: (4, 8, 16)}[fewest]
    assert list(result) == module.keys(k=fitting)


@every_module
@every_config
def test_missing_samples_count_as_they_are_said_to(module, config):
    gone, answers, full, short, kept = {
        "default": (1, [["a", None, "b", "a"], ["c"]], [["a", "wrong", "b", "a"], ["c"]], [["a", "b", "a"], ["c"]],
                    [[4.0, 2.0, 1.0], [7.0]]),
        "graded": (2, [[1, None, NAN, 1], [0.0]], [[1, 0, 0, 1], [0.0]], [[1, 1], [0.0]], [[4.0, 1.0], [7.0]]),
    }[config]  # fmt: skip
    scores = [[4.0, 3.0, 2.0, 1.0], [7.0]]

    def compute(predictions, scores, **options):
        references = {"references": ["a", "x"]} if config == "default" else {}
        columns = module.only({"predictions": predictions, "scores": scores, **references})
        return module.load(config).compute(**columns, k=1, **options)

    assert compute(answers, scores, missing="incorrect") == compute(full, scores)
    said = f"missing='drop' left out {gone} of 5 samples, in 1 of 2 problems"
    with pytest.warns(UserWarning, match=said):
        dropped = compute(answers, scores, missing="drop")
    assert dropped == compute(short, kept)


@every_module
def test_an_error_of_the_checker_is_chained(module):
    with pytest.raises(RuntimeError, match="`check_correct_fn` failed on the prediction 'a'") as caught:
        module.compute(check_correct_fn=fails)
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.__cause__.args == ("boom",)


@every_module
def test_an_unknown_configuration(module):
    with pytest.raises(ValueError, match="`config_name` must be one of 'default', 'graded'; got 'judged'"):
        module.load("judged", k=2)
