"""Every test run, and every worker of it, has a fresh Hugging Face home and no network."""

import gc
import os
import signal
import sys
import tempfile

import pytest
from hypothesis import HealthCheck, settings

_home = tempfile.TemporaryDirectory(prefix="at-k-tests-")  # removed when the run ends
os.environ.update(
    HF_HOME=_home.name, HF_HUB_OFFLINE="1", HF_EVALUATE_OFFLINE="1", HF_DATASETS_OFFLINE="1"
)
for cache in ("HF_MODULES_CACHE", "HF_METRICS_CACHE", "HF_EVALUATE_CACHE", "HF_DATASETS_CACHE"):
    os.environ.pop(cache, None)

# What refusals print to copy calls `python`, which a machine may have in the environment of the tests alone.
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])

# A run in the background ignores interrupts, and so would the processes that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes depends on what else the machine does, so Hypothesis must not fail a test for it. mutmut
# runs a test several times in one process, by different executors.
_unchecked = [HealthCheck.too_slow, HealthCheck.differing_executors]
settings.register_profile("at-k", deadline=None, suppress_health_check=_unchecked)
settings.load_profile("at-k")

# These files import the harness that they are for. Their tests put a fake into its place, and `make integrations` runs
# them in the harness itself.
collect_ignore = [
    f"at_k/integrations/{name}.py"
    for name in ("evalscope", "harbor", "inspect_ai", "lighteval", "opik")
]
collect_ignore += [
    "at_k/demo/gradio_app.py"
]  # it loads Gradio, for 3.6 s in each worker, and has no examples


gc.disable()  # while tests are collected, which all stay: it took a third of the time to look for garbage among them


def pytest_collection_finish():
    """Look for garbage from now on, but not among what was collected."""
    gc.freeze()
    gc.enable()


def pytest_make_parametrize_id(val):
    """Name a case by how its text begins, where that is a whole file."""
    return f"{val[:50]}..." if isinstance(val, str) and len(val) > 50 else None


ALONE = tuple(f"tests/{room}/" for room in ("demo", "engines"))
"""Folders in which tests may run alone: `make test` reads these a second time."""


LONG = (
    "tests/demo/browser/",
    "tests/demo/test_hostile.py",
    "tests/tools/test_spaces.py",
    "tests/test_loading.py",
)
"""What takes long in one worker begins first, so that no worker ends long after the others."""


@pytest.hookimpl(tryfirst=True)  # before `-m` leaves any out, and before workers read the groups
def pytest_collection_modifyitems(items):
    """Refuse a test that would run in neither part of `make test`. Let one worker make what a whole file shares."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))
    for item in items:
        fixtures = getattr(item, "_fixtureinfo", None)
        shared = fixtures and any(
            defined[-1].scope == "module" for defined in fixtures.name2fixturedefs.values()
        )
        if shared and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
    lost = [
        item.nodeid
        for item in items
        if item.get_closest_marker("alone") and not item.nodeid.startswith(ALONE)
    ]
    if lost:
        raise pytest.UsageError(
            f"The mark `alone` is for tests in {', '.join(ALONE)}: {', '.join(lost)}"
        )
