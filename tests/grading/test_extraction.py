"""Answers in texts: the rules by name, regular expressions, functions."""

import json
import re
import unicodedata
from pathlib import Path

import pytest
from bounds import hold, timed
from cases import for_each

from at_k.columns import read_problems
from at_k.errors import InputError
from at_k.grading.extraction import (
    EXTRACTIONS,
    extract,
    extract_answers,
    extract_references,
    find_extraction,
    name_extraction,
)
from at_k.grading.replies import find_boxed, remove_thoughts
from at_k.grading.statements import find_final_answer, list_announced, list_tagged, read_value


@for_each("text, answer", [
    (r"so \boxed{5}", "5"), (r"\boxed{1} and \boxed{2}", "2"), (r"\boxed{\frac{1}{\sqrt{2}}}", r"\frac{1}{\sqrt{2}}"),
    (r"\boxed{\{1, 2\}}", r"\{1, 2\}"), (r"\boxed {5}", "5"), (r"\fbox{5}", "5"), (r"\boxed{\boxed{5}}", "5"),
    (r"\boxed{5} and then \boxed{6", "5"), ("} \\boxed{5} {", "5"), (r"\boxed{}", ""), ("5", None), (r"\boxed 5", "5"),
    (r"\boxed{5} or \boxed 1,250.", "1,250"), (r"\boxed x", "x"), (r"\boxed \sin", None), ("", None),
])  # fmt: skip
def test_the_last_complete_box_is_found(text, answer):
    assert find_boxed(text) == answer


@for_each("text, answer", [
    ("####18\n#### 19\n", "19"), ("The answer is 3.5 meters", "3.5 meters"), ("Therefore, the answer is **42**.", "42"),
    (r"Final Answer: The final answer is $\frac{1}{2}$. I hope it is correct.", r"$\frac{1}{2}$"),
    ("答案：巴黎", "巴黎"),
    ("Answer: 5\nAnswer:", "5"), ("So `Answer: 42`", "42"), ("`#### 18`", "18"), ("", None),
])  # fmt: skip
def test_the_last_announcement_is_found(text, answer):
    assert find_final_answer(text) == answer


WRITTEN = json.loads(
    (Path(__file__).parents[1] / "data" / "texts.json").read_text(encoding="utf-8")
)


@for_each("text, final, boxed, number, letter", WRITTEN["rules"])
def test_each_rule_finds_the_answer_or_nothing(text, final, boxed, number, letter):
    rules = {"final_answer": final, "boxed": boxed, "last_number": number, "choice": letter}
    for name, right in rules.items():
        assert extract(EXTRACTIONS[name], text, name, str) == right, name


@for_each("rule", [*EXTRACTIONS, r"is (\d+)", re.compile(r"is (?P<answer>\d+)")])
def test_every_rule_removes_thoughts_first(rule):
    find = find_extraction(rule)
    draft, text = r"Answer: 4, so it is \boxed{3}; it is B. It is 5", "it is 42"
    for whole in (
        f"<think>{draft}</think>{text}",
        f"{draft}\n</think>\n\n{text}",
        f"<thinking>{draft}</thinking>{text}",
    ):
        assert (find(whole) or "").strip() == (find(text) or "").strip()
    assert not find(f"<think>{draft}")


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
    assert name_extraction(find_boxed) == "at_k.grading.replies.find_boxed"


@for_each(
    "rule, fault",
    [("(a)(b)", "2 groups"), ("(", "missing \\), unterminated")],
)
def test_a_misspelled_name_is_noticed(rule, fault):
    message = rf"is neither a rule nor a regular expression .*\({fault}.*`extract_fn` takes 'text', 'boxed'"
    with pytest.raises(InputError, match=message) as caught:
        find_extraction(rule)
    assert caught.value.code == "extract.pattern"
    with pytest.raises(
        InputError, match=r"'last_numbr' is neither a rule nor .* Did you mean last_number"
    ):
        find_extraction("last_numbr")


def test_values_that_are_no_rules_are_refused():
    for rule in (5, b"(x)", re.compile(b"(x)")):
        with pytest.raises(TypeError, match="`extract_reference` must be"):
            find_extraction(rule, "extract_reference")


def read(*rows):
    return read_problems(answers=list(rows), references=["x"] * len(rows)).answers


def test_a_rule_is_applied_once_to_each_distinct_text():
    calls = []

    def rule(text):
        calls.append(text)
        return text[-1].strip()

    answers = extract_answers(read(["so 7", "is 7", None], ["so 7", "a "]), rule)
    assert sorted(calls) == ["a ", "is 7", "so 7"]
    shown = [answers.distinct[code] if code >= 0 else None for code in answers.codes.values]
    assert shown == ["7", "7", None, "7", None]  # an empty answer is none
    assert extract_references([("so 7", "7"), ("so 7",)], rule, "extract_fn", keep=True) == [
        ("7", "7"),
        ("7",),
    ]
    assert len(calls) == 5


