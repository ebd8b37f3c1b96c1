"""Time and memory: medians of interleaved repetitions, and peaks of fresh processes."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

ROUND = 0.1
"""Seconds: in each round a contestant runs until this much time has passed, and at least once."""

ROOT = Path(__file__).resolve().parent.parent


def medians(
    *contestants: Callable[..., object], rounds: int = 7, fresh: Callable[[], Any] | None = None
) -> list[float]:
    """Return the median time of each contestant in seconds.

    The contestants take turns, so that other work of the machine slows all of them equally. `fresh` makes the input
    of every single run, outside the time that counts. One run of each beforehand does not count. The garbage collector
    waits while a run is timed, as in `timeit`: which of them it interrupts is chance. Without rounds, the one run of
    each is all there is.
    """
    times: list[list[float]] = [[] for _ in contestants]
    for counts in [rounds == 0] + [True] * rounds:
        for contestant, own in zip(contestants, times, strict=True):
            if rounds:  # one run alone measures nothing
                gc.collect()
            spent = 0.0
            while spent < ROUND:
                elapsed = _time(contestant, *(() if fresh is None else (fresh(),)))
                spent += elapsed
                if counts:
                    own.append(elapsed)
                if not counts or not rounds:
                    break
    return [median(own) for own in times]


def _time(contestant: Callable[..., object], *given: Any) -> float:
    gc.disable()
    try:
        start = perf_counter()
        contestant(*given)
        return perf_counter() - start
    finally:
        gc.enable()


def printed_by(*arguments: str) -> str:
    """Run a fresh Python process, and return what it prints."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


def peak_memory() -> int:
    """Return the most memory that this process has held at once, in bytes.

    Linux reports it for the process itself; `getrusage` there also counts the parent at the moment of the fork.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS
