"""Where there is nothing to find, a rule speaks of at most one data set in twenty; what is there, it finds."""

import re

from cases import for_each
from diagnoses import grades, votes
from scipy.stats import binom

from at_k.analysis.diagnosis import diagnose
from benchmarks.false_alarms import CASES, DOCUMENT, MARKS, MOST, count_alarms, list_codes

REPETITIONS = 20
ALARMS = int(binom.ppf(0.9999, REPETITIONS, MOST))
"""More alarms than this come of a rate of 5 % once in 10,000 times; the numbers are seeded."""


@for_each("draw, n", {(draw, n): None for _, _, draw, n in CASES})
@for_each("problems", [15, 60])
def test_rules_are_silent_where_there_is_nothing_to_find(draw, n, problems):
    found = count_alarms(draw, n, problems=problems, repetitions=REPETITIONS, seed=problems)
    for code in [code for code, _, own, size in CASES if (own, size) == (draw, n)]:
        assert found.get(code, 0) * REPETITIONS <= ALARMS, code


def test_the_table_has_every_case_and_no_rate_above_five_per_cent():
    text = DOCUMENT.read_text(encoding="utf-8")
    rows = text[text.index(MARKS[0]) : text.index(MARKS[1])].splitlines()[3:]
    assert [row.split(" | ")[:3] for row in rows] == [[f"| `{code}`", where, str(n)] for code, where, _, n in CASES]
    assert all(float(rate) <= 100 * MOST for row in rows for rate in re.findall(r"([\d.]+)% ", row))


FOUND = [
    ("diagnosis.overconfident", votes(*["bbba"] * 30, *["aaaa"] * 10)),
    ("diagnosis.underconfident", votes(*["aabc"] * 60)),
    ("diagnosis.rarely", grades((40, 1), n=8)),
    ("diagnosis.mostly_right", grades((30, 3), n=4)),
    ("diagnosis.mostly_wrong", grades((30, 1), n=4)),
    ("diagnosis.votes_right", votes(*["aaab"] * 30)),
    ("diagnosis.votes_wrong", votes(*["bbba"] * 30)),
    ("diagnosis.wrong_scatter", votes(*["aabcd"] * 30)),
    ("diagnosis.wrong_agree", votes(*["aabbb"] * 30)),
    ("diagnosis.repeated", votes(*["aaabb"] * 60)),
    ("diagnosis.no_variation", grades((40, 4), (30, 0), n=4)),
    ("diagnosis.runs_differ", {"grades": [[1, 0, 0]] * 40}),
    ("diagnosis.ineffective", grades((100, 0), (10, 4), n=4)),
    ("diagnosis.even", grades((350, 0), (650, 4), n=4)),
    ("diagnosis.unstable", grades((750, 2), (250, 3), n=4)),
    ("diagnosis.met", grades((100, 4), n=4)),
    ("diagnosis.missed", grades((100, 0), (10, 4), n=4)),
    ("diagnosis.copies", {"answers": [["x" * 100] * 4] * 9, "grades": [[1] * 4] * 9}),
]


@for_each("code, data", FOUND, ids=[code for code, _ in FOUND])
def test_rules_find_what_is_there(code, data):
    assert code in list_codes(diagnose(data))


def test_every_rule_is_in_both_tables():
    assert {code for code, *_ in CASES} == {code for code, _ in FOUND}
