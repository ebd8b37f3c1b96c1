"""Count millions of samples in shards, beside the engine's own GROUP BY.

`python -m benchmarks.scale 100000` counts 10 million grades, and `python -m benchmarks.scale 100000 votes` answers.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

SAMPLES, SHARDS = 100, 10
"""Samples of each problem, and files."""

_OPEN = "import duckdb, at_k, pyarrow.dataset as ds; "
_OPEN += "duckdb.sql('SET enable_progress_bar = false'); data = duckdb.read_parquet({shards!r} + '/*.parquet'); "
_GROUP = "duckdb.sql('SELECT {columns}, {more} COUNT(*) FROM data GROUP BY {columns}').arrow().read_all()"
_QUERY = "at_k.sql(table='data', problem='problem', correct='grades > 0.5')"

COUNTS = {
    "DuckDB's own GROUP BY problem": _GROUP.format(columns="problem", more="SUM(grades),"),
    "counts, through DuckDB": "at_k.score(data, columns={{'answers': None}})",
    "counts, by `at_k.sql` in DuckDB": f"at_k.score(at_k.Tally.from_rows(duckdb.sql({_QUERY}).fetchall()))",
    "counts, through Arrow": "at_k.score(ds.dataset({shards!r}), columns={{'answers': None}})",
}
VOTES = {
    "DuckDB's own GROUP BY problem and answer": _GROUP.format(columns="problem, answers, reference", more=""),
    "votes of 16 answers, through DuckDB": "at_k.score(data, columns={{'grades': None, 'references': 'reference'}})",
}
"""Name → what is measured."""


def make_shards(folder: Path, problems: int, shards: int = SHARDS, *, votes: bool = True) -> None:
    """Write shards with a row for each sample, those of each problem in one of them; answers only if they vote."""
    import duckdb

    size = problems // shards
    answers = ", CAST(CAST(sqrt(hash(i) % 256) AS INT) AS TEXT) AS answers, '15' AS reference" if votes else ""
    for shard in range(shards):
        first = shard * size
        duckdb.sql(
            f"COPY (SELECT 'problem-' || (i // {SAMPLES}) AS problem, "
            f"CAST(hash(i) % 997 < hash(i // {SAMPLES}) % 997 AS INT) AS grades{answers} "
            f"FROM range({first * SAMPLES}, {(first + size) * SAMPLES}) AS t(i)) TO '{folder}/part-{shard}.parquet'"
        )


def measure(code: str) -> dict[str, float]:
    """Run code in a process of its own, and return its seconds, its CPU time and its memory."""
    timed = (
        "import json, resource, time; start = time.perf_counter(); exec({code!r}); "
        "used = resource.getrusage(resource.RUSAGE_SELF); "
        "print(json.dumps([time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20]))"
    )
    done = subprocess.run([sys.executable, "-c", timed.format(code=code)], check=True, capture_output=True, text=True)
    return dict(zip(("seconds", "cpu", "gigabytes"), json.loads(done.stdout.splitlines()[-1]), strict=True))


def main(problems: int = 100_000, *, votes: bool = False) -> None:
    """Print a table of the time and memory of each way to count."""
    with TemporaryDirectory() as folder:
        make_shards(Path(folder), problems)
        print(f"{problems * SAMPLES:,} samples of {problems:,} problems in {SHARDS} Parquet files\n")
        print("| work | seconds | CPU seconds | GB |\n|---|--:|--:|--:|")
        for name, code in (VOTES if votes else COUNTS).items():
            found = measure((_OPEN + code).format(shards=folder))
            print(f"| {name} | {found['seconds']:.1f} | {found['cpu']:.1f} | {found['gigabytes']:.2f} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), votes="votes" in sys.argv)
