"""Messages, limits and outcomes between a process and its workers."""

from __future__ import annotations

import json
import mmap
import struct
from dataclasses import dataclass, field
from typing import Any, Literal

MEBIBYTE = 2**20
# Bytes of what a program reports. A program that returns more fails.
MOST_RESULT = 64 * MEBIBYTE

Status = Literal["passed", "failed", "timed out", "killed for memory"]
_BEGIN = struct.Struct("dQ")


class HarnessError(RuntimeError):
    """A program that was not run, through no fault of its own. It has no verdict, and must not count as wrong."""


@dataclass(frozen=True)
class ProgramLimits:
    """Say how much one program may use, and how it is judged. Limits hold for the program and its tests together.

    Attributes:
        timeout: seconds of processor time, and seconds on the clock. The time in which a program waits for a processor
            does not count where the kernel tells it, so that a busy machine changes no verdict.
        memory: bytes of address space, of each process.
        file_size: bytes of one file; in namespaces, of all files of a program together.
        processes: processes and threads.
        open_files: files open at once, in each process.
        output: bytes of printed output that are kept. The rest is read and thrown away.
        tolerance: how much fractions that a program prints or returns may differ from those of a case, relative to
            these where they are above 1. The default is that of the judges of most contests.
    """

    timeout: float = 3.0
    memory: int = 4096 * MEBIBYTE
    file_size: int = 64 * MEBIBYTE
    processes: int = 64
    open_files: int = 128
    output: int = 4_096
    tolerance: float = 1e-6


@dataclass(frozen=True)
class Outcome:
    """Hold the verdict on one program.

    Attributes:
        status: "passed" if the program and its tests ran to their end, or the way in which they did not.
        detail: the type of the exception and the last line of its message, or what ended the program.
        output: the beginning of what the program printed, to standard output and standard error.
        isolation: what protected the machine: "namespaces", or "limits" where there are none.

    Examples:
        >>> Outcome("failed", "ZeroDivisionError: division by zero").passed
        False
    """

    status: Status
    detail: str = ""
    output: str = field(default="", repr=False)
    isolation: str = ""

    @property
    def passed(self) -> bool:
        """Return whether the program passed."""
        return self.status == "passed"


class Report:
    """Memory that the process of a program shares with its supervisor, for what the first tells the second."""

    # It needs no open file, so that a program may close all of them.
    def __init__(self, size: int) -> None:
        self.memory = mmap.mmap(-1, size)

    def begin(self, now: float) -> None:
        """Note on the monotonic clock that the program begins: its time counts from then on."""
        self.memory[: _BEGIN.size] = _BEGIN.pack(now, 0)

    def write(self, facts: dict[str, Any]) -> None:
        """Note how the program ended. It may have replaced built-in functions: none is called here."""
        self.memory.seek(_BEGIN.size)
        try:
            self.memory.write(json.dumps(facts).encode())
        except ValueError:  # there is no room
            self.memory.write(b'{"detail": "it returned more than is read"}')
        self.memory[: _BEGIN.size] = _BEGIN.pack(self.read()[0], self.memory.tell() - _BEGIN.size)

    def read(self) -> tuple[float, str]:
        """Return when the program began, 0.0 before, and how it ended as JSON, "" if it did not say."""
        began, length = _BEGIN.unpack(self.memory[: _BEGIN.size])
        return began, self.memory[_BEGIN.size : _BEGIN.size + length].decode("utf-8", "replace")


# A worker without work ends after this time.
IDLE_SECONDS = 300
