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
from cases import for_each

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


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(errors, "_DELAY", 0)


def draw(total):
    with redirect_stderr(io.StringIO()) as said, errors.open_bar(total, "math") as bar:
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


def test_in_python_reading_has_no_bar(capsys):
    with errors.follow_reading(10) as reach:
        reach(0, 5)
    assert capsys.readouterr() == ("", "")


# Limits


def test_nothing_is_limited_by_default():
    assert Limits() == UNLIMITED
    assert {getattr(UNLIMITED, field.name) for field in fields(Limits)} == {None}


def test_the_page_limits_everything():
    assert None not in {getattr(LIMITS, field.name) for field in fields(Limits)}


def test_every_limit_is_documented():
    for field in fields(Limits):
        assert f"\n    {field.name}: " in inspect.getdoc(Limits)


def test_limits_do_not_change():
    with pytest.raises(FrozenInstanceError):
        UNLIMITED.max_rows = 1


@for_each("amount, limit, expected", [(3, 2, True), (2, 2, False), (0, 0, False), (9, None, False)])
def test_exceeds(amount, limit, expected):
    assert exceeds(amount, limit) is expected
