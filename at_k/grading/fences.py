"""Find the program in the text of a model."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from textwrap import dedent

_FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,})([^`\n]*)$", re.MULTILINE)
_THOUGHT = re.compile(r"\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_THOUGHT_END = re.compile(r"^[ \t]{0,9}</think(?:ing)?>", re.MULTILINE)
_DEFINITION = re.compile(r"^(?:async[ \t]+def|def|class)[ \t]+(\w+)", re.MULTILINE)
_ASSIGNMENT = re.compile(r"^(\w+)[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE)
_MOST_HELPERS = 20
_IMPORT = re.compile(r"^(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+([^\n#;]+)", re.MULTILINE)
_PYTHON = ("", "py", "python", "python3")


@dataclass(frozen=True)
class _Block:
    """Hold what stands between two fences, or beside one that has no other."""

    language: str
    code: str
    closed: bool

    def rank(self, names: Collection[str]) -> tuple[bool, int, bool, bool]:
        """Return how likely it is the program that is looked for. A definition says more than an assignment."""
        defined, assigned = (
            bool(found.intersection(names) if names else found)
            for found in (set(rule.findall(self.code)) for rule in (_DEFINITION, _ASSIGNMENT))
        )
        return self.language in _PYTHON, 2 * defined or int(assigned), self.closed, self.language in _PYTHON[1:]

    def list_provided(self) -> set[str]:
        """Return the names of the functions and classes that it defines, and of what it imports."""
        imported = re.findall(
            r"(?:^|,)[ (]*(?:[\w.]+[ ]as[ ])?(\w+)", "\n".join(_IMPORT.findall(self.code)), re.MULTILINE
        )
        return {*_DEFINITION.findall(self.code), *imported}


def find_names(tests: str) -> frozenset[str]:
    """Return the words of a test program that may name what it tests: those that it does not define itself.

    Examples:
        >>> sorted(find_names("def test_f(): assert f(1)"))
        ['1', 'assert', 'def', 'f']
    """
    lines = re.sub(r"^[ \t]+", "", tests, flags=re.MULTILINE)
    own = {*_DEFINITION.findall(lines), *_ASSIGNMENT.findall(lines), "main", "__main__"}
    return frozenset(re.findall(r"\w+", tests)) - own


def find_program(text: str, names: Collection[str] = ()) -> str | None:
    r"""Return the program in a text: what stands between fences of Markdown, or the whole text if it has none.

    Of several blocks it is the last that defines one of the names, such as the function to test, by `def` or `class`,
    or else by an assignment, joined by closed ones of Python that define or import what it uses; where none does, all
    closed blocks of Python are joined. If no names are known, it is the
    last that defines anything, or, where none does, the last that is marked as Python. A block of another language than
    Python counts only where there is no other, and one that is not closed only where no closed one would do. So does
    what stands before the first fence: the prompt may have opened it. A block that is indented as a whole is dedented.
    Reasoning up to `</think>` and a byte order mark are left out. What stands within a string in triple quotes, such as
    a docstring, is part of the program, be it a fence or `</think>`.

    Args:
        text: the text.
        names: what the program should define one of.

    Examples:
        >>> find_program("Here it is:\n```python\ndef f(x): return x\n```\nTry it:\n```\nf(1)\n```")
        'def f(x): return x\n'
        >>> find_program("def f(x): return x")
        'def f(x): return x'
    """
    text = text.removeprefix("\ufeff")
    thought = _THOUGHT.match(text)
    for end in _find_outside_strings(_THOUGHT_END, text) if not thought and "</think" in text else ():
        thought = end
    text = text[thought.end() :].removeprefix("\n") if thought else text
    blocks = _find_blocks(text) if "```" in text or "~~~" in text else []
    # Of equal ones, `max` takes the first.
    best = max(reversed(blocks), key=lambda block: block.rank(names), default=None)
    code = best.code if best else text
    if best and names and best.rank(names)[:3] == (True, 0, True):
        code = "\n".join(block.code for block in blocks if block.rank(names)[:3] == (True, 0, True))
    elif best and len(blocks) > 2:
        code = _add_helpers(best, blocks)
    return code if code.strip() else None


def _find_blocks(text: str) -> list[_Block]:
    """List the blocks beside fences, if there are any."""
    blocks: list[_Block] = []
    opened: re.Match[str] | None = None
    for fence in _find_outside_strings(_FENCE, text):
        if opened is None:
            if not blocks:
                blocks.append(_Block("", text[: fence.start()], closed=False))
            opened = fence
        elif fence[2].startswith(opened[2]) and not fence[3].strip():
            blocks.append(_cut(text, opened, fence.start(), closed=True))
            opened = None
    if opened is not None:
        blocks.append(_cut(text, opened, len(text), closed=False))
    return blocks


def _add_helpers(best: _Block, blocks: list[_Block]) -> str:
    """Return a block joined, in the order of the text, by closed ones of Python that define or import what it uses.

    A later block that defines the same is another version, and one that does not compile no program: both are left out.
    """
    chosen, code, defined = [best], best.code, best.list_provided()
    for block in [*reversed(blocks[-_MOST_HELPERS:])] * 2:  # a helper has helpers too, which may stand behind it
        provided = block.list_provided() if block.language in _PYTHON and block.closed else set()
        needed = provided.intersection(re.findall(r"\w+", code)) - defined
        if needed and (blocks.index(block) < blocks.index(best) or not provided & defined):
            together = [each for each in blocks if each is block or each in chosen]
            joined = "\n".join(each.code for each in together)
            if _can_compile(joined):
                chosen, code, defined = together, joined, defined | provided
    return code


def _can_compile(code: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(code, "<joined>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _find_outside_strings(rule: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a rule that do not stand within a string in triple quotes."""
    seen, quotes = 0, dict.fromkeys(('"""', "'''"), 0)
    last = {mark: text.rfind(mark) for mark in quotes}
    for match in rule.finditer(text):
        quotes = {mark: count + text.count(mark, seen, match.start()) for mark, count in quotes.items()}
        seen = match.end()
        if not any(count % 2 and last[mark] > seen for mark, count in quotes.items()):
            quotes = dict.fromkeys(quotes, 0)
            yield match


def _cut(text: str, opened: re.Match[str], end: int, *, closed: bool) -> _Block:
    """Return the block that a fence opens."""
    code, language = text[opened.end() + 1 : end], re.search(r"\w+|$", opened[3])
    indented = opened[1] or code.lstrip("\r\n")[:1].isspace()
    return _Block(language[0].lower() if language else "", dedent(code) if indented else code, closed)
