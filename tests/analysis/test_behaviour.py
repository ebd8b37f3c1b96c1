"""What the model does: each rule fires, does not at its threshold, and its figures are right."""

from pathlib import Path

import pytest
from diagnoses import codes, grades, said, votes

from at_k.analysis import behaviour
from at_k.analysis.diagnosis import diagnose

ROOT = Path(__file__).parents[2]
DATA = ROOT / "examples" / "data"


class TestWhatTheModelDoes:
    def test_solved(self):
        found = diagnose({"grades": [[1, 1], [1, 0], [0, 1], [0, 0, 0]]})
        assert found.figures["solved"] == {"always": 1, "sometimes": 2, "never": 1}
        assert found.sentences[0].values["sometimes_share"] == 0.5

    def test_one_sample(self):
        found = codes({"grades": [[1], [0], [1]]})
        assert found[:2] == ["solved", "one_sample"]
        assert "stability" not in found
        assert "no_row" not in found
        assert "one_sample" not in codes({"grades": [[1], [0, 1]]})

    def test_no_variation(self):
        assert "no_variation" in codes({"grades": [[1, 1, 1], [0, 0, 0]]})
        assert "no_variation" not in codes({"grades": [[1, 1, 1], [0, 0, 1]]})
        assert "no_variation" not in codes({"grades": [[1, 1, 1], [1, 1, 1]]})  # it may be that good

    def test_rarely(self):
        # pass@4 − avg@4 is 3/4 in all of 40 problems, and its interval is narrow.
        assert "rarely" in codes(grades((40, 1), n=4))
        # In a third of the problems it is 3/4, so 1/4 on average: at the threshold.
        assert not {"rarely", "perhaps_rarely"} & set(codes(grades((10, 1), (20, 4), n=4)))
        assert "perhaps_rarely" in codes(grades((11, 1), (19, 4), n=4))
        found = said(grades((40, 1), n=4), ".rarely")
        assert found.values["limit"] == behaviour.RARE
        assert found.values["gap"].startswith("+0.750 [")

    def test_tau_bench(self):
        """pass@4 − avg@4 = .72 − .42, and 10 of 50 tasks are always solved: the figures of its published runs."""
        found = diagnose(DATA / "taubench_airline.jsonl")
        assert found.figures["pass_minus_avg"]["value"] == pytest.approx(0.3)
        assert found.figures["solved"] == {"always": 10, "sometimes": 26, "never": 14}
        listed = [each.code.removeprefix("diagnosis.") for each in found.sentences]
        assert "perhaps_rarely" in listed
        assert "mostly_wrong" in listed

    def test_votes_right_and_wrong(self):
        right, wrong = votes(*["aab"] * 20), votes(*["abb"] * 20)
        assert "votes_right" in codes(right)
        assert said(right, "votes_right").values["gap"].startswith("+0.333 [")
        assert "votes_wrong" in codes(wrong)
        assert said(wrong, "votes_wrong").values["gap"].startswith("−0.333 [")

    def test_grades_are_not_called_votes(self):
        assert "mostly_right" in codes(grades((20, 2), n=3))
        assert "mostly_wrong" in codes(grades((20, 1), n=3))

    def test_a_vote_that_decides_nothing(self):
        # One problem in five gains 1/4, so the difference is 1/20: at the threshold.
        assert not any("vote" in code for code in codes(votes("aaab", *["aaaa"] * 4)) if "confidence" not in code)
        found = votes("aaab", "aaab", *["aaaa"] * 6)  # 1/16, in two of eight problems: not shown
        assert "vote_unsettled" in codes(found)

    def test_wrong_majority(self):
        found = diagnose(votes("bbbaa", "bbbca", "bbaac", "aaabb"))
        # Alone in the first do two correct answers lose: in the second one is correct, and the third is a tie.
        assert found.figures["wrong_majority"] == {"count": 1, "problems": ["0"]}
        assert said(votes("bbbaa", "aaaaa"), "wrong_majority").values["names"] == "“0”"
        assert "wrong_majority" not in codes(votes("bbbca", "bbaac"))

    def test_a_sentence_names_a_few_problems(self):
        names = said(votes(*["bbbaa"] * 9), "wrong_majority").values["names"]
        assert names.count("“") == 5

    def test_repeated_answers(self):
        # Of 20 samples, 18 repeat: at the threshold. Samples without an answer do not count.
        assert "repeated" not in codes(votes("aaaaaaaaabc"[1:], "aaaaaaaaaa"))
        assert "repeated" in codes(votes("aaaaaaaaab", "aaaaaaaaaa"))
        assert diagnose(votes("aaaaaaaaab", "aaaaaaaaaa")).figures["repeated"] == 19 / 20
        alone = {"answers": [["a", None, None], ["b", "c", "c"]], "grades": [[1, 0, 0], [0, 1, 1]]}
        assert diagnose(alone).figures["repeated"] == 2 / 3

    def test_copies_of_texts(self):
        texts = [str(i) * 100 for i in range(10)]
        twice = [[*texts[:8], texts[0] + "x", texts[0] + "x"], [text + "y" for text in texts]]
        data = {"answers": twice, "grades": [[0] * 10, [1] * 10]}
        assert "copies" not in codes(data)  # 2 of 20: at the threshold
        twice[0][7] = texts[0] + "x"
        found = said(data, "copies")
        assert found.values == {"texts": 20, "long": 100, "copied": 3, "share": 0.15, "limit": 0.1}
        short = {"answers": [[text[:99] for text in row] for row in twice], "grades": data["grades"]}
        assert "copies" not in codes(short)
