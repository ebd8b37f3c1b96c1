"""Comparisons in a test program that an object which equals everything does not pass.

They deter, and do not prevent: an object that equals what it guesses to be the reference, and no stranger, passes.
"""

from __future__ import annotations

import os
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from typing import Any

PLAIN = frozenset(
    {int, float, complex, bool, str, bytes, bytearray, range, type(None), type(...), type(NotImplemented)}
)
CONTAINERS = frozenset({list, tuple, set, frozenset, deque})
MAPPINGS = frozenset({dict, OrderedDict, defaultdict, Counter})
MOST_OBJECTS = 10_000
"""Objects within one value that are looked at: the rest of a large tree is compared as it is."""


class EqualsEverythingError(AssertionError):
    """An object that claims to equal whatever it is compared with."""


# Each of these applies its operator itself, and not through a variable or a closure: a program that finds the function
# can change those.


def equal(left: Any, right: Any) -> Any:
    """Return `left == right`."""
    return _vet(left == right, True, left, right)


def differ(left: Any, right: Any) -> Any:
    """Return `left != right`."""
    return _vet(left != right, False, left, right)


def contain(left: Any, right: Any) -> Any:
    """Return `left in right`."""
    return _vet(left in right, True, left, right)


def lack(left: Any, right: Any) -> Any:
    """Return `left not in right`."""
    return _vet(left not in right, False, left, right)


def vet(value: Any) -> Any:
    """Return what a function that asserts is about to compare. It must not equal everything."""
    if type(value) not in PLAIN:
        refuse_equal_to_everything(value)
    return value


def _vet(found: Any, claim: bool, left: Any, right: Any) -> Any:
    """Return what an operator found. If its truth claims equality, both sides must not equal everything."""
    if not (type(left) in PLAIN and type(right) in PLAIN) and _is_true(found) is claim:
        refuse_equal_to_everything(left)
        refuse_equal_to_everything(right)
    return found


def _is_true(found: Any) -> bool | None:
    """Return the truth of a comparison, as `assert` sees it; None if it has none, as an array of comparisons."""
    try:
        return bool(found)
    except Exception:  # noqa: BLE001 - an object that refuses to be compared claims nothing
        return None


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
        for stranger in (object(), int.from_bytes(os.urandom(16), "big"), os.urandom(16).hex()):
            try:
                claims = bool(item == stranger)
            except Exception:  # noqa: BLE001 - as above
                continue
            if claims:
                raise EqualsEverythingError(f"an object of type {type(item).__name__} equals everything")


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
