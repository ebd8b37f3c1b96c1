"""The coverage of the true value by intervals: `python -m benchmarks.coverage` simulates, and writes docs/coverage.md.

Problems have difficulties from a Beta distribution, and n samples each. The truth of a cell is known exactly, and the
coverage of a method is the share of simulated data sets whose interval holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent.parent / "tests" / "data"
LEVEL = 0.95
OURS = "at-k"
MEANS = (0.5, 0.2, 0.8, 0.96, 0.995)

SHAPES = {"U-shaped": 0.6, "bell": 8.0}
"""Shape → a + b of the Beta distribution of difficulties."""

DEMANDED, IN_CLUSTERS, MOST_FALSE = 0.93, 0.925, 0.055
"""The least coverage, the least with clusters, and the largest type I error."""


def find_stderr(share: float, of: int) -> float:
    """Return the standard error of a share of `of` data sets."""
    return float((share * (1 - share) / of) ** 0.5)


@dataclass
class Demands:
    """Collect every figure that misses its bound. Rounding to the printed digits excuses none."""

    missed: list[str] = field(default_factory=list)

    def at_least(self, cell: str, share: float, least: float = DEMANDED, *, of: int) -> None:
        """Demand a coverage, measured on this many data sets."""
        if share < least:
            self.missed.append(
                f"{cell}: {share:.4f} ± {find_stderr(share, of):.4f}, at least {least:.4g}"
            )

    def at_most(self, cell: str, share: float, most: float = MOST_FALSE, *, of: int) -> None:
        """Demand a share of false decisions, measured on this many data sets."""
        if share > most:
            self.missed.append(
                f"{cell}: {share:.4f} ± {find_stderr(share, of):.4f}, at most {most:g}"
            )


@dataclass
class Simulation:
    """Simulate cells in several processes, and judge the figures that are found.

    Attributes:
        slow: the data sets of each cell of what takes long.
        seed: of all that is drawn.
        workers: the processes.
        demands: the figures that miss their bounds.
    """

    slow: int = 100
    seed: int = 0
    workers: int = 1
    demands: Demands = field(default_factory=Demands)

    def ask(
        self, simulate: Callable[..., Any], cells: Iterable[Any], repetitions: int
    ) -> dict[Any, Any]:
        """Return cell → what is found of it, with this many data sets. A tuple is the arguments of a cell."""
        listed = list(cells)
        asked = [(simulate, cell, repetitions, self.seed) for cell in listed]
        if self.workers == 1:
            return dict(zip(listed, map(_call, asked), strict=True))
        with ProcessPoolExecutor(self.workers) as pool:
            return dict(zip(listed, pool.map(_call, asked), strict=True))

    def tabulate(
        self,
        simulate: Callable[..., dict[str, float]],
        headings: Sequence[str],
        cells: Sequence[tuple[float, ...]],
        repetitions: int,
        judged: tuple[str, str] | None = None,
    ) -> list[str]:
        """Write a table of shares, one row for each cell. `judged` is the name of a cell, and the share it demands."""
        found = self.ask(simulate, cells, repetitions)
        rows = []
        for cell, shares in found.items():
            rows.append([*(f"{number:g}" for number in cell), *shares.values()])
            if judged is not None:
                self.demands.at_least(judged[0].format(*cell), shares[judged[1]], of=repetitions)
        return write_table([*headings, *next(iter(found.values()))], rows, left=0)


def _call(asked: tuple[Callable[..., Any], Any, int, int]) -> Any:
    simulate, cell, repetitions, seed = asked
    return simulate(
        *(cell if isinstance(cell, tuple) else [cell]), repetitions=repetitions, seed=seed
    )


def write_table(
    headings: Sequence[str], rows: Iterable[Sequence[Any]], *, left: int = 1
) -> list[str]:
    """Write a table in Markdown, shares with three digits; the first `left` columns are texts."""
    lines = [f"| {' | '.join(headings)} |", "|" + "---|" * left + "--:|" * (len(headings) - left)]
    for row in rows:
        cells = [f"{each:.3f}" if isinstance(each, float) else str(each) for each in row]
        lines.append(f"| {' | '.join(cells)} |")
    return lines
