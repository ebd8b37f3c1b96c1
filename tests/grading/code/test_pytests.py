"""Tests that need pytest, run by it where that is asked for."""

import re

import pytest
from cases import for_each
from grading.code.programs import run_pairs, start_judge

import at_k
from at_k.errors import InputError
from at_k.grading.checkers import code as checker_module
from at_k.grading.code.outcomes import HarnessError

RIGHT, WRONG = "def double(x): return 2 * x", "def double(x): return 3 * x"
P = "import pytest\n"
TESTS = {
    "parameters": P + "@pytest.mark.parametrize('x', [0, 2])\ndef test_two(x): assert double(x) == 2 * x",
    "fixture": P + "@pytest.fixture\ndef two(): return 2\ndef test_two(two): assert double(two) == 4",
    "fixture of pytest": "def test_two(tmp_path, monkeypatch): assert tmp_path.exists() and double(2) == 4",
    "fixture of a class": (
        P + "class TestTwo:\n    @pytest.fixture(autouse=True)\n    def prepare(self): self.two = 2\n"
        "    def test_two(self): assert double(self.two) == 4"
    ),
    "mark of all": P + "pytestmark = pytest.mark.filterwarnings('ignore')\ndef test_two(): assert double(2) == 4",
    "case": "import unittest\nclass T(unittest.TestCase):\n    def test_two(self): self.assertEqual(double(2), 4)",
    "check": "METADATA = {'entry_point': 'double'}\ndef check(candidate): assert candidate(2) == 4",
    "expected failure beside a test": (
        P + "@pytest.mark.xfail\ndef test_one(): assert double(1) == 0\ndef test_two(): assert double(2) == 4"
    ),
}


@pytest.fixture(scope="module")
def judge():
    with start_judge(timeout=20, pytest=True) as judge:
        yield judge


def test_pytest_runs_them(judge):
    own = "\ndef test_own(): 1 / 0\n"  # of the program, and not of its tests
    together = "\n".join(tests.replace("test_two", f"test_{i}") for i, tests in enumerate(TESTS.values()))
    right, *wrong = judge((RIGHT + own, together), *((WRONG + own, tests) for tests in TESTS.values()))
    assert (right.status, right.reached) == ("passed", len(TESTS) + 1)  # with the one that is expected to fail
    assert {name: outcome.status for name, outcome in zip(TESTS, wrong, strict=True)} == dict.fromkeys(TESTS, "failed")
    assert wrong[0].detail.startswith("AssertionError in line 3 of the tests: def test_two(x): assert")


@for_each(
    "tests, says",
    [
        ("def test_two(no_such_fixture): assert double(2) == 4", "pytest: test_two"),
        ("async def test_two(): assert double(2) == 4", "test_two|reached no assertion"),
        (P + "@pytest.mark.skip\ndef test_two(): assert double(2) == 4", "reached no assertion"),
    ],
)
def test_what_pytest_cannot_run_grades_nothing(judge, tests, says):
    (fault,) = judge((WRONG, tests))
    assert isinstance(fault, HarnessError)
    assert re.search(says, str(fault))


def test_a_program_cannot_skip_its_tests(judge):
    skipping = P + "def double(x): pytest.skip()"
    assert judge((skipping, TESTS["fixture"]))[0].status == "failed"


def test_without_it_such_tests_are_not_graded_and_the_reason_says_what_mends_that():
    with pytest.raises(HarnessError, match=r"or let pytest run them, by `at_k\.checkers\.code\(pytest=True\)`"):
        run_pairs([(RIGHT, TESTS["parameters"])])


def test_it_must_be_installed(monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
    monkeypatch.setattr(checker_module, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="needs pytest"):
        at_k.checkers.code(pytest=True).require()
