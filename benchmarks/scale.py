"""Count millions of samples in shards, beside the engine's own GROUP BY.

`python -m benchmarks.scale 100000` counts 10 million grades in ten files, `python -m benchmarks.scale 100000 votes`
answers, and `python -m benchmarks.scale 10000000 100` a billion grades in a hundred files, of 250 MB in all.
"""

from __future__ import annotations

import json
import subprocess
import sys
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory

SAMPLES, SHARDS, ROUNDS = 100, 10, 2
"""Samples of each problem, files, and how often each way is measured, in turns; the lower CPU time counts."""

_OPEN = "import duckdb, at_k, pyarrow.dataset as ds; "
_OPEN += "duckdb.sql('SET enable_progress_bar = false'); data = duckdb.read_parquet({shards!r} + '/*.parquet'); "
_GROUP = "duckdb.sql('SELECT {columns}, {more} COUNT(*) FROM data GROUP BY {columns}').arrow().read_all()"
_QUERY = "at_k.sql(table='data', problem='problem', correct='grades = 1')"

COUNTS = {
    "DuckDB's own GROUP BY problem": _GROUP.format(columns="problem", more="SUM(grades),"),
    "counts, through DuckDB": "at_k.score(data)",
    "counts, by `at_k.sql` in DuckDB": f"at_k.score(at_k.Tally.from_rows(duckdb.sql({_QUERY}).fetchall()))",
    "counts, through Arrow": "at_k.score(ds.dataset({shards!r}))",
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


def main(problems: int = 100_000, shards: int = SHARDS, *, votes: bool = False, rounds: int = ROUNDS) -> None:
    """Print a table: the time and memory of each way to count, and how many times that of the first it takes."""
    with TemporaryDirectory() as folder:
        make_shards(Path(folder), problems, shards, votes=votes)
        print(f"{problems * SAMPLES:,} samples of {problems:,} problems in {shards} Parquet files\n")
        print("| work | seconds | CPU seconds | × | GB |\n|---|--:|--:|--:|--:|")
        ways = {name: (_OPEN + code).format(shards=folder) for name, code in (VOTES if votes else COUNTS).items()}
        turns = [{name: measure(code) for name, code in ways.items()} for _ in range(rounds)]
        best = {name: min((turn[name] for turn in turns), key=itemgetter("cpu")) for name in ways}
        own = next(iter(best.values()))["cpu"]
        for name, found in best.items():
            numbers = (f"{found['seconds']:.1f}", f"{found['cpu']:.1f}", f"{found['cpu'] / own:.2f}")
            print("|", " | ".join([name, *numbers, f"{found['gigabytes']:.2f}"]), "|")


if __name__ == "__main__":
    main(*map(int, filter(str.isdigit, sys.argv[1:])), votes="votes" in sys.argv)
