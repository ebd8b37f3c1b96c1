"""The process of one program: what programs may do, and that none of them can claim to have passed."""

import re

import pytest
from grading.code.programs import run_pairs

from at_k.grading.code.program import describe_error, find_line

ALLOWED = {
    "names": (
        "assert __name__ == '__main__'\nclass A: pass\nmodule = __name__",
        "import __main__\nfrom candidate import A\nassert __main__.A.__module__ == module == __name__ == '__main__'",
    ),
    "pickled": (
        "class A: pass",
        "import pickle\nclass B(A): pass\nassert type(pickle.loads(pickle.dumps([A(), B()]))[1]) is B",
    ),
    "script": ("def f(): return 1\nif __name__ == '__main__': raise SystemExit", "assert f() == 1"),
    "own tests": (
        "import unittest\ndef f(): return 1\nclass T(unittest.TestCase):\n def test_f(self): self.assertEqual(f(), 1)\n"
        "if __name__ == '__main__': unittest.main()",
        "assert f() == 1",
    ),
    "arguments": (
        "import argparse, fileinput, sys\nassert not list(fileinput.input())\nargparse.ArgumentParser().parse_args()",
        "assert len(sys.argv) == 1",
    ),
    "source": ("def f(): return 1\n", "import inspect\nassert inspect.getsource(f) == 'def f(): return 1\\n'"),
    "built-in functions of its own": ("import builtins\nbuiltins.twice = lambda x: 2 * x", "assert twice(2) == 4"),
    "an object that equals everything": (
        "class E:\n def __eq__(self, other): return True\ndef f(): return E()",
        "assert f() == 1",
    ),
    "globals": ("count = 0\ndef f():\n global count\n count += 1", "f()\nf()\nassert count == 2"),
    "data class": (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n x: int",
        "import pickle\nassert pickle.loads(pickle.dumps(A(1))) == A(1) != A(2)",
    ),
    "numpy": ("import numpy\ndef f(): return numpy.arange(3)", "assert (f() == [0, 1, 2]).all()\nassert 2 in f()"),
    "patched print": (
        "def f(): print('said')",
        "from unittest.mock import patch\nwith patch('builtins.print') as said:\n f()\nsaid.assert_called_with('said')",
    ),
    "own exceptions": ("def f(): raise ValueError", "try:\n f()\nexcept ValueError: pass\nelse: raise AssertionError"),
    "unit tests": (
        "def f(x): return x",
        "import unittest\nclass T(unittest.TestCase):\n def test(self): self.assertEqual(f(1), 1)\n"
        "assert unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(T)).wasSuccessful()",
    ),
    "files": (
        "import os, shutil, tempfile\ndef f():\n os.makedirs('a/b')\n open('a/b/c', 'w').write('x')\n"
        " shutil.copytree('a', 'd')\n shutil.rmtree('a')\n os.rename('d', 'e')\n"
        " with tempfile.TemporaryDirectory() as folder: open(f'{folder}/x', 'w').write('x')\n"
        " return open('e/b/c').read()",
        "import os\nassert os.listdir() == []\nassert f() == 'x'\nassert os.path.expanduser('~') == os.getcwd()",
    ),
    "processes": (
        "import subprocess, sys\n"
        "def f(): return subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True)",
        "assert f().stdout == b'1\\n'",
    ),
    "multiprocessing": ("import multiprocessing\nlock = multiprocessing.Lock()", "with lock: assert True"),
    "child": (
        "import subprocess\np = subprocess.Popen(['sleep', '60'])\np.kill()\np.wait()",
        "assert p.returncode == -9",
    ),
    "threads left": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "threading.Thread(target=time.sleep, args=(0.1,)).start()",
        "assert True",
    ),
    "recursion": ("def f(n): return n and 1 + f(n - 1)", "assert f(900) == 900"),
    "tests with an object that equals everything": (
        "def f(): return [1, 2]",
        "from unittest.mock import ANY\nassert f() == [1, ANY]",
    ),
    "hash order": ("x = list({str(i) for i in range(20)})", "assert sorted(x) == sorted(map(str, range(20)))"),
    "library": ("import at_k", "assert at_k.pass_at_k(4, 2, k=1) == 0.5"),
    "libraries": (
        "import ctypes.util, decimal, hashlib, locale, mimetypes, platform, pwd, ssl, sqlite3, zoneinfo\n"
        "import pandas, scipy.stats, pyarrow",
        "import os\nssl.create_default_context()\nmimetypes.init()\nplatform.platform()\nos.cpu_count()\n"
        "assert zoneinfo.ZoneInfo('Europe/Berlin') and pwd.getpwuid(0).pw_name == 'root'",
    ),
    "not a word": ("print('\\ud800')", "assert True"),
}

