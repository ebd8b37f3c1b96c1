"""Answers in texts: the rules by name, regular expressions, functions."""

import re

import pytest
from bounds import hold, timed
from cases import for_each

from at_k.errors import InputError
from at_k.grading.extraction import (
    EXTRACTIONS,
    extract_answers,
    extract_references,
    find_boxed,
    find_extraction,
    find_final_answer,
    name_extraction,
)
from at_k.problems import Problems


@for_each(
    "text, answer",
    [
        (r"so \boxed{5}", "5"),
        (r"\boxed{1} and \boxed{2}", "2"),
        (r"\boxed{\frac{1}{\sqrt{2}}}", r"\frac{1}{\sqrt{2}}"),
        (r"\boxed{\{1, 2\}}", r"\{1, 2\}"),
        (r"\boxed {5}", "5"),
        (r"\fbox{5}", "5"),
        (r"\boxed{\boxed{5}}", "5"),
        (r"\boxed{5} and then \boxed{6", "5"),  # cut off
        ("} \\boxed{5} {", "5"),
        (r"\boxed{}", ""),
        ("5", None),
        (r"\boxed 5", None),
        ("", None),
    ],
)
def test_boxed(text, answer):
    assert find_boxed(text) == answer


@for_each(
    "text, answer",
    [
        ("9 * 2 = 18\n#### 18", "18"),
        ("####18\n#### 19\n", "19"),
        ("The answer is 42. I hope it is correct.", "42"),
        (r"Final Answer: The final answer is $\frac{1}{2}$. I hope it is correct.", r"$\frac{1}{2}$"),
        ("The answer is 3.5 meters", "3.5 meters"),
        ("**Answer:** 5", "5"),
        ("Therefore, the answer is **42**.", "42"),
        ("The answer is \\boxed{5}.", "5"),
        ("The answer is:\n\n42", "42"),
        ("答案是12。", "12"),
        ("答案：巴黎", "巴黎"),
        ("Answer: 5\nAnswer:", "5"),
        ("I do not know.", None),
        ("", None),
    ],
)
def test_final_answer(text, answer):
    assert find_final_answer(text) == answer


def test_a_string_is_a_name_or_a_regular_expression_with_a_group():
    for name, rule in EXTRACTIONS.items():
        assert find_extraction(name) is rule
        assert name_extraction(name) == name
    assert find_extraction(None) is None
    assert find_extraction(r"<a>(.*?)</a>")("<a>1</a><a>2</a>") == "2"
    assert find_extraction(r"(\d+) of (?P<answer>\d+)")("3 of 4") == "4"
    assert find_extraction(re.compile("Answer: (.)", re.IGNORECASE))("answer: C") == "C"
    assert find_extraction("(x)|y")("y") is None
    assert find_extraction("(x)")("y") is None
    assert name_extraction("(x)") == "'(x)'"
    assert name_extraction(re.compile("(x)")) == "'(x)'"
    assert name_extraction(find_boxed) == "at_k.grading.extraction.find_boxed"


@for_each("rule, code", [("last_numbr", "extract.groups"), ("(a)(b)", "extract.groups"), ("(", "extract.pattern")])
def test_a_misspelled_name_is_noticed(rule, code):
    with pytest.raises(InputError, match="`extract_fn` must be one of 'text', 'boxed', 'last_number'") as caught:
        find_extraction(rule)
    assert caught.value.code == code


def test_what_is_no_rule():
    for rule in (5, b"(x)", re.compile(b"(x)")):
        with pytest.raises(TypeError, match="`extract_reference` must be"):
            find_extraction(rule, "extract_reference")


def read(*rows):
    return Problems.read(answers=list(rows), references=["x"] * len(rows)).answers


def test_a_rule_is_applied_once_to_each_distinct_text():
    calls = []

    def rule(text):
        calls.append(text)
        return text[-1].strip()

    answers = extract_answers(read(["so 7", "is 7", None], ["so 7", "a "]), rule)
    assert sorted(calls) == ["a ", "is 7", "so 7"]
    shown = [answers.distinct[code] if code >= 0 else None for code in answers.codes.values]
    assert shown == ["7", "7", None, "7", None]  # an empty answer is none
    assert extract_references([("so 7", "7"), ("so 7",)], rule, "extract_fn", keep=True) == [("7", "7"), ("7",)]
    assert len(calls) == 5


def test_a_reference_without_an_answer():
    references = [("#### 7",), ("8",)]
    assert extract_references(references, find_final_answer, "extract_fn", keep=True) == [("7",), ("8",)]
    with pytest.raises(InputError, match="finds none in '8', in problem 1") as caught:
        extract_references(references, find_final_answer, "extract_reference", keep=False)
    assert caught.value.code == "extract.reference"


def test_a_rule_that_fails_says_where():
    with pytest.raises(RuntimeError, match=r"`extract_fn` failed on the text 'b', in problem 1, sample 1: Zero") as got:
        extract_answers(read(["a"], ["a", "b"]), lambda text: 1 / 0 if text == "b" else text)
    assert isinstance(got.value.__cause__, ZeroDivisionError)
    with pytest.raises(TypeError, match=r"must return a string, or None .*; got 5 of .* in problem 0, sample 0"):
        extract_answers(read(["a"]), lambda text: 5)


@for_each("unit", [r"\boxed{", "{", "}", "answer is ", "#### ", "答案是", "answer:", " ", r"\boxed{a}"])
def test_a_megabyte_takes_seconds_at_most(unit):
    text = "answer" + unit * (1_000_000 // len(unit))
    hold(10, timed(lambda: (find_boxed(text), find_final_answer(text))))  # linear: 1 s; quadratic: hours
