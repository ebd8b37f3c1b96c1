"""Verdicts: what is correct, and what becomes of missing samples."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from at_k import columns
from at_k.grading import judge_answers, judge_grades

GRADES = [[1, 0.5, None], [0.6, 0.2]]


def test_grades_in_parts_are_those_of_one_column():
    whole = judge_grades([columns.read_grades(GRADES)], missing="incorrect")
    parts = judge_grades([columns.read_grades(GRADES[:1]), columns.read_grades(GRADES[1:])], missing="incorrect")
    for verdicts in (whole, parts):
        assert_array_equal(verdicts.correct.values, [True, False, False, True, False])
        assert_array_equal(verdicts.grade, [1.5 / 3, 0.8 / 2])
        assert_array_equal(verdicts.c, [1, 1])
        assert (verdicts.n_missing, verdicts.kept) == (1, None)


def test_dropped_samples_leave_every_column():
    with pytest.warns(UserWarning, match="left out 1 of 5 samples, in 1 of 2 problems"):
        verdicts = judge_grades([columns.read_grades(GRADES)], missing="drop")
    assert_array_equal(verdicts.n, [2, 2])
    assert_array_equal(verdicts.given, [3, 2])
    assert_array_equal(verdicts.grade, [0.75, 0.4])
    assert_array_equal(verdicts.alongside("scores", columns.read_scores([[1, 2, 3], [4, 5]])).values, [1, 2, 4, 5])


def test_the_place_of_a_missing_sample_counts_all_parts():
    with pytest.raises(ValueError, match="None or NaN in problem 1, sample 0"):
        judge_grades([columns.read_grades([[1]]), columns.read_grades([[np.nan]])])


def test_answers_equal_but_for_white_space_are_one_vote_under_exact_match_alone():
    answers, references = columns.read_answers([["7", " 7", "9"]]), columns.read_references(["7 "])
    assert len(judge_answers(answers, references).answers.distinct) == 2
    checked = judge_answers(answers, references, check_correct_fn=lambda a, b: a.strip() == b.strip())
    assert len(checked.answers.distinct) == 3
    assert_array_equal(checked.c, [2])
