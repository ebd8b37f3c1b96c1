"""Attributes that are computed once, progress bars, and limits."""

import gzip
import inspect
import io
import json
import os
import signal
import threading
import warnings
from contextlib import contextmanager, redirect_stderr
from dataclasses import FrozenInstanceError, fields
from types import SimpleNamespace

import datasets
import pytest

import at_k
from at_k import errors
from at_k.demo.limits import LIMITS
from at_k.validation import UNLIMITED, Limits, exceeds
from at_k.values import cached_property


class Row:
    def __init__(self, compute):
        self.compute = compute

    @cached_property
    def n(self):
        """Count."""
        return self.compute()


def test_an_attribute_is_computed_once_for_each_instance():
    calls = []
    rows = [Row(lambda: calls.append("a")), Row(lambda: calls.append("b"))]
    assert [rows[0].n, rows[0].n, rows[1].n] == [None] * 3
    assert calls == ["a", "b"]
    assert Row.n.__doc__ == "Count."


def test_an_attribute_that_cannot_be_computed_is_not_kept():
    row = Row(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        _ = row.n
    row.compute = list
    assert row.n == []


def compute_in_fork():
    """Return how a child ends that computes an attribute: it would wait for ever for a lock that a thread holds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # from Python 3.12 on: there is a thread
        child = os.fork()
    if not child:
        signal.alarm(30)  # a child takes 5 ms
        os._exit(Row(list).n != [])
    return os.waitpid(child, 0)[1]


def test_an_instance_does_not_wait_for_another_and_threads_get_one_value():
    computing, release = threading.Event(), threading.Event()

    def compute():
        computing.set()
        release.wait()
        return []

    slow, found = Row(compute), []
    thread = threading.Thread(target=lambda: found.append(slow.n))
    thread.start()
    computing.wait()
    quick = threading.Thread(target=lambda: Row(list).n, daemon=True)
    quick.start()
    quick.join(60)  # far longer than it takes
    waits = quick.is_alive() or (hasattr(os, "fork") and compute_in_fork())
    if not waits:
        slow.compute = list
        found.append(slow.n)
    release.set()
    thread.join()
    assert not waits
    assert found[0] is found[1] is slow.n


# Progress


def draw(total):
    with redirect_stderr(io.StringIO()) as said, errors.open_bar(total, "math") as bar:
        for _ in range(total):
            bar.update()
    return said.getvalue()


def test_a_bar_follows_the_switch_of_datasets(monkeypatch):
    monkeypatch.setattr(errors, "_DELAY", 0)
    assert "Checking with math: 100%" in draw(3)
    datasets.disable_progress_bars()
    try:
        assert draw(3) == ""
    finally:
        datasets.enable_progress_bars()


def test_short_runs_have_no_bar(monkeypatch, capsys):
    assert draw(3) == ""
    monkeypatch.setattr(errors, "_DELAY", 0)
    assert draw(1) == ""
    with errors.follow_reading(10) as reach:  # in Python, reading has none
        reach(0, 5)
    assert capsys.readouterr() == ("", "")


def test_bars_can_be_opened_by_another_function():
    opened = []

    @contextmanager
    def open_mine(total, text):
        opened.append((total, text))
        yield io.StringIO()

    with errors.replace_bars(open_mine), errors.open_bar(5, "code"):
        pass
    with pytest.raises(ZeroDivisionError), errors.replace_bars(open_mine):
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

    with errors.replace_bars(open_mine):
        at_k.score(paths)
    assert totals == [sum(path.stat().st_size for path in paths)]
    assert sum(steps) == totals[0]
    assert len(steps) >= 2
    assert min(steps) > 0


# Limits


def test_limits_by_default_and_on_the_page():
    assert Limits() == UNLIMITED
    for field in fields(Limits):
        assert (getattr(UNLIMITED, field.name), getattr(LIMITS, field.name) is None) == (None, False)
        assert f"\n    {field.name}: " in inspect.getdoc(Limits)
    with pytest.raises(FrozenInstanceError):
        UNLIMITED.max_rows = 1
    cases = [(3, 2, True), (2, 2, False), (0, 0, False), (9, None, False)]
    assert [exceeds(amount, limit) for amount, limit, _ in cases] == [expected for *_, expected in cases]
