"""Refuse what a program hands to its tests if it passes every comparison.

This deters, and does not prevent: an object that equals what it guesses to be the reference, and no stranger, passes.
"""

from __future__ import annotations

import operator
import os
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

PLAIN = frozenset(
    {int, float, complex, bool, str, bytes, bytearray, range, type(None), type(...), type(NotImplemented), type, slice}
)
CONTAINERS = frozenset({list, tuple, set, frozenset, deque})
MAPPINGS = frozenset({dict, OrderedDict, defaultdict, Counter})
MOST_OBJECTS = 10_000
"""Objects within one value that are looked at: the rest of a large tree is compared as it is."""


class EqualsEverythingError(AssertionError):
    """An object that claims to equal whatever it is compared with, to hold it, or to be less than it."""


CLAIMS: dict[str, Callable[[Any, Any], Any]] = {
    "__ne__": lambda item, stranger: not operator.ne(item, stranger),
    "__contains__": lambda item, stranger: stranger in item,
    "__lt__": operator.lt,
    "__le__": operator.le,
    "__gt__": operator.gt,
    "__ge__": operator.ge,
    "__sub__": lambda item, stranger: abs(item - stranger) < 1,
    "__rsub__": lambda item, stranger: abs(stranger - item) < 1,
}
"""The methods of a class of the program by which an object could pass a comparison, and what it must not claim of an
object that is nothing else. A number in its place could keep an honest method, such as one that counts up to it, busy
for years."""


def vet(value: Any) -> Any:
    """Return a value that tests have from a program, or are about to compare. It must not pass every comparison."""
    if type(value) not in PLAIN:
        refuse_equal_to_everything(value)
    return value


def refuse_equal_to_everything(value: object) -> None:
    """Raise if a value is, or holds, an object that equals things that nobody has seen before.

    Examples:
        >>> refuse_equal_to_everything([1, "a", {2: object()}])
        >>> from unittest.mock import ANY
        >>> refuse_equal_to_everything([1, ANY])
        Traceback (most recent call last):
        ...
        at_k.grading.code.comparison.EqualsEverythingError: an object of type _ANY equals everything
    """
    for item in _find_objects(value):
        kind, stranger = type(item), object()
        claimed = kind.__eq__ is not object.__eq__ and any(
            _claims(operator.eq, item, each)
            for each in (stranger, int.from_bytes(os.urandom(16), "big"), os.urandom(16).hex())
        )
        if claimed or any(_claims(claim, item, stranger) for name, claim in CLAIMS.items() if _defines(kind, name)):
            raise EqualsEverythingError(f"an object of type {kind.__name__} equals everything")


def _defines(kind: type, method: str) -> bool:
    """Return whether a class of the program defines a method, itself or by way of another class of the program."""
    return any(method in vars(each) for each in kind.__mro__ if each.__module__ == "candidate")


def _claims(claim: Callable[[Any, Any], Any], item: object, stranger: object) -> bool:
    try:
        return bool(claim(item, stranger))
    except Exception:  # noqa: BLE001 - an object that refuses to be compared, or an array of comparisons, claims nothing
        return False


def _find_objects(value: object) -> Iterator[object]:
    """Yield the objects in a value that are not of the plain types of Python."""
    waiting: list[Any] = [value]
    for _ in range(MOST_OBJECTS):
        if not waiting:
            return
        item = waiting.pop()
        kind = type(item)
        if kind in CONTAINERS:
            if not PLAIN.issuperset(map(type, item)):
                waiting.extend(item)
        elif kind in MAPPINGS:
            waiting += [tuple(item), tuple(item.values())]
        elif kind not in PLAIN:
            yield item
