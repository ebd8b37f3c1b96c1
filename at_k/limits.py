"""How much work may be asked for. The library has no limits of its own; a public page passes some."""

from __future__ import annotations

from dataclasses import dataclass


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
