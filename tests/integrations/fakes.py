"""Modules of harnesses that are not installed: the names that a plug-in imports, and their replacements."""

import importlib
import sys
from collections.abc import Mapping
from types import ModuleType

import pytest


def load_plugin(
    monkeypatch: pytest.MonkeyPatch, name: str, modules: Mapping[str, Mapping[str, object]]
) -> ModuleType:
    """Load a file of `at_k.integrations` anew, with fakes of the modules that it imports, for the length of a test."""
    for path, names in modules.items():
        parts = path.split(".")
        for end in range(1, len(parts)):
            monkeypatch.setitem(sys.modules, ".".join(parts[:end]), ModuleType(parts[end - 1]))
        module = ModuleType(path)
        vars(module).update(names)
        monkeypatch.setitem(sys.modules, path, module)
    path = f"at_k.integrations.{name}"
    # Set before it is deleted, so that it is as it was after the test, whether it had been loaded or not.
    monkeypatch.setitem(sys.modules, path, None)
    monkeypatch.delitem(sys.modules, path)
    return importlib.import_module(path)
