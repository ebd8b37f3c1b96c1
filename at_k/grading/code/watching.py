"""Follow a program from outside, through what it sends, what it prints, and what the system says of its time."""

from __future__ import annotations

import os
import re
import select
import socket
import time
from typing import Any

from at_k.grading.code import program
from at_k.grading.code.limits import ProgramLimits
from at_k.grading.code.processes import find_children, measure_descendants, read_file

TICK = 0.05
"""Seconds between two looks at a program that still runs."""

MOST_MESSAGE = 65_536
"""Bytes of a verdict, unless more are kept of what a program prints. More than that comes from the program itself."""

SECONDS_TO_BEGIN = 60.0
"""How long a process may take to become a program, on a busy machine. The time of the program counts from then on."""

SECONDS_TO_EXIT = 0.5
"""How long a program that has closed its channel may take to end."""


class Watch:
    """Follow one program while it runs.

    Args:
        pid: the number of the program's process.
        channel: the socket on which the verdict comes.
        printed: a pipe, from which its output comes.
        connection: a socket. If its other side is closed, no one waits for the outcome any more.
        limits: how much time the program has, and how much of its output is kept.
        processes: a handle on /proc.

    Attributes:
        said: what came over the channel of the verdict.
        printed: the beginning of what the program printed.
        overtime: the limit of time that it reached, if any.
        closed: whether the channel was closed while the program still ran.
        ended: the status of the program's process and what it used, once it has ended.
    """

    def __init__(
        self,
        pid: int,
        channel: socket.socket,
        printed: int,
        connection: socket.socket,
        limits: ProgramLimits,
        processes: int | None,
    ) -> None:
        self.pid, self.channel, self.output, self.connection = pid, channel, printed, connection
        self.limits, self.processes = limits, processes
        self.said, self.printed = bytearray(), bytearray()
        self.overtime = ""
        self.closed = False
        self.ended: tuple[int, Any] | None = None

    @property
    def end(self) -> tuple[int, str] | None:
        """Return how many lines of the tests decided, and the names of tests that could not be run.

        None unless the program has sent its token a second time.
        """
        begin = program.READY + program.TOKEN
        token = self.said[len(begin) : len(begin) + program.TOKEN_LENGTH]
        said = re.fullmatch(rb"(\d{1,9}) (.*)", self.said.removeprefix(begin + token + token), re.DOTALL)
        if len(token) < program.TOKEN_LENGTH or said is None:
            return None
        return int(said[1]), said[2].decode("utf-8", "replace")

    def follow(self) -> None:
        """Return when the program has ended, or must be ended."""
        poll = select.poll()
        poll.register(self.channel, select.POLLIN)
        poll.register(self.output, select.POLLIN)
        poll.register(self.connection, 0)  # only to hear that it was closed
        forked = started = time.monotonic()
        next_look = started + min(TICK, self.limits.timeout)
        while True:
            ready = dict(poll.poll(max(0.0, next_look - time.monotonic()) * 1000))
            if self.output in ready and not self.read_output():
                poll.unregister(self.output)
            if self.channel.fileno() in ready and not self._read_channel():
                self.closed = not self._ends_within(SECONDS_TO_EXIT)
                return
            if self.connection.fileno() in ready:
                os._exit(1)  # no one waits for the outcome. The process that started this one ends the program.
            now = time.monotonic()
            if not self.said and now - forked < SECONDS_TO_BEGIN:
                started = now
            if now >= next_look:
                spent = self._read_clock()
                if self._has_ended() or self._is_over(spent, now - started):
                    return
                next_look = now + max(0.001, min(TICK, self.limits.timeout - spent))

    def read_output(self) -> bool:
        """Read what the program has printed. Return whether there may be more."""
        try:
            data = os.read(self.output, 65_536)
        except BlockingIOError:
            return False
        self.printed += data[: self.limits.output - len(self.printed)]
        return bool(data)

    def _read_channel(self) -> bool:
        data = self.channel.recv(65_536)
        self.said += data
        return bool(data) and len(self.said) <= max(MOST_MESSAGE, self.limits.output)

    def _has_ended(self) -> bool:
        if self.ended is None:
            pid, status, used = os.wait4(self.pid, os.WNOHANG)
            self.ended = (status, used) if pid else None
        return self.ended is not None

    def _ends_within(self, seconds: float) -> bool:
        """Return whether the program ends by itself. Its files are closed a moment before its end can be seen."""
        until = time.monotonic() + seconds
        while not self._has_ended():
            if time.monotonic() > until:
                return False
            time.sleep(0.0002)
        return True

    def _read_clock(self) -> float:
        """Return the seconds of processor time that the program has used, as far as the system tells."""
        try:
            return time.clock_gettime((~self.pid << 3) | 2)  # as Linux numbers the clocks of other processes
        except OSError:
            return 0.0

    def _is_over(self, spent: float, elapsed: float) -> bool:
        """Return whether the program has reached a limit of time."""
        if elapsed > self.limits.timeout >= spent:
            spent = measure_descendants(self.processes)  # takes milliseconds, and few programs run that long
        if spent > self.limits.timeout:
            self.overtime = f"{self.limits.timeout:g} s of processor time"
        elif elapsed > self.limits.timeout and elapsed - self._read_delay() > self.limits.timeout:
            worked = 2 * spent > self.limits.timeout
            self.overtime = f"{self.limits.timeout:g} s {'of processor time' if worked else 'mostly without work'}"
        return bool(self.overtime)

    def _read_delay(self) -> float:
        """Return the seconds in which the program waited for a processor, as far as the system tells."""
        try:
            oldest, *_ = find_children(self.processes)
            _, delay, *_ = read_file(self.processes, f"{oldest}/schedstat").split()
            return int(delay) / 1e9
        except (OSError, ValueError):
            return 0.0
