"""The checkers of texts, numbers and letters: exact_match, quasi_exact, numeric, choice."""

import re
import string
from fractions import Fraction

import pytest
from cases import for_each
from hypothesis import given, strategies as st

from at_k.errors import InputError
from at_k.grading.checkers import checkers

SAME = {
    "exact_match": [
        ("42", "42"), (" 42\n", "42\t"), ("", " "),
    ],
    "quasi_exact": [
        ("The Eiffel Tower.", "eiffel tower"), ("  an   apple ", "Apple"), ("“Paris”", "paris"), ("巴黎。", "巴黎"),
        ("U.S.", "us"), ("A", "a"), ("the", "The!"), ("Vitamin A", "vitamin a"),
    ],
    "numeric": [
        ("1,234", "1234"), ("$1,234.50", "1234.5"), ("50\\%", "1/2"), ("５０％", "0.5"), ("1½", "3/2"),
        ("1\\frac{1}{2}", "1.5"), ("1.2e3", "1200"), ("2×10⁸", "200000000"), ("x + 1", "x + 1"), ("x + 1", " x + 1 "),
        ("1/0", "1/0"), ("0.333333", "1/3"), ("1234567890.1", "1234567890.2"),
    ],
    "choice": [
        ("The answer is (C).", "C"), ("**C**", "C"), ("C)", "(C)"), ("答案是 C", "C"), ("c", "C"),
        ("(C) Paris", "Paris"), ("C. Paris", "C) Paris"), ("The answer is Paris.", "(C) Paris"),
        ("Paris", "paris"), ("故选：D", "D"),
        ("A、北京", "A.北京"), ("B.巴黎", "巴黎"), ("北京", "A、北京"), ("−5", "B) -5"), ("$-5$", "-5."),
        ("1,000", "1000"), ("x-1", "B) x-1"), ("**Paris**", "C) Paris"), ("- Paris", "C) Paris"),
        ("e-mail", "B) email"),
        ("the east/west line", "B) East/West Line."),
    ],
}  # fmt: skip
DIFFERENT = {
    "exact_match": [
        ("4 2", "42"), ("42.0", "42"), ("A", "a"),
    ],
    "quasi_exact": [
        ("A", "B"), ("A", "An"), ("A", ""), ("+", "-"), ("", "the"), ("another", "other"), ("Straße", "Strasse"),
    ],
    "numeric": [
        ("50%", "50"), ("-5", "5"), ("1.5", "15"), ("18 eggs", "18"), ("1/0", "0"), ("0.333", "1/3"),
        ("1234567890", "1234567891"),
    ],
    "choice": [
        ("The answer is (C).", "B"), ("I considered B, but the answer is C", "B"), ("B. Paris", "(C) Paris"),
        ("London", "(C) Paris"), ("It may be A or B", "A"), ("", "A"), ("The answer is B or C", "B"), ("A、B", "A"),
        ("-5", "B) 5"), ("-5", "5"), ("3-5", "-35"), ("1.5", "15"), (".5", "5"), ("1,5", "15"), ("5%", "5"),
        ("x+1", "B) x-1"), ("C++", "c"), ("2*x", "2x"), ("Paris", "C"),
    ],
}  # fmt: skip
"""Answers with references. The letters of "B. Paris" and "(C) Paris" contradict each other, and decide. Which option
Paris is cannot be known beside "C". Whole numbers are not rounded, and extraction finds numbers in texts."""


@for_each("name", SAME)
def test_answers_that_are_right_and_wrong(name):
    check = checkers[name]()
    assert [pair for pair in SAME[name] if check(*pair) is not True] == []
    assert [pair for pair in DIFFERENT[name] if check(*pair) is not False] == []


def test_words_have_the_normalisation_of_squad():
    """The steps of the official script (https://rajpurkar.github.io/SQuAD-explorer), on texts that keep a word."""
    for text in ("The cat -- a 'fine' one -- sat.", "An-other day, another $5.00", "x the y a z an", "one_two"):
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
