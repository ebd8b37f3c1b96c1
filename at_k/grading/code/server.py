"""Start a supervisor, as a script: `python server.py FILENO PARENT`, with the number of a socket that was inherited.

In a sandbox, which passes on no sockets, it is `python server.py - PARENT`: it talks by standard input and output.
The second argument is the process that started this one, for those who read a list of processes.

A script, and not a module, since importing `at_k` loads NumPy: a fork of a process without it starts sooner.
"""

from __future__ import annotations

import os
import select
import socket
import sys
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent


def prepare_imports() -> None:
    """Let the files of this directory be imported by their full names, without what their packages import."""
    place = HERE
    for name in ("at_k.grading.code", "at_k.grading", "at_k"):
        package = ModuleType(name)
        package.__path__ = [str(place)]
        sys.modules[name] = package
        place = place.parent


def main(number: int) -> None:
    """Serve on a socket that this process has inherited."""
    prepare_imports()
    from at_k.grading.code.supervisor import serve

    serve(socket.socket(fileno=number))


def relay() -> None:
    """Serve in another process, and pass on what comes by standard input, and what is answered, until either ends."""
    own, theirs = socket.socketpair()
    if os.fork() == 0:
        own.close()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1):
            os.dup2(nothing, stream)
        main(theirs.detach())
    theirs.close()
    while True:
        asked = 0 in select.select([0, own.fileno()], [], [])[0]
        data = os.read(0, 65_536) if asked else own.recv(65_536)
        if not data:
            os._exit(0)
        if asked:
            own.sendall(data)
        while data and not asked:
            data = data[os.write(1, data) :]


if __name__ == "__main__":
    if sys.argv[1] == "-":
        relay()
    else:
        main(int(sys.argv[1]))
