"""Find sentences that break the rules of style: `python -m tools.words`, a part of `make quality`.

It reads docstrings, comments and messages of Python files, and documents without their code.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ("at_k", "metrics", "comparisons", "benchmarks", "tools", "tests", "examples")
DOCUMENTS = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs",
    "metrics",
    "comparisons",
    "benchmarks",
    "examples",
)

AVOIDED = re.compile(
    r"\b(?:stands?|standing|so many|as many|whoever|strangers?|says? so|alike|is there)\b",
    re.IGNORECASE,
)
"""Words of a careful translation, for which plain English has a better one."""

CLAUSES = re.compile(r"(?:What|How|Who|Whose|Where|Whether|Which|That|Those)\b(?!.*\?)")
"""Beginnings of a first sentence that has neither a noun nor a verb."""

ALLOWED = {
    "tools/words.py": "it lists the words",
}
"""File → why it may have what is avoided."""

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_CODE = re.compile(r"^```.*?^```$|<!--.*?-->|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def main() -> int:
    """Print each fault with its place, and return 1 if there is one."""
    faults = [fault for path in list_files() for fault in find_faults(path)]
    print(*faults, sep="\n", end="\n" if faults else "")
    return int(bool(faults))


def list_files() -> list[Path]:
    """List the files whose sentences are checked, without those that are data."""
    python = (path for folder in PYTHON for path in (ROOT / folder).rglob("*.py"))
    places = (ROOT / name for name in DOCUMENTS)
    documents = (
        path for place in places for path in (place.rglob("*.md") if place.is_dir() else [place])
    )
    files = {*python, *documents}
    return sorted(
        path for path in files if "zh" not in path.parts and not path.name.endswith(".zh.md")
    )


def find_faults(path: Path) -> Iterator[str]:
    """Yield the faults of one file: its place, and the words around each."""
    place = path.relative_to(ROOT).as_posix()
    if place in ALLOWED:
        return
    texts = read_python(path) if path.suffix == ".py" else read_document(path)
    for line, text in texts:
        for match in AVOIDED.finditer(text):
            shown = " ".join(text[max(match.start() - 30, 0) : match.end() + 30].split())
            yield f"{place}:{line + text.count(chr(10), 0, match.start())}: “{match[0]}” in “{shown}”"
    if path.suffix == ".py":
        for line, name, text in list_docstrings(path):
            if CLAUSES.match(text.split("\n\n")[0]):
                yield f"{place}:{line}: {name} begins with “{text.split()[0]}”, not with a noun or a verb"


def read_python(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the comments and docstrings of a file, each with its line."""
    source = path.read_text(encoding="utf-8")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for line, _, text in list_docstrings(path):
        yield line, _blank_code(re.sub(r"(?m)^ *(>>>|\.\.\.) .*$", "", text))
    if path.is_relative_to(ROOT / "at_k"):
        described = {line for line, _, _ in list_docstrings(path)}
        yield from (found for found in list_messages(source) if found[0] not in described)


def list_messages(source: str) -> Iterator[tuple[int, str]]:
    """Yield the strings of a file that are sentences, each with its line: people read them."""
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node.value.count(" ") > 3
        ):
            yield node.lineno, _blank_code(node.value)


def list_docstrings(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield the docstrings of a file: line, name of what is documented, text."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for statement in node.body if isinstance(node, _DOCUMENTED) else ():
            constant = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(constant, ast.Constant) and isinstance(constant.value, str):
                yield statement.lineno, getattr(node, "name", path.stem), constant.value


def read_document(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the whole text of a document, without its code."""
    yield 1, _blank_code(path.read_text(encoding="utf-8"))


def _blank_code(text: str) -> str:
    """Replace code by as much white space, so that lines stay where they are."""
    return _CODE.sub(lambda match: re.sub(r"\S", " ", match[0]), text)


if __name__ == "__main__":
    sys.exit(main())
