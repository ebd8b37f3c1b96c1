"""The real results files that the demo shows."""

from __future__ import annotations

from pathlib import Path

EXAMPLES = {"qwen25_math": "qwen25_math.jsonl", "taubench_airline": "taubench_airline.jsonl"}
"""Name → file."""


def folder() -> Path:
    """Where the files are.

    Raises:
        FileNotFoundError: if the library stands alone, without the files beside it.
    """
    here = Path(__file__).resolve().parent
    for data in (here / "data", here.parent.parent / "examples" / "data"):  # as installed, and as in a clone
        if all((data / file).is_file() for file in EXAMPLES.values()):
            return data
    raise FileNotFoundError(f"the example data are neither in {here / 'data'} nor in a clone's examples/data")


def text(name: str) -> str:
    """The text of an example.

    Examples:
        >>> text("taubench_airline").count("task_id")
        50
    """
    return (folder() / EXAMPLES[name]).read_text(encoding="utf-8")
