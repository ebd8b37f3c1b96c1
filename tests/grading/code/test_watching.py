"""A program as it is seen from outside."""

import os
import signal
import socket
import threading
import time

import pytest

from at_k.grading.code.limits import ProgramLimits
from at_k.grading.code.program import READY, TOKEN
from at_k.grading.code.watching import Watch

SECRET = b"0123456789abcdef"


@pytest.fixture
def watch():
    """Watch a process that sleeps, with both ends of its channel and its output in this process."""
    child = os.posix_spawn("/bin/sleep", ["sleep", "60"], {})
    own, theirs = socket.socketpair()
    connection, other = socket.socketpair()
    printed, printing = os.pipe()
    os.set_blocking(printed, False)
    watch = Watch(child, own, printed, connection, ProgramLimits(timeout=0.1, output=10), None)
    watch.theirs, watch.printing = theirs, printing
    with own, theirs, connection, other:
        yield watch
    if watch.ended is None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    os.close(printed)
    os.close(printing)


@pytest.mark.parametrize(
    ("said", "end"),
    [
        (READY + TOKEN + SECRET + SECRET + b"12 ", (12, "")),
        (READY + TOKEN + SECRET + SECRET + b"0 ", (0, "")),
        (READY + TOKEN + SECRET + SECRET + b"1 T.test_a, test_b", (1, "T.test_a, test_b")),
        (READY + TOKEN + SECRET + SECRET + b"12", None),
        (READY + TOKEN + SECRET + SECRET + b"9" * 5000 + b" ", None),
        (READY + TOKEN + SECRET + SECRET + b"-1 ", None),
        (READY + TOKEN + SECRET + SECRET, None),
        (READY + TOKEN + SECRET, None),
        (READY + TOKEN + SECRET + SECRET + SECRET, None),
        (READY + TOKEN + SECRET + SECRET[::-1] + b"1 ", None),
        (READY + TOKEN + SECRET + SECRET + b" ", None),
        (READY + TOKEN + SECRET + SECRET[:-1] + b"1 ", None),
        (READY + TOKEN + SECRET + b"x" + SECRET + b"1 ", None),
        (READY + TOKEN, None),
        (READY + SECRET + SECRET + b"1 ", None),
        (READY, None),
        (b"", None),
    ],
)
def test_only_the_token_passes(watch, said, end):
    watch.said += said
    assert watch.end == end


def test_a_closed_channel_ends_the_watch(watch):
    watch.theirs.sendall(b"last words")
    watch.theirs.close()
    watch.follow()
    assert watch.said == b"last words"
    assert watch.closed
    assert not watch.overtime


def test_a_program_that_ends_is_noticed(watch):
    os.kill(watch.pid, signal.SIGTERM)  # the channel stays open, as a grandchild would keep it
    watch.follow()
    assert os.WTERMSIG(watch.ended[0]) == signal.SIGTERM
    assert not watch.closed


def test_a_program_that_sleeps_ends_by_the_clock(watch):
    watch.theirs.sendall(READY)
    start = time.monotonic()
    watch.follow()
    assert time.monotonic() - start >= watch.limits.timeout == 0.1
    assert watch.overtime == "0.1 s mostly without work"


def test_the_time_before_a_program_begins_does_not_count(watch):
    threading.Timer(0.3, watch.theirs.sendall, [READY]).start()
    watch.follow()
    assert watch.said == READY
    assert watch.overtime == "0.1 s mostly without work"


def test_waiting_for_a_processor_does_not_count(watch):
    watch._read_delay = lambda: 100.0
    assert not watch._is_over(0.0, 50.0)
    assert watch._is_over(0.0, 150.0)


def test_too_much_on_the_channel_ends_the_watch(watch):
    watch.theirs.setblocking(False)
    watch.theirs.send(bytes(70_000))
    watch.follow()
    assert watch.end is None


def test_output_beyond_the_bound_is_thrown_away(watch):
    os.write(watch.printing, b"0123456789more")
    assert watch.read_output()
    assert watch.printed == b"0123456789"
    assert not watch.read_output()
