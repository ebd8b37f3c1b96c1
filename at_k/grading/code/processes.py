"""Find the processes that a program has left behind, and end them."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass

from at_k.grading.code.outcomes import HarnessError

SECONDS_TO_END = 10.0
"""How long processes may survive being killed."""


def open_processes() -> int | None:
    """Return a handle on /proc, which stays good when /proc is hidden; None if there is none, as on macOS."""
    try:
        return os.open("/proc", os.O_RDONLY)
    except OSError:
        return None


def read_file(processes: int | None, path: str) -> str:
    """Return the content of a file in /proc."""
    handle = os.open(path, os.O_RDONLY, dir_fd=processes)
    try:
        return os.read(handle, 65_536).decode("utf-8", "replace")
    finally:
        os.close(handle)


@dataclass(frozen=True)
class Process:
    """Hold what /proc says about a process.

    Attributes:
        number: its number.
        parent: the number of its parent.
        ticks: the processor time that it has used, with that of children that have ended, in units of the system.
        tasks: how many threads it has.
        begin: when it began.
    """

    number: int
    parent: int
    ticks: int
    tasks: int
    begin: int


def list_processes(processes: int | None) -> Iterator[Process]:
    """Yield every process, or none if there is no /proc."""
    for name in os.listdir(processes) if processes is not None else []:
        with contextlib.suppress(OSError):  # the process has ended, or /proc hides it
            if name.isdecimal():
                # The name of the program stands in parentheses, and may hold more of them.
                fields = read_file(processes, f"{name}/stat").rpartition(")")[2].split()
                numbers = [int(field) for field in fields[1:]]
                yield Process(int(name), numbers[0], sum(numbers[10:14]), numbers[16], numbers[18])


def find_children(processes: int | None) -> list[int]:
    """Return the children of this process, the oldest first, with the numbers that /proc shows."""
    if processes is None:
        return []
    own = int(os.readlink("self", dir_fd=processes))
    children = [process for process in list_processes(processes) if process.parent == own]
    return [process.number for process in sorted(children, key=lambda process: process.begin)]


def measure_descendants(processes: int | None) -> float:
    """Return the seconds of processor time that all descendants of this process have used."""
    if processes is None:
        return 0.0
    families: dict[int, list[Process]] = {}
    for process in list_processes(processes):
        families.setdefault(process.parent, []).append(process)
    ticks, parents = 0, [int(os.readlink("self", dir_fd=processes))]
    while parents:
        family = families.get(parents.pop(), [])
        ticks += sum(process.ticks for process in family)
        parents += [process.number for process in family]
    return ticks / os.sysconf("SC_CLK_TCK")


def count_tasks(processes: int | None, user: int) -> int:
    """Return how many processes and threads of a user there are."""
    tasks = 0
    for process in list_processes(processes):
        with contextlib.suppress(OSError):
            tasks += process.tasks if os.stat(str(process.number), dir_fd=processes).st_uid == user else 0
    return tasks


def kill(target: int) -> None:
    """Kill a process; a group of processes, if the number is negative; or every process of the namespace, for −1."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(target, signal.SIGKILL)


def end_children(processes: int | None, *, all_inside: bool) -> None:
    """Kill the children of this process, and those whom it inherits from them, until there are none.

    Args:
        processes: a handle on /proc.
        all_inside: whether this process is the first of a namespace, and so may kill every other process that it sees.

    Raises:
        HarnessError: if there are still some after a while.
    """
    give_up = time.monotonic() + SECONDS_TO_END
    while _has_children():
        if time.monotonic() > give_up:
            raise HarnessError("the processes of a program could not be ended")
        for child in [-1] if all_inside else find_children(processes):
            kill(child)
        time.sleep(0.0002)


def _has_children() -> bool:
    """Collect children that have ended, and return whether there are others."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def remove_folder(folder: str) -> None:
    """Remove a directory, also one that a program has made unreadable or deeper than Python can follow."""
    try:
        os.rmdir(folder)  # most are empty
    except OSError:
        import subprocess

        remove = ["rm", "-rf", folder]
        for command in (remove, ["chmod", "-R", "u+rwx", folder], remove):
            if os.path.isdir(folder):
                subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
