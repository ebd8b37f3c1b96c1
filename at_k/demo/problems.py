"""The problems of a data set as counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Problems:
    """One entry per problem: its name, its samples n, and c of them that are correct."""

    names: list[str]
    n: list[int]
    c: list[int]

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def share(self) -> list[float]:
        """c/n."""
        return [c / n for c, n in zip(self.c, self.n, strict=True)]
