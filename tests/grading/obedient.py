"""Checkers for tests of the workers: one that does what the answer says, and two that do not start."""

import os
import sys
import time
from dataclasses import dataclass

from at_k.grading.checkers import Checker


@dataclass(frozen=True, repr=False)
class Obedient(Checker):
    """Do what the answer says."""

    name = "obedient"
    slow = True

    def grade(self, answer, reference):
        """Accept the reference, after whatever the answer asks for."""
        if answer == "sleep":
            time.sleep(60)
        while answer == "spin" != reference:
            pass
        if answer == "power":
            10**10**10
        if answer == "die":
            os._exit(3)
        if answer == "leave":
            open(f"{reference}/{os.getpid()}", "w").close()
            os._exit(0)
        if answer == "kill":
            os.kill(os.getpid(), 9)
        if answer == "raise":
            raise KeyError("no")
        if answer == "print":
            print("a line " * 100000, file=sys.stderr)
            print("noise", flush=True)
        return answer == reference


@dataclass(frozen=True, repr=False)
class Broken(Checker):
    """Cannot start."""

    name = "broken"
    slow = True

    def warm_up(self):
        """Fail as a missing package does."""
        raise ImportError("no such thing")


@dataclass(frozen=True, repr=False)
class Fatal(Checker):
    """Dies at the start."""

    name = "fatal"
    slow = True

    def warm_up(self):
        """End the process."""
        os._exit(7)
