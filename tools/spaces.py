"""The Hugging Face Spaces: the collection, and one for each metric and comparison, each complete in itself.

`python -m tools.spaces` writes them to build/spaces, as they are read in a clone; with the name of an organization, as
they are read on the Hub, and uploads them there.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import typer
from huggingface_hub import HfApi

import at_k
from at_k.family import COMPARISONS, FAMILY, module_path, name_class
from at_k.module import describe_inputs
from at_k.options.registry import COLUMNS, OPTIONS
from tools.inlining import Source, inline, is_own

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "spaces"
COLLECTION = "collection"
MODULES = (*at_k.METRICS, *COMPARISONS)
SPACES = (COLLECTION, *MODULES)
CARDS = ("README.md", "README.zh.md")

# What pip needs to install a Space, or a clone of one.
PACKAGING = ("setup.py", "setup.cfg", "pyproject.toml")

# The file beside a metric's module that computes where at-k is not installed, and its source.
STANDALONE = "standalone.py"

# Files and whole folders: their places in a Space → in this project.
Parts = dict[str, str]

_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?\[([^\]]*)\])\((?!\w+:|#)([^)#]*)(#[^)]*)?\)")
INSTALL = re.compile(r"(?<=<!-- install -->\n).*?(?=<!-- /install -->)", re.DOTALL)
_LOADED = re.compile(r"(?<=[\"'])(?:metrics|comparisons)/(\w+)(?=[\"'])")
_IN_A_CLONE = re.compile(r"  # in a clone$", re.MULTILINE)
_EXTRA = re.compile(r'pip install "\.\[(\w+)\]"')

# How a module ends that computes without the library: where the library is, its own module takes over.
_HAND_OVER = """

# Where at-k is installed, its module takes over, which has every option.
try:
    from at_k.family import load_class
except ImportError:
    pass
else:
    {class_name} = load_class("{name}")
    {class_name}.__module__ = __name__  # a pickle looks for the class here
