"""Bayes@N, against scorio and by hand."""

import re

import numpy as np
import pytest
from cases import for_each
from scipy import stats
from scorio.eval import bayes_ci

from at_k.uncertainty.bayes import bayes_at_n, bayes_of_counts

# Two libraries that sum in different orders.
TOLERANCE = 1e-12


@for_each("seed", range(5))
@for_each("levels", [[0, 1], [0, 0.5, 1], [1, 0.25, 0, 0.5]])
def test_it_is_that_of_scorio(seed, levels):
    rng = np.random.default_rng(seed)
    m, n, before = rng.integers(1, 20, size=3)
    seen, prior = rng.integers(0, len(levels), size=(m, n)), rng.integers(0, len(levels), size=(m, before))
    weights = np.array(levels, dtype=float)
    for old, rows in ((None, None), (prior, weights[prior])):
        theirs = bayes_ci(seen, weights, old, confidence=0.9, bounds=(0.0, 1.0))
        ours = bayes_at_n(weights[seen], levels=levels, prior=rows, confidence_level=0.9)
        assert ours == pytest.approx(theirs, rel=TOLERANCE, abs=TOLERANCE)


def test_one_problem_of_zeros_and_ones_is_a_beta_distribution():
    mean, sd, low, high = bayes_at_n([[1, 1, 1, 0]])
    posterior = stats.beta(4, 2)
    assert (mean, sd) == pytest.approx((posterior.mean(), posterior.std()), rel=TOLERANCE)
    assert (low, high) == pytest.approx((mean - 1.959964 * sd, 1.0), abs=1e-6)


def test_n_may_differ():
    parts = [bayes_at_n([row]) for row in ([1, 0], [1, 1, 1, 1])]
    both = bayes_at_n([[1, 0], [1, 1, 1, 1]])
    assert both.mean == pytest.approx((parts[0].mean + parts[1].mean) / 2, rel=TOLERANCE)
    assert both.sd == pytest.approx(np.hypot(parts[0].sd, parts[1].sd) / 2, rel=TOLERANCE)


def test_prior_samples_count_as_samples_and_may_be_missing():
    assert bayes_at_n([[1, 0], [1]], prior=[[1, 1], []]) == bayes_at_n([[1, 0, 1, 1], [1]])
    assert bayes_at_n([[1]], prior=[[]]) == bayes_at_n([[1]])


def test_all_correct_stays_below_1():
    mean, _, low, high = bayes_at_n([[1] * 8] * 30)
    assert mean == pytest.approx(0.9, rel=TOLERANCE)
    assert low < high < 1


def test_counts():
    assert bayes_of_counts([[1, 2], [0, 3]]) == bayes_at_n([[1, 0, 1], [1, 1, 1]])


@for_each("call, error, said", [
        (lambda: bayes_at_n([[0.5]]), ValueError,
         "`grades` must hold grades out of `levels`, [0.0, 1.0]; got 0.5 in problem 0, sample 0"),
        (lambda: bayes_at_n([[1, None]]), ValueError, "got nan in problem 0, sample 1"),
        (lambda: bayes_at_n([]), ValueError, "`grades` must hold at least one problem; got none"),
        (lambda: bayes_at_n([[1]], levels=[1]), ValueError, "`levels` must be at least two different numbers; got [1]"),
        (lambda: bayes_at_n([[1]], levels=[1, 1]), ValueError, "`levels` must be at least two different numbers"),
        (lambda: bayes_at_n([[1]], prior=[[1], [0]]), ValueError,
         "`grades` and `prior` must have as many problems; got 1 and 2"),
        (lambda: bayes_at_n([[1]], prior=3), TypeError, "`prior` must hold a list of samples for every problem; got 3"),
        (lambda: bayes_at_n([[1]], prior=[[2]]), ValueError, "`prior` must hold grades out of `levels`"),
        (lambda: bayes_at_n([[1]], confidence_level=1), ValueError, "`confidence_level` must lie between 0 and 1"),
        (lambda: bayes_at_n([["1"]]), TypeError, "`grades` must hold numbers"),
        (lambda: bayes_of_counts([[1.0, 2.0]]), TypeError, "`counts` must hold integers"),
        (lambda: bayes_of_counts([[1, 2, 3]]), ValueError, "got shape (1, 3)"),
        (lambda: bayes_of_counts([[1, 2], [-1, 3]]), ValueError, "`counts` must not be negative; got -1 in problem 1"),
    ])  # fmt: skip
def test_arguments_that_cannot_be_used(call, error, said):
    with pytest.raises(error, match=re.escape(said)):
        call()
