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
from at_k.grading.workers import grade_pairs

QWEN = Path(__file__).parents[3] / "examples" / "data" / "qwen25_math.jsonl"

pytestmark = pytest.mark.xdist_group("math")  # its workers import SymPy once

WRITTEN = json.loads(
    (Path(__file__).parents[2] / "data" / "texts.json").read_text(encoding="utf-8")
)
VERDICTS = {
    (*pair,): right
    for right in (True, False)
    for pair in WRITTEN["math right" if right else "math wrong"]
}
UNREAD = [(*pair,) for pair in WRITTEN["math not compared"]]

DIFFERENCES = {
    # The authors' checker compares texts that their parser has normalised. It does not know `{,}`, which is how LaTeX
    # writes the comma of 10,000: so the answer 10000 is right, and their verdict wrong.
    ("10000", "10{,}000"): (0, True)
}


def grade(pairs, checker=None, **limits):
    """Return the grades of pairs. Those that were not compared are wrong."""
    limits = {"num_workers": 1} | limits  # each imports SymPy for a second
    return [
        getattr(each, "grade", each)
        for each in grade_pairs(checker or checkers.math(), list(pairs), **limits)
    ]


def test_verdicts_are_those_that_were_written():
    assert grade(VERDICTS) == list(VERDICTS.values())


def test_verdicts_are_the_same_in_every_thread_and_under_asyncio():
    """Math-Verify itself fails outside the main thread: "signal only works in main thread"."""
    few = dict(list(VERDICTS.items())[::6])
    found = []
    threads = [threading.Thread(target=lambda: found.append(grade(few))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def check():
        return [grade(few), await asyncio.to_thread(grade, few)]

    assert found + asyncio.run(check()) == [list(few.values())] * 4


def test_a_function_of_infinity_equals_no_number():
    # SymPy simplifies √69 − |∞| to 0 or to −∞, by the order of a set: verdicts changed from process to process.
    functions = "|∞|", r"\sqrt{\infty}", r"\infty-\infty", r"\infty^2"
    pairs = [
        (each, number) for each in functions for number in ("√69", "69", r"\sqrt{2}+\sqrt{3}", "x")
    ]
    assert grade([*pairs, *(pair[::-1] for pair in pairs)]) == [False] * 32
    assert (
        grade([("|∞|", r"\infty"), (r"2\infty", r"\infty"), (r"|-\infty|", r"|\infty|")])
        == [True] * 3
    )


def test_formulas_that_are_not_read_whole_are_not_compared():
    pairs = [*UNREAD, *(pair[::-1] for pair in UNREAD)]
    assert {each.outcome for each in grade_pairs(checkers.math(), pairs, num_workers=1)} == {
        "not compared"
    }
    assert not any(grade(pairs))
    texts = {text for pair in UNREAD for text in pair}
    assert all(grade([(text, f"${text.replace(' ', '  ')}$") for text in texts]))


def test_a_report_counts_what_was_not_compared():
    report = at_k.score(
        {"answers": [[r"4\sqrt(2)", "4", "5"]], "references": [r"4\sqrt{2}"]},
        check_correct_fn="math",
        metrics="avg_at_n",
    )
    assert report.values["avg@3"] == 0
    assert "How the checks ended: wrong 2, not compared 1." in map(str, report.notes)


ORDERS = {
    ("1, 2", "2, 1"): True,
    ("1, 2", "1, 2.0"): True,
    ("1, 2", "(1, 2)"): True,
    ("2, 1", "(1, 2)"): False,
    ("(1, 2), (3, 4)", "(3, 4), (1, 2)"): True,
    ("(1, 2)", "2, 1"): True,
    ("(1, 2)", "(2, 1)"): False,
    ("(1, 2)", r"\left(1, \frac{4}{2}\right)"): True,
    (r"\{1, 2\}", r"\{2, 1\}"): True,
    ("1,234", "1234"): True,
    (r"\boxed{1, x+1}", "1, 1+x"): True,
    ("1, 2", "1, 2, 3"): False,
}


def test_the_order_counts_beside_a_reference_in_round_brackets():
    assert dict(zip(ORDERS, grade(ORDERS), strict=True)) == ORDERS


def test_the_verdicts_of_a_published_file():
    rows = [json.loads(line) for line in QWEN.read_text(encoding="utf-8").splitlines()]
    published = {}
    for row in rows:
        for answer, correct in zip(row["answers"], row["correct"], strict=True):
            assert published.setdefault((answer, row["reference"]), correct) == correct
    found = dict(zip(published, grade(published), strict=True))
    differ = {
        pair: (published[pair], found[pair]) for pair in published if published[pair] != found[pair]
    }
    assert differ == DIFFERENCES


def test_a_check_that_never_ends_is_not_graded():
    pairs = [("1/2", "0.50"), ("(" * 500_000 + ")" * 500_000, "5")]
    first, other = grade_pairs(checkers.math(), pairs, num_workers=1, timeout=0.3)
    assert (first, other.cause) == (True, "timeout")


@for_each("text, prepared", [
    ("5", "$5$"), (" x^2 ", "$x^2$"), ("$5$", "$5$"), (r"so \boxed{5}", r"so \boxed{5}"), (r"\(5\)", r"\(5\)"),
    ("there are five of them: 5", "there are five of them: 5"), ("−½", r"$-\frac{1}{2}$"),
    ("2⁻¹x¹²", "$2^{-1}x^{12}$"),
])  # fmt: skip
def test_formulas_are_delimited(text, prepared):
    assert prepare_text(text) == prepared


def test_the_version_is_part_of_the_signature():
    report = at_k.score(
        {"answers": [["1", "2"]], "references": ["1"]},
        k=1,
        check_correct_fn="math",
        metrics="pass_at_k",
    )
    assert "checker:math(math-verify=" in report.signatures["pass_at_k"]
