"""Where each option is offered, or why not, and what every declaration has."""

import inspect
from typing import get_args

import pytest

import at_k
from at_k.cli import commands
from at_k.demo import score_results
from at_k.demo.asking import READING as READ_ON_PAGES
from at_k.options import COMPARING, GATING, OPTIONS, PLANNING, RANKING, READING, SCORING

RARE = "rare; Python has it"
OF_FILES = "modules are given columns, not files"
MODULES_OWN = dict.fromkeys(("return_details", "key_style"), "a result is a report, which has both")
OWN_ROWS = "its own columns are the rows of a data set"
IN_FILE = {"weights": "no column of a file holds weights", "rows": OWN_ROWS, **MODULES_OWN}
OF_SCORES = dict.fromkeys(("select", "score_weights", "higher_is_better"), RARE)
UNSEEN = {"seed": RARE, **OF_SCORES, **IN_FILE}
NO_BARS = dict.fromkeys(("confidence_level", "target", "clusters", "ci_method"), "no interval is shown")
OWN_BARS = {"ci_method": "a difference has intervals of its own"}
OF_OTHERS = {**OWN_BARS, "target": "it is about other problems"}
REQUIRED = dict.fromkeys(("metrics", "k", "thresholds"), "the requirements say which numbers are needed")
NO_GROUPS = {"groups": "all problems are looked at together"}

NOT_OFFERED = {
    "modules": {
        **{option.name: OF_FILES for option in READING},
        "metrics": "a module is one metric",
        "seed": "an argument of evaluate.load",
    },
    "at_k.score": IN_FILE,
    "at_k.diagnose": IN_FILE,
    "at_k.compare": {**IN_FILE, **OWN_BARS, **NO_GROUPS},
    "at_k.rank": {**IN_FILE, **OF_OTHERS, **NO_GROUPS},
    "at_k.gate": {**IN_FILE, **OF_OTHERS, **NO_GROUPS, **REQUIRED},
    "at_k.plan": {
        **dict.fromkeys([*(set(SCORING) - set(at_k.plan.options)), "weights"], "changes no count of correct samples"),
        "rows": OWN_ROWS,
        **MODULES_OWN,
    },
    "at-k score": UNSEEN,
    "at-k plot": {**UNSEEN, **NO_BARS, **NO_GROUPS, "k": "a curve is drawn over every k"},
    "at-k compare": {**UNSEEN, **OWN_BARS, **NO_GROUPS},
    "at-k gate": {**UNSEEN, **OF_OTHERS, **NO_GROUPS, **REQUIRED},
    "at-k plan": {
        **dict.fromkeys([*(set(SCORING) - set(at_k.plan.options)), "weights"], "changes no count of correct samples"),
        "rows": OWN_ROWS,
        **UNSEEN,
    },
    "at-k diagnose": {
        **UNSEEN,
        **NO_BARS,
        **NO_GROUPS,
        **dict.fromkeys(["metrics", "thresholds"], "all are looked at"),
    },
    "the page Score": {
        **dict.fromkeys(("threshold", "extract_reference", "select", "score_weights"), RARE),
        **dict.fromkeys(("seed", "scale"), RARE),
        **dict.fromkeys(("num_workers", "timeout", "format"), "the page sets it"),
        **dict.fromkeys(NO_BARS, "usual intervals are shown"),
        "prompt_column": "the page runs no programs",
        "columns": "there is a field for each role",
        **IN_FILE,
    },
}
"""Place → the options that are not offered there, each with its reason."""

_SHARED = ("score", "diagnose", "compare", "plan", "gate")
OFFERED = {
    "modules": OPTIONS,
    **{f"at_k.{name}": getattr(at_k, name).options for name in (*_SHARED, "rank")},
    **{f"at-k {name}": getattr(commands, name).options for name in (*_SHARED, "plot")},
    "the page Score": (*score_results.CHOSEN, *READ_ON_PAGES),
}


@pytest.mark.parametrize("place", OFFERED)
def test_every_option_is_offered_or_there_is_a_reason(place):
    assert {*OPTIONS, *SCORING} - {*OFFERED[place]} == {*NOT_OFFERED[place]}


@pytest.mark.parametrize("registry", [SCORING, COMPARING, RANKING, GATING, PLANNING, OPTIONS], ids=len)
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


def test_the_command_has_the_defaults_of_the_library():
    parameters = inspect.signature(commands.score).parameters
    for name, option in commands.score.options.items():
        given = parameters[name].default
        assert str(given) == str(option.default) or given is None
        assert get_args(parameters[name].annotation)[1].help == option.help
