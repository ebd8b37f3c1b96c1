"""How much the value of one problem varies, for any number of samples, as far as a pilot tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from at_k.caching import cached_property
from at_k.combinatorics import Floats, Ints
from at_k.errors import InputError
from at_k.estimators.counts import pass_at_k
from at_k.uncertainty.beta_binomial import BetaBinomial, fit_beta_binomial
from at_k.uncertainty.checks import check_size, read_counts
from at_k.uncertainty.jackknife import CountsEstimator
from at_k.uncertainty.standard_errors import add_units, count_units, read_clusters, standard_error
from at_k.validation import check_k, is_sequence, refuse_too_many_k, shorten


@dataclass(frozen=True)
class Variance:
    """Predict how much the value of one problem varies, for any number of samples.

    Attributes:
        n: samples of each problem of the pilot.
        c: correct samples among them.
        k: the number of draws behind the value.
        estimate: the metric of counts.
        clusters: the number of the cluster of each problem; None without clusters.
    """

    n: Ints
    c: Ints
    k: int
    estimate: CountsEstimator
    clusters: Ints | None = None

    @cached_property
    def values(self) -> Floats:
        """Return the value of each problem of the pilot."""
        return np.asarray(self.estimate(self.n, self.c, k=self.k))

    @cached_property
    def shared(self) -> float:
        """Return what clusters add to the variance of a problem: samples drawn anew do not change it."""
        if self.clusters is None:
            return 0.0
        (together, _), (alone, _) = standard_error(self.values, clusters=self.clusters), standard_error(self.values)
        return max(0.0, float(together**2 - alone**2)) * len(self.n)

    @cached_property
    def size(self) -> float:
        """Return how many problems there are for each of the effective number of clusters."""
        sizes, _ = add_units(self.values, self.clusters)
        return float((sizes**2).sum()) / len(self.n)

    def count_units(self, variance: ArrayLike, problems: ArrayLike) -> Floats:
        """Return how many independent units so many problems are, whose values vary so much."""
        alone = np.asarray(variance) - self.shared
        design = np.divide(variance, alone, out=np.full(alone.shape, np.inf), where=alone > 0)
        return np.maximum(1, count_units(design, problems, self.size))

    def at(self, samples: float) -> float:
        """Return the variance of a new problem's value with so many samples; `inf` leaves that between problems."""
        return self._at_alone(samples) + self.shared

    def _at_alone(self, samples: float) -> float:
        k, least = self.k, int(self.n.min())
        if self.estimate is pass_at_k and min(2 * k, samples) <= least:
            return self.exact_at(samples)
        if (self.n == 1).all():
            raise InputError(
                "plan.one_sample",
                "One sample of each problem does not show how much samples vary. Draw at least two of some problems.",
            )
        fitted = self._fitted
        if samples == inf:
            return vary_latent(fitted, np.asarray(self.estimate(k, np.arange(k + 1), k=k)))
        size = int(samples)
        value, chances = np.asarray(self.estimate(size, np.arange(size + 1), k=k)), fitted.chances(size)
        return max(0.0, float(chances @ value**2 - (chances @ value) ** 2))

    @cached_property
    def _fitted(self) -> BetaBinomial:
        return fit_beta_binomial(self.n, self.c)

    @cached_property
    def _fails(self) -> Floats:
        """Return the chance of each problem that r samples are all wrong, in a column for each r = k…min(2k, n)."""
        draws = range(self.k, min(2 * self.k, int(self.n.min())) + 1)
        return np.asarray(pass_at_k(self.n, self.c, k=[*draws], complement=True))

    def exact_at(self, samples: float, chosen: Ints | slice = slice(None)) -> float:
        """Return the unbiased estimate of some problems, a sum over how many of two draws of k samples are the same."""
        # pass@k and its complement have one variance. Two draws that share j samples both fail if 2k − j samples do.
        # The square of the mean is taken over pairs of different problems, so that it has no bias.
        k, fails = self.k, self._fails[chosen]
        m, fail = len(fails), fails[:, 0]
        square = (fail.sum() ** 2 - (fail**2).sum()) / (m * (m - 1))
        if k == 1 and (self.n > 1).all():
            # The two parts of pass@1, of which the one between problems is not below 0 either.
            both_alone = fails[:, 1].mean()
            between = max(0.0, float(both_alone - square))
            return between if samples == inf else between + float(fail.mean() - both_alone) / int(samples)
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


