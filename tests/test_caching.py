"""Attributes that are computed once, in threads and in a fork."""

import os
import signal
import threading
import warnings

import pytest

from at_k.caching import cached_property


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
