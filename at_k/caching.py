"""Keep a computed attribute, so that it is computed once."""

from __future__ import annotations

from collections.abc import Callable
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
