"""Summaries of the maintenance commands, one file each in benchmarks/maintenance/, which `make release` asks for.

`python -m tools.maintenance engines tests/engines` runs tests and writes the summary of `make engines`.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "benchmarks" / "maintenance"
COMMANDS = ("engines", "matrix", "mutants", "integrations", "bench", "coverage")
"""The commands of the Makefile that write a summary."""

PACKAGES = ("at-k", "numpy", "scipy", "pyarrow", "evaluate", "datasets")
OF_ENGINES = ("duckdb", "polars", "ibis-framework", "narwhals", "ray", "pyspark", "moto")


@contextmanager
def summarise(command: str, *packages: str, folder: Path = FOLDER) -> Iterator[dict[str, Any]]:
    """Write the summary of a command when its run has come to its end, whatever it found.

    Args:
        command: one of `COMMANDS`.
        packages: further packages whose versions the summary states.
        folder: where the summary is written.

    Yields:
        The counts, which the command fills in. `failed` says how much of it failed, and `left_out` what a partial run
        has left out; each must be there.
    """
    counts: dict[str, Any] = {}
    start, commit = perf_counter(), find_commit()
    yield counts
    summary = {
        "command": f"make {command}",
        "date": f"{date.today()}",
        "commit": commit,
        "versions": {"python": platform.python_version(), **list_versions(*PACKAGES, *packages)},
        "counts": counts,
        "seconds": round(perf_counter() - start),
    }
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
    (folder / f"{command}.json").write_text(text, encoding="utf-8")


def find_commit() -> str:
    """Return the commit of the tree, with "+" if files of it were changed, but for what these commands write."""
    changed = run_git(
        "status", "--porcelain", "--untracked-files=no", "--", ":!benchmarks/maintenance", ":!docs"
    )
    return (run_git("rev-parse", "--short", "HEAD") or "unknown") + "+" * bool(changed)


def run_git(*arguments: str) -> str:
    """Return what git prints, or nothing where it fails."""
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def list_versions(*packages: str) -> dict[str, str]:
    """Return the version of each package that is installed."""
    found = {}
    for name in packages:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def run_tests(python: str | Path, *arguments: str) -> dict[str, int]:
    """Run pytest, and count how many tests passed, failed and were skipped; nothing passes in a run that breaks off."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "tests.xml")
        done = subprocess.run(
            [python, "-m", "pytest", f"--junitxml={report}", *arguments], cwd=ROOT, check=False
        )
        if not report.exists():
            return {"passed": 0, "failed": 1, "skipped": 0}
        suites = ET.parse(report).getroot().findall("testsuite")
    tests, errors, failures, skipped = (
        sum(int(suite.get(name, 0)) for suite in suites)
        for name in ("tests", "errors", "failures", "skipped")
    )
    failed = errors + failures or int(done.returncode not in (0, 5))  # 5: no test was chosen
    return {"passed": tests - errors - failures - skipped, "failed": failed, "skipped": skipped}


def list_overdue(changelog: str, folder: Path = FOLDER) -> list[str]:
    """List the commands whose summary is missing, of a partial or failed run, or older than the last release.

    The last release is the second heading of the changelog, since the first is that of the version to be released.
    """
    dates = re.findall(r"^## \S+ — (\d{4}-\d\d-\d\d)$", changelog, re.MULTILINE)
    last = dates[1] if len(dates) > 1 else ""
    overdue = []
    for command in COMMANDS:
        path = folder / f"{command}.json"
        if not path.exists():
            overdue.append(f"make {command} has written no summary: run it, and commit {path.name}")
            continue
        summary = json.loads(path.read_text(encoding="utf-8"))
        counts = summary["counts"]
        left_out = counts.get("left_out", ["the summary does not say that nothing was left out"])
        if summary["date"] < last:
            overdue.append(
                f"make {command} ran last on {summary['date']}, before the last release: run it again"
            )
        elif counts.get("failed", 1):
            overdue.append(
                f"make {command} failed on {summary['date']}: mend what fails, and run it again"
            )
        elif left_out:
            overdue.append(
                f"make {command} left out on {summary['date']}: {'; '.join(left_out)}. Run all of it"
            )
    return overdue


def list_left_out(command: str, tests: Sequence[str], skipped: int) -> list[str]:
    """List what a run of the tests of a command has left out."""
    left_out = [] if list(tests) == [f"tests/{command}"] else [f"all tests but {' '.join(tests)}"]
    return left_out + [f"tests skipped: {skipped}"] * (skipped > 0)


def main(command: str, *tests: str) -> None:
    """Run tests, write the summary of a command, and exit with 1 if a test fails."""
    with summarise(command, *OF_ENGINES) as counts:
        counts.update(run_tests(sys.executable, *tests))
        counts["left_out"] = list_left_out(command, tests, counts["skipped"])
    sys.exit(int(counts["failed"] > 0))


if __name__ == "__main__":
    main(*sys.argv[1:])
