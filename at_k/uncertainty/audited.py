"""Values of a metric whose checker errs, corrected by a better judge's verdicts on some problems."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from at_k.uncertainty.checks import check_fraction, read_numbers, require_unit_range
from at_k.uncertainty.intervals import interval
from at_k.values import ErrorBar

# The least number of audited problems: the error of the correction is itself estimated from them.
LEAST_AUDITED = 30


def correct_by_audit(
    observed: ArrayLike, audited: ArrayLike, /, *, confidence_level: float = 0.95
) -> tuple[float, ErrorBar]:
    """Estimate a metric by a better judge, who looked at some problems, from the checker's values of all problems.

    Examples:
        >>> observed = np.tile([1.0, 1.0, 0.0, 0.0], 25)
        >>> audited = np.where(np.arange(100) < 40, np.tile([1.0, 0.0, 0.0, 0.0], 25), np.nan)
        >>> value, bar = correct_by_audit(observed, audited)
        >>> round(value, 3), round(bar.low, 3), round(bar.high, 3)
        (0.25, 0.136, 0.399)
    """
    # The problems to audit must have been chosen at random. Those where samples disagree, say, differ from the others
    # in just what is estimated, and no number shows it.
    # Formula: with a of M problems audited, v̂ = mean_a(U) + λ·(mean_{M−a}(O) − mean_a(O)), where U is the better
    # judge's value, O the checker's, and λ = cov(U, O)/(var(O)·(1 + a/(M − a))), cut to [0, 1] [1]. The squared
    # standard error is (var(U − λO)/(a − 2) + λ²·var(O)/(M − a)), times (t_{a−2}/z)² for the quantiles of Student's t
    # and of the normal distribution.
    from scipy.special import ndtri, stdtrit

    by_checker = require_unit_range("observed", read_numbers("observed", observed))
    by_judge = np.asarray(audited, dtype=np.float64)  # NaN for problems that were not audited
    require_unit_range("audited", by_judge[~np.isnan(by_judge)])
    if by_checker.shape != by_judge.shape:
        raise ValueError(
            f"`observed` and `audited` must have a value for each problem; got {by_checker.size} and {by_judge.size}"
        )
    level = check_fraction("confidence_level", confidence_level)
    seen = ~np.isnan(by_judge)
    count, others = int(seen.sum()), int((~seen).sum())
    if count < LEAST_AUDITED:
        short = LEAST_AUDITED - count
        raise ValueError(f"`audited` must hold at least {LEAST_AUDITED} problems; got {count}, {short} too few")
    truth, paired = by_judge[seen], by_checker[seen]
    spread = float(np.var(by_checker, ddof=1))
    slope = 0.0
    if others and spread:
        slope = float(np.cov(truth, paired)[0, 1]) / (spread * (1 + count / others))
        slope = min(max(slope, 0.0), 1.0)
    shift = float(by_checker[~seen].mean() - paired.mean()) if others else 0.0
    value = min(max(float(truth.mean()) + slope * shift, 0.0), 1.0)
    variance = float(np.var(truth - slope * paired, ddof=1)) / (count - 2)
    variance += slope**2 * spread / others if others else 0.0
    tail = (1 + level) / 2
    stderr = variance**0.5 * float(stdtrit(count - 2, tail) / ndtri(tail))
    # With v(1 − v)/se² units it covered .86 where k = n = 64 and none of 40 audited problems shows a rare slip.
    low, high = interval(value, stderr, count, confidence_level=level)
    return value, ErrorBar(stderr, float(low), float(high))
