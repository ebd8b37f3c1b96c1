"""What is refused by way of Python: for each act, a call of it in a process under guard."""

import subprocess
import sys

import pytest

from at_k.grading.code import guard

GUARDED = """
import os, runpy, sys
guard = runpy.run_path(sys.argv[3])  # and not an import, which loads NumPy and takes ten times as long
guard_machine, refuse_jumps = guard["guard_machine"], guard["refuse_jumps"]
sys.addaudithook(guard["refuse_forks"])
os.chdir(sys.argv[1] + "/inside")
sys.addaudithook(refuse_jumps)
sys.addaudithook(guard_machine(sys.argv[1] + "/inside"))
try:
    exec(sys.argv[2], {"outside": sys.argv[1] + "/outside", "os": os, "sys": sys})
except Exception as error:
    print(type(error).__name__, error)
else:
    print("done")
"""


def act(folder, code):
    (folder / "inside").mkdir()
    (folder / "outside").mkdir()
    (folder / "outside" / "old").write_text("old")
    (folder / "inside" / "own").write_text("own")
    (folder / "inside" / "link").symlink_to(folder / "outside" / "old")
    (folder / "inside" / "out").symlink_to(folder / "outside")
    run = [sys.executable, "-c", GUARDED, str(folder), code, guard.__file__]
    return subprocess.run(run, capture_output=True, text=True, check=True, start_new_session=True).stdout


@pytest.mark.parametrize(
    "code",
    [
        "open(outside + '/new', 'w')",
        "open('../outside/old', 'a')",
        "open('link', 'w')",
        "open('out/new', 'wb')",
        "open(os.fsencode(outside) + b'/new', 'x')",
        "os.open(outside + '/new', os.O_CREAT)",
        "import pathlib; pathlib.Path(outside, 'new').write_text('')",
        "import io; io.FileIO(outside + '/new', 'w')",
        "os.remove(outside + '/old')",
        "os.unlink('out/old')",
        "os.remove('old', dir_fd=os.open(outside, os.O_RDONLY))",
        "os.rename('own', outside + '/new')",
        "os.rename(outside + '/old', 'old')",
        "os.replace('own', 'out/old')",
        "os.mkdir(outside + '/new')",
        "os.rmdir(outside)",
        "os.symlink('own', outside + '/new')",
        "os.link('own', outside + '/new')",
        "os.truncate(outside + '/old', 0)",
        "os.chmod(outside + '/old', 0)",
        "os.chown(outside + '/old', 1, 1)",
        "os.utime(outside + '/old')",
        "import shutil; shutil.rmtree(outside)",
        "import shutil; shutil.copy('own', outside)",
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import socket; socket.socket().bind(('127.0.0.1', 0))",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'', ('127.0.0.1', 9))",
        "import socket; socket.getaddrinfo('localhost', 80)",
        "os.kill(os.getppid(), 0)",
        "os.kill(-1, 0)",
        "os.kill(0, 0)",
        "os.killpg(1, 0)",
        "open('/proc/self/mem', 'rb')",
        "open(f'/proc/{os.getppid()}/environ')",
        "open(f'/proc/self/../{os.getppid()}/environ')",
        "open(f'/proc/thread-self/../../../{os.getppid()}/environ')",
        "open(f'//proc/./{os.getppid()}/environ'.encode())",
        "os.symlink('/proc', 'p'); open(f'p/{os.getppid()}/environ')",
        "os.chdir('/proc'); open(f'{os.getppid()}/environ')",
        "os.open(f'{os.getppid()}/environ', os.O_RDONLY, dir_fd=os.open('/proc', os.O_RDONLY))",
        "os.open(f'proc/{os.getppid()}/environ', os.O_RDONLY, dir_fd=os.open('/', os.O_RDONLY))",
        "sys.settrace(lambda *_: None)",
        "import sqlite3; sqlite3.connect(outside + '/new')",
        "import sqlite3; sqlite3.connect('file:' + outside + '/new?mode=rwc', uri=True)",
        "os.open('new', os.O_CREAT | os.O_WRONLY, dir_fd=os.open(outside, os.O_RDONLY))",
        "os.mkfifo(outside + '/new')",
        "os.mknod(outside + '/new')",
        "from multiprocessing.shared_memory import SharedMemory",
        "(lambda: 1).__code__.replace(co_name='x')",
        "os.fork()",
        "os.forkpty()",
        "f = eval(compile('lambda: 1', '<tests>', 'eval')); f.__code__ = (lambda: 2).__code__",
    ],
)
def test_refused(tmp_path, code):
    said = act(tmp_path, code)
    gone = "has no attribute 'mk" in said
    assert gone or "programs may not" in said or "rmtree" in code  # Python 3.13 writes over what the error says
    assert gone or "OSError" in said or "PermissionError" in said or "RuntimeError" in said
    assert (tmp_path / "outside" / "old").read_text() == "old"
    assert [path.name for path in (tmp_path / "outside").iterdir()] == ["old"]


@pytest.mark.parametrize(
    "code",
    [
        "open('own', 'w').close()",
        "open(outside + '/old').read()",
        "open('/dev/null', 'w').close()",
        "os.makedirs('a/b/c'); import shutil; shutil.copytree('a', 'd'); shutil.rmtree('a')",
        "os.remove('own', dir_fd=os.open('.', os.O_RDONLY))",
        "os.rename('own', 'new')",
        "import socket; socket.socketpair()",
        "import subprocess; subprocess.run(['true'], check=True)",
        "import asyncio; asyncio.run(asyncio.sleep(0))",
        "os.kill(os.getpid(), 0)",
        "f = lambda: 1; f.__code__ = (lambda: 2).__code__",
        "os.close(os.open('own', os.O_RDWR))",
        "import sqlite3; sqlite3.connect(':memory:'); sqlite3.connect('db').execute('create table t(x)')",
        "import types; types.coroutine(lambda: (yield))",
    ],
)
def test_allowed(tmp_path, code):
    assert act(tmp_path, code) == "done\n"
