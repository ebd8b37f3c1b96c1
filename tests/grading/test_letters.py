"""The option letter that a text settles on."""

from bounds import hold, timed
from cases import for_each

from at_k.grading.letters import find_letter, read_option

TEXTS = {
    "A": [
        "The answer is A because it rains", "选择：A", "选项A正确", "A是对的", "A选项是正确的", "A、北京",
        "The answer is A and B is wrong", "The answer is A, B is wrong.", "答案是A，B是错的",
    ],
    "B": [
        "I'd go with b.", "正确答案是B选项", r"The answer is: \( \boxed{B} \)", "A. one\nB. two\nSo the answer is B",
        "The answer is A. Wait, no: the answer is B.", "The answer is not A but B. B is correct.",
        "So the final answer is: **(B) 12 apples**", "Only (B) fits, as (B) is even", "B.巴黎",
        "The answer is B, and I am sure", "The answer is B, (B).", "Choose A, B or C.\n\nB",
    ],
    "C": [
        "The answer is (C).", "**C**", "C)", "(c)", "c", "the answer is c.", "So the final answer is **c**!",
        "the correct option is (c)", "It's c.", "정답은 B가 아니라 C입니다", "C est la bonne réponse.",
        "答案是 C", "答案：Ｃ", "故选C。", "Answer: C", "**Answer:** C", "**Answer**: C", "The correct option is C",
        "The answer is:\n\n(C)", r"\boxed{C}", r"$\boxed{\text{(C)}}$", "<answer>C</answer>", "C. Paris",
        "(C) Paris", "Option A is wrong. Option C is correct.", "The answer is C, not B",
        "The answer is B or C. On reflection, the answer is C.",
        "The answer is " + "of use " * 50 + "C is correct",
    ],
    "D": [
        "It is obviously d.", "Obviously D.", "Die richtige Antwort ist D.", "I would go with D.",
        "I think about it ...\n\nD", "The best answer is **D**.", "故选：D",
    ],
    None: [
        "the answer is a dog.", "It is not c.", "It's a pity.", "", "the answer is a dog", "obviously d.",
        "the distance is clearly d.", "Therefore, d.", "so a.", "A dog", "Vitamin C", "Answer: I think it is",
        "It may be (A) or (B)", "A. one\nB. two\nC. three", "The answer is not (A)", "It isn't (A)",
        "the answer is C-reactive protein", "The answer is Z", "C++", "Paris", "The answer is B or C",
        "The answer is B, C or D", "The answer is (B) or (C).", "Answer: A/B", "Answer: **A** / **B**",
        "Answer: A, B, C, D", "请选择A、B", "答案是A和B", r"\boxed{B, C}", r"\boxed{A} and \boxed{B}",
        "The answer is B. Or is it? The answer is A or B.", "B or C is correct", "B和C正确", "option B or C",
        "The answer is option B or option C", "The answer is A or B", "A是不对的", "A不正确",
        "The answer is" + " " * 3 + "x" * 300 + " C",
    ],
}  # fmt: skip
"""Texts by the letter that they settle on."""


@for_each("letter", TEXTS)
def test_letters(letter):
    assert [text for text in TEXTS[letter] if find_letter(text) != letter] == []


def test_letters_can_be_chosen():
    assert find_letter("Answer: E", "ABCD") is None
    assert find_letter("Answer: Z", "XYZ") == "Z"


@for_each(
    "text, option",
    [
        ("C", ("C", "")),
        ("(C) Paris", ("C", "Paris")),
        ("c", ("C", "")),
        ("Paris", (None, "Paris")),
        ("", (None, "")),
        ("A、北京", ("A", "北京")),
        ("A.北京", ("A", "北京")),
    ],
)
def test_references(text, option):
    assert read_option(text) == option


@for_each(
    "unit",
    [r"\boxed{", "(A)", "answer is ", "A\n", " ", "*", "答案是", "option ", "C is ", "\n", "A, ", "B or ", "A是"],
)
def test_a_long_text_takes_seconds_at_most(unit):
    text = "answer " + unit * (200_000 // len(unit))
    hold(10, timed(lambda: find_letter(text)))  # linear: up to 2 s; quadratic: minutes
