"""Hand programs to supervisors, and collect the outcomes."""

from __future__ import annotations

import os
import selectors
import socket
import subprocess
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from at_k.errors import InputError
from at_k.grading.code.limits import MEBIBYTE, ProgramLimits
from at_k.grading.code.messages import receive_message, send_message
from at_k.grading.code.outcomes import HarnessError, Outcome
from at_k.grading.code.sandboxes import OWN, Bubblewrap, Sandbox, find_sandbox
from at_k.grading.code.server import HERE
from at_k.grading.workers import check_num_workers
from at_k.validation import is_integer, is_number, shorten

SYSTEM = os.name
PERMISSION = "HF_ALLOW_CODE_EVAL"
ISOLATIONS = ("auto", "required", "none")
QUEUED = 2
"""Programs that a supervisor holds: one that runs, and one to go on with."""

ATTEMPTS = 2
"""How often a program may end its supervisor before this is held against it."""

SECONDS_TO_STOP = 15.0
"""How long a supervisor may take to end. It ends at once, unless the machine is very busy."""

LEAST_MEMORY = 64 * MEBIBYTE

LOADED_WITH = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME")
"""Variables without which some builds of Python do not start. Programs do not see them."""

ENVIRONMENT = {
    "PYTHONHASHSEED": "0",  # a set has the same order in every run, so that no verdict depends on chance
    "PYTHONUTF8": "1",
    "PYTHONIOENCODING": "utf-8:backslashreplace",
    "PYTHONDONTWRITEBYTECODE": "1",
}


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


class KilledError(HarnessError):
    """A supervisor that has ended while it started, as one does that the system kills."""


