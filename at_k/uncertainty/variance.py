"""The variance of difficulties, and of the value of one problem for any number of samples, estimated from a pilot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from at_k.combinatorics import Floats, Ints
from at_k.errors import Phrases
from at_k.estimators.counts import Table, evaluate_tables, pass_at_k, tabulate_pass
from at_k.uncertainty.checks import read_counts
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.standard_errors import (
    Shares,
    add_units,
    count_units,
    find_shares,
    read_clusters,
    standard_error,
)
from at_k.validation import check_k, is_sequence, refuse_too_many_k, shorten
from at_k.values import cached_property

_say = Phrases(
    {
        "plan.one_problem": "A plan needs a pilot of at least two problems.",
        "plan.one_cluster": "A plan for problems in clusters needs a pilot of at least two clusters.",
        "plan.one_sample": "One sample of each problem does not show how much samples vary. Draw at least two of some "
        "problems.",
    }
)

# Range of log(a + b) and of the log-odds of the mean: at its ends problems are all or nothing, or all equally hard.
_RANGE = (-12.0, 12.0)


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
        chances = np.exp(
            _log_choose(n, c) + betaln(self.a + c, self.b + n - c) - betaln(self.a, self.b)
        )
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

    Examples:
        >>> fitted = fit_beta_binomial(np.full(4, 8), np.array([0, 1, 7, 8]))  # easy or hard, nothing in between
        >>> fitted.a < 1, round(fitted.a / fitted.b, 3)
        (True, 1.0)
    """
    # Formula: the maximum of Σ log(B(a + c_i, b + n_i − c_i)/B(a, b)).
    # Source: J. Skellam, A Probability Distribution Derived from the Binomial Distribution by Regarding the Probability
    # of Success as Variable Between the Sets of Trials, 1948, https://www.jstor.org/stable/2983779.
    from scipy.optimize import minimize
    from scipy.special import betaln

    pairs, times = np.unique(np.stack([n, c]), axis=1, return_counts=True)
    size = pairs[0]
    right = pairs[1]

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
    fits = [
        minimize(loss, start, method="Nelder-Mead", bounds=[_RANGE] * 2, options=options)
        for start in starts
    ]
    return BetaBinomial(*_read_point(min(fits, key=lambda fit: float(fit.fun)).x))


def _read_point(point: Floats) -> tuple[float, float]:
    mean = 1 / (1 + np.exp(-point[0]))
    total = np.exp(point[1])
    return float(mean * total), float((1 - mean) * total)


# Problems without clusters.
_SINGLE = Shares(1.0, 1.0)


