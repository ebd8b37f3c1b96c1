"""Agreement of the share of a vote, or of scores, with what is correct."""

import numpy as np
import pytest
from cases import for_each
from diagnoses import codes, grades, said, votes
from hypothesis import given, settings, strategies as st

from at_k.analysis import behaviour
from at_k.analysis.behaviour import measure_calibration, measure_vote_shares
from at_k.analysis.diagnosis import diagnose
from at_k.estimators.consensus import count_votes, read_votes

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
    size = len(rows)
    groups = bins_of_equal_width(confidence, bins)
    points = [(len(g), np.mean([confidence[i] for i in g]), np.mean([correct[i] for i in g])) for g in groups]
    found = measure_calibration(np.array(confidence), np.array(correct), bins=bins)
    assert found["ece"] == pytest.approx(sum(n / size * abs(f - o) for n, f, o in points), abs=1e-12)
    assert found["brier"] == pytest.approx(np.mean((np.array(confidence) - correct) ** 2), abs=1e-12)
    assert sum(found["count"]) == size


def test_the_last_bin_counts_and_edges_belong_to_the_bin_below():
    """lighteval and AISBench skip the last one: confidence 1 and all wrong, 150 samples, gives 0.0 there."""
    assert measure_calibration(np.ones(150), np.zeros(150))["ece"] == 1
    assert measure_calibration(np.zeros(150), np.ones(150))["ece"] == 1
    found = measure_calibration(np.array([0.1, 0.2, 0.3, 0.7]), np.ones(4))
    assert (found["confidence"], found["count"]) == ([0.1, 0.2, 0.3, 0.7], [1, 1, 1, 1])


def test_half_a_win_is_the_mean_of_a_win_and_a_loss():
    both = measure_calibration(np.array([0.6, 0.6]), np.array([0, 1]))
    half = measure_calibration(np.array([0.6]), np.array([0.5]))
    for name in ("ece", "brier"):
        assert half[name] == pytest.approx(both[name])


def test_shares_of_votes():
    votes = [["a", "a", "b", None], ["a", "b", "b", "a"], [None, None], ["c"]]
    correct = [[1, 1, 0, 0], [1, 0, 0, 1], [0, 0], [0]]
    share, right = measure_vote_shares(count_votes(*read_votes(votes, correct), "error", "correct"))
    assert share.tolist() == [0.5, 0.5, 0, 1]
    assert right.tolist() == [1, 0.5, 0, 0]
    ballots, flags = read_votes([["a", "a", "a"]], [[1, 1, 0]])
    share, right = measure_vote_shares(count_votes(ballots, flags, "majority", "correct"))
    assert (share.tolist(), right.tolist()) == ([1], [1])


class TestCalibration:
    def test_confidence_of_a_vote(self):
        data = votes(*["bbbb"] * 30, *["aaaa"] * 10)  # sure in all problems, and right in a quarter of them
        calibration = diagnose(data).figures["calibration"]["vote"]
        assert calibration["ece"] == 0.75
        assert calibration["ece_if_calibrated"] == 0  # who is always sure and calibrated is always right
        assert said(data, "vote_confidence").values["ece"] == 0.75
        assert "vote_confidence" not in codes(votes("a", "b", "aab"))  # a vote of one sample is no confidence

    @for_each("score, right, verdict", [
        (0.9, 10, "overconfident"),
        (0.1, 10, "underconfident"),
        (0.5, 10, "no_bias"),
        (0.55, 10, "no_bias"),  # at the threshold
    ])  # fmt: skip
    def test_scores_as_confidences(self, score, right, verdict):
        data = grades((right, 4), (20 - right, 0), n=4) | {"scores": [[score] * 4] * 20}
        if verdict != "no_bias":
            data = grades((20, 2), n=4) | {"scores": [[score] * 4] * 20}
        found = said(data, "score_confidence")
        assert found.values["said"] == pytest.approx(score)
        assert found.values["right"] == 0.5
        assert found.values["verdict"].code == f"diagnosis.{verdict}"
        assert found.values["ece"] == pytest.approx(abs(score - 0.5))

    def test_a_bias_that_is_not_shown(self):
        data = {"grades": [[1, 1], [0, 0], [1, 1]], "scores": [[0.9, 0.9], [0.9, 0.9], [0.9, 0.9]]}
        assert said(data, "score_confidence").values["verdict"].code == "diagnosis.no_bias"

    @for_each("scores", [[[0.5, 1.5]], [[-0.1, 0.5]], [[None, 0.5]], [[[0.5, 0.5], [0.1, 0.2]]]])
    def test_scores_that_are_no_confidences(self, scores):
        assert diagnose({"grades": [[1, 0]], "scores": scores}).figures["calibration"] == {}
        data = {"grades": [[1, 0]], "scores": [[0.1, 0.2]]}
        assert list(diagnose(data).figures["calibration"]) == ["score"]
        assert diagnose(data, higher_is_better=False).figures["calibration"] == {}

    def test_a_calibrated_vote_has_the_error_of_chance(self):
        """For one problem with share s, |y − s| is 2 s (1 − s) on average."""
        found = behaviour.find_chance_error(np.array([0.75]))
        assert found == pytest.approx(2 * 0.75 * 0.25, abs=4 * np.sqrt(0.75 * 0.25) * 0.5 / np.sqrt(200))
        said, random = np.linspace(0.02, 1, 90), np.random.default_rng(0)
        draws = [measure_calibration(said, random.random(90) < said)["ece"] for _ in range(200)]
        assert behaviour.find_chance_error(said) == pytest.approx(np.mean(draws), rel=1e-12)
