"""Run programs one after the other, each in a process of its own, and say how each ended.

A supervisor is a Python process with a single thread, started afresh by `pool.py`. A fork of it starts within a
millisecond, since it has imported little: every page of memory that a fork touches is copied, which costs more than
anything else that is done for a program. A supervisor runs none of a program's code itself.
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
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from types import CodeType, ModuleType
from typing import Any, NoReturn

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
from at_k.grading.code.guard import guard_machine, refuse_forks, refuse_jumps
from at_k.grading.code.limits import MEBIBYTE, ProgramLimits, apply_limits
from at_k.grading.code.messages import receive_message, send_message
from at_k.grading.code.outcomes import HarnessError, Outcome, Status
from at_k.grading.code.processes import count_tasks, end_children, kill, open_processes, remove_folder
from at_k.grading.code.testing import compile_tests
from at_k.grading.code.watching import Watch

WARM = ("bisect", "cmath", "collections", "copy", "functools", "heapq", "itertools", "math", "re", "string", "typing")
"""What programs often import, and what does not make every fork slower for those that do not."""

CHANNEL = 3
"""The number of the socket on which a verdict travels. It is the only file left open above the standard ones."""

MOST_RESULT = 64 * MEBIBYTE
"""Bytes of what a function returns. A program that returns more fails."""

KIBIBYTE = 1024 if isolation.LINUX else 1
"""The unit of `ru_maxrss`."""


@lru_cache(maxsize=16)
def compile_once(tests: str, by_pytest: bool) -> CodeType | Cases:
    """Compile tests, or read their cases. The samples of a problem come one after the other, with the same tests."""
    return read_cases(tests) or compile_tests(tests, by_pytest=by_pytest)


def serve(connection: socket.socket) -> NoReturn:
    """Be a supervisor, until the other side closes the connection.

    The first message holds `path` (none for that of this Python), `temporary`, `limits`, `isolate`, and the name of the
    `sandbox` that this process is in, if any. The answer holds the `isolation` that is in
    force, or a `fault`. Each further message holds `candidate` and `tests`, and its answer the fields of an `Outcome`,
    or a `fault`.
    """
    settings = receive_message(connection)
    if settings is None:
        sys.exit()
    sys.path[:] = settings["path"] or sys.path
    for name in WARM:
        importlib.import_module(name)
    if settings["limits"].get("pytest"):
        importlib.import_module("pytest")
    os.umask(0o022)
    limit_digits(MOST_DIGITS)
    folder = os.path.join(settings["temporary"], f"at-k-code-{os.urandom(8).hex()}")
    os.mkdir(folder, 0o755)
    isolation.adopt_orphans()
    inner = os.fork()
    if inner == 0:
        try:
            _serve_in(
                folder,
                connection,
                ProgramLimits(**settings["limits"]),
                isolate=settings["isolate"],
                sandbox=settings["sandbox"],
            )
        except Exception as error:  # noqa: BLE001 - the other side must hear of it
            send_message(connection, {"fault": program.describe_error(error)})
        finally:
            os._exit(1)
    # This process stays outside of the namespaces, and so can clean up when the supervisor has ended, even if killed.
    connection.close()
    os.waitpid(inner, 0)
    end_children(open_processes(), all_inside=False)
    remove_folder(folder)
    os._exit(0)


def _serve_in(folder: str, connection: socket.socket, limits: ProgramLimits, *, isolate: bool, sandbox: str) -> None:
    """Isolate this process, if that is asked for, and serve."""
    needed = [path for path in {sys.prefix, sys.base_prefix, *sys.path} if os.path.isdir(path)]
    libraries = [path for path in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if os.path.isabs(path)]
    processes, number = open_processes(), os.getpid()
    place = os.path.join(folder, "work")
    if isolate:
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
    hidden = isolation.PRIVATE if isolate else ()  # they are empty
    rules = isolation.allow_files([*needed, *sys.path, *libraries, *isolation.READABLE, *hidden], [folder, "/dev"])
    user, may_read = isolation.choose_user([folder, *needed], number)
    if may_read and rules is None:
        raise OSError("only root can read this Python, and programs with the right to do so could read all files")
    os.environ.clear()
    os.environ.update(PATH=os.defpath, HOME=place, TMPDIR=place, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    sys.addaudithook(refuse_jumps)
    supervisor = Supervisor(connection, place, limits, isolate, user, may_read, processes, rules, sandbox)
    _hide_own_modules()
    gc.collect()
    gc.freeze()  # before the first fork, so that no collection in a program copies what it shares with this process
    send_message(connection, {"isolation": supervisor.isolation})
    while (request := receive_message(connection)) is not None:
        try:
            answer = asdict(supervisor.run(request))
        except HarnessError as fault:
            answer = {"fault": str(fault)}
        send_message(connection, answer)
    os._exit(0)


def _hide_own_modules() -> None:
    """Forget the modules of this library, so that programs import the library as if it had not been there."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "at_k"]:
        del sys.modules[name]
    sys.modules["__main__"] = ModuleType("__main__")


