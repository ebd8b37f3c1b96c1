"""What the model does: each rule fires, does not at its threshold, and its figures are right."""

from pathlib import Path

import pytest
from cases import for_each
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
        assert "no_variation" in codes(grades((30, 3), (30, 0), n=3))
        assert "no_variation" not in codes(grades((30, 3), (29, 0), n=3))  # with few problems it is luck
        assert "no_variation" not in codes(grades((30, 3), (30, 0), (1, 1), n=3))
        assert "no_variation" not in codes(grades((60, 3), n=3))  # it may be that good

    def test_rarely(self):
        data = grades((40, 1), (20, 0), n=4)
        assert "rarely" in codes(data)
        found = said(data, ".rarely")
        assert (found.values["limit"], found.values["solved"]) == (behaviour.RARE, 40)
        assert found.values["share"].startswith("0.250 [")
        assert diagnose(data).figures["correct_where_solved"]["value"] == 0.25
        assert "rarely" not in codes(grades((4000, 1), n=3))  # at the threshold
        assert "rarely" not in codes(grades((3, 1), n=4))  # three problems are luck

    def test_coin_flips_and_even_difficulties_are_not_rarely_right(self):
        """pass@4 − avg@4 is 7/16 for coin flips, and 3/10 for difficulties that are spread evenly."""
        for counts in ([(1, 0), (4, 1), (6, 2), (4, 3), (1, 4)], [(1, c) for c in range(5)]):
            data = grades(*((20 * problems, c) for problems, c in counts), n=4)
            assert diagnose(data).figures["pass_minus_avg"]["value"] > 0.25
            assert "rarely" not in codes(data)

    def test_tau_bench(self):
        """pass@4 − avg@4 = .72 − .42, and 10 of 50 tasks are always solved: the figures of its published runs."""
        found = diagnose(DATA / "taubench_airline.jsonl")
        assert found.figures["pass_minus_avg"]["value"] == pytest.approx(0.3)
        assert found.figures["correct_where_solved"]["value"] == pytest.approx(0.42 / 0.72)
        assert found.figures["solved"] == {"always": 10, "sometimes": 26, "never": 14}
        listed = [each.code.removeprefix("diagnosis.") for each in found.sentences]
        assert "rarely" not in listed
        assert "mostly_wrong" not in listed
        assert found.figures["cons_minus_avg"]["value"] == pytest.approx((0.28 + 0.48) / 2 - 0.42)  # ties count ½

    def test_votes_right_and_wrong(self):
        right, wrong = votes(*["aab"] * 20), votes(*["abb"] * 20)
        assert "votes_right" in codes(right)
        assert said(right, "votes_right").values["gap"].startswith("+0.333 [")
        assert "votes_wrong" in codes(wrong)
        assert said(wrong, "votes_wrong").values["gap"].startswith("−0.333 [")
        assert "catter" not in str(diagnose(right))  # there is one wrong answer in each problem

    @for_each(
        "row, share, rule",
        [
            ("aaaabcde", 0, "wrong_scatter"),
            ("aaaabbbb", 1, "wrong_agree"),
            ("aaaaabbc", 1 / 3, "wrong_scatter"),  # one pair of three
            ("aaaaaaab", None, None),
        ],
    )
    def test_wrong_answers(self, row, share, rule):
        data = votes(*[row] * 40, *["aaaaaaaa"] * 10)
        found = diagnose(data)
        if share is None:
            assert found.figures["wrong_agreement"] is None
        else:
            assert found.figures["wrong_agreement"]["value"] == pytest.approx(share)
        expected = {rule} if rule else set()
        assert {"wrong_scatter", "wrong_agree"} & set(codes(data)) == expected
        assert {"wrong_scatter", "wrong_agree"} & set(codes(votes(row))) == set()  # one problem shows nothing

    def test_grades_are_not_called_votes(self):
        assert "mostly_right" in codes(grades((20, 2), n=3))
        assert "mostly_wrong" in codes(grades((20, 1), n=3))

    @pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
    def test_ties_of_an_even_number_of_grades_count_half(self, n):
        counts = [(3 + 5 * c % 7, c) for c in range(n + 1)]
        most = sum(problems * ((2 * c > n) + (2 * c == n) / 2) for problems, c in counts)
        right, total = sum(problems * c / n for problems, c in counts), sum(problems for problems, _ in counts)
        found = diagnose(grades(*counts, n=n)).figures["cons_minus_avg"]["value"]
        assert found == pytest.approx((most - right) / total)

    def test_the_sentence_of_an_even_k_names_the_odd_one(self):
        found = said(grades((20, 1), n=4), "mostly_wrong").values
        assert (found["key"], found["value"][:5], found["gap"][:6]) == ("cons@3", "0.000", "−0.250")

    def test_a_vote_that_decides_nothing(self):
        # One problem in five gains 1/4, so the difference is 1/20: at the threshold.
        assert not any("vote" in code for code in codes(votes("aaab", *["aaaa"] * 4)) if "confidence" not in code)
        found = codes(votes("aaab", "aaab", *["aaaa"] * 6))  # 1/16, in two of eight problems: not shown
        assert not any("vote" in code for code in found if "confidence" not in code)

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
        often = ["aaaaaaaaab", "aaaaaaaaaa"] * 50
        assert "repeated" in codes(votes(*often))
        assert diagnose(votes(*often)).figures["repeated"]["value"] == pytest.approx(19 / 20)
        assert "repeated" not in codes(votes(*often[:2]))  # two problems show nothing
        assert "repeated" not in codes(votes(*["aaaaaaaaab"] * 500))  # at the threshold
        # Samples without an answer do not count.
        alone = {"answers": [["a", None, None], ["b", "c", "c"]], "grades": [[1, 0, 0], [0, 1, 1]]}
        assert diagnose(alone).figures["repeated"]["value"] == pytest.approx(2 / 3)

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
