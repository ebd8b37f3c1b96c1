"""The process that is started: what it loads, and that it ends with the one that started it."""

import json
import os
import socket
import subprocess
import sys
import time

from at_k.grading.code.messages import receive_message, send_message
from at_k.grading.code.server import HERE


def start(code=""):
    own, theirs = socket.socketpair()
    run = [sys.executable, str(HERE / "server.py"), str(theirs.fileno())]
    if code:
        run = [sys.executable, "-c", code, str(HERE), str(theirs.fileno())]
    process = subprocess.Popen(run, pass_fds=[theirs.fileno()], stdout=subprocess.PIPE if code else None)
    theirs.close()
    return own, process


def test_little_is_loaded():
    code = (
        "import sys; before = set(sys.modules); import json\n"
        "sys.path.insert(0, sys.argv[1]); import server; server.prepare_imports()\n"
        "from at_k.grading.code import supervisor\nprint(json.dumps(sorted(set(sys.modules) - before)))"
    )
    own, process = start(code)
    loaded = set(json.loads(process.communicate()[0]))
    own.close()
    assert "at_k.grading.code.supervisor" in loaded
    # Each of these makes every fork slower, by as much as it takes to map its memory.
    assert not loaded & {"numpy", "subprocess", "tempfile", "shutil", "random", "hashlib", "logging", "asyncio"}


def test_it_ends_when_no_one_asks():
    own, process = start()
    own.close()
    assert process.wait(60) == 0


def test_it_ends_in_the_middle_of_a_program(tmp_path):
    own, process = start()
    limits = {"timeout": 100.0}
    send_message(own, {"path": sys.path, "temporary": str(tmp_path), "limits": limits, "isolate": False, "sandbox": ""})
    assert receive_message(own) == {"isolation": "limits"}
    send_message(own, {"candidate": "while True: pass", "tests": "pass"})
    time.sleep(0.2)
    own.close()
    assert process.wait(60) == 0
    assert os.listdir(tmp_path) == []
