"""Data sets as they ship: rows with a column of samples beside them, in a file or in memory, by one call."""

import gzip
import json
from pathlib import Path

import pytest
from cases import for_each

import at_k
from at_k.grading.code.cases import find_prompt, read_row, write_tests
from at_k.grading.programs import find_program

ROOT = Path(__file__).parents[3]
SUM, THREE = "print(sum(map(int, input().split())))", "print(3)"
BOTH = json.dumps({"inputs": ["1 2\n", "3 4\n"], "outputs": ["3\n", "7\n"]})
MBPP = {
    "task_id": 2, "text": "Add two numbers.", "code": "def add(a, b): return a + b", "test_setup_code": "",
    "test_list": ["assert add(0, 2) == 2", "assert add(1, 2) == 3", "assert add(2, 0) == 2"], "challenge_test_list": [],
}  # fmt: skip
PLUS = {
    "task_id": 2, "code": "", "prompt": "Return it.", "source_file": "x", "test_imports": ["import math"],
    "test_list": ["assert math.isclose(f(1), 1)"], "test": "import math\nfor x in range(3):\n    assert f(x) == x",
}  # fmt: skip
LIVE = {
    "question_title": "Sum", "question_content": "c", "question_id": "q", "metadata": "{}", "starter_code": "",
    "public_test_cases": json.dumps([{"input": "1 2\n", "output": "3\n", "testtype": "stdin"}]),
    "private_test_cases": json.dumps([{"input": "3 4\n", "output": "7\n", "testtype": "stdin"}]),
}  # fmt: skip
CONTESTS = {
    "name": "1_A", "description": "d", "public_tests": {"input": ["1 2\n"], "output": ["3\n"]},
    "private_tests": {"input": ["3 4\n"], "output": ["7\n"]}, "generated_tests": {"input": [], "output": []},
    "solutions": {"language": [3], "solution": [SUM]}, "time_limit": {"seconds": 1, "nanos": 0},
}  # fmt: skip
BIG = {
    "task_id": "BigCodeBench/0", "complete_prompt": 'import math\ndef task_func(x):\n    """Round up."""\n',
    "instruct_prompt": "Write it.", "canonical_solution": "", "entry_point": "task_func", "libs": "['math']",
    "test": "import unittest\nclass TestCases(unittest.TestCase):\n"
            "    def test_a(self):\n        self.assertEqual(task_func(1.5), 2)\n",
}  # fmt: skip
with gzip.open(
    ROOT / "tests" / "data" / "harness" / "HumanEval.jsonl.gz", "rt", encoding="utf-8"
) as lines:
    HUMAN = json.loads(next(lines))
BODY, NONE = HUMAN["canonical_solution"], "    return NotImplemented\n"
WHOLE = {name: HUMAN[name] for name in ("task_id", "entry_point", "test")}
FENCED = "It is:\n```python\n{}\n```\n"

SHIPPED = {
    "MBPP": (
        MBPP,
        "completion",
        MBPP["code"],
        "def add(a, b): return 2",
    ),  # which two of the three tests let pass
    "MBPP, in a text": (
        MBPP,
        "response",
        FENCED.format(MBPP["code"]),
        FENCED.format("def add(a, b): return 2"),
    ),
    "MBPP+": (
        PLUS,
        "solution",
        "def f(x): return x",
        "def f(x): return 1",
    ),  # right by `test_list` alone
    "HumanEval, completions": (HUMAN, "completion", BODY, NONE),
    "HumanEval, completions in fences": (
        HUMAN,
        "completion",
        FENCED.format(BODY),
        FENCED.format(NONE),
    ),
    "HumanEval, whole solutions beside prompts": (
        HUMAN,
        "solution",
        HUMAN["prompt"] + BODY,
        HUMAN["prompt"] + NONE,
    ),
    "HumanEval, whole solutions": (
        WHOLE,
        "solution",
        HUMAN["prompt"] + BODY,
        HUMAN["prompt"] + NONE,
    ),
    "LiveCodeBench": (LIVE, "output", SUM, THREE),
    "APPS": (
        {"problem_id": 0, "solutions": json.dumps([SUM]), "input_output": BOTH},
        "generation",
        SUM,
        THREE,
    ),
    "TACO": (
        {"question": "q", "solutions": json.dumps([SUM]), "input_output": BOTH},
        "generation",
        SUM,
        THREE,
    ),
    "CodeContests": (CONTESTS, "generation", SUM, THREE),
    "BigCodeBench, completions": (
        BIG,
        "completion",
        "    return math.ceil(x)",
        "    return math.floor(x)",
    ),
    "BigCodeBench, replies": (
        BIG,
        "raw_solution",
        "```python\ndef task_func(x): return 2\n```",
        "```python\ndef task_func(x): return 1\n```",
    ),
    "BigCodeBench, solutions": (
        BIG,
        "solution",
        "def task_func(x): return 2",
        "def task_func(x): return 1",
    ),
}
"""A row, the column of samples, a right sample, and a wrong one."""


@pytest.fixture(autouse=True)
def allowed(monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")


@for_each("name, row, column, right, wrong", [(name, *each) for name, each in SHIPPED.items()])
def test_rows_as_they_ship(tmp_path, name, row, column, right, wrong):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row | {column: sample}) + "\n" for sample in (right, wrong)))
    report = at_k.score(path, check_correct_fn="code", metrics="avg_at_n", num_workers=1)
    assert [str(reason).partition(":")[0] for reason in report.samples[1].outcomes.reasons] == [
        "passed",
        "failed",
    ]


def test_rows_in_memory():
    rows = [MBPP | {"answers": [MBPP["code"], "def add(a, b): return 2"]}]
    assert at_k.score(rows, check_correct_fn="code", metrics="avg_at_n").c == [1]


@for_each(
    "reference, tests",
    [
        ('{"test_list": "[\\"assert 1\\", \\"assert 2\\"]"}', "assert 1\nassert 2"),
        (
            "{\"test_list\": \"['assert 1', 'assert 2']\"}",
            "assert 1\nassert 2",
        ),  # as pandas writes a list into CSV
        ('{"test": "def check(f): pass", "entry_point": "f"}', "def check(f): pass\ncheck(f)"),
        (
            '{"test": "def check(f): pass\\ncheck(f)", "entry_point": "f"}',
            "def check(f): pass\ncheck(f)",
        ),
        (
            '{"test_setup_code": "x = 1", "test_list": ["assert x"], "test_imports": ["import y"]}',
            "import y\nx = 1\nassert x",
        ),
        ('{"inputs": ["1"], "outputs": ["2"]}', None),
        ("{f(1): 2}", None),
        ("[1]", None),
    ],
)
def test_the_tests_of_a_row(reference, tests):
    row = read_row(reference)
    assert (row and write_tests(row)) == tests


@for_each(
    "program, joined",
    [
        ("    return x", True),
        ("\n    return x\n\ndef f(x): return 2", True),  # a body, and what came after it
        ("def f(x): return x", False),
        ("import math\nasync def f(x): return x", False),
        ("f = lambda x: x", False),
    ],
)
def test_completions_continue_their_prompt(program, joined):
    row = {"prompt": "def f(x):\n", "entry_point": "f"}
    found = find_program(program, {"f"}, *find_prompt(row))
    assert found == ((row["prompt"] if joined else "") + program, True)
    assert find_prompt({"prompt": "Write f.", "entry_point": "f"}) == ("", "")
