"""Confidence intervals of means in [0, 1], and means that an audit corrects."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from at_k.combinatorics import Floats
from at_k.options.registry import METHODS, Method
from at_k.uncertainty.checks import check_fraction, read_numbers, require_unit_range, to_floats
from at_k.uncertainty.standard_errors import centre
from at_k.validation import check_choice, check_flag
from at_k.values import ErrorBar

# Pseudo-units at the two ends of [0, 1]. With (0, 1), the limits of 0/1 data are those of Clopper and Pearson, and
# the intervals are 7 % wider; with (½, ½) they are those of Jeffreys, and cover 89 % in the worst cell.
_NEAR, _FAR = 0.25, 0.75

# Resamples of the studentised bootstrap, and how many of their values are held at a time.
_RESAMPLES, _CELLS = 999, 1_000_000

# From this number of problems on, up to a skewness of 2, the ends of the studentised bootstrap are within 2 % of the
# half width of those of t.
_MOST_PROBLEMS = 10_000

# The variance of a resample is rounding if it is less than this share of that of the values.
_ROUNDING = 1e-12

# Least sum of the two parameters of the Beta distribution.
_LEAST_SUM = 1e-6


def interval(
    value: ArrayLike,
    stderr: ArrayLike | None,
    m: ArrayLike,
    /,
    *,
    confidence_level: float = 0.95,
    method: Method = "beta",
    bounded: bool = True,
) -> tuple[Floats, Floats]:
    """Compute a confidence interval of a mean of values in [0, 1], such as pass@k or cons@k.

    The default covers for few problems and near 0 and 1, where the others fail: it never has zero width, never leaves
    [0, 1], always contains the value, and turns around when the value does.

    Args:
        value: the mean, in [0, 1].
        stderr: its standard error, at least 0. None, or NaN in an array, where there is none: the value then counts as
            one unit.
        m: the number of independent units behind it, at least 1: problems, samples, or the effective number of
            clusters, which need not be an integer. All three are broadcast against each other.
        confidence_level: the confidence level.
        method: "beta", the default; "t" and "wald", value ± stderr times the quantile of Student's t with m − 1 degrees
            of freedom, or of the normal distribution, cut at 0 and 1; "wilson", that of 0/1 data on the effective size
            value·(1 − value)/stderr², or m where stderr is 0.
        bounded: False for values that have no range, such as those of max@k. This needs the method "t" or "wald".

    Returns:
        The lower and the upper limits, in the shape of the data.

    Formula: with v the value, se its standard error and a = 1 − confidence_level, the lower limit is 0 if v = 0, and
        else min(v, the a/2 quantile of Beta(μs, (1 − μ)s)) with μ = (m·v + ¼)/(m + 1),
        s = μ(1 − μ)(m + 1)(m + 2)/Q − 1 and Q = (m·se)² + m(v − μ)² + ¾μ² + ¼(1 − μ)². The upper limit is 1 minus the
        lower limit of 1 − v.
        This is the Beta distribution with the moments of a Bayesian bootstrap [1] to which ¾ of a unit at the far end
        of [0, 1] and ¼ at the near end were added; with one unit at the far end it approximates the bound of [2].

    Raises:
        TypeError: if an argument does not hold numbers.
        ValueError: if a value is not in [0, 1], `stderr` is negative, `m` < 1, `confidence_level` is not between 0 and
            1, the shapes do not broadcast, or `method` is unknown or does not suit values without a range.

    References:
        1. D. Rubin, The Bayesian bootstrap, Annals of Statistics 9, 1981, https://doi.org/10.1214/aos/1176345338.
        2. E. Learned-Miller, P. Thomas, A New Confidence Interval for the Mean of a Bounded Random Variable, 2019,
           https://arxiv.org/abs/1905.06208.
        3. E. Korn, B. Graubard, Confidence intervals for proportions with small expected number of positive counts
           estimated from survey data, Survey Methodology 24, 1998 (the effective size).

    Examples:
        >>> lower, upper = interval(1.0, 0.0, 15)  # fifteen problems, all solved
        >>> round(float(lower), 5), float(upper)
        (0.81268, 1.0)
        >>> lower, upper = interval([0.2, 0.8], 0.1, 30)
        >>> lower.round(3), upper.round(3)
        (array([0.052, 0.563]), array([0.437, 0.948]))
    """
    v, se, units = _read(value, stderr, m, bounded=check_flag("bounded", bounded))
    alpha = 1 - check_fraction("confidence_level", confidence_level)
    check_choice("method", method, METHODS)
    if not bounded and method not in ("t", "wald"):
        raise ValueError(
            f"`method` must be 't' or 'wald' for values without a range; got {method!r}"
        )
    return find_interval(v, se, units, alpha, method, bounded=bounded)


def find_difference_interval(
    difference: ArrayLike, stderr: ArrayLike, m: ArrayLike, /, *, confidence_level: float
) -> tuple[Floats, Floats]:
    """Compute the interval of a difference of two means in [0, 1]: that of (1 + difference)/2, stretched to [−1, 1].

    Examples:
        >>> lower, upper = find_difference_interval(0.25, 0.1, 30, confidence_level=0.95)
        >>> round(float(lower), 3), round(float(upper), 3)
        (0.022, 0.447)
    """
    low, high = interval(
        (1 + np.asarray(difference)) / 2,
        np.asarray(stderr) / 2,
        m,
        confidence_level=confidence_level,
    )
    return 2 * low - 1, 2 * high - 1


def _read(
    value: ArrayLike, stderr: ArrayLike | None, m: ArrayLike, *, bounded: bool
) -> tuple[Floats, Floats, Floats]:
    v = read_numbers("value", value)
    units = read_numbers("m", m)
    if bounded:
        require_unit_range("value", v)
    if (units < 1).any():
        raise ValueError(f"`m` must be at least 1; got {units[units < 1][0]}")
    if stderr is None:
        se = np.full((), np.nan)
    else:
        se = read_stderr(stderr)
    try:
        v, se, units = np.broadcast_arrays(v, se, units)
    except ValueError:
        raise ValueError(
            f"`value`, `stderr` and `m` must have shapes that broadcast; got {v.shape}, {se.shape} and {units.shape}"
        ) from None
    return v, se, units


def find_interval(
    v: Floats, se: Floats, m: Floats, alpha: float, method: str, *, bounded: bool
) -> tuple[Floats, Floats]:
    """Compute `interval` of checked arrays of one shape; `alpha` is 1 − confidence_level."""
    if method == "beta":
        m = np.where(np.isnan(se), 1.0, m)
        se = np.nan_to_num(se, nan=0.0)
        return find_lower(v, se, m, alpha)[()], np.maximum(v, 1 - find_lower(1 - v, se, m, alpha))[
            ()
        ]
    if method in ("t", "wald"):
        margin = find_margin(se, m, alpha, method)
        if bounded:
            ends = 0.0, 1.0
        else:
            ends = -np.inf, np.inf
        return np.maximum(v - margin, ends[0])[()], np.minimum(v + margin, ends[1])[()]
    return find_wilson(v, se, m, alpha)


def read_stderr(stderr: ArrayLike) -> Floats:
    """Return standard errors, NaN where there are none."""
    listed = stderr
    if isinstance(stderr, (list, tuple)):
        listed = [np.nan if error is None else error for error in stderr]
    errors = to_floats("stderr", listed)
    missing = np.isnan(errors)
    known = read_numbers("stderr", np.where(missing, 0.0, errors))
    if (known < 0).any():
        raise ValueError(f"`stderr` must not be negative; got {known[known < 0][0]}")
    return np.where(missing, np.nan, known)


def find_lower(v: Floats, se: Floats, m: Floats, alpha: float) -> Floats:
    """Return the lower limits of the default interval. Arguments are taken as clean."""
    from scipy.special import betaincinv

    return np.where(v <= 0, 0.0, np.minimum(v, betaincinv(*match_beta(v, se, m), alpha / 2)))


def find_lower_level(v: Floats, se: Floats, m: Floats, limit: float) -> Floats:
    """Return half of the alpha at which the lower limit of the default interval is `limit`; 1 if v is not above it."""
    from scipy.special import betainc

    if not limit > 0:
        return np.where(v > limit, 0.0, 1.0)
    return np.where(v <= limit, 1.0, betainc(*match_beta(v, se, m), min(limit, 1.0)))


def match_beta(v: Floats, se: Floats, m: Floats) -> tuple[Floats, Floats]:
    """Return the parameters of the Beta distribution whose quantile is the lower limit."""
    # Beta(mean·total, (1 − mean)·total) has the variance spread/((m + 1)(m + 2)): that of a Bayesian bootstrap of the
    # units and of the pseudo-problem.
    mean = (m * v + _NEAR) / (m + 1)
    spread = (m * se) ** 2 + m * (v - mean) ** 2 + _FAR * mean**2 + _NEAR * (1 - mean) ** 2
    total = np.maximum(mean * (1 - mean) * (m + 1) * (m + 2) / spread - 1, _LEAST_SUM)
    return mean * total, (1 - mean) * total


def find_margin(se: Floats, m: Floats, alpha: float, method: str) -> Floats:
    """Return the quantile times the standard error; infinity without a standard error or without degrees of freedom."""
    from scipy.special import ndtri, stdtrit

    none = np.isnan(se) | (m <= 1)
    if method == "wald":
        return np.where(none, np.inf, -ndtri(alpha / 2) * se)
    quantile = -stdtrit(np.where(none, 1.0, m - 1), alpha / 2)
    return np.where(none, np.inf, quantile * np.where(none, 0.0, se))


def find_wilson(v: Floats, se: Floats, m: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Return Wilson's limits of 0/1 data on the effective size; [0, 1] without a standard error."""
    from scipy.special import ndtri

    none = np.isnan(se)
    zero = se == 0
    divisor = np.where(none | zero, 1.0, se)
    # A tiny standard error makes an infinite size.
    with np.errstate(over="ignore", invalid="ignore"):
        size = np.where(zero, m, v / divisor * ((1 - v) / divisor))
    # A value of 0 or 1 cannot come with a standard error above 0, but rounding can make one.
    size = np.where(size > 0, size, m)
    # Solved for the shares p that a z-test with the variance p(1 − p), instead of v(1 − v), does not reject.
    z = -ndtri(alpha / 2)
    centre = (v + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * np.sqrt(v * (1 - v) / size + (z / size / 2) ** 2)
    lower = np.minimum(v, centre - half)
    upper = np.maximum(v, centre + half)
    lower = np.where(none, 0.0, lower)
    upper = np.where(none, 1.0, upper)
    return np.maximum(lower, 0.0)[()], np.minimum(upper, 1.0)[()]


def find_skewness(values: Floats) -> float:
    """Return the skewness of values; 0 where all are equal."""
    centred = centre(values)
    square = float((centred**2).mean())
    return float((centred**3).mean()) / square**1.5 if square > 0 else 0.0


def find_studentised_quantiles(values: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Return two quantiles of (mean* − mean)/se* of each column, by a seeded bootstrap over problems."""
    # They are 0 for columns of which too few resamples vary, and from the number of problems on where t is as good.
    problems, columns = values.shape
    low, high = np.zeros((2, columns))
    if not 1 < problems <= _MOST_PROBLEMS:
        return low, high
    error = np.sort(centre(values), axis=0)  # so that the order of the problems does not matter
    table = np.concatenate([error, error**2], axis=1)
    rng = np.random.default_rng(0)
    draws = []
    for block in np.array_split(np.arange(_RESAMPLES), 1 + _RESAMPLES * problems // _CELLS):
        drawn = (
            rng.integers(0, problems, size=(len(block), problems))
            + problems * np.arange(len(block))[:, None]
        )
        draws.append(np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape) @ table)
    mean, square = np.split(np.concatenate(draws) / problems, 2, axis=1)
    variance = (square - mean**2) / (problems - 1)
    for column, least in enumerate(_ROUNDING * (error**2).mean(axis=0) / problems):
        varies = variance[:, column] > least  # not those that hold one value alone
        studentised = np.sort(mean[varies, column] / np.sqrt(variance[varies, column]))
        place = int(alpha / 2 * (len(studentised) + 1) + 1e-9)
        if place:
            low[column], high[column] = studentised[place - 1], studentised[-place]
    return low, high


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
    count = int(seen.sum())
    others = int((~seen).sum())
    if count < LEAST_AUDITED:
        short = LEAST_AUDITED - count
        raise ValueError(
            f"`audited` must hold at least {LEAST_AUDITED} problems; got {count}, {short} too few"
        )
    truth = by_judge[seen]
    paired = by_checker[seen]
    spread = float(np.var(by_checker, ddof=1))
    slope = 0.0
    if others and spread:
        slope = float(np.cov(truth, paired)[0, 1]) / (spread * (1 + count / others))
        slope = min(max(slope, 0.0), 1.0)
    shift = 0.0
    if others:
        shift = float(by_checker[~seen].mean() - paired.mean())
    value = min(max(float(truth.mean()) + slope * shift, 0.0), 1.0)
    variance = float(np.var(truth - slope * paired, ddof=1)) / (count - 2)
    if others:
        variance += slope**2 * spread / others
    tail = (1 + level) / 2
    stderr = variance**0.5 * float(stdtrit(count - 2, tail) / ndtri(tail))
    # With v(1 − v)/se² units it covered .86 where k = n = 64 and none of 40 audited problems shows a rare slip.
    low, high = interval(value, stderr, count, confidence_level=level)
    return value, ErrorBar(stderr, float(low), float(high))
