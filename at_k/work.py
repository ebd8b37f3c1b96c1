"""Limits of work, progress bars, and attributes that are computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

Kept = TypeVar("Kept")


class cached_property(Generic[Kept]):  # noqa: N801 - a decorator, named as that of functools
    """Compute an attribute when it is first asked for, and keep it.

    That of functools holds a lock while it computes, up to Python 3.11, and one for all instances: a process that is
    forked meanwhile never gets it. Here is no lock. Threads that ask at the same time may all compute, and all of them
    get the value that is kept.

    Examples:
        >>> class Row:
        ...     @cached_property
        ...     def n(self):
        ...         print("counting")
        ...         return 3
        >>> row = Row()
        >>> row.n, row.n
        counting
        (3, 3)
    """

    def __init__(self, compute: Callable[[Any], Kept]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[Kept]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Kept: ...

    def __get__(self, instance: object, owner: type) -> cached_property[Kept] | Kept:
        """Compute the attribute. Later, it is found in the instance before this is called."""
        if instance is None:
            return self
        kept: Kept = instance.__dict__.setdefault(self.compute.__name__, self.compute(instance))
        return kept


@dataclass(frozen=True)
class Limits:
    """The most that is accepted, each measured before the work begins. None means without limit.

    Attributes:
        max_bytes: bytes of a results file, as UTF-8.
        max_rows: rows of a file: problems, or samples where each has a row of its own.
        max_text: characters of one answer, reference, name or label.
        max_problems: problems of a data set.
        max_samples: samples of one problem.
        max_all_samples: samples of all problems together.
        max_groups: different groups of problems.

    Examples:
        >>> Limits(max_rows=100).max_rows, UNLIMITED.max_rows
        (100, None)
    """

    max_bytes: int | None = None
    max_rows: int | None = None
    max_text: int | None = None
    max_problems: int | None = None
    max_samples: int | None = None
    max_all_samples: int | None = None
    max_groups: int | None = None


UNLIMITED = Limits()


def exceeds(amount: float, limit: float | None) -> bool:
    """Return whether an amount is more than a limit allows.

    Examples:
        >>> exceeds(3, 2), exceeds(3, 3), exceeds(3, None)
        (True, False, False)
    """
    return limit is not None and amount > limit


_DELAY = 1
"""Seconds after which a bar appears."""

Open = Callable[[int, str], AbstractContextManager[Any]]
"""A function that opens a bar, given the number of steps and a text. The bar has a method `update`."""


def _open_tqdm(total: int, text: str) -> AbstractContextManager[Any]:
    """Open a bar that follows the switch of `datasets`."""
    from datasets.utils import tqdm

    bar: AbstractContextManager[Any] = tqdm(total=total, desc=text, unit=" checks", delay=_DELAY, disable=total == 1)
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
