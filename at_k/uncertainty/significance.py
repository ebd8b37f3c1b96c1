"""Tests of whether two models are equally good on the same problems, and of several such questions at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from at_k.combinatorics import Floats
from at_k.errors import Message
from at_k.uncertainty.checks import check_size, read_column, read_numbers
from at_k.uncertainty.flips import N_FLIPS, ROUNDING, Flips, find_flip_p, round_ties
from at_k.uncertainty.standard_errors import read_clusters
from at_k.validation import check_seed, shorten

_MOST_RANKS = 50
"""Up to this many differences, the distribution of Wilcoxon's rank sum is made. SciPy makes all flips where differences
tie, which takes 0.6 s for 13 of them."""

WILCOXON_WARNING = Message(
    "significance.wilcoxon",
    "The Wilcoxon test does not compare means: with equal means and different spread it finds a difference in up to "
    "72 % of simulated cases (300 problems, level 5 %). Prefer the sign-flip test.",
)
"""With 15, 30 and 100 problems it is 13, 17 and 35 %; docs/uncertainty.md says so too."""


def subtract(a: object, b: object, *, bounded: bool = True) -> Floats:
    """Return the differences a − b of values of the same problems, with 0 where they differ by rounding alone."""
    first, second = (read_column(name, each, bounded=bounded) for name, each in (("a", a), ("b", b)))
    if len(first) != len(second):
        raise ValueError(
            f"`a` and `b` must hold values of the same problems; got {len(first)} and {len(second)} of them. Match "
            "them first, or compare them as unpaired"
        )
    difference = first - second
    scale = 1.0 if bounded else max(float(np.abs(first).max()), float(np.abs(second).max()))
    return np.where(np.abs(difference) <= ROUNDING * scale, 0.0, difference)


def sign_flip_p(differences: ArrayLike, /, *, clusters: object = None, n_flips: int = N_FLIPS, seed: int = 0) -> float:
    """Compute the p-value of the sign-flip test: could the mean difference be as large if the two were equally good?

    If they are, each difference could as well have had the other sign. All 2^G flips of G ≤ 14 differences are made,
    else random ones.

    Args:
        differences: one per problem.
        clusters: one label per problem, where problems come in groups that resemble each other. Whole clusters flip.
        n_flips: random flips, where not all are made.
        seed: of the random flips.

    Returns:
        The two-sided p-value: twice the share of flips with a mean at least as far from 0 in the same direction, the
        observed signs being one of them, and at most 1. For G ≤ 5 it cannot be below .05.

    Raises:
        TypeError: if the differences are not numbers.
        ValueError: if there are none, or an argument is out of its range.

    References:
        1. R. Fisher, The Design of Experiments, 1935, section 21.
        2. B. Phipson, G. Smyth, Permutation P-values Should Never Be Zero, 2010, https://arxiv.org/abs/1603.05766.

    Examples:
        >>> sign_flip_p([0.5, 0.25, 0.25, 0.0])  # of 16 flips, +++± and −−−± are as far from 0
        0.25
    """
    values = read_column("differences", differences, bounded=False)
    codes = None if clusters is None else read_clusters(clusters, len(values), "differences")
    flips = Flips(values[:, None], codes, n_flips=check_size("n_flips", n_flips), seed=check_seed(seed))
    return find_flip_p(round_ties(flips.sums[:, 0], float(np.abs(values).sum())))


def paired_t_p(differences: ArrayLike, /) -> float:
    """Compute the p-value of the paired t-test.

    Args:
        differences: one per problem.

    Returns:
        The two-sided p-value; 1 if all differences are 0, and NaN where the test is undefined: one problem, or equal
        differences.

    Formula: 2·P(T > |d̄|/(sd(d)/√M)) with M − 1 degrees of freedom.

    Raises:
        TypeError: if the differences are not numbers.
        ValueError: if there are none, or one is not finite.

    References:
        Student, The Probable Error of a Mean, Biometrika 6, 1908, https://doi.org/10.2307/2331554.

    Examples:
        >>> round(paired_t_p([0.5, 0.25, 0.25, 0.0]), 4)
        0.0917
    """
    from scipy.special import stdtr

    values = read_column("differences", differences, bounded=False)
    if not values.any():
        return 1.0
    if len(values) == 1 or np.ptp(values) <= ROUNDING * np.abs(values).max():
        return float("nan")
    t = values.mean() / (values.std(ddof=1) / np.sqrt(len(values)))
    return float(2 * stdtr(len(values) - 1, -abs(t)))


def wilcoxon_p(differences: ArrayLike, /) -> float:
    """Compute the p-value of the Wilcoxon signed-rank test. It does not compare means: see `WILCOXON_WARNING`.

    Args:
        differences: one per problem. Those that are 0 are left out, as Wilcoxon did.

    Returns:
        The two-sided p-value; 1 if all differences are 0. It is exact for up to 50 differences, with ties too; beyond,
        it is the normal approximation of `scipy.stats.wilcoxon`.

    Raises:
        TypeError: if the differences are not numbers.
        ValueError: if there are none, or one is not finite.

    References:
        F. Wilcoxon, Individual Comparisons by Ranking Methods, Biometrics 1, 1945, https://doi.org/10.2307/3001968.

    Examples:
        >>> wilcoxon_p([0.5, 0.2, 0.1, 0.0])  # of 8 assignments of signs, two are as extreme
        0.25
    """
    from scipy.stats import rankdata, wilcoxon

    values = read_column("differences", differences, bounded=False)
    # Differences of equal size tie, which rounding must not change.
    values = np.round(values[values != 0] / max(float(np.abs(values).max()), ROUNDING), 12)
    if not len(values):
        return 1.0
    if len(values) > _MOST_RANKS:
        return float(wilcoxon(values).pvalue)
    doubled = np.rint(2 * rankdata(np.abs(values))).astype(np.int64)  # ties share a rank, which may end in ½
    total = int(doubled.sum())
    chances = np.zeros(total + 1)
    chances[0] = 1.0
    for rank in doubled.tolist():
        chances[rank:] = (chances[rank:] + chances[: total + 1 - rank]) / 2
        chances[:rank] /= 2
    distance = np.abs(2 * np.arange(total + 1) - total)
    observed = abs(2 * int(doubled[values > 0].sum()) - total)
    return min(1.0, float(chances[distance >= observed].sum()))


def mcnemar_p(a: ArrayLike, b: ArrayLike, /) -> float:
    """Compute the exact p-value of McNemar's test, for values that are 0 or 1.

    Args:
        a: whether the one model was right, for each problem.
        b: the same for the other, for the same problems.

    Returns:
        The two-sided p-value of a fair coin for the problems on which they differ; 1 if there is none.

    Formula: min(1, 2·P(X ≤ min(won, lost))) with X binomial of won + lost and ½.

    Raises:
        TypeError: if the values are not numbers.
        ValueError: if a value is neither 0 nor 1, or the two hold different numbers of problems.

    References:
        Q. McNemar, Note on the sampling error of the difference between correlated proportions or percentages,
        Psychometrika 12, 1947, https://doi.org/10.1007/BF02295996.

    Examples:
        >>> mcnemar_p([1, 1, 1, 1, 1], [0, 0, 0, 0, 0])
        0.0625
        >>> mcnemar_p([1, 0], [1, 0])
        1.0
    """
    from scipy.special import bdtr

    difference = subtract(a, b)
    for name, values in (("a", np.asarray(a)), ("b", np.asarray(b))):
        neither = (values != 0) & (values != 1)
        if neither.any():
            at = int(np.argmax(neither))
            raise ValueError(f"`{name}` must hold 0 or 1 for McNemar's test; got {values[at]} in problem {at}")
    won, lost = int((difference > 0).sum()), int((difference < 0).sum())
    return min(1.0, float(2 * bdtr(min(won, lost), won + lost, 0.5))) if won + lost else 1.0


def find_mid_tail(won: int, lost: int, share: float) -> float:
    """Return the probability of winning more than `won` of all, and half that of `won`, with this chance for each."""
    from scipy.special import bdtrc

    return float(bdtrc(won - 1, won + lost, share) + bdtrc(won, won + lost, share)) / 2


def find_mid_limit(won: int, lost: int, alpha: float) -> float:
    """Return the chance of winning for which `find_mid_tail` is alpha; 0 if nothing was won."""
    from scipy.optimize import brentq

    if not won:
        return 0.0
    return float(brentq(lambda share: find_mid_tail(won, lost, share) - alpha, 0.0, 1.0, xtol=1e-15))


def holm(p_values: ArrayLike, /) -> Floats:
    """Adjust p-values of several questions, so that the chance of any false discovery stays below the level.

    Args:
        p_values: p-values in [0, 1], one per question. NaN, an undefined test, stays NaN and is not counted.

    Returns:
        Adjusted p-values in the same order: a question is decided if its own is at most the level.

    Formula: with the m p-values in rising order, the largest of (m − j + 1)·p_j over j ≤ i, at most 1.

    Raises:
        TypeError: if the values are not numbers.
        ValueError: if a value is not in [0, 1].

    References:
        S. Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979, https://www.jstor.org/stable/4615733.

    Examples:
        >>> holm([0.01, 0.04, 0.03])
        array([0.03, 0.06, 0.06])
    """
    given: Floats = np.asarray(p_values, dtype=np.float64)
    if given.ndim != 1:
        raise ValueError(f"`p_values` must be a list of numbers; got {shorten(p_values)}")
    known = np.flatnonzero(~np.isnan(given))
    values = read_numbers("p_values", given[known])
    if ((values < 0) | (values > 1)).any():
        raise ValueError(f"`p_values` must lie in [0, 1]; got {values[(values < 0) | (values > 1)][0]}")
    order = np.argsort(values, kind="stable")
    raised = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted: Floats = given.copy()
    adjusted[known[order]] = np.minimum(raised, 1.0)
    return adjusted
