"""What requests leave in the app's own process is given back."""

import gc
import subprocess
import sys
import weakref

from at_k.demo.memory import tidy


class Left:
    """What a request may leave: it refers to itself, so that only a search finds that nobody else does."""

    def __init__(self):
        self.itself = self


def test_what_refers_to_itself_is_found():
    gc.disable()
    try:
        left = weakref.ref(Left())
        assert left() is not None
        tidy()
        assert left() is None
    finally:
        gc.enable()


def test_what_is_there_before_requests_is_never_searched():
    code = "import gc; from at_k.demo.memory import settle; settle(); print(gc.get_freeze_count() > 1000)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "True\n"
