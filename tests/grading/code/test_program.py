"""Programs with their tests: a verdict is the end of `python` with both, if the tests ran and something decided."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cases import for_each
from grading.code.programs import run_pairs, start_judge

from at_k.grading.code.program import MARKS, compile_tests, describe_error, find_line
from at_k.grading.code.protocol import HarnessError

RIGHT, WRONG = "def double(x): return 2 * x", "def double(x): return 3 * x"


@pytest.fixture(scope="module")
def judge():
    with start_judge(timeout=20, isolation="none") as judge:
        yield judge


def ask_python(program, tests, cases, folder):
    """Return whether `python` runs a program to its end, with its tests, or with each output for its input."""
    for given, wanted in cases or [("", None)]:
        (folder / "both.py").write_text(program if cases else f"{program}\n{tests}")
        run = [sys.executable, "both.py"]
        ended = subprocess.run(run, check=False, cwd=folder, input=given.encode(), capture_output=True)
        lines = ended.stdout.decode(errors="replace").rstrip().splitlines()
        if ended.returncode or (cases and lines != wanted.rstrip().splitlines()):
            return "failed"
    return "passed"


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Read programs with their tests, or inputs and outputs, and what `python` says unless our verdict is another."""
    folder, table = tmp_path_factory.mktemp("plain"), {}
    for part in Path(__file__).with_name("plain.txt").read_text().split("=== ")[1:]:
        head, _, body = part.partition("\n")
        name, _, verdict = head.partition(" -> ")
        program, kind, *rest = re.split(r"^--- (tests|input .*)\n", body, flags=re.MULTILINE)
        cases = [] if kind == "tests" else re.findall(r"^--- input (.*)\n--- output (.*)$", body, re.MULTILINE)
        cases = [tuple(map(json.loads, case)) for case in cases]
        inputs, outputs = ([case[side] for case in cases] for side in (0, 1))
        tests = json.dumps({"inputs": inputs, "outputs": outputs}) if cases else rest[0]
        table[name] = program, tests, verdict.partition(":")[0] or ask_python(program, tests, cases, folder)
    return table


@pytest.mark.parametrize("isolation", ["auto", "none"])
def test_a_verdict_is_the_end_of_python(plain, isolation):
    with start_judge(timeout=20, isolation=isolation) as judge:
        outcomes = judge(*((program, tests) for program, tests, _ in plain.values()))
    found = [getattr(each, "status", "not graded") for each in outcomes]
    # Locks of multiprocessing are files in /dev/shm, which namespaces alone remove with the program.
    refused = {"lock": "not graded"} if isolation == "none" else {}
    wanted = {name: verdict for name, (*_, verdict) in plain.items()} | refused
    wrong = {name: each for name, each in zip(plain, found, strict=True) if wanted[name] != each}
    assert wrong == {}
    assert len(plain) > 90


INSIDE = {
    "names": (
        "assert __name__ == '__main__'\nclass A: pass\nmodule = __name__",
        "import __main__\nfrom candidate import A\nassert __main__.A.__module__ == module == __name__ == '__main__'",
    ),
    "files": (
        "import os, shutil, tempfile\ndef f():\n os.makedirs('a/b')\n open('a/b/c', 'w').write('x')\n"
        " shutil.copytree('a', 'd')\n shutil.rmtree('a')\n os.rename('d', 'e')\n"
        " with tempfile.TemporaryDirectory() as folder: open(f'{folder}/x', 'w').write('x')\n"
        " return open('e/b/c').read()",
        "import os\nassert os.listdir() == []\nassert f() == 'x'\nassert os.path.expanduser('~') == os.getcwd()",
    ),
    "library": ("import at_k", "assert at_k.pass_at_k(4, 2, k=1) == 0.5"),
    "libraries": (
        "import ctypes.util, decimal, hashlib, locale, mimetypes, platform, pwd, pyarrow, ssl, sqlite3, zoneinfo",
        "import os\nssl.create_default_context()\nmimetypes.init()\nplatform.platform()\nos.cpu_count()\n"
        "assert zoneinfo.ZoneInfo('Europe/Berlin') and pwd.getpwuid(0).pw_name == 'root'",
    ),
}


