"""Problems that are added batch by batch, held in memory until a computation has used them."""

from __future__ import annotations

from collections.abc import Iterator

from at_k.problems import Problems

_SMALL = 10_000
"""Batches of fewer problems are merged, so that a million single additions do not stay a million batches."""


class Store:
    """A growing list of batches."""

    def __init__(self) -> None:
        self._batches: list[Problems] = []

    def __iter__(self) -> Iterator[Problems]:
        return iter(self._batches)

    def __len__(self) -> int:
        return sum(map(len, self._batches))

    def add(self, batch: Problems) -> None:
        """Append a batch that goes with those held; otherwise raise, and hold what was held before."""
        if not len(batch):
            return
        batches = [*self._batches, batch.compact()]
        if self._batches:
            self._batches[0].refuse_mismatch(batch)
        while len(batches) > 1 and len(batches[-2]) <= len(batches[-1]) < _SMALL:
            batches[-2:] = [Problems.join(batches[-2:])]
        self._batches = batches

    def join(self, *more: Problems) -> Problems:
        """Join all problems held and those of further batches."""
        return Problems.join([*self._batches, *more])

    def copy(self) -> Store:
        """Make a store that holds the same problems and grows by itself."""
        store = Store()
        store._batches = [*self._batches]
        return store
