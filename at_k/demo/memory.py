"""The memory of the app's own process: what requests leave is given back to the system."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

_ARENA_MAX = -8
"""`M_ARENA_MAX` of glibc's `malloc.h`."""


def settle() -> None:
    """Prepare the process for requests, once everything is there that stays."""
    gc.freeze()  # the app itself is never garbage
    _call("mallopt", _ARENA_MAX, 2)  # glibc would give each thread a place of its own, of which more stays unused


def tidy() -> None:
    """Look for garbage, and give free memory back, which allocators keep for requests that may never come."""
    gc.collect()  # Gradio leaves what visitors sent in circles of references, which may be many megabytes
    _call("malloc_trim", 0)


def _call(name: str, *arguments: int) -> None:
    """Call a function of glibc; other systems have none of these."""
    with suppress(OSError, AttributeError, TypeError):
        getattr(ctypes.CDLL(None), name)(*arguments)
