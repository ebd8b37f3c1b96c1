"""Behaviour of the model: each rule fires, does not at its threshold, and its figures are right."""

import re
from pathlib import Path

import pytest
from cases import for_each
from diagnoses import codes, grades, said, votes
from scipy.stats import binom

from at_k.analysis import behaviour
from at_k.analysis.diagnosis import diagnose
from benchmarks.false_alarms import CASES, DOCUMENT, MARKS, MOST, count_alarms, list_codes

DATA = Path(__file__).parents[2] / "examples" / "data"
REPETITIONS = 12
ALARMS = int(binom.ppf(0.9999, REPETITIONS, MOST))
"""More alarms than this come of a rate of 5 % once in 10,000 times; the numbers are seeded."""

METRICS = ["pass@k", "avg@n", "cons@k"]
"""A report of grades has cons@k where it is asked for."""

OFTEN = ["aaaaaaaaab", "aaaaaaaaaa"] * 50
TEXTS = [str(i) * 100 for i in range(10)]


def texts(*last):
    """Twenty texts of 100 characters, of which the last ones of the first problem are these."""
    rows = [[*TEXTS[: 10 - len(last)], *last], [text + "y" for text in TEXTS]]
    return {"answers": rows, "grades": [[0] * 10, [1] * 10]}


SAYS = [
    ({"grades": [[1], [0], [1]]}, "solved one_sample", "stability no_row"),
    ({"grades": [[1], [0, 1]]}, "", "one_sample"),
    (grades((30, 3), (30, 0), n=3), "no_variation", ""),
    (grades((40, 4), (30, 0), n=4), "no_variation", ""),
    (grades((30, 3), (29, 0), n=3), "", "no_variation"),  # with few problems it is luck
    (grades((30, 3), (30, 0), (1, 1), n=3), "", "no_variation"),
    (grades((60, 3), n=3), "", "no_variation"),  # it may be that good
    (grades((40, 1), (20, 0), n=4), "rarely", ""),
    (grades((40, 1), n=8), "rarely", ""),
    (grades((4000, 1), n=3), "", "rarely"),  # at the threshold
    (grades((3, 1), n=4), "", "rarely"),  # three problems are luck
    # pass@4 − avg@4 is 7/16 for coin flips, and 3/10 for difficulties that are spread evenly.
    (grades((20, 0), (80, 1), (120, 2), (80, 3), (20, 4), n=4), "", "rarely"),
    (grades(*((20, c) for c in range(5)), n=4), "", "rarely"),
    (DATA / "taubench_airline.jsonl", "", "rarely"),
    (votes(*["aab"] * 20), "votes_right", "wrong_scatter wrong_agree"),  # there is one wrong answer in each problem
    (votes(*["aaab"] * 30), "votes_right", ""),
    (votes(*["abb"] * 20), "votes_wrong", ""),
    (votes(*["bbba"] * 30), "votes_wrong", ""),
    # One problem in five gains 1/4, so the difference is 1/20: at the threshold.
    (votes("aaab", *["aaaa"] * 4), "", "votes_right votes_wrong"),
    (votes("aaab", "aaab", *["aaaa"] * 6), "", "votes_right votes_wrong"),  # 1/16, in two of eight problems: not shown
    (votes(*["aabcd"] * 30), "wrong_scatter", ""),
    (votes(*["aabbb"] * 30), "wrong_agree", ""),
    *((votes(row), "", "wrong_scatter wrong_agree") for row in ("aaaabcde", "aaaabbbb", "aaaaabbc")),  # one problem
    (votes("bbbca", "bbaac"), "", "wrong_majority"),
    (votes(*OFTEN), "repeated", ""),
    (votes(*["aaabb"] * 60), "repeated", ""),
    (votes(*OFTEN[:2]), "", "repeated"),  # two problems show nothing
    (votes(*["aaaaaaaaab"] * 500), "", "repeated"),  # at the threshold
    ({"answers": [["x" * 100] * 4] * 9, "grades": [[1] * 4] * 9}, "copies", ""),
    (texts(TEXTS[0] + "x", TEXTS[0] + "x"), "", "copies"),  # 2 of 20: at the threshold
    ({"answers": [[text[:99] for text in row] for row in texts(*["z" * 100] * 3)["answers"]],
      "grades": [[0] * 10, [1] * 10]}, "", "copies"),
    (grades((20, 2), n=4) | {"scores": [[0.9] * 4] * 20}, "overconfident", ""),
    (grades((20, 2), n=4) | {"scores": [[0.1] * 4] * 20}, "underconfident", ""),
    ({"grades": [[1, 0, 0]] * 40}, "runs_differ", ""),
    (grades((100, 0), (10, 4), n=4), "ineffective missed", ""),
    (grades((350, 0), (650, 4), n=4), "even", ""),
    (grades((750, 2), (250, 3), n=4), "unstable", ""),
    (grades((100, 4), n=4), "met", ""),
]  # fmt: skip
"""(data, what is said, what is not)"""


@for_each("data, says, silent", SAYS)
def test_a_rule_fires_where_it_should_alone(data, says, silent):
    found = {code.removeprefix("diagnosis.") for code in list_codes(diagnose(data))}
    assert set(says.split()) <= found
    assert not set(silent.split()) & found


def test_every_rule_with_false_alarms_counted_is_shown_to_fire():
    shown = {code for _, says, _ in SAYS for code in says.split()} - {"solved", "one_sample"}
    assert {code.removeprefix("diagnosis.") for code, *_ in CASES} == shown


@for_each("draw, n", {(draw, n): None for _, _, draw, n in CASES})
def test_rules_are_silent_where_there_is_nothing_to_find(draw, n):
    found = count_alarms(draw, n, problems=40, repetitions=REPETITIONS, seed=40)
    for code in [code for code, _, own, size in CASES if (own, size) == (draw, n)]:
        assert found.get(code, 0) * REPETITIONS <= ALARMS, code


