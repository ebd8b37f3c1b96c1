"""Peak memory of many problems, in this process: `python -m benchmarks.memory list 1000000`, or `array`.

Prints, in bytes, by how much the peak of the whole run exceeds that of the imports.
"""

import sys

import evaluate
import numpy as np

import at_k
import at_k.module
from benchmarks.measure import peak_memory

BATCH, SAMPLES = 10_000, 64


def main(form: str, problems: int) -> None:
    """Add the problems in batches of a form, compute, and print by how much memory has grown."""
    imports = peak_memory()
    metric = evaluate.load(str(at_k.module_path("gpassk")), "graded")
    rng = np.random.default_rng(0)
    for _ in range(problems // BATCH):
        grades = rng.random((BATCH, SAMPLES))
        metric.add_batch(predictions=grades.tolist() if form == "list" else grades)
    metric.compute()
    print(peak_memory() - imports)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
