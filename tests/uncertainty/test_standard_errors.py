"""Standard errors, against linear algebra written out."""

import re
from functools import partial

import numpy as np
import pytest
from cases import for_each
from numpy.testing import assert_allclose
from scipy import linalg, stats

from at_k.estimators import g_pass_at_k
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.jackknife import jackknife_counts
from at_k.uncertainty.standard_errors import problem_set_error, standard_error


def test_the_population():
    values = np.random.default_rng(0).random(12)
    stderr, m = standard_error(values)
    assert (stderr, m) == (pytest.approx(np.sqrt(np.var(values, ddof=1) / 12), rel=1e-12), 12)


def robust_error(values, labels):
    """CR2 of a regression on a constant: e_g is multiplied by (I − H_g)^(−1/2), with H_g = 1/M everywhere."""
    size = len(values)
    error, total = values - values.mean(), 0.0
    for label in set(labels):
        own = np.array([each == label for each in labels])
        hat = np.full((own.sum(), own.sum()), 1 / size)
        adjusted = linalg.inv(linalg.sqrtm(np.eye(own.sum()) - hat)).real @ error[own]
        total += adjusted.sum() ** 2
    return np.sqrt(total) / size


def count_units(values, labels):
    """max(G*, M/deff⁺) with the upper 90 % limit of the design effect."""
    size = len(values)
    effective = size**2 / sum(labels.count(label) ** 2 for label in set(labels))
    design = max(1, (robust_error(values, labels) / stats.sem(values)) ** 2)
    bound = design * (effective - 1) / stats.chi2.ppf(0.1, effective - 1)
    return max(effective, size / min(size / effective, max(1, bound)))


@for_each("clusters", [10, 40])
def test_clusters_that_hardly_matter_count_as_more_units(clusters):
    values = np.random.default_rng(clusters).random(200)
    labels = [i % clusters for i in range(200)]
    _, m = standard_error(values, clusters=labels)
    assert m == pytest.approx(count_units(values, labels))
    assert clusters < m < 200
    assert standard_error([1.0] * 200, clusters=labels)[1] == clusters  # equal values do not show what clusters do
    assert standard_error(np.array(labels) / 50, clusters=labels)[1] == clusters


@for_each("seed", range(5))
def test_clusters(seed):
    rng = np.random.default_rng(seed)
    values, labels = rng.random(20), rng.integers(0, 4, size=20).tolist()
    stderr, m = standard_error(values, clusters=labels)
    assert stderr == pytest.approx(robust_error(values, labels), rel=1e-9)
    assert m == pytest.approx(count_units(values, labels))


def test_clusters_of_one_problem_are_no_clusters():
    values = np.random.default_rng(0).random(9)
    clustered = standard_error(values, clusters=[f"p{i}" for i in range(9)])
    assert_allclose(clustered, standard_error(values), rtol=1e-12)


def test_one_problem_or_one_cluster_has_no_standard_error():
    stderr, m = standard_error([0.3])
    assert np.isnan(stderr)
    assert m == 1
    stderr, m = standard_error([0.3, 0.4, 0.5], clusters=[7, 7, 7])
    assert np.isnan(stderr)
    assert m == 1


def test_equal_values_have_an_error_of_0():
    """The mean of thirty times 0.1 is not 0.1 in floats."""
    assert standard_error([0.1] * 30)[0] == 0
    assert standard_error([0.1] * 30, clusters=[1, 2, 3] * 10)[0] == 0


def test_several_metrics_at_once():
    values = np.random.default_rng(0).random((10, 2, 3))
    for clusters in (None, list("aabbccddee")):
        stderr, _ = standard_error(values, clusters=clusters)
        assert stderr.shape == (2, 3)
        for at in np.ndindex(2, 3):
            assert stderr[at] == pytest.approx(standard_error(values[(slice(None), *at)], clusters=clusters)[0])


def test_labels_that_cannot_be_used():
    with pytest.raises(ValueError, match="`clusters` and `per_problem` must have as many problems; got 1 and 2"):
        standard_error([0.1, 0.2], clusters=["a"])
    with pytest.raises(ValueError, match="`clusters` must hold a label for every problem; got None in problem 1"):
        standard_error([0.1, 0.2], clusters=["a", None])


def test_the_problem_set():
    found = problem_set_error([[0.5, 0.9], [0.2, 0.4]], [[0.01, 0.02], [0.03, 0.04]], [5, 9], k=[1, 4])
    assert_allclose(found.stderr, np.sqrt([0.04 + 0.03, 0.06 + 0.04]) / 2, rtol=1e-12)
    given = problem_set_error([0.5, 0.2], [0.01, 0.03], [5, 9], k=1, largest=0.05)
    assert given.stderr == pytest.approx(np.sqrt(0.04 + 0.05) / 2, rel=1e-12)
    assert found.m.tolist() == [5 + 9, 1 + 2]
    assert found.is_upper_bound.tolist() == [False, False]


def test_the_problem_set_is_covered_where_values_are_nearly_all_alike():
    """G-Pass@63_0.5 of 64 samples, 300 hard problems: .84 without the pseudo-problem. Over 1,000 sets of problems, a
    coverage of .93 has a standard error of .008."""
    rng = np.random.default_rng(0)
    every = np.arange(65)
    value, variance = (
        g_pass_at_k(64, every, k=63, tau=0.5),
        jackknife_counts(partial(g_pass_at_k, tau=0.5), np.full(65, 64), every, k=63),
    )
    covered = 0
    for _ in range(1000):
        p = rng.beta(0.1, 0.9, size=300)
        c = rng.binomial(64, p)
        found = problem_set_error(value[c], variance[c], np.full(300, 64), k=63, largest=variance.max())
        low, high = interval(value[c].mean(), found.stderr, found.m)
        covered += low <= stats.binom.sf(31, 63, p).mean() <= high
    assert covered / 1000 >= 0.92


def test_where_all_samples_are_drawn_the_error_is_that_of_the_population():
    values = np.array([[0.5, 0.9], [0.2, 0.4], [0.1, 0.2]])
    found = problem_set_error(values, [[0.01, np.nan]] * 3, [4, 5, 4], k=[1, 4])
    assert found.is_upper_bound.tolist() == [False, True]
    assert found.m.tolist() == [13, 3]
    assert found.stderr[1] == standard_error(values[:, 1])[0]
    alone = problem_set_error([0.5], [np.nan], [1], k=1)
    assert (np.isnan(alone.stderr), alone.m, alone.is_upper_bound) == (True, 1, True)


@for_each(
    "call, said",
    [
        (lambda: problem_set_error([0.5], [np.nan], [2], k=1), "`variances` must be finite and not negative; got nan"),
        (lambda: problem_set_error([0.5], [-1.0], [2], k=1), "`variances` must be finite and not negative; got -1.0"),
        (lambda: problem_set_error([0.5], [0.1], [2], k=3), "`k` must be at most n"),
        (lambda: problem_set_error([0.5], [0.1, 0.2], [2], k=1), "got shapes (1,), (2,) and (1,) for k=[1]"),
        (lambda: problem_set_error([0.5], [0.1], [2, 3], k=1), "got shapes (1,), (1,) and (2,) for k=[1]"),
    ],
)
def test_arguments_that_cannot_be_used(call, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        call()
