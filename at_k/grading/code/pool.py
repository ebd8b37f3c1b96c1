"""Keep worker processes, hand them requests, and collect their replies: programs to supervisors, answers to checkers.

The processes of a call that runs programs, from the caller down. Each line starts the one below it:

    the caller          Pool: a socket to each worker, a queue of two requests for each
     └ keeper           `supervisor.py`: outside of the namespaces, starts afresh with `python`, ends all that is left
        └ supervisor    in namespaces of its own; forked once more, so that it is process 1 there
           └ program    a fork for each program or case: its limits, Landlock, seccomp, another user; then the program
              └ …       what the program starts: killed with it

The keeper holds what cases must give, and judges; the supervisor follows one program at a time (`watching.Watch`). The
supervisor ends when the caller closes its socket, the keeper when the supervisor has ended, and the kernel ends a
namespace with its process 1: no end leaves anything behind.

The workers of a checker such as `math` are one process each (`at_k.grading.workers`), which the kernel ends at a limit.

Workers of both kinds stay for the next call that needs the same: Python takes a tenth of a second to start, and SymPy a
second. They end with this process, and when they have had no work for five minutes. Any thread may call, and has
workers of its own.
"""

from __future__ import annotations

import atexit
import os
import pickle
import selectors
import socket
import subprocess
import sys
import tempfile
from collections import defaultdict, deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from at_k.errors import InputError
from at_k.grading.code.protocol import HarnessError, Outcome, ProgramLimits, receive_message, send_message

SYSTEM = os.name
HERE = Path(__file__).resolve().parent
PERMISSION = "HF_ALLOW_CODE_EVAL"
# Seconds that a worker may take to be ready. Importing SymPy takes a second, or a minute from a slow network drive.
SECONDS_TO_START = 120.0

# Seconds that a worker may take to end. It ends at once, unless the machine is very busy.
SECONDS_TO_STOP = 15.0

# Variables without which some builds of Python do not start. Programs do not see them.
LOADED_WITH = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME")

ENVIRONMENT = {
    "PYTHONHASHSEED": "0",  # a set has the same order in every run, so that no verdict depends on chance
    "PYTHONUTF8": "1",
    "PYTHONIOENCODING": "utf-8:backslashreplace",
}


class Worker:
    """This side of a worker process, whose standard input is a socket to it.

    Args:
        command: the command that starts it.
        hello: the first message to it. It answers by nothing when it is ready, or by the reason why it is not.
        environment: its environment variables.
        patience: the seconds in which it may end by itself.
    """

    def __init__(self, command: Sequence[str], hello: object, environment: Mapping[str, str], patience: float) -> None:
        self.patience = patience
        self.connection, theirs = socket.socketpair()
        self.queue: deque[int] = deque()
        self.ready = False
        with theirs:
            self.process: subprocess.Popen[bytes] = subprocess.Popen(
                command,
                env=environment,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the process that waits for the replies
            )
        self.send(hello)

    def send(self, message: object) -> None:
        """Send a message. `receive` tells if the process has ended."""
        with suppress(OSError):
            send_message(self.connection, pickle.dumps(message))

    def receive(self) -> bytes | None:
        """Receive a message. Return None if the process has ended."""
        try:
            return receive_message(self.connection)
        except OSError:
            return None

    def wait_until_ready(self) -> None:
        """Wait until the process is ready, and raise if it will not be."""
        if not self.ready:
            self.connection.settimeout(SECONDS_TO_START)
            fault = self.receive()
            self.connection.settimeout(None)
            if fault is None:
                raise HarnessError(f"a worker process ended before it began, with status {self.close()}")
            if fault:
                raise HarnessError(fault.decode())
            self.ready = True

    def close(self) -> int:
        """End the process. Return its status."""
        self.connection.close()
        try:
            return self.process.wait(self.patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


@dataclass(frozen=True)
class Ended:
    """Say in place of a reply that the worker ended."""

    status: int


# Idle workers, by the command and the first message that started them.
IDLE: defaultdict[bytes, list[Worker]] = defaultdict(list)

# Idle workers that stay when a call ends that had workers of another kind: each limit of programs is a kind.
MOST_OTHERS = 16


class Pool:
    """Keep workers that answer requests one after the other. Use it as `with Pool(…).open() as pool`.

    Args:
        command: the command that starts a worker.
        hello: the first message to it.
        environment: its environment variables.
        num_workers: the number of workers.
        window: the number of requests that a worker holds: one under way, and others to go on with.
        patience: the seconds in which a worker may end by itself.
    """

    def __init__(
        self,
        command: Sequence[str],
        hello: object,
        environment: Mapping[str, str],
        *,
        num_workers: int,
        window: int = 2,
        patience: float = SECONDS_TO_STOP,
    ) -> None:
        self.start = partial(Worker, command, hello, environment, patience)
        self.num_workers, self.window, self.idle = num_workers, window, IDLE[pickle.dumps((command, hello))]
        self.workers: list[Worker] = []

    def open(self) -> Pool:
        """Start the workers, all at the same time."""
        try:
            for _ in range(self.num_workers):
                self.workers.append(self._take())
            for worker in self.workers:
                worker.wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _take(self) -> Worker:
        """Take an idle worker, or start one. `pop` and `append` are safe between threads."""
        with suppress(IndexError):
            while worker := self.idle.pop():
                if worker.process.poll() is None:
                    return worker
                worker.close()  # it has ended, since it had nothing to do
        return self.start()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        busy = [worker for worker in self.workers if worker.queue or not worker.ready]
        for worker in busy:
            with suppress(OSError):
                worker.connection.shutdown(socket.SHUT_RDWR)  # so that all of them end at the same time
        for worker in self.workers:
            worker.close() if worker in busy else self.idle.append(worker)
        self.workers.clear()
        others = [idle for idle in [*IDLE.values()] if idle is not self.idle]
        with suppress(IndexError, StopIteration):
            while sum(map(len, others)) > MOST_OTHERS:
                next(filter(None, others)).pop(0).close()

    def run(self, requests: Sequence[object]) -> Iterator[tuple[int, Any]]:
        """Yield the place of each request and the reply to it, or `Ended` if it ended its worker, as they come."""
        waiting = deque(range(len(requests)))
        with selectors.DefaultSelector() as selector:
            for number, worker in enumerate(self.workers):
                selector.register(worker.connection, selectors.EVENT_READ, number)
                self._fill(worker, waiting, requests)
            while any(worker.queue for worker in self.workers):
                for number in [key.data for key, _ in selector.select()]:
                    worker = self.workers[number]
                    reply = worker.receive()
                    if reply is not None:
                        yield worker.queue.popleft(), pickle.loads(reply)
                    else:
                        selector.unregister(worker.connection)
                        lost, status = worker.queue, worker.close()
                        self.workers[number] = worker = self._take()
                        worker.wait_until_ready()
                        selector.register(worker.connection, selectors.EVENT_READ, number)
                        if lost:
                            yield lost.popleft(), Ended(status)
                        waiting.extendleft(reversed(lost))
                    self._fill(worker, waiting, requests)

    def _fill(self, worker: Worker, waiting: deque[int], requests: Sequence[object]) -> None:
        while waiting and len(worker.queue) < self.window:
            worker.queue.append(waiting.popleft())
            worker.send(requests[worker.queue[-1]])


def _take_all() -> list[Worker]:
    workers = [worker for idle in IDLE.values() for worker in idle]
    for idle in IDLE.values():
        idle.clear()
    return workers


def end_workers() -> None:
    """End the worker processes that wait for more work. The next call starts new ones."""
    for worker in _take_all():
        worker.close()


def _forget_workers() -> None:
    """Forget the workers in a child process: they belong to its parent."""
    for worker in _take_all():
        worker.connection.close()
        worker.process.returncode = 0  # they are not this process's to wait for


atexit.register(end_workers)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_workers)


