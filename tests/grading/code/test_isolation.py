"""Namespaces, as the kernel of this machine has them; what is done where it has none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from grading.code.programs import read_programs, run_pairs

from at_k.errors import InputError
from at_k.grading.code import HarnessError, isolation, pool

QUESTIONS = read_programs("scripts.txt", "namespaces: ")
FACTS = next(program for program, *_ in QUESTIONS.values() if program)


@pytest.fixture
def secret():
    """Put a file that only its owner may read into the home of this user, as far as it may be written to."""
    path = Path.home() / f"at-k-secret-{os.getpid()}"
    path.touch(0o600)
    yield path
    path.unlink()


def test_namespaces(secret):
    try:
        outcomes = run_pairs(
            [(FACTS, tests) for _, tests, _ in QUESTIONS.values()], isolation="required"
        )
    except InputError as error:
        pytest.skip(f"the kernel has no namespaces for this user: {error}")
    assert {
        name: o.detail for name, o in zip(QUESTIONS, outcomes, strict=True) if not o.passed
    } == {}


def refuse_namespaces(monkeypatch, tmp_path, landlock):
    """Let supervisors find a kernel that refuses, as containers do: in their process, `unshare` is not permitted."""
    starter = tmp_path / "supervisor.py"
    starter.write_text(
        "import os, sys\n"
        f"sys.path.insert(0, {str(pool.HERE)!r})\n"
        "import supervisor\n"
        "from at_k.grading.code import isolation\n"
        "def refuse(): raise PermissionError(1, 'unshare: Operation not permitted')\n"
        "isolation.enter_namespaces = refuse\n"
        f"isolation.find_landlock = lambda: {landlock}\n"
        + ("" if landlock else "isolation.choose_user = lambda *_: (None, False)\n")
        + "supervisor.main()\n"
    )
    monkeypatch.setattr(pool, "HERE", tmp_path)


def test_a_kernel_that_refuses_leaves_limits_under_landlock(monkeypatch, tmp_path):
    refuse_namespaces(monkeypatch, tmp_path, 2)
    outcomes = run_pairs([("x = 1", "assert x == 1"), ("x = 1", "assert x == 2")], num_workers=2)
    assert [(outcome.status, outcome.isolation) for outcome in outcomes] == [
        ("passed", "limits"),
        ("failed", "limits"),
    ]
    with pytest.raises(InputError, match=r"unshare: Operation not permitted\. Run") as caught:
        run_pairs([("x = 1", "assert x == 1")], isolation="required")
    assert caught.value.code == "code.isolation"


def test_without_landlock_limits_must_be_chosen(monkeypatch, tmp_path):
    refuse_namespaces(monkeypatch, tmp_path, 0)
    with pytest.raises(
        HarnessError, match=r"there is no Landlock, .* AT_K_ISOLATION=none does without it"
    ):
        run_pairs([("x = 1", "assert x == 1")])
    (outcome,) = run_pairs([("x = 1", "assert x == 1")], isolation="none")
    assert (outcome.status, outcome.isolation) == ("passed", "limits")


def test_a_failed_call_is_an_error():
    with pytest.raises(OSError, match="umount2: "):
        isolation.unmount("/nowhere/at/all")


def test_programs_keep_the_user_unless_that_is_root():
    user, may_read = isolation.choose_user(["/"], 1)
    assert user == (None if os.geteuid() else isolation.FIRST_USER + 1)
    assert not may_read


CALLS = """
import ctypes, os, resource, runpy, socket, sys, threading
isolation = runpy.run_path(sys.argv[1])
isolation["shut_memory"]()
calls = {
    "shmget": lambda: ctypes.CDLL(None, use_errno=True).shmget(0, 4096, 0o1666) >= 0,
    "socket": lambda: bool(socket.socket(socket.AF_UNIX)),
    "socketpair": lambda: bool(socket.socketpair()),
    "mkfifo": lambda: not os.mkfifo(sys.argv[2]),
    "own limits": lambda: bool(resource.getrlimit(resource.RLIMIT_NOFILE)),
    "limits of the parent": lambda: bool(resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)),
    "thread": lambda: not threading.Thread(target=int).start(),
}
def attempt(network):
    isolation["restrict_calls"](isolation["make_filter"](network=network))
    for name, call in calls.items():
        try:
            if call(): print(name, end=";")
        except OSError:
            pass
    print(flush=True)
if os.fork() == 0:
    attempt(network=True)
    os._exit(0)
