"""Keep worker processes, hand them requests, and collect their replies: programs to supervisors, answers to checkers.

The processes of a call that runs programs, from the caller down. Each line starts the one below it:

    the caller          Pool: a thread for each worker, and a socket to it; what cases must give, and `judging.Judge`
     └ keeper           `supervisor.py`: starts afresh with `python`, and ends all that is left
        └ supervisor    process 1 of namespaces of its own; answers the caller
           └ program    a fork for each program or case: its limits, Landlock, seccomp, another user; then the program
              └ …       what the program starts: killed with it

The supervisor follows one program at a time (`watching.Watch`). It ends when the caller closes its socket, the keeper
when the supervisor has ended, and the kernel ends a namespace with its process 1: no end leaves anything behind.

The workers of a checker such as `math` are one process each (`at_k.grading.workers`), which the kernel ends at a limit.

Workers of both kinds stay for the next call that needs the same: Python takes a tenth of a second to start, and SymPy a
second. They end with this process, when they have had no work for five minutes, and when four other kinds were used
since: the programs of each `ProgramLimits` are a kind. Any thread may call.
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import site
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from at_k.errors import InputError
from at_k.grading.code.judging import Judge
from at_k.grading.code.protocol import HarnessError, Outcome, ProgramLimits
from at_k.progress import open_bar

HERE = Path(__file__).resolve().parent
PERMISSION = "HF_ALLOW_CODE_EVAL"
# Seconds that a worker may take to be ready. Importing SymPy takes a second, or a minute from a slow network drive.
SECONDS_TO_START = 120.0

# Seconds that a worker may take to end. It ends at once, unless the machine is very busy.
SECONDS_TO_STOP = 15.0

# Variables without which some builds of Python do not start. Programs do not see them.
LOADED_WITH = ("LD_LIBRARY_PATH", "PYTHONHOME")

ENVIRONMENT = {
    "PYTHONHASHSEED": "0",  # a set has the same order in every run, so that no verdict depends on chance
    "PYTHONUTF8": "1",
    "PYTHONIOENCODING": "utf-8:backslashreplace",
}


class Worker:
    """This side of a worker process of a pool, whose standard input is a socket to it."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.connection, theirs = socket.socketpair()
        self.replies = self.connection.makefile("rb")
        with theirs:
            self.process: subprocess.Popen[bytes] = subprocess.Popen(
                pool.command,
                env=pool.environment,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the process that waits for the replies
            )

    def ask(self, message: object) -> Any:
        """Send a message, and return the reply. Raise `EOFError` or `OSError` if the process has ended."""
        self.connection.sendall(pickle.dumps(message))
        return self.pool.load(self.replies)

    def wait_until_ready(self) -> None:
        """Wait until the process is ready, and raise if it will not be."""
        self.connection.settimeout(SECONDS_TO_START)
        try:
            fault = self.ask(self.pool.hello)
        except (EOFError, OSError):
            fault = f"a worker process ended before it began, with status {self.close()}"
        if fault:
            self.close()
            raise HarnessError(fault)
        self.connection.settimeout(None)

    def close(self) -> int:
        """End the process. Return its status."""
        self.connection.close()
        self.replies.close()
        try:
            return self.process.wait(self.pool.patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


# Idle workers by kind: the command and the first message that started them. The kind that was used last is last.
IDLE: OrderedDict[bytes, list[Worker]] = OrderedDict()

# Kinds whose idle workers stay.
MOST_KINDS = 4

# Items that are queued at a time: each takes a kilobyte until its reply is read.
MOST_QUEUED = 10_000


@dataclass(eq=False)
class Pool:
    """Let workers answer requests, each worker in the hands of a thread."""

    command: Sequence[str]  # starts a worker
    hello: (
        object  # the first message to it; the reply is empty, or says why there will be no others
    )
    environment: Mapping[str, str]
    load: Callable[[BinaryIO], Any]  # reads a reply
    explain: Callable[
        [int], object
    ]  # takes the place of a reply, given the status with which a worker ended instead
    patience: float = SECONDS_TO_STOP  # the seconds in which a worker may end by itself
    busy: set[Worker] = field(default_factory=set, init=False)
    ending: bool = field(default=False, init=False)  # no worker is replaced any more

    def __post_init__(self) -> None:
        kind = pickle.dumps((self.command, self.hello))
        self.idle = IDLE.setdefault(kind, [])
        IDLE.move_to_end(kind)
        end_workers(MOST_KINDS)

    def start_one(self) -> None:
        """Have a worker that is ready. Raise if none can be."""
        worker = self._take()
        self.busy.discard(worker)
        self.idle.append(worker)

    def run(
        self, task: Callable[[Any], Any], items: Sequence[object], num_workers: int, name: str
    ) -> list[Any]:
        """Return what a task, which asks workers, makes of each item. Show a bar with a name."""
        threads = ThreadPoolExecutor(num_workers)
        replies = list[Any]()
        try:
            with open_bar(len(items), name) as bar:
                for start in range(0, len(items), MOST_QUEUED):
                    for reply in threads.map(task, items[start : start + MOST_QUEUED]):
                        replies.append(reply)
                        bar.update()
        finally:
            self.ending = True
            threads.shutdown(wait=False, cancel_futures=True)
            for worker in [*self.busy]:
                with suppress(OSError):
                    # Its thread hears of it, and closes it
                    worker.connection.shutdown(socket.SHUT_RDWR)
            threads.shutdown()
        return replies

    def ask(self, request: object) -> Any:
        """Return the reply of a worker, or what explains its end. One that ended for want of work is replaced once."""
        for again in (True, False):
            worker = self._take()
            try:
                reply = worker.ask(request)
                self.idle.append(worker)
                return reply
            except (EOFError, OSError):
                status = worker.close()
            finally:
                self.busy.discard(worker)
            if status or self.ending or not again:
                break
        return self.explain(status)

    def _take(self) -> Worker:
        """Take an idle worker, or start one. `pop` and `append` are safe between threads."""
        if self.ending:
            raise HarnessError("the call has ended")
        with suppress(IndexError):
            while (worker := self.idle.pop()).process.poll() is not None:
                worker.close()
            self.busy.add(worker)
            return worker
        worker = Worker(self)
        self.busy.add(worker)
        worker.wait_until_ready()
        return worker


def _take_idle(kept_kinds: int = 0) -> Iterator[Worker]:
    for idle in [*reversed(IDLE.values())][kept_kinds:]:
        with suppress(IndexError):
            while True:
                yield idle.pop()


def end_workers(kept_kinds: int = 0) -> None:
    """End the worker processes that wait for more work, except those of the kinds that were used last."""
    for worker in _take_idle(kept_kinds):
        worker.close()


def _forget_workers() -> None:
    """Forget the workers in a child process: they belong to its parent."""
    for worker in _take_idle():
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
            "Use a disposable machine or container, and allow it with the environment variable {variable}=1.",
            variable=PERMISSION,
        )
    if sys.platform != "linux":
        raise InputError(
            "code.platform",
            "The checker `code` needs Linux, which confines programs. Run it in WSL on Windows, and in a container on "
            "macOS.",
        )


