"""Work in a process of its own: what comes back, what ends it, and what is left when the app ends."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from cases import refuses

from at_k.demo.sandbox import Sandbox
from tools.driving import ROOT, eventually

LIMITS = {"cpu_seconds": 0.5, "memory": 100_000_000}


def prepare():
    os.environ["PREPARED"] = "yes"


@pytest.fixture(scope="module")
def sandbox():
    sandbox = Sandbox(prepare, **LIMITS)
    yield sandbox
    sandbox.end()


def test_work_and_its_result(sandbox):
    assert sandbox.run(divmod, 7, 2) == [3, 1]
    assert sandbox.run(eval, "{'text': '\\ud800', 'number': 1e999}") == {
        "text": "\ud800",
        "number": float("inf"),
    }
    assert len(sandbox.run(str, "x" * 10_000_000)) == 10_000_000


def test_workers_are_prepared_and_serve_several(sandbox):
    name = "__import__('os').environ.setdefault('PREPARED', {!r})"
    assert sandbox.run(eval, name.format("no")) == "yes"
    assert len({sandbox.run(os.getpid) for _ in range(12)}) <= 3  # one of each keeper


def test_a_worker_that_has_grown_is_replaced_and_one_ends_after_long_service():
    sandbox = Sandbox(prepare, at_once=1, memory=1_000_000_000)
    first = sandbox.run(os.getpid)
    assert sandbox.run(os.getpid) == first
    sandbox.run(eval, "setattr(__import__('os'), 'kept', b'x' * 160_000_000)")
    assert sandbox.run(os.getpid) != first
    assert sandbox.run(eval, "hasattr(__import__('os'), 'kept')") is False
    assert 2 <= len({sandbox.run(os.getpid) for _ in range(401)}) <= 3
    sandbox.end()


def test_each_piece_of_work_has_its_own_limits(sandbox):
    """Several that stay below the limit add up to more than it."""
    burn = "[None for _ in iter(lambda: __import__('time').process_time() < {}, False)] and None"
    for _ in range(5):
        now = "__import__('time').process_time()"
        sandbox.run(eval, f"(lambda start: {burn.format('start + 0.12')})({now})")
        assert len(sandbox.run(str, "x" * 24_000_000)) == 24_000_000


ENDS = {
    "a loop": ("[0 for _ in iter(int, 1) if 0]", "serving.too_long"),
    "one long call": ("10 ** 10 ** 8 // 3", "serving.too_long"),
    "memory at once": ("b'x' * 10 ** 9", "serving.too_large"),
    "memory by and by": ("[bytes(10 ** 6) for _ in iter(int, 1)]", "serving.too_large"),
    "killed by the system": (
        "__import__('os').kill(__import__('os').getpid(), 9)",
        "serving.too_large",
    ),
    "a crash": ("__import__('ctypes').string_at(0)", "serving.ended"),
    "an exit": ("__import__('os')._exit(0)", "serving.ended"),
    "an error": ("1 / 0", "serving.ended"),
    "no JSON": ("object()", "serving.ended"),
}


SAYS = {
    "serving.too_long": "longer than 0.5 seconds … at-k score",
    "serving.too_large": "0.1 GB … at-k score",
}


@pytest.mark.parametrize(("work", "code"), ENDS.values(), ids=ENDS)
def test_work_that_goes_too_far_ends_alone(sandbox, work, code):
    refuses(f"{code}: {SAYS.get(code, '')}", sandbox.run, eval, work)
    assert sandbox.run(divmod, 7, 2) == [3, 1]


def test_work_that_does_nothing_ends_too():
    sandbox = Sandbox(prepare, at_once=1, wall_seconds=0.1)
    refuses("serving.too_long", sandbox.run, time.sleep, 1_000)
    sandbox.end()


def test_keepers_that_are_gone_are_replaced():
    sandbox = Sandbox(prepare, at_once=1, **LIMITS)
    keeper = sandbox.run(eval, "__import__('os').getppid()")
    os.kill(keeper, signal.SIGKILL)
    sandbox._keeper.wait()
    assert sandbox.run(divmod, 7, 2) == [3, 1]
    assert sandbox.run(eval, "__import__('os').getppid()") != keeper
    sandbox.end()


def find_processes(mark):
    """Find the processes whose environment has a mark."""

    def has_mark(folder):
        with suppress(OSError):  # it has just ended, or belongs to somebody else
            return mark.encode() in (folder / "environ").read_bytes()
        return False

    return [folder.name for folder in Path("/proc").glob("[0-9]*") if has_mark(folder)]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_when_the_app_ends(tmp_path, number):
    """Not even of work that is being done."""
    mark = f"MARK={tmp_path}"
    code = "from at_k.demo.sandbox import Sandbox; from time import sleep; print(1, flush=True)\n"
    code += "if __name__ == '__main__': Sandbox(int).run(sleep, 1_000)"
    run = [sys.executable, "-c", code]
    with subprocess.Popen(
        run, cwd=ROOT, env=os.environ | {"MARK": f"{tmp_path}"}, stderr=subprocess.DEVNULL
    ) as app:
        eventually(
            lambda: len(find_processes(mark)) >= 4, True
        )  # the app, two keepers, and a worker
        app.send_signal(number)
    eventually(lambda: find_processes(mark), [])


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc")
def test_the_app_has_workers_that_know_its_pages(server):
    eventually(lambda: len(server.processes()), 7)  # the app, three keepers, and a worker of each
