"""The commands of the page "Your benchmark" give what was counted by hand, on rows in the benchmarks' own form."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from at_k.cli import app

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "your-benchmark.md"

# Benchmark → correct samples of each problem, of four; labelled by hand when the rows were written.
CORRECT = {
    "HumanEval, samples alone": [2, 2],
    "BigCodeBench": [2, 2],
    "DS-1000": [2, 2],
    "MBPP": [2, 2],
    "APPS": [2, 2],
    "CodeContests": [2, 2],
    "CodeXGLUE": [2, 1],
    "CoderEval": [2, 1],
    "MultiPL-E, other languages": [2, 1],
    "GSM8K": [2, 3],
    "MATH": [2, 2],
    "AIME 2024, 2025, 2026": [2, 3],
    "PRM800K, MATH-500": [2, 3],
    "NumGLUE": [3, 1],
    "HellaSwag": [2, 3],
    "PIQA": [3, 2],
    "LogiQA": [2, 3],
    "ReClor": [2, 3],
    "AR-LSAT": [2, 3],
    "FOLIO": [2, 2],
    "GPQA": [2, 3],
    "MMLU-Pro": [2, 3],
    "HLE": [2],
    "IFEval": [2, 3],
    "TextVQA": [2, 3],
}
# The seeds' benchmarks, and those that people report now.
NAMES = {
    *("HumanEval", "MBPP", "APPS", "CodeXGLUE", "DS-1000", "CoderEval", "CodeContests", "GSM8K"),
    *("MATH", "AIME", "PRM800K", "NumGLUE", "LogiQA", "FOLIO", "ReClor", "AR-LSAT", "HellaSwag"),
    *(
        "MultiPL-E",
        "PIQA",
        "TextVQA",
        "LiveCodeBench",
        "BigCodeBench",
        "SWE-bench",
        "Terminal-Bench 2",
        "GPQA",
    ),
    *("MMLU-Pro", "HLE", "IFEval", "τ²-bench"),
}


def list_rows():
    rows = re.findall(r"^\| (?!benchmark|---)(.*) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    cells = [re.split(r"(?<!\\) \| ", row) for row in rows]
    return {name: command.strip("`").replace(r"\|", "|") for name, _, _, command, _ in cells}


@pytest.mark.xdist_group("math")
@pytest.mark.parametrize(("name", "command"), list_rows().items(), ids=list(list_rows()))
def test_the_command_of_each_benchmark(name, command, monkeypatch):
    monkeypatch.chdir(ROOT)
    runs = command.removeprefix("HF_ALLOW_CODE_EVAL=1 ")
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", str(int(runs != command)))
    words = [*shlex.split(runs)[1:], "--format", "json"]
    if "--metrics" not in command:
        words += ["--metrics", "pass@1"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.stderr
    if name in CORRECT:
        share = sum(CORRECT[name]) / (4 * len(CORRECT[name]))
        assert f'"pass@1": {share}' in done.stdout
    else:
        assert "/harness/" in command  # whose file a test compares with the harness's own numbers


def test_every_benchmark_is_on_the_page():
    listed = " ".join(list_rows())
    assert {name for name in NAMES if name not in listed} == set()