STEP = """
def find():
    frame = sys._getframe(1)
    while frame.f_code.co_filename != "<tests>":
        frame = frame.f_back
    return frame
"""

FORGERIES = {
    "walks frames": """
import gc, os, sys
def f(x):
    seen, found = set(), set()
    def scan(thing, depth):
        if id(thing) in seen or depth > 6:
            return
        seen.add(id(thing))
        if isinstance(thing, (bytes, bytearray)) and len(thing) >= 16:
            found.update(bytes(thing[i:i + 16]) for i in range(min(len(thing) - 15, 4)))
        for part in gc.get_referents(thing):
            scan(part, depth + 1)
    frame = sys._getframe()
    while frame is not None:
        for thing in (frame, dict(frame.f_locals), dict(frame.f_globals)):
            scan(thing, 0)
        frame = frame.f_back
    for thing in gc.get_objects():
        scan(thing, 5)
    for token in found:
        os.write(3, b"%b %d" % (token, os.getpid()))
    os._exit(0)
f(1)
""",
    "calls the harness": """
import os, sys
frame = sys._getframe()
while frame is not None:
    if "announce_token" in frame.f_globals:
        token = frame.f_globals["announce_token"](3)
        os.write(3, b"%b %d" % (token, os.getpid()))
        os._exit(0)
    frame = frame.f_back
""",
    "rewrites the harness": """
import os, sys
frame = sys._getframe().f_back
frame.f_locals["sealed"] = []
for name in list(frame.f_globals):
    if not name.startswith("__"):
        frame.f_globals[name] = lambda *_, **__: None
os.write = print
import builtins
builtins.exec = lambda *_: None
__builtins__["exec"] = lambda *_: None
def f(x): return x
""",
    "finds the tests": """
import sys
def find(frame):
    while frame is not None:
        for value in list(frame.f_locals.values()):
            text = repr(value)
            if "f(1) " + "== 2" in text or "<te" + "sts>" in text:  # and not in this text itself
                return 2
        frame = frame.f_back
answer = find(sys._getframe())
def f(x): return answer
""",
    "replaces built-in functions": """
import builtins
for name in ("abs", "all", "any", "len", "isinstance", "AssertionError"):
    setattr(builtins, name, lambda *_: 0)
def f(x): return 1
""",
    "jumps": "import sys"
    + STEP
    + """
def f(x):
    def jump(frame, event, argument):
        frame.f_lineno = 4
    find().f_trace = jump
    sys.settrace(lambda *_: None)
""",
    "jumps by monitoring": "import sys"
    + STEP
    + """
def f(x):
    frame, own = find(), sys.monitoring
    frame.f_trace = lambda *_: None
    def jump(code, line):
        frame.f_lineno = 4
    own.use_tool_id(3, "jump")
    own.register_callback(3, own.events.LINE, jump)
    own.set_local_events(3, frame.f_code, own.events.LINE)
""",
    "guesses in forks": """
import os
def f(x):
    for guess in range(4):
        child = os.fork()
        if child == 0:
            os.write = lambda *_: None  # so that those that are wrong say nothing
            return guess
        os.waitpid(child, 0)
    os._exit(0)
""",
    "hands on the token of a fork": """
import os
def f(x):
    come, go = os.pipe()
    if os.fork() == 0:
        os.dup2(go, 3)
        os.close(come)
        os.close(go)
        return 2
    os.close(go)
    said = b""
    while part := os.read(come, 65536):
        said += part
    os.write(3, said[:16] + b" %d" % os.getpid())
    os.write(3, said[:16])
    os._exit(0)
""",
    "tries answers in forks": """
import os
def f(x):
    for guess in range(4):
        come, go = os.pipe()
        if os.fork() == 0:
            global f
            def f(x): os.write(go, b"right"); os._exit(0)
            return guess
        os.close(go)
        if os.read(come, 5): return guess
""",
    "replaces operators by name": """
globals()["=="] = lambda left, right: True
def f(x): return 1
""",
    "replaces operators by gc": """
import ast, gc
gc.unfreeze()
def always(left, right): return True
for thing in gc.get_objects():
    if type(thing) is dict and ast.Eq in thing:
        thing[ast.Eq] = always
def f(x): return 1
""",
    "replaces the code of the tests": "import sys"
    + STEP
    + """
def f(x):
    find().f_globals["g"].__code__ = (lambda: None).__code__
""",
}