@pytest.mark.parametrize("isolation", ["auto", "none"])
def test_a_program_has_its_files_and_libraries(isolation):
    outcomes = run_pairs(list(INSIDE.values()), timeout=20, isolation=isolation)
    assert {name: each for name, each in zip(INSIDE, outcomes, strict=True) if not each.passed} == {}


NO_VERDICT = {
    "fork": ("import os\ndef double(x):\n    if os.fork(): return 2 * x", "assert double(2) == 4", "may not fork"),
    "multiprocessing": ("import multiprocessing\ndef double(x):\n    with multiprocessing.Pool(1) as pool:\n"
                        "        return pool.map(int, [2 * x])[0]", "assert double(2) == 4", "multiprocessing"),
    "executor of processes": ("from concurrent.futures import ProcessPoolExecutor\ndef double(x):\n"
                              "    with ProcessPoolExecutor() as pool: return pool.submit(int, 2 * x).result()",
                              "assert double(2) == 4", "multiprocessing"),
    "import of what is not installed": (RIGHT,
        "from solution import double\nassert double(2) == 4", "imports `solution`"),
    "import in a test": (RIGHT, "def test_two():\n    import solution", "imports `solution`"),
}  # fmt: skip


@for_each("name, program, tests, says", [(name, *each) for name, each in NO_VERDICT.items()])
def test_what_is_no_verdict_says_why(judge, name, program, tests, says):
    (fault,) = judge((program, tests))
    assert isinstance(fault, HarnessError)
    assert says in str(fault)


def test_imports_are_judged_by_who_makes_them(judge):
    pairs = [
        (RIGHT, "try: import solution\nexcept ImportError: pass\nassert double(2) == 4"),
        (RIGHT, "from candidate import double as f\nf(2)"),
        ("def double(x): import solution", "assert double(2) == 4"),
    ]
    assert [outcome.status for outcome in judge(*pairs)] == ["passed", "passed", "failed"]


CASE = "class T(unittest.TestCase):\n    def test_two(self): self.assertEqual(double(2), 4)\n"
DECIDING = {
    "script": "import unittest\n" + CASE + "if __name__ == '__main__':\n    unittest.main()",
    "script that exits": "import sys, unittest\n" + CASE + "if __name__ == '__main__':\n    sys.exit(unittest.main())",
    "seed beside a case": "import random, unittest\nrandom.seed(0)\n" + CASE,
    "case with all fixtures": (
        "from unittest import TestCase\n"
        "def setUpModule(): global two; two = 2\n"
        "class T(TestCase):\n"
        "    @classmethod\n    def setUpClass(cls): cls.four = 2 * two\n"
        "    def setUp(self): self.two = two\n"
        "    def test_sub(self):\n        with self.subTest(): assert double(self.two) == self.four\n"
    ),
    "case with an asynchronous test": (
        "import unittest\nclass T(unittest.IsolatedAsyncioTestCase):\n"
        "    async def test_two(self): self.assertEqual(double(2), 4)\n"
    ),
    "case that inherits its tests": (
        "import unittest\nclass Common:\n    def test_two(self): self.assertEqual(double(2), 4)\n"
        "class T(Common, unittest.TestCase): pass"
    ),
    "functions": "import random\nrandom.seed(0)\ndef test_two():\n    assert double(2) == 4",
    "function with a default": "def test_two(x=2):\n    assert double(x) == 4",
    "script of pytest": (
        "def test_two(): assert double(2) == 4\n"
        "import sys\nif __name__ == '__main__':\n    import pytest\n    raise SystemExit(pytest.main([__file__]))"
    ),
    "check of HumanEval": "def check(candidate):\n    assert candidate(2) == 4\ncheck(double)",
    "names without underscores": "def testTwo(): assert double(2) == 4",
    "test after try": "try: import math\nexcept ImportError: pass\nelse:\n    def test_two(): assert double(2) == 4",
    "case under if": "import unittest\nif True:\n    " + CASE.replace("\n", "\n    ").strip(),
    "test that main would call": "def test_two(): assert double(2) == 4\ndef main(): test_two()",
    "helper without def": "test = lambda x: double(x) == 4\nif not test(2): raise ValueError",
    "test behind a cache": "import functools\n@functools.cache\ndef test_two(): assert double(2) == 4",
    "test with a patch": (
        "from unittest.mock import patch\n@patch('os.getcwd')\ndef test_two(cwd): assert double(2) == 4 and cwd"
    ),
    "helper that the script calls": "def test(got, want):\n    if got != want: raise ValueError\ntest(double(2), 4)",
    "asynchronous test that the script runs": (
        "import asyncio\nasync def test_two(): assert double(2) == 4\nasyncio.run(test_two())"
    ),
    "tests that are marked to be skipped": (
        "from unittest import skip\n@skip('later')\ndef test_one(): assert 0\n"
        "@skip('later')\nclass TestOne:\n    def test_one(self): assert 0\ndef test_two(): assert double(2) == 4"
    ),
    "exit of the result": "import sys\ndef main(): return double(2) != 4\nsys.exit(main())",
    "exit before a test": "import sys\ndef test_two(): assert double(2) == 4\nexit()",
    "main by itself": "import unittest\nfrom unittest import main\n" + CASE + "main()",
    "main of another name": "import unittest as ut\n" + CASE.replace("unittest", "ut") + "ut.main()",
}
"""Test programs that must tell a right program from a wrong one."""


