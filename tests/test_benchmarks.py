"""Every benchmark runs, on tiny inputs; a case that fails is marked, and the others are measured."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cases import for_each

from benchmarks import __main__ as command, deciding, measure
from benchmarks.case import FASTER, Case, Outcome, Target
from benchmarks.cases import CASES
from tools.driving import find_chromium

ROOT = Path(__file__).parent.parent


def test_smoke():
    run = [sys.executable, "-m", "benchmarks", "--smoke"]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split("|")[1:-1] for line in done.stdout.splitlines() if line.startswith("| ")]
    titles = [title.strip() for title, *_ in rows[1:]]
    assert titles == [case.title for case in CASES if not case.needs]
    assert all(case.title in done.stdout for case in CASES)
    assert len({len(line) for line in done.stdout.splitlines() if line.startswith("|")}) == 1  # one table


def fails(_):
    raise ZeroDivisionError


def test_a_case_that_fails_does_not_lose_the_others(capsys):
    slow = Case("third", lambda _: Outcome(2), (Target(1, "s"),))
    counts = command.measure([Case("first", lambda _: Outcome(1)), Case("second", fails), slow])
    assert counts == {"measured": 2, "failed": 1, "left_out": [], "missed": ["third: 2 s, target ≤ 1 s"]}
    said = capsys.readouterr().out
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in said.splitlines() if line.startswith("| ")]
    reached = {title: cells[-2] for title, *cells in rows}
    assert [reached[title] for title in ("first", "second", "third")] == ["1 s", "failed", "2 s"]


@for_each("case, outcome, reached", [
    (Case("", None), Outcome(0.5), ["0.5 s", ""]),
    (Case("", None, peer="it"), Outcome(0.5, 2.0), [f"4 {FASTER}", ""]),
    (Case("", None, (Target(5, FASTER),), "it"), Outcome(0.5, 2.0), [f"4 {FASTER}", "✗"]),
    (Case("", None, (Target(1, "GB"),)), Outcome(0.5, unit="GB"), ["0.5 GB", "✓"]),
])  # fmt: skip
def test_a_row_has_the_ratio_or_what_at_k_needs(case, outcome, reached):
    assert [list(row[-2:]) for row in command.rows(case, outcome)] == [reached]


def test_without_a_browser_the_rest_is_measured(capsys):
    cases = [Case("first", lambda _: Outcome(1)), Case("page", fails, needs=command.BROWSER)]
    assert command.measure(cases, chromium="")["left_out"] == ["page"]
    said = capsys.readouterr().out
    assert "| first" in said
    assert "no Chromium here (type: .venv/bin/python -m playwright install" in said


@for_each("place, found", [
    ("chromium_headless_shell-1200/chrome-linux/headless_shell", True),
    ("chromium_headless_shell-1217/chrome-headless-shell-linux64/chrome-headless-shell", True),
    ("chromium-1200/chrome-linux/chrome", True),
    ("firefox-1500/firefox/firefox", False),
])  # fmt: skip
def test_chromium_is_found_where_playwright_installs_it(place, found, tmp_path, monkeypatch):
    path = tmp_path / str(found) / place
    path.parent.mkdir(parents=True)
    path.touch(mode=0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(path.parents[2]))
    assert find_chromium() == (str(path) if found else None)
    path.unlink()


def test_decisions_are_asked_of_every_package_that_is_installed(tmp_path, monkeypatch):
    text = deciding.DOCUMENT.read_text(encoding="utf-8")
    start, end = (text.index(mark) for mark in deciding.MARKS)
    written = [row.split(" | ")[0].strip("| ") for row in text[start:end].splitlines() if row.startswith("| ")]
    assert list(filter(None, written[1:])) == [question for question, _ in deciding.list_questions()]
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- peers -->\nold\n<!-- /peers -->\nb\n", encoding="utf-8")
    monkeypatch.setattr(deciding, "DOCUMENT", page)
    monkeypatch.setattr(deciding, "find_spec", {"scipy"}.__contains__)
    monkeypatch.setattr(measure, "ROUND", 1e-9)  # seconds: one run each
    asked = [("of one", iter([("at-k", lambda: (1, 0.5)), ("scipy (t)", lambda: (2,)), ("evalstats", fails)]))]
    monkeypatch.setattr(deciding, "list_questions", lambda: asked)
    deciding.main()
    rows = page.read_text(encoding="utf-8").splitlines()
    assert (rows[:2], rows[-2:]) == (["a", "<!-- peers -->"], ["<!-- /peers -->", "b"])
    assert [row.split(" | ")[:3] for row in rows[6:8]] == [["| of one", "at-k", "1, 0.5"], ["| ", "scipy (t)", "2"]]


@for_each("name", ["rl", "base"])
def test_flips_of_scipy_agree_with_ours(name):
    a, b = deciding.estimate(name, 8, 100), deciding.estimate(name, 1, 100) + 0.1
    ours, theirs = deciding.compare_values(a, np.minimum(b, 1)).p_value, deciding.flip_with_scipy(a - np.minimum(b, 1))
    assert ours == pytest.approx(theirs, abs=0.015)  # three standard errors of .05 of 9,999 flips, twice