# Code in C is not stopped from forking, but a fork has nothing to hand on.
FORGERIES["hands on the token of a fork in C"] = FORGERIES["hands on the token of a fork"].replace(
    "os.fork()", "__import__('ctypes').CDLL(None).fork()"
)

FORGED_TESTS = """\
def g(): assert abs(f(1) - 2) == 0
assert f(1) == 2
g()
pass
"""


@pytest.fixture(scope="module", params=["auto", "none"])
def outcomes(request):
    forged = [(text, FORGED_TESTS) for text in FORGERIES.values()]
    found = run_pairs([*ALLOWED.values(), *forged], timeout=20, isolation=request.param)
    return dict(zip([*ALLOWED, *FORGERIES], found, strict=True))


def test_ordinary_programs_pass(outcomes):
    assert {name: outcomes[name] for name in ALLOWED if not outcomes[name].passed} == {}


def test_no_program_claims_to_have_passed(outcomes):
    assert [name for name in FORGERIES if outcomes[name].passed] == []


def test_the_forgeries_were_tried(outcomes):
    # Each fails for the reason for which it should, and not for a mistake in it.
    details = {name: outcomes[name].detail for name in FORGERIES}
    assert "exit code 0" in details["walks frames"] or "channel" in details["walks frames"]
    assert "exit code 0" in details["calls the harness"]
    assert details["replaces built-in functions"].startswith("AssertionError")
    assert "trace" in details["jumps"]
    assert "trace" in details["jumps by monitoring"] or "sys" in details["jumps by monitoring"]
    assert "replace the code" in details["replaces the code of the tests"]
    assert "may not fork" in details["guesses in forks"]
    assert "may not fork" in details["hands on the token of a fork"]
    assert re.search("exit code 0|channel", details["hands on the token of a fork in C"])
    assert "may not fork" in details["tries answers in forks"]
    assert "line 2 of the tests" in details["replaces operators by name"]
    assert "line 2 of the tests" in details["replaces operators by gc"]
    assert details["finds the tests"].endswith("assert f(1) == 2")


def test_an_error_is_described_by_type_and_last_line():
    assert describe_error(ValueError("a\nb\n")) == "ValueError: b"
    assert describe_error(KeyError()) == "KeyError"
    assert len(describe_error(ValueError("x" * 10_000))) == 500
    assert describe_error(ValueError("\ud800")) == "ValueError: \\ud800"


def test_the_line_of_an_error_is_the_innermost_of_the_tests():
    names = {}
    code = compile("def f():\n    assert False\ndef g():\n    f()\n", "<tests>", "exec")
    exec(code, names)
    with pytest.raises(AssertionError) as caught:
        names["g"]()
    assert find_line(caught.value) == 2
    assert find_line(ValueError()) is None
