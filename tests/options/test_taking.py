"""Options reach signatures, docstrings and defaults, and what is wrong whatever the data is refused."""

import inspect

import numpy as np
import pytest

import at_k
from at_k import columns, options
from at_k.grading import judge
from at_k.limits import UNLIMITED
from at_k.options import JUDGING, OPTIONS


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


@pytest.mark.parametrize(
    "function", [at_k.score, at_k.compare, at_k.rank, at_k.plan, at_k.gate, at_k.diagnose, at_k.read_results]
)
def test_signatures_and_help_name_every_option(function):
    parameters = inspect.signature(function).parameters
    named = {name: each.default for name, each in parameters.items() if each.kind is each.KEYWORD_ONLY}
    assert named.pop("limits", UNLIMITED) is UNLIMITED
    assert named == {name: option.default for name, option in function.options.items()}
    described = inspect.getdoc(function).partition("Returns:")[0]
    assert [name for name in named if f"\n    {name}: " not in described] == []
    with pytest.raises(TypeError, match=f"`tiez` of `{function.__name__}`.*The options are {next(iter(named))}"):
        function(*([{}] * (2 if function is at_k.compare else 1)), tiez="random")


def test_the_nearest_option_is_named():
    with pytest.raises(TypeError, match=r"`references` is a column of the data of `score`"):
        at_k.score([["a"]], references=["a"])
    with pytest.raises(TypeError, match=r"`treshold` of `score`; got 1\. Did you mean `threshold`\?"):
        at_k.score({}, treshold=1)


def test_judging_repeats_the_registry():
    """It spells its options out, for the type checker: those above hand them over one by one, and checked."""
    parameters = inspect.signature(judge).parameters
    own = {"problems", "name", "warn", "rows"}
    assert {name: each.default for name, each in parameters.items() if name not in own} == {
        option.name: option.default for option in JUDGING
    }
