"""What one program may use."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

MEBIBYTE = 2**20


@dataclass(frozen=True)
class ProgramLimits:
    """Say how much one program may use. Every limit holds for the program and its tests together.

    Attributes:
        timeout: seconds of processor time, and seconds on the clock. The time in which a program waits for a processor
            does not count where the kernel tells it, so that a busy machine changes no verdict.
        memory: bytes of address space, of each process.
        file_size: bytes of one file; in namespaces, of all files of a program together.
        processes: processes and threads.
        open_files: files open at once, in each process.
        output: bytes of printed output that are kept. The rest is read and thrown away.
        total: seconds on the clock for all cases of input and output, each of which has `timeout`. By default, as in
            LiveCodeBench, a second more than `timeout` for each case, and five seconds.
        tolerance: how much fractions that a program prints or returns may differ from those of a case, relative to
            these where they are above 1. The default is that of the judges of most contests.
        pytest: whether pytest runs the tests of test programs.
    """

    timeout: float = 3.0
    memory: int = 4096 * MEBIBYTE
    file_size: int = 64 * MEBIBYTE
    processes: int = 64
    open_files: int = 128
    output: int = 4_096
    total: float | None = None
    tolerance: float = 1e-6
    pytest: bool = False


def apply_limits(limits: ProgramLimits, other_tasks: int) -> None:
    """Put the calling process, and all that it starts, under limits that it cannot raise again.

    Args:
        limits: how much the program may use.
        other_tasks: tasks of the same user that the kernel counts together with those of the program.
    """
    import resource

    wanted = {
        # The supervisor measures processor time more finely, and of all processes together. This is a second net.
        resource.RLIMIT_CPU: ceil(limits.timeout) + 1,
        resource.RLIMIT_FSIZE: limits.file_size,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: limits.processes + other_tasks,
        resource.RLIMIT_AS: limits.memory,
    }
    for which, amount in wanted.items():
        _, hardest = resource.getrlimit(which)
        least = amount if hardest == resource.RLIM_INFINITY else min(amount, hardest)
        try:
            resource.setrlimit(which, (least, least))
        except (OSError, ValueError):
            # macOS refuses limits of address space below what a process has mapped already, which is hundreds of GB.
            if which != resource.RLIMIT_AS:
                raise
