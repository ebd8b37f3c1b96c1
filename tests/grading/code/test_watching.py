"""A program as it is seen from outside, processes as /proc shows them, and directories that resist."""

import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from at_k.grading.code import watching as processes
from at_k.grading.code.protocol import ProgramLimits, Report
from at_k.grading.code.watching import Watch


@pytest.fixture
def watch(tmp_path):
    """Watch a process that sleeps, with both ends of its output in this process, and a /proc without other children."""
    (tmp_path / "thread-self").mkdir()
    (tmp_path / "thread-self" / "children").touch()
    proc = os.open(tmp_path, os.O_RDONLY)
    child = os.posix_spawn("/bin/sleep", ["sleep", "60"], {})
    connection, other = socket.socketpair()
    printed, printing = os.pipe()
    os.set_blocking(printed, False)
    watch = Watch(
        child, printed, connection, ProgramLimits(timeout=0.1, output=10), proc, Report(4096)
    )
    watch.printing = printing
    with connection, other:
        yield watch
    if watch.ended is None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    for handle in (printed, printing, proc):
        os.close(handle)


def test_a_program_that_ends_is_noticed(watch):
    os.kill(watch.pid, signal.SIGTERM)  # its output stays open, as a grandchild would keep it
    watch.follow()
    assert os.WTERMSIG(watch.ended[0]) == signal.SIGTERM
    assert not watch.overtime


def test_a_program_that_sleeps_ends_by_the_clock(watch):
    start = time.monotonic()
    watch.report.begin(start + 0.3)  # the time before it begins does not count
    watch.follow()
    assert time.monotonic() - start >= 0.4
    assert watch.overtime == "0.1 s mostly without work"


def test_waiting_for_a_processor_does_not_count(watch):
    watch._read_delay = lambda: 100.0
    assert not watch._is_over(0.0, 50.0)
    assert watch._is_over(0.0, 150.0)


def test_output_beyond_the_bound_is_thrown_away(watch):
    os.write(watch.printing, b"0123456789more")
    assert watch.read_output()
    assert watch.printed == b"0123456789"
    assert not watch.read_output()


def test_a_report_has_a_largest_size():
    report = Report(4096)
    report.begin(1.5)
    assert report.read() == (1.5, "")
    report.write({"result": "x" * 4096})
    assert report.read() == (1.5, '{"detail": "it returned more than is read"}')


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
    assert (
        subprocess.run(run, capture_output=True, text=True, check=True, timeout=60).stdout
        == "ended\n"
    )


def test_a_stubborn_directory_is_removed(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    here = os.getcwd()
    try:
        os.chdir(folder)
        for _ in range(1100):  # deeper than recursion goes
            os.mkdir("d")
            os.chdir("d")
        open("file", "w").close()
        os.chmod(".", 0)
    finally:
        os.chdir(here)
    processes.remove_folder(str(folder))
    assert not folder.exists()
