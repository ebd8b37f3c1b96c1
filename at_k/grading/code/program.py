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
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from types import ModuleType
from typing import Any

from at_k.grading.code.cases import simplify
from at_k.grading.code.testing import CANDIDATE, MODULE, NOT_RUN, REACHED, TESTS

READY, FAULT, TOKEN, ERROR, DONE = b"R", b"F", b"T", b"E", b"D"
"""What a process tells its supervisor: that it is about to begin, or why it cannot; its token; how the tests failed;
that a case ran to its end, and what a function returned."""

TOKEN_LENGTH = 16
MOST_CHARACTERS = 500
"""Characters of an error message, and bytes of the names of tests, that are kept."""


def separate_builtins() -> dict[str, object]:
    """Give programs a module `builtins` of their own, and return the built-in functions for the tests.

    What a candidate puts into `builtins` reaches itself, and neither the tests nor the standard library. Both are made
    once, in the supervisor: a copy in each process would touch a hundred pages of memory, a fifth of all that it does.
    """
    sys.settrace = ignore_no_trace(sys.settrace)
    copied = ModuleType("builtins")
    vars(copied).update(vars(builtins))
    sys.modules["builtins"] = copied
    return dict(vars(builtins))


def ignore_no_trace(settrace: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return a `sys.settrace` that does nothing for None, which is how `doctest` calls it."""

    def set_trace(function: Any) -> None:
        if function is not None:
            settrace(function)

    return set_trace


def run_program(channel: int, candidate: str, sealed: list[Any]) -> None:
    """Run a candidate and its tests, and tell the supervisor how that went.

    Args:
        channel: a socket to the supervisor.
        candidate: the source of the candidate program.
        sealed: the built-in functions for the tests, and the compiled tests. Both are taken out of this list before the
            candidate starts, so that it does not find them in a frame.
    """
    module = ModuleType(MODULE)
    namespace = vars(module)
    namespace["__builtins__"] = vars(sys.modules["builtins"])
    # For pickle, dataclasses, unittest and everything else that looks for the module of a class.
    sys.modules[MODULE] = sys.modules["__main__"] = module
    os.write(channel, READY)
    try:
        sealed[0] = partial(namespace.update, __builtins__=sealed[0], __name__="__main__", __file__=TESTS)
        sealed.insert(0, compile(candidate, CANDIDATE, "exec", dont_inherit=True))
        execute(channel, sealed, namespace)
    except BaseException as error:  # noqa: BLE001 - SystemExit too: the tests did not run to their end
        report_error(channel, error)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()


def execute(channel: int, sealed: list[Any], namespace: dict[str, object]) -> None:
    """Run a candidate, then its tests, and then send the token and what decided, in one expression.

    Python evaluates a call from left to right. When the candidate starts, the token and every function and argument
    that is still to be used lie on the stack on which the interpreter evaluates this expression. No name refers to the
    token, frames do not show that stack, and the garbage collector does not visit it while the frame runs. So no code
    that a compiler has written finds the token; bytecode that none has can, in a file that Python imports. Replacing
    `exec`, `os.write` or a variable of this frame comes too late. The only way to the outer calls is that the inner
    ones return: the candidate's, and then that of the tests. A fork would have the same stack, so the token is cut to
    nothing unless the number of the process is still what it was: a fork that comes to the end of the tests has nothing
    to hand to the process that it came from. Code that reads and writes
    memory by address, as ctypes does, can find the token, and no arrangement inside one process prevents it. How many
    lines decided, and which tests could not be run, protects nothing: it comes after tests that the program has passed.

    Args:
        channel: a socket to the supervisor.
        sealed: the compiled candidate, what gives the tests their built-in functions and name, and the compiled tests.
        namespace: the global variables of both.
    """
    os.write(
        channel,
        announce_token(channel)[
            : TOKEN_LENGTH
            * (
                os.getpid()
                # Each inner call returns None, and `or ()` makes it no argument at all of the call that waits for it,
                # which a type checker does not expect of None.
                == os.getpid(
                    *(exec(sealed.pop(), namespace, sealed.pop()(*(exec(sealed.pop(), namespace) or ()))) or ())  # type: ignore[func-returns-value]
                )
            )
        ]
        + b"%d %b" % (len(REACHED), ", ".join(NOT_RUN).encode("utf-8", "replace")[:MOST_CHARACTERS]),
    )


def announce_token(channel: int) -> bytes:
    """Make a token, send it to the supervisor, and return it."""
    token = os.urandom(TOKEN_LENGTH)
    os.write(channel, TOKEN + token)
    return token


OFFERED = (
    *("string", "re", "datetime", "collections", "heapq", "bisect", "copy", "math", "random", "statistics"),
    *("itertools", "functools", "operator", "io", "sys", "json", "typing"),
)
"""The modules whose names LiveCodeBench puts before every program, and which programs for it use without an import."""

MOST_FRAMES = 50_000
"""How deep programs for LiveCodeBench may recurse."""


@cache
def prepare_module() -> ModuleType:
    """Make the module of a program that is run by cases. It is made once, in the supervisor, as above."""
    module, names = ModuleType("__main__"), vars(sys.modules["builtins"])
    for each in map(importlib.import_module, OFFERED):
        public = getattr(each, "__all__", [name for name in vars(each) if not name.startswith("_")])
        vars(module).update({name: getattr(each, name) for name in public if name not in names})
    vars(module).update({name: sys.modules[name] for name in OFFERED}, __builtins__=names)
    return module


def run_case(channel: int, candidate: str, function: str, arguments: Sequence[object]) -> None:
    """Run a candidate for one case, and tell the supervisor what came of it. The supervisor knows what is right.

    Args:
        channel: a socket to the supervisor.
        candidate: the source of the candidate program.
        function: the function, or the method of `Solution`, that is called; "" for a script that reads its input.
        arguments: the arguments of the function.
    """
    module = prepare_module()
    namespace = vars(module)
    namespace["__name__"] = MODULE if function else "__main__"
    sys.modules[MODULE] = sys.modules["__main__"] = module
    sys.setrecursionlimit(MOST_FRAMES)
    os.write(channel, READY)
    try:
        result = _run_case(namespace, candidate, function, arguments)
        data = DONE + json.dumps(simplify(result)).encode()
        while data:
            data = data[os.write(channel, data) :]
    except BaseException as error:  # noqa: BLE001 - SystemExit too: the case did not run to its end
        report_error(channel, error)


def _run_case(namespace: dict[str, Any], candidate: str, function: str, arguments: Sequence[object]) -> object:
    """Return what a function returns; None for a script that ran to the end of its threads.

    A script may end by an exit, whatever the exit says, as in LiveCodeBench.
    """
    with suppress(*() if function else (SystemExit,)):
        exec(compile(candidate, CANDIDATE, "exec", dont_inherit=True), namespace)
    if function:
        owner = namespace["Solution"]() if "class Solution" in candidate else sys.modules[MODULE]
        return getattr(owner, function)(*arguments)
    for thread in sys.modules["threading"].enumerate() if "threading" in sys.modules else ():
        if not thread.daemon and thread is not sys.modules["threading"].current_thread():
            thread.join()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.__stdout__):
        if stream is not None and not stream.closed:
            stream.flush()
    return None


def report_error(channel: int, error: BaseException) -> None:
    """Tell the supervisor with which exception a program ended. A program that prevents this has failed as well."""
    try:
        report = {
            "detail": describe_error(error),
            "memory": isinstance(error, MemoryError),
            "line": find_line(error) if isinstance(error, AssertionError) and not error.args else None,
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
    text = f"{name}: {lines[-1]}" if lines else name
    return text[:MOST_CHARACTERS].encode("utf-8", "backslashreplace").decode()


def find_line(error: BaseException) -> int | None:
    """Return the number of the innermost line of the tests through which an exception passed."""
    found, step = None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == TESTS:
            found = step.tb_lineno
        step = step.tb_next
    return found