os.wait()
attempt(network=False)
"""


def test_the_kernel_refuses_calls(tmp_path):
    if os.uname().machine not in isolation.CALLS:
        pytest.skip("the numbers of this machine's system calls are not known")
    run = [sys.executable, "-c", CALLS, isolation.__file__, str(tmp_path / "fifo")]
    kept = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    own = ["own limits", "thread", ""]
    assert [line.split(";") for line in kept.splitlines()] == [
        ["socket", "socketpair", "mkfifo", *own],
        ["socketpair", *own],
    ]


SEARCH = """
import glob, os, sys
for folder in {*sys.path, os.getcwd(), os.path.dirname(os.getcwd())}:
    for file in glob.glob(os.path.join(folder, 'hidden*')):
        print(open(file).read())
"""


@pytest.mark.parametrize("isolation_of", ["auto", "none"])
def test_no_file_beside_the_script_of_the_caller_is_found(isolation_of, tmp_path, monkeypatch):
    (tmp_path / "hidden.json").write_text("the hidden output")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    (outcome,) = run_pairs([(SEARCH, "assert sys.path")], isolation=isolation_of)
    assert (outcome.status, outcome.output) == ("passed", "")


READ = """
import sys
try: print(open({file!r}).read())
except OSError: pass
"""


def test_no_file_of_the_caller_is_read_by_its_name(tmp_path, monkeypatch):
    if isolation.find_landlock() < 2:
        pytest.skip("the kernel has no Landlock that can be used")
    file = tmp_path / "hidden.json"
    file.write_text("the hidden output")
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.getuid() and str(folder).startswith("/tmp/"):
            folder.chmod(0o755)
    monkeypatch.syspath_prepend(tmp_path)
    program = READ.format(file=str(file))
    for isolation_of in ("auto", "none"):
        (outcome,) = run_pairs([(program, "assert sys.path")], isolation=isolation_of)
        assert (outcome.status, outcome.output) == ("passed", "")


LOWER = """
import os, resource
try: resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (1, 1))
except PermissionError: pass
def f(x): return x
"""


@pytest.mark.parametrize("isolation_of", ["auto", "none"])
def test_a_program_does_not_take_the_verdicts_behind_it(isolation_of):
    pairs = [(LOWER, "assert f(1) == 1"), *[("def f(x): return x", "assert f(1) == 1")] * 5]
    outcomes = run_pairs(pairs, num_workers=1, isolation=isolation_of)
    assert [outcome.status for outcome in outcomes] == ["passed"] * 6


CONFINED = """
import os, sys, runpy
isolation = runpy.run_path(sys.argv[1])
folder = sys.argv[2]
isolation["shut_memory"]()
isolation["give_up_privileges"](None, may_read=False)
isolation["restrict_files"](isolation["allow_files"](["/proc", "/etc/passwd", folder + "/shown"], [folder + "/own"]))
def attempt(name, act):
    try:
        act()
        print(name)
    except OSError:
        pass
attempt("own process", lambda: open("/proc/self/stat"))
attempt("environment of the parent", lambda: open(f"/proc/{os.getppid()}/environ"))
attempt("file", lambda: open("/etc/passwd"))
attempt("other file", lambda: open("/etc/group"))
attempt("read", lambda: open(folder + "/shown/file"))
attempt("write", lambda: open(folder + "/shown/file", "w"))
attempt("link", lambda: open(folder + "/shown/link"))
attempt("by the parent", lambda: open(folder + "/shown/../hidden"))
os.chdir(folder + "/own")
os.makedirs("a/b")
attempt("move", lambda: os.rename("a/b", "c"))
attempt("truncate", lambda: os.truncate(os.open("new", os.O_CREAT | os.O_WRONLY), 0))
attempt("move out", lambda: os.rename("c", folder + "/c"))
attempt("list outside", lambda: os.listdir(folder))
attempt("signal to the parent", lambda: os.kill(os.getppid(), 0))
attempt("signal to itself", lambda: os.kill(os.getpid(), 0))
"""


def test_rules_say_which_files_may_be_opened(tmp_path):
    if isolation.find_landlock() < 2:
        pytest.skip("the kernel has no Landlock that can be used")
    for name in ("own", "shown"):
        (tmp_path / name).mkdir()
    (tmp_path / "hidden").write_text("")
    (tmp_path / "shown" / "file").write_text("")
    (tmp_path / "shown" / "link").symlink_to(tmp_path / "hidden")
    run = [sys.executable, "-c", CONFINED, isolation.__file__, str(tmp_path)]
    said = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    signals = [
        f"signal to {whom}"
        for whom in (("itself",) if isolation.find_landlock() > 5 else ("the parent", "itself"))
    ]
    assert said.splitlines() == ["own process", "file", "read", "move", "truncate", *signals]


def test_without_landlock_there_are_no_rules(monkeypatch):
    monkeypatch.setattr(isolation, "find_landlock", lambda: 1)
    assert isolation.allow_files(["/"], []) is None
    isolation.restrict_files(None)
    assert Path("/etc/passwd").read_bytes()
