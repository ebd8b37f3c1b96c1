"""Find the evaluate modules, and register them so that `evaluate.load` finds them by name from any directory."""

from __future__ import annotations

import hashlib
import shutil
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from at_k.family import METRICS
from at_k.validation import check_choice, check_flag

COMPARISONS = ("at_k_difference",)
"""The modules that compare two models."""

_KINDS = {**dict.fromkeys(METRICS, "metric"), **dict.fromkeys(COMPARISONS, "comparison")}
"""Module → its kind, as `evaluate` calls it. The folder of a kind has its name in the plural."""

_MARK = "registered-by-at-k"

_STUB = '''\
"""Load the module {name} from the installed package at_k, so that this registration never goes stale."""

from at_k.registration import load_class

{class_name} = load_class("{name}")
{class_name}.__module__ = __name__  # a pickle looks for the class here
'''


def module_path(name: str) -> Path:
    """Return the folder of a module, for `evaluate.load(str(at_k.module_path(name)))`.

    Args:
        name: one of `at_k.METRICS`, or "at_k_difference".

    Raises:
        ValueError: if there is no such module.
        FileNotFoundError: if the library was copied without its modules.

    Examples:
        >>> module_path("gpassk").name
        'gpassk'
    """
    check_choice("name", name, tuple(_KINDS))
    kind = f"{_KINDS[name]}s"
    library = Path(__file__).resolve().parent
    for modules in (library / kind, library.parent / kind):  # as installed, and as in a clone
        if (modules / name / f"{name}.py").is_file():
            return modules / name
    raise FileNotFoundError(f"the module {name!r} is neither in {library / kind} nor in {library.parent / kind}")


def load_class(name: str) -> Any:
    """Return the class of a module, from the file in its folder."""
    spec = spec_from_file_location(f"at_k.{_KINDS[name]}s.{name}", module_path(name) / f"{name}.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"the module {name!r} cannot be loaded from {module_path(name)}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name_class(name))


def register(*, undo: bool = False) -> list[Path]:
    """Let `evaluate.load("gpassk")`, and the other names, work from any directory, without a network.

    Write a file for each module into the cache where `evaluate` keeps modules that it has loaded before. The file loads
    the module from the installed package, so that it need not be written again after an update.

    Args:
        undo: remove the files again.

    Returns:
        The folders that were written, or with `undo` removed.

    Examples:
        >>> [folder.parent.name for folder in register()][0]
        'evaluate-metric--gpassk'
        >>> len(register(undo=True)) == len(METRICS) + len(COMPARISONS)
        True
    """
    from evaluate.loading import init_dynamic_modules

    check_flag("undo", undo)
    cache = Path(init_dynamic_modules()) / "metrics"
    changed = []
    for name, kind in _KINDS.items():
        # `evaluate` looks up a module without an owner under this name, and keeps all kinds in one folder.
        home = cache / f"evaluate-{kind}--{name}"
        for old in [mark.parent for mark in home.glob(f"*/{_MARK}")]:
            shutil.rmtree(old)
            if undo:
                changed.append(old)
        if undo:
            if home.is_dir() and not any(entry.name not in ("__init__.py", "__pycache__") for entry in home.iterdir()):
                shutil.rmtree(home)
            continue
        stub = _STUB.format(name=name, class_name=name_class(name))
        folder = home / hashlib.sha256(stub.encode()).hexdigest()  # `evaluate` expects 64 digits
        folder.mkdir(parents=True, exist_ok=True)
        for package in (cache, home, folder):
            (package / "__init__.py").touch()
        (folder / _MARK).touch()
        (folder / f"{name}.py").write_text(stub, encoding="utf-8")
        changed.append(folder)
    return changed


def name_class(name: str) -> str:
    """Return the name of a module's class: "PassAtK" for "pass_at_k"."""
    return "".join(part.capitalize() for part in name.split("_"))