@dataclass
class Supervisor:
    """Run programs.

    Attributes:
        connection: the socket to the process that wants the outcomes. If it is closed, a running program ends.
        place: the directory in which each program finds itself, empty.
        limits: how much each program may use.
        isolated: whether this process is the first one of a namespace of processes.
        user: the user that programs run as; None for the present one.
        may_read: whether that user needs the right to read all files.
        processes: a handle on /proc, as it is outside of the namespaces.
        rules: the rules by which programs may open files; None where the kernel has none.
        sandbox: the name of the sandbox that this process is in, if any.
    """

    connection: socket.socket
    place: str
    limits: ProgramLimits
    isolated: bool
    user: int | None
    may_read: bool
    processes: int | None
    rules: int | None
    sandbox: str

    def __post_init__(self) -> None:
        # From Linux 5.14 on, each user namespace counts for itself. A user of the supervisor's own has no other tasks.
        alone = self.user is not None or (self.isolated and read_release() >= (5, 14))
        self.other_tasks = 0 if alone else count_tasks(self.processes, os.getuid())
        self.builtins = program.separate_builtins()
        self.filter = isolation.make_filter(network=self.isolated)
        # Locks of multiprocessing are files in /dev/shm.
        self.private = {self.place: 0o700} | ({"/dev/shm": 0o1777} if os.path.isdir("/dev/shm") else {})

    @property
    def isolation(self) -> str:
        """Return the isolation that is in force."""
        return self.sandbox or ("namespaces" if self.isolated else "limits")

    def run(self, request: dict[str, str]) -> Outcome:
        """Run a candidate and its tests in a fresh process, or in one for each case, and say how that ended.

        Args:
            request: the `candidate` and the `tests`. No other name refers to these, so that the process of the program
                can forget the tests before it starts the candidate.

        Raises:
            HarnessError: if the program did not run.
        """
        sealed: list[Any] = [self.builtins, compile_once(request["tests"], self.limits.pytest)]
        if isinstance(sealed[1], Cases):
            return self._run_cases(request, sealed[1])

        def run_tests() -> None:
            candidate = [request["candidate"]]
            self._forget(request)
            limit_digits(USUAL_DIGITS)
            program.run_program(CHANNEL, candidate.pop(), sealed)

        ended = self._run_once(run_tests, self.limits)
        return self._judge(ended, request["tests"])

    def _run_cases(self, request: dict[str, str], cases: Cases) -> Outcome:
        """Run a candidate in a fresh process for each case, until one of them fails.

        The outputs stay on this side: the process of the program forgets them before it starts the candidate.
        """
        program.prepare_module()
        isolated, count = self.isolation, len(cases.inputs)
        until = time.monotonic() + (self.limits.total or (self.limits.timeout + 1) * count + 5)
        for place in range(count):

            def run_case(place: int = place) -> None:
                arguments = cases.inputs[place] if cases.function else []
                cases.inputs.clear()
                cases.outputs.clear()
                candidate = request["candidate"]
                self._forget(request)
                program.run_case(CHANNEL, candidate, cases.function, arguments)

            left = until - time.monotonic()
            most = MOST_RESULT if cases.function else 2 * len(cases.outputs[place]) + MEBIBYTE
            limits = replace(self.limits, timeout=max(0.01, min(left, self.limits.timeout)), output=most)
            ended = self._run_once(run_case, limits, "" if cases.function else cases.inputs[place])
            status, detail = self._judge_case(ended, cases, place)
            if status == "timed out" and left < self.limits.timeout:
                detail = "all tests together took too long"
            if status != "passed":
                printed = ended.printed[: self.limits.output]
                return Outcome(status, f"test {place + 1} of {count}: {detail}", printed, isolated)
        return Outcome("passed", "", "", isolated, count)

    def _judge_case(self, ended: Ended, cases: Cases, place: int) -> tuple[Status, str]:
        """Return the verdict on a candidate in one case."""
        said, wanted = ended.said.removeprefix(program.READY), cases.outputs[place]
        if not said.startswith(program.DONE) or ended.overtime:
            return self._judge_failure(ended, "")
        if cases.function:
            try:
                fault = compare_value(json.loads(said[1:]), wanted, self.limits.tolerance)
            except (ValueError, RecursionError):
                fault = "what it returned cannot be read"
        else:
            fault = compare_output(ended.printed, wanted, self.limits.tolerance)
        return ("failed", fault) if fault else ("passed", "")

    def _forget(self, request: dict[str, str]) -> None:
        """Forget, in the process of a program, what its candidate must not find."""
        request.clear()
        compile_once.cache_clear()
        self.builtins = {}

    def _run_once(self, job: Callable[[], None], limits: ProgramLimits, given: str | None = None) -> Ended:
        """Do a job in a fresh process, and say how that ended.

        Args:
            job: runs a program, and reports on the channel.
            limits: how much it may use.
            given: what stands in its standard input. Then standard error is not kept.
        """
        own, theirs = socket.socketpair()  # and not a pipe, which a program could open anew for reading
        printed, printing = os.pipe()
        os.set_blocking(printed, False)
        self._make_place()
        try:
            source = os.open(os.devnull, os.O_RDONLY) if given is None else self._hold(given)
            pid = os.fork()
            if pid == 0:
                noise = printing if given is None else os.open(os.devnull, os.O_WRONLY)
                self._become_program(job, theirs.fileno(), (source, printing, noise), limits)
            for handle in (source, printing):
                os.close(handle)
            theirs.close()
            watch = Watch(pid, own, printed, self.connection, limits, self.processes)
            try:
                watch.follow()
            finally:
                status, used = self._end(watch)
            while watch.read_output():
                pass
        finally:
            self._remove_place()
            own.close()
            os.close(printed)
        said = bytes(watch.said)
        if said.startswith(program.FAULT):
            raise HarnessError(said[1:].decode("utf-8", "replace"))
        if not said.startswith(program.READY):
            raise HarnessError(f"the process of a program ended with status {status} before the program began")
        return Ended(
            said, watch.printed.decode("utf-8", "replace"), watch.overtime, watch.closed, watch.end, status, used
        )

    def _hold(self, text: str) -> int:
        """Return a handle on a file without a name that holds a text."""
        path = os.path.join(self.place, "input")
        handle = os.open(path, os.O_RDWR | os.O_CREAT)
        os.unlink(path)
        with os.fdopen(os.dup(handle), "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        os.lseek(handle, 0, os.SEEK_SET)
        return handle

    def _make_place(self) -> None:
        if self.isolated:
            for directory, mode in self.private.items():
                isolation.mount_memory(directory, self.limits.file_size, mode=mode, owner=self.user)
        else:
            os.mkdir(self.place, 0o700)
            if self.user is not None:
                os.chown(self.place, self.user, self.user)

    def _remove_place(self) -> None:
        if self.isolated:
            for directory in self.private:
                isolation.unmount(directory)
        else:
            remove_folder(self.place)

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
                apply_limits(limits, self.other_tasks)
                isolation.restrict_calls(self.filter)
                sys.addaudithook(refuse_forks)
                if not self.isolated:
                    sys.addaudithook(guard_machine(self.place))
            except Exception as error:  # noqa: BLE001 - a program that cannot be confined must not start
                os.write(CHANNEL, program.FAULT + program.describe_error(error).encode())
                leave(1)
            job()
            leave(0)
        finally:
            leave(1)

    def _end(self, watch: Watch) -> tuple[int, Any]:
        """End a program with everything that it has started. Return its status, and what it used."""
        ended = watch.ended
        if ended is None:
            kill(watch.pid)
            _, status, used = os.wait4(watch.pid, 0)
            ended = status, used
        kill(-1 if self.isolated else -watch.pid)  # every other process of this namespace, or of the program's group
        end_children(self.processes, all_inside=self.isolated)
        return ended

    def _judge(self, ended: Ended, tests: str) -> Outcome:
        """Turn what was seen of a program into its outcome."""
        reached, not_run = ended.end or (None, "")
        if not_run:
            raise HarnessError(
                f"the test program holds tests that nobody called, and that need arguments, are asynchronous, or need "
                f"the runner of pytest: {not_run}; call them, as in a last line such as check(name_of_the_function), "
                "or let pytest run them, by `at_k.checkers.code(pytest=True)`"
            )
        if reached == 0:
            raise HarnessError(
                "the test program reached no assertion and called nothing of the program, so that every program would "
                "pass; that of HumanEval needs a last line such as check(name_of_the_function)"
            )
        verdict: tuple[Status, str] = ("passed", "") if reached else self._judge_failure(ended, tests)
        return Outcome(*verdict, ended.printed, self.isolation, reached or 0)

    def _judge_failure(self, ended: Ended, tests: str) -> tuple[Status, str]:
        """Return the verdict on a program that did not run to the end of its tests."""
        if ended.overtime:
            return "timed out", ended.overtime
        if report := read_error(ended.said):
            return judge_error(report, tests)
        if ended.closed:
            return "failed", "the program closed the channel of its verdict, or wrote to it"
        return judge_exit(os.waitstatus_to_exitcode(ended.status), ended.used, self.limits)


@dataclass(frozen=True)
class Ended:
    """Hold what was seen of a process.

    Attributes:
        said: what came over its channel.
        printed: the beginning of what it printed.
        overtime: the limit of time that it reached, if any.
        closed: whether it closed its channel while it still ran.
        end: as of `Watch`.
        status: its status, as the system gives it.
        used: what it used, as the system gives it.
    """

    said: bytes
    printed: str
    overtime: str
    closed: bool
    end: tuple[int, str] | None
    status: int
    used: Any


def judge_error(report: dict[str, Any], tests: str) -> tuple[Status, str]:
    """Return the verdict on a program that ended with an exception."""
    detail, line = str(report.get("detail")), report.get("line")
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


def read_release() -> tuple[int, ...]:
    """Return the first two numbers of the kernel's version."""
    return tuple(int(number) for number in re.findall(r"\d+", os.uname().release)[:2])


def read_error(said: bytes) -> dict[str, Any] | None:
    """Return the report of an exception from what came over the channel of the verdict, or None."""
    start = said.rfind(program.ERROR + b"{")
    try:
        report = json.loads(said[start + 1 :]) if start >= 0 else None
    except ValueError:
        return None
    return report if isinstance(report, dict) else None
