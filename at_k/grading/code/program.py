"""Run one program and its tests in this process, which does nothing else any more.

The candidate and the tests share an interpreter, as they must: the tests call the candidate's functions and hold its
objects. So the candidate can read and change whatever Python lets it reach. What follows is arranged such that it does
not reach what it takes to claim that the tests ran to their end.
"""

from __future__ import annotations

import atexit
import builtins
import importlib
import json
import linecache
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from types import ModuleType
from typing import Any

from at_k.grading.code.cases import simplify
from at_k.grading.code.testing import (
    CANDIDATE,
    NOT_RUN,
    REACHED,
    comes_from_program,
    list_lines,
    run_tests,
    succeeds,
)

READY, FAULT, TOKEN, ERROR, DONE = b"R", b"F", b"T", b"E", b"D"
"""What a process tells its supervisor: that it is about to begin, or why it cannot; its token; how the tests failed;
that a case ran to its end, and what a function returned."""

TOKEN_LENGTH = 16
MOST_CHARACTERS = 500
"""Characters of an error message, and bytes of the names of tests, that are kept."""

FILE = "program.py"


def run_program(channel: int, candidate: str, sealed: list[Any]) -> None:
    """Run a candidate and its tests as one script, and tell the supervisor how that went."""
    module = enter_module(ModuleType("__main__"), candidate)
    sys.modules["candidate"] = module  # by which tests may import it
    namespace = vars(module)
    namespace["__builtins__"] = builtins
    os.write(channel, READY)
    try:
        sealed.insert(0, compile(candidate, CANDIDATE, "exec", dont_inherit=True))
        execute(channel, sealed, namespace)
        finish()
    except BaseException as error:  # noqa: BLE001 - SystemExit too: the tests did not run to their end
        report_error(channel, error)
        flush()


def enter_module(module: ModuleType, candidate: str) -> ModuleType:
    """Make a module the script that runs, with arguments of its own and a source that `inspect` finds."""
    sys.modules["__main__"] = module
    module.__file__ = os.path.join(os.getcwd(), FILE)
    sys.argv[:] = [module.__file__]
    linecache.cache[CANDIDATE] = len(candidate), None, candidate.splitlines(keepends=True), CANDIDATE
    return module


def execute(channel: int, sealed: list[Any], namespace: dict[str, Any]) -> None:
    """Run a candidate, then its tests, and then send the token and what decided, in one expression.

    Python evaluates a call from left to right. When the candidate starts, the token and every function and argument
    that is still to be used lie on the stack on which the interpreter evaluates this expression. No name refers to the
    token, frames do not show that stack, and the garbage collector does not visit it while the frame runs. So no code
    that a compiler has written finds the token; bytecode that none has can, in a file that Python imports. Replacing
    `exec`, `os.write` or a variable of this frame comes too late. The only way to the outer calls is that the inner
    ones return: the candidate's, and then that of the tests. A fork would have the same stack, so the token is cut to
    nothing unless the number of the process is still what it was. Code that reads and writes memory by address, as
    ctypes does, can find the token, and no arrangement inside one process prevents it.
    """
    os.write(
        channel,
        announce_token(channel)[
            : TOKEN_LENGTH
            * (
                os.getpid()
                # Each inner call returns None, and `or ()` makes it no argument at all of the call that waits for it.
                == os.getpid(
                    *(
                        run_tests(sealed.pop(), namespace, *(run_script(sealed.pop(), namespace) or ()))  # type: ignore[func-returns-value]
                        or ()
                    )
                )
            )
        ]
        + b"%d %b" % (len(REACHED), ", ".join(NOT_RUN).encode("utf-8", "replace")[:MOST_CHARACTERS]),
    )


def run_script(code: Any, namespace: dict[str, Any]) -> None:
    """Run a candidate. One that ends by an exit that reports success has defined what it defines: its tests run."""
    try:
        exec(code, namespace)
    except SystemExit as end:
        if not succeeds(end):
            raise


