"""Cases of other libraries' own tests: what they take for right and wrong, and why verdicts differ where they do."""

import json
from pathlib import Path

import pytest
from cases import for_each

from at_k.grading.checkers import checkers
from at_k.grading.extraction import EXTRACTIONS
from at_k.grading.numbers import find_last_number
from at_k.grading.workers import grade_pairs

DATA = Path(__file__).parents[1] / "data" / "peers"

math = pytest.mark.xdist_group("math")

DIFFERENCES = {
    # A comma before other than three digits separates the members of a list, as in LaTeX. Their parser of plain text
    # takes it for a decimal point.
    ("1000.99", "1000,99"): False,
    ("1,22", "1.22"): False,
    # m² is written as m^{2}, a factor; they drop what follows the number.
    ("1000.99", "not it's not 10 it's 1,000.99m²"): False,
    # Their case is of a parser that reads LaTeX alone. `math` reads plain text too, and finds the 9.
    ("$9$", "Answer $ \n 9 \n $"): True,
    ("$9$", "Answer \\( \n 9 \n \\)"): True,
    # "and" between two equations cannot be read; they read the number at the end of one of them.
    ("\\\\boxed{W(n) = 1 \\\\text{ and } W(n) = -1", "W(x)=1orW(x)=-1"): False,
}


