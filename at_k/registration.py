"""Where the evaluate modules are, and how `evaluate.load` finds them by name from anywhere."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from at_k.validation import check_flag

METRICS = ("gpassk", "pass_at_k", "cons_at_k", "avg_at_n", "best_at_k")
"""The names of the modules."""

_MARK = "registered-by-at-k"


def module_path(name: str) -> Path:
    """The folder of a module, for `evaluate.load(str(at_k.module_path(name)))`.

    Args:
        name: one of `at_k.METRICS`.

    Raises:
        ValueError: if there is no such module.
        FileNotFoundError: if the library stands alone, without the modules beside it.

    Examples:
        >>> module_path("gpassk").name
        'gpassk'
    """
    if name not in METRICS:
        raise ValueError(f"`name` must be one of {', '.join(map(repr, METRICS))}; got {name!r}")
    library = Path(__file__).resolve().parent
    for modules in (library / "metrics", library.parent / "metrics"):  # as installed, and as in a clone
        if (modules / name / f"{name}.py").is_file():
            return modules / name
    raise FileNotFoundError(
        f"the module {name!r} is neither in {library / 'metrics'} nor in {library.parent / 'metrics'}"
    )


def register(*, undo: bool = False) -> list[Path]:
    """Let `evaluate.load("gpassk")`, and the other names, work from any directory, without a network.

    Puts copies of the modules where `evaluate` keeps those that it has loaded before, in its module cache; a new
    registration replaces an old one. To be done again after an update.

    Args:
        undo: take the copies away again.

    Returns:
        The folders that were written, or with `undo` removed.

    Examples:
        >>> [folder.parent.name for folder in register()][0]
        'evaluate-metric--gpassk'
        >>> len(register(undo=True))
        5
    """
    from evaluate.loading import init_dynamic_modules

    check_flag("undo", undo)
    cache = Path(init_dynamic_modules()) / "metrics"
    changed = []
    for name in METRICS:
        # The name under which `evaluate` caches the canonical metric of that name, and looks it up.
        home = cache / f"evaluate-metric--{name}"
        for old in [mark.parent for mark in home.glob(f"*/{_MARK}")]:
            shutil.rmtree(old)
            if undo:
                changed.append(old)
        if undo:
            if home.is_dir() and not any(entry.name not in ("__init__.py", "__pycache__") for entry in home.iterdir()):
                shutil.rmtree(home)
            continue
        script = module_path(name) / f"{name}.py"
        folder = home / hashlib.sha256(script.read_bytes()).hexdigest()  # 64 digits, as `evaluate` expects
        folder.mkdir(parents=True, exist_ok=True)
        for package in (cache, home, folder):
            (package / "__init__.py").touch()
        (folder / _MARK).touch()
        shutil.copyfile(script, folder / script.name)
        changed.append(folder)
    return changed