# Isolations of each choice, the best first.
ISOLATIONS = {"auto": ("namespaces", "limits"), "required": ("namespaces",), "none": ("limits",)}


def run_each(
    pairs: Sequence[tuple[str, str]],
    limits: ProgramLimits,
    *,
    num_workers: int,
    isolation: str = "auto",
) -> list[Outcome | HarnessError]:
    """Run candidate programs, each followed by a reference test program.

    Examples:
        >>> import os
        >>> os.environ["HF_ALLOW_CODE_EVAL"] = "1"
        >>> tests = "assert double(2) == 4"
        >>> pairs = [("def double(x): return 2 * x", tests), ("def double(x): return x", tests)]
        >>> [(outcome.status, outcome.detail) for outcome in run_each(pairs, ProgramLimits(), num_workers=1)]
        [('passed', ''), ('failed', 'AssertionError in line 1 of the tests: assert double(2) == 4')]
        >>> del os.environ["HF_ALLOW_CODE_EVAL"]
    """
    require_permission()
    if not pairs:
        return []
    pool, judge = open_supervisors(limits, isolation)
    return pool.run(judge, pairs, min(num_workers, len(pairs)), "code")


def list_libraries() -> list[str]:
    """List the folders of `sys.path` that hold Python's own modules or installed packages, and none of the caller's."""
    paths = sysconfig.get_paths()
    own = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    own |= {*site.getsitepackages(), site.getusersitepackages()}
    roots = [Path(folder).resolve() for folder in own]

    def is_library(entry: str) -> bool:
        """Return whether a folder exists and is within one of these."""
        path = Path(entry).resolve()
        return os.path.exists(entry) and any(map(path.is_relative_to, roots))

    return list(filter(is_library, sys.path))


def _read_line(replies: BinaryIO) -> Any:
    """Read a reply of a supervisor. JSON runs no code where it is read."""
    line = replies.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    return json.loads(line)


def _explain_end(status: int) -> object:
    """Say why there is no verdict."""
    raise HarnessError(f"the process that watched the program ended with status {status}")


def open_supervisors(
    limits: ProgramLimits, isolation: str
) -> tuple[Pool, Callable[[tuple[str, str]], Outcome | HarnessError]]:
    """Return a pool of supervisors under the first kind of isolation with which one starts, and how they judge."""
    environment = {
        name: os.environ[name] for name in LOADED_WITH if name in os.environ
    } | ENVIRONMENT
    command = [sys.executable, "-s", str(HERE / "supervisor.py"), str(os.getpid())]
    faults: list[Exception] = []
    for kind in ISOLATIONS[isolation]:
        hello = (
            list_libraries(),
            tempfile.gettempdir(),
            limits,
            kind == "namespaces",
            isolation != "none",
        )
        try:
            pool = Pool(command, hello, environment, _read_line, _explain_end)
            pool.start_one()
            return pool, Judge(pool.ask, limits, kind).judge
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
