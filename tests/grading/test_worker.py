"""The program of a worker: what it answers, and that it ends with its parent."""

import subprocess
import sys
from multiprocessing.connection import Pipe
from pathlib import Path

import pytest

from at_k.grading.checkers import Numeric

ROOT = Path(__file__).parents[2]


@pytest.fixture
def worker():
    ours, theirs = Pipe()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "at_k.grading.worker", str(theirs.fileno())], pass_fds=[theirs.fileno()], cwd=ROOT
        )
    ours.send([str(ROOT), *sys.path])
    ours.send(Numeric())
    with process, ours:
        yield ours, process


def test_a_worker_replies_to_each_pair_and_ends_when_the_connection_does(worker):
    connection, process = worker
    assert connection.recv() is None  # it is ready
    connection.send(([("1,000", "1000"), ("1", "2")], 5.0, 50.0))
    assert [connection.recv(), connection.recv()] == [True, False]
    connection.close()
    assert process.wait(timeout=60) == 0


def test_an_exception_is_a_reply(worker):
    connection, _ = worker
    connection.recv()
    connection.send(([(5, "1000"), ("1", "1")], 5.0, 50.0))
    (text,) = connection.recv()
    assert text.startswith("AttributeError")
    assert connection.recv() is True
