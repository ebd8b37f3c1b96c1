"""The checkers of texts, numbers and letters: exact_match, quasi_exact, numeric, choice."""

import json
import re
import string
from fractions import Fraction
from pathlib import Path

import pytest
from cases import for_each
from hypothesis import given, strategies as st

from at_k.errors import InputError
from at_k.grading.checkers import checkers

WRITTEN = json.loads(
    (Path(__file__).parents[2] / "data" / "texts.json").read_text(encoding="utf-8")
)


@for_each("name", ["exact_match", "quasi_exact", "numeric", "choice"])
def test_answers_that_are_right_and_wrong(name):
    check = checkers[name]()
    assert [pair for pair in WRITTEN[f"{name} right"] if check(*pair) is not True] == []
    assert [pair for pair in WRITTEN[f"{name} wrong"] if check(*pair) is not False] == []


def test_words_have_the_normalisation_of_squad():
    """The steps of the official script (https://rajpurkar.github.io/SQuAD-explorer), on texts that keep a word."""
    for text in (
        "The cat -- a 'fine' one -- sat.",
        "An-other day, another $5.00",
        "x the y a z an",
        "one_two",
    ):
        plain = "".join(each for each in text.lower() if each not in string.punctuation)
        squad = " ".join(re.sub(r"\b(a|an|the)\b", " ", plain).split())
        assert checkers.quasi_exact().normalize(text) == squad


@for_each("options, answer, reference, right", [
    ({"rel_tol": 0.1}, "1.1", "1", True), ({"rel_tol": 0.1}, "1.10000000000000000001", "1", False),
    ({"abs_tol": 0.3}, "0.3", "0", True), ({"rel_tol": 0}, "0.333333333333", "1/3", False),
    ({"rel_tol": 1e-3}, "1000", "1001", True), ({"rel_tol": 0.5}, "-1", "1", False),
    ({"rel_tol": 0.5}, "50", "-100", False),
])  # fmt: skip
def test_tolerances(options, answer, reference, right):
    assert checkers.numeric(**options)(answer, reference) is right


@given(a=st.fractions(), b=st.fractions(), tolerance=st.sampled_from([0.0, 0.1, 0.5, 1e-3]))
def test_numbers_are_compared_as_fractions(a, b, tolerance):
    near = abs(a - b) <= Fraction(str(tolerance)) * abs(b)
    assert checkers.numeric(rel_tol=tolerance)(str(a), str(b)) is near


@for_each("name, options, error", [
    ("numeric", {"rel_tol": -1}, ValueError), ("numeric", {"abs_tol": float("nan")}, ValueError),
    ("numeric", {"abs_tol": float("inf")}, ValueError), ("numeric", {"rel_tol": "0.1"}, TypeError),
    ("numeric", {"abs_tol": None}, TypeError), ("numeric", {"tolerance": 1}, TypeError),
    *(("choice", {"letters": wrong}, InputError) for wrong in ("", "A1", 5, "Ä")),
])  # fmt: skip
def test_options_that_cannot_be_used(name, options, error):
    with pytest.raises(error, match=r"`(rel_tol|abs_tol|letters)` must be|tolerance"):
        checkers[name](**options)


def test_letters_beyond_those_of_the_question_are_words():
    assert checkers.choice(letters="abcd")("Answer: E", "A") is False
    assert checkers.choice(letters="ABCD") == checkers.choice(letters="abcd")
    assert checkers.choice(letters="ABCDEFGHIJKLMNOP")("The answer is P.", "P") is True
