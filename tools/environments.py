"""Make a virtual environment by uv: `python -m tools.environments FOLDER --python PATH REQUIREMENT...`.

uv takes the packages from where pip takes them: it does not read the settings of pip itself.
"""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

_OPTIONS = {
    "index-url": "--index-url",
    "extra-index-url": "--extra-index-url",
    "find-links": "--find-links",
}
"""Settings of pip → options of uv that say the same of each of their values."""


def create(
    folder: Path,
    requirements: Sequence[str | Path],
    *,
    python: Path | str = sys.executable,
    oldest: bool = False,
    alone: bool = False,
) -> Path:
    """Make a virtual environment with some packages, and return its Python.

    Args:
        folder: its folder, which is replaced.
        requirements: what to install, as on the command line of pip.
        python: the interpreter.
        oldest: take the oldest version that is allowed of each package that is named, and not the newest.
        alone: install what is named alone, beside the packages of this Python, of which none is installed again.

    Raises:
        RuntimeError: if a package cannot be installed, with what uv says.
    """
    made = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    _uv("venv", "--quiet", "--clear", "--no-python-downloads", "--python", python, folder)
    options = (["--resolution", "lowest-direct"] if oldest else []) + (
        ["--no-deps"] if alone else []
    )
    install(made, [*options, *requirements])
    if alone:
        (site,) = folder.glob("lib/python*/site-packages")
        (site / "others.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return made


def install(python: Path, arguments: Sequence[str | Path], *, cwd: Path | None = None) -> None:
    """Install packages into the environment of a Python, with the arguments of `pip install`."""
    _uv("pip", "install", "--quiet", "--python", python, *index_options(), *arguments, cwd=cwd)


def index_options() -> list[str]:
    """Return the options with which uv finds the packages that pip finds, by the settings that pip has here."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    options = ["--index-strategy", "unsafe-best-match"]  # the best version of all indexes, as pip
    # Where there is no pip, there are no settings of pip either.
    for line in subprocess.run(
        command, check=False, capture_output=True, text=True
    ).stdout.splitlines():
        setting, _, value = line.partition("=")
        name = setting.rpartition(".")[2]
        if name in _OPTIONS:
            for each in value.strip("'\"").replace(r"\n", " ").split():
                options += [_OPTIONS[name], each]
        elif name == "no-index" and value.strip("'\"").lower() in ("1", "true", "yes", "on"):
            options.append("--no-index")
    return options


def _uv(*arguments: str | Path, cwd: Path | None = None) -> None:
    try:
        from uv import find_uv_bin
    except ImportError as error:
        raise RuntimeError("uv is missing: install the extra `test`") from error
    done = subprocess.run(
        [find_uv_bin(), *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"uv {arguments[0]} fails:\n{done.stderr}")


def main(
    folder: Annotated[Path, typer.Argument(help="The folder of the environment; it is replaced.")],
    requirements: Annotated[list[str], typer.Argument(help="What to install.")],
    python: Annotated[str, typer.Option(help="The interpreter.")] = sys.executable,
    alone: Annotated[
        bool, typer.Option("--alone", help="Take what they need from the packages of this Python.")
    ] = False,
) -> None:
    """Make a virtual environment and print its Python."""
    print(create(folder, requirements, python=python, alone=alone))


if __name__ == "__main__":
    typer.run(main)
