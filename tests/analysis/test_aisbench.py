"""The decision matrix and the targets of AISBench."""

import pytest
from diagnoses import codes, grades, said

from at_k.analysis.diagnosis import diagnose


class TestAISBench:
    @pytest.mark.parametrize(
        ("counts", "row"),
        [
            # With n = 4, cons@4 is the share of the problems with 3 or 4 correct samples.
            ([(60, 2), (40, 3)], "unstable"),  # pass 1, avg .6, cons .4
            ([(40, 0), (60, 4)], "even"),  # all .6
            ([(80, 0), (20, 4)], "ineffective"),  # all .2
            ([(100, 4)], "strong"),
            ([(20, 0), (80, 4)], "even"),  # .8 is not above .8
            ([(50, 0), (50, 4)], "even"),  # .5 is not below .5
            ([(51, 0), (49, 4)], "ineffective"),
            ([(50, 2), (50, 3)], "no_row"),  # cons .5 is medium
        ],
    )
    def test_rows_of_the_matrix(self, counts, row):
        found = codes(grades(*counts, n=4))
        assert {"unstable", "even", "ineffective", "strong", "no_row"} & set(found) == {row}

    def test_a_row_that_is_not_settled(self):
        near, far = grades((20, 0), (80, 4), n=4), grades((350, 0), (650, 4), n=4)
        assert said(near, "unsettled").values["places"] == "pass@4 (0.8), cons@4 (0.8), avg@4 (0.8)"
        assert "unsettled" not in codes(far)

    @pytest.mark.parametrize(
        ("always", "expected"),
        [
            (990, {"reliability": "met", "tolerance": "met", "balance": "met"}),
            (850, {"reliability": "missed", "tolerance": "met", "balance": "met"}),
            (900, {"reliability": "not settled", "tolerance": "met", "balance": "met"}),
            (750, {"reliability": "missed", "tolerance": "missed", "balance": "not settled"}),
            (600, {"reliability": "missed", "tolerance": "missed", "balance": "missed"}),
        ],
    )
    def test_targets(self, always, expected):
        data = grades((always, 2), (1000 - always, 0), n=2)
        assert diagnose(data).figures["targets"] == expected

    def test_targets_without_a_vote(self):
        scattered = {"answers": [list("abcdefgh"), list("ijklmnop")], "grades": [[1] + [0] * 7] * 2}
        found = diagnose(scattered)
        assert found.figures["targets"].keys() == {"tolerance", "balance"}
        assert found.figures["wrong_majority"] is None
        assert "vote" not in found.figures["calibration"]
