"""The beta-binomial distribution of correct samples: problems differ in difficulty, and each sample is a coin."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from at_k.combinatorics import Floats, Ints

_RANGE = (-12.0, 12.0)
"""Range of log(a + b) and of the log-odds of the mean: at its ends problems are all or nothing, or all equally hard."""


class BetaBinomial(NamedTuple):
    """Hold the distribution Beta(a, b) of the difficulties of problems.

    Attributes:
        a: the first parameter, above 0.
        b: the second parameter, above 0.
    """

    a: float
    b: float

    def chances(self, n: int) -> Floats:
        """Return P(c of n samples of a new problem are correct), at index c = 0…n."""
        from scipy.special import betaln

        c = np.arange(n + 1)
        chances = np.exp(_log_choose(n, c) + betaln(self.a + c, self.b + n - c) - betaln(self.a, self.b))
        return np.asarray(chances / chances.sum())

    def fail(self, k: Ints) -> Floats:
        """Return the mean chance that all of k samples of a new problem are wrong, 1 − pass@k."""
        from scipy.special import betaln

        return np.asarray(np.exp(betaln(self.a, self.b + k) - betaln(self.a, self.b)))


def _log_choose(n: int, c: Ints) -> Floats:
    from scipy.special import betaln

    return np.asarray(-np.log1p(n) - betaln(n - c + 1, c + 1))


def fit_beta_binomial(n: Ints, c: Ints, *, near: BetaBinomial | None = None) -> BetaBinomial:
    """Fit a beta-binomial distribution to the counts of problems, by maximum likelihood.

    Args:
        n: samples of each problem.
        c: correct samples among them. Arguments are taken as clean.
        near: a distribution to start from, as for resampled data: the fit then has three digits, and takes a tenth of
            the time.

    Returns:
        The distribution. Where the likelihood has no maximum, such as for all samples correct, it is the best one in
        which the odds of the mean, and a + b, are within e^±12.

    Formula: the maximum of Σ log(B(a + c_i, b + n_i − c_i)/B(a, b)).

    References:
        J. Skellam, A Probability Distribution Derived from the Binomial Distribution by Regarding the Probability of
        Success as Variable Between the Sets of Trials, 1948, https://www.jstor.org/stable/2983779.

    Examples:
        >>> fitted = fit_beta_binomial(np.full(4, 8), np.array([0, 1, 7, 8]))  # easy or hard, nothing in between
        >>> fitted.a < 1, round(fitted.a / fitted.b, 3)
        (True, 1.0)
    """
    from scipy.optimize import minimize
    from scipy.special import betaln

    pairs, times = np.unique(np.stack([n, c]), axis=1, return_counts=True)
    size, right = pairs[0], pairs[1]

    def loss(point: Floats) -> float:
        """Return the negative mean log-likelihood at these log-odds of the mean and log(a + b)."""
        a, b = _read_point(point)
        return -float(times @ (betaln(a + right, b + size - right) - betaln(a, b)) / times.sum())

    share = (times @ right + 0.5) / (times @ size + 1)
    # Two parameters need no gradient. Its use by L-BFGS-B took ten times as long where BLAS had several threads.
    digits = 1e-7 if near is None else 1e-3
    options = {"xatol": digits, "fatol": digits**2, "maxiter": 1000}
    starts = [[np.log(share / (1 - share)), total] for total in (0.0, 3.0)]
    if near is not None:
        starts = [list(np.clip([np.log(near.a / near.b), np.log(near.a + near.b)], *_RANGE))]
    found = [minimize(loss, start, method="Nelder-Mead", bounds=[_RANGE] * 2, options=options) for start in starts]
    return BetaBinomial(*_read_point(min(found, key=lambda each: float(each.fun)).x))


def _read_point(point: Floats) -> tuple[float, float]:
    mean, total = 1 / (1 + np.exp(-point[0])), np.exp(point[1])
    return float(mean * total), float((1 - mean) * total)
