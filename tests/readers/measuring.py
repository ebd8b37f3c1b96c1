"""Run readers in processes of their own, and measure their time and memory."""

import subprocess
import sys
from pathlib import Path

import at_k

ROOT = Path(at_k.__file__).parents[1]

RUN = """
import os, resource, sys, time
from pathlib import Path
import pyarrow, pyarrow.compute, pyarrow.json, pyarrow.parquet, zstandard  # their own size is not that of the file
from at_k.demo.limits import LIMITS
from at_k.errors import InputError
from at_k.readers import read_samples
from at_k.readers.files.archives import Archive
from at_k.readers.files.parquet import list_columns, read_rows
from at_k.readers.files.sources import Source
for path in sorted(Path(sys.argv[1]).iterdir()):
    if os.fork():
        os.wait()
        continue
    # Each file has a process of its own: the peak of memory never falls.
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.process_time()
    try:
        READ
    except InputError as error:
        code = error.code
    else:
        code = "read"
    seconds, peak = time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(path.name, code, seconds, (peak - before.ru_maxrss) / 1024, peak / 1024, sep="|", flush=True)
    os._exit(0)
"""


def measure(folder, read="read_samples(path)"):
    """Return what became of each file: the code, megabytes grown and at most; and the most seconds of CPU time."""
    script = [sys.executable, "-c", RUN.replace("READ", read), str(folder)]
    found = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=True)
    lines = [line.split("|") for line in found.stdout.splitlines()]
    outcomes = {name: (code, float(grown), float(peak)) for name, code, _, grown, peak in lines}
    return outcomes, max(float(line[2]) for line in lines)


def put_all(folder, contents):
    """Write files by their names."""
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return folder
