"""Programs in replies: solutions of HumanEval in many styles, and what a block lacks."""

import gzip
import json
from pathlib import Path

from cases import for_each
from grading.styles import TEMPLATES, write_reply

import at_k
from at_k.grading.programs import find_program

HUMAN_EVAL = Path(__file__).parents[1] / "data" / "harness" / "HumanEval.jsonl.gz"
EVERY = 40  # all 164 in all styles take a minute: `docs/checking.md` has that table


def test_solutions_pass_in_every_style_and_wrong_ones_in_none(monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
    with gzip.open(HUMAN_EVAL, "rt", encoding="utf-8") as lines:
        problems = list(map(json.loads, lines))[10::EVERY]
    bodies = (
        [problem["canonical_solution"] for problem in problems],
        ["    return NotImplemented\n"] * 4,
    )
    for found, right in zip(bodies, (True, False), strict=True):
        pairs = [
            (write_reply(style, problem, body), json.dumps(problem))
            for style in TEMPLATES
            for problem, body in zip(problems, found, strict=True)
        ]
        grades = at_k.checkers.code().grade_all(pairs, num_workers=2)
        other = [
            pair[0] for pair, each in zip(pairs, grades, strict=True) if each.grade is not right
        ]
        assert other == []


HELPER = "def help(x):\n    return math.sqrt(x)\n"
CALL = "def f(x):\n    return help(x)\n"


def fence(*blocks):
    return "\nand\n".join(f"```python\n{block}```" for block in blocks)


@for_each("blocks, parts", [
    (["import math\n", HELPER, CALL], ["import math", "def help", "def f"]),
    ([CALL, HELPER + "import math\n"], ["def help", "import math", "def f"]),
    (["import os\n", CALL], ["def f"]),  # what is not used stays out
    (["def f(x):\n    return 0\n", CALL], ["def f"]),  # an earlier version
    (["from __future__ import annotations\n" + CALL, HELPER], ["from __future__", "def f"]),
])  # fmt: skip
def test_what_a_block_uses_is_put_before_it(blocks, parts):
    found = find_program(fence(*blocks), {"f"})
    lines = [line for line in found.source.split("\n") if line and not line.startswith(" ")]
    assert found.compiles
    assert [line[: len(part)] for line, part in zip(lines, parts, strict=True)] == parts


@for_each("reply, compiles", [
    ("I cannot help with that.", False), ("```python\ndef f(x:\n```", False), ("", True),
    ("The function\n\ndef f(x):\n    return x\n\nisn't hard.", True),
    ("The function\n\ndef g(x):\n    return x\n\ndef f(x) is (hard", False),  # what the tests call does not compile
    ("x = '<|endoftext|>'\ndef f(x): return x", True), ("\0", False), ("(" * 10**6, False),
])  # fmt: skip
def test_whether_a_reply_holds_a_program(reply, compiles):
    assert find_program(reply, {"f"}).compiles is compiles


def test_a_token_in_quotes_and_a_mark_in_a_string_stay():
    program = 'def f(x):\n    """Skip\n    [DONE]\n    """\n    return "<|im_end|>"\n'
    assert find_program(program, {"f"}).source == program
    assert find_program(fence(program), {"f"}).source == program


def test_the_longest_run_of_lines_without_fences():
    reply = "We read n:\n\nn = int(input())\nprint(2 * n)\n\nIt's done (see above.\nx = 1\n"
    assert find_program(reply).source == "n = int(input())\nprint(2 * n)\n\n"
