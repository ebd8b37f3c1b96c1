"""Messages and errors, which processes can exchange; keys that are data; attributes computed once, bars, limits."""

import copy
import gzip
import inspect
import io
import json
import os
import pickle
import signal
import threading
import warnings
from contextlib import contextmanager, redirect_stderr
from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from types import SimpleNamespace

import datasets
import numpy as np
import pytest
from cases import for_each
from numpy.testing import assert_array_equal

import at_k
from at_k import progress
from at_k.demo.limits import LIMITS
from at_k.errors import InputError, Message
from at_k.validation import UNLIMITED, Limits, exceeds
from at_k.values import Column, Key, cached_property

SENTENCE = "k = {k} is more than n = {n:,}{place}."


def test_a_message_is_filled_in():
    message = Message("k.large", SENTENCE, k=8, n=4000, place="")
    assert str(message) == "k = 8 is more than n = 4,000."
    assert (message.code, message.sentence, message.values) == (
        "k.large",
        SENTENCE,
        {"k": 8, "n": 4000, "place": ""},
    )
    assert repr(message) == "Message('k.large', 'k = 8 is more than n = 4,000.')"
    # Braces of a sentence are doubled, and those of a value are not.
    assert str(Message("x", '{{"k": {value}}}', value="{n} %s {0}")) == '{"k": {n} %s {0}}'


@for_each("name", ["code", "sentence", "self", "values", "message"])
def test_values_may_have_any_name(name):
    sentence = "{" + name + "}"
    assert (
        str(Message("x", sentence, **{name: 7}))
        == str(InputError("x", sentence, **{name: 7}))
        == "7"
    )


def test_messages_are_equal_if_they_say_the_same():
    one = Message("x", "{a}", a=[1])
    assert (
        one == Message("x", "{a}", a=[1]) == copy.deepcopy(one) == pickle.loads(pickle.dumps(one))
    )
    assert hash(one) == hash(Message("x", "{a}", a=[1]))
    assert one not in (
        Message("x", "{a}", a=[2]),
        Message("y", "{a}", a=[1]),
        Message("x", "{a}!", a=[1]),
        "[1]",
    )


def test_an_error_is_a_value_error_with_a_message_and_names_its_file():
    error = InputError(
        "k.large", SENTENCE, k=8, n=4, place=Message("k.place", " in row {row}", row=3)
    )
    assert isinstance(error, ValueError)
    assert error.args == (str(error),) == ("k = 8 is more than n = 4 in row 3.",)
    assert error.message == Message("k.large", SENTENCE, **error.values)
    assert (error.code, error.values["k"], error.values["place"].values) == (
        "k.large",
        8,
        {"row": 3},
    )
    of_file = InputError("k.large", SENTENCE, k=8, n=4, place="").in_file("a/b.csv")
    assert (
        str(of_file)
        == str(pickle.loads(pickle.dumps(of_file)))
        == "a/b.csv: k = 8 is more than n = 4."
    )
    assert str(of_file.message) == "k = 8 is more than n = 4."


class SpecialError(InputError):
    """An error of a caller."""


