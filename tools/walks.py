"""Trace three walks through the library, as somebody who reads along in a debugger would take them.

Usage: python -m tools.walks
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = str(ROOT / "at_k") + "/"


def trace(walk: Callable[[], object]) -> tuple[int, int, int]:
    """Count the functions, lambdas and comprehensions that the second call of a walk runs, their files, and returns.

    A return is a function, in the order of the first calls, for which the reader goes back to a file that was left.
    """
    walk()  # the first call imports and fills caches
    files: dict[Any, str] = {}

    def note(frame: Any, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(LIBRARY):
            files.setdefault(code, code.co_filename)

    sys.setprofile(note)
    try:
        walk()
    finally:
        sys.setprofile(None)
    return len(files), len(set(files.values())), count_returns(files.values())


def count_returns(files: Iterable[str]) -> int:
    """Count how often a file is opened again.

    Examples:
        >>> count_returns("aabac")
        1
    """
    seen: set[str] = set()
    last, returns = "", 0
    for file in files:
        returns += file != last and file in seen
        seen.add(file)
        last = file
    return returns


def score_file() -> None:
    """Walk from a small table to what the command prints."""
    from typer.testing import CliRunner

    from at_k.cli import app

    with TemporaryDirectory() as folder:
        path = Path(folder, "runs.jsonl")
        rows = [
            {"task_id": f"t{i}", "lang": "ab"[i % 2], "correct": j % 4 > i % 4} for i in range(12) for j in range(8)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        assert CliRunner().invoke(app, ["score", str(path)]).exit_code == 0


def score_text() -> None:
    """Walk from a text that is pasted to the page that shows its numbers."""
    from at_k.demo.work import run

    rows = '{"answers": ["7", "7", "9"], "reference": "7"}\n{"answers": ["1", "2", "2"], "reference": "2"}\n'
    run("score", {"data": rows})


def compute_grades() -> None:
    """Walk from grades to the result of an evaluate module."""
    module.compute(predictions=[[1, 0, 1, 1], [0, 0, 1, 0]])


if __name__ == "__main__":
    import evaluate

    import at_k

    module = evaluate.load(str(at_k.module_path("pass_at_k")), "graded")
    print(f"{'walk':20}{'functions':>11}{'files':>7}{'returns':>9}")
    for name, walk in (("file → table", score_file), ("text → page", score_text), ("grade → compute", compute_grades)):
        print(f"{name:20}" + "".join(f"{n:>{w}}" for n, w in zip(trace(walk), (11, 7, 9), strict=True)))