def require_permission() -> None:
    """Raise unless the user has allowed that programs are run."""
    if os.environ.get(PERMISSION) != "1":
        raise InputError(
            "code.not_allowed",
            "The checker `code` would run the programs that a model wrote on this machine. They run under limits, and "
            "where the kernel allows it without network and with read-only files, but no such protection is perfect. "
            "Use a machine that you can lose, and allow it with the environment variable {variable}=1.",
            variable=PERMISSION,
        )
    if SYSTEM != "posix":
        raise InputError(
            "code.platform",
            "The checker `code` needs Linux or macOS, which limit what a program uses. On Windows, run it in WSL.",
        )


# Isolations of each choice, the best first.
ISOLATIONS = {"auto": ("namespaces", "limits"), "required": ("namespaces",), "none": ("limits",)}


def run_each(
    pairs: Sequence[tuple[str, str]],
    limits: ProgramLimits,
    *,
    num_workers: int,
    isolation: str = "auto",
) -> Generator[tuple[int, Outcome | HarnessError]]:
    """Run candidate programs, each followed by a reference test program.

    Examples:
        >>> import os
        >>> os.environ["HF_ALLOW_CODE_EVAL"] = "1"
        >>> tests = "assert double(2) == 4"
        >>> pairs = [("def double(x): return 2 * x", tests), ("def double(x): return x", tests)]
        >>> [(outcome.status, outcome.detail) for _, outcome in run_each(pairs, ProgramLimits(), num_workers=1)]
        [('passed', ''), ('failed', 'AssertionError in line 1 of the tests: assert double(2) == 4')]
        >>> del os.environ["HF_ALLOW_CODE_EVAL"]
    """
    # A caller that stops early closes the generator, so that no process is left.
    require_permission()
    if not pairs:
        return
    with open_supervisors(limits, min(num_workers, len(pairs)), isolation) as pool:
        for place, reply in pool.run(pairs):
            yield place, explain_end(reply)


def explain_end(reply: Outcome | HarnessError | Ended) -> Outcome | HarnessError:
    """Return a reply, or why there is none."""
    if isinstance(reply, Ended):
        return HarnessError(f"the process that watched the program ended with status {reply.status}")
    return reply


def open_supervisors(limits: ProgramLimits, num_workers: int, isolation: str) -> Pool:
    """Return a pool of supervisors under the first kind of isolation with which one starts."""
    environment = {name: os.environ[name] for name in LOADED_WITH if name in os.environ} | ENVIRONMENT
    path = [entry for entry in sys.path if os.path.isabs(entry) and os.path.exists(entry)]
    command = [sys.executable, "-s", str(HERE / "supervisor.py"), str(os.getpid())]
    faults: list[Exception] = []
    for kind in ISOLATIONS[isolation]:
        hello = path, tempfile.gettempdir(), limits, kind, isolation != "none"
        try:
            if kind == "namespaces" and sys.platform != "linux":
                raise HarnessError("namespaces are a feature of Linux")
            return Pool(command, hello, environment, num_workers=num_workers).open()
        except (HarnessError, OSError) as error:
            faults.append(error)
    if isolation == "required":
        raise InputError(
            "code.isolation",
            "`isolation='required'` needs namespaces for users, mounts, processes and network; got: {reason}. Run "
            "on a machine or in a container that has them, or choose 'auto'.",
            reason=str(faults[0]),
        ) from faults[0]
    raise faults[-1]
