"""Messages and errors, which processes can exchange, and keys that are data."""

import copy
import json
import pickle
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context

import numpy as np
from cases import for_each
from numpy.testing import assert_array_equal

from at_k.errors import InputError, Message
from at_k.values import Column, Key

SENTENCE = "k = {k} is more than n = {n:,}{place}."


def test_a_message_is_filled_in():
    message = Message("k.large", SENTENCE, k=8, n=4000, place="")
    assert str(message) == "k = 8 is more than n = 4,000."
    assert (message.code, message.sentence, message.values) == ("k.large", SENTENCE, {"k": 8, "n": 4000, "place": ""})
    assert repr(message) == "Message('k.large', 'k = 8 is more than n = 4,000.')"
    # Braces of a sentence are doubled, and those of a value are not.
    assert str(Message("x", '{{"k": {value}}}', value="{n} %s {0}")) == '{"k": {n} %s {0}}'


@for_each("name", ["code", "sentence", "self", "values", "message"])
def test_values_may_have_any_name(name):
    sentence = "{" + name + "}"
    assert str(Message("x", sentence, **{name: 7})) == str(InputError("x", sentence, **{name: 7})) == "7"


def test_messages_are_equal_if_they_say_the_same():
    one = Message("x", "{a}", a=[1])
    assert one == Message("x", "{a}", a=[1]) == copy.deepcopy(one) == pickle.loads(pickle.dumps(one))
    assert hash(one) == hash(Message("x", "{a}", a=[1]))
    assert one not in (Message("x", "{a}", a=[2]), Message("y", "{a}", a=[1]), Message("x", "{a}!", a=[1]), "[1]")


def test_an_error_is_a_value_error_with_a_message_and_names_its_file():
    error = InputError("k.large", SENTENCE, k=8, n=4, place=Message("k.place", " in row {row}", row=3))
    assert isinstance(error, ValueError)
    assert error.args == (str(error),) == ("k = 8 is more than n = 4 in row 3.",)
    assert error.message == Message("k.large", SENTENCE, **error.values)
    assert (error.code, error.values["k"], error.values["place"].values) == ("k.large", 8, {"row": 3})
    of_file = InputError("k.large", SENTENCE, k=8, n=4, place="").in_file("a/b.csv")
    assert str(of_file) == str(pickle.loads(pickle.dumps(of_file))) == "a/b.csv: k = 8 is more than n = 4."
    assert str(of_file.message) == "k = 8 is more than n = 4."


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
    for other in (copy.copy(key), copy.deepcopy(key), *(pickle.loads(pickle.dumps(key, each)) for each in range(2, 6))):
        assert (other, other.metric, other.k, other.tau, other.line) == (text, key.metric, key.k, key.tau, line)
        assert type(other) is Key


def test_columns_of_values_and_of_levels():
    column = Column.of([1, 0, 0.5])
    assert_array_equal(column.expand(), [1, 0, 0.5])
    assert (len(column), column.levels.dtype, column.which) == (3, np.float64, None)
    column = Column(np.array([0.25, 1.0]), np.array([1, 0, 0, 1, 1]))
    assert_array_equal(column.expand(), [1, 0.25, 0.25, 1, 1])
    assert len(column) == 5
