"""Grade pairs with a slow checker, in worker processes. A pair that takes too long ends its worker, and nothing else.

Workers stay for the next call, since importing SymPy takes a second. They end with this process, and when they have
had no work for five minutes. Any thread may grade: each call takes workers for itself, and waits in its own thread.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from time import monotonic
from typing import Any, ClassVar, Protocol

from at_k.choices import TIMEOUT
from at_k.errors import InputError
from at_k.progress import open_bar
from at_k.validation import is_integer, is_number, shorten, type_name

_WALL_FACTOR = 10
_WALL_SECONDS = 30
"""A check may take ten times its CPU time, and half a minute more, on a machine that is busy with other work."""

_CHUNK = 32
"""Pairs that a worker is sent at a time."""

_FEW = 8
"""Pairs for which no further worker is started: it takes a second to start."""

Pair = tuple[str, str]

CAUSES = ("timeout", "crash", "error")
"""Why a pair may not be graded: it took too long, the process that graded it died, the checker raised."""


class Gradable(Protocol):
    """What workers need of a checker, besides that it can be pickled."""

    name: ClassVar[str]

    def decide(self, answer: str, reference: str) -> bool | float | None:
        """Return a grade that is known without work; None if there is work to do."""


@dataclass(frozen=True)
class NotGraded:
    """Say why a pair was not graded.

    Attributes:
        cause: one of `CAUSES`.
        reason: the cause in words.
    """

    cause: str
    reason: str


class NotGradedError(RuntimeError):
    """A checker did not finish, or raised."""


def check_num_workers(value: object, name: str = "num_workers") -> int:
    """Return the number of worker processes; default: the number of cores this process may use."""
    if value is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not is_integer(value):
        raise TypeError(f"`{name}` must be a positive integer; got {shorten(value)} of type {type_name(value)}")
    if value < 1:
        raise ValueError(f"`{name}` must be a positive integer; got {shorten(int(value))}")
    return int(value)


def check_timeout(value: object, name: str = "timeout") -> float:
    """Return the CPU time that one check may take, in seconds."""
    if not is_number(value):
        raise TypeError(f"`{name}` must be a number of seconds; got {shorten(value)} of type {type_name(value)}")
    if not 0.01 <= value <= 1e6:
        raise ValueError(f"`{name}` must be a number of seconds from 0.01 to 1,000,000; got {shorten(value)}")
    return float(value)


def grade_pairs(
    checker: Gradable, pairs: Sequence[Pair], *, num_workers: int | None = None, timeout: float = TIMEOUT
) -> list[Any]:
    r"""Grade pairs of an answer and a reference with a slow checker.

    Args:
        checker: the checker, which must have `slow`.
        pairs: the pairs, which should be distinct.
        num_workers: the number of processes; by default that of the cores.
        timeout: the CPU time of one check, in seconds. The load of the machine does not count, up to ten times as much.

    Returns:
        For each pair what the checker returned, or a `NotGraded`.

    Examples:
        >>> from at_k.grading.checkers import checkers
        >>> grade_pairs(checkers.math(), [("0.5", r"\frac{1}{2}"), ("1/3", "0.5")])
        [True, False]
    """
    grades: list[Any] = [checker.decide(*pair) for pair in pairs]
    queue = deque(i for i, grade in enumerate(grades) if grade is None)
    if not queue:
        return grades
    if os.name != "posix":
        raise InputError(
            "workers.posix",
            "The checker {name} needs Linux or macOS: the time limit of a check is enforced by the system. On Windows, "
            "use the Windows Subsystem for Linux.",
            name=repr(checker.name),
        )
    if type(checker).__module__ == "__main__":
        raise InputError(
            "workers.main",
            "The checker {name} is defined in the script that runs, and the processes that would call it cannot import "
            "it from there. Move it to a file of its own, such as my_checkers.py, and import it in the script.",
            name=repr(checker.name),
        )
    most = min(check_num_workers(num_workers), -(-len(queue) // _FEW))
    _Call(checker, pairs, grades, queue, most, check_timeout(timeout)).run()
    return grades


class _Worker:
    """A process with a connection to it."""

    def __init__(self, checker: Gradable) -> None:
        self.connection, theirs = Pipe()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "at_k.grading.worker", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C reaches this process alone, which then ends its workers
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        self.work: deque[int] = deque()
        self.ready = False
        self.deadline = monotonic() + _START_SECONDS
        self.connection.send(sys.path)
        self.connection.send(checker)

    def end(self) -> None:
        """Kill the process, and wait for its end."""
        self.connection.close()
        self.process.kill()
        self.process.wait()


_MOST_KILLED = 3
"""Workers that may end one after the other while they start. Each costs one pair: the system may have killed it."""

_START_SECONDS = 120
"""Importing SymPy takes a second, or a minute from a slow network drive."""


class _IdleWorkers:
    """Keep idle workers, by the checker that they have imported."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: dict[bytes, list[_Worker]] = {}

    def take(self, checker: Gradable) -> _Worker:
        """Take an idle worker, or start one."""
        while True:
            with self._lock:
                idle = self._idle.get(pickle.dumps(checker))
                worker = idle.pop() if idle else None
            if worker is None:
                return _Worker(checker)
            if worker.process.poll() is None and not worker.connection.poll():
                return worker
            worker.end()  # it has ended, since it had nothing to do

    def give_back(self, checker: Gradable, worker: _Worker) -> None:
        """Keep a worker for another call."""
        with self._lock:
            self._idle.setdefault(pickle.dumps(checker), []).append(worker)

    def end(self) -> None:
        """End all idle workers."""
        with self._lock:
            idle = [worker for workers in self._idle.values() for worker in workers]
            self._idle.clear()
        for worker in idle:
            worker.end()

    def forget(self) -> None:
        """Forget the workers in a child process: they belong to its parent."""
        for workers in self._idle.values():
            for worker in workers:
                worker.connection.close()
                worker.process.returncode = 0  # they are not this process's to wait for
        self.__init__()  # type: ignore[misc]  # the lock may be held by a thread of the parent


