"""Progress bars of slow checks, and of large files."""

import gzip
import io
import json
from contextlib import contextmanager, redirect_stderr
from types import SimpleNamespace

import datasets
import pytest

import at_k
from at_k import progress


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(progress, "_DELAY", 0)


def draw(total):
    with redirect_stderr(io.StringIO()) as said, progress.open_bar(total, "math") as bar:
        for _ in range(total):
            bar.update()
    return said.getvalue()


def test_a_bar_follows_the_switch_of_datasets(at_once):
    assert "Checking with math: 100%" in draw(3)
    datasets.disable_progress_bars()
    try:
        assert draw(3) == ""
    finally:
        datasets.enable_progress_bars()


def test_one_check_has_no_bar(at_once):
    assert draw(1) == ""


def test_a_short_run_has_no_bar():
    assert draw(3) == ""


def test_bars_can_be_opened_by_another_function():
    opened = []

    @contextmanager
    def open_mine(total, text):
        opened.append((total, text))
        yield io.StringIO()

    with progress.replace_bars(open_mine), progress.open_bar(5, "code"):
        pass
    with pytest.raises(ZeroDivisionError), progress.replace_bars(open_mine):
        _ = 1 / 0
    assert draw(3) == ""
    assert opened == [(5, "Checking with code")]


@pytest.mark.parametrize("name", ["results.jsonl", "results.jsonl.gz", "results.csv", "results.json"])
def test_the_bytes_of_all_files_are_counted_once(tmp_path, name):
    paths = [tmp_path / run / name for run in ("run_0", "run_1")]
    for path in paths:
        path.parent.mkdir()
        rows = [{"id": i, "correct": i % 2} for i in range(2000)]
        text = "id,correct\n" + "".join(f"{row['id']},{row['correct']}\n" for row in rows)
        if "json" in name:
            text = "\n".join(map(json.dumps, rows)) if "jsonl" in name else json.dumps(rows, indent=1)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    steps, totals = [], []

    @contextmanager
    def open_mine(total, text):
        totals.append(total)
        yield SimpleNamespace(update=steps.append)

    with progress.replace_bars(open_mine):
        at_k.score(paths)
    assert totals == [sum(path.stat().st_size for path in paths)]
    assert sum(steps) == totals[0]
    assert len(steps) >= 2
    assert min(steps) > 0


def test_in_python_reading_has_no_bar(capsys):
    with progress.follow_reading(10) as reach:
        reach(0, 5)
    assert capsys.readouterr() == ("", "")
