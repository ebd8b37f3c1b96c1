"""What a report holds, and what follows from it."""

import pytest

import at_k
from at_k.report.data import Curves
from at_k.values import Key


def test_k_is_what_was_drawn_and_not_n():
    assert at_k.score({"grades": [[1, 0, 1]]}, metrics="avg_at_n").k == ()
    assert at_k.score({"grades": [[1, 0, 1]]}, k=[2, 1]).k == (1, 2)


def test_the_values_of_one_k():
    lines = {Key("pass@k"): (0.25, 0.375, 0.5), Key("G-Pass@k", None, 0.5): (0.125, 0.25, None)}
    lines |= {Key("avg@n"): (0.25, 0.25, 0.25)}
    for equal_n, average in ((True, Key("avg@n", 4)), (False, Key("avg@n"))):
        curves = Curves((2, 3, 4), lines, equal_n)
        assert curves.at(2) == {"pass@2": 0.25, "G-Pass@2_0.5": 0.125, average: 0.25}
        assert curves.at(4) == {"pass@4": 0.5, average: 0.25}
    assert Curves((2, 4), {Key("avg@n"): (0.5, 0.5)}).at(2) == {"avg@4": 0.5}
    with pytest.raises(ValueError, match="`k` must be a k of the curves, which are 2, 3, 4; got 1"):
        curves.at(1)