@for_each("name, tests", DECIDING.items())
def test_tests_run_as_what_they_are(judge, name, tests):
    right, wrong = judge((RIGHT, tests), (WRONG, tests))
    assert (right.status, right.reached > 0) == ("passed", True)
    assert (wrong.status, wrong.reached) == ("failed", 0)


DECIDED = "def test_zero(): assert double(0) == 0\n"
UNABLE = {
    "mark of all": "import pytest\npytestmark = pytest.mark.skip\ndef test_two(): assert double(2) == 4",
    "asynchronous": "async def test_two(): assert double(2) == 4",
    "generator": "def test_two():\n    yield\n    assert double(2) == 4",
    "arguments": "def test_two(tmp_path): assert double(2) == 4",
    "arguments of a class": "class A:\n    def __init__(self, x): pass\n    def test_two(self): assert double(2) == 4",
    "parameters": "import pytest\n@pytest.mark.parametrize('x', [2])\ndef test_two(x): assert double(x) == 4",
    "fixture": "import pytest\n@pytest.fixture(autouse=True)\ndef two(): assert double(2) == 4",
    "class of functions": "DATA = [2]\nclass TestTwo:\n    def test_two(self): assert double(*DATA) == 4",
    "check": "def check(candidate): assert candidate(2) == 4",
    "fixtures by name": ("def setup_module(): global four; four = 4\ndef test_two(): assert double(2) == four"),
    "fixture of a class": (
        "import pytest\nclass TestTwo:\n    @pytest.fixture(autouse=True)\n    def two(self): self.two = 2\n"
        "    def test_two(self): pass"
    ),
}


@for_each("name, tests", UNABLE.items())
def test_tests_that_cannot_be_run_grade_nothing(judge, name, tests):
    (fault,) = judge(("def double(x): return 0", DECIDED + tests))
    assert isinstance(fault, HarnessError)
    assert "or the runner of pytest: " in str(fault)


@for_each("end", ["import sys\ndef double(x): sys.exit(0)", "def double(x): raise SystemExit",
                  "import os\ndef double(x): os._exit(0)"])  # fmt: skip
def test_no_program_passes_by_an_exit(judge, end):
    tests = "assert double(2) == 4\nexit()", DECIDED + "assert double(2) == 4", "double(0)\nexit(double(2) != 4)"
    assert [outcome.status for outcome in judge(*((end, each) for each in tests))] == ["failed"] * 3


