"""Programs that try to pass without being right, or to do harm: each ends as it should, and leaves nothing behind."""

import os
import re
import socket
import tempfile
from pathlib import Path

import pytest
from grading.code.programs import read_programs, run_pairs

from at_k.grading.code.isolation import find_landlock
from at_k.grading.code.pool import end_workers

MARKER = str(100_000_000 + os.getpid())
"""The seconds that the command of a fixture sleeps, by which it is recognised in a list of processes."""


def list_processes():
    """List the commands of the processes that this one has started by way of a supervisor, and of their descendants."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().decode().split("\0")
        except OSError:
            continue  # it has ended
        if ("supervisor.py" in "".join(words) and str(os.getpid()) in words) or MARKER in words:
            found.append(words)
    return found


TESTS = "assert f(1) == 2\n" * 2
EVERYWHERE = read_programs("hostile.txt", "everywhere: ") | {
    "null": ("\0", "", "failed: null bytes"),
    "surrogate": ("x = '\ud800'", "", "failed: UnicodeEncodeError"),
}
WITH_LANDLOCK = read_programs("hostile.txt", "landlock: ") if find_landlock() >= 2 else {}
HOSTILE = {"none": EVERYWHERE | WITH_LANDLOCK}
HOSTILE["required"] = HOSTILE["none"] | read_programs("hostile.txt", "namespaces: ")
"""Programs that must not pass, with the status and an expression for the detail.

`{outside}` is a directory that everyone may write to, with a `secret` that only its owner may read, `{parent}` the
process that wants the outcomes, and `{home}` the home of its user.
"""


@pytest.fixture(scope="module", params=["required", "none"])
def case(request):
    """Run all programs in one call. Return the isolation, the outcomes, and what the call left behind."""
    with (
        tempfile.TemporaryDirectory() as temporary,
        socket.create_server(("127.0.0.1", 0)) as server,
    ):
        os.chmod(temporary, 0o755)
        outside, inside = Path(temporary, "outside"), Path(temporary, "inside")
        outside.mkdir()
        inside.mkdir()
        (outside / "old").write_text("kept")
        for path in (outside, inside):
            path.chmod(0o777)
        secret = outside / "secret"
        secret.write_text("secret")
        secret.chmod(0o600)
        values = {
            "marker": MARKER,
            "outside": str(outside),
            "port": str(server.getsockname()[1]),
            "parent": str(os.getpid()),
            "home": str(Path.home()),
        }
        programs = HOSTILE[request.param]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SECRET_OF_THE_PARENT", "1")
            patch.setattr(tempfile, "tempdir", str(inside))
            pairs = {
                name: (
                    re.sub(
                        r"\{(marker|outside|port|parent|home)\}",
                        lambda found: values[found[1]],
                        text,
                    ),
                    TESTS,
                )
                for name, (text, *_) in programs.items()
            }
            # Only what never ends waits for a limit of time. All else ends by itself, however busy the machine is.
            outcomes = {}
            for seconds, endless in ((0.4, True), (60, False)):
                names = [
                    name
                    for name, (*_, end) in programs.items()
                    if end.startswith("timed out") is endless
                ]
                chosen = [pairs[name] for name in names]
                ended = run_pairs(
                    chosen, timeout=seconds, memory=2**30, num_workers=2, isolation=request.param
                )
                outcomes |= zip(names, ended, strict=True)
        end_workers()
        in_memory = [path.name for path in Path("/dev/shm").glob(f"at-k-{MARKER}")]
        left = {
            "processes": list_processes(),
            "memory": in_memory,
            "inside": os.listdir(inside),
            "outside": sorted(os.listdir(outside)),
        }
        yield request.param, outcomes, left


def test_each_program_fails_in_its_way(case):
    isolation, outcomes, _ = case
    wrong = {
        name: outcomes[name]
        for name, (*_, end) in HOSTILE[isolation].items()
        if outcomes[name].status != (parts := end.partition(": "))[0]
        or not re.search(parts[2], outcomes[name].detail)
    }
    assert not wrong


def test_the_isolation_is_stated(case):
    isolation, outcomes, _ = case
    assert {outcome.isolation for outcome in outcomes.values()} == {
        "namespaces" if isolation == "required" else "limits"
    }


def test_nothing_is_left_behind(case):
    *_, left = case
    assert left == {"processes": [], "memory": [], "inside": [], "outside": ["old", "secret"]}


def test_output_is_kept_up_to_a_bound(case):
    _, outcomes, _ = case
    assert outcomes["a million lines"].output.startswith("0\n1\n2\n")
    assert len(outcomes["a million lines"].output) == 4_096
