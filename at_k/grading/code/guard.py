"""Refuse what a program does to the machine by way of Python, where the kernel does not refuse it.

Python tells its audit hooks of each such act before it happens, and cannot remove a hook. This stops what a model
writes without thinking of it: files deleted by absolute path, requests, signals. It does not stop code that leaves
Python: a program that starts another one, or that calls the C library. For these there are namespaces.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

CHANGES: dict[str, tuple[tuple[int, int | None], ...]] = {
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.link": ((1, 3),),
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.removexattr": ((0, None),),
    "os.rename": ((0, 2), (1, 3)),
    "os.rmdir": ((0, 1),),
    "os.setxattr": ((0, None),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, None),),
    "os.utime": ((0, 3),),
}
"""Events that change a file, and where their arguments have its path and the directory that the path starts from."""

NETWORK = frozenset({"socket.bind", "socket.connect", "socket.getaddrinfo", "socket.sendmsg", "socket.sendto"})
UNSEEN = frozenset({"_posixshmem", "sysv_ipc", "posix_ipc"})
"""Modules that make memory which outlives a program, and tell no hook of it."""

SIGNALS = frozenset({"os.kill", "os.killpg"})
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def refuse_jumps(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse what lets a function of a program jump over statements of its caller, or replace the code of the tests.

    It refers to no global variable and no other function of this library, which a program could change.
    """
    if event in ("sys.settrace", "sys.monitoring.register_callback"):
        raise RuntimeError("programs may not trace their execution here")
    if event == "object.__setattr__" and arguments[1] == "__code__":
        file = arguments[0].__code__.co_filename
        if file == "<tests>" or "/at_k/grading/code/" in file:
            raise RuntimeError("programs may not replace the code of the tests")


def refuse_forks(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse copies of a program, which could try one answer each, and tell the program how the tests took it.

    `code_eval` of `evaluate` refuses them too. A program may still start others, which begin afresh. Bytecode that no
    compiler has written is refused as well, since it reads the stack of the interpreter, where the token lies. That of
    libraries is not: a program which names a file of theirs as its own, or imports a file of bytecode, gets around it.
    """
    if event in ("os.fork", "os.forkpty"):
        raise RuntimeError("programs may not fork here")
    if event == "code.__new__" and not sys._getframe(1).f_code.co_filename.startswith("/"):
        raise RuntimeError("programs may not make bytecode here")


def guard_machine(place: str) -> Callable[[str, tuple[Any, ...]], None]:
    """Return an audit hook that refuses changes of files outside of a directory, the network, and other processes."""
    place = os.path.realpath(place)
    for module in (os, sys.modules["posix"]):  # no event tells of these, and no other name leads to them
        for name in ("mkfifo", "mknod"):
            vars(module).pop(name, None)

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and not isinstance(arguments[0], int):
            path, _, flags = arguments
            if isinstance(flags, int) and flags & WRITING:
                require_inside(path, None)
            # No event says which directory a relative path starts from: it is the program's own, if it opens no other.
            name = os.fsdecode(path)
            if os.path.isdir(name) and not _is_inside(os.path.realpath(name), place):
                raise PermissionError("programs may not open directories outside of their own here")
            if _is_inside(os.path.realpath(name), "/proc") or (not os.path.isabs(name) and "proc" in name.split("/")):
                raise PermissionError("programs may not open files of /proc here: the environment of others is there")
        elif event in CHANGES:
            for path, start in CHANGES[event]:
                require_inside(arguments[path], None if start is None else arguments[start])
        elif event == "sqlite3.connect" and arguments[0] not in (":memory:", ""):
            require_inside(str(os.fsdecode(arguments[0])).removeprefix("file:").partition("?")[0], None)
        elif event == "import" and arguments[0] in UNSEEN:
            raise PermissionError("programs may not make memory that outlives them here")
        elif event in NETWORK:
            raise PermissionError("programs may not use the network here")
        elif event in SIGNALS and not (arguments[0] > 0 and os.getsid(arguments[0]) == os.getsid(0)):
            raise PermissionError("programs may not send signals to other processes here")

    def require_inside(path: Any, start: int | None) -> None:
        if isinstance(path, int):
            return  # an open file was allowed when it was opened
        name = os.fsdecode(path)
        if start is not None and start >= 0 and not os.path.isabs(name):
            name = os.path.join(os.readlink(f"/proc/self/fd/{start}"), name)
        # A symbolic link at the end of a path counts as where it stands for removal, and as where it leads for writing;
        # both must be inside.
        real = os.path.realpath(name)
        stands = os.path.join(os.path.realpath(os.path.dirname(name) or "."), os.path.basename(name))
        if real != os.devnull and not (_is_inside(real, place) and _is_inside(stands, place)):
            raise PermissionError(f"programs may not change files outside of their directory here: {name}")

    return refuse


def _is_inside(path: str, place: str) -> bool:
    """Return whether a path is a directory, or is in it.

    Examples:
        >>> _is_inside("/tmp/a/b", "/tmp/a"), _is_inside("/tmp/ab", "/tmp/a")
        (True, False)
    """
    return path == place or path.startswith(f"{place}/")
