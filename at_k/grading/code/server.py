"""Start a supervisor, as a script: `python server.py FILENO PARENT`, with the number of a socket that was inherited.

The second argument is the process that started this one, for those who read a list of processes.

A script, and not a module, since importing `at_k` loads NumPy: a fork of a process without it starts sooner.
"""

from __future__ import annotations

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


if __name__ == "__main__":
    main(int(sys.argv[1]))
