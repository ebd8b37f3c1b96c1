"""From what a user names to the files to read: one file, several, a folder, or a glob."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from glob import glob, has_magic
from os import PathLike, fspath
from os.path import exists
from pathlib import Path, PurePosixPath
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from urllib.parse import urlsplit
from weakref import finalize

from at_k.errors import Phrases
from at_k.validation import shorten

_say = Phrases(
    {
        "paths.text": "Text of JSON is taken for the name of a file. Give what it holds: `json.loads(text)`, or of "
        "lines `[json.loads(line) for line in lines]`.",
        "paths.none": "Give the path of at least one results file.",
        "paths.empty": "There are no files in the folder {folder}.",
        "paths.address": "{address} cannot be opened ({reason}). Check the address and the access to it, or copy the "
        "file here first.",
        "paths.special": "{file} is not a file, but a link to nothing, a pipe or a socket. Remove it, or name the "
        "files.",
        "paths.shards": "The folder {folder} must have each shard of {name} once; it has {found}. Bring those that are "
        "missing, or remove those of another copy.",
        "paths.beside": "The files in {folder} are parts of one table, and {file} is none of them. Give it as a path "
        "of its own.",
    }
)

Paths = str | PathLike[str] | Sequence[str | PathLike[str]]


def is_paths(data: object) -> bool:
    """Return whether data are the path of a file, or a list of paths.

    Examples:
        >>> is_paths("results.jsonl"), is_paths(["a.eval", "b.eval"]), is_paths([{"correct": [1]}])
        (True, True, False)
    """
    if isinstance(data, (str, PathLike)):
        return True
    return (
        isinstance(data, (list, tuple))
        and bool(data)
        and all(isinstance(path, (str, PathLike)) for path in data)
    )


def refuse_text(paths: Paths) -> None:
    """Raise if text of JSON is given in the place of a path."""
    first = paths[0] if isinstance(paths, (list, tuple)) and paths else paths
    if isinstance(first, str) and first.startswith(("{", "[{", "[[")):
        raise _say.error("paths.text")


def is_folder_or_glob(path: str | PathLike[str]) -> bool:
    """Return whether a path is a folder here, or a pattern of files."""
    refuse_text(path)
    text = fspath(path)
    return "://" not in text and (
        Path(path).is_dir() or (has_magic(text) and not Path(path).exists())
    )


def is_address(path: object) -> bool:
    """Return whether a path is the address of a file or a folder in a store: "s3://bucket/run.jsonl"."""
    is_of_web = isinstance(path, str) and path.startswith(("http://", "https://"))
    return isinstance(path, str) and "://" in path and not is_of_web


def is_of_shards(address: str) -> bool:
    """Return whether an address is that of Parquet in a store, which is counted batch by batch.

    Examples:
        >>> is_of_shards("s3://bucket/shards"), is_of_shards("s3://bucket/run.jsonl.gz")
        (True, False)
    """
    scheme, _, rest = address.partition("://")
    if scheme == "file":
        folder = to_path(address)
        if folder.is_dir():
            files = [file for file in folder.rglob("*") if file.is_file()]
        else:
            files = []
        named = [file for file in files if is_named_as_results(file)]
        return bool(named) and all(file.suffix == ".parquet" for file in named)
    endings = {ending.lower() for ending in PurePosixPath(rest).suffixes}
    return endings.isdisjoint(ENDINGS - {".parquet"})


def to_path(address: str) -> Path:
    """Return the path of a file on this machine.

    Examples:
        >>> to_path("file:///tmp/a%20b.jsonl").as_posix()
        '/tmp/a b.jsonl'
    """
    from urllib.request import url2pathname  # loads what speaks HTTP

    return Path(url2pathname(urlsplit(address).path))


# The copies that are held now, and what each is a copy of.
_ORIGINALS: dict[Path, str] = {}


class Copies:
    """A folder for copies of files in a store or an archive, which ends with this object."""

    def __init__(self) -> None:
        self.folder = Path(mkdtemp())
        finalize(self, _remove, self.folder)

    def name(self, copy: Path, original: str) -> None:
        """Let messages name a file or folder by what it is a copy of."""
        _ORIGINALS[copy] = original


def _remove(folder: Path) -> None:
    for copy in list(_ORIGINALS):
        if copy.is_relative_to(folder):
            del _ORIGINALS[copy]
    rmtree(folder, ignore_errors=True)


def spell_path(file: Path) -> str:
    """Spell the path of a file; of a copy, that of what it was copied from."""
    for copy in (file, *file.parents):
        if copy in _ORIGINALS:
            return "/".join([_ORIGINALS[copy], *file.relative_to(copy).parts])
    return fspath(file)


def fetch(paths: Paths) -> tuple[Paths, Copies | None]:
    """Return paths of files on this machine, and what holds the copies of those that are in a store."""
    listed = [paths] if isinstance(paths, (str, PathLike)) else paths
    if not isinstance(listed, (list, tuple)) or not any(map(is_address, listed)):
        return paths, None
    copies = Copies()
    held = [_fetch(path, copies) if is_address(path) else path for path in listed]
    return (held[0] if isinstance(paths, (str, PathLike)) else held), copies


def _fetch(address: Any, copies: Copies) -> Path:
    """Copy what is at an address, under its own name."""
    if address.startswith("file://"):
        return to_path(address)
    import fsspec

    try:
        store, place = fsspec.core.url_to_fs(address)
        folder = copies.folder / str(len(list(copies.folder.iterdir())))
        folder.mkdir()
        target = folder / PurePosixPath(place).name
        copies.name(target, address)
        store.get(place, str(target), recursive=store.isdir(place))
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {address}") from None
    except Exception as reason:  # noqa: BLE001 - each store has errors of its own
        told = f"{type(reason).__name__}: {reason}".strip(": ")
        raise _say.error("paths.address", address=address, reason=told) from None
    return target


def name_models(paths: Sequence[str]) -> list[str]:
    """Name each model by the end of its path, long enough to tell all models apart.

    Examples:
        >>> name_models(["runs/a.jsonl", "runs/b.jsonl"]), name_models(["a/r.json", "b/r.json"])
        (['a.jsonl', 'b.jsonl'], ['a/r.json', 'b/r.json'])
        >>> name_models(["a.jsonl", "a.jsonl"])
        ['a.jsonl (1)', 'a.jsonl (2)']
    """
    parts = [Path(path).parts for path in paths]
    for depth in range(1, max(map(len, parts)) + 1):
        names = ["/".join(own[-depth:]) for own in parts]
        if len({*names}) == len(names):
            return names
    return [f"{path} ({i})" for i, path in enumerate(paths, 1)]


_SHARD = re.compile(r"(.+)-(\d{5})-of-(\d{5})")
# Files that `datasets` writes beside the shards of a data set.
_SAVED = {"dataset_info.json", "state.json"}

ENDINGS = {".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".arrow", ".eval", ".zip"}


def is_named_as_results(file: Path) -> bool:
    """Return whether a file has an ending of results files, compressed or not.

    Examples:
        >>> is_named_as_results(Path("run.jsonl.gz")), is_named_as_results(Path("README.md"))
        (True, False)
    """
    return any(ending.lower() in ENDINGS for ending in file.suffixes)


def find_files(paths: Paths) -> tuple[list[Path], bool]:
    """List the files of a path, a list of paths, a folder or a glob."""
    names = [paths] if isinstance(paths, (str, PathLike)) else paths
    if not isinstance(names, Sequence) or not all(
        isinstance(name, (str, PathLike)) for name in names
    ):
        raise TypeError(
            f"`path` must be the path of a file, or a list of paths; got {shorten(paths)}"
        )
    # An unset variable of the shell is an empty text, which `Path` takes for the folder of the caller.
    if not names or not all(map(fspath, names)):
        raise _say.error("paths.none")
    listed: list[Path] = []
    named = True
    for text in names:
        path = Path(text)
        if path.exists() and not path.is_dir():
            listed.append(path)
            continue
        if not (path.is_dir() or has_magic(fspath(text))):
            parts = fspath(text).split(",")
            if len(parts) > 1 and all(map(exists, parts)):
                raise FileNotFoundError(
                    f"There is no file {path}. Give several as a list: {parts!r}; in a shell, with spaces between them"
                )
            raise FileNotFoundError(f"There is no file {path} in {Path.cwd()}")
        named = False
        if path.is_dir():
            inside = sorted(_list_inside(path))
            if not inside:
                raise _say.error("paths.empty", folder=fspath(text))
        else:
            inside = sorted(
                file
                for name in glob(fspath(text), recursive=True)
                if (file := Path(name)).is_file()
            )
            if not inside:
                raise FileNotFoundError(f"No file matches {fspath(text)} in {Path.cwd()}")
        listed += inside
    # A link, or another path to the same file, must not count its samples twice.
    files: dict[Path, Path] = {}
    for file in listed:
        files.setdefault(file.resolve(), file)
    return list(files.values()), named


def _list_inside(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and its folders; one whose files are one table is yielded as a whole."""
    # Links to folders are not followed: they may lead back, or to what is read already.
    if list_shards(folder):
        yield folder
        return
    for entry in folder.iterdir():
        hidden = entry.name.startswith(".") and entry.name != ".aider.results.json"
        if hidden or (entry.is_symlink() and entry.is_dir()):
            continue
        if entry.is_dir():
            yield from _list_inside(entry)
        elif entry.is_file():
            yield entry
        elif is_named_as_results(entry):
            raise _say.error("paths.special", file=str(entry))


def list_shards(folder: Path) -> list[Path]:
    """List the files that are one table together: a data set that was saved to disk, or one in partitions."""
    # In such a folder a file may have the name of a shard, or be in a folder such as `model=a`. Other folders have
    # none.
    names = ("*-of-*.arrow", "*-of-*.parquet", "*=*/**/*.parquet")
    parts = sorted({file for name in names for file in folder.glob(name) if file.is_file()})
    shards = defaultdict[str, list[tuple[int, int]]](list)
    for file in parts:
        if file.parent == folder and (match := _SHARD.match(file.name)):
            shards[match[1]].append((int(match[2]), int(match[3])))
    for name, places in shards.items():
        if places != [(place, places[0][1]) for place in range(places[0][1])]:
            told = ", ".join(f"{place} of {total}" for place, total in places[:10]) + (
                ", …" if places[10:] else ""
            )
            raise _say.error("paths.shards", folder=str(folder), name=shorten(name), found=told)
    beside = {file for file in folder.iterdir() if file.is_file() and is_named_as_results(file)} - {
        *parts
    }
    for file in sorted(file for file in beside if parts and file.name not in _SAVED):
        raise _say.error("paths.beside", folder=str(folder), file=shorten(file.name))
    return parts
