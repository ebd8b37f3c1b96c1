"""Three questions that a mock model answers four times each, and the numbers that every harness must have of them."""

from collections import Counter
from collections.abc import Callable

import at_k

REPLIES = {"a": ["7", "7", "9", "7"], "b": ["1", "2", "3", "2"], "c": ["", "6", "5", "6"]}
TARGETS = {"a": "7", "b": "2", "c": "5"}
K = [1, 2, 4]
REPORT = at_k.score(
    {"answers": [[text or None for text in texts] for texts in REPLIES.values()], "references": [*TARGETS.values()]},
    missing="incorrect",
    k=K,
)

_SEEN: Counter[str] = Counter()


def reply(question: str) -> str:
    """Return the next reply to a question."""
    _SEEN[question] += 1
    return REPLIES[question][_SEEN[question] - 1]


def compare(find: Callable[[str], float], *, metrics: str = "", bars: bool = True) -> None:
    """Raise unless the numbers of a harness are those of the report.

    Args:
        find: returns the number of the harness under a key.
        metrics: with what the keys begin that the harness can have; by default all.
        bars: whether it has the ends of the intervals, too.
    """
    for key, value in REPORT.values.items():
        if not key.startswith(metrics):
            continue
        assert abs(find(key) - value) < 1e-12, f"{key}: {find(key)}, not {value}"  # sums in another order
        if bars:
            assert find(f"{key}_ci_low") == REPORT.intervals[key].low
            assert find(f"{key}_ci_high") == REPORT.intervals[key].high
