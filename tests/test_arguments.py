"""The arguments that modules share: which there are, and what is wrong whatever the data."""

import numpy as np
import pytest

from at_k import arguments, columns
from at_k.arguments import OPTIONS


@pytest.mark.parametrize("value", ["judged", "", 7, "Default"])
def test_configurations(value):
    with pytest.raises(ValueError, match="`config_name` must be one of 'default', 'graded'"):
        arguments.check_config(value)
    found = [arguments.check_config(each) for each in (None, "default", "graded")]
    assert found == ["default", "default", "graded"]


LONG = "x" * 100_000


@pytest.mark.parametrize("value", [LONG, [LONG], [[LONG]], {LONG: LONG}], ids=["text", "list", "lists", "mapping"])
@pytest.mark.parametrize("option", [*sorted(OPTIONS.keys() - {"weights", "groups", "clusters"}), "unknown"])
def test_a_long_value_is_cut_in_messages(option, value):
    with pytest.raises((TypeError, ValueError), match=f"`{option}`") as caught:
        arguments.check_options({option: value})
    assert len(str(caught.value)) < 600


def test_long_names_are_cut_in_messages():
    with pytest.raises(ValueError, match="got 'xxxx") as caught:
        arguments.check_config(LONG)
    assert len(str(caught.value)) < 300
    with pytest.raises(TypeError, match="Unknown column `wrong`; got 'xxxx") as caught:
        arguments.refuse_unknown_columns({"predictions": 1, "wrong": LONG})
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("number", [10**5000, -(10**5000), [1, 10**5000]], ids=["large", "negative", "listed"])
def test_integers_of_five_thousand_digits_are_named_by_their_length(number):
    for option in ("k", "threshold", "thresholds"):
        if option == "threshold" and isinstance(number, list):
            continue
        with pytest.raises(ValueError, match=f"`{option}` must .*an integer of 16610 bits"):
            arguments.check_options({option: number})


@pytest.mark.parametrize("value", [np.timedelta64(2, "s"), np.timedelta64(2, "ns"), np.datetime64("2020")])
def test_times_are_neither_counts_nor_shares(value):
    for option in ("k", "threshold", "thresholds"):
        for each in (value, [value]):
            with pytest.raises(TypeError, match=f"`{option}` must be"):
                arguments.check_options({option: each})
    with pytest.raises(TypeError, match="`groups` must hold strings or integers"):
        columns.read_groups([value])


def test_score_weights_are_numbers():
    for wrong in (1, "12", ["1"], [1, None], [True]):
        with pytest.raises(TypeError, match="`score_weights` must"):
            arguments.check_options({"score_weights": wrong})
    arguments.check_options({"score_weights": [1, 0.5]})
    arguments.check_options({"score_weights": None})