@for_each(
    "rule",
    [
        "text",
        "boxed",
        "last_number",
        "choice",
        "final_answer",
        r"answer is (\d+)",
        r"#### ([\d,]+)",
    ],
)
def test_every_rule_understands_references_of_gsm8k(rule):
    solution = (
        "The answer is A plus B, $\\boxed{9}$: he sells 48 / 2 = <<48/2=24>>24 clips.\n#### 1,250"
    )
    references = [(solution,), ("#### 18\n",), ("x + 1",)]
    found = extract_references(references, find_extraction(rule), "extract_fn", keep=True)
    assert found == [("1,250",), ("18",), ("x + 1" if rule != "last_number" else "1",)]


def test_the_last_line_of_tests_is_no_reference_of_gsm8k():
    tests = ("assert f(1) == 1\n#### end",)
    assert extract_references([tests], EXTRACTIONS["code"], "extract_fn", keep=True) == [tests]


def test_a_reference_without_an_answer():
    references = [("#### 7",), ("8",)]
    assert extract_references(references, find_final_answer, "extract_fn", keep=True) == [
        ("7",),
        ("8",),
    ]
    with pytest.raises(InputError, match="finds none in '8', in problem 1") as caught:
        extract_references(references, find_final_answer, "extract_reference", keep=False)
    assert caught.value.code == "extract.reference"


def test_a_rule_that_fails_says_where():
    with pytest.raises(
        RuntimeError, match=r"`extract_fn` failed on the text 'b', in problem 1, sample 1: Zero"
    ) as got:
        extract_answers(read(["a"], ["a", "b"]), lambda text: 1 / 0 if text == "b" else text)
    assert isinstance(got.value.__cause__, ZeroDivisionError)
    with pytest.raises(
        TypeError, match=r"must return a string, or None .*; got 5 of .* in problem 0, sample 0"
    ):
        extract_answers(read(["a"]), lambda text: 5)


@for_each(
    "unit",
    [
        r"\boxed{",
        "{",
        "}",
        "answer is ",
        "#### ",
        "答案是",
        "answer:",
        " ",
        r"\boxed{a}",
        "<answer>",
    ],
)
def test_a_long_text_takes_seconds_at_most(unit):
    text = "answer" + unit * (100_000 // len(unit))
    hold(
        1, timed(lambda: (find_boxed(text), find_final_answer(text)))
    )  # linear: 0.1 s; quadratic: minutes


@for_each("text, rest", [
    ("", ""), ("I think so", "I think so"), ("<think>a</think>b", "b"), ("a</think>b", "b"), ("<think>a", ""),
    ("x <think>a</think>b", "x  b"), ("<think>a</think>draft</think>b", "b"), ("<think>a <think>b</think>c", "c"),
    ("<thinking>a</thinking>b", "b"), ("<think></think>b", "b"), ("<thinker>a", "<thinker>a"),
])  # fmt: skip
def test_thoughts_are_removed(text, rest):
    assert remove_thoughts(text) == rest


PEERS = json.loads(
    (Path(__file__).parents[1] / "data" / "peers" / "answers.json").read_text(encoding="utf-8")
)


@for_each("words", PEERS["simple_evals"])
@for_each("form", ["NFC", "NFD"])
def test_the_words_of_simple_evals(words, form):
    for between in ("", " ", "\n"):
        assert find_final_answer(unicodedata.normalize(form, f"6 + 1\n{words}{between}7")) == "7"


def test_a_part_of_a_word_is_not_the_word():
    assert find_final_answer("unanswer: 5") is None


def test_marks_are_listed_from_the_last_one_and_a_denial_ends_the_list():
    text = "#### 1\nAnswer: 2\nThe answer is 3.\n### Answer\n4"
    assert list(list_announced(text)) == [
        ("4", "heading"),
        ("3.", "said"),
        (" 2", "colon"),
        ("1", "hashes"),
    ]
    assert list(list_announced("Answer: 2. But the answer is not 2. Result: 3")) == []
    assert list(list_announced("Answer: 2. But the answer is not 2.\nResult: 3")) == [
        (" 3", "colon")
    ]
    assert list(list_tagged("<answer>1</answer> or <answer>2")) == ["2", "1"]


@for_each("rest, kind, answer", [
    ("5. So", "said", "5"), ("5. So", "hashes", "5. So"), ("in Rome", "said", None), ("in Rome", "colon", "in Rome"),
    ("42です", "asian", "42"), ("x{", "colon", None), ("“Rome”", "colon", "Rome"), ("5</b>", "tag", "5"),
])  # fmt: skip
def test_a_line_is_read_by_the_kind_of_its_mark(rest, kind, answer):
    assert read_value(rest, kind) == answer