class SupervisorProcess:
    """Hold this side of a supervisor process.

    Args:
        limits: how much each program may use.
        sandbox: "namespaces", "limits", or the sandbox that the supervisor is started in.
    """

    def __init__(self, limits: ProgramLimits, sandbox: str | Sandbox) -> None:
        self.connection, theirs = socket.socketpair()
        self.queue: deque[int] = deque()
        kept = {name: os.environ[name] for name in LOADED_WITH if name in os.environ}
        path = [entry for entry in sys.path if os.path.isabs(entry) and os.path.exists(entry)]
        settings = {"path": path, "temporary": tempfile.gettempdir(), "limits": asdict(limits), "sandbox": ""}
        command = [sys.executable, "-s", str(HERE / "server.py"), str(theirs.fileno()), str(os.getpid())]
        environment, stream = kept | ENVIRONMENT, subprocess.DEVNULL
        if isinstance(sandbox, Sandbox):
            settings |= {"sandbox": sandbox.name, "temporary": "/tmp", "path": [] if sandbox.own_python else path}
            python = "python" if sandbox.own_python else sys.executable
            variables = [f"{name}={value}" for name, value in environment.items()]
            command = ["/usr/bin/env", *variables, python, "-s", command[2], "-", command[-1]]
            folders = [] if sandbox.own_python else [sys.prefix, sys.base_prefix, *path]
            command = sandbox.wrap(command, sorted({str(HERE), *folders}))
            environment = {"PATH": os.environ.get("PATH", os.defpath)} | sandbox.list_environment()
            stream = theirs.fileno()
        with theirs:
            self.process = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                env=environment,
                stdin=stream,
                stdout=stream,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the process that waits for the outcomes
            )
        self.send({**settings, "isolate": sandbox == "namespaces"})

    def greet(self) -> str:
        """Wait until the process is ready. Return its isolation.

        Raises:
            HarnessError: if it cannot be ready.
        """
        hello = self.receive()
        if hello is None:
            raise KilledError("no program could be run: the supervisor ended at once")
        if "fault" in hello:
            raise HarnessError(f"no program could be run: {hello['fault']}")
        return str(hello["isolation"])

    def send(self, message: dict[str, Any]) -> None:
        """Send a message. That the process has ended is left for `receive` to say."""
        with suppress(OSError):
            send_message(self.connection, message)

    def receive(self) -> dict[str, Any] | None:
        """Receive a message. Return None if the process has ended."""
        try:
            return receive_message(self.connection)
        except OSError:
            return None

    def close(self) -> None:
        """End the process, and with it the program that it runs."""
        self.connection.close()
        try:
            self.process.wait(SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Pool:
    """Run programs in supervisors that are started once. Use it in a `with` statement.

    Args:
        limits: how much each program may use.
        num_workers: the number of supervisors.
        isolation: as of `run_each`.
        sandbox: as of `run_each`.
    """

    def __init__(self, limits: ProgramLimits, *, num_workers: int, isolation: str, sandbox: str = "auto") -> None:
        self.limits, self.num_workers, self.required = limits, num_workers, isolation == "required"
        self.sandbox: str | Sandbox = "limits"
        self.choices = _list_choices(isolation, sandbox)
        self.workers: list[SupervisorProcess] = []

    def __enter__(self) -> Pool:
        """Start supervisors in the first sandbox in which they start."""
        fault: BaseException = HarnessError("namespaces are a feature of Linux")
        for sandbox in self.choices:
            self.sandbox = sandbox
            try:
                for _ in range(self.num_workers):
                    self.workers.append(SupervisorProcess(self.limits, sandbox))
                for worker in list(self.workers):
                    self._greet(worker)
                return self
            except BaseException as error:
                self.close()
                if not isinstance(error, (HarnessError, OSError)):
                    raise
                fault = error
        if self.required:
            raise InputError(
                "code.isolation",
                "`isolation='required'` needs namespaces for users, mounts, processes and network; got: {reason}. Run "
                "on a machine or in a container that has them, or choose 'auto'.",
                reason=str(fault),
            ) from fault
        raise fault

    def __exit__(self, *_: object) -> None:
        self.close()

    def _greet(self, worker: SupervisorProcess) -> None:
        """Wait until a supervisor is ready. If it was killed, start another one in its place."""
        try:
            worker.greet()
        except KilledError:
            self._replace(worker)

    def _replace(self, worker: SupervisorProcess) -> SupervisorProcess:
        """Start a supervisor in the place of one that has ended."""
        worker.close()
        fresh = SupervisorProcess(self.limits, self.sandbox)
        self.workers[self.workers.index(worker)] = fresh
        fresh.greet()
        return fresh

    def _replace_patiently(self, worker: SupervisorProcess) -> tuple[SupervisorProcess, HarnessError | None]:
        """Replace a supervisor that has ended. If the first one in its place is killed too, return that as well."""
        place = self.workers.index(worker)
        try:
            return self._replace(worker), None
        except KilledError as error:
            return self._replace(self.workers[place]), error

    def close(self) -> None:
        """End all supervisors, and the programs that they run."""
        for worker in self.workers:
            with suppress(OSError):
                worker.connection.shutdown(socket.SHUT_RDWR)  # so that all of them end at the same time
        for worker in self.workers:
            worker.close()
        self.workers.clear()

    def run(self, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[int, Outcome | HarnessError]]:
        """Run programs with their tests. Yield the place of each in `pairs` and its outcome, as they end.

        Where a program could not be run, the reason is in the place of its outcome.
        """
        waiting = deque(range(len(pairs)))
        attempts: Counter[int] = Counter()
        isolation = self.sandbox if isinstance(self.sandbox, str) else self.sandbox.name
        with selectors.DefaultSelector() as selector:
            for worker in self.workers:
                selector.register(worker.connection, selectors.EVENT_READ, worker)
                self._fill(worker, waiting, pairs)
            while any(worker.queue for worker in self.workers):
                for key, _ in selector.select():
                    worker = key.data
                    answer = worker.receive()
                    if answer is not None:
                        place = worker.queue.popleft()
                        yield place, HarnessError(answer["fault"]) if "fault" in answer else Outcome(**answer)
                    else:
                        selector.unregister(worker.connection)
                        lost = list(worker.queue)
                        worker, killed = self._replace_patiently(worker)
                        selector.register(worker.connection, selectors.EVENT_READ, worker)
                        attempts.update(lost[:1])
                        if lost and killed:
                            yield lost.pop(0), killed
                        elif lost and attempts[lost[0]] == ATTEMPTS:
                            yield lost.pop(0), Outcome("failed", "ended the process that watched it", "", isolation)
                        waiting.extendleft(reversed(lost))
                    self._fill(worker, waiting, pairs)

    @staticmethod
    def _fill(worker: SupervisorProcess, waiting: deque[int], pairs: Sequence[tuple[str, str]]) -> None:
        while waiting and len(worker.queue) < QUEUED:
            place = waiting.popleft()
            worker.queue.append(place)
            candidate, tests = pairs[place]
            worker.send({"candidate": candidate, "tests": tests})


def _list_choices(isolation: str, sandbox: str) -> list[str | Sandbox]:
    """List the sandboxes to try, the best first. Docker may have to load an image, and is taken by its name alone."""
    if sandbox in OWN:
        return [sandbox]
    if sandbox != "auto":
        return [find_sandbox(sandbox)]
    best: list[str | Sandbox] = ["namespaces"] if sys.platform == "linux" else []
    best += [] if Bubblewrap().find_fault() else [Bubblewrap()]
    return ["limits"] if isolation == "none" else best + ["limits"] * (isolation == "auto")


def run_each(
    pairs: Sequence[tuple[str, str]],
    limits: ProgramLimits,
    *,
    num_workers: int | None = None,
    isolation: str = "auto",
    sandbox: str = "auto",
) -> Generator[tuple[int, Outcome | HarnessError]]:
    """Run candidate programs, each followed by a reference test program.

    Close the generator, so that no process is left if the caller stops early.

    Args:
        pairs: a candidate program and a reference test program each, or cases of input and output, as `read_cases`
            takes them.
        limits: how much each program may use, as `make_limits` has checked it.
        num_workers: programs that run at the same time; by default one on each processor.
        isolation: "auto" takes namespaces, where the kernel has none bubblewrap, where that is not installed limits
            alone. "required" raises rather than do the last, and "none" does only that.
        sandbox: "namespaces", "limits", "bubblewrap", "docker", or the name of a plugin, in place of what `isolation`
            takes; "auto" leaves it to that.

    Yields:
        The place of each program and its outcome, as they end. A program that was not run through no fault of its own,
        as with a test program that has a syntax error, has a `HarnessError` in place of the outcome.

    Raises:
        InputError: if the environment variable HF_ALLOW_CODE_EVAL is not 1, the system is Windows, or there is no
            isolation where it is required.
        HarnessError: if no program can be run.

    Examples:
        >>> import os
        >>> os.environ["HF_ALLOW_CODE_EVAL"] = "1"
        >>> tests = "assert double(2) == 4"
        >>> pairs = [("def double(x): return 2 * x", tests), ("def double(x): return x", tests)]
        >>> [(outcome.status, outcome.detail) for _, outcome in run_each(pairs, ProgramLimits(), num_workers=1)]
        [('passed', ''), ('failed', 'AssertionError in line 1 of the tests: assert double(2) == 4')]
        >>> del os.environ["HF_ALLOW_CODE_EVAL"]
    """
    require_permission()
    workers = min(check_num_workers(num_workers), len(pairs))
    if workers:
        with Pool(limits, num_workers=workers, isolation=isolation, sandbox=sandbox) as pool:
            yield from pool.run(pairs)


def make_limits(timeout: Any, memory: Any, total: Any, tolerance: Any, *, pytest: bool) -> ProgramLimits:
    """Return what programs may use, after a check that they can be run with it."""
    seconds = timeout, 1 if total is None else total
    for name, each in zip(("timeout", "total"), seconds, strict=True):
        if not is_number(each) or not 0 < each < float("inf"):
            raise ValueError(f"`{name}` must be a positive number of seconds; got {shorten(each)}")
    if not is_number(tolerance) or not 0 <= tolerance < 1:
        raise ValueError(f"`tolerance` must be a number in [0, 1); got {shorten(tolerance)}")
    if not is_integer(memory) or memory < LEAST_MEMORY:
        raise ValueError(f"`memory` must be at least {LEAST_MEMORY:,} bytes, which Python needs; got {shorten(memory)}")
    # A number of NumPy does not travel to the supervisor.
    return ProgramLimits(
        timeout=float(timeout),
        memory=int(memory),
        total=None if total is None else float(total),
        tolerance=float(tolerance),
        pytest=pytest,
    )
