"""Results files that are made, and how long it takes to read and score them, beside what their bytes cost at least."""

from __future__ import annotations

import json
import os
import random
import sys
import zipfile
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import at_k
from at_k.readers import read_samples
from benchmarks.measure import ROOT, medians, printed_by

SAMPLES = 64

_PARSE = "import sys, orjson\nfor line in open(sys.argv[1], 'rb'): orjson.loads(line)"
"""The parser alone, line by line, in a process of its own."""

_PEAK = """
import contextlib, io, sys
from at_k.cli import app
from benchmarks.measure import peak_memory
with contextlib.redirect_stdout(io.StringIO()):
    try:
        app(sys.argv[1:])
    except SystemExit as end:
        if end.code:
            raise
print(peak_memory())
"""
"""The command, which says at its end what memory it held. What the system says of a child counts the parent too."""


def time_command(problems: int, rounds: int, *, parquet: bool = False) -> list[float]:
    """Time `at-k score` on one-line samples with verdicts, as a whole process, beside the JSON parser as another.

    Returns:
        The seconds of the command and, for JSON lines, of the parser.
    """
    with TemporaryDirectory() as folder:
        path = write_flat(Path(folder), problems, parquet=parquet)
        contestants = [["-m", "at_k", "score", str(path), "--format", "json"]]
        if not parquet:
            contestants.append(["-c", _PARSE, str(path)])
        return _time_processes(contestants, rounds)


def peak_of_command(problems: int) -> int:
    """Return the most memory, in bytes, that `at-k score` holds at once for one-line samples with verdicts."""
    with TemporaryDirectory() as folder:
        path = write_flat(Path(folder), problems)
        return int(printed_by("-c", _PEAK, "score", str(path)))


