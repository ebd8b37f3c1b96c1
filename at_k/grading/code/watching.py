"""Follow a program from outside, through its report, what it prints, and what the system says; and end it."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from at_k.grading.code.protocol import HarnessError, ProgramLimits, Report

# Seconds between two looks at a program that closed its output, as it does when it ends, and at any other.
SOON, TICK = 0.0002, 0.05

# Seconds that a process may take to become a program, on a busy machine. Its own time counts from then on.
SECONDS_TO_BEGIN = 60.0

# Seconds that killed processes may take to end.
SECONDS_TO_END = 10.0


@dataclass(eq=False)
class Watch:
    """Follow one program while it runs."""

    pid: int
    output: int  # a pipe, from which the output of the program comes
    connection: socket.socket  # if its other side is closed, the outcome is not wanted any more
    limits: ProgramLimits
    processes: int  # a handle on /proc
    report: Report
    printed: bytearray = field(default_factory=bytearray)
    overtime: str = ""  # the limit of time that the program reached
    ended: tuple[int, Any] | None = None  # the status of the program's process and what it used

    def follow(self) -> None:
        """Return when the program has ended, or must be ended."""
        poll = select.poll()
        poll.register(self.output, select.POLLIN)
        poll.register(self.connection, 0)  # only to hear that it was closed
        forked = time.monotonic()
        pause = TICK
        spent = 0.0
        while not self._has_ended():
            # On a limit, the next look is at its end
            left = max(0.001, self.limits.timeout - spent)
            for handle, _ in poll.poll(min(pause, left) * 1000):
                if handle != self.output:
                    # Nobody wants the outcome. The process that started this one ends the program.
                    os._exit(1)
                if not self.read_output():
                    poll.unregister(self.output)
                    pause = SOON / 2
            pause = min(TICK, 2 * pause)
            now, (began, _) = time.monotonic(), self.report.read()
            spent = measure_descendants(self.processes)
            if (began or now - forked > SECONDS_TO_BEGIN) and self._is_over(
                spent, now - (began or forked)
            ):
                return

    def read_output(self) -> bool:
        """Read what the program has printed. Return whether there may be more."""
        try:
            data = os.read(self.output, 65_536)
        except BlockingIOError:
            return False
        self.printed += data[: self.limits.output - len(self.printed)]
        return bool(data)

    def end_program(self, *, all_inside: bool) -> None:
        """End the program with everything that it has started."""
        if self.ended is None:
            kill(self.pid)
            self.ended = os.wait4(self.pid, 0)[1:]
        # Every other process of this namespace, or of the program's group
        kill(-1 if all_inside else -self.pid)
        end_children(self.processes, all_inside=all_inside)
        while self.read_output():
            pass

    def describe(self) -> dict[str, Any]:
        """Return what was seen of a program that has ended, in types of JSON."""
        began, report = self.report.read()
        status, used = self.ended or (0, None)
        return {
            "began": bool(began),
            "report": report,
            "exit": os.waitstatus_to_exitcode(status),
            "seconds": used.ru_utime + used.ru_stime if used else 0.0,
            "memory": used.ru_maxrss * 1024 if used else 0,
            "overtime": self.overtime,
            "printed": self.printed.decode("utf-8", "replace"),
        }

    def _has_ended(self) -> bool:
        pid, status, used = os.wait4(self.pid, os.WNOHANG)
        if pid:
            self.ended = status, used
        else:
            self.ended = None
        return bool(pid)

    def _is_over(self, spent: float, elapsed: float) -> bool:
        """Return whether the program has reached a limit of time."""
        most = self.limits.timeout
        if spent > most:
            self.overtime = f"{most:g} s of processor time"
        elif elapsed > most and elapsed - self._read_delay() > most:
            self.overtime = (
                f"{most:g} s {'of processor time' if 2 * spent > most else 'mostly without work'}"
            )
        return bool(self.overtime)

    def _read_delay(self) -> float:
        """Return the seconds in which the program waited for a processor, as far as the system tells."""
        try:
            oldest, *_ = find_children(self.processes)
            _, delay, *_ = read_file(self.processes, f"{oldest}/schedstat").split()
            return int(delay) / 1e9
        except (OSError, ValueError):
            return 0.0


def open_processes() -> int:
    """Return a handle on /proc, which stays good when /proc is hidden."""
    return os.open("/proc", os.O_RDONLY)


def read_file(processes: int, path: str) -> str:
    """Return the content of a file in /proc."""
    handle = os.open(path, os.O_RDONLY, dir_fd=processes)
    try:
        return os.read(handle, 65_536).decode("utf-8", "replace")
    finally:
        os.close(handle)


def read_stat(processes: int, number: int | str) -> list[str]:
    """Return what /proc says of a process, from its state on: its name, in parentheses, may hold more of these."""
    return read_file(processes, f"{number}/stat").rpartition(")")[2].split()


def find_children(processes: int) -> list[int]:
    """Return the children of this process, the oldest first, with the numbers that /proc shows."""
    return list(map(int, read_file(processes, "thread-self/children").split()))


def measure_descendants(processes: int) -> float:
    """Return the seconds of processor time that all descendants of this process have used."""
    ticks = 0
    family = list[int]()
    with suppress(
        OSError
    ):  # a kernel that does not list children: the clock on the wall still limits them
        family = find_children(processes)
    for number in family:
        with suppress(OSError):  # the process has ended
            ticks += sum(map(int, read_stat(processes, number)[11:15]))
            family += map(int, read_file(processes, f"{number}/task/{number}/children").split())
    return ticks / os.sysconf("SC_CLK_TCK")


def count_tasks(processes: int, user: int) -> int:
    """Return how many processes and threads of a user there are."""
    tasks = 0
    for name in filter(str.isdecimal, os.listdir(processes)):
        with suppress(OSError):  # the process has ended, or /proc hides it
            if os.stat(name, dir_fd=processes).st_uid == user:
                tasks += int(read_stat(processes, name)[17])
    return tasks


def kill(target: int) -> None:
    """Kill a process; a group of processes, if the number is negative; or every process of the namespace, for −1."""
    with suppress(ProcessLookupError):
        os.kill(target, signal.SIGKILL)


def end_children(processes: int, *, all_inside: bool) -> None:
    """Kill the children of this process, and those that it inherits from them, until there are none."""
    give_up = time.monotonic() + SECONDS_TO_END
    while _has_children():
        if time.monotonic() > give_up:
            raise HarnessError("the processes of a program could not be ended")
        for child in [-1] if all_inside else find_children(processes):
            kill(child)
        time.sleep(SOON)


def _has_children() -> bool:
    """Collect children that have ended, and return whether there are others."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def remove_folder(folder: str) -> None:
    """Remove a directory, also one that a program has made unreadable or deeper than Python can follow."""
    try:
        os.rmdir(folder)  # most are empty
    except OSError:
        import subprocess

        remove = ["rm", "-rf", folder]
        for command in (remove, ["chmod", "-R", "u+rwx", folder], remove):
            if os.path.isdir(folder):
                subprocess.run(
                    command, check=False, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
