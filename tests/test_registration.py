"""Registration puts copies into the module cache, replaces its own, and touches nothing else."""

from pathlib import Path

import evaluate
import pytest
from evaluate.loading import init_dynamic_modules

import at_k


@pytest.fixture
def cache():
    at_k.register(undo=True)
    yield Path(init_dynamic_modules()) / "metrics"
    at_k.register(undo=True)


def test_registers_every_module(cache):
    folders = at_k.register()
    assert [folder.parent.name for folder in folders] == [
        *(f"evaluate-metric--{name}" for name in at_k.METRICS),
        "evaluate-comparison--at_k_difference",
    ]
    for folder, name in zip(folders, (*at_k.METRICS, "at_k_difference"), strict=True):
        assert (
            not (folder / f"{name}.py").read_text(encoding="utf-8").count("_compute")
        )  # it loads the installed module
        assert evaluate.load(name).name == name


def test_registering_again_replaces(cache):
    first = at_k.register()
    outdated = first[0].with_name("0" * 64)
    first[0].rename(outdated)
    assert at_k.register() == first
    assert not outdated.exists()


def test_undo_leaves_nothing_and_says_what_it_removed(cache):
    folders = at_k.register()
    assert at_k.register(undo=True) == folders
    assert not list(cache.glob("evaluate-*--*"))
    assert at_k.register(undo=True) == []


def test_undo_keeps_what_was_cached_by_others(cache):
    foreign = cache / "evaluate-metric--gpassk" / ("f" * 64)
    foreign.mkdir(parents=True)
    (foreign / "gpassk.py").write_text("# from the Hub", encoding="utf-8")
    at_k.register()
    at_k.register(undo=True)
    assert (foreign / "gpassk.py").read_text(encoding="utf-8") == "# from the Hub"
    (foreign / "gpassk.py").unlink()
    foreign.rmdir()


def test_unknown_module():
    with pytest.raises(ValueError, match=r"`name` must be one of 'gpassk', .*; got 'passk'"):
        at_k.module_path("passk")
