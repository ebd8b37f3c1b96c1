"""What is known of a program after it ran."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Status = Literal["passed", "failed", "timed out", "killed for memory"]


@dataclass(frozen=True)
class Outcome:
    """Hold the verdict on one program.

    Attributes:
        status: "passed" if the reference test program ran to its end, or the way in which it did not.
        detail: the type of the exception and the last line of its message, or what ended the program.
        output: the beginning of what the program printed, to standard output and standard error.
        isolation: what protected the machine: "namespaces", or "limits" where the kernel allows no more.
        reached: how many lines of the tests decided, if it passed: they evaluated an assertion, or called the program;
            or how many cases of input and output it passed.

    Examples:
        >>> Outcome("failed", "ZeroDivisionError: division by zero").passed
        False
    """

    status: Status
    detail: str = ""
    output: str = field(default="", repr=False)
    isolation: str = ""
    reached: int = 0

    @property
    def passed(self) -> bool:
        """Return whether the program passed."""
        return self.status == "passed"


class HarnessError(RuntimeError):
    """A program that was not run, through no fault of its own. It has no verdict, and must not count as wrong."""
