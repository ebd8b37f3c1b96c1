"""Count millions of samples in shards, beside the engine's own GROUP BY.

`python -m benchmarks.scale counts 100000` counts 10 million grades in ten files, `… votes 100000` answers, and
`… counts 10000000 100` a billion grades in a hundred files, of 250 MB in all. `… ray 10000` lets two workers of Ray
judge a million answers, where `.[ray]` is installed, and `… math 1000` a tenth of these with Math-Verify.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

SAMPLES, SHARDS, ROUNDS = 100, 10, 3
"""Samples of each problem, files, and how often each way is measured, in turns; the medians count."""

_OPEN = "import duckdb, at_k, pyarrow.dataset as ds; "
_OPEN += "duckdb.sql('SET enable_progress_bar = false'); data = duckdb.read_parquet({shards!r} + '/*.parquet'); "
_GROUP = "SELECT n, c, COUNT(*) FROM (SELECT problem, COUNT(*) AS n, SUM(grades) AS c FROM data GROUP BY problem)"
_QUERY = "at_k.sql(table='data', problem='problem', correct='grades = 1', cast={cast})"
_ROWS = f"at_k.score(at_k.Tally.from_rows(duckdb.sql({_QUERY}).fetchall()))"
_ANSWERS = "SELECT problem, answers, COUNT(*) FROM data GROUP BY problem, answers"
_JUDGE = "at_k.score({data}, columns={{{{'grades': None}}}}, check_correct_fn={checker!r})"
_RAY = "import ray; ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address='127.0.0.1'); "


def _judge(checker: str) -> dict[str, str]:
    return {
        f"`{checker}` in one process, through Arrow": _JUDGE.format(
            data="ds.dataset({shards!r})", checker=checker
        ),
        f"`{checker}` in two workers of Ray": _RAY
        + _JUDGE.format(data="ray.data.read_parquet({shards!r})", checker=checker),
    }


WAYS = {
    "counts": {
        "DuckDB's own GROUP BY problem, then by n and c": f"duckdb.sql('{_GROUP} GROUP BY n, c').fetchall()",
        "counts, through DuckDB": "at_k.score(data)",
        "counts, by `at_k.sql` in DuckDB": _ROWS.replace("{cast}", "False"),
        "counts, by `at_k.sql` with `cast` in DuckDB": _ROWS.replace("{cast}", "True"),
        "counts, through Arrow": "at_k.score(ds.dataset({shards!r}))",
    },
    "votes": {
        "DuckDB's own GROUP BY problem and answer": f"duckdb.sql('{_ANSWERS}').arrow().read_all()",
        "votes of 16 answers, through DuckDB": "at_k.score(data, columns={{'grades': None}})",
    },
    "ray": _judge("exact_match"),
    "math": _judge("math"),
}
"""Measurement → name → how. All are compared with the first."""


_FRACTION = "'\\frac{{' || {part} || '}}{{' || (i // 100 + 17) || '}}'"
_DRAWN = "CAST(CAST(sqrt(hash(i) % 256) AS INT) AS TEXT)"
_CHECKED = (
    f', {_FRACTION.format(part=_DRAWN)} AS answers, {_FRACTION.format(part=15)} AS "references"'
)
ANSWERS = {
    "counts": "",
    **dict.fromkeys(("votes", "ray"), f", {_DRAWN} AS answers, '15' AS \"references\" "),
    "math": _CHECKED,  # those of each problem are its own, so that each is checked
}
"""Measurement → the columns of answers: one of 16, of which the last but one is right."""


def make_shards(folder: Path, problems: int, shards: int = SHARDS, *, what: str = "votes") -> None:
    """Write shards with a row for each sample, those of each problem in one of them."""
    import duckdb

    size = problems // shards
    for shard in range(shards):
        first = shard * size
        duckdb.sql(
            f"COPY (SELECT 'problem-' || (i // {SAMPLES}) AS problem, "
            f"CAST(hash(i) % 997 < hash(i // {SAMPLES}) % 997 AS INT) AS grades{ANSWERS[what]} "
            f"FROM range({first * SAMPLES}, {(first + size) * SAMPLES}) AS t(i)) TO '{folder}/part-{shard}.parquet'"
        )


def weigh_processes() -> tuple[float, float]:
    """Return the CPU seconds of this process and of all that it started, and the gigabytes of the largest of them."""
    parents, seconds, peaks = {}, {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            status = dict(
                line.split(":", 1) for line in (folder / "status").read_text().splitlines()
            )
        except OSError:  # it has ended
            continue
        own = int(folder.name)
        parents[own] = int(stat[1])
        seconds[own] = (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
        peaks[own] = int(status.get("VmHWM", "0 kB").split()[0]) / 2**20
    tree = [os.getpid()]
    for parent in tree:
        tree += [own for own, its in parents.items() if its == parent]
    return sum(seconds[own] for own in tree), max(peaks[own] for own in tree)


def measure(code: str) -> tuple[float, float, float]:
    """Run code in a process of its own, and return its seconds, its CPU seconds and its gigabytes."""
    timed = (
        "import json, time; from benchmarks.scale import weigh_processes; start = time.perf_counter(); exec({code!r}); "
        "print(json.dumps([time.perf_counter() - start, *weigh_processes()]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", timed.format(code=code)], check=True, capture_output=True, text=True
    )
    seconds, cpu, gigabytes = json.loads(done.stdout.splitlines()[-1])
    return seconds, cpu, gigabytes


def main(
    what: str = "counts", problems: int = 100_000, shards: int = SHARDS, rounds: int = ROUNDS
) -> None:
    """Print a table: the time and memory of each way to count, and how many times that of the first it takes."""
    with TemporaryDirectory() as folder:
        make_shards(Path(folder), problems, shards, what=what)
        print(
            f"{problems * SAMPLES:,} samples of {problems:,} problems in {shards} Parquet files\n"
        )
        print("| work | seconds | CPU seconds | × | GB |\n|---|--:|--:|--:|--:|")
        ways = {name: (_OPEN + code).format(shards=folder) for name, code in WAYS[what].items()}
        turns = [{name: measure(code) for name, code in ways.items()} for _ in range(rounds)]
        medians = {
            name: [median(each) for each in zip(*(turn[name] for turn in turns), strict=True)]
            for name in ways
        }
        own = next(iter(medians.values()))[1]
        for name, (seconds, cpu, gigabytes) in medians.items():
            print(f"| {name} | {seconds:.1f} | {cpu:.1f} | {cpu / own:.2f} | {gigabytes:.2f} |")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:]))
