"""The words that the modules share."""

import pytest

from at_k.interface import CONFIGS, OPTIONS, checked_config, refuse_unknown


def test_configurations():
    assert [checked_config(name) for name in (None, *CONFIGS)] == ["default", *CONFIGS]
    with pytest.raises(ValueError, match="`config_name` must be one of 'default', 'graded'; got 'judged'"):
        checked_config("judged")


def test_unknown_words():
    refuse_unknown(dict.fromkeys(OPTIONS), OPTIONS, "option")
    with pytest.raises(TypeError, match="`top_p` is no option of any module; got 3; the options are k, thresholds, "):
        refuse_unknown({"k": 1, "top_p": 3}, OPTIONS, "option")
