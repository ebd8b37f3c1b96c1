"""Simulate the whole grid: `python -m benchmarks.coverage`."""

from __future__ import annotations

import os
import re
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import typer

from benchmarks.coverage import LEVEL, MEANS, Simulation, deciding, equal, others
from benchmarks.coverage.intervals import (
    Found,
    list_population_cells,
    simulate_population,
    write_section,
    write_summary,
)
from tools.maintenance import summarise

DOCS = Path(__file__).parent.parent.parent / "docs"
REPETITIONS, SLOW = 4000, 100
"""Data sets of each cell in a whole run, and those of what takes long, a multiple of 10."""


def draw(found: list[Found], file: Path) -> None:
    """Draw the coverage of every cell against the number of problems, one panel for each method."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    methods = list(found[0].coverage)
    figure, axes = plt.subplots(
        1, len(methods), figsize=(3 * len(methods), 3), sharey=True, layout="constrained"
    )
    colours = dict(
        zip(MEANS, plt.get_cmap("viridis")(np.linspace(0, 0.9, len(MEANS))), strict=True)
    )
    for axis, method in zip(axes, methods, strict=True):
        for position, (mean, colour) in enumerate(colours.items()):
            own = [each for each in found if each.cell.mean == mean]
            at = [each.cell.problems * 1.06 ** (position - 2) for each in own]
            axis.scatter(
                at, [each.coverage[method] for each in own], s=6, color=colour, label=f"{mean:g}"
            )
        axis.axhline(LEVEL, color="black", linewidth=0.8)
        axis.set(title=method, xscale="log", xlabel="problems", ylim=(0, 1.02))
    axes[0].set_ylabel("coverage")
    axes[-1].legend(title="mean difficulty", fontsize="small")
    figure.savefig(file, dpi=110)
    plt.close(figure)


def write(section: list[str], file: Path) -> None:
    """Replace the text between the comments in the document."""
    text = file.read_text(encoding="utf-8")
    body = "\n".join(["<!-- coverage -->", *section, "<!-- /coverage -->"])
    file.write_text(
        re.sub(r"<!-- coverage -->.*<!-- /coverage -->", lambda _: body, text, flags=re.DOTALL),
        encoding="utf-8",
    )


def list_left_out(repetitions: int, slow: int) -> list[str]:
    """List what a run with fewer data sets has left out."""
    fewer = repetitions < REPETITIONS or slow < SLOW
    return [f"data sets: {repetitions} and {slow} of {REPETITIONS} and {SLOW}"] if fewer else []


def main(
    repetitions: int = REPETITIONS,
    slow: int = SLOW,
    seed: int = 0,
    workers: int = os.cpu_count() or 1,
) -> None:
    """Simulate the whole grid, and write the tables and the picture of docs/coverage.md.

    A figure that misses its demand is named in the tables, and ends with status 1.
    """
    simulation = Simulation(slow, seed, workers)
    with summarise("coverage") as counts:
        population = list(
            simulation.ask(simulate_population, list_population_cells(), repetitions).values()
        )
        said = [
            *write_section(population, repetitions, simulation),
            "",
            *others.write_section(simulation),
            "",
            *equal.write_section(simulation),
            "",
            *deciding.write_section(simulation),
        ]
        found = simulation.demands.missed
        missed = [f"- {each}" for each in found] or ["None."]
        made = f"Simulated with version {version('at-k')} of at-k, seed {seed}."
        said = [made, "", "## Demands that are not met", "", *missed, "", *said]
        draw(population, DOCS / "coverage.png")
        write(said, DOCS / "coverage.md")
        write(write_summary(population, repetitions), DOCS / "uncertainty.md")
        print("\n".join(said))
        counts.update(
            cells=len(population), repetitions=repetitions, slow=slow, seed=seed, workers=workers
        )
        counts.update(missed=found, failed=0, left_out=list_left_out(repetitions, slow))
    if found:
        sys.exit("\n".join(["Demands that are not met:", *missed]))


if __name__ == "__main__":
    typer.run(main)
