"""The one form in which data moves: rows of different length, problems × samples, as flat values and offsets."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k.combinatorics import Ints


@dataclass(frozen=True, eq=False)
class Ragged:
    """One value per sample: those of problem i are `values[offsets[i]:offsets[i + 1]]`. No row is empty."""

    values: NDArray[Any]
    offsets: Ints

    @classmethod
    def of_lengths(cls, values: NDArray[Any], lengths: Ints) -> Ragged:
        """Rows of these lengths, one after the other."""
        return cls(values, np.concatenate([[0], np.cumsum(lengths)]))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def n(self) -> Ints:
        """Samples of each problem."""
        return np.diff(self.offsets)

    @property
    def problem(self) -> Ints:
        """The problem of each sample."""
        return np.repeat(np.arange(len(self)), self.n)

    def with_values(self, values: NDArray[Any]) -> Ragged:
        """Other values in rows of the same lengths."""
        return Ragged(values, self.offsets)

    def sums(self) -> NDArray[Any]:
        """The sum of each row, of which there is at least one; of flags, how many are set."""
        if self.values.dtype != np.bool_:
            return np.asarray(np.add.reduceat(self.values, self.offsets[:-1]))
        if (self.n == self.n[0]).all():
            return np.asarray(np.count_nonzero(self.values.reshape(len(self), self.n[0]), axis=1))
        return np.asarray(np.add.reduceat(self.values, self.offsets[:-1], dtype=np.int64))

    def kept(self, mask: NDArray[np.bool_]) -> Ragged:
        """The samples that the mask marks; every problem must keep one."""
        return Ragged.of_lengths(self.values[mask], self.with_values(mask).sums())

    def place(self, sample: int | np.integer[Any]) -> str:
        """Where a flat index is: the words that end an error sentence."""
        problem = int(np.searchsorted(self.offsets, sample, side="right")) - 1
        return f"problem {problem}, sample {int(sample) - int(self.offsets[problem])}"

    @staticmethod
    def concatenated(parts: Sequence[Ragged]) -> Ragged:
        """All rows of all parts."""
        if len(parts) == 1:
            return parts[0]
        return Ragged.of_lengths(
            np.concatenate([part.values for part in parts]), np.concatenate([part.n for part in parts])
        )


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers, each kept once: `codes` holds for every sample the index of its answer in `distinct`, −1 for none."""

    codes: Ragged
    distinct: tuple[Any, ...]

    @classmethod
    def of_values(cls, flat: Sequence[Hashable], lengths: Ints) -> Answers:
        """Number the distinct values in the order in which they are met; None is no answer."""
        index: dict[Hashable, int] = dict.fromkeys(flat, -1)
        index.pop(None, None)
        distinct = tuple(index)
        index = {value: code for code, value in enumerate(distinct)}
        index[None] = -1
        codes = np.fromiter(map(index.__getitem__, flat), dtype=np.int32, count=len(flat))
        return cls(Ragged.of_lengths(codes, lengths), distinct)

    def __len__(self) -> int:
        return len(self.codes)

    def renamed(self, names: Sequence[Hashable]) -> Answers:
        """The answers under new names, one for each of `distinct`; those that now have one name are one answer."""
        index: dict[Hashable, int] = {}
        return Answers(self._recoded(names, index), tuple(index))

    @staticmethod
    def concatenated(parts: Sequence[Answers]) -> Answers:
        """All rows of all parts, equal answers numbered alike."""
        if len(parts) == 1:
            return parts[0]
        index: dict[Hashable, int] = {}
        codes = [part._recoded(part.distinct, index) for part in parts]
        return Answers(Ragged.concatenated(codes), tuple(index))

    def _recoded(self, names: Sequence[Hashable], index: dict[Hashable, int]) -> Ragged:
        """The codes that `index`, which grows by what it lacks, has for the names of the answers."""
        new = np.array([index.setdefault(name, len(index)) for name in names] + [-1], dtype=np.int32)  # [−1] stays −1
        return self.codes.with_values(new[self.codes.values])
