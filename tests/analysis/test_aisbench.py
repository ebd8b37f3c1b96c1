"""The decision matrix and the targets of AISBench."""

from cases import for_each
from diagnoses import codes, grades

from at_k.analysis.diagnosis import diagnose


class TestAISBench:
    @for_each(
        "counts, row",
        [
            # With n = 4, cons@4 is the share of the problems with 3 or 4 correct samples.
            ([(750, 2), (250, 3)], "unstable"),  # pass 1, avg .5625, cons .25
            ([(350, 0), (650, 4)], "even"),
            ([(800, 0), (200, 4)], "ineffective"),
            ([(1000, 4)], None),  # all high: the matrix has no row
            ([(500, 2), (500, 3)], None),  # medium, but at the threshold
            ([(200, 0), (800, 4)], None),
            ([(510, 0), (490, 4)], None),  # low, and the intervals reach across .5
            ([(150, 0), (600, 2), (250, 3)], None),  # high, low, low
            ([(7, 0), (13, 4)], None),  # medium with few problems
        ],
    )
    def test_rows_of_the_matrix(self, counts, row):
        found = codes(grades(*counts, n=4))
        assert {"unstable", "even", "ineffective"} & set(found) == ({row} if row else set())
        assert "matrix" not in str(diagnose(grades(*counts, n=4))) or row

    def test_levels_are_those_of_whole_intervals(self):
        assert diagnose(grades((200, 0), (800, 4), n=4)).figures["levels"] == dict.fromkeys(
            ("pass@k", "avg@n", "cons@k")
        )

    @for_each(
        "always, expected",
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
