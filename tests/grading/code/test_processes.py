"""Processes as /proc shows them, and directories that resist."""

import os
import subprocess
import sys
import time

import pytest

from at_k.grading.code import processes

FAMILY = """
import os, sys, time
from at_k.grading.code.isolation import adopt_orphans
from at_k.grading.code.processes import *
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


def test_a_process_is_listed_with_its_parent():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    handle = processes.open_processes()
    listed = {process.number: process for process in processes.list_processes(handle)}
    assert listed[child.pid].parent == os.getpid()
    assert child.pid in processes.find_children(handle)
    child.communicate(b"\n")
    os.close(handle)


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


@pytest.mark.skipif(sys.platform != "linux", reason="as Linux numbers the clocks of processes")
def test_the_clock_of_another_process():
    code = "import time\nwhile time.process_time() < 0.3: pass\nprint(1, flush=True)\ninput()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    child.stdout.readline()
    assert 0.3 <= time.clock_gettime((~child.pid << 3) | 2) < 10
    child.communicate(b"\n")
