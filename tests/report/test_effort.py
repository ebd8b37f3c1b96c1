"""The estimate of a vote's time: a bound that never falls as more time is given."""

from collections import Counter
from math import inf

import numpy as np
import pytest

from at_k.grading import judge
from at_k.problems import Problems
from at_k.report import effort


def judged(answers, references, **options):
    return judge(Problems.read(answers=answers, references=references), missing="incorrect", **options)


def test_without_a_limit_or_without_answers_nothing_is_too_long():
    assert effort.find_longest_vote(judged([["a"]], ["a"]), None) == inf
    assert effort.find_longest_vote(judge(Problems.read(grades=[[1, 0]])), 1e-9) == inf


def test_k_one_always_fits():
    assert effort.find_longest_vote(judged([["a", "b"] * 50], ["a"]), 0) == 1
    assert effort.find_longest_vote(judged([["a", "b"] * 50], ["a"]), 1e-9) == 1


def test_the_estimate_by_hand():
    """Two problems of ten and twenty samples. In the second, two right answers have one size, and a third another."""
    first = ["a"] * 4 + ["x"] * 6
    second = ["b"] * 5 + ["c"] * 5 + ["d"] * 7 + ["y"] * 3
    verdicts = judged([first, second], ["a", ["b", "c", "d"]])
    squares = 10**2 * 1 + 20**2 * 2
    left = 1 - 2 * effort._PER_PROBLEM - 30 * effort._PER_SIZE
    assert effort.find_longest_vote(verdicts, 1) == pytest.approx(
        left / (squares * effort._PER_SQUARE_AND_K + 30 * effort._PER_SIZE_AND_K)
    )


def test_problems_of_one_size_share_what_depends_on_the_size():
    once, often = (effort.find_longest_vote(judged([["x"] * 8] * times, ["a"] * times), 1) for times in (1, 1000))
    assert once - often == pytest.approx(999 * effort._PER_PROBLEM / (8 * effort._PER_SIZE_AND_K))


def test_more_time_never_allows_less():
    verdicts = judged([["a", "b", "a", None] * 20] * 5, ["a"] * 5)
    found = [effort.find_longest_vote(verdicts, seconds) for seconds in (0, 0.001, 0.01, 0.1, 1, 10)]
    assert found == sorted(found)


def test_sizes_of_right_answers_by_counting():
    rng = np.random.default_rng(0)
    answers = [rng.choice(["a", "b", "c", "d", "x", None], size).tolist() for size in rng.integers(1, 25, 60)]
    references = [rng.choice(["a", "b", "c", "d", "none"], 3).tolist() for _ in answers]
    counted = [
        len({count for answer, count in Counter(row).items() if answer is not None and answer in accepted})
        for row, accepted in zip(answers, references, strict=True)
    ]
    assert effort._count_right_sizes(judged(answers, references)).tolist() == counted
    assert effort._count_right_sizes(judged([["a"], ["b"]], ["x", "x"])).tolist() == [0, 0]
    assert effort._count_right_sizes(judge(Problems.read(grades=[[1], [1]]))).tolist() == [0, 0]
