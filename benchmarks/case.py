"""Cases: scales, outcomes and targets, and how each case is declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

FASTER, SLOWER = "× as fast", "× the time"
"""Units of targets relative to a peer. The first is a lower limit; all other units are upper limits."""

BROWSER, SERVER = "a browser", "a server"
"""Programs that a case may need beside Python."""


@dataclass(frozen=True)
class Scale:
    """The size of the inputs, and the number of runs of each contestant. The titles of the cases are those of `FULL`.

    Attributes:
        problems: problems with 64 samples each.
        graded: the same, where columns of grades are read.
        votes: the same, where answers vote or scores choose.
        compared: problems, where models are compared.
        large_n: samples per problem, where they are many.
        large_answers: different answers among that many samples.
        in_memory: problems, where memory is measured.
        logged: samples of a log of inspect_ai.
        megabytes: size of a samples file of lm-evaluation-harness.
        long_texts: megabytes of a file of long generations.
        workers: processes that check formulas.
        programs: problems of HumanEval, with a right and a wrong program each.
        expressions: problems of the Qwen2.5-Math file.
        looped: of `problems`, those that the SciPy loop runs on.
        bootstrapped: of `votes`, those that the bootstraps run on.
        processes: fresh processes, where an import is timed.
        rounds: as in `medians`.
    """

    problems: int = 20_000
    graded: int = 200_000
    votes: int = 1_000
    compared: int = 10_000
    banded: int = 1_060
    large_n: int = 10_000
    large_answers: int = 300
    in_memory: int = 1_000_000
    logged: int = 2_000
    megabytes: int = 200
    long_texts: int = 2_000
    workers: int = 2
    programs: int = 164
    expressions: int = 100
    looped: int = 200
    bootstrapped: int = 4
    processes: int = 11
    rounds: int = 7


FULL = Scale()
SMOKE = Scale(
    problems=100,
    graded=1_000,
    votes=8,
    compared=100,
    banded=60,
    large_n=100,
    large_answers=10,
    in_memory=10_000,
    logged=8,
    megabytes=1,
    long_texts=1,
    workers=1,
    programs=4,
    expressions=8,
    looped=5,
    bootstrapped=1,
    processes=1,
    rounds=0,
)


@dataclass(frozen=True)
class Outcome:
    """The cost of at-k, and of its peer if it has one, for the same work: seconds, or another unit."""

    ours: float
    peer: float | None = None
    unit: str = "s"

    def value(self, unit: str) -> float:
        """Return the outcome in the unit of a target."""
        if unit not in (FASTER, SLOWER):
            return self.ours
        if self.peer is None:
            raise ValueError(f"a ratio to a peer, {unit!r}, takes a case with a peer")
        return self.peer / self.ours if unit == FASTER else self.ours / self.peer


@dataclass(frozen=True)
class Target:
    """A limit on the ratio to the peer's time, or on what at-k needs by itself."""

    limit: float
    unit: str

    def __str__(self) -> str:
        return f"{'≥' if self.unit == FASTER else '≤'} {self.limit:,g} {self.unit}"

    def reached(self, outcome: Outcome) -> bool:
        """Return whether the outcome keeps to the limit."""
        value = outcome.value(self.unit)
        return value >= self.limit if self.unit == FASTER else value <= self.limit


@dataclass(frozen=True)
class Case:
    """One measurement: a title, how to measure at a scale, its targets, its peer, and what it needs beside Python.

    A new case is a function of a `Scale` that returns an `Outcome`, and an entry in `CASES`.
    """

    title: str
    run: Callable[[Scale], Outcome]
    targets: tuple[Target, ...] = ()
    peer: str = ""
    needs: str = ""


def agree(ours: Any, theirs: Any) -> None:
    """Check that both contestants report the same numbers, up to rounding."""
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