@dataclass(frozen=True)
class Variance:
    """Predict how much the value of one problem varies, for any number of samples.

    Attributes:
        n: samples of each problem of the pilot.
        c: correct samples among them.
        k: the number of draws behind the value.
        table: the metric of counts.
        clusters: the number of the cluster of each problem; None without clusters.
    """

    n: Ints
    c: Ints
    k: int
    table: Table
    clusters: Ints | None = None

    @cached_property
    def values(self) -> Floats:
        """Return the value of each problem of the pilot."""
        return evaluate_tables([(self.table, self.k)], self.n, self.c)[:, 0]

    @property
    def value(self) -> float:
        """Return the value of the pilot."""
        return float(self.values.mean())

    @cached_property
    def shared(self) -> float:
        """Return what clusters add to the variance of a problem: samples drawn anew do not change it."""
        if self.clusters is None:
            return 0.0
        (together, _), (alone, _) = (
            standard_error(self.values, clusters=self.clusters),
            standard_error(self.values),
        )
        return max(0.0, float(together**2 - alone**2)) * len(self.n)

    @cached_property
    def shares(self) -> Shares:
        """Return the problems per effective cluster."""
        return find_shares(add_units(self.values, self.clusters)[0])

    def at(self, samples: float) -> float:
        """Return the variance of a new problem's value by its number of samples; `inf` leaves that between problems."""
        return self._at_alone(samples) + self.shared

    def _at_alone(self, samples: float) -> float:
        k = self.k
        least = int(self.n.min())
        if self.table is tabulate_pass and min(2 * k, samples) <= least:
            return self.exact_at(samples)
        if (self.n == 1).all():
            raise _say.error("plan.one_sample")
        return vary_fitted(self.difficulty, samples, k, self.table)

    @cached_property
    def difficulty(self) -> BetaBinomial:
        """Return the fitted distribution of difficulties."""
        return fit_beta_binomial(self.n, self.c)

    @cached_property
    def _fails(self) -> Floats:
        """Return the chance of each problem that r samples are all wrong, in a column for each r = k…min(2k, n)."""
        draws = range(self.k, min(2 * self.k, int(self.n.min())) + 1)
        return np.asarray(pass_at_k(self.n, self.c, k=[*draws], complement=True))

    def exact_at(self, samples: float) -> float:
        """Return the unbiased estimate, a sum over how many of two draws of k samples are the same."""
        # pass@k and its complement have one variance. Two draws that share j samples both fail if 2k − j samples do.
        # The square of the mean is taken over pairs of different problems, so that it has no bias.
        k, fails = self.k, self._fails
        m = len(fails)
        fail = fails[:, 0]
        square = (fail.sum() ** 2 - (fail**2).sum()) / (m * (m - 1))
        if k == 1 and (self.n > 1).all():
            # The two parts of pass@1, of which the one between problems is not below 0 either.
            both_alone = fails[:, 1].mean()
            between = max(0.0, float(both_alone - square))
            if samples == inf:
                return between
            return between + float(fail.mean() - both_alone) / int(samples)
        if samples == inf:
            return max(0.0, float(fails[:, k].mean() - square))
        size = int(samples)
        first = max(0, 2 * k - size)
        both = fails[:, : k - first + 1].mean(axis=0)[::-1]
        return max(0.0, float(list_overlaps(size, k)[first:] @ both - square))


@lru_cache(maxsize=128)
def list_overlaps(n: int, k: int) -> Floats:
    """Return P(two random k-subsets of n share j samples), at index j = 0…k."""
    from scipy.stats import hypergeom

    return np.asarray(hypergeom.pmf(np.arange(k + 1), n, k, k))


@dataclass(frozen=True)
class Assumed:
    """A distribution of difficulties in the place of a pilot.

    Attributes:
        difficulty: the distribution.
        k: the number of draws behind the value.
        table: the metric of counts.
    """

    difficulty: BetaBinomial
    k: int
    table: Table
    shared: float = 0.0
    shares: Shares = _SINGLE

    @property
    def value(self) -> float:
        """Return the expected value of the metric."""
        return float(self.difficulty.chances(self.k) @ self.table(self.k, self.k))

    def at(self, samples: float) -> float:
        """Return the variance of a problem's value by its number of samples."""
        return vary_fitted(self.difficulty, samples, self.k, self.table)


def vary_fitted(fitted: BetaBinomial, samples: float, k: int, table: Table) -> float:
    """Return the variance of a problem's value by its number of samples, under a distribution of difficulties."""
    if samples == inf:
        return vary_latent(fitted, table(k, k))
    value = table(int(samples), k)
    chances = fitted.chances(int(samples))
    return max(0.0, float(chances @ value**2 - (chances @ value) ** 2))


def vary_latent(fitted: BetaBinomial, value: Floats) -> float:
    """Return the variance between problems of the expected value of k samples."""
    # Two independent draws of k samples of one problem hold i and j correct ones.
    from scipy.special import betaln

    k = len(value) - 1
    i = np.arange(k + 1)
    log_choose = _log_choose(k, i)
    both = i[:, None] + i
    chances = np.exp(
        log_choose[:, None]
        + log_choose
        + betaln(fitted.a + both, fitted.b + 2 * k - both)
        - betaln(fitted.a, fitted.b)
    )
    return max(0.0, float(value @ chances @ value - (fitted.chances(k) @ value) ** 2))


