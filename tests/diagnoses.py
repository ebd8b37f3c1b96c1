"""Data made by hand, and what a diagnosis says of them, for the tests of its rules."""

import numpy as np

from at_k.analysis.diagnosis import diagnose


def grades(*counts, n):
    """Rows of n grades, from numbers of problems by their numbers of correct samples, spread over the places."""
    rows = [[1] * c + [0] * (n - c) for problems, c in counts for _ in range(problems)]
    return {"grades": [list(np.roll(row, i)) for i, row in enumerate(np.array(rows, dtype=float))]}


def votes(*rows, reference="a"):
    return {"answers": [list(row) for row in rows], "references": [reference] * len(rows)}


def codes(data, **options):
    return [each.code.removeprefix("diagnosis.") for each in diagnose(data, **options).sentences]


def said(data, code, **options):
    """Return the one sentence of this rule."""
    (found,) = [each for each in diagnose(data, **options).sentences if each.code.endswith(code)]
    return found
