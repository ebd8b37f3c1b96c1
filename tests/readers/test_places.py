"""Places in a file, as messages name them."""

from at_k.demo.words import translate
from at_k.readers.places import describe_place


def test_a_place_is_named_in_both_languages():
    assert str(describe_place(2, "correct")) == "row 2, column “correct”"
    assert translate(describe_place(2, "correct", 3), "zh") == "第 2 行，列 “correct”，第 3 个样本"


def test_a_long_name_is_cut():
    assert len(str(describe_place(1, "x" * 1000))) < 70
