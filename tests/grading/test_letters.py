"""The option letter that a text settles on."""

import json
from pathlib import Path

from bounds import hold, timed
from cases import for_each

from at_k.grading.statements import find_letter, read_option

WRITTEN = json.loads(
    (Path(__file__).parents[1] / "data" / "texts.json").read_text(encoding="utf-8")
)


@for_each("letter, texts", list(WRITTEN["letters"].items()))
def test_a_text_settles_on_a_letter_or_on_none(letter, texts):
    assert [text for text in texts if (find_letter(text) or "") != letter] == []


def test_letters_can_be_chosen():
    assert find_letter("Answer: E", "ABCD") is None
    assert find_letter("Answer: Z", "XYZ") == "Z"


@for_each("text, option", [
    ("C", ("C", "")), ("(C) Paris", ("C", "Paris")), ("c", ("C", "")), ("Paris", (None, "Paris")), ("", (None, "")),
    ("A、北京", ("A", "北京")), ("A.北京", ("A", "北京")),
])  # fmt: skip
def test_a_reference_has_a_letter_a_text_or_both(text, option):
    assert read_option(text) == option


@for_each(
    "unit",
    [
        r"\boxed{",
        "(A)",
        "answer is ",
        "A\n",
        " ",
        "*",
        "答案是",
        "option ",
        "C is ",
        "\n",
        "A, ",
        "B or ",
        "A是",
    ],
)
def test_a_long_text_takes_seconds_at_most(unit):
    text = "answer " + unit * (100_000 // len(unit))
    hold(5, timed(lambda: find_letter(text)))  # linear: up to 1 s; quadratic: minutes