def announce_token(channel: int) -> bytes:
    """Make a token, send it to the supervisor, and return it."""
    token = os.urandom(TOKEN_LENGTH)
    os.write(channel, TOKEN + token)
    return token


def finish() -> None:
    """Do what Python does at the end of a script: wait for threads, call functions of `atexit`, print what waits."""
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()
    atexit._run_exitfuncs()
    flush()


def flush() -> None:
    """Write what was printed and waits in a buffer."""
    for stream in (sys.stdout, sys.__stdout__, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()


OFFERED = (
    *("string", "re", "datetime", "collections", "heapq", "bisect", "copy", "math", "random", "statistics"),
    *("itertools", "functools", "operator", "io", "sys", "json", "typing"),
)
"""The modules whose names LiveCodeBench puts before every program, and which programs for it use without an import."""

MOST_FRAMES = 50_000
"""How deep programs for LiveCodeBench may recurse."""


@cache
def prepare_module() -> ModuleType:
    """Make the module of a program that is run by cases, once: a fork copies each page of memory that it writes to."""
    module = ModuleType("__main__")
    for each in map(importlib.import_module, OFFERED):
        public = getattr(each, "__all__", [name for name in vars(each) if not name.startswith("_")])
        vars(module).update({name: getattr(each, name) for name in public if name not in vars(builtins)})
    vars(module).update({name: sys.modules[name] for name in OFFERED}, __builtins__=builtins)
    return module


def run_case(channel: int, candidate: str, function: str, arguments: Sequence[object], *, loose: bool) -> None:
    """Run a candidate for one case, and tell the supervisor what came of it. The supervisor knows what is right."""
    namespace = vars(enter_module(prepare_module(), candidate))
    namespace["__name__"] = "candidate" if function else "__main__"
    sys.modules["candidate"] = sys.modules["__main__"]
    sys.setrecursionlimit(MOST_FRAMES)
    os.write(channel, READY)
    try:
        # A script may end by an exit, whatever the exit says, as in LiveCodeBench.
        with suppress(*() if function else (SystemExit,)):
            exec(compile(candidate, CANDIDATE, "exec", dont_inherit=True), namespace)
        result = None
        if function:
            owner = namespace["Solution"]() if "class Solution" in candidate else sys.modules["candidate"]
            result = getattr(owner, function)(*arguments)
        else:
            finish()
        data = DONE + json.dumps(simplify(result, loose=loose)).encode()
        while data:
            data = data[os.write(channel, data) :]
    except BaseException as error:  # noqa: BLE001 - SystemExit too: the case did not run to its end
        report_error(channel, error)


def report_error(channel: int, error: BaseException) -> None:
    """Tell the supervisor with which exception a program ended. A program that prevents this has failed as well."""
    try:
        by_tests = not comes_from_program(error)
        report = {
            "detail": describe_error(error),
            "memory": isinstance(error, MemoryError),
            "line": find_line(error) if isinstance(error, AssertionError) and not error.args else None,
            # The tests import what is not here, or the program starts processes that are refused: no verdict.
            "missing": getattr(error, "name", "") if by_tests and isinstance(error, ModuleNotFoundError) else "",
            "refused": isinstance(error, RuntimeError) and "multiprocessing" in str(error),
        }
        os.write(channel, ERROR + json.dumps(report).encode())
    except BaseException:  # noqa: BLE001 - the error is the program's, and its text may do anything
        os.write(channel, ERROR)


def describe_error(error: BaseException) -> str:
    r"""Return the type and the last line of an exception.

    Examples:
        >>> describe_error(ValueError("first line\nlast line"))
        'ValueError: last line'
        >>> describe_error(AssertionError())
        'AssertionError'
    """
    name, lines = type(error).__name__, str(error).strip().splitlines()
    text = lines[-1] if name == "TestsFailedError" else f"{name}: {lines[-1]}" if lines else name
    return text[:MOST_CHARACTERS].encode("utf-8", "backslashreplace").decode()


def find_line(error: BaseException) -> int | None:
    """Return the number of the innermost line of the tests through which an exception passed, or None."""
    return max(enumerate(list_lines(error)), default=(0, None))[1]
