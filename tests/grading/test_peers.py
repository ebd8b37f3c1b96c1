"""Cases of other libraries' own tests: what they take for right and wrong, and why verdicts differ where they do."""

import json
from importlib.metadata import version
from pathlib import Path

import pytest
from cases import for_each

from at_k.grading.checkers import checkers
from at_k.grading.extraction import EXTRACTIONS
from at_k.grading.statements import find_last_number
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


# With ANTLR 4.9.3, which OmegaConf needs, latex2sympy2_extended 1.11 cannot read %: such pairs are not compared.
READS_PERCENT = not version("antlr4-python3-runtime").startswith("4.9.")


@math
def test_the_cases_of_math_verify():
    lines = (DATA / "math_verify.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines[1:]]
    assert len(cases) > 200
    right = {(answer, reference): verdict for reference, answer, verdict in cases}
    found = grade(right)
    differ = {pair[::-1]: found[pair] for pair in right if found[pair] is not right[pair]}
    unread = {pair: False for pair in differ.keys() - DIFFERENCES.keys() if "%" in "".join(pair)}
    assert differ == DIFFERENCES | ({} if READS_PERCENT else unread)
    assert len(unread) == (0 if READS_PERCENT else 3)


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
        right = {(answer, reference): verdict for answer, reference, verdict in OWN[name]}
        found = (
            grade(right) if name == "math" else {pair: checkers[name]()(*pair) for pair in right}
        )
        differ = {pair for pair in right if found[pair] is not right[pair]}
        assert differ == (OWN_DIFFERENCES if name == "math" else set())


def test_texts_written_before_the_code_was_read():
    assert [case for case in OWN["extract"] if EXTRACTIONS[case[0]](case[1]) != case[2]] == []


PEERS = json.loads((DATA / "answers.json").read_text(encoding="utf-8"))  # it names the sources


@math
def test_the_cases_of_nemo_skills():
    right = {
        (*pair,): name == "nemo_skills same"
        for name in ("nemo_skills same", "nemo_skills other")
        for pair in PEERS[name]
    }
    right |= {pair[::-1]: verdict for pair, verdict in right.items()}
    unread = (
        {}
        if READS_PERCENT
        else {pair: False for pair in right if right[pair] and "%" in "".join(pair)}
    )
    assert grade(right) == right | unread


def grade(pairs):
    """Return the grades of pairs by pair. Those that were not compared are wrong."""
    found = grade_pairs(checkers.math(), list(pairs), num_workers=1)
    return {pair: getattr(each, "grade", each) for pair, each in zip(pairs, found, strict=True)}


@for_each("reference, answer, right", PEERS["lighteval letters"])
def test_the_letters_of_lighteval(reference, answer, right):
    """The last five are right there. A letter before a word, without a mark, may be a word ("A Peter")."""
    assert checkers.choice()(answer, reference) is right


@for_each("number, text", PEERS["lighteval numbers"])
def test_the_numbers_of_lighteval(number, text):
    """Of the last they take 220, the first number after "Réponse"."""
    assert find_last_number(text) == number
