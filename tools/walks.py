"""Trace three walks through the library, as somebody who reads along in a debugger would take them.

Lambdas and comprehensions are read in their place: whether Python runs the latter as functions differs between its
versions, so that they are counted apart.

Usage: python -m tools.walks [--list]
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


def trace(walk: Callable[[], object]) -> list[tuple[str, str]]:
    """List the file and the name of each function that the second call of a walk runs, in the order of first calls."""
    walk()  # the first call imports and fills caches
    called: dict[Any, None] = {}

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(LIBRARY):
            called.setdefault(frame.f_code)

    sys.setprofile(note)
    try:
        walk()
    finally:
        sys.setprofile(None)
    return [(code.co_filename.removeprefix(LIBRARY), code.co_name) for code in called]


def count_returns(files: Iterable[str]) -> int:
    """Count how often a reader goes back to a file that was left.

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
            {"task_id": f"t{i}", "lang": "ab"[i % 2], "correct": j % 4 > i % 4}
            for i in range(12)
            for j in range(8)
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
    print(
        f"{'walk':18}{'functions':>11}{'files':>7}{'returns':>9}{'and with lambdas and comprehensions':>37}"
    )
    for name, walk in (
        ("file → table", score_file),
        ("text → page", score_text),
        ("grade → compute", compute_grades),
    ):
        every = trace(walk)
        named = [(file, function) for file, function in every if not function.startswith("<")]
        returns, returns_of_all = (
            count_returns(file for file, _ in part) for part in (named, every)
        )
        files = len({file for file, _ in named})
        print(f"{name:18}{len(named):>11}{files:>7}{returns:>9}{len(every):>28}{returns_of_all:>9}")
        if "--list" in sys.argv:
            print(*(f"  {file} {function}" for file, function in named), sep="\n")
