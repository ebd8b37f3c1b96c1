"""Run the card of each metric's Space where its readers are: `python -m tools.clones FOLDER`.

Each Space is built into a repository of its own. In an environment with `evaluate` alone, its module computes. Then
what the card says to install is installed from the repository, and the Python blocks of the card run in an empty folder
beside a clone, where `evaluate.load("org/gpassk")` finds the module as it does on the Hub. Those of a Space that was
built without an organization run in a clone of it.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

import at_k
from tools import environments, spaces

STATEMENTS = Path(__file__).with_name("statements.py")
ORGANIZATION = "org"

# A call that each module answers without the library, and one that needs it.
_ALONE = """\
import sys
import evaluate
scores = {{"scores": [[3, 2, 1, 0]]}} if {name!r} == "best_at_k" else {{}}
module = evaluate.load("{organization}/{name}")
print(module.compute(predictions=[["a", "b", "a", "c"]], references=["a"], **scores))
assert "at_k" not in sys.modules
try:
    module.compute(predictions=[["a"]], references=["a"], confidence_level=0.95)
except ImportError as error:
    print(error)
"""


def publish(space: str, folder: Path, home: spaces.Home) -> None:
    """Build a Space into a repository, as one on the Hub is."""
    spaces.build(space, folder, home)
    _run("git", "init", "--quiet", cwd=folder)
    _run("git", "add", "--all", cwd=folder)
    author = ("-c", "user.name=at-k", "-c", "user.email=at-k@localhost")
    _run("git", *author, "commit", "--quiet", "--message", "Build", cwd=folder)


def clone(repository: Path, folder: Path) -> None:
    """Clone a repository into a folder that does not exist."""
    _run("git", "clone", "--quiet", repository, folder)


def try_alone(space: str, python: Path, folder: Path) -> str:
    """Compute with the module of a Space where the library is not installed, and return what is printed."""
    code = _ALONE.format(name=space, organization=ORGANIZATION)
    return _run(python, "-c", code, cwd=folder, env=_list_variables(folder))


def install(card: Path, python: Path) -> None:
    """Run the commands of a card that install."""
    text = card.read_text(encoding="utf-8")
    commands = re.findall(r"^pip install (.+)$", text, re.MULTILINE)
    if not commands:
        raise ValueError(f"{card} does not say how to install at-k")
    environments.install(python, shlex.split(commands[0], comments=True), cwd=card.parent)


def run_card(card: Path, python: Path, folder: Path) -> str:
    """Run a card from a folder, print how many blocks run as shown, and return what fails."""
    # The Chinese card has the same blocks.
    done = subprocess.run(
        (python, STATEMENTS, card.relative_to(folder)),
        cwd=folder,
        env=_list_variables(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    print(f"{folder.name}: {done.stdout.strip()}")
    return done.stderr if done.returncode else ""


def check(space: str, folder: Path, python: Path, host: Path) -> list[str]:
    """Check a Space of the host in an empty folder, and return what fails beside a clone and in one."""
    folder.mkdir()
    beside = folder / ORGANIZATION / space
    clone(host / ORGANIZATION / space, beside)
    install(beside / "README.md", python)
    inside = folder / f"clone of {space}"
    clone(host / "clones" / space, inside)
    return [
        run_card(beside / "README.md", python, folder),
        run_card(inside / "README.md", python, inside),
    ]


def _list_variables(folder: Path) -> dict[str, str]:
    """List the variables of a reader: none leads to this clone, or to a network."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("HF_", "PYTHON"))
    }
    cache = str(folder.parent / "cache")
    return kept | {"HF_HOME": cache, "HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}


def _run(*command: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Run a command, and return what it prints; what it says is the error if it fails."""
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} fails:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def main(
    folder: Annotated[Path, typer.Argument(help="The folder to work in; it is replaced.")],
) -> None:
    """Run the cards of the built Spaces in clones of these."""
    folder = folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    host = folder / "host"
    home = spaces.Home(ORGANIZATION, host.as_uri())
    python = environments.create(folder / "venv", ["evaluate"])
    for space in at_k.METRICS:
        publish(space, host / ORGANIZATION / space, home)
        publish(space, host / "clones" / space, spaces.Home())
        print(try_alone(space, python, host))
    faults = []
    for space in at_k.METRICS:
        faults += check(space, folder / space, python, host)
    print(*filter(None, faults), sep="\n", file=sys.stderr)
    raise typer.Exit(any(faults))


if __name__ == "__main__":
    typer.run(main)
