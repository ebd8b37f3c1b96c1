"""Differences between samples and between runs."""

import json
from itertools import combinations

import numpy as np
import pytest
from cases import for_each
from diagnoses import codes
from scipy.stats import chi2

from at_k.analysis import behaviour
from at_k.analysis.diagnosis import diagnose
from at_k.uncertainty.standard_errors import find_noise_floor


def test_runs_in_pairs():
    rows = np.random.default_rng(0).integers(0, 2, size=(20, 6))
    found = diagnose({"grades": rows.tolist()}).figures["stability"]
    flips = [np.mean(rows[:, i] != rows[:, j]) for i, j in combinations(range(6), 2)]
    assert found["flip_rate"] == pytest.approx(np.mean(flips), rel=1e-12)
    assert found["within_variance"] == pytest.approx(rows.var(axis=1, ddof=1).mean(), rel=1e-12)
    assert found["run_accuracy"] == rows.mean(axis=0).tolist()
    assert found["run_sd"] == pytest.approx(rows.mean(axis=0).std(ddof=1), rel=1e-12)


def test_the_noise_floor_holds_95_percent_of_the_pairs_of_runs():
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 0.5, size=200)
    first, second = rng.binomial(1, p, size=(2, 20_000, 200)).mean(axis=2)
    floors = [find_noise_floor(np.full(200, 16), rng.binomial(16, p)) for _ in range(50)]
    assert np.mean(np.abs(first - second) <= np.mean(floors)) == pytest.approx(0.95, abs=0.01)
    # The formula of each problem, written out.
    n, c = np.array([4, 5, 8]), np.array([1, 5, 4])
    variance = sum(size * (right / size) * (1 - right / size) / (size - 1) for size, right in zip(n, c, strict=True))
    assert find_noise_floor(n, c) == pytest.approx(1.959964 * np.sqrt(2 * variance) / 3, rel=1e-6)
    assert np.isnan(find_noise_floor(np.array([1, 1]), np.array([0, 1])))
    assert find_noise_floor(np.array([1, 2]), np.array([0, 1])) == find_noise_floor(np.array([2, 2]), np.array([1, 1]))


def test_n_may_differ():
    found = diagnose({"grades": [[1, 0], [1], [1, 1, 0, 1]]}).figures["stability"]
    assert found["within_variance"] == pytest.approx((0.5 + 0.25) / 2)
    assert (found["run_accuracy"], found["run_sd"]) == ([], None)
    assert diagnose({"grades": [[1], [0]]}).figures["stability"] is None
    dropped = {"grades": [[1, 0, None], [None, 1, 0]]}  # have no runs
    assert diagnose(dropped, missing="drop").figures["stability"]["run_accuracy"] == []
    assert len(diagnose(dropped, missing="incorrect").figures["stability"]["run_accuracy"]) == 3


def test_a_noise_floor_and_flips_by_hand():
    found = diagnose({"grades": [[1, 1, 1, 1], [1, 0, 1, 0], [0, 0, 0, 0]]})
    own = found.figures["stability"]
    assert own["noise_floor"] == pytest.approx(1.959964 * (2 / 9 / 3) ** 0.5)
    assert own["flip_rate"] == pytest.approx(2 / 9)
    assert own["run_accuracy"] == pytest.approx([2 / 3, 1 / 3, 2 / 3, 1 / 3])
    agreed = diagnose({"grades": [[1, 1], [1, 1]]})
    assert agreed.figures["stability"]["noise_floor"] == 0
    assert "diagnosis.stability" not in [each.code for each in agreed.sentences]
    for each in (found, agreed):
        json.dumps(each.to_dict(), allow_nan=False)


@for_each("b, c, fires", [(15, 1, True), (13, 3, False), (8, 8, False)])
def test_runs_differ(b, c, fires):
    """Two runs: Cochran's Q is McNemar's (b − c)²/(b + c)."""
    data = {"grades": [[1, 0]] * b + [[0, 1]] * c + [[1, 1]] * 9}
    p_value = chi2.sf((b - c) ** 2 / (b + c), 1)
    assert diagnose(data).figures["stability"]["run_p"] == pytest.approx(p_value)
    assert bool(p_value < behaviour.CHANCE) is fires is ("runs_differ" in codes(data))


def test_clusters_are_described_where_there_are_any():
    data = {"grades": [[1, 1]] * 4 + [[0, 0]] * 4 + [[1, 0]] * 4}
    found = diagnose(data, clusters=list("aaaabbbbcccc"))
    (sentence,) = [each for each in found.sentences if each.code == "diagnosis.clusters"]
    # Shares 1, 0 and ½ of clusters of four: the sums of deviations ±2, against a variance of 2/11 among twelve.
    assert sentence.values["design"] == pytest.approx((8 * 1.5 / 144) / (2 / 11 / 12))
    assert (sentence.values["count"], sentence.values["units"]) == (3, 3)
    assert diagnose(data).figures["design_effect"] is None
