"""Attributes that are computed once, in threads and in forks."""

import os
import subprocess
import sys
import threading

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
    waits = quick.is_alive()
    if not waits:
        slow.compute = list
        found.append(slow.n)
    release.set()
    thread.join()
    assert not waits
    assert found[0] is found[1] is slow.n


FORKING = """
import os, signal, sys, threading, time
import evaluate, at_k

metric = evaluate.load(str(at_k.module_path("avg_at_n")), "graded")
stop = threading.Event()

def add():
    while not stop.is_set():
        metric.add(prediction=[1, 0, 0.5])
        metric.compute()

thread = threading.Thread(target=add)
thread.start()
for _ in range(40):
    child = os.fork()
    if not child:
        os._exit(metric.compute(predictions=[[1, 0]])["accuracy"] != 0.5)
    end = time.monotonic() + 30  # a child takes 5 ms
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.001)
    if ended[1]:
        break
stop.set()
thread.join()
sys.exit(ended[1] != 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_computes_while_a_thread_of_its_parent_adds():
    found = subprocess.run([sys.executable, "-c", FORKING], timeout=120, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
