"""Calibration, against definitions written out as loops."""

import re

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose

from at_k.uncertainty.calibration import measure_calibration, measure_vote_shares

samples = st.lists(st.tuples(st.integers(0, 20).map(lambda i: i / 20), st.integers(0, 1)), min_size=1, max_size=30)


def bins_of_equal_width(confidence, bins):
    """Guo et al.: the interval ((m − 1)/M, m/M]; here the first one holds 0 too."""
    found = {}
    for i, each in enumerate(confidence):
        index = next(m for m in range(1, bins + 1) if each <= m / bins)
        found.setdefault(index, []).append(i)
    return list(found.values())


@settings(derandomize=True, max_examples=100)
@given(samples, st.integers(1, 15))
def test_scores_by_their_definitions(rows, bins):
    confidence, correct = map(list, zip(*rows, strict=True))
    size, overall = len(rows), np.mean(correct)
    groups = bins_of_equal_width(confidence, bins)
    points = [(len(g), np.mean([confidence[i] for i in g]), np.mean([correct[i] for i in g])) for g in groups]
    found = measure_calibration(confidence, correct, bins=bins)
    assert found.ece == pytest.approx(sum(n / size * abs(f - o) for n, f, o in points), abs=1e-12)
    assert found.brier == pytest.approx(np.mean((np.array(confidence) - correct) ** 2), abs=1e-12)
    assert found.reliability == pytest.approx(sum(n / size * (f - o) ** 2 for n, f, o in points), abs=1e-12)
    assert found.resolution == pytest.approx(sum(n / size * (o - overall) ** 2 for n, _, o in points), abs=1e-12)
    assert found.uncertainty == pytest.approx(overall * (1 - overall), abs=1e-12)
    hidden = sum(
        (confidence[i] - f) ** 2 - 2 * (confidence[i] - f) * (correct[i] - o)
        for g, (_, f, o) in zip(groups, points, strict=True)
        for i in g
    )
    assert found.within == pytest.approx(hidden / size, abs=1e-12)
    assert found.count.sum() == size


def test_the_last_bin_counts():
    """lighteval and AISBench skip it: confidence 1 and all wrong, 150 samples, gives 0.0 there."""
    assert measure_calibration([1.0] * 150, [0] * 150).ece == 1
    assert measure_calibration([0.0] * 150, [1] * 150).ece == 1
    assert measure_calibration([1.0] * 150, [0] * 150, binning="mass").ece == 1


def test_bins_of_equal_mass():
    confidence = np.arange(1, 13) / 16
    found = measure_calibration(confidence, [0, 1] * 6, bins=4, binning="mass")
    assert found.count.tolist() == [3, 3, 3, 3]
    assert_allclose(found.confidence, confidence.reshape(4, 3).mean(axis=1))
    assert_allclose(found.accuracy, [1 / 3, 2 / 3, 1 / 3, 2 / 3])


def test_equal_confidences_stay_in_one_bin_in_any_order():
    confidence, correct = np.array([0.5] * 7 + [0.9] * 3), np.array([1, 0, 1, 0, 1, 1, 1, 1, 1, 0])
    found = measure_calibration(confidence, correct, bins=5, binning="mass")
    assert found.count.tolist() == [7, 3]
    order = np.random.default_rng(0).permutation(10)
    shuffled = measure_calibration(confidence[order], correct[order], bins=5, binning="mass")
    assert (shuffled.ece, shuffled.brier) == (pytest.approx(found.ece), pytest.approx(found.brier))
    assert found.within == pytest.approx(0, abs=1e-15)


def test_edges_belong_to_the_bin_below():
    found = measure_calibration([0.1, 0.2, 0.3, 0.7], [1, 1, 1, 1], bins=10)
    assert found.confidence.tolist() == [0.1, 0.2, 0.3, 0.7]
    assert found.count.tolist() == [1, 1, 1, 1]


def test_half_a_win_is_the_mean_of_a_win_and_a_loss():
    both = measure_calibration([0.6, 0.6], [0, 1])
    half = measure_calibration([0.6], [0.5])
    for name in ("ece", "brier", "reliability", "resolution", "uncertainty"):
        assert getattr(half, name) == pytest.approx(getattr(both, name))


def test_shares_of_votes():
    votes = [["a", "a", "b", None], ["a", "b", "b", "a"], [None, None], ["c"]]
    correct = [[1, 1, 0, 0], [1, 0, 0, 1], [0, 0], [0]]
    share, right = measure_vote_shares(votes, correct)
    assert share.tolist() == [0.5, 0.5, 0, 1]
    assert right.tolist() == [1, 0.5, 0, 0]
    share, right = measure_vote_shares([["a", "a", "a"]], [[1, 1, 0]], on_conflict="majority")
    assert (share.tolist(), right.tolist()) == ([1], [1])


@for_each(
    "call, said",
    [
        (lambda: measure_calibration([0.5], [1, 0]), "`confidence` and `correct` must have as many problems; got 1"),
        (lambda: measure_calibration([1.5], [1]), "`confidence` must lie in [0, 1]; got 1.5 in problem 0"),
        (lambda: measure_calibration([0.5], [2]), "`correct` must lie in [0, 1]; got 2.0 in problem 0"),
        (lambda: measure_calibration([], []), "`confidence` must hold one value per problem, at least one; got []"),
        (lambda: measure_calibration([0.5], [1], bins=0), "`bins` must be at least 1; got 0"),
        (lambda: measure_calibration([0.5], [1], binning="equal"), "`binning` must be one of 'width', 'mass'"),
        (lambda: measure_vote_shares([["a", "a"]], [[1, 0]]), "`correct` must agree on equal answers"),
    ],
)
def test_arguments_that_cannot_be_used(call, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        call()
