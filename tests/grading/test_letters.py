"""The option letter that a text settles on."""

from bounds import hold, timed
from cases import for_each

from at_k.grading.letters import find_letter, read_option


@for_each(
    "text, letter",
    [
        ("The answer is (C).", "C"),
        ("**C**", "C"),
        ("C)", "C"),
        ("(c)", "C"),
        ("c", "C"),
        ("答案是 C", "C"),
        ("答案：Ｃ", "C"),
        ("正确答案是B选项", "B"),
        ("故选C。", "C"),
        ("Answer: C", "C"),
        ("**Answer:** C", "C"),
        ("**Answer**: C", "C"),
        ("The correct option is C", "C"),
        ("The answer is:\n\n(C)", "C"),
        (r"\boxed{C}", "C"),
        (r"$\boxed{\text{(C)}}$", "C"),
        (r"The answer is: \( \boxed{B} \)", "B"),
        ("<answer>C</answer>", "C"),
        ("C. Paris", "C"),
        ("(C) Paris", "C"),
        ("A. one\nB. two\nSo the answer is B", "B"),
        ("The answer is A. Wait, no: the answer is B.", "B"),
        ("Option A is wrong. Option C is correct.", "C"),
        ("The answer is not A but B. B is correct.", "B"),
        ("I would go with D.", "D"),
        ("The answer is A because it rains", "A"),
        ("I think about it ...\n\nD", "D"),
        ("The best answer is **D**.", "D"),
        ("So the final answer is: **(B) 12 apples**", "B"),
        ("Only (B) fits, as (B) is even", "B"),
        ("故选：D", "D"),
        ("选择：A", "A"),
        ("选项A正确", "A"),
        ("A是对的", "A"),
        ("A选项是正确的", "A"),
        ("B.巴黎", "B"),
        ("A、北京", "A"),
        ("The answer is A and B is wrong", "A"),
        ("The answer is A, B is wrong.", "A"),
        ("答案是A，B是错的", "A"),
        ("The answer is C, not B", "C"),
        ("The answer is B, and I am sure", "B"),
        ("The answer is B, (B).", "B"),
        ("Choose A, B or C.\n\nB", "B"),
        ("The answer is B or C. On reflection, the answer is C.", "C"),
        ("The answer is " + "of use " * 50 + "C is correct", "C"),
    ],
)
def test_letters(text, letter):
    assert find_letter(text) == letter


@for_each(
    "text",
    [
        "",
        "the answer is a dog",
        "A dog",
        "Vitamin C",
        "Answer: I think it is",
        "It may be (A) or (B)",
        "A. one\nB. two\nC. three",
        "The answer is not (A)",
        "It isn't (A)",
        "the answer is C-reactive protein",
        "The answer is Z",
        "C++",
        "Paris",
        "The answer is B or C",
        "The answer is B, C or D",
        "The answer is (B) or (C).",
        "Answer: A/B",
        "Answer: **A** / **B**",
        "Answer: A, B, C, D",
        "请选择A、B",
        "答案是A和B",
        r"\boxed{B, C}",
        r"\boxed{A} and \boxed{B}",
        "The answer is B. Or is it? The answer is A or B.",
        "B or C is correct",
        "B和C正确",
        "option B or C",
        "The answer is option B or option C",
        "The answer is A or B",
        "A是不对的",
        "A不正确",
        "The answer is" + " " * 3 + "x" * 300 + " C",
    ],
)
def test_texts_that_settle_on_none(text):
    assert find_letter(text) is None


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