NOTHING = {
    "empty": "",
    "constants": '"""About."""\nimport math\nMETADATA = {"author": "x"}\nclass A:\n    pass\npass',
    "own calls": "import random\nrandom.seed(0)\ndef build(): return 3\nbuild()",
    "check that checks nothing": "def check(candidate): pass\ncheck(double)",
    "assertion that is not reached": "for x in []:\n    assert double(x) == 4",
    "skipped case": "import unittest\n@unittest.skip('later')\n" + CASE,
    "case made by type": (
        "import unittest\ndef two(self): self.assertEqual(double(2), 4)\n"
        "T = type('T', (unittest.TestCase,), {'test_two': two})"
    ),
    "case of one test": "import unittest\n" + CASE.replace("test_two", "runTest"),
}


@for_each("name, tests", NOTHING.items())
def test_tests_that_reach_nothing_grade_nothing(judge, name, tests):
    (fault,) = judge((RIGHT, tests))
    assert isinstance(fault, HarnessError)
    assert re.search("last line such as|cannot be compiled", str(fault))


def test_tests_of_the_program_itself_do_not_run(judge):
    own = "\ndef setup_module(): 1 / 0\ndef test_own(): 1 / 0\nclass TestOwn:\n    def test_own(self): 1 / 0\n"
    pairs = [(text + own, "def test_two(): assert double(2) == 4") for text in (RIGHT, WRONG)]
    assert [outcome.status for outcome in judge(*pairs)] == ["passed", "failed"]


def test_a_program_cannot_skip_its_tests(judge):
    skipping = "import unittest\ndef double(x): raise unittest.SkipTest"
    case, function = judge((skipping, "import unittest\n" + CASE), (skipping, "def test_two(): assert double(2) == 4"))
    assert isinstance(case, HarnessError)
    assert function.detail == "SkipTest"


@for_each(
    "tests, reached",
    [
        ("assert double(2) == 4\nassert double(3) == 6", 2),
        ("for x in range(9):\n    assert double(x) == 2 * x", 1),
        ("double(2)", 1),
        ("import unittest\n" + CASE + "T('test_two').debug()", 1),
        ("assert True", 1),
        ("class A:\n    def f(self): pass\nA().f()\ndouble(1)\nA()", 1),
    ],
)
def test_lines_that_decide_are_counted_once(judge, tests, reached):
    assert judge((RIGHT, tests))[0].reached == reached


@for_each("tests", ["assert", "\0", "x = '\ud800'", "(" * 1000 + ")" * 1000])
def test_tests_that_cannot_be_compiled_are_no_fault_of_a_candidate(tests):
    with pytest.raises(HarnessError, match="the test program cannot be compiled"):
        compile_tests(tests)


def test_compiled_tests_do_what_the_source_does():
    tests = "class A:\n    def f(self): return 1\nclass B(A):\n    def f(self): return super().f()\nassert B().f() == 1"
    # Python follows 800 levels, and a recursive walk of two frames for each does not.
    tests += "\nx = 3\nassert locals()['x'] == eval('x') == 3\nassert " + " + ".join(["1"] * 800) + " == 800"
    exec(compile_tests(tests), {**MARKS})
    with pytest.raises(AssertionError) as caught:
        exec(compile_tests("x = 1\n\nassert (\n    x == 2\n)"), {**MARKS})
    assert find_line(caught.value) in (3, 4)


def test_an_error_is_described_by_type_and_last_line():
    assert describe_error(ValueError("a\nb\n")) == "ValueError: b"
    assert describe_error(KeyError()) == "KeyError"
    assert len(describe_error(ValueError("x" * 10_000))) == 500
    assert describe_error(ValueError("\ud800")) == "ValueError: \\ud800"


def test_the_line_of_an_error_is_the_innermost_of_the_tests():
    names = {}
    code = compile("def f():\n    assert False\ndef g():\n    f()\n", "<tests>", "exec")
    exec(code, names)
    with pytest.raises(AssertionError) as caught:
        names["g"]()
    assert find_line(caught.value) == 2
    assert find_line(ValueError()) is None
