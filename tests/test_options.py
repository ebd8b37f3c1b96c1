"""Options: where each is offered, what is wrong whatever the data, and how they reach signatures."""

import inspect
from typing import get_args

import numpy as np
import pytest

import at_k
from at_k import columns, options
from at_k.cli import commands
from at_k.demo import score_inputs
from at_k.grading import judge
from at_k.options import COMPARING, OPTIONS, PLANNING, RANKING, READING, SCORING
from at_k.readers import read_results


@pytest.mark.parametrize("value", ["judged", "", 7, "Default"])
def test_configurations(value):
    with pytest.raises(ValueError, match="`config_name` must be one of 'default', 'graded'"):
        options.check_config(value)
    found = [options.check_config(each) for each in (None, "default", "graded")]
    assert found == ["default", "default", "graded"]


LONG = "x" * 100_000


@pytest.mark.parametrize("value", [LONG, [LONG], [[LONG]], {LONG: LONG}], ids=["text", "list", "lists", "mapping"])
@pytest.mark.parametrize("option", [*sorted(OPTIONS.keys() - {"weights", "groups", "clusters"}), "unknown"])
def test_a_long_value_is_cut_in_messages(option, value):
    with pytest.raises((TypeError, ValueError), match=f"`{option}`") as caught:
        options.check_options({option: value})
    assert len(str(caught.value)) < 600


def test_long_names_are_cut_in_messages():
    with pytest.raises(ValueError, match="got 'xxxx") as caught:
        options.check_config(LONG)
    assert len(str(caught.value)) < 300
    with pytest.raises(TypeError, match="Unknown column `wrong`; got 'xxxx") as caught:
        options.refuse_unknown_columns({"predictions": 1, "wrong": LONG})
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("number", [10**5000, -(10**5000), [1, 10**5000]], ids=["large", "negative", "listed"])
def test_integers_of_five_thousand_digits_are_named_by_their_length(number):
    for option in ("k", "threshold", "thresholds"):
        if option == "threshold" and isinstance(number, list):
            continue
        with pytest.raises(ValueError, match=f"`{option}` must .*an integer of 16610 bits"):
            options.check_options({option: number})


@pytest.mark.parametrize("value", [np.timedelta64(2, "s"), np.timedelta64(2, "ns"), np.datetime64("2020")])
def test_times_are_neither_counts_nor_shares(value):
    for option in ("k", "threshold", "thresholds"):
        for each in (value, [value]):
            with pytest.raises(TypeError, match=f"`{option}` must be"):
                options.check_options({option: each})
    with pytest.raises(TypeError, match="`groups` must hold strings or integers"):
        columns.read_groups([value])


def test_score_weights_are_numbers():
    for wrong in (1, "12", ["1"], [1, None], [True]):
        with pytest.raises(TypeError, match="`score_weights` must"):
            options.check_options({"score_weights": wrong})
    options.check_options({"score_weights": [1, 0.5]})
    options.check_options({"score_weights": None})


RARE = "rare; Python has it"
OF_FILES = "modules are given columns, not files"
MODULES_OWN = dict.fromkeys(("return_details", "key_style"), "a result is a report, which has both")
IN_FILE = {"weights": "no column of a file holds weights", **MODULES_OWN}
OF_SCORES = dict.fromkeys(("select", "score_weights", "higher_is_better"), RARE)
UNSEEN = {"seed": RARE, "limits": "for those who run strangers' work", **OF_SCORES, **IN_FILE}
NO_BARS = dict.fromkeys(("confidence_level", "target", "clusters", "ci_method"), "no interval is shown")
OWN_BARS = dict.fromkeys(("target", "ci_method"), "a difference has intervals of its own")
NO_GROUPS = {"groups": "all problems are looked at together"}

