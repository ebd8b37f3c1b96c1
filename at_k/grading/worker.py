"""A worker process: it grades the pairs that it is sent, each within limits that the kernel enforces.

It is started as `python -m at_k.grading.worker`, and not by `multiprocessing`, which would run the user's script again.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

IDLE_SECONDS = 300
"""A worker without work ends after this time."""


def set_limits(cpu_seconds: float, wall_seconds: float) -> None:
    """End this process when it has used so much CPU time, or when so much time has passed. Zero removes the limit.

    The signals keep their default action. So the kernel ends the process in the middle of a long computation too, where
    Python would not run a handler.
    """
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    signal.setitimer(signal.ITIMER_REAL, wall_seconds)


def serve(connection: Connection) -> None:
    """Grade pairs until the parent closes the connection."""
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    try:
        sys.path[:] = connection.recv()
        checker = connection.recv()
        checker.warm_up()
        connection.send(None)
    except Exception as error:  # noqa: BLE001 - the parent raises it
        connection.send(f"{type(error).__name__}: {error}")
        return
    while connection.poll(IDLE_SECONDS):
        pairs, cpu_seconds, wall_seconds = connection.recv()
        for answer, reference in pairs:
            set_limits(cpu_seconds, wall_seconds)
            reply = _grade(checker, answer, reference)
            set_limits(0, 0)
            connection.send(reply)


def _grade(checker: Any, answer: str, reference: str) -> Any:
    """Return a grade as the checker gave it, or the text of its exception in a tuple."""
    try:
        return checker.grade(answer, reference)
    except Exception as error:  # noqa: BLE001 - it is reported as the cause why the pair is not graded
        return (f"{type(error).__name__}: {error}"[:500],)


def main() -> None:
    """Serve the connection whose file descriptor is the only argument."""
    with Connection(int(sys.argv[1])) as connection, suppress(EOFError, OSError):  # the parent is gone
        serve(connection)
    os._exit(0)  # nothing is left to be cleaned up, and SymPy takes a while to be taken apart


if __name__ == "__main__":
    main()
