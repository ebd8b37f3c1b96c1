"""Run programs one after the other, each in a process of its own, and say how each ended.

It is a script, `python supervisor.py PARENT`, with a socket as standard input, and not a module, since importing `at_k`
loads NumPy: a fork of a process without it starts within a millisecond. Every page of memory that a fork touches is
copied, which costs more than anything else that is done for a program. PARENT is the process that started this one, for
people who read a list of processes. `pool.py` draws all processes. None of them runs a program's code itself.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from types import ModuleType
from typing import Any, NoReturn

if not __package__:  # the files of this folder are then imported without what their packages import
    place = os.path.dirname(os.path.realpath(__file__))
    for name in ("at_k.grading.code", "at_k.grading", "at_k"):
        sys.modules[name] = ModuleType(name)
        sys.modules[name].__path__ = [place]
        place = os.path.dirname(place)

from at_k.grading.code import isolation, program
from at_k.grading.code.cases import (
    MOST_DIGITS,
    USUAL_DIGITS,
    Cases,
    compare_output,
    compare_value,
    limit_digits,
    read_cases,
)
from at_k.grading.code.protocol import (
    MEBIBYTE,
    HarnessError,
    Outcome,
    ProgramLimits,
    Status,
    receive_message,
    send_message,
)
from at_k.grading.code.testing import Tests, compile_tests
from at_k.grading.code.watching import Watch, count_tasks, end_children, open_processes, remove_folder

WARM = ("bisect", "cmath", "collections", "copy", "functools", "heapq", "itertools", "math", "re", "resource", "string")
"""What programs often import, and what does not make every fork slower for those that do not. So is `typing`."""

CHANNEL = 3
"""The number of the socket on which a verdict travels. It is the only file left open above the standard ones."""

MOST_RESULT = 64 * MEBIBYTE
"""Bytes of what a function returns. A program that returns more fails."""

KIBIBYTE = 1024 if isolation.LINUX else 1
"""The unit of `ru_maxrss`."""


@lru_cache(maxsize=16)
def compile_once(tests: str) -> Tests | Cases:
    """Compile tests, or read their cases. The samples of a problem come one after the other, with the same tests."""
    return read_cases(tests) or compile_tests(tests)


@dataclass
class Supervisor:
    """Run programs.

    Attributes:
        connection: the socket to the process that wants the outcomes. If it is closed, a running program ends.
        place: the directory in which each program finds itself, empty.
        limits: how much each program may use.
        isolation: what protects the machine. With "namespaces", this process is the first one of its own.
        user: the user that programs run as, or None for the present one.
        may_read: whether that user needs the right to read all files.
        processes: a handle on /proc, as it is outside of the namespaces.
        rules: the rules by which programs may open files, or None where the kernel has none.
    """

    connection: socket.socket
    place: str
    limits: ProgramLimits
    isolation: str
    user: int | None
    may_read: bool
    processes: int | None
    rules: int | None

    def __post_init__(self) -> None:
        self.isolated = self.isolation == "namespaces"
        # From Linux 5.14 on, each user namespace counts for itself. A user of the supervisor's own has no other tasks.
        release = tuple(int(number) for number in re.findall(r"\d+", os.uname().release)[:2])
        alone = self.user is not None or (self.isolated and release >= (5, 14))
        self.other_tasks = 0 if alone else count_tasks(self.processes, os.getuid())
        self.filter = isolation.make_filter(network=self.isolated)
        # Locks of multiprocessing are files in /dev/shm.
        self.private = {self.place: 0o700} | ({"/dev/shm": 0o1777} if os.path.isdir("/dev/shm") else {})
        self.mounted: dict[str, object] = {}

    def run(self, request: dict[str, str]) -> Outcome:
        """Run a candidate and its tests in a fresh process, or in one for each case, and say how that ended."""
        sealed: list[Any] = [compile_once(request["tests"])]
        if isinstance(sealed[0], Cases):
            return self._run_cases(request, sealed[0])

        def run_tests() -> None:
            candidate = request["candidate"]
            _forget(request)
            limit_digits(USUAL_DIGITS)
            program.run_program(CHANNEL, candidate, sealed)

        watch = self._run_once(run_tests, self.limits)
        status, detail, reached = judge_end(watch, request["tests"])
        return Outcome(status, detail, watch.text, self.isolation, reached)

    def _run_cases(self, request: dict[str, str], cases: Cases) -> Outcome:
        """Run a candidate in a fresh process for each case, until one of them fails.

        The outputs stay on this side: the process of the program forgets them before it starts the candidate.
        """
        program.prepare_module()
        count = len(cases.inputs)
        until = time.monotonic() + (self.limits.total or (self.limits.timeout + 1) * count + 5)
        for place in range(count):

            def run_case(place: int = place) -> None:
                arguments = cases.inputs[place] if cases.function else []
                cases.inputs.clear()
                cases.outputs.clear()
                candidate = request["candidate"]
                _forget(request)
                program.run_case(CHANNEL, candidate, cases.function, arguments, loose=cases.loose)

            left = until - time.monotonic()
            most = MOST_RESULT if cases.function else 2 * len(cases.outputs[place]) + MEBIBYTE
            limits = replace(self.limits, timeout=max(0.01, min(left, self.limits.timeout)), output=most)
            watch = self._run_once(run_case, limits, "" if cases.function else cases.inputs[place])
            status, detail = judge_case(watch, cases, place)
            if status == "timed out" and left < self.limits.timeout:
                detail = "all tests together took too long"
            if status != "passed":
                printed = watch.text[: self.limits.output]
                return Outcome(status, f"test {place + 1} of {count}: {detail}", printed, self.isolation)
        return Outcome("passed", "", "", self.isolation, count)

    def _run_once(self, job: Callable[[], None], limits: ProgramLimits, text: str | None = None) -> Watch:
        """Do a job in a fresh process, and return what was seen of it."""
        own, theirs = socket.socketpair()  # and not a pipe, which a program could open anew for reading
        printed, printing = os.pipe()
        os.set_blocking(printed, False)
        self._make_place()
        try:
            source = os.open(os.devnull, os.O_RDONLY) if text is None else self._hold(text)
            pid = os.fork()
            if pid == 0:
                noise = printing if text is None else os.open(os.devnull, os.O_WRONLY)
                self._become_program(job, theirs.fileno(), (source, printing, noise), limits)
            for handle in (source, printing):
                os.close(handle)
            theirs.close()
            watch = Watch(pid, own, printed, self.connection, limits, self.processes)
            try:
                watch.follow()
            finally:
                watch.end_program(all_inside=self.isolated)
        finally:
            self._clear_place()
            own.close()
            os.close(printed)
        if watch.message.startswith(program.FAULT):
            raise HarnessError(watch.message[1:].decode("utf-8", "replace"))
        if not watch.message.startswith(program.READY):
            raise HarnessError(f"the process of a program ended with status {watch.status} before the program began")
        return watch

    def _hold(self, text: str) -> int:
        """Return a handle on a file that holds a text, without a name where the system has such files."""
        path = os.path.join(os.path.dirname(self.place), "input")
        handle = os.memfd_create("input") if isolation.LINUX else os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        with os.fdopen(os.dup(handle), "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        os.lseek(handle, 0, os.SEEK_SET)
        return handle

    def _make_place(self) -> None:
        if not self.isolated:
            os.mkdir(self.place, 0o700)
            if self.user is not None:
                os.chown(self.place, self.user, self.user)
            return
        for directory, mode in self.private.items():
            if directory not in self.mounted:
                isolation.mount_memory(directory, self.limits.file_size, mode=mode, owner=self.user)
                os.utime(directory, (0, 0))
                self.mounted[directory] = _describe_folder(directory)

    def _clear_place(self) -> None:
        """Remove what a program has left. A mount in which it has changed nothing, as most do, serves the next one."""
        if not self.isolated:
            remove_folder(self.place)
        for directory, seen in list(self.mounted.items()):
            if _describe_folder(directory) != seen:
                isolation.unmount(directory)
                del self.mounted[directory]

    def _become_program(
        self, job: Callable[[], None], channel: int, streams: tuple[int, int, int], limits: ProgramLimits
    ) -> NoReturn:
        """Turn this process, a fork of the supervisor, into that of a program, and run it."""
        leave = os._exit
        try:
            os.setsid()
            isolation.restrict_files(self.rules)
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            os.dup2(channel, CHANNEL, inheritable=False)
            os.closerange(CHANNEL + 1, os.sysconf("SC_OPEN_MAX"))
            try:
                os.chdir(self.place)
                isolation.give_up_privileges(self.user, may_read=self.may_read)
                isolation.apply_limits(limits, self.other_tasks)
                isolation.restrict_calls(self.filter)
                sys.addaudithook(isolation.refuse_forks)
                if not self.isolated:
                    sys.addaudithook(isolation.guard_machine(self.place))
            except Exception as error:  # noqa: BLE001 - a program that cannot be confined must not start
                os.write(CHANNEL, program.FAULT + program.describe_error(error).encode())
                leave(1)
            job()
            leave(0)
        finally:
            leave(1)


def _forget(request: dict[str, str]) -> None:
    """Forget, in the process of a program, what its candidate must not find."""
    request.clear()
    compile_once.cache_clear()


def _describe_folder(folder: str) -> object:
    """Return what changes when anybody makes, removes or changes something in a folder, or its mode."""
    status = os.stat(folder)  # the clock of the kernel may stand for 4 ms: the list is looked at besides
    return status.st_ctime_ns, status.st_mtime_ns, status.st_mode, os.listdir(folder)


def judge_end(watch: Watch, tests: str) -> tuple[Status, str, int]:
    """Return the verdict on a program with its tests, and how many of their lines decided."""
    reached, not_run = watch.end or (None, "")
    if not_run:
        raise HarnessError(
            f"the test program holds tests that nobody called, and that need arguments, are asynchronous, or need "
            f"the runner of pytest: {not_run}; call them, as in a last line such as check(name_of_the_function)"
        )
    if reached == 0:
        raise HarnessError(
            "the test program reached no assertion and called nothing of the program, so that every program would "
            "pass; that of HumanEval needs a last line such as check(name_of_the_function)"
        )
    if reached and not watch.status and not watch.overtime:
        return "passed", "", reached
    return *judge_failure(watch, tests), 0


def judge_case(watch: Watch, cases: Cases, place: int) -> tuple[Status, str]:
    """Return the verdict on a candidate in one case. A script may also end by `os._exit(0)`."""
    message, wanted = watch.message.removeprefix(program.READY), cases.outputs[place]
    left = not cases.function and not message and watch.status == 0 and not watch.closed
    if watch.overtime or not (message.startswith(program.DONE) or left):
        return judge_failure(watch, "")
    if cases.function:
        try:
            fault = compare_value(json.loads(message[1:]), wanted, watch.limits.tolerance)
        except (ValueError, RecursionError):
            fault = "what it returned cannot be read"
    else:
        fault = compare_output(watch.text, wanted, watch.limits.tolerance)
    return ("failed", fault) if fault else ("passed", "")


def judge_failure(watch: Watch, tests: str) -> tuple[Status, str]:
    """Return the verdict on a program that did not run to the end of its tests."""
    if watch.overtime:
        return "timed out", watch.overtime
    start = watch.message.rfind(program.ERROR + b"{")
    try:
        report = json.loads(watch.message[start + 1 :]) if start >= 0 else None
    except ValueError:
        report = None
    if isinstance(report, dict):
        return judge_error(report, tests)
    if watch.closed:
        return "failed", "the program closed the channel of its verdict, or wrote to it"
    return judge_exit(os.waitstatus_to_exitcode(watch.status), watch.used, watch.limits)


def judge_error(report: dict[str, Any], tests: str) -> tuple[Status, str]:
    """Return the verdict on a program that ended with an exception."""
    detail, line = str(report.get("detail")), report.get("line")
    if report.get("missing"):
        raise HarnessError(
            f"the test program imports `{report['missing']}`, which is not installed here; install it, or, if it "
            "stands for the program, remove the import: the tests see what the program defines"
        )
    if report.get("refused"):
        raise HarnessError(detail)
    lines = tests.splitlines()
    if isinstance(line, int) and 0 < line <= len(lines):
        detail += f" in line {line} of the tests: {lines[line - 1].strip()}"
    return "killed for memory" if report.get("memory") else "failed", detail


def judge_exit(code: int, used: Any, limits: ProgramLimits) -> tuple[Status, str]:
    """Return the verdict on a program that ended without saying how."""
    if code >= 0:
        return "failed", f"ended with exit code {code} before the end of the tests"
    if -code in (signal.SIGKILL, signal.SIGXCPU) and used.ru_utime + used.ru_stime >= limits.timeout:
        return "timed out", f"{limits.timeout:g} s of processor time"
    if -code == signal.SIGKILL and used.ru_maxrss * KIBIBYTE >= limits.memory / 2:
        return "killed for memory", "the system ended the process"
    return "failed", f"ended by {signal.Signals(-code).name} before the end of the tests"


def keep(connection: socket.socket) -> NoReturn:
    """Be the keeper of a supervisor, until the other side closes the connection.

    The first message holds `path`, `temporary`, `limits`, and `isolation`, the name of what protects the machine. The
    answer is empty, or a fault. Each further message holds `candidate` and `tests`, and its answer the fields
    of an `Outcome`, or a `fault`.
    """
    settings = json.loads(receive_message(connection) or b"{}")
    if not settings:
        sys.exit()
    sys.path[:] = settings["path"]
    for name in WARM:
        importlib.import_module(name)
    sys.dont_write_bytecode = True  # from here on: this library's own may be written
    os.umask(0o022)
    limit_digits(MOST_DIGITS)
    folder = os.path.join(settings["temporary"], f"at-k-code-{os.urandom(8).hex()}")
    os.mkdir(folder, 0o755)
    isolation.adopt_orphans()
    inner = os.fork()
    if inner == 0:
        try:
            serve(folder, connection, ProgramLimits(**settings["limits"]), settings["isolation"])
        except Exception as error:  # noqa: BLE001 - the other side must hear of it
            send_message(connection, f"no program could be run: {program.describe_error(error)}".encode())
        finally:
            os._exit(1)
    connection.close()
    os.waitpid(inner, 0)
    end_children(open_processes(), all_inside=False)
    remove_folder(folder)
    os._exit(0)


def serve(folder: str, connection: socket.socket, limits: ProgramLimits, kind: str) -> None:
    """Isolate this process, if that is asked for, and answer requests."""
    needed = [path for path in {sys.prefix, sys.base_prefix, *sys.path} if os.path.isdir(path)]
    libraries = [path for path in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if os.path.isabs(path)]
    processes, number = open_processes(), os.getpid()
    place, isolated = os.path.join(folder, "work"), kind == "namespaces"
    if isolated:
        isolation.enter_namespaces()
        init = os.fork()
        if init:
            connection.close()
            os.waitpid(init, 0)
            os._exit(0)
        isolation.connect_to_itself()
        isolation.arrange_mounts(place, [*needed, *filter(os.path.isdir, libraries)])
    else:
        isolation.adopt_orphans()
    isolation.shut_memory()
    hidden = isolation.PRIVATE if isolated else ()  # they are empty
    rules = isolation.allow_files([*needed, *sys.path, *libraries, *isolation.READABLE, *hidden], [folder, "/dev"])
    user, may_read = isolation.choose_user([folder, *needed], number)
    if may_read and rules is None:
        raise OSError("only root can read this Python, and programs with the right to do so could read all files")
    os.environ.clear()
    os.environ.update(PATH=os.defpath, HOME=place, TMPDIR=place, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    sys.settrace = isolation.ignore_no_trace(sys.settrace)
    sys.addaudithook(isolation.refuse_jumps)
    supervisor = Supervisor(connection, place, limits, kind, user, may_read, processes, rules)
    # Programs import this library as if it had not been there.
    for name in [name for name in sys.modules if name.partition(".")[0] == "at_k"]:
        del sys.modules[name]
    sys.modules["__main__"] = ModuleType("__main__")
    gc.collect()
    gc.freeze()  # before the first fork, so that no collection in a program copies what it shares with this process
    send_message(connection, b"")
    # The text of a request must not lie in this frame, where a program could find it.
    while request := json.loads(receive_message(connection) or b"{}"):
        try:
            answer = vars(supervisor.run(request))
        except HarnessError as fault:
            answer = {"fault": str(fault)}
        send_message(connection, json.dumps(answer).encode())
    os._exit(0)


def main() -> None:
    """Serve on the socket that is standard input."""
    connection = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nothing, stream)
    os.close(nothing)
    keep(connection)


if __name__ == "__main__":
    main()
