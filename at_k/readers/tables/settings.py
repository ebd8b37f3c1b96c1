"""Tell a setting from a mark of single samples, by how the values of a column are spread over the problems."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k.readers.arrays import encode, find_firsts, join_codes
from at_k.readers.blocks import Block
from at_k.readers.numbering import count_in, count_up
from at_k.readers.words import read_spelled, read_whole

# Values of a column up to which it may hold settings.
MOST_SETTINGS = 20

# A spread that chance makes more even in one of a thousand tables is that of a plan.
_CHANCE = 0.001

# Pairs of a problem and a value that are looked at however few rows have them.
_SMALL = 1_000_000

# Where settings lost some rows: the share of pairs of a problem and a value that have rows, and the share of these that
# have the most rows of their value; and the number of problems in which that is no chance.
_PRESENT, _WHOLE, _CERTAIN = 0.9, 0.7, 5

# Rows of a value in each problem: problems × values.
Table = NDArray[np.int64]


class Watch:
    """The values of a column in all rows; no longer watched when there are too many.

    Attributes:
        name: the column.
        values: its values, in order of first appearance.
    """

    def __init__(self, name: str, most: int = MOST_SETTINGS) -> None:
        self.name, self.values, self._most = name, list[Any](), most
        self._known: dict[object, int] = {}
        self._codes: list[NDArray[Any]] = []

    def add(self, block: Block) -> bool:
        """Add the cells of a block, and return whether there still are few values."""
        codes, values = np.full(len(block), -1), list[Any]()
        if block.has(self.name):  # hundreds of columns may each be in a few blocks alone
            codes, values = encode(block.column(self.name))
        numbers = list(map(self._number, values))
        numbers.append(self._number(None) if (codes < 0).any() else -1)
        self._codes.append(np.array(numbers)[codes].astype(np.min_scalar_type(len(self.values))))
        return len(self.values) <= self._most

    def _number(self, value: Any) -> int:
        if isinstance(value, (str, type(None))):
            key = value
        else:
            key = repr(value)
        if key not in self._known:
            self._known[key] = len(self.values)
            self.values.append(value)
        return self._known[key]

    def take(self, kept: NDArray[np.int64]) -> None:
        """Keep some of the rows, by their positions."""
        self._codes = [np.concatenate(self._codes)[kept]]

    @property
    def codes(self) -> NDArray[np.int64]:
        """The number of the value in each row."""
        return np.concatenate(self._codes).astype(np.int64)

    def differs(self, problem: NDArray[np.int64]) -> bool:
        """Return whether rows of one problem have different values."""
        return len(find_firsts(join_codes([problem, self.codes]))) > len(find_firsts(problem))

    @property
    def numbers_samples(self) -> bool:
        """Return whether the values number samples, or runs."""
        return count_in(self.name, self.values)

    def find_settings(self, problem: NDArray[np.int64], *, listed: bool) -> str:
        """Return "all" if values have equally many rows of each problem, "parts" if of some, "perhaps", or nothing.

        True and false that are spread evenly are "even": they may follow the verdicts of a planned table.
        """
        count = len(self.values)
        problems = int(problem.max()) + 1
        size = problems * count
        if not 2 <= count <= MOST_SETTINGS or problems < 2 or size > max(2 * len(problem), _SMALL):
            return ""
        codes = self.codes
        table = np.bincount(problem * count + codes, minlength=size).reshape(problems, count)
        shared = int(((table > 0).sum(axis=1) > 1).sum())
        if not shared:
            return ""
        is_number = self.numbers_samples
        if ((table > 0) & (table < table.max(axis=0))).any():
            return "" if listed or is_number else self._find_uneven(table)
        if table.min() == table.max():
            return "" if is_number and not listed and table.max() == 1 else "all"
        if listed or None in self.values or (is_number and table.max(axis=0).min() < 2):
            return ""
        # Parts of unequal size, each with problems of its own: their rows follow each other, or have n samples. One
        # problem may be in two parts by chance, as a sample and its repetition differ in a mark.
        are_blocks = np.count_nonzero(np.diff(codes)) == count - 1
        return self._find_parts(table, are_blocks=are_blocks, are_shared=shared > 1)

    def _find_parts(self, table: Table, *, are_blocks: bool, are_shared: bool) -> str:
        """Tell whether values are parts of unequal size, each with problems of its own."""
        present = table > 0
        parts = present.sum(axis=0)
        if parts.max() < 2:
            return ""
        is_told = parts.min() > 1 and not self._are_marks
        follow = are_blocks and (are_shared or is_told)
        are_repeated = table.max(axis=0).min() > 1 and not present.all()
        if table.size <= 2 * table.sum() and (follow or are_repeated):
            return "parts"
        is_even = is_setting(table) and not self._marks_samples(table)
        if is_even or (self._are_marks and _lost_rows(table)):
            return "all"
        if present.all():
            is_ragged = parts.min() >= _CERTAIN
        else:
            is_ragged = np.ptp(table.sum(axis=1)) > 0
        return "perhaps" if is_ragged and is_told else ""

    def _find_uneven(self, table: Table) -> str:
        """Return "all" if rows of a plan were lost, repeated or stopped, and "perhaps" in a few problems."""
        if None in self.values:
            return ""
        if self._are_marks:
            return _find_marks(table)
        if self._marks_samples(table):
            return ""
        if is_setting(table):
            return "all"
        present = table > 0
        whole = float((table == table.max(axis=0))[present].mean())
        if present.mean() < _PRESENT or whole < _WHOLE:
            return ""
        return "all" if len(table) >= _CERTAIN else "perhaps"

    @property
    def _are_marks(self) -> bool:
        return all(read_spelled(value) in (0, 1) for value in self.values)

    def _marks_samples(self, table: Table) -> bool:
        """Return whether values mark single samples, as that of the best one, or number them under any name."""
        whole = list(map(read_whole, self.values))
        is_number = table.max() == 1 and None not in whole and count_up(whole)
        return self._are_marks or is_number or _is_single(table)


def _find_marks(table: Table) -> str:
    """Return "all" if true and false lost some rows of a plan, and "even" if they are spread evenly."""
    if _lost_rows(table):
        return "all"
    return "even" if is_setting(table) and not _is_single(table) else ""


def _lost_rows(table: Table) -> bool:
    """Return whether two settings such as true and false lost some rows: flags of samples are spread by chance.

    Examples:
        >>> _lost_rows(np.array([[4, 4]] * 9 + [[4, 3]]))
        True
        >>> _lost_rows(np.array([[1, 7]] * 9 + [[1, 6]]))
        False
    """
    are_whole, present = table == table.max(axis=0), table > 0
    if _is_single(table) or len(table) < _CERTAIN or not are_whole.all(axis=1).any():
        return False
    return bool(present.mean() >= _PRESENT and are_whole[present].mean() >= _WHOLE)


def _is_single(table: Table) -> bool:
    """Return whether a value marks one sample of a problem, such as the best one."""
    most = table.max(axis=0)
    return bool(most.min() == 1 < most.max())


def is_setting(table: Table) -> bool:
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
