"""The memory of the app's process: requests that leave much of it behind give it back."""

from __future__ import annotations

import ctypes
import gc
import math
import mmap
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pyarrow as pa

SLACK = 16_000_000
"""Bytes that may be left behind before garbage is looked for, which takes longer than most requests."""

_ARENA_MAX = -8
"""`M_ARENA_MAX` of glibc's `malloc.h`."""


def settle() -> None:
    """Prepare the process for requests, once everything is there that stays."""
    gc.freeze()  # the app itself is never garbage
    gc.set_threshold(50_000, 50, 100)  # or what is decoded of a million lists would be searched again and again
    choose = _find_in_libc("mallopt")
    if choose is not None:
        choose(_ARENA_MAX, 2)  # glibc would give each thread a place of its own, of which more stays unused


class Tidier:
    """Give back to the system what requests leave: allocators keep it, for requests that may never come.

    What is free is given back each time. Garbage is looked for if that left much more in use than there was before.

    Args:
        slack: how many bytes may be in use beside those before.
    """

    def __init__(self, slack: int = SLACK) -> None:
        self._slack = slack
        self._used = 0.0

    def tidy(self) -> None:
        """Give memory back."""
        _release()
        used = measure()
        if used < self._used + self._slack:
            self._used = min(self._used, used)  # another request may have been at work when it was larger
            return
        gc.collect()
        _release()
        self._used = measure()


def _release() -> None:
    pa.default_memory_pool().release_unused()
    trim = _find_in_libc("malloc_trim")
    if trim is not None:
        trim(0)


def measure() -> float:
    """Return how many bytes of memory the process holds; infinity where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * mmap.PAGESIZE
    except OSError:
        return math.inf


@cache
def _find_in_libc(name: str) -> Callable[..., object] | None:
    """Find a function of glibc; other systems have none of these."""
    try:
        found: Callable[..., object] = getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError, TypeError):
        return None
    return found
