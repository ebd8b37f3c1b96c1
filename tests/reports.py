"""A small data set with everything in it, and reports of it, for the tests of reports."""

from fractions import Fraction
from functools import cache

import at_k

DATA = {
    "problem": ["q0", "q1", "q2", "q3"],
    "answers": [
        ["7", "9", "7", "7"],
        ["a", "b", "b", "a"],
        ["x", "x", "y", "z"],
        ["1", "1", "1", "2"],
    ],
    "references": [["7", "seven"], ["a"], ["y"], ["1"]],
    "scores": [
        [4.0, 3.0, 2.0, 1.0],
        [1.0, 1.0, 2.0, 2.0],
        [0.5, 0.25, 0.5, 1.0],
        [1.0, 2.0, 3.0, 4.0],
    ],
    "group": ["Level 10", "Level 2", "Level 2", "Level 10"],
}
CORRECT = [[1, 0, 1, 1], [1, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 0]]
TAUS = [0.25, Fraction(2, 3), 1.0]
RAGGED = {"grades": [[1, 0, 0], [1, 1, 0, 1, 1]], "group": ["a|b & c_d", "<i>\\é\n"]}


def close(prediction, reference):
    """A checker of its own, with a grade for what is nearly right."""
    return 0.75 if prediction == reference else 0.25


def full_report():
    """A report with every metric, groups, and thresholds that no float is."""
    return at_k.score(DATA, k=[1, 2, 4], thresholds=TAUS)


@cache
def simulated_report():
    """A report of which some values are simulated, and which has a note. C(20, 10) is more than what is enumerated."""
    points = [[[i % 7, (i * 3) % 11] for i in range(20)]]
    grades = [[float(i % 3 == 0) for i in range(19)] + [None]]
    return at_k.score(
        {"grades": grades, "scores": points}, k=[10], select="pareto", missing="incorrect"
    )
