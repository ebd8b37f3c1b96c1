"""Run the tests on every version of Python that the package allows: `python -m tools.matrix`.

A last run has the oldest Python and the oldest version that setup.cfg allows of each package. Chromium is not needed:
the tests that use a browser, and those that install the Spaces, are left out.
"""

import configparser
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from tools import environments
from tools.maintenance import FOLDER, find_commit, run_tests, summarise

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = ROOT / "build" / "matrix"

OLDEST = "oldest"
"""The name of the run with the oldest packages."""

WITHOUT = "not browser and not spaces"
"""The tests of a run, as a marker expression."""


def versions() -> list[str]:
    """Return the versions of Python that the classifiers in setup.cfg name, oldest first."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    return re.findall(
        r"^Programming Language :: Python :: (3\.\d+)$",
        setup["metadata"]["classifiers"],
        re.MULTILINE,
    )


def find_python(version: str) -> Path | None:
    """Return an interpreter of a version such as "3.12", or None if there is none here.

    The variable PYTHONS is searched first: interpreters, or folders that have them, separated as in PATH. Then come
    PATH, and what pyenv has installed but not put on it.
    """
    name = f"python{version}"
    places = [Path(place) for place in os.environ.get("PYTHONS", "").split(os.pathsep) if place]
    candidates = [place / name if place.is_dir() else place for place in places]
    candidates += [
        Path(place, name) for place in os.environ.get("PATH", "").split(os.pathsep) if place
    ]
    candidates += sorted(_pyenv().glob(f"versions/{version}.*/bin/{name}"), reverse=True)
    return next((candidate for candidate in candidates if _is_python(candidate, version)), None)


def _pyenv() -> Path:
    """Return the folder of pyenv, which need not exist."""
    if "PYENV_ROOT" in os.environ:
        return Path(os.environ["PYENV_ROOT"])
    command = shutil.which("pyenv")
    return Path.home() / ".pyenv" if command is None else Path(command).resolve().parent.parent


def _is_python(candidate: Path, version: str) -> bool:
    """Return whether a file is an interpreter of a version. A shim of pyenv exists also where it does not run."""
    if not candidate.is_file():
        return False
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    said = subprocess.run(
        [candidate, "-c", code], capture_output=True, text=True, check=False
    ).stdout
    return said.strip() == version


def run(name: str, tests: list[str]) -> dict[str, int | str]:
    """Run the tests in a new environment, and return how many passed, failed and were skipped, or a `fault`."""
    version = versions()[0] if name == OLDEST else name
    python = find_python(version)
    if python is None:
        return {
            "fault": f"there is no Python {version} here: install it, or name it in the variable PYTHONS"
        }
    try:
        made = environments.create(
            ENVIRONMENTS / name,
            ["--editable", f"{ROOT}[test]"],
            python=python,
            oldest=name == OLDEST,
        )
    except RuntimeError as error:
        return {"fault": str(error)}
    parallel = run_tests(made, "--numprocesses=auto", "-m", f"{WITHOUT} and not alone", *tests)
    alone = run_tests(made, "-m", f"{WITHOUT} and alone", *tests)
    return {kind: parallel[kind] + alone[kind] for kind in parallel}


def read_runs() -> dict[str, dict[str, int | str]]:
    """Return the runs of all tests in the last summary, each with its commit: `--only` makes one of them anew."""
    path = FOLDER / "matrix.json"
    summary = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"counts": {}}
    if any(
        text.startswith("all tests") for text in summary["counts"].get("left_out", ["all tests"])
    ):
        return {}
    return {
        name: {"commit": summary["commit"], **each}
        for name, each in summary["counts"]["runs"].items()
    }


def main(
    tests: Annotated[
        list[str] | None, typer.Argument(help="Tests to run instead of all, as for pytest.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help=f"A version of Python, or `{OLDEST}`; repeatable.")
    ] = None,
) -> None:
    """Run the tests on every version of Python, and with the oldest packages.

    The tests that use a browser, and those that install the Spaces, are left out. No interpreter is downloaded: a
    missing one is reported, and fails the run. With `--only`, the other runs of the last summary stay, with the commit
    of each.
    """
    known = [*versions(), OLDEST]
    if unknown := [name for name in only or () if name not in known]:
        raise typer.BadParameter(f"`only` must be one of {', '.join(known)}; got {unknown[0]!r}")
    results = read_runs() if only and not tests else {}
    with summarise("matrix") as counts:
        for name in only or known:
            print(f"\n=== {name}", flush=True)
            start, commit = perf_counter(), find_commit()
            results[name] = run(name, tests or []) | {
                "commit": commit,
                "seconds": round(perf_counter() - start),
            }
        failed = [name for name, each in results.items() if each.get("failed") or "fault" in each]
        left_out = [f"run {name}" for name in known if name not in results]
        left_out += [f"all tests but {' '.join(tests)}"] if tests else []
        counts.update(failed=len(failed), runs=results, left_out=left_out)
    print()
    for name, each in results.items():
        print(f"{name:8}{', '.join(f'{kind}: {value}' for kind, value in each.items())}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    typer.run(main)
