"""Three questions that a mock model answers four times each, and the numbers that every harness must have of them."""

from collections import Counter
from collections.abc import Callable, Iterable

import at_k

REPLIES = {"a": ["7", "7", "9", "7"], "b": ["1", "2", "3", "2"], "c": ["", "6", "5", "6"]}
TARGETS = {"a": "7", "b": "2", "c": "5"}
K = [1, 2, 4]
REPORT = at_k.score(
    {
        "answers": [[text or None for text in texts] for texts in REPLIES.values()],
        "references": [*TARGETS.values()],
    },
    missing="incorrect",
    k=K,
)

_SEEN: Counter[str] = Counter()


def reply(question: str) -> str:
    """Return the next reply to a question."""
    _SEEN[question] += 1
    return REPLIES[question][_SEEN[question] - 1]


KEYS = [key for key in REPORT.values if key != "mG-Pass@1"]
"""The keys of the numbers that plug-ins hand over: mG-Pass@1 is 0 for any data."""


def compare(
    find: Callable[[str], float], keys: Iterable[str] = tuple(KEYS), tolerance: float = 1e-12
) -> None:
    """Raise unless the numbers of a harness are those of the report.

    Args:
        find: returns the number of the harness under a key.
        keys: what it must have; by default everything.
        tolerance: how far a number may be off; by default as far as sums in another order are.
    """
    for key in keys:
        assert abs(find(key) - REPORT.values[key]) <= tolerance, f"{key}: {find(key)}"
