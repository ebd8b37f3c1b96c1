"""Samples that are added batch by batch, held in memory, in columns, until a computation has used them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k import columns
from at_k.combinatorics import Ints
from at_k.samples import Answers, Ragged

_SMALL = 10_000
"""Batches of fewer problems are merged, so that a million single additions do not stay a million batches."""


@dataclass(frozen=True, eq=False)
class Batch:
    """The columns of some problems, checked. Grades stay in parts, reduced one by one and never copied whole."""

    predictions: Answers | tuple[Ragged, ...]
    references: list[tuple[str, ...]] | None = None
    scores: Ragged | None = None

    @classmethod
    def read(cls, config_name: str, *, predictions: object, references: object = None, scores: object = None) -> Batch:
        """Check the columns that users give: answers and references, or, in the configuration "graded", grades."""
        batch = _graded(predictions, references) if config_name == "graded" else _answered(predictions, references)
        if scores is None:
            return batch
        scored = columns.scores(scores)
        columns.same_samples("predictions", batch.n, "scores", scored.n)
        return cls(batch.predictions, batch.references, scored)

    @classmethod
    def joined(cls, batches: Sequence[Batch]) -> Batch:
        """All problems of all batches."""
        if len(batches) == 1:
            return batches[0]
        return cls(
            _joined_predictions([batch.predictions for batch in batches]),
            list(chain.from_iterable(batch.references or () for batch in batches)),
            _joined_scores([batch.scores for batch in batches if batch.scores is not None]),
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The columns as plain arrays, for `from_arrays` in another process."""
        if isinstance(self.predictions, Answers):
            codes = self.predictions.codes
            arrays = {"codes": codes.values, "n": codes.n, "distinct": _packed(self.predictions.distinct)}
            arrays["references"] = _packed(self.references)
        else:
            arrays = {"grades": Ragged.concatenated(self.predictions).values, "n": self.n}
        return arrays if self.scores is None else {**arrays, "scores": self.scores.values}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Batch:
        """The batch of which these are the `arrays`."""
        n = arrays["n"]
        scores = Ragged.of_lengths(arrays["scores"], n) if "scores" in arrays else None
        if "grades" in arrays:
            return cls((Ragged.of_lengths(arrays["grades"], n),), None, scores)
        answers = Answers(Ragged.of_lengths(arrays["codes"], n), tuple(_unpacked(arrays["distinct"])))
        return cls(answers, [tuple(accepted) for accepted in _unpacked(arrays["references"])], scores)

    @property
    def n(self) -> Ints:
        """Samples of each problem."""
        return (
            self.predictions.codes.n
            if isinstance(self.predictions, Answers)
            else Ragged.concatenated(self.predictions).n
        )

    def __len__(self) -> int:
        return len(self.predictions) if isinstance(self.predictions, Answers) else sum(map(len, self.predictions))


class Store:
    """A growing list of batches."""

    def __init__(self) -> None:
        self._batches: list[Batch] = []

    def __len__(self) -> int:
        return sum(map(len, self._batches))

    def add(self, batch: Batch) -> None:
        """Append a batch."""
        if not len(batch):
            return
        if self._batches:
            _same_dimensions(self._batches[0].scores, batch.scores)
        self._batches.append(batch)
        while len(self._batches) > 1 and len(self._batches[-2]) <= len(self._batches[-1]) < _SMALL:
            self._batches[-2:] = [Batch.joined(self._batches[-2:])]

    def joined(self, *more: Batch) -> Batch:
        """All problems held, and those of further batches."""
        every = [*self._batches, *more]
        for batch in every[1:]:
            _same_dimensions(every[0].scores, batch.scores)
        return Batch.joined(every)

    def clear(self) -> None:
        """Forget all problems."""
        self._batches.clear()


def _answered(predictions: object, references: object) -> Batch:
    if references is None:
        raise ValueError(
            "`references` must be given in the configuration 'default'; grades go to the configuration 'graded', "
            "as in evaluate.load(…, 'graded')"
        )
    answers, accepted = columns.answers(predictions), columns.references(references)
    columns.same_problems("predictions", len(answers), "references", len(accepted))
    return Batch(answers, accepted)


def _graded(predictions: object, references: object) -> Batch:
    if references is not None:
        raise ValueError(
            "`references` must not be given in the configuration 'graded', whose predictions are judged already"
        )
    return Batch((columns.grades(predictions),))


def _joined_predictions(parts: Sequence[Answers | tuple[Ragged, ...]]) -> Answers | tuple[Ragged, ...]:
    graded = tuple(chain.from_iterable(part for part in parts if isinstance(part, tuple)))
    if not graded:
        return Answers.concatenated([part for part in parts if isinstance(part, Answers)])
    return (Ragged.concatenated(graded),) if sum(map(len, graded)) < _SMALL else graded


def _packed(texts: object) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(texts).encode(), dtype=np.uint8)


def _unpacked(packed: NDArray[np.uint8]) -> Any:
    return json.loads(packed.tobytes())


def _joined_scores(scores: Sequence[Ragged]) -> Ragged | None:
    return Ragged.concatenated(scores) if scores else None


def _same_dimensions(held: Ragged | None, added: Ragged | None) -> None:
    if held is not None and added is not None and held.values.shape[1:] != added.values.shape[1:]:
        raise ValueError(
            f"`scores` must have as many dimensions in every batch; got {_dimensions(added)} after {_dimensions(held)}"
        )


def _dimensions(scores: Ragged) -> int:
    return scores.values.shape[1] if scores.values.ndim == 2 else 1