_IDLE_WORKERS = _IdleWorkers()


def end_workers() -> None:
    """End the worker processes that wait for more work. The next slow check starts new ones."""
    _IDLE_WORKERS.end()


atexit.register(end_workers)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_IDLE_WORKERS.forget)


class _Call:
    """Grade the pairs of one call."""

    def __init__(
        self,
        checker: Gradable,
        pairs: Sequence[Pair],
        grades: list[Any],
        queue: deque[int],
        most: int,
        timeout: float,
    ) -> None:
        self.checker, self.pairs, self.grades, self.queue, self.most = checker, pairs, grades, queue, most
        self.cpu_seconds, self.wall_seconds = timeout, _WALL_FACTOR * timeout + _WALL_SECONDS
        self.busy: dict[Connection, _Worker] = {}
        self.killed = 0
        self.chunk = max(1, min(_CHUNK, len(queue) // (4 * most)))

    def run(self) -> None:
        """Grade all pairs. If it is interrupted, end the workers that have work."""
        try:
            with open_bar(len(self.queue), self.checker.name) as bar:
                while self.queue or self.busy:
                    while self.queue and len(self.busy) < self.most:
                        self._send(_IDLE_WORKERS.take(self.checker))
                    soonest = min(worker.deadline for worker in self.busy.values())
                    # `wait` is typed as if it returned anything that can be waited for, not what it was given.
                    for connection in wait(list(self.busy), max(0.0, soonest - monotonic())):
                        bar.update(self._receive(self.busy[connection]))  # type: ignore[index]
                    self._end_late()
        finally:
            for worker in self.busy.values():
                worker.end()

    def _send(self, worker: _Worker) -> None:
        """Send a worker its next pairs."""
        worker.work.extend(self.queue.popleft() for _ in range(min(self.chunk, len(self.queue))))
        self.busy[worker.connection] = worker
        if worker.ready:
            worker.deadline = monotonic() + self.wall_seconds + 5  # the process ends itself before
        with suppress(OSError):  # its end is noticed when its reply is read
            worker.connection.send(([self.pairs[i] for i in worker.work], self.cpu_seconds, self.wall_seconds))

    def _receive(self, worker: _Worker) -> int:
        """Take a reply. Return the number of pairs that are done with."""
        try:
            reply = worker.connection.recv()
        except (EOFError, OSError):
            return self._bury(worker)
        worker.deadline = monotonic() + self.wall_seconds + 5
        if not worker.ready:
            if reply is not None:
                raise RuntimeError(f"A worker process could not start the checker {self.checker.name!r}: {reply}")
            worker.ready = True
            self.killed = 0
            return 0
        pair = worker.work.popleft()
        self.grades[pair] = NotGraded("error", reply[0]) if isinstance(reply, tuple) else reply
        if not worker.work:
            del self.busy[worker.connection]
            if self.queue:
                self._send(worker)
            else:
                _IDLE_WORKERS.give_back(self.checker, worker)
        return 1

    def _bury(self, worker: _Worker) -> int:
        """Note why a worker died, and return its other pairs to the queue."""
        del self.busy[worker.connection]
        worker.process.wait()
        status = worker.process.returncode
        if not worker.ready:
            self.killed += 1
            if self.killed == _MOST_KILLED:
                worker.end()
                raise RuntimeError(
                    f"{_MOST_KILLED} worker processes for the checker {self.checker.name!r} ended before they began, "
                    f"the last with status {status}"
                )
        late = status in (-signal.SIGPROF, -signal.SIGALRM)
        return self._give_up(worker, "timeout" if late else "crash", status)

    def _end_late(self) -> None:
        """End the workers that did not end themselves."""
        now = monotonic()
        for worker in [each for each in self.busy.values() if each.deadline < now]:
            del self.busy[worker.connection]
            if not worker.ready:
                worker.end()
                raise RuntimeError(f"A worker process took longer than {_START_SECONDS} seconds to start")
            self._give_up(worker, "timeout", None)

    def _give_up(self, worker: _Worker, cause: str, status: int | None) -> int:
        reasons = {
            "timeout": f"it took longer than {self.cpu_seconds:g} seconds",
            "crash": f"its process ended with status {status}",
        }
        self.grades[worker.work.popleft()] = NotGraded(cause, reasons[cause])
        self.queue.extendleft(reversed(worker.work))
        worker.end()
        return 1
