"""The real results files that the demo shows."""

from __future__ import annotations

from pathlib import Path

EXAMPLES = {"qwen25_math": "qwen25_math.jsonl", "taubench_airline": "taubench_airline.jsonl"}
"""Name → file."""


def folder() -> Path:
    """Return the folder of the files.

    Raises:
        FileNotFoundError: if the library is installed without the files.
    """
    here = Path(__file__).resolve().parent
    for data in (here / "data", here.parent.parent / "examples" / "data"):  # as installed, and as in a clone
        if all((data / file).is_file() for file in EXAMPLES.values()):
            return data
    raise FileNotFoundError(f"the example data are neither in {here / 'data'} nor in a clone's examples/data")


def read_example(name: str) -> str:
    """Read the text of an example.

    Examples:
        >>> read_example("taubench_airline").count("task_id")
        50
    """
    return (folder() / EXAMPLES[name]).read_text(encoding="utf-8")
