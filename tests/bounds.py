"""Bounds on what work costs, which hold on a machine of any speed and beside neighbours of any kind."""

import resource
import subprocess
import sys
import time

YARD = 0.4
"""Seconds of CPU time that the yardstick takes on a machine with nothing else to do."""

YARDSTICK = "import json; json.loads('[' + '[1],' * 1_000_000 + '1]')"
"""Work that asks for 100 MB of memory: where that is slow, so is all that is bounded here."""

PAUSES = (0, 0.5, 2, 10, 30)
"""Seconds to wait before each try. Others can only add to what work costs, and seldom to all tries."""


def timed(work, clock=time.process_time):
    """Make a function that does the work and returns what it found, and the seconds by `clock`, here CPU time."""

    def measure():
        before = clock()
        found = work()
        return found, clock() - before

    return measure


def seconds_of_children():
    """Return the CPU time of all processes that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def find_slowness():
    """Return how many times as long as on a quiet machine the yardstick takes at this moment; 1 where it takes less."""
    run = [sys.executable, "-c", YARDSTICK]
    return max(1, timed(lambda: subprocess.run(run, check=True), seconds_of_children)()[1] / YARD)


def hold(limit, measure):
    """Return what `measure()` found, and assert that it took `limit` seconds at most in one of several tries.

    The limit grows by the factor by which the machine is slower at the yardstick at that moment. `measure` returns what
    it found and the seconds, and must bear to be called again. What costs too much costs too much each time.
    """
    tries = []
    for pause in PAUSES:
        time.sleep(pause)
        found, taken = measure()
        if taken <= limit or taken <= limit * (slowness := find_slowness()):
            return found
        tries.append(f"{taken:.2f} s where the yardstick took {slowness:.1f} times what it should")
    raise AssertionError(f"it takes more than {limit} s: {', '.join(tries)}")