def vary_latent(fitted: BetaBinomial, value: Floats) -> float:
    """Return the variance between problems of the expected value of k samples.

    Two independent draws of k samples of one problem hold i and j correct ones.
    """
    from scipy.special import betaln

    k = len(value) - 1
    i = np.arange(k + 1)
    log_choose = -np.log1p(k) - betaln(k - i + 1, i + 1)
    both = i[:, None] + i
    chances = np.exp(
        log_choose[:, None] + log_choose + betaln(fitted.a + both, fitted.b + 2 * k - both) - betaln(fitted.a, fitted.b)
    )
    return max(0.0, float(value @ chances @ value - (fitted.chances(k) @ value) ** 2))


def predict_stderr(
    n: ArrayLike,
    c: ArrayLike,
    /,
    *,
    problems: int | Sequence[int],
    samples: int | Sequence[int],
    k: int = 1,
    estimate: CountsEstimator = pass_at_k,
) -> Floats:
    """Predict the standard error of a metric for other numbers of problems and samples, from the counts of a pilot.

    For a pilot of 100 problems, the prediction is off by 1–15 % typically. Where nearly all values are 1, it is off by
    20–90 %.

    Args:
        n: samples of each problem of the pilot.
        c: correct samples among them.
        problems: numbers of problems, one or a list of them.
        samples: numbers of samples of each, one or a list of them.
        k: the number of draws; 1 for avg@n.
        estimate: the metric, which depends on n and c alone: `at_k.pass_at_k`, or another one that is called as
            `estimate(n, c, k=k)`.

    Returns:
        One standard error, or a row for each number of problems and a column for each number of samples.

    Formula: √(Var(n′)/M′). For pass@1, Var = s_b² + s_w²/n′ with s_w² = mean n p(1 − p)/(n − 1) and
        s_b² = max(0, var(p) − mean p(1 − p)/(n − 1)) [1]. For pass@k with min(2k, n′) ≤ n, and
        h(r) = C(n − c, r)/C(n, r), it is [2]
        Var = Σ_j P(two k-subsets of n′ share j samples) · mean h(2k − j) − Σ_{i≠l} h_i(k) h_l(k)/(M(M − 1)).
        Otherwise the variance under a beta-binomial distribution that is fitted by maximum likelihood.

    Raises:
        TypeError: if a number is not an integer.
        ValueError: if the pilot has fewer than two problems, `samples` is below k, c is not in 0…n, or all n are 1 and
            more samples are asked for.

    References:
        1. S. Searle, G. Casella, C. McCulloch, Variance Components, 1992, chapter 3.
        2. W. Hoeffding, A Class of Statistics with Asymptotically Normal Distribution, 1948,
           https://doi.org/10.1214/aoms/1177730196 (the variance of an average over subsets).

    Examples:
        >>> predict_stderr([4, 4, 4, 4], [0, 1, 3, 4], problems=[4, 16], samples=[4, 64]).round(3)
        array([[0.228, 0.212],
               [0.114, 0.106]])
    """
    variance = read_pilot(n, c, k, estimate)
    rows = np.array([check_size("problems", each) for each in _list(problems)])
    columns = [variance.at(check_size("samples", each, variance.k)) for each in _list(samples)]
    table = np.sqrt(np.array(columns) / rows[:, None])
    return np.asarray(table[:, 0] if not is_sequence(samples) else table)[() if is_sequence(problems) else 0]


def _list(numbers: Any) -> list[int]:
    return list(numbers) if is_sequence(numbers) else [numbers]


def read_pilot(n: ArrayLike, c: ArrayLike, k: int, estimate: CountsEstimator, clusters: object = None) -> Variance:
    """Check the counts of a pilot, and return how much its values vary."""
    sizes, right = read_counts(n, c)
    if len(sizes) < 2:
        raise InputError("plan.one_problem", "A plan needs a pilot of at least two problems.")
    if is_sequence(k):
        raise TypeError(f"`k` must be one number of draws; got {shorten(k)}")
    draws = check_k(k)
    refuse_too_many_k(draws, sizes)
    codes = None if clusters is None else read_clusters(clusters, len(sizes), "n")
    if codes is not None and not codes.any():
        raise InputError("plan.one_cluster", "A plan for problems in clusters needs a pilot of at least two clusters.")
    return Variance(sizes, right, draws[0], estimate, codes)
