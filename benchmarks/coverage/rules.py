"""The rule of a comparison beside other rules, all on the same data sets."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from at_k.uncertainty.decisions import find_alpha, is_decided
from at_k.uncertainty.flips import count_effective, find_flip_p
from at_k.uncertainty.questions import FACTOR, Questions
from benchmarks.coverage import LEVEL, OURS

Floats = np.ndarray[Any, Any]

FLIPS, AT_ONCE = 999, 100
"""Random flips, and the data sets that share them, as the numbers of one comparison do."""

RULES = (OURS, "0.7.0", "flips", "paired t", "BCa")
"""The rules that are compared. Version 0.7.0 asked the bounded interval below ten effective differences."""

_LEAST_EFFECTIVE = 10


def ask(columns: Floats, rng: np.random.Generator, **options: Any) -> Questions:
    """Ask of each column, which is a data set, whether its mean is 0."""
    return Questions(columns, n_flips=FLIPS, seed=int(rng.integers(1 << 32)), **options)


def decide(questions: Questions) -> NDArray[np.bool_]:
    """Return for each data set whether the rule of a comparison decides."""
    return np.array([is_decided(p_value, LEVEL) for p_value in questions.p_values.tolist()])


def decide_by_flips(questions: Questions) -> NDArray[np.bool_]:
    """Return for each data set whether the flips of signs decide, without the bounded interval."""
    found = [find_flip_p(questions.add_up(q)) for q in range(questions.count)]
    return np.array([is_decided(p_value, LEVEL) for p_value in found])


def judge(columns: Floats, rng: np.random.Generator, *, factor: float = FACTOR) -> Floats:
    """Return a row for each of `RULES`: in which data sets it tells the two models apart."""
    questions = ask(columns, rng, factor=factor)
    flips = decide_by_flips(questions)
    tested = np.where(np.array(questions.methods) == "mcnemar", decide(questions), flips)
    bounded = questions.bounded_p * questions.factors < find_alpha(LEVEL)
    known = count_effective(questions.totals) >= _LEAST_EFFECTIVE
    rows = [decide(questions), np.where(known, tested, bounded), flips]
    # Where all differences are equal, t and BCa have no width: they decide unless all are 0.
    equal = np.ptp(columns, axis=0) <= 1e-12
    differs = columns.mean(axis=0) != 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of columns that are nearly equal
        t = stats.ttest_1samp(columns, 0.0).pvalue < find_alpha(LEVEL)
        # The bootstrap cannot be asked of columns without spread.
        found = stats.bootstrap(
            (np.where(equal, np.arange(len(columns))[:, None], columns),),
            np.mean,
            n_resamples=FLIPS,
            confidence_level=LEVEL,
            method="BCa",
            random_state=rng,
        ).confidence_interval
    by_bootstrap = (found.low > 0) | (found.high < 0)
    rows += [np.where(equal, differs, own) for own in (t, by_bootstrap)]
    return np.stack(rows)