def peak_of_long_texts(megabytes: int) -> int:
    """Return the most memory, in bytes, for JSON lines of long generations of which the verdicts alone are wanted."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "generations.jsonl"
        text = json.dumps("Let us think step by step. " * 800)  # about 22 kB
        with path.open("w") as file:
            for row in range(megabytes * 1_000_000 // len(text)):
                file.write(
                    f'{{"task_id": "p/{row // 8}", "generation": {text}, "passed": {_flag(row)}}}\n'
                )
        return int(printed_by("-c", _PEAK, "score", str(path)))


def time_inspect(samples: int, rounds: int) -> list[float]:
    """Time an inspect log of samples of 20 kB, beside unzipping it."""
    with TemporaryDirectory() as folder:
        path = write_inspect(Path(folder), samples)

        def unzip() -> None:
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    archive.read(name)

        return medians(lambda: read_samples(path), unzip, rounds=rounds)


def time_lm_eval(megabytes: int, rounds: int) -> list[float]:
    """Time a samples file of lm-evaluation-harness, beside the JSON parser alone."""
    import orjson

    with TemporaryDirectory() as folder:
        path = write_lm_eval(Path(folder), megabytes)

        def parse() -> None:
            with path.open("rb") as file:
                for line in file:
                    orjson.loads(line)

        return medians(lambda: read_samples(path), parse, rounds=min(3, rounds))


def time_lists(problems: int, rounds: int) -> list[float]:
    """Time reading and scoring rows of 64 answers, beside `json.loads` line by line and a dict of lists."""
    rng = random.Random(0)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "answers.jsonl"
        with path.open("w") as file:
            for row in range(problems):
                answers = [str(37 * rng.randrange(10)) for _ in range(SAMPLES)]
                file.write(json.dumps({"id": row, "answers": answers, "reference": "37"}) + "\n")

        def ours() -> Any:
            return at_k.score(at_k.read_results(path), metrics="pass_at_k", k=1)

        def plain() -> Any:
            columns: dict[str, list[Any]] = {"id": [], "answers": [], "reference": []}
            with path.open() as file:
                for line in file:
                    for name, value in json.loads(line).items():
                        columns[name].append(value)
            return columns

        return medians(ours, plain, rounds=rounds)


def write_flat(folder: Path, problems: int, *, parquet: bool = False) -> Path:
    """Write a line, or a row of Parquet, for each of `problems` × 64 samples."""
    rng = random.Random(0)
    if parquet:
        import pyarrow as pa
        import pyarrow.parquet as pq

        count = problems * SAMPLES
        table = pa.table(
            {
                "task_id": [f"p/{row // SAMPLES}" for row in range(count)],
                "sample": [row % SAMPLES for row in range(count)],
                "passed": [rng.random() < 0.5 for _ in range(count)],
            }
        )
        pq.write_table(table, folder / "flat.parquet")
        return folder / "flat.parquet"
    path = folder / "flat.jsonl"
    with path.open("w") as file:
        for problem in range(problems):
            for sample in range(SAMPLES):
                passed = _flag(rng.randrange(2))
                file.write(
                    f'{{"task_id": "p/{problem}", "sample": {sample}, "passed": {passed}}}\n'
                )
    return path


def write_inspect(folder: Path, samples: int) -> Path:
    """Write a log of inspect_ai with four epochs and samples of about 20 kB, Deflate, which every Python unzips."""
    rng = random.Random(0)
    path = folder / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        header = {
            "version": 2,
            "status": "success",
            "eval": {"task": "made", "model": "made", "scorers": []},
        }
        archive.writestr("header.json", json.dumps(header))
        for number in range(samples):
            words = " ".join(str(rng.randrange(10**6)) for _ in range(2_900))
            sample = {
                "id": number // 4,
                "epoch": number % 4 + 1,
                "target": "7",
                "output": {"choices": [{"message": {"role": "assistant", "content": words}}]},
                "scores": {"match": {"value": "CI"[number % 2], "answer": str(number % 3)}},
            }
            archive.writestr(
                f"samples/{number // 4}_epoch_{number % 4 + 1}.json", json.dumps(sample)
            )
    return path


def write_lm_eval(folder: Path, megabytes: int) -> Path:
    """Write a samples file of lm-evaluation-harness with eight repeats of long texts."""
    rng = random.Random(0)
    path = folder / "samples_made_2026-01-01T00-00-00.000000.jsonl"
    size = 0
    with path.open("w") as file:
        for document in range(10**9):
            texts = [" ".join(str(rng.randrange(10**6)) for _ in range(400)) for _ in range(8)]
            row = {
                "doc_id": document,
                "doc": {"question": texts[0], "answer": "7"},
                "target": "7",
                "arguments": {"gen_args_0": {"arg_0": texts[0]}},
                "resps": [texts],
                "filtered_resps": [[str(rng.randrange(9)) for _ in range(8)]],
                "filter": "all",
                "metrics": ["exact_match"],
                "exact_match": 0.0,
            }
            size += file.write(json.dumps(row) + "\n")
            if size >= megabytes * 1_000_000:
                return path
    return path


def _flag(number: int) -> str:
    return "true" if number % 2 else "false"


def _time_processes(contestants: list[list[str]], rounds: int) -> list[float]:
    """Return the median time of each process; they take turns, and the first turn does not count."""
    times: list[list[float]] = [[] for _ in contestants]
    for turn in range(1 + min(5, rounds)):
        for arguments, own in zip(contestants, times, strict=True):
            elapsed = _time_process([sys.executable, *arguments])
            if turn or not rounds:
                own.append(elapsed)
    return [median(own) for own in times]


def _time_process(command: list[str]) -> float:
    """Return the seconds that a process takes.

    Python may keep the bytecode of the project, as that of an installed package is kept.
    """
    settings = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    start = perf_counter()
    child = os.posix_spawn(
        command[0], command, settings | {"PYTHONPATH": str(ROOT)}, file_actions=_QUIET
    )
    _, status = os.waitpid(child, 0)
    elapsed = perf_counter() - start
    if status:
        raise RuntimeError(
            f"{' '.join(command)} failed with status {os.waitstatus_to_exitcode(status)}"
        )
    return elapsed


_QUIET: list[Any] = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