"""


@dataclass(frozen=True)
class Home:
    """The place where Spaces are read: an organization of the Hub, or a clone of each.

    Attributes:
        organization: its name; "" for a clone.
        host: the address of all Spaces.
    """

    organization: str = ""
    host: str = "https://huggingface.co/spaces"

    def name(self, space: str) -> str:
        """Return the name of a Space on the Hub."""
        return f"{self.organization}/{'at-k' if space == COLLECTION else space}"

    def package(self, space: str) -> str:
        """Return what pip installs at-k from."""
        return f"git+{self.host}/{self.name(space)}" if self.organization else "."

    def load(self, module: str, space: str) -> str:
        """Return the name by which `evaluate.load` finds a module for a reader of a Space."""
        if self.organization:
            return f"{self.organization}/{module}"
        if module == space:
            return f"{module}.py"
        return module_path(module).relative_to(ROOT).as_posix()


def parts(space: str) -> Parts:
    """Return the parts of a Space."""
    library = {name: name for name in ("at_k", "LICENSE", *PACKAGING)}
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
    modules = [
        f"{folder}/{file}" for name, folder in folders.items() for file in (*CARDS, f"{name}.py")
    ]
    modules = [file for file in modules if (ROOT / file).is_file()]  # a translation may be missing
    inside = {f"at_k/{file}": file for file in modules}
    return {".": folders[space]} | library | inside | {"at_k/demo/data": "examples/data"}


def build(space: str, folder: Path, home: Home = Home()) -> None:
    """Write a Space to a folder, and replace its content."""
    copy_parts(parts(space), folder)
    if home.organization:
        errors = folder / "at_k" / "errors.py"
        text = errors.read_text(encoding="utf-8")
        text = text.replace('PACKAGE = "."', f'PACKAGE = "{home.package(space)}"')
        errors.write_text(text, encoding="utf-8")
    if space == COLLECTION:
        return
    for place in (folder, folder / "at_k" / module_path(space).relative_to(ROOT)):
        for card in place.glob("README*.md"):
            text = card.read_text(encoding="utf-8")
            card.write_text(write_card(text, space, home), encoding="utf-8")
    module = folder / f"{space}.py"
    text = module.read_text(encoding="utf-8")
    if space in FAMILY:
        alone = write_standalone(space, text, home)
        (folder / STANDALONE).write_text(alone, encoding="utf-8")
        text = hand_over(space, text, home)
    else:
        text = name_package(text, home.package(space))
    module.write_text(text, encoding="utf-8")


def write_card(text: str, space: str, home: Home) -> str:
    """Write a card as its Space has it: how at-k is installed from there, and how the modules are loaded."""
    package = home.package(space)
    text = INSTALL.sub(f"```bash\npip install {package}\n```\n", text)
    if home.organization:
        text = _IN_A_CLONE.sub("", text)
        text = _EXTRA.sub(rf'pip install "at-k[\1] @ {package}"', text)
    return _LOADED.sub(lambda found: home.load(found[1], space), text)


def hand_over(name: str, text: str, home: Home) -> str:
    """Write the module of a metric so that it takes what it needs from the file beside it, or from at-k.

    `evaluate` refuses a module that imports a package that is missing, and fetches what is imported by a relative
    import that begins a line.
    """
    nodes = _find_imports(text)
    lines = text.splitlines(keepends=True)
    names = sorted(alias.name for node in nodes for alias in node.names)
    for node in reversed(nodes):
        del lines[node.lineno - 1 : node.end_lineno]
    listed = "".join(f"    {name},\n" for name in names)
    stem = STANDALONE.removesuffix(".py")
    lines.insert(nodes[0].lineno - 1, f"from .{stem} import (\n{listed})\n")
    ending = _HAND_OVER.format(name=name, class_name=name_class(name))
    return _LOADED.sub(lambda found: home.load(found[1], name), "".join(lines)) + ending


def write_standalone(name: str, text: str, home: Home) -> str:
    """Write the file beside a metric's module: what the module imports from the library, and all that this needs."""
    metric = FAMILY[name]
    front = Source("tools.standalone", (ROOT / "tools" / STANDALONE).read_text(encoding="utf-8"))
    roots = {}
    for node in _find_imports(text):
        for alias in node.names:
            place = front.name if alias.name in front.definitions else str(node.module)
            roots[alias.name] = place
    constants = {
        "INPUTS": repr(describe_inputs(name, "{examples}")),
        "COLUMNS": repr(tuple(each for each in metric.arguments if each in COLUMNS)),
        "DEFAULTS": repr({each: OPTIONS[each].default for each in metric.options}),
        "INSTALL": repr(f"pip install {home.package(name)}"),
    }
    return inline(front, [(place, each) for each, place in roots.items()], constants)


def name_package(text: str, package: str) -> str:
    """Write a module that needs at-k so that `evaluate` says how to install it."""
    lines = text.splitlines(keepends=True)
    for node in _find_imports(text):
        lines[node.lineno - 1] = f"{lines[node.lineno - 1].rstrip()}  # From: {package}\n"
    return "".join(lines)


def _find_imports(text: str) -> list[ast.ImportFrom]:
    """Find the imports from the library in a module."""
    return [
        node for node in ast.parse(text).body if isinstance(node, ast.ImportFrom) and is_own(node)
    ]


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


def push(space: str, folder: Path, home: Home, api: HfApi) -> str:
    """Upload a Space that was built, and return its name. What only an earlier upload had is deleted there."""
    name = home.name(space)
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
    home = Home(organization)
    for space in SPACES:
        folder = BUILD / space
        build(space, folder, home)
        print(f"built {folder.relative_to(ROOT)}")
    if organization:
        for space in SPACES:
            print(f"uploaded {push(space, BUILD / space, home, HfApi())}")


if __name__ == "__main__":
    typer.run(main)
