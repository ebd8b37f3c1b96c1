"""The search for the smallest number that is enough."""

from __future__ import annotations

from collections.abc import Callable


def find_least(reaches: Callable[[int], bool], least: int, most: int) -> int | None:
    """Return the smallest number from `least` to `most` that reaches, if a larger one always does so too."""
    if reaches(least):
        return least
    below, above = least, least
    while not reaches(above):
        if above >= most:
            return None
        below, above = above, min(2 * above, most)
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if reaches(middle) else (middle, above)
    return above
