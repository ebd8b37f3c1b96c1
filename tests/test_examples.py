"""The scripts that the README shows run, and print published or independently known numbers."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture
def printed(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(script):
        runpy.run_path(str(EXAMPLES / script), run_name="__main__")
        return capfd.readouterr().out

    return run


def test_qwen_math(printed):
    cells = [line.split("│")[1:-1] for line in printed("qwen_math.py").splitlines() if "│" in line]
    rows = {key.strip(): values for key, *values in cells}
    overall = {key: float(values[0]) for key, values in rows.items()}
    # Known of this file: avg@8 91.0, pass@8 96, rm@8 94.0, maj@8 between 91 and 94 over the ways to break four ties.
    assert (overall["avg@8"], overall["pass@8"], overall["best@8"]) == (0.91, 0.96, 0.94)
    assert overall["cons@8"] == (0.91 + 0.94) / 2
    assert [cell.strip() for cell in rows["problems"]] == ["100", "11", "16", "24", "24", "25"]


def test_tau_bench(printed):
    for line in printed("tau_bench.py").splitlines():
        _, value, _, published = line.split()
        assert value == published


def test_pipeline(printed):
    values = [line.split()[-1] for line in printed("pipeline.py").splitlines()]
    assert len(values) == 3
    assert len(set(values)) == 1
