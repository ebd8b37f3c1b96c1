"""Messages and errors, which processes can exchange, and keys that are data."""

import copy
import json
import pickle
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context

import numpy as np
import pytest
from cases import for_each
from numpy.testing import assert_array_equal

from at_k.errors import InputError, Message
from at_k.values import Column, Key

SENTENCE = "k = {k} is more than n = {n:,}{place}."


def raise_error(n):
    raise InputError("k.large", SENTENCE, k=8, n=n, place=Message("k.place", " in row {row}", row=3))


def test_a_message_is_filled_in():
    message = Message("k.large", SENTENCE, k=8, n=4000, place="")
    assert str(message) == "k = 8 is more than n = 4,000."
    assert (message.code, message.sentence, message.values) == ("k.large", SENTENCE, {"k": 8, "n": 4000, "place": ""})
    assert repr(message) == "Message('k.large', 'k = 8 is more than n = 4,000.')"


def test_braces_of_a_sentence_are_doubled_and_those_of_a_value_are_not():
    assert str(Message("x", '{{"k": {value}}}', value="{n} %s {0}")) == '{"k": {n} %s {0}}'


@for_each("name", ["code", "sentence", "self", "values", "message"])
def test_values_may_have_any_name(name):
    sentence = "{" + name + "}"
    assert str(Message("x", sentence, **{name: 7})) == str(InputError("x", sentence, **{name: 7})) == "7"


def test_messages_are_equal_if_they_say_the_same():
    one = Message("x", "{a}", a=[1])
    assert one == Message("x", "{a}", a=[1])
    assert hash(one) == hash(Message("x", "{a}", a=[1]))
    assert one not in (Message("x", "{a}", a=[2]), Message("y", "{a}", a=[1]), Message("x", "{a}!", a=[1]), "[1]")


def test_an_error_is_a_value_error_with_a_message():
    with pytest.raises(ValueError, match=r"^k = 8 is more than n = 4 in row 3\.$") as caught:
        raise_error(4)
    error = caught.value
    assert error.args == (str(error),)
    assert error.message == Message("k.large", SENTENCE, **error.values)
    assert error.code == "k.large"
    assert (error.values["k"], error.values["place"].values) == (8, {"row": 3})


def test_a_file_is_named_before_the_sentence():
    error = InputError("k.large", SENTENCE, k=8, n=4, place="").in_file("a/b.csv")
    assert str(error) == "a/b.csv: k = 8 is more than n = 4."
    assert str(error.message) == "k = 8 is more than n = 4."
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


class SpecialError(InputError):
    """An error of a caller."""


@for_each("kind", [InputError, SpecialError])
@for_each("remake", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_errors_can_be_copied(remake, kind):
    error = kind("k.large", SENTENCE, k=[8], n=4, place=Message("k.place", ""))
    again = remake(error)
    assert type(again) is kind
    assert str(again) == str(error)
    assert again.message == error.message
    assert again.args == error.args


def test_messages_can_be_copied():
    message = Message("x", "{a}", a=[1])
    assert copy.deepcopy(message) == pickle.loads(pickle.dumps(message)) == message


def test_an_error_comes_back_from_another_process():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        error = processes.submit(InputError("x", "{a}", a=1).in_file, "f").result()
        assert (str(error), error.code, error.values) == ("f: 1", "x", {"a": 1})


# Keys and columns


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
