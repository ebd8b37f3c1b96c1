"""Write a file whole, or not at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path


@contextmanager
def replace_file(path: str | PathLike[str]) -> Iterator[Path]:
    """Yield the path of a temporary file, which replaces the file at `path` when the block ends without an error.

    If the block fails, or is interrupted, an older file stays as it was, and no part of a new one remains.

    Raises:
        OSError: if the file cannot be written. The sentence names `path`, not the temporary file.
    """
    target = check_target(path)
    # What is not a file, such as /dev/null or a named pipe, is written to and must not be replaced.
    plain = target.is_file() or not target.exists()
    part = target.with_name(f".{target.name}.{os.getpid()}.part") if plain else target
    try:
        yield part
        if plain:
            if target.exists():
                shutil.copymode(target, part)
            part.replace(target)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise type(error)(f"{fspath(path)} cannot be written: {error.strerror or error}") from None
    finally:
        if plain:
            part.unlink(missing_ok=True)


def is_json_of(path: str | PathLike[str], name: str) -> bool:
    """Return whether a file is JSON that begins with the name of a format. Other files may not exist."""
    start = json.dumps({"format": name})[:-1].encode()
    if Path(path).suffix.lower() != ".json" or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(len(start)) == start


def check_target(path: str | PathLike[str]) -> Path:
    """Return the file that a path leads to, after a check that it can be one.

    Raises:
        OSError: if the path is a folder, or in a folder that does not exist.
    """
    target = Path(path).resolve()  # a link stays a link
    if target.is_dir():
        raise IsADirectoryError(f"{fspath(path)} is a folder. Give the name of a file in it.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {target.parent} to write {target.name} into. Make it first.")
    return target