def test_the_table_of_false_alarms_has_every_case_and_no_rate_above_five_per_cent():
    text = DOCUMENT.read_text(encoding="utf-8")
    rows = text[text.index(MARKS[0]) : text.index(MARKS[1])].splitlines()[3:]
    assert [row.split(" | ")[:3] for row in rows] == [[f"| `{code}`", where, str(n)] for code, where, _, n in CASES]
    assert all(float(rate) <= 100 * MOST for row in rows for rate in re.findall(r"([\d.]+)% ", row))


ALONE = {"answers": [["a", None, None], ["b", "c", "c"]], "grades": [[1, 0, 0], [0, 1, 1]]}


@for_each("data, figure, value", [
    ({"grades": [[1, 1], [1, 0], [0, 1], [0, 0, 0]]}, "solved", {"always": 1, "sometimes": 2, "never": 1}),
    (grades((40, 1), (20, 0), n=4), "correct_where_solved", 0.25),
    # The figures of the published runs: pass@4 − avg@4 = .72 − .42, and 10 of 50 tasks are always solved.
    (DATA / "taubench_airline.jsonl", "pass_minus_avg", 0.3),
    (DATA / "taubench_airline.jsonl", "correct_where_solved", 0.42 / 0.72),
    (DATA / "taubench_airline.jsonl", "solved", {"always": 10, "sometimes": 26, "never": 14}),
    (votes(*["aab"] * 20), "cons_minus_avg", 1 / 3),
    (votes(*["abb"] * 20), "cons_minus_avg", -1 / 3),
    (votes(*["aaaabcde"] * 40, *["aaaaaaaa"] * 10), "wrong_agreement", 0),
    (votes(*["aaaabbbb"] * 40, *["aaaaaaaa"] * 10), "wrong_agreement", 1),
    (votes(*["aaaaabbc"] * 40, *["aaaaaaaa"] * 10), "wrong_agreement", 1 / 3),  # one pair of three
    (votes(*["aaaaaaab"] * 40, *["aaaaaaaa"] * 10), "wrong_agreement", None),
    # Alone in the first do two correct answers lose: in the second one is correct, and the third is a tie.
    (votes("bbbaa", "bbbca", "bbaac", "aaabb"), "wrong_majority", {"count": 1, "problems": ["0"]}),
    (votes(*OFTEN), "repeated", 19 / 20),
    (ALONE, "repeated", 2 / 3),  # samples without an answer do not count
])  # fmt: skip
def test_figures(data, figure, value):
    found = diagnose(data).figures[figure]
    if isinstance(found, dict) and "value" in found:
        found = found["value"]
    assert found == (pytest.approx(value, abs=1e-12) if isinstance(value, float) else value)


def test_sentences_have_the_right_figures():
    assert said({"grades": [[1, 1], [1, 0], [0, 1], [0, 0, 0]]}, "solved").values["sometimes_share"] == 0.5
    found = said(grades((40, 1), (20, 0), n=4), ".rarely")
    assert (found.values["limit"], found.values["solved"]) == (behaviour.RARE, 40)
    assert found.values["share"].startswith("0.250 [")
    assert said(votes(*["aab"] * 20), "votes_right").values["gap"].startswith("+0.333 [")
    assert said(votes(*["abb"] * 20), "votes_wrong").values["gap"].startswith("−0.333 [")
    assert said(votes("bbbaa", "aaaaa"), "wrong_majority").values["names"] == "“0”"
    assert said(votes(*["bbbaa"] * 9), "wrong_majority").values["names"].count("“") == 5
    found = said(texts(*[TEXTS[0] + "x"] * 3), "copies")
    assert found.values == {"texts": 20, "long": 100, "copied": 3, "share": 0.15, "limit": 0.1}


def test_grades_do_not_vote():
    for data in (grades((20, 2), n=3), grades((20, 1), n=3)):
        found = diagnose(data, metrics=["cons@k", "avg@n"])
        assert not [each for each in found.sentences if "vote" in each.code]
        assert "cons_minus_avg" not in found.figures


class TestAISBench:
    @for_each("counts, row", [
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
    ])  # fmt: skip
    def test_rows_of_the_matrix(self, counts, row):
        data = grades(*counts, n=4)
        found = codes(data, metrics=METRICS)
        assert {"unstable", "even", "ineffective"} & set(found) == ({row} if row else set())
        assert "matrix" not in str(diagnose(data, metrics=METRICS)) or row
        if counts == [(200, 0), (800, 4)]:  # levels are those of whole intervals
            levels = diagnose(data, metrics=METRICS).figures["levels"]
            assert levels == dict.fromkeys(("pass@k", "avg@n", "cons@k"))

    @for_each("always, reliability, tolerance, balance", [
        (990, "met", "met", "met"),
        (850, "missed", "met", "met"),
        (900, "not settled", "met", "met"),
        (750, "missed", "missed", "not settled"),
        (600, "missed", "missed", "missed"),
    ])  # fmt: skip
    def test_targets(self, always, **expected):
        data = grades((always, 2), (1000 - always, 0), n=2)
        assert diagnose(data, metrics=METRICS).figures["targets"] == expected

    def test_targets_without_a_vote(self):
        scattered = {"answers": [list("abcdefgh"), list("ijklmnop")], "grades": [[1] + [0] * 7] * 2}
        found = diagnose(scattered)
        assert found.figures["targets"].keys() == {"tolerance", "balance"}
        assert found.figures["wrong_majority"] is None
        assert "vote" not in found.figures["calibration"]
