"""Time of checkers, from lists of texts to numbers."""

from __future__ import annotations

import json
import random
from statistics import median
from typing import Any

import evaluate

import at_k
from benchmarks.measure import ROOT, medians, printed_by

N, DISTINCT = 64, 10
QWEN = ROOT / "examples" / "data" / "qwen25_math.jsonl"


def write_answer(checker: str, problem: int, which: int) -> str:
    """Write one of the distinct answers of a problem, as the checker likes to meet them."""
    number = 31 * problem + which
    if checker == "exact_match":
        return f" {number} "
    if checker == "quasi_exact":
        return f"The answer, number {number}!"
    if checker == "choice":
        first, last = "ABCDE"[number % 5], "ABCDE"[(7 * problem + which) % 5]
        return f"I think that option {first} fits question {problem} best. The answer is ({last})."
    return f"${number:,}.50" if which % 2 else rf"\frac{{{number}}}{{{7 + which}}}"


def write_reference(checker: str, problem: int) -> str:
    """Write the reference of a problem, which one of its answers meets."""
    number = 31 * problem
    return {
        "exact_match": f"{number}",
        "quasi_exact": f"answer number {number}",
        "choice": "ABCDE"[7 * problem % 5],
        "numeric": f"{number + 1}.5",
    }[checker]


def time_checker(checker: str, problems: int, rounds: int) -> float:
    """Time `pass_at_k.compute` on problems with 64 samples each, ten of them distinct."""
    draw = random.Random(0)
    answers = []
    for problem in range(problems):
        texts = [write_answer(checker, problem, which) for which in range(DISTINCT)]
        answers.append([draw.choice(texts) for _ in range(N)])
    written = json.dumps(
        [answers, [write_reference(checker, problem) for problem in range(problems)]]
    )
    metric = evaluate.load(str(at_k.module_path("pass_at_k")))

    def fresh() -> Any:
        return json.loads(written)

    def ours(given: Any) -> Any:
        return metric.compute(
            predictions=given[0], references=given[1], check_correct_fn=checker, k=[1, 8]
        )

    share = ours(fresh())["pass@1"]
    if not 0.05 < share < 0.5:
        raise ValueError(
            f"{checker} accepts {share:.0%} of the answers, and should accept a tenth to a third"
        )
    return medians(ours, rounds=min(3, rounds), fresh=fresh)[0]


def time_math(problems: int, rounds: int, workers: int, *, warm: bool) -> float:
    """Time `math` on the Qwen file, in a fresh process: from the first call on, or in a second call there."""
    code = (
        "import json, time; import at_k\n"
        "from at_k.grading import judge; from at_k.columns import read_problems\n"
        f"with open({str(QWEN)!r}) as file: rows = [json.loads(line) for line in file][:{problems}]\n"
        "problems = read_problems(answers=[r['answers'] for r in rows], references=[r['reference'] for r in rows])\n"
        f"for _ in range({2 if warm else 1}):\n"
        "    start = time.perf_counter()\n"
        f"    verdicts = judge(problems, check_correct_fn='math', num_workers={workers})\n"
        "    spent = time.perf_counter() - start\n"
        "print(spent)"
    )
    return median(float(printed_by("-c", code)) for _ in range(max(1, min(3, rounds))))
