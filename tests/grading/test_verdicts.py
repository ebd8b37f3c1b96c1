"""Verdicts: what is correct, and what becomes of missing samples."""

import numpy as np
import pytest
from cases import for_each
from numpy.testing import assert_array_equal

import at_k
from at_k import columns
from at_k.columns import read_problems
from at_k.errors import InputError
from at_k.grading import judge
from at_k.samples import Problems

GRADES = [[1, 0.5, None], [0.6, 0.2]]


def in_parts(*parts):
    return Problems(grades=tuple(map(columns.read_grades, parts)))


def test_grades_without_answers_look_up_no_checker_and_no_rule(monkeypatch):
    for name in ("find_checker", "find_equivalence", "find_extraction"):
        monkeypatch.setattr(f"at_k.grading.verdicts.{name}", None)
    assert judge(in_parts([[1, 0], [1, 1]])).c.tolist() == [1, 2]


def codes(verdicts):
    return np.split(verdicts.answers.codes.values, verdicts.answers.codes.offsets[1:-1])


def test_grades_in_parts_are_those_of_one_column():
    for problems in (in_parts(GRADES), in_parts(GRADES[:1], GRADES[1:])):
        verdicts = judge(problems, missing="incorrect")
        assert_array_equal(verdicts.correct.values, [True, False, False, True, False])
        assert_array_equal(verdicts.mean_grade, [1.5 / 3, 0.8 / 2])
        assert_array_equal(verdicts.c, [1, 1])
        assert (verdicts.n_missing, verdicts.kept) == (1, None)


def test_dropped_samples_leave_every_column():
    with pytest.warns(UserWarning, match="left out 1 of 5 samples, in 1 of 2 problems"):
        verdicts = judge(in_parts(GRADES), missing="drop")
    assert_array_equal(verdicts.n, [2, 2])
    assert_array_equal(verdicts.given, [3, 2])
    assert_array_equal(verdicts.mean_grade, [0.75, 0.4])
    assert_array_equal(
        verdicts.keep_samples("scores", columns.read_scores([[1, 2, 3], [4, 5]])).values,
        [1, 2, 4, 5],
    )


def test_answers_equal_but_for_white_space_are_one_vote_under_exact_match_alone():
    problems = read_problems(answers=[["7", " 7", "9"]], references=["7 "])
    assert len(judge(problems).answers.distinct) == 2
    checked = judge(problems, check_correct_fn=lambda a, b: a.strip() == b.strip())
    assert len(checked.answers.distinct) == 3
    assert_array_equal(checked.c, [2])


def test_grades_decide_about_answers_whatever_the_references():
    problems = read_problems(
        answers=[["7", " 7", None, "9"]], references=["9"], grades=[[1, 1, 0.75, 0]]
    )
    verdicts = judge(problems, check_correct_fn=lambda *_: 1 / 0)
    assert_array_equal(verdicts.correct.values, [True, True, True, False])
    assert [row.tolist() for row in codes(verdicts)] == [
        [0, 0, -1, 1]
    ]  # the third counts, and casts no vote
    assert verdicts.conditions == {"correct_above": 0.5, "missing": "error", "checker": "graded"}


def test_an_answer_without_a_grade_is_missing():
    problems = read_problems(answers=[["7", "7", "9"]], grades=[[1, None, 0]])
    with pytest.raises(InputError, match="problem 0, sample 1"):
        judge(problems)
    counted = judge(problems, missing="incorrect")
    assert_array_equal(counted.correct.values, [True, False, False])
    assert [row.tolist() for row in codes(counted)] == [[0, -1, 1]]
    with pytest.warns(UserWarning, match="left out 1 of 3"):
        dropped = judge(problems, missing="drop")
    assert [row.tolist() for row in codes(dropped)] == [[0, 1]]


def test_distinct_pairs_of_counts():
    rng = np.random.default_rng(0)
    for sizes in ([4] * 50, rng.integers(1, 6, 50), [5000, 3]):
        rows = [(rng.random(n) < 0.5).astype(float) for n in sizes]
        verdicts = judge(read_problems(grades=rows))
        n, c, which = verdicts.counts
        assert_array_equal(n[which], [len(row) for row in rows])
        assert_array_equal(c[which], [row.sum() for row in rows])
        assert len(set(zip(n.tolist(), c.tolist(), strict=True))) == len(n)


def test_a_reference_that_nobody_gave_matches_no_answer():
    for answers in ([list("abcdef")] * 2, [list("abcdef"), list("abc")]):
        verdicts = judge(read_problems(answers=answers, references=["z", ["q", "w", "b"]]))
        assert_array_equal(verdicts.c, [0, 1])
        assert len(verdicts) == 2
    missing = judge(
        read_problems(answers=[["a", None, "b"]], references=[["z", "b"]]), missing="incorrect"
    )
    assert_array_equal(missing.correct.values, [False, False, True])


