"""What requests leave is given back, once it is much."""

import gc
import re
import sys
import weakref
from pathlib import Path

import pytest

from at_k.demo.memory import SLACK, Tidier, measure


class Left:
    """What a request may leave: it refers to itself, so that only a search finds that nobody else does."""

    def __init__(self, size):
        self.text = bytearray(b"x") * size
        self.itself = self


@pytest.fixture
def tidier():
    """A tidier that has tidied. Python does not search for garbage by itself."""
    gc.disable()
    tidier = Tidier()
    tidier.tidy()
    yield tidier
    gc.enable()


def test_much_is_given_back(tidier):
    before = measure()
    left = weakref.ref(Left(4 * SLACK))
    assert measure() > before + 3 * SLACK
    tidier.tidy()
    assert left() is None
    assert measure() < before + SLACK


def test_little_is_left_until_it_is_much(tidier):
    little = weakref.ref(Left(100))
    tidier.tidy()
    assert little() is not None
    Left(2 * SLACK)
    tidier.tidy()
    assert little() is None


def test_what_is_still_in_use_counts_once(tidier):
    """Memory that stays does not make every later request search for garbage."""
    used = Left(2 * SLACK)
    tidier.tidy()
    little = weakref.ref(Left(100))
    tidier.tidy()
    assert little() is not None
    assert len(used.text) == 2 * SLACK


def test_what_another_request_used_meanwhile_does_not_count(tidier):
    """A request that ends while a large one is at work does not let garbage pile up afterwards."""
    meanwhile = bytearray(b"x") * (4 * SLACK)
    tidier.tidy()
    del meanwhile
    tidier.tidy()
    left = weakref.ref(Left(2 * SLACK))
    tidier.tidy()
    assert left() is None


def test_systems_that_do_not_say_how_much_is_held(tidier, monkeypatch):
    def refuse(*_):
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", refuse)
    little = weakref.ref(Left(100))
    tidier.tidy()
    assert little() is None


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc")
def test_what_the_system_says_elsewhere():
    """Linux counts pages in batches, so the two may differ by a few of them for every thread."""
    (said,) = re.findall(r"^VmRSS:\s+(\d+) kB$", Path("/proc/self/status").read_text("utf-8"), re.MULTILINE)
    assert measure() == pytest.approx(1024 * int(said), abs=SLACK)
