"""Run programs one after the other, each in a process of its own, and say how each ended.

It is a script, `python supervisor.py PARENT`, with a socket as standard input, and not a module, since importing `at_k`
loads NumPy: a fork of a process without it starts within a millisecond. Every page of memory that a fork touches is
copied, which costs more than anything else that is done for a program. PARENT is the process that started this one, for
people who read a list of processes. `pool.py` draws all processes.

What a case must print or return never reaches the supervisor, of which the process of a program is a copy.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pickle
import re
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from types import ModuleType
from typing import Any, NoReturn

if not __package__:  # the files of this folder are then imported without what their packages import
    place = os.path.dirname(os.path.realpath(__file__))
    for name in ("at_k.grading.code", "at_k.grading", "at_k"):
        sys.modules[name] = ModuleType(name)
        sys.modules[name].__path__ = [place]
        place = os.path.dirname(place)

from at_k.grading.code import isolation, program
from at_k.grading.code.protocol import (
    IDLE_SECONDS,
    MOST_RESULT,
    HarnessError,
    ProgramLimits,
    Report,
)
from at_k.grading.code.reach import compile_tests
from at_k.grading.code.watching import (
    Watch,
    count_tasks,
    end_children,
    open_processes,
    remove_folder,
)

# Modules that programs often import and that do not slow down every fork.
WARM = (
    "bisect",
    "cmath",
    "collections",
    "copy",
    "functools",
    "heapq",
    "itertools",
    "math",
    "re",
    "resource",
    "string",
)

# The name of the directory in which a program finds itself.
WORK = "work"

# The samples of a problem come one after the other, with the same tests.
compile_once = lru_cache(maxsize=16)(compile_tests)


def send(caller: socket.socket, message: object) -> None:
    """Send a message as a line of JSON, which runs no code where it is read."""
    caller.sendall(json.dumps(message).encode() + b"\n")


def hold(text: str) -> int:
    """Return a handle on a file without a name that holds a text."""
    handle = os.memfd_create("input")
    with os.fdopen(os.dup(handle), "wb") as file:
        file.write(text.encode("utf-8", "surrogatepass"))
    os.lseek(handle, 0, os.SEEK_SET)
    return handle


class Supervisor:
    """Run programs, each in a directory of its own, which is empty."""

    def __init__(
        self,
        caller: socket.socket,
        folder: str,
        number: int,
        limits: ProgramLimits,
        *,
        isolated: bool,
        careful: bool,
    ) -> None:
        # If the caller closes its socket, a running program ends. `isolated` is the first process of namespaces of its
        # own, a `careful` one keeps files out of reach, and no other supervisor has its number.
        self.caller, self.limits, self.isolated = caller, limits, isolated
        self.processes, self.place = open_processes(), os.path.join(folder, WORK)
        needed = [path for path in {sys.prefix, sys.base_prefix, *sys.path} if os.path.isdir(path)]
        libraries = [
            path
            for path in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
            if os.path.isabs(path)
        ]
        if isolated:
            isolation.connect_to_itself()
            isolation.arrange_mounts(self.place, [*needed, *filter(os.path.isdir, libraries)])
        else:
            isolation.adopt_orphans()
        isolation.shut_memory()
        hidden = isolation.PRIVATE if isolated else ()  # they are empty
        devices = ("/dev",) if isolated else isolation.DEVICES
        readable = [*needed, *sys.path, *libraries, *isolation.READABLE, *hidden]
        self.rules = isolation.allow_files(readable, [folder, *devices])
        self.user, self.may_read = isolation.choose_user([folder, *needed], number)
        if self.rules is None and (self.may_read or (careful and not isolated)):
            raise OSError(
                "there is no Landlock, which keeps programs from files; where others than root can read this Python, "
                "the environment variable AT_K_ISOLATION=none does without it"
            )
        # From Linux 5.14 on, each user namespace counts for itself. A user of the supervisor's own has no other tasks.
        release = tuple(int(number) for number in re.findall(r"\d+", os.uname().release)[:2])
        alone = self.user is not None or (isolated and release >= (5, 14))
        self.other_tasks = 0 if alone else count_tasks(self.processes, os.getuid())
        self.filter = isolation.make_filter(network=isolated)
        # Locks of multiprocessing are files in /dev/shm.
        self.private = {self.place: 0o700} | (
            {"/dev/shm": 0o1777} if os.path.isdir("/dev/shm") else {}
        )

    def serve(self) -> None:
        """Run what the caller sends, until it closes the connection, or sends nothing for long."""
        os.environ.clear()
        os.environ.update(PATH=os.defpath, HOME=self.place, TMPDIR=self.place)
        os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        # Programs import this library as if it had not been there.
        for name in [name for name in sys.modules if name.partition(".")[0] == "at_k"]:
            del sys.modules[name]
        sys.modules["__main__"] = ModuleType("__main__")
        gc.collect()
        gc.freeze()  # before the first fork, so that no collection in a program copies what it shares with this process
        send(self.caller, "")
        self.caller.settimeout(IDLE_SECONDS)
        with suppress(EOFError, OSError), self.caller.makefile("rb") as requests:
            while True:
                request = pickle.load(requests)
                try:
                    answer = self.run(request)
                except (HarnessError, OSError) as fault:  # there may be no room for another process
                    answer = {"fault": str(fault)}
                send(self.caller, answer)
        os._exit(0)

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run a candidate with its tests, or for one case, in a fresh process. Return what was seen of it."""
        job = self._read(request)
        limits = replace(self.limits, output=request["output"])
        report = Report(MOST_RESULT)
        printed, printing = os.pipe()
        os.set_blocking(printed, False)
        self._make_place()
        try:
            source = hold(request.get("input", ""))
            pid = os.fork()
            if pid == 0:
                noise = printing
                if "tests" not in request:
                    noise = os.open(os.devnull, os.O_WRONLY)
                self._become_program(job, report, (source, printing, noise), limits)
            for handle in (source, printing):
                os.close(handle)
            watch = Watch(pid, printed, self.caller, limits, self.processes, report)
            try:
                watch.follow()
            finally:
                watch.end_program(all_inside=self.isolated)
        finally:
            self._clear_place()
            os.close(printed)
        return watch.describe()

    def _read(self, request: dict[str, Any]) -> Callable[[Report], None]:
        """Return what the process of a program must do."""
        candidate = request["candidate"]
        if "tests" in request:
            tests = request["tests"]
            return partial(
                program.run_program,
                candidate=candidate,
                tests=compile_once(tests),
                has_cases="unittest" in tests or "unittest" in candidate,
            )
        program.prepare_module()
        function = request["function"]
        arguments = request["arguments"]
        loose = request["loose"]
        return partial(
            program.run_case,
            candidate=candidate,
            function=function,
            arguments=arguments,
            loose=loose,
        )

    def _make_place(self) -> None:
        if self.isolated:  # to mount takes 0.06 ms
            for directory, mode in self.private.items():
                isolation.mount_memory(directory, self.limits.file_size, mode=mode, owner=self.user)
        else:
            os.mkdir(self.place, 0o700)
            if self.user is not None:
                os.chown(self.place, self.user, self.user)

    def _clear_place(self) -> None:
        if self.isolated:
            for directory in self.private:
                isolation.unmount(directory)
        else:
            remove_folder(self.place)

    def _become_program(
        self,
        job: Callable[[Report], None],
        report: Report,
        streams: tuple[int, int, int],
        limits: ProgramLimits,
    ) -> NoReturn:
        """Turn this process, a fork of the supervisor, into that of a program, and run it."""
        leave = os._exit
        try:
            os.setsid()
            isolation.restrict_files(self.rules)
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            os.closerange(3, os.sysconf("SC_OPEN_MAX"))
            try:
                os.chdir(self.place)
                isolation.give_up_privileges(self.user, may_read=self.may_read)
                isolation.apply_limits(limits, other_tasks=self.other_tasks, shared=MOST_RESULT)
                isolation.restrict_calls(self.filter)
                sys.addaudithook(isolation.refuse_forks)
            except Exception as error:  # noqa: BLE001 - a program that cannot be confined must not start
                report.write({"fault": program.describe_error(error)})
                leave(1)
            job(report)
            leave(0)
        finally:
            leave(1)


