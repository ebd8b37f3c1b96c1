"""Seven problems with error bars by hand: standard errors in exact rationals, and the limits that follow."""

from collections import Counter
from fractions import Fraction
from math import sqrt
from statistics import fmean

import numpy as np
from scipy import stats
from scipy.stats import t as student

from at_k.uncertainty.intervals import interval

# Seven problems of different n, of which problem 3 is never solved and problem 4 always.
CORRECT = [
    [1, 0, 0, 1, 0], [1, 1, 0, 1], [0, 1, 0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1, 1], [1, 0, 1, 1, 1, 0, 1],
    [0, 1, 1, 1],
]  # fmt: skip
ANSWERS = [
    ["a", "x", "x", "b", "y"], ["a", "a", "x", "a"], ["x", "a", "x", "y", "z", "z"], ["x", "y", "y", "z"],
    ["a", "a", "a", "b", "b"], ["a", "x", "b", "b", "a", "x", "c"], ["y", "a", "b", "a"],
]  # fmt: skip
REFERENCES = [["a", "b", "c"]] * 7
SCORES = [
    [0.5, 0.25, 0.75, 1.0, 2.0], [0.5, 1.5, 2.5, 0.5], [3.0, 1.0, 2.0, 4.0, 0.0, 0.5], [1.0, 2.0, 3.0, 4.0],
    [2.0, 2.0, 1.0, 1.0, 3.0], [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75], [1.0, -1.0, 1.0, 0.0],
]  # fmt: skip
GRADES = [[abs(each - 0.25 * (i % 3) / 3) for i, each in enumerate(row)] for row in CORRECT]
GROUPS = ["easy", "hard", "hard", "hard", "easy", "easy", "hard"]
CLUSTERS = ["p", "p", "q", "r", "r", "r", "p"]
K = [1, 2, 3]
LEVEL = 0.9


def columns(module, config="default"):
    given = (
        {"predictions": CORRECT}
        if config == "graded"
        else {"predictions": ANSWERS, "references": REFERENCES}
    )
    return given | ({"scores": SCORES} if module.needs_scores else {})


def is_score(key):
    return "max@" in key


def expected_bars(values, stderr, m, *, score=False, confidence_level=LEVEL, method="beta"):
    """The three numbers beside a mean, from its standard error and units."""
    found = {}
    if not score:
        low, high = interval(
            fmean(values), stderr, m, confidence_level=confidence_level, method=method
        )
        found = {"ci_low": float(low), "ci_high": float(high)}
    elif stderr is not None:
        margin = student.ppf((1 + confidence_level) / 2, m - 1) * stderr
        plain = method == "t" or m != len(values)
        below, above = (margin, margin) if plain else spread(values, margin, confidence_level)
        found = {"ci_low": fmean(values) - below, "ci_high": fmean(values) + above}
    return found | ({} if stderr is None else {"stderr": stderr})


def spread(values, margin, level):
    """The margins of t, or those of the studentised bootstrap over problems where these are wider."""
    error = np.sort(np.array(values) - fmean(values))
    drawn = error[np.random.default_rng(0).integers(0, len(error), size=(999, len(error)))]
    drawn = drawn[np.ptp(drawn, axis=1) > 1e-9]
    found = np.sort(drawn.mean(axis=1) / stats.sem(drawn, axis=1))
    place = int((1 - level) / 2 * (len(found) + 1) + 1e-9)
    stderr = stats.sem(error)
    return max(margin, stderr * found[-place]), max(margin, -stderr * found[place - 1])


def bars_of(result, key):
    names = {name: f"{key}_{name}" for name in ("stderr", "ci_low", "ci_high")}
    return {name: result[each] for name, each in names.items() if each in result}


def exact_error(values):
    """√(Σ (v − mean)²/(M − 1)/M), rounded once; None for one value."""
    exact = list(map(Fraction, values))
    if len(exact) == 1:
        return None
    mean = sum(exact) / len(exact)
    return sqrt(sum((each - mean) ** 2 for each in exact) / (len(exact) - 1) / len(exact))


def exact_cluster_error(values, labels):
    """CR2, √(Σ_g e_g²/(1 − N_g/M))/M, and the effective number of clusters M²/Σ N_g²."""
    exact, sizes = list(map(Fraction, values)), Counter(labels)
    mean, total = sum(exact) / len(exact), dict.fromkeys(sizes, Fraction(0))
    for label, value in zip(labels, exact, strict=True):
        total[label] += value - mean
    m = len(exact) ** 2 / sum(size**2 for size in sizes.values())
    if len(sizes) == 1:
        return None, m
    spread = sum(
        total[label] ** 2 / (1 - Fraction(size, len(exact))) for label, size in sizes.items()
    )
    return sqrt(spread) / len(exact), m


def members():
    return {"": list(range(7))} | {
        f"{label}/": [i for i, other in enumerate(GROUPS) if other == label]
        for label in dict.fromkeys(GROUPS)
    }
