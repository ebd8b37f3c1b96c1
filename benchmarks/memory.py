"""Peak memory of a million problems, in this process: `python -m benchmarks.memory list`, or `array`.

Prints, in bytes, by how much the peak of the whole run exceeds that of the imports.
"""

import sys

import evaluate
import numpy as np

import at_k
import at_k.module
from benchmarks.measure import peak_memory

PROBLEMS, BATCH, SAMPLES = 1_000_000, 10_000, 64


def main(form: str) -> None:
    imports = peak_memory()
    metric = evaluate.load(str(at_k.module_path("gpassk")), "graded")
    rng = np.random.default_rng(0)
    for _ in range(PROBLEMS // BATCH):
        grades = rng.random((BATCH, SAMPLES))
        metric.add_batch(predictions=grades.tolist() if form == "list" else grades)
    metric.compute()
    print(peak_memory() - imports)


if __name__ == "__main__":
    main(*sys.argv[1:])