def test_the_place_of_a_missing_sample_counts_all_parts():
    for parts in (([[1]], [[1], [0, np.nan]]), ([[1], [1], [0, np.nan]],)):
        with pytest.raises(InputError, match="None or NaN in problem 2, sample 1") as caught:
            judge(in_parts(*parts))
        assert [caught.value.code, *map(caught.value.values.get, ("problem", "sample"))] == [
            "missing.error",
            2,
            1,
        ]
    with pytest.raises(InputError, match="None or NaN in problem 1, sample 1"):
        judge(read_problems(answers=[["a"], ["b", None]], references=["a", "b"]))


def test_a_column_beside_the_samples_has_a_value_for_each_that_is_there():
    verdicts = judge(in_parts([[1, 0], [1, 1]]))
    for rows, place in (
        ([[1, 2], [3, None]], "problem 1, sample 1"),
        ([[[1, None], [2, 2]], [[3, 3]] * 2], "problem 0, sample 0"),
    ):
        with pytest.raises(
            ValueError, match=f"`weights` must be finite numbers; got None or NaN in {place}"
        ):
            verdicts.keep_samples("weights", columns.read_scores(rows))
    column = columns.read_scores([[1, 2], [3, 4]])
    assert verdicts.keep_samples("weights", column) is column


def test_each_problem_is_checked_by_its_own_reference():
    answers = [["a", "b", "c"], ["b", "a", "c"], ["c", "c", "a"]]
    problems = read_problems(answers=answers, references=["a", "b", "c"])
    verdicts = judge(
        problems, check_correct_fn=lambda prediction, reference: 0.75 * (prediction == reference)
    )
    assert_array_equal(
        verdicts.correct.values, [True, False, False, True, False, False, True, True, False]
    )
    assert_array_equal(verdicts.mean_grade, [0.25, 0.25, 0.5])


def test_a_problem_of_which_all_samples_are_dropped():
    with pytest.raises(
        InputError, match="all of them are missing, and dropped, in problem 1"
    ) as caught:
        judge(in_parts([[1, None]], [[None, None]]), missing="drop")
    assert caught.value.code == "missing.nothing_left"


def test_a_warning_points_at_what_called_the_library():
    with pytest.warns(UserWarning, match="left out 1 of 2 samples") as caught:
        judge(in_parts([[1, None]]), missing="drop")
    assert caught[0].filename == __file__


@for_each("checker, row, votes", [
    ("numeric", ["1250", "1,250", "7", "7"], 2), ("numeric", ["1/3", "0.3333333", "0.33"], 2),
    ("quasi_exact", ["Paris.", "paris", "Rome"], 2), ("choice", ["The answer is (B).", "**B**", "C"], 2),
    ("exact_match", ["0.5", " 0.5", "1/2"], 2), (lambda a, b: float(a) == float(b), ["0.5", "0.50"], 2),
])  # fmt: skip
def test_votes_follow_the_checker(checker, row, votes):
    problems = read_problems(answers=[row], references=[row[0]])
    verdicts = judge(problems, check_correct_fn=checker)
    assert len(set(verdicts.answers.codes.values.tolist())) == votes
    assert verdicts.ballots.listed() == [
        [text.strip() if isinstance(checker, str) else text for text in row]
    ]


def test_a_right_and_a_wrong_answer_vote_apart():
    """1.0000009 is within a millionth of both others, of which one is right."""
    problems = read_problems(
        answers=[["1.0", "1.0000018", "1.0000009", "1.0000009"]], references=["1.0"]
    )
    verdicts = judge(problems, check_correct_fn="numeric")
    assert verdicts.correct.values.tolist() == [True, False, True, True]
    assert verdicts.answers.listed() == [["1.0000009", "1.0000018", "1.0000009", "1.0000009"]]


@for_each("rule", ["last_number", "final_answer", "boxed", r"#### (.+)"])
def test_gsm8k_has_one_number_whichever_rule_finds_the_answers(rule):
    answers = [
        f"So \\boxed{{{number}}}.\n#### {number}" for number in ("1250", "1,250", "9", "9", "7")
    ]
    data = {
        "answers": [answers],
        "references": ["The answer is 50 * 25 = <<50*25=1250>>1,250\n#### 1,250"],
    }
    report = at_k.score(
        data, extract_fn=rule, check_correct_fn="numeric", metrics="cons_at_k", k=[1, 5]
    )
    assert report.values == {"cons@1": 0.4, "cons@5": 0.5}


def test_a_report_says_where_votes_are_apart_that_a_function_holds_equal():
    data = {"answers": [["0.5", "0.50", "1"]], "references": ["0.5"]}
    report = at_k.score(
        data, check_correct_fn=lambda a, b: float(a) == float(b), metrics="cons_at_k", k=3
    )
    note = next(note for note in report.notes if note.code == "note.split_votes")
    assert (note.values["count"], note.values["total"]) == (1, 3)
