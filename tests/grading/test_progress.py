"""Progress bars of slow checks."""

import io
from contextlib import contextmanager, redirect_stderr

import datasets
import pytest

from at_k.grading import progress


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
