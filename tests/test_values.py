"""Keys that are data, and columns that problems share."""

import copy
import json
import pickle
from fractions import Fraction

import numpy as np
from cases import for_each
from numpy.testing import assert_array_equal

from at_k.values import Column, Key, Values

SPELLED = [
    (("pass@k", 4), "pass@4", "pass@k"),
    (("pass^k", 8), "pass^8", "pass^k"),
    (("G-Pass@k", 16, 0.25), "G-Pass@16_0.25", "G-Pass@k_0.25"),
    (("G-Pass@k", 2, 1.0), "G-Pass@2_1.0", "G-Pass@k_1.0"),
    (("G-Pass@k", 2, 0.0), "G-Pass@2_0.0", "G-Pass@k_0.0"),
    (("G-Pass@k", 3, Fraction(2, 3)), "G-Pass@3_2/3", "G-Pass@k_2/3"),
    (("mG-Pass@k", 8), "mG-Pass@8", "mG-Pass@k"),
    (("avg@n", 64), "avg@64", "avg@n"),
    (("avg@n",), "avg@n", "avg@n"),
    (("accuracy",), "accuracy", "accuracy"),
]


@for_each("parts, text, line", SPELLED)
def test_a_key_is_the_string_that_it_prints_as(parts, text, line):
    key = Key(*parts)
    assert (key, str(key), f"{key}") == (text, text, text)
    assert {text: 1}[key] == 1
    assert json.dumps({key: 1}) == json.dumps({text: 1})
    assert (key.metric, key.k, key.tau) == (*parts, None, None)[:3]
    assert (key.line, key.line.metric, key.line.k, key.line.tau) == (line, key.metric, None, key.tau)
    assert key.line.line == key.line


@for_each("parts, text, line", SPELLED)
def test_a_copy_of_a_key_keeps_its_parts(parts, text, line):
    key = Key(*parts)
    copies = [copy.copy(key), copy.deepcopy(key), *(pickle.loads(pickle.dumps(key, each)) for each in range(2, 6))]
    for other in copies:
        assert (other, other.metric, other.k, other.tau, other.line) == (text, key.metric, key.k, key.tau, line)
        assert type(other) is Key


def test_a_column_in_which_each_problem_has_its_value():
    column = Column.of([1, 0, 0.5])
    assert_array_equal(column.expand(), [1, 0, 0.5])
    assert (len(column), column.levels.dtype, column.which) == (3, np.float64, None)


def test_a_column_of_levels():
    column = Column(np.array([0.25, 1.0]), np.array([1, 0, 0, 1, 1]))
    assert_array_equal(column.expand(), [1, 0.25, 0.25, 1, 1])
    assert len(column) == 5


def test_what_is_simulated():
    columns = {Key("cons@k", 1): Column.of([1, 0])}
    assert not Values(columns).simulated
    assert not Values(columns, {Key("cons@k", 1): np.zeros(2)}).simulated
    assert Values(columns, {Key("cons@k", 1): np.zeros(2), Key("cons@k", 2): np.array([0, 0.1])}).simulated
