"""The real results files that the demo shows, and a small file of each harness."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

# Name → file.
EXAMPLES = {"qwen25_math": "qwen25_math.jsonl", "taubench_airline": "taubench_airline.jsonl"}

# A file with the samples of two models, which its column `prompt` names.
PAIR = "codex_puzzles.jsonl"

# A file with ten published results: of how many problems how many samples are right.
PUBLISHED = "published.jsonl"

# Name of a format → a small file of it, in the folder `harness`.
HARNESSES = {
    "inspect_ai": "inspect_ai.eval",
    "lm-eval": "lm-eval.jsonl",
    "lighteval": "lighteval.parquet",
    "evalscope": "evalscope.jsonl",
    "evalplus": "evalplus.json",
    "human-eval": "human-eval.jsonl",
    "livecodebench": "livecodebench.json",
    "tau-bench": "tau-bench.json",
    "trl": "trl.parquet",
    "verifiers": "verifiers.jsonl",
    "verl": "verl.jsonl",
}

# The prefix of such names.
HARNESS = "harness/"


def folder() -> Path:
    """Return the folder of the files."""
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
    return _read(EXAMPLES[name])


def read_pair() -> str:
    """Read the text of the file with two models."""
    return _read(PAIR)


def read_published() -> list[dict[str, Any]]:
    """Read the published results.

    Examples:
        >>> read_published()[0]["right"]
        {'0': 14, '1': 12, '2': 10, '3': 4, '4': 10}
    """
    return [json.loads(line) for line in _read(PUBLISHED).splitlines()]


def _read(file: str) -> str:
    return (folder() / file).read_text(encoding="utf-8")


def read_harness(name: str) -> tuple[str, bytes]:
    """Read the small file of a harness: its name, and its content.

    Examples:
        >>> read_harness("trl")[0], read_harness("verl")[1][:1]
        ('trl.parquet', b'{')
    """
    path = folder() / "harness" / HARNESSES[name]
    return path.name, path.read_bytes()
