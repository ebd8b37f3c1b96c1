"""How the processes of one evaluation bring their samples together: through files in a folder that all of them see.

Every process but the first leaves its samples in a file, and keeps touching it until process 0 has taken it. So process
0 can tell a process that waits from a file that a dead one has left; no locks are needed, and a next round cannot
begin before this one has been gathered.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]

_BEAT = 0.05
"""Seconds between two touches of a file."""


class Exchange:
    """The files of one evaluation.

    Args:
        folder: seen by all processes.
        experiment: tells this evaluation from others that share the folder.
        processes: how many there are.
        timeout: seconds within which all of them must meet.
    """

    def __init__(self, folder: str, experiment: str, processes: int, timeout: float) -> None:
        self._folder = Path(folder)
        self._experiment = f"{experiment}-{processes}"
        self._processes = processes
        self._timeout = timeout

    def hand_over(self, process: int, arrays: Arrays) -> None:
        """Leave the arrays of a process for process 0, and wait until it has taken them.

        Raises:
            ValueError: if process 0 does not take them in time, or another evaluation has the same experiment.
        """
        path = self._path(process)
        self._refuse_a_second_evaluation(path)
        part = path.with_suffix(f".{os.getpid()}.part")
        try:
            with part.open("wb") as file:
                np.savez(file, **cast(dict[str, Any], arrays))
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        deadline = time.monotonic() + self._timeout
        try:
            while time.monotonic() < deadline:
                time.sleep(_BEAT)
                os.utime(path)
        except FileNotFoundError:
            return  # taken
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        with suppress(FileNotFoundError):  # taken, just now
            path.unlink()
            raise ValueError(
                f"process 0 has not come to `compute` within {self._timeout} s of process {process}; `timeout`, at "
                "loading, allows for more. The samples are kept"
            )

    def gather(self) -> Iterator[dict[str, NDArray[Any]]]:
        """Wait until all other processes are there; then take what they have left, one after the other.

        Raises:
            ValueError: if one of them does not come in time; then nothing has been taken.
        """
        self._wait_for_all()
        return map(self._take, range(1, self._processes))

    def _wait_for_all(self) -> None:
        awaited = set(range(1, self._processes))
        seen: dict[int, tuple[int, int]] = {}
        deadline = time.monotonic() + self._timeout
        while awaited:
            for process in sorted(awaited):
                with suppress(FileNotFoundError):
                    stat = self._path(process).stat()
                    beat = (stat.st_ino, stat.st_mtime_ns)
                    if seen.setdefault(process, beat) != beat:  # touched since: somebody waits there
                        awaited.remove(process)
            if awaited and time.monotonic() > deadline:
                missing = ", ".join(map(str, sorted(awaited)))
                raise ValueError(
                    f"these processes have not come to `compute` within {self._timeout} s of process 0: {missing}; "
                    "`timeout`, at loading, allows for more. The samples are kept"
                )
            time.sleep(_BEAT / 2)

    def _take(self, process: int) -> dict[str, NDArray[Any]]:
        path = self._path(process)
        taken = path.with_suffix(".taken")
        try:
            path.rename(taken)
        except FileNotFoundError:
            raise ValueError(f"process {process} has stopped waiting for process 0; its samples are with it") from None
        try:
            with np.load(taken, allow_pickle=False) as file:
                return dict(file)
        finally:
            taken.unlink()

    def _path(self, process: int) -> Path:
        return self._folder / f"{self._experiment}-{process}.npz"

    def _refuse_a_second_evaluation(self, path: Path) -> None:
        with suppress(FileNotFoundError):
            before = path.stat()
            time.sleep(4 * _BEAT)
            after = path.stat()
            if (before.st_ino, before.st_mtime_ns) != (after.st_ino, after.st_mtime_ns):
                raise ValueError(
                    f"another evaluation is using {path}; `experiment_id`, at loading, tells evaluations apart"
                )
