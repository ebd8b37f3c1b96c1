"""How messages quote what stands in a file: short, and in characters that can be sent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

LONGEST = 40
"""Characters of one quoted text."""

_LISTED = 10
"""Values that a message lists."""


def quote(value: object) -> str:
    """Quote a value, the same in every language.

    Examples:
        >>> quote("42"), quote(True), quote([1, [0]]), quote(None)
        ('“42”', 'true', '[…]', 'null')
    """
    if isinstance(value, str):
        return f"“{shorten(value)}”"
    if isinstance(value, (list, dict)) and value:
        return "[…]" if isinstance(value, list) else "{…}"
    return shorten(json.dumps(value, default=str))


def quote_all(values: Iterable[object]) -> str:
    """Quote the first ten of several values.

    Examples:
        >>> quote_all(["id", "correct"])
        '“id”, “correct”'
    """
    quoted = [quote(value) for value in islice(values, _LISTED + 1)]
    return ", ".join(quoted[:_LISTED]) + (", …" if len(quoted) > _LISTED else "")


def shorten(text: str) -> str:
    """Cut a text to 40 characters, and replace those that cannot be sent."""
    text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return text.encode("utf-8", "replace").decode()


@lru_cache(1024)  # a name is compared with those of every role
def normalize_name(name: str) -> str:
    """Return a column's name in one spelling.

    Examples:
        >>> normalize_name("Task ID")
        'task_id'
    """
    return re.sub(r"[\s-]+", "_", name.strip().lower())
