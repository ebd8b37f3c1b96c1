"""The cost of a correct sample: the ratio of two sums, with a jackknife by hand and its coverage."""

from math import exp, inf, log

import numpy as np
import pytest
from cases import for_each
from scipy import stats

from at_k.uncertainty.costs import cost_per_success


def leave_out(costs, successes, clusters):
    """Return log Σ cost/Σ successes without each cluster."""
    return [
        log(
            sum(cost for cost, own in zip(costs, clusters, strict=True) if own != left)
            / sum(right for right, own in zip(successes, clusters, strict=True) if own != left)
        )
        for left in dict.fromkeys(clusters)
    ]


@for_each("clusters", [list("abcdefgh"), list("aabbccdd"), list("aaabcdde")])
def test_it_is_the_jackknife_of_the_logarithm(clusters):
    costs, successes = [3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.5, 6.0], [2, 1, 0, 3, 1, 4, 0, 2]
    left = leave_out(costs, successes, clusters)
    variance = (len(left) - 1) / len(left) * sum((each - sum(left) / len(left)) ** 2 for each in left)
    factor = exp(stats.t.ppf(0.95, len(left) - 1) * variance**0.5)
    found = cost_per_success(costs, successes, clusters=clusters, confidence_level=0.9)
    assert found == pytest.approx((32 / 13, 32 / 13 / factor, 32 / 13 * factor))


@for_each(
    "costs, successes, value",
    [
        ([1, 2], [0, 0], inf),
        ([1, 2], [0, 1], 3),  # without the second problem nothing is solved
        ([2], [1], 2),
        ([2, 2, 2], [1, 1, 1], 2),  # equal ratios do not show how far others lie
        ([0.1, 0.2, 0.3], [1, 2, 3], 0.1),
        ([0, 0], [1, 1], 0),
    ],
)
def test_what_has_no_interval(costs, successes, value):
    assert cost_per_success(costs, successes) == pytest.approx((value, 0, inf))


def test_it_covers():
    """Of 1,000 data sets, the standard error of a coverage of .95 is .007."""
    rng, covered = np.random.default_rng(0), 0

    def draw(problems):
        p = rng.beta(1, 1, problems)
        return (1.5 - p) * rng.lognormal(size=(4, problems)).sum(axis=0), rng.binomial(4, p)

    costs, successes = draw(1_000_000)
    truth = costs.sum() / successes.sum()
    for _ in range(1000):
        _, low, high = cost_per_success(*draw(40))
        covered += low <= truth <= high
    assert 0.92 <= covered / 1000 <= 0.98


@for_each(
    "costs, successes, said",
    [
        ([1, -1], [1, 1], "`costs` must not be negative; got -1.0 in problem 1"),
        ([1, 1], [1, -2], "`successes` must not be negative; got -2.0 in problem 1"),
        ([1, 1], [1], "`costs` and `successes` must have as many problems; got 2 and 1"),
        ([1, np.nan], [1, 1], "`costs` must hold finite numbers; got nan in problem 1"),
        ([], [], "`costs` must hold one value per problem"),
    ],
)
def test_arguments_that_cannot_be_used(costs, successes, said):
    with pytest.raises(ValueError, match=said):
        cost_per_success(costs, successes)
