"""Processes for the work that visitors ask for, with limits of each piece of work that the kernel holds.

Keepers are processes that have everything imported and have worked once. Each forks a worker, which does one piece of
work after the other, each within limits of its own. A worker that went too far, has grown, or has served long enough
ends, and whatever its work cost, broke or left behind goes with it; the keeper says how it ended, and forks the next
one. So nobody waits for a process to start. The app itself has threads, and is never forked.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import mmap
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any, NoReturn

from at_k.demo.limits import CPU_SECONDS, MEMORY, MOST_AT_ONCE, WALL_SECONDS
from at_k.demo.words import make_error
from at_k.errors import InputError

# The status with which a worker ends that gets no more memory.
_OUT_OF_MEMORY = 3

_MOST_SERVED = 200
# The pieces of work after which a worker ends, and the bytes by which it may have grown.
_MOST_GROWN = 150_000_000

# `M_ARENA_MAX` of glibc's `malloc.h`.
_ARENA_MAX = -8

# The message of a worker that has a result and can take more work.
_WORKS_ON = b"\1"

# Threads would not survive a fork, and a piece of work has one core. The last one is of Arrow's allocator.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_ONE_THREAD["JE_ARROW_MALLOC_CONF"] = "background_thread:false"


class Sandbox:
    """The keepers, and the work of their workers. Any thread may give them work.

    Args:
        prepare: a function of a module, called before the first fork, so that all workers share its imports and caches.
        at_once: how many pieces of work are done side by side.
        cpu_seconds: the CPU time of a piece of work.
        memory: the bytes that a piece of work may take in addition to the memory at its start.
        wall_seconds: the time after which a piece of work ends, whatever it does.
    """

    def __init__(
        self,
        prepare: Callable[[], object],
        *,
        at_once: int = MOST_AT_ONCE,
        cpu_seconds: float = CPU_SECONDS,
        memory: int = MEMORY,
        wall_seconds: float = WALL_SECONDS,
    ) -> None:
        self._cpu_seconds, self._memory = cpu_seconds, memory
        self._settings = prepare, at_once, cpu_seconds, memory, wall_seconds
        self._lock = threading.Lock()
        self._start()

    def _start(self) -> None:
        self._door, theirs = socket.socketpair()
        with theirs:
            self._keeper = subprocess.Popen(
                [sys.executable, "-m", "at_k.demo.sandbox", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C reaches the app alone, whose end is the end of all these processes
                env=os.environ
                | _ONE_THREAD
                | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        with self._send_pipes(1)[0] as settings, suppress(OSError):
            settings.send(self._settings)

    def _send_pipes(self, count: int) -> list[Connection]:
        """Put one end of new pipes through the door, and return the others. Nothing comes from a closed door."""
        pipes = [Pipe() for _ in range(count)]
        with suppress(OSError):
            socket.send_fds(self._door, [b"\0"], [theirs.fileno() for _, theirs in pipes])
        for _, theirs in pipes:
            theirs.close()
        return [ours for ours, _ in pipes]

    def run(self, work: Callable[..., Any], *args: Any) -> Any:
        """Do a piece of work in a process of its own, and return its result, which must be JSON."""
        with self._lock:
            if self._keeper.poll() is not None:
                self.end()
                self._start()
        worker, keeper = self._send_pipes(2)
        with worker, keeper:
            with suppress(EOFError, OSError):
                worker.send((work, args))
                return json.loads(worker.recv_bytes())
            with suppress(EOFError, OSError):
                raise self._explain(keeper.recv())
        raise make_error("serving.ended")

    def _explain(self, code: int) -> InputError:
        if code in (-signal.SIGPROF, -signal.SIGALRM):
            return make_error("serving.too_long", seconds=f"{self._cpu_seconds:g}")
        if code in (
            _OUT_OF_MEMORY,
            -signal.SIGKILL,
        ):  # the system kills what takes the memory of others
            return make_error("serving.too_large", gigabytes=f"{self._memory / 1e9:g}")
        return make_error("serving.ended")

    def end(self) -> None:
        """End the keepers, and the work that is being done. If the app is killed, they notice it by themselves."""
        self._door.close()
        with suppress(ProcessLookupError):
            os.killpg(self._keeper.pid, signal.SIGKILL)
        self._keeper.wait()


@cache
def start_sandbox() -> Sandbox:
    """Start the sandbox of the app, or return it. It is warm after a few seconds; work that comes earlier waits."""
    sandbox = Sandbox(warm_up)
    atexit.register(sandbox.end)
    return sandbox


def warm_up() -> None:
    """Import what requests need, and do each kind of work once."""
    from at_k.demo import work  # the app need not wait for it

    work.warm_up()


def do_work(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Do the work of an endpoint, in a worker."""
    from at_k.demo import work

    return work.run(name, values)


