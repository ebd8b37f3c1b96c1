"""The checker `math`: verdicts, and that they are the same wherever it is called."""

import asyncio
import json
import threading
from pathlib import Path

import pytest
from cases import for_each

import at_k
from at_k.grading.checkers import checkers
from at_k.grading.checkers.math import prepare_text
from at_k.grading.workers import NotGraded, grade_pairs

QWEN = Path(__file__).parents[3] / "examples" / "data" / "qwen25_math.jsonl"

pytestmark = pytest.mark.xdist_group("math")  # its workers import SymPy once

VERDICTS = {
    (r"\frac{1}{2}", "0.5"): True,
    ("½", "0.5"): True,
    ("１２", "12"): True,
    (r"50\%", "0.5"): True,
    (r"(x+1)^2", "x^2+2x+1"): True,
    (r"\{1, 2\}", r"\{2, 1\}"): True,
    ("(1,2)", "[1,2]"): False,
    (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}"): True,
    (r"\boxed{5}", "5"): True,
    (r"The answer is $\frac{1}{2}$.", "1/2"): True,
    ("x = 5", "5"): True,
    ("1/0", "5"): False,
    ("", "5"): False,
    ("", ""): False,
    ("7", "7"): True,
    ("007", "7"): True,
    ("7", "8"): False,
    # Numbers that Math-Verify does not read
    (r"\$10", "10"): True,
    (r"\$10", "$10$"): True,
    (r"\$10", "11"): False,
    (r"x = \$10", "10"): True,
    ("1 000", "1000"): True,
    ("1 000", "1"): False,
    ("1 2", "12"): False,
    ("2 1/2", r"\frac{5}{2}"): True,
    ("2 1/2", "1"): False,
    ("1e3", "1000"): True,
    ("1e3", "e^3"): False,
    ("€5", "5"): True,
    ("€5", r"\$5"): False,
    ("18 dollars", "18"): True,
    ("18 dollars", r"\$18"): True,
    (r"\boxed{1 000}", "1000"): True,
    (r"\\boxed{5}", "5"): True,
    (r"\\boxed{x+1}", "1+x"): True,
    (r"\boxed 5", "5"): True,
    (r"\boxed 57", "5"): False,
    # Symbols
    ("√2", r"\sqrt{2}"): True,
    ("√2", "2"): False,
    ("3√(x+1)", r"3\sqrt{x+1}"): True,
    ("√12/2", r"\sqrt{3}"): True,
    ("2³√8", "4"): False,  # it may be 8√8
    ("√12x", r"\sqrt{1}"): False,
    ("∞", r"\infty"): True,
    ("-∞", r"\infty"): False,
    ("(−∞, 2]", r"(-\infty, 2]"): True,
}

DIFFERENCES = {
    # The authors' checker compares texts that their parser has normalised. It does not know `{,}`, which is how LaTeX
    # writes the comma of 10,000: so the answer 10000 is right, and their verdict wrong.
    ("10000", "10{,}000"): (0, True)
}


def check_here():
    return grade_pairs(checkers.math(), list(VERDICTS), num_workers=1)  # each worker imports SymPy for a second


def test_verdicts_are_the_same_in_every_thread_and_under_asyncio():
    """Math-Verify itself fails outside the main thread: "signal only works in main thread"."""
    expected = list(VERDICTS.values())
    assert check_here() == expected
    found = []
    threads = [threading.Thread(target=lambda: found.append(check_here())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 2

    async def check():
        return check_here(), await asyncio.to_thread(check_here)

    assert asyncio.run(check()) == (expected, expected)


ORDERS = {
    # a list, another, whether they are the same, and whether they are if ordered
    ("1, 2", "2, 1"): (True, False),
    ("1, 2", "1, 2.0"): (True, True),
    ("1, 2", "(1, 2)"): (True, True),
    ("2, 1", "(1, 2)"): (False, False),
    ("(1, 2), (3, 4)", "(3, 4), (1, 2)"): (True, False),
    ("(1, 2)", "2, 1"): (True, False),
    ("(1, 2)", "(2, 1)"): (False, False),
    ("(1, 2)", r"\left(1, \frac{4}{2}\right)"): (True, True),
    (r"\{1, 2\}", r"\{2, 1\}"): (True, True),
    ("1,234", "1234"): (True, True),
    (r"\boxed{1, x+1}", "1, 1+x"): (True, True),
    ("1, 2", "1, 2, 3"): (False, False),
}


def test_the_order_of_a_list_without_brackets_counts_if_it_is_asked_for():
    for place, ordered in enumerate((False, True)):
        found = grade_pairs(checkers.math(ordered=ordered), list(ORDERS), num_workers=1)
        assert dict(zip(ORDERS, found, strict=True)) == {pair: verdicts[place] for pair, verdicts in ORDERS.items()}
    with pytest.raises(TypeError, match="`ordered` must be"):
        checkers.math(ordered="yes")
    assert checkers.math(ordered=True).describe().startswith("math(ordered,math-verify=")


def test_the_verdicts_of_a_published_file():
    rows = [json.loads(line) for line in QWEN.read_text(encoding="utf-8").splitlines()]
    published = {}
    for row in rows:
        for answer, correct in zip(row["answers"], row["correct"], strict=True):
            assert published.setdefault((answer, row["reference"]), correct) == correct
    found = dict(zip(published, grade_pairs(checkers.math(), list(published)), strict=True))
    differ = {pair: (published[pair], found[pair]) for pair in published if published[pair] != found[pair]}
    assert differ == DIFFERENCES


def test_what_never_ends_is_not_graded():
    hostile = ["9^{9^{9^{9}}}", "(" * 500_000 + ")" * 500_000]
    first, *others = grade_pairs(checkers.math(), [("1/2", "0.50"), *((text, "5") for text in hostile)], timeout=0.3)
    assert first is True
    assert [each.cause for each in others if isinstance(each, NotGraded)] == ["timeout"] * 2


@for_each(
    "text, prepared",
    [
        ("5", "$5$"),
        (" x^2 ", "$x^2$"),
        ("$5$", "$5$"),
        (r"so \boxed{5}", r"so \boxed{5}"),
        (r"\(5\)", r"\(5\)"),
        ("there are five of them: 5", "there are five of them: 5"),
        ("−½", r"$-\frac{1}{2}$"),
        ("2⁻¹x¹²", "$2^{-1}x^{12}$"),
    ],
)
def test_formulas_are_delimited(text, prepared):
    assert prepare_text(text) == prepared


def test_the_version_is_part_of_the_signature():
    report = at_k.score(
        {"answers": [["1", "2"]], "references": ["1"]}, k=1, check_correct_fn="math", metrics="pass_at_k"
    )
    assert "checker:math(math-verify=" in report.signatures["pass_at_k"]
