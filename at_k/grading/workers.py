"""Grade pairs with a slow checker, in worker processes. A pair that takes too long ends its worker alone."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from at_k.errors import InputError
from at_k.grading.code.pool import Pool
from at_k.grading.code.protocol import IDLE_SECONDS, HarnessError
from at_k.options.registry import TIMEOUT
from at_k.validation import describe, is_integer, is_number, shorten

_WALL_FACTOR = 10
# A check may take ten times its CPU time, and half a minute more, on a machine that is busy with other work.
_WALL_SECONDS = 30

# Pairs for which no further worker is started: it takes a second to start.
_FEW = 8

Pair = tuple[str, str | None]


@dataclass(frozen=True)
class NotGraded:
    """Say why a pair was not graded."""

    cause: (
        str  # "timeout"; "crash" if the process that graded it died; "error" if the checker raised
    )
    reason: str


class NotGradedError(RuntimeError):
    """A checker did not finish, or raised."""


def check_num_workers(value: object, name: str = "num_workers") -> int:
    """Return the number of worker processes; default: the number of cores this process may use."""
    if value is None:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    if not is_integer(value):
        raise TypeError(f"`{name}` must be a positive integer; got {describe(value)}")
    if value < 1:
        raise ValueError(f"`{name}` must be a positive integer; got {shorten(int(value))}")
    return int(value)


def check_timeout(value: object, name: str = "timeout") -> float:
    """Return the CPU time that one check may take, in seconds."""
    if not is_number(value):
        raise TypeError(f"`{name}` must be a number of seconds; got {describe(value)}")
    if not 0.01 <= value <= 1e6:
        raise ValueError(
            f"`{name}` must be a number of seconds from 0.01 to 1,000,000; got {shorten(value)}"
        )
    return float(value)


def grade_pairs(
    checker: Any, pairs: Sequence[Pair], *, num_workers: int | None = None, timeout: float = TIMEOUT
) -> list[Any]:
    r"""Grade pairs of an answer and a reference with a slow checker.

    Examples:
        >>> from at_k.grading.checkers import checkers
        >>> grade_pairs(checkers.math(), [("0.5", r"\frac{1}{2}"), ("1/3", "0.5")])
        [True, False]
    """
    grades: list[Any] = [checker.decide(*pair) for pair in pairs]
    queue = [place for place, grade in enumerate(grades) if grade is None]
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
    seconds = check_timeout(timeout)
    wall = _WALL_FACTOR * seconds + _WALL_SECONDS

    def explain(status: int) -> NotGraded:
        if status in (-signal.SIGPROF, -signal.SIGALRM):
            return NotGraded("timeout", f"it took longer than {seconds:g} seconds")
        return NotGraded("crash", f"its process ended with status {status}")

    pool = Pool(
        [sys.executable, "-c", "from at_k.grading.workers import main; main()"],
        (sys.path, pickle.dumps(checker)),
        # With one hash seed, SymPy takes the same steps in every run.
        {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PYTHONHASHSEED": "0",
        },
        pickle.load,
        explain,
        patience=0.2,
    )
    workers = min(check_num_workers(num_workers), -(-len(queue) // _FEW))
    try:
        replies = pool.run(
            pool.ask, [(*pairs[place], seconds, wall) for place in queue], workers, checker.name
        )
    except HarnessError as error:
        raise RuntimeError(
            f"A worker process could not start the checker {checker.name!r}: {error}"
        ) from None
    for place, reply in zip(queue, replies, strict=True):
        grades[place] = reply
    return grades


def set_limits(cpu_seconds: float, wall_seconds: float) -> None:
    """End this process when it has used so much CPU time, or when so much time has passed. Zero removes the limit."""
    # The signals keep their default action. So the kernel ends the process in the middle of a long computation too,
    # where Python would not run a handler.
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    signal.setitimer(signal.ITIMER_REAL, wall_seconds)


def main() -> None:
    """Grade pairs in a worker process, until the parent closes the connection, or there is nothing to do for long."""
    # It is started by a command, and not by `multiprocessing`, which would run the user's script again.
    connection = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    with suppress(EOFError, OSError), connection.makefile("rb") as requests:
        sys.path[:], pickled = pickle.load(requests)
        try:
            checker = pickle.loads(pickled)
            checker.warm_up()
        except Exception as error:  # noqa: BLE001 - the other side raises it
            connection.sendall(pickle.dumps(f"{type(error).__name__}: {error}"))
            os._exit(1)
        connection.sendall(pickle.dumps(""))
        connection.settimeout(IDLE_SECONDS)
        while True:
            connection.sendall(pickle.dumps(_grade(checker, *pickle.load(requests))))
    os._exit(0)  # nothing is left to be cleaned up, and SymPy takes a while to be taken apart


def _grade(
    checker: Any, answer: str, reference: str, cpu_seconds: float, wall_seconds: float
) -> Any:
    """Grade a pair in a worker process, within limits of time."""
    set_limits(cpu_seconds, wall_seconds)
    try:
        return checker.grade(answer, reference)
    except Exception as error:  # noqa: BLE001 - it is the cause why the pair is not graded
        return NotGraded("error", f"{type(error).__name__}: {error}"[:500])
    finally:
        set_limits(0, 0)
