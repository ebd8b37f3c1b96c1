"""Mutants and the tests that try them, in a tree of two files, and what a partial run says of itself."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from cases import for_each

from tools import mutants
from tools.maintenance import ROOT
from tools.recording import IMPORTED, Recording

CODE = """import sys
LIMIT = 3

def double(x):
    if x > LIMIT:
        return 0
    return 2 * x

def unused(x):
    return x - x

def called(x):
    return x + x

if __name__ == "__main__":
    print(double(LIMIT))
"""
TESTS = """import subprocess, sys
import pytest
from at_k.small import called, double

@pytest.fixture(scope="module")
def shared():
    return double(2)

def test_first(shared): pass
def test_second(shared): assert shared == 4
def test_limit():
    assert [double(3), double(4)] == [6, 0]
@pytest.mark.xdist_group("few")
def test_called(): called(1)
def test_process():
    done = subprocess.run([sys.executable, "-m", "at_k.small"], capture_output=True, text=True)
    assert done.stdout == "6\\n"
def test_broken(): assert double(1) == 3
def test_traced(): assert sys.gettrace() is None
"""


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    """The summary of a run over every mutant of the tree."""
    tree = tmp_path_factory.mktemp("tree")
    (tree / "setup.cfg").write_text(
        "[tool:pytest]\naddopts = --import-mode=importlib\nfilterwarnings = error\nmarkers =\n    alone\n    browser\n"
    )
    for name in ("__init__", "mutants", "recording", "maintenance"):
        (tree / "tools").mkdir(exist_ok=True)
        shutil.copy(ROOT / "tools" / f"{name}.py", tree / "tools")
    for name, text in (("at_k/__init__", ""), ("at_k/small", CODE), ("tests/test_small", TESTS)):
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / f"{name}.py").write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tree, check=True)
    command = [
        sys.executable,
        "-m",
        "tools.mutants",
        "--sample",
        "0",
        "--tests",
        "tests/test_small.py",
    ]
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "COVERAGE"))
    }
    subprocess.run(
        command,
        cwd=tree,
        env=environment | {"PYTHONPATH": str(tree)},
        check=True,
        capture_output=True,
    )
    return json.loads((tree / "benchmarks" / "maintenance" / "mutants.json").read_text())["counts"]


def test_the_tests_that_pass_over_a_line_notice_its_mutants(summary):
    """A process and a shared fixture count; a test that fails without a mutant is named, and notices none."""
    assert summary["missed"] == [
        "at_k/small.py:10: return x - x → return None (no test passes)",
        "at_k/small.py:10: x - x → x + x (no test passes)",
        "at_k/small.py:13: return x + x → return None",
        "at_k/small.py:13: x + x → x - x",
    ]
    assert (summary["tried"], summary["noticed"], summary["unseen"]) == (15, 11, 2)
    assert summary["rooms"] == {"small.py": [11, 15]}
    assert (summary["tests"], summary["failed"]) == (5, 1)
    assert summary["broken"] == ["tests/test_small.py::test_broken"]
    assert summary["unrecorded"] == ["tests/test_small.py::test_traced"]
    assert summary["left_out"] == ["all tests but tests/test_small.py"]


@for_each("bound, line, tests", [
    (9.0, 1, ["a::1", "b::1", "a::2"]),
    (1.0, 1, ["a::1", "b::1"]),
    (0.1, 1, ["a::1"]),  # one at least
    (9.0, 2, ["c::1"]),
    (9.0, 3, ["a::1", "b::1", "c::1", "a::2"]),  # of an import, the tests of the whole file
    (9.0, 4, []),
])  # fmt: skip
def test_the_shortest_tests_of_a_line_come_first_up_to_a_bound(bound, line, tests):
    """One file of tests takes .1 s more."""
    seconds = {"a::1": 0.1, "a::2": 0.8, "b::1": 0.2, "c::1": 0.3}
    lines = {1: [{"a::2", "b::1"}, {"a::1"}], 2: [{"c::1"}], 3: [{IMPORTED}]}
    assert (
        Recording(seconds, {"at_k/x.py": lines}, [], [], set()).find_tests(
            "at_k/x.py", [line], bound
        )
        == tests
    )


@for_each("source, changes", [
    ("x = a < 1", ["a < 1 → a <= 1", "a < 1 → a < 2"]),
    ("x = max(a)", ["max → min"]),
    ("x = 'a' + b", []),
    ("x = f(end=True)", ["end=True → end=False"]),
    ("if a and b:\n    f(x)", ["if a and b: f(x) → if not (a and b): f(x)", "a and b → a or b", "f(x) → pass"]),
    ('"""Text."""\nfrom a import b', []),
])  # fmt: skip
def test_mutants_of_a_source(source, changes, tmp_path):
    (tmp_path / "a.py").write_text(source)
    assert [mutant.change for mutant in mutants.list_mutants("a.py", tmp_path)] == changes


@for_each("change, left_out", [
    ({}, []),
    ({"sample": 0}, []),
    ({"files": ["at_k/cli"]}, ["all files but at_k/cli"]),
    ({"tests": ["tests/cli"]}, ["all tests but tests/cli"]),
    ({"sample": 3}, ["all but 3 mutants of a file, not 5"]),
    ({"bound": 5.0}, ["more than 5 s of tests for a mutant, not 20 s"]),
    ({"tried": 4, "sample": 3}, ["all but 3 mutants of a file, not 5", "2 of 6 mutants"]),
])  # fmt: skip
def test_a_partial_run_says_what_it_left_out(change, left_out):
    whole = {
        "files": None,
        "tests": None,
        "sample": mutants.SAMPLE,
        "bound": mutants.BOUND,
        "chosen": 6,
        "tried": 6,
    }
    assert mutants.list_left_out(**whole | change) == left_out
