"""Peak memory of many problems, in this process: `python -m benchmarks.memory list 1000000`, or `array`, or `column`.

Prints, in bytes, by how much the peak of the whole run exceeds that of the imports; for `column`, how much `compute`
adds to a column of a data set that is in memory already.
"""

import sys
from pathlib import Path

import datasets
import evaluate
import numpy as np
import pyarrow as pa

import at_k
import at_k.module
from benchmarks.columns import make_column, make_flags
from benchmarks.measure import peak_memory

BATCH, SAMPLES = 10_000, 64


def main(form: str, problems: int) -> None:
    """Add the problems in batches of a form, compute, and print by how much memory has grown."""
    if form == "column":
        print(_measure_column(problems))
        return
    imports = peak_memory()
    metric = evaluate.load(str(at_k.module_path("gpassk")), "graded")
    rng = np.random.default_rng(0)
    for _ in range(problems // BATCH):
        grades = rng.random((BATCH, SAMPLES))
        metric.add_batch(predictions=grades.tolist() if form == "list" else grades)
    metric.compute()
    print(peak_memory() - imports)


def _measure_column(problems: int) -> int:
    data = datasets.Dataset(
        pa.table({"grades": make_column(make_flags(problems).astype(np.float64))})
    )
    metric = evaluate.load(str(at_k.module_path("gpassk")), "graded")
    metric.compute(predictions=data["grades"][:10])  # whatever is loaded at the first call
    forgotten = Path("/proc/self/clear_refs")
    if forgotten.exists():
        forgotten.write_text("5")  # Linux forgets the peak so far
    before = peak_memory()
    metric.compute(predictions=data["grades"])
    return peak_memory() - before


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
