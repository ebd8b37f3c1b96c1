"""The checker `choice`: option letters, and the texts of options."""

import pytest
from cases import for_each

from at_k.errors import InputError
from at_k.grading.checkers import checkers


@for_each(
    "answer, reference, right",
    [
        ("The answer is (C).", "C", True),
        ("**C**", "C", True),
        ("C)", "(C)", True),
        ("答案是 C", "C", True),
        ("c", "C", True),
        ("The answer is (C).", "B", False),
        ("I considered B, but the answer is C", "B", False),
        ("(C) Paris", "Paris", True),
        ("C. Paris", "C) Paris", True),
        ("The answer is Paris.", "(C) Paris", True),
        ("Paris", "paris", True),
        ("B. Paris", "(C) Paris", False),  # the letters contradict each other, and decide
        ("London", "(C) Paris", False),
        ("It may be A or B", "A", False),
        ("", "A", False),
        ("The answer is B or C", "B", False),
        ("A、B", "A", False),
        ("故选：D", "D", True),
        ("A、北京", "A.北京", True),
        ("B.巴黎", "巴黎", True),
        ("北京", "A、北京", True),
        ("-5", "B) 5", False),
        ("−5", "B) -5", True),
        ("$-5$", "-5.", True),
        ("-5", "5", False),
        ("3-5", "-35", False),
        ("1.5", "15", False),
        (".5", "5", False),
        ("1,5", "15", False),
        ("1,000", "1000", True),
        ("5%", "5", False),
        ("x+1", "B) x-1", False),
        ("x-1", "B) x-1", True),
        ("C++", "c", False),
        ("2*x", "2x", False),
        ("**Paris**", "C) Paris", True),
        ("- Paris", "C) Paris", True),
        ("e-mail", "B) email", True),
        ("the east/west line", "B) East/West Line.", True),
        ("Paris", "C", False),  # which option Paris is cannot be known
    ],
)
def test_choice(answer, reference, right):
    assert checkers.choice()(answer, reference) is right


def test_letters_beyond_those_of_the_question_are_words():
    assert checkers.choice(letters="abcd")("Answer: E", "A") is False
    assert checkers.choice(letters="ABCD") == checkers.choice(letters="abcd")
    assert checkers.choice(letters="ABCDEFGHIJKLMNOP")("The answer is P.", "P") is True
    for wrong in ("", "A1", 5, "Ä"):
        with pytest.raises(InputError, match="`letters` must be a string of letters"):
            checkers.choice(letters=wrong)