def read_pilot(
    n: ArrayLike, c: ArrayLike, k: int, table: Table, clusters: object = None
) -> Variance:
    """Check the counts of a pilot, and return how much its values vary."""
    sizes, right = read_counts(n, c)
    if len(sizes) < 2:
        raise _say.error("plan.one_problem")
    if is_sequence(k):
        raise TypeError(f"`k` must be one number of draws; got {shorten(k)}")
    draws = check_k(k)
    refuse_too_many_k(draws, sizes)
    codes = None
    if clusters is not None:
        codes = read_clusters(clusters, len(sizes), "n")
    if codes is not None and not codes.any():
        raise _say.error("plan.one_cluster")
    return Variance(sizes, right, draws[0], table, codes)


# Blocks of problems that the jackknife leaves out one by one.
_BLOCKS = 20


# Estimates are cut here: nearly equal models are planned for as if they agreed so much.
_CUT = 0.99


class Correlation(NamedTuple):
    """Hold how much the difficulties of problems for two models agree.

    Attributes:
        value: the correlation, from −1 to 1.
        low: the lower limit of its interval.
        high: the upper limit.
    """

    value: float
    low: float
    high: float


def estimate_correlation(
    a: Variance, b: Variance, /, *, confidence_level: float = 0.95
) -> Correlation | None:
    """Estimate the correlation between the difficulties of problems for two models, without the noise of samples."""
    # There is none where the problems of a pilot do not vary beyond the noise of samples, or where there are fewer than
    # four.
    # Formula: cov(v_a, v_b)/√(s_a² s_b²), with the variances between problems s², cut to [−1, .99]. Samples of two
    # models are independent, so that noise adds to the variances of v alone (Spearman's correction for attenuation
    # [1]). The interval is that of Fisher's z, with the standard error of a jackknife over blocks of problems and
    # Student's t.
    # Source: C. Spearman, The Proof and Measurement of Association between Two Things, 1904,
    # https://doi.org/10.2307/1412159.
    from scipy.special import stdtrit

    total = len(a.n)
    if total < 4:
        return None
    value = _correlate(a, b, np.arange(total))
    if value is None:
        return None
    blocks = min(_BLOCKS, total)
    order = np.random.default_rng(0).permutation(total) % blocks
    left = [_correlate(a, b, np.flatnonzero(order != block)) for block in range(blocks)]
    z = np.arctanh([value if one is None else one for one in left])
    spread = float(np.sqrt((blocks - 1) / blocks * ((z - z.mean()) ** 2).sum()))
    margin = -float(stdtrit(blocks - 1, (1 - confidence_level) / 2)) * spread
    centre = np.arctanh(value)
    high = min(float(np.tanh(centre + margin)), _CUT)
    return Correlation(value, float(np.tanh(centre - margin)), max(high, value))


def _correlate(
    a: Variance, b: Variance, places: np.ndarray[tuple[int, ...], np.dtype[np.intp]]
) -> float | None:
    first, second = (
        replace(side, n=side.n[places], c=side.c[places], clusters=None) for side in (a, b)
    )
    scale = first.at(inf) * second.at(inf)
    if scale <= 1e-18:
        return None
    correlation = float(np.cov(first.values, second.values)[0, 1]) / scale**0.5
    return float(min(max(correlation, -_CUT), _CUT))


def find_half_width(
    variance: Variance | Assumed, spread: ArrayLike, m: ArrayLike, confidence_level: float
) -> Floats:
    """Return half of the width of the interval for m problems whose values have the variance `spread`."""
    alone = np.asarray(spread) - variance.shared
    design = np.divide(spread, alone, out=np.full(alone.shape, np.inf), where=alone > 0)
    # Of problems without clusters, m
    units = np.maximum(1, count_units(design, m, variance.shares))
    low, high = interval(
        variance.value, np.sqrt(np.asarray(spread) / m), units, confidence_level=confidence_level
    )
    return np.asarray((high - low) / 2)
