"""Progress of long work: bars that appear after a second, as the surface that runs it opens them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any

# Seconds after which a bar appears.
_DELAY = 1

# A function that opens a bar, given the number of steps and a text. The bar has a method `update`.
Open = Callable[[int, str], AbstractContextManager[Any]]


def _open_tqdm(total: int, text: str) -> AbstractContextManager[Any]:
    """Open a bar that follows the switch of `datasets`."""
    from datasets.utils import tqdm

    bar: AbstractContextManager[Any] = tqdm(
        total=total, desc=text, unit=" checks", delay=_DELAY, disable=total == 1
    )
    return bar


_open: ContextVar[Open | None] = ContextVar("open", default=None)


def open_bar(total: int, name: str) -> AbstractContextManager[Any]:
    """Open a progress bar for the checks of a checker. It appears after a second."""
    return (_open.get() or _open_tqdm)(total, f"Checking with {name}")


@contextmanager
def follow_reading(total: int) -> Iterator[Callable[[int, int], None]]:
    """Follow how far the reading of `total` bytes is, if something else than this library shows bars."""
    opens = _open.get()
    if opens is None:
        yield lambda before, place: None
        return
    farthest = 0
    with opens(total, "Reading bytes") as bar:

        def reach(before: int, place: int) -> None:
            nonlocal farthest
            if before + place > farthest:
                bar.update(before + place - farthest)
                farthest = before + place

        yield reach


@contextmanager
def replace_bars(opens: Open) -> Iterator[None]:
    """Let bars be opened by another function meanwhile, in this thread."""
    token = _open.set(opens)
    try:
        yield
    finally:
        _open.reset(token)
