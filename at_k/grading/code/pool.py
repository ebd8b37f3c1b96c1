"""Hand programs to supervisors, and collect the outcomes."""

from __future__ import annotations

import os
import selectors
import socket
import subprocess
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from typing import Any

from at_k.errors import InputError
from at_k.grading.code.limits import MEBIBYTE, ProgramLimits
from at_k.grading.code.messages import receive_message, send_message
from at_k.grading.code.outcomes import HarnessError, Outcome
from at_k.grading.code.sandboxes import OWN, Bubblewrap, Sandbox, find_sandbox
from at_k.grading.code.server import HERE
from at_k.validation import check_choice, is_integer, is_number, shorten

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


class Worker:
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
        isolation: as of `run_pairs`.
        sandbox: as of `run_pairs`.
    """

    def __init__(self, limits: ProgramLimits, *, num_workers: int, isolation: str, sandbox: str = "auto") -> None:
        self.limits, self.num_workers, self.required = limits, num_workers, isolation == "required"
        self.sandbox: str | Sandbox = "limits"
        self.choices = _list_choices(isolation, sandbox)
        self.workers: list[Worker] = []

    def __enter__(self) -> Pool:
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> None:
        """Start supervisors in the first sandbox in which they start."""
        fault: Exception = HarnessError("namespaces are a feature of Linux")
        for sandbox in self.choices:
            self.sandbox = sandbox
            found = self._start_workers()
            if found is None:
                return
            fault = found
            self.close()
        if self.required:
            raise _refuse_isolation(str(fault)) from fault
        raise fault

    def _start_workers(self) -> Exception | None:
        """Start supervisors in the present sandbox. Return why they do not start, if they do not."""
        try:
            for _ in range(self.num_workers):
                self.workers.append(Worker(self.limits, self.sandbox))
            for worker in list(self.workers):
                self._greet(worker)
        except (HarnessError, OSError) as error:
            return error
        return None

    def _greet(self, worker: Worker) -> None:
        """Wait until a supervisor is ready. If it was killed, start another one in its place."""
        try:
            worker.greet()
        except KilledError:
            self._replace(worker)

    def _replace(self, worker: Worker) -> Worker:
        """Start a supervisor in the place of one that has ended."""
        worker.close()
        fresh = Worker(self.limits, self.sandbox)
        self.workers[self.workers.index(worker)] = fresh
        fresh.greet()
        return fresh

    def _replace_patiently(self, worker: Worker) -> tuple[Worker, HarnessError | None]:
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
    def _fill(worker: Worker, waiting: deque[int], pairs: Sequence[tuple[str, str]]) -> None:
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


def _refuse_isolation(reason: str) -> InputError:
    return InputError(
        "code.isolation",
        "`isolation='required'` needs namespaces for users, mounts, processes and network; got: {reason}. Run on a "
        "machine or in a container that has them, or choose 'auto'.",
        reason=reason,
    )


def run_pairs(
    pairs: Sequence[tuple[str, str]],
    *,
    timeout: float = ProgramLimits.timeout,
    memory: int = ProgramLimits.memory,
    num_workers: int | None = None,
    isolation: str = "auto",
    sandbox: str = "auto",
    total: float | None = None,
    tolerance: float = ProgramLimits.tolerance,
    pytest: bool = False,
    on_outcome: Callable[[int, Outcome], object] | None = None,
) -> list[Outcome]:
    """Run candidate programs, each followed by a reference test program, and return how each ended.

    Args:
        pairs: a candidate program and a reference test program each, or cases of input and output, as `read_cases`
            takes them.
        timeout: seconds for a candidate with its tests, or for each case of input and output: of processor time, and
            on the clock.
        memory: bytes of address space for each process.
        num_workers: programs that run at the same time; by default one on each processor.
        isolation: "auto" takes namespaces, where the kernel has none bubblewrap, where that is not installed limits
            alone. "required" raises rather than do the last, and "none" does only that.
        sandbox: "namespaces", "limits", "bubblewrap", "docker", or the name of a plugin, in place of what `isolation`
            takes; "auto" leaves it to that.
        total: seconds on the clock for all cases of input and output; by default as `ProgramLimits` says.
        tolerance: how much fractions that a program prints or returns may differ from those of a case, relative to
            these where they are above 1; 0 for the verdicts of LiveCodeBench.
        pytest: whether pytest, which must be installed, runs the tests of test programs. It takes a third of a second.
        on_outcome: a function that is called with the place of each program and its outcome, as they end.

    Raises:
        InputError: if the environment variable HF_ALLOW_CODE_EVAL is not 1, the system is Windows, or there is no
            isolation where it is required.
        HarnessError: if a program was not run through no fault of its own, such as a test program with a syntax error.

    Examples:
        >>> import os
        >>> os.environ["HF_ALLOW_CODE_EVAL"] = "1"
        >>> tests = "assert double(2) == 4"
        >>> right, wrong = "def double(x): return 2 * x", "def double(x): return x"
        >>> [(outcome.status, outcome.detail) for outcome in run_pairs([(right, tests), (wrong, tests)])]
        [('passed', ''), ('failed', 'AssertionError in line 1 of the tests: assert double(2) == 4')]
        >>> del os.environ["HF_ALLOW_CODE_EVAL"]
    """
    outcomes: dict[int, Outcome] = {}
    run = run_each(
        pairs, timeout=timeout, memory=memory, num_workers=num_workers, isolation=isolation, sandbox=sandbox,
        total=total, tolerance=tolerance, pytest=pytest,
    )  # fmt: skip
    with closing(run):
        for place, outcome in run:
            if isinstance(outcome, HarnessError):
                raise HarnessError(f"program {place} was not run: {outcome}")
            outcomes[place] = outcome
            if on_outcome is not None:
                on_outcome(place, outcome)
    return [outcomes[place] for place in range(len(pairs))]


def run_each(
    pairs: Sequence[tuple[str, str]],
    *,
    timeout: float,
    memory: int,
    num_workers: int | None,
    isolation: str,
    sandbox: str = "auto",
    total: float | None = None,
    tolerance: float = ProgramLimits.tolerance,
    pytest: bool = False,
) -> Generator[tuple[int, Outcome | HarnessError]]:
    """Run programs as `run_pairs` does. Yield the place of each, and its outcome or why it was not run, as they end.

    Close the generator, so that no process is left if the caller stops early.
    """
    require_permission()
    check_limits(timeout, memory, isolation, total, tolerance)
    _check_pairs(pairs, num_workers)
    if not pairs:
        return
    limits = ProgramLimits(timeout=float(timeout), memory=int(memory), total=total, tolerance=tolerance, pytest=pytest)
    workers = min(num_workers or count_processors(), len(pairs))
    with Pool(limits, num_workers=workers, isolation=isolation, sandbox=sandbox) as pool:
        yield from pool.run(pairs)


def check_limits(
    timeout: object, memory: object, isolation: object, total: object = None, tolerance: object = 0
) -> None:
    """Raise unless programs can be run under these limits."""
    check_choice("isolation", isolation, ISOLATIONS)
    for name, seconds in (("timeout", timeout), ("total", 1 if total is None else total)):
        if not is_number(seconds) or not 0 < seconds < float("inf"):
            raise ValueError(f"`{name}` must be a positive number of seconds; got {shorten(seconds)}")
    if not is_number(tolerance) or not 0 <= tolerance < 1:
        raise ValueError(f"`tolerance` must be a number in [0, 1); got {shorten(tolerance)}")
    if not is_integer(memory) or memory < LEAST_MEMORY:
        raise ValueError(f"`memory` must be at least {LEAST_MEMORY:,} bytes, which Python needs; got {shorten(memory)}")


def _check_pairs(pairs: object, num_workers: object) -> None:
    if num_workers is not None and (not is_integer(num_workers) or num_workers < 1):
        raise ValueError(f"`num_workers` must be a positive integer or None; got {shorten(num_workers)}")
    if isinstance(pairs, str) or not isinstance(pairs, Sequence):
        raise TypeError(f"`pairs` must be a sequence of two programs each; got {shorten(pairs)}")
    for place, pair in enumerate(pairs):
        if not isinstance(pair, (tuple, list)) or [isinstance(text, str) for text in pair] != [True, True]:
            raise TypeError(f"`pairs` must hold two programs each, as texts; got {shorten(pair)} in pair {place}")


def count_processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def check(candidate: str, tests: str) -> bool:
    """Return whether a candidate program passes a reference test program, with the default limits.

    Each call starts a supervisor, which takes about a tenth of a second. `run_pairs` shares it among many programs.

    Args:
        candidate: the candidate program.
        tests: the reference test program.

    Raises:
        InputError: as of `run_pairs`.
        HarnessError: as of `run_pairs`.
    """
    return run_pairs([(candidate, tests)])[0].passed
