"""Distributions of a release: `python -m tools.release` builds them into dist/, checks and tries them.

It uploads nothing, and ends with what is left to do. It refuses where a maintenance command has not been run, or not
since the last release (`tools/maintenance.py`).
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import at_k
from tools.maintenance import FOLDER, list_overdue
from tools.translations import list_missing

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"

SMOKE = "import at_k; print(at_k.__version__, at_k.score({'grades': [[1, 0, 1, 1]]}, metrics='pass@2').values)"
"""Commands that must work where only the wheel is installed."""


def build(folder: Path) -> list[Path]:
    """Build the source distribution, and the wheel from it, and check what their pages on the index will show."""
    shutil.rmtree(folder, ignore_errors=True)
    _run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    made = sorted(folder.iterdir())
    _run(sys.executable, "-m", "twine", "check", "--strict", *made)
    return made


def try_wheel(wheel: Path, folder: Path) -> str:
    """Install a wheel into a new environment, and return what it prints there."""
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    _run(folder / "venv" / "bin" / "at-k", "--version")
    return _run(python, "-c", SMOKE, cwd=folder)


def list_left(version: str, changelog: str, status: str) -> list[str]:
    """List what is left to do before a version is published, and then the commands that publish it."""
    newest = re.search(r"^## (\S+)", changelog, re.MULTILINE)
    left = []
    if newest is None or newest[1] != version:
        left.append(f"CHANGELOG.md must begin with {version}, the version of the package")
    if status:
        left.append("Commit what is not committed: the distributions hold it")
    return [
        *left,
        f"git tag v{version} && git push origin v{version}",
        f"python -m twine upload dist/at_k-{version}*",
        "make spaces PUSH=organization, if the Spaces are to have this version, too",
    ]


def _run(*command: str | Path, cwd: Path = ROOT) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} fails:\n{done.stdout}{done.stderr}")
    return done.stdout


def refuse_overdue(root: Path = ROOT) -> str:
    """Return the changelog, or exit where a maintenance command is overdue."""
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if overdue := list_overdue(changelog, root / FOLDER.relative_to(ROOT)):
        sys.exit("\n".join(["Not released:", *(f"- {each}" for each in overdue)]))
    return changelog


def main() -> None:
    """Build, check and try the distributions, and print what is left to do."""
    changelog = refuse_overdue()
    made = build(DIST)
    with tempfile.TemporaryDirectory() as folder:
        (wheel,) = (path for path in made if path.suffix == ".whl")
        printed = try_wheel(wheel, Path(folder))
    for path in made:
        print(f"{path.relative_to(ROOT)}, {path.stat().st_size / 1e6:.1f} MB")
    print(f"installed alone: {printed}What is left to do:")
    for each in list_left(at_k.__version__, changelog, _run("git", "status", "--porcelain")):
        print(f"- {each}")
    if missing := list_missing():
        print("Shown in English to readers of Chinese:", *missing, sep="\n- ")


if __name__ == "__main__":
    main()
