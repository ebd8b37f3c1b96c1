"""The Hugging Face Spaces: the collection, and one for each metric and comparison, each complete in itself.

`python -m tools.spaces` writes them to build/spaces; with the name of an organization it uploads them there, too.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import typer
from huggingface_hub import HfApi

import at_k
from at_k.family import COMPARISONS, module_path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "spaces"
COLLECTION = "collection"
MODULES = (*at_k.METRICS, *COMPARISONS)
SPACES = (COLLECTION, *MODULES)
CARDS = ("README.md", "README.zh.md")

Parts = dict[str, str]
"""Files and whole folders: their places in a Space → in this project."""

_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?\[([^\]]*)\])\((?!\w+:|#)([^)#]*)(#[^)]*)?\)")


def parts(space: str) -> Parts:
    """Return the parts of a Space."""
    library = {"at_k": "at_k", "LICENSE": "LICENSE"}
    if space == COLLECTION:
        own = (
            *CARDS,
            "app.py",
            "requirements.txt",
            "metrics",
            "comparisons",
            "examples/data",
            "docs",
        )
        return library | {name: name for name in own}
    # The library finds the cards, the modules and the data inside itself, as when it is installed.
    folders = {name: module_path(name).relative_to(ROOT).as_posix() for name in MODULES}
    modules = (
        f"{folder}/{file}" for name, folder in folders.items() for file in (*CARDS, f"{name}.py")
    )
    inside = {f"at_k/{file}": file for file in modules}
    return {".": folders[space]} | library | inside | {"at_k/demo/data": "examples/data"}


def build(space: str, folder: Path) -> None:
    """Write a Space to a folder, and replace its content."""
    copy_parts(parts(space), folder)


def copy_parts(contents: Parts, folder: Path) -> None:
    """Write files to a folder, and replace its content. Links in documents lead to the new places."""
    if folder.exists():
        shutil.rmtree(folder)
    for place, source in _files(contents):
        content = source.read_bytes()
        if place.suffix == ".md":
            content = _linked(content.decode(), place, source, contents).encode()
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_bytes(content)


def push(space: str, folder: Path, organization: str, api: HfApi) -> str:
    """Upload a Space that was built, and return its name. What only an earlier upload had is deleted there."""
    name = f"{organization}/{'at-k' if space == COLLECTION else space}"
    api.create_repo(name, repo_type="space", space_sdk="gradio", exist_ok=True)
    api.upload_folder(
        repo_id=name,
        repo_type="space",
        folder_path=folder,
        delete_patterns="*",
        commit_message=f"at-k {at_k.__version__}",
    )
    return name


def _files(contents: Parts) -> Iterator[tuple[PurePosixPath, Path]]:
    """Every file: its place in the Space, and where it is. What Python and Gradio write beside them stays here."""
    for place, source in contents.items():
        path = ROOT / source
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            gradio = file.suffix == ".pyi" and file.name != "__init__.pyi"
            if file.is_file() and "__pycache__" not in file.parts and not gradio:
                yield PurePosixPath(place) / file.relative_to(path), file


def _linked(text: str, place: PurePosixPath, source: Path, contents: Parts) -> str:
    """A document whose links lead to the same files as before; a link to what the Space does not have is its text."""

    def moved(link: re.Match[str]) -> str:
        label, plain, path, anchor = link.groups(default="")
        target = (source.parent / path).resolve()
        for new, old in contents.items():
            if target.is_relative_to(ROOT / old):
                there = PurePosixPath(new) / target.relative_to(ROOT / old)
                return f"{label}({os.path.relpath(there, place.parent)}{anchor})"
        return plain

    pieces = _FENCED.split(text)
    pieces[::2] = [_LINK.sub(moved, piece) for piece in pieces[::2]]
    return "".join(pieces)


def main(
    organization: str = typer.Argument(
        "", help="Where to upload the Spaces; nowhere, if it is not given."
    ),
) -> None:
    """Build the Spaces, and upload them."""
    for space in SPACES:
        folder = BUILD / space
        build(space, folder)
        print(f"built {folder.relative_to(ROOT)}")
    if organization:
        for space in SPACES:
            print(f"uploaded {push(space, BUILD / space, organization, HfApi())}")


if __name__ == "__main__":
    typer.run(main)