@math
def test_the_cases_of_math_verify():
    lines = (DATA / "math_verify.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines[1:]]
    assert len(cases) > 200
    found = grade_pairs(checkers.math(), [(answer, reference) for reference, answer, _ in cases])
    differ = {
        (reference, answer): getattr(grade, "grade", grade)
        for (reference, answer, right), grade in zip(cases, found, strict=True)
        if getattr(grade, "grade", grade) is not right
    }
    assert differ == DIFFERENCES


OWN = json.loads((DATA.parent / "answers.json").read_text(encoding="utf-8"))

OWN_DIFFERENCES = {
    (r"0.\overline{3}", r"\frac13"),  # Math-Verify does not read the bar: not compared
    ("P", "p"),  # one letter alone may be the letter of an option
    (r"\tan 45^\circ", "1"),  # Math-Verify reads 45 radians
    (r"\sqrt{-1}", "i"),  # Math-Verify takes i for a variable
}


@math
def test_pairs_written_before_the_code_was_read():
    for name in ("math", "numeric", "choice"):
        pairs = [(answer, reference) for answer, reference, _ in OWN[name]]
        checker = checkers[name]()
        grades = checker.grade_all(pairs) if checker.slow else [checker(*pair) for pair in pairs]
        differ = {
            pair
            for pair, grade, (*_, right) in zip(pairs, grades, OWN[name], strict=True)
            if getattr(grade, "grade", grade) is not right
        }
        assert differ == (OWN_DIFFERENCES if name == "math" else set())


def test_texts_written_before_the_code_was_read():
    assert [case for case in OWN["extract"] if EXTRACTIONS[case[0]](case[1]) != case[2]] == []


# github.com/NVIDIA/NeMo-Skills at 0b012df, tests/test_math_equal.py. Each holds in both orders.
SAME = [
    ("5", "5"), ("5", "5.0"), ("1/2", "0.5"), (r"\frac{1}{2}", "0.5"), (r"918\frac{1}{2}", "918.5"),
    ("x^2+2x+1", "x^2 + 2*x + 1"), ("x^2+2x+1", "x^2 + 2*x - (-1)"), ("y = x^2+2x+1", "2x+ 1+x^2"),
    ("E", r"\mathrm{E}"), ("A", r"\textbf{A}"), ("f'", "f'"), ("185", "185\\"), ("185\\", "185\\"),
    (".185", "0.185"), (r"\frac {1}{2}", "0.5"), (r"17\text{ any text}", "17"), (r"\$10", "10"), ("10%", "10"),
    (r"10\%", "10"), ("2.5", r"\frac{5}{2}"), (r"\frac{1}{3}", r"\dfrac{1}{3}"), ("(r+5)(r+5)", "(r+5)^2"),
    (r"\frac{\sqrt{3}}{3}", r"\frac{\sqrt{3}}{3} \approx 0.577"),
    (r"\begin{pmatrix}0&0&0\\0&1&0\\0&0&1\end{pmatrix}",
     r"\begin{bmatrix} 0 & 0 & 0 \\ 0 & 1 & 0 \\ 0 & 0 & 1 \end{bmatrix}"),
]  # fmt: skip
OTHER = [
    ("5", "5.001"),
    ("x^2+2x+1", "x^3+2x+1"),
    ("odd", r"\text{oddd}"),
    ("E", r"\mathrm{E}*2"),
    (r"\sqrt{67},-\sqrt{85}", r"\sqrt{67}"),
]


@math
def test_the_cases_of_nemo_skills():
    for pairs, right in ((SAME, True), (OTHER, False)):
        both = [*pairs, *((second, first) for first, second in pairs)]
        assert [
            pair
            for pair, grade in zip(both, grade_pairs(checkers.math(), both), strict=True)
            if getattr(grade, "grade", grade) is not right
        ] == []


# github.com/huggingface/lighteval at 3fd1526, tests/unit/metrics/test_extractive_match.py: reference, answer, verdict.
@for_each(
    "reference, answer, right",
    [
        ("C", "thinking about it I think the correct answer is C", True),
        ("B", "Let's think step by step. It's not A because it doesn't make sense, therefore I think it's B", True),
        ("D", "The answer is for sure D, it can't be A or B", True),
        ("D", "The answer: D, it doesn't make sense for it to be A or B", True),
        ("D", "D. it can't be A or B", True),
        ("(D) Alina", "D", True),
        ("(A) Cecile", "C", False),
        ("C", "réponse est C non A", True),
        ("B", "B。 不是 A", True),
        ("B", "B。不是 A", True),
        # True there. A letter before a word, without a mark, may be a word: "A Peter". Nothing is found.
        ("C Cecile", "C", False),
        ("Alina and the answer is\n(C) Cecile", "C", False),  # extract_reference="choice" finds the letter of a text
        ("Alina and the answer is\nC Cecile", "C", False),
        ("A Peter\nCelina bum", "A", False),
        ("B", "B不是 A", False),
    ],
)
def test_the_letters_of_lighteval(reference, answer, right):
    assert checkers.choice()(answer, reference) is right


# The same file; of long texts the last sentence, in which the number is.
@for_each(
    "number, text",
    [
        ("13", "所以一共有3 + 10 = 13只鸟和鹳鸟。"),
        ("3", "因此，瑞秋的数学作业比阅读作业多 **3页**。"),
        ("858", "因此，弗兰克一共有**858颗**糖果。 "),
        ("192", "因此，杰西开始慢跑前的体重是192公斤。 "),
        ("92", "لذا، ناتج العملية الحسابية 79 * 2 - 66 هو **92**."),
        ("25%", "est de **25%**."),
        ("105", "réponse est (35 + 70 = 105)."),
        ("79", "Donc, il a déjà 79 g de cire."),
        ("70", "Le coût final est donc de 100 - 30 = 70"),
        ("13/28", "计划的比例为13/28"),
        ("67", "इसलिए, दुकान में अब 67 कमीजें हैं। "),
        ("0", "So the os then when we 9/3 we get 8 so the answer is 0"),
        ("1", "how many $? just about 1$"),
        ("1", "so $x+y = 1000$ therefore answer is $1$"),
        ("4000", " 地块面积 = 72000 / 18 = 4000千克"),
        ("300", "因此，水池中水将在300分钟内被放完。"),
        (
            "12",
            "Réponse: Janeth aura encore 220 $ à payer d'ici 12 mois.",
        ),  # 220 there: they take the first after "Réponse"
    ],
)
def test_the_numbers_of_lighteval(number, text):
    assert find_last_number(text) == number
