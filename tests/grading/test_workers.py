"""Worker processes: limits, crashes, threads, interruption, and that none is left."""

import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from pathlib import Path

import pytest
from bounds import hold, seconds_of_children, timed
from cases import for_each
from grading.obedient import Broken, Fatal, Obedient

from at_k import progress
from at_k.grading import workers
from at_k.grading.code import pool
from at_k.grading.workers import (
    NotGraded,
    NotGradedError,
    check_num_workers,
    check_timeout,
    grade_pairs,
)

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def obedient():
    yield Obedient()
    pool.end_workers()


def list_workers(parent=None):
    """List the processes of workers that a process started, by their command lines in /proc."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                command = (folder / "cmdline").read_bytes().split(b"\0")
                status = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if b"at_k.grading.workers import main" in b" ".join(command) and parent in (
                None,
                int(status[1]),
            ):
                found.append(int(folder.name))
    return found


def test_whatever_happens_to_one_pair_the_others_are_graded(obedient):
    pairs = [(text, "a") for text in ("a", "b", "power", "a", "die", "raise", "print", "b", "a")]
    found = grade_pairs(obedient, pairs, num_workers=2, timeout=0.3)
    shown = [each.cause if isinstance(each, NotGraded) else each for each in found]
    assert shown == [True, False, "timeout", True, "crash", "error", False, False, True]
    assert found[5].reason == "KeyError: 'no'"
    assert found[4].reason == "its process ended with status 3"


def test_what_sleeps_meets_the_limit_of_the_clock(obedient, monkeypatch):
    monkeypatch.setattr(workers, "_WALL_SECONDS", 0.2)
    grade_pairs(obedient, [("a", "a")])  # so that a worker runs
    before = time.monotonic()
    (found,) = grade_pairs(obedient, [("sleep", "a")], timeout=0.02)
    assert found.cause == "timeout"
    assert time.monotonic() - before < 30


def test_a_limit_is_kept_within_half_a_second(obedient):
    """The CPU time of the worker is measured by the system, so that the load of the machine does not matter."""
    seconds = []

    def grade():
        pool.end_workers()  # the CPU time of a process is counted when it has ended
        grade_pairs(obedient, [("a", "a")])
        found, used = timed(
            lambda: grade_pairs(obedient, [("power", "a")], timeout=0.2), seconds_of_children
        )()
        seconds.append(used)
        return found, used

    hold(0.2 + 0.5 + 3, grade)  # three seconds for its start, which is not limited
    assert min(seconds) >= 0.2


def test_a_checker_can_be_called_alone(obedient):
    assert obedient("a", "a") is True
    with pytest.raises(
        NotGradedError, match=r"'obedient' did not grade 'die' against 'a': its process ended"
    ):
        obedient("die", "a")


def test_workers_stay_for_the_next_call_and_end_when_told(obedient):
    pool.end_workers()
    before = set(list_workers(os.getpid()))
    grade_pairs(obedient, [("a", "a")])
    first = set(list_workers(os.getpid())) - before
    grade_pairs(obedient, [("b", "a")])
    assert set(list_workers(os.getpid())) - before == first
    assert len(first) == 1
    pool.end_workers()
    assert not set(list_workers(os.getpid())) - before


@for_each("end", ["killed", "idle for long"])
def test_a_worker_that_ended_meanwhile_is_replaced(obedient, end):
    pool.end_workers()
    grade_pairs(obedient, [("a", "a")])
    (idle,) = [worker for idle in pool.IDLE.values() for worker in idle]
    if end == "killed":
        os.kill(idle.process.pid, signal.SIGKILL)
        idle.process.wait()
    else:  # it ends by itself, in the moment after it was found to be alive
        idle.connection.shutdown(socket.SHUT_WR)
        os.waitid(os.P_PID, idle.process.pid, os.WEXITED | os.WNOWAIT)
        idle.process.poll = lambda: None
    assert grade_pairs(obedient, [("a", "a")]) == [True]
    assert idle.process.returncode == (-signal.SIGKILL if end == "killed" else 0)


def test_a_pair_that_always_ends_its_worker_without_a_word_is_asked_twice(obedient, tmp_path):
    (grade,) = grade_pairs(obedient, [("leave", str(tmp_path))])
    assert grade.reason == "its process ended with status 0"
    assert len(list(tmp_path.iterdir())) == 2


def test_threads_do_not_disturb_each_other(obedient):
    found = {}

    def check(name):
        pairs = [(name, "a"), ("a", name)] * 5 + [("die", name)] * (name == "b")
        found[name] = grade_pairs(obedient, pairs, num_workers=1)

    threads = [threading.Thread(target=check, args=(name,)) for name in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, grades in found.items():
        assert grades[:10] == [name == "a"] * 10
    assert [len(found[name]) for name in "abc"] == [10, 11, 10]
    assert found["b"][10].cause == "crash"


def test_a_checker_that_cannot_start_is_an_error_and_no_verdict():
    with pytest.raises(
        RuntimeError, match="could not start the checker 'broken': ImportError: no such thing"
    ):
        grade_pairs(Broken(), [("a", "b")])
    with pytest.raises(
        RuntimeError, match=r"checker 'fatal': a worker process ended before .* status 7"
    ):
        grade_pairs(Fatal(), [("a", "b")] * 3)


SCRIPT = """
import sys; sys.path[:0] = {paths!r}
from at_k.grading.workers import grade_pairs
from grading.obedient import Obedient
print(grade_pairs(Obedient(), [("a", "a"), ("b", "a")]), flush=True)
{then}
"""


def run(then, **options):
    paths = [str(ROOT), str(ROOT / "tests")]
    script = SCRIPT.format(
        paths=paths, then=textwrap.dedent(then)
    )  # without `if __name__ == "__main__"`
    return subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, **options
    )


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


@for_each("ending", ["exit", "interrupt"])
def test_no_process_is_left(ending):
    busy = "grade_pairs(Obedient(), [('spin', 'a')] * 40, num_workers=2, timeout=100)"
    with run(
        "import os; os._exit(1)" if ending == "exit" else busy, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == "[True, False]\n"
        if ending == "interrupt":
            assert wait_until(lambda: len(list_workers(process.pid)) == 2)
        left = list_workers(process.pid)
        if ending == "interrupt":
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert wait_until(lambda: not set(left) & set(list_workers()))
    assert process.returncode != 0


def test_a_forked_child_leaves_the_workers_to_its_parent(obedient):
    assert grade_pairs(obedient, [("a", "a")]) == [True]
    idle = list_workers(os.getpid())
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # from Python 3.12: another test may have left a thread
        child = os.fork()
    if child == 0:
        os._exit(any(pool.IDLE.values()))
    assert os.waitpid(child, 0)[1] == 0
    assert grade_pairs(obedient, [("a", "a")]) == [True]
    assert list_workers(os.getpid()) == idle


def test_the_progress_bar_follows_the_switch_of_datasets(obedient, monkeypatch, capsys):
    import datasets

    monkeypatch.setattr(progress, "_DELAY", 0)
    grade_pairs(obedient, [("a", "a"), ("b", "a")])
    assert "Checking with obedient" in capsys.readouterr().err
    datasets.disable_progress_bars()
    try:
        grade_pairs(obedient, [("a", "a"), ("b", "a")])
    finally:
        datasets.enable_progress_bars()
    assert capsys.readouterr().err == ""


def test_the_number_of_workers():
    assert check_num_workers(None) >= 1
    assert check_num_workers(3) == 3
    for wrong, error in (
        (0, ValueError),
        (-1, ValueError),
        (1.5, TypeError),
        (True, TypeError),
        ("2", TypeError),
    ):
        with pytest.raises(error, match="`num_workers` must be a positive integer; got"):
            check_num_workers(wrong)


def test_the_time_limit():
    assert check_timeout(2) == 2.0
    for wrong, error in (
        (0, ValueError),
        (float("nan"), ValueError),
        (1e9, ValueError),
        (None, TypeError),
    ):
        with pytest.raises(error, match="`timeout` must be a number of seconds"):
            check_timeout(wrong)
