"""Messages and errors: what they say, and that processes can exchange them."""

import copy
import io
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from cases import for_each

from at_k.errors import InputError, Message, spell_for_output

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


def test_what_is_printed_fits_standard_output(monkeypatch):
    assert spell_for_output("k ≥ 2") == "k ≥ 2"
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert spell_for_output("k ≥ 2") == r"k \u2265 2"
    monkeypatch.setattr(sys, "stdout", None)
    assert spell_for_output("k ≥ 2") == "k ≥ 2"
