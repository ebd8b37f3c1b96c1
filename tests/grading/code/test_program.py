"""Programs with their tests: a verdict is the end of `python tests.py`, which imports the program."""

import json
import re
import subprocess
import sys

import pytest
from cases import for_each, for_rows
from grading.code.programs import read_programs, run_all, run_pairs

from at_k.grading.code.program import describe_error, find_line
from at_k.grading.code.protocol import HarnessError
from at_k.grading.code.reach import compile_tests

RIGHT, WRONG = "def double(x): return 2 * x", "def double(x): return 3 * x"


def judge(*pairs, isolation="none"):
    """Return how programs ended, or why they were not run."""
    return run_all(pairs, timeout=20, isolation=isolation)


IMPORT = "import candidate\nglobals().update({**vars(candidate), '__name__': '__main__'})\n"


def ask_python(program, tests, cases, folder):
    """Return whether `python` runs tests that import a program, or the program with each output for its input."""
    (folder / "candidate.py").write_text(program)
    (folder / "tests.py").write_text(IMPORT + tests)
    for given, wanted in cases or [("", None)]:
        run = [sys.executable, "-B", "candidate.py" if cases else "tests.py"]
        ended = subprocess.run(
            run, check=False, cwd=folder, input=given.encode(), capture_output=True
        )
        lines = ended.stdout.decode(errors="replace").rstrip().splitlines()
        if ended.returncode or (cases and lines != wanted.rstrip().splitlines()):
            return "failed"
    return "passed"


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Read programs with their tests, or inputs and outputs, and what `python` says unless our verdict is another."""
    folder, table = tmp_path_factory.mktemp("plain"), {}
    for name, (body, script, verdict) in read_programs("plain.txt").items():
        program, *_ = body.partition("--- input ")
        cases = re.findall(r"^--- input (.*)\n--- output (.*)$", body, re.MULTILINE)
        cases = [tuple(map(json.loads, case)) for case in cases]
        inputs, outputs = ([case[side] for case in cases] for side in (0, 1))
        tests = json.dumps({"inputs": inputs, "outputs": outputs}) if cases else script
        table[name] = (
            program,
            tests,
            verdict.partition(":")[0] or ask_python(program, tests, cases, folder),
        )
    return table


@for_each("isolation", ["auto", "none"])
def test_a_verdict_is_the_end_of_python(plain, isolation):
    outcomes = judge(
        *((program, tests) for program, tests, _ in plain.values()), isolation=isolation
    )
    found = [getattr(each, "status", "not graded") for each in outcomes]
    # Locks of multiprocessing are files in /dev/shm, which namespaces alone remove with the program.
    refused = {"lock": "not graded"} if isolation == "none" else {}
    wanted = {name: verdict for name, (*_, verdict) in plain.items()} | refused
    wrong = {name: each for name, each in zip(plain, found, strict=True) if wanted[name] != each}
    assert wrong == {}
    assert len(plain) > 90


@pytest.mark.parametrize("isolation", ["auto", "none"])
def test_a_program_has_its_files_and_libraries(isolation):
    inside = read_programs("scripts.txt", "inside: ")
    outcomes = run_pairs([each[:2] for each in inside.values()], timeout=20, isolation=isolation)
    assert {
        name: each for name, each in zip(inside, outcomes, strict=True) if not each.passed
    } == {}


@for_rows("program, tests, says", read_programs("scripts.txt", "no verdict: "))
def test_what_is_no_verdict_says_why(program, tests, says):
    (fault,) = judge((program, tests))
    assert isinstance(fault, HarnessError)
    assert says in str(fault)


def test_imports_are_judged_by_who_makes_them():
    pairs = [
        (RIGHT, "try: import solution\nexcept ImportError: pass\nassert double(2) == 4"),
        (RIGHT, "from candidate import double as f\nf(2)"),
        ("def double(x): import solution", "assert double(2) == 4"),
    ]
    assert [outcome.status for outcome in judge(*pairs)] == ["passed", "passed", "failed"]


def list_scripts(group):
    """List the test programs of a group."""
    return [each for each, *_ in read_programs("scripts.txt", group).values()]


CASE = "class T(unittest.TestCase):\n    def test_two(self): self.assertEqual(double(2), 4)\n"


@for_each("tests", list_scripts("deciding: "))
def test_tests_run_as_what_they_are(tests):
    right, wrong = judge((RIGHT, tests), (WRONG, tests))
    assert (right.status, wrong.status) == ("passed", "failed")


DECIDED = "assert double(0) == 0\n"


@for_each("tests", list_scripts("unable: "))
def test_tests_that_are_not_called_grade_nothing(tests):
    (fault,) = judge(("def double(x): return 0", DECIDED + tests))
    assert isinstance(fault, HarnessError)
    assert "defines tests and does not call them: " in str(fault)


@for_each("end", ["import sys\ndef double(x): sys.exit(0)", "def double(x): raise SystemExit",
                  "import os\ndef double(x): os._exit(0)"])  # fmt: skip
def test_no_program_passes_by_an_exit(end):
    tests = (
        "assert double(2) == 4\nexit()",
        DECIDED + "assert double(2) == 4",
        "double(0)\nexit(double(2) != 4)",
    )
    assert [outcome.status for outcome in judge(*((end, each) for each in tests))] == ["failed"] * 3


@for_each("tests", list_scripts("nothing: "))
def test_tests_that_reach_nothing_grade_nothing(tests):
    (fault,) = judge((RIGHT, tests))
    assert isinstance(fault, HarnessError)
    assert re.search("last line such as|were skipped", str(fault))


def test_tests_of_the_program_itself_do_not_run():
    own = "\ndef setup_module(): 1 / 0\ndef test_own(): 1 / 0\nclass TestOwn:\n    def test_own(self): 1 / 0\n"
    pairs = [(text + own, "assert double(2) == 4") for text in (RIGHT, WRONG)]
    assert [outcome.status for outcome in judge(*pairs)] == ["passed", "failed"]


def test_a_program_cannot_skip_its_tests():
    skipping = "import unittest\ndef double(x): raise unittest.SkipTest"
    case, function = judge(
        (skipping, "import unittest\n" + CASE), (skipping, "assert double(2) == 4")
    )
    assert isinstance(case, HarnessError)
    assert function.detail == "SkipTest"


@for_each("tests", ["assert", "\0", "x = '\ud800'", "(" * 1000 + ")" * 1000])
def test_tests_that_cannot_be_compiled_are_no_fault_of_a_candidate(tests):
    with pytest.raises(HarnessError, match="the test program cannot be compiled"):
        compile_tests(tests)


def test_an_error_is_described_by_type_and_last_line_and_the_innermost_line_of_the_tests():
    assert describe_error(ValueError("a\nb\n")) == "ValueError: b"
    assert describe_error(KeyError()) == "KeyError"
    assert len(describe_error(ValueError("x" * 10_000))) == 500
    assert describe_error(ValueError("\ud800")) == "ValueError: \\ud800"
    names = {}
    code = compile("def f():\n    assert False\ndef g():\n    f()\n", "<tests>", "exec")
    exec(code, names)
    with pytest.raises(AssertionError) as caught:
        names["g"]()
    assert find_line(caught.value) == 2
    assert find_line(ValueError()) is None
