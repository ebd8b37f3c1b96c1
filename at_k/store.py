"""Keep problems that are added batch by batch in memory, until a computation has used them."""

from __future__ import annotations

from collections.abc import Iterator

from at_k.problems import SMALL, Problems


class Store:
    """Hold a growing list of batches."""

    def __init__(self) -> None:
        self._batches: list[Problems] = []

    def __iter__(self) -> Iterator[Problems]:
        return iter(self._batches)

    def __len__(self) -> int:
        return sum(map(len, self._batches))

    def add(self, batch: Problems) -> None:
        """Append a batch. If its columns differ from those of the other batches, raise and change nothing."""
        if not len(batch):
            return
        batches = [*self._batches, batch.compact()]
        if self._batches:
            self._batches[0].refuse_mismatch(batch)
        # A million single additions do not remain a million batches.
        while len(batches) > 1 and len(batches[-2]) <= len(batches[-1]) < SMALL:
            batches[-2:] = [Problems.join(batches[-2:])]
        self._batches = batches

    def join(self, *more: Problems) -> Problems:
        """Join all problems in the store and those of further batches."""
        return Problems.join([*self._batches, *more])

    def copy(self) -> Store:
        """Make a second store with the same problems, which then grows independently."""
        store = Store()
        store._batches = [*self._batches]
        return store
