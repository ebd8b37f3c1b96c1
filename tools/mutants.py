"""Measure what the tests of a room notice: `python -m tools.mutants [ROOMS] [--sample 40]`, by mutmut.

A mutant is a function with one small fault. mutmut records which tests call each function, and tries a mutant by those
tests, in a copy of the tree. A mutant that they let pass survives, and is printed: `mutmut show NAME` in
`build/mutants/ROOM` shows it. mutmut does not record what runs in processes that a test starts, such as the supervisor
of programs: such functions count as unseen.
"""

import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from tools.maintenance import run_git, summarise

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "mutants"

SAMPLE = 40
"""Mutants of each room in a whole run. `--seed` chooses others."""

SURVIVED, UNSEEN = 0, 33
"""Exit codes that mutmut keeps of a mutant; others mean that a test noticed it."""

CONFIGURATION = """
[mutmut]
source_paths = at_k
only_mutate = {mutated}
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args =
    -p
    no:cacheprovider
    -m
    not alone and not browser
also_copy =
{others}
"""


def list_rooms(root: Path = ROOT) -> list[str]:
    """List the folders of the library that have tests of the same name."""
    return sorted(
        path.name for path in (root / "tests").iterdir() if (root / "at_k" / path.name).is_dir()
    )


def copy_tree(room: str, root: Path = ROOT, build: Path = BUILD) -> Path:
    """Copy the files that git tracks, with mutmut's configuration for a room."""
    folder = build / room
    shutil.rmtree(folder, ignore_errors=True)
    for name in run_git("ls-files").splitlines():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, place)
    others = sorted({path.name for path in folder.iterdir()} - {"at_k", "tests", "setup.cfg"})
    text = CONFIGURATION.format(
        mutated=f"at_k/{room}/*",
        tests=f"tests/{room}",
        others="\n".join(f"    {name}" for name in others),
    )
    with (folder / "setup.cfg").open("a", encoding="utf-8") as file:
        file.write(text)
    return folder


def read_results(folder: Path) -> dict[str, int | None]:
    """Return the exit code of each mutant, None for one that was not tried."""
    results: dict[str, int | None] = {}
    for path in (folder / "mutants" / "at_k").rglob("*.meta"):
        results |= json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
    return results


def measure(room: str, sample: int, seed: int) -> dict[str, int]:
    """Try a random sample of the mutants of a room, and return the exit code of each."""
    folder = copy_tree(room)
    command = [sys.executable, "-m", "mutmut", "run"]
    # The name of no mutant: mutmut makes all of them, records the tests, and tries none.
    subprocess.run([*command, "none"], cwd=folder, check=False, capture_output=True)
    names = sorted(read_results(folder))
    chosen = random.Random(seed).sample(names, min(sample, len(names)))
    if not chosen:
        sys.exit(f"mutmut makes no mutants of {room}: run it in {folder}")
    subprocess.run([*command, *chosen], cwd=folder, check=True)
    results = read_results(folder)
    return {name: code for name in chosen if (code := results[name]) is not None}


def list_left_out(rooms: list[str], sample: int) -> list[str]:
    """List what a run has left out."""
    missing = sorted({*list_rooms()} - {*rooms})
    left_out = [f"all rooms but {', '.join(rooms)}"] if missing else []
    if sample < SAMPLE:
        left_out.append(f"all but {sample} mutants of a room, not {SAMPLE}")
    return left_out


def run(
    rooms: Annotated[
        list[str] | None, typer.Argument(help="Folders of at_k; by default all.")
    ] = None,
    sample: Annotated[int, typer.Option(help="Mutants of each room, chosen at random.")] = SAMPLE,
    seed: Annotated[int, typer.Option(help="The seed of the choice.")] = 0,
) -> None:
    """Print the mutants that the tests let pass, and the share of those that they notice."""
    chosen = rooms or list_rooms()
    found: dict[str, tuple[int, int]] = {}
    survived: list[str] = []
    total: Counter[int] = Counter()
    with summarise("mutants", "pytest", "mutmut") as counts:
        for room in chosen:
            codes = measure(room, sample, seed)
            total.update(codes.values())
            missed = sorted(name for name, code in codes.items() if code in (SURVIVED, UNSEEN))
            survived += missed
            found[room] = (len(codes) - len(missed), len(codes))
            typer.echo(f"{room}: {found[room][0]} of {found[room][1]} noticed")
        counts.update(
            tried=total.total(), unseen=total[UNSEEN], survived=survived, rooms=found, failed=0
        )
        counts.update(sample=sample, seed=seed, left_out=list_left_out(chosen, sample))
    typer.echo("\n".join(["", *survived]))


if __name__ == "__main__":
    typer.run(run)