def main() -> None:
    """Be the keeper of a supervisor that answers on the socket which is standard input."""
    caller = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nothing, stream)
    os.close(nothing)
    with caller.makefile("rb", buffering=0) as requests:
        sys.path[:], temporary, limits, isolated, careful = pickle.load(requests)
    for name in WARM:
        importlib.import_module(name)
    sys.dont_write_bytecode = True  # from here on: this library's own may be written
    os.umask(0o022)
    folder = os.path.join(temporary, f"at-k-code-{os.urandom(8).hex()}")
    processes = open_processes()
    number = os.getpid()
    pid = -1
    status = 1
    try:
        os.mkdir(folder, 0o755)
        isolation.adopt_orphans()
        if isolated:
            isolation.enter_namespaces()
        pid = os.fork()
        if pid == 0:
            Supervisor(caller, folder, number, limits, isolated=isolated, careful=careful).serve()
        caller.close()
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except Exception as error:  # noqa: BLE001 - the other side must hear of it
        send(caller, f"no program could be run: {program.describe_error(error)}")
    finally:
        if pid:  # this is the keeper
            end_children(processes, all_inside=False)
            for directory in (os.path.join(folder, WORK), folder):
                remove_folder(directory)
        os._exit(status)


if __name__ == "__main__":
    main()
