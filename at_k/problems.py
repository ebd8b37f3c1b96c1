"""The checked columns of problems and their samples, from which every metric is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from at_k import columns
from at_k.caching import cached_property
from at_k.combinatorics import Ints
from at_k.samples import Answers, Ragged

SMALL = 10_000
"""Batches of fewer problems are merged, and their grades joined: copying these costs less than keeping many parts."""


@dataclass(frozen=True, eq=False)
class Problems:
    """Hold the samples of some problems, in columns that agree in length.

    Attributes:
        answers: the answer of each sample.
        references: the acceptable answers of each problem.
        grades: how right each sample is, NaN for a sample without a grade. They stay in parts, so that a large column
            is never copied as a whole.
        scores: how good each sample looks.
    """

    answers: Answers | None = None
    references: list[tuple[str, ...]] | None = None
    grades: tuple[Ragged, ...] | None = None
    scores: Ragged | None = None

    @classmethod
    def read(
        cls,
        *,
        answers: object = None,
        references: object = None,
        grades: object = None,
        scores: object = None,
        names: dict[str, str] | None = None,
    ) -> Problems:
        """Check the columns of a user. `names` gives the names that error messages use for them."""
        called = {"answers": "answers", "references": "references", "grades": "grades", "scores": "scores"}
        called |= names or {}
        read = cls(
            None if answers is None else columns.read_answers(answers, called["answers"]),
            None if references is None else columns.read_references(references, called["references"]),
            None if grades is None else columns.read_grade_parts(grades, called["grades"]),
            None if scores is None else columns.read_scores(scores, called["scores"]),
        )
        read._refuse_disagreement(called)
        return read

    @classmethod
    def read_module(cls, config_name: str, *, predictions: object, **others: object) -> Problems:
        """Check the columns of a module: in the configuration "graded", its `predictions` are grades."""
        role = "grades" if config_name == "graded" else "answers"
        return cls.read(**{**others, role: predictions}, names={role: "predictions"})

    def _refuse_disagreement(self, called: dict[str, str]) -> None:
        first = "answers" if self.answers is not None else "grades"
        if self.answers is not None and self.references is not None:
            columns.require_same_problems(
                called["answers"], len(self.answers), called["references"], len(self.references)
            )
        if self.answers is not None and self.grades is not None:
            graded = Problems(grades=self.grades).n
            columns.require_same_samples(called["answers"], self.answers.codes.n, called["grades"], graded)
        elif self.grades is not None and self.references is not None:
            columns.require_same_problems(called["grades"], len(self), called["references"], len(self.references))
        if self.scores is not None:
            columns.require_same_samples(called[first], self.n, called["scores"], self.scores.n)

    @classmethod
    def join(cls, parts: Sequence[Problems]) -> Problems:
        """Join all problems of all parts, which must have the same columns."""
        if len(parts) == 1:
            return parts[0]
        for part in parts[1:]:
            parts[0].refuse_mismatch(part)
        answers = [part.answers for part in parts if part.answers is not None]
        references = [part.references for part in parts if part.references is not None]
        grades = [part.grades for part in parts if part.grades is not None]
        scores = [part.scores for part in parts if part.scores is not None]
        return cls(
            Answers.concatenate(answers) if answers else None,
            list(chain.from_iterable(references)) if references else None,
            _join_grades(list(chain.from_iterable(grades))) if grades else None,
            Ragged.concatenate(scores) if scores else None,
        )

    def refuse_mismatch(self, other: Problems) -> None:
        """Raise if other problems have other columns, or scores of another number of dimensions."""
        for name in ("answers", "references", "grades", "scores"):
            if (getattr(self, name) is None) != (getattr(other, name) is None):
                given, absent = ("without", "with") if getattr(other, name) is None else ("with", "without")
                raise ValueError(
                    f"`{name}` must be given in every batch or in none; got a batch {given} after one {absent}"
                )
        if self.scores is not None and other.scores is not None:
            held, added = _dimensions(self.scores), _dimensions(other.scores)
            if held != added:
                raise ValueError(f"`scores` must have as many dimensions in every batch; got {added} after {held}")

    def compact(self) -> Problems:
        """Copy the numbers, so that later changes by the user have no effect. Grades of 0 or 1 take a byte each."""
        return Problems(
            self.answers,
            self.references,
            None if self.grades is None else tuple(part.compact() for part in self.grades),
            None if self.scores is None else self.scores.with_values(self.scores.values.copy()),
        )

    @cached_property
    def n(self) -> Ints:
        """Count the samples of each problem."""
        if self.answers is not None:
            return self.answers.codes.n
        return np.concatenate([part.n for part in self.grades or ()] or [np.zeros(0, dtype=np.int64)])

    def __len__(self) -> int:
        return len(self.answers) if self.answers is not None else sum(map(len, self.grades or ()))


def _join_grades(parts: list[Ragged]) -> tuple[Ragged, ...]:
    return (Ragged.concatenate(parts),) if sum(map(len, parts)) < SMALL else tuple(parts)


def _dimensions(scores: Ragged) -> int:
    return scores.values.shape[1] if scores.values.ndim == 2 else 1
