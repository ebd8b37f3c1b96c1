"""Programs with cases, and what the runner of LiveCodeBench says of them.

The verdicts are those of `run_test` in `lcb_runner/evaluation/testing_util.py`, github.com/LiveCodeBench/LiveCodeBench
at commit 28fef95, run on these programs with `timeout=6`, where a time limit has no part in them.
"""

import json

ADD = '{"inputs": ["1 2\\n", "3 4\\n"], "outputs": ["3\\n", "7\\n"]}'
SUM = "a, b = map(int, input().split())\n"


def say(wanted):
    """Return cases that ask for one text."""
    return json.dumps({"inputs": [""], "outputs": [wanted]})


def ask(function, *calls):
    """Return cases of a function: its arguments, and its result."""
    inputs = ["\n".join(map(json.dumps, given)) for given, _ in calls]
    return json.dumps({"inputs": inputs, "outputs": [json.dumps(wanted) for _, wanted in calls], "fn_name": function})


GROW = ask("grow", ([[1, 2], 3], [4, 5]), ([[], 1], []))
HALF = ask("half", ([1], 0.5))

READING = {
    "right": (SUM + "print(a + b)", ADD, True),
    "wrong": (SUM + "print(a * b)", ADD, False),
    "wrong in the second case": (SUM + "print(3)", ADD, False),
    "function and main": (
        "def main():\n    a, b = map(int, input().split())\n    print(a + b)\nif __name__ == '__main__':\n    main()",
        ADD,
        True,
    ),
    "sys.stdin.read": ("import sys\nprint(sum(map(int, sys.stdin.read().split())))", ADD, True),
    "sys.stdin.readline": ("import sys\nprint(sum(map(int, sys.stdin.readline().split())))", ADD, True),
    "sys.stdin.buffer": ("import sys\nprint(sum(map(int, sys.stdin.buffer.read().split())))", ADD, True),
    "end of the input": (
        "n = 0\ntry:\n    while True: n += sum(map(int, input().split()))\nexcept EOFError: print(n)",
        ADD,
        True,
    ),
    "names without an import": (SUM + "print(reduce(operator.add, [a, b], floor(0.5)))", ADD, True),
    "exit": (SUM + "print(a + b)\nexit()", ADD, True),
    "exit that reports failure": (SUM + "print(a + b)\nimport sys\nsys.exit(1)", ADD, True),
    "exit before": ("exit()", ADD, False),
    "error at the end": (SUM + "print(a + b)\n1 / 0", ADD, False),
    "no syntax": ("print(", ADD, False),
    "nothing": ("", ADD, False),
    "white space at the ends": ("print('\\n 3  \\n\\n')", say("3"), True),
    "white space at the ends of lines": ("print(' 3 \\n 4 ')", say("3\n4"), True),
    "white space in a line of words": ("print('a  b')", say("a b"), False),
    "white space in a line of numbers": ("print('1   2')", say("1 2"), True),
    "empty line between": ("print('3\\n\\n4')", say("3\n4"), False),
    "line too many": ("print('3\\n4')", say("3"), False),
    "line too few": ("print('3')", say("3\n4"), False),
    "lines in one": ("print('3 4')", say("3\n4"), False),
    "other case": ("print('yes')", say("YES"), False),
    "zeros": ("print('3.0 0.50')", say("3 0.5"), True),
    "power of ten": ("print('1e3')", say("1000"), True),
    "leading zeros": ("print('007')", say("7"), True),
    "large numbers": ("print(50000000000000001)", say("50000000000000000"), False),
    "number in words": ("print('n = 3.0')", say("n = 3"), False),
    "number of 5,000 digits": ("print(10 ** 5000)", say("1" + "0" * 5000), True),
    "recursion": ("def f(n): return n and 1 + f(n - 1)\nprint(f(20000))", say("20000"), True),
    "what is printed to standard error": ("import sys\nprint('x', file=sys.stderr)\nprint(3)", say("3"), True),
}
"""Programs that read their input."""

CALLED = {
    "method": ("class Solution:\n    def grow(self, x: List[int], y: int): return [a + y for a in x]", GROW, True),
    "function": ("def grow(x, y): return [a + y for a in x]", GROW, True),
    "wrong": ("def grow(x, y): return x", GROW, False),
    "wrong in the second case": ("def grow(x, y): return [4, 5]", GROW, False),
    "tuple": ("def grow(x, y): return tuple(a + y for a in x)", GROW, True),
    "generator": ("def grow(x, y): return (a + y for a in x)", GROW, False),
    "set": ("def grow(x, y): return {a + y for a in x}", GROW, False),
    "numbers of another type": ("def grow(x, y): return [float(a + y) for a in x]", GROW, True),
    "tuple in a list": ("def pair(x): return [(x, x)]", ask("pair", ([1], [[1, 1]])), False),
    "true for 1": ("def one(x): return True", ask("one", ([1], 1)), True),
    "text for a number": ("def one(x): return '1'", ask("one", ([1], 1)), False),
    "nothing": ("def one(x): pass", ask("one", ([1], 1)), False),
    "nothing where it is right": ("def none(x): pass", ask("none", ([1], None)), True),
    "another name": ("def shrink(x, y): return x", GROW, False),
    "another name in a class": ("class Solution:\n    def shrink(self, x, y): return x", GROW, False),
    "too many arguments": ("def grow(x): return x", GROW, False),
    "error": ("def grow(x, y): raise ValueError", GROW, False),
    "exit": ("def grow(x, y): exit()", GROW, False),
    "main that fails": ("def grow(x, y): return [a + y for a in x]\nif __name__ == '__main__': 1 / 0", GROW, True),
    "numbers of NumPy": ("import numpy as np\ndef half(x): return np.float64(x) / 2", HALF, True),
    "array of NumPy": ("import numpy as np\ndef grow(x, y): return np.array(x) + y", GROW, False),
    "text": ("def twice(s): return s + s", ask("twice", (["a\n"], "a\na\n")), True),
    "object": ("def count(s): return Counter(s)", ask("count", (["aab"], {"a": 2, "b": 1})), True),
    "keys of numbers": ("def count(s): return {1: 2}", ask("count", (["a"], {"1": 2})), False),
}
"""Programs with a function that is called."""

DIFFERENT = {
    "near": ("print(0.1 + 0.2)", say("0.3"), False, "a fraction may differ by the tolerance"),
    "near result": ("def half(x): return x / 2 + 1e-12", HALF, False, "a fraction may differ by the tolerance"),
    "bytes": ("import sys\nsys.stdout.buffer.write(b'3')", say("3"), False, "standard output has its buffer"),
    "open": ("print(sum(map(int, open(0).read().split())))", ADD, False, "the input is that of the process"),
    "global variable": (
        "n = 1\ndef f():\n    global n\n    n += 1\nf()\nprint(n)",
        say("2"),
        False,
        "a program is a script, and not the body of a function",
    ),
    "output at the end": (
        "import atexit\natexit.register(print, 3)", say("3"), False, "a program ends as a script does",
    ),
    "os._exit": (
        SUM + "print(a + b, flush=True)\nimport os\nos._exit(0)", ADD, False, "the process ends, with what it printed",
    ),
    "state": (
        "seen = []\ndef one(x):\n    seen.append(x)\n    return len(seen)",
        ask("one", ([1], 1), ([2], 1)),
        False,
        "each case has a process of its own",
    ),
    "equal to everything": (
        "class E:\n    def __eq__(self, other): return True\ndef one(x): return E()",
        ask("one", ([1], 1)),
        True,
        "what is no value of JSON equals none",
    ),
}  # fmt: skip
"""Programs of which this library says something else, and why."""
