"""Size and time of installation of each extra, for the table of docs/install.md: `python -m tools.sizes`.

What the library itself needs is installed by pip into a new environment. Of each extra, only what comes in addition is
measured. pip takes packages from its cache if it has them, so that the seconds are those of unpacking and compiling.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterable, Sequence
from pathlib import Path

from tools.texts import ROOT, fill_region, make_table

EXTRAS = {
    "math": "mathematical answers, by Math-Verify",
    "text": "similarity of texts: BLEU, chrF, ROUGE",
    "judge": "a model as judge",
    "plot": "figures",
    "duckdb": "samples in DuckDB, Polars, Ibis",
    "spark": "samples in Spark, which also needs a JVM",
    "ray": "samples in Ray",
    "hub": "results on the Hub",
    "demo": "the pages in the browser",
}
"""Extra → what it is for. Those for contributors are not in the table."""


def measure(
    python: Path, folder: Path, packages: Sequence[str], *options: str
) -> tuple[float, float]:
    """Install packages into a folder, and return the seconds that it took and the megabytes that it holds."""
    if not packages:
        return 0.0, 0.0
    began = time.perf_counter()
    _pip(python, "install", "--target", str(folder), *options, *packages)
    seconds = time.perf_counter() - began
    return seconds, sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def list_new(python: Path, what: str, known: Iterable[str]) -> list[str]:
    """List the packages, with their versions, that something needs beside those that are known."""
    report = _pip(python, "install", "--dry-run", "--ignore-installed", "--report", "-", what)
    found = [
        (each["metadata"]["name"], each["metadata"]["version"])
        for each in json.loads(report)["install"]
    ]
    here = {"at-k", *known}
    return [
        f"{name}=={version}"
        for name, version in found
        if name not in here and f"{name}=={version}" not in here
    ]


def _pip(python: Path, *arguments: str) -> str:
    command = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def main() -> None:
    """Measure, and write the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        slim = measure(python, folder / "slim", ["numpy", "scipy"])
        at_k = measure(python, folder / "at_k", ["."], "--no-deps")
        base = list_new(python, ".", ())
        whole = measure(python, folder / "base", base, "--no-deps")
        rows = [
            ("`pip install numpy scipy`", "", *_show(*slim)),
            ("`pip install --no-deps .` beside them", "functions of arrays", *_show(*at_k)),
            ("`pip install .`", "files, reports, the modules, the command", *_show(*whole)),
        ]
        for extra, purpose in EXTRAS.items():
            more = list_new(python, f".[{extra}]", base)
            found = measure(python, folder / extra, more, "--no-deps")
            rows.append((f"`.[{extra}]`", purpose, *(f"+ {each}" for each in _show(*found))))
            print(*rows[-1], flush=True)
    page = ROOT / "docs" / "install.md"
    table = make_table(("what", "for", "MB", "seconds"), rows)
    text = (
        f"{time.strftime('%Y-%m-%d')}, Python {'.'.join(map(str, sys.version_info[:2]))}, Linux, "
    )
    text += f"{os.cpu_count()} cores that other work shared:\n\n{table}"
    page.write_text(
        fill_region(page.read_text(encoding="utf-8"), "sizes", text, page), encoding="utf-8"
    )


def _show(seconds: float, megabytes: float) -> tuple[str, str]:
    return f"{megabytes:.0f}" if megabytes >= 1 else f"{megabytes:.1f}", f"{seconds:.0f}"


if __name__ == "__main__":
    main()
