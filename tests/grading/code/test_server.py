"""The process of a supervisor: what it loads, its messages and limits, and that it ends with its parent."""

import json
import os
import pickle
import socket
import subprocess
import sys
import time

import pytest

from at_k.grading.code.pool import HERE
from at_k.grading.code.protocol import ProgramLimits


def start(temporary=None):
    own, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen([sys.executable, str(HERE / "supervisor.py"), "0"], stdin=theirs)
    if temporary:
        hello = sys.path, str(temporary), ProgramLimits(timeout=100.0), False, False
        own.sendall(pickle.dumps(hello))
        assert json.loads(own.recv(100)) == ""
    return own, process


def test_little_is_loaded():
    code = (
        "import sys; before = set(sys.modules); import json\n"
        "sys.path.insert(0, sys.argv[1]); import supervisor\nprint(json.dumps(sorted(set(sys.modules) - before)))"
    )
    loaded = set(json.loads(subprocess.check_output([sys.executable, "-c", code, str(HERE)])))
    assert "at_k.grading.code.program" in loaded
    # Each of these makes every fork slower, by as much as it takes to map its memory.
    assert not loaded & {
        "numpy",
        "subprocess",
        "tempfile",
        "shutil",
        "random",
        "hashlib",
        "logging",
        "asyncio",
    }


@pytest.mark.parametrize("busy", [False, True])
def test_it_ends_when_no_one_asks(tmp_path, busy):
    own, process = start(tmp_path)
    if busy:
        own.sendall(
            pickle.dumps({"candidate": "while True: pass", "tests": "assert True", "output": 9})
        )
        time.sleep(0.2)
    own.close()
    assert process.wait(60) == busy
    assert os.listdir(tmp_path) == []


SHOW = """
import json, os, resource, sys
from at_k.grading.code.isolation import apply_limits
from at_k.grading.code.protocol import ProgramLimits
if os.fork() == 0:
    resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
else:
    os.wait()
limits = ProgramLimits(timeout=2.5, memory=2**33 - 64, file_size=1000, processes=50, open_files=30)
apply_limits(limits, other_tasks=7000, shared=64)
names = ("CPU", "AS", "FSIZE", "NPROC", "NOFILE", "CORE")
print(json.dumps({name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in names}))
"""


def test_limits_are_hard_and_a_stricter_one_of_the_machine_stays():
    run = subprocess.run([sys.executable, "-c", SHOW], capture_output=True, text=True, check=True)
    strict, usual = map(json.loads, run.stdout.splitlines())
    expected = {"CPU": 4, "AS": 2**33, "FSIZE": 1000, "NPROC": 7050, "NOFILE": 30, "CORE": 0}
    assert usual == {name: [limit, limit] for name, limit in expected.items()}
    assert strict == usual | {"NOFILE": [20, 20]}
