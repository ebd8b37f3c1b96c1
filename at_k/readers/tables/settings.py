"""Tell a setting from a mark of single samples, by how the values of a column are spread over the problems."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Values of a column up to which it may hold settings.
MOST_SETTINGS = 20

# A spread that chance makes more even in one of a thousand tables is that of a plan.
_CHANCE = 0.001


def is_setting(table: NDArray[np.int64]) -> bool:
    """Return whether a column holds settings, by its rows of each problem and value.

    The rows of a run may be lost, repeated or stopped, so that no cell needs to be full. Most problems have several
    values; and each value has one number of rows wherever it occurs, or χ² is below its .001 quantile.

    Examples:
        >>> is_setting(np.array([[5, 5]] * 30 + [[5, 4], [3, 5]]))
        True
        >>> is_setting(np.array([[7, 3], [4, 6], [6, 4], [3, 7], [5, 5], [8, 2]]))
        False
    """
    problems, values = table.shape
    present = table > 0
    shared = int((present.sum(axis=1) > 1).sum())
    if problems < 2 or not 2 <= values <= MOST_SETTINGS or 2 * shared < problems:
        return False
    if (table == table.max(axis=0))[present].all():
        return True
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    spread = float(((table - expected) ** 2 / expected).sum())
    return spread < _find_even((problems - 1) * (values - 1))


def _find_even(freedom: int) -> float:
    """Return the .001 quantile of χ²."""
    from scipy.special import chdtri

    return float(chdtri(freedom, 1 - _CHANCE))