NOT_OFFERED = {
    "modules": {
        **{option.name: OF_FILES for option in READING},
        "metrics": "a module is one metric",
        "seed": "an argument of evaluate.load",
        "limits": OF_FILES,
    },
    "at_k.score": IN_FILE,
    "at_k.diagnose": IN_FILE,
    "at_k.compare": {**IN_FILE, **OWN_BARS, **NO_GROUPS},
    "at_k.rank": {**IN_FILE, **OWN_BARS, **NO_GROUPS},
    "at_k.plan": {
        **dict.fromkeys([*(set(SCORING) - set(at_k.plan.options)), "weights"], "changes no count of correct samples"),
        **MODULES_OWN,
    },
    "at-k score": UNSEEN,
    "at-k plot": {**UNSEEN, **NO_BARS, **NO_GROUPS, "k": "a curve is drawn over every k"},
    "at-k compare": {**UNSEEN, **OWN_BARS, **NO_GROUPS},
    "at-k plan": {
        **dict.fromkeys([*(set(SCORING) - set(at_k.plan.options)), "weights"], "changes no count of correct samples"),
        **UNSEEN,
    },
    "at-k diagnose": {
        **UNSEEN,
        **NO_BARS,
        **NO_GROUPS,
        **dict.fromkeys(["metrics", "thresholds"], "all are looked at"),
    },
    "the page Score": {
        **dict.fromkeys(("on_conflict", "threshold", "extract_reference", "select", "score_weights", "seed"), RARE),
        **dict.fromkeys(("num_workers", "timeout", "limits", "format", "errors"), "the page sets it"),
        **dict.fromkeys(NO_BARS, "usual intervals are shown"),
        **dict.fromkeys(("columns", "where", "pool"), "there is a list of the columns, and of the models"),
        **IN_FILE,
    },
}
"""Place → the options that are not offered there, each with its reason."""

_PAGE_NAMES = {"taus": "thresholds", "by_group": "groups"}

OFFERED = {
    "modules": OPTIONS,
    **{f"at_k.{name}": getattr(at_k, name).options for name in ("score", "diagnose", "compare", "rank", "plan")},
    **{f"at-k {name}": getattr(commands, name).options for name in ("score", "plot", "compare", "plan", "diagnose")},
    "the page Score": {_PAGE_NAMES.get(name, name) for name in (*score_inputs.OPTIONS, *score_inputs.CHOICES)},
}


@pytest.mark.parametrize("place", OFFERED)
def test_every_option_is_offered_or_there_is_a_reason(place):
    assert {*OPTIONS, *SCORING} - {*OFFERED[place]} == {*NOT_OFFERED[place]}


@pytest.mark.parametrize("registry", [SCORING, COMPARING, RANKING, PLANNING, OPTIONS], ids=len)
def test_declarations(registry):
    for name, option in registry.items():
        assert (name, option.text[0], option.text[-1] in ".?") == (option.name, option.text[0].lower(), True)
        option.refuse_wrong(option.default)
        if option.choices and option.default is not None:
            assert option.default in option.choices
        if option.help and option.metavar is not None:  # then no list of the choices stands beside it
            assert [
                each for each in option.choices if each.replace("_", "-") not in option.help.replace("_", "-")
            ] == []


@pytest.mark.parametrize("function", [at_k.score, at_k.compare, at_k.rank, at_k.plan, at_k.diagnose])
def test_signatures_and_help_name_every_option(function):
    parameters = inspect.signature(function).parameters
    named = {name: each.default for name, each in parameters.items() if each.kind is each.KEYWORD_ONLY}
    assert named == {name: option.default for name, option in function.options.items()}
    described = inspect.getdoc(function).partition("Returns:")[0]
    assert [name for name in named if f"\n    {name}: " not in described] == []
    with pytest.raises(TypeError, match=f"`tiez` of `{function.__name__}`.*The options are {next(iter(named))}"):
        function(*([{}] * (2 if function is at_k.compare else 1)), tiez="random")


def test_the_nearest_option_is_named():
    with pytest.raises(TypeError, match=r"`treshold` of `score`; got 1\. Did you mean `threshold`\?"):
        at_k.score({}, treshold=1)


@pytest.mark.parametrize("function", [judge, read_results])
def test_functions_below_have_the_same_defaults(function):
    defaults = {name: each.default for name, each in inspect.signature(function).parameters.items()}
    shared = defaults.keys() & SCORING.keys()
    assert len(shared) >= 8
    assert {name: defaults[name] for name in shared} == {name: SCORING[name].default for name in shared}


def test_the_command_has_the_defaults_of_the_library():
    parameters = inspect.signature(commands.score).parameters
    for name, option in commands.score.options.items():
        given = parameters[name].default
        assert str(given) == str(option.default) or given is None
        assert get_args(parameters[name].annotation)[1].help == option.help
