"""Limits of a program, as the kernel has them."""

import json
import subprocess
import sys

SHOW = """
import json, resource, sys
from at_k.grading.code.limits import ProgramLimits, apply_limits
if len(sys.argv) > 1:
    resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
apply_limits(ProgramLimits(timeout=2.5, memory=2**33, file_size=1000, processes=50, open_files=30), other_tasks=7000)
names = ("CPU", "AS", "FSIZE", "NPROC", "NOFILE", "CORE")
print(json.dumps({name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in names}))
"""


def show(*arguments):
    run = subprocess.run([sys.executable, "-c", SHOW, *arguments], capture_output=True, text=True, check=True)
    return {name: tuple(pair) for name, pair in json.loads(run.stdout).items()}


def test_limits_are_hard():
    expected = {"CPU": 4, "AS": 2**33, "FSIZE": 1000, "NPROC": 7050, "NOFILE": 30, "CORE": 0}
    assert show() == {name: (limit, limit) for name, limit in expected.items()}


def test_a_stricter_limit_of_the_machine_stays():
    assert show("strict")["NOFILE"] == (20, 20)
