"""Show how far slow checks are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any

_DELAY = 1
"""Seconds after which a bar appears."""

Open = Callable[[int, str], AbstractContextManager[Any]]
"""A function that opens a bar, given the number of checks and a text. The bar has a method `update`."""


def _open_tqdm(total: int, text: str) -> AbstractContextManager[Any]:
    """Open a bar that follows the switch of `datasets`."""
    from datasets.utils import tqdm

    bar: AbstractContextManager[Any] = tqdm(total=total, desc=text, unit=" checks", delay=_DELAY, disable=total == 1)
    return bar


_open: ContextVar[Open] = ContextVar("open", default=_open_tqdm)


def open_bar(total: int, name: str) -> AbstractContextManager[Any]:
    """Open a progress bar for the checks of a checker. It appears after a second."""
    return _open.get()(total, f"Checking with {name}")


@contextmanager
def replace_bars(opens: Open) -> Iterator[None]:
    """Let bars be opened by another function meanwhile, in this thread."""
    token = _open.set(opens)
    try:
        yield
    finally:
        _open.reset(token)