@for_each("kind", [InputError, SpecialError])
@for_each("remake", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_errors_can_be_copied(remake, kind):
    error = kind("k.large", SENTENCE, k=[8], n=4, place=Message("k.place", ""))
    again = remake(error)
    assert type(again) is kind
    assert str(again) == str(error)
    assert again.message == error.message
    assert again.args == error.args


SPELLED = [
    (("pass@k", 4), "pass@4", "pass@k"),
    (("pass^k", 8), "pass^8", "pass^k"),
    (("G-Pass@k", 16, 0.25), "G-Pass@16_0.25", "G-Pass@k_0.25"),
    (("G-Pass@k", 2, 1.0), "G-Pass@2_1.0", "G-Pass@k_1.0"),
    (("G-Pass@k", 2, 0.0), "G-Pass@2_0.0", "G-Pass@k_0.0"),
    (("G-Pass@k", 3, Fraction(2, 3)), "G-Pass@3_2/3", "G-Pass@k_2/3"),
    (("mG-Pass@k", 8), "mG-Pass@8", "mG-Pass@k"),
    (("avg@n", 64), "avg@64", "avg@n"),
    (("avg@n",), "avg@n", "avg@n"),
    (("accuracy",), "accuracy", "accuracy"),
]


@for_each("parts, text, line", SPELLED)
def test_a_key_is_the_string_that_it_prints_as(parts, text, line):
    key = Key(*parts)
    assert (key, str(key), f"{key}") == (text, text, text)
    assert {text: 1}[key] == 1
    assert json.dumps({key: 1}) == json.dumps({text: 1})
    assert (key.metric, key.k, key.tau) == (*parts, None, None)[:3]
    assert (key.line, key.line.metric, key.line.k, key.line.tau) == (
        line,
        key.metric,
        None,
        key.tau,
    )
    assert key.line.line == key.line
    for other in (
        copy.copy(key),
        copy.deepcopy(key),
        *(pickle.loads(pickle.dumps(key, each)) for each in range(2, 6)),
    ):
        assert (other, other.metric, other.k, other.tau, other.line) == (
            text,
            key.metric,
            key.k,
            key.tau,
            line,
        )
        assert type(other) is Key


def test_columns_of_values_and_of_levels():
    column = Column.of([1, 0, 0.5])
    assert_array_equal(column.expand(), [1, 0, 0.5])
    assert (len(column), column.levels.dtype, column.which) == (3, np.float64, None)
    column = Column(np.array([0.25, 1.0]), np.array([1, 0, 0, 1, 1]))
    assert_array_equal(column.expand(), [1, 0.25, 0.25, 1, 1])
    assert len(column) == 5


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
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # from Python 3.12 on: there is a thread
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


def draw(total):
    with redirect_stderr(io.StringIO()) as said, progress.open_bar(total, "math") as bar:
        for _ in range(total):
            bar.update()
    return said.getvalue()


def test_a_bar_follows_the_switch_of_datasets(monkeypatch):
    monkeypatch.setattr(progress, "_DELAY", 0)
    assert "Checking with math: 100%" in draw(3)
    datasets.disable_progress_bars()
    try:
        assert draw(3) == ""
    finally:
        datasets.enable_progress_bars()


def test_short_runs_have_no_bar(monkeypatch, capsys):
    assert draw(3) == ""
    monkeypatch.setattr(progress, "_DELAY", 0)
    assert draw(1) == ""
    with progress.follow_reading(10) as reach:  # in Python, reading has none
        reach(0, 5)
    assert capsys.readouterr() == ("", "")


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


@pytest.mark.parametrize(
    "name", ["results.jsonl", "results.jsonl.gz", "results.csv", "results.json"]
)
def test_the_bytes_of_all_files_are_counted_once(tmp_path, name):
    paths = [tmp_path / run / name for run in ("run_0", "run_1")]
    for path in paths:
        path.parent.mkdir()
        rows = [{"id": i, "correct": i % 2} for i in range(2000)]
        text = "id,correct\n" + "".join(f"{row['id']},{row['correct']}\n" for row in rows)
        if "json" in name:
            text = (
                "\n".join(map(json.dumps, rows)) if "jsonl" in name else json.dumps(rows, indent=1)
            )
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


def test_limits_by_default_and_on_the_page():
    assert Limits() == UNLIMITED
    for field in fields(Limits):
        assert (getattr(UNLIMITED, field.name), getattr(LIMITS, field.name) is None) == (
            None,
            False,
        )
        assert f"\n    {field.name}: " in inspect.getdoc(Limits)
    with pytest.raises(FrozenInstanceError):
        UNLIMITED.max_rows = 1
    cases = [(3, 2, True), (2, 2, False), (0, 0, False), (9, None, False)]
    assert [exceeds(amount, limit) for amount, limit, _ in cases] == [
        expected for *_, expected in cases
    ]
