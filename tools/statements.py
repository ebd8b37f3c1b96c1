"""Run the Python blocks of a document and compare what they print with what it shows.

`python statements.py README.md` needs the standard library alone, so that it runs where a reader would: in the folder
of the document, in the environment that the document asks for. It prints a count, and ends with status 1 if a block
fails.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Block:
    """A fenced block, and the output that is shown right after it."""

    language: str
    code: str
    line: int
    shown: str | None = None


def list_blocks(text: str) -> list[Block]:
    """List the Python blocks of a document."""
    blocks: list[Block] = []
    for match in FENCE.finditer(text):
        block = Block(match[1], match[2], text[: match.start()].count("\n") + 1)
        if block.language in ("text", "json") and blocks and blocks[-1].language == "python":
            blocks[-1].shown = block.code
        blocks.append(block)
    return [block for block in blocks if block.language == "python"]


def run_blocks(path: Path, text: str) -> Iterator[str]:
    """Run the Python blocks of a document in one namespace, and yield what is wrong with each, or ""."""
    namespace: dict[str, Any] = {"__name__": "document"}
    for block in list_blocks(text):
        if block.code.startswith(">>>"):
            yield _run_session(path, block, namespace)
        else:
            yield _run_code(path, block, namespace)


def _run_session(path: Path, block: Block, namespace: dict[str, Any]) -> str:
    """Run a block that shows a session with the interpreter."""
    example = doctest.DocTestParser().get_doctest(
        block.code, namespace, path.name, str(path), block.line
    )
    report: list[str] = []
    doctest.DocTestRunner().run(example, out=report.append, clear_globs=False)
    namespace |= example.globs
    return "".join(report)


def _run_code(path: Path, block: Block, namespace: dict[str, Any]) -> str:
    """Run a block whose output, if there is any, is shown below it."""
    # With these empty lines, tracebacks name the line in the document.
    code = "\n" * block.line + block.code
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            exec(compile(code, str(path), "exec"), namespace)
        except Exception:  # noqa: BLE001 - what the block does is reported
            return traceback.format_exc()
    if printed.getvalue() == (block.shown or ""):
        return ""
    return f"{path}, line {block.line}: shown {block.shown!r}, printed {printed.getvalue()!r}"


def main(path: Path) -> int:
    """Run a document, and print how many of its blocks and statements run as shown."""
    faults = list(run_blocks(path, path.read_text(encoding="utf-8")))
    wrong = [fault for fault in faults if fault]
    print(f"{path}: {len(faults) - len(wrong)} of {len(faults)} blocks run as shown")
    print("\n".join(wrong), file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.path.insert(0, "")  # the folder where a reader types, not that of this file
    sys.exit(main(Path(sys.argv[1])))
