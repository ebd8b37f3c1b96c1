"""A program as it is seen from outside, processes as /proc shows them, and directories that resist."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from at_k.grading.code import watching as processes
from at_k.grading.code.program import READY, TOKEN
from at_k.grading.code.protocol import ProgramLimits
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
    watch.message += said
    assert watch.end == end


def test_a_closed_channel_ends_the_watch(watch):
    watch.theirs.sendall(b"last words")
    watch.theirs.close()
    watch.follow()
    assert watch.message == b"last words"
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
    assert watch.message == READY
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


FAMILY = """
import os, sys, time
from at_k.grading.code.isolation import adopt_orphans
from at_k.grading.code.watching import *
handle = open_processes()
adopt_orphans()
pipe, done = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.fork()
        end = time.process_time() + 0.2
        while time.process_time() < end: pass
        os.write(done, b"x")
        time.sleep(60)
    os._exit(0)
os.wait()
os.read(pipe, 1), os.read(pipe, 1)
assert len(find_children(handle)) == 1, "the orphan is adopted"
assert 0.3 < measure_descendants(handle) < 30, measure_descendants(handle)
assert count_tasks(handle, os.getuid()) >= 3
end_children(handle, all_inside=False)
assert find_children(handle) == []
print("ended")
"""


def test_descendants_are_found_measured_and_ended():
    run = [sys.executable, "-c", FAMILY]
    assert subprocess.run(run, capture_output=True, text=True, check=True, timeout=60).stdout == "ended\n"


def test_without_proc_nothing_is_known():
    assert processes.find_children(None) == []
    assert processes.measure_descendants(None) == 0
    assert processes.count_tasks(None, 0) == 0


def test_killing_what_has_ended_is_no_error():
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    processes.kill(child.pid)


def test_a_stubborn_directory_is_removed(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    here = os.getcwd()
    try:
        os.chdir(folder)
        for _ in range(1500):  # deeper than recursion goes
            os.mkdir("d")
            os.chdir("d")
        open("file", "w").close()
        os.chmod(".", 0)
    finally:
        os.chdir(here)
    processes.remove_folder(str(folder))
    assert not folder.exists()
