"""Programs that must not pass, and how each must end: status, and a regular expression for the detail.

The tests are `assert f(1) == 2`, twice. `{outside}` is a directory that everyone may write to, with a `secret`
that only its owner may read, `{parent}` for the process that wants the outcomes, and `{home}` for the home of its user.
"""

TESTS = "assert f(1) == 2\nassert f(1) == 2\n"
END = "before the end of the tests"

EVERYWHERE = {
    "wrong": ("def f(x): return x", "failed", r"AssertionError in line 1 of the tests: assert f\(1\) == 2"),
    "no function": ("", "failed", "NameError"),
    "syntax": ("def f(", "failed", "SyntaxError"),
    "unfinished text": ("def f(x): return 2\n'''", "failed", "SyntaxError"),
    "null": ("\0", "failed", "null bytes"),
    "surrogate": ("x = '\ud800'", "failed", "UnicodeEncodeError"),
    "endless": ("while True: pass", "timed out", "processor time"),
    "sleep": ("import time; time.sleep(600)", "timed out", "without work"),
    "swallow": ("while True:\n try:\n  while True: pass\n except BaseException: pass", "timed out", "processor time"),
    "os._exit": ("import os; os._exit(0)", "failed", f"exit code 0 {END}"),
    "os._exit later": ("import os\ndef f(x): os._exit(0)", "failed", f"exit code 0 {END}"),
    "sys.exit": ("import sys; sys.exit(0)", "failed", "NameError"),  # its tests run all the same
    "exit of failure": ("def f(x): return 2\nraise SystemExit(1)", "failed", "SystemExit: 1"),
    "unshare": (
        "import ctypes\nif ctypes.CDLL(None).unshare(0x10000000) < 0: raise PermissionError",
        "failed",
        "PermissionError",
    ),
    "sys.exit later": ("import sys\ndef f(x): sys.exit()", "failed", "SystemExit"),
    "quit": ("def f(x): quit()", "failed", "SystemExit"),
    "no way out": ("import os\nos._exit = lambda code: None\nraise SystemExit(1)", "failed", "SystemExit"),
    "exec": ("import os, sys; os.execv(sys.executable, [sys.executable, '-c', ''])", "failed", f"exit code 0 {END}"),
    "signal": ("import os; os.kill(os.getpid(), 15)", "failed", f"SIGTERM {END}|exit code|NameError"),
    "crash": ("import ctypes; ctypes.string_at(0)", "failed", "SIGSEGV"),
    "report in print": (
        'import os\nfor fd in range(64):\n try: os.write(fd, b\'{"reached": [1, 2], "not_run": []}\')\n'
        " except OSError: pass",
        "failed",
        "NameError",
    ),
    "error in an error": (
        "class E(Exception):\n def __str__(self): raise KeyboardInterrupt\nraise E",
        "failed",
        "E, whose text raises KeyboardInterrupt",
    ),
    "loop in an error": (
        "class E(Exception):\n def __str__(self):\n  while True: pass\nraise E",
        "timed out",
        "processor time",
    ),
    "descriptors": ("import os; os.closerange(0, 1000)\ndef f(x): return 1", "failed", "AssertionError"),
    "parent": ("import os\nos.kill(os.getppid(), 9)", "failed", "PermissionError|NameError"),
    "everyone": ("import os\nos.kill(-1, 9)", "failed", "Error"),
    "fork bomb": ("import ctypes\nwhile True: ctypes.CDLL(None).fork()", "timed out", "processor time|without work"),
    "many forks": (
        "import ctypes\nfor _ in range(10000):\n if ctypes.CDLL(None).fork() < 0: raise BlockingIOError",
        "failed",
        "BlockingIOError",
    ),
    "many threads": (
        "import threading, time\nfor _ in range(10000): threading.Thread(target=time.sleep, args=(60,)).start()",
        "failed",
        "can't start new thread",
    ),
    "grandchild": (
        "import ctypes, os, time\nfork = ctypes.CDLL(None).fork\n"
        "if fork() == 0:\n os.setsid()\n if fork() == 0: time.sleep(600)\n os._exit(0)",
        "failed",
        "NameError",
    ),
    "foreign grandchild": (
        "import subprocess\nsubprocess.Popen(['sleep', '{marker}'], start_new_session=True)",
        "failed",
        "NameError",
    ),
    "10 GB": ("x = bytearray(10**10)", "killed for memory", "MemoryError"),
    "10 GB in a file": (
        "with open('x', 'wb') as file:\n for _ in range(10**4): file.write(bytes(10**6))",
        "failed",
        "OSError: .*(large|space)",
    ),
    "many files": ("files = [open(str(i), 'w') for i in range(10**4)]", "failed", "Too many open files"),
    "stubborn files": (
        "import os\nfor i in range(300):\n os.mkdir('d'); os.chdir('d')\nopen('x', 'w'); os.chmod('.', 0)",
        "failed",
        "NameError",
    ),
    "environment": (
        "import os; raise KeyError(os.environ['SECRET_OF_THE_PARENT'])",
        "failed",
        "'SECRET_OF_THE_PARENT'",
    ),
    "environment of the parent": (
        "print(open('/proc/{parent}/environ').read())",
        "failed",
        "PermissionError|FileNotFound",
    ),
    "input": ("input()", "failed", "EOFError"),
    "writes outside": ("open('{outside}/new', 'w')", "failed", "OSError|PermissionError|FileNotFoundError"),
    "deletes outside": ("import os; os.remove('{outside}/old')", "failed", "OSError|PermissionError|FileNotFoundError"),
    "deletes a tree": ("import shutil; shutil.rmtree('{outside}')", "failed", "OSError|PermissionError|FileNotFound"),
    "socket": (
        "import socket; socket.create_connection(('127.0.0.1', {port}), 5)",
        "failed",
        "refused|Operation not permitted",
    ),
    "file that stays in memory": ("open('/dev/shm/at-k-{marker}', 'w')", "failed", "PermissionError|NameError"),
    "memory of the process": ("open('/proc/self/mem', 'rb')", "failed", "FileNotFoundError|PermissionError"),
    "a million lines": ("print('\\n'.join(map(str, range(10**6))))", "failed", "NameError"),
}

WITH_LANDLOCK = {
    "environment of the parent by a command": (
        "import subprocess; subprocess.run(['cat', '/proc/{parent}/environ'], check=True)",
        "failed",
        "CalledProcessError",
    ),
    "private file": ("print(open('{outside}/secret').read())", "failed", "PermissionError|FileNotFoundError"),
    "private file by a command": (
        "import subprocess; subprocess.run(['cat', '{outside}/secret'], check=True)",
        "failed",
        "CalledProcessError",
    ),
    "home": ("import os; os.listdir('{home}')", "failed", "PermissionError|FileNotFoundError"),  # gone with /tmp
    "passwords": ("open('/etc/shadow')", "failed", "PermissionError"),
    "change by a command": (
        "import subprocess; subprocess.run(['touch', '{outside}/new'], check=True)",
        "failed",
        "CalledProcessError",
    ),
}
"""Attacks that the kernel refuses with Landlock, in every isolation."""

IN_NAMESPACES = {
    "socket by the C library": (
        "import _socket; _socket.socket().connect(('127.0.0.1', {port}))",
        "failed",
        "refused",
    ),
    "other processes": ("import os\nassert any(map(str.isdigit, os.listdir('/proc')))", "failed", "AssertionError"),
    "supervisor": ("import os\nassert os.getppid() == 1\nos.kill(1, 9)", "failed", "PermissionError|NameError"),
}
