"""What is refused by way of Python: for each act, a call of it in a process under guard."""

import json
import subprocess
import sys

from at_k.grading.code import guard

GUARDED = """
import json, os, runpy, sys
guard = runpy.run_path(sys.argv[1])  # and not an import, which loads NumPy and takes ten times as long
for folder, code in json.loads(sys.argv[2]):
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        continue
    os.setsid()
    said = open(folder + "/said", "w")
    sys.addaudithook(guard["refuse_forks"])
    os.chdir(folder + "/inside")
    sys.addaudithook(guard["refuse_jumps"])
    sys.addaudithook(guard["guard_machine"](folder + "/inside"))
    try:
        exec(code, {"outside": folder + "/outside", "os": os, "sys": sys})
    except Exception as error:
        print(type(error).__name__, error, file=said)
    else:
        print("done", file=said)
    said.flush()
    os._exit(0)
"""


def act(place, codes):
    """Run each code in a folder of its own, and return the folders."""
    folders = [place / str(number) for number in range(len(codes))]
    for folder in folders:
        (folder / "inside").mkdir(parents=True)
        (folder / "outside").mkdir()
        (folder / "outside" / "old").write_text("old")
        (folder / "inside" / "own").write_text("own")
        (folder / "inside" / "link").symlink_to(folder / "outside" / "old")
        (folder / "inside" / "out").symlink_to(folder / "outside")
    work = json.dumps([(str(folder), code) for folder, code in zip(folders, codes, strict=True)])
    subprocess.run([sys.executable, "-c", GUARDED, guard.__file__, work], check=True)
    return folders


REFUSED = [
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
]

ALLOWED = [
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
]


def test_refused(tmp_path):
    for code, folder in zip(REFUSED, act(tmp_path, REFUSED), strict=True):
        said = (folder / "said").read_text()
        gone = "has no attribute 'mk" in said
        # Python 3.13 writes over what the error of `rmtree` says.
        assert gone or "programs may not" in said or "rmtree" in code, code
        assert gone or "OSError" in said or "PermissionError" in said or "RuntimeError" in said, code
        assert (folder / "outside" / "old").read_text() == "old", code
        assert [path.name for path in (folder / "outside").iterdir()] == ["old"], code


def test_allowed(tmp_path):
    said = [(folder / "said").read_text() for folder in act(tmp_path, ALLOWED)]
    assert dict(zip(ALLOWED, said, strict=True)) == dict.fromkeys(ALLOWED, "done\n")
