"""Programs in the texts of models."""

from textwrap import indent

import pytest
from bounds import hold, timed
from cases import for_each

from at_k.grading.extraction import EXTRACTIONS
from at_k.grading.programs import find_names, find_program

F = "def f(x):\n    return x\n"
G = "def g(x):\n    return x\n"
CALL = "print(f(1))\n"


THOUGHT = 'def f(x):\n    """Skip up to\n    </think>\n    """\n    return x\n'


def fence(code, language="python", mark="```"):
    return f"{mark}{language}\n{code}{mark}\n"


@for_each("text, program", [
    (F, F), ("  " + F.replace("\n ", "\n   "), F), (fence(F), F), (fence(F, ""), F), (fence(F, "Python3"), F),
    (fence(F, " python title='f.py'"), F), (fence(F, "{.python}"), F), (fence(F, "python", "````"), F),
    (fence(F, "python", "~~~"), F), (fence(f"# ```\n{F}", "python", "~~~~"), f"# ```\n{F}"),
    (fence(F).replace("\n", "\r\n"), F.replace("\n", "\r\n")), (f"Here it is:\n\n{fence(F)}\nIt returns x.", F),
    (f"{fence(G)}or rather\n{fence(F)}", F), (f"{fence(F)}Use it:\n{fence(CALL)}which prints\n{fence('1', '')}", F),
    (fence("int f;\n", "c") + fence(CALL), CALL), (f"{fence(CALL, 'bash')}{fence('1', 'text')}", CALL),
    (f"{fence(F)}and so on ```python\n", F), (f"Here:\n```python\n{F}", F),
    (f"{fence(F)}Longer:\n```python\n{G}", F), (f"{fence(CALL)}The program:\n```python\n{F}", F),
    (f"{F}```\nThis returns x.", F), ("1. One:\n   ```python\n   def f(x):\n       return x\n   ```\n", F),
    (f"\ufeff{F}", F), (f"<think>First {fence(G)}</think>\n{fence(F)}", F), (f"<think>{fence(G)}</think>\n{F}", F),
    (f"I think.\n{fence(G)}\n</think>\n\n{fence(F)}", F), (f"\n<think>\n{fence(G)}", None),
    ("s = '</think>'\nt = '<think>'\n", "s = '</think>'\nt = '<think>'\n"), ("I think.\n</think>\n" + F, F),
    (THOUGHT, THOUGHT), (fence(THOUGHT), THOUGHT), (f"I think.\n</think>\n{fence(THOUGHT)}", THOUGHT),
    (fence(indent(F, "    ")), F), (fence("f = abs\n") + fence(CALL), "f = abs\n"),
    (fence(F) + fence("y = f(1)\n"), F), (fence(CALL) + "which prints\n" + fence("1\n", ""), CALL),
    (fence(CALL) + "or\n" + fence("print(f(2))\n"), "print(f(2))\n"), ("", None), (" \n", None),
])  # fmt: skip
def test_a_text_gives_its_program(text, program):
    assert EXTRACTIONS["code"](text) == program


DOCSTRING = (
    'def f(x):\n    """Return x.\n\n    ```python\n    f(1)\n    ```\n    """\n    return x\n'
)


@for_each("program", [DOCSTRING, DOCSTRING.replace('"""', "'''"), f'"""\n```\n{G}```\n"""\n{F}'])
def test_fences_in_strings_are_of_the_program(program):
    assert find_program(program).source == program
    assert find_program(f"Here:\n{fence(program)}\nIt returns x.").source == program


def test_a_quote_that_is_not_closed_hides_no_fence():
    program = 'mark = \'"""\'\n' + F
    assert find_program(f"{fence(program)}That is all.").source == program


@for_each("text, program", [
    (fence(F) + fence(G), F), (fence(G) + fence(F), F), (fence(F) + fence("class A: pass\n"), F),
    (fence(G) + f"```\n{F}", F), (fence(F) + f"```\n{F}", F), (fence("f = abs\n") + fence(G), "f = abs\n"),
    (fence("f: object = abs\n") + fence(CALL), "f: object = abs\n"),
    (fence("f = abs\n") + fence("f == abs\n"), "f = abs\n"), (fence(F) + fence("f = abs\n"), F),
    (fence(f"y = 1\n{F}") + fence(F), F), (fence("from m import f\n") + fence(CALL), f"from m import f\n\n{CALL}"),
    (fence("x = 1\n") + fence("1\n", "c") + fence(G), f"x = 1\n\n{G}"), (f"Here:\n```python\n{CALL}", CALL),
])  # fmt: skip
def test_the_block_that_defines_a_name(text, program):
    assert find_program(text, {"f", "assert"}).source == program


@pytest.mark.parametrize(("tests", "names"), [
    ("assert f(1) == 1", {"assert", "f", "1"}),
    ("def test_f():\n    y = f(1)\n    assert y\ntest_f()", {"def", "f", "1", "assert"}),
    ("class T:\n    async def g(self): f()", {"class", "async", "def", "self", "f"}),
    ("if __name__ == '__main__':\n    unittest.main()", {"if", "__name__", "unittest"}),
])  # fmt: skip
def test_names_that_the_tests_do_not_define(tests, names):
    assert find_names(tests) == names


@for_each(
    "unit", ["`", "```\n", "``` `\n", '"""\n```\n', "\n", " ", "<think>", "</think>\n", "~~~\n"]
)
def test_a_long_text_takes_seconds_at_most(unit):
    text = "think>```\n" + unit * (100_000 // len(unit))
    hold(1, timed(lambda: find_program(text)))  # linear: 0.1 s; quadratic: minutes
