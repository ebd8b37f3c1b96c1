"""Write files whole or not at all, and results as JSON from which equal ones are made. A file cannot run code."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from fractions import Fraction
from importlib import import_module
from math import isfinite
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from at_k.errors import InputError

# The first word of the format of every file that holds a result, a tally or a report.
FORMAT = "at-k"

# The parts of the package whose classes a file may name.
_ROOMS = ("analysis", "errors", "readers.samples", "report", "results", "uncertainty", "values")


# Any value as JSON


class Absent:
    """A function that a result was made with: a file keeps its name alone."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *_: object) -> object:
        """Refuse to be called."""
        raise RuntimeError(f"the function {self.__name__} was not saved with the result")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Absent) and other.__name__ == self.__name__

    def __hash__(self) -> int:
        return hash(self.__name__)

    def __getnewargs__(self) -> tuple[str]:
        return (self.__name__,)


def encode(value: Any) -> Any:
    """Spell a value as JSON from which `decode` makes an equal one, by its class and what its class is made from."""
    if (
        value is None
        or type(value) in (str, bool, int)
        or (type(value) is float and isfinite(value))
    ):
        return value
    if type(value) is list:
        return [encode(item) for item in value]
    if type(value) is dict and all(type(name) is str and name != "is" for name in value):
        return {name: encode(item) for name, item in value.items()}
    if isinstance(value, np.generic):
        return encode(value.item())
    if isinstance(value, str) and not _tells_parts(type(value)):
        return str.__str__(value)  # a path that also has a name, say, is its text
    kind, args, named = _take_apart(value)
    spelled = {"is": f"{kind.__module__}:{kind.__qualname__}", "of": list(map(encode, args))}
    return (
        {**spelled, "with": {name: encode(item) for name, item in named.items()}}
        if named
        else spelled
    )


def _tells_parts(kind: type[str]) -> bool:
    return hasattr(kind, "__getnewargs_ex__") or kind.__getnewargs__ is not str.__getnewargs__


# The class of a value, and the arguments that make an equal one.
_Parts = tuple[Any, tuple[Any, ...], Mapping[str, Any]]


def _take_apart(value: Any) -> _Parts:
    kind = type(value)
    for kinds, take in _APART.items():
        if isinstance(value, kinds):
            return take(value)
    if hasattr(value, "__getnewargs_ex__"):
        return kind, *value.__getnewargs_ex__()
    if hasattr(value, "__getnewargs__"):
        return kind, value.__getnewargs__(), {}
    if callable(value):
        return Absent, (getattr(value, "__name__", kind.__name__),), {}
    if is_dataclass(value):
        if hasattr(value, "saved_state"):
            state = value.saved_state()
        else:
            state = vars(value)
        return kind, (), {part.name: state[part.name] for part in fields(value) if part.compare}
    raise TypeError(f"A file cannot hold {value!r} of type {kind.__qualname__}")


_APART: dict[Any, Callable[[Any], _Parts]] = {
    dict: lambda value: (dict, ([list(pair) for pair in value.items()],), {}),
    np.ndarray: lambda value: (np.array, (value.tolist(), str(value.dtype)), {}),
    re.Pattern: lambda value: (re.compile, (value.pattern, value.flags), {}),
    frozenset: lambda value: (frozenset, (sorted(value),), {}),
    tuple: lambda value: (
        type(value),
        tuple(value) if hasattr(value, "_fields") else (list(value),),
        {},
    ),
    (float, Fraction): lambda value: (type(value), (str(value),), {}),
}
_PLAIN = {
    f"{kind.__module__}:{kind.__qualname__}": kind
    for kind in (dict, tuple, float, frozenset, Fraction, np.array, re.compile)
}


def decode(value: Any) -> Any:
    """Make the value that `encode` has spelled."""
    if isinstance(value, list):
        return list(map(decode, value))
    if not isinstance(value, dict):
        return value
    if "is" not in value:
        return {name: decode(item) for name, item in value.items()}
    kind = _PLAIN.get(value["is"]) or _find_class(value["is"])
    return kind(
        *map(decode, value["of"]),
        **{name: decode(item) for name, item in value.get("with", {}).items()},
    )


def _find_class(name: str) -> Any:
    module, _, class_name = name.partition(":")
    package = __name__.partition(".")[0]
    if any(f"{module}.".startswith(f"{package}.{room}.") for room in _ROOMS):
        kind = getattr(import_module(module), class_name)
        if isinstance(kind, type) and kind.__module__ == module:
            return kind
    raise ValueError(f"{name} is not a class that results hold")


# Files


def save_result(found: Any, about: Mapping[str, Any], kind: str, path: str | PathLike[str]) -> None:
    """Write a result to a file of JSON: what it says, and what makes an equal one."""
    if Path(path).suffix.lower() != ".json":
        raise ValueError(f"`path` must end in .json; got {fspath(path)!r}")
    text = json.dumps(
        {"format": f"{FORMAT} {kind}", **about, "state": encode(found)}, ensure_ascii=False
    )
    with replace_file(path) as part:
        part.write_text(text, encoding="utf-8")


def load_result(path: str | PathLike[str], kind: str) -> Any:
    """Read a file that `save_result` has written."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise refuse_file(path, kind, f"is not JSON: {error}") from None
    if not isinstance(content, dict) or content.get("format") != f"{FORMAT} {kind}":
        stated = None
        if isinstance(content, dict):
            stated = content.get("format")
        other = "is another file"
        if isinstance(stated, str) and stated.startswith(f"{FORMAT} "):
            other = f"holds a {stated[5:]}"
        raise refuse_file(path, kind, other)
    try:
        return decode(content["state"])
    except (KeyError, TypeError, ValueError, AttributeError, ImportError) as error:
        raise refuse_file(path, kind, f"is damaged: {error!r}") from None


def refuse_file(path: str | PathLike[str], kind: str, reason: str) -> InputError:
    """Make the error for a file that holds no such result."""
    return InputError(
        "saving.other",
        "`path` must be a {kind} that was saved; {path} {reason}",
        kind=kind,
        path=repr(fspath(path)),
        reason=reason,
    )


@contextmanager
def replace_file(path: str | PathLike[str]) -> Iterator[Path]:
    """Yield the path of a temporary file, which replaces the file at `path` when the block ends without an error."""
    # If the block fails, or is interrupted, an older file stays as it was, and no part of a new one remains.
    target = check_target(path)
    # What is not a file, such as /dev/null or a named pipe, is written to and must not be replaced.
    plain = target.is_file() or not target.exists()
    part = target
    if plain:
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
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


def holds(path: str | PathLike[str], kind: str) -> bool:
    """Return whether a file is JSON that begins with the format of this kind of result. Other files may not exist."""
    start = json.dumps({"format": f"{FORMAT} {kind}"})[:-1].encode()
    if Path(path).suffix.lower() != ".json" or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(len(start)) == start


def check_target(path: str | PathLike[str]) -> Path:
    """Return the file that a path leads to, after a check that it can be one."""
    target = Path(path).resolve()  # a link stays a link
    if target.is_dir():
        raise IsADirectoryError(f"{fspath(path)} is a folder. Give the name of a file in it.")
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"There is no folder {target.parent} to write {target.name} into. Make it first."
        )
    return target