def main() -> None:
    """Be a keeper, and fork the others. The door, whose file descriptor is the only argument, brings the settings."""
    with (
        socket.socket(fileno=int(sys.argv[1])) as door,
        suppress(EOFError, OSError),
    ):  # the app has ended
        (pipe,) = _receive_pipes(door)
        with pipe:
            prepare, at_once, *limits = pipe.recv()
        prepare()
        gc.freeze()  # what is here stays in the memory that all these processes share
        for _ in range(at_once - 1):
            if not os.fork():
                break
        while True:
            _keep(door, *limits)


def settle() -> None:
    """Prepare the process of the app for requests: exclude present objects from garbage collection."""
    gc.freeze()
    _call(
        "mallopt", _ARENA_MAX, 2
    )  # glibc would give each thread an arena, which keeps unused memory


def tidy() -> None:
    """Collect garbage, and give free memory back, which allocators keep for requests that may never come."""
    gc.collect()  # Gradio leaves what visitors sent in circles of references, which may be many megabytes
    _call("malloc_trim", 0)


def _call(name: str, *arguments: int) -> None:
    """Call a function of glibc; other systems have none of these."""
    with suppress(OSError, AttributeError, TypeError):
        getattr(ctypes.CDLL(None), name)(*arguments)


def _receive_pipes(door: socket.socket) -> list[Connection]:
    _, pipes, _, _ = socket.recv_fds(door, 1, 2)
    if not pipes:
        raise EOFError
    return [Connection(pipe) for pipe in pipes]


def _keep(door: socket.socket, cpu_seconds: float, memory: int, wall_seconds: float) -> None:
    """Fork a worker, hand it pieces of work as long as it lives, and tell the app how it ended."""
    ours, theirs = socket.socketpair()
    process = os.fork()
    if not process:
        ours.close()
        door.close()
        _work(theirs, cpu_seconds, memory)
    theirs.close()
    with ours:
        while True:
            pipe, app = _receive_pipes(door)
            with app:
                with pipe, suppress(OSError):
                    socket.send_fds(ours, [_WORKS_ON], [pipe.fileno()])
                happened, _, _ = select.select([ours.fileno(), app.fileno()], [], [], wall_seconds)
                if ours.fileno() in happened:
                    with suppress(OSError):
                        if ours.recv(1) == _WORKS_ON:
                            continue
                else:  # it is too late, or nobody waits for it any more
                    os.kill(process, signal.SIGALRM)
                code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
                with suppress(OSError):  # with a result, the app does not wait for it
                    app.send(code)
            return


def _work(keeper: socket.socket, cpu_seconds: float, memory: int) -> NoReturn:
    """Work within limits. Their signals keep the default action, so that the kernel ends a long computation, too."""
    status = 1
    try:
        gc.disable()  # it is looked for between two pieces of work
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        before = _read_sizes()
        for left in range(_MOST_SERVED - 1, -1, -1):
            (pipe,) = _receive_pipes(keeper)
            with suppress(OSError, ValueError):  # macOS has no such limit
                resource.setrlimit(
                    resource.RLIMIT_AS, (_read_sizes()[0] + memory, resource.RLIM_INFINITY)
                )
            with pipe:
                signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
                work, args = pipe.recv()
                answer = json.dumps(work(*args)).encode()
                signal.setitimer(signal.ITIMER_PROF, 0)
                works_on = left > 0 and _read_sizes()[1] - before[1] < _MOST_GROWN
                if works_on:
                    keeper.send(_WORKS_ON)
                with suppress(OSError):  # nobody waits for it any more
                    pipe.send_bytes(answer)
            if not works_on:
                break
            del work, args, answer
            tidy()
        status = 0
    except EOFError:  # nobody has work any more
        pass
    except MemoryError:
        status = _OUT_OF_MEMORY
    except BaseException:  # noqa: BLE001 - whatever it is, it ends here, and the log says what it was
        traceback.print_exc()
    finally:
        os._exit(status)


def _read_sizes() -> tuple[int, int]:
    """Return the bytes of memory that this process may use by now, and those that it uses."""
    try:
        used, resident = Path("/proc/self/statm").read_text("ascii").split()[:2]
    except OSError:  # macOS has no such file
        return 0, 0
    return int(used) * mmap.PAGESIZE, int(resident) * mmap.PAGESIZE


if __name__ == "__main__":
    main()
