"""A module with the definitions of the library that it needs, in one file."""

import re

import pytest

from tools.inlining import Source, inline


def write(text, roots, **constants):
    return inline(Source("front", text), [("front", name) for name in roots], constants)


def run(text):
    assert "at_k" not in text
    names = {}
    exec(compile(text, "inlined.py", "exec"), names)
    return names


FRONT = '''"""Two shares."""

from fractions import Fraction as Exact

from at_k.combinatorics import at_least
from at_k.validation import draws_needed

# A half.
HALF = 0.5
OTHER = 1.0


def share(n, c, k):
    """Take at least half."""
    return float(at_least(n, k, draws_needed(HALF, k))[c])


def exact(c, n):
    return Exact(c, n)
'''


def test_what_a_function_needs_comes_with_it_and_nothing_else():
    text = write(FRONT, ["share"])
    assert text.startswith('"""Two shares.')
    assert "# A half.\nHALF = 0.5" in text
    assert "# Up to this n exact integers take no longer than floats.\n" in text  # of the library
    assert not re.search(r"^def (exact|fewer_than|check_k)|OTHER", text, re.MULTILINE)
    assert run(text)["share"](4, 2, 2) == pytest.approx(5 / 6, abs=1e-15)  # all pairs but one


def test_an_import_keeps_its_other_name():
    assert run(write(FRONT, ["exact"]))["exact"](1, 2) == 0.5


def test_a_constant_may_get_another_value():
    text = write(FRONT, ["share"], HALF="1.0  # all")
    assert run(text)["share"](4, 2, 2) == pytest.approx(1 / 6, abs=1e-15)


def test_two_definitions_of_one_name_stay_apart():
    front = """
from at_k.combinatorics import enumerate_subsets
from at_k.estimators import votes
from at_k.estimators.products import multiply_rivals

_BLOCK = "mine"

def find():
    return _BLOCK, enumerate_subsets, multiply_rivals, votes.elect_by_plurality
"""
    names = run(write(front, ["find"]))
    assert names["find"]()[0] == "mine"
    assert names["_COMBINATORICS_BLOCK"] == 4_000_000
    assert len(next(names["enumerate_subsets"](4, 2))) == 6


def test_two_imports_of_one_name_stay_apart():
    front = """
from collections.abc import Mapping, Sequence
from at_k.module import sample_features

def is_sequence(value):
    return isinstance(value, Sequence), sample_features
"""
    names = run(write(front, ["is_sequence"]))
    assert names["is_sequence"]([])[0]
    assert names["sample_features"]("graded")


def test_a_local_variable_is_not_a_definition():
    front = """
_BLOCK = "mine"

def find(_BLOCK):
    rows = [share for share in _BLOCK]
    return rows

def share():
    raise AssertionError
"""
    text = write(front, ["find"])
    assert "AssertionError" not in text
    assert '"mine"' not in text
    assert run(text)["find"]([1]) == [1]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("from at_k.combinatorics import at_most", "at_k.combinatorics does not define at_most"),
        (
            "from at_k.combinatoric import at_least as at_most",
            "there is no module at_k.combinatoric",
        ),
    ],
)
def test_a_name_that_is_not_there_is_refused(line, said):
    with pytest.raises(LookupError, match=said):
        write(f"{line}\n\n\ndef find():\n    return at_most\n", ["find"])
