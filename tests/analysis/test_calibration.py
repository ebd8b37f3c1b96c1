"""How well the share of a vote, or scores, agree with what is correct."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from cases import for_each
from diagnoses import codes, grades, said, votes

import at_k
from at_k.analysis import calibration
from at_k.analysis.diagnosis import diagnose, find_calibrations
from at_k.analysis.findings import Findings
from at_k.uncertainty.calibration import measure_calibration


class TestCalibration:
    def test_confidence_of_a_vote(self):
        found = diagnose(votes(*["bbbb"] * 30, *["aaaa"] * 10))
        # Sure in all problems, and right in a quarter of them.
        calibration = found.figures["calibration"]["vote"]
        assert calibration["width"]["ece"] == calibration["mass"]["ece"] == 0.75
        assert calibration["overconfidence"]["value"] == 0.75
        assert calibration["ece_if_calibrated"] == 0  # who is always sure and calibrated is always right
        sentence = said(votes(*["bbbb"] * 30, *["aaaa"] * 10), "vote_confidence")
        assert sentence.values["verdict"].code == "diagnosis.overconfident"

    @for_each(
        "score, right, verdict",
        [
            (0.9, 10, "overconfident"),
            (0.1, 10, "underconfident"),
            (0.5, 10, "no_bias"),
            (0.55, 10, "no_bias"),  # at the threshold
        ],
    )
    def test_scores_as_confidences(self, score, right, verdict):
        data = grades((right, 4), (20 - right, 0), n=4) | {"scores": [[score] * 4] * 20}
        if verdict != "no_bias":
            data = grades((20, 2), n=4) | {"scores": [[score] * 4] * 20}
        found = said(data, "score_confidence")
        assert found.values["said"] == pytest.approx(score)
        assert found.values["right"] == 0.5
        assert found.values["verdict"].code == f"diagnosis.{verdict}"
        assert found.values["width"] == pytest.approx(abs(score - 0.5))

    def test_a_bias_that_is_not_shown(self):
        data = {"grades": [[1, 1], [0, 0], [1, 1]], "scores": [[0.9, 0.9], [0.9, 0.9], [0.9, 0.9]]}
        assert said(data, "score_confidence").values["verdict"].code == "diagnosis.no_bias"

    @for_each("scores", [[[0.5, 1.5]], [[-0.1, 0.5]], [[None, 0.5]], [[[0.5, 0.5], [0.1, 0.2]]]])
    def test_scores_that_are_no_confidences(self, scores):
        assert find_calibrations(at_k.score({"grades": [[1, 0]], "scores": scores})) == {}

    def test_low_scores_that_are_better_are_no_confidences(self):
        data = {"grades": [[1, 0]], "scores": [[0.1, 0.2]]}
        assert list(find_calibrations(at_k.score(data))) == ["score"]
        assert find_calibrations(at_k.score(data, higher_is_better=False)) == {}

    @for_each("row", ["aab", "aabc", "abcd", "aaab", "aabb", "aaa-", "----"])
    def test_the_leader_of_one_half_is_looked_for_in_the_other(self, row):
        """The mean over all halves, by brute force."""
        n, exact = len(row), []
        for size in (n // 2, n - n // 2):
            for first in combinations(range(n), size):
                count = Counter(row[i] for i in first if row[i] != "-")
                leaders = [each for each in count if count[each] == max(count.values())]
                others = [row[i] for i in range(n) if i not in first]
                shares = [Fraction(others.count(each), len(others)) for each in leaders] or [Fraction(0)]
                exact.append((sum(shares) / len(shares), Fraction("a" in leaders, len(leaders) or 1)))
        samples = [None if each == "-" else each for each in row]
        times = 400
        report = at_k.score({"answers": [samples] * times, "references": ["a"] * times}, metrics=["avg_at_n"],
                            missing="incorrect")  # fmt: skip
        found = Findings(report)
        answers = found.verdicts.answers
        said, right = calibration.split_votes(answers, found.verdicts.correct.values)
        for measured, expected in ((said, [each[0] for each in exact]), (right, [each[1] for each in exact])):
            error = measured.std() / np.sqrt(times)
            # four standard errors of the random halves
            assert measured.mean() == pytest.approx(float(sum(expected) / len(expected)), abs=4 * error + 1e-12)

    def test_a_vote_of_one_sample_has_no_halves(self):
        assert "vote_confidence" not in codes(votes("a", "b", "aab"))

    def test_a_calibrated_vote_has_the_error_of_chance(self):
        """For one problem with share s, |y − s| is 2 s (1 − s) on average."""
        found = calibration.find_chance_error(np.array([0.75]))
        assert found == pytest.approx(2 * 0.75 * 0.25, abs=4 * np.sqrt(0.75 * 0.25) * 0.5 / np.sqrt(200))
        said, random = np.linspace(0.02, 1, 90), np.random.default_rng(0)
        draws = [measure_calibration(said, random.random(90) < said).ece for _ in range(200)]
        assert calibration.find_chance_error(said) == pytest.approx(np.mean(draws), rel=1e-12)
